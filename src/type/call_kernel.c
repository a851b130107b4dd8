/*-------------------------------------------------------------------------
 *
 * call_kernel.c
 *	  The frame that all functions with an equation share.
 *
 * The transitions run the kernel straight into the elements of the state, so
 * that a group costs one tensor, however many rows it has: building a tensor
 * for each joined row to add it up is what makes the naive spelling slow.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "nodes/execnodes.h"

#include "compat.h"
#include "type/batch.h"
#include "type/call_kernel.h"
#include "type/call_prepared.h"
#include "type/state.h"
#include "type/tensor_shape.h"

/*
 * Loads the operands of a call. Argument number first is its equation, or its expression,
 * which an equation follows.
 */
static void
begin_kernel_call(FunctionCallInfo fcinfo, const KernelFunction *function, int first,
				  KernelCall *call)
{
	bool product = !function->map && function->reduction != REDUCTION_SUM;
	int operand = first + (function->map ? 2 : 1);
	CallCache *cache = get_call_cache(fcinfo, operand,
									  function->map || product ? MAP_MAX_OPERANDS
															   : EQUATION_MAX_OPERANDS,
									  function->name);

	call->function = function;
	call->cache = cache;
	call->program = function->map ? get_call_map(fcinfo, cache, first)
					: product     ? get_call_product(cache)
								  : NULL;
	call->equation = get_call_equation(fcinfo, cache, operand - 1);
	load_operands(fcinfo, cache, operand, &call->operands);
	call->equation =
		bind_call_equation(cache, call->equation, &call->operands, function->name);
	finish_kernel_call(call);
	if (call->program == NULL && call->operands.count > 2)
		call->path = get_call_path(cache, call->equation, &call->operands);
}

/* Have all operands, and all steps computed from them, the same real type? */
static bool
is_uniform(const KernelCall *call)
{
	const Operands *operands = &call->operands;

	if (call->program->typed || operands->count == 0)
		return false;
	for (int i = 0; i < operands->count; i++)
		if (operands->view[i].type != operands->view[0].type)
			return false;
	return !element_is_complex(operands->type);
}

/* Finds the type of an expression's result, and whether its steps need conversions. */
static void
find_map_type(KernelCall *call)
{
	ElementType types[MAP_MAX_OPERANDS] = {ELEMENT_FLOAT8};
	Reduction reduction = call->function->reduction;
	int undefined;

	call->typed = !is_uniform(call);
	if (!call->typed)
		return;
	for (int i = 0; i < call->operands.count; i++)
		types[i] = call->operands.view[i].type;
	undefined = map_result_type(call->program, types, &call->type);
	if (undefined >= 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("%s: \"%s\" is not defined for complex numbers",
							   call->function->name, pointwise_functions[undefined].name),
						errhint("Use it on real(), imag() or abs() of them.")));
	if (reduction != REDUCTION_SUM && reduction != REDUCTION_PROD)
		check_real(call->function->name, call->type);
}

void
finish_kernel_call(KernelCall *call)
{
	int64 extents[EQUATION_MAX_LABELS];

	call->type = call->operands.type;
	call->typed = false;
	if (call->function->map)
		find_map_type(call);
	else if (call->function->reduction != REDUCTION_SUM)
		check_real(call->function->name, call->operands.type);
	check_extents(call->function->name, call->equation, call->operands.views,
				  call->function->strict, extents);
	output_bounds(call->equation, extents, call->bounds);
	call->path = NULL;
}

/*
 * Folds the result into a state of another element type, which earlier rows had. The
 * result is computed in its own type first, as for a first row and as in numpy: so it
 * does not depend on the order of the rows.
 */
static void
fold_converted(KernelCall *call, TensorView *out)
{
	Tensor *result = kernel_result(call);
	Tensor *converted = tensor_convert(result, out->type);
	TensorView view;

	tensor_view(converted, &view);
	reduction_accumulate(call->function->reduction, &view, out);
	if (converted != result)
		pfree(converted);
	pfree(result);
}

