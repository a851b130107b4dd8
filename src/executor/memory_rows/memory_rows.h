/*-------------------------------------------------------------------------
 *
 * memory_rows.h
 *	  Rows in memory, column by column, which may be changed one by one and found by their keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_MEMORY_ROWS_H
#define EXECUTOR_MEMORY_ROWS_H

#include "postgres.h"

#include "executor/tuptable.h"
#include "nodes/extensible.h"
#include "nodes/plannodes.h"
#include "utils/tuplestore.h"

#include "catalog/registration.h"
#include "executor/column_rows.h"

/*
 * Rows of integer keys and a number, which queries read by their name, in whose environment the rows
 * are as what a relation refers to; none is running while they change. What is more than work_mem is in a
 * tuplestore behind those in memory.
 */
typedef struct MemoryRows
{
	const char *name; /* the owner's */
	TupleDesc columns;
	MemoryContext memory;
	int nkeys;
	Oid key_types[TENSOR_MAX_RANK];
	int64 count; /* in memory */
	int64 size;  /* that there is memory for */
	int64 *keys[TENSOR_MAX_RANK];
	double *values;
	bool across;            /* they outlive transactions */
	Tuplestorestate *store; /* further rows; NULL: there are none */
	/* the place of each key, in arrays (NULL: rows are not indexed) or by a hash of it */
	int32 *places;                  /* -1: no row; by the sum of */
	int64 bounds[TENSOR_MAX_RANK];  /* keys, which are less than these, */
	int64 strides[TENSOR_MAX_RANK]; /* times these; NULL: */
	struct row_index_hash *index;
	MemoryContextCallback callback;
} MemoryRows;

/* Are columns of these types keys and a number? */
extern bool fit_memory_rows(TupleDesc columns);

/*
 * None yet, in a child of the current memory context, which ends them, too. across: they outlive the
 * transaction. The innermost ones of a name that are open are meant by it.
 */
extern MemoryRows *open_memory_rows(const char *name, TupleDesc columns, bool across);
extern void close_memory_rows(MemoryRows *rows);

/* Forgets all rows, which are not indexed. */
extern void clear_memory_rows(MemoryRows *rows);

/* Adds a row, to rows that are not indexed. */
extern void add_memory_row(MemoryRows *rows, const int64 *keys, double value);

/* How many there are. */
extern int64 count_memory_rows(const MemoryRows *rows);

/* Reads rows from the first on, some at a time: */
typedef struct MemoryRowReader
{
	MemoryRows *rows;
	MemoryContext context; /* where it began */
	int64 next;
	int pointer; /* of the store; -1: none yet */
	TupleTableSlot *slot;
	int64 *keys[TENSOR_MAX_RANK]; /* of rows of the store */
	double *values;
} MemoryRowReader;

extern void begin_row_reader(MemoryRowReader *reader, MemoryRows *rows);
extern void rewind_row_reader(MemoryRowReader *reader);

/* The next ones: their keys and, as the last column, their numbers; false if there are none. */
extern bool read_memory_rows(MemoryRowReader *reader, ColumnRows *columns);
extern void end_row_reader(MemoryRowReader *reader);

/*
 * Indexes rows that are all in memory and have unique keys; keys are less than their bounds, where these are
 * not negative. And no more.
 */
extern void index_memory_rows(MemoryRows *rows, const int64 *bounds);
extern void drop_row_index(MemoryRows *rows);

static inline bool
rows_are_indexed(const MemoryRows *rows)
{
	return rows->places || rows->index;
}

/* The number in the row of these keys, or NULL; for rows that are indexed. */
extern double *find_memory_row(MemoryRows *rows, const int64 *keys);

/* Gives a row its number; it is added if there was none. */
extern void put_memory_row(MemoryRows *rows, const int64 *keys, double value);

/* Removes a row, if there is one. */
extern void remove_memory_row(MemoryRows *rows, const int64 *keys);

/* The bytes that a number of indexed rows take. */
extern double indexed_rows_bytes(int nkeys, const int64 *bounds, double rows);

/* The open rows of a name, or NULL. */
extern MemoryRows *find_memory_rows(const char *name);

/* The name of the rows that a plan reads in full; NULL for other plans. */
extern const char *rows_of_plan(const Plan *plan);

/* Makes the node known to the executor. */
extern void register_memory_rows(void);

extern const CustomScanMethods memory_rows_scan_methods;
extern const CustomExecMethods memory_rows_exec_methods;

#endif
