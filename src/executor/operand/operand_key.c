/*-------------------------------------------------------------------------
 *
 * operand_key.c
 *	  What the rows of an operand are.
 *
 * Which rows, and in which columns they have keys and values: operands may read the same
 * rows and other columns. Not where these stand in the scan's rows, nor which relation of
 * its query it scans; and not which keys may be NULL: each that shares the rows checks
 * that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/catalog.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "recursion.h"
#include "executor/operand/operand_key.h"
#include "executor/memory_rows/memory_rows.h"

/* A key that is being made. */
typedef struct KeyContext
{
	const KeySpan *span;
	EState *estate;
	OperandKey *key;
	List *expressions;    /* all that are in it */
	const List *compared; /* parameters that stand for columns of a subplan's rows */
	bool in_order;        /* aggregates above may depend on the order of rows */
	bool unknown;         /* a subplan's rows are not all known */
} KeyContext;

static bool add_child(KeyContext *context, PlanState *child);

static void
add_text(KeyContext *context, char *text)
{
	context->key->rows = lappend(context->key->rows, makeString(text));
}

/* The relation that a node scans, whose number its expressions have; 0 of other nodes. */
static Index
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
			return ((const Scan *) plan)->scanrelid;
		default:
			return 0;
	}
}

static Node *without_subplans(Node *node, void *context);

/*
 * What stands for a subplan in a key: how it compares, and with which columns of its
 * rows, which are added. Those of a hash table are the same for all rows of a scan.
 */
static Node *
describe_subplan(KeyContext *context, const SubPlan *subplan)
{
	PlanState *rows = list_nth(context->estate->es_subplanstates, subplan->plan_id - 1);
	Oid table = context->key->table;
	Node *comparison;

	/* parameters are of one subplan at a time */
	if (!subplan->useHashTable || subplan->parParam != NIL || context->compared != NIL ||
		!add_child(context, rows))
	{
		context->unknown = true;
		return NULL;
	}
	context->key->table = table;
	context->compared = subplan->paramIds;
	comparison = without_subplans(subplan->testexpr, context);
	context->compared = NIL;
	return (Node *) list_make3(makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
										 Int32GetDatum((int32) subplan->subLinkType),
										 false, true),
							   makeBoolConst(subplan->unknownEqFalse, false), comparison);
}

/* Replaces subplans by what they compare. */
static Node *
without_subplans(Node *node, void *data)
{
	KeyContext *context = data;
	const Param *param = (const Param *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, SubPlan))
		return describe_subplan(context, (const SubPlan *) node);
	if (IsA(node, Param) && param->paramkind == PARAM_EXEC)
	{
		ListCell *lc;

		foreach (lc, context->compared)
			if (lfirst_int(lc) == param->paramid)
				return (Node *) makeVar(
					INNER_VAR, (AttrNumber) (foreach_current_index(lc) + 1),
					param->paramtype, param->paramtypmod, param->paramcollid, 0);
	}
	return expression_tree_mutator(node, without_subplans, data);
}

/* Adds expressions over the columns of one relation, whatever its number is. */
static void
add_expressions(KeyContext *context, const List *expressions, Index relation)
{
	List *copy =
		(List *) without_subplans((Node *) copyObject((List *) expressions), context);

	if (relation > 1)
		ChangeVarNodes((Node *) copy, (int) relation, 1, 0);
	/* a list of its own, be it empty */
	context->key->rows = lappend(context->key->rows, list_make1(copy));
	context->expressions = lappend(context->expressions, copy);
}

/* The expressions of a target list: their names do not matter. */
static List *
target_expressions(const List *targets)
{
	List *expressions = NIL;
	ListCell *lc;

	foreach (lc, targets)
		expressions = lappend(expressions, lfirst_node(TargetEntry, lc)->expr);
	return expressions;
}

static void
add_table(KeyContext *context, const ScanState *scan)
{
	Relation relation = scan->ss_currentRelation;

	context->key->table = RelationGetRelid(relation);
	add_text(context, psprintf("table %u %u", RelationGetRelid(relation),
							   relation->rd_rel->relfilenode));
	context->key->tables =
		list_append_unique_oid(context->key->tables, RelationGetRelid(relation));
}

/* Does a plan scan a catalog? Writers of catalogs release their locks at once. */
static bool
scans_catalog(const Plan *plan, const PlanState *node)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return IsCatalogRelation(((const ScanState *) node)->ss_currentRelation);
		default:
			return false;
	}
}

bool
name_stays(const KeySpan *span, const char *name)
{
	ListCell *lc;

	foreach (lc, span->names)
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	return span->one_query;
}

/* Is a CTE computed once in a query? */
static bool
cte_stays(const KeySpan *span, const CteScanState *scan)
{
	return span->one_query && bms_is_empty(scan->cteplanstate->plan->extParam);
}

