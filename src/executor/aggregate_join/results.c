/*-------------------------------------------------------------------------
 *
 * results.c
 *	  The nest of an AggregateJoin, and its groups as rows.
 *
 * Once a row has been returned, the relational plan can no longer take over. So where a
 * later tuple may turn out to be irregular, as when the values of a column differ in
 * shape, all groups are computed and kept before the first is returned.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/aggregate_join/state.h"
#include "executor/integer_keys.h"
#include "parser/syntax.h"
#include "type/tensor_shape.h"

#define DIFFERENT_PARTS "values may differ in shape, in parts"
#define NO_KERNEL "values differ in shape or type"

/*
 * Bytes reserved before a result's elements: enough for the header of a tensor of any
 * rank.
 */
#define RESULT_HEADER TENSOR_HEADER_SIZE(TENSOR_MAX_RANK)

static bool
is_tensor_result(const AggregateJoinState *state, int aggregate)
{
	for (int i = 0; i < state->results.noutputs; i++)
		if (state->results.outputs[i].aggregate == aggregate)
			return state->results.outputs[i].type != FLOAT8OID;
	return false;
}

/* Parses the texts of an aggregate's kernel in the plan: expression and equation. */
static void
read_kernel(AggregateJoinState *state, List *plan, NestAggregate *aggregate)
{
	const char *expression = strVal(list_nth(plan, AGGREGATE_EXPRESSION));
	const char *equation = strVal(list_nth(plan, AGGREGATE_EQUATION));
	List *arguments = list_nth(plan, AGGREGATE_ARGUMENTS);
	NestKernel *kernel = &aggregate->kernel;
	ListCell *lc;

	kernel->strict = intVal(list_nth(plan, AGGREGATE_STRICT)) != 0;
	foreach (lc, arguments)
	{
		int operand;
		int column;

		if (lfirst_int(lc) < 0)
		{
			kernel->arguments[kernel->narguments++] = (NestArgument){
				.kind = NEST_ARGUMENT_COMPUTED, .operand = -1 - lfirst_int(lc)};
			continue;
		}
		find_value(state->operands, lfirst_int(lc), &operand, &column);
		kernel->arguments[kernel->narguments++] = (NestArgument){
			.kind = NEST_ARGUMENT_VALUE, .operand = operand, .column = column};
	}
	if (*expression)
	{
		MapProgram *program = palloc(sizeof(MapProgram));

		parse_map_expression(expression, program);
		kernel->program = program;
	}
	if (*equation)
	{
		Equation *parsed = palloc(sizeof(Equation));

		parse_equation(equation, kernel->narguments, parsed);
		kernel->equation = parsed;
	}
}

/*
 * Reads from the plan of a stack where its values go, and its fill. Returns NULL, or why
 * the relational plan has to run.
 */
static const char *
read_stack(AggregateJoinState *state, List *plan, ExprState *fill_state,
		   NestAggregate *aggregate)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;
	Node *fill = list_nth(plan, 3);

	aggregate->dimension = (int) DatumGetInt64(((Const *) list_nth(plan, 0))->constvalue);
	aggregate->bound = DatumGetInt64(((Const *) list_nth(plan, 1))->constvalue);
	aggregate->position = DatumGetInt64(((Const *) list_nth(plan, 2))->constvalue);
	for (int l = 0; l < state->grouping.nlabels; l++)
		aggregate->multipliers[l] =
			DatumGetInt64(((Const *) list_nth(plan, 4 + l))->constvalue);
	if (fill)
	{
		bool isnull;
		Datum datum;

		ResetExprContext(econtext);
		datum = ExecEvalExprSwitchContext(fill_state, econtext, &isnull);
		if (isnull)
			return "a fill is NULL";
		if (exprType(fill) == FLOAT8OID)
			aggregate->fill = DatumGetFloat8(datum);
		else
		{
			const Tensor *tensor = DatumGetDenseTensor(datum);

			if (tensor->rank != 0)
				return "a fill is no number";
			aggregate->fill = tensor_number(tensor);
			aggregate->fill_type = (ElementType) tensor->type;
		}
	}
	return NULL;
}

/*
 * May a later group be irregular, after others have been computed? The shapes of later
 * parts are not known yet.
 */
static bool
may_be_irregular(const AggregateJoinState *state, const NestDescription *description)
{
	bool computes = false;

	for (int i = 0; i < description->naggregates; i++)
	{
		if (description->aggregates[i].kind == NEST_STACK)
			return true;
		computes = computes || description->aggregates[i].kind != NEST_TAKE;
	}
	return values_differ(state->operands) && computes &&
		   (is_divided(state->operands) || !nest_shapes_are_regular(description));
}

