/*-------------------------------------------------------------------------
 *
 * now.c
 *	  Views of results in tables that are current between refreshes.
 *
 * The view t__now of a table t adds to the rows of t what follows from rows of logs that
 * are pending, those that t has not seen:
 *
 *	  SELECT keys, old + added FROM (
 *	    SELECT t.keys, t.value AS old, e.value AS added FROM t LEFT JOIN e ON keys equal
 *	    UNION ALL
 *	    SELECT e.keys, NULL, e.value FROM e WHERE NOT EXISTS (row of t)) AS r
 *	  UNION ALL
 *	  SELECT keys, value FROM live WHERE the logs do not tell all
 *
 * A result to which nothing is added, since it changes at keys, is computed at these:
 *
 *	  SELECT keys, value FROM t WHERE NOT EXISTS (row of touched at its keys)
 *	  UNION ALL
 *	  SELECT keys, value FROM computed
 *
 * touched is the query of the keys, and computed that of the program at these keys, from
 * the tables of the user's on. What is added to t is then the difference of computed and t.
 *
 * e is the query of what is added (change_statement.c). It reads the change of a stored
 * tensor from its log (log_rows.c), and that of another result of the program by the query
 * that the view of this one has; the old state of such a result is its table. Nothing is
 * grouped above the join, so that conditions on keys reach the index of t and the
 * factors of what is added. Where a sum is NaN, infinite, or little of what it is the sum
 * of, live is asked at its key.
 *
 * Whether the logs tell all is found when the view is read (rows/now.c), once: it then
 * reads either the first two SELECTs or the last. So the view is right also after a
 * restore, which keeps no positions, and it depends on nothing but what it names.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "catalog/attempt.h"
#include "catalog/change_log.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/tensor_storage.h"
#include "catalog/view_reads.h"
#include "codegen/change_statement.h"
#include "codegen/deparse.h"
#include "codegen/explain.h"
#include "codegen/log_rows.h"
#include "codegen/now.h"
#include "codegen/point.h"
#include "codegen/replace.h"
#include "codegen/tables.h"
#include "expr/analysis.h"
#include "optimizer/settings.h"
#include "type/extension.h"

/*
 * A result that is computed from more than this many results that change at keys has no
 * view t__now: it would compute each of these from the user's tables, and take longer than
 * computing the result itself.
 */
#define MOST_AT_KEYS 4

/* The CTE that tells whether the logs tell all; no tensor has such a name. */
#define FOLLOWED "\"@followed\""

/* Rows of a log that are pending for a result, as the change of a tensor. */
typedef struct LogChange
{
	Oid result;
	Oid table;
	Oid log;
	const char *tensor;
	Storage change;
	char *query;
} LogChange;

/* How a table changes that holds a result. */
typedef struct ResultChange
{
	Oid table;
	Storage change; /* of its rows; ephemeral: the CTE of the query */
	double rows;    /* estimated */
	char *query;    /* what is added: keys d0, d1, ..., and value; NULL: nothing, ever */
	/*
	 * of a result that changes at keys: the dimensions that are these keys; the queries of
	 * the keys, and of its rows at them; the names of these queries' rows; else NULL
	 */
	Bitmapset *keys;
	char *touched;
	char *computed;
	char *touched_name;
	char *computed_name;
	List *pending; /* of LogChange *: what the query, or one below, reads */
	List *below;   /* of ResultChange *: those that it reads, each after its own */
} ResultChange;

/* A result whose change is looked for. */
typedef struct ResultNow
{
	NowViews *views;
	const ProgramPlan *plan;
	const Stage *stage;
	const Storage *table; /* resolved */
	Oid view;             /* that it is filled from */
	Program *program;
	ResultChange *change;
	List *dimensions; /* OIDs of the tables whose keys bound a label */
	List *changed;    /* of ChangedTensor * */
	const char *why;  /* it has no view; or NULL */
	bool lacks_log;
} ResultNow;

static char *
new_name(NowViews *views)
{
	return psprintf("@change %d", ++views->names);
}

