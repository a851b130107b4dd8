/*-------------------------------------------------------------------------
 *
 * tensor_array.c
 *	  Casts between tensors and PostgreSQL's numeric arrays, and float8.
 *
 * An array of any number of dimensions becomes a tensor of that rank; its
 * lower bounds mean nothing, as subscripts of tensors count from 0. real[]
 * becomes float4, all else float8. The empty array is the tensor of shape (0),
 * and every tensor without elements becomes the empty array.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

/*
 * Copies array elements of a C type to the elements of a tensor; the array has no NULLs.
 */
#define COPY_ELEMENTS(to_type, from_type)                                                \
	do                                                                                   \
	{                                                                                    \
		to_type *to = tensor_elements(tensor);                                           \
		const from_type *from = (const from_type *) ARR_DATA_PTR(array);                 \
                                                                                         \
		for (int64 i = 0; i < count; i++)                                                \
			to[i] = (to_type) from[i];                                                   \
	} while (0)

static void
copy_numerics(Tensor *tensor, ArrayType *array)
{
	double *to = tensor_elements(tensor);
	Datum *values;
	int count;

	deconstruct_array(array, NUMERICOID, -1, false, TYPALIGN_INT, &values, NULL, &count);
	for (int i = 0; i < count; i++)
	{
		if ((i & 1023) == 0)
			CHECK_FOR_INTERRUPTS();
		to[i] = DatumGetFloat8(DirectFunctionCall1(numeric_float8, values[i]));
	}
	pfree(values);
}

PG_FUNCTION_INFO_V1(array_to_tensor);
Datum
array_to_tensor(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	Oid element = ARR_ELEMTYPE(array);
	int rank = Max(ARR_NDIM(array), 1);
	int64 bounds[TENSOR_MAX_RANK] = {0};
	int64 count;
	Tensor *tensor;

	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("array with nulls cannot be cast to tensor"),
						errhint("Replace the nulls, or keep the elements as rows: a row "
								"that is missing means the fill.")));
	for (int i = 0; i < ARR_NDIM(array); i++)
		bounds[i] = ARR_DIMS(array)[i];
	tensor =
		tensor_new(element == FLOAT4OID ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8, rank, bounds);
	count = tensor_count(tensor);
	if (count == 0)
		PG_RETURN_TENSOR_P(tensor);
	switch (element)
	{
		case INT2OID:
			COPY_ELEMENTS(double, int16);
			break;
		case INT4OID:
			COPY_ELEMENTS(double, int32);
			break;
		case INT8OID:
			COPY_ELEMENTS(double, int64);
			break;
		case FLOAT4OID:
			COPY_ELEMENTS(float, float);
			break;
		case FLOAT8OID:
			COPY_ELEMENTS(double, double);
			break;
		case NUMERICOID:
			copy_numerics(tensor, array);
			break;
		default:
			elog(ERROR, "no cast from arrays of type %u to tensor", element);
	}
	PG_RETURN_TENSOR_P(tensor);
}

static void
refuse_complex(const Tensor *tensor, const char *target)
{
	if (element_is_complex((ElementType) tensor->type))
		ereport(ERROR, (errcode(ERRCODE_CANNOT_COERCE),
						errmsg("complex tensor cannot be cast to type %s", target),
						errdetail("The value's element type is %s.",
								  element_type_name((ElementType) tensor->type))));
}

/* Returns the elements as float8: the tensor's own, or a copy. */
static const double *
doubles_of(Tensor *tensor)
{
	return tensor_elements(tensor_convert(tensor, ELEMENT_FLOAT8));
}

/*
 * Returns an array of the tensor's shape whose elements, of a fixed length, are still to
 * be set. Errors: 42846 for a scalar or more than 6 dimensions, which arrays cannot have.
 */
static ArrayType *
new_array(const Tensor *tensor, Oid element, int length, const char *target)
{
	int dims[MAXDIM];
	int64 count = tensor_count(tensor);
	int64 size;
	ArrayType *array;

	refuse_complex(tensor, target);
	if (tensor->rank == 0)
		ereport(ERROR, (errcode(ERRCODE_CANNOT_COERCE),
						errmsg("tensor of rank 0 cannot be cast to type %s", target),
						errhint("Cast it to double precision.")));
	if (count == 0)
		return construct_empty_array(element);
	if (tensor->rank > MAXDIM)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor of rank %d cannot be cast to type %s",
							   tensor->rank, target),
						errdetail("An array has at most %d dimensions.", MAXDIM)));
	for (int i = 0; i < tensor->rank; i++)
		dims[i] = tensor->bounds[i];
	ArrayGetNItems(tensor->rank, dims); /* refuses too many elements */
	size = ARR_OVERHEAD_NONULLS(tensor->rank) + count * length;
	if (size > (int64) MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor of shape %s is too large for type %s",
							   tensor_shape_string(tensor), target)));
	array = palloc0(size);
	SET_VARSIZE(array, size);
	array->ndim = tensor->rank;
	array->dataoffset = 0;
	array->elemtype = element;
	for (int i = 0; i < tensor->rank; i++)
	{
		ARR_DIMS(array)[i] = dims[i];
		ARR_LBOUND(array)[i] = 1;
	}
	return array;
}

