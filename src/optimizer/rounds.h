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
	LOOP_ONCE,         /* likewise, but before the first round */
} StageInLoop;

typedef struct Rounds
{
	StageInLoop *stages; /* by number */
	double once;         /* cost of what comes before the first round, in microseconds */
	double each;         /* of a round */
} Rounds;

/*
 * Cuts the plan of a step (PlanOptions.loop) into queries; NULL for other plans. Wanted results have one each;
 * so has what does not vary, where reading it costs less than computing it, and what is
 * read more than once, where that pays.
 */
extern Rounds *plan_rounds(const ProgramPlan *plan);

/*
 * Is an operand of a stage brought into the decomposition that it needs before the first round?
 * What rounds compute again and again, of a table that is not a state or of what is
 * computed once. False without rounds.
 */
extern bool repartition_is_once(const Rounds *rounds, const Stage *stage,
								const Operand *operand, const OperandPlan *read);

/* When a stage of the plan is computed, for people: "before the first round", "in each
 * round"; NULL if no query of its own computes it, or the plan is not one of a step. */
extern const char *stage_in_rounds(const Rounds *rounds, const Stage *stage);

#endif
