/*-------------------------------------------------------------------------
 *
 * prefetch.h
 *	  How far a node may read on of its child, beyond the rows it is asked for.
 *
 * Reading a row evaluates the conditions and the target list of the nodes below. Where
 * that raises an error in a row that nobody will ask for, as behind a LIMIT, a query
 * fails that would not have. So a node reads ahead where all rows will be asked
 * for, or where nothing below can raise an error.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_PREFETCH_H
#define EXECUTOR_PREFETCH_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* From the weakest on. */
typedef enum PrefetchRule
{
	PREFETCH_NEVER,
	PREFETCH_TO_COMPLETION, /* while the executor runs until there are no more rows */
	PREFETCH_ALWAYS
} PrefetchRule;

/*
 * How far a node may read ahead of a plan below it, by the finished plan. It holds from
 * the second row of each scan on: the first has been asked for.
 */
extern PrefetchRule prefetch_rule_for(const CustomScanState *node, const Plan *child);

/* May the node do so now? */
extern bool may_prefetch(const CustomScanState *node, PrefetchRule rule);

/* Has the executor tell whether it runs to the end. */
extern void prefetch_init(void);

#endif
