/*-------------------------------------------------------------------------
 *
 * places.c
 *	  Where the states of a loop are kept: the user's tables, or the loop's own.
 *
 * The loop's own tables are like those of materialize => 'always', with the same
 * constraints, but without a query: they are registered tables that belong to the program
 * of the loop's name. A table of another role does not count as the loop's own, for its
 * triggers would run with the caller's rights.
 *
 * For an existing table, the difference is written (difference.c). A new table is filled
 * before it gets its constraints, whose indexes are then built at once.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "catalog/declare.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/lookup.h"
#include "catalog/position.h"
#include "catalog/query_label.h"
#include "catalog/range_storage.h"
#include "catalog/tensor_storage.h"
#include "catalog/value_columns.h"
#include "codegen/replace.h"
#include "codegen/tables.h"
#include "compat.h"
#include "iterate/loop.h"
#include "iterate/plan.h"
#include "optimizer/many_rows.h"
#include "parser/syntax.h"
#include "rows/difference.h"
#include "type/extension.h"

/*
 * The fill factor of tables that the loop writes at every commit. An updated row finds
 * room on its page, where its last but one version has been pruned: tables do not grow.
 */
#define FILLFACTOR 45

/*
 * Returns the loop's own table of that name, resolved; NULL if it does not exist or does
 * not belong to the loop.
 */
static Storage *
own_table(const LoopRequest *request, const char *name)
{
	Oid relid = get_relname_relid(name, LookupExplicitNamespace(request->schema, false));
	Storage *storage;
	StorageProblem problem;
	Relation table;

	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_RELATION ||
		relation_owner(relid) != GetUserId())
		return NULL;
	storage = find_registration(relation_registrations(relid), name);
	if (storage == NULL || storage->program == NULL || storage->query != NULL ||
		strcmp(storage->program, request->name) != 0)
		return NULL;
	table = try_table_open(relid, RowExclusiveLock);
	/* dropped meanwhile */
	if (table == NULL)
		return NULL;
	if (!storage_resolve(storage, table, &problem))
		report_problem(&problem);
	table_close(table, NoLock);
	return storage;
}

/* Returns why a tensor's storage cannot take a state; NULL if it can. */
static const char *
why_not_writable(const TensorEntry *entry)
{
	const Storage *storage = linitial(entry->storages);
	char kind = get_rel_relkind(storage->relid);

	if (list_length(entry->storages) > 1)
		return "It is stored in several tables, of which each would have to change.";
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE)
		return "It is not stored in a table.";
	if (storage->query)
		return "A program computes its table.";
	if (storage->layout)
		return "Its entries are in arrays, by a layout.";
	if (has_ranges(storage))
		return "Its table has ranges of keys.";
	if (storage->symmetric)
		return "Its table has one half of its entries.";
	if (storage->value_column == NULL)
		return "Its table has no column for values.";
	if (has_made_value(storage))
		return "Its values are made of what columns of its table hold.";
	if (getBaseType(storage->value_type) == BOOLOID)
		return "Its values are booleans.";
	if (storage->duplicates != DUPLICATES_ERROR)
		return "Nothing proves that its keys are unique.";
	if (storage->citus)
		return "Its table is distributed by Citus.";
	return NULL;
}

/* Returns the user's table of a state that assign names. Errors: 42704, 55000. */
static Storage *
given_table(const SyntaxReference *name)
{
	TensorEntry *entry = lookup_tensor(name->schema, name->name);
	const char *reason;

	if (entry == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("tensor \"%s\" does not exist", name->name),
						errdetail("assign names it."),
						errhint("%s", unknown_tensor_hint(name->schema, name->name))));
	reason = why_not_writable(entry);
	if (reason)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("a loop cannot assign to tensor \"%s\"", name->name),
						errdetail("%s", reason),
						errhint("Register a table with a unique constraint on its keys, "
								"or let the loop make one of its own.")));
	return linitial(entry->storages);
}

