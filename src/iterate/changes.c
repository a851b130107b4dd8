/*-------------------------------------------------------------------------
 *
 * changes.c
 *	  States of which a round changes some entries, and leaves the others.
 *
 * A round costs what its work costs: that of a search over a graph is its frontier, and not
 * all nodes that it has met. A statement has the form
 *
 *	  state' = f(state, change)
 *
 * with f a sum, a product, greatest or least, and a change whose fill is what f leaves the state with,
 * 0, 1, -infinity or infinity. Then the round computes the change in place of the state, all of whose other
 * entries stay. The state's rows are found by their keys (executor/indexed_rows), by
 * this file, which applies f, and by queries that join them with what is smaller.
 *
 * That pays where few entries change. Of a state that is a vector, or small, all is made anew.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "commands/defrem.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/entry_value.h"
#include "catalog/tensor_storage.h"
#include "executor/integer_keys.h"
#include "iterate/changes.h"
#include "iterate/plan.h"
#include "kernels/function.h"
#include "optimizer/settings.h"

/* Changes of so many of a state's entries take as long as making all of them. */
#define MOST_CHANGED (1.0 / 4.0)

/* Entries that a round gives a state. */
struct NewEntries
{
	int64 count;
	int64 size;
	int64 *keys;
	double *values;
};

/* The form of statements */

double
neutral_value(FunctionId function)
{
	switch (function)
	{
		case FUNCTION_ADD:
			return 0.0;
		case FUNCTION_MULTIPLY:
			return 1.0;
		case FUNCTION_GREATEST:
			return -INFINITY;
		case FUNCTION_LEAST:
			return INFINITY;
		default:
			return NAN;
	}
}

/* Is it the state as the round found it, each entry at its own place? */
static bool
is_state_itself(const TensorExpr *expr, const Statement *statement,
				const LoopState *state)
{
	return expr->kind == EXPR_ACCESS && expr->tensor->is_state &&
		   expr->tensor->entry == &state->entry &&
		   memcmp(expr->indices, statement->output, sizeof(int) * statement->noutput) ==
			   0;
}

/*
 * Is it a function of the state and of something else, which is left then? Nothing is left of
 * the state itself.
 */
static bool
take_out_state(Program *program, const Statement *statement, const LoopState *state,
			   TensorExpr *expr, FunctionId function, TensorExpr **left)
{
	bool difference = expr_is_map(expr, FUNCTION_SUBTRACT);
	TensorExpr *rest;

	check_stack_depth();
	*left = NULL;
	if (is_state_itself(expr, statement, state))
		return true;
	if (!expr_is_map(expr, function) && !(function == FUNCTION_ADD && difference))
		return false;
	if (take_out_state(program, statement, state, expr->args[0], function, &rest))
	{
		if (rest)
			*left = expr_map2(program, expr->function, rest, expr->args[1]);
		else
			*left = difference ? expr_map1(program, FUNCTION_NEGATE, expr->args[1])
							   : expr->args[1];
		return true;
	}
	if (difference ||
		!take_out_state(program, statement, state, expr->args[1], function, &rest))
		return false;
	*left = rest ? expr_map2(program, function, expr->args[0], rest) : expr->args[0];
	return true;
}

/* Does a change of that value leave each entry of the state as it is? greatest only makes them greater. */
static bool
leaves_state(const LoopState *state, FunctionId function, Number value)
{
	return same_number(value, neutral_value(function)) ||
		   (function == FUNCTION_GREATEST && same_number(value, 0.0) &&
			!state->negative && creal(state->entry.fill) >= 0);
}

/* A change whose fill is the function's neutral value. */
static TensorExpr *
with_neutral_fill(Program *program, TensorExpr *change, FunctionId function)
{
	TensorExpr *args[3];

	if (same_number(change->fill, neutral_value(function)))
		return change;
	args[0] =
		expr_map2(program, FUNCTION_LE, change, expr_literal(program, change->fill, -1));
	args[1] = expr_literal(program, neutral_value(function), -1);
	args[2] = change;
	return expr_map(program, FUNCTION_IF, args, change->location);
}

TensorExpr *
find_change(Program *program, const Statement *statement, const LoopState *state,
			FunctionId *function)
{
	TensorExpr *expr = statement->expr;
	TensorExpr *change;
	Bitmapset *labels = NULL;

	if (expr->kind != EXPR_MAP)
		return NULL;
	*function =
		expr->function == FUNCTION_SUBTRACT ? FUNCTION_ADD : (FunctionId) expr->function;
	if (isnan(neutral_value(*function)) ||
		!take_out_state(program, statement, state, expr, *function, &change))
		return NULL;
	change = expr_convert(program, change, ELEMENT_FLOAT8);
	for (int d = 0; d < statement->noutput; d++)
		labels = bms_add_member(labels, statement->output[d]);
	/* without a label it is the same for all its indices */
	if (!bms_equal(change->labels, labels) ||
		!leaves_state(state, *function, change->fill))
		return NULL;
	return change;
}

