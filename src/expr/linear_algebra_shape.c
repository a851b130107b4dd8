/*-------------------------------------------------------------------------
 *
 * linear_algebra_shape.c
 *	  Finds the shapes of linear algebra, and reports operands that do not conform.
 *
 * As in R, two vectors multiply to their inner product, and a vector before a
 * matrix is taken as a row. Element by element, numbers, 1 x 1 matrices, and
 * vectors that have the rows or the columns of a matrix repeat for all of it. A
 * column and a row do not make a matrix, since that is more often a mistake.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/label.h"
#include "expr/function_table.h"
#include "expr/linear_algebra_shape.h"
#include "recursion.h"

typedef struct ShapeFinder
{
	const char *text;
	TensorResolver resolve;
	void *context;
} ShapeFinder;

static const Extent one = {false, 1};

static MatrixSyntax *matrix_of(ShapeFinder *finder, SyntaxExpr *expr);

static char *
bound_string(int64 bound)
{
	return bound == BOUND_OPEN ? "open" : bound_to_string(bound);
}

bool
is_number_shape(const Shape *shape)
{
	return !shape->rows.labelled && !shape->columns.labelled;
}

char *
shape_string(const Shape *shape)
{
	if (is_number_shape(shape))
		return "a number";
	return psprintf("%s x %s", bound_string(shape->rows.bound),
					bound_string(shape->columns.bound));
}

Shape
transposed_shape(const Shape *shape)
{
	return (Shape){.rows = shape->columns, .columns = shape->rows};
}

static bool
is_square(const Shape *shape)
{
	return shape->rows.bound == shape->columns.bound;
}

static bool
is_vector(const Shape *shape)
{
	return shape->rows.bound == 1 || shape->columns.bound == 1;
}

/*
 * Is it a tensor of rank 1, or another expression with rows and no dimension for columns?
 */
static bool
is_column(const Shape *shape)
{
	return shape->rows.labelled && !shape->columns.labelled;
}

static void
not_conformable(ShapeFinder *finder, const char *operation, const Shape *left,
				const Shape *right, const char *hint, int location)
{
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("operands of \"%s\" do not conform", operation),
			 errdetail("They are %s and %s.", shape_string(left), shape_string(right)),
			 errhint("%s", hint), program_errposition(finder->text, location)));
}

static Shape
reference_shape(ShapeFinder *finder, SyntaxExpr *expr)
{
	SyntaxReference *reference = expr->reference;
	ProgramTensor *tensor;
	Shape shape = {one, one};
	Extent *extents[2] = {&shape.rows, &shape.columns};

	if (reference->bracketed && reference->indices != NIL)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("a statement has either indices everywhere or nowhere"),
						errhint("Write every tensor with its indices and every aggregate "
								"with its labels, as in sum[j] a[i,j]; or none of them."),
						program_errposition(finder->text, reference->location)));
	tensor = finder->resolve(finder->context, reference);
	if (tensor->rank > 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tensor \"%s\" of rank %d in linear algebra", tensor->name,
							   tensor->rank),
						errhint("Write the statement with indices."),
						program_errposition(finder->text, reference->location)));
	if (tensor->is_row)
		extents[0] = &shape.columns;
	for (int i = 0; i < tensor->rank; i++)
		*extents[i] = (Extent){true, tensor->bounds[i]};
	return shape;
}

static Shape
product_shape(ShapeFinder *finder, MatrixSyntax *product)
{
	const Shape *left = &product->args[0]->shape;
	const Shape *right = &product->args[1]->shape;
	Shape row = *left;

	product->left_as_row =
		is_column(left) && right->rows.labelled && left->rows.bound == right->rows.bound;
	if (product->left_as_row)
		row = transposed_shape(left);
	if (row.columns.bound != right->rows.bound)
		not_conformable(finder, "%*%", left, right,
						_("t() transposes; * multiplies element by element; write the "
						  "statement with indices for anything else."),
						product->syntax->location);
	return (Shape){row.rows, right->columns};
}

