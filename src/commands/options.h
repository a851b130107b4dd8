/*-------------------------------------------------------------------------
 *
 * options.h
 *	  The options that einsum_plan and its kin share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMANDS_OPTIONS_H
#define COMMANDS_OPTIONS_H

#include "fmgr.h"
#include "utils/array.h"

#include "optimizer/plan.h"

/* Returns how many plans to search for if alternative number `wanted` is asked for. */
extern int plans_to_search(int wanted);

/*
 * Reads the planning options from the arguments first, first + 1, ..., which are in this
 * order in every function: search, alternative, inputs, result, materialize, rewrite,
 * estimator, schema. The default of result is 'rows'. Errors: 22023 for an unknown value,
 * 0A000 for one that is not supported yet, 3F000 for a schema that does not exist.
 */
extern PlanOptions *read_plan_options(FunctionCallInfo fcinfo, int first);

/*
 * read_plan_options in two steps: given_options gets the first seven arguments as text,
 * in the order of call_option_names, NULL if not given; plan_options_of interprets them.
 */
extern void given_options(FunctionCallInfo fcinfo, int first, char **given);
extern PlanOptions *plan_options_of(char *const *given);

/* The number of arguments that read_plan_options reads, with the schema. */
#define PLAN_OPTION_ARGUMENTS 8

/* Reads the options of a loop: search, rewrite and estimator. */
extern PlanOptions *read_loop_options(FunctionCallInfo fcinfo, int first);

extern PlanOptions *loop_options_of(const char *search, const char *rewrite,
									const char *estimator);

/* Reads which columns a loop's tables get: 'rows' or 'auto'. Errors: 22023. */
extern ResultShape columns_option_of(const char *given);

/* Sets the labels, an array of name, whose keys a point query is given. */
extern void read_at_labels(ArrayType *array, PlanOptions *options);

/* Returns the values that an option of programs may have, for messages; NULL: any. */
extern const char *option_values(const char *option);

/* Returns the schema in which views are created: the argument, or the current schema. */
extern char *target_schema(FunctionCallInfo fcinfo, int argument);

/*
 * Analyses and plans a program in the current memory context; returns the
 * plans found, cheapest first.
 */
extern List *plan_program(const text *program, const PlanOptions *options);

/* Returns the plan that the options ask for: alternative => 2 is the second cheapest. */
extern ProgramPlan *plan_alternative(const text *program, PlanOptions *options);

#endif
