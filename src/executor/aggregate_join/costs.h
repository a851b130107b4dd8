/*-------------------------------------------------------------------------
 *
 * costs.h
 *	  What a loop nest costs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_AGGREGATE_JOIN_COSTS_H
#define EXECUTOR_AGGREGATE_JOIN_COSTS_H

#include "postgres.h"

#include "executor/aggregate_join/kernels.h"

/* Parts by a label, of which one at a time is in memory. */
typedef struct NestParts
{
	int label; /* -1: there can be none */
	int count; /* that are expected */
} NestParts;

/* Of a node by itself: its contexts, buffers, and that it is planned beside the relational plan. */
extern Cost least_nest_cost(void);

/*
 * Sets the costs of a path of groups (IntList: columns of the level) over tuples of which PostgreSQL
 * expects so many, and chooses its parts.
 */
extern void cost_aggregate_join(CustomPath *path, const Level *level,
								const LevelKernels *kernels, const List *groups,
								double tuples, const Path *relational, List *having,
								NestParts *parts);

#endif