void
run_kernel(KernelCall *call, TensorView *out)
{
	/* states of sums and products are kept in double precision */
	if (out->type != call->type && (!reduction_rounds(call->function->reduction) ||
									out->type != element_double(call->type)))
	{
		fold_converted(call, out);
		return;
	}
	if (call->typed)
	{
		map_accumulate_typed(call->program, call->equation, call->operands.views,
							 call->function->reduction, out);
		return;
	}
	if (call->cache && call->program == NULL && call->path == NULL)
	{
		run_and_remember(call->cache, call->equation, &call->operands, call->type, out);
		return;
	}
	convert_operands(&call->operands, call->type);
	if (call->program)
		map_accumulate(call->program, call->equation, call->operands.views,
					   call->function->reduction, out);
	else if (call->path)
		einsum_accumulate_in_order(call->equation, call->operands.views, call->path, 1.0,
								   out);
	else
		einsum_accumulate(call->equation, call->operands.views, 1.0, out);
}

/* Sets the elements of a new result, which are 0, to the reduction's identity. */
static void
fill_identity(const KernelFunction *function, TensorView *out)
{
	double identity = reduction_identity(function->reduction);
	int64 count;

	if (identity == 0)
		return;
	count = view_count(out);
	switch (out->type)
	{
		case ELEMENT_FLOAT4:
			for (int64 i = 0; i < count; i++)
				((float *) out->data)[i] = (float) identity;
			break;
		case ELEMENT_FLOAT8:
			for (int64 i = 0; i < count; i++)
				((double *) out->data)[i] = identity;
			break;
		case ELEMENT_COMPLEX8:
			for (int64 i = 0; i < count; i++)
				((float *) out->data)[2 * i] = (float) identity;
			break;
		case ELEMENT_COMPLEX16:
			for (int64 i = 0; i < count; i++)
				((double *) out->data)[2 * i] = identity;
			break;
	}
}

Tensor *
kernel_result(KernelCall *call)
{
	Tensor *result = tensor_new(call->type, call->equation->output.rank, call->bounds);
	TensorView out;

	tensor_view(result, &out);
	fill_identity(call->function, &out);
	run_kernel(call, &out);
	return result;
}

/* Returns a new aggregate state that has this call as its only row. */
static Tensor *
kernel_state(KernelCall *call)
{
	Tensor *state = fold_state_new(call->function->reduction, call->type,
								   call->equation->output.rank, call->bounds);
	TensorView out;

	tensor_view(state, &out);
	fill_identity(call->function, &out);
	run_kernel(call, &out);
	return state;
}

/* Returns the call site's prepared call; NULL for maps and for folds other than sums. */
static inline const PreparedCall *
find_prepared(FunctionCallInfo fcinfo, const KernelFunction *function, int first,
			  PreparedOperands *operands)
{
	if (function->map || function->reduction != REDUCTION_SUM)
		return NULL;
	return find_prepared_call(fcinfo, first, operands);
}

Datum
kernel_value(FunctionCallInfo fcinfo, const KernelFunction *function)
{
	PreparedOperands operands;
	const PreparedCall *prepared = find_prepared(fcinfo, function, 0, &operands);
	KernelCall call;
	Tensor *result;

	if (prepared)
	{
		result = prepared_result(prepared);
		run_prepared_call(prepared, &operands, tensor_elements(result));
		PG_RETURN_TENSOR_P(result);
	}
	begin_kernel_call(fcinfo, function, 0, &call);
	result = kernel_result(&call);
	release_operands(&call.operands);
	PG_RETURN_TENSOR_P(result);
}

