/*-------------------------------------------------------------------------
 *
 * decompose.c
 *	  einsum_decompose, einsum_drop and einsum_refresh: a program's views and tables.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_inherits.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "catalog/change_log.h"
#include "catalog/declare.h"
#include "catalog/locks.h"
#include "catalog/lookup.h"
#include "catalog/registry.h"
#include "codegen/deparse.h"
#include "codegen/explain.h"
#include "codegen/gather.h"
#include "codegen/materialize.h"
#include "codegen/replace.h"
#include "codegen/tables.h"
#include "codegen/views.h"
#include "commands/arguments.h"
#include "commands/decompose.h"
#include "commands/iterate.h"
#include "commands/options.h"
#include "compat.h"
#include "rows/fill.h"

PG_FUNCTION_INFO_V1(einsum_decompose);
PG_FUNCTION_INFO_V1(einsum_drop);
PG_FUNCTION_INFO_V1(einsum_refresh);

/* Returns the columns of a relation, as "i integer, value tensor". */
static char *
relation_columns(Oid relid)
{
	Relation relation = relation_open(relid, AccessShareLock);
	TupleDesc columns = RelationGetDescr(relation);
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (!column->attisdropped)
			appendStringInfo(
				&list, "%s%s %s", list.len ? ", " : "",
				quote_identifier(NameStr(column->attname)),
				format_type_with_typemod(column->atttypid, column->atttypmod));
	}
	relation_close(relation, AccessShareLock);
	return list.data;
}

/*
 * Puts the row for a relation into the result: view, notation, columns, estimated cost
 * and tuples.
 */
static void
put_relation(ReturnSetInfo *rsinfo, const CodegenContext *context, const Stage *stage,
			 Oid relation, const char *name, const Decomposition *shape, double cost,
			 double tuples)
{
	Datum values[5];
	bool nulls[5] = {false};

	values[0] = CStringGetTextDatum(quote_qualified_identifier(
		stage->schema ? stage->schema : context->schema, name));
	values[1] = CStringGetTextDatum(result_notation(stage, name, shape));
	values[2] = CStringGetTextDatum(relation_columns(relation));
	values[3] = Float8GetDatum(cost);
	values[4] = Float8GetDatum(tuples);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * Puts a row into the result for each stage that has a relation, and for each view that
 * shows a stage's result in other columns.
 */
static void
put_stages(ReturnSetInfo *rsinfo, const CodegenContext *context)
{
	const ProgramPlan *plan = context->plan;
	ListCell *lc;

	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		const StagePlan *chosen = &plan->stages[stage->number];
		Decomposition rows = shown_decomposition(stage);
		double tuples;
		double cost;

		CHECK_FOR_INTERRUPTS();
		if (!stage_has_relation(context, stage))
			continue;
		put_relation(rsinfo, context, stage, stage_relid(context, stage),
					 stage_relname(context, stage), &chosen->shape, chosen->cost.total,
					 chosen->tuples);
		if (!is_shown_apart(context, stage))
			continue;
		cost = cost_of_showing(plan, stage, &tuples);
		put_relation(rsinfo, context, stage, shown_relid(context, stage), stage->name,
					 &rows, cost, tuples);
	}
}

/* Says what queries of a program will gather from tables of Citus; errors if too much. */
static void
notice_gathering(const ProgramPlan *plan, const char *name)
{
	StringInfoData shares;
	double bytes;

	initStringInfo(&shares);
	bytes = gathered_bytes(plan, &shares);
	check_gathered_bytes(plan);
	if (shares.len > 0)
		ereport(NOTICE,
				(errmsg("queries of program \"%s\" gather up to %s from tables of Citus",
						name, memory_amount(bytes)),
				 errdetail("As estimated, of %s.", shares.data)));
}

