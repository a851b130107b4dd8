/*-------------------------------------------------------------------------
 *
 * estimate_shape.c
 *	  The shapes of values, as far as the text of a query tells.
 *
 * PostgreSQL takes 32 bytes for every computed value of a type of variable
 * length, and any call of a function for equally dear. But the queries that we
 * generate say how large their values are: what is read from a table is checked
 * against its registered shape, unless the table's declaration proves it, and
 * equations say how shapes combine. So the shape of an expression follows from
 * its operands', through subqueries, CTEs and parameters that scalar
 * subqueries set. Where a table's column has neither check nor proof, its average
 * size follows from its statistics or its TOAST table.
 *
 * All of it is an estimate and never an error: what does not fit is unknown.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/shape_proof.h"
#include "catalog/with_query.h"
#include "planner/estimate_shape.h"
#include "planner/loop_planning.h"
#include "recursion.h"
#include "type/constant.h"
#include "type/tensor.h"
#include "type/tensor_header.h"
#include "type/tensor_text.h"

/*
 * The number of expressions visited for one estimate, which is limited since views of
 * views may read one view many times.
 */
#define NODE_BUDGET 1000

/* If a stored value takes less than this in its row, it is out of line. */
#define POINTER_WIDTH 24

/* Bytes of a TOAST page that hold data. */
#define TOAST_PAGE_BYTES 7984.0

/*
 * Bytes of a sparse vector besides its entries, and of an entry: a position of 4, and an
 * element of 8 or 4, or none if all are alike.
 */
#define SPARSE_HEADER_BYTES 40.0
#define SPARSE_ENTRY_BYTES 8.0

/* A query level, with the levels around it. */
typedef struct ShapeLevel
{
	Query *query;
	PlannerInfo *root; /* NULL if the level is not being planned yet */
	const struct ShapeLevel *parent;
} ShapeLevel;

typedef struct ShapeSearch
{
	int budget;
} ShapeSearch;

static bool node_shape(ShapeSearch *estimator, const ShapeLevel *level, Node *node,
					   ShapeEstimate *shape);

double
estimated_bytes(double elements)
{
	return 24.0 + 8.0 * elements;
}

/* Returns the entries of a sparse vector of that many bytes. */
static double
sparse_entries(double bytes)
{
	return Max((bytes - SPARSE_HEADER_BYTES) / SPARSE_ENTRY_BYTES, 1.0);
}

void
shape_of_bounds(ShapeEstimate *shape, int rank, const double *bounds)
{
	double elements = 1.0;

	shape->rank = rank;
	for (int d = 0; d < rank; d++)
	{
		shape->bounds[d] = bounds[d];
		elements *= bounds[d];
	}
	shape->elements = elements;
	shape->entries = 0;
	shape->width = estimated_bytes(elements);
}

static void
set_integer_shape(ShapeEstimate *shape, int rank, const int32 *integers)
{
	double bounds[TENSOR_MAX_RANK];

	for (int d = 0; d < rank; d++)
		bounds[d] = Max(integers[d], 0);
	shape_of_bounds(shape, rank, bounds);
}

/* Reads a shape from a constant array of integers. */
static bool
array_shape(Node *node, ShapeEstimate *shape)
{
	int32 bounds[TENSOR_MAX_RANK];
	int rank;

	if (!constant_shape(node, &rank, bounds))
		return false;
	set_integer_shape(shape, rank, bounds);
	return true;
}

/*
 * Does the equation multiply two operands as matrices? Labels of extent 1 do not count.
 */
static bool
multiplies_matrices(const Equation *equation, const double *extents)
{
	uint64 output = term_labels(&equation->output);
	uint64 large = 0;

	for (int label = 0; label < equation->nlabels; label++)
		if (extents[label] > 1.0)
			large |= UINT64CONST(1) << label;
	for (int i = 0; i < equation->noperands; i++)
		for (int j = 0; j < i; j++)
		{
			uint64 left = term_labels(&equation->operands[i]) & large;
			uint64 right = term_labels(&equation->operands[j]) & large;

			if (is_matrix_product(left, right, output))
				return true;
		}
	return false;
}