static ChangedTensor *
add_changed(ResultNow *now, const ProgramTensor *tensor, const Storage *change,
			double rows)
{
	ChangedTensor *changed = tensor_added_to(tensor, change, rows);

	now->changed = lappend(now->changed, changed);
	return changed;
}

static ResultChange *
find_result_change(const NowViews *views, Oid table)
{
	ListCell *lc;

	foreach (lc, views->changes)
	{
		if (((ResultChange *) lfirst(lc))->table == table)
			return lfirst(lc);
	}
	return NULL;
}

/* Is a table one of the program's whose change is not known? */
static bool
has_no_view(const NowViews *views, Oid table)
{
	return list_member_oid(views->without, table);
}

/* Adds another result of the program, which changes as its own view says. */
static void
add_result(ResultNow *now, const ProgramTensor *tensor, ResultChange *below)
{
	now->change->below = list_concat_unique_ptr(now->change->below, below->below);
	now->change->below = list_append_unique_ptr(now->change->below, below);
	now->change->pending = list_concat_unique_ptr(now->change->pending, below->pending);
	if (below->query == NULL)
		return;
	add_changed(now, tensor, &below->change, below->rows)->is_old = true;
}

/* Adds a tensor that changes as the log of its table says. Returns why it cannot; or NULL.
 */
static const char *
add_logged(ResultNow *now, const ProgramTensor *tensor, const Storage *storage)
{
	LogChange *pending = palloc0(sizeof(LogChange));
	Relation log = open_change_log(storage->relid, AccessShareLock);

	if (log == NULL)
	{
		now->lacks_log = true;
		return says_no_log(storage->relid);
	}
	pending->result = now->table->relid;
	pending->table = storage->relid;
	pending->log = RelationGetRelid(log);
	pending->tensor = storage->tensor;
	if (pg_class_aclcheck(pending->log, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		pending->query = query_of_log(
			storage, RelationGetDescr(log),
			psprintf("%s AS l WHERE %s('%u'::pg_catalog.regclass, l.xid, l.statement)",
					 qualified_relation_name(pending->log),
					 extension_function("einsum_is_pending"), pending->result));
	table_close(log, NoLock);
	if (pending->query == NULL)
		return psprintf("the log of table \"%s\" cannot be read",
						get_rel_name(storage->relid));
	pending->change = storage_of_change(storage, new_name(now->views));
	now->change->pending = lappend(now->change->pending, pending);
	(void) add_changed(now, tensor, &pending->change, FEW_CHANGED_ROWS);
	return NULL;
}

/* Finds how a stored tensor changes. Returns why that is not known; or NULL. */
static const char *
add_change_of_tensor(ResultNow *now, const ProgramTensor *tensor)
{
	const Storage *storage = linitial(tensor->entry->storages);
	ResultChange *below = find_result_change(now->views, storage->relid);
	const char *why;

	if (has_no_view(now->views, storage->relid))
		return psprintf("it reads \"%s\"", tensor->name);
	why = reason_against_rows(storage);
	if (why == NULL && below == NULL && storage_key_count(storage) == 0)
		why = psprintf("tensor \"%s\" has no keys", tensor->name);
	if (why == NULL && below)
		add_result(now, tensor, below);
	else if (why == NULL)
		why = add_logged(now, tensor, storage);
	return why;
}

/* Notes the tables of dimensions: the statement's fill may depend on their keys. */
static void
find_dimensions(ResultNow *now)
{
	const Program *program = now->program;

	for (int i = 0; i < program->nlabels; i++)
	{
		int64 bound = program->labels[i].bound;

		if (program->labels[i].bounded && bound_is_dimension(bound))
			now->dimensions =
				list_append_unique_oid(now->dimensions, dimension_relation(bound));
	}
}

/* Returns a + b or a - b of a result's values, as SQL; no error is raised. */
static char *
combined(const Storage *storage, const char *a, char sign, const char *b)
{
	if (storage_has_tensors(storage))
		return psprintf("(%s OPERATOR(%s.%c) %s)", a,
						quote_identifier(extension_schema_name()), sign, b);
	return psprintf("%s(%s, %s)",
					extension_function(sign == '+' ? "scalar_add" : "scalar_subtract"), a,
					b);
}

/*
 * Returns the program that computes the result from the tables of the user's, analysed. It
 * reads these as the views of the program do. NULL if that is impossible.
 */
static Program *
analyze_from_tables(const ResultNow *now)
{
	CodegenContext *context = codegen_context(now->plan, NULL);
	bool *needed = palloc0(sizeof(bool) * (now->stage->number + 1));
	const Operand *operand;
	const Stage *stage;
	List *relations = NIL;
	List *covered = NIL;
	StringInfoData text;
	Program *program;

	initStringInfo(&text);
	needed[now->stage->number] = true;
	for (int s = now->stage->number; s >= 0; s--)
	{
		FOREACH_PRODUCED (operand, now->plan->stages[s].stage)
			needed[operand->producer->number] |= needed[s];
	}
	for (int s = 0; s <= now->stage->number; s++)
	{
		if (!needed[s])
			continue;
		stage = now->plan->stages[s].stage;
		/* the statements of one text name each other without schemas */
		if (stage->schema)
			return NULL;
		appendStringInfo(&text, "%s%s", text.len ? ";\n" : "",
						 stage_statement(context, stage));
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Storage *storage = now->plan->stages[s].operands[t][o].storage;

				if (storage)
					relations = list_append_unique_oid(relations, storage->relid);
			}
		}
	}
	program = analyze_program(text.data);
	return keep_storages_read(program, relations, &covered) ? NULL : program;
}

