/*-------------------------------------------------------------------------
 *
 * rounds.c
 *	  The rounds of a loop: the queries of its step, and when they are planned.
 *
 * The step's plan is divided into queries (optimizer/rounds.c), whose results are rows in
 * memory that later queries read by name (rows.c). Stages that do not vary are computed
 * before the first round; the others once a round, in the order of their stages. A state
 * has rows twice: those that the round reads, and those that it computes, which replace
 * the former at the end of the round.
 *
 * All queries are prepared before the first one runs, so that it is known what they read.
 * Each is planned when it runs for the first time: the rows that it reads exist by then,
 * and PostgreSQL is told how many there are. When the number of a state's entries has
 * changed by a factor of sparseeinsum.replan_factor since the step was planned, it is
 * planned again. What was computed before the first round stays, if the new plan has the
 * same query.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/tensor_storage.h"
#include "codegen/deparse.h"
#include "executor/operand/kept_operands.h"
#include "expr/open_keys.h"
#include "iterate/changes.h"
#include "iterate/frontier.h"
#include "iterate/loop.h"
#include "iterate/plan.h"
#include "optimizer/settings.h"
#include "type/extension.h"

/* The query of one stage. */
typedef struct RoundQuery
{
	const Stage *stage;
	char *text;
	SPIPlanPtr plan; /* NULL if it ran for an earlier plan */
	Rows *rows;
	int readers;      /* of the rows, in a round */
	bool once;        /* runs before the first round only */
	bool done;        /* has run once */
	LoopState *state; /* whose rows it makes, or NULL */
	Storage result;   /* the storage of its rows, if they are not all of a state */
	RowCounts counts;
} RoundQuery;

/* The queries of a plan of the step. */
typedef struct RoundPlan
{
	MemoryContext memory;
	LoopEnd end;
	RoundQuery *queries;
	int nqueries;
	RoundQuery *left; /* NULL if until has no left side */
	RoundQuery *condition;
} RoundPlan;

/* Rows that are computed once and stay, also when the step is planned again. */
typedef struct RowsComputedOnce
{
	char *text;
	Rows *rows;
} RowsComputedOnce;

/* The number of loops that run now, each in a statement of the one before. */
static int open_loops = 0;

/* States with fewer entries are planned alike: changes of their size do not matter. */
#define FEW_ENTRIES 64.0

/*
 * Would keys of this type change the type of a state's keys? Narrower integers are cast.
 */
static bool
changes_type(Oid type, Oid wanted)
{
	type = getBaseType(type);
	return is_integer_key(type) && is_integer_key(wanted)
			   ? get_typlen(type) > get_typlen(wanted)
			   : type != wanted;
}

/*
 * Checks the type of a column of keys. Errors: 42804 if it changes that of an open label.
 */
static void
check_key(const LoopState *state, const Storage *place, int column, Oid type)
{
	int keys = 0;

	for (int d = 0; d < place->rank; d++)
	{
		Oid wanted = place->dimensions[d].key_type;

		if (place->dimensions[d].kind == DIMENSION_DEMOTED || keys++ != column)
			continue;
		if (bound_is_open(place->dimensions[d].bound) && changes_type(type, wanted))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("keys of label \"%s\" of state \"%s\" change their type",
							state->labels[d], state->name),
					 errdetail("They are of type %s before a round, and %s after it.",
							   format_type_be(wanted), format_type_be(type)),
					 errhint("Let the tables that are read have one type of keys.")));
	}
}

/*
 * Returns the query with its columns cast to the types of the state's rows; NULL if it
 * has them.
 */
static char *
with_state_types(const LoopState *state, const char *query, TupleDesc columns,
				 TupleDesc wanted)
{
	bool same = true;
	StringInfoData select;
	StringInfoData names;

	initStringInfo(&select);
	initStringInfo(&names);
	for (int c = 0; c < wanted->natts; c++)
	{
		Oid type = TupleDescAttr(columns, c)->atttypid;
		Oid needed = TupleDescAttr(wanted, c)->atttypid;

		if (c < wanted->natts - 1)
			check_key(state, &state->place, c, type);
		same = same && type == needed;
		appendStringInfo(&names, "%sc%d", c ? ", " : "", c);
		appendStringInfo(&select, "%sCAST(q.c%d AS %s)", c ? ", " : "", c,
						 format_type_be_qualified(needed));
	}
	if (same)
		return NULL;
	return psprintf("SELECT %s FROM (%s) AS q(%s)", select.data, query, names.data);
}

