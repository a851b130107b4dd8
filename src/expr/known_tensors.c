/*-------------------------------------------------------------------------
 *
 * known_tensors.c
 *	  The stored tensors that programs read, as they were registered at one moment.
 *
 * The lock on a tensor's relation does not keep others from registering it anew. A
 * program that found one tensor as it was before, and another as it is after, would have
 * labels with two bounds; so would a loop whose init and step are analysed one after the
 * other.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "storage/sinval.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "catalog/label.h"
#include "expr/expr.h"
#include "expr/known_tensors.h"
#include "expr/name_set.h"
#include "parser/syntax.h"
#include "recursion.h"

/* A name, and what it means; entry is NULL if it is no stored tensor. */
typedef struct KnownTensor
{
	const char *schema; /* if it is written */
	const char *name;
	TensorEntry *entry;
} KnownTensor;

struct KnownTensors
{
	List *tensors;         /* of KnownTensor *, in the order in which they are read */
	NameSet *names;        /* of KnownTensor *, by the qualified name */
	MemoryContext memory;  /* of this and the names */
	MemoryContext entries; /* of what was found */
};

/* The names that mean no stored tensor at a place of a program. */
typedef struct NameScope
{
	KnownTensors *known;
	NameSet *hidden;
} NameScope;

KnownTensors *
new_known_tensors(void)
{
	KnownTensors *known = palloc0(sizeof(KnownTensors));

	known->memory = CurrentMemoryContext;
	known->names = make_name_set(64);
	known->entries =
		AllocSetContextCreate(known->memory, "tensors of programs", ALLOCSET_SMALL_SIZES);
	return known;
}

static void
add_reference(KnownTensors *known, const SyntaxReference *reference)
{
	MemoryContext old = MemoryContextSwitchTo(known->memory);
	char *name = quote_qualified_identifier(reference->schema, reference->name);

	if (!has_name(known->names, name))
	{
		KnownTensor *tensor = palloc0(sizeof(KnownTensor));

		tensor->schema = reference->schema ? pstrdup(reference->schema) : NULL;
		tensor->name = pstrdup(reference->name);
		known->tensors = lappend(known->tensors, tensor);
		set_value_of_name(known->names, name, tensor);
	}
	MemoryContextSwitchTo(old);
}

static void
add_names(const NameScope *scope, const SyntaxExpr *expr)
{
	const SyntaxReference *reference = expr->reference;
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE &&
		(reference->schema || !has_name(scope->hidden, reference->name)))
		add_reference(scope->known, reference);
	foreach (lc, expr->args)
		add_names(scope, lfirst(lc));
}

void
add_names_of_program(KnownTensors *known, const char *text, const List *states)
{
	NameScope scope = {known, make_name_set(64)};
	ListCell *lc;

	foreach (lc, states)
		(void) add_name(scope.hidden, lfirst(lc));
	foreach (lc, parse_program(text))
	{
		const SyntaxStatement *statement = lfirst(lc);

		add_names(&scope, statement->expr);
		if (statement->target->schema == NULL)
			(void) add_name(scope.hidden, statement->target->name);
	}
}

/* Are two storages of a tensor of one table and its columns? */
static bool
same_storage(const Storage *before, const Storage *after)
{
	return before->relid == after->relid &&
		   registration_hash(before) == registration_hash(after);
}

/* Is a tensor registered as it was when it was looked up before? */
static bool
same_registration(const TensorEntry *before, const TensorEntry *after)
{
	ListCell *one;
	ListCell *other;

	if (before == NULL || after == NULL)
		return before == after;
	if (before->rank != after->rank || before->type != after->type ||
		!same_number(before->fill, after->fill) ||
		list_length(before->storages) != list_length(after->storages) ||
		memcmp(before->bounds, after->bounds, sizeof(int64) * after->rank) != 0)
		return false;
	forboth (one, before->storages, other, after->storages)
	{
		if (!same_storage(lfirst(one), lfirst(other)))
			return false;
	}
	return true;
}

void
look_up_tensors(KnownTensors *known)
{
	MemoryContext old;
	uint64 messages;
	bool first = true;
	bool same;

	MemoryContextReset(known->entries);
	old = MemoryContextSwitchTo(known->entries);
	do
	{
		ListCell *lc;

		messages = SharedInvalidMessageCounter;
		same = !first;
		first = false;
		foreach (lc, known->tensors)
		{
			KnownTensor *tensor = lfirst(lc);
			TensorEntry *entry = lookup_tensor(tensor->schema, tensor->name);

			same = same && same_registration(tensor->entry, entry);
			tensor->entry = entry;
		}
	} while (!same && messages != SharedInvalidMessageCounter);
	MemoryContextSwitchTo(old);
}

const char *
changed_tensor(KnownTensors *known)
{
	ListCell *lc;

	foreach (lc, known->tensors)
	{
		const KnownTensor *tensor = lfirst(lc);

		if (!same_registration(tensor->entry,
							   lookup_tensor(tensor->schema, tensor->name)))
			return tensor->name;
	}
	return NULL;
}

TensorEntry *
known_tensor(const KnownTensors *known, const char *schema, const char *name)
{
	const KnownTensor *found =
		value_of_name(known->names, quote_qualified_identifier(schema, name));

	if (found)
		return found->entry;
	/* a statement that hides a stored tensor reads it by its schema */
	found = schema ? value_of_name(known->names, quote_identifier(name)) : NULL;
	if (found && found->entry && found->entry->schema == get_namespace_oid(schema, true))
		return found->entry;
	return lookup_tensor(schema, name);
}
