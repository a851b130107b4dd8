/*-------------------------------------------------------------------------
 *
 * description.c
 *	  What the plan of an AggregateJoin says.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "executor/aggregate_join/state.h"
#include "executor/integer_keys.h"
#include "executor/row_nodes.h"

static int64
int8_of(const Node *node)
{
	return DatumGetInt64(((const Const *) node)->constvalue);
}

/* What the scan of an operand has in a column of its rows. */
static const Node *
scan_column(const JoinOperand *operand, AttrNumber column)
{
	return (const Node *) list_nth_node(TargetEntry, operand->scan->targetlist,
										column - 1)
		->expr;
}

/* The place of a scan's column in its relation; behind all others if it is computed. */
static int
place_in_relation(const JoinOperand *operand, AttrNumber column)
{
	const Node *expression = scan_column(operand, column);

	return IsA(expression, Var) ? ((const Var *) expression)->varattno : PG_INT32_MAX;
}

/* Adds a key. They are in the order of the relation, so that operands which read the same have the same order. */
static void
add_key(JoinOperand *operand, AttrNumber column, uint8 label, bool joined, KeyKind kind)
{
	int k = operand->nkeys++;

	for (; k > 0 && place_in_relation(operand, operand->keys[k - 1].attribute) >
						place_in_relation(operand, column);
		 k--)
	{
		operand->keys[k] = operand->keys[k - 1];
		operand->labels[k] = operand->labels[k - 1];
	}
	operand->keys[k] =
		(OperandKeyColumn){.attribute = column, .joined = joined, .kind = kind};
	operand->labels[k] = label;
}

/* Begins an operand, with the next of the scans unless it is a range. Only the leader runs some. */
static void
begin_operand(AggregateJoinState *state, JoinOperand *operand, List *plan,
			  ListCell **scan)
{
	CustomScanState *node = &state->css;
	List *range = list_nth(plan, OPERAND_RANGE);
	List *columns = list_nth(plan, OPERAND_COLUMNS);
	List *labels = list_nth(plan, OPERAND_LABELS);
	List *joined = list_nth(plan, OPERAND_JOINED);
	List *kinds = list_nth(plan, OPERAND_KINDS);

	operand->optional = intVal(list_nth(plan, OPERAND_OPTIONAL)) != 0;
	operand->part_key = -1;
	if (range)
	{
		operand->range = true;
		operand->nkeys = 1;
		operand->labels[0] = (uint8) linitial_int(labels);
		operand->first = int8_of(linitial(range));
		operand->bound = int8_of(lsecond(range));
		return;
	}
	operand->reader = (OperandReader) intVal(list_nth(plan, OPERAND_READER));
	operand->scan = lfirst(*scan);
	*scan = lnext(((CustomScan *) node->ss.ps.plan)->custom_plans, *scan);
	if (operand->reader != READ_BY_LEADER || !IsParallelWorker())
	{
		operand->child = ExecInitNode(operand->scan, node->ss.ps.state, state->eflags);
		node->custom_ps = lappend(node->custom_ps, operand->child);
	}
	for (int i = 0; i < list_length(labels); i++)
		add_key(operand, (AttrNumber) list_nth_int(columns, i),
				(uint8) list_nth_int(labels, i), list_nth_int(joined, i) != 0,
				(KeyKind){.equality = list_nth_oid(kinds, 3 * i),
						  .collation = list_nth_oid(kinds, 3 * i + 1),
						  .type = list_nth_oid(kinds, 3 * i + 2)});
	for (int k = 0; k < operand->nkeys; k++)
	{
		operand->keys[k].type =
			getBaseType(exprType(scan_column(operand, operand->keys[k].attribute)));
		if (operand->labels[k] == state->parts.label)
			operand->part_key = k;
	}
}

/* An operand of one row, for values that are the same for all tuples. */
static int
operand_of_constants(AggregateJoinState *state)
{
	JoinOperand *last = &state->operands[state->noperands - 1];

	if (last->scan || last->range || last->nvalues == NEST_MAX_VALUES)
	{
		if (state->noperands == NEST_MAX_OPERANDS)
			elog(ERROR, "an AggregateJoin has too many operands");
		state->operands[state->noperands++].part_key = -1;
	}
	return state->noperands - 1;
}

static void
begin_value(AggregateJoinState *state, JoinValue *value, List *plan)
{
	Node *expression = list_nth(plan, VALUE_EXPRESSION);
	Node *fill = list_nth(plan, VALUE_FILL);
	JoinOperand *operand;

	value->operand = intVal(list_nth(plan, VALUE_OPERAND));
	if (value->operand < 0)
		value->operand = operand_of_constants(state);
	operand = &state->operands[value->operand];
	if (operand->nvalues == NEST_MAX_VALUES)
		elog(ERROR, "an operand of an AggregateJoin has too many values");
	value->column = operand->nvalues;
	operand->values[operand->nvalues++] = value;
	value->type = getBaseType(exprType(expression));
	if (IsA(expression, Var))
		value->attribute = ((Var *) expression)->varattno;
	else
		/* not as the node's own: the child's rows are of another kind than its own */
		value->expression =
			ExecInitExpr((Expr *) expression, operand->scan ? NULL : &state->css.ss.ps);
	if (fill)
		value->fill = ExecInitExpr((Expr *) fill, &state->css.ss.ps);
}

