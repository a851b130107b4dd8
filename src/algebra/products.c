/*-------------------------------------------------------------------------
 *
 * products.c
 *	  Expressions as sums of products.
 *
 * The ring's laws are applied to expressions that have finite fills and one type
 * throughout: with an infinite fill the two sides of a law differ in most entries, and
 * another type rounds differently. A quotient is a factor with the whole numerator, since
 * 0 / 0 is 0, unless it is by a number. Sums get bound labels of their own before they
 * are multiplied. Additive tensors are not squared, and products of two sums in float4 or
 * complex8 stay, as in normal forms.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "miscadmin.h"

#include "algebra/polyterm.h"
#include "algebra/products.h"
#include "expr/types.h"
#include "recursion.h"

static bool expand(Expansion *expansion, TensorExpr *expr, bool is_factor,
				   List **products);

/* Is the expression a quotient by a number? */
static bool
is_divided_by_number(const TensorExpr *expr)
{
	const TensorExpr *divisor = expr->args[1];

	return expr_is_map(expr, FUNCTION_DIVIDE) && divisor->kind == EXPR_LITERAL &&
		   cimag(divisor->value) == 0.0 && isnormal(creal(divisor->value)) &&
		   isnormal(1.0 / creal(divisor->value));
}

bool
is_ring_operation(const TensorExpr *expr)
{
	if (expr_is_map(expr, FUNCTION_POWER))
		return small_exponent(expr) > 0;
	if (expr_is_map(expr, FUNCTION_DIVIDE))
		return is_divided_by_number(expr);
	return is_arithmetic(expr);
}

/* Do two lists have the same factors, each as often? */
static bool
same_factors(const List *a, const List *b)
{
	Bitmapset *taken = NULL;
	ListCell *la;
	ListCell *lb;

	if (list_length(a) != list_length(b))
		return false;
	foreach (la, a)
	{
		bool found = false;

		foreach (lb, b)
		{
			int at = foreach_current_index(lb);

			found = lfirst(la) == lfirst(lb) && !bms_is_member(at, taken);
			if (found)
			{
				taken = bms_add_member(taken, at);
				break;
			}
		}
		if (!found)
		{
			bms_free(taken);
			return false;
		}
	}
	bms_free(taken);
	return true;
}

bool
add_product(Expansion *expansion, List **products, const Product *product)
{
	Product *added;
	MemoryContext old;
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	if (product->coefficient == 0.0)
		return true;
	if (!number_is_finite(product->coefficient) || !isfinite(product->divisor) ||
		list_length(product->factors) > EXPANSION_MAX_FACTORS)
		return false;
	foreach (lc, *products)
	{
		Product *other = lfirst(lc);

		if (--expansion->steps < 0)
			return false;
		if (other->divisor != product->divisor ||
			!bms_equal(other->bound, product->bound) ||
			!same_factors(other->factors, product->factors))
			continue;
		/* sums of plain numbers are no change of form */
		expansion->changed = expansion->changed || product->factors != NIL;
		other->coefficient += product->coefficient;
		if (other->coefficient == 0.0)
			*products = foreach_delete_current (*products, lc);
		else if (!number_is_finite(other->coefficient))
			return false;
		return true;
	}
	if (list_length(*products) == EXPANSION_MAX_PRODUCTS)
		return false;
	old = MemoryContextSwitchTo(expansion->memory);
	added = palloc(sizeof(Product));
	*added = *product;
	*products = lappend(*products, added);
	MemoryContextSwitchTo(old);
	return true;
}

static bool
add_scaled_products(Expansion *expansion, List **products, const List *others,
					Number factor, double divisor)
{
	ListCell *lc;

	foreach (lc, others)
	{
		Product product = *(const Product *) lfirst(lc);

		product.coefficient *= factor;
		product.divisor *= divisor;
		if (!add_product(expansion, products, &product))
			return false;
	}
	return true;
}

