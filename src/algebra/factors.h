/*-------------------------------------------------------------------------
 *
 * factors.h
 *	  A product taken apart.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_FACTORS_H
#define ALGEBRA_FACTORS_H

#include "algebra/algebra.h"

/* Some factors of a product, from first to before end. */
typedef struct FactorRange
{
	int first;
	int end;
} FactorRange;

/* A divisor and what it divides. */
typedef struct Divisor
{
	TensorExpr *expr;
	FactorRange killers;
	FactorRange modifiers;
} Divisor;

/* A product taken apart. */
typedef struct Factors
{
	List *killers;   /* numerators that are 0 where absent */
	List *modifiers; /* numerators that are not */
	List *divisors;  /* of Divisor * */
} Factors;

/* Adds what an expression is the product of; one that is not a product is a factor. */
extern void split_product(Algebra *algebra, TensorExpr *expr, Factors *factors);

/*
 * Splits a function that is the product of a semiring, as split_product: an argument that
 * forces its value is a killer.
 */
extern void split_terms(Algebra *algebra, FunctionId product, Number fill,
						TensorExpr *expr, Factors *factors);

/*
 * Is the killer, or modifier, of this number divided by something? Then it stays in
 * its quotient: 0 / 0 is 0, but 0 * (1/0) is not.
 */
extern bool killer_is_divided(const Factors *factors, int number);
extern bool modifier_is_divided(const Factors *factors, int number);

/*
 * Multiplies each of items into a killer over at least its labels, and returns
 * the items without such a killer.
 */
extern List *attach_modifiers(Program *program, FunctionId product, List *killer_factors,
							  List *items);

/*
 * Divides a killer by what it alone was written to be divided by, and returns
 * the other divisors: they come last. Dividing one factor of a product by d
 * would be another thing where d is 0. For factors as split_product made them.
 */
extern List *attach_divisors(Program *program, const Factors *factors);

/* A product and one more factor; the factor, if the product is NULL. */
extern TensorExpr *multiply_in(Program *program, TensorExpr *product, TensorExpr *factor);

/* Labels of a program under the numbers that estimates have for them. */
typedef struct LabelNumbers
{
	Program *program;
	int nlabels;
	int labels[ESTIMATE_MAX_LABELS]; /* the program's */
	double bounds[ESTIMATE_MAX_LABELS];
} LabelNumbers;

/* Labels as a mask of numbers; false if there are too many. */
extern bool number_labels(LabelNumbers *numbers, const Bitmapset *labels,
						  LabelMask *mask);

/*
 * Estimate of a killer whose labels have numbers: the join of the operands that
 * decide its support.
 */
extern void estimate_factor(Algebra *algebra, LabelNumbers *numbers, TensorExpr *factor,
							Estimate *result);

#endif
