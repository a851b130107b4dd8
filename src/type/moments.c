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

#include <math.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"

#include "compat.h"
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

/* Adds the one loaded operand, which stands for count rows, to the state. */
static CountState *
add_rows(CountState *state, int64 count, Operands *operands)
{
	Tensor *sum = COUNT_FIRST(state);
	Tensor *fitting = fit_fold_state(sum, operands->type, operands->views[0]->rank,
									 operands->views[0]->bounds, "tensor_avg");
	TensorView out;

	if (fitting != sum)
		state = count_state_new(state->count, fitting, NULL);
	sum = COUNT_FIRST(state);
	convert_operands(operands, (ElementType) sum->type);
	tensor_view(sum, &out);
	reduction_accumulate(REDUCTION_SUM, operands->views[0], &out);
	state->count += count;
	return state;
}

/* tensor_avg's transition f(tensor_state, tensor). NULLs are skipped. */
Datum
tensor_avg_transfn(PG_FUNCTION_ARGS)
{
	Operands operands;
	CountState *state;
	Datum value;

	check_aggregate_call(fcinfo, "tensor_avg");
	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	value = PG_GETARG_DATUM(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(count_state_new(1, DatumGetTensorP(value), NULL));
	load_tensors(NULL, &operands, 1, &value);
	state = add_rows(get_count_state(PG_GETARG_DATUM(0), 1), 1, &operands);
	release_operands(&operands);
	PG_RETURN_POINTER(state);
}

/* tensor_avg's transition over numbers. */
Datum
tensor_avg_float8_transfn(PG_FUNCTION_ARGS)
{
	CountState *state;
	Tensor *sum;

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
		state = get_count_state(PG_GETARG_DATUM(0), 1);
	sum = COUNT_FIRST(state);
	*(double *) TENSOR_DATA(sum) += PG_GETARG_FLOAT8(1);
	state->count++;
	PG_RETURN_POINTER(state);
}

/* Joins two states of tensor_avg, over tensors or numbers. */
Datum
tensor_avg_combinefn(PG_FUNCTION_ARGS)
{
	Operands operands;
	CountState *state;
	CountState *other;
	Datum sum;

	check_aggregate_call(fcinfo, "tensor_avg");
	state = get_count_state(PG_GETARG_DATUM(0), 1);
	other = get_count_state(PG_GETARG_DATUM(1), 1);
	sum = PointerGetDatum(COUNT_FIRST(other));
	load_tensors(NULL, &operands, 1, &sum);
	state = add_rows(state, other->count, &operands);
	release_operands(&operands);
	PG_RETURN_POINTER(state);
}

/* The sum over the number of rows, as a new tensor. */
Datum
tensor_avg_finalfn(PG_FUNCTION_ARGS)
{
	CountState *state = get_count_state(PG_GETARG_DATUM(0), 1);
	const Tensor *sum = COUNT_FIRST(state);
	Tensor *result = palloc(VARSIZE(sum));
	bool single = element_is_single(sum->type);
	int64 count = tensor_count(sum);

	memcpy(result, sum, VARSIZE(sum));
	if (element_is_complex((ElementType) sum->type))
		count *= 2; /* real and imaginary parts */
	for (int64 i = 0; i < count; i++)
	{
		if (single)
			((float *) TENSOR_DATA(result))[i] /= (float) state->count;
		else
			((double *) TENSOR_DATA(result))[i] /= (double) state->count;
	}
	PG_RETURN_TENSOR_P(result);
}

/* The same over numbers. */
Datum
tensor_avg_float8_finalfn(PG_FUNCTION_ARGS)
{
	CountState *state = get_count_state(PG_GETARG_DATUM(0), 1);
	const Tensor *sum = COUNT_FIRST(state);

	if (sum->rank != 0 || sum->type != ELEMENT_FLOAT8)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("tensor_state belongs to another aggregate")));
	PG_RETURN_FLOAT8(*(const double *) TENSOR_DATA(sum) / (double) state->count);
}

/*
 * The distance to a mean that is infinite or NaN is NaN, as the difference of
 * every value to it: so it is whatever the order of the rows.
 */
static inline double
finite_or_nan(double distance)
{
	return isfinite(distance) ? distance : (double) NAN;
}

/* comoment += scale * difference difference^T */
static void
add_outer(Tensor *comoment, TensorView *difference, double scale)
{
	const TensorView *operands[2] = {difference, difference};
	TensorView out;

	tensor_view(comoment, &out);
	einsum_accumulate(&outer_equation, operands, scale, &out);
}

/* Errors: 2202E if vectors of a group differ in length. */
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

/* The state, or NULL for that of no rows, with one vector more. It is float8 whatever the elements are. */
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
		memcpy(TENSOR_DATA(COUNT_FIRST(state)), x, length * sizeof(double));
		for (int64 i = 0; i < length; i++)
		{
			double *comoment = TENSOR_DATA(COUNT_SECOND(state));

			for (int64 j = 0; j < length && !isfinite(x[i]); j++)
				comoment[i * length + j] = comoment[j * length + i] = (double) NAN;
		}
	}
	else
	{
		check_length(COUNT_FIRST(state), length);
		mean = TENSOR_DATA(COUNT_FIRST(state));
		distance = palloc(length * sizeof(double) + 1);
		state->count++;
		for (int64 i = 0; i < length; i++)
		{
			distance[i] = finite_or_nan(x[i] - mean[i]);
			mean[i] += isnan(distance[i]) ? x[i] : distance[i] / (double) state->count;
		}
		view_contiguous(&difference, ELEMENT_FLOAT8, 1, &length, distance);
		add_outer(COUNT_SECOND(state), &difference,
				  (double) (state->count - 1) / (double) state->count);
		pfree(distance);
	}
	release_operands(&operands);
	return state;
}

/* tensor_covar's transition f(tensor_state, vector), also over arrays. NULLs are skipped. */
static Datum
covar_transition(FunctionCallInfo fcinfo, bool is_array)
{
	CountState *state = NULL;

	check_aggregate_call(fcinfo, "tensor_covar");
	if (!PG_ARGISNULL(0))
		state = get_count_state(PG_GETARG_DATUM(0), 2);
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

/* Joins two states of tensor_covar. */
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
	state = get_count_state(PG_GETARG_DATUM(0), 2);
	other = get_count_state(PG_GETARG_DATUM(1), 2);
	length = COUNT_FIRST(other)->bounds[0];
	check_length(COUNT_FIRST(state), length);

	share = (double) other->count / (double) (state->count + other->count);
	mean = TENSOR_DATA(COUNT_FIRST(state));
	other_mean = TENSOR_DATA(COUNT_FIRST(other));
	distance = palloc(length * sizeof(double) + 1);
	for (int64 i = 0; i < length; i++)
	{
		distance[i] = finite_or_nan(other_mean[i] - mean[i]);
		mean[i] += isnan(distance[i]) ? other_mean[i] : distance[i] * share;
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

/* The row (count, mean, comoment). */
Datum
tensor_covar_finalfn(PG_FUNCTION_ARGS)
{
	CountState *state = get_count_state(PG_GETARG_DATUM(0), 2);
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
