/*-------------------------------------------------------------------------
 *
 * near_names.h
 *	  Finds the names that may have been meant by an unknown name.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PARSER_NEAR_NAMES_H
#define PARSER_NEAR_NAMES_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* Names that are compared with a misspelt one. Begin with {.name = the misspelt name}. */
typedef struct NearNames
{
	const char *name;
	List *offered;
} NearNames;

/* Adds an existing name, which is not copied. */
extern void offer_name(NearNames *names, const char *other);

/* Returns the nearest of the names offered, or NULL if none is similar enough. */
extern const char *nearest_name(NearNames *names);

/*
 * Returns the similar names among those offered, each once, nearest first, and at most
 * `most`; NIL if none is similar.
 */
extern List *near_names(NearNames *names, int most);

/*
 * Returns all names offered as a list for messages, nearest first; "..." replaces those
 * beyond `most`.
 */
extern char *names_by_nearness(NearNames *names, int most);

#endif
