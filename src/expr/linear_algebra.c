/*-------------------------------------------------------------------------
 *
 * linear_algebra.c
 *	  Statements without indices: linear algebra with R's operators, rewritten
 *	  to index notation on the syntax tree.
 *
 *	  x %*% y			 c[i,j] = sum[k] x[i,k] * y[k,j]
 *	  t(x)				 x[j,i]
 *	  x * y, f(x)		 x[i,j] * y[i,j], f(x[i,j]); x[i,j] * y[i] of a column
 *	  sum(x), max(x)	 sum[i,j] x[i,j], max[i,j] x[i,j]
 *	  rowSums, colMaxs	 sum[j] x[i,j], max[i] x[i,j]
 *	  mean(x)			 (sum[i,j] x[i,j]) / 6
 *	  trace, diag		 sum[i] x[i,i], x[i,i]; x[i] * eye[i,j] of a vector
 *	  nrow, ncol		 a number
 *	  solve(a, b)		 solve[i,k](a[k,i], b[k,j])
 *	  inverse, cholesky	 inverse[i,j](a[i,j])
 *
 * A label for rows or columns is NULL where there is one index: of what has a
 * dimension for it, as a matrix of one column, the only entry is its sum.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "catalog/dimension.h"
#include "catalog/origin.h"
#include "expr/linear_algebra_shape.h"
#include "recursion.h"

typedef struct LinearAlgebra
{
	int nlabels;         /* made so far */
	const char **target; /* labels of the result: sums need others */
	int ntarget;
} LinearAlgebra;

static SyntaxExpr *indexed(LinearAlgebra *algebra, const MatrixSyntax *matrix,
						   const char *row, const char *column);

static bool
uses_linear_algebra(const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_MATMUL ||
		(expr->kind == SYNTAX_MATRIX && !is_solver(expr)) ||
		(expr->kind == SYNTAX_REFERENCE && !expr->reference->bracketed))
		return true;
	foreach (lc, expr->args)
	{
		if (uses_linear_algebra((SyntaxExpr *) lfirst(lc)))
			return true;
	}
	return false;
}

bool
is_linear_algebra(const SyntaxStatement *statement)
{
	return !statement->target->bracketed || uses_linear_algebra(statement->expr);
}

/* Returns a new label for an aggregate: k, k1, k2, ... */
static char *
new_label(LinearAlgebra *algebra)
{
	for (;;)
	{
		int number = algebra->nlabels++;
		char *label = number == 0 ? pstrdup("k") : psprintf("k%d", number);
		bool taken = false;

		for (int i = 0; i < algebra->ntarget; i++)
			taken = taken || strcmp(label, algebra->target[i]) == 0;
		if (!taken)
			return label;
	}
}

/* Returns body, aggregated over those of the two labels that are not NULL. */
static SyntaxExpr *
make_aggregate(AggregateOperator aggregate, SyntaxExpr *body, const char *first,
			   const char *second, int location)
{
	SyntaxExpr *expr = make_expr(SYNTAX_AGGREGATE, list_make1(body), location);

	expr->aggregate = aggregate;
	if (first)
		expr->labels = lappend(expr->labels, implied_index(first, location));
	if (second)
		expr->labels = lappend(expr->labels, implied_index(second, location));
	return expr->labels ? expr : body;
}

static SyntaxExpr *
make_call(FunctionId function, SyntaxExpr *left, SyntaxExpr *right, int location)
{
	SyntaxExpr *expr = make_expr(SYNTAX_CALL, list_make2(left, right), location);

	expr->function = function;
	return expr;
}

static SyntaxExpr *
make_number(double number, int location)
{
	SyntaxExpr *expr = make_expr(SYNTAX_NUMBER, NIL, location);

	expr->number = number;
	return expr;
}

static SyntaxExpr *
make_identity(const char *row, const char *column, int location)
{
	SyntaxExpr *expr = make_expr(SYNTAX_REFERENCE, NIL, location);
	SyntaxReference *reference = palloc0(sizeof(SyntaxReference));

	reference->name = pstrdup("eye");
	reference->identity = true;
	reference->bracketed = true;
	reference->indices =
		list_make2(implied_index(row, location), implied_index(column, location));
	reference->location = location;
	expr->reference = reference;
	return expr;
}

