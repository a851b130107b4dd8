/*-------------------------------------------------------------------------
 *
 * linear_algebra_shape.h
 *	  Finds how many rows and columns each expression of linear algebra has.
 *
 * Everything is a matrix: a column vector is n x 1, a row vector 1 x n, and a
 * number 1 x 1. A dimension of a tensor of rank 2 has a label even if its bound
 * is 1; the dimensions of bound 1 of a vector or a number have none.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_LINEAR_ALGEBRA_SHAPE_H
#define EXPR_LINEAR_ALGEBRA_SHAPE_H

#include "expr/linear_algebra.h"

typedef struct Extent
{
	bool labelled; /* false: no tensor has this dimension; the bound is 1 */
	int64 bound;   /* or BOUND_OPEN */
} Extent;

typedef struct Shape
{
	Extent rows;
	Extent columns;
} Shape;

/* A syntax tree with the shape of every node. */
typedef struct MatrixSyntax
{
	SyntaxExpr *syntax;
	Shape shape;
	bool left_as_row; /* of a product: its left side is a vector, taken as a row */
	int nargs;
	struct MatrixSyntax *args[FUNCTION_MAX_ARGS];
} MatrixSyntax;

/*
 * Finds the shapes of an expression and its parts; text is for error positions. Raises
 * 2202E, with the shapes, where operands do not conform.
 */
extern MatrixSyntax *find_shapes(const char *text, SyntaxExpr *expr,
								 TensorResolver resolve, void *context);

/* Returns a shape as text for messages, such as "3 x 2". */
extern char *shape_string(const Shape *shape);

extern bool is_number_shape(const Shape *shape);
extern Shape transposed_shape(const Shape *shape);

#endif
