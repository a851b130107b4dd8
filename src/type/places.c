/*-------------------------------------------------------------------------
 *
 * places.c
 *	  Tensors over the keys of a dimension: by place, as queries compute with them,
 *	  and by position, as they are stored and given to users.
 *
 * Positions are a column of the dimension's table, unique and with gaps. The place of a
 * key is the number of positions that are less than its own. By place, a tensor is dense:
 * each index is an existing key. By position, a key keeps its index when other keys are
 * added or removed.
 *
 * Either function gets the positions of each dimension as an ascending array; NULL for a
 * dimension that is not over keys. A dimension without keys has one place, at which
 * nothing is stored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "kernels/kernels.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(einsum_by_position);
PG_FUNCTION_INFO_V1(einsum_by_place);

/* One dimension of a value. */
typedef struct Axis
{
	bool keyed;
	int64 *positions; /* of the keys, ascending; if keyed */
	int64 npositions;
	int64 *target; /* where each index of the value is moved to; -1: nowhere */
} Axis;

/*
 * Reads the positions of a dimension. Errors: 22004, 22003, 23505 if they are NULL, out
 * of range, or repeated, which the dimension's table must exclude.
 */
static void
read_positions(ArrayType *array, Axis *axis)
{
	Datum *values;
	bool *nulls;
	int n;

	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &values, &nulls, &n);
	axis->keyed = true;
	axis->npositions = n;
	axis->positions = palloc(sizeof(int64) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		axis->positions[i] = nulls[i] ? -1 : DatumGetInt64(values[i]);
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("a key of a dimension has no position"),
							errhint("Let the column of positions be NOT NULL.")));
		if (axis->positions[i] < 0 || axis->positions[i] >= PG_INT32_MAX)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("position " INT64_FORMAT " of a dimension is out of range",
							axis->positions[i]),
					 errdetail("Positions must be at least 0 and less than %d.",
							   PG_INT32_MAX),
					 errhint("Positions count from 0, as the places in a tensor do.")));
		if (i > 0 && axis->positions[i] <= axis->positions[i - 1])
			ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
							errmsg("two keys of a dimension have position " INT64_FORMAT,
								   axis->positions[i]),
							errhint("Let the column of positions be UNIQUE.")));
	}
	pfree(values);
	pfree(nulls);
}

/*
 * Reads an axis for each dimension of a value, from the arguments from number first on.
 */
static void
read_axes(FunctionCallInfo fcinfo, int first, const Tensor *value, Axis *axes)
{
	if (PG_NARGS() - first != value->rank)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a value has rank %d, and %d dimensions are asked for",
							   value->rank, PG_NARGS() - first)));
	for (int d = 0; d < value->rank; d++)
	{
		axes[d] = (Axis){.keyed = false};
		if (get_fn_expr_argtype(fcinfo->flinfo, first + d) != INT8ARRAYOID)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("positions of a dimension are an array of bigint")));
		if (!PG_ARGISNULL(first + d))
			read_positions(PG_GETARG_ARRAYTYPE_P(first + d), &axes[d]);
	}
}

/* Returns a tensor of that shape and of the value's element type, filled with fill. */
static Tensor *
filled_tensor(const Tensor *value, const int64 *bounds, const Tensor *fill)
{
	Tensor *result = tensor_new((ElementType) value->type, value->rank, bounds);
	TensorView from;
	TensorView to;

	(void) tensor_number(fill);
	tensor_view(fill, &from);
	tensor_view(result, &to);
	from.rank = to.rank;
	for (int d = 0; d < to.rank; d++)
	{
		from.bounds[d] = to.bounds[d];
		from.strides[d] = 0;
	}
	view_copy(&from, &to);
	return result;
}

/* Does an element equal the fill, bit by bit or by value? */
static bool
element_is_fill(const char *element, const char *fill, ElementType type, size_t size)
{
	TensorView view = {.type = type, .data = unconstify(char *, element)};
	TensorView wide = {.type = ELEMENT_COMPLEX16};
	Number numbers[2];

	if (memcmp(element, fill, size) == 0)
		return true;
	wide.data = &numbers[0];
	view_copy(&view, &wide);
	view.data = unconstify(char *, fill);
	wide.data = &numbers[1];
	view_copy(&view, &wide);
	return numbers[0] == numbers[1] ||
		   (numbers[0] != numbers[0] && numbers[1] != numbers[1]);
}

/*
 * Copies the elements of a value to where the axes place them. Returns the first element
 * that has no place and differs from fill; -1 if there is no such element.
 */
