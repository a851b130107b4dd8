/*-------------------------------------------------------------------------
 *
 * rebound.c
 *	  einsum_rebound: changes bounds of tensors, and makes the programs that read them
 *	  again.
 *
 * The SQL of views and the constraints of tables contain bounds as numbers. So programs
 * are made again by the calls that made them, which their security labels keep. First all
 * their views are emptied, since they read each other. Then tensors are registered with
 * their new bounds, and programs are made in order. An error leaves everything as it was.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/tuplestore.h"

#include "catalog/declare.h"
#include "catalog/label.h"
#include "catalog/locks.h"
#include "catalog/lookup.h"
#include "catalog/origin.h"
#include "catalog/tensor_storage.h"
#include "codegen/known_programs.h"
#include "codegen/replace.h"
#include "commands/arguments.h"
#include "commands/decompose.h"
#include "commands/options.h"
#include "compat.h"

/* The new bounds of a tensor. */
typedef struct Rebound
{
	Oid schema;
	char *tensor;
	char *bounds[TENSOR_MAX_RANK]; /* new bounds as text; NULL: the label keeps its
								    * bound */
	List *storages;
} Rebound;

/* A program that is made again as its owner. */
typedef struct ProgramToMake
{
	const KnownProgram *program;
	char *schema;
} ProgramToMake;

pg_noreturn static void
no_bound(const char *key)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("the new bound of \"%s\" is no bound", key),
		 errhint("For labels write {\"i\": 30}, for a tensor its bounds in the order of "
				 "its labels, null for one that stays: {\"a\": [30, null]}.")));
}

/* Returns a bound in JSON as text, or NULL. */
static char *
given_bound(const JsonbValue *value, const char *key)
{
	switch (value->type)
	{
		case jbvNumeric:
			return numeric_normalize(value->val.numeric);
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvNull:
			return NULL;
		default:
			no_bound(key);
	}
}

static Rebound *
rebound_of(List **rebounds, Oid schema, const char *tensor)
{
	Rebound *rebound;
	ListCell *lc;

	foreach (lc, *rebounds)
	{
		rebound = lfirst(lc);
		if (rebound->schema == schema && strcmp(rebound->tensor, tensor) == 0)
			return rebound;
	}
	rebound = palloc0(sizeof(Rebound));
	rebound->schema = schema;
	rebound->tensor = pstrdup(tensor);
	*rebounds = lappend(*rebounds, rebound);
	return rebound;
}

/*
 * Sets the new bound of a label wherever one of the user's tensors in the schema has it
 * with a number as its bound.
 */
static void
rebound_label(List **rebounds, Oid schema, const char *label, char *bound)
{
	const char *lower = downcase_identifier(label, (int) strlen(label), false, false);
	bool found = false;
	ListCell *lc;

	if (bound == NULL)
		no_bound(label);
	foreach (lc, scan_labels(list_make1_oid(schema)))
	{
		const LabelledRelation *relation = lfirst(lc);
		char *message;
		ListCell *inner;

		if (!owns_relation(relation->relid))
			continue;
		foreach (inner, label_parse_softly(relation->label, relation->relid, &message))
		{
			const Storage *storage = lfirst(inner);

			for (int i = 0; i < storage->rank; i++)
			{
				const StorageDimension *dimension = &storage->dimensions[i];
				Rebound *rebound;

				if (storage->program != NULL || dimension->index_set != NULL ||
					bound_size(dimension->bound) < 0 ||
					strcmp(dimension->label, label) != 0)
					continue;
				found = true;
				rebound = rebound_of(rebounds, schema, storage->tensor);
				if (rebound->bounds[i] && strcmp(rebound->bounds[i], bound) != 0)
					ereport(ERROR,
							(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							 errmsg("label %d of tensor \"%s\" has two new bounds, "
									"%s and %s",
									i + 1, storage->tensor, rebound->bounds[i], bound),
							 errdetail("Its storages call it by different names.")));
				rebound->bounds[i] = bound;
			}
		}
	}
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("no tensor of yours in schema \"%s\" has a label \"%s\" whose "
						"bound is a number",
						get_namespace_name(schema), label),
				 strcmp(lower, label) != 0
					 ? errhint("Labels are named in lower case: {\"%s\": %s}. The view "
							   "einsum_tensors shows labels and bounds.",
							   lower, bound)
					 : errhint("The view einsum_tensors shows labels and bounds. For a "
							   "tensor write its bounds as an array: {\"%s\": [30, 30]}.",
							   label)));
}

