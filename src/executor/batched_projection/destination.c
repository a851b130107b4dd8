/*-------------------------------------------------------------------------
 *
 * destination.c
 *	  Where the results of a node end, by the finished plan.
 *
 * Results can be left in memory, with rows that have pointers to them, if every
 * pointer ends as the operand of a kernel or an aggregate of this extension,
 * which read it and compute something new. On the way it may go through nodes
 * that copy rows as they are. Anything else, the client, a cursor, a
 * function that keeps what it is given, a worker, could have the pointer longer
 * than the memory, or where the memory is not, and gets the value itself.
 *
 * That is looked at when the plan is run, node by node upwards, in the plan's
 * own expressions: what is not known to be harmless is not.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "utils/memutils.h"

#include "executor/batched_projection/batched_projection.h"
#include "executor/plan_readers.h"
#include "type/tensor.h"

/* Calls found to be einsum_once are looked through. */
static Node *
strip_once(Node *node)
{
	while (IsA(node, FuncExpr) && list_length(((FuncExpr *) node)->args) == 1 &&
		   is_einsum_once(((FuncExpr *) node)->funcid))
		node = linitial(((FuncExpr *) node)->args);
	return node;
}

/* Columns of the rows that a node reads. */
typedef struct Columns
{
	int varno;
	Bitmapset *numbers;
} Columns;

static bool
is_column(Node *node, const Columns *columns)
{
	return IsA(node, Var) && ((Var *) node)->varno == columns->varno &&
		   ((Var *) node)->varattno > 0 &&
		   bms_is_member(((Var *) node)->varattno, columns->numbers);
}

/* True if a column escapes in one of the expressions that are operands. */
static bool operands_escape(List *operands, const Columns *columns);

/*
 * True if one of the columns is anything else than the operand of a kernel or an
 * aggregate somewhere in the expression.
 */
static bool
escapes(Node *node, void *context)
{
	const Columns *columns = context;
	List *operands = NIL;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return is_column(node, columns) ||
			   (((Var *) node)->varno == columns->varno && ((Var *) node)->varattno == 0);
	/* IS NULL looks at no value */
	if (IsA(node, NullTest) && !((NullTest *) node)->argisrow &&
		is_column((Node *) ((NullTest *) node)->arg, columns))
		return false;
	if (IsA(node, FuncExpr) && batchable_kernel(((FuncExpr *) node)->funcid))
		operands = ((FuncExpr *) node)->args;
	else if (IsA(node, Aggref))
	{
		Aggref *aggregate = (Aggref *) node;

		if (aggregate->aggorder == NIL && aggregate->aggdistinct == NIL &&
			aggregate->aggdirectargs == NIL && is_kernel_aggregate(aggregate->aggfnoid))
		{
			operands = aggregate->args;
			if (escapes((Node *) aggregate->aggfilter, context))
				return true;
		}
	}
	if (operands == NIL)
		return expression_tree_walker(node, escapes, context);
	return operands_escape(operands, columns);
}

static bool
operands_escape(List *operands, const Columns *columns)
{
	ListCell *lc;

	foreach (lc, operands)
	{
		Node *operand = lfirst(lc);

		/* an aggregate's */
		if (IsA(operand, TargetEntry))
			operand = (Node *) ((TargetEntry *) operand)->expr;
		if (!is_column(strip_once(operand), columns) &&
			escapes(operand, (void *) columns))
			return true;
	}
	return false;
}

/*
 * The columns of a node's own rows that are columns of those it reads, as they
 * are; false if one of these escapes.
 */
static bool
pass_targets(List *targets, const Columns *columns, Bitmapset **passed)
{
	ListCell *lc;

	foreach (lc, targets)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, lc);

		if (is_column(strip_once((Node *) entry->expr), columns))
			*passed = bms_add_member(*passed, entry->resno);
		else if (escapes((Node *) entry->expr, (void *) columns))
			return false;
	}
	return true;
}

/* What a node evaluates beside its targets, filter and operands. */
static List *
other_expressions(Plan *node)
{
	List *others = NIL;
	ListCell *lc;

	switch (nodeTag(node))
	{
		case T_Hash:
			return ((Hash *) node)->hashkeys;
		case T_Result:
			return (List *) ((Result *) node)->resconstantqual;
		case T_HashJoin:
			return list_make3(((HashJoin *) node)->join.joinqual,
							  ((HashJoin *) node)->hashclauses,
							  ((HashJoin *) node)->hashkeys);
		case T_MergeJoin:
			return list_make2(((MergeJoin *) node)->join.joinqual,
							  ((MergeJoin *) node)->mergeclauses);
		case T_NestLoop:
			others = list_make1(((NestLoop *) node)->join.joinqual);
			/* a parameter may be read by any expression below */
			foreach (lc, ((NestLoop *) node)->nestParams)
				others = lappend(others, lfirst_node(NestLoopParam, lc)->paramval);
			return others;
		default:
			return NIL;
	}
}

