/*-------------------------------------------------------------------------
 *
 * known_programs.c
 *	  Programs made by einsum_decompose, and the relations that each one reads.
 *
 * A program is found by the labels of its relations. It reads what its views depend on,
 * and the tensors that its text names: a plan may use the bounds of a tensor without
 * reading an entry of it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "catalog/attempt.h"
#include "catalog/label.h"
#include "catalog/role.h"
#include "catalog/tensor_storage.h"
#include "catalog/view_reads.h"
#include "codegen/known_programs.h"
#include "codegen/tables.h"
#include "expr/analysis.h"
#include "recursion.h"

/*
 * Finds the schema and name of the program that a label names; a program in another
 * schema has a qualified name there.
 */
static void
locate_program(const char *given, Oid relation_schema, Oid *schema, char **name)
{
	List *parts;

	*schema = relation_schema;
	*name = pstrdup(given);
	if (strchr(given, '.') == NULL ||
		!SplitIdentifierString(pstrdup(given), '.', &parts) || list_length(parts) != 2 ||
		strcmp(quote_qualified_identifier(linitial(parts), lsecond(parts)), given) != 0)
		return;
	*schema = get_namespace_oid(linitial(parts), true);
	if (OidIsValid(*schema) && *schema != relation_schema)
		*name = lsecond(parts);
	else
		*schema = relation_schema;
}

/* Returns the call that one of the program's relations keeps, or NULL. */
static const ProgramCall *
kept_call(const KnownProgram *program)
{
	ListCell *lc;

	foreach (lc, program->relations)
	{
		ListCell *inner;

		foreach (inner, relation_registrations(lfirst_oid(lc)))
		{
			const Storage *storage = lfirst(inner);

			if (storage->program != NULL && storage->call != NULL)
				return storage->call;
		}
	}
	return NULL;
}

void
call_as_program(const KnownProgram *program, void (*function)(void *), void *argument)
{
	call_as_owner(program->owner, program->call->path, function, argument);
}

void
call_as_owner(Oid owner, const List *schemas, void (*function)(void *), void *argument)
{
	StringInfoData path;
	int nest_level = NewGUCNestLevel();
	/* restrict other users only: the owner's own programs may make temporary views */
	bool of_other = owner != GetUserId();
	Caller caller;
	ListCell *lc;

	initStringInfo(&path);
	foreach (lc, schemas)
		appendStringInfo(&path, "%s%s", path.len ? ", " : "",
						 quote_identifier(lfirst(lc)));
	if (of_other)
		become_role(&caller, owner);
	(void) set_config_option("search_path", path.data, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	function(argument);
	if (of_other)
		become_caller(&caller);
	AtEOXact_GUC(false, nest_level);
}

/* Adds the relations of the tensors that a program's text names to what it reads. */
static void
read_text(void *argument)
{
	KnownProgram *program = argument;
	ListCell *lc;

	foreach (lc, analyze_program(program->call->text)->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		ListCell *inner;

		foreach (inner, tensor->entry ? tensor->entry->storages : NIL)
			program->reads = list_append_unique_oid(program->reads,
													((Storage *) lfirst(inner))->relid);
	}
}

static void
read_text_as_program(void *argument)
{
	call_as_program(argument, read_text, argument);
}

static KnownProgram *
know_program(Oid schema, char *name)
{
	KnownProgram *program = palloc0(sizeof(KnownProgram));
	List *views;
	ListCell *lc;

	program->schema = schema;
	program->name = name;
	program->relations = relations_of_program(schema, name, true);
	if (program->relations == NIL)
		return program;
	program->owner = relation_owner(linitial_oid(program->relations));
	program->call = kept_call(program);
	views = views_of_tables(program->relations);
	program->relations = list_concat_unique_oid(program->relations, views);
	foreach (lc, program->relations)
	{
		if (get_rel_relkind(lfirst_oid(lc)) == RELKIND_VIEW)
			program->reads =
				list_concat_unique_oid(program->reads, relations_of_view(lfirst_oid(lc)));
	}
	/* a text that cannot be analyzed any more adds nothing; names are locked later */
	if (program->call != NULL)
		(void) attempt_without_locks(read_text_as_program, program);
	program->reads = list_difference_oid(program->reads, program->relations);
	return program;
}

List *
known_programs(void)
{
	List *programs = NIL;
	int nest_level = NewGUCNestLevel();
	ListCell *lc;

	/* do not warn about invalid registrations of other users */
	(void) set_config_option("client_min_messages", "error", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	foreach (lc, scan_labels(NIL))
	{
		const LabelledRelation *relation = lfirst(lc);
		char *message;
		ListCell *inner;

		foreach (inner, label_parse_softly(relation->label, relation->relid, &message))
		{
			const Storage *storage = lfirst(inner);
			bool known = false;
			Oid schema;
			char *name;
			ListCell *other;

			CHECK_FOR_INTERRUPTS();
			if (storage->program == NULL)
				continue;
			locate_program(storage->program, relation->schema, &schema, &name);
			foreach (other, programs)
			{
				const KnownProgram *program = lfirst(other);

				known |= program->schema == schema && strcmp(program->name, name) == 0;
			}
			if (!known)
				programs = lappend(programs, know_program(schema, name));
		}
	}
	AtEOXact_GUC(false, nest_level);
	return programs;
}

static bool
reads_one_of(const KnownProgram *program, const List *relations)
{
	ListCell *lc;

	foreach (lc, program->reads)
	{
		if (list_member_oid(relations, lfirst_oid(lc)))
			return true;
	}
	return false;
}

/* Appends a program to the ordered list, after those of the programs that it reads. */
static List *
add_in_order(List *ordered, KnownProgram *program, const List *programs, List **started)
{
	ListCell *lc;

	enter_recursion();
	if (list_member_ptr(*started, program))
		return ordered;
	*started = lappend(*started, program);
	foreach (lc, programs)
	{
		KnownProgram *other = lfirst(lc);

		if (other != program && reads_one_of(program, other->relations))
			ordered = add_in_order(ordered, other, programs, started);
	}
	return lappend(ordered, program);
}

List *
programs_reading(const List *programs, const List *relations)
{
	List *changed = list_copy(relations);
	List *reading = NIL;
	List *ordered = NIL;
	List *started = NIL;
	int before;
	ListCell *lc;

	do
	{
		before = list_length(reading);
		foreach (lc, programs)
		{
			KnownProgram *program = lfirst(lc);

			if (list_member_ptr(reading, program) || !reads_one_of(program, changed))
				continue;
			reading = lappend(reading, program);
			changed = list_concat_unique_oid(changed, program->relations);
		}
	} while (list_length(reading) > before);
	foreach (lc, reading)
		ordered = add_in_order(ordered, lfirst(lc), reading, &started);
	return ordered;
}