/* Sets the new bounds of one tensor. */
static void
rebound_tensor(List **rebounds, const char *name, JsonbContainer *bounds)
{
	SyntaxReference *reference = parse_tensor_name(cstring_to_text(name));
	Oid schema = schema_of_tensor(reference->schema, reference->name);
	int count = JsonContainerSize(bounds);
	const Storage *first;
	Rebound *rebound;

	if (!OidIsValid(schema))
		report_no_tensor(reference);
	first = linitial(storages_of_first_owner(
		registrations_in_schema(schema, reference->name), reference->name, true));
	if (count != first->rank)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg_plural("tensor \"%s\" has %d label, but bounds for %d",
									  "tensor \"%s\" has %d labels, but bounds for %d",
									  first->rank, reference->name, first->rank, count),
						errhint("Give one bound for each label, in the order of the "
								"notation; null is one that stays.")));
	rebound = rebound_of(rebounds, schema, reference->name);
	for (int i = 0; i < count; i++)
	{
		char *bound = given_bound(getIthJsonbValueFromContainer(bounds, i), name);

		if (bound)
			rebound->bounds[i] = bound;
	}
}

/*
 * Finds the storages of a tensor as they are registered now, and sets their new bounds.
 */
static void
find_storages(Rebound *rebound)
{
	ListCell *lc;

	rebound->storages =
		storages_of_first_owner(registrations_in_schema(rebound->schema, rebound->tensor),
								rebound->tensor, false);
	foreach (lc, rebound->storages)
	{
		Storage *storage = lfirst(lc);

		check_relation_owner(storage->relid);
		if (storage->program != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("tensor \"%s\" is a result of program \"%s\"",
							storage->tensor, storage->program),
					 errdetail("Its bounds follow from those of what the program reads."),
					 errhint("Change those.")));
		for (int i = 0; i < storage->rank; i++)
		{
			if (rebound->bounds[i])
				set_bound(&storage->dimensions[i], rebound->bounds[i]);
		}
	}
}

/*
 * Returns a Rebound for each tensor that is to change. Bounds given for labels are read
 * first, since those given for a tensor take precedence.
 */
static List *
read_rebounds(Jsonb *argument, Oid schema)
{
	List *rebounds = NIL;
	ListCell *lc;

	if (!JB_ROOT_IS_OBJECT(argument))
		no_bound("tensors");
	for (int pass = 0; pass < 2; pass++)
	{
		JsonbIterator *iterator = JsonbIteratorInit(&argument->root);
		JsonbIteratorToken token;
		JsonbValue value;
		char *key = NULL;

		while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
		{
			bool is_array =
				value.type == jbvBinary && JsonContainerIsArray(value.val.binary.data);

			if (token == WJB_KEY)
				key = pnstrdup(value.val.string.val, value.val.string.len);
			if (token != WJB_VALUE || is_array != (pass == 1))
				continue;
			if (is_array)
				rebound_tensor(&rebounds, key, value.val.binary.data);
			else
				rebound_label(&rebounds, schema, key, given_bound(&value, key));
		}
	}
	foreach (lc, rebounds)
		find_storages(lfirst(lc));
	return rebounds;
}

/*
 * Does the user own all relations of the program, so that it can be made again? Other
 * programs stay as they are.
 */
static bool
may_make(const KnownProgram *program)
{
	ListCell *lc;

	foreach (lc, program->relations)
	{
		if (!owns_relation(lfirst_oid(lc)))
			return false;
	}
	return true;
}

/*
 * Returns the programs that read changed tensors and are to be made again, in order.
 * Warns of those that other users own. Errors: 55000 if it is not known how a program was
 * made.
 */
static List *
programs_to_make(const List *changed, bool warn)
{
	List *programs = NIL;
	List *others = NIL;
	ListCell *lc;

	foreach (lc, known_programs())
	{
		if (may_make(lfirst(lc)))
			programs = lappend(programs, lfirst(lc));
		else
			others = lappend(others, lfirst(lc));
	}
	foreach (lc, warn ? programs_reading(others, changed) : NIL)
	{
		const KnownProgram *program = lfirst(lc);

		ereport(WARNING,
				(errmsg("program \"%s\" in schema \"%s\" keeps its former bounds",
						program->name, get_namespace_name(program->schema)),
				 errdetail("It is owned by %s.", GetUserNameFromId(program->owner, true)),
				 errhint("Its owner can make it again with einsum_decompose(..., replace "
						 "=> true).")));
	}
	programs = programs_reading(programs, changed);
	foreach (lc, programs)
	{
		const KnownProgram *program = lfirst(lc);

		if (program->call == NULL)
			ereport(
				ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("program \"%s\" in schema \"%s\" cannot be made again",
						program->name, get_namespace_name(program->schema)),
				 errdetail("How it was made is not known: an earlier version has made "
						   "it, or its last view or table has been dropped or "
						   "registered anew."),
				 errhint("Make it again with einsum_decompose(..., replace => "
						 "true).")));
	}
	return programs;
}