/*
 * Makes columns of the child those of the node that reads it; false if they
 * escape. *kept is set if the node keeps rows.
 */
static bool
pass_node(Plan *node, Plan *child, Bitmapset **numbers, bool *kept)
{
	Columns columns = {OUTER_VAR, *numbers};
	List *operands = NIL;

	/* what it keeps or sends is shared with workers */
	if (node->parallel_aware)
		return false;
	switch (nodeTag(node))
	{
		case T_Hash:
		case T_Material:
		case T_Sort:
		case T_IncrementalSort:
			*kept = true;
			break;
		case T_Limit:
		case T_Result:
			break;
		case T_HashJoin:
		case T_MergeJoin:
		case T_NestLoop:
			if (child == innerPlan(node))
				columns.varno = INNER_VAR;
			break;
		case T_Agg:
			if (((Agg *) node)->chain)
				return false;
			break;
		case T_SubqueryScan:
			columns.varno = (int) ((SubqueryScan *) node)->scan.scanrelid;
			break;
		case T_CteScan:
			columns.varno = (int) ((CteScan *) node)->scan.scanrelid;
			*kept = true;
			break;
		case T_CustomScan:
			if (((CustomScan *) node)->methods != &batched_projection_scan_methods)
				return false;
			columns.varno = INDEX_VAR;
			operands = ((CustomScan *) node)->custom_exprs;
			break;
		default:
			return false;
	}
	*numbers = NULL;
	return pass_targets(node->targetlist, &columns, numbers) &&
		   !escapes((Node *) node->qual, &columns) &&
		   !escapes((Node *) other_expressions(node), &columns) &&
		   !operands_escape(operands, &columns);
}

/* What is known while columns are followed. */
typedef struct Following
{
	const PlanReaders *readers;
	Bitmapset **followed; /* by tree: columns of a CTE that have been followed */
	bool kept;            /* some node on the way keeps rows */
} Following;

/*
 * Follows columns of a node's rows through the nodes above, and from the top of a CTE
 * through those above each scan of it. False if one escapes.
 */
static bool
follow(Following *following, Plan *node, Bitmapset *numbers)
{
	const PlanPlace *place = plan_place(following->readers, node);
	Bitmapset **followed;
	List *scans;
	ListCell *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (place == NULL)
		return false;
	for (; place->above && !bms_is_empty(numbers);
		 place = plan_place(following->readers, place->above))
	{
		if (!pass_node(place->above, unconstify(Plan *, place->node), &numbers,
					   &following->kept))
			return false;
	}
	if (bms_is_empty(numbers))
		return true;
	scans = following->readers->cte_scans[place->tree];
	followed = &following->followed[place->tree];
	/* nothing has escaped so far */
	if (bms_is_subset(numbers, *followed))
		return true;
	*followed = bms_add_members(*followed, numbers);
	foreach (lc, scans)
	{
		Bitmapset *passed = bms_copy(numbers);

		if (!pass_node(lfirst(lc), NULL, &passed, &following->kept) ||
			!follow(following, lfirst(lc), passed))
			return false;
	}
	/* a subplan that is no CTE has its results in a parameter, and the client has the main tree's */
	return scans != NIL;
}

/* Do the results of a node in a column of its scan tuple end in kernels? */
static bool
ends_in_kernels(EState *estate, CustomScan *scan, int column)
{
	Columns columns = {INDEX_VAR, bms_make_singleton(column)};
	Following following = {NULL};
	Bitmapset *passed = NULL;

	if (!pass_targets(scan->scan.plan.targetlist, &columns, &passed) ||
		escapes((Node *) scan->scan.plan.qual, &columns) || bms_is_empty(passed))
		return false;
	following.readers = plan_readers(estate);
	following.followed = palloc0(sizeof(Bitmapset *) * following.readers->ntrees);
	return follow(&following, &scan->scan.plan, passed) && following.kept;
}

bool
results_end_in_kernels(EState *estate, CustomScan *scan, int column)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "columns followed",
												 ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	bool result = ends_in_kernels(estate, scan, column);

	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
	return result;
}
