/*-------------------------------------------------------------------------
 *
 * explain.h
 *	  Plans in the forms that einsum_plan shows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_EXPLAIN_H
#define CODEGEN_EXPLAIN_H

#include "lib/stringinfo.h"

#include "codegen/source.h"

/* Returns the notation of a stage's result. */
extern char *stage_notation(const StagePlan *plan);

/*
 * Returns the notation of a stage's result under another name, or in another
 * decomposition.
 */
extern char *result_notation(const Stage *stage, const char *name,
							 const Decomposition *shape);

/* Returns the right side of a stage in its plan's notation. */
extern char *stage_expression(const StagePlan *plan);

/*
 * Returns the statement that a stage computes, without pins. It reads relations by their
 * tensors' names with schemas, so that it means the same under any search_path.
 */
extern char *stage_statement(const CodegenContext *context, const Stage *stage);

/* Returns the notation of a stage's operand in a decomposition. */
extern char *operand_notation(const Stage *stage, const Operand *operand,
							  const Decomposition *decomposition);

/*
 * Returns, by stage number, how often a stage's result is computed. A stage that is
 * computed once for several readers counts once.
 */
extern double *stage_computations(const ProgramPlan *plan);

/*
 * Returns the names of the laws that made a stage's expression, in a list; "" for none.
 */
extern char *laws_of_stage(const ProgramPlan *plan, const Stage *stage);

/* Measurements of a stage that was run. */
typedef struct StageCounts
{
	bool known; /* false if the stage was not run */
	double tuples;
	double entries; /* number of entries that differ from fill */
	double time;    /* in microseconds, including the stages that it reads */
} StageCounts;

/* A refresh of a stage's table when rows of another table have changed, by estimate. */
typedef struct StageRefresh
{
	const char *table; /* that changes */
	double changed;    /* this many of its rows */
	const char *how;   /* as einsum_refresh says it; NULL: not known */
	double cost;       /* in microseconds */
	double rows;       /* of the stage's table that change */
	const char *why;   /* it is no better, in words; or NULL */
} StageRefresh;

/*
 * Appends a plan as lines of text, like EXPLAIN; number is the plan's, from 1. With
 * counts (by stage number; or NULL) the lines show measured values beside estimates.
 * refreshes: by stage number, Lists of StageRefresh *; or NULL.
 */
extern void explain_text(StringInfo out, const ProgramPlan *plan, int number,
						 const StageCounts *counts, List *const *refreshes);

/* Has a law made some form of the plan's program? */
extern bool is_rewritten(const ProgramPlan *plan);

/* Appends a plan as a JSON object. */
extern void explain_json(StringInfo out, const ProgramPlan *plan,
						 const StageCounts *counts, List *const *refreshes);

/*
 * Appends the distinct forms of a program among these plans, each in its cheapest plan:
 * with its lower bound, the sum of the least costs of its stages, and its cost.
 */
extern void explain_forms(StringInfo out, const List *plans);

/* Appends a program in upper-case-lower-case notation whose plan is this one. */
extern void explain_program(StringInfo out, const ProgramPlan *plan);

/* Appends the statements that einsum_decompose executes, except registrations. */
extern void explain_sql(StringInfo out, const ProgramPlan *plan, const char *schema);

#endif