/*
 * Estimates the result and the work of a call from its equation; false if that is not
 * known.
 */
static bool
equation_shape(ShapeSearch *estimator, const ShapeLevel *level, const PlannedCall *call,
			   EquationEstimate *estimate)
{
	double extents[EQUATION_MAX_LABELS] = {0};
	double bounds[TENSOR_MAX_RANK];
	Equation equation;

	if (!call_equation(call, &equation) || equation.has_ellipsis)
		return false;
	memset(estimate, 0, sizeof(EquationEstimate));
	for (int i = 0; i < equation.noperands; i++)
	{
		const EquationTerm *term = &equation.operands[i];
		ShapeEstimate operand;

		if (term->rank == 0)
			continue;
		if (!node_shape(estimator, level,
						call_argument(call, first_operand(call->spec) + i), &operand) ||
			(operand.rank >= 0 && operand.rank != term->rank))
			continue;
		estimate->read += operand.elements;
		for (int d = 0; d < term->rank; d++)
		{
			double *extent = &extents[term->labels[d]];

			/*
			 * if only the size of an operand is known, its bounds are taken to be equal
			 */
			if (operand.rank >= 0)
				*extent = Max(*extent, operand.bounds[d]);
			else if (*extent == 0.0)
				*extent = pow(operand.elements, 1.0 / term->rank);
		}
	}
	estimate->indices = 1.0;
	for (int label = 0; label < equation.nlabels; label++)
	{
		if (extents[label] == 0.0)
			return false;
		estimate->indices *= extents[label];
	}
	for (int d = 0; d < equation.output.rank; d++)
		bounds[d] = extents[equation.output.labels[d]];
	shape_of_bounds(&estimate->output, equation.output.rank, bounds);
	estimate->is_matrix = multiplies_matrices(&equation, extents);
	return true;
}

/* Sets the shape of the result of stack: that of its values with one more dimension. */
static bool
stacked_shape(ShapeSearch *estimator, const ShapeLevel *level, const PlannedCall *call,
			  ShapeEstimate *shape)
{
	ShapeEstimate slice = {0};
	double bounds[TENSOR_MAX_RANK];
	int64 dimension;
	int64 bound;

	if (!constant_integer(call_argument(call, 2), &dimension) ||
		!constant_integer(call_argument(call, 3), &bound))
		return false;
	/* stacked numbers make a vector */
	if (exprType(call_argument(call, 0)) != FLOAT8OID &&
		!node_shape(estimator, level, call_argument(call, 0), &slice))
		return false;
	if (slice.rank < 0 || slice.rank >= TENSOR_MAX_RANK || dimension < 0 ||
		dimension > slice.rank)
		return false;
	for (int d = 0; d < slice.rank; d++)
		bounds[d < dimension ? d : d + 1] = slice.bounds[d];
	bounds[dimension] = Max(bound, 0);
	shape_of_bounds(shape, slice.rank + 1, bounds);
	return true;
}

/*
 * Sets the shape of the vector that einsum_stack_blocks returns: its extents are
 * arguments.
 */
static bool
stacked_blocks_shape(const PlannedCall *call, ShapeEstimate *shape)
{
	double elements = 1.0;

	for (int i = 4; i < list_length(call->args); i += 2)
	{
		int64 extent;

		if (!constant_integer(call_argument(call, i), &extent))
			return false;
		elements *= Max(extent, 0);
	}
	shape_of_bounds(shape, 1, &elements);
	return true;
}

/* Sets the shape of an elementwise call: that of the largest operand. */
static bool
elements_shape(ShapeSearch *estimator, const ShapeLevel *level, const PlannedCall *call,
			   ShapeEstimate *shape)
{
	bool found = false;

	for (int i = 0; i < list_length(call->args); i++)
	{
		Node *argument = call_argument(call, i);
		ShapeEstimate operand;

		if (!is_tensor_type(exprType(argument)) ||
			!node_shape(estimator, level, argument, &operand))
			continue;
		if (!found || operand.elements > shape->elements)
			*shape = operand;
		found = true;
	}
	if (found)
	{
		shape->entries = 0;
		shape->width = estimated_bytes(shape->elements);
	}
	return found;
}

