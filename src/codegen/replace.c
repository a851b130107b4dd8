/*-------------------------------------------------------------------------
 *
 * replace.c
 *	  Replaces and drops the relations of programs.
 *
 * A view that is replaced by CREATE OR REPLACE VIEW keeps its grants, its comment and its
 * readers, if its columns stay the same. But the views of a program read each other, and
 * one of them may have to be dropped. So all views are emptied first, which removes their
 * dependencies; then relations without a successor are dropped, and the new ones are made
 * in order. Other sessions do not see the steps: they are one transaction.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_rewrite.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "rewrite/rewriteSupport.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

#include "catalog/citus.h"
#include "catalog/label.h"
#include "catalog/query_run.h"
#include "catalog/tensor_storage.h"
#include "catalog/view_reads.h"
#include "codegen/materialize.h"
#include "codegen/replace.h"
#include "codegen/tables.h"
#include "optimizer/materialize.h"
#include "parser/syntax.h"

static void
run_utility(const char *statement)
{
	int result = run_writing(statement);

	if (result != SPI_OK_UTILITY)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
	CommandCounterIncrement();
}

void
execute_utility(const char *statement)
{
	int nest_level = NewGUCNestLevel();

	keep_statements_here();
	run_utility(statement);
	AtEOXact_GUC(true, nest_level);
}

TupleDesc
query_columns(const char *query)
{
	MemoryContext context = CurrentMemoryContext;
	SPIPlanPtr plan = prepare_sql(query, 0, NULL);
	CachedPlanSource *source;
	TupleDesc columns;
	MemoryContext old;

	source = linitial(SPI_plan_get_plan_sources(plan));
	old = MemoryContextSwitchTo(context);
	columns = CreateTupleDescCopy(source->resultDesc);
	MemoryContextSwitchTo(old);
	SPI_freeplan(plan);
	return columns;
}

bool
relation_has_columns(Oid relid, TupleDesc columns)
{
	Relation relation = relation_open(relid, AccessShareLock);
	TupleDesc existing = RelationGetDescr(relation);
	bool same = existing->natts == columns->natts;

	for (int i = 0; same && i < columns->natts; i++)
	{
		Form_pg_attribute one = TupleDescAttr(existing, i);
		Form_pg_attribute other = TupleDescAttr(columns, i);

		same = !one->attisdropped &&
			   strcmp(NameStr(one->attname), NameStr(other->attname)) == 0 &&
			   one->atttypid == other->atttypid && one->atttypmod == other->atttypmod &&
			   one->attcollation == other->attcollation;
	}
	relation_close(relation, AccessShareLock);
	return same;
}

/* Does any other view or rule depend on the view? */
static bool
view_is_read(Oid view)
{
	Oid own_rule = get_rewrite_oid(view, "_RETURN", false);
	Relation depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple tuple;
	bool found = false;

	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(view));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, key);
	while (!found && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend dependency = (Form_pg_depend) GETSTRUCT(tuple);

		found =
			dependency->deptype == DEPENDENCY_NORMAL &&
			!(dependency->classid == RewriteRelationId && dependency->objid == own_rule);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return found;
}

/*
 * Returns "DROP VIEW a, b RESTRICT" for the relations of that kind; NULL if there are
 * none.
 */
static char *
drop_statement(const List *relations, char kind)
{
	StringInfoData statement;
	ListCell *lc;

	initStringInfo(&statement);
	foreach (lc, relations)
	{
		if (get_rel_relkind(lfirst_oid(lc)) != kind)
			continue;
		appendStringInfo(&statement, "%s%s",
						 statement.len          ? ", "
						 : kind == RELKIND_VIEW ? "DROP VIEW "
												: "DROP TABLE ",
						 qualified_relation_name(lfirst_oid(lc)));
	}
	if (statement.len == 0)
		return NULL;
	appendStringInfoString(&statement, " RESTRICT");
	return statement.data;
}

/*
 * Drops views first: they read tables, which never read views, not even those that they
 * are filled from. Citus drops the shards of a table that was made one of its own.
 */
