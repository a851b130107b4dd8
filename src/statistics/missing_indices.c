/*-------------------------------------------------------------------------
 *
 * missing_indices.c
 *	  Aggregates of a program whose results depend on indices that no row has.
 *
 * The value that is aggregated at an index without rows follows from the fills of the
 * tensors that have the label, possibly through other statements; entries of other
 * tensors may have any value.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "catalog/dimension.h"
#include "catalog/estimate.h"
#include "catalog/readable.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_statistics.h"
#include "expr/function_table.h"
#include "expr/side_table.h"
#include "recursion.h"
#include "statistics/missing_indices.h"

/*
 * If the number of indices with rows is an estimate, it is believed below this share of
 * all.
 */
#define CERTAIN_SHARE 0.9

/* What is known of an expression and a label. */
typedef struct ValueWithout
{
	/* the expression's value at indices of the label without rows */
	bool asked;
	bool known;
	Number value;
	/*
	 * how many indices of the label have rows in the tensors below the expression; -1:
	 * unknown
	 */
	bool counted;
	double with_rows;
} ValueWithout;

/* The ValueWithout found so far: by label, then by expression node. */
typedef struct Without
{
	Program *program;
	SideTable **known;
} Without;

static const ValueWithout *value_without(Without *without, TensorExpr *expr, int label);

static ValueWithout *
without_label(Without *without, const TensorExpr *expr, int label)
{
	SideTable *known = without->known[label];
	ValueWithout *result;

	if (known == NULL)
		known = without->known[label] = new_side_table(32);
	result = side_value(known, expr);
	if (result == NULL)
	{
		result = palloc0(sizeof(ValueWithout));
		set_side_value(known, expr, result);
	}
	return result;
}

/* The dimension of an access in which a label is the index, or -1. */
static int
dimension_of_label(const TensorExpr *access, int label)
{
	for (int d = 0; d < access->nindices; d++)
	{
		if (access->indices[d] == label)
			return d;
	}
	return -1;
}

static void
map_without(Without *without, const TensorExpr *expr, int label, ValueWithout *result)
{
	unsigned zero_kills = function_properties(expr->function)->zero_kills;
	TensorExpr *literals[FUNCTION_MAX_ARGS];

	result->known = true;
	for (int i = 0; i < expr->nargs; i++)
	{
		const ValueWithout *argument = value_without(without, expr->args[i], label);

		/* this argument determines the value, whatever the others are */
		if (argument->known &&
			((argument->value == 0.0 && (zero_kills & (1u << i))) ||
			 (isinf(creal(argument->value)) && expr->function == FUNCTION_ADD)))
		{
			result->known = true;
			result->value = argument->value;
			return;
		}
		if (!argument->known)
			result->known = false;
		else
			literals[i] = expr_literal(without->program, argument->value, -1);
	}
	if (!result->known)
		return;
	expr = expr_map(without->program, expr->function, literals, -1);
	result->known = expr->kind == EXPR_LITERAL;
	result->value = expr->value;
}

static void
aggregate_without(Without *without, const TensorExpr *expr, int label,
				  ValueWithout *result)
{
	const ValueWithout *argument = value_without(without, expr->args[0], label);
	double count = product_of_bounds(without->program, expr->bound_labels);

	result->known =
		argument->known &&
		(isfinite(count) || !depends_on_count(expr->aggregate, argument->value));
	if (result->known)
		result->value = repeated_value(expr->aggregate, argument->value,
									   isfinite(count) ? count : 1.0);
}

static const ValueWithout *
value_without(Without *without, TensorExpr *expr, int label)
{
	ValueWithout *result = without_label(without, expr, label);
	const ValueWithout *defined;
	int dimension;

	enter_recursion();
	if (result->asked)
		return result;
	result->asked = true;
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			result->known = true;
			result->value = expr->value;
			break;
		case EXPR_ACCESS:
			dimension = dimension_of_label(expr, label);
			if (dimension < 0 || expr->tensor->identity || expr->tensor->is_state)
				break;
			if (expr->tensor->definition)
			{
				defined = value_without(without, expr->tensor->definition->expr,
										expr->tensor->definition->output[dimension]);
				result->known = defined->known;
				result->value = defined->value;
			}
			else
			{
				result->known = true;
				result->value = expr->tensor->fill;
			}
			break;
		case EXPR_MAP:
			map_without(without, expr, label, result);
			break;
		case EXPR_AGGREGATE:
			aggregate_without(without, expr, label, result);
			break;
		case EXPR_KERNEL_SUM:
		case EXPR_MATRIX:
			break;
	}
	return result;
}

/* Is the aggregate's result the same without the label's indices that have no rows? */
static bool
is_indifferent(Without *without, const WrittenAggregate *written, int label)
{
	const ValueWithout *body;

	if (written->divides)
		return false;
	body = value_without(without, written->body, label);
	if (!body->known)
		return false;
	/* all(): values other than 0 do not matter */
	return written->truth ? body->value != 0.0 : body->value == written->neutral;
}

/*
 * How many indices of a dimension of a stored tensor have rows; -1 if unknown. Measured
 * counts are of entries that differ from the fill, PostgreSQL's statistics of all keys,
 * which may be estimated.
 */
