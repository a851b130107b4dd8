/*-------------------------------------------------------------------------
 *
 * tensor_create.c
 *	  Tensors made from a shape: zeros, a constant, the identity, random.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/array.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

#define ELEMENTS_PER_CHECK (INT64CONST(1) << 20)

PG_FUNCTION_INFO_V1(tensor_zeros);
Datum
tensor_zeros(PG_FUNCTION_ARGS)
{
	int64 bounds[TENSOR_MAX_RANK];
	int rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(0), bounds);
	ElementType type = element_type_from_text(PG_GETARG_TEXT_PP(1));

	PG_RETURN_TENSOR_P(tensor_new(type, rank, bounds));
}

PG_FUNCTION_INFO_V1(tensor_full);
Datum
tensor_full(PG_FUNCTION_ARGS)
{
	int64 bounds[TENSOR_MAX_RANK];
	int rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(0), bounds);
	double value = PG_GETARG_FLOAT8(1);
	ElementType type = element_type_from_text(PG_GETARG_TEXT_PP(2));
	Tensor *tensor = tensor_new(type, rank, bounds);
	int64 count = tensor_count(tensor);
	void *data = tensor_elements(tensor);

	for (int64 start = 0; start < count; start += ELEMENTS_PER_CHECK)
	{
		int64 end = Min(start + ELEMENTS_PER_CHECK, count);

		CHECK_FOR_INTERRUPTS();
		switch (type)
		{
			case ELEMENT_FLOAT4:
				for (int64 i = start; i < end; i++)
					((float *) data)[i] = (float) value;
				break;
			case ELEMENT_FLOAT8:
				for (int64 i = start; i < end; i++)
					((double *) data)[i] = value;
				break;
			case ELEMENT_COMPLEX8:
				for (int64 i = start; i < end; i++)
					((float *) data)[2 * i] = (float) value;
				break;
			case ELEMENT_COMPLEX16:
				for (int64 i = start; i < end; i++)
					((double *) data)[2 * i] = value;
				break;
		}
	}
	PG_RETURN_TENSOR_P(tensor);
}

/*
 * einsum_full_tensor(shape int4[], value tensor): returns a tensor of this shape whose
 * elements all are value, of its element type.
 */
PG_FUNCTION_INFO_V1(einsum_full_tensor);
Datum
einsum_full_tensor(PG_FUNCTION_ARGS)
{
	int64 bounds[TENSOR_MAX_RANK];
	int rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(0), bounds);
	Tensor *value = PG_GETARG_TENSOR_P(1);
	Number number = tensor_number(value);
	Tensor *tensor = tensor_new((ElementType) value->type, rank, bounds);
	TensorView from = {.type = ELEMENT_COMPLEX16, .rank = rank, .data = &number};
	TensorView to;

	/* a number with strides of 0 stands at every index */
	tensor_view(tensor, &to);
	memcpy(from.bounds, to.bounds, sizeof(from.bounds));
	view_copy(&from, &to);
	PG_RETURN_TENSOR_P(tensor);
}

PG_FUNCTION_INFO_V1(tensor_eye);
Datum
tensor_eye(PG_FUNCTION_ARGS)
{
	int32 n = PG_GETARG_INT32(0);
	Tensor *tensor = tensor_new(ELEMENT_FLOAT8, 2, (int64[]){n, n});
	double *data = tensor_elements(tensor);

	for (int64 i = 0; i < n; i++)
		data[i * n + i] = 1;
	PG_RETURN_TENSOR_P(tensor);
}

/*
 * tensor_random(shape, seed): elements are uniform in [0, 1), from the top 53 bits of
 * splitmix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators,
 * OOPSLA 2014): a seed gives the same values on every server and version.
 */
PG_FUNCTION_INFO_V1(tensor_random);
Datum
tensor_random(PG_FUNCTION_ARGS)
{
	int64 bounds[TENSOR_MAX_RANK];
	int rank = shape_from_array(PG_GETARG_ARRAYTYPE_P(0), bounds);
	uint64 state = (uint64) PG_GETARG_INT64(1);
	Tensor *tensor = tensor_new(ELEMENT_FLOAT8, rank, bounds);
	int64 count = tensor_count(tensor);
	double *data = tensor_elements(tensor);

	for (int64 i = 0; i < count; i++)
	{
		uint64 x = state += UINT64CONST(0x9e3779b97f4a7c15);

		if (i % ELEMENTS_PER_CHECK == 0)
			CHECK_FOR_INTERRUPTS();
		x = (x ^ (x >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
		x = (x ^ (x >> 27)) * UINT64CONST(0x94d049bb133111eb);
		x ^= x >> 31;
		data[i] = (double) (x >> 11) * 0x1.0p-53;
	}
	PG_RETURN_TENSOR_P(tensor);
}
