/*-------------------------------------------------------------------------
 *
 * linear_algebra.c
 *	  Statements without indices: linear algebra with R's operators, rewritten
 *	  to index notation on the syntax tree.
 *
 *	  x %*% y			 c[i,j] = sum[k] x[i,k] * y[k,j]
 *	  t(x)				 x[j,i]
 *	  x * y, f(x)		 x[i,j] * y[i,j], f(x[i,j])
 *	  sum(x)			 sum[i,j] x[i,j]
 *	  rowSums, colSums	 sum[j] x[i,j], sum[i] x[i,j]
 *
 * A value has rows, columns, both or neither. As in R, two vectors multiply to
 * their inner product, and a vector before a matrix is taken as a row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/linear_algebra.h"

typedef struct Shape
{
	bool has_rows;
	bool has_columns;
	int64 rows;
	int64 columns;
} Shape;

typedef struct LinearAlgebra
{
	const char *text;
	TensorResolver resolve;
	void *context;
	int nlabels;         /* made so far */
	const char **target; /* labels of the result: sums need others */
	int ntarget;
} LinearAlgebra;

static Shape shape_of(LinearAlgebra *algebra, SyntaxExpr *expr);
static SyntaxExpr *indexed(LinearAlgebra *algebra, SyntaxExpr *expr, const char *row,
						   const char *column);

static bool
uses_linear_algebra(const SyntaxExpr *expr)
{
	ListCell *lc;

	check_stack_depth();
	if (expr->kind == SYNTAX_MATMUL || expr->kind == SYNTAX_ALGEBRA ||
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

static char *
bound_string(int64 bound)
{
	return bound == BOUND_OPEN ? "open" : psprintf(INT64_FORMAT, bound);
}

static char *
shape_string(const Shape *shape)
{
	if (!shape->has_rows && !shape->has_columns)
		return "a number";
	return psprintf("%s x %s", shape->has_rows ? bound_string(shape->rows) : "1",
					shape->has_columns ? bound_string(shape->columns) : "1");
}

static void
not_conformable(LinearAlgebra *algebra, const char *operation, const Shape *left,
				const Shape *right, int location)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
		 errmsg("operands of \"%s\" do not conform", operation),
		 errdetail("They are %s and %s.", shape_string(left), shape_string(right)),
		 errhint("t() transposes; write the statement with indices for anything else."),
		 program_errposition(algebra->text, location)));
}

/* A function as it is written. */
static const char *
operation_name(FunctionId function)
{
	const PointwiseFunction *row = &pointwise_functions[function];

	return row->symbol ? row->symbol : row->name;
}

static Shape
reference_shape(LinearAlgebra *algebra, SyntaxExpr *expr)
{
	SyntaxReference *reference = expr->reference;
	ProgramTensor *tensor;
	Shape shape = {false};

	if (reference->bracketed && reference->indices != NIL)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("a statement has either indices everywhere or nowhere"),
						errhint("Write every tensor with its indices, or none."),
						program_errposition(algebra->text, reference->location)));
	tensor = algebra->resolve(algebra->context, reference);
	if (tensor->rank > 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tensor \"%s\" of rank %d in linear algebra", tensor->name,
							   tensor->rank),
						errhint("Write the statement with indices."),
						program_errposition(algebra->text, reference->location)));
	shape.has_rows = tensor->rank >= 1;
	shape.has_columns = tensor->rank == 2;
	shape.rows = shape.has_rows ? tensor->bounds[0] : 0;
	shape.columns = shape.has_columns ? tensor->bounds[1] : 0;
	return shape;
}

static bool
is_number(const Shape *shape)
{
	return !shape->has_rows && !shape->has_columns;
}

static bool
same_shape(const Shape *a, const Shape *b)
{
	return a->has_rows == b->has_rows && a->has_columns == b->has_columns &&
		   a->rows == b->rows && a->columns == b->columns;
}

/* A column before a matrix or another column is taken as a row. */
static bool
left_is_row(const Shape *left, const Shape *right)
{
	return left->has_rows && !left->has_columns && right->has_rows;
}

