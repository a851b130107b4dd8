/*-------------------------------------------------------------------------
 *
 * changes.c
 *	  States of which a round changes some entries, and leaves the others.
 *
 * The cost of a round should depend on what changes: for a search in a graph, on its
 * frontier and not on all nodes that it has met. A statement has the form
 *
 *	  state' = f(state, change)
 *
 * where f is a sum, a product, greatest or least, and the change's fill leaves the state
 * as it is: 0, 1, -infinity or infinity. The round then computes the change in place of
 * the state, whose other entries stay. The state's rows are found by their keys
 * (executor/memory_rows): by this file, which applies f, and by queries that join them
 * with fewer rows.
 *
 * That pays where few entries change. A state that is one dense value, or has few
 * entries, is computed as a whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "algebra/delta.h"
#include "catalog/entry_value.h"
#include "catalog/tensor_storage.h"
#include "expr/walk.h"
#include "iterate/changes.h"
#include "iterate/plan.h"
#include "kernels/function.h"
#include "optimizer/settings.h"
#include "recursion.h"

/*
 * A round that changes a larger share of a state's entries had better compute all of
 * them.
 */
#define MOST_CHANGED (1.0 / 4.0)

/* New values of a state's entries: one for each row of changes that a round computed. */
struct NewEntries
{
	MemoryRows *computed;
	double *values;
};

/* The form of statements */

ProgramTensor *
state_read(const Program *program, const LoopState *state)
{
	ListCell *lc;

	foreach (lc, program->states)
	{
		ProgramTensor *tensor = lfirst(lc);

		if (tensor->entry == &state->entry)
			return tensor;
	}
	elog(ERROR, "state \"%s\" is not known to the step", state->name);
}

TensorExpr *
change_of_state(Program *program, const Statement *statement, const LoopState *state,
				FunctionId *function)
{
	const TensorExpr *own =
		expr_access(program, state_read(program, state), statement->output, -1);

	return change_of_own(program, statement, own,
						 !state->negative && creal(state->entry.fill) >= 0, function);
}

static Walk
find_tensor(const TensorExpr *expr, void *tensor)
{
	return expr->kind == EXPR_ACCESS &&
				   (expr->tensor == tensor || expr->tensor->shifted == tensor)
			   ? WALK_END
			   : WALK_BELOW;
}

/* Is the statement's result shown, tested by until, or read by a statement? */
static bool
is_read(const Program *program, const Statement *statement, const LoopEnd *end)
{
	ListCell *lc;

	if (statement->number == end->left || statement->number == end->condition)
		return true;
	foreach (lc, program->statements)
		if (walk_expr(((const Statement *) lfirst(lc))->expr, find_tensor,
					  statement->target))
			return true;
	return false;
}

bool
can_be_indexed(const LoopState *state)
{
	return can_index_rows(state->rows, &state->place, state->counts.rows);
}

static bool
may_write_changes(const LoopState *state)
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
		   !state->changes && may_write_changes(state);
}

/*
 * Makes statements compute the change of a state in place of the state, where that is
 * possible. False if no statement was changed.
 */
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
			change = change_of_state(program, statement, state, &state->change);
			if (change == NULL)
				continue;
			state->few_entries = state->counts.entries < LEAST_ENTRIES;
			if (!may_write_changes(state))
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

void
place_states(Loop *loop)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];

		/* the next planning decides this again */
		state->many_changes = false;
		if (state->rows == NULL || state->rows->memory == NULL ||
			state->changes == rows_are_indexed(state->rows->memory))
			continue;
		if (state->changes)
			index_rows(state->rows, &state->place);
		else
			drop_row_index(state->rows->memory);
	}
}

/* Changes */

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

/* Keys of a row. */
static void
get_keys(const ColumnRows *rows, int64 row, int nkeys, int64 *keys)
{
	for (int k = 0; k < nkeys; k++)
		keys[k] = rows->keys[k][row];
}

void
find_new_entries(LoopState *state, Rows *computed, RowCounts *counts)
{
	MemoryRows *rows = state->rows->memory;
	int nkeys = rows->nkeys;
	NewEntries *entries = palloc(sizeof(NewEntries));
	double (*apply)(const double *args) = pointwise_functions[state->change].scalar;
	double row_bytes = sizeof(double);
	int64 n = 0;
	MemoryRowReader reader;
	ColumnRows changes;

	for (int k = 0; k < nkeys; k++)
		row_bytes += get_typavgwidth(rows->key_types[k], -1);
	entries->computed = computed->memory;
	entries->values = MemoryContextAllocHuge(
		CurrentMemoryContext, sizeof(double) * (count_memory_rows(computed->memory) + 1));
	state->new_entries = entries;
	*counts = state->counts;
	begin_row_reader(&reader, computed->memory);
	while (read_memory_rows(&reader, &changes))
		for (int64 i = 0; i < changes.count; i++)
		{
			int64 keys[TENSOR_MAX_RANK];
			const double *old;
			double args[2];

			get_keys(&changes, i, nkeys, keys);
			old = find_memory_row(rows, keys);
			args[0] = old ? *old : creal(state->entry.fill);
			args[1] = changes.numbers[nkeys][i];
			entries->values[n] = apply(args);
			count_number(state, counts, args[0], -1);
			count_number(state, counts, entries->values[n++], 1);
		}
	end_row_reader(&reader);
	counts->bytes = counts->rows * row_bytes;
	/* each new entry may have a new index in every label, and no index disappears */
	for (int d = 0; d < nkeys; d++)
		counts->values[d] = Min(counts->rows, counts->values[d] + (double) n);
	state->many_changes = are_many(state, (double) n);
}

void
change_state(LoopState *state)
{
	MemoryRows *rows = state->rows->memory;
	const NewEntries *entries = state->new_entries;
	int64 n = 0;
	MemoryRowReader reader;
	ColumnRows changes;

	begin_row_reader(&reader, entries->computed);
	while (read_memory_rows(&reader, &changes))
		for (int64 i = 0; i < changes.count; i++, n++)
		{
			int64 keys[TENSOR_MAX_RANK];

			get_keys(&changes, i, rows->nkeys, keys);
			if (is_fill(entries->values[n], 0.0, state->entry.fill))
				remove_memory_row(rows, keys);
			else
				put_memory_row(rows, keys, entries->values[n]);
		}
	end_row_reader(&reader);
	state->new_entries = NULL;
	state->rows->relation.md.enrtuples = (double) rows->count;
	state->many_changes = state->many_changes || !can_be_indexed(state);
}
