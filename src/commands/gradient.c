/*-------------------------------------------------------------------------
 *
 * gradient.c
 *	  einsum_gradient: derivatives of a program, as a program.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "commands/arguments.h"
#include "expr/gradient.h"

PG_FUNCTION_INFO_V1(einsum_gradient);

/* Tensors by name, from an array of text. */
static List *
read_tensor_names(ArrayType *array, const char *argument)
{
	List *names = NIL;
	Datum *elements;
	bool *nulls;
	int count;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s must be a one-dimensional array", argument)));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("a tensor in %s must not be null", argument)));
		names = lappend(names, parse_tensor_name(DatumGetTextPP(elements[i])));
	}
	return names;
}

/* einsum_gradient(program, of, wrt, stored, prefix): a program. */
Datum
einsum_gradient(PG_FUNCTION_ARGS)
{
	GradientOptions options = {.prefix = "d_"};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	options.of = parse_tensor_name(PG_GETARG_TEXT_PP(1));
	options.by = read_tensor_names(PG_GETARG_ARRAYTYPE_P(2), "wrt");
	if (options.by == NIL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("wrt must name at least one tensor"),
						errhint("Write wrt => '{w}'.")));
	if (!PG_ARGISNULL(3))
		options.stored = read_tensor_names(PG_GETARG_ARRAYTYPE_P(3), "stored");
	if (!PG_ARGISNULL(4))
		options.prefix = text_to_cstring(PG_GETARG_TEXT_PP(4));
	PG_RETURN_TEXT_P(cstring_to_text(
		gradient_program(text_to_cstring(PG_GETARG_TEXT_PP(0)), &options)));
}