static bool
shape_of_call(ShapeSearch *estimator, const ShapeLevel *level, const PlannedCall *call,
			  ShapeEstimate *shape)
{
	EquationEstimate estimate;

	switch (call->spec->form)
	{
		case FORM_EQUATION:
		case FORM_MAP:
			if (!equation_shape(estimator, level, call, &estimate))
				return false;
			*shape = estimate.output;
			return true;
		case FORM_UNKNOWN:
			return false;
		case FORM_ONCE:
			return node_shape(estimator, level, call_argument(call, 0), shape);
		case FORM_STACK_BLOCKS:
			return stacked_blocks_shape(call, shape);
		case FORM_STACK:
			return stacked_shape(estimator, level, call, shape);
		case FORM_RESHAPE:
			return array_shape(call_argument(call, 1), shape);
		case FORM_FILL:
			return array_shape(call_argument(call, 0), shape);
		default:
			return elements_shape(estimator, level, call, shape);
	}
}

/* Sets the shape of the result of a call of one of our functions or aggregates. */
static bool
function_shape(ShapeSearch *estimator, const ShapeLevel *level, Oid function, List *args,
			   ShapeEstimate *shape)
{
	PlannedCall call;

	return read_call(function, args, &call) &&
		   shape_of_call(estimator, level, &call, shape);
}

/* The search for a call of einsum_value_has_shape, which tells the shape of a column. */
typedef struct CheckSearch
{
	const Var *var;
	ShapeEstimate *shape;
} CheckSearch;

static bool
find_check(Node *node, CheckSearch *search)
{
	FuncExpr *call = (FuncExpr *) node;

	if (node == NULL)
		return false;
	if (IsA(node, FuncExpr) && list_length(call->args) >= 3 &&
		IsA(linitial(call->args), Var))
	{
		Var *var = linitial(call->args);

		if (var->varno == search->var->varno && var->varattno == search->var->varattno &&
			var->varlevelsup == 0 && function_has_form(call->funcid, FORM_SHAPE_CHECK))
			return array_shape(lsecond(call->args), search->shape);
		return false;
	}
	/* does not enter subqueries, which are other levels */
	return expression_tree_walker(node, find_check, search);
}

/*
 * Sets the shape that a table's declaration proves for a column, whose check is then not
 * in the plan.
 */
static bool
declared_shape(Oid relid, AttrNumber attno, ShapeEstimate *shape)
{
	/* the planner still holds its lock */
	Relation relation = relation_open(relid, NoLock);
	ShapeProof proof;

	find_shape_proof(relation, attno, &proof);
	relation_close(relation, NoLock);
	if (proof.rank < 0)
		return false;
	set_integer_shape(shape, proof.rank, proof.bounds);
	return true;
}

/* Estimates the average size of a column's values by statistics. */
static bool
stored_size(Oid relid, AttrNumber attno, ShapeEstimate *shape)
{
	int32 width = get_attavgwidth(relid, attno);
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	double bytes = width;
	Form_pg_class relation;

	if (!HeapTupleIsValid(tuple))
		return false;
	relation = (Form_pg_class) GETSTRUCT(tuple);
	if (width > 0 && width <= POINTER_WIDTH && OidIsValid(relation->reltoastrelid) &&
		relation->reltuples > 0)
	{
		HeapTuple toast =
			SearchSysCache1(RELOID, ObjectIdGetDatum(relation->reltoastrelid));

		if (HeapTupleIsValid(toast))
		{
			bytes = Max(bytes, ((Form_pg_class) GETSTRUCT(toast))->relpages *
								   TOAST_PAGE_BYTES / relation->reltuples);
			ReleaseSysCache(toast);
		}
	}
	ReleaseSysCache(tuple);
	if (width <= 0)
		return false;
	shape->rank = -1;
	shape->elements = Max(bytes / 8.0, 1.0);
	shape->entries = 0;
	shape->width = width;
	return true;
}

