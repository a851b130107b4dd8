/*-------------------------------------------------------------------------
 *
 * stack_blocks.c
 *	  The aggregate einsum_stack_blocks(value, fill, added, offset, extent, ...):
 *	  puts each value at its place in a larger tensor; where there is no value it
 *	  is fill.
 *
 * The second step of a repartition to blocks, or from smaller blocks to larger
 * ones. For each dimension of the result the arguments have the offset of the
 * value and the extent of the result; dimensions in the mask "added" are not the
 * value's, which has one index there. The result is a vector, in row-major order: whoever
 * calls it reshapes it. So the state is a stack of numbers (state.h), which
 * knows for each entry whether it has been filled.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "compat.h"
#include "type/call.h"
#include "type/state.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(stack_blocks_transfn);
PG_FUNCTION_INFO_V1(stack_blocks_float8_transfn);

/* Numbers of the arguments after the state. */
#define ARGUMENT_VALUE 1
#define ARGUMENT_FILL 2
#define ARGUMENT_ADDED 3
#define ARGUMENT_PLACES 4

/* The place of a value in the result of einsum_stack_blocks. */
typedef struct Placement
{
	int rank;
	int64 bounds[TENSOR_MAX_RANK];   /* of the result */
	int64 offsets[TENSOR_MAX_RANK];  /* of the value in it */
	int64 extents[TENSOR_MAX_RANK];  /* of the value; 1 in added dimensions */
	int dimensions[TENSOR_MAX_RANK]; /* of the value; -1 for added dimensions */
	int64 count;                     /* entries of the result */
} Placement;

/* An argument that is int4 or int8. */
static int64
integer_argument(FunctionCallInfo fcinfo, int argument)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("offsets and extents of einsum_stack_blocks must not be null")));
	switch (get_fn_expr_argtype(fcinfo->flinfo, argument))
	{
		case INT2OID:
			return PG_GETARG_INT16(argument);
		case INT4OID:
			return PG_GETARG_INT32(argument);
		case INT8OID:
			return PG_GETARG_INT64(argument);
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("offsets and extents of einsum_stack_blocks are integers")));
	}
}

/*
 * Reads the place of a value from the arguments. Errors: 2202E if the value does not fit
 * in the result.
 */
static void
read_placement(FunctionCallInfo fcinfo, ElementType type, const TensorView *value,
			   Placement *placement)
{
	uint32 added = PG_GETARG_INT32(ARGUMENT_ADDED);
	int nplaces = PG_NARGS() - ARGUMENT_PLACES;
	int dimension = 0;

	if (nplaces % 2 != 0 || nplaces / 2 > TENSOR_MAX_RANK || nplaces == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("einsum_stack_blocks takes an offset and an extent for each of 1 "
						"to %d dimensions",
						TENSOR_MAX_RANK)));
	placement->rank = nplaces / 2;
	for (int d = 0; d < placement->rank; d++)
	{
		int argument = ARGUMENT_PLACES + 2 * d;
		int from = (added >> d) & 1 ? -1 : dimension++;

		placement->offsets[d] = integer_argument(fcinfo, argument);
		placement->bounds[d] = integer_argument(fcinfo, argument + 1);
		placement->dimensions[d] = from;
		placement->extents[d] = from < 0             ? 1
								: from < value->rank ? value->bounds[from]
													 : 0;
		if (placement->offsets[d] < 0 || placement->bounds[d] < 0 ||
			placement->bounds[d] > PG_INT32_MAX ||
			placement->offsets[d] > placement->bounds[d] - placement->extents[d])
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg("a value does not fit in the tensor that it is part of"),
					 errdetail("Along dimension %d, it has " INT64_FORMAT
							   " indices from " INT64_FORMAT
							   " on, and the tensor " INT64_FORMAT ".",
							   d, placement->extents[d], placement->offsets[d],
							   placement->bounds[d])));
	}
	if (dimension != value->rank)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("einsum_stack_blocks has values of rank %d where it needs "
							   "rank %d",
							   value->rank, dimension)));
	placement->count = shape_count(type, placement->rank, placement->bounds);
}

/*
 * Returns the state with memory for the whole result, and in an element type that holds
 * this type and the fill's.
 */
