/*-------------------------------------------------------------------------
 *
 * operand_key.c
 *	  Operand keys: which rows an operand reads, and in which columns it has keys and
 *	  values.
 *
 * Operands with the same rows and other columns can share the rows, so columns are apart
 * from rows in the key. Where a column is in the scan's rows, and the number of the
 * scan's relation in its query, are not in the key. Neither is which keys may be NULL:
 * each operand that shares the rows checks that.
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

/* An operand key while it is being made. */
typedef struct KeyContext
{
	const KeySpan *span;
	EState *estate;
	OperandKey *key;
	/* all expressions in the key, to be checked for parameters and mutable functions */
	List *expressions;
	/* the parameters of a subplan that stand for columns of its rows */
	const List *compared;
	bool in_order; /* an aggregate above may depend on the order of rows */
	bool unknown;  /* the rows of some subplan may change */
} KeyContext;

static bool add_child(KeyContext *context, PlanState *child);

static void
add_text(KeyContext *context, char *text)
{
	context->key->rows = lappend(context->key->rows, makeString(text));
}

/* The range table index of the relation that a node scans; 0 for other nodes. */
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
 * Returns what a key has in place of a subplan: its kind and its comparison. Adds the
 * subplan's rows to the key. Only hashed subplans can be in a key, since they are the
 * same for all rows of a scan.
 */
static Node *
describe_subplan(KeyContext *context, const SubPlan *subplan)
{
	PlanState *rows = list_nth(context->estate->es_subplanstates, subplan->plan_id - 1);
	Oid table = context->key->table;
	Node *comparison;

	/* only one subplan at a time can have parameters that stand for its columns */
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

/* Replaces the subplans in an expression by their descriptions (describe_subplan). */
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

/* Adds expressions over the columns of one relation, with 1 as the relation's number. */
static void
add_expressions(KeyContext *context, const List *expressions, Index relation)
{
	List *copy =
		(List *) without_subplans((Node *) copyObject((List *) expressions), context);

	if (relation > 1)
		ChangeVarNodes((Node *) copy, (int) relation, 1, 0);
	/*
	 * a list of their own, even if empty, so that they cannot be taken for the next ones
	 */
	context->key->rows = lappend(context->key->rows, list_make1(copy));
	context->expressions = lappend(context->expressions, copy);
}

/* The expressions of a target list, without the names of the columns. */
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

/*
 * Does a plan scan a system catalog? Its writers release their locks before they commit,
 * so that commit_kept_operands would miss them.
 */
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

/* Does a CTE have the same rows all through the span? */
static bool
cte_stays(const KeySpan *span, const CteScanState *scan)
{
	return span->one_query && bms_is_empty(scan->cteplanstate->plan->extParam);
}

/*
 * Adds the columns by which a node groups rows, and the equalities and collations by
 * which it compares them.
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

/*
 * Adds the index of a scan if the order of rows matters, since the index determines it.
 */
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

/* Adds a join, its conditions, and those of its method (merge or hash clauses). */
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

/* Adds the rows of all children of an Append: members of a UNION, or partitions. */
static bool
add_append(KeyContext *context, AppendState *node)
{
	/* parameters may decide which children are read */
	if (node->as_prune_state)
		return false;
	add_text(context, psprintf("append %d", node->as_nplans));
	for (int i = 0; i < node->as_nplans; i++)
		if (!add_child(context, node->appendplans[i]))
			return false;
	return true;
}

/* Adds which rows a node returns, but not which columns; false if the rows may change. */
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
			/*
			 * conditions that a partial index implies are not in the plan, but in the
			 * index
			 */
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
			/* the expressions are over columns of the index, not of the table */
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
			/*
			 * of rows that only agree in some columns the first one stays, which depends
			 * on their order
			 */
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

/* Adds the rows of a node's child, with the columns that the node may read. */
static bool
add_child(KeyContext *context, PlanState *child)
{
	if (!add_rows(context, child))
		return false;
	add_expressions(context, target_expressions(child->plan->targetlist),
					scanned_relation(child->plan));
	/*
	 * the expressions of the nodes above are over the child's columns, not those of a
	 * table
	 */
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

/* Replaces columns of a scan's rows by the expressions that the scan computes. */
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

/* Adds a column to the key: an expression over a relation's columns. */
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
	/* joins and other nodes without a relation have no key */
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
