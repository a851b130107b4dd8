/*-------------------------------------------------------------------------
 *
 * dimensions.c
 *	  Aggregates over labels whose index set is the keys of a table, a dimension.
 *
 * The number of keys of a dimension is not known before a query runs, so the
 * plan, and above all a fill, must not depend on it. Where the number of entries
 * that are not stored matters, as in sum[j] 2^a[i,j], the program counts them
 * itself: for an expression c with fill f,
 *
 *	  sum[j] if(c <> f, c, 0) + (sum[k] node[k] - sum[j] (c <> f)) * f
 *
 * What is summed is 0 where nothing is stored, and the result has an entry
 * everywhere. node[k] is the dimension, 1 at each key.
 *
 * Other aggregates, of 0 or an infinity, only depend on whether there is an
 * entry that is not stored: a dimension without keys is taken to have one such
 * entry.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "catalog/dimension.h"
#include "expr/dimensions.h"
#include "recursion.h"

Bitmapset *
labels_of_dimensions(const Program *program, const Bitmapset *labels)
{
	Bitmapset *found = NULL;
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		if (bound_is_dimension(program->labels[label].bound))
			found = bms_add_member(found, label);
	}
	return found;
}

/* Looks up each bound in the catalog only once, as forms are made over and over. */
bool
label_is_key(Program *program, int64 bound)
{
	int64 *known;
	bool has_positions;
	ListCell *lc;

	if (!bound_is_dimension(bound))
		return bound_is_open(bound);
	for (int i = 0; i < 2; i++)
	{
		foreach (lc, program->positioned[i])
		{
			if (*(int64 *) lfirst(lc) == bound)
				return i == 0;
		}
	}
	has_positions = dimension_position(bound) != NULL;
	known = palloc(sizeof(int64));
	*known = bound;
	program->positioned[has_positions] =
		lappend(program->positioned[has_positions], known);
	return !has_positions;
}

bool
places_stay(const Program *program, int64 bound)
{
	return program->one_snapshot && bound_is_dimension(bound);
}

/* Returns the tensor that is 1 at each key of a dimension; a program has one of them. */
static ProgramTensor *
dimension_tensor(Program *program, int64 bound)
{
	ProgramTensor *tensor;
	ListCell *lc;

	foreach (lc, program->tensors)
	{
		tensor = lfirst(lc);
		if (tensor->entry && tensor->rank == 1 && tensor->bounds[0] == bound &&
			tensor->entry->storages && is_dimension(linitial(tensor->entry->storages)))
			return tensor;
	}
	tensor = palloc0(sizeof(ProgramTensor));
	tensor->entry = dimension_entry(bound);
	tensor->schema = get_namespace_name(tensor->entry->schema);
	tensor->name = tensor->entry->name;
	tensor->rank = 1;
	tensor->bounds[0] = bound;
	tensor->type = tensor->entry->type;
	tensor->fill = tensor->entry->fill;
	program->tensors = lappend(program->tensors, tensor);
	return tensor;
}

/*
 * Returns an expression that is 1 at the keys of these labels: a product of dimensions.
 */
static TensorExpr *
presence(Program *program, const Bitmapset *labels, int location)
{
	TensorExpr *product = NULL;
	int label = -1;

	while ((label = bms_next_member(labels, label)) >= 0)
	{
		ProgramTensor *tensor = dimension_tensor(program, program->labels[label].bound);
		TensorExpr *factor = expr_access(program, tensor, &label, location);

		product =
			product ? expr_map2(program, FUNCTION_MULTIPLY, product, factor) : factor;
	}
	return product;
}

TensorExpr *
count_of_indices(Program *program, const Bitmapset *labels, ElementType type,
				 int location)
{
	Bitmapset *dimensions = labels_of_dimensions(program, labels);
	Bitmapset *others = bms_difference(labels, dimensions);
	Bitmapset *own = NULL;
	TensorExpr *count;
	int label = -1;

	if (bms_is_empty(dimensions))
		return expr_literal(program, product_of_bounds(program, labels), location);
	/* labels of its own, so that all counts of the same dimensions are one node */
	while ((label = bms_next_member(dimensions, label)) >= 0)
		own = bms_add_member(own, program_twin_beside(program, label, own));
	count = expr_aggregate(program, AGGREGATE_SUM, own, presence(program, own, location),
						   location);
	count = expr_convert(program, count, element_real_type(type));
	if (product_of_bounds(program, others) == 1.0)
		return count;
	return expr_map2(program, FUNCTION_MULTIPLY,
					 expr_literal(program, product_of_bounds(program, others), location),
					 count);
}