const char *
make_nest(AggregateJoinState *state)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	NestDescription *description = palloc0(sizeof(NestDescription));
	const char *reason = describe_operands(state->operands, description);
	ListCell *lc;

	if (reason)
		return reason;
	description->nlabels = state->grouping.nlabels;
	description->noutput = state->grouping.ngroups;
	memcpy(description->output, state->grouping.groups, state->grouping.ngroups);
	description->each_tuple = state->grouping.each_tuple;
	description->most_bytes = MaxAllocSize - RESULT_HEADER;
	foreach (lc, (List *) list_nth(scan->custom_private, JOIN_PRIVATE_AGGREGATES))
	{
		List *plan = lfirst(lc);
		int kind = intVal(list_nth(plan, AGGREGATE_KIND));
		NestAggregate *aggregate;

		if (kind == AGGREGATE_COUNT)
			continue;
		aggregate = &description->aggregates[description->naggregates];
		aggregate->kind = (NestAggregateKind) kind;
		aggregate->reduction = (Reduction) intVal(list_nth(plan, AGGREGATE_REDUCTION));
		read_kernel(state, plan, aggregate);
		if (is_tensor_result(state, description->naggregates))
			aggregate->header = RESULT_HEADER;
		description->naggregates++;
		if (kind == NEST_STACK)
			reason = read_stack(state, list_nth(plan, AGGREGATE_STACK),
								state->grouping.stack_fills[foreach_current_index(lc)],
								aggregate);
		if (reason)
			return reason;
	}
	/* streamed rows have all been joined before the first group is returned */
	state->results.keeps_groups =
		!rows_are_streamed(state->operands) && may_be_irregular(state, description);
	if (state->results.keeps_groups && is_divided(state->operands))
		return DIFFERENT_PARTS;
	if (state->results.keeps_groups)
		description->results = operands_account(state->operands);
	state->nest = nest_new(operands_account(state->operands), description);
	return NULL;
}

/* Why a nest with this status cannot continue; NULL if it can. */
static const char *
reason_of(NestStatus status)
{
	switch (status)
	{
		case NEST_DONE:
		case NEST_GROUPS:
			return NULL;
		case NEST_NO_MEMORY:
			return NO_MEMORY;
		case NEST_MISMATCH:
			return NO_KERNEL;
		case NEST_REPEATED:
			return "positions of a stack are repeated or out of its bound";
	}
	return NULL;
}

/* Do the aggregates have the types that the query expects? */
static bool
has_expected_types(const AggregateJoinState *state)
{
	for (int i = 0; i < state->results.noutputs; i++)
	{
		ElementType type;
		int aggregate = state->results.outputs[i].aggregate;

		/* values that are not numbers keep their types */
		if (aggregate < 0 || state->results.outputs[i].type != FLOAT8OID)
			continue;
		/*
		 * the query expects float8; other types are rare, or errors, and left to the
		 * relational plan
		 */
		if (nest_result_type(state->nest, aggregate, &type) || type != ELEMENT_FLOAT8)
			return false;
	}
	return true;
}

/*
 * Copies groups that the nest overwrites when it computes the next; NULL if out of
 * memory.
 */
static JoinBatch *
copy_groups(AggregateJoinState *state, const NestGroups *groups)
{
	NestMemory *account = operands_account(state->operands);
	JoinBatch *batch = palloc0(sizeof(JoinBatch));
	Size count = groups->count;
	Size bytes = sizeof(JoinBatch) +
				 count * sizeof(int64) *
					 (state->grouping.ngroups + 1 + 2 * state->grouping.naggregates);

	if (account->used + bytes > account->limit)
		return NULL;
	account->used += bytes;
	batch->groups.count = groups->count;
	for (int k = 0; k < state->grouping.ngroups; k++)
	{
		int64 *keys = palloc_extended(count * sizeof(int64), MCXT_ALLOC_HUGE);

		memcpy(keys, groups->keys[k], count * sizeof(int64));
		batch->groups.keys[k] = keys;
	}
	if (groups->tuples)
	{
		int64 *tuples = palloc_extended(count * sizeof(int64), MCXT_ALLOC_HUGE);

		memcpy(tuples, groups->tuples, count * sizeof(int64));
		batch->groups.tuples = tuples;
	}
	for (int a = 0; a < state->grouping.naggregates; a++)
	{
		ElementType type;
		Size size =
			nest_result_type(state->nest, a, &type) ? sizeof(void *) : element_size(type);
		char *results;

		if (groups->results[a] == NULL)
			continue;
		results = palloc_extended(count * size, MCXT_ALLOC_HUGE);
		memcpy(results, groups->results[a], count * size);
		batch->groups.results[a] = results;
		if (groups->shapes[a])
		{
			int32 *shapes = palloc_extended(count * sizeof(int32), MCXT_ALLOC_HUGE);

			memcpy(shapes, groups->shapes[a], count * sizeof(int32));
			batch->groups.shapes[a] = shapes;
		}
	}
	return batch;
}

