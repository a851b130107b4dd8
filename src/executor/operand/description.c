/*-------------------------------------------------------------------------
 *
 * description.c
 *	  What the plan of a node says of its operands.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "executor/integer_keys.h"
#include "executor/operand/state.h"
#include "executor/row_nodes.h"

static int64
int8_of(const Node *node)
{
	return DatumGetInt64(((const Const *) node)->constvalue);
}

/* The expression that an operand's scan returns in a column of its rows. */
static const Node *
scan_column(const TensorOperand *operand, AttrNumber column)
{
	return (const Node *) list_nth_node(TargetEntry, operand->scan->targetlist,
										column - 1)
		->expr;
}

/*
 * The attribute number of a scan's column in its relation; if the column is computed, a
 * number beyond all of these.
 */
static int
place_in_relation(const TensorOperand *operand, AttrNumber column)
{
	const Node *expression = scan_column(operand, column);

	return IsA(expression, Var) ? ((const Var *) expression)->varattno : PG_INT32_MAX;
}

/*
 * Adds a key to an operand. The keys are in the order of the relation's columns, so that
 * operands which read the same keys have them in the same order and can share rows.
 */
static void
add_key(TensorOperand *operand, AttrNumber column, uint8 label, bool joined, KeyKind kind)
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

/*
 * Begins an operand from its plan. Unless it is a range it has the next of the node's
 * scans, which is initialised if this process can run it.
 */
static void
begin_operand(TensorOperands *state, TensorOperand *operand, List *plan, ListCell **scan)
{
	CustomScanState *node = state->node;
	List *range = list_nth(plan, OPERAND_RANGE);
	List *columns = list_nth(plan, OPERAND_COLUMNS);
	List *labels = list_nth(plan, OPERAND_LABELS);
	List *joined = list_nth(plan, OPERAND_JOINED);
	List *kinds = list_nth(plan, OPERAND_KINDS);

	operand->optional = intVal(list_nth(plan, OPERAND_OPTIONAL)) != 0;
	operand->part_key = operand->run_key = -1;
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
		if (operand->labels[k] == state->plan.part_label)
			operand->part_key = k;
	}
}

/*
 * Adds an operand of one row without keys, for values that are the same for all tuples;
 * returns its number.
 */
static int
operand_of_constants(TensorOperands *state)
{
	TensorOperand *last = &state->operands[state->noperands - 1];

	if (last->scan || last->range || last->nvalues == NEST_MAX_VALUES)
	{
		if (state->noperands == NEST_MAX_OPERANDS)
			elog(ERROR, "an AggregateJoin has too many operands");
		state->operands[state->noperands].run_key = -1;
		state->operands[state->noperands++].part_key = -1;
	}
	return state->noperands - 1;
}

static void
begin_value(TensorOperands *state, OperandValue *value, List *plan)
{
	Node *expression = list_nth(plan, VALUE_EXPRESSION);
	Node *fill = list_nth(plan, VALUE_FILL);
	TensorOperand *operand;

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
		/*
		 * not as part of the node: it is evaluated over rows of the child, whose slots
		 * differ
		 */
		value->expression =
			ExecInitExpr((Expr *) expression, operand->scan ? NULL : &state->node->ss.ps);
	if (fill)
		value->fill = ExecInitExpr((Expr *) fill, &state->node->ss.ps);
}

void
begin_each_operand(TensorOperands *state)
{
	ListCell *child = list_head(((CustomScan *) state->node->ss.ps.plan)->custom_plans);
	ListCell *lc;

	foreach (lc, state->plan.operands)
		begin_operand(state, &state->operands[state->noperands++], lfirst(lc), &child);
	state->nvalues = list_length(state->plan.values);
	state->values = palloc0(sizeof(OperandValue) * Max(state->nvalues, 1));
	foreach (lc, state->plan.values)
		begin_value(state, &state->values[foreach_current_index(lc)], lfirst(lc));
}

/*
 * The number of a dictionary among the node's dictionaries; adds the dictionary if it is
 * new.
 */
static uint8
number_dictionary(TensorOperands *state, Dictionary *dictionary, bool returned)
{
	int number = 0;

	while (number < state->keys.ndictionaries &&
		   state->keys.dictionaries[number].dictionary != dictionary)
		number++;
	if (number == state->keys.ndictionaries)
		state->keys.dictionaries[state->keys.ndictionaries++] =
			(OperandDictionary){.dictionary = dictionary};
	state->keys.dictionaries[number].returned |= returned;
	return (uint8) number;
}

void
begin_keys(TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
	{
		TensorOperand *operand = &state->operands[o];

		for (int k = 0; k < operand->nkeys; k++)
		{
			const KeyKind *kind = &operand->keys[k].kind;

			if (!is_dictionary_kind(kind))
				continue;
			/*
			 * a query that only returns keys needs no permission to compare them: the
			 * relational plan decides
			 */
			state->keys.forbidden =
				state->keys.forbidden || !may_execute(get_opcode(kind->equality));
			operand->keys[k].dictionary =
				use_dictionary(kept_dictionaries(state->kept_operands), kind);
			/*
			 * a group has the key of another operand, too, if it has one of a left-joined
			 * operand
			 */
			operand->keys[k].returned =
				!operand->optional &&
				list_member_int(state->plan.returned, operand->labels[k]);
			operand->keys[k].number = number_dictionary(
				state, operand->keys[k].dictionary, operand->keys[k].returned);
		}
	}
}

const Dictionary *
label_dictionary(const TensorOperands *state, int label)
{
	for (int o = 0; o < state->noperands; o++)
		for (int k = 0; k < state->operands[o].nkeys; k++)
			if (state->operands[o].labels[k] == label &&
				state->operands[o].keys[k].dictionary)
				return state->operands[o].keys[k].dictionary;
	return NULL;
}

void
end_keys(TensorOperands *state)
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
