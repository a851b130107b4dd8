/*-------------------------------------------------------------------------
 *
 * operands.c
 *	  The operands of a node from their beginning to their end, and their memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/operand/state.h"

/*
 * The bytes of a nest's buffers. As in PostgreSQL's nodes, they are in addition to the
 * memory for rows, so that parts can be small even if work_mem is.
 */
#define NEST_BYTES ((Size) 128 * 1024)

/* Memory */

static void *
allocate(void *context, size_t bytes)
{
	return MemoryContextAllocHuge(context, bytes);
}

static void
release(void *context, void *block)
{
	pfree(block);
}

NestMemory
nest_memory_of(MemoryContext context, Size limit)
{
	return (NestMemory){
		.allocate = allocate, .release = release, .context = context, .limit = limit};
}

static void
begin_memory(TensorOperands *state)
{
	state->memory.context = AllocSetContextCreate(
		state->estate->es_query_cxt, "AggregateJoin", ALLOCSET_DEFAULT_SIZES);
	state->memory.accounts =
		nest_memory_of(state->memory.context, get_hash_memory_limit() + NEST_BYTES);
	state->memory.values_of_all.context = state->memory.context;
	state->memory.values_of_part.context = AllocSetContextCreate(
		state->memory.context, "AggregateJoin part", ALLOCSET_DEFAULT_SIZES);
	state->memory.values_of_rows.context = AllocSetContextCreate(
		state->memory.context, "AggregateJoin rows", ALLOCSET_DEFAULT_SIZES);
}

/* Frees all tensors in a ValueMemory. */
static void
empty_values(ValueMemory *memory)
{
	MemoryContextReset(memory->context);
	*memory = (ValueMemory){.context = memory->context};
}

MemoryContext
operands_memory(const TensorOperands *state)
{
	return state->memory.context;
}

MemoryContext
part_memory(const TensorOperands *state)
{
	return state->memory.values_of_part.context;
}

NestMemory *
operands_account(TensorOperands *state)
{
	return &state->memory.accounts;
}

/* Beginning and ending */

/* Registers the operands that may be shared: those that are not divided into parts. */
static void
want_operands(TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
	{
		TensorOperand *operand = &state->operands[o];

		if (operand->child && !(state->plan.parts > 1 && operand->part_key >= 0))
			want_operand(state, operand);
	}
}

TensorOperands *
begin_operands(CustomScanState *node, const OperandsPlan *plan, int eflags)
{
	TensorOperands *state = palloc0(sizeof(TensorOperands));

	state->node = node;
	state->plan = *plan;
	state->estate = node->ss.ps.state;
	state->econtext = node->ss.ps.ps_ExprContext;
	state->eflags = eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK);
	state->stream = plan->stream;
	state->parts.owner = CurrentResourceOwner;
	state->sharing = new_sharing();
	begin_each_operand(state);
	state->kept_operands = find_kept_operands(state->estate);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return state;
	begin_keys(state);
	/* in a parallel query a process only has a part of the rows */
	if (!plan->parallel && !state->keys.forbidden)
		want_operands(state);
	return state;
}

void
begin_reading(TensorOperands *state)
{
	/* the relational plan may have run before a rescan, and the keys been released */
	if (state->keys.ndictionaries == 0)
		begin_keys(state);
	begin_memory(state);
	begin_parts(state, state->plan.parts);
	ResetExprContext(state->econtext);
}

void
forget_operands(TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].kept)
			forget_operand(state, &state->operands[o], false);
	end_parts(state);
	forget_translations(state);
	if (state->memory.context)
		MemoryContextDelete(state->memory.context);
	state->memory.context = NULL;
	state->memory.values_of_all = state->memory.values_of_part =
		state->memory.values_of_rows = (ValueMemory){0};
	state->open = NULL;
	state->differ = state->nothing = state->parts.last_resort = state->committed = false;
	for (int o = 0; o < state->noperands; o++)
	{
		state->operands[o].coordinates = NULL;
		state->operands[o].rows = 0;
	}
	for (int v = 0; v < state->nvalues; v++)
		state->values[v].has_shape = false;
}

void
give_up_operands(TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
		give_up_operand(state->kept_operands, &state->operands[o]);
	end_keys(state);
}