CodegenContext *
make_program(const ProgramCall *call, const char *schema, const char *name, bool replace)
{
	PlanOptions *options = plan_options_of(call->options);
	CodegenContext *context;

	if (call->security_invoker && !HAVE_SECURITY_INVOKER_VIEWS)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("security_invoker views need PostgreSQL 15 or later")));
	if (call->security_invoker && keeps_all_stages(options->materialize))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("security_invoker and materialize => '%s' exclude each other",
						call->options[CALL_MATERIALIZE]),
				 errdetail(
					 "Tables hold what their owner could read when they were filled.")));
	lock_program_to_make(schema, name, call->text, replace);
	context =
		codegen_context(plan_alternative(cstring_to_text(call->text), options), schema);
	notice_gathering(context->plan, name);
	show_results(context);
	fill_tables(create_views(context, name, call, replace), FILL_ALL);
	return context;
}

/* Is a stored tensor in tables alone, the first of which has no log of changes? */
static bool
lacks_log(const TensorEntry *entry)
{
	const Storage *first = linitial(entry->storages);

	/* a table's changes may be in the logs of its parents */
	return first->program == NULL && !first->is_view && !has_superclass(first->relid) &&
		   !OidIsValid(change_log_of(first->relid));
}

/*
 * Says of a program that keeps its results by increments which tensors that it reads have
 * no log, since a refresh then finds no increment.
 */
static void
notice_missing_logs(const CodegenContext *context, const ProgramCall *call,
					const char *name)
{
	const char *materialize = call->options[CALL_MATERIALIZE];
	StringInfoData calls;
	ListCell *lc;

	if (materialize == NULL || strcmp(materialize, "incremental") != 0)
		return;
	initStringInfo(&calls);
	foreach (lc, context->plan->graph->program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);

		if (tensor->entry && lacks_log(tensor->entry))
			appendStringInfo(&calls, "%seinsum_log(%s)", calls.len ? ", " : "",
							 quote_literal_cstr(quote_qualified_identifier(
								 tensor->schema, tensor->name)));
	}
	if (calls.len > 0)
		ereport(NOTICE,
				(errmsg("a refresh of program \"%s\" computes its results anew", name),
				 errdetail("Without logs of what it reads, changes are not known."),
				 errhint("SELECT %s.", calls.data)));
}

/*
 * einsum_decompose(program, name, options, replace, security_invoker): creates
 * one view or table per stage and registers what it defines.
 */
Datum
einsum_decompose(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int replace_argument = 2 + PLAN_OPTION_ARGUMENTS;
	bool replace;
	MemoryContext planning;
	MemoryContext old;
	char *name;
	char *schema;
	ProgramCall *call;
	CodegenContext *context;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0))
		PG_RETURN_VOID();
	planning = AllocSetContextCreate(CurrentMemoryContext, "einsum_decompose",
									 ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(planning);

	schema = target_schema(fcinfo, 2 + PLAN_OPTION_ARGUMENTS - 1);
	name = created_program_name(fcinfo, 1, schema);
	replace = !PG_ARGISNULL(replace_argument) && PG_GETARG_BOOL(replace_argument);
	call = palloc0(sizeof(ProgramCall));
	call->text = text_to_cstring(PG_GETARG_TEXT_PP(0));
	call->path = names_of_search_path();
	given_options(fcinfo, 2, call->options);
	call->security_invoker =
		!PG_ARGISNULL(replace_argument + 1) && PG_GETARG_BOOL(replace_argument + 1);
	context = make_program(call, schema, name, replace);
	notice_missing_logs(context, call, name);
	/* hints know what programs made from there */
	CommandCounterIncrement();
	bring_registry_up_to_date();

	MemoryContextSwitchTo(old);
	put_stages(rsinfo, context);
	MemoryContextDelete(planning);
	PG_RETURN_VOID();
}

static void
no_program(const char *schema, const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
					errmsg("schema \"%s\" has no program \"%s\"", schema, name),
					errhint("%s", unknown_program_hint(get_namespace_oid(schema, false),
													   name))));
}