/*
 * Returns a new name for rows. The planner finds rows by their names, so that no stage,
 * no tensor of the loop and no loop around it may have the name. It is as short as
 * identifiers must be.
 */
static char *
rows_name(Loop *loop, const ProgramPlan *plan, const char *name)
{
	char *result;
	bool taken;

	do
	{
		ListCell *lc;

		taken = false;
		result = makeObjectName(name, NULL,
								loop->depth == 0
									? psprintf("@%d", ++loop->nrows)
									: psprintf("@%d.%d", loop->depth, ++loop->nrows));
		foreach (lc, plan->graph->stages)
			taken = taken || strcmp(((const Stage *) lfirst(lc))->name, result) == 0;
		foreach (lc, loop->names)
			taken = taken || strcmp(lfirst(lc), result) == 0;
	} while (taken);
	return result;
}

/* Gives the rows of each state a name that they keep in all rounds. */
static void
name_states(Loop *loop, const ProgramPlan *plan)
{
	for (int s = 0; s < loop->nstates; s++)
		loop->states[s].place.ephemeral = MemoryContextStrdup(
			loop->memory, rows_name(loop, plan, loop->states[s].name));
}

/* Returns descriptions (const LoopRows *) of all rows of the loop, for the planner. */
static List *
described_rows(const Loop *loop)
{
	List *described = NIL;
	ListCell *lc;

	foreach (lc, loop->all_rows)
		described = lappend(described, &((Rows *) lfirst(lc))->described);
	return described;
}

/* Prepares the query of a stage; the columns of the rows that it reads are known. */
static void
prepare_query(Loop *loop, RoundQuery *query)
{
	const char *of = query->stage->part_of->text;
	SPIPlanPtr plan =
		prepare_sql(labelled_query("einsum_iterate", of, query->text), 0, NULL);
	const CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(plan));
	TupleDesc columns = source->resultDesc;

	if (query->state)
	{
		TupleDesc wanted = stage_rows(query->state, query->stage);
		char *cast = with_state_types(query->state, query->text, columns, wanted);

		if (cast)
		{
			SPI_freeplan(plan);
			plan = prepare_sql(labelled_query("einsum_iterate", of, cast), 0, NULL);
		}
		columns = wanted;
	}
	if (query->rows->relation.md.tupdesc == NULL)
		set_columns(query->rows, columns, loop->request->across);
	SPI_keepplan(plan);
	query->plan = plan;
	/* later queries, which read these rows, are analysed before this one has run */
	register_rows(query->rows);
}

/* Tells the planner which columns the queries of a plan are going to read. */
static void
expect_columns(const Loop *loop, const RoundPlan *plan)
{
	List *queries = NIL;

	for (int q = 0; q < plan->nqueries; q++)
	{
		const CachedPlanSource *source;

		if (plan->queries[q].plan == NULL)
			continue;
		source = linitial(SPI_plan_get_plan_sources(plan->queries[q].plan));
		queries = lappend(queries, source->query_list);
	}
	expect_queries(loop->planning, queries);
}

/*
 * Runs the query of a stage; the rows that it reads have been computed. again: each round
 * will run it.
 */
static void
run_query(Loop *loop, RoundQuery *query, bool again)
{
	bool whole = query->state && !query->state->changes;
	const Storage *made = whole ? &query->state->place : &query->result;
	MemoryRows *copied;

	CHECK_FOR_INTERRUPTS();
	copied = plan_query_of_loop(query->plan, described_rows(loop), loop->planning, again);
	fill_rows(query->rows, query->plan, copied, made, &query->counts,
			  loop->request->across);
}

static Rows *
add_rows(Loop *loop, const char *name)
{
	MemoryContext old = MemoryContextSwitchTo(loop->memory);
	Rows *rows = new_rows(name, NULL);

	loop->all_rows = lappend(loop->all_rows, rows);
	MemoryContextSwitchTo(old);
	return rows;
}

/* Returns the rows that the same query computed once for an earlier plan, or NULL. */
static Rows *
find_kept(const Loop *loop, const char *text)
{
	ListCell *lc;

	foreach (lc, loop->kept)
	{
		const RowsComputedOnce *kept = lfirst(lc);

		if (strcmp(kept->text, text) == 0)
			return kept->rows;
	}
	return NULL;
}