static int64
move_elements(const Tensor *value, const Axis *axes, const Tensor *fill, Tensor *result)
{
	ElementType type = (ElementType) value->type;
	size_t size = element_size(type);
	const char *from = tensor_elements(value);
	char *to = tensor_elements(result);
	TensorView whole;
	int64 index[TENSOR_MAX_RANK] = {0};
	int64 count = tensor_count(value);
	int64 stray = -1;
	char one[sizeof(Number)];
	TensorView fill_view;
	TensorView one_view = {.type = type, .data = one};

	tensor_view(fill, &fill_view);
	view_copy(&fill_view, &one_view);
	tensor_view(result, &whole);
	for (int64 i = 0; i < count; i++)
	{
		int64 target = 0;
		bool exists = true;

		if ((i & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		for (int d = 0; d < value->rank; d++)
		{
			int64 place = axes[d].target ? axes[d].target[index[d]] : index[d];

			exists = exists && place >= 0;
			target += place * whole.strides[d];
		}
		if (exists)
			memcpy(to + target * size, from + i * size, size);
		else if (stray < 0 && !element_is_fill(from + i * size, one, type, size))
			stray = i;
		for (int d = value->rank - 1; d >= 0; d--)
		{
			if (++index[d] < value->bounds[d])
				break;
			index[d] = 0;
		}
	}
	return stray;
}

/*
 * einsum_by_position(value, fill, positions int8[] of each dimension, ...): converts a
 * tensor by place to one by position, whose bounds are one more than the last position.
 * Entries at positions without a key are fill.
 */
Datum
einsum_by_position(PG_FUNCTION_ARGS)
{
	const Tensor *value;
	const Tensor *fill;
	Axis axes[TENSOR_MAX_RANK] = {{0}};
	int64 bounds[TENSOR_MAX_RANK];
	Tensor *result;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	value = PG_GETARG_TENSOR_P(0);
	fill = PG_GETARG_TENSOR_P(1);
	read_axes(fcinfo, 2, value, axes);
	for (int d = 0; d < value->rank; d++)
	{
		Axis *axis = &axes[d];

		bounds[d] = value->bounds[d];
		if (!axis->keyed)
			continue;
		if (value->bounds[d] != Max(axis->npositions, 1))
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("a value has %d places for the " INT64_FORMAT
								   " keys of a dimension",
								   value->bounds[d], axis->npositions)));
		bounds[d] = axis->npositions ? axis->positions[axis->npositions - 1] + 1 : 0;
		axis->target = palloc(sizeof(int64) * value->bounds[d]);
		for (int i = 0; i < value->bounds[d]; i++)
			axis->target[i] = i < axis->npositions ? axis->positions[i] : -1;
	}
	result = filled_tensor(value, bounds, fill);
	/* without keys, the one place holds nothing, and its element may be lost */
	(void) move_elements(value, axes, fill, result);
	PG_RETURN_TENSOR_P(result);
}

/* Returns the index vector of an element, for messages. */
static char *
index_of_element(const Tensor *value, int64 element)
{
	int64 index[TENSOR_MAX_RANK];

	for (int d = value->rank - 1; d >= 0; d--)
	{
		index[d] = element % value->bounds[d];
		element /= value->bounds[d];
	}
	return shape_to_string(value->rank, index);
}

/*
 * einsum_by_place(value, fill, tensor, type, shape, positions int8[] of each dimension,
 * ...): converts a stored tensor by position to one by place. It may be shorter than the
 * dimension, to which keys have been added since, and longer if the rest is fill.
 * Dimensions without keys must have the bounds of shape, and the value the element type.
 * Errors: 22003 for an entry at a position that no key has, 2202E and 42804 for another
 * shape or type.
 */
Datum
einsum_by_place(PG_FUNCTION_ARGS)
{
	const Tensor *value;
	const Tensor *fill;
	const char *tensor;
	ElementType type;
	Axis axes[TENSOR_MAX_RANK] = {{0}};
	int64 shape[TENSOR_MAX_RANK];
	bool fits;
	int64 stray;
	Tensor *result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	for (int i = 1; i < 5; i++)
	{
		if (PG_ARGISNULL(i))
			PG_RETURN_NULL();
	}
	value = PG_GETARG_TENSOR_P(0);
	fill = PG_GETARG_TENSOR_P(1);
	tensor = text_to_cstring(PG_GETARG_TEXT_PP(2));
	type = element_type_from_text(PG_GETARG_TEXT_PP(3));
	fits = shape_from_array(PG_GETARG_ARRAYTYPE_P(4), shape) == value->rank;
	if (fits)
		read_axes(fcinfo, 5, value, axes);
	for (int d = 0; fits && d < value->rank; d++)
		fits = axes[d].keyed || value->bounds[d] == shape[d];
	if (!fits)
		ereport(
			ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("a value of tensor \"%s\" has another shape than it is registered "
					"with",
					tensor),
			 errdetail("It has shape %s.", tensor_shape_string(value)),
			 errhint("Dimensions over keys may have any bound; the others have that "
					 "of the registration.")));
	if ((ElementType) value->type != type)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a value of tensor \"%s\" has another element type than it is "
						"registered with",
						tensor),
				 errdetail("It is of type %s, and should be of %s.",
						   element_type_name((ElementType) value->type),
						   element_type_name(type)),
				 errhint("einsum_analyze names the row by its keys. Correct it, or "
						 "declare the column tensor(%s).",
						 element_type_name(type))));
	for (int d = 0; d < value->rank; d++)
	{
		Axis *axis = &axes[d];
		int64 place = 0;

		if (!axis->keyed)
			continue;
		shape[d] = Max(axis->npositions, 1);
		axis->target = palloc(sizeof(int64) * Max(value->bounds[d], 1));
		for (int i = 0; i < value->bounds[d]; i++)
		{
			while (place < axis->npositions && axis->positions[place] < i)
				place++;
			axis->target[i] =
				place < axis->npositions && axis->positions[place] == i ? place : -1;
		}
	}
	result = filled_tensor(value, shape, fill);
	stray = move_elements(value, axes, fill, result);
	if (stray >= 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("a value of tensor \"%s\" has an entry at a position that no key "
						"has",
						tensor),
				 errdetail("It has shape %s, and the entry is at %s.",
						   tensor_shape_string(value), index_of_element(value, stray)),
				 errhint("Where a dimension has no key, a value must be the fill.")));
	PG_RETURN_TENSOR_P(result);
}