static void
drop_relations(const List *relations)
{
	char *views = drop_statement(relations, RELKIND_VIEW);
	char *tables = drop_statement(relations, RELKIND_RELATION);

	if (views)
		run_utility(views);
	if (tables)
		run_utility(tables);
}

/* Drops relations, with an error that says why they are dropped. */
static void
drop_replaced(const List *relations)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		drop_relations(relations);
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (error->sqlerrcode != ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST)
			PG_RE_THROW();
		FlushErrorState();
		error->message =
			list_length(relations) == 1
				? psprintf("%s cannot be replaced because other objects depend on it",
						   qualified_relation_name(linitial_oid(relations)))
				: pstrdup("the program's relations cannot be replaced because other "
						  "objects depend on them");
		error->hint =
			pstrdup("A relation stays as long as it has the same columns, "
					"bounds, blocks and fill. Drop what depends on it, or make the "
					"program under another name and with other tensors.");
		ReThrowError(error);
	}
	PG_END_TRY();
}

void
drop_for_replacement(Oid relation)
{
	List *relations = list_make1_oid(relation);
	Locks held = {NIL};
	Locks wanted;

	do
	{
		wanted = (Locks){NIL};
		add_locks_to_drop(&wanted, relations);
	} while (!take_locks(&wanted, &held));
	drop_replaced(relations);
}

/* Was the relation made by einsum_decompose? Other relations are not replaced. */
static bool
is_of_any_program(Oid relation)
{
	ListCell *lc;
	char kind = get_rel_relkind(relation);

	if (kind != RELKIND_VIEW && kind != RELKIND_RELATION)
		return false;
	foreach (lc, relation_registrations(relation))
	{
		if (((Storage *) lfirst(lc))->program != NULL)
			return true;
	}
	return false;
}

/* Replaces a view by one with the same columns that has no rows and reads nothing. */
static void
empty_view(Oid view)
{
	Relation relation = relation_open(view, AccessShareLock);
	TupleDesc columns = RelationGetDescr(relation);
	StringInfoData statement;

	initStringInfo(&statement);
	appendStringInfo(&statement, "CREATE OR REPLACE VIEW %s AS SELECT ",
					 qualified_relation_name(view));
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		appendStringInfo(
			&statement, "%sCAST(NULL AS %s)", i ? ", " : "",
			format_type_extended(column->atttypid, column->atttypmod,
								 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
		if (OidIsValid(column->attcollation))
			appendStringInfo(&statement, " COLLATE %s",
							 generate_collation_name(column->attcollation));
		appendStringInfo(&statement, " AS %s",
						 quote_identifier(NameStr(column->attname)));
	}
	appendStringInfoString(&statement, " WHERE false");
	relation_close(relation, AccessShareLock);
	execute_utility(statement.data);
}

void
empty_views(const List *relations)
{
	ListCell *lc;

	foreach (lc, relations)
	{
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_VIEW)
			empty_view(lfirst_oid(lc));
	}
}

/*
 * Adds the relation that has the name of a stage, if a program made it; to * kept if it
 * may stay the same object.
 */
static void
note_replaced(const CodegenContext *context, const Stage *stage, const char *name,
			  bool is_table, List **relations, List **kept)
{
	Oid existing = get_relname_relid(
		name,
		LookupExplicitNamespace(stage->schema ? stage->schema : context->schema, false));

	if (!OidIsValid(existing) || !is_of_any_program(existing))
		return;
	*relations = list_append_unique_oid(*relations, existing);
	if (get_rel_relkind(existing) != (is_table ? RELKIND_RELATION : RELKIND_VIEW))
		return;
	*kept = lappend_oid(*kept, existing);
	if (is_table)
		*kept = list_concat_unique_oid(*kept, views_of_tables(list_make1_oid(existing)));
}

/*
 * Returns the relations that a plan's relations replace; * kept becomes those that may
 * stay the same object. For warn see relations_of_program.
 */