/*
 * Gives a query that runs once its rows, which an earlier plan may have computed already.
 */
static void
keep_rows(Loop *loop, RoundQuery *query, const char *name)
{
	RowsComputedOnce *kept;
	MemoryContext old;

	query->once = true;
	query->rows = find_kept(loop, query->text);
	query->done = query->rows != NULL;
	if (query->done)
		return;
	old = MemoryContextSwitchTo(loop->memory);
	kept = palloc(sizeof(RowsComputedOnce));
	kept->text = pstrdup(query->text);
	kept->rows = query->rows = add_rows(loop, name);
	loop->kept = lappend(loop->kept, kept);
	MemoryContextSwitchTo(old);
}

/* The context of compute_once: the stage that is deparsed, and where its queries go. */
typedef struct PlannedQueries
{
	Loop *loop;
	const ProgramPlan *plan;
	const Stage *stage;
	RoundPlan *result;
} PlannedQueries;

/*
 * Returns the name of the rows of a repartition that is the same in all rounds. The first
 * stage that reads it adds the query that computes it once.
 */
static const char *
compute_once(void *context, const char *name, const ProgramTensor *tensor,
			 const Decomposition *shape, const char *text)
{
	const PlannedQueries *planned = context;
	RoundPlan *result = planned->result;
	RoundQuery *query;

	for (int q = 0; q < result->nqueries; q++)
	{
		query = &result->queries[q];
		if (strcmp(query->text, text) == 0)
		{
			query->readers++;
			return query->rows->relation.md.name;
		}
	}
	query = &result->queries[result->nqueries++];
	query->stage = planned->stage;
	query->readers = 1;
	query->text = pstrdup(text);
	keep_rows(planned->loop, query, rows_name(planned->loop, planned->plan, name));
	describe_result(&query->result, tensor,
					(const char *const *) dimension_names(tensor->rank), shape);
	return query->rows->relation.md.name;
}

/* The most queries that a plan can have: one for each stage, and one for each operand. */
static int
most_queries(const ProgramPlan *plan)
{
	int count = 1;
	ListCell *lc;

	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);

		count++;
		for (int t = 0; t < stage->nterms; t++)
			count += stage->terms[t].noperands;
	}
	return count;
}

/* The queries of a plan. */
static RoundPlan *
plan_queries(Loop *loop, const ProgramPlan *plan, const LoopEnd *end)
{
	RoundPlan *result = palloc0(sizeof(RoundPlan));
	const Rounds *rounds = plan_rounds(plan);
	int nstages = list_length(plan->graph->stages);
	char **ephemeral = palloc0(sizeof(char *) * Max(nstages, 1));
	PlannedQueries planned = {.loop = loop, .plan = plan, .result = result};
	RoundSources sources = {.stages = ephemeral,
							.rounds = rounds,
							.computed_once = compute_once,
							.context = &planned};

	result->memory = CurrentMemoryContext;
	result->end = *end;
	result->queries = palloc0(sizeof(RoundQuery) * most_queries(plan));
	for (int s = 0; s < nstages; s++)
	{
		const Stage *stage = plan->stages[s].stage;
		LoopState *state = state_of_stage(loop, stage);
		RoundQuery *query;
		bool filled;
		char *text;
		char *name;

		if (rounds->stages[s] == LOOP_READ_THROUGH)
			continue;
		filled = state && !state->changes &&
				 !same_number(stage->tensor->fill, state->entry.fill);
		planned.stage = stage;
		text = filled ? deparse_filled(plan, &sources, stage)
					  : deparse_in_round(plan, &sources, stage);
		/* taken only now: deparsing may have added queries that run before this one */
		query = &result->queries[result->nqueries++];
		query->stage = stage;
		query->readers = stage->readers;
		query->state = state;
		query->text = text;
		name = rows_name(loop, plan, stage->name);
		if (rounds->stages[s] == LOOP_ONCE)
			keep_rows(loop, query, name);
		else
			query->rows = add_rows(loop, name);
		ephemeral[s] = query->rows->relation.md.name;
		if (stage->statement && stage->statement->number == end->left)
			result->left = query;
		if (stage->statement && stage->statement->number == end->condition)
			result->condition = query;
		if (query->state && query->state->changes)
		{
			query->result = query->state->place;
			query->result.fill = stage->tensor->fill;
		}
		else if (query->state == NULL)
			describe_result(&query->result, stage->tensor,
							(const char *const *) stage_columns(stage),
							&plan->stages[s].shape);
	}
	return result;
}

