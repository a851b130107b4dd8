/*-------------------------------------------------------------------------
 *
 * formula.h
 *	  Writes out formulas that have a name: means, counts, norms, softmax.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_FORMULA_H
#define EXPR_FORMULA_H

#include "expr/expr.h"

/*
 * Returns avg[j] x or another formula, written out. Its labels are free in body and have
 * bounds. All formulas but softmax bind them. A part that is used twice is one node, so
 * that it is one stage.
 *
 *	  avg[j] x			(sum[j] x) / bound
 *	  count[j] x		sum[j] float8(x <> 0)
 *	  norm[j] x			sqrt(sum[j] abs(x)^2)
 *	  logsumexp[j] x	ln(sum[j] exp(x - m)) + m, where m is an integer near the maximum
 *	  softmax[j] x		exp(x - m) / (sum[j] exp(x - m))
 *	  argmax[j] x		the first index of the maximum, or of a NaN; argmin likewise.
 *						A node of its own: computed twice, x may differ from its maximum
 *
 * Errors, with the position: 0A000 for an order among complex numbers, and for an argmax
 * over several labels, over a label in blocks or over a dimension; 2202E if the number of
 * indices of an open label is needed; 22023 for an argmax of no elements.
 */
extern TensorExpr *expr_formula(Program *program, Formula formula, Bitmapset *labels,
								TensorExpr *body, int location);

#endif
