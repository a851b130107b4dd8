/*-------------------------------------------------------------------------
 *
 * linear_algebra.h
 *	  Statements without indices: linear algebra with R's operators.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_LINEAR_ALGEBRA_H
#define EXPR_LINEAR_ALGEBRA_H

#include "expr/expr.h"

/* Returns the tensor that a reference names, or raises an error. */
typedef ProgramTensor *(*TensorResolver)(void *context, SyntaxReference *reference);

/* Does a statement have a tensor without brackets, or use %*%, t() and the like? */
extern bool is_linear_algebra(const SyntaxStatement *statement);

/*
 * Gives every reference of a linear algebra statement its indices, in place; products and
 * sums become explicit sums. Shapes come from the tensors; a tensor of rank 1 is a
 * column, unless an earlier statement has made it a row. Raises 2202E with both shapes
 * where operands do not conform. Returns true if the result is a row with one label.
 * is_until: the statement is the condition that ends a loop.
 */
extern bool add_indices(const char *text, SyntaxStatement *statement, bool is_until,
						TensorResolver resolve, void *context);

#endif
