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
#include "executor/estimate_shape.h"
#include "executor/loop_planning.h"
#include "recursion.h"
#include "type/tensor.h"
#include "type/tensor_header.h"

/* Expressions that are looked at for one estimate: views of views may read the
 * same view many times. */
#define NODE_BUDGET 1000

/* A value of which less than this is in the row lies out of line. */
#define POINTER_WIDTH 24

/* Bytes of a TOAST page that hold data. */
#define TOAST_PAGE_BYTES 7984.0

/* A query around the expression, with those around itself. */
typedef struct Level
{
	Query *query;
	PlannerInfo *root; /* NULL of a query that is not being planned */
	const struct Level *parent;
} Level;

typedef struct Estimator
{
	int budget;
} Estimator;

/* The terms of "ab,bc->ac" as it was written. */
typedef struct Terms
{
	int noperands;
	const char *operands[EQUATION_MAX_OPERANDS];
	int ranks[EQUATION_MAX_OPERANDS];
	const char *output;
	int output_rank;
} Terms;

static bool node_shape(Estimator *estimator, const Level *level, Node *node,
					   ShapeEstimate *shape);

/* Kernels with names of their own, and what they are short for. */
static const struct
{
	const char *name;
	const char *equation;
} named_equations[] = {
	{"inner_prod", "a,a->"},     {"outer_prod", "a,b->ab"}, {"vec_mat_mult", "a,ab->b"},
	{"mat_vec_mult", "ab,b->a"}, {"mat_mult", "ab,bc->ac"},
};

