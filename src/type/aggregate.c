/*-------------------------------------------------------------------------
 *
 * aggregate.c
 *	  tensor_sum, tensor_min and tensor_max over tensors and over numbers.
 *
 * Over float8 the state is a float8. These exist beside pg_catalog's sum, min
 * and max because a program's arithmetic is IEEE 754: overflow is infinity
 * and not an error, and a NaN among the values makes the minimum NaN too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "type/call.h"
#include "type/state.h"

PG_FUNCTION_INFO_V1(tensor_sum_transfn);
PG_FUNCTION_INFO_V1(tensor_min_transfn);
PG_FUNCTION_INFO_V1(tensor_max_transfn);
PG_FUNCTION_INFO_V1(tensor_sum_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_min_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_max_float8_transfn);

/*
 * "a->a" for any rank: sums of complex tensors are einsums, as the elementwise
 * kernels know real numbers only.
 */
static void
add_complex(const TensorView *in, TensorView *out)
{
	Equation equation;
	const TensorView *operands[1] = {in};

	equation.noperands = 1;
	equation.nlabels = in->rank;
	equation.operands[0].rank = in->rank;
	for (int d = 0; d < in->rank; d++)
	{
		equation.operands[0].labels[d] = d;
		equation.letters[d] = 'a' + d;
	}
	equation.output = equation.operands[0];
	einsum_accumulate(&equation, operands, 1.0, out);
}

/*
 * Transition f(tensor_state, tensor), and, as a fold is laid out as a tensor,
 * the combination f(tensor_state, tensor_state) too. NULLs are skipped.
 */
static Datum
fold_transition(FunctionCallInfo fcinfo, const char *function, Reduction reduction)
{
	Operands operands;
	Tensor *state;
	TensorView out;
	Datum value;

	check_aggregate_call(fcinfo, function);
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	value = PG_GETARG_DATUM(1);

	if (PG_ARGISNULL(0))
	{
		/* the caller copies the first state into the aggregate's context */
		state = get_fold_state(value);
		if (reduction != REDUCTION_SUM)
			check_real(function, (ElementType) state->type);
		PG_RETURN_POINTER(state);
	}

	load_tensors(&operands, 1, &value);
	if (reduction != REDUCTION_SUM)
		check_real(function, operands.type);
	state = fit_fold_state(get_fold_state(PG_GETARG_DATUM(0)), operands.type,
						   operands.views[0]->rank, operands.views[0]->bounds, function);
	convert_operands(&operands, (ElementType) state->type);
	tensor_view(state, &out);
	if (element_is_complex(out.type))
		add_complex(operands.views[0], &out);
	else
		reduction_accumulate(reduction, operands.views[0], &out);
	release_operands(&operands);
	PG_RETURN_POINTER(state);
}

/* Adds a tensor, or another state, to the state. */
Datum
tensor_sum_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_sum", REDUCTION_SUM);
}

/* Keeps the least of each element; NaN is kept. */
Datum
tensor_min_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_min", REDUCTION_MIN);
}

/* Keeps the greatest of each element; NaN is kept. */
Datum
tensor_max_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_max", REDUCTION_MAX);
}

/* The sum of two numbers; overflow is infinity. */
Datum
tensor_sum_float8_transfn(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(PG_GETARG_FLOAT8(0) + PG_GETARG_FLOAT8(1));
}

/* The lesser of two numbers, NaN if one is. */
Datum
tensor_min_float8_transfn(PG_FUNCTION_ARGS)
{
	double state = PG_GETARG_FLOAT8(0);

	reduction_fold(REDUCTION_MIN, &state, PG_GETARG_FLOAT8(1));
	PG_RETURN_FLOAT8(state);
}

/* The greater of two numbers, NaN if one is. */
Datum
tensor_max_float8_transfn(PG_FUNCTION_ARGS)
{
	double state = PG_GETARG_FLOAT8(0);

	reduction_fold(REDUCTION_MAX, &state, PG_GETARG_FLOAT8(1));
	PG_RETURN_FLOAT8(state);
}
