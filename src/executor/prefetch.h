/*-------------------------------------------------------------------------
 *
 * prefetch.h
 *	  How many rows a node may prefetch from its child.
 *
 * Reading a row evaluates the quals and the target lists of the nodes below. A prefetched
 * row may raise an error there that the query would not have raised, because a LIMIT never
 * asks for that row. So a node prefetches only where all rows will be read, or where
 * nothing below can raise an error.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_PREFETCH_H
#define EXECUTOR_PREFETCH_H

#include "postgres.h"

#include "nodes/execnodes.h"

/* When a node may prefetch, the most restrictive rule first. */
typedef enum PrefetchRule
{
	PREFETCH_NEVER,
	PREFETCH_TO_COMPLETION, /* while the executor runs the plan to completion */
	PREFETCH_ALWAYS
} PrefetchRule;

/*
 * Returns when a node may prefetch from its child, which depends on what reads the node
 * in the finished plan. The rule holds from the second row of each scan on: the node's
 * reader has asked for the first one.
 */
extern PrefetchRule prefetch_rule_for(const CustomScanState *node, const Plan *child);

/* May the node prefetch in this run? */
extern bool may_prefetch(const CustomScanState *node, PrefetchRule rule);

/* Installs the ExecutorRun hook, which tells whether a plan is run to completion. */
extern void prefetch_init(void);

#endif
