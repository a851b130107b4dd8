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
 * The session keeps the analysed statement and, for each set of tensors that have
 * changed, the query that was planned last (kept.c). It is planned again when the number
 * of rows that have changed leaves sparseeinsum.replan_factor.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "algebra/delta.h"
#include "catalog/attempt.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/tensor_statistics.h"
#include "catalog/view_reads.h"
#include "codegen/change_statement.h"
#include "codegen/deparse.h"
#include "codegen/log_rows.h"
#include "codegen/point.h"
#include "expr/analysis.h"
#include "expr/types.h"
#include "expr/walk.h"
#include "optimizer/plan.h"
#include "optimizer/settings.h"
#include "rows/added.h"

/* Processor time in microseconds of a row of a log that is read and netted. */
#define LOGGED_ROW 1.0

/* A tensor of a statement, and how it has changed. */
typedef struct ReadChange
{
	int number;                 /* of the tensor, in the program's list */
	char *name;                 /* of the rows */
	ChangeKind kind;            /* ADDED: all rows are finite */
	FunctionId function;        /* of BETTER: least or greatest */
	const TensorChange *change; /* NULL: it is of an earlier refresh */
} ReadChange;

/* The statement of a result, and what of it has changed. */
typedef struct ChangedStatement
{
	const Addition *addition;
	Program *program;
	Statement *statement;
	List *changed; /* of ReadChange * */
	List *own;     /* of TensorChange *: to be freed */
	List *covered; /* OIDs of the relations that hold the statement's tensors */
	bool better;   /* of interest is only what gets better */
} ChangedStatement;

/* The query of what follows after certain tensors have changed. */
typedef struct KeptQuery
{
	List *changed; /* of ReadChange * */
	double *rows;  /* of each of the changes, when the query was planned */
	char *query;
	const char *why; /* there is no query, in words; or NULL */
	/* add; or least or greatest: the rows are combined so with the result's, except fill */
	FunctionId function;
	double fill;
	double cost;   /* of the query */
	double tuples; /* that it has, as was estimated */
	/* if the query has keys that are touched: dimensions of the result, else NULL */
	Bitmapset *keys;
	/* the query of rows at these keys, the number of keys that it is for, and its cost */
	char *at_keys;
	double nkeys;
	double cost_at_keys;
} KeptQuery;

/* What the session keeps of a statement. */
typedef struct KeptStatement
{
	Program *program; /* analysed; it reads what the result's view reads */
	List *covered;    /* of its ChangedStatement */
	double computing; /* what computing the result costs; 0: not known yet */
	List *queries;    /* of KeptQuery * */
	KeptQuery again;  /* of rows that have moved too far */
} KeptStatement;

#define NOT_BETTER "not all that has changed has got better"

/* More queries of a statement are not kept. */
#define MOST_QUERIES 32

static void
analyze_statement(void *argument)
{
	ChangedStatement *changed = argument;

	changed->program = analyze_program(changed->addition->result->statement);
	changed->statement = llast(changed->program->statements);
}

