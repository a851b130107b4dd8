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
#include "nodes/nodeFuncs.h"
#include "rewrite/rewriteManip.h"

#include "executor/operand/state.h"

/* Returns the range table index of the relation that a plan scans; 0 for other plans. */
static int
scanned_relation(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
		case T_NamedTuplestoreScan:
		case T_CustomScan:
		case T_CteScan:
		case T_SubqueryScan:
			return (int) ((const Scan *) plan)->scanrelid;
		default:
			return 0;
	}
}

/* A search for columns in an index that a scan returns; missing: one is not there. */
typedef struct IndexColumns
{
	const List *columns;
	bool missing;
} IndexColumns;

/* Replaces columns of a table by columns of the index. */
static Node *
use_index(Node *node, void *context)
{
	IndexColumns *index = context;
	ListCell *lc;

	if (node == NULL || !IsA(node, Var))
		return node ? expression_tree_mutator(node, use_index, context) : NULL;
	foreach (lc, index->columns)
	{
		const TargetEntry *column = lfirst_node(TargetEntry, lc);
		const Var *var = (const Var *) node;

		if (!column->resjunk && equal(column->expr, node))
			return (Node *) makeVar(INDEX_VAR, column->resno, var->vartype,
									var->vartypmod, var->varcollid, 0);
	}
	index->missing = true;
	return node;
}

/*
 * Returns an expression over relation 1 as a scan computes it; NULL if the scan cannot.
 */
static Expr *
scan_expression(const Plan *scan, const Node *expression)
{
	IndexColumns index = {NIL};
	Node *result = copyObject((Node *) expression);

	ChangeVarNodes(result, 1, scanned_relation(scan), 0);
	if (IsA(scan, IndexOnlyScan))
	{
		index.columns = ((const IndexOnlyScan *) scan)->indextlist;
		result = use_index(result, &index);
	}
	return index.missing ? NULL : (Expr *) result;
}

/*
 * Does an operand's scan read the relation of which the planner has noted columns? It may
 * not: PostgreSQL may have replaced the scan of a subquery by that of a table inside it.
 */
static bool
reads_relation(const Plan *scan, const List *columns)
{
	ListCell *lc;

	if (scanned_relation(scan) == 0)
		return false;
	foreach (lc, columns)
		if (!equal(list_nth_node(TargetEntry, scan->targetlist, foreach_current_index(lc))
					   ->expr,
				   scan_expression(scan, lfirst(lc))))
			return false;
	return true;
}

/*
 * Replaces an operand's scan by one that also returns these columns; false if the scan
 * cannot return them.
 */
static bool
widen_scan(TensorOperands *state, TensorOperand *operand, const List *columns)
{
	EState *estate = state->estate;
	MemoryContext old = MemoryContextSwitchTo(estate->es_query_cxt);
	Plan *plan = copyObject(operand->child->plan);
	bool returned =
		reads_relation(plan, list_nth(plan_of_rows(state, operand), ROWS_COLUMNS));
	ListCell *lc;

	foreach (lc, columns)
	{
		Expr *expression =
			returned
				? scan_expression(plan, ((const OperandColumn *) lfirst(lc))->expression)
				: NULL;

		returned = expression != NULL;
		plan->targetlist = lappend(
			plan->targetlist,
			makeTargetEntry(expression, (AttrNumber) (list_length(plan->targetlist) + 1),
							NULL, false));
	}
	foreach (lc, state->node->custom_ps)
		if (returned && lfirst(lc) == operand->child)
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
	return returned;
}

/*
 * Adds a column that only other operands need to the reader; attribute: its number in the
 * scan's rows.
 */
static void
add_needed_column(TensorOperand *reader, int number, const OperandColumn *column,
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
	AttrNumber attribute = (AttrNumber) list_length(operand->child->plan->targetlist);
	TensorOperand *reader;

	if (list_length(columns) > own &&
		!widen_scan(state, operand, list_copy_tail(columns, own)))
		return NULL;
	reader = palloc(sizeof(TensorOperand));
	*reader = *operand;
	for (int i = own; i < list_length(columns); i++)
	{
		reader->united = operand;
		add_needed_column(reader, (int) (operand - state->operands), list_nth(columns, i),
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