/* Raises an error unless the call's result has rank 0. */
static void
check_scalar_call(const KernelCall *call)
{
	if (call->equation->output.rank != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("result of %s has rank %d", call->function->name,
						call->equation->output.rank),
				 errdetail("It must have rank 0, a single number."),
				 errhint("Leave out what follows \"->\" in the equation, or use the "
						 "function that returns a tensor.")));
}

/*
 * Returns fold(identity, kernel(operands)) of a call whose result has rank 0, computed in
 * the given type: the call's type, or its double precision type if it will be added to a
 * sum.
 */
static double
kernel_scalar_result(KernelCall *call, ElementType type)
{
	double element[2] = {0, 0};
	TensorView out;

	check_scalar_call(call);
	view_contiguous(&out, type, 0, NULL, element);
	fill_identity(call->function, &out);
	run_kernel(call, &out);
	return scalar_element(call->function->name, &out);
}

/* Computes the result of a prepared call as a number; false if it is a tensor. */
static bool
prepared_scalar(const PreparedCall *prepared, const PreparedOperands *operands,
				double *result)
{
	ElementType type;
	double element = 0;

	if (!prepared_result_is_number(prepared, &type))
		return false;
	run_prepared_call(prepared, operands, &element);
	*result = type == ELEMENT_FLOAT4 ? *(float *) &element : element;
	return true;
}

Datum
kernel_scalar(FunctionCallInfo fcinfo, const KernelFunction *function)
{
	PreparedOperands operands;
	const PreparedCall *prepared = find_prepared(fcinfo, function, 0, &operands);
	KernelCall call;
	double result;

	if (prepared && prepared_scalar(prepared, &operands, &result))
		PG_RETURN_FLOAT8(result);
	begin_kernel_call(fcinfo, function, 0, &call);
	result = kernel_scalar_result(&call, call.type);
	release_operands(&call.operands);
	PG_RETURN_FLOAT8(result);
}

/*
 * Returns the BatchForm of the sums of this call site, or NULL if they are not batched;
 * found once.
 */
static BatchForm *
call_form(FunctionCallInfo fcinfo, const KernelFunction *function)
{
	CallCache *cache;
	const Equation *equation;

	if (function->map || function->reduction != REDUCTION_SUM)
		return NULL;
	cache = get_call_cache(fcinfo, 2, EQUATION_MAX_OPERANDS, function->name);
	if (cache->form_sought && cache->form == NULL)
		return NULL;
	equation = get_call_equation(fcinfo, cache, 1);
	if (!cache->form_sought)
	{
		cache->form_sought = true;
		cache->form = batch_form(fcinfo, function, cache, equation);
	}
	return cache->form;
}

/*
 * Performs the transition of a batched sum of rows; false if the row must be added
 * otherwise.
 */
static bool
rows_transition(FunctionCallInfo fcinfo, BatchForm *form, MemoryContext memory,
				Datum *result)
{
	CallCache *cache = (CallCache *) fcinfo->flinfo->fn_extra;
	double scale = 1;
	ElementType type;

	if (form->number >= 0)
		scale =
			number_operand(cache, form->number, PG_GETARG_DATUM(2 + form->number), &type);
	return batch_add_row(form, memory, PG_ARGISNULL(0), PG_GETARG_DATUM(0),
						 PG_GETARG_DATUM(2 + form->tensors[0]), scale, result);
}

/* Adds the kernel's result to the sum of a batch immediately, without collecting rows. */
static void
run_batch_kernel(KernelCall *call, BatchState *batch)
{
	Tensor *sum = batch_flush(batch);
	Tensor *fitting =
		fit_fold_state(sum, REDUCTION_SUM, call->operands.type,
					   call->equation->output.rank, call->bounds, call->function->name);
	TensorView out;

	if (fitting != sum)
		batch_set_sum(batch, fitting);
	tensor_view(batch->sum, &out);
	run_kernel(call, &out);
}

/*
 * Is the function called by an aggregate, so that it may change a state in place? Inlined
 * from AggCheckCallContext.
 */
