/*-------------------------------------------------------------------------
 *
 * moments.c
 *	  tensor_avg, and tensor_covar: number of rows, mean and co-moment in one
 *	  pass.
 *
 * The co-moment is the sum of (x - mean) (x - mean)^T. It is updated around the
 * running mean (Welford, Technometrics 4, 1962), and joined by Chan, Golub and
 * LeVeque's formula (COMPSTAT 1982): the textbook's sum of squares less square
 * of sums loses all digits where the mean is large against the spread.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "compat.h"
#include "kernels/vector.h"
#include "type/call_kernel.h"
#include "type/state.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(tensor_avg_transfn);
PG_FUNCTION_INFO_V1(tensor_avg_float8_transfn);
PG_FUNCTION_INFO_V1(tensor_avg_combinefn);
PG_FUNCTION_INFO_V1(tensor_avg_finalfn);
PG_FUNCTION_INFO_V1(tensor_avg_float8_finalfn);
PG_FUNCTION_INFO_V1(tensor_covar_transfn);
PG_FUNCTION_INFO_V1(tensor_covar_array_transfn);
PG_FUNCTION_INFO_V1(tensor_covar_combinefn);
PG_FUNCTION_INFO_V1(tensor_covar_finalfn);

extern Datum array_to_tensor(PG_FUNCTION_ARGS);

/*
 * Numbers that are checked for overflow before they are added: they stay in the
 * first-level cache.
 */
#define BLOCK 1024

/* Would adding x to sum overflow in an element where both are finite? */
static bool
overflows(int64 n, const double *restrict x, const double *restrict sum)
{
	int any = 0;

	for (int64 i = 0; i < n; i++)
		any |= (fabs(x[i] + sum[i]) > DBL_MAX) & (fabs(x[i]) <= DBL_MAX) &
			   (fabs(sum[i]) <= DBL_MAX);
	return any != 0;
}

/* Returns the state with a carry, a new one of zeros if it has none. */
static CountState *
with_carry(CountState *state)
{
	const Tensor *sum = COUNT_FIRST(state);
	TensorView view;

	if (state->ntensors > 1)
		return state;
	tensor_view(sum, &view);
	return count_state_new(state->count, sum,
						   tensor_new(view.type, view.rank, view.bounds));
}

/*
 * Adds a tensor of the sum's type. Where the sum would overflow, it is moved to the carry
 * first: a mean may be in range though the sum is not.
 */
static CountState *
add_carrying(CountState *state, const Tensor *value)
{
	int64 count = tensor_count(value);
	const double *x = tensor_elements(value);

	if (element_is_complex((ElementType) value->type))
		count *= 2; /* real and imaginary parts */
	for (int64 at = 0; at < count; at += BLOCK)
	{
		int64 n = Min(count - at, BLOCK);
		double *sum = (double *) tensor_elements(COUNT_FIRST(state)) + at;
		double *carry;

		if (!overflows(n, x + at, sum))
		{
			vector_add(ELEMENT_FLOAT8, ELEMENT_FLOAT8, n, x + at, sum);
			continue;
		}
		state = with_carry(state);
		sum = (double *) tensor_elements(COUNT_FIRST(state)) + at;
		carry = (double *) tensor_elements(COUNT_SECOND(state)) + at;
		for (int64 i = 0; i < n; i++)
		{
			if (overflows(1, x + at + i, sum + i))
			{
				carry[i] += sum[i] * CARRY_SCALE;
				sum[i] = 0;
			}
			sum[i] += x[at + i];
		}
	}
	return state;
}

/*
 * Adds a tensor, or another sum, to the state. Returns the state, which may be a new one.
 */