/* Does an extent equal the other, or can the other repeat along it, having bound 1? */
static bool
extent_covers(const Extent *extent, const Extent *other)
{
	return extent->bound == other->bound || other->bound == 1;
}

static bool
shape_covers(const Shape *shape, const Shape *other)
{
	return extent_covers(&shape->rows, &other->rows) &&
		   extent_covers(&shape->columns, &other->columns);
}

/* Raises an error for the first two operands of which neither covers the other. */
static void
refuse_call(ShapeFinder *finder, const MatrixSyntax *call)
{
	for (int i = 0; i < call->nargs; i++)
	{
		for (int k = i + 1; k < call->nargs; k++)
		{
			const Shape *a = &call->args[i]->shape;
			const Shape *b = &call->args[k]->shape;
			bool outer = a->rows.bound == 1 ? b->columns.bound == 1 : b->rows.bound == 1;

			if (shape_covers(a, b) || shape_covers(b, a))
				continue;
			not_conformable(
				finder, function_written(call->syntax->function), a, b,
				is_vector(a) && is_vector(b) && outer
					? _("A column and a row have an outer product, x %*% t(y); write "
						"anything else with indices, as in c[i,j] = x[i] + y[j].")
					: _("A column has as many rows as the matrix that it repeats in, a "
						"row as many columns; t() transposes."),
				call->syntax->location);
		}
	}
	elog(ERROR, "operands conform and have no common shape");
}

/*
 * Returns the shape of an operation element by element: that of an operand that covers
 * all others. If several do, such as a vector and a matrix of one column, the result has
 * a label where one of them has it; operands that repeat add no labels.
 */
static Shape
call_shape(ShapeFinder *finder, const MatrixSyntax *call)
{
	Shape shape = {one, one};
	bool found = false;

	for (int i = 0; i < call->nargs; i++)
	{
		const Shape *operand = &call->args[i]->shape;
		int covered = 0;

		while (covered < call->nargs &&
			   shape_covers(operand, &call->args[covered]->shape))
			covered++;
		if (covered < call->nargs)
			continue;
		shape.rows.bound = operand->rows.bound;
		shape.columns.bound = operand->columns.bound;
		shape.rows.labelled |= operand->rows.labelled;
		shape.columns.labelled |= operand->columns.labelled;
		found = true;
	}
	if (!found)
		refuse_call(finder, call);
	return shape;
}

static void
refuse_matrix_function(ShapeFinder *finder, const MatrixSyntax *call, const char *what,
					   const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					errmsg("%s of what %s", call->syntax->matrix->name, what),
					errdetail("It is %s.", shape_string(&call->args[0]->shape)),
					errhint("%s", hint),
					program_errposition(finder->text, call->syntax->location)));
}

/* Raises an error if an extent that is to be counted is open. */
static void
require_bounded(ShapeFinder *finder, const MatrixSyntax *call, const Extent *extent)
{
	if (extent->bound == BOUND_OPEN)
		refuse_matrix_function(finder, call,
							   _("has open keys, whose number is not known"),
							   _("Register the tensors with bounds."));
}

static Shape
diagonal_shape(ShapeFinder *finder, const MatrixSyntax *call)
{
	const Shape *argument = &call->args[0]->shape;
	const Extent *extent =
		argument->columns.bound == 1 ? &argument->rows : &argument->columns;

	if (is_number_shape(argument))
		refuse_matrix_function(
			finder, call, _("is neither square nor a vector"),
			_("The identity matrix is eye[i,j], in a statement with indices."));
	if (is_square(argument))
		return (Shape){{true, argument->rows.bound}, one};
	if (!is_vector(argument))
		refuse_matrix_function(finder, call, _("is neither square nor a vector"),
							   _("diag() of a square matrix is its diagonal, and of a "
								 "vector the matrix that has it as its diagonal."));
	require_bounded(finder, call, extent);
	return (Shape){{true, extent->bound}, {true, extent->bound}};
}

/*
 * Returns the shape of solve, inverse or cholesky: there are as many unknowns as the
 * matrix has columns.
 */