static inline bool
in_aggregate(FunctionCallInfo fcinfo)
{
	return fcinfo->context != NULL &&
		   (IsA(fcinfo->context, AggState) || IsA(fcinfo->context, WindowAggState));
}

/* Performs the transition of any row, in the general way. */
static Datum
transition(FunctionCallInfo fcinfo, const KernelFunction *function)
{
	MemoryContext memory = aggregate_memory(fcinfo, function->name);
	BatchForm *form;
	BatchState *batch;
	KernelCall call;
	Tensor *state;
	Datum result;

	if (any_argument_null(fcinfo, 1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}

	form = call_form(fcinfo, function);
	if (form && form->kind == BATCH_ROWS &&
		rows_transition(fcinfo, form, memory, &result))
		PG_RETURN_DATUM(result);

	begin_kernel_call(fcinfo, function, 1, &call);
	batch = PG_ARGISNULL(0) ? NULL : batch_state(PG_GETARG_DATUM(0));
	if (PG_ARGISNULL(0) && form && form->kind == BATCH_OUTER)
		batch = batch_outer_new(form, &call, memory);
	if (batch)
	{
		if (batch->form->kind != BATCH_OUTER || batch->form != form ||
			!batch_add_outer(batch, &call))
			run_batch_kernel(&call, batch);
		release_operands(&call.operands);
		PG_RETURN_DATUM(batch_datum(batch));
	}
	if (PG_ARGISNULL(0))
	{
		/* the executor copies the first state into the aggregate's context */
		state = kernel_state(&call);
	}
	else
	{
		TensorView out;

		state = fit_fold_state(get_fold_state(PG_GETARG_DATUM(0)), function->reduction,
							   call.type, call.equation->output.rank, call.bounds,
							   function->name);
		tensor_view(state, &out);
		run_kernel(&call, &out);
	}
	release_operands(&call.operands);
	PG_RETURN_POINTER(state);
}

Datum
kernel_transition(FunctionCallInfo fcinfo, const KernelFunction *function)
{
	const CallCache *cache =
		fcinfo->flinfo ? (const CallCache *) fcinfo->flinfo->fn_extra : NULL;
	Datum state = PG_GETARG_DATUM(0);

	/* the state must not be read here: that would wait for main memory */
	if (cache && cache->form && batch_collects(cache->form))
		return transition(fcinfo, function);
	/*
	 * the usual case: a flat state and a prepared call. Expanded states collect rows, in
	 * the general way.
	 */
	if (!any_argument_null(fcinfo, 0) && VARATT_IS_4B_U(DatumGetPointer(state)) &&
		!function->map && function->reduction == REDUCTION_SUM && in_aggregate(fcinfo) &&
		add_prepared_call(fcinfo, 1, (Tensor *) DatumGetPointer(state)))
		PG_RETURN_DATUM(state);
	return transition(fcinfo, function);
}

Datum
kernel_scalar_transition(FunctionCallInfo fcinfo, const KernelFunction *function)
{
	PreparedOperands operands;
	const PreparedCall *prepared;
	KernelCall call;
	ElementType type;
	double state;

	if (any_argument_null(fcinfo, 1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}

	prepared = find_prepared(fcinfo, function, 1, &operands);
	if (prepared && prepared_scalar(prepared, &operands, &state))
		PG_RETURN_FLOAT8(PG_ARGISNULL(0) ? state : PG_GETARG_FLOAT8(0) + state);
	begin_kernel_call(fcinfo, function, 1, &call);
	type = reduction_rounds(function->reduction) ? element_double(call.type) : call.type;
	if (PG_ARGISNULL(0))
		state = kernel_scalar_result(&call, type);
	else
	{
		state = PG_GETARG_FLOAT8(0);
		reduction_fold(function->reduction, &state, kernel_scalar_result(&call, type));
	}
	release_operands(&call.operands);
	PG_RETURN_FLOAT8(state);
}
