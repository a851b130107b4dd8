/*-------------------------------------------------------------------------
 *
 * derivative.h
 *	  The derivative of one node by one of its arguments.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_DERIVATIVE_H
#define EXPR_DERIVATIVE_H

#include "expr/expr.h"

/* Where derivatives find the values of nodes: the program, or tensors that hold them. */
typedef struct DerivativeContext
{
	Program *program;
	/* returns an expression that has the value of a node of the program */
	TensorExpr *(*value)(void *state, TensorExpr *node);
	void *state;
} DerivativeContext;

/*
 * Returns what a node passes back to an argument x of the adjoint passed to the node.
 * With dL the change of a real number L, dL = Re(conj(adjoint) dnode) = Re(conj(result)
 * dx), for each index of the node's labels and of those it aggregates. So an adjoint of
 * complex numbers is dL/dRe + i dL/dIm. NULL where the result is always 0, as with
 * comparisons, rounding functions, any and all.
 */
extern TensorExpr *pass_back(const DerivativeContext *context, TensorExpr *node, int arg,
							 TensorExpr *adjoint);

/*
 * Does a product with exp, or a quotient of exp, pass back its adjoint times its own
 * value? The derivative of a * exp(z) and exp(z) / y by z is the node itself; by y it is
 * the node divided by -y. Then exp alone is never needed, which may have entries where
 * the node has none.
 */
extern bool is_passed_value(const TensorExpr *node, int arg);

/* Returns the adjoint times the node's value; the value of a quotient by its parts. */
extern TensorExpr *adjoint_times_value(const DerivativeContext *context, TensorExpr *node,
									   TensorExpr *adjoint);

/*
 * Returns what the node passes back, given its adjoint times its value, and in *to the
 * expression to which it is passed: the argument of exp, or the divisor.
 */
extern TensorExpr *pass_value(const DerivativeContext *context, TensorExpr *node, int arg,
							  TensorExpr *adjoint_times_value, TensorExpr **to);

/*
 * Does a node, which has arguments, change with them only in jumps, so that its
 * derivative is 0?
 */
extern bool is_constant_in_parts(const TensorExpr *node);

/* Returns the identity matrix at two labels, the first of which has a bound. */
extern TensorExpr *identity_matrix(Program *program, int row, int column);

#endif
