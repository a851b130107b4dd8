/*-------------------------------------------------------------------------
 *
 * description.c
 *	  What the plan of an AggregateJoin says.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "executor/aggregate_join/state.h"

/*
 * Finds for each column of the node's rows the group key or the aggregate of the nest
 * that it returns.
 */
static void
begin_outputs(AggregateJoinState *state, const List *places, const List *aggregates)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	int *numbers = palloc(sizeof(int) * Max(list_length(aggregates), 1));
	ListCell *lc;

	foreach (lc, aggregates)
	{
		bool count = intVal(list_nth(lfirst(lc), AGGREGATE_KIND)) == AGGREGATE_COUNT;

		numbers[foreach_current_index(lc)] = count ? -1 : state->grouping.naggregates++;
	}
	state->results.noutputs = list_length(places);
	state->results.outputs =
		palloc0(sizeof(JoinOutput) * Max(state->results.noutputs, 1));
	foreach (lc, places)
	{
		int i = foreach_current_index(lc);
		JoinOutput *output = &state->results.outputs[i];
		TargetEntry *entry = list_nth(scan->custom_scan_tlist, i);
		int place = lfirst_int(lc);

		output->type = getBaseType(exprType((Node *) entry->expr));
		output->key = output->aggregate = -1;
		if (place < 0)
			output->aggregate = numbers[-1 - place];
		else
			for (int g = 0; g < state->grouping.ngroups; g++)
				if (state->grouping.groups[g] == place)
					output->key = g;
	}
}

void
begin_description(AggregateJoinState *state)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	List *aggregates = list_nth(scan->custom_private, JOIN_PRIVATE_AGGREGATES);
	List *outputs = list_nth(scan->custom_private, JOIN_PRIVATE_OUTPUTS);
	List *groups = list_nth(scan->custom_private, JOIN_PRIVATE_GROUPS);
	ListCell *lc;

	state->parallel = intVal(list_nth(scan->custom_private, JOIN_PRIVATE_PARALLEL)) != 0;
	state->by_leader =
		intVal(list_nth(scan->custom_private, JOIN_PRIVATE_BY_LEADER)) != 0;
	state->grouping.nlabels =
		list_length(list_nth(scan->custom_private, JOIN_PRIVATE_LABELS));
	state->grouping.grouped =
		intVal(list_nth(scan->custom_private, JOIN_PRIVATE_GROUPED)) != 0;
	state->grouping.each_tuple =
		intVal(list_nth(scan->custom_private, JOIN_PRIVATE_EACH_TUPLE)) != 0;
	foreach (lc, groups)
		state->grouping.groups[state->grouping.ngroups++] = (uint8) lfirst_int(lc);
	foreach (lc, aggregates)
	{
		List *stack = list_nth(lfirst(lc), AGGREGATE_STACK);
		Node *fill = stack ? list_nth(stack, 3) : NULL;

		if (fill)
			state->grouping.stack_fills[foreach_current_index(lc)] =
				ExecInitExpr((Expr *) fill, &state->css.ss.ps);
	}
	begin_outputs(state, outputs, aggregates);
}
