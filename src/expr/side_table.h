/*-------------------------------------------------------------------------
 *
 * side_table.h
 *	  What a layer knows of nodes or tensors, kept beside them.
 *
 * A node or tensor is known by its address. Nothing may depend on the order of
 * a table, and there is no way to see it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_SIDE_TABLE_H
#define EXPR_SIDE_TABLE_H

#include "postgres.h"

typedef struct side_table_hash SideTable;

/* For about size entries, in the current memory context. */
extern SideTable *new_side_table(uint32 size);
extern void free_side_table(SideTable *table);

/* What is known of it, or NULL. */
extern void *side_value(SideTable *table, const void *key);

/* Notes what is known of it, in place of what was. */
extern void set_side_value(SideTable *table, const void *key, const void *value);

/* Is it known of it whether something is so? Then *answer. */
extern bool side_answer(SideTable *table, const void *key, bool *answer);

/* Notes whether it is so, and returns that. */
extern bool set_side_answer(SideTable *table, const void *key, bool answer);

#endif
