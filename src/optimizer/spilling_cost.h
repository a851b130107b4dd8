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
 * Bytes of a hash table beside keys and values: for a tuple of a join its header and
 * bucket, for a group the header, the entry and the aggregate's state.
 */
#define HASHED_TUPLE_BYTES 48.0
#define HASHED_GROUP_BYTES 112.0

/*
 * Returns the cost of spilling when tuples of this many bytes are grouped in a hash table
 * of table bytes. PostgreSQL expects the table to hold a tuple beside the state of each
 * group. If the table does not fit in memory, PostgreSQL sorts the tuples, or writes
 * those of groups that do not fit: all tuples are counted as written to temporary files
 * and read again. *memory becomes the most that any table needs.
 */
extern double spilling_cost(double table, double bytes, double *memory);

/*
 * Returns the cost of spilling in a hash join, given the bytes of the hash table and of
 * the tuples of both sides. There are 2^n batches, of which the first stays in memory: a
 * table that is a little too large spills half.
 */
extern double batches_cost(double table, double bytes, double *memory);

#endif