static CountState *
add_moments(CountState *state, Tensor *value)
{
	Tensor *sum = COUNT_FIRST(state);
	TensorView in;
	TensorView out;
	Tensor *fitting;

	tensor_view(value, &in);
	fitting = fit_fold_state(sum, REDUCTION_SUM, fold_type(value), in.rank, in.bounds,
							 "tensor_avg");
	if (fitting != sum)
		state = count_state_new(
			state->count, fitting,
			state->ntensors > 1
				? tensor_convert(COUNT_SECOND(state), (ElementType) fitting->type)
				: NULL);
	sum = COUNT_FIRST(state);
	/* sums of values of single precision, kept in double, do not overflow */
	if (sum->flags & FOLD_SINGLE)
	{
		tensor_view(fold_operand(value, REDUCTION_SUM, sum), &in);
		tensor_view(sum, &out);
		reduction_accumulate(REDUCTION_SUM, &in, &out);
		return state;
	}
	return add_carrying(state, tensor_convert(value, (ElementType) sum->type));
}

/* tensor_avg's transition f(tensor_state, tensor). NULLs are skipped. */
Datum
tensor_avg_transfn(PG_FUNCTION_ARGS)
{
	CountState *state;
	Tensor *value;
	TensorView view;

	check_aggregate_call(fcinfo, "tensor_avg");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	value = PG_GETARG_TENSOR_P(1);
	if (PG_ARGISNULL(0))
	{
		tensor_view(value, &view);
		value = fit_fold_state(value, REDUCTION_SUM, view.type, view.rank, view.bounds,
							   "tensor_avg");
		PG_RETURN_POINTER(count_state_new(1, value, NULL));
	}
	state = add_moments(get_count_state(PG_GETARG_DATUM(0), false), value);
	state->count++;
	PG_FREE_IF_COPY(value, 1);
	PG_RETURN_POINTER(state);
}

/* Transition function of tensor_avg over numbers. */
Datum
tensor_avg_float8_transfn(PG_FUNCTION_ARGS)
{
	CountState *state;
	Tensor *sum;
	double x;

	check_aggregate_call(fcinfo, "tensor_avg");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	if (PG_ARGISNULL(0))
		state = count_state_new(0, tensor_new(ELEMENT_FLOAT8, 0, NULL), NULL);
	else
		state = get_count_state(PG_GETARG_DATUM(0), false);
	x = PG_GETARG_FLOAT8(1);
	sum = COUNT_FIRST(state);
	if (overflows(1, &x, tensor_elements(sum)))
	{
		Tensor *number = tensor_new(ELEMENT_FLOAT8, 0, NULL);

		*(double *) tensor_elements(number) = x;
		state = add_carrying(state, number);
	}
	else
		*(double *) tensor_elements(sum) += x;
	state->count++;
	PG_RETURN_POINTER(state);
}

/* Combines two states of tensor_avg, over tensors or numbers. */
Datum
tensor_avg_combinefn(PG_FUNCTION_ARGS)
{
	CountState *state;
	CountState *other;

	check_aggregate_call(fcinfo, "tensor_avg");
	state = get_count_state(PG_GETARG_DATUM(0), false);
	other = get_count_state(PG_GETARG_DATUM(1), false);
	state = add_moments(state, COUNT_FIRST(other));
	state->count += other->count;
	if (other->ntensors > 1)
	{
		TensorView in;
		TensorView out;

		state = with_carry(state);
		tensor_view(
			tensor_convert(COUNT_SECOND(other), (ElementType) COUNT_SECOND(state)->type),
			&in);
		tensor_view(COUNT_SECOND(state), &out);
		reduction_accumulate(REDUCTION_SUM, &in, &out);
	}
	PG_RETURN_POINTER(state);
}

/* Returns the mean of one element, from the sum and its carry. */
static inline double
mean_of(const CountState *state, double sum, double carry)
{
	double mean = sum / (double) state->count;

	return carry == 0 ? mean : mean + carry / (double) state->count / CARRY_SCALE;
}

