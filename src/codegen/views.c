/*-------------------------------------------------------------------------
 *
 * views.c
 *	  The views of a decomposed program: creation, registration, removal.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_rewrite.h"
#include "catalog/pg_type.h"
#include "common/keywords.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "rewrite/rewriteSupport.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/label.h"
#include "codegen/materialize.h"
#include "codegen/views.h"
#include "type/tensor.h"

/* A utility statement as the current user. */
static void
execute(const char *statement)
{
	int result = SPI_execute(statement, false, 0);

	if (result != SPI_OK_UTILITY)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(result));
}

char *
create_view_statement(const CodegenContext *context, const Stage *stage,
					  bool security_invoker)
{
	return psprintf("CREATE VIEW %s%s AS %s", stage_relation(context, stage),
					security_invoker ? " WITH (security_invoker = true)" : "",
					deparse_view(view_context(context, stage), stage));
}

static const char *
stage_schema(const CodegenContext *context, const Stage *stage)
{
	return stage->schema ? stage->schema : context->schema;
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

/* What the SELECT of one stage takes for granted. */
static void
depend_on_proofs_of(const CodegenContext *context, const Stage *stage, Oid view)
{
	const StagePlan *plan = &context->plan->stages[stage->number];

	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Storage *storage = plan->operands[t][o].storage;
			ListCell *lc;

			if (storage == NULL)
				continue;
			if (OidIsValid(storage->constraint))
				depend_on(view, ConstraintRelationId, storage->constraint);
			else if (OidIsValid(storage->unique_index))
				depend_on(view, RelationRelationId, storage->unique_index);
			foreach (lc, storage->range_constraints)
				depend_on(view, ConstraintRelationId, lfirst_oid(lc));
		}
	}
}

/*
 * A view computes the right thing only while the keys it reads are unique and,
 * where it does not test them, within their bounds. So it depends on what says
 * so, as a GROUP BY on a primary key does.
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

static void
register_view(const CodegenContext *context, const Stage *stage, Oid view,
			  const char *program)
{
	const StagePlan *plan = &context->plan->stages[stage->number];
	char **columns = stage_columns(stage);
	Storage storage = {0};

	storage.relid = view;
	storage.tensor = stage->name;
	storage.rank = stage->noutput;
	for (int i = 0; i < stage->noutput; i++)
	{
		StorageDimension *dimension = &storage.dimensions[i];

		dimension->label = columns[i];
		dimension->bound = stage->labels[stage->output[i]].bound;
		dimension->kind = DIMENSION_DEMOTED;
		if (!(plan->shape & (1u << i)))
			continue;
		dimension->kind = DIMENSION_PROMOTED;
		dimension->column = columns[i];
		dimension->attno = get_attnum(view, columns[i]);
		dimension->key_type = get_atttype(view, dimension->attno);
	}
	storage.value_column = "value";
	storage.value_attno = get_attnum(view, "value");
	storage.value_type = get_atttype(view, storage.value_attno);
	storage.element_type = ELEMENT_FLOAT8;
	storage.fill = stage->tensor->fill;
	storage.duplicates = DUPLICATES_TRUST;
	/* in another schema than the program's, the name alone would be of that */
	storage.program = strcmp(stage_schema(context, stage), context->schema) == 0
						  ? unconstify(char *, program)
						  : quote_qualified_identifier(context->schema, program);
	set_registration(view, &storage);
}

/*
 * Some names mean something else without quotes: WHERE user = ... compares the
 * current user, and is no error.
 */
static void
warn_of_keywords(const Stage *stage, const StagePlan *plan)
{
	char **columns = stage_columns(stage);

	for (int i = 0; i < stage->noutput; i++)
	{
		int keyword = ScanKeywordLookup(columns[i], &ScanKeywords);

		if (!(plan->shape & (1u << i)) || keyword < 0 ||
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

void
create_views(const CodegenContext *context, const char *program, bool security_invoker)
{
	ListCell *lc;

	SPI_connect();
	foreach (lc, context->plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		const char *schema = stage_schema(context, stage);
		Oid namespace = LookupExplicitNamespace(schema, false);
		Oid view;

		if (OidIsValid(get_relname_relid(stage->name, namespace)))
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_TABLE),
					 errmsg("relation \"%s\" already exists in schema \"%s\"",
							stage->name, schema),
					 errhint("Use replace => true to replace a view that a program "
							 "made, or give the tensor another name.")));
		execute(create_view_statement(context, stage, security_invoker));
		CommandCounterIncrement();
		view = get_relname_relid(stage->name, namespace);
		depend_on_proofs(context, stage, view);
		register_view(context, stage, view, program);
		if (stage->statement)
			warn_of_keywords(stage, &context->plan->stages[stage->number]);
		CommandCounterIncrement();
	}
	SPI_finish();
}

/* Did einsum_decompose make it? Other views are not replaced. */
static bool
is_program_view(Oid relation)
{
	ListCell *lc;

	if (get_rel_relkind(relation) != RELKIND_VIEW)
		return false;
	foreach (lc, relation_registrations(relation))
	{
		if (((Storage *) lfirst(lc))->program != NULL)
			return true;
	}
	return false;
}

int
drop_views(Oid schema, const char *program, const CodegenContext *context)
{
	List *views = relations_of_program(schema, program);
	StringInfoData statement;
	ListCell *lc;

	if (context)
	{
		foreach (lc, context->plan->graph->stages)
		{
			const Stage *stage = lfirst(lc);
			Oid namespace = LookupExplicitNamespace(stage_schema(context, stage), false);
			Oid existing = get_relname_relid(stage->name, namespace);

			if (OidIsValid(existing) && is_program_view(existing))
				views = list_append_unique_oid(views, existing);
		}
	}
	if (views == NIL)
		return 0;
	initStringInfo(&statement);
	appendStringInfoString(&statement, "DROP VIEW ");
	foreach (lc, views)
		appendStringInfo(&statement, "%s%s", foreach_current_index(lc) ? ", " : "",
						 quote_qualified_identifier(
							 get_namespace_name(get_rel_namespace(lfirst_oid(lc))),
							 get_rel_name(lfirst_oid(lc))));
	appendStringInfoString(&statement, " RESTRICT");
	SPI_connect();
	execute(statement.data);
	SPI_finish();
	CommandCounterIncrement();
	return list_length(views);
}
