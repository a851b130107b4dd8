/*-------------------------------------------------------------------------
 *
 * memory_rows.h
 *	  Rows in memory, column by column, which may be changed one by one and found by
 *	  their keys.
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
#include "executor/row_nodes.h"

/*
 * Rows of integer keys and a number. Queries read them by name: their environment has a
 * relation that refers to the rows. No query runs while the rows change. Rows beyond
 * work_mem are in a tuplestore, and are read after those in memory.
 */
typedef struct MemoryRows
{
	const char *name; /* the owner's */
	TupleDesc columns;
	MemoryContext memory;
	int nkeys;
	Oid key_types[TENSOR_MAX_RANK];
	int64 count; /* rows in memory */
	int64 size;  /* rows that the arrays have room for */
	int64 *keys[TENSOR_MAX_RANK];
	double *values;
	bool across;            /* the rows outlive transactions */
	Tuplestorestate *store; /* further rows; NULL: there are none */
	/*
	 * the row of each key, in the array places or in the hash table index; both are NULL
	 * if the rows are not indexed
	 */
	int32 *places;                  /* by place, the row; -1: no row */
	int64 bounds[TENSOR_MAX_RANK];  /* each key is less than its bound */
	int64 strides[TENSOR_MAX_RANK]; /* a key's place is the sum of keys * strides */
	struct row_index_hash *index;
	MemoryContextCallback callback;
} MemoryRows;

/* Can rows of these columns be MemoryRows: integer keys, then a float8? */
extern bool fit_memory_rows(TupleDesc columns);

/*
 * Makes empty rows of a name in a child of the current memory context, and closes them.
 * They end with that context at the latest. across: they outlive the transaction. If
 * several rows have the same name, queries find those that were opened last.
 */
extern MemoryRows *open_memory_rows(const char *name, TupleDesc columns, bool across);
extern void close_memory_rows(MemoryRows *rows);

/* Removes all rows; the rows may not be indexed. */
extern void clear_memory_rows(MemoryRows *rows);

/* Adds a row; the rows may not be indexed. */
extern void add_memory_row(MemoryRows *rows, const int64 *keys, double value);

/* The number of rows, in memory and in the tuplestore. */
extern int64 count_memory_rows(const MemoryRows *rows);

/* Reads rows from the first on, some at a time. */
typedef struct MemoryRowReader
{
	MemoryRows *rows;
	MemoryContext context; /* the memory context in which reading began */
	int64 next;
	int pointer; /* read pointer of the tuplestore; -1: not made yet */
	TupleTableSlot *slot;
	int64 *keys[TENSOR_MAX_RANK]; /* of rows of the tuplestore */
	double *values;
} MemoryRowReader;

extern void begin_row_reader(MemoryRowReader *reader, MemoryRows *rows);
extern void rewind_row_reader(MemoryRowReader *reader);

/*
 * Returns the next rows: the columns of keys, then the column of numbers. False behind
 * the last row.
 */
extern bool read_memory_rows(MemoryRowReader *reader, ColumnRows *columns);
extern void end_row_reader(MemoryRowReader *reader);

/*
 * Indexes rows by their keys, and drops that index. All rows are in memory, and no two
 * have the same keys. A key is less than its bound, if the bound is not negative.
 */
extern void index_memory_rows(MemoryRows *rows, const int64 *bounds);
extern void drop_row_index(MemoryRows *rows);

static inline bool
rows_are_indexed(const MemoryRows *rows)
{
	return rows->places || rows->index;
}

/* Returns the number in the row with these keys, or NULL; the rows are indexed. */
extern double *find_memory_row(MemoryRows *rows, const int64 *keys);

/*
 * Sets the number in the row with these keys; adds a row if they are new. The rows are
 * indexed.
 */
extern void put_memory_row(MemoryRows *rows, const int64 *keys, double value);

/* Removes the row with these keys, if there is one. The rows are indexed. */
extern void remove_memory_row(MemoryRows *rows, const int64 *keys);

/* The bytes that a count of indexed rows takes. */
extern double indexed_rows_bytes(int nkeys, const int64 *bounds, double rows);

/* Returns the open rows of a name, or NULL. */
extern MemoryRows *find_memory_rows(const char *name);

/* Returns the name of the MemoryRows that a plan reads in full; NULL for other plans. */
extern const char *rows_of_plan(const Plan *plan);

extern const RowNode memory_rows_node;

#endif