/* Plans the rows of the result at keys that are touched. Returns why it cannot; or NULL. */
static const char *
plan_computed(ResultNow *now, double count)
{
	ResultChange *change = now->change;
	Decomposition shape = storage_decomposition(now->table);
	Program *program = analyze_from_tables(now);
	const ProgramPlan *plan;

	if (program == NULL)
		return "its rows at some keys cannot be computed from tables alone";
	plan = plan_at_keys(program, &shape, change->keys, change->touched_name, count);
	if (plan == NULL)
		return "its rows at some keys exceed limits";
	change->computed = with_types_of(deparse_point(plan), columns_of_change(now->table));
	return NULL;
}

/* Returns "a.i = b.d0 AND ..." for keys of the table and columns of a query. */
static char *
same_keys_sql(const Storage *storage, const Bitmapset *keys, const char *a, const char *b)
{
	StringInfoData same;
	int d = -1;

	initStringInfo(&same);
	while ((d = bms_next_member(keys, d)) >= 0)
		appendStringInfo(&same, "%s%s.%s OPERATOR(pg_catalog.=) %s.d%d",
						 same.len ? " AND " : "", a,
						 quote_identifier(storage->dimensions[d].column), b, d);
	return same.data;
}

/* Returns the dimensions of a table that are keys. */
static Bitmapset *
all_keys(const Storage *storage)
{
	Bitmapset *keys = NULL;

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED)
			keys = bms_add_member(keys, d);
	}
	return keys;
}

