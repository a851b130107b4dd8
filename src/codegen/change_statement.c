/*-------------------------------------------------------------------------
 *
 * change_statement.c
 *	  The statement of what is added to a result when tensors that it reads change.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "algebra/magnitude.h"
#include "catalog/origin.h"
#include "codegen/change_statement.h"
#include "codegen/log_rows.h"
#include "expr/analysis.h"
#include "expr/types.h"
#include "optimizer/settings.h"
#include "optimizer/stage.h"

TensorEntry *
entry_of_rows(Storage *storage, const char *name, const TensorStatistics *statistics)
{
	TensorEntry *entry = palloc0(sizeof(TensorEntry));

	entry->name = unconstify(char *, name);
	entry->rank = storage->rank;
	entry->type = storage->element_type;
	entry->fill = storage->fill;
	entry->storages = list_make1(storage);
	entry->state = statistics;
	for (int d = 0; d < storage->rank; d++)
	{
		entry->bounds[d] = storage->dimensions[d].bound;
		entry->state_keys[d] = storage->dimensions[d].key_type;
	}
	return entry;
}

ProgramTensor *
tensor_of_change(const Storage *change, const TensorStatistics *statistics,
				 const ProgramTensor *of)
{
	Storage *storage = palloc(sizeof(Storage));

	*storage = *change;
	for (int d = 0; d < of->rank; d++)
		storage->dimensions[d].bound = of->bounds[d];
	return tensor_of_state(
		entry_of_rows(storage, psprintf("%s_change", of->name), statistics));
}

/* Returns statistics of a change of a tensor, with this number of rows. */
static TensorStatistics *
statistics_of_rows(const Storage *change, const ProgramTensor *tensor, double rows)
{
	TensorStatistics *statistics = new_statistics(change->rank);

	statistics->exact = true;
	statistics->rows = statistics->entries = rows;
	for (int d = 0; d < change->rank; d++)
	{
		const StorageDimension *dimension = &change->dimensions[d];
		double bound = bound_is_open(tensor->bounds[d])
						   ? rows
						   : (double) bound_size(tensor->bounds[d]);

		if (dimension->kind == DIMENSION_DEMOTED)
			statistics->entries *= bound;
		else if (dimension->kind == DIMENSION_BLOCKED)
			statistics->entries *= dimension->block;
		statistics->values[d] =
			dimension->kind == DIMENSION_PROMOTED ? Min(bound, rows) : bound;
	}
	return statistics;
}

ChangedTensor *
tensor_marked(const ProgramTensor *tensor, const Storage *marks, const Bitmapset *marked,
			  const TensorStatistics *statistics)
{
	ChangedTensor *changed = palloc0(sizeof(ChangedTensor));
	Storage *storage = palloc(sizeof(Storage));
	ProgramTensor of = {.rank = marks->rank};
	int d = -1;

	*storage = *marks;
	for (int n = 0; n < marks->rank; n++)
	{
		d = bms_next_member(marked, d);
		storage->dimensions[n].bound = of.bounds[n] = tensor->bounds[d];
	}
	if (statistics == NULL)
		statistics = statistics_of_rows(marks, &of, FEW_CHANGED_ROWS);
	changed->tensor = tensor;
	changed->kind = CHANGE_AT_KEYS;
	changed->keys = bms_copy(marked);
	changed->change = tensor_of_state(
		entry_of_rows(storage, psprintf("%s_marks", tensor->name), statistics));
	return changed;
}

ChangedTensor *
tensor_added_to(const ProgramTensor *tensor, const Storage *change, double rows)
{
	ChangedTensor *changed = palloc0(sizeof(ChangedTensor));

	changed->tensor = tensor;
	changed->kind = CHANGE_ADDED;
	changed->function = FUNCTION_ADD;
	changed->change =
		tensor_of_change(change, statistics_of_rows(change, tensor, rows), tensor);
	return changed;
}

PlanOptions
options_of_change(Materialize materialize)
{
	return (PlanOptions){.search = SEARCH_DP,
						 .alternative = 1,
						 .plans = 1,
						 .blocks = true,
						 .result = RESULT_AUTO,
						 .materialize = materialize,
						 .rewrite = REWRITE_DISTRIBUTE,
						 .estimator = estimators[default_estimator]};
}