double
estimated_bytes(double elements)
{
	return 24.0 + 8.0 * elements;
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

/* A shape given as a constant array of integers. */
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

static bool
constant_integer(Node *node, int64 *value)
{
	Const *constant = (Const *) node;

	if (node == NULL || !IsA(node, Const) || constant->constisnull)
		return false;
	if (constant->consttype == INT4OID)
		*value = DatumGetInt32(constant->constvalue);
	else if (constant->consttype == INT8OID)
		*value = DatumGetInt64(constant->constvalue);
	else
		return false;
	return true;
}

/* Argument number n as an expression, or NULL. */
static Node *
argument(List *args, int n)
{
	Node *node;

	if (n >= list_length(args))
		return NULL;
	node = (Node *) list_nth(args, n);
	return IsA(node, TargetEntry) ? (Node *) ((TargetEntry *) node)->expr : node;
}

/* Reads an equation of letters with an arrow; false for any other. */
static bool
read_terms(const char *text, Terms *terms)
{
	const char *c = text;

	terms->noperands = 0;
	for (;;)
	{
		const char *start = c;

		while ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z'))
			c++;
		if (c - start > TENSOR_MAX_RANK)
			return false;
		if (*c == '\0')
		{
			terms->output = start;
			terms->output_rank = (int) (c - start);
			return terms->noperands > 0;
		}
		if (terms->noperands == EQUATION_MAX_OPERANDS)
			return false;
		terms->operands[terms->noperands] = start;
		terms->ranks[terms->noperands++] = (int) (c - start);
		if (*c == ',')
			c++;
		else if (c[0] == '-' && c[1] == '>' && strchr(c + 2, ',') == NULL &&
				 strchr(c + 2, '-') == NULL)
			c += 2;
		else
			return false;
	}
}

static bool
term_has(const char *term, int rank, char letter)
{
	return memchr(term, letter, rank) != NULL;
}

/*
 * Can the equation run as a matrix product: have two operands a label in common
 * that is summed, and each a label of the result that the other lacks?
 */
static bool
is_matrix_product(const Terms *terms, const double *extents)
{
	for (int i = 0; i < terms->noperands; i++)
	{
		for (int j = 0; j < i; j++)
		{
			bool summed = false;
			bool rows = false;
			bool columns = false;

			for (int d = 0; d < terms->ranks[i]; d++)
			{
				char letter = terms->operands[i][d];
				bool in_output = term_has(terms->output, terms->output_rank, letter);
				bool in_other = term_has(terms->operands[j], terms->ranks[j], letter);

				if (extents[(int) letter] <= 1.0)
					continue;
				summed = summed || (in_other && !in_output);
				rows = rows || (!in_other && in_output);
			}
			for (int d = 0; d < terms->ranks[j]; d++)
			{
				char letter = terms->operands[j][d];

				columns =
					columns || (extents[(int) letter] > 1.0 &&
								!term_has(terms->operands[i], terms->ranks[i], letter) &&
								term_has(terms->output, terms->output_rank, letter));
			}
			if (summed && rows && columns)
				return true;
		}
	}
	return false;
}

/* The equation over args from number first on. */
static bool
equation_shape(Estimator *estimator, const Level *level, const char *text, List *args,
			   int first, EquationEstimate *estimate)
{
	double extents[128] = {0};
	double bounds[TENSOR_MAX_RANK];
	bool seen[128] = {false};
	Terms terms;

	if (text == NULL || !read_terms(text, &terms) ||
		terms.noperands != list_length(args) - first)
		return false;
	memset(estimate, 0, sizeof(EquationEstimate));
	for (int i = 0; i < terms.noperands; i++)
	{
		ShapeEstimate operand;

		if (terms.ranks[i] == 0)
			continue;
		if (!node_shape(estimator, level, argument(args, first + i), &operand) ||
			(operand.rank >= 0 && operand.rank != terms.ranks[i]))
			continue;
		estimate->read += operand.elements;
		for (int d = 0; d < terms.ranks[i]; d++)
		{
			double *extent = &extents[(int) terms.operands[i][d]];

			/* of a value of which only the size is known, all sides are alike */
			if (operand.rank >= 0)
				*extent = Max(*extent, operand.bounds[d]);
			else if (*extent == 0.0)
				*extent = pow(operand.elements, 1.0 / terms.ranks[i]);
		}
	}
	estimate->indices = 1.0;
	for (int i = 0; i < terms.noperands; i++)
	{
		for (int d = 0; d < terms.ranks[i]; d++)
		{
			int letter = terms.operands[i][d];

			if (seen[letter])
				continue;
			seen[letter] = true;
			if (extents[letter] == 0.0)
				return false;
			estimate->indices *= extents[letter];
		}
	}
	for (int d = 0; d < terms.output_rank; d++)
	{
		bounds[d] = extents[(int) terms.output[d]];
		if (bounds[d] == 0.0)
			return false;
	}
	shape_of_bounds(&estimate->output, terms.output_rank, bounds);
	estimate->is_matrix = is_matrix_product(&terms, extents);
	return true;
}

/* True if the call runs an equation, which may still not be known. */
static bool
call_equation(const char *name, List *args, const char **equation,
			  const char **expression, int *first)
{
	*expression = NULL;
	*equation = NULL;
	for (int i = 0; i < lengthof(named_equations); i++)
	{
		if (strcmp(named_equations[i].name, name) != 0)
			continue;
		*equation = named_equations[i].equation;
		*first = 0;
		return true;
	}
	if (strncmp(name, "tensor_map", strlen("tensor_map")) == 0)
	{
		*expression = constant_text(argument(args, 0));
		*equation = constant_text(argument(args, 1));
		*first = 2;
		return true;
	}
	if (strncmp(name, "einsum", strlen("einsum")) == 0 && args != NIL &&
		exprType(argument(args, 0)) == TEXTOID)
	{
		*equation = constant_text(argument(args, 0));
		*first = 1;
		return true;
	}
	return false;
}

/* A tensor with one more dimension, as stack makes it. */
static bool
stacked_shape(Estimator *estimator, const Level *level, List *args, ShapeEstimate *shape)
{
	ShapeEstimate slice = {0};
	double bounds[TENSOR_MAX_RANK];
	int64 dimension;
	int64 bound;

	if (!constant_integer(argument(args, 2), &dimension) ||
		!constant_integer(argument(args, 3), &bound))
		return false;
	/* numbers are stacked to a vector */
	if (exprType(argument(args, 0)) != FLOAT8OID &&
		!node_shape(estimator, level, argument(args, 0), &slice))
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

/* The vector that einsum_stack_blocks makes: its extents are arguments. */
static bool
stacked_blocks_shape(List *args, ShapeEstimate *shape)
{
	double elements = 1.0;

	for (int i = 4; i < list_length(args); i += 2)
	{
		int64 extent;

		if (!constant_integer(argument(args, i), &extent))
			return false;
		elements *= Max(extent, 0);
	}
	shape_of_bounds(shape, 1, &elements);
	return true;
}

static bool
call_shape(Estimator *estimator, const Level *level, const char *name, List *args,
		   ShapeEstimate *shape)
{
	EquationEstimate estimate;
	const char *equation;
	const char *expression;
	int first;
	bool found = false;

	if (call_equation(name, args, &equation, &expression, &first))
	{
		if (!equation_shape(estimator, level, equation, args, first, &estimate))
			return false;
		*shape = estimate.output;
		return true;
	}
	if (strcmp(name, "einsum_once") == 0)
		return node_shape(estimator, level, argument(args, 0), shape);
	if (strstr(name, "stack_blocks"))
		return stacked_blocks_shape(args, shape);
	if (strstr(name, "stack") && strstr(name, "unstack") == NULL)
		return stacked_shape(estimator, level, args, shape);
	if (strcmp(name, "tensor_reshape") == 0)
		return array_shape(argument(args, 1), shape);
	if (strncmp(name, "einsum_full", strlen("einsum_full")) == 0 ||
		strcmp(name, "tensor_full") == 0 || strcmp(name, "tensor_zeros") == 0 ||
		strcmp(name, "tensor_random") == 0)
		return array_shape(argument(args, 0), shape);

	/* whatever works by elements is as large as its largest operand */
	for (int i = 0; i < list_length(args); i++)
	{
		ShapeEstimate operand;

		if (!is_tensor_type(exprType(argument(args, i))) ||
			!node_shape(estimator, level, argument(args, i), &operand))
			continue;
		if (!found || operand.elements > shape->elements)
			*shape = operand;
		found = true;
	}
	if (found)
		shape->width = estimated_bytes(shape->elements);
	return found;
}

/* What einsum_value_has_shape says of a column. */
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
		char *name;

		if (var->varno == search->var->varno && var->varattno == search->var->varattno &&
			var->varlevelsup == 0 && (name = extension_function_name(call->funcid)) &&
			strcmp(name, "einsum_value_has_shape") == 0)
			return array_shape(lsecond(call->args), search->shape);
		return false;
	}
	/* subqueries are other levels: the walker does not enter them */
	return expression_tree_walker(node, find_check, search);
}

