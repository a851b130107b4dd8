/*-------------------------------------------------------------------------
 *
 * added.c
 *	  What has to be added to a result, since tensors that it reads have changed.
 *
 * The registration of the result has its statement. From that and the tensors that have
 * changed the algebra makes the terms of the result's change (algebra/delta.h). These are
 * planned like any program: changes are rows in memory, whose counts are exact, and the
 * other tensors are read as they are now. So the cost follows from the number of rows that
 * have changed.
 *
 * Names in the statement are looked up when it is used, while the result's view reads
 * certain relations. So the registrations of what is read have to be as they were when
 * the view was made.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "algebra/delta.h"
#include "catalog/attempt.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/tensor_statistics.h"
#include "codegen/deparse.h"
#include "expr/analysis.h"
#include "expr/types.h"
#include "optimizer/plan.h"
#include "optimizer/settings.h"
#include "rows/added.h"

/*
 * Processor time in microseconds: of a row of the table that is compared with a computed
 * one, and of one that is looked up, added to and written by itself.
 */
#define COMPARED_ROW 0.8
#define ADDED_ROW 6.0

/* What costs less is added without asking what computing would cost: that is planned, too. */
#define LEAST_COMPARED 1000.0

/* The statement of a result, and what of it has changed. */
typedef struct ChangedStatement
{
	const Addition *addition;
	Program *program;
	Statement *statement;
	List *changed; /* of ChangedTensor * */
	List *own;     /* of TensorChange *: to be freed */
	List *covered; /* OIDs of the relations whose changes these are */
} ChangedStatement;

static void
analyze_statement(void *argument)
{
	ChangedStatement *changed = argument;

	changed->program = analyze_program(changed->addition->result->statement);
	changed->statement = llast(changed->program->statements);
}

/* Does the result's view read a relation? */
static bool
is_read(const Addition *addition, Oid relid)
{
	ListCell *lc;

	foreach (lc, addition->sources->states)
	{
		if (((const RelationState *) lfirst(lc))->relid == relid)
			return true;
	}
	return false;
}

/* Are all tensors registered as they were when the view was made? */
static bool
same_registrations(const ChangedStatement *changed)
{
	List *storages = NIL;
	ListCell *lc;

	foreach (lc, changed->program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);

		if (tensor->entry)
			storages = list_concat(storages, tensor->entry->storages);
	}
	return registrations_hash(storages) == changed->addition->result->reads;
}

/*
 * Leaves a tensor the storages that the view reads. Its name may mean other tables now, as
 * after a schema was renamed, and others of its storages may lag behind. False if none is
 * left.
 */
static bool
keep_storages_read(const Addition *addition, TensorEntry *entry)
{
	List *read = NIL;
	ListCell *lc;

	foreach (lc, entry->storages)
	{
		if (is_read(addition, ((const Storage *) lfirst(lc))->relid))
			read = lappend(read, lfirst(lc));
	}
	entry->storages = read;
	return read != NIL;
}

/* Makes the statement read what the view reads. Returns a tensor that it does not; or NULL.
 */
static const ProgramTensor *
read_as_view_does(const ChangedStatement *changed)
{
	const List *tensors[] = {changed->program->tensors, changed->program->shifted};
	ListCell *lc;

	for (int i = 0; i < (int) lengthof(tensors); i++)
	{
		foreach (lc, tensors[i])
		{
			const ProgramTensor *tensor = lfirst(lc);

			if (tensor->entry && !keep_storages_read(changed->addition, tensor->entry))
				return tensor;
		}
	}
	return NULL;
}

/* Returns the dimension whose keys have changed or are no longer read, or NULL. */
static const char *
changed_dimension(const ChangedStatement *changed)
{
	const Program *program = changed->program;

	for (int i = 0; i < program->nlabels; i++)
	{
		int64 bound = program->labels[i].bound;
		Oid keys;

		if (!program->labels[i].bounded || !bound_is_dimension(bound))
			continue;
		keys = dimension_relation(bound);
		if (!is_read(changed->addition, keys) ||
			list_member_oid(changed->addition->sources->changed, keys))
			return dimension_name(bound);
	}
	return NULL;
}

/* Returns the storage of a tensor that the view reads, NULL unless it is exactly one. */
static Storage *
storage_read(const Addition *addition, const TensorEntry *entry)
{
	Storage *found = NULL;
	ListCell *lc;

	foreach (lc, entry->storages)
	{
		Storage *storage = lfirst(lc);

		if (!is_read(addition, storage->relid))
			continue;
		if (found)
			return NULL;
		found = storage;
	}
	return found;
}

/* Has some storage of a tensor other rows than at the result's position? */
static bool
has_changed(const Addition *addition, const TensorEntry *entry)
{
	ListCell *lc;

	foreach (lc, entry->storages)
	{
		if (list_member_oid(addition->sources->changed,
							((const Storage *) lfirst(lc))->relid))
			return true;
	}
	return false;
}

