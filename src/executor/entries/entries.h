/*-------------------------------------------------------------------------
 *
 * entries.h
 *	  The entries of a vector or of arrays as rows, beside the rows that have them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_ENTRIES_H
#define EXECUTOR_ENTRIES_H

#include "postgres.h"

#include "executor/row_nodes.h"

/* What the node reads. */
typedef enum EntriesKind
{
	ENTRIES_OF_VECTOR, /* einsum_unstack_scalar */
	ENTRIES_OF_LAYOUT, /* einsum_entries */
	ENTRIES_OF_STORED, /* einsum_stored_entries */
	ENTRIES_OF_RANGE,  /* einsum_range_keys: indices without values */
} EntriesKind;

/*
 * Members of the plan's custom_private. Its custom_exprs are the arguments of the
 * function, with a NULL for each that is a column of the child's rows.
 */
enum
{
	ENTRIES_KIND,     /* Integer */
	ENTRIES_FUNCTION, /* OidList: the function that the node replaces */
	ENTRIES_RANK,     /* Integer: the number of indices */
	/* IntList: of each argument the column of the child's rows, or 0 */
	ENTRIES_ARGUMENTS,
	ENTRIES_TYPES, /* OidList: the types of the arguments */
	/*
	 * IntList: of each column of the node's rows the column of the child's rows, or
	 * ENTRY_COLUMN
	 */
	ENTRIES_COLUMNS,
	ENTRIES_SEEK,      /* OidList: the type of the first index that is asked for, which is
					  * the last of custom_exprs; InvalidOid if all are */
	ENTRIES_REGULAR,   /* Integer: whether no column of the child's rows can be NULL */
	ENTRIES_FIRST_KEY, /* Const int8: added to the first index to get what is asked for */
};

/* A column of the entries, from 0 on: the indices, and behind them the value. */
#define ENTRY_COLUMN(n) (-1 - (n))

extern const RowNode entries_node;

#endif