/*
 * Adds by which columns, and by which of their equalities, a node takes rows for equal.
 */
static void
add_columns_of_rows(KeyContext *context, const char *node, int count,
					const AttrNumber *columns, const Oid *operators,
					const Oid *collations)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, node);
	for (int i = 0; i < count; i++)
		appendStringInfo(&text, " %d %u %u", columns[i], operators[i], collations[i]);
	add_text(context, text.data);
}

/* A scan by an index returns rows in its order. */
static void
add_index_order(KeyContext *context, Oid index, ScanDirection direction)
{
	if (context->in_order)
		add_text(context, psprintf("index %u %d", index, (int) direction));
}

static bool
add_aggregate(KeyContext *context, const Agg *plan, PlanState *node)
{
	bool in_order = context->in_order;
	bool added;

	if (plan->groupingSets != NIL || plan->chain != NIL ||
		plan->aggsplit != AGGSPLIT_SIMPLE)
		return false;
	add_columns_of_rows(context, plan->aggstrategy == AGG_PLAIN ? "all" : "groups",
						plan->numCols, plan->grpColIdx, plan->grpOperators,
						plan->grpCollations);
	context->in_order = true;
	added = add_child(context, outerPlanState(node));
	context->in_order = in_order;
	return added;
}

/* Adds a join, which has these conditions beside those of its kind. */
static bool
add_join(KeyContext *context, const List *conditions, PlanState *node)
{
	const Join *plan = (const Join *) node->plan;

	add_text(context, psprintf("join %d", (int) plan->jointype));
	add_expressions(context, conditions, 0);
	add_expressions(context, plan->joinqual, 0);
	return add_child(context, outerPlanState(node)) &&
		   add_child(context, innerPlanState(node));
}

/* Adds the rows of all members of a UNION, or of the partitions of a table. */
static bool
add_append(KeyContext *context, AppendState *node)
{
	/* which of them are read may depend on parameters */
	if (node->as_prune_state)
		return false;
	add_text(context, psprintf("append %d", node->as_nplans));
	for (int i = 0; i < node->as_nplans; i++)
		if (!add_child(context, node->appendplans[i]))
			return false;
	return true;
}

/*
 * Adds which rows a node returns, but not their columns; false if that is not all known.
 */
static bool
add_rows(KeyContext *context, PlanState *node)
{
	Plan *plan = node->plan;
	List *quals = plan->qual;
	const char *name;

	enter_recursion();
	if (plan->initPlan != NIL || plan->parallel_aware || scans_catalog(plan, node))
		return false;
	switch (nodeTag(plan))
	{
		case T_SeqScan:
			add_table(context, (ScanState *) node);
			break;
		case T_IndexScan:
			if (((IndexScan *) plan)->indexorderby != NIL)
				return false;
			add_table(context, (ScanState *) node);
			add_index_order(context, ((IndexScan *) plan)->indexid,
							((IndexScan *) plan)->indexorderdir);
			/* conditions that a partial index implies are not in the plan */
			add_expressions(
				context,
				RelationGetIndexPredicate(((IndexScanState *) node)->iss_RelationDesc),
				0);
			quals = list_concat_copy(((IndexScan *) plan)->indexqualorig, quals);
			break;
		case T_IndexOnlyScan:
			if (((IndexOnlyScan *) plan)->indexorderby != NIL)
				return false;
			add_table(context, (ScanState *) node);
			/* columns are the index's */
			context->key->table = InvalidOid;
			add_text(context, psprintf("index %u", ((IndexOnlyScan *) plan)->indexid));
			add_index_order(context, ((IndexOnlyScan *) plan)->indexid,
							((IndexOnlyScan *) plan)->indexorderdir);
			quals = list_concat_copy(((IndexOnlyScan *) plan)->indexqual, quals);
			break;
		case T_BitmapHeapScan:
			add_table(context, (ScanState *) node);
			quals = list_concat_copy(((BitmapHeapScan *) plan)->bitmapqualorig, quals);
			break;
		case T_NamedTuplestoreScan:
			if (!name_stays(context->span, ((NamedTuplestoreScan *) plan)->enrname))
				return false;
			add_text(context,
					 psprintf("rows %s", ((NamedTuplestoreScan *) plan)->enrname));
			break;
		case T_CustomScan:
			name = rows_of_plan(plan);
			if (name == NULL || !name_stays(context->span, name))
				return false;
			add_text(context, psprintf("rows %s", name));
			break;
		case T_CteScan:
			if (!cte_stays(context->span, (CteScanState *) node))
				return false;
			add_text(context, psprintf("cte %d", ((CteScan *) plan)->ctePlanId));
			break;
		case T_SubqueryScan:
			add_text(context, "subquery");
			if (!add_child(context, ((SubqueryScanState *) node)->subplan))
				return false;
			break;
		case T_Append:
			if (!add_append(context, (AppendState *) node))
				return false;
			break;
		case T_Agg:
			if (!add_aggregate(context, (Agg *) plan, node))
				return false;
			break;
		case T_Unique:
			/* of rows that are not equal in all columns, the first in some order stays */
			if (((Unique *) plan)->numCols != list_length(plan->targetlist))
				return false;
			add_columns_of_rows(context, "groups", ((Unique *) plan)->numCols,
								((Unique *) plan)->uniqColIdx,
								((Unique *) plan)->uniqOperators,
								((Unique *) plan)->uniqCollations);
			if (!add_child(context, outerPlanState(node)))
				return false;
			break;
		case T_Sort:
			add_columns_of_rows(
				context, "sorted", ((Sort *) plan)->numCols, ((Sort *) plan)->sortColIdx,
				((Sort *) plan)->sortOperators, ((Sort *) plan)->collations);
			for (int i = 0; i < ((Sort *) plan)->numCols; i++)
				add_text(context,
						 ((Sort *) plan)->nullsFirst[i] ? "nulls first" : "nulls last");
			if (!add_child(context, outerPlanState(node)))
				return false;
			break;
		case T_HashJoin:
			if (!add_join(context, ((HashJoin *) plan)->hashclauses, node))
				return false;
			break;
		case T_MergeJoin:
			if (!add_join(context, ((MergeJoin *) plan)->mergeclauses, node))
				return false;
			break;
		case T_Result:
			if (((Result *) plan)->resconstantqual || outerPlanState(node) == NULL ||
				!add_child(context, outerPlanState(node)))
				return false;
			break;
		case T_Hash:
		case T_Material:
			if (!add_child(context, outerPlanState(node)))
				return false;
			break;
		default:
			return false;
	}
	add_expressions(context, quals, scanned_relation(plan));
	return !context->unknown;
}

