/*-------------------------------------------------------------------------
 *
 * operand_rows.c
 *	  Which rows an operand reads: who else reads them, and whether they stay in a loop.
 *
 * The rows of an operand follow from its relation and its conditions, by whatever path
 * they are read. Equal descriptions get the same number, which the plan has; nodes whose
 * operands have one number read the rows once (executor/operand/README.md). A subquery is
 * described by its query as it was planned, since the conditions that were pushed into it
 * are there. What differs between equal queries is replaced: subplans by their queries,
 * CTEs by their plans.
 *
 * In a loop the numbers are those of the loop, and only rows that are the same in each
 * round get one.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "lib/ilist.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "catalog/citus.h"
#include "compat.h"
#include "planner/aggregate_join/operand_rows.h"
#include "planner/loop_planning.h"
#include "recursion.h"

/* The numbers of rows in one planning, in the list of all plannings. */
typedef struct PlanningNumbers
{
	RowNumbers numbers;
	const PlannerGlobal *planning;
	dlist_node node;
	MemoryContextCallback callback;
} PlanningNumbers;

static dlist_head plannings = DLIST_STATIC_INIT(plannings);

/* A description of rows while it is being made. */
typedef struct RowContext
{
	PlannerInfo *root;
	/* queries around the node: 0 outside of the operand's query */
	int depth;
	/* the parameters of a subplan that stand for columns of its rows */
	const List *compared;
	List *tables;   /* OidList */
	bool unknown;   /* the rows may differ whenever they are read */
	bool one_query; /* they are the same in one query, but not in each round of a loop */
} RowContext;

static Node *describe_node(Node *node, void *data);

/* Called when a planning's memory is deleted: removes its numbers from the list. */
static void
forget_planning(void *argument)
{
	dlist_delete(&((PlanningNumbers *) argument)->node);
}

/* Returns the numbers of the loop whose query is planned, or else of this planning. */
static RowNumbers *
current_numbers(const PlannerInfo *root)
{
	RowNumbers *of_loop = row_numbers_of_loop();
	PlanningNumbers *of_planning;
	MemoryContext memory;
	dlist_iter iter;

	if (of_loop)
		return of_loop;
	dlist_foreach(iter, &plannings)
	{
		of_planning = dlist_container(PlanningNumbers, node, iter.cur);
		if (of_planning->planning == root->glob)
			return &of_planning->numbers;
	}
	memory = GetMemoryChunkContext(root->glob);
	of_planning = MemoryContextAllocZero(memory, sizeof(PlanningNumbers));
	of_planning->numbers.memory = memory;
	of_planning->planning = root->glob;
	of_planning->callback.func = forget_planning;
	of_planning->callback.arg = of_planning;
	dlist_push_head(&plannings, &of_planning->node);
	MemoryContextRegisterResetCallback(memory, &of_planning->callback);
	return &of_planning->numbers;
}

static bool
same_members(const List *a, const List *b)
{
	return list_length(a) == list_length(b) &&
		   list_difference((List *) a, (List *) b) == NIL;
}

/* Returns the number of rows with this source and these conditions. */
static int
number_rows(RowNumbers *numbers, Node *source, List *conditions)
{
	MemoryContext old;
	ListCell *lc;

	foreach (lc, numbers->rows)
	{
		const List *other = lfirst(lc);

		if (equal(linitial(other), source) && same_members(lsecond(other), conditions))
			return foreach_current_index(lc);
	}
	old = MemoryContextSwitchTo(numbers->memory);
	numbers->rows =
		lappend(numbers->rows, list_make2(copyObject(source), copyObject(conditions)));
	MemoryContextSwitchTo(old);
	return list_length(numbers->rows) - 1;
}

/* Does a query read columns of the levels around it? Their number is given. */
static bool
reads_outer(Node *query, Index levels)
{
	for (int up = 1; up <= (int) levels; up++)
		if (contain_vars_of_level(query, up))
			return true;
	return false;
}

/*
 * May a level, or one around it, have a CTE with parameters, or one that reads the working
 * table of a recursive query? Its rows differ from one scan to the next.
 */
static bool
has_changing_cte(const PlannerInfo *root)
{
	ListCell *lc;

	for (; root; root = root->parent_root)
	{
		if (root->wt_param_id >= 0)
			return true;
		foreach (lc, root->parse->cteList)
			if (reads_outer(lfirst_node(CommonTableExpr, lc)->ctequery,
							root->query_level))
				return true;
	}
	return false;
}

/*
 * Returns the number of a CTE's plan, for a reference in the described query; -1 if the
 * CTE is of that query itself.
 */
static int
cte_plan(RowContext *context, const RangeTblEntry *rte)
{
	const PlannerInfo *root = context->root;
	ListCell *lc;

	if ((int) rte->ctelevelsup < context->depth)
		return -1;
	for (int up = (int) rte->ctelevelsup - context->depth; up > 0 && root; up--)
		root = root->parent_root;
	context->one_query = true;
	context->unknown = context->unknown || root == NULL || has_changing_cte(root);
	if (root == NULL)
		return -1;
	foreach (lc, root->parse->cteList)
		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, rte->ctename) == 0 &&
			foreach_current_index(lc) < list_length(root->cte_plan_ids))
			return list_nth_int(root->cte_plan_ids, foreach_current_index(lc));
	context->unknown = true;
	return -1;
}

