/*-------------------------------------------------------------------------
 *
 * unstack.c
 *	  tensor_unstack: the slices of a tensor along a dimension as rows, or its
 *	  blocks. And the variants that leave out those equal to the fill.
 *
 * The first step of a repartition (SparseEinSum, section 6). The rows go
 * straight into a tuplestore: called once per row, each slice would be formed
 * into a tuple, copied and stored there by the caller all the same.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "kernels/function_type.h"
#include "type/call.h"
#include "type/tensor_shape.h"
#include "type/unstack.h"

PG_FUNCTION_INFO_V1(tensor_unstack);
PG_FUNCTION_INFO_V1(tensor_unstack_blocks);
PG_FUNCTION_INFO_V1(einsum_unstack);
PG_FUNCTION_INFO_V1(einsum_unstack_blocks);
PG_FUNCTION_INFO_V1(einsum_unstack_blocks_tensor);
PG_FUNCTION_INFO_V1(einsum_unstack_tensor);
PG_FUNCTION_INFO_V1(einsum_unstack_scalar);

/* Sets up the result of a set-returning function that fills a tuplestore. */
static Tuplestorestate *
begin_materialize(FunctionCallInfo fcinfo, TupleDesc *descriptor)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Tuplestorestate *store;
	MemoryContext old;

	if (rsinfo == NULL || !IsA(rsinfo, ReturnSetInfo) ||
		!(rsinfo->allowedModes & SFRM_Materialize))
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("set-valued function called in context that cannot accept a set")));

	old = MemoryContextSwitchTo(rsinfo->econtext->ecxt_per_query_memory);
	if (rsinfo->expectedDesc)
		*descriptor = CreateTupleDescCopy(rsinfo->expectedDesc);
	else if (get_call_result_type(fcinfo, NULL, descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	store = tuplestore_begin_heap((rsinfo->allowedModes & SFRM_Materialize_Random) != 0,
								  false, work_mem);
	rsinfo->returnMode = SFRM_Materialize;
	rsinfo->setResult = store;
	rsinfo->setDesc = *descriptor;
	MemoryContextSwitchTo(old);
	return store;
}

#define ALL_EQUAL(real)                                                                  \
	for (int64 i = 0; i < count; i++)                                                    \
		if (!(((const real *) data)[i] == (real) fill))                                  \
			return false;

/*
 * Do count contiguous elements all equal fill? -0 equals 0, and NaN equals nothing. A
 * fill is compared in the elements' precision; a complex one equals no real element.
 */
static bool
all_fill(ElementType type, const void *data, int64 count, Number fill)
{
	if (cimag(fill) != 0 && !element_is_complex(type))
		return count == 0;
	switch (type)
	{
		case ELEMENT_FLOAT4:
			ALL_EQUAL(float)
			break;
		case ELEMENT_FLOAT8:
			ALL_EQUAL(double)
			break;
		case ELEMENT_COMPLEX8:
			ALL_EQUAL(float _Complex)
			break;
		case ELEMENT_COMPLEX16:
			ALL_EQUAL(double _Complex)
			break;
	}
	return true;
}

static void
check_dimension(const Tensor *tensor, int dimension)
{
	if (dimension < 0 || dimension >= tensor->rank)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("tensor of rank %d has no dimension %d", tensor->rank, dimension),
				 errdetail("Its shape is %s.", tensor_shape_string(tensor)),
				 errhint("Dimensions are numbered from 0.")));
}

/*
 * Stores a row (index, slice) for each slice along a dimension. If fill is given, slices
 * that equal *fill everywhere are left out.
 */
static void
store_slices(FunctionCallInfo fcinfo, const Tensor *tensor, int dimension,
			 const Number *fill)
{
	TensorView whole;
	TensorView source;
	TensorView target;
	Tensor *slice;
	TupleDesc descriptor;
	Tuplestorestate *store;
	int rank = 0;
	int64 count;
	Size step;
	bool nulls[2] = {false, false};

	check_dimension(tensor, dimension);
	store = begin_materialize(fcinfo, &descriptor);
	tensor_view(tensor, &whole);
	source.type = whole.type;
	for (int d = 0; d < whole.rank; d++)
	{
		if (d == dimension)
			continue;
		source.bounds[rank] = whole.bounds[d];
		source.strides[rank] = whole.strides[d];
		rank++;
	}
	source.rank = rank;
	source.data = whole.data;

	/* the same tensor serves for all slices, since the tuplestore copies it */
	slice = tensor_new(whole.type, rank, source.bounds);
	tensor_view(slice, &target);
	count = view_count(&target);
	step = whole.strides[dimension] * element_size(whole.type);

	for (int64 index = 0; index < whole.bounds[dimension]; index++)
	{
		Datum values[2];
		char *data = (char *) whole.data + index * step;

		CHECK_FOR_INTERRUPTS();
		if (dimension == 0)
		{
			if (fill && all_fill(whole.type, data, count, *fill))
				continue;
			memcpy(target.data, data, count * element_size(whole.type));
		}
		else
		{
			source.data = data;
			view_copy(&source, &target);
			if (fill && all_fill(whole.type, target.data, count, *fill))
				continue;
		}
		values[0] = Int32GetDatum((int32) index);
		values[1] = PointerGetDatum(slice);
		tuplestore_putvalues(store, descriptor, values, nulls);
	}
	pfree(slice);
}