/*
 * Leaves a tensor one of the storages that are read: its name may mean other tables now, as
 * after a schema was renamed. All storages agree, but not at every moment; so it is the log
 * of the same one that tells what has changed. False if none is read.
 */
static bool
keep_storage_read(TensorEntry *entry, const List *relations, List **covered)
{
	Storage *kept = NULL;
	ListCell *lc;

	foreach (lc, entry->storages)
	{
		Storage *storage = lfirst(lc);

		if (!list_member_oid(relations, storage->relid))
			continue;
		*covered = list_append_unique_oid(*covered, storage->relid);
		if (kept == NULL || (reason_against_rows(kept) && !reason_against_rows(storage)))
			kept = storage;
	}
	entry->storages = kept ? list_make1(kept) : NIL;
	return kept != NULL;
}

const ProgramTensor *
keep_storages_read(Program *program, const List *relations, List **covered)
{
	const List *tensors[] = {program->tensors, program->shifted};
	ListCell *lc;

	for (int i = 0; i < (int) lengthof(tensors); i++)
	{
		foreach (lc, tensors[i])
		{
			const ProgramTensor *tensor = lfirst(lc);

			if (tensor->entry && !keep_storage_read(tensor->entry, relations, covered))
				return tensor;
		}
	}
	return NULL;
}

/*
 * Makes the last statement compute what is added to its result. Returns why it cannot; or
 * NULL.
 */
static const char *
make_added(Program *program, TensorExpr *added, const Decomposition *shape)
{
	Statement *statement = llast(program->statements);

	statement->expr = fix_types(program, added);
	statement->target->type = statement->expr->type.type;
	statement->target->fill = statement->expr->fill;
	if (statement->target->type != ELEMENT_FLOAT8 || statement->target->fill != 0.0)
		return "what is added is of another type than float8";
	pin_result(statement, shape);
	return NULL;
}

/* Makes the last statement one of the terms of an extreme. Returns why not; or NULL. */
static const char *
make_better(Program *program, TensorExpr *terms, const Decomposition *shape)
{
	Statement *statement = llast(program->statements);

	statement->expr = fix_types(program, terms);
	statement->target->type = statement->expr->type.type;
	statement->target->fill = statement->expr->fill;
	if (statement->target->type != ELEMENT_FLOAT8)
		return "its terms are of another type than float8";
	pin_result(statement, shape);
	return NULL;
}

/*
 * Makes the last statement compute the keys at which its result may differ: a tensor over
 * those labels that are keys of the result's table. Returns why it cannot; or NULL.
 */
static const char *
make_touched(Program *program, const Change *change, const Decomposition *shape,
			 Bitmapset **keys)
{
	Statement *statement = llast(program->statements);
	TensorExpr *touched = change->touched;
	Decomposition all = {0};
	Bitmapset *labels = NULL;
	int n = 0;

	for (int d = 0; d < statement->noutput; d++)
	{
		int label = statement->output[d];

		if (!(shape->promoted & (1u << d)) || !bms_is_member(label, change->keys))
			continue;
		*keys = bms_add_member(*keys, d);
		labels = bms_add_member(labels, label);
		statement->target->bounds[n] = statement->target->bounds[d];
		all.promoted |= 1u << n;
		statement->output[n++] = label;
	}
	if (n == 0)
		return psprintf("%s, and all rows may be concerned",
						change->why ? change->why : CHANGES_OTHERWISE);
	statement->noutput = statement->target->rank = n;
	if (!bms_is_subset(touched->labels, labels))
		touched = expr_aggregate(program, AGGREGATE_ANY,
								 bms_difference(touched->labels, labels), touched, -1);
	statement->expr = fix_types(program, touched);
	statement->target->type = statement->expr->type.type;
	statement->target->fill = statement->expr->fill;
	if (statement->target->fill != 0.0)
		return "all rows may be concerned";
	pin_result(statement, &all);
	return NULL;
}

