/*-------------------------------------------------------------------------
 *
 * tensor.c
 *	  Making and describing tensor values.
 *
 * All sizes are computed here, in 64 bits and checked before anything is
 * allocated. The product of the bounds other than 0 is limited too, so that
 * strides and partial products of an empty tensor cannot overflow either.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

char *
shape_to_string(int rank, const int64 *bounds)
{
	StringInfoData out;

	if (rank == 0)
		return pstrdup("scalar");
	initStringInfo(&out);
	for (int i = 0; i < rank; i++)
		appendStringInfo(&out, i == 0 ? INT64_FORMAT : "x" INT64_FORMAT, bounds[i]);
	return out.data;
}

int64
shape_count(ElementType type, int rank, const int64 *bounds)
{
	int64 extent = 1;
	bool empty = false;
	bool overflow = false;

	if (rank < 0 || rank > TENSOR_MAX_RANK)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor has too many dimensions"),
						errdetail("It has %d dimensions, and %d are the most.", rank,
								  TENSOR_MAX_RANK)));
	for (int i = 0; i < rank; i++)
	{
		if (bounds[i] < 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("bound of a tensor must not be negative"),
							errdetail("Dimension %d has bound " INT64_FORMAT ".", i,
									  bounds[i])));
		if (bounds[i] > PG_INT32_MAX)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("bound of a tensor is too large"),
							errdetail("Dimension %d has bound " INT64_FORMAT
									  ", and %d is the largest.",
									  i, bounds[i], PG_INT32_MAX)));
		if (bounds[i] == 0)
			empty = true;
		else if (!overflow)
			overflow = pg_mul_s64_overflow(extent, bounds[i], &extent);
	}
	if (overflow || extent > PG_INT64_MAX / 16 ||
		(!empty &&
		 extent > (int64) ((MaxAllocSize - TENSOR_HEADER_SIZE(TENSOR_MAX_RANK)) /
						   element_size(type))))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("tensor is too large"),
				 errdetail("A %s tensor of shape %s does not fit in 1 GB.",
						   element_type_name(type), shape_to_string(rank, bounds)),
				 errhint("Keep a dimension as a column instead of inside the value.")));
	return empty ? 0 : extent;
}

void *
zeroed_in_pieces(Size bytes)
{
	char *memory;

	if (bytes <= PIECE_BYTES)
		return palloc0(bytes);
	memory = palloc(bytes);
	for (Size at = 0; at < bytes; at += PIECE_BYTES)
	{
		memset(memory + at, 0, Min(bytes - at, PIECE_BYTES));
		CHECK_FOR_INTERRUPTS();
	}
	return memory;
}

void
refuse_format(const Tensor *tensor)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("tensor value of format %d is not supported", tensor->format),
					errdetail("This version of sparseeinsum reads values of format %d "
							  "and %d.",
							  TENSOR_FORMAT_DENSE, TENSOR_FORMAT_SPARSE),
					errhint("Use the version that wrote the value, or a later one.")));
}

void
tensor_write_header(Tensor *tensor, ElementType type, int rank, const int64 *bounds)
{
	Size size = element_size(type);

	memset(tensor, 0, TENSOR_HEADER_SIZE(rank));
	tensor->format = TENSOR_FORMAT_DENSE;
	tensor->type = (uint8) type;
	tensor->rank = (uint8) rank;
	for (int d = 0; d < rank; d++)
	{
		tensor->bounds[d] = (int32) bounds[d];
		size *= (Size) bounds[d];
	}
	SET_VARSIZE(tensor, TENSOR_HEADER_SIZE(rank) + size);
}

Tensor *
tensor_new(ElementType type, int rank, const int64 *bounds)
{
	int64 count = shape_count(type, rank, bounds);
	Size size = TENSOR_HEADER_SIZE(rank) + (Size) count * element_size(type);
	Tensor *tensor = zeroed_in_pieces(size);

	tensor_write_header(tensor, type, rank, bounds);
	return tensor;
}

void
copy_in_pieces(void *to, const void *from, Size bytes)
{
	for (Size at = 0; at < bytes; at += PIECE_BYTES)
	{
		memcpy((char *) to + at, (const char *) from + at, Min(bytes - at, PIECE_BYTES));
		CHECK_FOR_INTERRUPTS();
	}
}

int64
tensor_count(const Tensor *tensor)
{
	int64 count = 1;

	for (int i = 0; i < tensor->rank; i++)
	{
		if (tensor->bounds[i] == 0)
			return 0;
		count *= tensor->bounds[i];
	}
	return count;
}

void
tensor_view(const Tensor *tensor, TensorView *view)
{
	int64 bounds[TENSOR_MAX_RANK];

	for (int i = 0; i < tensor->rank; i++)
		bounds[i] = tensor->bounds[i];
	view_contiguous(view, (ElementType) tensor->type, tensor->rank, bounds,
					tensor_elements(tensor));
}

Tensor *
DatumGetTensorOfAnyFormat(Datum datum)
{
	Tensor *tensor = (Tensor *) PG_DETOAST_DATUM(datum);

	check_format(tensor);
	if (is_sparse(tensor))
		sparse_check(tensor);
	return tensor;
}

char *
tensor_shape_string(const Tensor *tensor)
{
	int64 bounds[TENSOR_MAX_RANK];

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[d];
	return shape_to_string(tensor->rank, bounds);
}

Tensor *
tensor_convert(Tensor *tensor, ElementType type)
{
	TensorView from;
	TensorView to;
	Tensor *result;

	if (tensor->type == type)
		return tensor;
	tensor_view(tensor, &from);
	result = tensor_new(type, from.rank, from.bounds);
	tensor_view(result, &to);
	view_copy(&from, &to);
	return result;
}

Number
tensor_number(const Tensor *tensor)
{
	Number number = 0;
	TensorView from;
	TensorView to;

	if (tensor->rank != 0)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("a tensor of shape %s is no number", tensor_shape_string(tensor)),
				 errhint("Give a tensor of rank 0.")));
	tensor_view(tensor, &from);
	view_contiguous(&to, ELEMENT_COMPLEX16, 0, NULL, &number);
	view_copy(&from, &to);
	return number;
}

int
shape_from_array(ArrayType *array, int64 *bounds)
{
	int rank;
	const int32 *values;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("shape must be a one-dimensional array")));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("shape must not contain nulls")));
	rank = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	if (rank > TENSOR_MAX_RANK)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor has too many dimensions"),
						errdetail("It has %d dimensions, and %d are the most.", rank,
								  TENSOR_MAX_RANK)));
	values = (const int32 *) ARR_DATA_PTR(array);
	for (int i = 0; i < rank; i++)
		bounds[i] = values[i];
	return rank;
}

ArrayType *
shape_to_array(int rank, const int64 *bounds)
{
	Datum values[TENSOR_MAX_RANK];

	for (int i = 0; i < rank; i++)
		values[i] = Int32GetDatum((int32) bounds[i]);
	return construct_array(values, rank, INT4OID, sizeof(int32), true, TYPALIGN_INT);
}

ElementType
element_type_from_text(const text *name)
{
	ElementType type;
	char *string = text_to_cstring(name);

	if (!element_type_by_name(string, &type))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown element type \"%s\"", string),
				 errhint("Element types are float4, float8, complex8 and complex16.")));
	return type;
}
