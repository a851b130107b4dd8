/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  einsum_plan, einsum_sql and einsum_value: what a program's plan is, its
 *	  SQL, and its result.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "algebra/forms.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "codegen/comment.h"
#include "codegen/deparse.h"
#include "codegen/explain.h"
#include "codegen/picture.h"
#include "codegen/point.h"
#include "commands/options.h"
#include "commands/results.h"
#include "compat.h"
#include "expr/analysis.h"
#include "iterate/loop.h"
#include "rows/foreseen.h"
#include "type/tensor.h"

PG_FUNCTION_INFO_V1(einsum_plan);
PG_FUNCTION_INFO_V1(einsum_sql);
PG_FUNCTION_INFO_V1(einsum_value);

/* Positions of those arguments of einsum_plan that come after the options. */
#define ACTUAL_ARGUMENT 11
#define AT_ARGUMENT 12
#define ITERATE_ARGUMENT 13
#define INIT_ARGUMENT 14

/* Returns one row for each line of a text. */
static void
put_lines(ReturnSetInfo *rsinfo, char *text)
{
	char *line = text;

	while (*line)
	{
		char *end = strchr(line, '\n');
		Datum value;
		bool isnull = false;

		CHECK_FOR_INTERRUPTS();
		if (end)
			*end = '\0';
		value = CStringGetTextDatum(line);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &value, &isnull);
		line = end ? end + 1 : line + strlen(line);
	}
}

/*
 * Runs each stage of a plan, read-only, as the current user; returns the tuples, entries
 * and time of each.
 */