/* Checks that no two states are stored in one column. Errors: 22023. */
static void
check_columns(const Loop *loop, const LoopState *state)
{
	for (const LoopState *other = loop->states; other < state; other++)
	{
		if (other->table && other->table->relid == state->table->relid &&
			other->table->value_attno == state->table->value_attno)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("states \"%s\" and \"%s\" are stored in the same column",
						other->name, state->name),
				 errdetail("It is column \"%s\" of table \"%s\".",
						   state->table->value_column, get_rel_name(state->table->relid)),
				 errhint("Leave one of them out of assign.")));
	}
}

void
find_places(Loop *loop)
{
	const LoopRequest *request = loop->request;

	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];
		ListCell *lc;

		foreach (lc, request->assign)
		{
			const SyntaxReference *name = lfirst(lc);

			if (strcmp(name->name, state->name) == 0)
				state->table = given_table(name);
		}
		if (!state->given && !request->restart)
			state->table = own_table(request, state->name);
		if (state->table)
			check_columns(loop, state);
	}
}

/*
 * Checks that a table may be created under the name of a state. Errors: 42P07 if another
 * relation in the schema has it, 42710 for a type or a registered tensor.
 */
static void
check_name_free(const LoopRequest *request, const LoopState *state, Oid namespace)
{
	Oid type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
							   CStringGetDatum(state->name), ObjectIdGetDatum(namespace));
	ListCell *lc;

	foreach (lc, registrations_in_schema(namespace, state->name))
	{
		const Storage *other = lfirst(lc);

		if (relation_owner(other->relid) == GetUserId())
			ereport(
				ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("tensor \"%s\" is already registered on relation \"%s\"",
						state->name, get_rel_name(other->relid)),
				 other->program
					 ? errdetail("State \"%s\" of loop \"%s\" would be a table of that "
								 "name, which belongs to \"%s\".",
								 state->name, request->name, other->program)
					 : errdetail("State \"%s\" of loop \"%s\" would be a table of that "
								 "name.",
								 state->name, request->name),
				 other->program
					 ? errhint("Give the state another name, or, if \"%s\" is not needed "
							   "any more, drop it with %s.",
							   other->program, drop_call(namespace, other->program))
					 : errhint("Give the state another name, or let it live in that "
							   "relation: assign => '{%s}', and leave it out of init.",
							   state->name)));
	}
	if (OidIsValid(get_relname_relid(state->name, namespace)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_TABLE),
				 errmsg("relation \"%s\" already exists in schema \"%s\"", state->name,
						request->schema),
				 errdetail("It is not a table of your loop \"%s\".", request->name),
				 errhint("Give the tensor another name, name another schema, or let the "
						 "state live in that table with assign.")));
	/* PostgreSQL renames a type of arrays if a table needs its name */
	if (OidIsValid(type) && !OidIsValid(get_element_type(type)))
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("type \"%s\" already exists in schema \"%s\"", state->name,
						request->schema),
				 errdetail("A table has a type of its name."),
				 errhint("Give the tensor another name, or name another schema.")));
}

/* Has the user this privilege on a column of a table? */
static bool
may_write_column(const Storage *table, AttrNumber column, AclMode mode)
{
	return pg_attribute_aclcheck(table->relid, column, GetUserId(), mode) == ACLCHECK_OK;
}

/*
 * Checks that the user may write any difference of a state into the table. Errors: 42501.
 */
static void
check_rights(const Storage *table)
{
	Oid user = GetUserId();
	bool may_insert = may_write_column(table, table->value_attno, ACL_INSERT);
	AclMode mode = ACL_NO_RIGHTS;
	AclResult result;

	for (int d = 0; d < table->rank; d++)
	{
		if (table->dimensions[d].kind != DIMENSION_DEMOTED)
			may_insert = may_insert &&
						 may_write_column(table, table->dimensions[d].attno, ACL_INSERT);
	}
	/* a privilege on the whole table is one on its columns */
	if (!may_insert)
		mode |= ACL_INSERT;
	if (!may_write_column(table, table->value_attno, ACL_UPDATE))
		mode |= ACL_UPDATE;
	if (!shares_rows(table))
		mode |= ACL_DELETE;
	result = mode == ACL_NO_RIGHTS ||
					 pg_class_aclmask(table->relid, user, mode, ACLMASK_ALL) == mode
				 ? ACLCHECK_OK
				 : ACLCHECK_NO_PRIV;
	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_TABLE, get_rel_name(table->relid));
}