/* Returns the OIDs of the relations that the result's view reads, and of its table. */
static List *
relations_read(const Addition *addition)
{
	List *relations = NIL;
	ListCell *lc;

	foreach (lc, addition->sources->states)
		relations = lappend_oid(relations, ((const RelationState *) lfirst(lc))->relid);
	return relations;
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

/* Returns the dimension whose keys have changed or are no longer read, or NULL. */
static const char *
changed_dimension(const ChangedStatement *changed)
{
	const Program *program = changed->program;
	const List *read = relations_read(changed->addition);

	for (int i = 0; i < program->nlabels; i++)
	{
		int64 bound = program->labels[i].bound;
		Oid keys;

		if (!program->labels[i].bounded || !bound_is_dimension(bound))
			continue;
		keys = dimension_relation(bound);
		if (!list_member_oid(read, keys) ||
			list_member_oid(changed->addition->sources->changed, keys))
			return dimension_name(bound);
	}
	return NULL;
}

/* The storage of a stored tensor, of which keep_storages_read has left one. */
static Storage *
storage_read(const ProgramTensor *tensor)
{
	return linitial(tensor->entry->storages);
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

/* Sets the program of a statement. Returns why it cannot be used; or NULL. */
static const char *
read_statement(ChangedStatement *changed)
{
	const ProgramTensor *other;

	/* names may have been registered anew, or not at all, since */
	if (attempt_without_locks(analyze_statement, changed) != NULL ||
		!same_registrations(changed))
		return "what it reads is registered in another way";
	other = keep_storages_read(changed->program, relations_read(changed->addition),
							   &changed->covered);
	return other ? psprintf("its query does not read tensor \"%s\"", other->name) : NULL;
}

/*
 * Returns what computing the result and comparing it with the table costs, which the
 * session keeps; INFINITY if that is not known.
 */
static double
cost_of_computing(const Addition *addition)
{
	KeptStatement *statement = addition->kept->statement;
	const PlanOptions options = options_of_change(MATERIALIZE_AUTO);
	Decomposition shape = storage_decomposition(addition->result);
	ChangedStatement changed = {.addition = addition};
	List *plans = NIL;

	if (addition->rows < 0)
		return INFINITY;
	if (statement->computing == 0.0)
	{
		if (read_statement(&changed) == NULL)
		{
			pin_result(changed.statement, &shape);
			plans = find_plans_if_possible(changed.program, &options);
		}
		statement->computing =
			plans ? ((const ProgramPlan *) linitial(plans))->cost : INFINITY;
	}
	return statement->computing +
		   addition->rows * (can_index_rows(NULL, addition->result, addition->rows)
								 ? INDEXED_ROW
								 : COMPARED_ROW);
}

/*
 * Reads the change of a table from its log, unless to read the log costs more than half of
 * computing the result: what is read in vain is lost.
 */
static PendingRows
read_pending(const Addition *addition, TensorChange *change, const Storage *storage)
{
	double most = enable_additions == NODES_FORCE ? INFINITY : LEAST_COMPARED;
	PendingRows told;

	do
	{
		told = read_pending_change(change, storage, addition->sources->position,
								   most / LOGGED_ROW, addition->caller,
								   addition->result->program, addition->snapshot,
								   addition->kept);
		if (told != PENDING_TOO_MANY || most > LEAST_COMPARED)
			break;
		most = cost_of_computing(addition) / 2;
	} while (most > LEAST_COMPARED);
	return told;
}

/*
 * Notes how a tensor of the program's list changes. Returns why that is not known as rows;
 * or NULL.
 */
static const char *
note_changed_tensor(ChangedStatement *changed, int number)
{
	const Addition *addition = changed->addition;
	const ProgramTensor *tensor = list_nth(changed->program->tensors, number);
	const Storage *storage = storage_read(tensor);
	ReadChange *read;
	TensorChange *change;
	PendingRows told;
	const char *why = reason_against_rows(storage);

	change = known_change(addition, storage);
	if (change == NULL && list_member_oid(addition->refreshed, storage->relid))
		return psprintf("how table \"%s\" has changed is not known",
						get_rel_name(storage->relid));
	if (changed->better && (change || reason_against_better(storage)))
		return NOT_BETTER;
	if (change == NULL && why && !changed->better &&
		bms_is_empty(marked_dimensions(storage)))
		return why;
	if (change == NULL)
	{
		const char *name = name_of_change(storage->relid, number + 1);

		change = why && !changed->better ? new_marks(storage, name)
										 : new_change(storage, name);
		changed->own = lappend(changed->own, change);
		if (changed->better &&
			!read_pending_better(change, storage, addition->sources->position,
								 addition->caller, addition->result->program,
								 addition->snapshot, addition->kept))
			return NOT_BETTER;
		told = changed->better ? PENDING_TOLD : read_pending(addition, change, storage);
		if (told == PENDING_TOO_MANY)
			return COSTS_MORE;
		if (told == PENDING_NOT_TOLD)
			return psprintf("the log of table \"%s\" does not tell what has changed",
							get_rel_name(storage->relid));
	}
	if (change->counts.rows == 0)
		return NULL;
	read = palloc(sizeof(ReadChange));
	*read = (ReadChange){.number = number,
						 .name = change->storage.ephemeral,
						 .kind = change->kind,
						 .function = change->function,
						 .change = change};
	/* numbers of other types are rounded otherwise */
	if (read->kind == CHANGE_ADDED && (!change_is_finite(change) || addition->at_keys ||
									   addition->result->element_type != ELEMENT_FLOAT8))
		read->kind = CHANGE_AT_KEYS;
	changed->changed = lappend(changed->changed, read);
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
			!list_member_oid(addition->sources->changed, storage_read(tensor)->relid))
			continue;
		why = note_changed_tensor(changed, foreach_current_index(lc));
		if (why)
			return why;
	}
	/* a table that is a tensor, too, may also be read through a view */
	foreach (lc, changed->covered)
	{
		List *read;
		ListCell *lc2;

		if (get_rel_relkind(lfirst_oid(lc)) != RELKIND_VIEW)
			continue;
		read = with_what_they_read(list_make1_oid(lfirst_oid(lc)));
		foreach (lc2, addition->sources->changed)
		{
			if (list_member_oid(read, lfirst_oid(lc2)))
				return psprintf("what follows in view \"%s\" is not known",
								get_rel_name(lfirst_oid(lc)));
		}
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

/* Returns how the tensors that a statement reads change. */
static List *
changed_tensors(const ChangedStatement *changed)
{
	List *tensors = NIL;
	ListCell *lc;

	foreach (lc, changed->changed)
	{
		const ReadChange *read = lfirst(lc);
		ChangedTensor *tensor = palloc0(sizeof(ChangedTensor));

		tensor->tensor = list_nth(changed->program->tensors, read->number);
		if (read->change->kind == CHANGE_AT_KEYS)
		{
			tensors = lappend(
				tensors, tensor_marked(tensor->tensor, &read->change->storage,
									   marked_dimensions(storage_read(tensor->tensor)),
									   statistics_of_change(read->change)));
			continue;
		}
		tensor->kind = read->kind;
		tensor->function = read->change->function;
		tensor->change = tensor_of_change(
			&read->change->storage, statistics_of_change(read->change), tensor->tensor);
		for (int d = 0; d < tensor->tensor->rank; d++)
			tensor->keys = bms_add_member(tensor->keys, d);
		tensors = lappend(tensors, tensor);
	}
	return tensors;
}

static Bitmapset *
promoted_dimensions(const Storage *storage)
{
	Bitmapset *dimensions = NULL;

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind == DIMENSION_PROMOTED)
			dimensions = bms_add_member(dimensions, d);
	}
	return dimensions;
}