static SyntaxExpr *
indexed_reference(LinearAlgebra *algebra, const MatrixSyntax *matrix, const char *row,
				  const char *column)
{
	SyntaxExpr *expr = matrix->syntax;
	const Extent *extents[2] = {&matrix->shape.rows, &matrix->shape.columns};
	const char *labels[2] = {row, column};
	const char *only[2] = {NULL, NULL};

	expr->reference->bracketed = true;
	for (int i = 0; i < 2; i++)
	{
		if (!extents[i]->labelled)
			continue;
		if (labels[i] == NULL)
		{
			Assert(extents[i]->bound == 1);
			labels[i] = only[i] = new_label(algebra);
		}
		expr->reference->indices =
			lappend(expr->reference->indices, implied_index(labels[i], expr->location));
	}
	return make_aggregate(AGGREGATE_SUM, expr, only[0], only[1], expr->location);
}

/*
 * Returns the label for an operand's dimension; NULL if the operand has one index there,
 * which repeats for all of the result's.
 */
static const char *
repeated(const Extent *operand, const Extent *result, const char *label)
{
	return operand->bound == result->bound ? label : NULL;
}

static SyntaxExpr *
indexed_call(LinearAlgebra *algebra, const MatrixSyntax *call, const char *row,
			 const char *column)
{
	ListCell *lc;

	foreach (lc, call->syntax->args)
	{
		const MatrixSyntax *arg = call->args[foreach_current_index(lc)];

		lfirst(lc) =
			indexed(algebra, arg, repeated(&arg->shape.rows, &call->shape.rows, row),
					repeated(&arg->shape.columns, &call->shape.columns, column));
	}
	return call->syntax;
}

static SyntaxExpr *
indexed_product(LinearAlgebra *algebra, const MatrixSyntax *product, const char *row,
				const char *column)
{
	const MatrixSyntax *left = product->args[0];
	const MatrixSyntax *right = product->args[1];
	const Extent *inner = product->left_as_row ? &left->shape.rows : &left->shape.columns;
	int location = product->syntax->location;
	char *label = NULL;
	SyntaxExpr *first;

	if (inner->labelled || right->shape.rows.labelled)
		label = new_label(algebra);
	first = product->left_as_row ? indexed(algebra, left, label, NULL)
								 : indexed(algebra, left, row, label);
	return make_aggregate(AGGREGATE_SUM,
						  make_call(FUNCTION_MULTIPLY, first,
									indexed(algebra, right, label, column), location),
						  label, NULL, location);
}

/*
 * Returns how many rows or columns there are: a number, or the number of keys of a
 * dimension.
 */
static SyntaxExpr *
extent_count(LinearAlgebra *algebra, const Extent *extent, int location)
{
	SyntaxExpr *keys;
	const TensorEntry *entry;
	char *label;

	if (!bound_is_dimension(extent->bound))
		return make_number((double) bound_size(extent->bound), location);
	entry = dimension_entry(extent->bound);
	label = new_label(algebra);
	keys = make_expr(SYNTAX_REFERENCE, NIL, location);
	keys->reference = palloc0(sizeof(SyntaxReference));
	keys->reference->schema = get_namespace_name(entry->schema);
	keys->reference->name = entry->name;
	keys->reference->bracketed = true;
	keys->reference->indices = list_make1(implied_index(label, location));
	keys->reference->location = location;
	return make_aggregate(AGGREGATE_SUM, keys, label, NULL, location);
}

/* Returns the product of two such counts; either extent may be NULL, for 1. */
static SyntaxExpr *
product_of_extents(LinearAlgebra *algebra, const Extent *rows, const Extent *columns,
				   int location)
{
	static const Extent one = {false, 1};

	rows = rows ? rows : &one;
	columns = columns ? columns : &one;
	if (!bound_is_dimension(rows->bound) && !bound_is_dimension(columns->bound))
		return make_number((double) bound_size(rows->bound) *
							   (double) bound_size(columns->bound),
						   location);
	return make_call(FUNCTION_MULTIPLY, extent_count(algebra, rows, location),
					 extent_count(algebra, columns, location), location);
}

