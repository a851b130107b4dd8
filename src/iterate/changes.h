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

/*
 * States with fewer entries are computed as a whole in each round: that is cheap, and
 * planned once.
 */
#define LEAST_ENTRIES 1000.0

/* Returns the tensor by which a step reads a state. */
extern ProgramTensor *state_read(const Program *program, const LoopState *state);

/*
 * If a statement computes function(state, change), returns the change and sets *function;
 * else NULL. Where the change is at its fill, the state's entry stays as it is.
 */
extern TensorExpr *change_of_state(Program *program, const Statement *statement,
								   const LoopState *state, FunctionId *function);

/*
 * Can the rows of a state be indexed by key: integer keys and one number, small enough
 * for memory?
 */
extern bool can_be_indexed(const LoopState *state);

/*
 * Plans the step. A statement of the form state = f(state, change) computes only the
 * change, where that should pay: the state gets LoopState.changes, and the statement's
 * result the change's fill.
 */
extern ProgramPlan *plan_changes(Loop *loop, LoopEnd *end);

/*
 * Was a state planned to be computed as a whole because it had too few entries, and has
 * it enough now to compute only its changes?
 */
extern bool may_change_now(const LoopState *state);

/*
 * Prepares each state's rows for the plan: indexed by key if rounds change them in place,
 * else without an index.
 */
extern void place_states(Loop *loop);

/*
 * Combines the changes that a query computed with the state: sets LoopState.new_entries,
 * and *counts to the state's counts after the round. Allocates in the current memory
 * context, which must live until the end of the round.
 */
extern void find_new_entries(LoopState *state, Rows *computed, RowCounts *counts);

/* Puts the new entries, which find_new_entries computed, into the rows of the state. */
extern void change_state(LoopState *state);

#endif