/* Sets the program of a statement to the one that is kept, which is not to be changed. */
static const char *
know_statement(ChangedStatement *changed)
{
	KeptTable *kept = changed->addition->kept;
	KeptStatement *statement = kept->statement;
	MemoryContext memory;
	MemoryContext old;
	const char *why;

	if (statement)
	{
		changed->program = statement->program;
		changed->covered = statement->covered;
		return NULL;
	}
	memory = AllocSetContextCreate(CurrentMemoryContext, "sparseeinsum kept statement",
								   ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(memory);
	why = read_statement(changed);
	if (why == NULL)
	{
		statement = palloc0(sizeof(KeptStatement));
		statement->program = changed->program;
		statement->covered = changed->covered;
		statement->again.keys = promoted_dimensions(changed->addition->result);
		MemoryContextSetParent(memory, kept->memory);
		kept->statement = statement;
	}
	MemoryContextSwitchTo(old);
	return why;
}

/* Returns the query of a plan as it is run: labelled, with columns of these types. */
static char *
query_to_run(const Addition *addition, const char *query, TupleDesc columns)
{
	return labelled_query(addition->caller, addition->result->program,
						  with_types_of(query, columns));
}

/*
 * Returns a query of what is added in the order of its keys: these are looked up in the
 * table, where rows with keys near to each other often are in the same pages.
 */
static char *
in_order(const Addition *addition, char *query)
{
	StringInfoData order;
	int nkeys = storage_key_count(addition->result);

	if (!addition->ordered || nkeys == 0)
		return query;
	initStringInfo(&order);
	for (int k = 1; k <= nkeys; k++)
		appendStringInfo(&order, "%s%d", k == 1 ? "" : ", ", k);
	return psprintf("%s ORDER BY %s", query, order.data);
}

/*
 * Plans what follows from changes, or its magnitude. Returns the query, and adds its cost
 * to that of the query that is kept.
 */
static char *
plan_change(const ChangedStatement *known, bool magnitude, KeptQuery *query)
{
	const Addition *addition = known->addition;
	const PlanOptions options = options_of_change(MATERIALIZE_AUTO);
	Decomposition shape = storage_decomposition(addition->result);
	ChangedStatement changed = {.addition = addition, .changed = known->changed};
	const ProgramPlan *plan;
	ChangeKind kind;
	const char *why;
	List *plans;

	/* planning changes the program */
	query->why = read_statement(&changed);
	if (query->why == NULL &&
		list_length(changed.program->tensors) != list_length(known->program->tensors))
		query->why = "what it reads is registered in another way";
	if (query->why)
		return NULL;
	kind =
		make_change_statement(changed.program, changed_tensors(&changed), &shape,
							  &options, magnitude, &query->function, &query->keys, &why);
	if (kind != (known->better ? CHANGE_BETTER : CHANGE_ADDED) &&
		(known->better || kind != CHANGE_AT_KEYS))
	{
		query->why = why ? why : CHANGES_OTHERWISE;
		return NULL;
	}
	query->fill =
		creal(((const Statement *) llast(changed.program->statements))->target->fill);
	plans = find_plans_if_possible(changed.program, &options);
	if (plans == NIL)
	{
		query->why = "what is to be added exceeds limits";
		return NULL;
	}
	plan = linitial(plans);
	query->cost += plan->cost;
	query->tuples = plan->stages[plan->graph->last->number].tuples;
	return deparse_program(plan);
}

/*
 * Plans the query of what follows from changes: of keys that are touched, or of what is
 * added, for a result whose rows move with its magnitude.
 */
static void
plan_query(const ChangedStatement *known, KeptQuery *query)
{
	const Addition *addition = known->addition;
	const Storage *result = addition->result;
	char *sql = plan_change(known, false, query);
	bool moves = query->keys == NULL && !known->better && result->moved;
	char *magnitude = sql && moves ? plan_change(known, true, query) : NULL;

	if (query->why)
		return;
	if (moves)
		sql = with_both_values(sql, magnitude, storage_key_count(result));
	query->query = query_to_run(addition, sql,
								query->keys ? columns_of_touched(result, query->keys)
								: moves     ? columns_of_moving(result)
											: columns_of_change(result));
	if (query->keys == NULL)
		query->query = in_order(addition, query->query);
}

/* Plans the query of the result's rows at this number of keys. */
static void
plan_query_at_keys(const Addition *addition, KeptQuery *query, const char *rows,
				   double count)
{
	Decomposition shape = storage_decomposition(addition->result);
	ChangedStatement changed = {.addition = addition};
	const ProgramPlan *plan = NULL;

	if (read_statement(&changed) == NULL)
		plan = plan_at_keys(changed.program, &shape, query->keys, rows, count);
	if (query->at_keys)
		pfree(query->at_keys);
	query->at_keys = NULL;
	query->nkeys = count;
	if (plan == NULL)
		return;
	query->at_keys = MemoryContextStrdup(
		addition->kept->memory,
		query_to_run(addition, deparse_point(plan), addition->columns));
	query->cost_at_keys = plan->cost;
}

/* Is a query of these changes, and of about as many rows? */
static bool
is_of_changes(const KeptQuery *query, const List *changed)
{
	if (list_length(query->changed) != list_length(changed))
		return false;
	for (int i = 0; i < list_length(changed); i++)
	{
		const ReadChange *now = list_nth(changed, i);
		const ReadChange *then = list_nth(query->changed, i);

		if (now->number != then->number || strcmp(now->name, then->name) != 0 ||
			now->kind != then->kind || now->function != then->function ||
			has_left(now->change->counts.rows, query->rows[i]))
			return false;
	}
	return true;
}

/* Keeps a query of these changes, and returns what is kept. */
static KeptQuery *
keep_query(KeptTable *kept, const List *changed, const KeptQuery *query)
{
	KeptStatement *statement = kept->statement;
	MemoryContext old = MemoryContextSwitchTo(kept->memory);
	KeptQuery *copy = palloc(sizeof(KeptQuery));
	ListCell *lc;

	*copy = *query;
	copy->changed = NIL;
	copy->rows = palloc(sizeof(double) * list_length(changed));
	foreach (lc, changed)
	{
		const ReadChange *read = lfirst(lc);
		ReadChange *former = palloc0(sizeof(ReadChange));

		former->number = read->number;
		former->name = pstrdup(read->name);
		former->kind = read->kind;
		former->function = read->function;
		copy->rows[foreach_current_index(lc)] = read->change->counts.rows;
		copy->changed = lappend(copy->changed, former);
	}
	copy->query = query->query ? pstrdup(query->query) : NULL;
	copy->why = query->why ? pstrdup(query->why) : NULL;
	copy->keys = bms_copy(query->keys);
	statement->queries = lcons(copy, statement->queries);
	if (list_length(statement->queries) >= MOST_QUERIES)
		kept->valid = false;
	MemoryContextSwitchTo(old);
	return copy;
}

/* Returns the query of what follows from changes, a kept one if that is possible. */
static KeptQuery *
query_of_changes(const ChangedStatement *changed)
{
	KeptStatement *statement = changed->addition->kept->statement;
	KeptQuery query = {0};
	ListCell *lc;

	foreach (lc, statement->queries)
	{
		if (is_of_changes(lfirst(lc), changed->changed))
			return lfirst(lc);
	}
	plan_query(changed, &query);
	return keep_query(changed->addition->kept, changed->changed, &query);
}

/*
 * Does computing the result, and comparing it with the table, cost less than a query that
 * reads a number of rows in memory, and adding the rows that come out? PostgreSQL, which
 * is asked second, knows of indexes by which few rows are reached.
 */
static bool
computing_costs_less(const Addition *addition, const char *query, double read,
					 double cost, double rows)
{
	double adding = ADDED_ROW * rows;
	double computing;

	if (enable_additions == NODES_FORCE || cost + adding < LEAST_COMPARED)
		return false;
	computing = cost_of_computing(addition) + WRITTEN_ROW * rows;
	return cost + adding > computing &&
		   time_of_plan(addition->kept, query, read) + adding > computing;
}

/*
 * Returns rows of this number and these columns, filled by a query and registered. is_result:
 * they are entries of the result, of which those at its fill mean nothing.
 */
static Rows *
read_rows(const Addition *addition, int number, TupleDesc columns, const char *query,
		  double count, bool is_result)
{
	Rows *rows = new_rows(name_of_change(addition->result->relid, number), NULL);
	const ReadingAt reading = {.query = query,
							   .snapshot = addition->snapshot,
							   .kept = addition->kept,
							   .rows = count};
	RowCounts counts;

	set_columns(rows, columns, false);
	if (is_result)
		fill_tensor_rows_at(rows, &reading, addition->result, &counts);
	else
		fill_rows_at(rows, &reading);
	register_rows(rows);
	return rows;
}

/* Computes the result's rows at the keys of a query, of which some are found. */
static const char *
compute_at_keys(const Addition *addition, KeptQuery *query, FoundChange *found)
{
	double count = number_of_rows(found->touched);

	found->keys = query->keys;
	if (query->at_keys == NULL || has_left(count, query->nkeys))
		plan_query_at_keys(addition, query, found->touched->relation.md.name, count);
	if (query->at_keys == NULL)
		return "its rows at some keys exceed limits";
	if (computing_costs_less(addition, query->at_keys, count, query->cost_at_keys, count))
		return COSTS_MORE;
	found->computed = read_rows(addition, ROWS_COMPUTED, addition->columns,
								query->at_keys, count, true);
	return NULL;
}

/* Finds the keys that are touched, and computes the result's rows there. */
static const char *
compute_touched(const ChangedStatement *changed, KeptQuery *query, double rows,
				FoundChange *found)
{
	const Addition *addition = changed->addition;

	found->touched = read_rows(addition, ROWS_TOUCHED,
							   columns_of_touched(addition->result, query->keys),
							   query->query, rows, false);
	if (number_of_rows(found->touched) > 0)
		return compute_at_keys(addition, query, found);
	free_found(found);
	return NULL;
}

char *
query_of_moving(const Storage *result, const Rows *moving)
{
	StringInfoData keys;

	initStringInfo(&keys);
	for (int d = 0; d < result->rank; d++)
	{
		if (result->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&keys, "d%d, ", d);
	}
	return psprintf("SELECT %svalue FROM %s WHERE value IS NOT NULL", keys.data,
					quote_identifier(moving->relation.md.name));
}

/* Finds what a query adds to the result. */
static void
find_added(const Addition *addition, const KeptQuery *query, double rows,
		   FoundChange *found)
{
	const Storage *result = addition->result;
	ReadingAt reading = {.query = query->query,
						 .snapshot = addition->snapshot,
						 .kept = addition->kept,
						 .rows = rows};

	if (result->moved)
	{
		found->moving = read_rows(addition, ROWS_MOVING, columns_of_moving(result),
								  query->query, rows, false);
		reading.query = labelled_query(addition->caller, result->program,
									   query_of_moving(result, found->moving));
	}
	found->added = new_change(result, name_of_change(result->relid, 0));
	fill_change(found->added, &reading);
}

/* Returns the query of the rows that a result has behind terms of an extreme. */
static char *
query_of_extremes(const Addition *addition, const KeptQuery *query, const Rows *terms)
{
	const Storage *result = addition->result;
	const char *value = quote_identifier(result->value_column);
	StringInfoData columns;
	StringInfoData keys;

	initStringInfo(&columns);
	initStringInfo(&keys);
	for (int d = 0; d < result->rank; d++)
	{
		appendStringInfo(&columns, "e.d%d, ", d);
		appendStringInfo(&keys, "%se.d%d OPERATOR(pg_catalog.=) t.%s", d ? " AND " : "",
						 d, quote_identifier(result->dimensions[d].column));
	}
	/* NaN stays; in SQL it is greater than all else */
	return query_to_run(
		addition,
		psprintf(
			"SELECT %sCASE WHEN t.%s OPERATOR(pg_catalog.=) %s THEN t.%s ELSE "
			"%s(e.value, COALESCE(t.%s, %s)) END FROM %s AS e LEFT JOIN %s AS t ON %s",
			columns.data, value, float8_literal(NAN), value,
			query->function == FUNCTION_LEAST ? "LEAST" : "GREATEST", value,
			float8_literal(creal(result->fill)),
			quote_identifier(terms->relation.md.name),
			qualified_relation_name(result->relid), keys.data),
		addition->columns);
}

/*
 * Computes the terms of an extreme that have got better, and the result's rows with them.
 */
static const char *
compute_better(const Addition *addition, const KeptQuery *query, double rows,
			   FoundChange *found)
{
	const Storage *result = addition->result;
	TensorChange *terms = new_change(result, name_of_change(result->relid, ROWS_TOUCHED));
	const char *why = NULL;

	terms->storage.fill = query->fill;
	fill_change(terms, &(ReadingAt){.query = query->query,
									.snapshot = addition->snapshot,
									.kept = addition->kept,
									.rows = rows});
	if (terms->counts.nans > 0)
		why = NOT_BETTER;
	if (why || terms->counts.rows == 0)
	{
		free_change(terms);
		return why;
	}
	found->better = true;
	found->touched = terms->rows;
	found->keys = bms_add_range(NULL, 0, result->rank - 1);
	found->computed = read_rows(addition, ROWS_COMPUTED, addition->columns,
								query_of_extremes(addition, query, terms->rows),
								terms->counts.rows, true);
	return NULL;
}

/* Computes what follows from changes. Returns why that is impossible; or NULL. */
static const char *
compute_change(ChangedStatement *changed, FoundChange *found)
{
	const Addition *addition = changed->addition;
	double rows = 0.0;
	double planned = 0.0;
	KeptQuery *query = query_of_changes(changed);
	ListCell *lc;

	if (query->why)
		return query->why;
	foreach (lc, changed->changed)
	{
		rows += ((const ReadChange *) lfirst(lc))->change->counts.rows;
		planned += query->rows[foreach_current_index(lc)];
	}
	/* it may have been planned for fewer rows, or for more */
	if (computing_costs_less(addition, query->query, rows, query->cost * rows / planned,
							 query->tuples * rows / planned))
		return COSTS_MORE;
	if (query->keys)
		return compute_touched(changed, query, rows, found);
	if (query->function != FUNCTION_ADD)
		return compute_better(addition, query, rows, found);
	find_added(addition, query, rows, found);
	return NULL;
}

const char *
find_at_keys(const Addition *addition, Rows *keys, FoundChange *found)
{
	KeptStatement *statement = addition->kept->statement;

	*found = (FoundChange){.touched = keys};
	if (bms_is_empty(statement->again.keys))
		return "rows have moved too far since they were computed";
	return compute_at_keys(addition, &statement->again, found);
}

void
free_found(FoundChange *found)
{
	if (found->added)
		free_change(found->added);
	if (found->moving)
		free_rows(found->moving);
	if (found->touched)
		free_rows(found->touched);
	if (found->computed)
		free_rows(found->computed);
	*found = (FoundChange){NULL};
}

static Walk
look_at_extreme(const TensorExpr *expr, void *context)
{
	bool is_extreme = expr_is_map(expr, FUNCTION_LEAST) ||
					  expr_is_map(expr, FUNCTION_GREATEST) ||
					  (expr->kind == EXPR_AGGREGATE && expr->aggregate != AGGREGATE_SUM &&
					   expr->aggregate != AGGREGATE_PROD);

	return is_extreme ? WALK_END : WALK_BELOW;
}

/*
 * If a result is an extreme, and all that has changed has got better, finds its rows at the
 * keys at which it gets better too.
 */
static bool
find_better(const ChangedStatement *known, FoundChange *found)
{
	const Storage *result = known->addition->result;
	const Statement *statement = llast(known->program->statements);
	ChangedStatement changed = {.addition = known->addition,
								.program = known->program,
								.covered = known->covered,
								.better = true};
	const char *why;
	ListCell *lc;

	if (result->rank == 0 || reason_against_better(result) ||
		getBaseType(result->value_type) != FLOAT8OID ||
		!walk_expr(statement->expr, look_at_extreme, NULL))
		return false;
	why = find_changed_tensors(&changed);
	if (why == NULL && changed.changed)
		why = compute_change(&changed, found);
	foreach (lc, changed.own)
		free_change(lfirst(lc));
	if (why)
		free_found(found);
	return why == NULL;
}

const char *
find_addition(const Addition *addition, FoundChange *found)
{
	ChangedStatement changed = {.addition = addition};
	const char *why;
	ListCell *lc;

	*found = (FoundChange){NULL};
	if (enable_additions == NODES_OFF)
		return "sparseeinsum.enable_additions is off";
	why = know_statement(&changed);
	if (why)
		return why;
	if (changed_dimension(&changed))
		return psprintf("keys of dimension \"%s\" have changed",
						changed_dimension(&changed));
	if (!addition->at_keys && find_better(&changed, found))
		return NULL;
	why = find_changed_tensors(&changed);
	if (why == NULL && changed.changed)
		why = compute_change(&changed, found);
	if (why == NULL && found->added && !change_is_finite(found->added))
	{
		/* terms may be infinite where the result is not */
		free_found(found);
		foreach (lc, changed.changed)
		{
			ReadChange *read = lfirst(lc);

			if (read->kind == CHANGE_ADDED)
				read->kind = CHANGE_AT_KEYS;
		}
		why = compute_change(&changed, found);
	}
	foreach (lc, changed.own)
		free_change(lfirst(lc));
	if (why)
		free_found(found);
	return why;
}
