/*-------------------------------------------------------------------------
 *
 * foreseen.c
 *	  What refreshing the tables of a plan will cost, when few rows change below them.
 *
 * The tables need not exist yet. So the statement of a stage is analysed with the stages
 * that it reads as tensors which are known by the plan alone, like the states of a loop.
 * One table of the user's changes at a time. By the same rules as in a refresh (added.c)
 * follows how each stage changes; the rows that are written are the change for the stages
 * that read it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/attempt.h"
#include "catalog/change_log.h"
#include "catalog/view_reads.h"
#include "codegen/change_statement.h"
#include "codegen/deparse.h"
#include "codegen/log_rows.h"
#include "codegen/point.h"
#include "codegen/tables.h"
#include "codegen/views.h"
#include "expr/analysis.h"
#include "expr/known_tensors.h"
#include "optimizer/materialize.h"
#include "optimizer/settings.h"
#include "rows/added.h"
#include "rows/foreseen.h"
#include "type/extension.h"

/* Nothing is said of plans with more stages. */
#define MOST_STAGES 100

/* One table that changes, and what follows for the stages of a plan. */
typedef struct Foreseen
{
	const ProgramPlan *plan;
	Oid changed;  /* the table that changes */
	double *rows; /* by stage number: how many of its rows change */
	/* of the stage that is looked at */
	const Stage *stage;
	StageRefresh *refresh;
} Foreseen;

/* Returns how the table of a stage will hold its result. */
static Storage *
storage_of_stage(const ProgramPlan *plan, const Stage *stage)
{
	const Decomposition *shape = &plan->stages[stage->number].shape;
	Storage *storage = storage_of_result(stage, stage->name, shape);
	bool is_number = shape->promoted == (1u << stage->noutput) - 1;

	storage->ephemeral = psprintf("@%s", stage->name);
	for (int d = 0; d < stage->noutput; d++)
	{
		StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		dimension->column = psprintf("d%d", d);
		dimension->key_type = stage_key_type(plan, stage, stage->output[d]);
	}
	storage->value_type = is_number && stage->tensor->type == ELEMENT_FLOAT8
							  ? FLOAT8OID
							  : tensor_type_oid();
	return storage;
}

/* Returns the statement of the stage that is looked at, analysed. */
static Program *
analyze_stage(const Foreseen *foreseen)
{
	const Stage *stage = foreseen->stage;
	const char *text = stage_statement(codegen_context(foreseen->plan, NULL), stage);
	KnownTensors *known = new_known_tensors();
	LoopScope scope = {.known = known};
	List *names = NIL;
	const Operand *operand;

	FOREACH_PRODUCED (operand, stage)
	{
		if (list_member_ptr(names, operand->producer->name))
			continue;
		names = lappend(names, operand->producer->name);
		scope.states = lappend(
			scope.states,
			entry_of_rows(storage_of_stage(foreseen->plan, operand->producer),
						  operand->producer->name, operand->producer->statistics));
	}
	add_names_of_program(known, text, names);
	look_up_tensors(known);
	return analyze_loop(text, &scope);
}

/* Returns the stage that has the result of this name, and that the stage reads; or NULL. */
static const Stage *
producer_read(const Stage *stage, const char *name)
{
	const Operand *operand;

	FOREACH_PRODUCED (operand, stage)
	{
		if (strcmp(operand->producer->name, name) == 0)
			return operand->producer;
	}
	return NULL;
}

/* Adds a tensor of which this number of rows changes. */
static void
add_changed(List **changed, const Storage *storage, const ProgramTensor *tensor,
			double rows)
{
	const char *name = psprintf("@%s %d", tensor->name, list_length(*changed));
	ChangedTensor *added;
	Storage change;

	if (reason_against_rows(storage))
	{
		change = storage_of_marks(storage, name);
		added = tensor_marked(tensor, &change, marked_dimensions(storage), NULL);
	}
	else
	{
		change = storage_of_change(storage, name);
		added = tensor_added_to(tensor, &change, rows);
	}
	*changed = lappend(*changed, added);
}

/*
 * Returns why the changes of a user's table, that a storage reads, are not known; or NULL.
 */
static const char *
reason_against_log(const Storage *storage, Oid table)
{
	char kind = get_rel_relkind(table);

	if (kind == RELKIND_VIEW || OidIsValid(change_log_of(table)) ||
		!list_member_oid(topmost_parents(table), table))
		return NULL;
	if (table != storage->relid ||
		(kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE))
		return says_no_log(table);
	return psprintf("%s, which einsum_log(%s) makes", says_no_log(table),
					quote_literal_cstr(storage->tensor));
}

