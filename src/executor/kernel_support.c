/*-------------------------------------------------------------------------
 *
 * kernel_support.c
 *	  The planner support function of the kernels.
 *
 * It answers no request, but is why no preloading is needed:
 * PostgreSQL calls it while it simplifies a query's expressions, which loads
 * the library, and so installs its planner hook, before the query's paths are
 * made. Without it the first query of every session would be planned as if
 * there were no custom scans.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

PG_FUNCTION_INFO_V1(einsum_kernel_support);

/* einsum_kernel_support(internal): answers no request. */
Datum
einsum_kernel_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}
