/*-------------------------------------------------------------------------
 *
 * to_syntax.c
 *	  Turns expressions back into syntax trees.
 *
 * In an expression a label is a number, in a syntax tree a name. An aggregate
 * may bind a label whose number is also free around it; each binder gets a name
 * that no other label in scope has.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "mb/pg_wchar.h"

#include "catalog/shift.h"
#include "expr/to_syntax.h"
#include "recursion.h"

/* A label in scope. */
typedef struct SyntaxLabelName
{
	int label;
	const char *name;
	const struct SyntaxLabelName *outer;
} SyntaxLabelName;

typedef struct SyntaxWriter
{
	const Program *program;
	const SyntaxLabelName *scope; /* the innermost */
} SyntaxWriter;

static bool
is_in_scope(const SyntaxWriter *writer, const char *name)
{
	for (const SyntaxLabelName *named = writer->scope; named; named = named->outer)
	{
		if (strcmp(named->name, name) == 0)
			return true;
	}
	return false;
}

/* Binds a label here, and returns an index with its new name. */
static SyntaxIndex *
bind_index(SyntaxWriter *writer, int label)
{
	const char *name = writer->program->labels[label].name;
	SyntaxLabelName *named = palloc(sizeof(SyntaxLabelName));
	SyntaxIndex *index = palloc0(sizeof(SyntaxIndex));

	named->label = label;
	named->name = name;
	for (int n = 2; is_in_scope(writer, named->name); n++)
	{
		/*
		 * cut so that the number fits: a name too long would be truncated to another
		 * label's
		 */
		int length = pg_mbcliplen(name, (int) strlen(name), NAMEDATALEN - 12);

		named->name = psprintf("%.*s%d", length, name, n);
	}
	named->outer = writer->scope;
	writer->scope = named;
	index->label = pstrdup(named->name);
	index->pin = PIN_NONE;
	return index;
}

static SyntaxIndex *
label_index(const SyntaxWriter *writer, int label)
{
	SyntaxIndex *index = palloc0(sizeof(SyntaxIndex));

	for (const SyntaxLabelName *named = writer->scope; named; named = named->outer)
	{
		if (named->label == label)
		{
			index->label = pstrdup(named->name);
			index->pin = PIN_NONE;
			return index;
		}
	}
	elog(ERROR, "label \"%s\" is not in scope", writer->program->labels[label].name);
}

static SyntaxExpr *
call(FunctionId function, List *args)
{
	SyntaxExpr *expr = make_expr(SYNTAX_CALL, args, 0);

	expr->function = function;
	return expr;
}

/*
 * Writes a real or imaginary number. Infinities and NaN have no notation: they are
 * written as quotients and differences.
 */
static SyntaxExpr *
number(double value, bool imaginary)
{
	SyntaxExpr *expr;

	if (isnan(value))
		return call(FUNCTION_SUBTRACT,
					list_make2(number(INFINITY, imaginary), number(INFINITY, imaginary)));
	if (isinf(value))
		return call(FUNCTION_DIVIDE, list_make2(number(value > 0 ? 1.0 : -1.0, imaginary),
												number(0.0, false)));
	if (signbit(value))
		return call(FUNCTION_NEGATE, list_make1(number(-value, imaginary)));
	expr = make_expr(SYNTAX_NUMBER, NIL, 0);
	expr->number = value;
	expr->imaginary = imaginary;
	return expr;
}

static SyntaxExpr *
literal_syntax(const TensorExpr *expr)
{
	double imaginary = cimag(expr->value);
	double real = creal(expr->value);

	if (!element_is_complex(expr->type.type))
		return number(real, false);
	if (real == 0.0)
		return number(imaginary, true);
	return call(FUNCTION_ADD, list_make2(number(real, false), number(imaginary, true)));
}

static SyntaxReference *
reference(const ProgramTensor *tensor, List *indices)
{
	SyntaxReference *written = palloc0(sizeof(SyntaxReference));

	written->schema = tensor->schema;
	written->name = tensor->name;
	written->bracketed = true;
	written->identity = tensor->identity;
	written->indices = indices;
	return written;
}

/*
 * Returns the indices of the tensor that is shifted, from the labels of the shifted
 * tensor.
 */
