/*-------------------------------------------------------------------------
 *
 * einsum.c
 *	  einsum(equation, ...) and the aggregate that adds up its results.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "type/call_kernel.h"

PG_FUNCTION_INFO_V1(einsum);
PG_FUNCTION_INFO_V1(einsum_scalar);
PG_FUNCTION_INFO_V1(einsum_sum_transfn);
PG_FUNCTION_INFO_V1(einsum_sum_scalar_transfn);

/* The einsum of the operands: their product, summed over what the output lacks. */
Datum
einsum(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum", false, REDUCTION_SUM};

	return kernel_value(fcinfo, &function);
}

/* As einsum, for results of rank 0. */
Datum
einsum_scalar(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_scalar", false, REDUCTION_SUM};

	return kernel_scalar(fcinfo, &function);
}

/* Adds the einsum of a row to the state. */
Datum
einsum_sum_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_sum", false, REDUCTION_SUM};

	return kernel_transition(fcinfo, &function);
}

/* As einsum_sum_transfn, for results of rank 0. */
Datum
einsum_sum_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_sum_scalar", false, REDUCTION_SUM};

	return kernel_scalar_transition(fcinfo, &function);
}