/*
 * Raises a NOTICE if the loop has the name of a program of einsum_decompose, by a view
 * that the program has.
 */
static void
notice_program(const Loop *loop, Oid namespace)
{
	const char *program = loop->request->name;
	ListCell *lc;

	foreach (lc, relations_of_program(namespace, program, false))
	{
		const char *name = get_rel_name(lfirst_oid(lc));

		/* loops make tables; earlier states of this one are no clash */
		if (name == NULL || get_rel_relkind(lfirst_oid(lc)) != RELKIND_VIEW)
			continue;
		ereport(NOTICE,
				(errmsg("program \"%s\" already has view \"%s\"", program, name),
				 errdetail("The tables of the loop become a part of this program."),
				 errhint("einsum_drop(%s) drops both. Give the loop another name to keep "
						 "them apart.",
						 quote_literal_cstr(program))));
		return;
	}
}

void
check_places(const Loop *loop)
{
	const LoopRequest *request = loop->request;
	Oid namespace = LookupExplicitNamespace(request->schema, false);
	Oid user = GetUserId();

	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *state = &loop->states[s];
		AclResult result;

		if (state->table)
		{
			check_rights(state->table);
			continue;
		}
		result = schema_aclcheck(namespace, user, ACL_CREATE);
		if (result != ACLCHECK_OK)
			aclcheck_error(result, OBJECT_SCHEMA, request->schema);
		if (own_table(request, state->name) == NULL)
			check_name_free(request, state, namespace);
	}
	notice_program(loop, namespace);
}

/*
 * Describes the table that the loop would create for these rows of a state; the
 * registration lacks only the relation.
 */
static Storage *
describe_own_table(const char *program, const LoopState *state)
{
	Storage *storage = palloc(sizeof(Storage));

	*storage = state->place;
	storage->ephemeral = NULL;
	storage->duplicates = DUPLICATES_ERROR;
	storage->program = unconstify(char *, program);
	for (int d = 0; d < storage->rank; d++)
	{
		StorageDimension *dimension = &storage->dimensions[d];

		dimension->label = state->labels[d];
		if (dimension->kind != DIMENSION_DEMOTED)
			dimension->column = state->labels[d];
	}
	return storage;
}

/* The decomposition that a state's table has, or will have. */
static Decomposition
shape_of_table(const Loop *loop, const LoopState *state)
{
	if (state->table == NULL && loop->request->result == RESULT_ROWS)
		return state->columns;
	return storage_decomposition(state->table ? state->table : &state->place);
}

static void
append_column(StringInfo list, const char *column, Oid type, int32 typmod)
{
	appendStringInfo(list, "%s%s %s", list->len ? ", " : "", quote_identifier(column),
					 format_type_with_typemod(type, typmod));
}

/*
 * Lists the columns of a storage's keys and value with their types; those of a table as
 * they are declared.
 */
static char *
columns_of_storage(const Storage *storage)
{
	StringInfoData list;
	Oid type;
	Oid collation;
	int32 typmod = -1;

	initStringInfo(&list);
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		type = dimension->key_type;
		if (OidIsValid(storage->relid))
			get_atttypetypmodcoll(storage->relid, dimension->attno, &type, &typmod,
								  &collation);
		append_column(&list, dimension->column, type, typmod);
	}
	type = storage->value_type;
	if (OidIsValid(storage->relid))
		get_atttypetypmodcoll(storage->relid, storage->value_attno, &type, &typmod,
							  &collation);
	append_column(&list, storage->value_column, type, typmod);
	return list.data;
}

