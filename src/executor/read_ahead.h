/*-------------------------------------------------------------------------
 *
 * read_ahead.h
 *	  How far a node may read on of its child, beyond the rows it is asked for.
 *
 * Reading a row evaluates the conditions and the target list of the nodes below. Where
 * that raises an error in a row that nobody will ask for, as behind a LIMIT, a query
 * fails that would not have. So a node reads ahead where all rows will be asked
 * for, or where nothing below can raise an error.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_READ_AHEAD_H
#define EXECUTOR_READ_AHEAD_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* From the weakest on. */
typedef enum ReadAhead
{
	READ_AHEAD_NEVER,
	READ_AHEAD_TO_THE_END, /* while the executor runs until there are no more rows */
	READ_AHEAD_ALWAYS
} ReadAhead;

/*
 * How far a node may read ahead of a plan below it, by the finished plan. It holds from
 * the second row of each scan on: the first has been asked for.
 */
extern ReadAhead read_ahead_of(const CustomScanState *node, const Plan *child);

/* May the node do so now? */
extern bool may_read_ahead(const CustomScanState *node, ReadAhead rule);

/* Has the executor tell whether it runs to the end. */
extern void read_ahead_init(void);

#endif
