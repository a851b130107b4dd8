/*-------------------------------------------------------------------------
 *
 * explain.c
 *	  What EXPLAIN shows of an AggregateJoin.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/explain.h"
#include "lib/stringinfo.h"

#include "compat.h"
#include "executor/aggregate_join/state.h"

static const char *const reduction_names[] = {"sum", "min", "max", "prod", "any", "all"};

static const char *
label_name(const List *labels, int label)
{
	return strVal(list_nth(labels, label));
}

/* The text of an operand: "a[i,j]", or "a[i,j]?" if it is left-joined. */
static char *
operand_text(const List *operand, const List *labels)
{
	StringInfoData text;
	ListCell *lc;

	initStringInfo(&text);
	appendStringInfo(&text, "%s[", strVal(list_nth(operand, OPERAND_NAME)));
	foreach (lc, (List *) list_nth(operand, OPERAND_LABELS))
		appendStringInfo(&text, "%s%s", foreach_current_index(lc) ? "," : "",
						 label_name(labels, lfirst_int(lc)));
	appendStringInfo(&text, "]%s",
					 intVal(list_nth(operand, OPERAND_OPTIONAL)) ? "?" : "");
	return text.data;
}

/*
 * The text of an aggregate: "sum multiply($1, $2)"; without "sum" if each tuple is a row.
 */
static char *
kernel_text(const List *aggregate, bool each_tuple)
{
	const char *expression = strVal(list_nth(aggregate, AGGREGATE_EXPRESSION));
	const char *equation = strVal(list_nth(aggregate, AGGREGATE_EQUATION));
	int kind = intVal(list_nth(aggregate, AGGREGATE_KIND));
	int reduction = intVal(list_nth(aggregate, AGGREGATE_REDUCTION));
	StringInfoData text;

	if (kind == AGGREGATE_COUNT)
		return "count(*)";
	if (kind == NEST_STACK)
		return "stack";
	initStringInfo(&text);
	if (kind == NEST_COMPUTE)
		appendStringInfoString(&text, "computed");
	else if (!each_tuple)
		appendStringInfoString(&text, reduction_names[reduction]);
	if (*equation)
		appendStringInfo(&text, "%s%s", text.len ? " " : "", equation);
	if (*expression)
		appendStringInfo(&text, "%s%s", text.len ? " " : "", expression);
	return text.data;
}

/* Does an operand have a level of runs? */
static bool
has_level_of_runs(const NestStatistics *statistics, int noperands)
{
	for (int o = 0; o < noperands; o++)
		for (int l = 0; l < statistics->nlevels[o]; l++)
			if (statistics->levels[o][l].format == LEVEL_RUNS)
				return true;
	return false;
}

/*
 * Shows the loops that have run, outermost first, and the index formats of each operand.
 */
static void
explain_loops(const AggregateJoinState *state, const List *labels, const List *operands,
			  ExplainState *es)
{
	NestStatistics *statistics = palloc0(sizeof(NestStatistics));
	List *loops = NIL;
	List *formats = NIL;
	ListCell *lc;

	nest_statistics(state->nest, statistics);
	for (int l = 0; l < statistics->nloops; l++)
	{
		int label = statistics->labels[l];

		if (label >= 0)
			loops = lappend(loops, (char *) label_name(labels, label));
		else if (-1 - label < list_length(operands))
			loops = lappend(
				loops,
				psprintf("rows of %s",
						 strVal(list_nth(list_nth(operands, -1 - label), OPERAND_NAME))));
	}
	if (statistics->streamed >= 0)
		ExplainPropertyText(
			"Rows Streamed",
			strVal(list_nth(list_nth(operands, statistics->streamed), OPERAND_NAME)), es);
	else
		ExplainPropertyList("Loop Order", loops, es);
	foreach (lc, operands)
	{
		int o = foreach_current_index(lc);
		StringInfoData text;

		if (o == statistics->streamed)
			continue;
		initStringInfo(&text);
		appendStringInfo(&text, "%s:", strVal(list_nth(lfirst(lc), OPERAND_NAME)));
		for (int l = 0; l < statistics->nlevels[o]; l++)
			appendStringInfo(&text, " %s",
							 level_format_name(statistics->levels[o][l].format));
		formats = lappend(formats, text.data);
	}
	if (formats)
		ExplainPropertyList("Formats", formats, es);
	if (statistics->enumerated > 0 ||
		has_level_of_runs(statistics, list_length(operands)))
		ExplainPropertyInteger("Keys Enumerated", NULL, statistics->enumerated, es);
	if (!state->grouping.each_tuple)
		ExplainPropertyText("Accumulators",
							accumulator_kind_name(statistics->accumulators), es);
}

/* Shows the work of all processes, or of this one as long as others have not ended. */
static void
explain_counts(const AggregateJoinState *state, ExplainState *es)
{
	WorkCounts counts =
		state->done_by_all.parts > 0 ? state->done_by_all : count_work(state);

	if (counts.parts == 0)
		return;
	if (spilled_bytes(state->operands) >= 0 || state->done_by_all.parts > 0)
	{
		ExplainPropertyInteger("Parts", NULL, counts.parts, es);
		ExplainPropertyInteger("Spilled", "kB", (counts.bytes + 1023) / 1024, es);
	}
	ExplainPropertyInteger("Joined Tuples", NULL, counts.tuples, es);
}

void
explain_aggregate_join(CustomScanState *node, List *ancestors, ExplainState *es)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	List *operands = list_nth(scan->custom_private, JOIN_PRIVATE_OPERANDS);
	List *labels = list_nth(scan->custom_private, JOIN_PRIVATE_LABELS);
	List *names = NIL;
	List *kernels = NIL;
	ListCell *lc;

	foreach (lc, operands)
		names = lappend(names, operand_text(lfirst(lc), labels));
	ExplainPropertyList("Operands", names, es);
	foreach (lc, (List *) list_nth(scan->custom_private, JOIN_PRIVATE_AGGREGATES))
		if (intVal(list_nth(lfirst(lc), AGGREGATE_KIND)) != NEST_TAKE)
			kernels =
				lappend(kernels, kernel_text(lfirst(lc), state->grouping.each_tuple));
	if (kernels)
		ExplainPropertyList("Kernels", kernels, es);
	explain_dictionaries(state->operands, labels, es);
	if (!es->analyze)
		return;
	explain_kept(state->operands, es);
	if (state->reason)
		ExplainPropertyText("Relational Plan", state->reason, es);
	if (state->nest)
		explain_loops(state, labels, operands, es);
	if (state->reason == NULL && (state->nest || state->done_by_all.parts > 0))
		explain_counts(state, es);
}
