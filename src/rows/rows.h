/*-------------------------------------------------------------------------
 *
 * rows.h
 *	  Rows that are kept in memory, read by their name, and what is counted of them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_ROWS_H
#define ROWS_ROWS_H

#include "postgres.h"

#include "executor/spi.h"
#include "tcop/dest.h"
#include "utils/snapshot.h"
#include "utils/tuplestore.h"

#include "catalog/registration.h"
#include "executor/memory_rows/memory_rows.h"
#include "planner/loop_planning.h"

/* What there is in the rows of a tensor. */
typedef struct RowCounts
{
	double rows;
	double bytes;
	double entries;                 /* that differ from fill */
	double nans;                    /* entries that are NaN though fill is not */
	double infinite;                /* entries that are infinite though fill is not */
	double negative;                /* entries below 0 */
	double keys[TENSOR_MAX_RANK];   /* distinct, of each label that has a column */
	double values[TENSOR_MAX_RANK]; /* distinct indices of each label */
	double last;                    /* the real part of the last entry; or fill */
} RowCounts;

/* Rows by the name under which queries read them. */
typedef struct Rows
{
	EphemeralNamedRelationData relation; /* reldata is memory, or a tuplestore, or NULL */
	MemoryRows *memory;                  /* of integers and a number; NULL: others */
	LoopRows described;                  /* as the planner is told */
	int scans;                           /* since it was filled */
	bool registered;
} Rows;

/* Rows of that name, none yet, in the current memory context; a tuplestore, if columns are given. */
extern Rows *new_rows(const char *name, TupleDesc columns);

/* Rows get their columns. across: they outlive the transaction. */
extern void set_columns(Rows *rows, TupleDesc columns, bool across);

/* Gives back what is not memory, for good. */
extern void close_rows(Rows *rows);

/* Gives back all, of rows that queries no longer read. */
extern void free_rows(Rows *rows);

/* Lets queries of the current SPI connection read them, or no more. */
extern void register_rows(Rows *rows);
extern void unregister_rows(Rows *rows);

/* Forgets the rows. */
extern void clear_rows(Rows *rows);

/* Makes these rows those of another, which has none then. */
extern void move_rows(Rows *to, Rows *from);

/*
 * Notes how many queries have read the rows: each leaves some memory behind, which is freed
 * from time to time.
 */
extern void note_scans(Rows *rows, int scans);

/*
 * Runs a SELECT, as the current user and read-only, and has its result in rows in place of
 * what was there, but for those that are all fill. The plan is one that plan_query_of_loop has made, which has said
 * which rows it copies. storage is what the result is of a tensor: its keys in the order of dimensions, and the value, are
 * the columns. across: the rows outlive the transaction.
 */
extern void fill_rows(Rows *rows, SPIPlanPtr plan, MemoryRows *copied,
					  const Storage *storage, RowCounts *counts, bool across);

/*
 * Runs a SELECT, as the current user and read-only, so that it sees a snapshot, and has all rows of its result. They
 * have columns already: keys, and a value as the last.
 */
extern void fill_rows_at(Rows *rows, const char *query, Snapshot snapshot);

/* The number of rows. */
extern double number_of_rows(const Rows *rows);

/*
 * Can this many rows of a tensor be indexed: are they integers and a number, and do they fit?
 * Then index_rows does, which drop_row_index (memory_rows.h) undoes.
 */
extern bool can_index_rows(const Rows *rows, const Storage *storage, double count);
extern void index_rows(const Rows *rows, const Storage *storage);

#endif