/*
 * Adds a table. The writers of system catalogs release their locks before they commit, so
 * that a loop would not know of them.
 */
static void
note_table(RowContext *context, const RangeTblEntry *rte)
{
	context->unknown = context->unknown || rte->relid < FirstNormalObjectId ||
					   rte->relkind == RELKIND_FOREIGN_TABLE || rte->tablesample;
	/* children of a table may be written while it is not locked */
	context->one_query = context->one_query || (rte->inh && has_subclass(rte->relid));
	context->tables = list_append_unique_oid(context->tables, rte->relid);
}

/* Notes which rows an entry of a range table has, and makes equal entries equal. */
static void
describe_range_entry(RowContext *context, RangeTblEntry *rte)
{
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			note_table(context, rte);
			break;
		case RTE_CTE:
		{
			int plan = cte_plan(context, rte);

			context->unknown = context->unknown || rte->self_reference;
			if (plan < 0)
				break;
			rte->ctename = psprintf("%d", plan);
			rte->ctelevelsup = 0;
			break;
		}
		case RTE_NAMEDTUPLESTORE:
			context->one_query = context->one_query || !named_rows_stay(rte->enrname);
			break;
		case RTE_FUNCTION:
		case RTE_TABLEFUNC:
			context->unknown = true;
			break;
		default:
			break;
	}
}

static Node *describe_range_query(RowContext *context, Query *query,
								  const PlannerInfo *root);

/* Describes the subquery of a range table's entry, as it was planned if it was. */
static void
describe_subquery(RowContext *context, RangeTblEntry *rte, const PlannerInfo *root,
				  int relid)
{
	const RelOptInfo *rel = NULL;

	if (root && relid < root->simple_rel_array_size)
	{
		rel = root->simple_rel_array[relid];
		/* PostgreSQL has merged the subquery into the level above */
		if (rel == NULL)
			rte->subquery = NULL;
	}
	if (rel && rel->subroot)
		rte->subquery =
			(Query *) describe_range_query(context, rel->subroot->parse, rel->subroot);
	else if (rte->subquery)
		rte->subquery = (Query *) describe_range_query(context, rte->subquery, NULL);
}

/* Describes a query. root: the level that it was planned as; NULL: it was not. */
static Node *
describe_range_query(RowContext *context, Query *query, const PlannerInfo *root)
{
	ListCell *lc;

	enter_recursion();
	context->unknown = context->unknown || query->commandType != CMD_SELECT ||
					   query->rowMarks != NIL || query->hasModifyingCTE;
	context->depth++;
	query = query_tree_mutator(query, describe_node, context, QTW_IGNORE_RT_SUBQUERIES);
	foreach (lc, query->rtable)
	{
		RangeTblEntry *rte = lfirst(lc);

		describe_range_entry(context, rte);
		if (rte->rtekind == RTE_SUBQUERY)
			describe_subquery(context, rte, root, foreach_current_index(lc) + 1);
	}
	context->depth--;
	return (Node *) query;
}

/*
 * Describes a subplan by its query and its comparison. Only one that is the same for all
 * rows of a scan, and so can be hashed, is known.
 */
static Node *
describe_subplan(RowContext *context, const SubPlan *subplan)
{
	const PlannerInfo *subroot =
		list_nth_node(PlannerInfo, context->root->glob->subroots, subplan->plan_id - 1);
	const List *compared = context->compared;
	Node *query;
	Node *comparison;

	if (!subplan->useHashTable || subplan->parParam != NIL ||
		reads_outer((Node *) subroot->parse, subroot->query_level - 1))
	{
		context->unknown = true;
		return NULL;
	}
	query = describe_range_query(context, subroot->parse, subroot);
	context->compared = subplan->paramIds;
	comparison = describe_node(subplan->testexpr, context);
	context->compared = compared;
	return (Node *) list_make4(
		makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
				  Int32GetDatum((int32) subplan->subLinkType), false, true),
		makeBoolConst(subplan->unknownEqFalse, false), query, comparison);
}

static Node *
describe_parameter(RowContext *context, const Param *param)
{
	ListCell *lc;

	if (param->paramkind == PARAM_EXEC)
		foreach (lc, context->compared)
			if (lfirst_int(lc) == param->paramid)
				return (Node *) makeVar(
					INNER_VAR, (AttrNumber) (foreach_current_index(lc) + 1),
					param->paramtype, param->paramtypmod, param->paramcollid, 0);
	if (param->paramkind == PARAM_EXTERN)
		context->one_query = true;
	else if (param->paramkind != PARAM_SUBLINK)
		context->unknown = true;
	return copyObject((Node *) param);
}

