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
 * The cost of any node: its contexts, its buffers, and planning it in addition to the
 * relational plan.
 */
extern Cost least_nest_cost(void);

/*
 * Sets the costs of a path of the proposal's rows over the given number of tuples that
 * PostgreSQL expects, and chooses its parts.
 */
extern void cost_aggregate_join(CustomPath *path, Proposal *proposal, double tuples,
								const Path *relational);

/* key_costs.c */

/* How many keys a column of an operand that is not a range has. */
extern double keys_of_column(const Level *level, const LevelColumn *column);

/*
 * Are the dictionaries of a level's keys expected to fit in memory, with those of
 * nprocesses processes?
 */
extern bool dictionaries_fit(const Level *level, int nprocesses);

#endif