/* Returns the query of what the rows at touched keys add to those of the table. */
static char *
query_of_difference(const Storage *storage, const ResultChange *change)
{
	const char *table = qualified_relation_name(storage->relid);
	const char *value = psprintf("t.%s", quote_identifier(storage->value_column));
	const char *fill = float8_literal(creal(storage->fill));
	const char *computed = quote_identifier(change->computed_name);
	const char *gone = combined(storage, value, '-', fill);
	StringInfoData of_computed;
	StringInfoData of_table;
	Bitmapset *keys = all_keys(storage);
	int d = -1;

	initStringInfo(&of_computed);
	initStringInfo(&of_table);
	while ((d = bms_next_member(keys, d)) >= 0)
	{
		appendStringInfo(&of_computed, "c.d%d, ", d);
		appendStringInfo(&of_table, "t.%s, ",
						 quote_identifier(storage->dimensions[d].column));
	}
	gone = storage_has_tensors(storage)
			   ? psprintf("(%s OPERATOR(%s.*) '-1'::pg_catalog.float8)", gone,
						  quote_identifier(extension_schema_name()))
			   : psprintf("%s(%s)", extension_function("scalar_negate"), gone);
	return psprintf("SELECT %sCASE WHEN %s IS NULL THEN %s ELSE %s END AS value FROM %s "
					"AS c LEFT JOIN %s AS t ON %s UNION ALL "
					"SELECT %s%s FROM %s AS k, %s AS t WHERE %s AND NOT EXISTS "
					"(SELECT FROM %s AS c WHERE %s)",
					of_computed.data, value, combined(storage, "c.value", '-', fill),
					combined(storage, "c.value", '-', value), computed, table,
					same_keys_sql(storage, keys, "t", "c"), of_table.data, gone,
					quote_identifier(change->touched_name), table,
					same_keys_sql(storage, change->keys, "t", "k"), computed,
					same_keys_sql(storage, keys, "t", "c"));
}

/* Counts the results below one that change at keys. */
static int
results_at_keys(const ResultChange *change)
{
	int count = 0;
	ListCell *lc;

	foreach (lc, change->below)
		count += ((const ResultChange *) lfirst(lc))->touched != NULL;
	return count;
}

/* Plans how the result changes. Returns why that is impossible; or NULL. */
static const char *
plan_result_change(ResultNow *now)
{
	const PlanOptions options = options_of_change(MATERIALIZE_NEVER);
	ResultChange *change = now->change;
	Decomposition shape = storage_decomposition(now->table);
	const char *why;
	const ProgramPlan *plan;
	FunctionId function;
	ChangeKind kind = make_change_statement(now->program, now->changed, &shape, &options,
											false, &function, &change->keys, &why);
	List *plans;

	if (kind == CHANGE_NONE)
		return NULL;
	if (kind != CHANGE_ADDED && kind != CHANGE_AT_KEYS)
		return why;
	plans = find_plans_if_possible(now->program, &options);
	if (plans == NIL)
		return "what is added exceeds limits";
	plan = linitial(plans);
	change->rows = Max(plan->stages[plan->graph->last->number].tuples, 1.0);
	change->query = with_types_of(deparse_program(plan),
								  kind == CHANGE_ADDED
									  ? columns_of_change(now->table)
									  : columns_of_touched(now->table, change->keys));
	if (kind == CHANGE_ADDED)
		return NULL;
	if (results_at_keys(change) >= MOST_AT_KEYS)
		return psprintf("%d results below it are computed at keys", MOST_AT_KEYS);
	change->touched = change->query;
	change->touched_name = new_name(now->views);
	change->computed_name = new_name(now->views);
	why = plan_computed(now, change->rows);
	change->query = why ? NULL : query_of_difference(now->table, change);
	return why;
}

static void
find_change_of_result(void *argument)
{
	ResultNow *now = argument;
	const ProgramTensor *other;
	List *covered = NIL;
	ListCell *lc;

	now->program = analyze_program(now->table->statement);
	other = keep_storages_read(now->program,
							   with_what_they_read(list_make1_oid(now->view)), &covered);
	if (other)
	{
		now->why = psprintf("its query does not read tensor \"%s\"", other->name);
		return;
	}
	find_dimensions(now);
	foreach (lc, now->program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);

		if (tensor->entry == NULL || tensor->shifted)
			continue;
		now->why = add_change_of_tensor(now, tensor);
		if (now->why)
			return;
	}
	if (now->changed)
		now->why = plan_result_change(now);
}

/* Appends "ARRAY[...]" of relations. */
static char *
relation_array(const List *relations)
{
	StringInfoData array;
	ListCell *lc;

	initStringInfo(&array);
	appendStringInfoString(&array, "ARRAY[");
	foreach (lc, relations)
		appendStringInfo(&array, "%s'%u'::pg_catalog.regclass",
						 foreach_current_index(lc) ? ", " : "", lfirst_oid(lc));
	appendStringInfoString(&array, "]::pg_catalog.regclass[]");
	return array.data;
}

