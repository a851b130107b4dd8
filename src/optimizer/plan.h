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
	/*
	 * that is read of a stored tensor; NULL for a stage's result, and for an input that
	 * is to be re-stored
	 */
	Storage *storage;
	Decomposition from; /* in which it is found */
	Decomposition to;   /* that the stage needs */
	bool summed_later;  /* rows with equal keys join as they are */
	double cost;        /* of the repartition, and of duplicates */
	double duplicates;  /* the part of it that rows with equal keys take */
} OperandPlan;

typedef struct StagePlan
{
	Stage *stage;
	Decomposition choice;  /* of its labels */
	Decomposition natural; /* in which the stage computes its result */
	Decomposition shape;   /* in which its readers find the result */
	double repartition;    /* cost of bringing the result from natural to shape */
	double tuples;         /* of the result, in its shape */
	double bytes;          /* of one of these tuples */
	StageCost cost;
	OperandPlan **operands; /* by term and operand */
} StagePlan;

typedef struct ProgramPlan
{
	StageGraph *graph;
	double cost;       /* infinite if a stage's choice is not allowed */
	double compared;   /* the cost that searches compare: see desirable_cost */
	bool heuristic;    /* some part was not searched exhaustively */
	StagePlan *stages; /* by stage number */
	struct ComputedOnce *computed_once; /* set by materialize.c at first use */
} ProgramPlan;

/*
 * Relative gain below which a plan is not cheaper: sums of the same costs in another
 * order differ by rounding.
 */
#define LEAST_GAIN 1e-9

/*
 * Is a plan cheaper than another by more than rounding? Of equal plans the one found
 * first stays first, however many plans are asked for.
 */
extern bool is_cheaper(const ProgramPlan *plan, const ProgramPlan *other);

/*
 * Returns the cheapest plans, cheapest first, of all forms of the program that were
 * looked at: options->plans of them, or fewer if there are fewer (greedy: one of each
 * form).
 *
 * Errors: 54000 if memory limits exclude every decomposition.
 */
extern List *find_plans(Program *program, const PlanOptions *options);

/*
 * Like find_plans, but returns NIL instead of raising an error if the program exceeds
 * limits.
 */
extern List *find_plans_if_possible(Program *program, const PlanOptions *options);

/* Makes the planner give the statement's result this decomposition. */
extern void pin_result(Statement *statement, const Decomposition *shape);

/* Returns the plans of one form of the program; NIL if limits exclude all. */
extern List *plans_of_stages(StageGraph *graph);

/*
 * Returns the plans that differ from a plan in the storages of one tensor alone, in no
 * order.
 */
extern List *plans_by_storages(const ProgramPlan *plan);

/* Raises the error that limits exclude every plan of a graph. */
pg_noreturn extern void report_limits(const StageGraph *graph);

/* Returns the plan that consists of these choices, one per stage. */
extern ProgramPlan *plan_of_choices(StageGraph *graph, const Decomposition *choices);

/* Returns the decomposition of a stored tensor. */
extern Decomposition storage_decomposition(const Storage *storage);

/*
 * Sets *plan to the cheapest way to read a stored operand in a decomposition.
 * summed_later: see is_summed_later; leading: see bytes_to_read.
 */
extern void plan_stored_operand(const StageGraph *graph, const Operand *operand,
								const Decomposition *to, bool summed_later,
								DimensionMask leading, OperandPlan *plan);

/* Returns the cheapest choice of a stage, given those of the stages it reads. */
extern const Decomposition *cheapest_choice(StageGraph *graph, Stage *stage,
											const Decomposition *choices);

/*
 * Returns the cost of showing a result by rows if its stage computes it otherwise, and
 * sets *tuples to the number of rows.
 */
extern double cost_of_showing(const ProgramPlan *plan, const Stage *stage,
							  double *tuples);

/*
 * Returns the bytes of memory that a stage and its repartitions need at a time, like
 * StageCost.memory.
 */
extern double stage_memory(const ProgramPlan *plan, const Stage *stage);

/* The searches, a file each. All return choices: arrays by stage number. */
extern List *search_dp(StageGraph *graph, bool *heuristic);
extern List *search_exhaustively(StageGraph *graph);
extern Decomposition *search_greedily(StageGraph *graph);

#endif
