/*-------------------------------------------------------------------------
 *
 * indexed_rows.h
 *	  Rows in memory that are changed one by one, and found by their keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_INDEXED_ROWS_H
#define EXECUTOR_INDEXED_ROWS_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"
#include "utils/queryenvironment.h"

#include "catalog/registration.h"

/*
 * Rows of unique integer keys and a number. Queries read them by their name, which no other
 * rows have, once their relation is in the environment; none is running while they change.
 */
typedef struct IndexedRows
{
	EphemeralNamedRelationData relation; /* reldata are the rows themselves */
	MemoryContext memory;
	int nkeys;
	Oid key_types[TENSOR_MAX_RANK];
	int64 count;
	int64 size;  /* that there is memory for */
	int64 *keys; /* nkeys of each row */
	double *values;
	struct row_index_hash *index;
} IndexedRows;

/* None yet, in a child of the current memory context; the columns are the keys and the number. */
extern IndexedRows *open_indexed_rows(const char *name, TupleDesc columns);
extern void close_indexed_rows(IndexedRows *rows);

/* The number in the row of these keys, or NULL. */
extern double *find_indexed_row(IndexedRows *rows, const int64 *keys);

/* Gives a row its number; it is added if there was none. */
extern void put_indexed_row(IndexedRows *rows, const int64 *keys, double value);

/* Removes a row, if there is one. */
extern void remove_indexed_row(IndexedRows *rows, const int64 *keys);

/* What so many rows take. */
extern double indexed_rows_bytes(int nkeys, double rows);

/* Those of that name that are open, or NULL. */
extern IndexedRows *find_indexed_rows(const char *name);

/* planner.c: has a relation read such rows in full or by their keys, if it is one. */
extern void add_indexed_rows(PlannerInfo *root, RelOptInfo *rel,
							 const RangeTblEntry *rte);

/* Has the column each of its values once? */
extern bool is_key_of_rows(const RangeTblEntry *rte, AttrNumber attno);

/* exec.c: makes the node known to the executor. */
extern void register_indexed_rows(void);

extern const CustomScanMethods indexed_rows_scan_methods;

#endif
