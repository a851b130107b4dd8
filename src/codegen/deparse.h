/*-------------------------------------------------------------------------
 *
 * deparse.h
 *	  Writes stages as SELECT statements.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_DEPARSE_H
#define CODEGEN_DEPARSE_H

#include "codegen/source.h"
#include "optimizer/rounds.h"

/*
 * Returns the SELECT of a stage: its promoted labels in left-side order, then value.
 * Identifiers are quoted, and functions, operators and relations are qualified, so that
 * the SELECT means the same under any search_path.
 */
extern char *deparse_stage(const CodegenContext *context, const Stage *stage);

/*
 * Returns the SELECT that shows a stage's result as its statement declares it, read from
 * the relation that has the result.
 */
extern char *deparse_shown(const CodegenContext *context, const Stage *stage);

/*
 * Like deparse_stage, for a stage whose rows are kept: with sparse values where these are
 * smaller.
 */
extern char *deparse_with_format(const CodegenContext *context, const Stage *stage);

/*
 * Like deparse_stage, for a stage that is a materialized CTE of a query: sorted if that
 * pays those readers of the stage that are in the query. in_query tells, by stage number,
 * which stages are in the query.
 */
extern char *deparse_kept_stage(const CodegenContext *context, const bool *in_query,
								const Stage *stage);

/*
 * PostgreSQL merges a CTE that is read once into its reader. In a chain of such CTEs it
 * copies, for each, all CTEs below, and walks through the whole query: 1,000 statements
 * took nine minutes. So a chain is cut after this number of CTEs, or of nested
 * subqueries.
 */
#define MOST_MERGED 16

/*
 * Returns the stages that are materialized CTEs in a query of the last stage, in which
 * all stages are CTEs: those that it computes once, and some more to cut long chains.
 */
extern Bitmapset *stages_not_merged(const ProgramPlan *plan, const Stage *last);

/* Returns the result of the last statement as one SELECT, with stages as CTEs. */
extern char *deparse_program(const ProgramPlan *plan);

/*
 * Returns the result of a stage as one SELECT that reads no result that is kept in a
 * table.
 */
extern char *deparse_live(const ProgramPlan *plan, const Stage *stage);

/* The rows that exist before a query of a loop's round runs. */
typedef struct RoundSources
{
	char *const *stages; /* by stage number: the name of the stage's rows, or NULL */
	const Rounds *rounds;
	/*
	 * Returns the name of the rows of a query that is computed before the first round.
	 * The rows hold a tensor, which messages call by name, in the decomposition shape,
	 * with columns d0, d1, ... and value. The query may read only rows that exist
	 * already.
	 */
	const char *(*computed_once)(void *context, const char *name,
								 const ProgramTensor *tensor, const Decomposition *shape,
								 const char *query);
	void *context;
} RoundSources;

/*
 * Returns the result of a stage of a loop's round as one SELECT. Stages without rows are
 * CTEs.
 */
extern char *deparse_in_round(const ProgramPlan *plan, const RoundSources *sources,
							  const Stage *stage);

/*
 * Like deparse_in_round, with a row for every index, or block, of the keys: absent
 * entries get the stage's fill, since the result will be read with another fill. Errors:
 * 0A000 for an open label, 54000 if there are more rows than max_dense_tuples.
 */
extern char *deparse_filled(const ProgramPlan *plan, const RoundSources *sources,
							const Stage *stage);

/* Returns a SELECT of the last statement's result as one tensor value. */
extern char *deparse_value(const ProgramPlan *plan);

/*
 * Returns a SELECT of one row: the number of tuples of a stage's result, and of its
 * entries that differ from fill; both are float8.
 */
extern char *deparse_stage_counts(const ProgramPlan *plan, const Stage *stage);

/* Returns a context in which SQL for views in a schema is written. */
extern CodegenContext *codegen_context(const ProgramPlan *plan, const char *schema);

#endif