/*
 * Stores a row (index, slice) for each slice of a sparse value along dimension 0, which is
 * sparse, too, unless it is one element; with_entries: for each that has an entry.
 */
static void
store_sparse_slices(FunctionCallInfo fcinfo, const Tensor *tensor, bool with_entries)
{
	SparseEntries entries = sparse_entries(tensor);
	TupleDesc descriptor;
	Tuplestorestate *store;
	bool nulls[2] = {false, false};
	uint64 elements;
	int64 entry = 0;

	check_dimension(tensor, 0);
	store = begin_materialize(fcinfo, &descriptor);
	if (tensor->bounds[0] == 0)
		return;
	elements = (uint64) (tensor_count(tensor) / tensor->bounds[0]);
	for (int64 index = 0; index < tensor->bounds[0]; index++)
	{
		Datum values[2];
		Tensor *slice;

		CHECK_FOR_INTERRUPTS();
		if (with_entries)
		{
			if (entry >= entries.count)
				break;
			index = (int64) (entry_position(&entries, entry) / elements);
		}
		slice = sparse_sub_tensor(tensor, 1, (uint64) index * elements);
		values[0] = Int32GetDatum((int32) index);
		values[1] = PointerGetDatum(slice);
		tuplestore_putvalues(store, descriptor, values, nulls);
		pfree(slice);
		if (with_entries)
			entry = entries_before(&entries, (uint64) (index + 1) * elements);
	}
}

/*
 * Stores a row (number, block) for each block of a dimension; the last block is shorter
 * if the size does not divide the bound. If fill is given, blocks that equal *fill
 * everywhere are left out.
 */
static void
store_blocks(FunctionCallInfo fcinfo, const Tensor *tensor, int dimension, int64 size,
			 const Number *fill)
{
	TensorView whole;
	TensorView source;
	TensorView target;
	Tensor *block = NULL;
	TupleDesc descriptor;
	Tuplestorestate *store;
	int64 bound;
	Size step;
	bool nulls[2] = {false, false};

	check_dimension(tensor, dimension);
	if (size < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("block size " INT64_FORMAT " is not positive", size)));
	store = begin_materialize(fcinfo, &descriptor);
	tensor_view(tensor, &whole);
	source = whole;
	bound = whole.bounds[dimension];
	step = size * whole.strides[dimension] * element_size(whole.type);

	for (int64 number = 0; number * size < bound; number++)
	{
		Datum values[2];
		int64 extent = Min(size, bound - number * size);

		CHECK_FOR_INTERRUPTS();
		/*
		 * the same tensor serves for all blocks but the last, since the tuplestore copies
		 * it
		 */
		if (block == NULL || extent != source.bounds[dimension])
		{
			if (block)
				pfree(block);
			source.bounds[dimension] = extent;
			block = tensor_new(whole.type, whole.rank, source.bounds);
			tensor_view(block, &target);
		}
		source.data = (char *) whole.data + number * step;
		view_copy(&source, &target);
		if (fill && all_fill(whole.type, target.data, view_count(&target), *fill))
			continue;
		values[0] = Int32GetDatum((int32) number);
		values[1] = PointerGetDatum(block);
		tuplestore_putvalues(store, descriptor, values, nulls);
	}
	if (block)
		pfree(block);
}

/*
 * Returns the slices of argument 0 along the dimension in argument 1 as rows, or its
 * blocks, whose size is argument 2; fill as above.
 */
