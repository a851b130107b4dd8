/*-------------------------------------------------------------------------
 *
 * rounds.h
 *	  What a loop computes before its first round, and in each.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_ROUNDS_H
#define OPTIMIZER_ROUNDS_H

#include "optimizer/plan.h"

typedef enum StageInLoop
{
	LOOP_READ_THROUGH, /* part of the queries that read it */
	LOOP_KEPT,         /* computed once a round, by a query of its own */
	LOOP_ONCE,         /* computed before the first round, by a query of its own */
} StageInLoop;

typedef struct Rounds
{
	StageInLoop *stages; /* by number */
	double once;         /* cost before the first round, in microseconds */
	double each;         /* cost of each round, in microseconds */
} Rounds;

/*
 * Cuts the plan of a loop's step (PlanOptions.loop) into queries; NULL for other plans.
 * Each wanted result has a query of its own. So has a stage that does not vary, if
 * reading its result costs less than computing it, and a stage that is read more than
 * once, if keeping it pays.
 */
extern Rounds *plan_rounds(const ProgramPlan *plan);

/*
 * Is an operand of a stage brought into the decomposition that it needs before the first
 * round? That is so if a stage of every round reads it, and it is a table that is not a
 * state or is itself computed once. False without rounds.
 */
extern bool repartition_is_once(const Rounds *rounds, const Stage *stage,
								const Operand *operand, const OperandPlan *read);

/*
 * Returns when a stage of the plan is computed, for people: "before the first round", "in
 * each round"; NULL if it has no query of its own, or the plan is not one of a step.
 */
extern const char *stage_in_rounds(const Rounds *rounds, const Stage *stage);

#endif
