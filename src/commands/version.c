/*-------------------------------------------------------------------------
 *
 * version.c
 *	  The BLAS library that runs, for einsum_version().
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <cblas.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "kernels/dense/core.h"

PG_FUNCTION_INFO_V1(einsum_blas);

/*
 * einsum_blas() returns (library text, version text, core text, reason text): the file of
 * the BLAS library (NULL if the system cannot tell), OpenBLAS's description of its build,
 * the processor type whose code it runs, and why.
 */
Datum
einsum_blas(PG_FUNCTION_ARGS)
{
	const char *library = blas_library();
	Datum values[4] = {
		library ? CStringGetTextDatum(library) : (Datum) 0,
		CStringGetTextDatum(openblas_get_config()),
		CStringGetTextDatum(blas_core()),
		CStringGetTextDatum(blas_core_reason()),
	};
	bool nulls[4] = {library == NULL};
	TupleDesc row;

	if (get_call_result_type(fcinfo, NULL, &row) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(row, values, nulls)));
}
