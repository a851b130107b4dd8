/*-------------------------------------------------------------------------
 *
 * bounds.c
 *	  The type tensor_bounds: bounds as an argument of einsum_* functions.
 *
 * Such an argument is written as a literal, '{3,*}', or is an array of numbers
 * or of texts, with implicit casts. Two overloads, for text[] and for bigint[],
 * would leave a literal ambiguous; one argument "any" would leave the parameters
 * of prepared statements without a type. A value is a text array.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

PG_FUNCTION_INFO_V1(tensor_bounds_in);
Datum
tensor_bounds_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(OidInputFunctionCall(F_ARRAY_IN, PG_GETARG_CSTRING(0), TEXTOID, -1));
}

PG_FUNCTION_INFO_V1(tensor_bounds_out);
Datum
tensor_bounds_out(PG_FUNCTION_ARGS)
{
	PG_RETURN_CSTRING(OidOutputFunctionCall(F_ARRAY_OUT, PG_GETARG_DATUM(0)));
}

/* tensor_bounds(array): converts an array of any type, as text. */
PG_FUNCTION_INFO_V1(tensor_bounds);
Datum
tensor_bounds(PG_FUNCTION_ARGS)
{
	char *text = OidOutputFunctionCall(F_ARRAY_OUT, PG_GETARG_DATUM(0));

	PG_RETURN_DATUM(OidInputFunctionCall(F_ARRAY_IN, text, TEXTOID, -1));
}
