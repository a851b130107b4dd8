/*-------------------------------------------------------------------------
 *
 * entries_support.c
 *	  The planner support function of einsum_entries: how many entries arrays have.
 *
 * In every layout the longest column has as many elements as there are entries, but for
 * those that equal the fill, and offsets of more lists than there are entries. A column's
 * length is estimated by what ANALYZE knows of its elements, by its width, or, where it
 * lies out of line, by the size of the table's values out of line.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "storage/bufmgr.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"

#include "recursion.h"
#include "type/entries.h"

PG_FUNCTION_INFO_V1(einsum_entries_support);

/* Bytes of an array that are no elements. */
#define ARRAY_HEADER ARR_OVERHEAD_NONULLS(1)

/* Bytes of an entry of an object: the key, the number, and where they are. */
#define OBJECT_ENTRY 24

/* An average width up to this is that of pointers to values out of line. */
#define POINTER_WIDTH 18

static double estimated_length(PlannerInfo *root, Node *node);

/* Returns the average bytes out of line of a row of a relation; 0 if not known. */
static double
bytes_out_of_line(Oid relid)
{
	Relation relation = table_open(relid, NoLock);
	double tuples = relation->rd_rel->reltuples;
	double bytes = 0;

	if (OidIsValid(relation->rd_rel->reltoastrelid) && tuples > 0)
	{
		Relation toast = table_open(relation->rd_rel->reltoastrelid, AccessShareLock);

		bytes = (double) RelationGetNumberOfBlocks(toast) * BLCKSZ / tuples;
		table_close(toast, AccessShareLock);
	}
	table_close(relation, NoLock);
	return bytes;
}

/*
 * Returns the bytes of one element of each array column of a relation that lies out of
 * line.
 */
static double
element_bytes_out_of_line(Oid relid)
{
	Relation relation = table_open(relid, NoLock);
	TupleDesc columns = RelationGetDescr(relation);
	double bytes = 0;

	for (int a = 0; a < columns->natts; a++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, a);
		Oid element;
		int32 width;

		if (column->attisdropped)
			continue;
		element = get_element_type(getBaseType(column->atttypid));
		width = get_attavgwidth(relid, column->attnum);
		if (get_typlen(element) > 0 && width > 0 && width <= POINTER_WIDTH)
			bytes += get_typlen(element);
	}
	table_close(relation, NoLock);
	return bytes;
}

/*
 * Returns the average number of different elements that ANALYZE has found; 0 if not
 * known.
 */
static double
different_elements(PlannerInfo *root, Node *node)
{
	VariableStatData variable;
	AttStatsSlot slot;
	double count = 0;

	examine_variable(root, node, 0, &variable);
	if (HeapTupleIsValid(variable.statsTuple) &&
		get_attstatsslot(&slot, variable.statsTuple, STATISTIC_KIND_DECHIST, InvalidOid,
						 ATTSTATSSLOT_NUMBERS))
	{
		if (slot.nnumbers > 0)
			count = slot.numbers[slot.nnumbers - 1];
		free_attstatsslot(&slot);
	}
	ReleaseVariableStats(variable);
	return count;
}

static double
length_of_column(PlannerInfo *root, Var *column)
{
	double length = different_elements(root, (Node *) column);
	RangeTblEntry *entry = rt_fetch(column->varno, root->parse->rtable);
	Oid type = getBaseType(column->vartype);
	int size = type == JSONBOID ? OBJECT_ENTRY : get_typlen(get_element_type(type));
	double bytes;
	int32 width;

	if (entry->rtekind != RTE_RELATION || column->varattno <= 0 || size <= 0)
		return length;
	width = get_attavgwidth(entry->relid, column->varattno);
	if (width > POINTER_WIDTH)
		return Max(length, (width - (double) ARRAY_HEADER) / size);
	bytes = element_bytes_out_of_line(entry->relid);
	return bytes > 0 ? Max(length, bytes_out_of_line(entry->relid) / bytes) : length;
}

/* Returns the length of what a subquery that runs once returns; 0 if not known. */
static double
length_of_parameter(PlannerInfo *root, const Param *parameter)
{
	for (; root; root = root->parent_root)
	{
		ListCell *lc;

		foreach (lc, root->init_plans)
		{
			SubPlan *plan = lfirst(lc);
			PlannerInfo *subroot;

			if (!list_member_int(plan->setParam, parameter->paramid))
				continue;
			subroot = list_nth(root->glob->subroots, plan->plan_id - 1);
			return estimated_length(
				subroot,
				(Node *) linitial_node(TargetEntry, subroot->parse->targetList)->expr);
		}
	}
	return 0;
}

/* Returns the expected number of elements of an array; 0 if not known. */
static double
estimated_length(PlannerInfo *root, Node *node)
{
	enter_recursion();
	if (!OidIsValid(get_element_type(getBaseType(exprType(node)))) &&
		getBaseType(exprType(node)) != JSONBOID)
		return 0;
	node = estimate_expression_value(root, node);
	while (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	if (IsA(node, Const) && !((Const *) node)->constisnull &&
		getBaseType(exprType(node)) == JSONBOID)
		return JB_ROOT_COUNT(DatumGetJsonbP(((Const *) node)->constvalue));
	if (IsA(node, Const) && !((Const *) node)->constisnull)
	{
		ArrayType *array = DatumGetArrayTypeP(((Const *) node)->constvalue);

		return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	}
	/* of an array in each of some rows, of which an aggregate returns one */
	if (IsA(node, Aggref) && ((Aggref *) node)->args != NIL)
		return estimated_length(
			root, (Node *) linitial_node(TargetEntry, ((Aggref *) node)->args)->expr);
	if (IsA(node, ArrayExpr))
		return list_length(((ArrayExpr *) node)->elements);
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varno > 0 &&
		((Var *) node)->varno <= list_length(root->parse->rtable))
		return length_of_column(root, (Var *) node);
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXEC)
		return length_of_parameter(root, (Param *) node);
	return 0;
}

/* Planner support: the number of entries, as far as the length of the arrays tells. */
Datum
einsum_entries_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *rows = (SupportRequestRows *) request;
	double length = 0;
	List *args;
	ListCell *cell;
	int first;

	if (!IsA(request, SupportRequestRows) || rows->root == NULL ||
		!is_funcclause(rows->node))
		PG_RETURN_POINTER(NULL);
	args = ((FuncExpr *) rows->node)->args;
	first = list_length(args) > 1 && exprType(lsecond(args)) == TEXTOID
				? STORED_ENTRIES_FIRST_KEY
				: ENTRIES_FIRST_COLUMN;
	/*
	 * of several, because an index that occurs in several lists is one different element
	 */
	for_each_from (cell, args, first)
		length = Max(length, estimated_length(rows->root, lfirst(cell)));
	if (length <= 0)
		PG_RETURN_POINTER(NULL);
	rows->rows = Max(length, 1.0);
	PG_RETURN_POINTER(rows);
}