/* Returns the call that tells whether the logs tell all that is pending. */
static char *
followed_call(const ResultNow *now)
{
	const ResultChange *change = now->change;
	List *results = NIL;
	List *tables = NIL;
	List *logs = NIL;
	ListCell *lc;

	foreach (lc, change->below)
		results = lappend_oid(results, ((const ResultChange *) lfirst(lc))->table);
	results = lappend_oid(results, change->table);
	foreach (lc, change->pending)
	{
		const LogChange *pending = lfirst(lc);

		if (list_member_oid(tables, pending->table) ||
			list_member_oid(now->dimensions, pending->table))
			continue;
		tables = lappend_oid(tables, pending->table);
		logs = lappend_oid(logs, pending->log);
	}
	return psprintf("%s(%s, %s, %s)", extension_function("einsum_is_followed"),
					relation_array(results), relation_array(tables),
					relation_array(logs));
}

/* Appends a CTE. */
static void
append_cte(StringInfo ctes, const char *name, bool materialized, const char *query)
{
	appendStringInfo(ctes, ", %s AS %sMATERIALIZED (%s)", quote_identifier(name),
					 materialized ? "" : "NOT ", query);
}

/* Returns "WITH ...": whether the logs tell all, and the changes that are read. */
static char *
ctes_of_view(const ResultNow *now)
{
	StringInfoData ctes;
	ListCell *lc;

	initStringInfo(&ctes);
	appendStringInfo(&ctes, "WITH " FOLLOWED " AS MATERIALIZED (SELECT %s AS yes)",
					 followed_call(now));
	foreach (lc, now->change->pending)
	{
		const LogChange *pending = lfirst(lc);

		append_cte(&ctes, pending->change.ephemeral, true, pending->query);
	}
	foreach (lc, now->change->below)
	{
		const ResultChange *below = lfirst(lc);

		if (below->touched)
		{
			append_cte(&ctes, below->touched_name, true, below->touched);
			append_cte(&ctes, below->computed_name, true, below->computed);
		}
		if (below->query)
			append_cte(&ctes, below->change.ephemeral, false, below->query);
	}
	if (now->change->touched)
		append_cte(&ctes, now->change->touched_name, true, now->change->touched);
	return ctes.data;
}

/* Lists of a view's columns, as SQL. */
typedef struct ColumnLists
{
	StringInfoData of_table;  /* "t.i AS d0, ", for each key */
	StringInfoData of_itself; /* "t.i, " */
	StringInfoData of_change; /* "e.d0, " */
	StringInfoData of_rows;   /* "r.d0 AS i, " */
	StringInfoData of_live;   /* "q.c0 AS i, " */
	StringInfoData names;     /* "c0, " */
	StringInfoData equal;     /* "t.i = e.d0" */
	StringInfoData same;      /* "q.c0 = r.d0" */
} ColumnLists;

static void
list_columns(const Storage *storage, ColumnLists *lists)
{
	StringInfo all[] = {&lists->of_table, &lists->of_itself, &lists->of_change,
						&lists->of_rows,  &lists->of_live,   &lists->names,
						&lists->equal,    &lists->same};
	int c = 0;

	for (int i = 0; i < (int) lengthof(all); i++)
		initStringInfo(all[i]);
	for (int d = 0; d < storage->rank; d++)
	{
		const char *column;
		const char *and = lists->equal.len ? " AND " : "";

		if (storage->dimensions[d].kind == DIMENSION_DEMOTED)
			continue;
		column = quote_identifier(storage->dimensions[d].column);
		appendStringInfo(&lists->of_table, "t.%s AS d%d, ", column, d);
		appendStringInfo(&lists->of_itself, "t.%s, ", column);
		appendStringInfo(&lists->of_change, "e.d%d, ", d);
		appendStringInfo(&lists->of_rows, "r.d%d AS %s, ", d, column);
		appendStringInfo(&lists->of_live, "q.c%d AS %s, ", c, column);
		appendStringInfo(&lists->names, "c%d, ", c);
		appendStringInfo(&lists->equal, "%st.%s OPERATOR(pg_catalog.=) e.d%d", and,
						 column, d);
		appendStringInfo(&lists->same, "%sq.c%d OPERATOR(pg_catalog.=) r.d%d", and, c, d);
		c++;
	}
	if (lists->equal.len == 0)
	{
		appendStringInfoString(&lists->equal, "true");
		appendStringInfoString(&lists->same, "true");
	}
}