static Shape
transposed(const Shape *shape)
{
	Shape result = {shape->has_columns, shape->has_rows, shape->columns, shape->rows};

	return result;
}

static Shape
product_shape(LinearAlgebra *algebra, SyntaxExpr *expr)
{
	Shape left = shape_of(algebra, linitial(expr->args));
	Shape right = shape_of(algebra, lsecond(expr->args));
	Shape row = left_is_row(&left, &right) ? transposed(&left) : left;
	Shape result = {row.has_rows, right.has_columns, row.rows, right.columns};

	/* both have the contracted extent, or (column times row) neither has */
	if (is_number(&left) || is_number(&right) || row.has_columns != right.has_rows ||
		(row.has_columns && row.columns != right.rows))
		not_conformable(algebra, "%*%", &left, &right, expr->location);
	return result;
}

static Shape
algebra_shape(LinearAlgebra *algebra, SyntaxExpr *expr)
{
	Shape argument = shape_of(algebra, linitial(expr->args));
	Shape result = {false};

	if (strcmp(expr->algebra, "t") == 0)
		return transposed(&argument);
	if (strcmp(expr->algebra, "sum") == 0)
		return result;
	if (!argument.has_rows || !argument.has_columns)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s of something that is no matrix", expr->algebra),
						errdetail("It is %s.", shape_string(&argument)),
						errhint("sum() adds up all entries of anything."),
						program_errposition(algebra->text, expr->location)));
	result.has_rows = true;
	result.rows =
		strcmp(expr->algebra, "rowSums") == 0 ? argument.rows : argument.columns;
	return result;
}

/* Element by element: all operands that are no numbers have one shape. */
static Shape
call_shape(LinearAlgebra *algebra, SyntaxExpr *expr)
{
	Shape result = {false};
	ListCell *lc;

	foreach (lc, expr->args)
	{
		Shape shape = shape_of(algebra, lfirst(lc));

		if (is_number(&shape))
			continue;
		if (!is_number(&result) && !same_shape(&result, &shape))
			not_conformable(algebra, operation_name(expr->function), &result, &shape,
							expr->location);
		result = shape;
	}
	return result;
}

static Shape
shape_of(LinearAlgebra *algebra, SyntaxExpr *expr)
{
	Shape number = {false};

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (expr->kind)
	{
		case SYNTAX_REFERENCE:
			return reference_shape(algebra, expr);
		case SYNTAX_CALL:
			return call_shape(algebra, expr);
		case SYNTAX_MATMUL:
			return product_shape(algebra, expr);
		case SYNTAX_ALGEBRA:
			return algebra_shape(algebra, expr);
		case SYNTAX_AGGREGATE:
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
							errmsg("an aggregate over labels in linear algebra"),
							errhint("Use sum(), rowSums() or colSums(), or write every "
									"tensor with its indices."),
							program_errposition(algebra->text, expr->location)));
			break;
		default:
			break;
	}
	return number;
}

static SyntaxIndex *
make_index(const char *label, int location)
{
	SyntaxIndex *index = palloc0(sizeof(SyntaxIndex));

	index->label = pstrdup(label);
	index->pin = PIN_NONE;
	index->location = location;
	return index;
}

/* Labels of sums: k, k1, k2, ... */
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

static SyntaxExpr *
make_sum(SyntaxExpr *body, const char *first, const char *second, int location)
{
	SyntaxExpr *sum = palloc0(sizeof(SyntaxExpr));

	sum->kind = SYNTAX_AGGREGATE;
	sum->aggregate = AGGREGATE_SUM;
	sum->location = location;
	sum->args = list_make1(body);
	if (first)
		sum->labels = lappend(sum->labels, make_index(first, location));
	if (second)
		sum->labels = lappend(sum->labels, make_index(second, location));
	return sum->labels ? sum : body;
}

