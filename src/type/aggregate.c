/*-------------------------------------------------------------------------
 *
 * aggregate.c
 *	  tensor_sum, tensor_min, tensor_max, tensor_prod, tensor_any and
 *	  tensor_all over tensors and over numbers.
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
#include "kernels/vector.h"
#include "type/batch.h"
#include "type/sparse.h"
#include "type/state.h"

PG_FUNCTION_INFO_V1(tensor_sum_transfn);
PG_FUNCTION_INFO_V1(tensor_min_transfn);
PG_FUNCTION_INFO_V1(tensor_max_transfn);
PG_FUNCTION_INFO_V1(tensor_sum_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_min_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_max_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_prod_transfn);
PG_FUNCTION_INFO_V1(tensor_any_transfn);
PG_FUNCTION_INFO_V1(tensor_all_transfn);
PG_FUNCTION_INFO_V1(tensor_prod_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_any_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_all_float8_transfn);

/* Raises 0A000 for folds that need an order, such as a minimum, of complex elements. */
static void
check_fold_type(const char *function, Reduction reduction, ElementType type)
{
	if (reduction != REDUCTION_SUM && reduction != REDUCTION_PROD)
		check_real(function, type);
}

/* Sets every element that is not 0 to 1: what any and all take of a row. */
static void
make_truth(Tensor *tensor)
{
	int64 count = tensor_count(tensor);

	if (tensor->type == ELEMENT_FLOAT4)
	{
		float *element = tensor_elements(tensor);

		for (int64 i = 0; i < count; i++)
			element[i] = element[i] != 0;
	}
	else
	{
		double *element = tensor_elements(tensor);

		for (int64 i = 0; i < count; i++)
			element[i] = element[i] != 0;
	}
}

/*
 * Adds a tensor, or another sum, to a sum in place. False, with the sum unchanged, unless
 * both lie flat in memory with the same element type and shape, which is the usual case.
 */
static bool
add_in_place(Tensor *state, Datum value)
{
	ShortValue shorter;
	const Tensor *tensor;
	ElementType type;

	if (!VARATT_IS_4B_U(state) || state->format != TENSOR_FORMAT_DENSE)
		return false;
	tensor = plain_value(value, &shorter);
	if (tensor == NULL)
		return false;
	/* the flags of a sparse value are others than those of a sum */
	type = is_sparse(tensor) ? (ElementType) tensor->type : fold_type(tensor);
	if (type != fold_type(state) ||
		state->type != element_double((ElementType) tensor->type) ||
		tensor->rank != state->rank ||
		memcmp(tensor->bounds, state->bounds, sizeof(int32) * state->rank) != 0)
		return false;
	if (is_sparse(tensor))
	{
		sparse_check(tensor);
		if (element_is_complex(type) || !sparse_has_fill(tensor, 0))
			return false;
		sparse_add(tensor, tensor_elements(state));
		return true;
	}
	vector_add((ElementType) tensor->type, (ElementType) state->type, tensor_count(state),
			   tensor_elements(tensor), tensor_elements(state));
	return true;
}

/*
 * Performs the transition of a sum that collects values out of line; false if the sum is
 * not batched, or the caller must add the value itself.
 */
static bool
sum_batched(FunctionCallInfo fcinfo, MemoryContext memory, Datum value, Datum *result)
{
	static const KernelFunction function = {"tensor_sum", false, REDUCTION_SUM, false};
	BatchForm *form;

	if (fcinfo->flinfo == NULL)
		return false;
	form = (BatchForm *) fcinfo->flinfo->fn_extra;
	if (form == NULL)
		fcinfo->flinfo->fn_extra = form = batch_form(fcinfo, &function, NULL, NULL);
	if (form == NULL)
		return false;
	return batch_add_row(form, memory, PG_ARGISNULL(0), PG_GETARG_DATUM(0), value, 1,
						 result);
}

/*
 * Transition f(tensor_state, tensor). It is also the combine function f(tensor_state,
 * tensor_state), since a fold is laid out as a tensor. NULLs are skipped.
 */
