/*-------------------------------------------------------------------------
 *
 * key_range.c
 *	  Ranges of keys: what generated SQL asks of rows whose key column has ranges.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/typcache.h"

#include "type/allints.h"
#include "type/key_range.h"

PG_FUNCTION_INFO_V1(einsum_range_keys);
PG_FUNCTION_INFO_V1(einsum_range_in_bounds);
PG_FUNCTION_INFO_V1(einsum_range_length);

Oid
range_key_type(Oid type)
{
	switch (type)
	{
		case INT4RANGEOID:
			return INT4OID;
		case INT8RANGEOID:
			return INT8OID;
		case DATERANGEOID:
			return DATEOID;
		default:
			return InvalidOid;
	}
}

static bool
has_limits(const KeyLimits *limits)
{
	return limits->first <= limits->end;
}

/* Returns a range as text, for messages. */
static char *
range_text(Datum range, Oid type)
{
	Oid output;
	bool varlena;

	getTypeOutputInfo(type, &output, &varlena);
	return OidOutputFunctionCall(output, range);
}

static void
report_no_end(Datum range, Oid type, const KeyLimits *limits)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
		 errmsg("range %s of tensor \"%s\" is infinite, and label \"%s\" has no bound",
				range_text(range, type), TextDatumGetCString(limits->tensor),
				TextDatumGetCString(limits->label)),
		 errdetail("An infinite end of a range is that of the label."),
		 errhint("Give the label a bound when the tensor is registered, or the range "
				 "both ends.")));
}

/* Returns a key as text, for messages. */
static char *
key_text(int64 key, Oid type)
{
	if (range_key_type(getBaseType(type)) == DATEOID)
		return DatumGetCString(
			DirectFunctionCall1(date_out, DateADTGetDatum((DateADT) key)));
	return psprintf(INT64_FORMAT, key);
}

static void
report_out_of_bounds(Datum range, Oid type, const KeyLimits *limits)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("range %s of tensor \"%s\" is outside the bound of label \"%s\"",
					range_text(range, type), TextDatumGetCString(limits->tensor),
					TextDatumGetCString(limits->label)),
			 errdetail("The tensor is registered with keys from %s to %s.",
					   key_text(limits->first, type), key_text(limits->end - 1, type)),
			 errhint("Correct the row, or raise the bound with einsum_rebound, which "
					 "makes the programs that read it again.")));
}

static void
report_too_long(Datum range, Oid type, const KeyLimits *limits, double count)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("range %s of tensor \"%s\" has too many keys to be enumerated",
					range_text(range, type), TextDatumGetCString(limits->tensor)),
			 errdetail("It has %.0f keys of label \"%s\"; sparseeinsum.max_dense_tuples "
					   "is %.0f.",
					   count, TextDatumGetCString(limits->label), max_dense_tuples),
			 errhint("A program that joins the label with another tensor looks keys up "
					 "in the range instead.")));
}

/*
 * Returns the number of a key, as an integer; sets *infinite for none. Of infinite days it
 * is the least or greatest integer.
 */
static int64
key_number(const RangeBound *bound, Oid key, bool *infinite)
{
	DateADT date;

	*infinite = bound->infinite;
	if (bound->infinite)
		return bound->lower ? PG_INT64_MIN : PG_INT64_MAX;
	switch (key)
	{
		case INT4OID:
			return DatumGetInt32(bound->val);
		case INT8OID:
			return DatumGetInt64(bound->val);
		default:
			date = DatumGetDateADT(bound->val);
			*infinite = DATE_NOT_FINITE(date);
			return DATE_IS_NOBEGIN(date) ? PG_INT64_MIN : *infinite ? PG_INT64_MAX : date;
	}
}

double
key_count(int64 first, int64 end)
{
	/* doubles of large keys are too coarse to be subtracted */
	return (double) ((uint64) end - (uint64) first);
}

