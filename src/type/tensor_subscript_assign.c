/*-------------------------------------------------------------------------
 *
 * tensor_subscript_assign.c
 *	  UPDATE ... SET t[1][2] = x: a tensor with a part of it replaced.
 *
 * The new value is broadcast to the shape of the part and converted to the
 * tensor's element type, unless that would lose an imaginary part. The rest of
 * the tensor, its shape, type and format stay, so that a tensor that is NULL has no
 * part to assign to.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor_shape.h"
#include "type/tensor_subscript.h"

/* Fills a part of a tensor with a value that is broadcast to its shape. */
static void
fill_part(const Tensor *tensor, TensorView *part, Tensor *value)
{
	TensorView from;
	bool fits;

	tensor_view(value, &from);
	fits = true;
	/* as in numpy, the value may have further dimensions of bound 1 */
	while (from.rank > part->rank && fits)
	{
		fits = from.bounds[0] == 1;
		from.rank--;
		memmove(from.bounds, from.bounds + 1, sizeof(from.bounds[0]) * from.rank);
		memmove(from.strides, from.strides + 1, sizeof(from.strides[0]) * from.rank);
	}
	if (fits)
	{
		TensorView spread = *part;

		spread.type = from.type;
		spread.data = from.data;
		for (int d = 0; d < part->rank; d++)
		{
			int own = d - (part->rank - from.rank);
			int64 bound = own < 0 ? 1 : from.bounds[own];

			fits = fits && (bound == part->bounds[d] || bound == 1);
			spread.strides[d] = bound == 1 ? 0 : from.strides[own];
		}
		from = spread;
	}
	if (!fits)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("value of shape %s cannot be assigned to a part of shape %s",
						tensor_shape_string(value),
						shape_to_string(part->rank, part->bounds)),
				 errdetail("The tensor has shape %s.", tensor_shape_string(tensor)),
				 errhint("Bounds must agree or be 1, counted from the last dimension.")));
	if (view_count(part) > 0)
		view_copy(&from, part);
}

Tensor *
tensor_assign(const Tensor *old, int given, const int32 *subscripts, Tensor *value)
{
	ElementType type = (ElementType) old->type;
	int64 bounds[TENSOR_MAX_RANK];
	int64 position = 0;
	Tensor *result;
	TensorView part;

	if (element_is_complex((ElementType) value->type) && !element_is_complex(type))
		ereport(ERROR,
				(errcode(ERRCODE_CANNOT_COERCE),
				 errmsg("complex value cannot be assigned to a part of a %s tensor",
						element_type_name(type)),
				 errdetail("The value's element type is %s.",
						   element_type_name((ElementType) value->type))));
	for (int d = 0; d < old->rank; d++)
	{
		position = position * old->bounds[d] + (d < given ? subscripts[d] : 0);
		bounds[d] = old->bounds[d];
	}
	if (is_sparse(old))
	{
		Tensor *elements = tensor_new(type, old->rank - given, bounds + given);

		tensor_view(elements, &part);
		fill_part(old, &part, value);
		return sparse_replace(old, position, elements);
	}
	result = palloc(VARSIZE(old));
	memcpy(result, old, VARSIZE(old));
	tensor_view(result, &part);
	part.data = (char *) part.data + position * (int64) element_size(type);
	part.rank -= given;
	memmove(part.bounds, part.bounds + given, sizeof(part.bounds[0]) * part.rank);
	memmove(part.strides, part.strides + given, sizeof(part.strides[0]) * part.rank);
	fill_part(old, &part, value);
	return result;
}
