/*-------------------------------------------------------------------------
 *
 * name_set.h
 *	  Sets of names, and what belongs to each name.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_NAME_SET_H
#define EXPR_NAME_SET_H

#include "postgres.h"

#include "nodes/pg_list.h"

typedef struct NameSet
{
	List *names; /* strings, in the order in which they were added */
	struct name_table_hash *table;
} NameSet;

/* Returns an empty set in the current memory context, with room for some names. */
extern NameSet *make_name_set(uint32 size);

extern bool has_name(const NameSet *set, const char *name);

/* Adds a name, without copying it. Returns false if the set has it already. */
extern bool add_name(NameSet *set, const char *name);

/* Returns what belongs to a name; NULL if nothing does, or the set has no such name. */
extern void *value_of_name(const NameSet *set, const char *name);

/* Sets what belongs to a name, which is added if it is new. */
extern void set_value_of_name(NameSet *set, const char *name, void *value);

#endif