/* Frees a plan's queries and their rows, except rows that are computed once. */
static void
free_queries(Loop *loop, RoundPlan *plan)
{
	for (int q = 0; q < plan->nqueries; q++)
	{
		RoundQuery *query = &plan->queries[q];

		if (query->plan)
			SPI_freeplan(query->plan);
		query->plan = NULL;
		if (query->once)
			continue;
		loop->all_rows = list_delete_ptr(loop->all_rows, query->rows);
		free_rows(query->rows);
	}
}

static MemoryContext
new_planning(const Loop *loop)
{
	return AllocSetContextCreate(loop->memory, "plan of a loop", ALLOCSET_DEFAULT_SIZES);
}

/* Makes what a query has computed of a state the state that the next round reads. */
static void
take_state(Loop *loop, RoundQuery *query)
{
	LoopState *state = query->state;
	MemoryContext old;

	state->counts = query->counts;
	if (state->changes)
	{
		change_state(state);
		return;
	}
	old = MemoryContextSwitchTo(loop->memory);
	if (state->rows == NULL)
	{
		state->rows = new_rows(state->place.ephemeral, NULL);
		set_columns(state->rows, state_columns(state), loop->request->across);
		loop->all_rows = lappend(loop->all_rows, state->rows);
	}
	MemoryContextSwitchTo(old);
	move_rows(state->rows, query->rows);
	register_rows(state->rows);
}

/*
 * Takes the types of a state's keys, for open labels, from the query that computes its
 * start, and from the step.
 */
static void
find_open_keys(LoopState *state, const char *query)
{
	const CachedPlanSource *source;
	SPIPlanPtr plan;
	bool open = false;
	int column = 0;

	for (int d = 0; d < state->entry.rank; d++)
		open = open || bound_is_open(state->entry.bounds[d]);
	if (!open)
		return;
	plan = prepare_sql(query, 0, NULL);
	source = linitial(SPI_plan_get_plan_sources(plan));
	for (int d = 0; d < state->place.rank; d++)
	{
		StorageDimension *dimension = &state->place.dimensions[d];
		Oid type;

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		type = loop_key_type(dimension->bound,
							 TupleDescAttr(source->resultDesc, column++)->atttypid);
		/* the step may make wider ones */
		if (bound_is_open(dimension->bound) && is_integer_key(type) &&
			is_integer_key(state->entry.state_keys[d]))
			type = wider_key_type(type, state->entry.state_keys[d]);
		dimension->key_type = type;
	}
	SPI_freeplan(plan);
}

/*
 * Opens the store that keeps in memory what queries read of tables and of rows that stay.
 */
static void
keep_operands(Loop *loop)
{
	loop->planning = begin_loop_planning(loop->memory);
	loop->operands = open_kept_operands(loop->memory, number_of_loop(loop->planning));
	loop->depth = open_loops++;
	SPI_register_relation(kept_operands_relation(loop->operands));
}

void
start_loop(Loop *loop)
{
	MemoryContext planning = new_planning(loop);
	MemoryContext old = MemoryContextSwitchTo(loop->memory);
	LoopEnd end = {-1, -1};
	ProgramPlan *plan;
	RoundPlan *queries;
	bool wrong_frontiers = false;

	if (loop->continues && !loop->request->again)
		check_past(loop);
	keep_operands(loop);
	find_state_places(loop);
	for (int s = 0; s < loop->nstates && loop->request->kept; s++)
	{
		if (loop->states[s].table == NULL)
			check_size(loop, &loop->states[s]);
	}
	add_frontiers(loop);
	MemoryContextSwitchTo(planning);
	plan = plan_in_loop(loop, loop_start(loop));
	name_states(loop, plan);
	loop->plan = queries = plan_queries(loop, plan, &end);
	for (int q = 0; q < queries->nqueries; q++)
	{
		if (queries->queries[q].state)
			find_open_keys(queries->queries[q].state, queries->queries[q].text);
		prepare_query(loop, &queries->queries[q]);
	}
	for (int q = 0; q < queries->nqueries; q++)
		run_query(loop, &queries->queries[q], false);
	for (int q = 0; q < queries->nqueries; q++)
	{
		if (queries->queries[q].state)
			take_state(loop, &queries->queries[q]);
	}
	free_queries(loop, queries);
	loop->plan = NULL;
	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];

		state->negative = state->counts.negative > 0;
		wrong_frontiers = wrong_frontiers || state->counts.nans > 0 ||
						  (state->from_zero && state->frontier_of->negative);
	}
	if (wrong_frontiers)
	{
		drop_frontiers(loop);
		loop->better = NIL;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(planning);
}

