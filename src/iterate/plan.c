/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  Plans of a loop's programs, and the decompositions in which rounds have states.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/origin.h"
#include "catalog/tensor_storage.h"
#include "codegen/source.h"
#include "compat.h"
#include "iterate/frontier.h"
#include "iterate/plan.h"
#include "type/extension.h"

static bool
has_tensors(const ProgramTensor *tensor, const Decomposition *shape)
{
	return shape->promoted != (1u << tensor->rank) - 1 || tensor->type != ELEMENT_FLOAT8;
}

Oid
loop_key_type(int64 bound, Oid open)
{
	if (bound_is_open(bound))
		return getBaseType(open);
	return bound_key_type(bound);
}

void
describe_result(Storage *result, const ProgramTensor *tensor, const char *const *labels,
				const Decomposition *shape)
{
	memset(result, 0, sizeof(Storage));
	result->tensor = tensor->name;
	result->rank = tensor->rank;
	for (int d = 0; d < tensor->rank; d++)
	{
		StorageDimension *dimension = &result->dimensions[d];

		dimension->label = unconstify(char *, labels[d]);
		dimension->bound = tensor->bounds[d];
		dimension->kind = DIMENSION_DEMOTED;
		if (!(keys_of(shape) & (1u << d)))
			continue;
		dimension->kind = DIMENSION_PROMOTED;
		if (shape->blocked & (1u << d))
		{
			dimension->kind = DIMENSION_BLOCKED;
			dimension->block = shape->block[d];
		}
		dimension->column = psprintf("d%d", d);
		/* blocks of a dimension's keys are numbered, whatever the type of the keys */
		dimension->key_type =
			(bound_is_dimension(dimension->bound) || bound_has_days(dimension->bound)) &&
					(shape->blocked & (1u << d))
				? INT4OID
				: loop_key_type(dimension->bound, TEXTOID);
	}
	result->value_column = "value";
	result->value_type = has_tensors(tensor, shape) ? tensor_type_oid() : FLOAT8OID;
	result->element_type = tensor->type;
	result->fill = tensor->fill;
	result->duplicates = DUPLICATES_TRUST;
}

void
place_state(LoopState *state, const Decomposition *shape)
{
	ProgramTensor tensor = {.name = state->name,
							.rank = state->entry.rank,
							.type = state->entry.type,
							.fill = state->entry.fill};

	memcpy(tensor.bounds, state->entry.bounds, sizeof(tensor.bounds));
	describe_result(&state->place, &tensor, (const char *const *) state->labels, shape);
	state->place.ephemeral = "";
	for (int d = 0; d < state->entry.rank; d++)
	{
		if (bound_is_open(state->entry.bounds[d]))
			state->place.dimensions[d].key_type =
				loop_key_type(BOUND_OPEN, state->entry.state_keys[d]);
	}
	state->entry.storages = list_make1(&state->place);
}

void
place_copy(LoopState *copy, const LoopState *state, const Decomposition *shape)
{
	*copy = *state;
	copy->rows = NULL;
	place_state(copy, shape);
	for (int d = 0; d < state->entry.rank; d++)
	{
		if (bound_is_open(state->entry.bounds[d]))
			copy->place.dimensions[d].key_type = state->place.dimensions[d].key_type;
	}
}

TupleDesc
state_columns(const LoopState *state)
{
	const Storage *place = &state->place;
	TupleDesc columns = CreateTemplateTupleDesc(storage_key_count(place) + 1);
	AttrNumber column = 0;

	for (int d = 0; d < place->rank; d++)
	{
		if (place->dimensions[d].kind != DIMENSION_DEMOTED)
			TupleDescInitEntry(columns, ++column, place->dimensions[d].column,
							   place->dimensions[d].key_type, -1, 0);
	}
	TupleDescInitEntry(columns, ++column, "value", place->value_type, -1, 0);
	TupleDescFinalize(columns);
	return columns;
}

TupleDesc
stage_rows(const LoopState *state, const Stage *stage)
{
	TupleDesc columns = state_columns(state);
	char **names = stage_columns(stage);
	int column = 0;

	for (int d = 0; d < state->place.rank; d++)
	{
		if (state->place.dimensions[d].kind != DIMENSION_DEMOTED)
			namestrcpy(&TupleDescAttr(columns, column++)->attname, names[d]);
	}
	return columns;
}

LoopState *
state_of_stage(Loop *loop, const Stage *stage)
{
	for (int s = 0; stage->statement && s < loop->nstates; s++)
	{
		if (strcmp(stage->statement->target->name, loop->states[s].name) == 0)
			return &loop->states[s];
	}
	return NULL;
}

/*
 * Makes statements compute states in the decomposition in which rounds hold them, if that
 * is known.
 */
static void
pin_states(Loop *loop, Program *program)
{
	ListCell *lc;

	foreach (lc, program->statements)
	{
		Statement *statement = lfirst(lc);

		for (int s = 0; s < loop->nstates; s++)
		{
			const LoopState *state = &loop->states[s];
			Decomposition shape;

			if (state->entry.storages == NIL ||
				strcmp(statement->target->name, state->name) != 0)
				continue;
			shape = storage_decomposition(&state->place);
			pin_result(statement, &shape);
		}
	}
}

ProgramPlan *
plan_in_loop(Loop *loop, Program *program)
{
	pin_states(loop, program);
	return linitial(find_plans(program, &loop->request->options));
}

void
find_state_places(Loop *loop)
{
	ProgramPlan *start = plan_in_loop(loop, loop_start(loop));
	ProgramPlan *step;
	LoopEnd end;
	ListCell *lc;

	foreach (lc, start->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		LoopState *state = state_of_stage(loop, stage);

		if (state)
			state->entry.state = stage->statistics;
	}
	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];

		state->entry.storages = NIL;
		/*
		 * the loop's own tables may have other columns: their rows are converted at the
		 * end
		 */
		if (state->given)
		{
			Decomposition shape = storage_decomposition(state->table);

			place_state(state, &shape);
		}
		/* few entries are going to change, however many there are */
		else if (loop->better)
			place_state(state,
						&(Decomposition){.promoted = (1u << state->entry.rank) - 1});
	}
	step = plan_in_loop(loop, loop_step(loop, &end));
	foreach (lc, step->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		LoopState *state = state_of_stage(loop, stage);

		if (state == NULL)
			continue;
		state->expected = stage->statistics;
		if (state->entry.storages == NIL)
			place_state(state, &step->stages[stage->number].shape);
	}
}

ProgramPlan *
plan_loop(Loop *loop)
{
	LoopEnd end;

	find_state_places(loop);
	add_frontiers(loop);
	return plan_in_loop(loop, loop_step(loop, &end));
}

void
set_statistics(LoopState *state)
{
	int rank = state->entry.rank;
	TensorStatistics *statistics = new_statistics(rank);

	statistics->rows = state->counts.rows;
	statistics->nonfinite = state->counts.nans + state->counts.infinite > 0;
	if (state->expected && state->counts.entries == 0 && state->counts.rows > 0)
	{
		/*
		 * the state begins as one number everywhere, which says nothing of later rounds:
		 * the estimate does
		 */
		statistics->entries = state->expected->entries;
		memcpy(statistics->values, state->expected->values, sizeof(double) * rank);
	}
	else
	{
		statistics->entries = state->counts.entries;
		for (int d = 0; d < rank; d++)
			statistics->values[d] = Min(state->counts.values[d], statistics->entries);
	}
	state->expected = NULL;
	state->entry.state = statistics;
	state->planned_entries = statistics->entries;
}
