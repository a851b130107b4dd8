/*-------------------------------------------------------------------------
 *
 * tensor_compare.c
 *	  Equality, order and hashes of tensors, by value.
 *
 * Two tensors are equal if they have one shape and equal elements, whatever
 * their element types: a float4 is the float8 it converts to, and a real
 * number the complex one with imaginary part 0. As for float8 in indexes, NaN
 * equals NaN and -0 equals 0.
 *
 * The order, made for sorting and grouping, compares ranks, then bounds, then
 * elements row-major; complex elements by their real and then their imaginary
 * part; NaN is larger than all numbers.
 *
 * The hash is taken over the shape and the elements as float8, with one NaN
 * and one zero, leaving out imaginary parts of 0, so that equal values hash
 * alike. It is stored in hash indexes and decides the partition of a row:
 * it may never change, nor depend on the server's version.
 *
 * Sparse values are equal to, ordered as and hashed as their dense forms, which are
 * not made: comparing two takes a step for each entry. A hash takes one for
 * each position, up to HASHED_POSITIONS of them. Beyond, no value is dense, and
 * two values of 1 GB share a position that has an entry in neither, so that equal
 * ones have the same fill: the hash is of the shape, the fill and the entries.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"

/* A sparse value with more positions is hashed without the gaps between its entries. */
#define HASHED_POSITIONS (INT64CONST(1) << 30)

typedef struct Element
{
	double re;
	double im;
} Element;

static inline Element
get_element(ElementType type, const void *data, int64 i)
{
	switch (type)
	{
		case ELEMENT_FLOAT4:
			return (Element){((const float *) data)[i], 0};
		case ELEMENT_FLOAT8:
			return (Element){((const double *) data)[i], 0};
		case ELEMENT_COMPLEX8:
			return (Element){((const float *) data)[2 * i],
							 ((const float *) data)[2 * i + 1]};
		case ELEMENT_COMPLEX16:
			return (Element){((const double *) data)[2 * i],
							 ((const double *) data)[2 * i + 1]};
	}
	return (Element){0, 0};
}

static inline int
compare_numbers(double a, double b)
{
	if (a < b)
		return -1;
	if (a > b)
		return 1;
	if (a == b)
		return 0;
	return (isnan(a) ? 1 : 0) - (isnan(b) ? 1 : 0);
}

static int
compare_shapes(const Tensor *a, const Tensor *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	for (int i = 0; i < a->rank; i++)
	{
		if (a->bounds[i] != b->bounds[i])
			return a->bounds[i] < b->bounds[i] ? -1 : 1;
	}
	return 0;
}

static int
compare_elements(const Tensor *a, const Tensor *b)
{
	int64 count = tensor_count(a);
	const void *a_data = tensor_elements(a);
	const void *b_data = tensor_elements(b);

	for (int64 i = 0; i < count; i++)
	{
		int order;

		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		if (a->type == ELEMENT_FLOAT8 && b->type == ELEMENT_FLOAT8)
			order = compare_numbers(((const double *) a_data)[i],
									((const double *) b_data)[i]);
		else
		{
			Element x = get_element((ElementType) a->type, a_data, i);
			Element y = get_element((ElementType) b->type, b_data, i);

			order = compare_numbers(x.re, y.re);
			if (order == 0)
				order = compare_numbers(x.im, y.im);
		}
		if (order != 0)
			return order;
	}
	return 0;
}

/* Reads the elements of a value, dense or sparse, in order. */
typedef struct Cursor
{
	const Tensor *tensor;
	bool sparse;
	SparseEntries entries; /* if the value is sparse */
	int64 entry;           /* the next of them */
} Cursor;

static Cursor
begin_cursor(const Tensor *tensor)
{
	Cursor cursor = {.tensor = tensor, .sparse = is_sparse(tensor)};

	if (cursor.sparse)
		cursor.entries = sparse_entries(tensor);
	return cursor;
}

/* Returns the first position from this one on that has an entry, or end. */
static int64
next_position(const Cursor *cursor, int64 position, int64 end)
{
	if (!cursor->sparse)
		return position;
	if (cursor->entry >= cursor->entries.count)
		return end;
	return (int64) entry_position(&cursor->entries, cursor->entry);
}

/* Returns the element at a position, and moves the cursor beyond it. */
static Element
take_element(Cursor *cursor, int64 position)
{
	ElementType type = (ElementType) cursor->tensor->type;

	if (!cursor->sparse)
		return get_element(type, tensor_elements(cursor->tensor), position);
	if (cursor->entry < cursor->entries.count &&
		(int64) entry_position(&cursor->entries, cursor->entry) == position)
		return get_element(type, entry_element(&cursor->entries, cursor->entry++), 0);
	return get_element(type, sparse_fill(cursor->tensor), 0);
}