static double
indices_with_rows(const TensorEntry *tensor, int dimension, double indices)
{
	const TensorStatistics *statistics;
	double counted = -1;
	double rows = 0;
	ListCell *lc;

	if (tensor->state || tensor->shift || !tensor_is_readable(tensor))
		return -1;
	statistics = get_tensor_statistics(tensor);
	foreach (lc, tensor->storages)
	{
		counted = Max(counted, counted_keys(lfirst(lc), dimension));
		rows = Max(rows, read_rows(lfirst(lc)));
	}
	/* a row whose number is the fill may be at another index than the entries */
	if (statistics->exact)
		return Max(counted,
				   statistics->values[dimension] + Max(rows - statistics->entries, 0));
	return counted < CERTAIN_SHARE * indices ? counted : indices;
}

/* The number of indices of a label; -1 if unknown. */
static double
indices_of_label(const ProgramLabel *label)
{
	double indices = estimated_bound(label->bound);

	if (!label->bounded || label->bound == BOUND_OPEN)
		return -1;
	return bound_is_dimension(label->bound)
			   ? indices_with_rows(dimension_entry(label->bound), 0, indices)
			   : indices;
}

/*
 * How many indices of a label have rows in the tensors below an expression; -1 if
 * unknown.
 */
static double
rows_below(Without *without, const TensorExpr *expr, int label, double indices)
{
	ValueWithout *result = without_label(without, expr, label);
	const ProgramTensor *tensor = expr->tensor;
	int dimension = -1;

	enter_recursion();
	if (result->counted)
		return result->with_rows;
	result->counted = true;
	if (expr->kind == EXPR_ACCESS)
		dimension = dimension_of_label(expr, label);
	if (dimension >= 0)
	{
		if (tensor->definition)
			result->with_rows =
				rows_below(without, tensor->definition->expr,
						   tensor->definition->output[dimension], indices);
		else
			result->with_rows =
				tensor->entry ? indices_with_rows(tensor->entry, dimension, indices) : -1;
	}
	for (int i = 0; i < expr->nargs && result->with_rows >= 0; i++)
	{
		double argument = rows_below(without, expr->args[i], label, indices);

		result->with_rows = argument < 0 ? -1 : Max(result->with_rows, argument);
	}
	return result->with_rows;
}

/*
 * Is an expression a stored tensor with values whose rows have been counted since they last changed? Where a
 * row means 1, the mean is a share of all indices.
 */
static bool
is_counted_tensor(const TensorExpr *expr)
{
	const TensorEntry *entry = expr->kind == EXPR_ACCESS ? expr->tensor->entry : NULL;
	const Storage *storage =
		entry && entry->storages != NIL ? linitial(entry->storages) : NULL;

	return storage && (storage->value_column || storage->layout) && !entry->state &&
		   !entry->shift && tensor_is_readable(entry) &&
		   get_tensor_statistics(entry)->exact;
}

List *
missing_indices(Program *program)
{
	Without without = {.program = program};
	List *result = NIL;
	ListCell *lc;

	without.known = palloc0(sizeof(SideTable *) * Max(program->nlabels, 1));
	foreach (lc, program->written)
	{
		const WrittenAggregate *written = lfirst(lc);
		int label = -1;

		CHECK_FOR_INTERRUPTS();
		while ((label = bms_next_member(written->labels, label)) >= 0)
		{
			double indices;
			double with_rows;
			MissingIndices *missing;

			if (is_indifferent(&without, written, label))
				continue;
			indices = indices_of_label(&program->labels[label]);
			with_rows = rows_below(&without, written->body, label, indices);
			if (with_rows < 0 || with_rows >= indices)
				continue;
			missing = palloc(sizeof(MissingIndices));
			missing->tensor = written->tensor;
			missing->aggregate = written->name;
			missing->label = program->labels[label].name;
			missing->indices = indices;
			missing->with_rows = with_rows;
			missing->doubtful = written->divides &&
								!bound_is_dimension(program->labels[label].bound) &&
								is_counted_tensor(written->body);
			result = lappend(result, missing);
		}
	}
	return result;
}

/*
 * How many places the rows of a tensor may be at, if the labels are all of key columns,
 * none of a dimension; else 0. The indices of an open label are the keys that occur.
 */
static double
places_of_rows(const TensorExpr *access, const Bitmapset *labels)
{
	const TensorEntry *tensor = access->tensor->entry;
	const Storage *storage = linitial(tensor->storages);
	const TensorStatistics *statistics = get_tensor_statistics(tensor);
	double places = 1;

	if (storage->value_column == NULL)
		return 0;
	for (int d = 0; d < tensor->rank; d++)
	{
		if (bms_is_member(access->indices[d], labels) &&
			(storage->dimensions[d].kind != DIMENSION_PROMOTED ||
			 bound_is_dimension(tensor->bounds[d])))
			return 0;
		if (storage->dimensions[d].kind == DIMENSION_PROMOTED)
			places *= bound_is_open(tensor->bounds[d])
						  ? statistics->values[d]
						  : estimated_bound(tensor->bounds[d]);
	}
	return places;
}

List *
means_of_sparse_tensors(const Program *program)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, program->written)
	{
		const WrittenAggregate *written = lfirst(lc);
		double rows = 0;
		double places;
		ListCell *inner;
		MissingIndices *missing;

		if (!written->divides || !is_counted_tensor(written->body))
			continue;
		places = places_of_rows(written->body, written->labels);
		foreach (inner, written->body->tensor->entry->storages)
			rows = Max(rows, read_rows(lfirst(inner)));
		if (rows <= 0 || rows >= places)
			continue;
		missing = palloc0(sizeof(MissingIndices));
		missing->tensor = written->tensor;
		missing->aggregate = written->name;
		missing->indices = places;
		missing->with_rows = rows;
		missing->doubtful = true;
		result = lappend(result, missing);
	}
	return result;
}