static void
element_out_of_range(double value, const char *target)
{
	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					errmsg("element %s is out of range for type %s",
						   double_to_shortest_decimal(value), target)));
}

/*
 * Casts to an array of integers; elements are rounded half to even, as by casts of
 * float8.
 */
#define TENSOR_TO_INTEGERS(name, c_type, element, target, fits)                          \
	PG_FUNCTION_INFO_V1(name);                                                           \
	Datum name(PG_FUNCTION_ARGS)                                                         \
	{                                                                                    \
		Tensor *tensor = PG_GETARG_TENSOR_P(0);                                          \
		ArrayType *array = new_array(tensor, element, sizeof(c_type), target);           \
		int64 count = tensor_count(tensor);                                              \
		const double *from;                                                              \
		c_type *to = (c_type *) ARR_DATA_PTR(array);                                     \
                                                                                         \
		if (count == 0)                                                                  \
			PG_RETURN_ARRAYTYPE_P(array);                                                \
		from = doubles_of(tensor);                                                       \
		for (int64 i = 0; i < count; i++)                                                \
		{                                                                                \
			double value = rint(from[i]);                                                \
                                                                                         \
			if (isnan(value) || !fits(value))                                            \
				element_out_of_range(from[i], target);                                   \
			to[i] = (c_type) value;                                                      \
		}                                                                                \
		PG_RETURN_ARRAYTYPE_P(array);                                                    \
	}                                                                                    \
	extern int no_such_variable

TENSOR_TO_INTEGERS(tensor_to_int2_array, int16, INT2OID, "smallint[]",
				   FLOAT8_FITS_IN_INT16);
TENSOR_TO_INTEGERS(tensor_to_int4_array, int32, INT4OID, "integer[]",
				   FLOAT8_FITS_IN_INT32);
TENSOR_TO_INTEGERS(tensor_to_int8_array, int64, INT8OID, "bigint[]",
				   FLOAT8_FITS_IN_INT64);

PG_FUNCTION_INFO_V1(tensor_to_float4_array);
Datum
tensor_to_float4_array(PG_FUNCTION_ARGS)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	ArrayType *array = new_array(tensor, FLOAT4OID, sizeof(float), "real[]");
	int64 count = tensor_count(tensor);
	float *to = (float *) ARR_DATA_PTR(array);

	if (tensor->type == ELEMENT_FLOAT4)
		memcpy(to, tensor_elements(tensor), count * sizeof(float));
	else
	{
		const double *from = tensor_elements(tensor);

		for (int64 i = 0; i < count; i++)
		{
			to[i] = (float) from[i];
			if (isinf(to[i]) && !isinf(from[i]))
				element_out_of_range(from[i], "real[]");
		}
	}
	PG_RETURN_ARRAYTYPE_P(array);
}

PG_FUNCTION_INFO_V1(tensor_to_float8_array);
Datum
tensor_to_float8_array(PG_FUNCTION_ARGS)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	ArrayType *array = new_array(tensor, FLOAT8OID, sizeof(double), "double precision[]");
	int64 count = tensor_count(tensor);

	if (count > 0)
		memcpy(ARR_DATA_PTR(array), doubles_of(tensor), count * sizeof(double));
	PG_RETURN_ARRAYTYPE_P(array);
}

/*
 * Casts to numeric[] as PostgreSQL casts float4 or float8: with 6 or 15 significant
 * digits.
 */
PG_FUNCTION_INFO_V1(tensor_to_numeric_array);
Datum
tensor_to_numeric_array(PG_FUNCTION_ARGS)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	/* only to check the tensor: new_array raises the errors */
	ArrayType *empty = new_array(tensor, NUMERICOID, 1, "numeric[]");
	int count = (int) tensor_count(tensor);
	int lower[MAXDIM] = {1, 1, 1, 1, 1, 1};
	Datum *values;

	if (count == 0)
		PG_RETURN_ARRAYTYPE_P(empty);
	pfree(empty);
	values = palloc(sizeof(Datum) * count);
	for (int i = 0; i < count; i++)
	{
		if ((i & 1023) == 0)
			CHECK_FOR_INTERRUPTS();
		if (tensor->type == ELEMENT_FLOAT4)
			values[i] = DirectFunctionCall1(
				float4_numeric, Float4GetDatum(((float *) tensor_elements(tensor))[i]));
		else
			values[i] = DirectFunctionCall1(
				float8_numeric, Float8GetDatum(((double *) tensor_elements(tensor))[i]));
	}
	PG_RETURN_ARRAYTYPE_P(construct_md_array(values, NULL, tensor->rank, tensor->bounds,
											 lower, NUMERICOID, -1, false, TYPALIGN_INT));
}

