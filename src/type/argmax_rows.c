/*-------------------------------------------------------------------------
 *
 * argmax_rows.c
 *	  einsum_argmax and einsum_argmin: the key of the row of a group that has the
 *	  first largest or smallest entry.
 *
 * Keys that no row has stand for entries that are the fill. Only the least of these keys
 * matters, and only while no row has an entry that comes before the fill. Until a row
 * has, the keys of rows are remembered: that takes at most eight bytes for each row of a
 * group, and usually nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/memutils.h"

#include "type/call.h"
#include "type/state.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

typedef struct ExtremePlaces
{
	bool largest;
	int64 bound; /* of keys */
	double fill;
	int64 rows;
	Tensor *like; /* of the values' shape; NULL: they are numbers */
	int64 count;  /* elements of each */
	double *extreme;
	double *place;
	bool any_missing; /* may an extreme be the fill of a key without a row? */
	int64 *keys;      /* if any_missing: the keys of all rows */
	int64 size;
} ExtremePlaces;

/* NaN comes before all numbers. */
static inline bool
value_precedes(const ExtremePlaces *places, double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) && !isnan(b);
	return places->largest ? a > b : a < b;
}

/* Is value a at key_a, rather than value b at key_b, the extreme? */
static inline bool
precedes(const ExtremePlaces *places, double a, double key_a, double b, double key_b)
{
	return value_precedes(places, a, b) ||
		   (!value_precedes(places, b, a) && key_a < key_b);
}

/* Returns a float8 tensor of the same shape. */
static Tensor *
places_like(const Tensor *tensor)
{
	int64 bounds[TENSOR_MAX_RANK];

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[d];
	return tensor_new(ELEMENT_FLOAT8, tensor->rank, bounds);
}

static ExtremePlaces *
new_places(bool largest, FunctionCallInfo fcinfo, const Tensor *like)
{
	ExtremePlaces *places = palloc0(sizeof(ExtremePlaces));

	places->largest = largest;
	places->bound = PG_GETARG_INT64(3);
	places->fill = PG_GETARG_FLOAT8(4);
	places->count = like ? tensor_count(like) : 1;
	places->extreme =
		palloc_extended(sizeof(double) * Max(places->count, 1), MCXT_ALLOC_HUGE);
	places->place =
		palloc_extended(sizeof(double) * Max(places->count, 1), MCXT_ALLOC_HUGE);
	places->any_missing = true;
	if (like)
		places->like = places_like(like);
	return places;
}

static void
remember_key(ExtremePlaces *places, int64 key)
{
	if (places->rows == places->size)
	{
		places->size = Max(2 * places->size, 8);
		places->keys = places->keys
						   ? repalloc_huge(places->keys, sizeof(int64) * places->size)
						   : palloc(sizeof(int64) * places->size);
	}
	places->keys[places->rows] = key;
}

/*
 * Considers one element of a row. Returns whether the extreme so far comes before the
 * fill.
 */
static inline bool
consider_element(ExtremePlaces *places, int64 i, double value, double key)
{
	if (places->rows == 0 ||
		precedes(places, value, key, places->extreme[i], places->place[i]))
	{
		places->extreme[i] = value;
		places->place[i] = key;
	}
	return value_precedes(places, places->extreme[i], places->fill);
}

static void
finish_row(ExtremePlaces *places, int64 key, bool before_fill)
{
	if (places->any_missing && before_fill)
	{
		places->any_missing = false;
		if (places->keys)
			pfree(places->keys);
		places->keys = NULL;
	}
	if (places->any_missing)
		remember_key(places, key);
	places->rows++;
}

/*
 * Considers the elements of a row's tensor. Errors: 0A000 for complex elements, 2202E if
 * shapes differ.
 */
static void
take_tensor(ExtremePlaces *places, Tensor *value, int64 key)
{
	bool is_float4 = value->type == ELEMENT_FLOAT4;
	bool before_fill = true;

	check_real(places->largest ? "einsum_argmax" : "einsum_argmin",
			   (ElementType) value->type);
	if (value->rank != places->like->rank ||
		memcmp(value->bounds, places->like->bounds,
			   sizeof(value->bounds[0]) * value->rank) != 0)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tensors of one group differ in shape"),
						errdetail("They have shapes %s and %s.",
								  tensor_shape_string(places->like),
								  tensor_shape_string(value))));
	for (int64 i = 0; i < places->count; i++)
	{
		double element = is_float4 ? ((const float *) tensor_elements(value))[i]
								   : ((const double *) tensor_elements(value))[i];

		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		before_fill = consider_element(places, i, element, (double) key) && before_fill;
	}
	finish_row(places, key, before_fill);
}