static bool
checked_shape(const ShapeLevel *level, const Var *var, ShapeEstimate *shape)
{
	CheckSearch search = {.var = var, .shape = shape};

	return level->query->jointree && find_check((Node *) level->query->jointree, &search);
}

static bool
column_shape(const ShapeLevel *level, Oid relid, const Var *var, ShapeEstimate *shape)
{
	ShapeEstimate stored;

	if (checked_shape(level, var, shape) || declared_shape(relid, var->varattno, shape))
	{
		if (!stored_size(relid, var->varattno, &stored))
			return true;
		shape->width = stored.width;
	}
	else if (stored_size(relid, var->varattno, shape))
		stored = *shape;
	else
		return false;
	if (tensor_typmod_is_sparse(var->vartypmod))
		shape->entries = sparse_entries(stored.elements * sizeof(double));
	return true;
}

/* Estimates the expression of an output column of a query. */
static bool
output_shape(ShapeSearch *estimator, Query *query, PlannerInfo *root,
			 const ShapeLevel *parent, AttrNumber attno, ShapeEstimate *shape)
{
	ShapeLevel level = {.query = query, .root = root, .parent = parent};

	enter_recursion();
	if (query->setOperations)
	{
		/* all branches have the same shape: take the first */
		Node *first = query->setOperations;
		RangeTblEntry *rte;

		while (IsA(first, SetOperationStmt))
			first = ((SetOperationStmt *) first)->larg;
		rte = rt_fetch(((RangeTblRef *) first)->rtindex, query->rtable);
		if (rte->rtekind != RTE_SUBQUERY || rte->subquery == NULL)
			return false;
		return output_shape(estimator, rte->subquery, NULL, &level, attno, shape);
	}
	if (attno < 1 || attno > list_length(query->targetList))
		return false;
	return node_shape(
		estimator, &level,
		(Node *) ((TargetEntry *) list_nth(query->targetList, attno - 1))->expr, shape);
}

static bool
cte_shape(ShapeSearch *estimator, const ShapeLevel *level, const RangeTblEntry *rte,
		  AttrNumber attno, ShapeEstimate *shape)
{
	Query *with;

	for (Index up = 0; up < rte->ctelevelsup && level; up++)
		level = level->parent;
	with = level ? with_query(level->query, rte) : NULL;
	return with && output_shape(estimator, with, NULL, level, attno, shape);
}

/*
 * Returns the block size that a call of einsum_unstack_blocks or its kin has; 0 for a
 * call that makes slices.
 */
static int64
unstacked_block(const List *args)
{
	int64 block;

	if (list_length(args) < 3 || exprType(lthird(args)) != INT4OID ||
		!constant_integer(lthird(args), &block))
		return 0;
	return Max(block, 1);
}

double
estimate_unstacked(PlannerInfo *root, List *args)
{
	ShapeEstimate whole;
	int64 dimension = 0;
	int64 block = unstacked_block(args);

	if (!estimate_shape(root, linitial(args), &whole))
		return 0.0;
	/* of sparse vectors, which mostly have the fill that is given, the entries are left */
	if (whole.entries > 0 && whole.rank <= 1 && block == 0 &&
		(list_length(args) > 2 || exprType(lsecond(args)) != INT4OID))
		return Min(whole.entries, whole.elements);
	/* einsum_unstack_scalar has no argument for the dimension: it takes vectors */
	if (exprType(lsecond(args)) != INT4OID)
		return whole.rank < 0 ? whole.elements : whole.bounds[0];
	if (!constant_integer(lsecond(args), &dimension) || dimension < 0 ||
		dimension >= whole.rank)
		return 0.0;
	return ceil(whole.bounds[dimension] / Max(block, 1));
}