/*
 * einsum_drop(name, schema): drops the views and tables of a program. Errors:
 * 42704 if there are none, 2BP01 if others depend on them.
 */
Datum
einsum_drop(PG_FUNCTION_ARGS)
{
	char *name = program_name(fcinfo, 0);
	char *schema = target_schema(fcinfo, 1);

	if (drop_program(LookupExplicitNamespace(schema, false), name) == 0)
		no_program(schema, name);
	PG_RETURN_VOID();
}

/*
 * Locks those tables of a program that a query fills, and returns them. Sets *loop to the
 * registration that keeps the call of a loop of that name, or to NULL.
 */
static List *
lock_filled_tables(const char *schema, const char *name, Storage **loop)
{
	List *relations;
	List *tables;
	Oid namespace = LookupExplicitNamespace(schema, false);
	Locks held = {NIL};
	Locks wanted;
	ListCell *lc;

	do
	{
		relations = relations_of_program(namespace, name, held.locks == NIL);
		tables = filled_tables(relations);
		if (relations == NIL)
			no_program(schema, name);
		*loop = loop_among(relations);
		if (tables == NIL && *loop == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("program \"%s\" has no tables that a query fills", name),
					 errdetail("Views are always up to date, and a call of "
							   "einsum_iterate continues a loop."),
					 errhint("einsum_decompose(..., materialize => 'always') makes "
							 "such tables.")));
		foreach (lc, tables)
			check_relation_owner(lfirst_oid(lc));
		wanted = (Locks){NIL};
		add_program_lock(&wanted, namespace, name, tables);
		add_tensor_locks_of(&wanted, tables);
		add_relation_locks(&wanted, tables, ShareRowExclusiveLock);
	} while (!take_locks(&wanted, &held));
	return tables;
}

static void
put_filled(ReturnSetInfo *result, const TableFilled *filled)
{
	Datum values[6] = {CStringGetTextDatum(get_rel_name(filled->relid)),
					   CStringGetTextDatum(filled->how)};
	bool nulls[6] = {false};

	nulls[2] = filled->why == NULL;
	if (filled->why)
		values[2] = CStringGetTextDatum(filled->why);
	nulls[3] = filled->changed < 0;
	values[3] = Int64GetDatum((int64) filled->changed);
	values[4] = Int64GetDatum((int64) filled->written);
	values[5] = Float8GetDatum(filled->milliseconds);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * einsum_refresh(name, schema, whole): updates the tables of a program to the current
 * rows of their queries; a row for each: tensor, how, why, changes, written,
 * milliseconds. Errors: 42704 if there is no such program, 55000 if it has no tables,
 * 42501 if the user does not own them all, and errors of their queries. After an error,
 * no table has changed.
 */
Datum
einsum_refresh(PG_FUNCTION_ARGS)
{
	char *name = program_name(fcinfo, 0);
	char *schema = target_schema(fcinfo, 1);
	/*
	 * in 0.2.0 the SQL function had two arguments and no result; the extension may not be
	 * updated yet
	 */
	bool returns_rows = PG_NARGS() > 2;
	bool whole = returns_rows && !PG_ARGISNULL(2) && PG_GETARG_BOOL(2);
	List *filled;
	List *tables;
	Storage *loop;
	ListCell *lc;

	PreventCommandIfReadOnly("einsum_refresh()");
	tables = lock_filled_tables(schema, name, &loop);
	filled = loop ? list_make1(refresh_loop(loop, whole)) : NIL;
	filled = list_concat(filled, fill_tables(tables, whole ? FILL_WHOLE : FILL_CHANGED));
	if (!returns_rows)
		PG_RETURN_VOID();
	InitMaterializedSRF(fcinfo, 0);
	foreach (lc, filled)
		put_filled((ReturnSetInfo *) fcinfo->resultinfo, lfirst(lc));
	PG_RETURN_NULL();
}
