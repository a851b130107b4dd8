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
 * Adds the frontier of each state whose new value can be made of it, where that should pay:
 * states that come behind all others. The states have their places.
 */
extern void add_frontiers(Loop *loop);

/* Frontiers are not used: the step is as it is written. */
extern void drop_frontiers(Loop *loop);

/* Has the step make states by their frontiers, and these; an analysed program. */
extern void use_frontiers(const Loop *loop, Program *program);

/* What frontiers are before the first round: all of the state. */
extern void start_frontiers(const Loop *loop, Program *program);

/* How a step makes a state of its own entry and of terms that read the state alone. */
typedef struct StateExtreme
{
	FunctionId function; /* least or greatest */
	int nlabels;
	const int *labels;  /* of all expressions here */
	TensorExpr *own;    /* the entry, as the round found it */
	TensorExpr *all;    /* the extreme of all terms */
	TensorExpr *better; /* of those whose entries of the state are all better than own */
} StateExtreme;

/* False if a state is made otherwise. */
extern bool find_state_extreme(const Loop *loop, Program *program, const LoopState *state,
							   StateExtreme *extreme);

#endif
