/*-------------------------------------------------------------------------
 *
 * tables.c
 *	  Stages that are tables, each of which is filled from a view.
 *
 * The query of a table t is the view t__query, which reads the tables of the stages
 * below. So PostgreSQL itself keeps the query: it is dumped and restored, follows
 * renames, and protects what it reads. The registration of t names the view. rows/fill.c
 * fills the tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "catalog/shape_proof.h"
#include "catalog/tensor_storage.h"
#include "catalog/view_reads.h"
#include "codegen/replace.h"
#include "codegen/tables.h"
#include "compat.h"
#include "recursion.h"
#include "type/tensor.h"

char *
filling_view_name(const char *table)
{
	return makeObjectName(table, NULL, "_query");
}

static bool stage_is_unique(const ProgramPlan *plan, SideTable *known,
							const Stage *stage);

/* Has an operand's relation at most one row for each index vector? */
static bool
operand_is_unique(const ProgramPlan *plan, SideTable *known, const Operand *operand,
				  const OperandPlan *read)
{
	if (operand->producer)
		return stage_is_unique(plan, known, operand->producer);
	if (operand->tensor->identity)
		return true;
	/* duplicates of an additive tensor are summed when it is read */
	return read->storage && read->storage->duplicates != DUPLICATES_TRUST;
}

static bool
stage_is_unique(const ProgramPlan *plan, SideTable *known, const Stage *stage)
{
	const StagePlan *chosen = &plan->stages[stage->number];
	Decomposition between =
		finer_decomposition(&chosen->natural, &chosen->shape, stage->noutput);
	bool unique = true;

	enter_recursion();
	if (side_answer(known, stage, &unique))
		return unique;
	/* results that are grouped by all their keys: unions, aggregates, stacked ones */
	if (!stage_is_by_row(stage, keys_of(&chosen->choice)) ||
		!same_decomposition(&between, &chosen->shape))
		return true;
	unique = true;
	for (int o = 0; o < stage->terms[0].noperands && unique; o++)
		unique = operand_is_unique(plan, known, &stage->terms[0].operands[o],
								   &chosen->operands[0][o]);
	return set_side_answer(known, stage, unique);
}

bool
result_is_unique(const ProgramPlan *plan, const Stage *stage)
{
	SideTable *known = new_side_table(32);
	bool unique = stage_is_unique(plan, known, stage);

	free_side_table(known);
	return unique;
}

static bool
is_key(const Storage *storage, int dimension)
{
	return storage->dimensions[dimension].kind != DIMENSION_DEMOTED;
}

/* Returns the key columns with a separator between them: "i, j". */
static char *
key_list(const Storage *storage, const char *separator)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < storage->rank; i++)
	{
		if (is_key(storage, i))
			appendStringInfo(&list, "%s%s", list.len ? separator : "",
							 quote_identifier(storage->dimensions[i].column));
	}
	return list.data;
}

bool
keys_have_order(const Storage *storage, TupleDesc columns)
{
	for (int c = 0; c < columns->natts; c++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, c);

		for (int i = 0; i < storage->rank; i++)
		{
			if (is_key(storage, i) &&
				strcmp(storage->dimensions[i].column, NameStr(column->attname)) == 0 &&
				!OidIsValid(GetDefaultOpClass(column->atttypid, BTREE_AM_OID)))
				return false;
		}
	}
	return true;
}

/*
 * Completes the registration of a stage that is a table with these columns: sets the view
 * that fills it, and whether a constraint will prove its keys unique.
 */
static void
describe_table(Storage *storage, TupleDesc columns, bool unique)
{
	storage->query = filling_view_name(storage->tensor);
	/* without keys, every reader checks that there is one row */
	storage->duplicates =
		storage_key_count(storage) == 0 || (unique && keys_have_order(storage, columns))
			? DUPLICATES_ERROR
			: DUPLICATES_TRUST;
}

/* Returns a key as CHECK constraints have it. */
static char *
check_literal(const StorageDimension *dimension, int64 key)
{
	return dimension_has_days(dimension) ? key_literal(key, dimension->bound)
										 : psprintf(INT64_FORMAT, key);
}