/* Lists the columns of a state's table that does not exist yet. */
static char *
columns_to_be_made(const Loop *loop, const LoopState *state, const Decomposition *shape)
{
	LoopState made;

	place_copy(&made, state, shape);
	return columns_of_storage(describe_own_table(loop->request->name, &made));
}

char *
columns_of_state(const Loop *loop, const LoopState *state)
{
	Decomposition shape;

	if (state->table)
		return columns_of_storage(state->table);
	shape = shape_of_table(loop, state);
	return columns_to_be_made(loop, state, &shape);
}

void
notice_columns(const Loop *loop)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *state = &loop->states[s];
		Decomposition shape;

		if (state->given || state->table == NULL || loop->request->result != RESULT_ROWS)
			continue;
		shape = storage_decomposition(state->table);
		if (same_decomposition(&shape, &state->columns))
			continue;
		ereport(NOTICE,
				(errmsg("table \"%s\" of loop \"%s\" keeps its columns (%s)", state->name,
						loop->request->name, columns_of_storage(state->table)),
				 errdetail("The left side of the step asks for (%s).",
						   columns_to_be_made(loop, state, &state->columns)),
				 errhint("With restart => true the table is made anew.")));
	}
}

void
check_size(const Loop *loop, const LoopState *state)
{
	double rows = Max(state->entry.state->entries, state->expected->entries);

	if (!state->by_entry || loop->request->result != RESULT_ROWS)
		return;
	if (state->all_stored)
		rows = 1.0;
	for (int d = 0; d < state->entry.rank && state->all_stored; d++)
		rows *= estimated_bound(state->entry.bounds[d]);
	refuse_many_rows(state->name, state->entry.rank, state->labels, state->entry.bounds,
					 rows, loop->step, state->location);
}

/* Is a table the same as one that would be created anew? */
static bool
serves(const Storage *table, const Storage *wanted)
{
	if (storage_disagreement(table, wanted) != NULL ||
		table->duplicates != wanted->duplicates)
		return false;
	for (int d = 0; d < table->rank; d++)
	{
		const StorageDimension *has = &table->dimensions[d];
		const StorageDimension *wants = &wanted->dimensions[d];

		if (has->kind != wants->kind || has->block != wants->block ||
			strcmp(has->label, wants->label) != 0 ||
			(bound_is_open(wants->bound) &&
			 getBaseType(has->key_type) != getBaseType(wants->key_type)))
			return false;
	}
	return true;
}

/*
 * Returns "(SELECT q.d0 AS i, q.value AS value FROM rows AS q) AS q" for the named rows
 * of a state
 */
static char *
rows_as_table(const LoopState *state, const Storage *storage)
{
	StringInfoData columns;

	initStringInfo(&columns);
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&columns, "q.d%d AS %s, ", d,
							 quote_identifier(storage->dimensions[d].column));
	}
	return psprintf("(SELECT %sq.value AS value FROM %s AS q) AS q", columns.data,
					quote_identifier(state->place.ephemeral));
}

/*
 * Creates, fills and registers the loop's own table of a state, from these rows. False,
 * and nothing is created, if the existing table can take them.
 */
static bool
create_own_table(const Loop *loop, LoopState *state, const LoopState *rows)
{
	const LoopRequest *request = loop->request;
	Storage *storage = describe_own_table(request->name, rows);
	Storage *old = own_table(request, state->name);
	Oid namespace = LookupExplicitNamespace(request->schema, false);
	char *name = quote_qualified_identifier(request->schema, state->name);
	bool value_is_tensor = storage_has_tensors(storage);
	Oid relid;
	ListCell *lc;

	if (old && serves(old, storage))
	{
		state->table = old;
		return false;
	}
	if (old)
		drop_for_replacement(old->relid);
	check_name_free(request, state, namespace);
	foreach (lc, create_table_statements(storage, name, rows_as_table(rows, storage),
										 value_is_tensor, true,
										 request->across ? FILLFACTOR : 0))
		execute_utility(labelled_query("einsum_iterate", state->name, lfirst(lc)));
	relid = get_relname_relid(state->name, namespace);
	set_registration(relid, storage);
	CommandCounterIncrement();
	state->table = own_table(request, state->name);
	if (state->table == NULL)
		elog(ERROR, "table \"%s\" of a loop is not its own", state->name);
	return true;
}