static bool
reads(const TensorExpr *expr, const ProgramTensor *tensor)
{
	check_stack_depth();
	if (expr->kind == EXPR_ACCESS &&
		(expr->tensor == tensor || expr->tensor->shifted == tensor))
		return true;
	for (int i = 0; i < expr->nargs; i++)
		if (reads(expr->args[i], tensor))
			return true;
	return false;
}

/* Does until ask for what the statement makes? */
static bool
is_read(const Program *program, const Statement *statement, const LoopEnd *end)
{
	ListCell *lc;

	if (statement->number == end->left || statement->number == end->condition)
		return true;
	foreach (lc, program->statements)
		if (reads(((const Statement *) lfirst(lc))->expr, statement->target))
			return true;
	return false;
}

bool
can_be_indexed(const LoopState *state)
{
	const Storage *place = &state->place;

	if (place->rank == 0 || storage_has_tensors(place))
		return false;
	for (int d = 0; d < place->rank; d++)
	{
		Oid type = place->dimensions[d].key_type;

		if (type != INT2OID && type != INT4OID && type != INT8OID)
			return false;
	}
	return indexed_rows_bytes(place->rank, state->counts.rows) <=
		   (double) get_hash_memory_limit();
}

static bool
may_change(const LoopState *state)
{
	if (enable_state_changes == NODES_OFF || state->many_changes ||
		!can_be_indexed(state))
		return false;
	return enable_state_changes == NODES_FORCE || state->counts.entries >= LEAST_ENTRIES;
}

bool
may_change_now(const LoopState *state)
{
	return state->few_entries && state->counts.entries >= LEAST_ENTRIES &&
		   !state->changes && may_change(state);
}

/* Has statements make changes in place of states, where they may. False if none does. */
static bool
find_changes(Loop *loop, Program *program, const LoopEnd *end)
{
	bool found = false;
	ListCell *lc;

	foreach (lc, program->statements)
	{
		Statement *statement = lfirst(lc);

		for (int s = 0; s < loop->nstates; s++)
		{
			LoopState *state = &loop->states[s];
			TensorExpr *change;

			if (strcmp(statement->target->name, state->name) != 0)
				continue;
			state->changes = state->few_entries = false;
			if (is_read(program, statement, end))
				continue;
			change = find_change(program, statement, state, &state->change);
			if (change == NULL)
				continue;
			state->few_entries = state->counts.entries < LEAST_ENTRIES;
			if (!may_change(state))
				continue;
			statement->expr = with_neutral_fill(program, change, state->change);
			statement->target->fill = statement->expr->fill;
			state->changes = found = true;
		}
	}
	return found;
}

static bool
are_many(const LoopState *state, double changed)
{
	return enable_state_changes != NODES_FORCE &&
		   changed > Max(state->counts.entries, LEAST_ENTRIES) * MOST_CHANGED;
}

ProgramPlan *
plan_changes(Loop *loop, LoopEnd *end)
{
	for (;;)
	{
		Program *program = loop_step(loop, end);
		bool changes = find_changes(loop, program, end);
		ProgramPlan *plan = plan_in_loop(loop, program);
		bool many = false;
		ListCell *lc;

		foreach (lc, changes ? plan->graph->stages : NIL)
		{
			const Stage *stage = lfirst(lc);
			LoopState *state = state_of_stage(loop, stage);

			if (state == NULL || !state->changes)
				continue;
			state->many_changes = are_many(state, stage->statistics->entries);
			many = many || state->many_changes;
		}
		if (!many)
			return plan;
		CHECK_FOR_INTERRUPTS();
	}
}

/* Places */

static void
put_row(LoopState *state, TupleTableSlot *slot)
{
	int64 keys[TENSOR_MAX_RANK];

	slot_getallattrs(slot);
	for (int k = 0; k < state->place.rank; k++)
		keys[k] = integer_key(slot->tts_values[k], state->indexed->key_types[k]);
	put_indexed_row(state->indexed, keys,
					DatumGetFloat8(slot->tts_values[state->place.rank]));
}

