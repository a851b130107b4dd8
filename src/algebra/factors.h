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

/* A divisor and the factors that it divides. */
typedef struct Divisor
{
	TensorExpr *expr;
	FactorRange killers;
	FactorRange modifiers;
} Divisor;

/* Splits a product into killers, modifiers and divisors. */
typedef struct Factors
{
	List *killers;   /* factors that are 0 where no entry is stored */
	List *modifiers; /* other factors */
	List *divisors;  /* of Divisor * */
} Factors;

/*
 * Adds the factors of an expression to *factors; an expression that is not a product is a
 * factor.
 */
extern void split_product(Algebra *algebra, TensorExpr *expr, Factors *factors);

/*
 * Splits an expression at the product function of a semiring, as split_product does at *.
 * An argument whose fill forces the product to its fill is a killer.
 */
extern void split_terms(Algebra *algebra, FunctionId product, Number fill,
						TensorExpr *expr, Factors *factors);

/*
 * Is the killer, or modifier, at this position part of a numerator? Then it stays in its
 * quotient: 0 / 0 is 0, but 0 * (1/0) is not.
 */
extern bool killer_is_divided(const Factors *factors, int number);
extern bool modifier_is_divided(const Factors *factors, int number);

/*
 * Multiplies each item into a killer that has all labels of the item. Returns the items
 * that have no such killer.
 */
extern List *attach_modifiers(Program *program, FunctionId product, List *killer_factors,
							  List *items);

/*
 * Divides a killer by each divisor that is written below that killer alone. Returns the
 * other divisors, which are applied last: to divide one factor of a product by d changes
 * the result where d is 0. The factors must come from split_product.
 */
extern List *attach_divisors(Program *program, const Factors *factors);

/* Returns product * factor; the factor, if the product is NULL. */
extern TensorExpr *multiply_in(Program *program, TensorExpr *product, TensorExpr *factor);

/* Maps labels of a program to the consecutive numbers that estimates use. */
typedef struct LabelNumbers
{
	Program *program;
	int nlabels;
	int labels[ESTIMATE_MAX_LABELS]; /* the program's label, by number */
	double bounds[ESTIMATE_MAX_LABELS];
} LabelNumbers;

/*
 * Makes a mask of the labels' numbers, and numbers new labels; false if there are too
 * many.
 */
extern bool number_labels(LabelNumbers *numbers, const Bitmapset *labels,
						  LabelMask *mask);

/*
 * Estimates a killer, whose labels have numbers, as the join of the operands that decide
 * its support.
 */
extern void estimate_factor(Algebra *algebra, LabelNumbers *numbers, TensorExpr *factor,
							Estimate *result);

#endif
