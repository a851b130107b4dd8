/*-------------------------------------------------------------------------
 *
 * tensor_concat.c
 *	  Tensors one behind the other along a dimension that they have.
 *
 * Element types promote as in arithmetic. All bounds but that of the dimension
 * must agree: nothing is repeated.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

static Tensor *
concatenate(int n, Tensor *const *tensors, int dimension)
{
	const Tensor *first = tensors[0];
	ElementType type = (ElementType) first->type;
	int rank = first->rank;
	int64 bounds[TENSOR_MAX_RANK];
	int64 offset = 0;
	Tensor *result;

	if (dimension < 0 || dimension >= rank)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("tensors of rank %d have no dimension %d", rank, dimension),
				 errdetail("Dimensions count from 0."),
				 rank == 0
					 ? errhint("tensor_reshape(t, '{1}') makes a vector of a number.")
					 : 0));
	for (int d = 0; d < rank; d++)
		bounds[d] = first->bounds[d];
	for (int i = 1; i < n; i++)
	{
		bool fits = tensors[i]->rank == rank;

		for (int d = 0; fits && d < rank; d++)
			fits = d == dimension || tensors[i]->bounds[d] == first->bounds[d];
		if (!fits)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("shapes of the operands of tensor_concat do not agree"),
					 errdetail("The first tensor has shape %s, tensor %d has shape %s, "
							   "and the dimension is %d.",
							   tensor_shape_string(first), i + 1,
							   tensor_shape_string(tensors[i]), dimension),
					 errhint("All bounds but that of the dimension must agree.")));
		type = element_promote(type, (ElementType) tensors[i]->type);
		/* does not overflow: at most 2^31 bounds below 2^31 */
		bounds[dimension] += tensors[i]->bounds[dimension];
	}

	result = tensor_new(type, rank, bounds);
	for (int i = 0; i < n; i++)
	{
		TensorView from;
		TensorView part;

		if (tensor_count(tensors[i]) == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		tensor_view(tensors[i], &from);
		tensor_view(result, &part);
		part.bounds[dimension] = from.bounds[dimension];
		part.data = (char *) part.data +
					offset * part.strides[dimension] * (int64) element_size(type);
		view_copy(&from, &part);
		offset += from.bounds[dimension];
	}
	return result;
}

/* tensor_concat(a, b, dimension): joins two tensors along a dimension. */
PG_FUNCTION_INFO_V1(tensor_concat);
Datum
tensor_concat(PG_FUNCTION_ARGS)
{
	Tensor *tensors[2] = {PG_GETARG_TENSOR_P(0), PG_GETARG_TENSOR_P(1)};

	PG_RETURN_TENSOR_P(concatenate(2, tensors, PG_GETARG_INT32(2)));
}

/* tensor_concat(VARIADIC tensors): joins tensors along dimension 0. */
PG_FUNCTION_INFO_V1(tensor_concat_array);
Datum
tensor_concat_array(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	Datum *values;
	bool *nulls;
	int n;
	Tensor **tensors;

	deconstruct_array(array, ARR_ELEMTYPE(array), -1, false, TYPALIGN_DOUBLE, &values,
					  &nulls, &n);
	if (n == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tensor_concat needs at least one tensor")));
	tensors = palloc(sizeof(Tensor *) * n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			PG_RETURN_NULL();
		tensors[i] = DatumGetDenseTensor(values[i]);
	}
	PG_RETURN_TENSOR_P(concatenate(n, tensors, 0));
}
