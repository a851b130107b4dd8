/*-------------------------------------------------------------------------
 *
 * deparse.h
 *	  Stages as SELECT statements.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_DEPARSE_H
#define CODEGEN_DEPARSE_H

#include "codegen/source.h"
#include "optimizer/rounds.h"

/*
 * The SELECT of a stage: its promoted labels in left-side order, then value.
 * Every identifier is quoted and every function, operator and relation
 * qualified, so that it means the same under any search_path.
 */
extern char *deparse_stage(const CodegenContext *context, const Stage *stage);

/* The SELECT of a stage's result as its view shows it, from the relation that has it. */
extern char *deparse_shown(const CodegenContext *context, const Stage *stage);

/*
 * As deparse_stage, for a query that keeps the stage, sorted if that pays the readers that
 * are in the query: in_query says so, by stage number.
 */
extern char *deparse_kept_stage(const CodegenContext *context, const bool *in_query,
								const Stage *stage);

/*
 * PostgreSQL merges a CTE that is read once into its reader. Of a chain of them it
 * copies all that is below for each, and walks through the whole query: 1,000
 * statements took nine minutes. A chain is cut after this number, and so are subqueries
 * in subqueries.
 */
#define MOST_MERGED 16

/*
 * The stages that a query of this one, in which stages are CTEs, has as materialized
 * CTEs: those that it computes once, and more where a chain of others would be long.
 */
extern Bitmapset *stages_not_merged(const ProgramPlan *plan, const Stage *last);

/* The result of the last statement as one SELECT, stages as CTEs. */
extern char *deparse_program(const ProgramPlan *plan);

/* What there is already when a query of a loop's round runs. */
typedef struct RoundSources
{
	char *const *stages; /* by stage number, the name of its rows; or NULL */
	const Rounds *rounds;
	/*
	 * The name of the rows that a query has computed before the first round: a tensor, which
	 * people know by that name, in a decomposition, in columns d0 and so on, and value. The query reads
	 * only what is there as well.
	 */
	const char *(*computed_once)(void *context, const char *name,
								 const ProgramTensor *tensor, const Decomposition *shape,
								 const char *query);
	void *context;
} RoundSources;

/*
 * The result of a stage of a loop's round as one SELECT. Stages that have no rows yet are CTEs.
 */
extern char *deparse_in_round(const ProgramPlan *plan, const RoundSources *sources,
							  const Stage *stage);

/*
 * The same with a row for every index, or block, of the keys: what is not stored is the stage's fill,
 * which is not that with which it will be read. Errors: 0A000 for an open label, 54000 if there are
 * more than max_dense_tuples.
 */
extern char *deparse_filled(const ProgramPlan *plan, const RoundSources *sources,
							const Stage *stage);

/* The result of the last statement as one tensor value. */
extern char *deparse_value(const ProgramPlan *plan);

/*
 * The result of a stage counted: one row of its tuples and of its entries that
 * differ from fill, both float8.
 */
extern char *deparse_stage_counts(const ProgramPlan *plan, const Stage *stage);

/* A context for views in a schema. */
extern CodegenContext *codegen_context(const ProgramPlan *plan, const char *schema);

#endif