/* Does a storage read a table, be it through views? */
static bool
reads_table(const Storage *storage, Oid table)
{
	return storage->relid == table ||
		   (storage->is_view &&
			list_member_oid(with_what_they_read(list_make1_oid(storage->relid)), table));
}

/* Returns why changes of a tensor are not known as rows; or NULL. */
static const char *
reason_against_change(const ProgramTensor *tensor)
{
	const Storage *storage = linitial(tensor->entry->storages);
	const char *why = reason_against_rows(storage);

	if (why && !tensor->is_state && !bms_is_empty(marked_dimensions(storage)))
		why = NULL;
	return why;
}

/* Makes changes ones of which no more is known than their keys. */
static void
change_at_keys(const List *changed)
{
	ListCell *lc;

	foreach (lc, changed)
	{
		ChangedTensor *tensor = lfirst(lc);

		if (tensor->kind == CHANGE_ADDED)
			tensor->keys = bms_add_range(NULL, 0, tensor->tensor->rank - 1);
		tensor->kind = CHANGE_AT_KEYS;
	}
}

/*
 * Finds the tensors that the stage reads and that change. Returns why that is not known;
 * or NULL.
 */
static const char *
find_changed(const Foreseen *foreseen, const Program *program, List **changed)
{
	List *tensors = list_concat_copy(program->states, program->tensors);
	ListCell *lc;

	foreach (lc, tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		const Storage *storage;
		double rows = 0.0;

		if (tensor->entry == NULL || tensor->shifted)
			continue;
		storage = linitial(tensor->entry->storages);
		if (tensor->is_state)
			rows = foreseen->rows[producer_read(foreseen->stage, tensor->name)->number];
		else if (reads_table(storage, foreseen->changed))
			rows = FEW_CHANGED_ROWS;
		if (rows == 0.0)
			continue;
		if (storage->is_view)
			return psprintf("what follows in view \"%s\" is not known",
							get_rel_name(storage->relid));
		if (reason_against_change(tensor))
			return reason_against_change(tensor);
		add_changed(changed, storage, tensor, rows);
	}
	return NULL;
}

/* Returns why the stage is computed whatever has changed; or NULL. */
static const char *
reason_of_logs(const Program *program)
{
	const char *why = NULL;
	ListCell *lc;

	foreach (lc, program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		const Storage *storage;
		ListCell *lc2;

		if (tensor->entry == NULL || tensor->shifted || tensor->is_state)
			continue;
		storage = linitial(tensor->entry->storages);
		foreach (lc2, with_what_they_read(list_make1_oid(storage->relid)))
		{
			if (why == NULL)
				why = reason_against_log(storage, lfirst_oid(lc2));
		}
	}
	return why;
}

/* Sets the cost of the rows of the stage's result at some keys. False if there is no plan. */
static bool
cost_at_keys(const Foreseen *foreseen, const Bitmapset *keys, double count)
{
	const ProgramPlan *plan = plan_at_keys(
		analyze_stage(foreseen), &foreseen->plan->stages[foreseen->stage->number].shape,
		keys, "@keys", count);

	if (plan)
		foreseen->refresh->cost += plan->cost;
	return plan != NULL;
}

/* Finds how the stage changes. Returns why it has to be computed; or NULL. */
static const char *
foresee_change(const Foreseen *foreseen)
{
	const PlanOptions options = options_of_change(MATERIALIZE_AUTO);
	StageRefresh *refresh = foreseen->refresh;
	Program *program = analyze_stage(foreseen);
	const char *unknown = reason_of_logs(program);
	List *changed = NIL;
	const ProgramPlan *plan;
	FunctionId function;
	Bitmapset *keys;
	const char *why = find_changed(foreseen, program, &changed);
	List *plans;

	if (why)
		return unknown ? unknown : why;
	if (changed == NIL)
	{
		refresh->rows = 0.0;
		return unknown;
	}
	if (keys_of(&foreseen->plan->stages[foreseen->stage->number].shape) != 0 &&
		!result_is_unique(foreseen->plan, foreseen->stage))
		return "keys may occur more than once";
	if (enable_additions == NODES_OFF)
		return "sparseeinsum.enable_additions is off";
	if (foreseen->stage->tensor->type != ELEMENT_FLOAT8)
		change_at_keys(changed);
	switch (make_change_statement(program, changed,
								  &foreseen->plan->stages[foreseen->stage->number].shape,
								  &options, false, &function, &keys, &why))
	{
		case CHANGE_NONE:
			return unknown;
		case CHANGE_ADDED:
			refresh->how = "added";
			break;
		case CHANGE_AT_KEYS:
			refresh->how = "keys";
			refresh->why = why;
			break;
		default:
			return unknown ? unknown : why;
	}
	plans = find_plans_if_possible(program, &options);
	if (plans == NIL)
		return "what is to be added exceeds limits";
	plan = linitial(plans);
	refresh->rows = plan->stages[plan->graph->last->number].tuples;
	refresh->cost = plan->cost + ADDED_ROW * refresh->rows;
	if (unknown)
		return unknown;
	if (keys && !cost_at_keys(foreseen, keys, refresh->rows))
		return "its rows at some keys exceed limits";
	return NULL;
}