/* Compares elements like compare_elements, if one value or both are sparse. */
static int
compare_sparse(const Tensor *a, const Tensor *b)
{
	Cursor x = begin_cursor(a);
	Cursor y = begin_cursor(b);
	int64 count = tensor_count(a);

	for (int64 i = 0, steps = 0; i < count; i++, steps++)
	{
		Element left = take_element(&x, i);
		Element right = take_element(&y, i);
		int order = compare_numbers(left.re, right.re);

		if (order == 0)
			order = compare_numbers(left.im, right.im);
		if (order != 0)
			return order;
		if ((steps & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		/* skips a gap of both values, in which each has one element, its fill */
		i = Max(i, Min(next_position(&x, i + 1, count), next_position(&y, i + 1, count)) -
					   2);
	}
	return 0;
}

static int
compare_arguments(FunctionCallInfo fcinfo)
{
	Tensor *a = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	Tensor *b = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(1));
	int order = compare_shapes(a, b);

	if (order == 0)
		order =
			is_sparse(a) || is_sparse(b) ? compare_sparse(a, b) : compare_elements(a, b);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
}

#define COMPARISON(name, relation)                                                       \
	PG_FUNCTION_INFO_V1(name);                                                           \
	Datum name(PG_FUNCTION_ARGS)                                                         \
	{                                                                                    \
		PG_RETURN_BOOL(compare_arguments(fcinfo) relation 0);                            \
	}                                                                                    \
	extern int no_such_variable

COMPARISON(tensor_eq, ==);
COMPARISON(tensor_ne, !=);
COMPARISON(tensor_lt, <);
COMPARISON(tensor_le, <=);
COMPARISON(tensor_gt, >);
COMPARISON(tensor_ge, >=);

PG_FUNCTION_INFO_V1(tensor_cmp);
Datum
tensor_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_arguments(fcinfo));
}

/* The finalizer of splitmix64: every bit of the input moves every bit of the output. */
static inline uint64
mix(uint64 x)
{
	x ^= x >> 30;
	x *= UINT64CONST(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64CONST(0x94d049bb133111eb);
	x ^= x >> 31;
	return x;
}

static inline uint64
hash_number(uint64 hash, double value)
{
	uint64 bits;

	if (isnan(value))
		bits = UINT64CONST(0x7ff8000000000000);
	else
	{
		value = value == 0 ? 0 : value; /* -0 */
		memcpy(&bits, &value, sizeof(bits));
	}
	return mix(hash + UINT64CONST(0x9e3779b97f4a7c15) + bits);
}

static inline uint64
hash_element(uint64 hash, Element element)
{
	hash = hash_number(hash, element.re);
	if (element.im != 0)
		hash = hash_number(~hash, element.im);
	return hash;
}

/* Continues a hash with the elements of a sparse value. */
static uint64
hash_sparse(const Tensor *tensor, uint64 hash)
{
	ElementType type = (ElementType) tensor->type;
	Element fill = get_element(type, sparse_fill(tensor), 0);
	SparseEntries entries = sparse_entries(tensor);
	int64 count = tensor_count(tensor);
	int64 position = 0;

	if (count > HASHED_POSITIONS)
	{
		hash = hash_element(hash, fill);
		for (int64 i = 0; i < entries.count; i++)
		{
			if ((i & 0xfffff) == 0xfffff)
				CHECK_FOR_INTERRUPTS();
			hash = mix(hash + entry_position(&entries, i) + 1);
			hash = hash_element(hash, get_element(type, entry_element(&entries, i), 0));
		}
		return hash;
	}
	for (int64 i = 0; i <= entries.count; i++)
	{
		int64 next = i < entries.count ? (int64) entry_position(&entries, i) : count;

		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		for (; position < next; position++)
		{
			if ((position & 0xfffff) == 0xfffff)
				CHECK_FOR_INTERRUPTS();
			hash = hash_element(hash, fill);
		}
		if (i < entries.count)
			hash = hash_element(hash, get_element(type, entry_element(&entries, i), 0));
		position++;
	}
	return hash;
}

static uint64
hash_tensor(const Tensor *tensor, uint64 seed)
{
	int64 count = tensor_count(tensor);
	uint64 hash = mix(seed + tensor->rank + 1);
	const void *data;

	for (int i = 0; i < tensor->rank; i++)
		hash = mix(hash + (uint64) tensor->bounds[i] + 1);
	if (is_sparse(tensor))
		return hash_sparse(tensor, hash);
	data = tensor_elements(tensor);
	for (int64 i = 0; i < count; i++)
	{
		Element element = get_element((ElementType) tensor->type, data, i);

		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		hash = hash_element(hash, element);
	}
	return hash;
}

PG_FUNCTION_INFO_V1(tensor_hash);
Datum
tensor_hash(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	uint64 hash = hash_tensor(tensor, 0);

	PG_FREE_IF_COPY(tensor, 0);
	PG_RETURN_UINT32((uint32) hash);
}

PG_FUNCTION_INFO_V1(tensor_hash_extended);
Datum
tensor_hash_extended(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	uint64 hash = hash_tensor(tensor, (uint64) PG_GETARG_INT64(1));

	PG_FREE_IF_COPY(tensor, 0);
	PG_RETURN_UINT64(hash);
}
