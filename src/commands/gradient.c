/*-------------------------------------------------------------------------
 *
 * gradient.c
 *	  einsum_gradient: derivatives of a program, as a program.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"

#include "commands/arguments.h"
#include "expr/gradient.h"

PG_FUNCTION_INFO_V1(einsum_gradient);

/*
 * einsum_gradient(program, of, wrt, stored, prefix, init): returns a program that
 * computes derivatives of "of" with respect to the tensors wrt.
 */
Datum
einsum_gradient(PG_FUNCTION_ARGS)
{
	GradientOptions options = {.prefix = "d_"};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		PG_RETURN_NULL();
	options.of = parse_tensor_name(PG_GETARG_TEXT_PP(1));
	options.by = read_tensor_names(PG_GETARG_ARRAYTYPE_P(2), "wrt");
	if (options.by == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("wrt must name at least one tensor"),
				 errhint("Behind the program stand the name of the number and those "
						 "of the tensors, as in einsum_gradient(program, 'loss', "
						 "'{w}').")));
	if (!PG_ARGISNULL(3))
		options.stored = read_tensor_names(PG_GETARG_ARRAYTYPE_P(3), "stored");
	if (!PG_ARGISNULL(4))
		options.prefix = text_to_cstring(PG_GETARG_TEXT_PP(4));
	/*
	 * in 0.2.0 the SQL function had five arguments; the extension may not be updated yet
	 */
	if (PG_NARGS() > 5 && !PG_ARGISNULL(5))
		options.init = text_to_cstring(PG_GETARG_TEXT_PP(5));
	PG_RETURN_TEXT_P(cstring_to_text(
		gradient_program(text_to_cstring(PG_GETARG_TEXT_PP(0)), &options)));
}