/* Returns a condition that a value has neither NaN nor infinities. */
static char *
is_finite(const Storage *storage, const char *value)
{
	char *nothing = combined(storage, value, '-', value);

	if (storage_has_tensors(storage))
		return psprintf("%s(%s) OPERATOR(pg_catalog.=) '0'::pg_catalog.int8",
						extension_function("tensor_count_nonzero"), nothing);
	return psprintf("%s OPERATOR(pg_catalog.=) '0'::pg_catalog.float8", nothing);
}

/* Returns the greatest absolute value of a result's value, as SQL. */
static char *
greatest_entry_sql(const Storage *storage, const char *value)
{
	if (storage_has_tensors(storage))
		return psprintf("CAST(%s('max', %s(%s)) AS pg_catalog.float8)",
						extension_function("tensor_reduce"),
						extension_function("tensor_abs"), value);
	return psprintf("pg_catalog.abs(%s)", value);
}

/*
 * Returns the SQL condition that rounding has not spoiled the sum in a row r: it is not
 * much smaller than the terms that were added up.
 */
static char *
is_near(const Storage *storage, const char *sum)
{
	return psprintf("%s(CAST(COALESCE(r.moved, '0') AS pg_catalog.float8), %s) "
					"OPERATOR(pg_catalog.<=) %s(%s, %s)",
					extension_function("scalar_add"),
					greatest_entry_sql(storage, "r.added"),
					extension_function("scalar_multiply"), float8_literal(max_drift),
					greatest_entry_sql(storage, sum));
}

/* Returns the value of a row r; live: the query of the whole result. */
static char *
value_of_row(const Storage *storage, const ColumnLists *lists, const char *live)
{
	char *sum = psprintf("CASE WHEN r.old IS NULL THEN r.added ELSE %s END",
						 combined(storage, "r.old", '+', "r.added"));
	const char *fill = float8_literal(creal(storage->fill));
	char *sound = is_finite(storage, sum);
	char *absent = storage_has_tensors(storage)
					   ? psprintf("%s(%s(r.added), %s, 'float8'::pg_catalog.text)",
								  extension_function("einsum_full"),
								  extension_function("tensor_shape"), fill)
					   : pstrdup(fill);

	if (storage->moved)
		sound = psprintf("%s AND %s", sound, is_near(storage, sum));
	return psprintf("CASE WHEN r.added IS NULL THEN r.old WHEN %s THEN %s ELSE "
					"COALESCE((SELECT q.value FROM (%s) AS q(%svalue) WHERE %s), %s) END",
					sound, sum, live, lists->names.data, lists->same.data, absent);
}

#define IS_FOLLOWED "(SELECT f.yes FROM " FOLLOWED " AS f)"

