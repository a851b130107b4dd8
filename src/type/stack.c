/*-------------------------------------------------------------------------
 *
 * stack.c
 *	  The aggregate stack(value, pos, dimension, bound, fill): puts each value at
 *	  its position along a new dimension; where there is no value it is fill,
 *	  which is 0 if not given.
 *
 * The second step of a repartition (SparseEinSum, section 6). The state is of
 * the final size from the first row on, so a row costs a copy of its value. A
 * bitmap of the positions filled tells a second value for one from a value
 * that happens to be 0.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "type/call.h"
#include "type/state.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(stack_transfn);
PG_FUNCTION_INFO_V1(stack_float8_transfn);
PG_FUNCTION_INFO_V1(stack_tensor_fill_transfn);
PG_FUNCTION_INFO_V1(stack_combinefn);
PG_FUNCTION_INFO_V1(stack_finalfn);

/* Copies a value to a position of the stack. Errors: 23505 if the position is filled. */
static void
stack_place(StackState *state, const TensorView *value, int64 position)
{
	uint8 *byte = stack_state_bitmap(state) + position / 8;
	uint8 bit = (uint8) (1 << (position % 8));

	if (*byte & bit)
		ereport(
			ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("stack has two values for position " INT64_FORMAT, position),
			 errdetail(
				 "Each position along the new dimension takes one value of a group."),
			 errhint(
				 "Add up or otherwise aggregate the values of a position first. In a "
				 "program some tensor has two rows with the same keys: one that is "
				 "registered with duplicates => 'trust', where 'sum' adds them up.")));
	*byte |= bit;

	if (value->rank == 0 && value->type == ELEMENT_FLOAT8 &&
		STACK_TENSOR(state)->type == ELEMENT_FLOAT8)
		((double *) tensor_elements(STACK_TENSOR(state)))[position] =
			*(double *) value->data;
	else
	{
		TensorView slice;

		stack_slice(state, position, &slice);
		if (state->dimension == 0 && slice.type == value->type)
			memcpy(slice.data, value->data,
				   view_count(value) * element_size(value->type));
		else
			view_copy(value, &slice);
	}
}

/* Raises an error unless the stack has this final shape and dimension. */
static void
check_stack(const StackState *state, int rank, const int64 *bounds, int dimension)
{
	const Tensor *tensor = STACK_TENSOR(state);
	bool same = tensor->rank == rank && state->dimension == dimension;

	for (int d = 0; same && d < rank; d++)
		same = tensor->bounds[d] == bounds[d];
	if (!same)
		ereport(
			ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("stack over rows that differ in shape, dimension or bound"),
			 errdetail("One makes a result of shape %s along dimension %d, another %s "
					   "along dimension %d.",
					   tensor_shape_string(tensor), state->dimension,
					   shape_to_string(rank, bounds), dimension),
			 errhint("All values of a group must have one shape, and one dimension and "
					 "bound.")));
}

/*
 * Transition f(tensor_state, value, pos int8, dimension int4, bound int8 [, fill float8
 * or tensor]). A fill that is a tensor promotes the element type as values do. A row
 * whose value or position is NULL is an absent entry.
 */
static Datum
stack_transition(FunctionCallInfo fcinfo, bool scalar, bool tensor_fill)
{
	Operands operands;
	const TensorView *value;
	Datum datum;
	int64 position;
	int dimension;
	int64 bound;
	int rank = 0;
	int64 bounds[TENSOR_MAX_RANK + 1];
	ElementType type;
	Number fill = 0.0;
	StackState *state;

	check_aggregate_call(fcinfo, "stack");
	if (PG_ARGISNULL(3) || PG_ARGISNULL(4) || (PG_NARGS() > 5 && PG_ARGISNULL(5)))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("dimension, bound and fill of stack must not be null")));
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	datum = PG_GETARG_DATUM(1);
	position = PG_GETARG_INT64(2);
	dimension = PG_GETARG_INT32(3);
	bound = PG_GETARG_INT64(4);

	load_tensors(NULL, &operands, scalar ? 0 : 1, &datum);
	if (scalar)
		load_scalar(&operands, DatumGetFloat8(datum), ELEMENT_FLOAT8);
	value = operands.views[0];
	type = operands.type;
	if (PG_NARGS() > 5)
		fill = stack_fill_argument(fcinfo, 5, tensor_fill, &type);

	if (dimension < 0 || dimension > value->rank)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("stack along dimension %d of values of rank %d", dimension,
							   value->rank),
						errhint("The new dimension is 0 to the rank of the values.")));
	for (int d = 0; d <= value->rank; d++)
		bounds[d] = d == dimension ? bound : value->bounds[rank++];

	if (PG_ARGISNULL(0))
	{
		state = stack_state_new(type, value->rank + 1, bounds, dimension);
		stack_state_fill(state, fill);
	}
	else
	{
		state = get_stack_state(PG_GETARG_DATUM(0));
		check_stack(state, value->rank + 1, bounds, dimension);
		state = stack_state_refill(state, type, fill);
	}
	if (position < 0 || position >= bound)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("position " INT64_FORMAT
							   " of stack is outside the bound " INT64_FORMAT,
							   position, bound),
						errhint("Positions are 0 to the bound less one.")));
	stack_place(state, value, position);
	release_operands(&operands);
	PG_RETURN_POINTER(state);
}

/* stack over tensors. */
Datum
stack_transfn(PG_FUNCTION_ARGS)
{
	return stack_transition(fcinfo, false, false);
}

/* stack over numbers. */
Datum
stack_float8_transfn(PG_FUNCTION_ARGS)
{
	return stack_transition(fcinfo, true, false);
}

/* stack over tensors with a fill of any element type. */
Datum
stack_tensor_fill_transfn(PG_FUNCTION_ARGS)
{
	return stack_transition(fcinfo, false, true);
}

/* Combines two stacks, whose positions must not overlap. */
Datum
stack_combinefn(PG_FUNCTION_ARGS)
{
	StackState *other;
	StackState *state;
	TensorView shape;
	bool exact;

	check_aggregate_call(fcinfo, "stack");
	state = get_stack_state(PG_GETARG_DATUM(0));
	other = get_stack_state(PG_GETARG_DATUM(1));
	tensor_view(STACK_TENSOR(other), &shape);
	check_stack(state, shape.rank, shape.bounds, other->dimension);
	/* may the other stack have digits of the fill that this one has lost? */
	exact = element_is_single((ElementType) STACK_TENSOR(state)->type) &&
			!element_is_single(shape.type);
	state = stack_state_widen(state, shape.type);
	for (int64 position = 0; position < shape.bounds[other->dimension]; position++)
	{
		bool has = stack_state_has(other, position);
		TensorView slice;
		TensorView place;

		if (!has && (!exact || stack_state_has(state, position)))
			continue;
		CHECK_FOR_INTERRUPTS();
		stack_slice(other, position, &slice);
		if (has)
		{
			stack_place(state, &slice, position);
			continue;
		}
		stack_slice(state, position, &place);
		view_copy(&slice, &place);
	}
	PG_RETURN_POINTER(state);
}

/* Returns a copy of the stacked tensor. */
Datum
stack_finalfn(PG_FUNCTION_ARGS)
{
	StackState *state = get_stack_state(PG_GETARG_DATUM(0));
	Tensor *tensor = STACK_TENSOR(state);
	Tensor *result;

	result = palloc(VARSIZE(tensor));
	copy_in_pieces(result, tensor, VARSIZE(tensor));
	PG_RETURN_TENSOR_P(result);
}
