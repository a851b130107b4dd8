/*-------------------------------------------------------------------------
 *
 * side_table.h
 *	  A table of facts about nodes or tensors, kept outside of them.
 *
 * The key is the address of a node or tensor. Nothing may depend on the order of
 * a table; no function shows it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_SIDE_TABLE_H
#define EXPR_SIDE_TABLE_H

#include "postgres.h"

typedef struct side_table_hash SideTable;

/* Makes a table for about size entries, in the current memory context. */
extern SideTable *new_side_table(uint32 size);
extern void free_side_table(SideTable *table);

/* Returns the value stored for a node or tensor, or NULL. */
extern void *side_value(SideTable *table, const void *key);

/* Stores a value for a node or tensor, in place of an earlier one. */
extern void set_side_value(SideTable *table, const void *key, const void *value);

/* Is a yes-or-no answer stored for a node or tensor? Sets *answer if so. */
extern bool side_answer(SideTable *table, const void *key, bool *answer);

/* Stores a yes-or-no answer for a node or tensor, and returns the answer. */
extern bool set_side_answer(SideTable *table, const void *key, bool answer);

#endif
