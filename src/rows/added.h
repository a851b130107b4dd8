/*-------------------------------------------------------------------------
 *
 * added.h
 *	  What has to be added to a result, since tensors that it reads have changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_ADDED_H
#define ROWS_ADDED_H

#include "nodes/bitmapset.h"

#include "rows/sources.h"
#include "rows/tensor_change.h"

/*
 * Processor time in microseconds of a row of the table: that is compared with a computed
 * one, by a join or by an index in memory; that is written since it differs; and that is
 * looked up, added to and written.
 */
#define COMPARED_ROW 0.8
#define INDEXED_ROW 0.25
#define WRITTEN_ROW 6.5
#define ADDED_ROW 10.0

/* What costs less is added without asking what computing would cost: that is planned, too. */
#define LEAST_COMPARED 1000.0

#define COSTS_MORE "so much has changed that computing it costs less"

/* A result, and what is known of what it reads. */
typedef struct Addition
{
	const Storage *result;  /* resolved */
	const Sources *sources; /* with a position */
	const List *known;      /* of TensorChange *: of tables of the same refresh */
	const List *refreshed;  /* OIDs of all tables that the refresh has changed */
	Snapshot snapshot;
	double rows;        /* of the result's table; -1: not known */
	TupleDesc columns;  /* of its rows: keys d0, d1, ... by dimension, and the value */
	bool ordered;       /* the types of its keys have an order */
	bool at_keys;       /* nothing is added, since sums would not be finite */
	const char *caller; /* queries are labelled with it and the result's program */
	KeptTable *kept;    /* of the result, valid */
} Addition;

/* How a result changes; all is NULL if it does not. */
typedef struct FoundChange
{
	TensorChange *added; /* what is added to it, finite numbers */
	/*
	 * of a result whose rows move: what is added, and its magnitude, as columns_of_moving
	 * has them; or else:
	 */
	Rows *moving;
	Rows *touched;   /* keys at which it may differ, in columns d0, d1, ... and value, */
	Bitmapset *keys; /* dimensions that these columns are of, */
	Rows *computed;  /* and its rows at these keys, as they are now */
	bool better;     /* these are extremes of those that it had and of new terms */
} FoundChange;

/*
 * Finds how a result changes. Returns NULL, or why that is not known or costs more than
 * computing it, in words. Errors: those of reading bad rows, and of the queries.
 */
extern const char *find_addition(const Addition *addition, FoundChange *found);

/*
 * Computes a result's rows at the keys of these rows, which are registered: those of all
 * promoted dimensions. Returns NULL, or why that is not possible or costs more
 * than computing it all, in words. The keys are in *found then, and freed with it.
 */
extern const char *find_at_keys(const Addition *addition, Rows *keys, FoundChange *found);

/*
 * Returns the query of what rows add that move, without their magnitudes: a change of the
 * result.
 */
extern char *query_of_moving(const Storage *result, const Rows *moving);

/* Frees the rows of a change. */
extern void free_found(FoundChange *found);

/*
 * Returns the name of the rows by which a table changes, in the refresh that is running.
 * number: of the tensor in a statement that reads the table; 0: of a result. The name is
 * the same in all refreshes, since kept queries read it.
 */
extern char *name_of_change(Oid table, int number);

/* Numbers of rows that are no change of a tensor. */
#define ROWS_TOUCHED (-1)
#define ROWS_COMPUTED (-2)
#define ROWS_MOVING (-3)
#define ROWS_MOVING_APART (-4)
#define ROWS_COMPUTED_APART (-5)

#endif