PG_FUNCTION_INFO_V1(float8_to_tensor);
Datum
float8_to_tensor(PG_FUNCTION_ARGS)
{
	Tensor *tensor = tensor_new(ELEMENT_FLOAT8, 0, NULL);

	*(double *) tensor_elements(tensor) = PG_GETARG_FLOAT8(0);
	PG_RETURN_TENSOR_P(tensor);
}

/*
 * Casts of the other numbers to tensors, with the element types that arrays of them get:
 * float4 for real.
 */
#define NUMBER_TO_TENSOR(name, element_type, c_type, number)                             \
	PG_FUNCTION_INFO_V1(name);                                                           \
	Datum name(PG_FUNCTION_ARGS)                                                         \
	{                                                                                    \
		Tensor *tensor = tensor_new(element_type, 0, NULL);                              \
                                                                                         \
		*(c_type *) tensor_elements(tensor) = (c_type) (number);                         \
		PG_RETURN_TENSOR_P(tensor);                                                      \
	}                                                                                    \
	extern int no_such_variable

NUMBER_TO_TENSOR(int2_to_tensor, ELEMENT_FLOAT8, double, PG_GETARG_INT16(0));
NUMBER_TO_TENSOR(int4_to_tensor, ELEMENT_FLOAT8, double, PG_GETARG_INT32(0));
NUMBER_TO_TENSOR(int8_to_tensor, ELEMENT_FLOAT8, double, PG_GETARG_INT64(0));
NUMBER_TO_TENSOR(float4_to_tensor, ELEMENT_FLOAT4, float, PG_GETARG_FLOAT4(0));
NUMBER_TO_TENSOR(numeric_to_tensor, ELEMENT_FLOAT8, double,
				 DatumGetFloat8(DirectFunctionCall1(numeric_float8, PG_GETARG_DATUM(0))));

/* The subscripts of the first element, as "[0][0]" of a matrix. */
static const char *
first_element(int rank)
{
	StringInfoData subscripts;

	initStringInfo(&subscripts);
	for (int d = 0; d < rank; d++)
		appendStringInfoString(&subscripts, "[0]");
	return subscripts.data;
}

/* Returns the element of a tensor of rank 0, to be cast to a type. Errors: 42846. */
static Datum
single_number(Tensor *tensor, const char *target)
{
	refuse_complex(tensor, target);
	if (tensor->rank != 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_CANNOT_COERCE),
			 errmsg("tensor of rank %d cannot be cast to type %s", tensor->rank, target),
			 errdetail("The value's shape is %s.", tensor_shape_string(tensor)),
			 errhint(
				 "Only a tensor of rank 0 is a number. An element is (t)%s, their sum "
				 "tensor_reduce('sum', t), and all of them are t::float8[].",
				 first_element(tensor->rank))));
	return Float8GetDatum(*doubles_of(tensor));
}

PG_FUNCTION_INFO_V1(tensor_to_float8);
Datum
tensor_to_float8(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(single_number(PG_GETARG_TENSOR_P(0), "double precision"));
}

/*
 * name(tensor): casts a tensor of rank 0 to a number type, rounded as PostgreSQL's cast
 * of float8.
 */
#define TENSOR_TO_NUMBER(name, target, cast)                                             \
	PG_FUNCTION_INFO_V1(name);                                                           \
	Datum name(PG_FUNCTION_ARGS)                                                         \
	{                                                                                    \
		PG_RETURN_DATUM(                                                                 \
			DirectFunctionCall1(cast, single_number(PG_GETARG_TENSOR_P(0), target)));    \
	}                                                                                    \
	extern int no_such_variable

TENSOR_TO_NUMBER(tensor_to_float4, "real", dtof);
TENSOR_TO_NUMBER(tensor_to_numeric, "numeric", float8_numeric);
TENSOR_TO_NUMBER(tensor_to_int2, "smallint", dtoi2);
TENSOR_TO_NUMBER(tensor_to_int4, "integer", dtoi4);
TENSOR_TO_NUMBER(tensor_to_int8, "bigint", dtoi8);