/*
 * Returns the aggregate of the entries that are stored, combined with one copy of the
 * fill for each entry that is not stored.
 */
static TensorExpr *
counted_aggregate(Program *program, AggregateOperator aggregate, Bitmapset *labels,
				  TensorExpr *child, int location)
{
	TensorExpr *fill = expr_literal(program, child->fill, location);
	TensorExpr *neutral = expr_literal(program, aggregate_identity(aggregate), location);
	TensorExpr *stored = expr_map2(program, FUNCTION_NE, child, fill);
	TensorExpr *values = expr_map(program, FUNCTION_IF,
								  (TensorExpr *[]){stored, child, neutral}, location);
	TensorExpr *missing =
		expr_map2(program, FUNCTION_SUBTRACT,
				  count_of_indices(program, labels, stored->type.type, location),
				  expr_aggregate(program, AGGREGATE_SUM, labels, stored, location));
	TensorExpr *result = expr_aggregate(program, aggregate, labels, values, location);
	bool sum = aggregate == AGGREGATE_SUM;
	TensorExpr *rest = sum ? expr_map2(program, FUNCTION_MULTIPLY, missing, fill)
						   : expr_map2(program, FUNCTION_POWER, fill, missing);

	return expr_map2(program, sum ? FUNCTION_ADD : FUNCTION_MULTIPLY, result,
					 expr_convert(program, rest, result->type.type));
}

/*
 * Returns sum[labels] child, split into terms if that shows terms that depend on no
 * count.
 */
static TensorExpr *
sum_entries(Program *program, Bitmapset *labels, TensorExpr *child, int location)
{
	Bitmapset *lacking;

	enter_recursion();
	lacking = bms_difference(labels_of_dimensions(program, labels), child->labels);
	if (!bms_is_empty(lacking))
		return expr_map2(
			program, FUNCTION_MULTIPLY,
			sum_entries(program, bms_difference(labels, lacking), child, location),
			count_of_indices(program, lacking, child->type.type, location));
	if (!depends_on_count(AGGREGATE_SUM, child->fill) ||
		bms_is_empty(labels_of_dimensions(program, labels)))
		return expr_aggregate(program, AGGREGATE_SUM, labels, child, location);
	if (expr_is_addition(child))
		return expr_map2(program, child->function,
						 sum_entries(program, labels, child->args[0], location),
						 sum_entries(program, labels, child->args[1], location));
	return counted_aggregate(program, AGGREGATE_SUM, labels, child, location);
}

TensorExpr *
aggregate_entries(Program *program, AggregateOperator aggregate, Bitmapset *labels,
				  TensorExpr *child, int location)
{
	Bitmapset *lacking = bms_difference(labels, child->labels);

	enter_recursion();
	if (bms_is_empty(labels_of_dimensions(program, labels)))
		return expr_aggregate(program, aggregate, labels, child, location);
	if (aggregate == AGGREGATE_SUM)
		return sum_entries(program, labels, child, location);
	if (aggregate != AGGREGATE_PROD)
		return expr_aggregate(program, aggregate, labels, child, location);
	/* a product over labels that child lacks is a power of the product over the others */
	if (!bms_is_empty(labels_of_dimensions(program, lacking)))
		return expr_map2(program, FUNCTION_POWER,
						 aggregate_entries(program, aggregate,
										   bms_difference(labels, lacking), child,
										   location),
						 count_of_indices(program, lacking, child->type.type, location));
	if (depends_on_count(aggregate, child->fill))
		return counted_aggregate(program, aggregate, labels, child, location);
	return expr_aggregate(program, aggregate, labels, child, location);
}