/* Adds the products divided by a number; a power of two is multiplied in exactly. */
static bool
divide_products(Expansion *expansion, List **products, const List *others, double divisor)
{
	int exponent;

	if (fabs(frexp(divisor, &exponent)) == 0.5)
		return add_scaled_products(expansion, products, others, 1.0 / divisor, 1.0);
	return add_scaled_products(expansion, products, others, 1.0, divisor);
}

Bitmapset *
labels_of_product(const Product *product)
{
	Bitmapset *labels = bms_copy(product->bound);
	ListCell *lc;

	foreach (lc, product->factors)
		labels = bms_add_members(labels, ((const TensorExpr *) lfirst(lc))->all_labels);
	return labels;
}

Product
product_with_own_labels(Program *program, const Product *product, const Bitmapset *others)
{
	Product result = *product;
	Bitmapset *taken = NULL;
	Bitmapset *renamed = NULL;
	int label = -1;
	ListCell *lc;

	if (!bms_overlap(product->bound, others))
		return result;
	taken = bms_add_members(labels_of_product(product), others);
	result.bound = NULL;
	while ((label = bms_next_member(product->bound, label)) >= 0)
	{
		int own = label;

		if (bms_is_member(label, others))
		{
			own = program_twin_beside(program, label, taken);
			program->renaming[label] = own;
			renamed = bms_add_member(renamed, label);
			taken = bms_add_member(taken, own);
		}
		result.bound = bms_add_member(result.bound, own);
	}
	result.factors = NIL;
	foreach (lc, product->factors)
		result.factors = lappend(result.factors,
								 rename_labels(program, lfirst(lc), program->renaming));
	label = -1;
	while ((label = bms_next_member(renamed, label)) >= 0)
		program->renaming[label] = -1;
	bms_free(taken);
	bms_free(renamed);
	return result;
}

bool
labels_are_alike(const Program *program, int a, int b)
{
	const ProgramLabel *one = &program->labels[a];
	const ProgramLabel *other = &program->labels[b];

	return one->bound == other->bound && one->pin == other->pin &&
		   one->block == other->block;
}

/* Would a product square the value of an additive tensor? */
static bool
squares_additive(const Product *a, const Product *b)
{
	ListCell *la;

	foreach (la, a->factors)
	{
		const TensorExpr *factor = lfirst(la);

		if (factor->kind == EXPR_ACCESS && is_additive(factor->tensor) &&
			list_member_ptr(b->factors, factor))
			return true;
	}
	return false;
}

static bool
has_both_signs(const List *products)
{
	bool positive = false;
	bool negative = false;
	ListCell *lc;

	foreach (lc, products)
	{
		Number coefficient = ((const Product *) lfirst(lc))->coefficient;

		positive = positive || creal(coefficient) > 0.0 || cimag(coefficient) != 0.0;
		negative = negative || creal(coefficient) < 0.0 || cimag(coefficient) != 0.0;
	}
	return positive && negative;
}

static bool
has_sums(const List *products)
{
	ListCell *lc;

	foreach (lc, products)
	{
		if (((const Product *) lfirst(lc))->bound)
			return true;
	}
	return false;
}