void
keys_of_range(Datum range, Oid type, const KeyLimits *limits, bool enumerated,
			  int64 *first, int64 *end)
{
	RangeType *value = DatumGetRangeTypeP(range);
	Oid base = getBaseType(type);
	Oid key = range_key_type(base);
	RangeBound lower;
	RangeBound upper;
	bool endless[2];
	bool empty;

	*first = *end = 0;
	range_deserialize(lookup_type_cache(base, TYPECACHE_RANGE_INFO), value, &lower,
					  &upper, &empty);
	if (empty)
		return;
	*first = key_number(&lower, key, &endless[0]);
	*end = key_number(&upper, key, &endless[1]);
	/* only infinite days, which are no keys */
	if ((endless[0] && *first == PG_INT64_MAX) || (endless[1] && *end == PG_INT64_MIN))
	{
		*first = *end = 0;
		return;
	}
	if ((endless[0] || endless[1]) &&
		(!has_limits(limits) || (endless[1] && limits->end == PG_INT64_MAX)))
		report_no_end(range, type, limits);
	if (endless[1])
		*end = key == INT4OID ? Min(limits->end, (int64) PG_INT32_MAX + 1) : limits->end;
	if (endless[0])
		*first = Min(limits->first, *end);
	if (endless[1])
		*end = Max(*end, *first);
	if (has_limits(limits) && *first < *end &&
		(*first < limits->first || *end > limits->end))
		report_out_of_bounds(range, type, limits);
	if (enumerated && key_count(*first, *end) > max_dense_tuples)
		report_too_long(range, type, limits, key_count(*first, *end));
}

/* Reads the arguments (range, first, end, tensor, label) of a call. */
static void
read_arguments(FunctionCallInfo fcinfo, bool enumerated, int64 *first, int64 *end)
{
	KeyLimits limits = {.first = PG_GETARG_INT64(1),
						.end = PG_GETARG_INT64(2),
						.tensor = PG_GETARG_DATUM(3),
						.label = PG_GETARG_DATUM(4)};

	keys_of_range(PG_GETARG_DATUM(0), get_fn_expr_argtype(fcinfo->flinfo, 0), &limits,
				  enumerated, first, end);
}

/*
 * einsum_range_in_bounds(range, first int8, end int8, tensor text, label text): whether
 * the range has keys; an error if there are some that are not from first to end - 1.
 */
Datum
einsum_range_in_bounds(PG_FUNCTION_ARGS)
{
	int64 first;
	int64 end;

	read_arguments(fcinfo, false, &first, &end);
	PG_RETURN_BOOL(first < end);
}

/*
 * einsum_range_length(range, first int8, end int8, tensor text, label text): the number
 * of keys in a range. Errors: as einsum_range_in_bounds.
 */
Datum
einsum_range_length(PG_FUNCTION_ARGS)
{
	int64 first;
	int64 end;

	read_arguments(fcinfo, false, &first, &end);
	PG_RETURN_FLOAT8(key_count(first, end));
}

/* The keys that a call has not yet returned. */
typedef struct RangeKeys
{
	int64 next;
	int64 end;
	Oid type; /* of keys */
} RangeKeys;

/*
 * einsum_range_keys(range, first int8, end int8, tensor text, label text): the keys in a
 * range. Errors: as einsum_range_in_bounds, or 54000.
 */
Datum
einsum_range_keys(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	RangeKeys *keys;
	int64 key;

	if (SRF_IS_FIRSTCALL())
	{
		context = SRF_FIRSTCALL_INIT();
		keys = MemoryContextAlloc(context->multi_call_memory_ctx, sizeof(RangeKeys));
		read_arguments(fcinfo, true, &keys->next, &keys->end);
		keys->type = range_key_type(getBaseType(get_fn_expr_argtype(fcinfo->flinfo, 0)));
		context->user_fctx = keys;
	}
	context = SRF_PERCALL_SETUP();
	keys = context->user_fctx;
	if (keys->next >= keys->end)
		SRF_RETURN_DONE(context);
	key = keys->next++;
	if (keys->type == INT8OID)
		SRF_RETURN_NEXT(context, Int64GetDatum(key));
	SRF_RETURN_NEXT(context, Int32GetDatum((int32) key));
}