/* Returns the sum divided by the number of rows, as a new tensor. */
Datum
tensor_avg_finalfn(PG_FUNCTION_ARGS)
{
	CountState *state = get_count_state(PG_GETARG_DATUM(0), false);
	TensorView view;
	Tensor *sum;
	Tensor *result;
	double *element;
	const double *carry =
		state->ntensors > 1 ? tensor_elements(COUNT_SECOND(state)) : NULL;
	int64 count;

	/* a state in text or binary form may have come in single precision */
	tensor_view(COUNT_FIRST(state), &view);
	sum = fit_fold_state(COUNT_FIRST(state), REDUCTION_SUM, fold_type(COUNT_FIRST(state)),
						 view.rank, view.bounds, "tensor_avg");
	result = palloc(VARSIZE(sum));
	memcpy(result, sum, VARSIZE(sum));
	element = tensor_elements(result);
	count = tensor_count(sum);
	if (element_is_complex((ElementType) sum->type))
		count *= 2;
	for (int64 i = 0; i < count; i++)
		element[i] = mean_of(state, element[i], carry ? carry[i] : 0);
	PG_RETURN_TENSOR_P(result->flags & FOLD_SINGLE ? fold_result(result) : result);
}

/* The mean of numbers. */
Datum
tensor_avg_float8_finalfn(PG_FUNCTION_ARGS)
{
	CountState *state = get_count_state(PG_GETARG_DATUM(0), false);
	const Tensor *sum = COUNT_FIRST(state);

	if (sum->rank != 0 || sum->type != ELEMENT_FLOAT8 || sum->flags != 0)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("tensor_state belongs to another aggregate")));
	PG_RETURN_FLOAT8(mean_of(state, *(const double *) tensor_elements(sum),
							 state->ntensors > 1
								 ? *(const double *) tensor_elements(COUNT_SECOND(state))
								 : 0));
}

/*
 * Returns the distance of x from *mean, and moves *mean towards x by that distance /
 * parts; parts is at least 1. If the mean is infinite or NaN, the distance is NaN,
 * whatever the order of the rows.
 */
static inline double
move_mean(double *mean, double x, double parts)
{
	double distance = x - *mean;

	if (isfinite(distance))
		*mean += distance / parts;
	else if (isfinite(x) && isfinite(*mean))
		/* x and the mean differ in sign: this order keeps each step in range */
		*mean = *mean + x / parts - *mean / parts;
	else
	{
		*mean += x;
		distance = (double) NAN;
	}
	return distance;
}

/* Computes comoment += scale * difference difference^T. */
static void
add_outer(Tensor *comoment, TensorView *difference, double scale)
{
	const TensorView *operands[2] = {difference, difference};
	TensorView out;

	tensor_view(comoment, &out);
	einsum_accumulate(&outer_equation, operands, scale, &out);
}

/* Raises 2202E if vectors of a group differ in length. */
static void
check_length(const Tensor *mean, int64 length)
{
	if (mean->bounds[0] != length)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("tensor_covar over vectors of different lengths"),
				 errdetail("One has " INT64_FORMAT " elements, another " INT64_FORMAT ".",
						   (int64) mean->bounds[0], length),
				 errhint("All vectors of a group must have the same length.")));
}

/*
 * Adds one vector to a state, which is NULL before the first row. The state is always
 * float8.
 */
static CountState *
add_vector(CountState *state, Datum value)
{
	Operands operands;
	const TensorView *vector;
	TensorView difference;
	const double *x;
	double *mean;
	double *distance;
	int64 length;

	load_tensors(NULL, &operands, 1, &value);
	vector = operands.views[0];
	check_real("tensor_covar", operands.type);
	if (vector->rank != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("tensor_covar over a tensor of rank %d", vector->rank),
						errdetail("Its shape is %s.",
								  shape_to_string(vector->rank, vector->bounds)),
						errhint("Each row is one vector of all variables.")));
	convert_operands(&operands, ELEMENT_FLOAT8);
	length = vector->bounds[0];
	x = vector->data;
	if (state == NULL)
	{
		int64 bounds[2] = {length, length};

		state = count_state_new(1, tensor_new(ELEMENT_FLOAT8, 1, bounds),
								tensor_new(ELEMENT_FLOAT8, 2, bounds));
		memcpy(tensor_elements(COUNT_FIRST(state)), x, length * sizeof(double));
		for (int64 i = 0; i < length; i++)
		{
			double *comoment = tensor_elements(COUNT_SECOND(state));

			for (int64 j = 0; j < length && !isfinite(x[i]); j++)
				comoment[i * length + j] = comoment[j * length + i] = (double) NAN;
		}
	}
	else
	{
		check_length(COUNT_FIRST(state), length);
		mean = tensor_elements(COUNT_FIRST(state));
		distance = palloc(length * sizeof(double) + 1);
		state->count++;
		for (int64 i = 0; i < length; i++)
		{
			distance[i] = move_mean(&mean[i], x[i], (double) state->count);
		}
		view_contiguous(&difference, ELEMENT_FLOAT8, 1, &length, distance);
		add_outer(COUNT_SECOND(state), &difference,
				  (double) (state->count - 1) / (double) state->count);
		pfree(distance);
	}
	release_operands(&operands);
	return state;
}

