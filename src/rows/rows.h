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
#include "rows/kept.h"

/* Counts of the rows and entries of a tensor. */
typedef struct RowCounts
{
	double rows;
	double bytes;
	double entries;                 /* entries that differ from fill */
	double nans;                    /* entries that are NaN though fill is not */
	double infinite;                /* entries that are infinite though fill is not */
	double negative;                /* entries below 0 */
	double keys[TENSOR_MAX_RANK];   /* distinct keys in the column of each label */
	double values[TENSOR_MAX_RANK]; /* distinct indices of each label */
	double last;                    /* the real part of the last entry; or fill */
} RowCounts;

/* Rows that queries read by name. */
typedef struct Rows
{
	EphemeralNamedRelationData relation; /* reldata is memory, or a tuplestore, or NULL */
	MemoryRows *memory;                  /* rows of integers and one number; NULL for
										  * others */
	LoopRows described;                  /* what the planner is told of them */
	int scans;                           /* queries that have read them since they were
										  * filled */
	bool registered;
} Rows;

/*
 * Returns rows of that name, without any row, in the current memory context. If columns
 * are given, rows are kept in a tuplestore; else set_columns must follow.
 */
extern Rows *new_rows(const char *name, TupleDesc columns);

/* Sets the columns of rows. across: the rows outlive the transaction. */
extern void set_columns(Rows *rows, TupleDesc columns, bool across);

/* Frees the tuplestore or memory rows behind, for good; the struct stays. */
extern void close_rows(Rows *rows);

/* Unregisters and frees rows that queries no longer read. */
extern void free_rows(Rows *rows);

/*
 * Registers rows with the current SPI connection, so that its queries can read them, or
 * unregisters them.
 */
extern void register_rows(Rows *rows);
extern void unregister_rows(Rows *rows);

/* Removes all rows; name and columns stay. */
extern void clear_rows(Rows *rows);

/* Moves the rows of one to the other in place of its own; the first is empty then. */
extern void move_rows(Rows *to, Rows *from);

/*
 * Notes that queries have scanned the rows this many times. Each scan leaves memory
 * behind, which is freed after some thousand scans.
 */
extern void note_scans(Rows *rows, int scans);

/*
 * Replaces the rows by the result of a SELECT, run read-only as the current user, but
 * leaves out rows whose entries are all fill. The plan must be prepared by
 * plan_query_of_loop; copied are the rows that it says are only copied, or NULL. storage
 * describes the columns: the tensor's keys in the order of dimensions, and the value.
 * Sets counts. across: the rows outlive the transaction.
 */
extern void fill_rows(Rows *rows, SPIPlanPtr plan, MemoryRows *copied,
					  const Storage *storage, RowCounts *counts, bool across);

/*
 * A SELECT that is run as the current user as of a snapshot. kept: its plan stays in the
 * session, for about as many rows in memory; or NULL.
 */
typedef struct ReadingAt
{
	const char *query;
	Snapshot snapshot;
	KeptTable *kept;
	double rows;
} ReadingAt;

/*
 * Replaces the rows by all rows of a SELECT. Their columns must be set: keys, and a value
 * as the last.
 */
extern void fill_rows_at(Rows *rows, const ReadingAt *reading);

/*
 * Does the same for rows of a tensor: leaves out those whose entries are all fill, and
 * sets counts, as fill_rows does.
 */
extern void fill_tensor_rows_at(Rows *rows, const ReadingAt *reading,
								const Storage *storage, RowCounts *counts);

/* Returns the number of rows. */
extern double number_of_rows(const Rows *rows);

/*
 * Can count rows of a tensor be indexed: are they integer keys and one number, and does
 * the index fit into memory? index_rows indexes them; drop_row_index (memory_rows.h)
 * undoes that.
 */
extern bool can_index_rows(const Rows *rows, const Storage *storage, double count);
extern void index_rows(const Rows *rows, const Storage *storage);

#endif
