/*-------------------------------------------------------------------------
 *
 * united_reader.c
 *	  A reader: reads rows with the columns that several operands need.
 *
 * A reader is a copy of one of the operands, with more keys and values. The operand's
 * scan only returns the columns of that operand, so a scan of the same plan with more
 * columns replaces it. All of these are columns that the query reads anyway, or that the
 * next queries of its loop will.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "rewrite/rewriteManip.h"

#include "executor/operand/operand_key.h"
#include "executor/operand/state.h"

/* Replaces an operand's scan by one that also returns these columns. */
static void
widen_scan(TensorOperands *state, TensorOperand *operand, const List *columns)
{
	EState *estate = state->estate;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	Plan *plan = copyObject(operand->child->plan);
	Index relation = ((Scan *) plan)->scanrelid;
	ListCell *lc;

	foreach (lc, columns)
	{
		Expr *expression =
			copyObject((Expr *) ((const OperandColumn *) lfirst(lc))->expression);

		ChangeVarNodes((Node *) expression, 1, (int) relation, 0);
		plan->targetlist = lappend(
			plan->targetlist,
			makeTargetEntry(expression, (AttrNumber) (list_length(plan->targetlist) + 1),
							NULL, false));
	}
	foreach (lc, state->node->custom_ps)
		if (lfirst(lc) == operand->child)
		{
			/*
			 * the old scan stays: if it is a CTE's first, the CTE's other scans read
			 * through it
			 */
			state->replaced = lappend(state->replaced, operand->child);
			operand->child = lfirst(lc) = ExecInitNode(plan, estate, state->eflags);
			break;
		}
	MemoryContextSwitchTo(old);
}

/*
 * Adds a column that only other operands need to the reader; attribute: its number in the
 * scan's rows.
 */
static void
add_column(TensorOperand *reader, int number, const OperandColumn *column,
		   AttrNumber attribute, Dictionaries *dictionaries)
{
	OperandValue *value;
	int k = reader->nkeys;

	if (column->key)
	{
		reader->nkeys++;
		reader->keys[k].attribute = attribute;
		reader->keys[k].type = column->type;
		reader->keys[k].kind = column->kind;
		reader->keys[k].dictionary = is_dictionary_kind(&column->kind)
										 ? use_dictionary(dictionaries, &column->kind)
										 : NULL;
		reader->keys[k].returned = false;
		return;
	}
	value = palloc0(sizeof(OperandValue));
	value->operand = number;
	value->column = reader->nvalues;
	value->type = column->type;
	value->attribute = attribute;
	reader->values[reader->nvalues++] = value;
}

TensorOperand *
begin_reader(TensorOperands *state, TensorOperand *operand, const List *columns)
{
	int own = operand->nkeys + operand->nvalues;
	TensorOperand *reader = palloc(sizeof(TensorOperand));
	AttrNumber attribute = (AttrNumber) list_length(operand->child->plan->targetlist);

	if (list_length(columns) > own)
		widen_scan(state, operand, list_copy_tail(columns, own));
	*reader = *operand;
	for (int i = own; i < list_length(columns); i++)
	{
		reader->united = operand;
		add_column(reader, (int) (operand - state->operands), list_nth(columns, i),
				   ++attribute, kept_dictionaries(state->kept_operands));
	}
	return reader;
}

void
end_reader(TensorOperands *state, TensorOperand *reader, TensorOperand *operand)
{
	operand->rows = reader->rows;
	for (int k = operand->nkeys; k < reader->nkeys; k++)
		if (reader->keys[k].dictionary)
			leave_dictionary(kept_dictionaries(state->kept_operands),
							 reader->keys[k].dictionary);
	for (int v = operand->nvalues; v < reader->nvalues; v++)
		pfree(reader->values[v]);
	pfree(reader);
}
