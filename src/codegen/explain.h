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

/* A tensor with its labels, key dimensions in upper case: "h[I,k]", "h[I:64,k]". */
extern char *tensor_notation(const char *name, int rank, const char *const *labels,
							 const Decomposition *decomposition);

/* The notation of a stage's result. */
extern char *stage_notation(const StagePlan *plan);

/* The notation of a stage's result under another name, or in another decomposition. */
extern char *result_notation(const Stage *stage, const char *name,
							 const Decomposition *shape);

/* The right side of a stage in its plan's notation. */
extern char *stage_expression(const StagePlan *plan);

/* The notation of a stage's operand in some decomposition. */
extern char *operand_notation(const Stage *stage, const Operand *operand,
							  const Decomposition *decomposition);

/*
 * How often each stage's result is computed, by stage number, where those that are computed once are
 * read by others.
 */
extern double *stage_computations(const ProgramPlan *plan);

/* The laws that made what a stage computes, one after the other; "" for none. */
extern char *laws_of_stage(const ProgramPlan *plan, const Stage *stage);

/* What running a stage gave. */
typedef struct StageCounts
{
	bool known; /* false if nothing runs it */
	double tuples;
	double entries; /* that differ from fill */
	double time;    /* in microseconds, with all that it reads */
} StageCounts;

/*
 * Lines of text, like EXPLAIN; number counts from 1. With counts (by stage
 * number; or NULL) they show what is estimated and what there is.
 */
extern void explain_text(StringInfo out, const ProgramPlan *plan, int number,
						 const StageCounts *counts);

/* Has a law made some form of the plan's program? */
extern bool is_rewritten(const ProgramPlan *plan);

/* A JSON object. */
extern void explain_json(StringInfo out, const ProgramPlan *plan,
						 const StageCounts *counts);

/*
 * The forms of a program that plans are of, each once and in its cheapest plan: what it is
 * bounded by, the sum of what each of its stages costs at least, and what it costs.
 */
extern void explain_forms(StringInfo out, const List *plans);

/* A program in upper-case-lower-case notation that plans as this one. */
extern void explain_program(StringInfo out, const ProgramPlan *plan);

/* The statements of einsum_decompose, but for registrations. */
extern void explain_sql(StringInfo out, const ProgramPlan *plan, const char *schema);

#endif
