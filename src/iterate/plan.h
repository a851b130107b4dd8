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

/* The type of a label's keys in rows: int4 or int8; of an open label that given. */
extern Oid loop_key_type(int64 bound, Oid open);

/* How rows have a tensor in this decomposition, whose labels have these names. */
extern void describe_result(Storage *result, const ProgramTensor *tensor,
							const char *const *labels, const Decomposition *shape);

/* Rounds have a state in this decomposition. */
extern void place_state(LoopState *state, const Decomposition *shape);

/* Makes copy what the state is in another decomposition, with keys of the same types; it has no rows. */
extern void place_copy(LoopState *copy, const LoopState *state,
					   const Decomposition *shape);

/* A statement makes its result in this decomposition. */
extern void pin_result(Statement *statement, const Decomposition *shape);

/* The columns of a state's rows, d0 and so on; and of those that a stage makes, by the
 * names that who reads the stage knows. */
extern TupleDesc state_columns(const LoopState *state);
extern TupleDesc stage_rows(const LoopState *state, const Stage *stage);

/* The state that a stage makes, or NULL. */
extern LoopState *state_of_stage(Loop *loop, const Stage *stage);

/* The cheapest plan of a loop's program, in which states are made as rounds have them. */
extern ProgramPlan *plan_in_loop(Loop *loop, Program *program);

/*
 * Gives each state that is in no table of the user's the decomposition in which the step makes it, where
 * it may read it in whatever suits it; and estimates how large states are by how they
 * are made.
 */
extern void find_state_places(Loop *loop);

/* Makes what was counted of a state what programs estimate by. */
extern void set_statistics(LoopState *state);

#endif