static void
foresee_stage(void *argument)
{
	const Foreseen *foreseen = argument;
	StageRefresh *refresh = foreseen->refresh;
	const StagePlan *chosen = &foreseen->plan->stages[foreseen->stage->number];
	bool indexed = chosen->shape.promoted == (1u << foreseen->stage->noutput) - 1;
	double computing =
		own_cost(chosen) + (indexed ? INDEXED_ROW : COMPARED_ROW) * chosen->tuples;
	const char *why;

	refresh->rows = -1.0;
	why = foresee_change(foreseen);
	computing += WRITTEN_ROW * Max(refresh->rows, 0.0);
	if (why == NULL && refresh->how && enable_additions != NODES_FORCE &&
		refresh->cost > Max(computing, LEAST_COMPARED))
		why = COSTS_MORE;
	if (why == NULL)
		return;
	refresh->how = "whole";
	refresh->why = why;
	refresh->cost = computing;
	if (refresh->rows < 0.0)
		refresh->rows = chosen->tuples;
}

/* Adds the tables of the user's that a stage reads, be it through views. */
static List *
add_tables(List *tables, const ProgramPlan *plan, const Stage *stage)
{
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Storage *storage = plan->stages[stage->number].operands[t][o].storage;
			ListCell *lc;

			if (storage == NULL || !OidIsValid(storage->relid))
				continue;
			foreach (lc, with_what_they_read(list_make1_oid(storage->relid)))
			{
				if (get_rel_relkind(lfirst_oid(lc)) != RELKIND_VIEW)
					tables = list_append_unique_oid(tables, lfirst_oid(lc));
			}
		}
	}
	return tables;
}

/* Appends the refreshes of all stages when one table changes. */
static void
foresee_table(const ProgramPlan *plan, Oid changed, List **refreshes)
{
	Foreseen foreseen = {.plan = plan, .changed = changed};
	ListCell *lc;

	foreseen.rows = palloc0(sizeof(double) * list_length(plan->graph->stages));
	foreach (lc, plan->graph->stages)
	{
		ErrorData *error = NULL;

		CHECK_FOR_INTERRUPTS();
		foreseen.stage = lfirst(lc);
		if (!stage_is_table(plan, foreseen.stage))
			continue;
		foreseen.refresh = palloc0(sizeof(StageRefresh));
		foreseen.refresh->table = get_rel_name(changed);
		foreseen.refresh->changed = FEW_CHANGED_ROWS;
		/* a query that runs in parallel cannot have subtransactions */
		if (IsInParallelMode())
			foresee_stage(&foreseen);
		else
			error = attempt_without_locks(foresee_stage, &foreseen);
		if (error)
			foreseen.refresh->why = error->message;
		if (foreseen.refresh->how == NULL && error == NULL)
			continue;
		foreseen.rows[foreseen.stage->number] = Max(foreseen.refresh->rows, 0.0);
		refreshes[foreseen.stage->number] =
			lappend(refreshes[foreseen.stage->number], foreseen.refresh);
	}
}

List **
foresee_refreshes(const ProgramPlan *plan)
{
	int count = list_length(plan->graph->stages);
	List **refreshes = palloc0(sizeof(List *) * count);
	List *tables = NIL;
	ListCell *lc;

	if (plan->graph->options->materialize != MATERIALIZE_INCREMENTAL ||
		count > MOST_STAGES)
		return NULL;
	foreach (lc, plan->graph->stages)
	{
		/* statements name the stages that they read without schemas here */
		if (((const Stage *) lfirst(lc))->schema)
			return NULL;
		tables = add_tables(tables, plan, lfirst(lc));
	}
	foreach (lc, tables)
		foresee_table(plan, lfirst_oid(lc), refreshes);
	return refreshes;
}