/* Has a state become so much larger or smaller that another plan may be better? */
static bool
must_plan(const Loop *loop)
{
	if (loop->plan == NULL || loop->plan_again)
		return true;
	for (int s = 0; s < loop->nstates; s++)
	{
		double now = Max(loop->states[s].counts.entries, FEW_ENTRIES);
		double then = Max(loop->states[s].planned_entries, FEW_ENTRIES);

		if (now > then * replan_factor || then > now * replan_factor)
			return true;
		if (loop->states[s].many_changes || may_change_now(&loop->states[s]))
			return true;
	}
	return false;
}

/*
 * Raises an error if a tensor was registered anew by another transaction and states are
 * made of what has changed: what has not was computed of the former tensor.
 */
static void
refuse_changed_tensors(Loop *loop)
{
	bool has_frontiers = false;
	const char *name;

	for (int s = 0; s < loop->nstates; s++)
		has_frontiers |= loop->states[s].frontier_of != NULL;
	name = has_frontiers ? changed_tensor(loop->known) : NULL;
	if (name)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("tensor \"%s\" was registered anew while loop \"%s\" runs", name,
						loop->request->name),
				 errdetail("A round computes what the round before has changed; all else "
						   "was computed of the former tensor."),
				 errhint("Run the loop again with restart => true.")));
}

static void
plan_step(Loop *loop)
{
	MemoryContext planning = new_planning(loop);
	MemoryContext old = MemoryContextSwitchTo(planning);
	RoundPlan *former = loop->plan;
	ProgramPlan *plan;
	LoopEnd end;

	for (int s = 0; s < loop->nstates; s++)
		set_statistics(&loop->states[s]);
	loop->plan = NULL;
	if (former)
	{
		free_queries(loop, former);
		MemoryContextDelete(former->memory);
	}
	if (loop->transaction_ended)
	{
		refuse_changed_tensors(loop);
		look_up_tensors(loop->known);
	}
	loop->transaction_ended = false;
	loop->plan_again = false;
	plan = plan_changes(loop, &end);
	place_states(loop);
	loop->plan = plan_queries(loop, plan, &end);
	for (int q = 0; q < loop->plan->nqueries; q++)
	{
		RoundQuery *query = &loop->plan->queries[q];

		CHECK_FOR_INTERRUPTS();
		if (query->done)
			register_rows(query->rows);
		else
			prepare_query(loop, query);
	}
	expect_columns(loop, loop->plan);
	MemoryContextSwitchTo(old);
}

/*
 * Checks the new entries of a state. Errors: 22003 if some are NaN or infinite and none
 * was before.
 */
static void
check_finite(const RoundQuery *query, int round)
{
	const LoopState *state = query->state;
	bool nan = query->counts.nans > 0 && state->counts.nans == 0;
	bool infinite = query->counts.infinite > 0 && state->counts.infinite == 0;

	/* what comes into a frontier comes into its state, which is checked */
	if (state->frontier_of == NULL && (nan || infinite))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("state \"%s\" becomes %s in round %d", state->name,
						nan ? "NaN" : "infinite", round),
				 errdetail("%.0f of its entries are; before the round none was.",
						   nan ? query->counts.nans : query->counts.infinite),
				 errhint("Take smaller steps, or end the loop before, with until.")));
}

static bool
compare(FunctionId comparison, double left, double right)
{
	switch (comparison)
	{
		case FUNCTION_EQ:
			return left == right;
		case FUNCTION_NE:
			return left != right;
		case FUNCTION_LT:
			return left < right;
		case FUNCTION_LE:
			return left <= right;
		case FUNCTION_GT:
			return left > right;
		case FUNCTION_GE:
			return left >= right;
		default:
			elog(ERROR, "function %d is no comparison", comparison);
	}
}

static void
ask_until(const RoundPlan *plan, RoundReport *report)
{
	report->has_value = plan->left != NULL;
	if (plan->left)
		report->value = plan->left->counts.last;
	if (plan->condition)
		report->ended = plan->condition->counts.last != 0;
	else
		report->ended =
			plan->left && compare(plan->end.comparison, report->value, plan->end.right);
}

