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

#include "executor/aggregate_join/proposal.h"

/* Of a node by itself: its contexts, buffers, and that it is planned beside the relational plan. */
extern Cost least_nest_cost(void);

/*
 * Sets the costs of a path of the proposal's rows over tuples of which PostgreSQL expects so many, and
 * chooses its parts.
 */
extern void cost_aggregate_join(CustomPath *path, Proposal *proposal, double tuples,
								const Path *relational);

#endif
