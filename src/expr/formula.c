/*-------------------------------------------------------------------------
 *
 * formula.c
 *	  Writes out formulas that have a name: means, counts, norms, softmax.
 *
 * Exponentials are of differences from the maximum, so that they cannot
 * overflow. The next integer above the maximum is subtracted: that is as good,
 * and derivatives treat it as a constant. So they are those of the textbook
 * formula, without terms that cancel.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"

#include "catalog/origin.h"
#include "expr/analysis.h"
#include "expr/dimensions.h"
#include "expr/formula.h"
#include "expr/types.h"

/*
 * Returns an expression with some labels replaced by others that neither it nor taken
 * has. *others becomes the new labels, which are also added to *taken.
 */
static TensorExpr *
with_other_labels(Program *program, TensorExpr *expr, const Bitmapset *labels,
				  Bitmapset **others, Bitmapset **taken)
{
	int label = -1;

	*others = NULL;
	while ((label = bms_next_member(labels, label)) >= 0)
	{
		int other = program_twin_beside(program, label, *taken);

		expr = rename_label(program, expr, label, other);
		*others = bms_add_member(*others, other);
		*taken = bms_add_member(*taken, other);
	}
	return expr;
}

/*
 * Returns an integer near the maximum over labels, finite also where the maximum is not:
 * an infinity minus it is that infinity, not NaN.
 */
static TensorExpr *
near_maximum(Program *program, const Bitmapset *labels, TensorExpr *body,
			 Bitmapset **taken, int location)
{
	bool is_float4 = !body->type.weak && body->type.type == ELEMENT_FLOAT4;
	double largest = is_float4 ? FLT_MAX : DBL_MAX;
	Bitmapset *others;
	TensorExpr *renamed = with_other_labels(program, body, labels, &others, taken);
	TensorExpr *maximum =
		aggregate_entries(program, AGGREGATE_MAX, others, renamed, location);

	maximum = expr_map1(program, FUNCTION_CEIL, maximum);
	maximum = expr_map2(program, FUNCTION_GREATEST, maximum,
						expr_literal(program, -largest, location));
	return expr_map2(program, FUNCTION_LEAST, maximum,
					 expr_literal(program, largest, location));
}

static TensorExpr *
average(Program *program, Bitmapset *labels, TensorExpr *body, int location)
{
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		if (program->labels[label].bound == BOUND_OPEN)
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("avg over the open label \"%s\"", program->labels[label].name),
				 errdetail("The mean is over all indices, and an open label has no "
						   "number of them."),
				 errhint("Register the tensors that it indexes with a bound, or divide "
						 "by what you count: (sum[j] x[j]) / (count[j] x[j])."),
				 program_errposition(program->text, location)));
	}
	return expr_map2(program, FUNCTION_DIVIDE,
					 aggregate_entries(program, AGGREGATE_SUM, labels, body, location),
					 count_of_indices(program, labels, body->type.type, location));
}

static TensorExpr *
norm(Program *program, Bitmapset *labels, TensorExpr *body, int location)
{
	TensorExpr *square;

	if (element_is_complex(body->type.type))
		body = expr_map1(program, FUNCTION_ABS, body);
	square =
		expr_map2(program, FUNCTION_POWER, body, expr_literal(program, 2.0, location));
	return expr_map1(program, FUNCTION_SQRT,
					 aggregate_entries(program, AGGREGATE_SUM, labels, square, location));
}

static TensorExpr *
log_sum_exp(Program *program, Bitmapset *labels, TensorExpr *body, int location)
{
	Bitmapset *taken = bms_copy(body->all_labels);
	TensorExpr *most;
	TensorExpr *powers;

	most = near_maximum(program, labels, body, &taken, location);
	powers = expr_map1(program, FUNCTION_EXP,
					   expr_map2(program, FUNCTION_SUBTRACT, body, most));
	powers = aggregate_entries(program, AGGREGATE_SUM, labels, powers, location);
	return expr_map2(program, FUNCTION_ADD, expr_map1(program, FUNCTION_LN, powers),
					 most);
}