static SyntaxExpr *
indexed_product(LinearAlgebra *algebra, SyntaxExpr *expr, const char *row,
				const char *column)
{
	Shape left = shape_of(algebra, linitial(expr->args));
	Shape right = shape_of(algebra, lsecond(expr->args));
	bool as_row = left_is_row(&left, &right);
	bool contracts = right.has_rows;
	char *label = contracts ? new_label(algebra) : NULL;
	SyntaxExpr *product = palloc0(sizeof(SyntaxExpr));

	product->kind = SYNTAX_CALL;
	product->function = FUNCTION_MULTIPLY;
	product->location = expr->location;
	product->args =
		list_make2(as_row ? indexed(algebra, linitial(expr->args), label, NULL)
						  : indexed(algebra, linitial(expr->args), row, label),
				   indexed(algebra, lsecond(expr->args), label, column));
	return make_sum(product, label, NULL, expr->location);
}

static SyntaxExpr *
indexed_algebra(LinearAlgebra *algebra, SyntaxExpr *expr, const char *row,
				const char *column)
{
	SyntaxExpr *argument = linitial(expr->args);
	Shape shape = shape_of(algebra, argument);
	char *label;
	char *second;

	if (strcmp(expr->algebra, "t") == 0)
		return indexed(algebra, argument, column, row);
	if (strcmp(expr->algebra, "rowSums") == 0)
	{
		label = new_label(algebra);
		return make_sum(indexed(algebra, argument, row, label), label, NULL,
						expr->location);
	}
	if (strcmp(expr->algebra, "colSums") == 0)
	{
		label = new_label(algebra);
		return make_sum(indexed(algebra, argument, label, row), label, NULL,
						expr->location);
	}
	label = shape.has_rows ? new_label(algebra) : NULL;
	second = shape.has_columns ? new_label(algebra) : NULL;
	return make_sum(indexed(algebra, argument, label, second), label, second,
					expr->location);
}

/* An expression with these labels for its rows and columns. */
static SyntaxExpr *
indexed(LinearAlgebra *algebra, SyntaxExpr *expr, const char *row, const char *column)
{
	Shape shape;
	ListCell *lc;

	check_stack_depth();
	switch (expr->kind)
	{
		case SYNTAX_REFERENCE:
			shape = reference_shape(algebra, expr);
			expr->reference->bracketed = true;
			if (shape.has_rows)
				expr->reference->indices =
					lappend(expr->reference->indices, make_index(row, expr->location));
			if (shape.has_columns)
				expr->reference->indices =
					lappend(expr->reference->indices, make_index(column, expr->location));
			return expr;
		case SYNTAX_CALL:
			foreach (lc, expr->args)
				lfirst(lc) = indexed(algebra, lfirst(lc), row, column);
			return expr;
		case SYNTAX_MATMUL:
			return indexed_product(algebra, expr, row, column);
		case SYNTAX_ALGEBRA:
			return indexed_algebra(algebra, expr, row, column);
		default:
			return expr;
	}
}

void
add_indices(const char *text, SyntaxStatement *statement, TensorResolver resolve,
			void *context)
{
	LinearAlgebra algebra = {.text = text, .resolve = resolve, .context = context};
	SyntaxReference *target = statement->target;
	Shape shape = shape_of(&algebra, statement->expr);
	int rank = shape.has_rows + shape.has_columns;
	const char *labels[2] = {"i", "j"};
	ListCell *lc;

	if (!target->bracketed)
	{
		target->bracketed = true;
		for (int i = 0; i < rank; i++)
			target->indices =
				lappend(target->indices, make_index(labels[i], target->location));
	}
	if (list_length(target->indices) != rank)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("the result is %s, which has another number of labels",
							   shape_string(&shape)),
						errhint("Leave out the brackets, or give it %d.", rank),
						program_errposition(text, target->location)));
	foreach (lc, target->indices)
		labels[foreach_current_index(lc)] = ((SyntaxIndex *) lfirst(lc))->label;
	algebra.target = labels;
	algebra.ntarget = rank;
	statement->expr =
		indexed(&algebra, statement->expr, shape.has_rows ? labels[0] : NULL,
				shape.has_columns ? labels[rank - 1] : NULL);
}