/*
 * Returns the call of tensor_unstack or its kin that makes up an item in FROM; NULL for
 * other items.
 */
static const FuncExpr *
unstacking_call(const RangeTblEntry *rte)
{
	const FuncExpr *call;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1)
		return NULL;
	call = (const FuncExpr *) ((RangeTblFunction *) linitial(rte->functions))->funcexpr;
	return IsA(call, FuncExpr) && function_has_form(call->funcid, FORM_UNSTACK) ? call
																				: NULL;
}

bool
is_number_of_slice(const RangeTblEntry *rte, AttrNumber attno)
{
	return attno == 1 && unstacking_call(rte) != NULL;
}

/* Sets the shape of the slices or blocks that a function in FROM returns. */
static bool
slice_shape(ShapeSearch *estimator, const ShapeLevel *level, const RangeTblEntry *rte,
			AttrNumber attno, ShapeEstimate *shape)
{
	const FuncExpr *call = unstacking_call(rte);
	ShapeEstimate whole;
	double bounds[TENSOR_MAX_RANK];
	int64 dimension;
	int64 block;
	int rank = 0;

	if (attno != 2 || call == NULL ||
		!constant_integer(lsecond(call->args), &dimension) ||
		!node_shape(estimator, level, linitial(call->args), &whole) || dimension < 0 ||
		dimension >= whole.rank)
		return false;
	block = unstacked_block(call->args);
	for (int d = 0; d < whole.rank; d++)
	{
		if (d != dimension)
			bounds[rank++] = whole.bounds[d];
		else if (block > 0)
			bounds[rank++] = Min(whole.bounds[d], (double) block);
	}
	shape_of_bounds(shape, rank, bounds);
	return true;
}

static bool
var_shape(ShapeSearch *estimator, const ShapeLevel *level, const Var *var,
		  ShapeEstimate *shape)
{
	RangeTblEntry *rte;

	for (Index up = 0; up < var->varlevelsup && level; up++)
		level = level->parent;
	if (level == NULL || IS_SPECIAL_VARNO(var->varno) || var->varattno < 1 ||
		var->varno > list_length(level->query->rtable))
		return false;
	rte = rt_fetch(var->varno, level->query->rtable);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return column_shape(level, rte->relid, var, shape);
		case RTE_SUBQUERY:
			/* a registered view's shape is checked by the level that reads it */
			return checked_shape(level, var, shape) ||
				   (rte->subquery && output_shape(estimator, rte->subquery, NULL, level,
												  var->varattno, shape));
		case RTE_CTE:
			return cte_shape(estimator, level, rte, var->varattno, shape);
		case RTE_FUNCTION:
			return slice_shape(estimator, level, rte, var->varattno, shape);
		case RTE_NAMEDTUPLESTORE:
			return shape_in_loop(rte, var->varattno, shape);
		case RTE_JOIN:
			return var->varattno <= list_length(rte->joinaliasvars) &&
				   node_shape(estimator, level,
							  list_nth(rte->joinaliasvars, var->varattno - 1), shape);
		default:
			return false;
	}
}

/*
 * Estimates a parameter that a scalar subquery of this level, or of one around it, sets.
 */
static bool
param_shape(ShapeSearch *estimator, const ShapeLevel *level, const Param *param,
			ShapeEstimate *shape)
{
	if (param->paramkind != PARAM_EXEC)
		return false;
	for (; level; level = level->parent)
	{
		ListCell *lc;

		if (level->root == NULL)
			continue;
		foreach (lc, level->root->init_plans)
		{
			SubPlan *plan = lfirst(lc);
			PlannerInfo *subroot;

			if (list_length(plan->setParam) != 1 ||
				linitial_int(plan->setParam) != param->paramid ||
				plan->plan_id > list_length(level->root->glob->subroots))
				continue;
			subroot = list_nth(level->root->glob->subroots, plan->plan_id - 1);
			return output_shape(estimator, subroot->parse, subroot, level, 1, shape);
		}
	}
	return false;
}