/*
 * Locks the tables of all states before one of them is written: a table that is dropped
 * meanwhile is then either seen to be gone or stays until the commit.
 */
static void
lock_tables(const Loop *loop)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *state = &loop->states[s];

		if (state->table == NULL)
			continue;
		LockRelationOid(state->table->relid, RowExclusiveLock);
		if (get_rel_relkind(state->table->relid) == '\0')
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("the table of state \"%s\" has been dropped", state->name),
					 errhint("Begin the loop again.")));
	}
}

/*
 * Writes rows of a state into its table, with the caller's rights. Returns how many differ.
 */
static double
write_into_table(const Loop *loop, const LoopState *rows)
{
	TableChange change = {.table = rows->table,
						  .place = &rows->place,
						  .rows = rows->rows,
						  .rows_stay = shares_rows(rows->table),
						  .caller = "einsum_iterate",
						  .name = loop->request->name};
	RowsWritten written;

	write_rows(&change, &written);
	return written.changed;
}

static void
write_context(void *state)
{
	errcontext("writing the state \"%s\" of a loop", ((const LoopState *) state)->name);
}

/* Writes a state into its table, which is created if it does not exist. */
static void
write_state(Loop *loop, LoopState *state)
{
	ErrorContextCallback context = {
		.previous = error_context_stack, .callback = write_context, .arg = state};
	Decomposition has = storage_decomposition(&state->place);
	Decomposition wanted = shape_of_table(loop, state);
	LoopState *rows = state;
	bool made = false;

	if (!same_decomposition(&has, &wanted))
		rows = convert_state(loop, state, &wanted);
	if (state->table == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(loop->memory);

		made = create_own_table(loop, state, rows);
		MemoryContextSwitchTo(old);
	}
	error_context_stack = &context;
	rows->table = state->table;
	state->written += made ? number_of_rows(rows->rows) : write_into_table(loop, rows);
	error_context_stack = context.previous;
	if (rows != state)
		free_converted(loop, rows);
}

/*
 * Keeps how the loop was run in the label of a table of its own, that of the last state
 * which has one.
 */
static void
keep_call(const Loop *loop)
{
	const LoopState *keeping = NULL;

	for (int s = 0; s < loop->nstates; s++)
	{
		if (!loop->states[s].given && loop->states[s].frontier_of == NULL)
			keeping = &loop->states[s];
	}
	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *state = &loop->states[s];
		const LoopCall *call = state == keeping ? loop->request->call : NULL;
		Storage *storage;

		if (state->given || state->frontier_of)
			continue;
		storage =
			find_registration(relation_registrations(state->table->relid), state->name);
		if (storage == NULL || same_loop_call(storage->loop, call))
			continue;
		storage->loop = call;
		resolve_index_sets(storage);
		set_registration(state->table->relid, storage);
	}
	CommandCounterIncrement();
}

/*
 * Up to where the states are computed is known only if einsum_refresh runs the loop: it
 * has stored that before.
 */
static void
forget_positions(const Loop *loop)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *state = &loop->states[s];

		if (!state->given && state->table &&
			read_position(state->table->relid, GetActiveSnapshot()))
			forget_position(state->table->relid);
	}
}

void
write_states(Loop *loop, bool last)
{
	lock_tables(loop);
	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];

		if (state->frontier_of)
			continue;
		register_rows(state->rows);
		write_state(loop, state);
		/* queries that read the table are planned by these statistics from now on */
		if (last && state->written > 0 && !state->given)
			execute_utility(
				psprintf("ANALYZE %s", qualified_relation_name(state->table->relid)));
	}
	if (!loop->request->again)
		forget_positions(loop);
	if (last && loop->request->call)
		keep_call(loop);
}