ChangeKind
make_change_statement(Program *program, const List *changed, const Decomposition *shape,
					  const PlanOptions *options, bool magnitude, FunctionId *function,
					  Bitmapset **keys, const char **why)
{
	Algebra *algebra = algebra_of_stages(program, options);
	const Statement *statement = llast(program->statements);
	Bitmapset *labels = NULL;
	const char *problem = NULL;
	Change *change;
	ListCell *lc;

	*keys = NULL;
	*function = FUNCTION_ADD;
	for (int d = 0; d < statement->noutput; d++)
		labels = bms_add_member(labels, statement->output[d]);
	change = find_change(new_delta(algebra, changed), statement->expr, labels);
	if (change->kind == CHANGE_ADDED)
	{
		TensorExpr *added = combined_terms(program, change->terms, FUNCTION_ADD);

		problem =
			make_added(program, magnitude ? magnitude_of(algebra, added) : added, shape);
	}
	else if (change->kind == CHANGE_BETTER)
	{
		*function = change->function;
		problem = make_better(program, combined_terms(program, change->terms, *function),
							  shape);
	}
	else if (change->kind == CHANGE_AT_KEYS)
		problem = make_touched(program, change, shape, keys);
	else if (change->kind != CHANGE_NONE)
		problem = change->why ? change->why : CHANGES_OTHERWISE;
	foreach (lc, changed)
	{
		const ChangedTensor *tensor = lfirst(lc);

		if (tensor->change)
			program->states = lappend(program->states, tensor->change);
	}
	*why = problem ? problem : change->why;
	return problem ? CHANGE_WHOLE : change->kind;
}

const ProgramPlan *
plan_at_keys(Program *program, const Decomposition *shape, const Bitmapset *keys,
			 const char *name, double count)
{
	/* not on the stack: the plan keeps a pointer to them */
	PlanOptions *options = palloc(sizeof(PlanOptions));
	Statement *statement = llast(program->statements);
	List *plans;
	int d = -1;

	*options = options_of_change(MATERIALIZE_AUTO);
	options->at = palloc(sizeof(char *) * bms_num_members(keys));
	options->at_rows = name;
	options->at_count = count;
	while ((d = bms_next_member(keys, d)) >= 0)
		options->at[options->nat++] = program->labels[statement->output[d]].name;
	pin_result(statement, shape);
	plans = find_plans_if_possible(program, options);
	return plans == NIL ? NULL : linitial(plans);
}

char *
with_both_values(const char *query, const char *other, int nkeys)
{
	StringInfoData keys;
	StringInfoData names;
	StringInfoData equal;

	initStringInfo(&keys);
	initStringInfo(&names);
	initStringInfo(&equal);
	/* nothing in it has a sign */
	if (strcmp(query, other) == 0)
	{
		for (int k = 0; k < nkeys; k++)
		{
			appendStringInfo(&keys, "a.k%d, ", k);
			appendStringInfo(&names, "k%d, ", k);
		}
		return psprintf("SELECT %sa.v, a.v FROM (%s) AS a(%sv)", keys.data, query,
						names.data);
	}
	for (int k = 0; k < nkeys; k++)
	{
		appendStringInfo(&keys, "COALESCE(a.k%d, b.k%d), ", k, k);
		appendStringInfo(&names, "k%d, ", k);
		appendStringInfo(&equal, "%sa.k%d OPERATOR(pg_catalog.=) b.k%d", k ? " AND " : "",
						 k, k);
	}
	return psprintf("SELECT %sa.v, COALESCE(b.v, a.v) FROM (%s) AS a(%sv) FULL JOIN (%s) "
					"AS b(%sv) ON %s",
					keys.data, query, names.data, other, names.data,
					nkeys ? equal.data : "true");
}

char *
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
			&select, "%sCAST(q.c%d AS %s) AS %s", c ? ", " : "", c,
			format_type_extended(column->atttypid, column->atttypmod,
								 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY),
			quote_identifier(NameStr(column->attname)));
	}
	return psprintf("SELECT %s FROM (%s) AS q(%s)", select.data, query, names.data);
}