static SyntaxExpr *
indexed_aggregate(LinearAlgebra *algebra, const MatrixSyntax *call, const char *row,
				  const char *column)
{
	const MatrixFunction *function = call->syntax->matrix;
	const MatrixSyntax *argument = call->args[0];
	const Shape *shape = &argument->shape;
	int location = call->syntax->location;
	char *over_row =
		function->over_rows && shape->rows.labelled ? new_label(algebra) : NULL;
	char *over_column =
		function->over_columns && shape->columns.labelled ? new_label(algebra) : NULL;
	SyntaxExpr *count;
	SyntaxExpr *result = indexed(algebra, argument, function->over_rows ? over_row : row,
								 function->over_columns ? over_column : column);

	result = make_aggregate(function->aggregate, result, over_row, over_column, location);
	if (!function->mean)
		return result;
	if (result->kind == SYNTAX_AGGREGATE && (over_row || over_column))
		result->matrix = function;
	count = product_of_extents(algebra, over_row ? &shape->rows : NULL,
							   over_column ? &shape->columns : NULL, location);
	return make_call(FUNCTION_DIVIDE, result, count, location);
}

static SyntaxExpr *
indexed_diagonal(LinearAlgebra *algebra, const MatrixSyntax *call, const char *row,
				 const char *column)
{
	const MatrixSyntax *argument = call->args[0];
	bool is_row = argument->shape.rows.bound == 1;
	int location = call->syntax->location;
	SyntaxExpr *vector;

	/* the diagonal of a square matrix */
	if (!call->shape.columns.labelled)
		return indexed(algebra, argument, row, row);
	vector = is_row ? indexed(algebra, argument, NULL, row)
					: indexed(algebra, argument, row, NULL);
	/* the diagonal of diag(vector) */
	if (strcmp(row, column) == 0)
		return vector;
	return make_call(FUNCTION_MULTIPLY, vector, make_identity(row, column, location),
					 location);
}

static SyntaxExpr *
indexed_trace(LinearAlgebra *algebra, const MatrixSyntax *call)
{
	const MatrixSyntax *argument = call->args[0];
	char *label = is_number_shape(&argument->shape) ? NULL : new_label(algebra);

	return make_aggregate(AGGREGATE_SUM, indexed(algebra, argument, label, label), label,
						  NULL, call->syntax->location);
}

/*
 * Gives solve, inverse or cholesky labels: the matrix has those of the result. New labels
 * are made where the result has none; if it has one label for both, the diagonal is
 * taken.
 */
static SyntaxExpr *
indexed_solver(LinearAlgebra *algebra, const MatrixSyntax *call, const char *row,
			   const char *column)
{
	SyntaxExpr *expr = call->syntax;
	int location = expr->location;
	bool solve = expr->matrix->operation == MATRIX_SOLVE;
	bool diagonal = row && column && strcmp(row, column) == 0;
	const char *first = row && !diagonal ? row : new_label(algebra);
	const char *second = solve || column == NULL ? new_label(algebra) : column;
	SyntaxExpr *result = expr;

	expr->labels =
		list_make2(implied_index(first, location), implied_index(second, location));
	if (solve)
		expr->args = list_make2(indexed(algebra, call->args[0], second, first),
								indexed(algebra, call->args[1], second, column));
	else
		expr->args = list_make1(indexed(algebra, call->args[0], first, second));
	if (diagonal)
		result = make_call(FUNCTION_MULTIPLY, make_identity(row, first, location), result,
						   location);
	return make_aggregate(AGGREGATE_SUM, result, first != row ? first : NULL,
						  !solve && second != column ? second : NULL, location);
}