/* Which column of the groups, or aggregate of the nest, each column of a row is. */
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
	List *operands = list_nth(scan->custom_private, JOIN_PRIVATE_OPERANDS);
	List *values = list_nth(scan->custom_private, JOIN_PRIVATE_VALUES);
	List *aggregates = list_nth(scan->custom_private, JOIN_PRIVATE_AGGREGATES);
	List *outputs = list_nth(scan->custom_private, JOIN_PRIVATE_OUTPUTS);
	List *groups = list_nth(scan->custom_private, JOIN_PRIVATE_GROUPS);
	ListCell *child = list_head(scan->custom_plans);
	ListCell *lc;

	state->parts.label = intVal(list_nth(scan->custom_private, JOIN_PRIVATE_PARTED));
	state->stream = intVal(list_nth(scan->custom_private, JOIN_PRIVATE_STREAM));
	state->sharing.parallel =
		intVal(list_nth(scan->custom_private, JOIN_PRIVATE_PARALLEL)) != 0;
	state->sharing.by_leader =
		intVal(list_nth(scan->custom_private, JOIN_PRIVATE_BY_LEADER)) != 0;
	state->grouping.nlabels =
		list_length(list_nth(scan->custom_private, JOIN_PRIVATE_LABELS));
	state->grouping.grouped =
		intVal(list_nth(scan->custom_private, JOIN_PRIVATE_GROUPED)) != 0;
	state->grouping.each_tuple =
		intVal(list_nth(scan->custom_private, JOIN_PRIVATE_EACH_TUPLE)) != 0;
	foreach (lc, groups)
		state->grouping.groups[state->grouping.ngroups++] = (uint8) lfirst_int(lc);
	foreach (lc, operands)
		begin_operand(state, &state->operands[state->noperands++], lfirst(lc), &child);
	state->nvalues = list_length(values);
	state->values = palloc0(sizeof(JoinValue) * Max(state->nvalues, 1));
	foreach (lc, values)
		begin_value(state, &state->values[foreach_current_index(lc)], lfirst(lc));
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

/* Is a label in rows of the node? */
static bool
is_returned(const AggregateJoinState *state, uint8 label)
{
	for (int i = 0; i < state->results.noutputs; i++)
		if (state->results.outputs[i].key >= 0 &&
			state->grouping.groups[state->results.outputs[i].key] == label)
			return true;
	return false;
}

/* The number of an operand's dictionary among the node's. */
static uint8
number_dictionary(AggregateJoinState *state, Dictionary *dictionary, bool returned)
{
	int number = 0;

	while (number < state->keys.ndictionaries &&
		   state->keys.dictionaries[number].dictionary != dictionary)
		number++;
	if (number == state->keys.ndictionaries)
		state->keys.dictionaries[state->keys.ndictionaries++] =
			(JoinDictionary){.dictionary = dictionary};
	state->keys.dictionaries[number].returned |= returned;
	return (uint8) number;
}

void
begin_keys(AggregateJoinState *state)
{
	for (int o = 0; o < state->noperands; o++)
	{
		JoinOperand *operand = &state->operands[o];

		for (int k = 0; k < operand->nkeys; k++)
		{
			const KeyKind *kind = &operand->keys[k].kind;

			if (!is_dictionary_kind(kind))
				continue;
			/* the query need not compare what it only returns: that is up to the relational plan */
			state->keys.forbidden =
				state->keys.forbidden || !may_execute(get_opcode(kind->equality));
			operand->keys[k].dictionary =
				use_dictionary(kept_dictionaries(state->kept_operands), kind);
			/* those of a left join are never the only ones of a group */
			operand->keys[k].returned =
				!operand->optional && is_returned(state, operand->labels[k]);
			operand->keys[k].number = number_dictionary(
				state, operand->keys[k].dictionary, operand->keys[k].returned);
			for (int i = 0; i < state->results.noutputs; i++)
				if (state->results.outputs[i].key >= 0 &&
					state->grouping.groups[state->results.outputs[i].key] ==
						operand->labels[k])
					state->results.outputs[i].dictionary = operand->keys[k].dictionary;
		}
	}
}

void
end_keys(AggregateJoinState *state)
{
	for (int o = 0; o < state->noperands; o++)
		for (int k = 0; k < state->operands[o].nkeys; k++)
		{
			Dictionary **dictionary = &state->operands[o].keys[k].dictionary;

			if (*dictionary)
				leave_dictionary(kept_dictionaries(state->kept_operands), *dictionary);
			*dictionary = NULL;
		}
	state->keys.ndictionaries = 0;
}