static List *
relations_of_programs(const List *programs)
{
	List *relations = NIL;
	ListCell *lc;

	foreach (lc, programs)
		relations =
			list_concat_unique_oid(relations, ((KnownProgram *) lfirst(lc))->relations);
	return relations;
}

/*
 * Adds the locks of all changed tensors, and of the programs that are dropped and made
 * again.
 */
static void
add_locks_of_all(Locks *locks, const List *rebounds, const List *programs,
				 const List *changed)
{
	List *relations = relations_of_programs(programs);
	ListCell *lc;

	foreach (lc, rebounds)
	{
		const Rebound *rebound = lfirst(lc);

		add_tensor_lock(locks, rebound->schema, rebound->tensor, changed);
	}
	foreach (lc, programs)
	{
		const KnownProgram *program = lfirst(lc);

		add_locks_to_make(locks, program->schema, program->name, program->call->text,
						  true);
	}
	add_locks_to_drop(locks, relations);
	add_tensor_locks_of(locks, changed);
	add_relation_locks(locks, changed, ShareUpdateExclusiveLock);
}

static void
make_again(void *argument)
{
	const ProgramToMake *make = argument;
	MemoryContext planning = AllocSetContextCreate(CurrentMemoryContext, "einsum_rebound",
												   ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(planning);

	make_program(make->program->call, make->schema, make->program->name, true);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(planning);
}

static void
making_context(void *argument)
{
	errcontext("making program \"%s\" again",
			   ((ProgramToMake *) argument)->program->name);
}

/*
 * einsum_rebound(bounds, schema): gives labels or tensors other bounds, and makes the
 * programs that read them again. Returns these programs, in the order in which they are
 * made. Errors: 42704 if no tensor has such a label, 42P01 if there is no such tensor,
 * 42501 if it is another's; all of einsum_register, as 22003 for a key beyond its bound,
 * and of einsum_decompose with replace; 55000 for a program that cannot be made again.
 */
PG_FUNCTION_INFO_V1(einsum_rebound);
Datum
einsum_rebound(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid schema;
	List *rebounds;
	List *programs;
	Locks held = {NIL};
	Locks wanted;
	List *changed = NIL; /* storages that get new bounds */
	bool first = true;
	ListCell *lc;

	PreventCommandIfReadOnly("einsum_rebound()");
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	require_argument(fcinfo, 0, "bounds");
	schema = LookupExplicitNamespace(target_schema(fcinfo, 1), false);
	/* other tensors and programs may appear while this waits for locks */
	do
	{
		List *relations = NIL;

		rebounds = read_rebounds(PG_GETARG_JSONB_P(0), schema);
		foreach (lc, rebounds)
		{
			ListCell *inner;

			foreach (inner, ((Rebound *) lfirst(lc))->storages)
				relations =
					list_append_unique_oid(relations, ((Storage *) lfirst(inner))->relid);
		}
		programs = programs_to_make(relations, first);
		wanted = (Locks){NIL};
		add_locks_of_all(&wanted, rebounds, programs, relations);
		first = false;
	} while (!take_locks(&wanted, &held));

	SPI_connect();
	empty_views(relations_of_programs(programs));
	SPI_finish();
	foreach (lc, rebounds)
	{
		List *storages = ((Rebound *) lfirst(lc))->storages;

		redeclare_storages(storages);
		changed = list_concat(changed, storages);
	}
	measure_small_storages(changed);
	foreach (lc, programs)
	{
		ProgramToMake make = {lfirst(lc)};
		ErrorContextCallback context = {
			.previous = error_context_stack, .callback = making_context, .arg = &make};
		Datum name;
		bool isnull = false;

		CHECK_FOR_INTERRUPTS();
		make.schema = get_namespace_name(make.program->schema);
		error_context_stack = &context;
		call_as_program(make.program, make_again, &make);
		error_context_stack = context.previous;
		name = CStringGetTextDatum(
			make.program->schema == schema
				? make.program->name
				: quote_qualified_identifier(make.schema, make.program->name));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &name, &isnull);
	}
	PG_RETURN_VOID();
}
