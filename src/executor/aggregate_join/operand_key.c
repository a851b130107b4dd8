/*-------------------------------------------------------------------------
 *
 * operand_key.c
 *	  What the rows of an operand are.
 *
 * Which rows, and in which columns they have keys and values: operands may read the same rows and other columns.
 * Not where these stand in the scan's rows, nor which relation of its query it scans; and not which keys may be
 * NULL: each that shares the rows checks that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/catalog.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "recursion.h"
#include "executor/aggregate_join/operand_key.h"
#include "executor/memory_rows/memory_rows.h"

/* A key that is being made. */
typedef struct KeyContext
{
	const KeySpan *span;
	OperandKey *key;
	List *expressions; /* all that are in it */
} KeyContext;

static void
add_text(KeyContext *context, char *text)
{
	context->key->rows = lappend(context->key->rows, makeString(text));
}

/* Adds expressions over the columns of one relation, whatever its number is. */
static void
add_expressions(KeyContext *context, const List *expressions, Index relation)
{
	List *copy = copyObject((List *) expressions);

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

/* Adds which rows a scan returns, but not their columns; false if that is not all known. */
static bool
add_rows(KeyContext *context, PlanState *node)
{
	Plan *plan = node->plan;
	PlanState *subplan;
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
			subplan = ((SubqueryScanState *) node)->subplan;
			add_text(context, "subquery");
			if (!add_rows(context, subplan))
				return false;
			context->key->table = InvalidOid;
			/* those above are over its columns */
			add_expressions(context, target_expressions(subplan->plan->targetlist),
							((Scan *) subplan->plan)->scanrelid);
			break;
		default:
			return false;
	}
	add_expressions(context, quals, ((Scan *) plan)->scanrelid);
	return true;
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
make_operand_key(const AggregateJoinState *state, const JoinOperand *operand,
				 const KeySpan *span, OperandKey *key)
{
	const CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	const List *plans = list_nth(scan->custom_private, JOIN_PRIVATE_VALUES);
	Plan *child = operand->scan;
	Index relation = ((Scan *) child)->scanrelid;
	KeyContext context = {.span = span, .key = key};

	*key = (OperandKey){NIL};
	if (!add_rows(&context, operand->child))
		return false;
	for (int k = 0; k < operand->nkeys; k++)
		add_column(&context,
				   (Node *) list_nth_node(TargetEntry, child->targetlist,
										  operand->keys[k].attribute - 1)
					   ->expr,
				   relation, (OperandColumn){.key = true, .kind = operand->keys[k].kind});
	for (int v = 0; v < operand->nvalues; v++)
	{
		Node *value = list_nth(list_nth(plans, operand->values[v] - state->values),
							   VALUE_EXPRESSION);

		add_column(&context, use_targets(value, child->targetlist), relation,
				   (OperandColumn){NULL});
	}
	return !contain_mutable_functions((Node *) context.expressions) &&
		   !has_parameters((Node *) context.expressions, (void *) span);
}