/*
 * Sets the shape of the first argument of a COALESCE, or branch of a CASE, that is known.
 */
static bool
first_shape(ShapeSearch *estimator, const ShapeLevel *level, List *nodes,
			ShapeEstimate *shape)
{
	ListCell *lc;

	foreach (lc, nodes)
	{
		Node *node = lfirst(lc);

		if (IsA(node, CaseWhen))
			node = (Node *) ((CaseWhen *) node)->result;
		if (node_shape(estimator, level, node, shape))
			return true;
	}
	return false;
}

static bool
node_shape(ShapeSearch *estimator, const ShapeLevel *level, Node *node,
		   ShapeEstimate *shape)
{
	enter_recursion();
	if (node == NULL || estimator->budget-- <= 0)
		return false;
	switch (nodeTag(node))
	{
		case T_Const:
		{
			Const *constant = (Const *) node;
			const Tensor *header;

			if (constant->constisnull || !is_tensor_type(constant->consttype))
				return false;
			header = tensor_header(constant->constvalue);
			set_integer_shape(shape, header->rank, header->bounds);
			if (is_sparse(header))
			{
				shape->width = toast_raw_datum_size(constant->constvalue);
				shape->entries = sparse_entries(shape->width);
			}
			return true;
		}
		case T_Var:
			return is_tensor_type(((Var *) node)->vartype) &&
				   var_shape(estimator, level, (Var *) node, shape);
		case T_Param:
			return is_tensor_type(((Param *) node)->paramtype) &&
				   param_shape(estimator, level, (Param *) node, shape);
		case T_PlaceHolderVar:
			return node_shape(estimator, level,
							  (Node *) ((PlaceHolderVar *) node)->phexpr, shape);
		case T_RelabelType:
			return node_shape(estimator, level, (Node *) ((RelabelType *) node)->arg,
							  shape);
		case T_CoalesceExpr:
			return first_shape(estimator, level, ((CoalesceExpr *) node)->args, shape);
		case T_CaseExpr:
			return first_shape(estimator, level, ((CaseExpr *) node)->args, shape);
		case T_SubLink:
		{
			SubLink *link = (SubLink *) node;

			return link->subLinkType == EXPR_SUBLINK && IsA(link->subselect, Query) &&
				   output_shape(estimator, (Query *) link->subselect, NULL, level, 1,
								shape);
		}
		case T_FuncExpr:
			return function_shape(estimator, level, ((FuncExpr *) node)->funcid,
								  ((FuncExpr *) node)->args, shape);
		case T_OpExpr:
			return function_shape(estimator, level, ((OpExpr *) node)->opfuncid,
								  ((OpExpr *) node)->args, shape);
		case T_Aggref:
			return function_shape(estimator, level, ((Aggref *) node)->aggfnoid,
								  ((Aggref *) node)->args, shape);
		default:
			return false;
	}
}

/* Returns the query that is being planned as a level, with those around it. */
static ShapeLevel *
planned_level(PlannerInfo *root)
{
	ShapeLevel *level;

	enter_recursion();
	if (root == NULL)
		return NULL;
	level = palloc(sizeof(ShapeLevel));
	level->query = root->parse;
	level->root = root;
	level->parent = planned_level(root->parent_root);
	return level;
}

bool
estimate_shape(PlannerInfo *root, Node *node, ShapeEstimate *shape)
{
	ShapeSearch estimator = {.budget = NODE_BUDGET};

	return root && node_shape(&estimator, planned_level(root), node, shape);
}

bool
estimate_call(PlannerInfo *root, const PlannedCall *call, ShapeEstimate *shape)
{
	ShapeSearch estimator = {.budget = NODE_BUDGET};

	return root && shape_of_call(&estimator, planned_level(root), call, shape);
}

bool
estimate_equation(PlannerInfo *root, const PlannedCall *call, EquationEstimate *estimate)
{
	ShapeSearch estimator = {.budget = NODE_BUDGET};

	return root && equation_shape(&estimator, planned_level(root), call, estimate);
}