void
end_operands(TensorOperands *state)
{
	ListCell *lc;

	foreach (lc, state->replaced)
		ExecEndNode(lfirst(lc));
}

/* Parts */

bool
part_joins_nothing(const TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
	{
		const TensorOperand *operand = &state->operands[o];

		/* streamed rows have been joined and are no longer in memory */
		if (operand->scan && !operand->optional && !is_streamed(state, operand) &&
			coordinates_count(operand->coordinates) == 0)
			return true;
	}
	return false;
}

bool
find_part(TensorOperands *state)
{
	return state->parts.waiting != NIL || claim_part(state);
}

void
leave_part(TensorOperands *state, bool returned)
{
	state->committed = state->committed || returned;
	state->parts.last_resort = false;
	state->memory.accounts.limit = get_hash_memory_limit() + NEST_BYTES;
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].part_key >= 0 && state->operands[o].coordinates)
			coordinates_clear(state->operands[o].coordinates);
	empty_values(&state->memory.values_of_part);
	state->parts.resident = false;
}

/*
 * Makes the node keep the rows of the streamed operand, and loop over indexes; false if
 * no operand is streamed.
 */
static bool
stop_streaming(TensorOperands *state)
{
	TensorOperand *operand;

	if (state->stream < 0)
		return false;
	operand = &state->operands[state->stream];
	/* read the operand again: the rows that have been joined were not kept */
	if (is_streamed(state, operand))
		forget_operand(state, operand, false);
	empty_values(&state->memory.values_of_rows);
	state->open = NULL;
	state->stream = -1;
	return true;
}

/*
 * Divides the current part, whose indexes or groups do not fit, or allows it more memory;
 * false if neither is possible.
 */
static bool
divide_part(TensorOperands *state)
{
	if (!spill_part(state))
		return take_more_memory(state);
	end_dividing(state);
	return true;
}

/*
 * Releases the shared operands, so that the node reads rows of its own; false if there
 * are none.
 */
static bool
refuse_kept(TensorOperands *state)
{
	bool refused = false;

	for (int o = 0; o < state->noperands; o++)
	{
		TensorOperand *operand = &state->operands[o];

		if (operand->kept == NULL)
			continue;
		forget_operand(state, operand, true);
		refused = true;
	}
	return refused;
}

/* Frees memory in the first way that is left; false if no way is. */
static bool
find_room(TensorOperands *state, bool divisible)
{
	/* loops can return groups one after the other, a stream has all groups in memory */
	if (stop_streaming(state))
		return true;
	/*
	 * rows shared in a query take less memory than a copy for each operand: give them up
	 * last
	 */
	if (end_with_query(state->kept_operands))
		return (divisible && divide_part(state)) || refuse_kept(state);
	return refuse_kept(state) || (divisible && divide_part(state));
}

bool
make_room(TensorOperands *state, bool divisible)
{
	if (!find_room(state, divisible))
		return false;
	CHECK_FOR_INTERRUPTS();
	for (int o = 0; o < state->noperands; o++)
		if (state->operands[o].child && state->operands[o].coordinates == NULL)
			ExecReScan(state->operands[o].child);
	return true;
}

/* Answers */

bool
operands_join_nothing(const TensorOperands *state)
{
	return state->nothing;
}

bool
is_committed(const TensorOperands *state)
{
	return state->committed;
}

bool
values_differ(const TensorOperands *state)
{
	return state->differ;
}

void
find_value(const TensorOperands *state, int value, int *operand, int *column)
{
	*operand = state->values[value].operand;
	*column = state->values[value].column;
}

bool
keys_are_forbidden(const TensorOperands *state)
{
	return state->keys.forbidden;
}

bool
rows_are_streamed(const TensorOperands *state)
{
	return state->stream >= 0 && is_streamed(state, &state->operands[state->stream]);
}

int
operand_to_stream(const TensorOperands *state)
{
	return state->stream >= 0 && !shares_indexes(state, &state->operands[state->stream])
			   ? state->stream
			   : -1;
}

bool
is_divided(const TensorOperands *state)
{
	return state->parts.count > 1 || state->parts.files;
}

int64
spilled_bytes(const TensorOperands *state)
{
	return state->parts.files ? part_files_bytes(state->parts.files) : -1;
}
