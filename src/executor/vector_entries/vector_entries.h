/*-------------------------------------------------------------------------
 *
 * vector_entries.h
 *	  The elements of vectors as rows, beside the rows that have the vectors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_VECTOR_ENTRIES_H
#define EXECUTOR_VECTOR_ENTRIES_H

#include "postgres.h"

#include "nodes/extensible.h"

/* Members of the plan's custom_private. */
enum
{
	ENTRIES_VECTOR, /* Integer: the column of the child's rows that has the vector */
	ENTRIES_FILL,   /* Const float8: elements that equal it are left out */
	/*
	 * IntList: of each column of the node's rows the column of the child's rows, or
	 * ENTRY_*
	 */
	ENTRIES_COLUMNS,
	ENTRIES_FUNCTION, /* OidList: the function that the node replaces */
};

#define ENTRY_INDEX (-1)
#define ENTRY_VALUE (-2)

/* Registers the node's methods with the executor. */
extern void register_vector_entries(void);

extern const CustomScanMethods vector_entries_scan_methods;
extern const CustomExecMethods vector_entries_exec_methods;

#endif