static Shape
solver_shape(ShapeFinder *finder, const MatrixSyntax *call)
{
	const Shape *matrix = &call->args[0]->shape;

	if (call->syntax->labels)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("a statement has either indices everywhere or nowhere"),
						errhint("Without indices, %s needs no labels.",
								call->syntax->matrix->name),
						program_errposition(finder->text, call->syntax->location)));
	if (!is_square(matrix) || is_number_shape(matrix) || !matrix->rows.labelled ||
		!matrix->columns.labelled)
		refuse_matrix_function(
			finder, call, _("is not a square matrix"),
			_("The normal equations t(x) %*% x are square; write 1 / a "
			  "of a number."));
	if (call->syntax->matrix->operation != MATRIX_SOLVE)
		return *matrix;
	if (call->args[1]->shape.rows.bound != matrix->rows.bound)
		not_conformable(finder, "solve", matrix, &call->args[1]->shape,
						_("The right side has as many rows as the matrix."),
						call->syntax->location);
	return (Shape){matrix->columns, call->args[1]->shape.columns};
}

static Shape
matrix_function_shape(ShapeFinder *finder, const MatrixSyntax *call)
{
	const MatrixFunction *function = call->syntax->matrix;
	const Shape *argument = &call->args[0]->shape;
	Shape shape = {one, one};

	switch (function->operation)
	{
		case MATRIX_TRANSPOSE:
			return transposed_shape(argument);
		case MATRIX_AGGREGATE:
			if (!function->over_rows)
				shape.rows = argument->rows;
			else if (function->mean)
				require_bounded(finder, call, &argument->rows);
			if (!function->over_columns)
				shape.columns = argument->columns;
			else if (function->mean)
				require_bounded(finder, call, &argument->columns);
			return shape;
		case MATRIX_DIAGONAL:
			return diagonal_shape(finder, call);
		case MATRIX_TRACE:
			if (!is_square(argument))
				refuse_matrix_function(
					finder, call, _("is not square"),
					_("The trace is the sum of the diagonal of as many rows as columns; "
					  "trace(a %*% b) needs b to have as many columns as a has rows."));
			return shape;
		case MATRIX_ROWS:
			require_bounded(finder, call, &argument->rows);
			return shape;
		case MATRIX_COLUMNS:
			require_bounded(finder, call, &argument->columns);
			return shape;
		case MATRIX_SOLVE:
		case MATRIX_INVERSE:
		case MATRIX_CHOLESKY:
			return solver_shape(finder, call);
		case MATRIX_ARGMAX:
		case MATRIX_ARGMIN:
			break;
	}
	return shape;
}

static Shape
shape_of(ShapeFinder *finder, MatrixSyntax *matrix)
{
	switch (matrix->syntax->kind)
	{
		case SYNTAX_REFERENCE:
			return reference_shape(finder, matrix->syntax);
		case SYNTAX_CALL:
			return call_shape(finder, matrix);
		case SYNTAX_MATMUL:
			return product_shape(finder, matrix);
		case SYNTAX_MATRIX:
			return matrix_function_shape(finder, matrix);
		default:
			break;
	}
	return (Shape){one, one};
}

static MatrixSyntax *
matrix_of(ShapeFinder *finder, SyntaxExpr *expr)
{
	MatrixSyntax *matrix = palloc0(sizeof(MatrixSyntax));
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_AGGREGATE || expr->kind == SYNTAX_FORMULA)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("an aggregate over labels in linear algebra"),
				 errhint("Use sum(), rowSums() or colSums() and their kin, or "
						 "write every tensor, not columns, with its indices: sum[j] "
						 "a[i,j]."),
				 program_errposition(finder->text, expr->location)));
	matrix->syntax = expr;
	foreach (lc, expr->args)
		matrix->args[matrix->nargs++] = matrix_of(finder, lfirst(lc));
	matrix->shape = shape_of(finder, matrix);
	return matrix;
}

MatrixSyntax *
find_shapes(const char *text, SyntaxExpr *expr, TensorResolver resolve, void *context)
{
	ShapeFinder finder = {.text = text, .resolve = resolve, .context = context};

	return matrix_of(&finder, expr);
}