void
run_round(Loop *loop, int round, RoundReport *report)
{
	RoundPlan *plan;
	instr_time started;
	instr_time time;

	memset(report, 0, sizeof(RoundReport));
	INSTR_TIME_SET_CURRENT(started);
	if (must_plan(loop))
	{
		plan_step(loop);
		report->planned = true;
	}
	age_kept_operands(loop->operands);
	plan = loop->plan;
	for (int q = 0; q < plan->nqueries; q++)
	{
		RoundQuery *query = &plan->queries[q];

		if (query->done)
		{
			note_scans(query->rows, query->readers);
			continue;
		}
		run_query(loop, query, !query->once);
		query->done = query->once;
		if (query->once)
			keep_named_rows(loop->planning, query->rows->relation.md.name);
		if (query->state && query->state->changes)
			find_new_entries(query->state, query->rows, &query->counts);
		if (query->state)
			check_finite(query, round);
	}
	ask_until(plan, report);
	if (loop->better)
	{
		loop->better = NIL;
		loop->plan_again = true;
	}
	for (int q = 0; q < plan->nqueries; q++)
	{
		if (plan->queries[q].state)
			take_state(loop, &plan->queries[q]);
	}
	INSTR_TIME_SET_CURRENT(time);
	INSTR_TIME_SUBTRACT(time, started);
	report->time = INSTR_TIME_GET_MILLISEC(time);
}

LoopState *
convert_state(Loop *loop, const LoopState *state, const Decomposition *shape)
{
	LoopState *converted = palloc(sizeof(LoopState));
	ProgramPlan *plan = plan_of_state(loop, state, shape);
	char *query = deparse_program(plan);
	SPIPlanPtr prepared = prepare_sql(query, 0, NULL);
	const CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(prepared));
	char *cast;
	MemoryRows *copied;
	MemoryContext old;

	place_copy(converted, state, shape);
	converted->place.ephemeral = rows_name(loop, plan, state->name);
	converted->rows = new_rows(converted->place.ephemeral, NULL);
	old = MemoryContextSwitchTo(loop->memory);
	loop->all_rows = lappend(loop->all_rows, converted->rows);
	MemoryContextSwitchTo(old);
	set_columns(converted->rows, state_columns(converted), false);
	cast = with_state_types(converted, query, source->resultDesc,
							converted->rows->relation.md.tupdesc);
	SPI_freeplan(prepared);
	prepared = prepare_sql(
		labelled_query("einsum_iterate", loop->request->name, cast ? cast : query), 0,
		NULL);
	SPI_keepplan(prepared);
	PG_TRY();
	{
		copied =
			plan_query_of_loop(prepared, described_rows(loop), loop->planning, false);
		fill_rows(converted->rows, prepared, copied, &converted->place,
				  &converted->counts, false);
	}
	PG_FINALLY();
	{
		SPI_freeplan(prepared);
	}
	PG_END_TRY();
	register_rows(converted->rows);
	return converted;
}

void
free_converted(Loop *loop, LoopState *converted)
{
	loop->all_rows = list_delete_ptr(loop->all_rows, converted->rows);
	free_rows(converted->rows);
	pfree(converted);
}

/*
 * Tells the kept operands of a commit. Deferred triggers, which may have written to
 * tables, have run by then.
 */
static void
before_commit(XactEvent event, void *operands)
{
	if (event == XACT_EVENT_PRE_COMMIT)
		commit_kept_operands(operands);
}

void
commit_loop(Loop *loop)
{
	RegisterXactCallback(before_commit, loop->operands);
	PG_TRY();
	{
		SPI_commit();
	}
	PG_FINALLY();
	{
		UnregisterXactCallback(before_commit, loop->operands);
	}
	PG_END_TRY();
	loop->transaction_ended = true;
}

void
end_loop(Loop *loop)
{
	ListCell *lc;

	if (loop->operands)
	{
		close_kept_operands(loop->operands);
		open_loops--;
	}
	loop->operands = NULL;
	if (loop->plan)
	{
		for (int q = 0; q < loop->plan->nqueries; q++)
		{
			RoundQuery *query = &loop->plan->queries[q];

			if (query->plan)
				SPI_freeplan(query->plan);
			query->plan = NULL;
		}
	}
	foreach (lc, loop->all_rows)
		close_rows(lfirst(lc));
	loop->all_rows = NIL;
	loop->plan = NULL;
}