static Datum
unstack_rows(FunctionCallInfo fcinfo, bool blocks, const Number *fill)
{
	ShortValue shorter;
	void *copy = NULL;
	bool slices = !blocks && PG_GETARG_INT32(1) == 0;
	const Tensor *tensor =
		slices && fill ? flatten_with_fill(PG_GETARG_DATUM(0), *fill, &shorter, &copy)
		: slices       ? flatten_any(PG_GETARG_DATUM(0), &shorter, &copy)
					   : flatten_tensor(PG_GETARG_DATUM(0), &shorter, &copy);

	if (blocks)
		store_blocks(fcinfo, tensor, PG_GETARG_INT32(1), PG_GETARG_INT32(2), fill);
	else if (is_sparse(tensor))
		store_sparse_slices(fcinfo, tensor, fill != NULL);
	else
		store_slices(fcinfo, tensor, PG_GETARG_INT32(1), fill);
	if (copy)
		pfree(copy);
	return (Datum) 0;
}

/* tensor_unstack(tensor, dimension int4) returns (index int4, value tensor) */
Datum
tensor_unstack(PG_FUNCTION_ARGS)
{
	return unstack_rows(fcinfo, false, NULL);
}

/*
 * einsum_unstack(tensor, dimension int4, fill float8): does the same as tensor_unstack,
 * without the slices that are fill everywhere.
 */
Datum
einsum_unstack(PG_FUNCTION_ARGS)
{
	Number fill = PG_GETARG_FLOAT8(2);

	return unstack_rows(fcinfo, false, &fill);
}

/*
 * einsum_unstack_tensor(tensor, dimension int4, fill tensor): does the same as
 * einsum_unstack, for a fill of any element type, of rank 0.
 */
Datum
einsum_unstack_tensor(PG_FUNCTION_ARGS)
{
	Number fill = tensor_number(PG_GETARG_TENSOR_P(2));

	return unstack_rows(fcinfo, false, &fill);
}

/*
 * tensor_unstack_blocks(tensor, dimension int4, block int4) returns (index int4, value
 * tensor): the blocks along a dimension.
 */
Datum
tensor_unstack_blocks(PG_FUNCTION_ARGS)
{
	return unstack_rows(fcinfo, true, NULL);
}

/*
 * einsum_unstack_blocks(tensor, dimension int4, block int4, fill float8): does the same
 * as tensor_unstack_blocks, without the blocks that are fill everywhere.
 */
Datum
einsum_unstack_blocks(PG_FUNCTION_ARGS)
{
	Number fill = PG_GETARG_FLOAT8(3);

	return unstack_rows(fcinfo, true, &fill);
}

/*
 * einsum_unstack_blocks_tensor(tensor, dimension int4, block int4, fill tensor): does the
 * same as einsum_unstack_blocks, for a fill of any element type.
 */
Datum
einsum_unstack_blocks_tensor(PG_FUNCTION_ARGS)
{
	Number fill = tensor_number(PG_GETARG_TENSOR_P(3));

	return unstack_rows(fcinfo, true, &fill);
}

void
begin_elements(VectorElements *elements, Datum datum, double fill, ShortValue *shorter,
			   void **copy)
{
	const Tensor *vector = flatten_with_fill(datum, fill, shorter, copy);

	if (vector->rank != 1 || element_is_complex((ElementType) vector->type))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("einsum_unstack_scalar needs a vector of float4 or float8"),
				 errdetail("It got a %s tensor of shape %s.",
						   element_type_name((ElementType) vector->type),
						   tensor_shape_string(vector)),
				 errhint("Use einsum_unstack, which returns tensors.")));
	elements->vector = vector;
	elements->fill = vector->type == ELEMENT_FLOAT4 ? (float) fill : fill;
	elements->sparse = is_sparse(vector);
	if (elements->sparse)
		elements->entries = sparse_entries(vector);
	elements->next = 0;
}

void
seek_element(VectorElements *elements, int64 index)
{
	index = Max(index, 0);
	elements->next =
		elements->sparse ? entries_before(&elements->entries, (uint64) index) : index;
}

/*
 * einsum_unstack_scalar(vector, fill float8) returns (index int4, value float8): the
 * elements of the vector that differ from fill.
 */
Datum
einsum_unstack_scalar(PG_FUNCTION_ARGS)
{
	ShortValue shorter;
	void *copy = NULL;
	VectorElements elements;
	int32 index;
	double value;
	bool nulls[2] = {false, false};
	TupleDesc descriptor;
	Tuplestorestate *store;

	begin_elements(&elements, PG_GETARG_DATUM(0), PG_GETARG_FLOAT8(1), &shorter, &copy);
	store = begin_materialize(fcinfo, &descriptor);
	while (next_element(&elements, &index, &value))
	{
		Datum values[] = {Int32GetDatum(index), Float8GetDatum(value)};

		if (index % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(store, descriptor, values, nulls);
	}
	if (copy)
		pfree(copy);
	return (Datum) 0;
}
