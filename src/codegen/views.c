/*-------------------------------------------------------------------------
 *
 * views.c
 *	  The views and tables of a decomposed program: creation and registration.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "common/keywords.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "rewrite/rewriteSupport.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "algebra/proven.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/tensor_storage.h"
#include "codegen/comment.h"
#include "codegen/deparse.h"
#include "codegen/explain.h"
#include "codegen/materialize.h"
#include "codegen/moved.h"
#include "codegen/now.h"
#include "codegen/replace.h"
#include "codegen/tables.h"
#include "codegen/views.h"
#include "optimizer/materialize.h"
#include "type/tensor.h"

static const char *
stage_schema(const CodegenContext *context, const Stage *stage)
{
	return stage->schema ? stage->schema : context->schema;
}

Oid
stage_relid(const CodegenContext *context, const Stage *stage)
{
	return get_relname_relid(
		stage_relname(context, stage),
		LookupExplicitNamespace(stage_schema(context, stage), false));
}

Oid
shown_relid(const CodegenContext *context, const Stage *stage)
{
	return get_relname_relid(
		stage->name, LookupExplicitNamespace(stage_schema(context, stage), false));
}

/*
 * Has the program a stage or statement of that name, or is the name chosen for another
 * relation?
 */
static bool
is_name_of_stage(const CodegenContext *context, const char *name)
{
	ListCell *lc;

	foreach (lc, context->plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);

		if (strcmp(stage->name, name) == 0 ||
			strcmp(stage_relname(context, stage), name) == 0)
			return true;
	}
	return false;
}

void
show_results(CodegenContext *context)
{
	const ProgramPlan *plan = context->plan;
	ListCell *lc;

	if (plan->graph->options->result != RESULT_ROWS)
		return;
	context->inner = palloc0(sizeof(char *) * list_length(plan->graph->stages));
	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		Decomposition rows = shown_decomposition(stage);
		int number = 0;
		char *name;

		CHECK_FOR_INTERRUPTS();
		if (!is_shown_by_rows(stage) ||
			same_decomposition(&plan->stages[stage->number].shape, &rows))
			continue;
		do
			name = makeObjectName(stage->name, NULL, psprintf("_%d", ++number));
		while (is_name_of_stage(context, name));
		context->inner[stage->number] = name;
	}
}

/* Lets a view's rule depend on a constraint or an index. */
static void
depend_on(Oid view, Oid class, Oid object)
{
	ObjectAddress rule;
	ObjectAddress proof;

	ObjectAddressSet(rule, RewriteRelationId, get_rewrite_oid(view, "_RETURN", false));
	ObjectAddressSet(proof, class, object);
	recordDependencyOn(&rule, &proof, DEPENDENCY_NORMAL);
}

/* Lets a view depend on the constraints that the SELECT of one stage relies on. */
static void
depend_on_proofs_of(const CodegenContext *context, const Stage *stage, Oid view)
{
	const StagePlan *plan = &context->plan->stages[stage->number];

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Storage *storage = plan->operands[t][o].storage;

			if (storage == NULL)
				continue;
			if (OidIsValid(storage->constraint))
				depend_on(view, ConstraintRelationId, storage->constraint);
			else if (OidIsValid(storage->unique_index))
				depend_on(view, RelationRelationId, storage->unique_index);
		}
	}
}

/*
 * A view is right only while the keys it reads are unique. So it depends on the
 * constraints that prove it, as a GROUP BY on a primary key does. A dump does not keep
 * the dependency: then the view's own condition einsum_keys_unique fails if the
 * constraint is missing.
 */
static void
depend_on_proofs(const CodegenContext *context, const Stage *stage, Oid view)
{
	const StagePlace *places = view_context(context, stage)->places;

	depend_on_proofs_of(context, stage, view);
	for (int s = 0; s < stage->number; s++)
	{
		if (places[s] != STAGE_IS_VIEW)
			depend_on_proofs_of(context, context->plan->stages[s].stage, view);
	}
}

