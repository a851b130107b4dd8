/*-------------------------------------------------------------------------
 *
 * einsum.c
 *	  einsum(equation, ...) and the aggregates that fold its results.
 *
 * Where labels and rows are not summed but folded otherwise, the product of the
 * operands is a pointwise expression, as in maps.
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
PG_FUNCTION_INFO_V1(einsum_min_transfn);
PG_FUNCTION_INFO_V1(einsum_min_scalar_transfn);
PG_FUNCTION_INFO_V1(einsum_max_transfn);
PG_FUNCTION_INFO_V1(einsum_max_scalar_transfn);
PG_FUNCTION_INFO_V1(einsum_any_transfn);
PG_FUNCTION_INFO_V1(einsum_any_scalar_transfn);
PG_FUNCTION_INFO_V1(einsum_all_transfn);
PG_FUNCTION_INFO_V1(einsum_all_scalar_transfn);

/*
 * Returns the einsum of the operands: their product, summed over the labels that the
 * output lacks.
 */
Datum
einsum(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum", false, REDUCTION_SUM};

	return kernel_value(fcinfo, &function);
}

/* Does the same as einsum, for results of rank 0. */
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

/* Does the same as einsum_sum_transfn, for results of rank 0. */
Datum
einsum_sum_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_sum_scalar", false, REDUCTION_SUM};

	return kernel_scalar_transition(fcinfo, &function);
}

/* Keeps the least of the state and the row's products. */
Datum
einsum_min_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_min", false, REDUCTION_MIN, false};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as einsum_min_transfn, for results of rank 0. */
Datum
einsum_min_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_min_scalar", false, REDUCTION_MIN,
											false};

	return kernel_scalar_transition(fcinfo, &function);
}

/* Keeps the greatest of the state and the row's products. */
Datum
einsum_max_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_max", false, REDUCTION_MAX, false};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as einsum_max_transfn, for results of rank 0. */
Datum
einsum_max_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_max_scalar", false, REDUCTION_MAX,
											false};

	return kernel_scalar_transition(fcinfo, &function);
}

/* Sets an element of the state to 1 where a product of the row is not 0. */
Datum
einsum_any_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_any", false, REDUCTION_ANY, false};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as einsum_any_transfn, for results of rank 0. */
Datum
einsum_any_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_any_scalar", false, REDUCTION_ANY,
											false};

	return kernel_scalar_transition(fcinfo, &function);
}

/* Keeps an element of the state at 1 while no product is 0. */
Datum
einsum_all_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_all", false, REDUCTION_ALL, false};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as einsum_all_transfn, for results of rank 0. */
Datum
einsum_all_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"einsum_all_scalar", false, REDUCTION_ALL,
											false};

	return kernel_scalar_transition(fcinfo, &function);
}