List *
create_table_statements(const Storage *storage, const char *table, const char *view,
						bool value_is_tensor, bool filled, int fillfactor)
{
	const char *with = fillfactor ? psprintf(" WITH (fillfactor = %d)", fillfactor) : "";
	const char *columns = "*";
	StringInfoData alter;

	initStringInfo(&alter);
	appendStringInfo(&alter, "ALTER TABLE %s ALTER COLUMN value SET NOT NULL", table);
	if (storage->moved)
	{
		columns =
			psprintf("%s%s'0'::pg_catalog.float4 AS %s, value", key_list(storage, ", "),
					 storage_key_count(storage) > 0 ? ", " : "", storage->moved);
		appendStringInfo(&alter,
						 ", ALTER COLUMN %s SET NOT NULL, ALTER COLUMN %s SET "
						 "DEFAULT 0",
						 storage->moved, storage->moved);
	}
	if (value_is_tensor)
		appendStringInfoString(&alter, ", ALTER COLUMN value SET STORAGE EXTERNAL");
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		const char *column = quote_identifier(dimension->column ? dimension->column : "");
		int64 keys = dimension_key_count(dimension);
		int64 first = dimension_first_key(dimension);

		if (!is_key(storage, i))
			continue;
		appendStringInfo(&alter, ", ALTER COLUMN %s SET NOT NULL", column);
		if (bound_is_open(keys))
			continue;
		appendStringInfo(
			&alter,
			", ADD CHECK (%s OPERATOR(pg_catalog.>=) %s AND %s "
			"OPERATOR(pg_catalog.%s) %s)",
			column, check_literal(dimension, first), column,
			dimension_has_days(dimension) ? "<=" : "<",
			check_literal(dimension, first + keys - dimension_has_days(dimension)));
	}
	if (value_is_tensor)
	{
		char *shape = shape_condition(storage, "value");

		if (shape)
			appendStringInfo(&alter, ", ADD CHECK (%s AND %s)", shape,
							 type_condition(storage, "value"));
	}
	if (storage->duplicates == DUPLICATES_ERROR && storage_key_count(storage) > 0)
		appendStringInfo(&alter, ", ADD PRIMARY KEY (%s)", key_list(storage, ", "));
	return list_make2(psprintf("CREATE TABLE %s%s AS SELECT %s FROM %s%s", table, with,
							   columns, view, filled ? "" : " WITH NO DATA"),
					  alter.data);
}

List *
fill_statements(const Storage *storage, const char *table, const char *view, bool ordered)
{
	char *keys = key_list(storage, ", ");
	bool has_keys = storage_key_count(storage) > 0;

	/* readers that group the rows are faster if they are in the order of their keys */
	return list_make2(psprintf("DELETE FROM %s", table),
					  psprintf("INSERT INTO %s (%s%svalue) SELECT %s%svalue FROM %s%s%s",
							   table, keys, has_keys ? ", " : "", keys,
							   has_keys ? ", " : "", view,
							   has_keys && ordered ? " ORDER BY " : "",
							   has_keys && ordered ? keys : ""));
}

/*
 * Does a constraint prove the shape and element type of the values, if these are the same
 * for all rows?
 */
static bool
values_proved(const Storage *storage, Relation relation)
{
	ShapeProof proof;

	if (getBaseType(storage->value_type) != tensor_type_oid() ||
		shape_condition(storage, "value") == NULL)
		return true;
	find_shape_proof(relation, storage->value_attno, &proof);
	return proof.rank >= 0 && proof.type == storage->element_type;
}

/* Returns the columns of a table that has the rows of a query with these columns. */
static TupleDesc
columns_of_table(const Storage *storage, TupleDesc query)
{
	TupleDesc columns;

	if (storage->moved == NULL)
		return query;
	columns = CreateTemplateTupleDesc(query->natts + 1);
	for (int c = 1; c < query->natts; c++)
		TupleDescCopyEntry(columns, (AttrNumber) c, query, (AttrNumber) c);
	TupleDescInitEntry(columns, (AttrNumber) query->natts, storage->moved, FLOAT4OID, -1,
					   0);
	TupleDescCopyEntry(columns, (AttrNumber) (query->natts + 1), query,
					   (AttrNumber) query->natts);
	TupleDescFinalize(columns);
	return columns;
}