/* Returns the change of a table of the same refresh, or NULL if it is not known. */
static TensorChange *
known_change(const Addition *addition, const Storage *storage)
{
	ListCell *lc;

	foreach (lc, addition->known)
	{
		TensorChange *change = lfirst(lc);

		if (change->relid == storage->relid &&
			strcmp(change->storage.tensor, storage->tensor) == 0)
			return change;
	}
	return NULL;
}

/* Makes the counts of a change its statistics. */
static const TensorStatistics *
statistics_of_change(const TensorChange *change)
{
	int rank = change->storage.rank;
	TensorStatistics *statistics = new_statistics(rank);

	statistics->exact = true;
	statistics->rows = change->counts.rows;
	statistics->entries = change->counts.entries;
	for (int d = 0; d < rank; d++)
		statistics->values[d] = Min(change->counts.values[d], statistics->entries);
	return statistics;
}

/* Makes a change a tensor that terms can read. */
static ProgramTensor *
tensor_of_change(const TensorChange *change, const ProgramTensor *of)
{
	ProgramTensor *tensor = palloc0(sizeof(ProgramTensor));
	TensorEntry *entry = palloc0(sizeof(TensorEntry));
	Storage *storage = palloc(sizeof(Storage));

	*storage = change->storage;
	entry->name = tensor->name = psprintf("%s_change", of->name);
	entry->rank = tensor->rank = of->rank;
	entry->type = tensor->type = ELEMENT_FLOAT8;
	entry->storages = list_make1(storage);
	entry->state = statistics_of_change(change);
	for (int d = 0; d < of->rank; d++)
	{
		storage->dimensions[d].bound = of->bounds[d];
		entry->bounds[d] = tensor->bounds[d] = of->bounds[d];
		entry->state_keys[d] = storage->dimensions[d].key_type;
	}
	tensor->entry = entry;
	tensor->is_state = true;
	return tensor;
}

/* Notes how a tensor changes. Returns why that is not known as rows; or NULL. */
static const char *
note_changed_tensor(ChangedStatement *changed, const ProgramTensor *tensor)
{
	const Addition *addition = changed->addition;
	const Storage *storage = storage_read(addition, tensor->entry);
	ChangedTensor *added;
	TensorChange *change;
	const char *why;

	if (storage == NULL)
		return psprintf("tensor \"%s\" has several storages", tensor->name);
	why = reason_against_rows(storage);
	if (why)
		return why;
	change = known_change(addition, storage);
	if (change == NULL && list_member_oid(addition->refreshed, storage->relid))
		return psprintf("how table \"%s\" has changed is not known",
						get_rel_name(storage->relid));
	if (change == NULL && storage_key_count(storage) == 0)
		return psprintf("tensor \"%s\" has no keys", tensor->name);
	if (change == NULL)
	{
		change = new_change(storage, addition->new_name(addition->names));
		changed->own = lappend(changed->own, change);
		if (!read_pending_change(change, storage, addition->sources->position,
								 addition->caller, addition->result->program,
								 addition->snapshot))
			return psprintf("the log of table \"%s\" does not tell what has changed",
							get_rel_name(storage->relid));
	}
	changed->covered = list_append_unique_oid(changed->covered, storage->relid);
	if (!change_is_finite(change))
		return psprintf("NaN or infinity is in what has changed of \"%s\"", tensor->name);
	if (change->counts.rows == 0)
		return NULL;
	added = palloc0(sizeof(ChangedTensor));
	added->tensor = tensor;
	added->kind = CHANGE_ADDED;
	added->function = FUNCTION_ADD;
	added->change = tensor_of_change(change, tensor);
	changed->changed = lappend(changed->changed, added);
	return NULL;
}

/* Finds how all tensors change. Returns why that is not known; or NULL. */
static const char *
find_changed_tensors(ChangedStatement *changed)
{
	const Addition *addition = changed->addition;
	ListCell *lc;

	foreach (lc, changed->program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		const char *why;

		if (tensor->entry == NULL || tensor->shifted ||
			!has_changed(addition, tensor->entry))
			continue;
		why = note_changed_tensor(changed, tensor);
		if (why)
			return why;
	}
	foreach (lc, addition->sources->changed)
	{
		if (!list_member_oid(changed->covered, lfirst_oid(lc)))
			return psprintf("what table \"%s\" is read for is not one of the statement's "
							"tensors",
							get_rel_name(lfirst_oid(lc)));
	}
	return NULL;
}

/*
 * Makes the statement one of the terms that are to be added. Returns why there are no
 * such terms; or NULL.
 */