/* Appends the SELECTs of a result that is added to. */
static void
append_added(StringInfo query, const ResultNow *now, const ColumnLists *lists,
			 const char *live)
{
	const Storage *storage = now->table;
	const char *table = qualified_relation_name(storage->relid);
	const char *value = quote_identifier(storage->value_column);
	const char *added = now->change->query;

	appendStringInfo(query, "SELECT %s%s AS %s FROM (", lists->of_rows.data,
					 value_of_row(storage, lists, live), value);
	appendStringInfo(
		query,
		"SELECT %st.%s AS old, e.value AS added%s FROM %s AS t LEFT JOIN (%s) AS e ON %s "
		"WHERE " IS_FOLLOWED,
		lists->of_table.data, value,
		storage->moved ? psprintf(", t.%s AS moved", storage->moved) : "", table, added,
		lists->equal.data);
	appendStringInfo(
		query,
		" UNION ALL SELECT %sNULL, %s%s FROM (%s) AS e WHERE " IS_FOLLOWED
		" AND NOT EXISTS (SELECT FROM %s AS t WHERE %s) AND %s",
		lists->of_change.data,
		storage->fill == 0.0
			? "e.value"
			: combined(storage, "e.value", '+', float8_literal(creal(storage->fill))),
		storage->moved ? ", NULL" : "", added, table, lists->equal.data,
		storage_has_tensors(storage)
			? "e.value IS NOT NULL"
			: "e.value OPERATOR(pg_catalog.<>) '0'::pg_catalog.float8");
	appendStringInfoString(query, ") AS r");
}

/* Appends the SELECTs of a result that changes at keys. */
static void
append_at_keys(StringInfo query, const ResultNow *now, const ColumnLists *lists)
{
	const Storage *storage = now->table;
	const ResultChange *change = now->change;

	appendStringInfo(query,
					 "SELECT %st.%s FROM %s AS t WHERE " IS_FOLLOWED
					 " AND NOT EXISTS (SELECT FROM %s AS k WHERE %s) UNION ALL SELECT "
					 "%se.value FROM (%s) AS e WHERE " IS_FOLLOWED,
					 lists->of_itself.data, quote_identifier(storage->value_column),
					 qualified_relation_name(storage->relid),
					 quote_identifier(change->touched_name),
					 same_keys_sql(storage, change->keys, "t", "k"),
					 lists->of_change.data, change->computed);
}

static char *
query_of_now(const ResultNow *now, const char *live)
{
	const Storage *storage = now->table;
	ColumnLists lists;
	StringInfoData query;

	list_columns(storage, &lists);
	initStringInfo(&query);
	appendStringInfo(&query, "%s ", ctes_of_view(now));
	if (now->change->touched)
		append_at_keys(&query, now, &lists);
	else
		append_added(&query, now, &lists, live);
	appendStringInfo(&query,
					 " UNION ALL SELECT %sq.value AS %s FROM (%s) AS q(%svalue) WHERE "
					 "NOT " IS_FOLLOWED,
					 lists.of_live.data, quote_identifier(storage->value_column), live,
					 lists.names.data);
	return query.data;
}

/* Returns the registration of a table that is not registered yet, resolved. */
static Storage *
resolved_table(const Storage *registration, Oid table, const char **why)
{
	Storage *storage = palloc(sizeof(Storage));
	Relation relation = table_open(table, AccessShareLock);
	StorageProblem problem;

	*storage = *registration;
	storage->relid = table;
	if (storage->duplicates != DUPLICATES_ERROR)
		*why = "keys may occur more than once";
	else if (!storage_resolve(storage, relation, &problem))
		*why = problem.message;
	table_close(relation, NoLock);
	return storage;
}

/* Finds how the result changes; without that it has no view. */
static void
find_result(ResultNow *now, const Storage *registration, Oid table)
{
	ErrorData *error;

	now->table = resolved_table(registration, table, &now->why);
	now->change = palloc0(sizeof(ResultChange));
	now->change->table = table;
	if (now->why == NULL)
		now->why = reason_against_rows(now->table);
	if (now->why)
		return;
	now->change->change = storage_of_change(now->table, new_name(now->views));
	error = attempt_without_locks(find_change_of_result, now);
	if (error)
		now->why = error->message;
}

/* Returns the privileges of a relation that were ever granted, or NULL. */
static Acl *
privileges_of(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Acl *result = NULL;
	bool isnull;
	Datum acl;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	acl = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &isnull);
	if (!isnull)
		result = DatumGetAclPCopy(acl);
	ReleaseSysCache(tuple);
	return result;
}