static StageCounts *
count_stages(const ProgramPlan *plan)
{
	StageCounts *counts = palloc0(sizeof(StageCounts) * list_length(plan->graph->stages));
	ListCell *lc;

	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		instr_time started;
		instr_time time;
		char *query;
		bool isnull;

		/* a side stage, computed within its reader, may exceed all limits by itself */
		if (stage->side)
			continue;
		query =
			labelled_query("einsum_plan", stage_definition(&plan->stages[stage->number]),
						   deparse_stage_counts(plan, stage));
		INSTR_TIME_SET_CURRENT(started);
		SPI_connect();
		if (run_reading(query) != SPI_OK_SELECT || SPI_processed != 1)
			elog(ERROR, "a stage could not be counted");
		INSTR_TIME_SET_CURRENT(time);
		INSTR_TIME_SUBTRACT(time, started);
		counts[stage->number].time = INSTR_TIME_GET_MICROSEC(time);
		counts[stage->number].tuples = DatumGetFloat8(
			SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
		counts[stage->number].entries = DatumGetFloat8(
			SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
		counts[stage->number].known = true;
		SPI_finish();
	}
	return counts;
}

/*
 * Returns the tensors (SyntaxReference *) that a program defines and that a table holds
 * already.
 */
static List *
stored_results(const char *program)
{
	List *names = NIL;
	ListCell *lc;

	foreach (lc, parse_program(program))
	{
		SyntaxReference *target = ((SyntaxStatement *) lfirst(lc))->target;

		if (target->schema == NULL && lookup_tensor(NULL, target->name))
			names = lappend(names, target);
	}
	return names;
}

/* Does an output format describe each stage of a plan? */
static bool
shows_stages(const char *format)
{
	return strcmp(format, "text") == 0 || strcmp(format, "json") == 0 ||
		   strcmp(format, "svg") == 0 || strcmp(format, "dot") == 0;
}

/*
 * Returns the estimated cost of the program as it is written, in microseconds; infinite
 * if it exceeds a limit.
 */
static double
cost_as_written(const text *program, const PlanOptions *options)
{
	PlanOptions written = *options;
	const List *plans;

	written.rewrite = REWRITE_NONE;
	written.plans = 1;
	plans = find_plans_if_possible(analyze_program(text_to_cstring(program)), &written);
	return plans ? ((const ProgramPlan *) linitial(plans))->cost : INFINITY;
}

/*
 * Explains a loop's step (iterate => true) without running it. Without init, the state is
 * every tensor that the step defines and a table already holds.
 */
static void
explain_loop(FunctionCallInfo fcinfo, StringInfo out, const char *format,
			 const PlanOptions *options)
{
	LoopRequest request = {.name = "",
						   .schema = target_schema(fcinfo, 10),
						   .restart = true,
						   .options = *options};
	const ProgramPlan *plan;

	if (!shows_stages(format) || options->alternative > 1 ||
		(!PG_ARGISNULL(2) && PG_GETARG_INT32(2) != 1) || !PG_ARGISNULL(AT_ARGUMENT) ||
		(!PG_ARGISNULL(ACTUAL_ARGUMENT) && PG_GETARG_BOOL(ACTUAL_ARGUMENT)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the plan of a loop is one, without actual counts or keys"),
				 errhint("Use format => 'text', 'json', 'svg' or 'dot', and leave out "
						 "plans, alternative, actual and at.")));
	request.options.loop = true;
	request.options.result = RESULT_AUTO;
	request.step = text_to_cstring(PG_GETARG_TEXT_PP(0));
	if (!PG_ARGISNULL(INIT_ARGUMENT))
		request.init = text_to_cstring(PG_GETARG_TEXT_PP(INIT_ARGUMENT));
	else
		request.assign = stored_results(request.step);
	plan = plan_loop(define_loop(&request));
	initStringInfo(out);
	if (strcmp(format, "text") == 0)
		explain_text(out, plan, 1, NULL, NULL);
	else if (strcmp(format, "json") == 0)
	{
		appendStringInfoChar(out, '[');
		explain_json(out, plan, NULL, NULL);
		appendStringInfoChar(out, ']');
	}
	else if (strcmp(format, "dot") == 0)
		draw_dot(out, plan, NULL);
	else
		draw_svg(out, plan, NULL);
}

/*
 * einsum_plan(program, format, plans, options, actual, at, iterate, init): describes the
 * cheapest plans, one after the other, as lines of text or one row of json.
 */
Datum
einsum_plan(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext planning;
	MemoryContext old;
	PlanOptions *options;
	StringInfoData out;
	char *format;
	List *plans;
	ListCell *lc;
	bool actual;
	int number;
	int last; /* number of the last plan that is shown */

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		PG_RETURN_VOID();
	planning = AllocSetContextCreate(CurrentMemoryContext, "einsum_plan",
									 ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(planning);

	format = PG_ARGISNULL(1) ? "text" : text_to_cstring(PG_GETARG_TEXT_PP(1));
	actual = !PG_ARGISNULL(ACTUAL_ARGUMENT) && PG_GETARG_BOOL(ACTUAL_ARGUMENT);
	if (actual && !shows_stages(format))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("format \"%s\" cannot show actual counts", format),
						errhint("Use format => 'text', 'json', 'svg' or 'dot' with "
								"actual => true.")));
	options = read_plan_options(fcinfo, 3);
	if (!PG_ARGISNULL(ITERATE_ARGUMENT) && PG_GETARG_BOOL(ITERATE_ARGUMENT))
	{
		explain_loop(fcinfo, &out, format, options);
		MemoryContextSwitchTo(old);
		put_lines(rsinfo, out.data);
		MemoryContextDelete(planning);
		PG_RETURN_VOID();
	}
	last = options->alternative;
	if (!PG_ARGISNULL(AT_ARGUMENT))
		read_at_labels(PG_GETARG_ARRAYTYPE_P(AT_ARGUMENT), options);
	if (actual && options->nat > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("actual and at exclude each other"),
				 errdetail("What is needed at a key is known when there is a key."),
				 errhint("Run EXPLAIN ANALYZE EXECUTE of the statement that einsum_sql() "
						 "gives.")));
	if (!PG_ARGISNULL(2))
	{
		if (PG_GETARG_INT32(2) < 1 || PG_GETARG_INT32(2) > 1000)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("option \"plans\" must be between 1 and 1000")));
		last = options->alternative + PG_GETARG_INT32(2) - 1;
		options->plans = plans_to_search(last);
	}
	initStringInfo(&out);
	if (strcmp(format, "forms") == 0)
	{
		/*
		 * this format shows what the program means; a plan is only made if several are
		 * asked for
		 */
		print_forms(&out, analyze_program(text_to_cstring(PG_GETARG_TEXT_PP(0))),
					options->rewrite);
		if (last > options->alternative)
			explain_forms(&out, plan_program(PG_GETARG_TEXT_PP(0), options));
		MemoryContextSwitchTo(old);
		put_lines(rsinfo, out.data);
		MemoryContextDelete(planning);
		PG_RETURN_VOID();
	}
	plans = list_truncate(plan_program(PG_GETARG_TEXT_PP(0), options), last);
	if (list_length(plans) < options->alternative)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no plan %d", options->alternative),
						errdetail("The search found %d.", list_length(plans))));

	if (strcmp(format, "svg") == 0 && list_length(plans) > options->alternative)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a picture shows one plan"),
						errhint("Ask for others with alternative => 2 and so on.")));
	if (strcmp(format, "json") == 0)
		appendStringInfoChar(&out, '[');
	for_each_from (lc, plans, options->alternative - 1)
	{
		ProgramPlan *plan = lfirst(lc);
		StageCounts *counts = NULL;

		if (actual)
			counts = count_stages(plan);
		number = foreach_current_index(lc) + 1;
		if (strcmp(format, "text") == 0)
			explain_text(&out, plan, number, counts, foresee_refreshes(plan));
		else if (strcmp(format, "json") == 0)
		{
			if (out.len > 1)
				appendStringInfoString(&out, ", ");
			explain_json(&out, plan, counts, foresee_refreshes(plan));
		}
		else if (strcmp(format, "program") == 0)
			explain_program(&out, plan);
		else if (strcmp(format, "sql") == 0 && options->nat > 0)
			appendStringInfo(&out, "%s;\n", deparse_point(plan));
		else if (strcmp(format, "sql") == 0)
			explain_sql(&out, plan, target_schema(fcinfo, 10));
		else if (strcmp(format, "dot") == 0)
			draw_dot(&out, plan, counts);
		else if (strcmp(format, "svg") == 0)
			draw_svg(&out, plan, counts);
		else if (strcmp(format, "columns") == 0)
			appendStringInfo(&out, "%s\n", result_columns(plan));
		else
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" is no format of a plan", format),
					 errhint("Possible formats are \"text\", \"json\", \"program\", "
							 "\"sql\", \"columns\", \"forms\", \"svg\" and "
							 "\"dot\".")));
	}
	if (strcmp(format, "json") == 0)
		appendStringInfoChar(&out, ']');
	if (strcmp(format, "text") == 0 && is_rewritten(linitial(plans)))
	{
		double written = cost_as_written(PG_GETARG_TEXT_PP(0), options);

		if (isinf(written))
			appendStringInfoString(&out, "As written it is beyond limits\n");
		else
			appendStringInfo(&out, "As written: cost=%.1f us\n", written);
	}
	MemoryContextSwitchTo(old);
	put_lines(rsinfo, out.data);
	MemoryContextDelete(planning);
	PG_RETURN_VOID();
}