static const char *
make_change_statement(ChangedStatement *changed, const PlanOptions *options)
{
	Statement *statement = changed->statement;
	Decomposition shape = storage_decomposition(changed->addition->result);
	Delta *delta =
		new_delta(algebra_of_stages(changed->program, options), changed->changed);
	Bitmapset *labels = NULL;
	Change *change;
	ListCell *lc;

	for (int d = 0; d < statement->noutput; d++)
		labels = bms_add_member(labels, statement->output[d]);
	change = find_change(delta, statement->expr, labels);
	if (change->kind != CHANGE_ADDED)
		return change->why ? change->why : "it changes in another way";
	statement->expr = fix_types(
		changed->program, combined_terms(changed->program, change->terms, FUNCTION_ADD));
	statement->target->type = statement->expr->type.type;
	statement->target->fill = statement->expr->fill;
	if (statement->target->type != ELEMENT_FLOAT8 || statement->target->fill != 0.0)
		return "what is added is of another type than float8";
	pin_result(statement, &shape);
	foreach (lc, changed->changed)
		changed->program->states =
			lappend(changed->program->states, ((ChangedTensor *) lfirst(lc))->change);
	return NULL;
}

/* Returns the query with its columns cast to those of rows. */
static char *
with_types_of(const char *query, TupleDesc columns)
{
	StringInfoData select;
	StringInfoData names;

	initStringInfo(&select);
	initStringInfo(&names);
	for (int c = 0; c < columns->natts; c++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, c);

		appendStringInfo(&names, "%sc%d", c ? ", " : "", c);
		appendStringInfo(
			&select, "%sCAST(q.c%d AS %s)", c ? ", " : "", c,
			format_type_extended(column->atttypid, column->atttypmod,
								 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
	return psprintf("SELECT %s FROM (%s) AS q(%s)", select.data, query, names.data);
}

/*
 * Does computing the result, and comparing it with the table, cost less than this? expr:
 * the statement's right side.
 */
static bool
computing_costs_less(ChangedStatement *changed, TensorExpr *expr,
					 const PlanOptions *options, double cost)
{
	double rows = changed->addition->rows;
	Statement *statement = changed->statement;
	List *plans;

	if (enable_additions == NODES_FORCE || cost < LEAST_COMPARED || rows < 0)
		return false;
	statement->expr = expr;
	statement->target->type = expr->type.type;
	statement->target->fill = expr->fill;
	plans = find_plans_if_possible(changed->program, options);
	return plans &&
		   ((const ProgramPlan *) linitial(plans))->cost + COMPARED_ROW * rows < cost;
}

/* Computes what is added. Returns why that is impossible; or NULL. */
static const char *
compute_change(ChangedStatement *changed, TensorChange **change)
{
	const Addition *addition = changed->addition;
	const PlanOptions options = {.search = SEARCH_DP,
								 .alternative = 1,
								 .plans = 1,
								 .blocks = true,
								 .result = RESULT_AUTO,
								 .materialize = MATERIALIZE_AUTO,
								 .rewrite = REWRITE_DISTRIBUTE,
								 .estimator = estimators[default_estimator]};
	TensorExpr *expr = changed->statement->expr;
	const char *why = make_change_statement(changed, &options);
	const ProgramPlan *plan;
	List *plans;
	char *query;

	if (why)
		return why;
	plans = find_plans_if_possible(changed->program, &options);
	if (plans == NIL)
		return "what is to be added exceeds limits";
	plan = linitial(plans);
	*change = new_change(addition->result, addition->new_name(addition->names));
	query = with_types_of(deparse_program(plan), (*change)->rows->relation.md.tupdesc);
	if (computing_costs_less(
			changed, expr, &options,
			plan->cost + ADDED_ROW * plan->stages[plan->graph->last->number].tuples))
		return "so much has changed that computing it costs less";
	fill_change(*change,
				labelled_query(addition->caller, addition->result->program, query),
				addition->snapshot);
	return change_is_finite(*change) ? NULL : "NaN or infinity would be added";
}

const char *
find_addition(const Addition *addition, TensorChange **change)
{
	ChangedStatement changed = {.addition = addition};
	const ProgramTensor *other;
	const char *why;
	ListCell *lc;

	*change = NULL;
	if (enable_additions == NODES_OFF)
		return "sparseeinsum.enable_additions is off";
	if (addition->result->element_type != ELEMENT_FLOAT8)
		return "its numbers are not float8";
	/* names may have been registered anew, or not at all, since */
	if (attempt_without_locks(analyze_statement, &changed) != NULL ||
		!same_registrations(&changed))
		return "what it reads is registered in another way";
	other = read_as_view_does(&changed);
	if (other)
		return psprintf("its query does not read tensor \"%s\"", other->name);
	if (changed_dimension(&changed))
		return psprintf("keys of dimension \"%s\" have changed",
						changed_dimension(&changed));
	why = find_changed_tensors(&changed);
	if (why == NULL && changed.changed)
		why = compute_change(&changed, change);
	foreach (lc, changed.own)
		free_change(lfirst(lc));
	if (why && *change)
	{
		free_change(*change);
		*change = NULL;
	}
	return why;
}
