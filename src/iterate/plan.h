/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  Plans of a loop's programs, and the decompositions in which rounds have states.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITERATE_PLAN_H
#define ITERATE_PLAN_H

#include "iterate/loop.h"

/*
 * The type of a label's keys in rows: int4 or int8 by its bound, or that of open if it is
 * an open label.
 */
extern Oid loop_key_type(int64 bound, Oid open);

/*
 * Sets result to the storage of a tensor as rows in this decomposition; labels are the
 * names of its labels.
 */
extern void describe_result(Storage *result, const ProgramTensor *tensor,
							const char *const *labels, const Decomposition *shape);

/* Makes rounds hold a state in this decomposition. */
extern void place_state(LoopState *state, const Decomposition *shape);

/*
 * Sets copy to the state in another decomposition, with keys of the same types and
 * without rows.
 */
extern void place_copy(LoopState *copy, const LoopState *state,
					   const Decomposition *shape);

/*
 * The columns of a state's rows: d0, d1 and so on, and value. stage_rows names them as
 * readers of the stage that computes the state know them.
 */
extern TupleDesc state_columns(const LoopState *state);
extern TupleDesc stage_rows(const LoopState *state, const Stage *stage);

/* The state that a stage computes, or NULL. */
extern LoopState *state_of_stage(Loop *loop, const Stage *stage);

/*
 * Returns the cheapest plan of a program of the loop that computes the states in the
 * decompositions in which rounds hold them.
 */
extern ProgramPlan *plan_in_loop(Loop *loop, Program *program);

/*
 * Chooses the decomposition of each state: that of the user's table, if it has one; else
 * the one in which the step computes the state if it may read it in any. Also estimates
 * the sizes of states.
 */
extern void find_state_places(Loop *loop);

/*
 * Makes the counts of a state's rows the statistics by which programs that read it are
 * planned.
 */
extern void set_statistics(LoopState *state);

#endif