/*
 * Transition function f(tensor_state, vector) of tensor_covar, also over arrays. NULLs
 * are skipped.
 */
static Datum
covar_transition(FunctionCallInfo fcinfo, bool is_array)
{
	CountState *state = NULL;

	check_aggregate_call(fcinfo, "tensor_covar");
	if (!PG_ARGISNULL(0))
		state = get_count_state(PG_GETARG_DATUM(0), true);
	if (!PG_ARGISNULL(1) && is_array)
	{
		Datum value = DirectFunctionCall1(array_to_tensor, PG_GETARG_DATUM(1));

		state = add_vector(state, value);
		pfree(DatumGetPointer(value));
	}
	else if (!PG_ARGISNULL(1))
		state = add_vector(state, PG_GETARG_DATUM(1));
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
tensor_covar_transfn(PG_FUNCTION_ARGS)
{
	return covar_transition(fcinfo, false);
}

Datum
tensor_covar_array_transfn(PG_FUNCTION_ARGS)
{
	return covar_transition(fcinfo, true);
}

/* Combines two states of tensor_covar. */
Datum
tensor_covar_combinefn(PG_FUNCTION_ARGS)
{
	CountState *state;
	CountState *other;
	TensorView in;
	TensorView out;
	TensorView difference;
	double *mean;
	double *distance;
	const double *other_mean;
	double share;
	int64 length;

	check_aggregate_call(fcinfo, "tensor_covar");
	state = get_count_state(PG_GETARG_DATUM(0), true);
	other = get_count_state(PG_GETARG_DATUM(1), true);
	length = COUNT_FIRST(other)->bounds[0];
	check_length(COUNT_FIRST(state), length);

	share = (double) other->count / (double) (state->count + other->count);
	mean = tensor_elements(COUNT_FIRST(state));
	other_mean = tensor_elements(COUNT_FIRST(other));
	distance = palloc(length * sizeof(double) + 1);
	for (int64 i = 0; i < length; i++)
	{
		distance[i] = move_mean(&mean[i], other_mean[i], 1 / share);
	}
	tensor_view(COUNT_SECOND(other), &in);
	tensor_view(COUNT_SECOND(state), &out);
	reduction_accumulate(REDUCTION_SUM, &in, &out);
	view_contiguous(&difference, ELEMENT_FLOAT8, 1, &length, distance);
	add_outer(COUNT_SECOND(state), &difference, (double) state->count * share);
	state->count += other->count;
	pfree(distance);
	PG_RETURN_POINTER(state);
}

static Datum
tensor_copy(const Tensor *tensor)
{
	Tensor *copy = palloc(VARSIZE(tensor));

	memcpy(copy, tensor, VARSIZE(tensor));
	return PointerGetDatum(copy);
}

/* Returns the row (count, mean, comoment). */
Datum
tensor_covar_finalfn(PG_FUNCTION_ARGS)
{
	CountState *state = get_count_state(PG_GETARG_DATUM(0), true);
	TupleDesc desc;
	Datum values[3];
	bool nulls[3] = {false, false, false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum(state->count);
	values[1] = tensor_copy(COUNT_FIRST(state));
	values[2] = tensor_copy(COUNT_SECOND(state));
	PG_RETURN_DATUM(
		HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
