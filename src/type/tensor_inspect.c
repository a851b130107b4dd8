/*-------------------------------------------------------------------------
 *
 * tensor_inspect.c
 *	  What a tensor is: shape, rank, element type, and its entries as rows.
 *
 * Shape, rank and type stand in the header: of a value stored out of line
 * only the first bytes are fetched.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "kernels/function_type.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_header.h"
#include "type/tensor_shape.h"

/*
 * Returns a tensor datum of which only the header may be read; elements may be missing.
 */
const Tensor *
tensor_header(Datum datum)
{
	const Tensor *tensor = (const Tensor *) DatumGetPointer(datum);

	if (VARATT_IS_EXTENDED(tensor))
		tensor = (const Tensor *) PG_DETOAST_DATUM_SLICE(
			datum, 0, TENSOR_HEADER_SIZE(TENSOR_MAX_RANK) - VARHDRSZ);
	check_format(tensor);
	return tensor;
}

PG_FUNCTION_INFO_V1(tensor_shape);
Datum
tensor_shape(PG_FUNCTION_ARGS)
{
	const Tensor *header = tensor_header(PG_GETARG_DATUM(0));
	int64 bounds[TENSOR_MAX_RANK];

	for (int i = 0; i < header->rank; i++)
		bounds[i] = header->bounds[i];
	PG_RETURN_ARRAYTYPE_P(shape_to_array(header->rank, bounds));
}

PG_FUNCTION_INFO_V1(tensor_rank);
Datum
tensor_rank(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(tensor_header(PG_GETARG_DATUM(0))->rank);
}

PG_FUNCTION_INFO_V1(tensor_type);
Datum
tensor_type(PG_FUNCTION_ARGS)
{
	ElementType type = (ElementType) tensor_header(PG_GETARG_DATUM(0))->type;

	PG_RETURN_TEXT_P(cstring_to_text(element_type_name(type)));
}

/* tensor_format(tensor): returns "dense" or "sparse", as the header says. */
PG_FUNCTION_INFO_V1(tensor_format);
Datum
tensor_format(PG_FUNCTION_ARGS)
{
	bool sparse = is_sparse(tensor_header(PG_GETARG_DATUM(0)));

	PG_RETURN_TEXT_P(cstring_to_text(sparse ? "sparse" : "dense"));
}

PG_FUNCTION_INFO_V1(tensor_count_nonzero);
Datum
tensor_count_nonzero(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	int64 count = tensor_count(tensor);
	int64 found = 0;
	const void *data;

	if (is_sparse(tensor))
		PG_RETURN_INT64(sparse_count_nonzero(tensor));
	data = tensor_elements(tensor);
	switch ((ElementType) tensor->type)
	{
		case ELEMENT_FLOAT4:
			for (int64 i = 0; i < count; i++)
				found += ((const float *) data)[i] != 0;
			break;
		case ELEMENT_FLOAT8:
			for (int64 i = 0; i < count; i++)
				found += ((const double *) data)[i] != 0;
			break;
		case ELEMENT_COMPLEX8:
			for (int64 i = 0; i < count; i++)
				found += ((const float *) data)[2 * i] != 0 ||
						 ((const float *) data)[2 * i + 1] != 0;
			break;
		case ELEMENT_COMPLEX16:
			for (int64 i = 0; i < count; i++)
				found += ((const double *) data)[2 * i] != 0 ||
						 ((const double *) data)[2 * i + 1] != 0;
			break;
	}
	PG_RETURN_INT64(found);
}

/*
 * tensor_entries(t): returns a row (index, value) for every element, row-major. Each call
 * returns one row: in a select list, rows are made only when they are asked for.
 */
PG_FUNCTION_INFO_V1(tensor_entries);
Datum
tensor_entries(PG_FUNCTION_ARGS)
{
	typedef struct Entries
	{
		Tensor *tensor;       /* float4 or float8 */
		SparseEntries sparse; /* if it is sparse */
		int64 entry;          /* the next of them */
		int64 count;
		int64 next;
		Datum index[TENSOR_MAX_RANK];
	} Entries;
	FuncCallContext *context;
	Entries *entries;
	Tensor *tensor;
	Datum values[2];
	bool nulls[2] = {false, false};
	HeapTuple tuple;

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext old;
		TupleDesc descriptor;

		context = SRF_FIRSTCALL_INIT();
		old = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "tensor_entries must return a row type");
		context->tuple_desc = BlessTupleDesc(descriptor);
		entries = palloc0(sizeof(Entries));
		entries->tensor = DatumGetTensorOfAnyFormat(
			PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0))));
		if (is_sparse(entries->tensor))
			entries->sparse = sparse_entries(entries->tensor);
		if (element_is_complex((ElementType) entries->tensor->type))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("function tensor_entries does not take complex elements"),
					 errdetail("The value's element type is %s.",
							   element_type_name((ElementType) entries->tensor->type))));
		entries->count = tensor_count(entries->tensor);
		context->user_fctx = entries;
		MemoryContextSwitchTo(old);
	}

	context = SRF_PERCALL_SETUP();
	entries = context->user_fctx;
	tensor = entries->tensor;
	if (entries->next >= entries->count)
		SRF_RETURN_DONE(context);

	values[0] = PointerGetDatum(construct_array(entries->index, tensor->rank, INT4OID,
												sizeof(int32), true, TYPALIGN_INT));
	if (!is_sparse(tensor))
		values[1] = Float8GetDatum(
			tensor->type == ELEMENT_FLOAT4
				? ((const float *) tensor_elements(tensor))[entries->next]
				: ((const double *) tensor_elements(tensor))[entries->next]);
	else if (entries->entry < entries->sparse.count &&
			 (int64) entry_position(&entries->sparse, entries->entry) == entries->next)
		values[1] = Float8GetDatum(entry_number(&entries->sparse, entries->entry++));
	else
		values[1] = Float8GetDatum(creal(sparse_fill_number(tensor)));
	entries->next++;
	for (int d = tensor->rank - 1; d >= 0; d--)
	{
		int32 index = DatumGetInt32(entries->index[d]) + 1;

		entries->index[d] = Int32GetDatum(index < tensor->bounds[d] ? index : 0);
		if (index < tensor->bounds[d])
			break;
	}
	tuple = heap_form_tuple(context->tuple_desc, values, nulls);
	SRF_RETURN_NEXT(context, HeapTupleGetDatum(tuple));
}
