/*-------------------------------------------------------------------------
 *
 * sparse_pairs.c
 *	  The pairs of elements of two values that count in sums over both, such as an inner
 *	  product, if one value or both are sparse.
 *
 * Where one value has a gap of zeros, and the other an element x, sums get 0 * x, or
 * what a distance makes of 0 and x. So such a pair may be left out if x is 0 too, and of
 * products also if x is finite.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "compat.h"
#include "type/sparse.h"

/* Reads one of the two values from its first element on. */
typedef struct Side
{
	const Tensor *tensor;
	bool sparse;
	SparseEntries entries; /* if it is sparse */
	int64 entry;           /* the next of them */
	bool products;
} Side;

static Side
begin_side(const Tensor *tensor, bool products)
{
	Side side = {.tensor = tensor, .sparse = is_sparse(tensor), .products = products};

	if (side.sparse)
		side.entries = sparse_entries(tensor);
	return side;
}

static inline double
dense_number(const Tensor *tensor, int64 i)
{
	return tensor->type == ELEMENT_FLOAT4 ? ((const float *) tensor_elements(tensor))[i]
										  : ((const double *) tensor_elements(tensor))[i];
}

/* Returns the first position from this one on that counts beside a gap, or end. */
static int64
next_counted(const Side *side, int64 position, int64 end)
{
	if (side->sparse)
		return side->entry < side->entries.count
				   ? (int64) entry_position(&side->entries, side->entry)
				   : end;
	for (; position < end; position++)
	{
		double number = dense_number(side->tensor, position);

		if ((position & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		if (side->products ? !isfinite(number) : number != 0)
			break;
	}
	return position;
}

/* Returns the element at a position, behind which the side continues. */
static double
take_number(Side *side, int64 position)
{
	if (!side->sparse)
		return dense_number(side->tensor, position);
	if (side->entry < side->entries.count &&
		(int64) entry_position(&side->entries, side->entry) == position)
		return entry_number(&side->entries, side->entry++);
	return 0;
}

/* Goes over the pairs that count, and sets them unless x is NULL; returns their number. */
static int64
read_pairs(const Tensor *a, const Tensor *b, bool products, double *x, double *y)
{
	Side left = begin_side(a, products);
	Side right = begin_side(b, products);
	int64 end = tensor_count(a);
	int64 count = 0;
	int64 next_left = next_counted(&left, 0, end);
	int64 next_right = next_counted(&right, 0, end);

	while (Min(next_left, next_right) < end)
	{
		int64 position = Min(next_left, next_right);
		double of_left = take_number(&left, position);
		double of_right = take_number(&right, position);

		if ((count & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		if (x)
		{
			x[count] = of_left;
			y[count] = of_right;
		}
		count++;
		if (next_left == position)
			next_left = next_counted(&left, position + 1, end);
		if (next_right == position)
			next_right = next_counted(&right, position + 1, end);
	}
	return count;
}

/* May gaps of a value be left out? */
static bool
has_only_zeros(const Tensor *tensor)
{
	return !element_is_complex((ElementType) tensor->type) &&
		   (!is_sparse(tensor) || sparse_has_fill(tensor, 0));
}

bool
sparse_pairs(const Tensor *a, const Tensor *b, bool products, Tensor **x, Tensor **y)
{
	int64 count;

	if (!(is_sparse(a) || is_sparse(b)) || !has_only_zeros(a) || !has_only_zeros(b) ||
		a->rank != b->rank || memcmp(a->bounds, b->bounds, sizeof(int32) * a->rank) != 0)
		return false;
	count = read_pairs(a, b, products, NULL, NULL);
	*x = tensor_new(ELEMENT_FLOAT8, 1, &count);
	*y = tensor_new(ELEMENT_FLOAT8, 1, &count);
	(void) read_pairs(a, b, products, tensor_elements(*x), tensor_elements(*y));
	return true;
}