/* Is this table the same as put_table would make it? */
static bool
serves(Oid table, const Storage *storage, TupleDesc columns, bool same_meaning)
{
	Storage *other = find_registration(relation_registrations(table), storage->tensor);
	StorageProblem problem;
	Relation relation;
	bool sound;

	if (!same_meaning || other == NULL || other->query == NULL ||
		strcmp(other->query, storage->query) != 0 ||
		other->duplicates != storage->duplicates ||
		(other->moved == NULL) != (storage->moved == NULL) ||
		!relation_has_columns(table, columns_of_table(storage, columns)))
		return false;
	relation = table_open(table, AccessShareLock);
	sound = storage_resolve(other, relation, &problem) && values_proved(other, relation);
	table_close(relation, AccessShareLock);
	for (int i = 0; sound && i < other->rank; i++)
		sound = !is_key(other, i) || bound_is_open(other->dimensions[i].bound) ||
				other->dimensions[i].range_proved;
	return sound;
}

void
tie_view_to_table(Oid view, Oid table)
{
	ObjectAddress from;
	ObjectAddress to;

	ObjectAddressSet(from, RelationRelationId, view);
	ObjectAddressSet(to, RelationRelationId, table);
	deleteDependencyRecordsForSpecific(RelationRelationId, view, DEPENDENCY_AUTO,
									   RelationRelationId, table);
	recordDependencyOn(&from, &to, DEPENDENCY_AUTO);
}

Oid
put_table(const char *schema, Storage *storage, const char *query, bool unique,
		  const List *replaceable, bool same_meaning, Oid *view)
{
	TupleDesc columns = query_columns(query);
	const char *name = storage->tensor;
	char *table = quote_qualified_identifier(schema, name);
	Oid existing = replaceable_relation(schema, name, replaceable);

	describe_table(storage, columns, unique);
	if (OidIsValid(existing) && !serves(existing, storage, columns, same_meaning))
	{
		/* its view is dropped with it */
		drop_for_replacement(existing);
		existing = InvalidOid;
	}
	*view = put_view(schema, storage->query, query, false, replaceable, true);
	if (!OidIsValid(existing))
	{
		bool is_tensor =
			TupleDescAttr(columns, columns->natts - 1)->atttypid == tensor_type_oid();
		ListCell *lc;

		foreach (lc,
				 create_table_statements(
					 storage, table, quote_qualified_identifier(schema, storage->query),
					 is_tensor, false, 0))
			execute_utility(lfirst(lc));
		if (storage->duplicates == DUPLICATES_TRUST && keys_have_order(storage, columns))
			execute_utility(
				psprintf("CREATE INDEX ON %s (%s)", table, key_list(storage, ", ")));
		existing = get_relname_relid(name, LookupExplicitNamespace(schema, false));
	}
	tie_view_to_table(*view, existing);
	return existing;
}

Storage *
filled_storage(Oid relation)
{
	ListCell *lc;

	if (get_rel_relkind(relation) != RELKIND_RELATION)
		return NULL;
	foreach (lc, relation_registrations(relation))
	{
		if (((Storage *) lfirst(lc))->query != NULL)
			return lfirst(lc);
	}
	return NULL;
}

List *
filled_tables(const List *relations)
{
	List *tables = NIL;
	ListCell *lc;

	foreach (lc, relations)
	{
		if (filled_storage(lfirst_oid(lc)) != NULL)
			tables = lappend_oid(tables, lfirst_oid(lc));
	}
	return tables;
}

List *
views_of_tables(const List *relations)
{
	List *views = NIL;
	ListCell *lc;

	foreach (lc, relations)
	{
		Storage *storage = filled_storage(lfirst_oid(lc));

		if (storage == NULL)
			continue;
		if (OidIsValid(storage_filling_view(storage)))
			views = list_append_unique_oid(views, storage_filling_view(storage));
		if (OidIsValid(storage_now_view(storage)))
			views = list_append_unique_oid(views, storage_now_view(storage));
	}
	return views;
}
