/*-------------------------------------------------------------------------
 *
 * frontier.h
 *	  Extremes of a state, taken of those entries that the last round has changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITERATE_FRONTIER_H
#define ITERATE_FRONTIER_H

#include "iterate/loop.h"

/*
 * Adds a frontier for each state that can be computed from one, where that should pay.
 * Frontiers are states themselves, at the end of loop->states. To be called after
 * find_state_places.
 */
extern void add_frontiers(Loop *loop);

/* Removes all frontiers: the step then runs as the user wrote it. */
extern void drop_frontiers(Loop *loop);

/*
 * Rewrites an analysed step: states that have frontiers are computed from them, or from
 * what has got better below the loop, and statements that compute the next frontiers are
 * added.
 */
extern void use_frontiers(const Loop *loop, Program *program);

/*
 * Adds statements to the program before the first round that set each frontier to all of
 * its state.
 */
extern void start_frontiers(const Loop *loop, Program *program);

/*
 * How a step computes a state: as the least or greatest of its own entry and of terms
 * that read no other state.
 */
typedef struct StateExtreme
{
	FunctionId function; /* least or greatest */
	int nlabels;
	const int *labels;  /* labels of the expressions below */
	TensorExpr *own;    /* the entry, as the round found it */
	TensorExpr *all;    /* the extreme of all terms */
	TensorExpr *better; /* the extreme of the terms whose entries of the state are all
						 * better than own */
} StateExtreme;

/*
 * Finds the extreme by which the step computes a state; false if it computes the state
 * otherwise.
 */
extern bool find_state_extreme(const Loop *loop, Program *program, const LoopState *state,
							   StateExtreme *extreme);

/*
 * Does the loop stand still at the least or greatest states that follow from the tables,
 * which only get better when these change as loop->better says?
 */
extern bool follows_from_better(const Loop *loop);

#endif