/* Returns a copy of a node that is equal if the rows are. */
static Node *
describe_node(Node *node, void *data)
{
	RowContext *context = data;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return describe_range_query(context, (Query *) node, NULL);
	if (IsA(node, Param))
		return describe_parameter(context, (const Param *) node);
	if (IsA(node, SubPlan))
		return describe_subplan(context, (const SubPlan *) node);
	/* all alternatives are the same for each row; the last one is hashed */
	if (IsA(node, AlternativeSubPlan))
		return describe_node(llast(((AlternativeSubPlan *) node)->subplans), context);
	return expression_tree_mutator(node, describe_node, data);
}

/* Describes what Citus has gathered for the query; NULL for other functions. */
static Node *
describe_intermediate_result(RowContext *context, const RangeTblEntry *rte)
{
	const FuncExpr *call =
		(const FuncExpr *) linitial_node(RangeTblFunction, rte->functions)->funcexpr;
	ListCell *lc;

	if (list_length(rte->functions) != 1 || rte->funcordinality || !IsA(call, FuncExpr) ||
		!is_intermediate_result(call->funcid))
		return NULL;
	foreach (lc, call->args)
		if (!IsA(lfirst(lc), Const))
			return NULL;
	context->one_query = true;
	return (Node *) copyObject(rte->functions);
}

/* Describes the rows of a relation without conditions; NULL if they are not known. */
static Node *
describe_source(RowContext *context, const RelOptInfo *rel, const Path *path)
{
	RangeTblEntry *rte = planner_rt_fetch(rel->relid, context->root);

	/* a level with one relation may have its target list computed there already */
	while (IsA(path, ProjectionPath))
		path = ((const ProjectionPath *) path)->subpath;
	switch (path->pathtype)
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			note_table(context, rte);
			return (Node *) list_make1_oid(rte->relid);
		case T_NamedTuplestoreScan:
		case T_CustomScan:
			/* other nodes of ours scan tables */
			if (rte->rtekind != RTE_NAMEDTUPLESTORE)
				return NULL;
			describe_range_entry(context, rte);
			return (Node *) makeString(rte->enrname);
		case T_FunctionScan:
			return describe_intermediate_result(context, rte);
		case T_CteScan:
			return (Node *) makeInteger(cte_plan(context, rte));
		case T_SubqueryScan:
			if (rel->subroot->init_plans != NIL ||
				reads_outer((Node *) rel->subroot->parse, context->root->query_level))
				return NULL;
			return describe_range_query(context, rel->subroot->parse, rel->subroot);
		default:
			return NULL;
	}
}

static bool
has_pseudoconstant(const List *conditions)
{
	ListCell *lc;

	foreach (lc, conditions)
		if (lfirst_node(RestrictInfo, lc)->pseudoconstant)
			return true;
	return false;
}

bool
may_vary(Node *expression)
{
	RowContext context = {NULL};

	if (contain_mutable_functions(expression) || contain_subplans(expression))
		return true;
	(void) describe_node(expression, &context);
	return context.unknown;
}

/* Returns the file of a table, which TRUNCATE replaces. */
static Oid
file_of_table(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	Oid file = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		file = ((Form_pg_class) GETSTRUCT(tuple))->relfilenode;
		ReleaseSysCache(tuple);
	}
	return file;
}

/*
 * Puts what they hold in place of PlaceHolderVars, as PostgreSQL does in plans of scans:
 * these columns are compared with those of such plans, and added to them.
 */
static Node *
without_placeholders(Node *node, void *context)
{
	enter_recursion();
	if (node && IsA(node, PlaceHolderVar))
		return without_placeholders((Node *) ((PlaceHolderVar *) node)->phexpr, context);
	return node ? expression_tree_mutator(node, without_placeholders, context) : NULL;
}

void
find_operand_rows(PlannerInfo *root, RelOptInfo *rel, const Path *path, OperandRows *rows)
{
	RowContext context = {.root = root};
	RowNumbers *numbers = current_numbers(root);
	List *files = NIL;
	List *conditions;
	Node *source;
	ListCell *lc;

	*rows = (OperandRows){.loop = numbers->loop, .number = -1};
	rows->columns = (List *) without_placeholders((Node *) path->pathtarget->exprs, NULL);
	if (rel->reloptkind != RELOPT_BASEREL || path->param_info ||
		!bms_is_empty(rel->lateral_relids) || has_pseudoconstant(rel->baserestrictinfo))
		return;
	ChangeVarNodes((Node *) rows->columns, (int) rel->relid, 1, 0);
	source = describe_source(&context, rel, path);
	if (source == NULL || may_vary((Node *) rows->columns))
		return;
	conditions = (List *) describe_node(
		(Node *) extract_actual_clauses(rel->baserestrictinfo, false), &context);
	if (context.unknown || (numbers->loop != 0 && context.one_query) ||
		contain_mutable_functions(IsA(source, Query) ? source : NULL) ||
		contain_mutable_functions((Node *) conditions))
		return;
	ChangeVarNodes((Node *) conditions, (int) rel->relid, 1, 0);
	foreach (lc, context.tables)
		files = lappend_oid(files, file_of_table(lfirst_oid(lc)));
	rows->tables = context.tables;
	rows->number = number_rows(numbers, (Node *) list_make2(source, files), conditions);
	if (IsA(source, OidList))
		rows->expected = columns_of_loop(linitial_oid((List *) source));
}
