/*-------------------------------------------------------------------------
 *
 * changes.h
 *	  States of which a round changes some entries, and leaves the others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITERATE_CHANGES_H
#define ITERATE_CHANGES_H

#include "iterate/loop.h"

/* Of fewer entries all are made anew: that is planned once, and takes little. */
#define LEAST_ENTRIES 1000.0

/* What a function leaves its other argument with: 0, 1 or an infinity. Of others, NaN. */
extern double neutral_value(FunctionId function);

/*
 * What changes of a state, if a statement makes function(state, that) of it; NULL if it makes more.
 * Its fill leaves the state as it is, which 0 does beside greatest where no entry of the state is
 * negative.
 */
extern TensorExpr *find_change(Program *program, const Statement *statement,
							   const LoopState *state, FunctionId *function);

/* Can rows of a state be indexed: are they integers and a number, and do they fit? */
extern bool can_be_indexed(const LoopState *state);

/*
 * Plans a step whose statements make what changes of states, where their form allows it and it
 * should pay. LoopState.changes says of which; their statements' results have that fill.
 */
extern ProgramPlan *plan_changes(Loop *loop, LoopEnd *end);

/*
 * Had a state too few entries when the step was planned, so that all are made anew, and does it have as many now
 * that only what changes may be made?
 */
extern bool may_change_now(const LoopState *state);

/* Has each state the rows that the plan needs: indexed where it changes, else as they are read. */
extern void place_states(Loop *loop);

/*
 * What a query has computed is what changes of a state: turns its counts into those of the
 * state after the round. In a memory context that lives as long as the round.
 */
extern void find_new_entries(LoopState *state, Rows *computed, RowCounts *counts);

/* Changes the state. */
extern void change_state(LoopState *state);

#endif
