/*-------------------------------------------------------------------------
 *
 * scan_check.c
 *	  What generated SQL asks of every row that it reads from a registered
 *	  relation: keys within the bounds, values of the registered shape.
 *
 * Registering validates what is there, but the data may change afterwards. A
 * row that does not fit is an error in every plan, never a wrong result: the
 * functions are true or raise. What constraints prove is not asked at all: see
 * catalog/scan_support.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"

#include "compat.h"
#include "type/detoast_cache.h"
#include "type/tensor.h"
#include "type/tensor_header.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(einsum_key_in_range_int2);
PG_FUNCTION_INFO_V1(einsum_key_in_range_int4);
PG_FUNCTION_INFO_V1(einsum_key_in_range_int8);
PG_FUNCTION_INFO_V1(einsum_value_has_shape);

static char *
date_text(DateADT date)
{
	return DatumGetCString(DirectFunctionCall1(date_out, DateADTGetDatum(date)));
}

/*
 * Raises 22003 for a key that is not one of those from first on; tensor and label are
 * arguments of the call, from that one on.
 */
static void
check_key_in_range(FunctionCallInfo fcinfo, int64 key, int64 first, int64 last,
				   int argument)
{
	if (key < first || key > last)
	{
		char *tensor = text_to_cstring(PG_GETARG_TEXT_PP(argument));
		char *label = text_to_cstring(PG_GETARG_TEXT_PP(argument + 1));

		ereport(
			ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("key " INT64_FORMAT
					" of tensor \"%s\" is outside the bound of label \"%s\"",
					key, tensor, label),
			 errdetail("The tensor is registered with " INT64_FORMAT
					   " keys, " INT64_FORMAT " to " INT64_FORMAT ".",
					   last - first + 1, first, last),
			 errhint(
				 "Correct the row, or raise the bound with einsum_rebound, which makes "
				 "the programs that read it again.")));
	}
}

/* Checks a key of a label with a number as its bound, or with a first and a last key. */
static Datum
key_in_range(FunctionCallInfo fcinfo, int64 key)
{
	if (PG_NARGS() == 4)
		check_key_in_range(fcinfo, key, 0, PG_GETARG_INT64(1) - 1, 2);
	else
		check_key_in_range(fcinfo, key, PG_GETARG_INT64(1), PG_GETARG_INT64(2), 3);
	PG_RETURN_BOOL(true);
}

/*
 * einsum_key_in_range(key, bound int8, tensor text, label text), and
 * einsum_key_in_range(key, first int8, last int8, tensor text, label text): true, or an
 * error. One function for each type of keys.
 */
Datum
einsum_key_in_range_int2(PG_FUNCTION_ARGS)
{
	return key_in_range(fcinfo, PG_GETARG_INT16(0));
}

Datum
einsum_key_in_range_int4(PG_FUNCTION_ARGS)
{
	return key_in_range(fcinfo, PG_GETARG_INT32(0));
}

Datum
einsum_key_in_range_int8(PG_FUNCTION_ARGS)
{
	return key_in_range(fcinfo, PG_GETARG_INT64(0));
}

/* The same for dates: einsum_key_in_range(key date, first date, last date, ...). */
PG_FUNCTION_INFO_V1(einsum_key_in_range_date);
Datum
einsum_key_in_range_date(PG_FUNCTION_ARGS)
{
	DateADT key = PG_GETARG_DATEADT(0);

	if (key < PG_GETARG_DATEADT(1) || key > PG_GETARG_DATEADT(2))
		ereport(
			ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("key %s of tensor \"%s\" is outside the bound of label \"%s\"",
					date_text(key), text_to_cstring(PG_GETARG_TEXT_PP(3)),
					text_to_cstring(PG_GETARG_TEXT_PP(4))),
			 errdetail("The tensor is registered with keys from %s to %s.",
					   date_text(PG_GETARG_DATEADT(1)), date_text(PG_GETARG_DATEADT(2))),
			 errhint("Correct the row, or raise the bound with einsum_rebound, which "
					 "makes the programs that read it again.")));
	PG_RETURN_BOOL(true);
}

/* Raises 42804 for a value whose element type differs from the registered one. */
static void
check_type(const Tensor *header, ElementType type, const text *tensor)
{
	if (header->type == type)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("a value of tensor \"%s\" has another element type",
					text_to_cstring(tensor)),
			 errdetail("It is %s; the tensor is registered as %s.",
					   element_type_name((ElementType) header->type),
					   element_type_name(type)),
			 errhint("einsum_analyze names the row by its keys. Correct it, or declare "
					 "the column tensor(%s), which converts what is stored, or register "
					 "the tensor again.",
					 element_type_name(type))));
}

/*
 * Returns the header of a value that a scan reads, prefetching those of the values after
 * it.
 */
static const Tensor *
scanned_header(FunctionCallInfo fcinfo, Datum value)
{
	struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	const Tensor *beginning = NULL;

	StaticAssertStmt(TENSOR_HEADER_SIZE(TENSOR_MAX_RANK) <= CACHE_BEGINNING,
					 "a header is longer than what is read of a value");
	if (VARATT_IS_EXTERNAL_ONDISK(datum) && fcinfo->flinfo)
	{
		DetoastCache *cache = query_cache(fcinfo->flinfo->fn_mcxt);
		struct varatt_external pointer;

		VARATT_EXTERNAL_GET_POINTER(pointer, datum);
		if (cache)
			beginning = (const Tensor *) cache_beginning(cache, &pointer);
	}
	if (beginning == NULL)
		return tensor_header(value);
	check_format(beginning);
	return beginning;
}

/*
 * einsum_value_has_shape(value tensor, shape int4[], tensor text [, type text]):
 * checks a value's shape and its element type, float8 if no type is given. Reads the
 * header only. Errors: 2202E for another shape, 42804 for another element type.
 */
Datum
einsum_value_has_shape(PG_FUNCTION_ARGS)
{
	const Tensor *header = scanned_header(fcinfo, PG_GETARG_DATUM(0));
	ArrayType *shape = PG_GETARG_ARRAYTYPE_P(1);
	const int32 *bounds = (const int32 *) ARR_DATA_PTR(shape);
	int rank = ARR_NDIM(shape) == 0 ? 0 : ARR_DIMS(shape)[0];
	ElementType type =
		PG_NARGS() > 3 ? element_type_from_text(PG_GETARG_TEXT_PP(3)) : ELEMENT_FLOAT8;
	bool same = header->rank == rank;

	for (int i = 0; same && i < rank; i++)
		same = header->bounds[i] == bounds[i];
	if (!same)
	{
		int64 expected[TENSOR_MAX_RANK];

		for (int i = 0; i < rank && i < TENSOR_MAX_RANK; i++)
			expected[i] = bounds[i];
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("a value of tensor \"%s\" has another shape",
						text_to_cstring(PG_GETARG_TEXT_PP(2))),
				 errdetail("Its shape is %s; the tensor is registered with %s.",
						   tensor_shape_string(header),
						   shape_to_string(Min(rank, TENSOR_MAX_RANK), expected)),
				 errhint("einsum_analyze names the row by its keys. Correct it, or "
						 "register the tensor again.")));
	}
	check_type(header, type, PG_GETARG_TEXT_PP(2));
	PG_RETURN_BOOL(true);
}