/*
 * Prepares a nest to stream one operand's rows, if an operand may be streamed, else to
 * run loops over indexes. Returns NULL, or why the relational plan has to run.
 */
static const char *
prepare_nest(AggregateJoinState *state)
{
	NestStatus status = NEST_REPEATED;
	int stream = operand_to_stream(state->operands);

	if (stream >= 0)
		status = nest_prepare_stream(state->nest, stream);
	if (status == NEST_REPEATED && rows_are_streamed(state->operands))
		return SEVERAL_ROWS;
	if (status == NEST_REPEATED)
		status = nest_prepare(state->nest, NULL);
	if (status != NEST_DONE)
		return reason_of(status);
	return has_expected_types(state) ? NULL : NO_KERNEL;
}

const char *
join_streamed_rows(CustomScanState *node, bool *enough)
{
	AggregateJoinState *state = (AggregateJoinState *) node;
	const char *reason = NULL;
	NestStatus status;
	MemoryContext old;

	if (state->nest == NULL)
	{
		reason = read_all_constants(state->operands);
		old = MemoryContextSwitchTo(part_memory(state->operands));
		if (reason == NULL)
			reason = make_nest(state);
		if (reason == NULL)
			reason = prepare_nest(state);
		MemoryContextSwitchTo(old);
	}
	*enough = false;
	if (reason)
		return reason;
	status = nest_stream_rows(state->nest);
	*enough = status == NEST_GROUPS;
	return reason_of(status);
}

/*
 * Computes the next groups; of an ordered stream, whose reading was interrupted for the
 * last ones, after reading further rows.
 */
static NestStatus
next_groups(AggregateJoinState *state)
{
	if (!stream_is_open(state->operands))
		nest_end_stream(state->nest);
	return nest_next(state->nest, &state->results.batch);
}

/* Reads further rows of a stream until there are groups to return, or no more rows. */
static void
read_on(AggregateJoinState *state)
{
	/* scans allocate what they need until their end */
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	const char *reason = continue_stream(state->operands);

	MemoryContextSwitchTo(old);
	/* numbers that come in columns are regular, and few groups always have room */
	if (reason)
		elog(ERROR, "a stream of numbers stopped: %s", reason);
}

const char *
run_nest(AggregateJoinState *state)
{
	JoinBatch **last = &state->results.batches;
	const char *reason = rows_are_streamed(state->operands) ? NULL : prepare_nest(state);

	if (reason)
		return reason;
	state->status = next_groups(state);
	while (state->results.keeps_groups && state->status == NEST_GROUPS)
	{
		CHECK_FOR_INTERRUPTS();
		*last = copy_groups(state, &state->results.batch);
		if (*last == NULL)
			return NO_MEMORY;
		last = &(*last)->next;
		state->status = nest_next(state->nest, &state->results.batch);
	}
	state->results.has_batch = !state->results.keeps_groups;
	if (!state->results.has_batch)
		state->results.batch.count = 0;
	/*
	 * at the end of an empty batch: next_batch begins the first one, and counts its rows
	 */
	state->results.next = state->results.batch.count;
	return reason_of(state->status);
}

/* Rows */

/* Begins the next batch of groups; false behind the last. */
static bool
next_batch(AggregateJoinState *state)
{
	state->results.next = 0;
	if (state->results.keeps_groups)
	{
		state->results.kept =
			state->results.kept ? state->results.kept->next : state->results.batches;
		if (state->results.kept)
			state->results.batch = state->results.kept->groups;
		return state->results.kept != NULL;
	}
	if (!state->results.has_batch)
	{
		if (stream_is_open(state->operands))
			read_on(state);
		state->status = next_groups(state);
	}
	state->results.has_batch = false;
	if (reason_of(state->status))
		elog(ERROR, "a loop nest over regular values stopped: %s",
			 reason_of(state->status));
	return state->status == NEST_GROUPS;
}

void
rewind_groups(AggregateJoinState *state)
{
	state->results.returned = false;
	state->results.exhausted = state->results.empty;
	state->results.next = state->results.batch.count = 0;
	state->results.kept = NULL;
	if (!state->results.empty && !state->results.keeps_groups)
	{
		nest_rewind(state->nest);
		state->results.has_batch = false;
	}
}

