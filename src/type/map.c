/*-------------------------------------------------------------------------
 *
 * map.c
 *	  tensor_map(expression, equation, ...) and the aggregates that fold its
 *	  results: pointwise expressions with a reduction in one pass.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "type/call_kernel.h"

PG_FUNCTION_INFO_V1(tensor_map);
PG_FUNCTION_INFO_V1(tensor_map_scalar);
PG_FUNCTION_INFO_V1(tensor_map_sum_transfn);
PG_FUNCTION_INFO_V1(tensor_map_sum_scalar_transfn);
PG_FUNCTION_INFO_V1(tensor_map_min_transfn);
PG_FUNCTION_INFO_V1(tensor_map_min_scalar_transfn);
PG_FUNCTION_INFO_V1(tensor_map_max_transfn);
PG_FUNCTION_INFO_V1(tensor_map_max_scalar_transfn);
PG_FUNCTION_INFO_V1(tensor_map_prod_transfn);
PG_FUNCTION_INFO_V1(tensor_map_prod_scalar_transfn);

/*
 * Computes the expression at every index, and sums it over the labels that the output
 * lacks.
 */
Datum
tensor_map(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map", true, REDUCTION_SUM};

	return kernel_value(fcinfo, &function);
}

/* Does the same as tensor_map, for results of rank 0. */
Datum
tensor_map_scalar(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_scalar", true, REDUCTION_SUM};

	return kernel_scalar(fcinfo, &function);
}

/* Adds the expression's values for a row to the state. */
Datum
tensor_map_sum_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_sum", true, REDUCTION_SUM};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as tensor_map_sum_transfn, for results of rank 0. */
Datum
tensor_map_sum_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_sum_scalar", true, REDUCTION_SUM};

	return kernel_scalar_transition(fcinfo, &function);
}

/* Keeps the least of the state and the expression's values for a row. */
Datum
tensor_map_min_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_min", true, REDUCTION_MIN};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as tensor_map_min_transfn, for results of rank 0. */
Datum
tensor_map_min_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_min_scalar", true, REDUCTION_MIN};

	return kernel_scalar_transition(fcinfo, &function);
}

/* Keeps the greatest of the state and the expression's values for a row. */
Datum
tensor_map_max_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_max", true, REDUCTION_MAX};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as tensor_map_max_transfn, for results of rank 0. */
Datum
tensor_map_max_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_max_scalar", true, REDUCTION_MAX};

	return kernel_scalar_transition(fcinfo, &function);
}

/* Multiplies the state by the expression's values for a row. */
Datum
tensor_map_prod_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_prod", true, REDUCTION_PROD};

	return kernel_transition(fcinfo, &function);
}

/* Does the same as tensor_map_prod_transfn, for results of rank 0. */
Datum
tensor_map_prod_scalar_transfn(PG_FUNCTION_ARGS)
{
	static const KernelFunction function = {"tensor_map_prod_scalar", true,
											REDUCTION_PROD};

	return kernel_scalar_transition(fcinfo, &function);
}