static Datum
fold_transition(FunctionCallInfo fcinfo, const char *function, Reduction reduction)
{
	MemoryContext memory = aggregate_memory(fcinfo, function);
	Tensor *operand;
	Tensor *state;
	TensorView in;
	TensorView out;
	Datum value;
	Datum result;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	value = PG_GETARG_DATUM(1);

	if (reduction == REDUCTION_SUM && sum_batched(fcinfo, memory, value, &result))
		PG_RETURN_DATUM(result);
	if (PG_ARGISNULL(0))
	{
		/* the executor copies the first state into the aggregate's context */
		state = get_fold_state(value);
		check_fold_type(function, reduction, (ElementType) state->type);
		tensor_view(state, &in);
		state = fit_fold_state(state, reduction, fold_type(state), in.rank, in.bounds,
							   function);
		if (reduction == REDUCTION_ANY || reduction == REDUCTION_ALL)
		{
			state = (Tensor *) PG_DETOAST_DATUM_COPY(PointerGetDatum(state));
			make_truth(state);
		}
		PG_RETURN_POINTER(state);
	}

	if (reduction == REDUCTION_SUM &&
		add_in_place((Tensor *) DatumGetPointer(PG_GETARG_DATUM(0)), value))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));

	operand = get_fold_state(value);
	check_fold_type(function, reduction, (ElementType) operand->type);
	tensor_view(operand, &in);
	state = fit_fold_state(get_fold_state(PG_GETARG_DATUM(0)), reduction,
						   fold_type(operand), in.rank, in.bounds, function);
	tensor_view(fold_operand(operand, reduction, state), &in);
	tensor_view(state, &out);
	reduction_accumulate(reduction, &in, &out);
	PG_RETURN_POINTER(state);
}

/* Adds a tensor, or another state, to the state. */
Datum
tensor_sum_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_sum", REDUCTION_SUM);
}

/* Keeps the least of each element; an element that is NaN once stays NaN. */
Datum
tensor_min_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_min", REDUCTION_MIN);
}

/* Keeps the greatest of each element; an element that is NaN once stays NaN. */
Datum
tensor_max_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_max", REDUCTION_MAX);
}

/* Multiplies a tensor, or another state, into the state. */
Datum
tensor_prod_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_prod", REDUCTION_PROD);
}

/* Sets an element of the state to 1 where a row's element is not 0; NaN is not 0. */
Datum
tensor_any_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_any", REDUCTION_ANY);
}

/* Keeps an element of the state at 1 while all rows' elements are other than 0. */
Datum
tensor_all_transfn(PG_FUNCTION_ARGS)
{
	return fold_transition(fcinfo, "tensor_all", REDUCTION_ALL);
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

/* The product of two numbers; overflow is infinity. */
Datum
tensor_prod_float8_transfn(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(PG_GETARG_FLOAT8(0) * PG_GETARG_FLOAT8(1));
}

/*
 * Folds a number into a state of 1 or 0; either may be NULL. The first number cannot be
 * the state itself: it may be neither 1 nor 0.
 */
static Datum
truth_transition(FunctionCallInfo fcinfo, Reduction reduction)
{
	double state = PG_ARGISNULL(0) ? reduction_identity(reduction) : PG_GETARG_FLOAT8(0);

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_FLOAT8(state);
	}
	reduction_fold(reduction, &state, PG_GETARG_FLOAT8(1));
	PG_RETURN_FLOAT8(state);
}

/* Returns 1 if any number so far is other than 0, as NaN is. */
Datum
tensor_any_float8_transfn(PG_FUNCTION_ARGS)
{
	return truth_transition(fcinfo, REDUCTION_ANY);
}

/* Returns 1 if all numbers so far are other than 0. */
Datum
tensor_all_float8_transfn(PG_FUNCTION_ARGS)
{
	return truth_transition(fcinfo, REDUCTION_ALL);
}
