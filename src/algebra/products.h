/*-------------------------------------------------------------------------
 *
 * products.h
 *	  Expressions as sums of products, multiplied out as far as the caller asks for.
 *
 * Unlike polyterms, which name what an expression is, products are a way to compute it:
 * any expression can be a factor, a sum among the factors stays one where it is not
 * opened, and the result is an expression again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_PRODUCTS_H
#define ALGEBRA_PRODUCTS_H

#include "algebra/algebra.h"

/* An expression with more products, or more factors in one, stays as it is written. */
#define EXPANSION_MAX_PRODUCTS 32
#define EXPANSION_MAX_FACTORS 16

/* sum[bound] coefficient * factors / divisor */
typedef struct Product
{
	Number coefficient; /* finite, not 0 */
	double divisor;     /* a number, apart so that a third is not rounded */
	List *factors;      /* of TensorExpr *, each as often as it occurs */
	Bitmapset *bound;   /* labels that are summed; each indexes some factor */
} Product;

typedef struct Expansion
{
	Algebra *algebra;
	MemoryContext memory; /* memory context of the products */
	ElementType type;     /* element type of all terms and factors */
	/* sums among the factors that are multiplied out: these, or all but these */
	const List *sums;
	bool all_but;
	bool squares; /* may squares of differences be multiplied out? */

	bool changed; /* something was opened, or like terms were added */
	bool cancels; /* a square of a difference was multiplied out */
	int steps;    /* steps that are left */
} Expansion;

/* Is it +, -, a product, a small power, a quotient by a number, or a sum? */
extern bool is_ring_operation(const TensorExpr *expr);

/*
 * Writes the expression as products to be added up; false if that is impossible or there
 * are too many of them. A sum that is not opened is a factor.
 */
extern bool expand_expr(Expansion *expansion, TensorExpr *expr, List **products);

/*
 * Adds a product to a list: to the like term, if the list has one. False if the
 * coefficient would not be finite, or a limit is exceeded.
 */
extern bool add_product(Expansion *expansion, List **products, const Product *product);

/* Returns the labels of a product and of its factors, free or bound. */
extern Bitmapset *labels_of_product(const Product *product);

/*
 * Returns the product with those of its bound labels renamed that are among the others.
 */
extern Product product_with_own_labels(Program *program, const Product *product,
									   const Bitmapset *others);

/* Have two labels the same bound, pin and block size? */
extern bool labels_are_alike(const Program *program, int a, int b);

/*
 * Returns the sum of the products with their coefficients, divisors and bound labels; the
 * literal 0 for an empty list.
 */
extern TensorExpr *expr_of_products(Program *program, const List *products);

/* Returns the product of the factors; the literal 1 for an empty list. */
extern TensorExpr *expr_of_factors(Program *program, const List *factors);

#endif
