/*-------------------------------------------------------------------------
 *
 * spilling_cost.h
 *	  The cost model: what hash tables cost that do not fit in memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_SPILLING_COST_H
#define OPTIMIZER_SPILLING_COST_H

/*
 * What a hash table has beside keys and value: of a tuple of a join its header and
 * bucket, of a group the header, the entry and the state's own.
 */
#define HASHED_TUPLE_BYTES 48.0
#define HASHED_GROUP_BYTES 112.0

/*
 * Cost of grouping with a hash table of a number of bytes, given the bytes of all tuples
 * that go into it. PostgreSQL expects a tuple of them beside the state of each group. If
 * that does not fit, it sorts the tuples, or writes those of groups that do not fit: all
 * are written to temporary files and read again. *memory is the most that any table
 * needs.
 */
extern double spilling_cost(double table, double bytes, double *memory);

/*
 * Cost of spilling of a hash join, given the bytes of the tuples of both sides. There are
 * 2^n batches, of which the first stays in memory: a table that is a little too large
 * spills half.
 */
extern double batches_cost(double table, double bytes, double *memory);

#endif