Storage *
storage_of_result(const Stage *stage, const char *name, const Decomposition *shape)
{
	char **columns = stage_columns(stage);
	Storage *storage = palloc0(sizeof(Storage));

	storage->tensor = pstrdup(name);
	storage->rank = stage->noutput;
	for (int i = 0; i < stage->noutput; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];

		dimension->label = columns[i];
		dimension->bound = stage->labels[stage->output[i]].bound;
		dimension->kind = DIMENSION_DEMOTED;
		if (!(keys_of(shape) & (1u << i)))
			continue;
		dimension->kind = DIMENSION_PROMOTED;
		if (shape->blocked & (1u << i))
		{
			dimension->kind = DIMENSION_BLOCKED;
			dimension->block = shape->block[i];
		}
		dimension->column = columns[i];
	}
	storage->value_column = "value";
	storage->element_type = stage->tensor->type;
	storage->fill = stage->tensor->fill;
	storage->duplicates = DUPLICATES_TRUST;
	return storage;
}

/*
 * Returns the registration of a relation of that name which has a stage's result in a
 * decomposition; the relation itself is not set.
 */
static Storage *
describe_result(const CodegenContext *context, const Stage *stage, const char *name,
				const Decomposition *shape, const char *program)
{
	Storage *storage = storage_of_result(stage, name, shape);

	/* in another schema the name alone would mean a program of that schema */
	storage->program = strcmp(stage_schema(context, stage), context->schema) == 0
						   ? unconstify(char *, program)
						   : quote_qualified_identifier(context->schema, program);
	return storage;
}

/*
 * Is a relation of the stage's name registered with the same bounds, fill and
 * decomposition? Then its readers compute the same.
 */
static bool
has_same_meaning(const CodegenContext *context, const Stage *stage,
				 const Storage *storage)
{
	Oid existing = get_relname_relid(
		storage->tensor, LookupExplicitNamespace(stage_schema(context, stage), false));
	Storage *other = NULL;

	if (OidIsValid(existing))
		other = find_registration(relation_registrations(existing), storage->tensor);
	if (other != NULL)
		resolve_index_sets(other);
	if (other == NULL || other->rank != storage->rank ||
		other->element_type != storage->element_type ||
		(other->fill != storage->fill &&
		 !(isnan(creal(other->fill)) && isnan(creal(storage->fill)))))
		return false;
	for (int i = 0; i < storage->rank; i++)
	{
		if (other->dimensions[i].bound != storage->dimensions[i].bound ||
			other->dimensions[i].kind != storage->dimensions[i].kind ||
			other->dimensions[i].block != storage->dimensions[i].block)
			return false;
	}
	return true;
}

/*
 * Warns of column names that mean something else without quotes: WHERE user = ...
 * compares the current user, and is no error.
 */
static void
warn_of_keywords(const Stage *stage, const Decomposition *shape)
{
	char **columns = stage_columns(stage);

	for (int i = 0; i < stage->noutput; i++)
	{
		int keyword = ScanKeywordLookup(columns[i], &ScanKeywords);

		if (!(keys_of(shape) & (1u << i)) || keyword < 0 ||
			(ScanKeywordCategories[keyword] != RESERVED_KEYWORD &&
			 ScanKeywordCategories[keyword] != TYPE_FUNC_NAME_KEYWORD))
			continue;
		ereport(NOTICE,
				(errmsg("column \"%s\" of view \"%s\" must be written in double quotes",
						columns[i], stage->name),
				 errdetail("The name is a keyword of SQL, which without quotes may mean "
						   "something else.")));
	}
}

/*
 * Errors: 0A000 if a tensor is in a temporary table, which the views would outlive.
 * PostgreSQL's own message would be about generated SQL.
 */
static void
refuse_temporary_tables(const CodegenContext *context)
{
	ListCell *lc;

	foreach (lc, context->plan->graph->program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		ListCell *inner;

		foreach (inner, tensor->entry ? tensor->entry->storages : NIL)
		{
			const Storage *storage = lfirst(inner);

			if (get_rel_persistence(storage->relid) == RELPERSISTENCE_TEMP &&
				!isTempNamespace(LookupExplicitNamespace(context->schema, false)))
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("views in schema \"%s\" cannot read a temporary table",
								context->schema),
						 errdetail("Tensor \"%s\" is on the temporary table \"%s\".",
								   tensor->name, get_rel_name(storage->relid)),
						 errhint("Say schema => 'pg_temp' for views that end with the "
								 "session, or ask einsum_value or einsum_sql.")));
		}
	}
}