/* Makes a tensor in place of elements that have room for its header before them. */
static Datum
tensor_of_elements(char *elements, const TensorView *shape)
{
	Tensor *tensor = (Tensor *) (elements - TENSOR_HEADER_SIZE(shape->rank));

	tensor_write_header(tensor, shape->type, shape->rank, shape->bounds);
	return PointerGetDatum(tensor);
}

static Datum
result_datum(AggregateJoinState *state, const JoinOutput *output, int64 group)
{
	int aggregate = output->aggregate;
	const void *results = state->results.batch.results[aggregate];
	const int32 *shapes = state->results.batch.shapes[aggregate];
	ElementType type;

	if (nest_result_type(state->nest, aggregate, &type))
		return tensor_of_elements(
			((char *const *) results)[group],
			nest_result_shape(state->nest, aggregate, shapes ? shapes[group] : 0));
	if (output->type == FLOAT8OID)
		return Float8GetDatum(((const double *) results)[group]);
	if (output->type == FLOAT4OID)
		return Float4GetDatum(((const float *) results)[group]);
	else
	{
		/* a tensor of rank 0 */
		Tensor *tensor;
		MemoryContext old =
			MemoryContextSwitchTo(state->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);

		tensor = tensor_new(type, 0, NULL);
		memcpy(tensor_elements(tensor),
			   (const char *) results + group * element_size(type), element_size(type));
		MemoryContextSwitchTo(old);
		return PointerGetDatum(tensor);
	}
}

/*
 * Stores the only row of aggregates over no tuples in the slot; false if it was returned.
 */
static bool
row_of_nothing(AggregateJoinState *state, TupleTableSlot *slot)
{
	if (state->grouping.grouped || state->results.returned)
		return false;
	state->results.returned = true;
	for (int i = 0; i < state->results.noutputs; i++)
	{
		bool count = state->results.outputs[i].aggregate < 0;

		slot->tts_values[i] = count ? Int64GetDatum(0) : (Datum) 0;
		slot->tts_isnull[i] = !count;
	}
	return true;
}

bool
go_to_groups(AggregateJoinState *state)
{
	while (!state->results.exhausted && state->results.next >= state->results.batch.count)
		state->results.exhausted = !next_batch(state);
	return !state->results.exhausted;
}

bool
groups_are_columns(const AggregateJoinState *state)
{
	if (!state->grouping.grouped || state->results.noutputs > MOST_COLUMNS)
		return false;
	for (int i = 0; i < state->results.noutputs; i++)
	{
		const JoinOutput *output = &state->results.outputs[i];

		if (output->dictionary ||
			(output->key < 0 && output->aggregate >= 0 && output->type != FLOAT8OID))
			return false;
	}
	return true;
}

void
take_groups(AggregateJoinState *state, ColumnRows *rows)
{
	const NestGroups *groups = &state->results.batch;

	rows->count = groups->count - state->results.next;
	for (int i = 0; i < state->results.noutputs; i++)
	{
		const JoinOutput *output = &state->results.outputs[i];

		rows->keys[i] = NULL;
		rows->numbers[i] = NULL;
		if (output->key >= 0)
			rows->keys[i] = groups->keys[output->key] + state->results.next;
		else if (output->aggregate < 0)
			rows->keys[i] = groups->tuples + state->results.next;
		else
			rows->numbers[i] =
				(const double *) groups->results[output->aggregate] + state->results.next;
	}
	state->results.next = groups->count;
	state->results.returned = true;
}

bool
next_group(AggregateJoinState *state, TupleTableSlot *slot)
{
	int64 group;

	ExecClearTuple(slot);
	if (!go_to_groups(state))
	{
		if (!row_of_nothing(state, slot))
			return false;
		ExecStoreVirtualTuple(slot);
		return true;
	}
	state->results.returned = true;
	group = state->results.next++;
	for (int i = 0; i < state->results.noutputs; i++)
	{
		const JoinOutput *output = &state->results.outputs[i];

		slot->tts_isnull[i] = false;
		if (output->dictionary)
			slot->tts_values[i] = dictionary_key(
				output->dictionary, state->results.batch.keys[output->key][group]);
		else if (output->key >= 0)
			slot->tts_values[i] = integer_datum(
				state->results.batch.keys[output->key][group], output->type);
		else if (output->aggregate < 0)
			slot->tts_values[i] = Int64GetDatum(state->results.batch.tuples[group]);
		else
			slot->tts_values[i] = result_datum(state, output, group);
	}
	ExecStoreVirtualTuple(slot);
	return true;
}