static StackState *
fit_state(FunctionCallInfo fcinfo, ElementType type, const Placement *placement)
{
	bool is_tensor = get_fn_expr_argtype(fcinfo->flinfo, ARGUMENT_FILL) != FLOAT8OID;
	Number fill = stack_fill_argument(fcinfo, ARGUMENT_FILL, is_tensor, &type);
	StackState *state;
	const Tensor *tensor;

	if (PG_ARGISNULL(0))
	{
		state = stack_state_new(type, 1, &placement->count, 0);
		stack_state_fill(state, fill);
		return state;
	}
	state = get_stack_state(PG_GETARG_DATUM(0));
	tensor = STACK_TENSOR(state);
	if (tensor->rank != 1 || tensor->bounds[0] != placement->count)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("einsum_stack_blocks over rows that differ in the tensor that "
						"they are part of"),
				 errdetail("One is part of a tensor of " INT64_FORMAT
						   " entries, another of %d.",
						   placement->count, tensor->bounds[0])));
	return stack_state_refill(state, type, fill);
}

/* Marks consecutive entries as filled. Errors: 23505 if one is filled already. */
static void
mark_filled(uint8 *bitmap, int64 first, int64 count)
{
	for (int64 i = first; i < first + count; i++)
	{
		uint8 bit = (uint8) (1 << (i % 8));

		/* sets whole bytes where possible */
		if (bit == 1 && first + count - i >= 8 && bitmap[i / 8] == 0)
		{
			bitmap[i / 8] = 0xff;
			i += 7;
			continue;
		}
		if (bitmap[i / 8] & bit)
			ereport(ERROR, (errcode(ERRCODE_UNIQUE_VIOLATION),
							errmsg("two values have the same place in a tensor"),
							errhint("Keys of a tensor must be unique.")));
		bitmap[i / 8] |= bit;
	}
}

/* Copies a value to its place in the result. */
static void
place_value(StackState *state, const TensorView *value, const Placement *placement)
{
	uint8 *bitmap = stack_state_bitmap(state);
	TensorView target;
	TensorView source = {.type = value->type, .rank = placement->rank};
	int64 stride = 1;
	int64 start = 0;
	int64 at[TENSOR_MAX_RANK] = {0};
	int last = placement->rank - 1;
	int d;

	Assert(placement->rank > 0);
	tensor_view(STACK_TENSOR(state), &target);
	target.rank = placement->rank;
	source.data = value->data;
	for (d = last; d >= 0; d--)
	{
		int from = placement->dimensions[d];

		if (placement->extents[d] == 0)
			return;
		target.bounds[d] = source.bounds[d] = placement->extents[d];
		target.strides[d] = stride;
		/* a value has one index in an added dimension */
		source.strides[d] = from < 0 ? 0 : value->strides[from];
		start += placement->offsets[d] * stride;
		stride *= placement->bounds[d];
	}
	target.data = (char *) target.data + start * element_size(target.type);

	/* copies rows of adjacent entries */
	do
	{
		int64 first = start;

		CHECK_FOR_INTERRUPTS();
		for (d = 0; d < last; d++)
			first += at[d] * target.strides[d];
		mark_filled(bitmap, first, placement->extents[last]);
		for (d = last - 1; d >= 0; d--)
		{
			if (++at[d] < placement->extents[d])
				break;
			at[d] = 0;
		}
	} while (d >= 0);
	view_copy(&source, &target);
}

/*
 * Transition f(tensor_state, value, fill float8 or tensor, added int4, VARIADIC "any"). A
 * row whose value is NULL is an absent entry.
 */
static Datum
stack_blocks_transition(FunctionCallInfo fcinfo, bool scalar)
{
	Operands operands;
	Placement placement;
	StackState *state;
	Datum datum;

	check_aggregate_call(fcinfo, "einsum_stack_blocks");
	if (PG_ARGISNULL(ARGUMENT_FILL) || PG_ARGISNULL(ARGUMENT_ADDED))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the fill and the added dimensions of einsum_stack_blocks must "
						"not be null")));
	if (PG_ARGISNULL(ARGUMENT_VALUE))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	datum = PG_GETARG_DATUM(ARGUMENT_VALUE);
	load_tensors(NULL, &operands, scalar ? 0 : 1, &datum);
	if (scalar)
		load_scalar(&operands, DatumGetFloat8(datum), ELEMENT_FLOAT8);
	read_placement(fcinfo, operands.type, operands.views[0], &placement);
	state = fit_state(fcinfo, operands.type, &placement);
	place_value(state, operands.views[0], &placement);
	release_operands(&operands);
	PG_RETURN_POINTER(state);
}

/* einsum_stack_blocks over tensors. */
Datum
stack_blocks_transfn(PG_FUNCTION_ARGS)
{
	return stack_blocks_transition(fcinfo, false);
}

/* einsum_stack_blocks over numbers. */
Datum
stack_blocks_float8_transfn(PG_FUNCTION_ARGS)
{
	return stack_blocks_transition(fcinfo, true);
}