static List *
shifted_indices(const TensorShift *shift, const List *labels)
{
	List *indices = NIL;

	for (int d = 0; d < shift->rank; d++)
	{
		SyntaxIndex *index;

		Assert(shift->place[d] < list_length(labels));
		if (shift->place[d] < 0)
			index = palloc0(sizeof(SyntaxIndex));
		else
			index = list_nth(labels, shift->place[d]);
		index->offset = shift->offset[d];
		indices = lappend(indices, index);
	}
	return indices;
}

static SyntaxExpr *write_expr(SyntaxWriter *writer, const TensorExpr *expr);

/*
 * Writes a function of matrices. Its matrix gets the names of the result's labels, which
 * do not occur otherwise in the arguments.
 */
static SyntaxExpr *
write_matrix(SyntaxWriter *writer, const TensorExpr *expr)
{
	const SyntaxLabelName *outer = writer->scope;
	SyntaxExpr *written = make_expr(SYNTAX_MATRIX, NIL, 0);
	List *labels = NIL;

	/* an inner label may be the label of the result elsewhere */
	for (int i = 0; i < expr->nindices; i++)
		labels = lappend(labels, label_index(writer, expr->indices[i]));
	for (int i = 0; i < expr->nindices; i++)
	{
		SyntaxLabelName *named = palloc(sizeof(SyntaxLabelName));

		named->label = expr->inner[i];
		named->name = ((const SyntaxIndex *) list_nth(labels, i))->label;
		named->outer = writer->scope;
		writer->scope = named;
	}
	if (expr->nindices < 2)
		labels = lappend(labels, bind_index(writer, expr->inner[1]));
	written->matrix = matrix_function_by_name(matrix_operation_name(expr->matrix));
	written->labels = labels;
	for (int i = 0; i < expr->nargs; i++)
		written->args = lappend(written->args, write_expr(writer, expr->args[i]));
	writer->scope = outer;
	return written;
}

/* Writes argmax[j] x or argmin[j] x, as a formula. */
static SyntaxExpr *
write_extreme_place(SyntaxWriter *writer, const TensorExpr *expr)
{
	const SyntaxLabelName *outer = writer->scope;
	List *labels = list_make1(bind_index(writer, expr->inner[0]));
	SyntaxExpr *written =
		make_expr(SYNTAX_FORMULA, list_make1(write_expr(writer, expr->args[0])), 0);

	written->formula = expr->matrix == MATRIX_ARGMAX ? FORMULA_ARGMAX : FORMULA_ARGMIN;
	written->labels = labels;
	writer->scope = outer;
	return written;
}

static SyntaxExpr *
write_expr(SyntaxWriter *writer, const TensorExpr *expr)
{
	const SyntaxLabelName *outer = writer->scope;
	SyntaxExpr *written;
	List *indices = NIL;
	List *args = NIL;
	int label = -1;

	enter_recursion();
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return literal_syntax(expr);
		case EXPR_ACCESS:
			for (int i = 0; i < expr->nindices; i++)
				indices = lappend(indices, label_index(writer, expr->indices[i]));
			written = make_expr(SYNTAX_REFERENCE, NIL, 0);
			if (expr->tensor->shifted)
				indices = shifted_indices(expr->tensor->shift, indices);
			written->reference = reference(expr->tensor, indices);
			return written;
		case EXPR_MAP:
			for (int i = 0; i < expr->nargs; i++)
				args = lappend(args, write_expr(writer, expr->args[i]));
			return call(expr->function, args);
		case EXPR_KERNEL_SUM:
		case EXPR_AGGREGATE:
			while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
				indices = lappend(indices, bind_index(writer, label));
			written = make_expr(SYNTAX_AGGREGATE,
								list_make1(write_expr(writer, expr->args[0])), 0);
			written->aggregate = expr->aggregate;
			written->labels = indices;
			writer->scope = outer;
			return written;
		case EXPR_MATRIX:
			return is_extreme_place(expr->matrix) ? write_extreme_place(writer, expr)
												  : write_matrix(writer, expr);
	}
	return NULL;
}

SyntaxStatement *
statement_to_syntax(const Program *program, const ProgramTensor *target,
					const int *output, const TensorExpr *expr)
{
	SyntaxStatement *statement = palloc0(sizeof(SyntaxStatement));
	SyntaxWriter writer = {.program = program};
	List *indices = NIL;

	for (int i = 0; i < target->rank; i++)
		indices = lappend(indices, bind_index(&writer, output[i]));
	statement->target = reference(target, indices);
	statement->expr = write_expr(&writer, expr);
	return statement;
}