static SyntaxExpr *
indexed_matrix_function(LinearAlgebra *algebra, const MatrixSyntax *call, const char *row,
						const char *column)
{
	const MatrixSyntax *argument = call->args[0];
	int location = call->syntax->location;

	switch (call->syntax->matrix->operation)
	{
		case MATRIX_TRANSPOSE:
			return indexed(algebra, argument, column, row);
		case MATRIX_AGGREGATE:
			return indexed_aggregate(algebra, call, row, column);
		case MATRIX_DIAGONAL:
			return indexed_diagonal(algebra, call, row, column);
		case MATRIX_TRACE:
			return indexed_trace(algebra, call);
		case MATRIX_ROWS:
			return extent_count(algebra, &argument->shape.rows, location);
		case MATRIX_COLUMNS:
			return extent_count(algebra, &argument->shape.columns, location);
		case MATRIX_SOLVE:
		case MATRIX_INVERSE:
		case MATRIX_CHOLESKY:
			return indexed_solver(algebra, call, row, column);
		case MATRIX_ARGMAX:
		case MATRIX_ARGMIN:
			break;
	}
	return NULL;
}

/* Returns an expression with these labels for its rows and columns. */
static SyntaxExpr *
indexed(LinearAlgebra *algebra, const MatrixSyntax *matrix, const char *row,
		const char *column)
{
	enter_recursion();
	switch (matrix->syntax->kind)
	{
		case SYNTAX_REFERENCE:
			return indexed_reference(algebra, matrix, row, column);
		case SYNTAX_CALL:
			return indexed_call(algebra, matrix, row, column);
		case SYNTAX_MATMUL:
			return indexed_product(algebra, matrix, row, column);
		case SYNTAX_MATRIX:
			return indexed_matrix_function(algebra, matrix, row, column);
		default:
			return matrix->syntax;
	}
}

/*
 * Decides whether the result has a label for rows and one for columns. Without brackets
 * on the left, a result of one entry has no labels; with brackets, it has one for each
 * dimension, or for each dimension with a bound other than 1.
 */
static void
choose_dimensions(const char *text, const SyntaxReference *target, bool is_until,
				  const Shape *shape, bool *has)
{
	const Extent *extents[2] = {&shape->rows, &shape->columns};
	int given = list_length(target->indices);
	int dimensions = 0;
	int longer = 0;
	bool all;

	for (int i = 0; i < 2; i++)
	{
		dimensions += extents[i]->labelled;
		longer += extents[i]->labelled && extents[i]->bound != 1;
	}
	all = target->bracketed ? given == dimensions : longer > 0;
	if (target->bracketed && given != dimensions && given != longer)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the result is %s, which has another number of labels",
						shape_string(shape)),
				 is_until ? errhint("until is one number: write all[i] (r[i] < 0.01), or "
									"max(r) < 0.01.")
				 : given == 0
					 ? errhint("A number is sum(a), max(a) or another aggregate "
							   "of it; or leave out the brackets.")
					 : errhint("Leave out the brackets, or give it %d.", dimensions),
				 program_errposition(text, target->location)));
	for (int i = 0; i < 2; i++)
		has[i] = extents[i]->labelled && (all || extents[i]->bound != 1);
}

bool
add_indices(const char *text, SyntaxStatement *statement, bool is_until,
			TensorResolver resolve, void *context)
{
	LinearAlgebra algebra = {0};
	SyntaxReference *target = statement->target;
	MatrixSyntax *matrix = find_shapes(text, statement->expr, resolve, context);
	const char *names[2] = {"i", "j"};
	const char *labels[2] = {NULL, NULL};
	bool has[2];
	int rank;

	choose_dimensions(text, target, is_until, &matrix->shape, has);
	rank = has[0] + has[1];
	if (!target->bracketed)
	{
		for (int i = 0; i < rank; i++)
			target->indices =
				lappend(target->indices, implied_index(names[i], target->location));
		target->bracketed = true;
	}
	for (int i = 0; i < rank; i++)
		names[i] = ((SyntaxIndex *) list_nth(target->indices, i))->label;
	if (has[0])
		labels[0] = names[0];
	if (has[1])
		labels[1] = names[rank - 1];
	algebra.target = names;
	algebra.ntarget = rank;
	statement->expr = indexed(&algebra, matrix, labels[0], labels[1]);
	return has[1] && !has[0];
}
