/*-------------------------------------------------------------------------
 *
 * products.h
 *	  Expressions as sums of products, which are multiplied out as far as is wanted.
 *
 * Unlike polyterms, which name what an expression is whatever it is computed from, these
 * are ways to compute it: a factor is any expression, a sum among them stays one
 * where it is not opened, and what comes of it is an expression again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_PRODUCTS_H
#define ALGEBRA_PRODUCTS_H

#include "algebra/algebra.h"

/* More of them are left as they are written. */
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
	MemoryContext memory; /* of products, which do not outlive it */
	ElementType type;     /* of all that is added and multiplied */
	/* which of the sums that are factors are multiplied out: these, or all but these */
	const List *sums;
	bool all_but;
	bool squares; /* may squares of differences be multiplied out? */

	bool changed; /* something was opened, or like terms were added */
	bool cancels; /* a square of a difference was multiplied out */
	int steps;    /* of the work that may be done yet */
} Expansion;

/* Is it +, -, a product, a small power, a quotient by a number, or a sum? */
extern bool is_ring_operation(const TensorExpr *expr);

/*
 * The expression as products to be added up; false where it cannot be one, or would be
 * too many. What is not opened is a factor.
 */
extern bool expand_expr(Expansion *expansion, TensorExpr *expr, List **products);

/*
 * Adds a product to others: to the like term, if there is one. False if that is not a
 * number.
 */
extern bool add_product(Expansion *expansion, List **products, const Product *product);

/* The labels of a product and in its factors, free or bound. */
extern Bitmapset *labels_of_product(const Product *product);

/* A product whose sums are over none of these labels. */
extern Product product_with_own_labels(Program *program, const Product *product,
									   const Bitmapset *others);

/* Are two labels summed over the same, in the same way? */
extern bool labels_are_alike(const Program *program, int a, int b);

/* The sum of products, all with their scales and sums; the number 0 of none. */
extern TensorExpr *expr_of_products(Program *program, const List *products);

/* A product without its scale and sum. */
extern TensorExpr *expr_of_factors(Program *program, const List *factors);

#endif