/*
 * Limit of views that read each other in a chain. PostgreSQL copies, for each, all views
 * below when it plans: this many take 2 GB of memory, and some more exceed the stack.
 */
#define MOST_NESTED_VIEWS 1000

/* Errors: 54000 if a chain of views that read each other is too long. */
static void
refuse_deep_views(const CodegenContext *context)
{
	const StageGraph *graph = context->plan->graph;
	int *depths = palloc(sizeof(int) * list_length(graph->stages));
	const Operand *operand;

	for (int s = 0; s < list_length(graph->stages); s++)
	{
		const Stage *stage = list_nth(graph->stages, s);

		depths[s] = 1;
		FOREACH_PRODUCED (operand, stage)
		{
			const Stage *producer = operand->producer;

			if (!stage_is_table(context->plan, producer))
				depths[s] = Max(depths[s], depths[producer->number] + 1);
		}
		if (depths[s] > MOST_NESTED_VIEWS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("view \"%s\" would read %d views, each by way of the next",
							stage->name, depths[s] - 1),
					 errdetail("PostgreSQL plans all of them for each query; at most "
							   "%d can be nested.",
							   MOST_NESTED_VIEWS),
					 errhint("With materialize => 'always' the program's results are "
							 "tables.")));
	}
	pfree(depths);
}

/* Returns the SELECT of a stage's view, and frees the memory used to write it. */
static char *
view_query(const CodegenContext *context, const Stage *stage)
{
	MemoryContext memory = AllocSetContextCreate(CurrentMemoryContext, "query of a view",
												 ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	char *query = deparse_view(view_context(context, stage), stage);

	MemoryContextSwitchTo(old);
	query = pstrdup(query);
	MemoryContextDelete(memory);
	return query;
}

/*
 * Creates the view that shows a result whose own relation has it in another
 * decomposition.
 */
static void
create_shown_view(const CodegenContext *context, const Stage *stage, const char *program,
				  bool security_invoker, const List *replaceable)
{
	Decomposition rows = shown_decomposition(stage);
	Storage *storage = describe_result(context, stage, stage->name, &rows, program);
	Oid view = put_view(stage_schema(context, stage), stage->name,
						deparse_shown(context, stage), security_invoker, replaceable,
						has_same_meaning(context, stage, storage));

	set_registration(view, storage);
	put_comment(&context->plan->stages[stage->number], view);
	warn_of_keywords(stage, &rows);
	CommandCounterIncrement();
}

/*
 * Returns the registrations of what a stage reads: all those of the stored tensors, and
 * those of the relations of stages.
 */
static List *
registrations_read(const CodegenContext *context, const Stage *stage)
{
	List *storages = NIL;

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];
			const ProgramTensor *tensor =
				operand->tensor->shifted ? operand->tensor->shifted : operand->tensor;

			if (operand->producer)
				storages = list_concat(
					storages,
					list_make1(find_registration(
						relation_registrations(stage_relid(context, operand->producer)),
						stage_relname(context, operand->producer))));
			else if (tensor->entry)
				storages = list_concat(storages, tensor->entry->storages);
		}
	}
	return storages;
}

/*
 * Describes how a table may be added to. Returns the table as one whose numbers are exact;
 * or NULL.
 */
static IntegerTable *
describe_statement(const CodegenContext *context, const Stage *stage, Storage *storage,
				   const List *integers)
{
	IntegerTable *table = palloc0(sizeof(IntegerTable));

	storage->statement = stage_statement(context, stage);
	storage->reads = registrations_hash(registrations_read(context, stage));
	table->digits = digits_of_statement(storage->statement, integers);
	if (table->digits <= EXACT_DIGITS)
		return table;
	storage->moved = name_of_moved(storage);
	return NULL;
}

