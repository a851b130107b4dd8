/*-------------------------------------------------------------------------
 *
 * costs.h
 *	  What a loop nest costs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_AGGREGATE_JOIN_COSTS_H
#define PLANNER_AGGREGATE_JOIN_COSTS_H

#include "postgres.h"

#include "planner/aggregate_join/proposal.h"

/*
 * Returns the bytes of the tensors among the aggregates of a group, whose shapes are known.
 */
extern double result_bytes(const Proposal *proposal);

/*
 * Returns the least cost that any loop nest has: setting up its memory contexts and
 * buffers, and planning it in addition to the relational plan.
 */
extern Cost least_nest_cost(void);

/*
 * Sets the costs of a path that runs the proposal's nest, for the number of joined tuples
 * that PostgreSQL expects, and chooses the parts in which the nest runs.
 */
extern void cost_aggregate_join(CustomPath *path, Proposal *proposal, double tuples,
								const Path *relational);

/* key_costs.c */

/* Returns the number of distinct keys in a column of an operand that is not a range. */
extern double keys_of_column(const Level *level, const LevelColumn *column);

/*
 * Returns the expected bytes of the dictionaries of a level's keys, with what one of
 * nprocesses processes needs to read those of the others.
 */
extern double dictionary_bytes(const Level *level, int nprocesses);

#endif
