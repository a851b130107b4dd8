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

/* Where derivatives find the values of nodes. */
typedef struct DerivativeContext
{
	Program *program;
	/* an expression that has the value of a node of the program */
	TensorExpr *(*value)(void *state, TensorExpr *node);
	void *state;
} DerivativeContext;

/*
 * What a node passes on to an argument of what is passed to it: with dL the change of a
 * real number L, adjoint of node and result r of argument x, dL = Re(conj(adjoint) dnode) =
 * Re(conj(r) dx) for each index of the node's labels and those it aggregates. So an adjoint of
 * complex numbers is dL/dRe + i dL/dIm. NULL where r is 0 for all values of the arguments,
 * as comparisons, what rounds, any and all have it.
 */
extern TensorExpr *pass_back(const DerivativeContext *context, TensorExpr *node, int arg,
							 TensorExpr *adjoint);

/*
 * Is what a product with exp, or a quotient of it, passes on made of its adjoint times its own value? By what
 * exp is of, the derivative of a * exp(z) and exp(z) / y is the node itself, and by the divisor that, divided: so
 * nothing asks for exp alone, which has entries where the node may have none.
 */
extern bool is_passed_value(const TensorExpr *node, int arg);

/* That, the value of a quotient by its parts. */
extern TensorExpr *adjoint_times_value(const DerivativeContext *context, TensorExpr *node,
									   TensorExpr *adjoint);

/* What the node passes on of it, and to which expression: below exp, or the divisor. */
extern TensorExpr *pass_value(const DerivativeContext *context, TensorExpr *node, int arg,
							  TensorExpr *adjoint_times_value, TensorExpr **to);

/* Does nothing change with the arguments, of which there are some, but in jumps? */
extern bool is_constant_in_parts(const TensorExpr *node);

/* The entry of the identity matrix at two labels, the first of which has a bound. */
extern TensorExpr *identity_matrix(Program *program, int row, int column);

#endif