/* Adds the rows of a node below another one, with the columns that this may read. */
static bool
add_child(KeyContext *context, PlanState *child)
{
	if (!add_rows(context, child))
		return false;
	add_expressions(context, target_expressions(child->plan->targetlist),
					scanned_relation(child->plan));
	/* what is above is over these, and no table's columns */
	context->key->table = InvalidOid;
	return !context->unknown;
}

static bool
has_parameters(Node *node, void *context)
{
	const KeySpan *span = context;

	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return !span->one_query || ((Param *) node)->paramkind != PARAM_EXTERN;
	if (IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	return expression_tree_walker(node, has_parameters, context);
}

/* Replaces the columns of a scan's rows by what the scan computes them of. */
static Node *
use_targets(Node *node, void *context)
{
	const List *targets = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
		return (Node *) list_nth_node(TargetEntry, targets, ((Var *) node)->varattno - 1)
			->expr;
	return expression_tree_mutator(node, use_targets, context);
}

/* Adds a column that a scan of a relation has. */
static void
add_column(KeyContext *context, const Node *expression, Index relation,
		   OperandColumn column)
{
	OperandColumn *added = palloc(sizeof(OperandColumn));

	*added = column;
	added->expression = copyObject((Node *) expression);
	added->type = getBaseType(exprType(expression));
	if (relation > 1)
		ChangeVarNodes(added->expression, (int) relation, 1, 0);
	context->key->columns = lappend(context->key->columns, added);
	context->expressions = lappend(context->expressions, added->expression);
}

bool
same_column(const OperandColumn *a, const OperandColumn *b)
{
	return a->key == b->key && a->type == b->type &&
		   (!a->key || same_kind(&a->kind, &b->kind)) &&
		   equal(a->expression, b->expression);
}

bool
make_operand_key(const TensorOperands *state, const TensorOperand *operand,
				 const KeySpan *span, OperandKey *key)
{
	Plan *child = operand->scan;
	Index relation = scanned_relation(child);
	KeyContext context = {.span = span, .estate = state->estate, .key = key};

	*key = (OperandKey){NIL};
	/* columns of joins have no relation */
	if (relation == 0 || !add_rows(&context, operand->child))
		return false;
	for (int k = 0; k < operand->nkeys; k++)
		add_column(&context,
				   (Node *) list_nth_node(TargetEntry, child->targetlist,
										  operand->keys[k].attribute - 1)
					   ->expr,
				   relation, (OperandColumn){.key = true, .kind = operand->keys[k].kind});
	for (int v = 0; v < operand->nvalues; v++)
	{
		Node *value =
			list_nth(list_nth(state->plan.values, operand->values[v] - state->values),
					 VALUE_EXPRESSION);

		add_column(&context, use_targets(value, child->targetlist), relation,
				   (OperandColumn){NULL});
	}
	return !contain_mutable_functions((Node *) context.expressions) &&
		   !has_parameters((Node *) context.expressions, (void *) span);
}