static TensorExpr *
softmax(Program *program, const Bitmapset *labels, TensorExpr *body, int location)
{
	Bitmapset *taken = bms_copy(body->all_labels);
	Bitmapset *summed;
	TensorExpr *most;
	TensorExpr *powers;
	TensorExpr *others;

	most = near_maximum(program, labels, body, &taken, location);
	powers = expr_map1(program, FUNCTION_EXP,
					   expr_map2(program, FUNCTION_SUBTRACT, body, most));
	others = with_other_labels(program, powers, labels, &summed, &taken);
	return expr_map2(program, FUNCTION_DIVIDE, powers,
					 aggregate_entries(program, AGGREGATE_SUM, summed, others, location));
}

/*
 * Makes argmax[j] x or argmin[j] x: of one label, which is a dimension of a value or a
 * key.
 */
static TensorExpr *
extreme_place_formula(Program *program, MatrixOperation operation,
					  const Bitmapset *labels, TensorExpr *body, int location)
{
	const char *name = matrix_operation_name(operation);
	const ProgramLabel *label;
	int number;

	if (bms_membership(labels) != BMS_SINGLETON)
		unsupported(program, location, psprintf("%s over several labels", name),
					"Write it over one label. Of several, take the extremes over the "
					"others first: argmax[i] max[j] x[i,j].");
	number = bms_singleton_member(labels);
	label = &program->labels[number];
	/* the label has its bound from what it indexes */
	Assert(bms_is_member(number, body->labels));
	if (bound_is_dimension(label->bound))
		unsupported(program, location,
					psprintf("%s over the keys of a dimension, as label \"%s\" has them",
							 name, label->name),
					"The result is a number. Ask for the key by ORDER BY and LIMIT.");
	if (bound_has_days(label->bound))
		unsupported(program, location,
					psprintf("%s over days, as label \"%s\" has them", name, label->name),
					"The result is a number. Ask for the day by ORDER BY and LIMIT.");
	if (bound_is_open(label->bound))
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s over the open label \"%s\"", name, label->name),
						errdetail("Which indices are not stored is not known."),
						errhint("%s", open_label_hint(label->bound)),
						program_errposition(program->text, location)));
	if (label->bound == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s of no elements has no value", name),
						errdetail("Label \"%s\" has the bound 0.", label->name),
						program_errposition(program->text, location)));
	if (label->pin == PIN_BLOCKED && label->block < bound_size(label->bound))
		unsupported(program, location,
					psprintf("label \"%s\" of %s in blocks", label->name, name),
					"Write it in upper or in lower case: as a key or a dimension.");
	return expr_matrix(program, operation, &number, NULL, &body, location);
}

/* Does a formula need to know which number is greater? */
static bool
needs_order(Formula formula)
{
	return formula == FORMULA_LOGSUMEXP || formula == FORMULA_SOFTMAX ||
		   formula == FORMULA_ARGMAX || formula == FORMULA_ARGMIN;
}

TensorExpr *
expr_formula(Program *program, Formula formula, Bitmapset *labels, TensorExpr *body,
			 int location)
{
	if (element_is_complex(body->type.type) && needs_order(formula))
		unsupported(
			program, location,
			psprintf("\"%s\" is not defined for complex numbers", formula_name(formula)),
			"Use it on real(), imag() or abs() of them.");
	switch (formula)
	{
		case FORMULA_AVG:
			return average(program, labels, body, location);
		case FORMULA_COUNT:
			/* counts are float8: float4 would be too narrow for them */
			body = expr_map2(program, FUNCTION_NE, body,
							 expr_literal(program, 0.0, location));
			body = expr_map1(program, FUNCTION_FLOAT8, body);
			return aggregate_entries(program, AGGREGATE_SUM, labels, body, location);
		case FORMULA_NORM:
			return norm(program, labels, body, location);
		case FORMULA_LOGSUMEXP:
			return log_sum_exp(program, labels, body, location);
		case FORMULA_SOFTMAX:
			return softmax(program, labels, body, location);
		case FORMULA_ARGMAX:
			return extreme_place_formula(program, MATRIX_ARGMAX, labels, body, location);
		case FORMULA_ARGMIN:
			return extreme_place_formula(program, MATRIX_ARGMIN, labels, body, location);
	}
	return NULL;
}
