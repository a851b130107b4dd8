/*-------------------------------------------------------------------------
 *
 * formula.h
 *	  What people know by name, written out: means, counts, norms, softmax.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_FORMULA_H
#define EXPR_FORMULA_H

#include "expr/expr.h"

/*
 * avg[j] x and its kin, of labels that body has free, and with a bound. All but softmax bind
 * them. What is computed twice is one node, so that it is one stage.
 *
 *	  avg[j] x			(sum[j] x) / bound
 *	  count[j] x		sum[j] float8(x <> 0)
 *	  norm[j] x			sqrt(sum[j] abs(x)^2)
 *	  logsumexp[j] x	ln(sum[j] exp(x - m)) + m, where m is the maximum, or an integer beside it
 *	  softmax[j] x		exp(x - m) / (sum[j] exp(x - m))
 *	  argmax[j] x		the first index of the maximum, NaN before all numbers; argmin likewise. A node of
 *						its own: computed twice, x may not equal its maximum
 *
 * Errors: 0A000 for an order among complex numbers, and for an argmax of several labels, of a
 * label in blocks or of a dimension; 2202E for the number of indices of an open label; 22023 for
 * an argmax of no elements; with the position.
 */
extern TensorExpr *expr_formula(Program *program, Formula formula, Bitmapset *labels,
								TensorExpr *body, int location);

#endif