/* What a table's declaration says of a column: then the check is not in the plan. */
static bool
declared_shape(Oid relid, AttrNumber attno, ShapeEstimate *shape)
{
	/* the planner's lock is still there */
	Relation relation = relation_open(relid, NoLock);
	ShapeProof proof;

	find_shape_proof(relation, attno, &proof);
	relation_close(relation, NoLock);
	if (proof.rank < 0)
		return false;
	set_integer_shape(shape, proof.rank, proof.bounds);
	return true;
}

/* The average size of a column's values, by statistics. */
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
	shape->width = width;
	return true;
}

static bool
checked_shape(const Level *level, const Var *var, ShapeEstimate *shape)
{
	CheckSearch search = {.var = var, .shape = shape};

	return level->query->jointree && find_check((Node *) level->query->jointree, &search);
}

static bool
column_shape(const Level *level, Oid relid, const Var *var, ShapeEstimate *shape)
{
	ShapeEstimate stored;

	if (checked_shape(level, var, shape) || declared_shape(relid, var->varattno, shape))
	{
		if (stored_size(relid, var->varattno, &stored))
			shape->width = stored.width;
		return true;
	}
	return stored_size(relid, var->varattno, shape);
}

/* The expression behind an output column of a query. */
static bool
output_shape(Estimator *estimator, Query *query, PlannerInfo *root, const Level *parent,
			 AttrNumber attno, ShapeEstimate *shape)
{
	Level level = {.query = query, .root = root, .parent = parent};

	enter_recursion();
	if (query->setOperations)
	{
		/* all branches are alike: the first */
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
cte_shape(Estimator *estimator, const Level *level, const RangeTblEntry *rte,
		  AttrNumber attno, ShapeEstimate *shape)
{
	ListCell *lc;

	for (Index up = 0; up < rte->ctelevelsup && level; up++)
		level = level->parent;
	if (level == NULL)
		return false;
	foreach (lc, level->query->cteList)
	{
		CommonTableExpr *with = lfirst(lc);

		if (strcmp(with->ctename, rte->ctename) == 0 && !with->cterecursive &&
			IsA(with->ctequery, Query))
			return output_shape(estimator, (Query *) with->ctequery, NULL, level, attno,
								shape);
	}
	return false;
}

/* The block of einsum_unstack_blocks and its kin, 0 of what makes slices. */
static int64
unstacked_block(List *args)
{
	int64 block;

	if (list_length(args) < 3 || exprType(argument(args, 2)) != INT4OID ||
		!constant_integer(argument(args, 2), &block))
		return 0;
	return Max(block, 1);
}

double
estimate_unstacked(PlannerInfo *root, List *args)
{
	ShapeEstimate whole;
	int64 dimension = 0;
	int64 block = unstacked_block(args);

	if (!estimate_shape(root, argument(args, 0), &whole))
		return 0.0;
	/* einsum_unstack_scalar has no dimension: its vectors have one */
	if (exprType(argument(args, 1)) != INT4OID)
		return whole.rank < 0 ? whole.elements : whole.bounds[0];
	if (!constant_integer(argument(args, 1), &dimension) || dimension < 0 ||
		dimension >= whole.rank)
		return 0.0;
	return ceil(whole.bounds[dimension] / Max(block, 1));
}

/*
 * The call of tensor_unstack or its kin that is all of an item in FROM; NULL for other
 * items.
 */
static const FuncExpr *
unstacking_call(const RangeTblEntry *rte)
{
	const FuncExpr *call;
	const char *name;

	if (rte->rtekind != RTE_FUNCTION || list_length(rte->functions) != 1)
		return NULL;
	call = (const FuncExpr *) ((RangeTblFunction *) linitial(rte->functions))->funcexpr;
	if (!IsA(call, FuncExpr) || (name = extension_function_name(call->funcid)) == NULL ||
		strstr(name, "_unstack") == NULL)
		return NULL;
	return call;
}

bool
is_number_of_slice(const RangeTblEntry *rte, AttrNumber attno)
{
	return attno == 1 && unstacking_call(rte) != NULL;
}

/* The slices or blocks that a function in FROM returns. */
static bool
slice_shape(Estimator *estimator, const Level *level, const RangeTblEntry *rte,
			AttrNumber attno, ShapeEstimate *shape)
{
	const FuncExpr *call = unstacking_call(rte);
	ShapeEstimate whole;
	double bounds[TENSOR_MAX_RANK];
	int64 dimension;
	int64 block;
	int rank = 0;

	if (attno != 2 || call == NULL ||
		!constant_integer(argument(call->args, 1), &dimension) ||
		!node_shape(estimator, level, argument(call->args, 0), &whole) || dimension < 0 ||
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
var_shape(Estimator *estimator, const Level *level, const Var *var, ShapeEstimate *shape)
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
			/* a registered view is checked above the subquery that reads it */
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

/* A parameter that a scalar subquery of this query, or one around it, sets. */
static bool
param_shape(Estimator *estimator, const Level *level, const Param *param,
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

/* The first argument of a COALESCE or branch of a CASE that is known. */
static bool
first_shape(Estimator *estimator, const Level *level, List *nodes, ShapeEstimate *shape)
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
node_shape(Estimator *estimator, const Level *level, Node *node, ShapeEstimate *shape)
{
	char *name;

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
			name = extension_function_name(((FuncExpr *) node)->funcid);
			return name &&
				   call_shape(estimator, level, name, ((FuncExpr *) node)->args, shape);
		case T_OpExpr:
			name = extension_function_name(((OpExpr *) node)->opfuncid);
			return name &&
				   call_shape(estimator, level, name, ((OpExpr *) node)->args, shape);
		case T_Aggref:
			name = extension_function_name(((Aggref *) node)->aggfnoid);
			return name &&
				   call_shape(estimator, level, name, ((Aggref *) node)->args, shape);
		default:
			return false;
	}
}

/* The query that is being planned, and those around it. */
static Level *
planned_level(PlannerInfo *root)
{
	Level *level;

	enter_recursion();
	if (root == NULL)
		return NULL;
	level = palloc(sizeof(Level));
	level->query = root->parse;
	level->root = root;
	level->parent = planned_level(root->parent_root);
	return level;
}

bool
estimate_shape(PlannerInfo *root, Node *node, ShapeEstimate *shape)
{
	Estimator estimator = {.budget = NODE_BUDGET};

	return root && node_shape(&estimator, planned_level(root), node, shape);
}

bool
estimate_call(PlannerInfo *root, const char *name, List *args, ShapeEstimate *shape)
{
	Estimator estimator = {.budget = NODE_BUDGET};

	return root && call_shape(&estimator, planned_level(root), name, args, shape);
}

bool
estimate_equation(PlannerInfo *root, const char *name, List *args,
				  EquationEstimate *estimate, const char **expression)
{
	Estimator estimator = {.budget = NODE_BUDGET};
	const char *equation;
	int first;

	return root && call_equation(name, args, &equation, expression, &first) &&
		   equation_shape(&estimator, planned_level(root), equation, args, first,
						  estimate);
}
