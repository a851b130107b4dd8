/*-------------------------------------------------------------------------
 *
 * ring_walk.c
 *	  Rewrites the sums of products in all parts of an expression.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "algebra/groups.h"
#include "algebra/keys.h"
#include "algebra/proven.h"
#include "algebra/ring_walk.h"
#include "expr/normalize.h"
#include "recursion.h"

/* Maximum of nodes and products that are looked at for one form. */
#define MAX_STEPS 20000

/*
 * Is a small error of the argument, relative to the size of its terms, a small error of
 * the function? Not for roots and logarithms, which are too steep at 0, nor for a
 * quotient: 0 / 0 is 0.
 */
static bool
keeps_errors_small(const TensorExpr *expr)
{
	if (expr->kind != EXPR_MAP)
		return true;
	switch (expr->function)
	{
		case FUNCTION_SQRT:
		case FUNCTION_LN:
			return false;
		case FUNCTION_DIVIDE:
		case FUNCTION_POWER:
			return is_ring_operation(expr);
		default:
			return true;
	}
}

static TensorExpr *walk_ring_node(RingWalk *walk, TensorExpr *expr, bool squares);

/* Returns how many of the products have a factor. */
static int
count_products_with(const List *products, const TensorExpr *factor)
{
	int count = 0;
	ListCell *lc;

	foreach (lc, products)
		count += list_member_ptr(((const Product *) lfirst(lc))->factors, factor);
	return count;
}

/* A factor, the number of its key, and its position before sorting. */
typedef struct OrderedFactor
{
	TensorExpr *expr;
	int key;
	int position;
} OrderedFactor;

static int
compare_factors(const void *a, const void *b)
{
	const OrderedFactor *one = a;
	const OrderedFactor *other = b;

	return one->key != other->key ? one->key - other->key
								  : one->position - other->position;
}

/*
 * Sorts factors in an order that does not depend on labels: a product and its transpose
 * are alike.
 */
static List *
ordered_factors(Algebra *algebra, const List *factors)
{
	OrderedFactor *ordered = palloc(sizeof(OrderedFactor) * (list_length(factors) + 1));
	List *result = NIL;
	ListCell *lc;

	foreach (lc, factors)
	{
		OrderedFactor *factor = &ordered[foreach_current_index(lc)];

		factor->expr = lfirst(lc);
		factor->key = key_of(algebra, factor->expr)->number;
		factor->position = foreach_current_index(lc);
	}
	qsort(ordered, list_length(factors), sizeof(OrderedFactor), compare_factors);
	for (int i = 0; i < list_length(factors); i++)
		result = lappend(result, ordered[i].expr);
	return result;
}

/*
 * Returns the rewritten factors of a product. A factor of several products that has an
 * aggregate inside becomes a group, so that it is computed once; sums are groups anyway.
 */
static List *
walk_factors(RingWalk *walk, const List *products, const Product *product, bool squares)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, product->factors)
	{
		TensorExpr *factor = lfirst(lc);
		TensorExpr *other = walk_ring_node(walk, factor, squares);

		if (factor->kind == EXPR_MAP && factor->has_aggregate &&
			bms_num_members(factor->labels) <= TENSOR_MAX_RANK &&
			count_products_with(products, factor) > 1)
			other = group_access(walk->algebra, other);
		result = lappend(result, other);
	}
	return ordered_factors(walk->algebra, result);
}

/*
 * Rewrites a sum of products, which are kept in the given memory context; NULL if nothing
 * changes or the result cannot replace the expression.
 */
static TensorExpr *
rewrite_products(RingWalk *walk, TensorExpr *expr, bool squares, MemoryContext memory)
{
	Program *program = walk->algebra->program;
	Expansion expansion = {.algebra = walk->algebra,
						   .memory = memory,
						   .type = expr->type.type,
						   .sums = walk->sums,
						   .all_but = walk->all_but,
						   .squares = squares,
						   .steps = walk->steps};
	List *products;
	TensorExpr *result;
	bool rewritten;
	List *results = NIL;
	ListCell *lc;

	rewritten = expand_expr(&expansion, expr, &products);
	rewritten = rewritten && (walk->rewrite ? walk->rewrite(walk, &expansion, &products)
											: expansion.changed);
	walk->steps = expansion.steps;
	if (!rewritten)
		return NULL;
	foreach (lc, products)
	{
		Product *product = palloc(sizeof(Product));

		*product = *(const Product *) lfirst(lc);
		product->factors = walk_factors(walk, products, product, squares);
		results = lappend(results, product);
	}
	result = expr_of_products(program, results);
	if (expansion.cancels && proven_not_negative(walk->algebra, expr) &&
		!proven_not_negative(walk->algebra, result))
		result = expr_map2(program, FUNCTION_GREATEST, result,
						   expr_literal(program, 0.0, expr->location));
	if (!bms_equal(result->labels, expr->labels) ||
		result->type.type != expr->type.type || result->fill != expr->fill)
		return NULL;
	walk->cancels = walk->cancels || expansion.cancels;
	return result;
}

static TensorExpr *
walk_products(RingWalk *walk, TensorExpr *expr, bool squares)
{
	MemoryContext memory =
		AllocSetContextCreate(CurrentMemoryContext, "products", ALLOCSET_DEFAULT_SIZES);
	TensorExpr *result = rewrite_products(walk, expr, squares, memory);

	MemoryContextDelete(memory);
	return result;
}

static TensorExpr *
walk_ring_node(RingWalk *walk, TensorExpr *expr, bool squares)
{
	SideTable *done = walk->done[squares];
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	if (expr->nargs == 0)
		return expr;
	result = side_value(done, expr);
	if (result)
		return result;
	if (is_ring_operation(expr) && walk->steps > 0)
		result = walk_products(walk, expr, squares);
	if (result == NULL)
	{
		bool small = squares && keeps_errors_small(expr);

		for (int i = 0; i < expr->nargs; i++)
			args[i] = walk_ring_node(walk, expr->args[i], small);
		result = expr_with_args(walk->algebra->program, expr, args);
	}
	set_side_value(done, expr, result);
	return result;
}

TensorExpr *
walk_ring(RingWalk *walk, TensorExpr *expr)
{
	TensorExpr *result;

	walk->steps = MAX_STEPS;
	walk->cancels = false;
	walk->done[false] = new_side_table(64);
	walk->done[true] = new_side_table(64);
	result = walk_ring_node(walk, expr, true);
	free_side_table(walk->done[false]);
	free_side_table(walk->done[true]);
	if (result == expr)
		return expr;
	result = normalize_expr(walk->algebra->program, result, REWRITE_DISTRIBUTE);
	return bms_equal(result->labels, expr->labels) &&
				   result->type.type == expr->type.type && result->fill == expr->fill
			   ? result
			   : expr;
}