/* Creates the view of a stage, or its table, which is added to *tables. */
static void
create_relation(const CodegenContext *context, const Stage *stage, const char *program,
				const ProgramCall *call, const List *replaceable, List **tables,
				NowViews *now)
{
	const char *schema = stage_schema(context, stage);
	const char *name = stage_relname(context, stage);
	const StagePlan *plan = &context->plan->stages[stage->number];
	Storage *storage = describe_result(context, stage, name, &plan->shape, program);
	char *query = view_query(context, stage);
	bool same_meaning = has_same_meaning(context, stage, storage);
	bool is_table = stage_is_table(context->plan, stage);
	IntegerTable *exact = NULL;
	Oid relation;
	Oid view;

	if (is_table && context->plan->graph->options->materialize == MATERIALIZE_INCREMENTAL)
		exact = describe_statement(context, stage, storage, now->integers);
	if (is_table)
	{
		relation =
			put_table(schema, storage, query, result_is_unique(context->plan, stage),
					  replaceable, same_meaning, &view);
		*tables = lappend_oid(*tables, relation);
	}
	else
		relation = view = put_view(schema, name, query, call->security_invoker,
								   replaceable, same_meaning);
	if (exact)
	{
		exact->relid = relation;
		now->integers = lappend(now->integers, exact);
	}
	if (view != relation)
		make_now_view(now, context, stage, relation, view, storage, replaceable);
	if (stage == llast(context->plan->graph->stages))
		storage->call = call;
	depend_on_proofs(context, stage, view);
	set_registration(relation, storage);
	put_comment(plan, relation);
	if (view != relation)
		put_comment(plan, view);
	if (stage->statement && !is_shown_apart(context, stage))
		warn_of_keywords(stage, &plan->shape);
	CommandCounterIncrement();
}

List *
create_views(const CodegenContext *context, const char *program, const ProgramCall *call,
			 bool replace)
{
	List *replaceable = NIL;
	List *tables = NIL;
	NowViews now = {0};
	MemoryContext caller = CurrentMemoryContext;
	ListCell *lc;

	refuse_temporary_tables(context);
	refuse_deep_views(context);
	SPI_connect();
	if (replace)
		replaceable = clear_for_replacement(context, program);
	foreach (lc, context->plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);

		if (!stage_has_relation(context, stage))
			continue;
		create_relation(context, stage, program, call, replaceable, &tables, &now);
		if (is_shown_apart(context, stage))
			create_shown_view(context, stage, program, call->security_invoker,
							  replaceable);
	}
	notice_without_now(&now, program);
	/* the list must outlive SPI's memory */
	MemoryContextSwitchTo(caller);
	tables = list_copy(tables);
	SPI_finish();
	return tables;
}

/* Returns the statements that create the view that shows a result. */
static List *
shown_statements(const CodegenContext *context, const Stage *stage)
{
	char *view = quote_qualified_identifier(stage_schema(context, stage), stage->name);

	return list_make2(
		psprintf("CREATE VIEW %s AS %s", view, deparse_shown(context, stage)),
		comment_statement(&context->plan->stages[stage->number], RELKIND_VIEW, view));
}

/* Returns the statements that create the relation of a stage. */
static List *
relation_statements(const CodegenContext *context, const Stage *stage)
{
	char *relation = stage_relation(context, stage);
	char *query = deparse_view(view_context(context, stage), stage);
	const StagePlan *plan = &context->plan->stages[stage->number];
	Storage *storage;
	char *view;

	if (!stage_is_table(context->plan, stage))
		return list_make2(psprintf("CREATE VIEW %s AS %s", relation, query),
						  comment_statement(plan, RELKIND_VIEW, relation));
	storage =
		describe_result(context, stage, stage_relname(context, stage), &plan->shape, "");
	view = quote_qualified_identifier(stage_schema(context, stage),
									  filling_view_name(stage_relname(context, stage)));
	if (storage_key_count(storage) > 0 && result_is_unique(context->plan, stage))
		storage->duplicates = DUPLICATES_ERROR;
	return list_concat(
		list_concat(
			list_make2(psprintf("CREATE VIEW %s AS %s", view, query),
					   comment_statement(plan, RELKIND_VIEW, view)),
			create_table_statements(storage, relation, view,
									plan->shape.promoted != (1u << stage->noutput) - 1 ||
										storage->element_type != ELEMENT_FLOAT8,
									false, 0)),
		lcons(comment_statement(plan, RELKIND_RELATION, relation),
			  lappend(list_delete_first(fill_statements(storage, relation, view, true)),
					  psprintf("ANALYZE %s", relation))));
}

List *
create_statements(const CodegenContext *context, const Stage *stage)
{
	List *statements;

	if (!stage_has_relation(context, stage))
		return NIL;
	statements = relation_statements(context, stage);
	return is_shown_apart(context, stage)
			   ? list_concat(statements, shown_statements(context, stage))
			   : statements;
}