static List *
replaced_relations(const CodegenContext *context, const char *program, bool warn,
				   List **kept)
{
	List *relations = relations_of_program(
		LookupExplicitNamespace(context->schema, false), program, warn);
	ListCell *lc;

	*kept = NIL;
	foreach (lc, context->plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);

		if (!stage_has_relation(context, stage))
			continue;
		note_replaced(context, stage, stage_relname(context, stage),
					  stage_is_table(context->plan, stage), &relations, kept);
		if (is_shown_apart(context, stage))
			note_replaced(context, stage, stage->name, false, &relations, kept);
	}
	return list_concat_unique_oid(relations, views_of_tables(relations));
}

void
add_locks_to_make(Locks *locks, Oid schema, const char *program, const char *text,
				  bool replace)
{
	List *relations = replace ? relations_of_program(schema, program, false) : NIL;
	ListCell *lc;

	add_program_lock(locks, schema, program, relations);
	foreach (lc, parse_program(text))
	{
		const SyntaxReference *target = ((const SyntaxStatement *) lfirst(lc))->target;
		Oid target_schema =
			target->schema ? get_namespace_oid(target->schema, true) : schema;
		Oid existing;

		/* an unknown schema is an error later */
		if (!OidIsValid(target_schema))
			continue;
		existing = get_relname_relid(target->name, target_schema);
		add_tensor_lock(locks, target_schema, target->name, relations);
		if (replace && OidIsValid(existing))
			relations = list_append_unique_oid(relations, existing);
	}
	add_tensor_locks_of(locks, with_readers(relations));
}

void
lock_program_to_make(const char *schema, const char *program, const char *text,
					 bool replace)
{
	Oid namespace = LookupExplicitNamespace(schema, false);
	Locks held = {NIL};
	Locks wanted;

	do
	{
		wanted = (Locks){NIL};
		add_locks_to_make(&wanted, namespace, program, text, replace);
	} while (!take_locks(&wanted, &held));
}

List *
clear_for_replacement(const CodegenContext *context, const char *program)
{
	List *relations;
	List *kept;
	List *dropped;
	Locks held = {NIL};
	Locks wanted;

	do
	{
		relations = replaced_relations(context, program, held.locks == NIL, &kept);
		wanted = (Locks){NIL};
		/* readers of what is kept, too: it is dropped after all if its columns change */
		add_locks_to_drop(&wanted, relations);
	} while (!take_locks(&wanted, &held));
	empty_views(relations);
	dropped = list_difference_oid(relations, kept);
	if (dropped != NIL)
		drop_replaced(dropped);
	return kept;
}

Oid
replaceable_relation(const char *schema, const char *name, const List *replaceable)
{
	Oid existing = get_relname_relid(name, LookupExplicitNamespace(schema, false));

	if (OidIsValid(existing) && !list_member_oid(replaceable, existing))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" already exists in schema \"%s\"", name, schema),
				 errhint("Give the tensor another name. With replace => true what a "
						 "program has made is replaced, and nothing else.")));
	return existing;
}

Oid
put_view(const char *schema, const char *name, const char *query, bool security_invoker,
		 const List *replaceable, bool same_meaning)
{
	Oid existing = replaceable_relation(schema, name, replaceable);
	bool replace = false;

	if (OidIsValid(existing))
	{
		replace = relation_has_columns(existing, query_columns(query)) &&
				  (same_meaning || !view_is_read(existing));
		if (!replace)
			drop_for_replacement(existing);
	}
	execute_utility(psprintf("CREATE %sVIEW %s%s AS %s", replace ? "OR REPLACE " : "",
							 quote_qualified_identifier(schema, name),
							 security_invoker ? " WITH (security_invoker = true)" : "",
							 query));
	return get_relname_relid(name, LookupExplicitNamespace(schema, false));
}

int
drop_program(Oid schema, const char *program)
{
	List *relations;
	Locks held = {NIL};
	Locks wanted;

	do
	{
		relations = relations_of_program(schema, program, held.locks == NIL);
		relations = list_concat_unique_oid(relations, views_of_tables(relations));
		wanted = (Locks){NIL};
		add_program_lock(&wanted, schema, program, relations);
		add_locks_to_drop(&wanted, relations);
	} while (!take_locks(&wanted, &held));
	if (relations == NIL)
		return 0;
	SPI_connect();
	drop_relations(relations);
	SPI_finish();
	return list_length(relations);
}
