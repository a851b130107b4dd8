/*-------------------------------------------------------------------------
 *
 * aggregate_states.h
 *	  How large the states of aggregates over tensors are.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_AGGREGATE_STATES_H
#define PLANNER_AGGREGATE_STATES_H

#include "postgres.h"

#include "nodes/pathnodes.h"

#include "planner/planned_call.h"

/*
 * Estimates the size of an aggregate's state over these arguments in *bytes; false if
 * their shapes are not known.
 */
extern bool aggregate_state_bytes(PlannerInfo *root, const PlannedCall *call,
								  int32 *bytes);

/* Tells the planner how large the states of the query's aggregates will be. */
extern void estimate_aggregate_states(PlannerInfo *root);

#endif
