/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  Plans: a decomposition for every stage of a program.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_PLAN_H
#define OPTIMIZER_PLAN_H

#include "compat.h"
#include "optimizer/stage_cost.h"
#include "optimizer/stage.h"

/* How a stage reads one operand. */
typedef struct OperandPlan
{
	Storage *storage;   /* of a stored tensor; NULL for a stage's result, and for
						 * an input that is to be re-stored */
	Decomposition from; /* it is found in */
	Decomposition to;   /* the stage needs */
	bool summed_later;  /* rows with equal keys join as they are */
	double cost;        /* of the repartition */
} OperandPlan;

typedef struct StagePlan
{
	Stage *stage;
	Decomposition choice;  /* of its labels */
	Decomposition natural; /* what the stage computes is in */
	Decomposition shape;   /* its result is in */
	double repartition;    /* cost from natural to shape */
	double tuples;         /* of its result, in its shape */
	double bytes;          /* of one of them */
	StageCost cost;
	OperandPlan **operands; /* by term and operand */
} StagePlan;

typedef struct ProgramPlan
{
	StageGraph *graph;
	double cost;       /* infinite if a stage's choice is not allowed */
	double compared;   /* the same as searches compare it: see desirable_cost */
	bool heuristic;    /* some part was not searched exhaustively */
	StagePlan *stages; /* by stage number */
	struct ComputedOnce *computed_once; /* materialize.c, at first use */
} ProgramPlan;

/* Sums of the same costs in another order are no gain. */
#define LEAST_GAIN 1e-9

/* By more than rounding: of equals the one found first stays first, however many plans are asked for. */
extern bool is_cheaper(const ProgramPlan *plan, const ProgramPlan *other);

/*
 * The cheapest plans, cheapest first, of all forms of the program that were looked at:
 * options->plans of them, or as many as there are (greedy: one of each form).
 *
 * Errors: 54000 if memory limits exclude every decomposition.
 */
extern List *find_plans(Program *program, const PlanOptions *options);

/*
 * As find_plans, but NIL where that would raise an error because the program exceeds
 * limits.
 */
extern List *find_plans_if_possible(Program *program, const PlanOptions *options);

/* The plans of one form of the program; NIL if limits exclude all. */
extern List *plans_of_stages(StageGraph *graph);

/* Raises the error that limits exclude every plan of a graph. */
pg_noreturn extern void report_limits(const StageGraph *graph);

/* The plan that consists of these choices, one per stage. */
extern ProgramPlan *plan_of_choices(StageGraph *graph, const Decomposition *choices);

/* The decomposition of a stored tensor. */
extern Decomposition storage_decomposition(const Storage *storage);

/* The cheapest way to read a stored operand in a decomposition. summed_later: see is_summed_later. */
extern void plan_stored_operand(const StageGraph *graph, const Operand *operand,
								const Decomposition *to, bool summed_later,
								OperandPlan *plan);

/* The choice of a stage that is cheapest given those of the stages it reads. */
extern const Decomposition *cheapest_choice(StageGraph *graph, Stage *stage,
											const Decomposition *choices);

/* What it costs to show a result by rows which its stage has otherwise; sets their number. */
extern double cost_of_showing(const ProgramPlan *plan, const Stage *stage,
							  double *tuples);

/* Bytes that a stage and its repartitions need at a time: as StageCost.memory. */
extern double stage_memory(const ProgramPlan *plan, const Stage *stage);

/* The searches, a file each. All return choices: arrays by stage number. */
extern List *search_dp(StageGraph *graph, bool *heuristic);
extern List *search_exhaustively(StageGraph *graph);
extern Decomposition *search_greedily(StageGraph *graph);

#endif
