/*-------------------------------------------------------------------------
 *
 * near_names.h
 *	  Which names may have been meant by one that is not known.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PARSER_NEAR_NAMES_H
#define PARSER_NEAR_NAMES_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* What has been offered for a name; begin with {.name = ...}. */
typedef struct NearNames
{
	const char *name;
	List *offered;
} NearNames;

/* Offers an existing name; it is not copied. */
extern void offer_name(NearNames *names, const char *other);

/* The name offered that is nearest, or NULL where none is near enough to have been meant. */
extern const char *nearest_name(NearNames *names);

/*
 * The offered names that are near, each once, nearest first, and at most the given
 * number; may be NIL.
 */
extern List *near_names(NearNames *names, int most);

/*
 * All offered names, nearest first, as a list for messages; "..." stands for those beyond
 * most.
 */
extern char *names_by_nearness(NearNames *names, int most);

#endif