/* Calls a function for each of the rows in memory. */
static void
for_each_row(LoopState *state, const Rows *rows,
			 void (*function)(LoopState *state, TupleTableSlot *slot))
{
	Tuplestorestate *store = rows->relation.reldata;
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(rows->relation.md.tupdesc, &TTSOpsMinimalTuple);

	tuplestore_select_read_pointer(store, 0);
	tuplestore_rescan(store);
	while (tuplestore_gettupleslot(store, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		function(state, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
}

/* Names that no other rows of this process have, so that the planner knows them by these. */
static void
index_state(Loop *loop, LoopState *state)
{
	static uint32 number = 0;
	MemoryContext old;

	if (state->indexed)
		return;
	old = MemoryContextSwitchTo(loop->memory);
	/* not longer than queries can have it */
	state->indexed =
		open_indexed_rows(makeObjectName(state->name, NULL, psprintf("@+%u", ++number)),
						  state_columns(state));
	MemoryContextSwitchTo(old);
	for_each_row(state, state->rows, put_row);
	unregister_rows(state->rows);
	clear_rows(state->rows);
	if (SPI_register_relation(&state->indexed->relation) != SPI_OK_REL_REGISTER)
		elog(ERROR, "rows \"%s\" could not be registered",
			 state->indexed->relation.md.name);
	state->place.ephemeral = state->indexed->relation.md.name;
}

void
drop_index(LoopState *state)
{
	if (state->indexed)
		close_indexed_rows(state->indexed);
	state->indexed = NULL;
}

/* Has a state's rows in a tuplestore again. */
static void
unindex_state(const Loop *loop, LoopState *state)
{
	const IndexedRows *indexed = state->indexed;
	Tuplestorestate *store;
	TupleDesc columns = state->rows->relation.md.tupdesc;
	Datum values[TENSOR_MAX_RANK + 1];
	bool nulls[TENSOR_MAX_RANK + 1] = {0};
	MemoryContext old;

	old = MemoryContextSwitchTo(GetMemoryChunkContext(state->rows));
	clear_rows(state->rows);
	state->rows->relation.reldata = store =
		tuplestore_begin_heap(false, loop->request->across, work_mem);
	MemoryContextSwitchTo(old);
	for (int64 row = 0; row < indexed->count; row++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int k = 0; k < indexed->nkeys; k++)
			values[k] = integer_datum(indexed->keys[row * indexed->nkeys + k],
									  indexed->key_types[k]);
		values[indexed->nkeys] = Float8GetDatum(indexed->values[row]);
		tuplestore_putvalues(store, columns, values, nulls);
	}
	state->rows->relation.md.enrtuples = (double) indexed->count;
	register_rows(state->rows);
	SPI_unregister_relation(indexed->relation.md.name);
	state->place.ephemeral = state->rows->relation.md.name;
	drop_index(state);
}

void
place_states(Loop *loop)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];

		/* it is asked again when the step is planned the next time */
		state->many_changes = false;
		if (state->changes)
			index_state(loop, state);
		else if (state->indexed)
			unindex_state(loop, state);
	}
}

/* Changes */

static void
put_new_entry(LoopState *state, TupleTableSlot *slot)
{
	NewEntries *entries = state->new_entries;
	int nkeys = state->indexed->nkeys;

	slot_getallattrs(slot);
	for (int k = 0; k < nkeys; k++)
		entries->keys[entries->count * nkeys + k] =
			integer_key(slot->tts_values[k], state->indexed->key_types[k]);
	entries->values[entries->count++] = DatumGetFloat8(slot->tts_values[nkeys]);
}

static void
count_number(const LoopState *state, RowCounts *counts, double value, int sign)
{
	if (is_fill(value, 0.0, state->entry.fill))
		return;
	counts->rows += sign;
	counts->entries += sign;
	if (isnan(value))
		counts->nans += sign;
	else if (isinf(value))
		counts->infinite += sign;
}

void
find_new_entries(LoopState *state, Rows *computed, RowCounts *counts)
{
	IndexedRows *indexed = state->indexed;
	NewEntries *entries = palloc0(sizeof(NewEntries));
	int64 most = (int64) counts->rows;
	double (*apply)(const double *args) = pointwise_functions[state->change].scalar;
	double row_bytes = sizeof(double);

	for (int k = 0; k < indexed->nkeys; k++)
		row_bytes += get_typavgwidth(indexed->key_types[k], -1);
	entries->keys = MemoryContextAllocHuge(CurrentMemoryContext,
										   sizeof(int64) * indexed->nkeys * (most + 1));
	entries->values =
		MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * (most + 1));
	state->new_entries = entries;
	for_each_row(state, computed, put_new_entry);
	*counts = state->counts;
	for (int64 e = 0; e < entries->count; e++)
	{
		const double *old = find_indexed_row(indexed, &entries->keys[e * indexed->nkeys]);
		double args[] = {old ? *old : creal(state->entry.fill), entries->values[e]};

		entries->values[e] = apply(args);
		count_number(state, counts, args[0], -1);
		count_number(state, counts, entries->values[e], 1);
	}
	counts->bytes = counts->rows * row_bytes;
	/* an index that is new may be one of each label, and none that has been there goes */
	for (int d = 0; d < indexed->nkeys; d++)
		counts->values[d] =
			Min(counts->rows, counts->values[d] + (double) entries->count);
	state->many_changes = are_many(state, (double) entries->count);
}

void
change_state(LoopState *state)
{
	const NewEntries *entries = state->new_entries;
	int nkeys = state->indexed->nkeys;

	for (int64 e = 0; e < entries->count; e++)
	{
		const int64 *keys = &entries->keys[e * nkeys];

		if (is_fill(entries->values[e], 0.0, state->entry.fill))
			remove_indexed_row(state->indexed, keys);
		else
			put_indexed_row(state->indexed, keys, entries->values[e]);
	}
	state->new_entries = NULL;
	state->many_changes = state->many_changes || !can_be_indexed(state);
}