/* Multiplies two sums of products out; false if that is not allowed or too much. */
static bool
multiply_products(Expansion *expansion, const List *as, const List *bs, List **products)
{
	bool sums = list_length(as) > 1 && list_length(bs) > 1;
	ListCell *la;
	ListCell *lb;

	*products = NIL;
	if (sums && element_is_single(expansion->type))
		return false;
	if (sums && has_both_signs(as) && has_both_signs(bs))
	{
		if (!expansion->squares)
			return false;
		expansion->cancels = true;
	}
	if (list_length(as) > 1 || list_length(bs) > 1 || has_sums(as) || has_sums(bs))
		expansion->changed = true;
	foreach (la, as)
	{
		const Product *a = lfirst(la);
		Bitmapset *labels = labels_of_product(a);

		foreach (lb, bs)
		{
			const Product *b = lfirst(lb);
			Product product;
			Product own;
			Bitmapset *others;
			MemoryContext old;
			bool overlap;

			CHECK_FOR_INTERRUPTS();
			if (--expansion->steps < 0 ||
				((list_length(as) > 1 || list_length(bs) > 1) && squares_additive(a, b)))
				return false;
			product = product_with_own_labels(expansion->algebra->program, b, labels);
			/* nor may b have a label that a sums over */
			others = labels_of_product(&product);
			overlap = bms_overlap(a->bound, others);
			bms_free(others);
			if (overlap)
				return false;
			own = product;
			product.coefficient *= a->coefficient;
			product.divisor *= a->divisor;
			old = MemoryContextSwitchTo(expansion->memory);
			product.factors = list_concat_copy(a->factors, own.factors);
			product.bound = bms_union(a->bound, own.bound);
			MemoryContextSwitchTo(old);
			if (own.factors != b->factors)
				list_free(own.factors);
			if (own.bound != b->bound)
				bms_free(own.bound);
			if (!add_product(expansion, products, &product))
				return false;
		}
		bms_free(labels);
	}
	return true;
}

static bool
expand_power(Expansion *expansion, const TensorExpr *expr, List **products)
{
	List *base;

	if (!expand(expansion, expr->args[0], true, &base))
		return false;
	/* a power of a single product without sums stays */
	if (list_length(base) == 1 && !has_sums(base))
		return false;
	*products = base;
	for (int i = 1; i < small_exponent(expr); i++)
	{
		if (!multiply_products(expansion, *products, base, products))
			return false;
	}
	return true;
}

/* Expands a sum over labels; a product that lacks a label is multiplied by its bound. */
static bool
expand_sum(Expansion *expansion, const TensorExpr *expr, List **products)
{
	List *terms;
	ListCell *lc;

	*products = NIL;
	if (!expand(expansion, expr->args[0], false, &terms))
		return false;
	foreach (lc, terms)
	{
		Product product = *(const Product *) lfirst(lc);
		Bitmapset *labels = NULL;
		Bitmapset *unused;
		ListCell *lf;

		if (bms_overlap(product.bound, expr->bound_labels))
			return false;
		foreach (lf, product.factors)
			labels = bms_add_members(labels, ((TensorExpr *) lfirst(lf))->labels);
		unused = bms_difference(expr->bound_labels, labels);
		if (!labels_have_bounds(expansion->algebra->program, unused))
			return false;
		if (!bms_is_empty(unused))
			product.coefficient *= product_of_bounds(expansion->algebra->program, unused);
		product.bound =
			bms_union(product.bound, bms_intersect(expr->bound_labels, labels));
		if (!add_product(expansion, products, &product))
			return false;
	}
	return true;
}

/* Expands an operation by the laws of the ring; false where they do not apply. */
static bool
expand_operation(Expansion *expansion, TensorExpr *expr, bool is_factor, List **products)
{
	List *as;
	List *bs;

	*products = NIL;
	if (expr->kind == EXPR_AGGREGATE)
		return expand_sum(expansion, expr, products);
	switch (expr->function)
	{
		case FUNCTION_ADD:
		case FUNCTION_SUBTRACT:
			return expand(expansion, expr->args[0], false, products) &&
				   expand(expansion, expr->args[1], false, &bs) &&
				   add_scaled_products(expansion, products, bs,
									   expr->function == FUNCTION_ADD ? 1.0 : -1.0, 1.0);
		case FUNCTION_NEGATE:
			if (!expand(expansion, expr->args[0], is_factor, &as))
				return false;
			expansion->changed = expansion->changed || list_length(as) > 1;
			return add_scaled_products(expansion, products, as, -1.0, 1.0);
		case FUNCTION_DIVIDE:
			return expand(expansion, expr->args[0], is_factor, &as) &&
				   divide_products(expansion, products, as, creal(expr->args[1]->value));
		case FUNCTION_MULTIPLY:
			return expand(expansion, expr->args[0], true, &as) &&
				   expand(expansion, expr->args[1], true, &bs) &&
				   multiply_products(expansion, as, bs, products);
		case FUNCTION_POWER:
			return expand_power(expansion, expr, products);
		default:
			return false;
	}
}