static Datum
take_row(FunctionCallInfo fcinfo, bool largest, bool of_tensors)
{
	MemoryContext memory =
		aggregate_memory(fcinfo, largest ? "einsum_argmax" : "einsum_argmin");
	ExtremePlaces *places =
		PG_ARGISNULL(0) ? NULL : (ExtremePlaces *) PG_GETARG_POINTER(0);
	Tensor *value = NULL;
	MemoryContext old;
	int64 key;

	for (int i = 1; i < 5; i++)
	{
		if (PG_ARGISNULL(i) && places == NULL)
			PG_RETURN_NULL();
		if (PG_ARGISNULL(i))
			PG_RETURN_POINTER(places);
	}
	if (of_tensors)
		value = PG_GETARG_TENSOR_P(1);
	key = PG_GETARG_INT64(2);
	old = MemoryContextSwitchTo(memory);
	if (places == NULL)
		places = new_places(largest, fcinfo, value);
	if (value)
		take_tensor(places, value, key);
	else
		finish_row(places, key,
				   consider_element(places, 0, PG_GETARG_FLOAT8(1), (double) key));
	MemoryContextSwitchTo(old);
	if (value)
		PG_FREE_IF_COPY(value, 1);
	PG_RETURN_POINTER(places);
}

PG_FUNCTION_INFO_V1(einsum_argmax_row);
Datum
einsum_argmax_row(PG_FUNCTION_ARGS)
{
	return take_row(fcinfo, true, true);
}

PG_FUNCTION_INFO_V1(einsum_argmin_row);
Datum
einsum_argmin_row(PG_FUNCTION_ARGS)
{
	return take_row(fcinfo, false, true);
}

PG_FUNCTION_INFO_V1(einsum_argmax_number);
Datum
einsum_argmax_number(PG_FUNCTION_ARGS)
{
	return take_row(fcinfo, true, false);
}

PG_FUNCTION_INFO_V1(einsum_argmin_number);
Datum
einsum_argmin_number(PG_FUNCTION_ARGS)
{
	return take_row(fcinfo, false, false);
}

/*
 * Returns the least key that no row has, by the remembered keys; the bound, if rows have
 * all keys.
 */
static int64
first_missing(const ExtremePlaces *places)
{
	bool *has = palloc_extended(places->rows + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	int64 missing = 0;

	for (int64 r = 0; r < places->rows; r++)
	{
		if (places->keys[r] >= 0 && places->keys[r] < places->rows)
			has[places->keys[r]] = true;
	}
	while (has[missing])
		missing++;
	pfree(has);
	return Min(missing, places->bound);
}

/* Returns the key of element i's extreme, where key `missing` has the fill. */
static inline double
place_of_extreme(const ExtremePlaces *places, int64 i, int64 missing)
{
	if (missing < places->bound && precedes(places, places->fill, (double) missing,
											places->extreme[i], places->place[i]))
		return (double) missing;
	return places->place[i];
}

PG_FUNCTION_INFO_V1(einsum_argmax_number_finalfn);
Datum
einsum_argmax_number_finalfn(PG_FUNCTION_ARGS)
{
	const ExtremePlaces *places;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	places = (ExtremePlaces *) PG_GETARG_POINTER(0);
	PG_RETURN_FLOAT8(place_of_extreme(
		places, 0, places->any_missing ? first_missing(places) : places->bound));
}

PG_FUNCTION_INFO_V1(einsum_argmax_finalfn);
Datum
einsum_argmax_finalfn(PG_FUNCTION_ARGS)
{
	const ExtremePlaces *places;
	Tensor *result;
	int64 missing;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	places = (ExtremePlaces *) PG_GETARG_POINTER(0);
	missing = places->any_missing ? first_missing(places) : places->bound;
	result = places_like(places->like);
	for (int64 i = 0; i < places->count; i++)
		((double *) tensor_elements(result))[i] = place_of_extreme(places, i, missing);
	PG_RETURN_TENSOR_P(result);
}