/* Do policies decide which rows of a table a role sees? */
static bool
has_row_security(Oid table)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));
	bool result =
		HeapTupleIsValid(tuple) && ((Form_pg_class) GETSTRUCT(tuple))->relrowsecurity;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

/* Does an ACL have the SELECT privilege of an item, with its grant option? */
static bool
is_granted(const Acl *acl, const AclItem *wanted)
{
	for (int i = 0; acl && i < ACL_NUM(acl); i++)
	{
		const AclItem *item = &ACL_DAT(acl)[i];

		if (item->ai_grantee == wanted->ai_grantee &&
			(ACLITEM_GET_PRIVS(*item) & ACL_SELECT) &&
			((ACLITEM_GET_GOPTIONS(*item) & ACL_SELECT) ||
			 !(ACLITEM_GET_GOPTIONS(*wanted) & ACL_SELECT)))
			return true;
	}
	return false;
}

void
grant_now_view(Oid table, Oid view)
{
	const Acl *of_table = privileges_of(table);
	const Acl *of_view = privileges_of(view);

	/* the view reads the table as its owner, whom policies may not bind */
	if (has_row_security(table))
		return;
	for (int i = 0; of_table && i < ACL_NUM(of_table); i++)
	{
		const AclItem *item = &ACL_DAT(of_table)[i];
		bool is_public = item->ai_grantee == ACL_ID_PUBLIC;

		if (!(ACLITEM_GET_PRIVS(*item) & ACL_SELECT) || is_granted(of_view, item) ||
			item->ai_grantee == relation_owner(view))
			continue;
		execute_utility(psprintf(
			"GRANT SELECT ON %s TO %s%s", qualified_relation_name(view),
			is_public ? "PUBLIC"
					  : quote_identifier(GetUserNameFromId(item->ai_grantee, false)),
			ACLITEM_GET_GOPTIONS(*item) & ACL_SELECT ? " WITH GRANT OPTION" : ""));
	}
}

void
make_now_view(NowViews *views, const CodegenContext *context, const Stage *stage,
			  Oid table, Oid view, Storage *registration, const List *replaceable)
{
	ResultNow now = {.views = views, .plan = context->plan, .stage = stage, .view = view};
	Oid schema = get_rel_namespace(table);
	char *name = makeObjectName(registration->tensor, NULL, "_now");
	Oid existing = get_relname_relid(name, schema);
	bool is_ours = list_member_oid(replaceable, existing);

	if (registration->statement && OidIsValid(existing) && !is_ours)
		now.why = psprintf("relation \"%s\" already exists", name);
	else if (registration->statement)
		find_result(&now, registration, table);
	if (now.why)
	{
		views->without = lappend_oid(views->without, table);
		views->reasons =
			lappend(views->reasons, now.lacks_log ? NULL : unconstify(char *, now.why));
	}
	else if (now.change)
		views->changes = lappend(views->changes, now.change);
	if (now.why == NULL && now.change && now.change->query)
	{
		existing = put_view(get_namespace_name(schema), name,
							query_of_now(&now, deparse_live(context->plan, stage)), false,
							replaceable, true);
		tie_view_to_table(existing, table);
		grant_now_view(table, existing);
		registration->now = name;
	}
	else if (is_ours)
		drop_for_replacement(existing);
}

void
notice_without_now(const NowViews *views, const char *program)
{
	StringInfoData reasons;
	ListCell *lc;
	ListCell *lc2;

	initStringInfo(&reasons);
	forboth (lc, views->without, lc2, views->reasons)
	{
		if (lfirst(lc2))
			appendStringInfo(&reasons, "%s\"%s\": %s", reasons.len ? "; " : "",
							 get_rel_name(lfirst_oid(lc)), (char *) lfirst(lc2));
	}
	if (reasons.len)
		ereport(NOTICE, (errmsg("results of program \"%s\" are as of their last refresh, "
								"without views that add what has changed since",
								program),
						 errdetail("%s.", reasons.data)));
}