static bool
is_opened(const Expansion *expansion, const TensorExpr *expr)
{
	return list_member_ptr(expansion->sums, expr) != expansion->all_but;
}

static bool
expand(Expansion *expansion, TensorExpr *expr, bool is_factor, List **products)
{
	Product product = {.coefficient = 1.0, .divisor = 1.0};
	bool same_type = expr->type.type == expansion->type;

	enter_recursion();
	*products = NIL;
	if (--expansion->steps < 0)
		return false;
	if (expr->kind == EXPR_LITERAL && number_is_finite(expr->value))
	{
		product.coefficient = expr->value;
		return add_product(expansion, products, &product);
	}
	if (is_ring_operation(expr) && same_type && number_is_finite(expr->fill) &&
		!(is_factor && expr_is_addition(expr) && !is_opened(expansion, expr)))
	{
		bool changed = expansion->changed;
		bool cancels = expansion->cancels;

		if (expand_operation(expansion, expr, is_factor, products))
			return true;
		expansion->changed = changed;
		expansion->cancels = cancels;
		/*
		 * a sum that is too long, or has an infinite fill inside, is not used as a factor
		 */
		if (!is_factor && (expr_is_addition(expr) || expr->kind == EXPR_AGGREGATE))
			return false;
	}
	*products = NIL;
	product.factors = list_make1(expr);
	return number_is_finite(expr->fill) && (same_type || expr->is_truth_value) &&
		   add_product(expansion, products, &product);
}

bool
expand_expr(Expansion *expansion, TensorExpr *expr, List **products)
{
	return expand(expansion, expr, false, products);
}

TensorExpr *
expr_of_factors(Program *program, const List *factors)
{
	TensorExpr *result = NULL;
	ListCell *lc;

	foreach (lc, factors)
		result = result ? expr_map2(program, FUNCTION_MULTIPLY, result, lfirst(lc))
						: lfirst(lc);
	return result ? result : expr_literal(program, 1.0, -1);
}

/*
 * Returns a product as an expression. A coefficient of -1 is left out and makes *
 * negative true; other numbers keep their sign.
 */
static TensorExpr *
expr_of_product(Program *program, const Product *product, bool *negative)
{
	Number scale = product->coefficient;
	TensorExpr *result;

	*negative = scale == -1.0;
	if (*negative)
		scale = 1.0;
	if (product->factors == NIL)
		result = expr_literal(program, scale, -1);
	else
	{
		result = expr_aggregate(program, AGGREGATE_SUM, bms_copy(product->bound),
								expr_of_factors(program, product->factors), -1);
		if (scale != 1.0)
			result = expr_map2(program, FUNCTION_MULTIPLY,
							   expr_literal(program, scale, -1), result);
	}
	if (product->divisor != 1.0)
		result = expr_map2(program, FUNCTION_DIVIDE, result,
						   expr_literal(program, product->divisor, -1));
	return result;
}

TensorExpr *
expr_of_products(Program *program, const List *products)
{
	TensorExpr *result = NULL;
	ListCell *lc;

	foreach (lc, products)
	{
		bool negative;
		TensorExpr *term = expr_of_product(program, lfirst(lc), &negative);

		if (result)
			result = expr_map2(program, negative ? FUNCTION_SUBTRACT : FUNCTION_ADD,
							   result, term);
		else
			result = negative ? expr_map1(program, FUNCTION_NEGATE, term) : term;
	}
	return result ? result : expr_literal(program, 0.0, -1);
}