/*
 * einsum_sql(program, at, options): returns the program as one SELECT, and creates
 * nothing. With labels in at, the SELECT computes the result at keys of these labels, its
 * parameters $1, $2, ...
 */
Datum
einsum_sql(PG_FUNCTION_ARGS)
{
	PlanOptions *options;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options = read_plan_options(fcinfo, 2);
	if (!PG_ARGISNULL(1))
	{
		read_at_labels(PG_GETARG_ARRAYTYPE_P(1), options);
		PG_RETURN_TEXT_P(cstring_to_text(
			deparse_point(plan_alternative(PG_GETARG_TEXT_PP(0), options))));
	}
	PG_RETURN_TEXT_P(cstring_to_text(
		deparse_program(plan_alternative(PG_GETARG_TEXT_PP(0), options))));
}

Datum
compute_value(const char *function, const ProgramPlan *plan, MemoryContext context)
{
	const char *query =
		labelled_query(function, plan->graph->last->statement->text, deparse_value(plan));
	int result = run_reading(query);
	MemoryContext old;
	Datum value;
	bool isnull;

	if (result != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "a program's value has " UINT64_FORMAT " rows (%s)", SPI_processed,
			 SPI_result_code_string(result));
	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (isnull)
		elog(ERROR, "a program's value is null");
	old = MemoryContextSwitchTo(context);
	value = PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	MemoryContextSwitchTo(old);
	return value;
}

/*
 * einsum_value(program, options): returns the result of the last statement as one tensor,
 * computed as the current user.
 */
Datum
einsum_value(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	PlanOptions *options;
	ProgramPlan *plan;
	Datum value;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options = read_plan_options(fcinfo, 1);
	/* any decomposition of the result can be made one tensor */
	if (PG_ARGISNULL(4))
		options->result = RESULT_AUTO;
	plan = plan_alternative(PG_GETARG_TEXT_PP(0), options);
	SPI_connect();
	value = compute_value("einsum_value", plan, caller);
	SPI_finish();
	PG_RETURN_DATUM(value);
}
