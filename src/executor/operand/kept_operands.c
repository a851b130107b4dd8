/*-------------------------------------------------------------------------
 *
 * kept_operands.c
 *	  Operands that several AggregateJoins read, or several rounds of a loop, read once.
 *
 * A loop runs the same queries again and again. The coordinates that a node has read from
 * a table that no round changes, and the indexes over them, are kept for the next round.
 *
 * What makes the rows of two scans equal is their key (operand_key.c). A table is read
 * under a snapshot: what is kept is valid for queries whose snapshot sees the same. That
 * is so if it has the same transactions and the same command, whatever has been written
 * meanwhile; and if nothing but our own transaction has ended since, which has not
 * written the table.
 *
 * Other queries have what several operands of their nodes read in common, until they end:
 * one snapshot. Nodes say what they want when they begin, so that what only one operand
 * wants stays its node's own.
 *
 * Operands that want other columns of the same rows share these: the first that is read
 * has all columns that any of them wants, and each uses its own, with indexes over them.
 * In a loop a later query may want more. Then they are read again, with the former ones.
 * Where that does not fit, or what only others want is irregular, an operand is read
 * alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "executor/operand/expected_columns.h"
#include "executor/operand/kept_operands.h"
#include "executor/operand/operand_key.h"
#include "executor/operand/state.h"

/* Longer than any name that a query can have. */
#define RELATION_NAME                                                                    \
	"operands that are kept by the extension sparseeinsum for all queries of this "      \
	"environment"

/* What a snapshot sees of which all is known, see has_unknown(). */
typedef struct Sight
{
	TransactionId xmin;
	TransactionId xmax;
	CommandId command;
	uint32 count;
	int32 subcount;
	TransactionId *running; /* count, and subcount of subtransactions */
} Sight;

/*
 * Rows that operands of several nodes, or of queries which follow each other, read in
 * some columns each.
 */
typedef struct KeptRows
{
	MemoryContext memory; /* of this and of the tensors */
	List *key;            /* identifies the rows: operand_key.h */
	List *tables;         /* OidList: those they were read from; NIL: rows that stay */
	Oid table;            /* as in OperandKey */
	List *operands;       /* of KeptOperand * */
	bool alone;           /* they have the columns of one operand only */
	bool unexpected;      /* reading columns that were only expected has failed */
	Coordinates *coordinates; /* of all columns that operands need; NULL: not read yet */
	List *columns;            /* of OperandColumn *: those, keys and values mixed */
	List *dictionaries;       /* of Dictionary *: of the keys in the coordinates */
	uint32 null_keys;         /* the keys that were NULL in rows which were left out */
	uint32 unlike_keys; /* the keys that equal others in their dictionary, but are not
						 * identical */
	ValueMemory values;
} KeptRows;

/*
 * Some columns of KeptRows: an operand that several nodes, or queries which follow each
 * other, have in common.
 */
struct KeptOperand
{
	KeptRows *rows;
	List *columns; /* of OperandColumn *: as in OperandKey */
	int64 used;    /* the age at which it was used last */
	int users;     /* nodes that are running */
	int wanted;    /* operands of the query's nodes that may use it */
	int streamed;  /* those of them that stream its rows, without an index */
	bool refused;  /* it does not fit */
	uint32 null_keys;
	uint32 unlike_keys;
	bool differ; /* the tensors of some column in shape */
	Coordinates
		*coordinates; /* NULL: the rows have not been read, or not in these columns */
};

struct KeptOperands
{
	EphemeralNamedRelationData relation;
	MemoryContext memory;
	NestMemory accounts;
	Size value_bytes;
	List *rows; /* of KeptRows * */
	Dictionaries *dictionaries;
	KeySpan span;
	int64 age;
	Sight sight;    /* of what was read from tables */
	bool has_sight; /* something was */
	uint32 written; /* transactions of our own that have been committed since */
	MemoryContext expecting;
	List *expected; /* of ExpectedColumns *, there */
	/* where the span is one query */
	MemoryContext query;
	dlist_node node; /* of shared */
	MemoryContextCallback callback;
};

/* What is there for single queries. */
static dlist_head shared = DLIST_STATIC_INIT(shared);

/* Opening and closing */

KeptOperands *
open_kept_operands(MemoryContext context)
{
	MemoryContext memory =
		AllocSetContextCreate(context, "kept operands", ALLOCSET_DEFAULT_SIZES);
	KeptOperands *kept = MemoryContextAllocZero(memory, sizeof(KeptOperands));

	kept->memory = memory;
	kept->relation.md.name = RELATION_NAME;
	kept->relation.md.enrtype = ENR_NAMED_TUPLESTORE;
	kept->relation.reldata = kept;
	kept->accounts = nest_memory_of(memory, 0);
	kept->dictionaries = begin_dictionaries(memory);
	return kept;
}

EphemeralNamedRelation
kept_operands_relation(KeptOperands *kept)
{
	return &kept->relation;
}

void
close_kept_operands(KeptOperands *kept)
{
	MemoryContextDelete(kept->memory);
}

/* The query's memory is going. */
static void
forget_shared(void *argument)
{
	dlist_delete(&((KeptOperands *) argument)->node);
}

/* What the nodes of a query have in common. */
static KeptOperands *
shared_operands(MemoryContext query)
{
	KeptOperands *kept;
	dlist_iter iter;

	dlist_foreach(iter, &shared)
	{
		kept = dlist_container(KeptOperands, node, iter.cur);
		if (kept->query == query)
			return kept;
	}
	kept = open_kept_operands(query);
	kept->query = query;
	kept->span.one_query = true;
	kept->callback.func = forget_shared;
	kept->callback.arg = kept;
	dlist_push_head(&shared, &kept->node);
	MemoryContextRegisterResetCallback(kept->memory, &kept->callback);
	return kept;
}

KeptOperands *
find_kept_operands(const EState *estate)
{
	EphemeralNamedRelation relation = get_ENR(estate->es_queryEnv, RELATION_NAME);

	return relation ? relation->reldata : shared_operands(estate->es_query_cxt);
}

bool
end_with_query(const KeptOperands *kept)
{
	return kept->span.one_query;
}

void
keep_named_rows(KeptOperands *kept, const char *name)
{
	MemoryContext old = MemoryContextSwitchTo(kept->memory);

	kept->span.names = lappend(kept->span.names, pstrdup(name));
	MemoryContextSwitchTo(old);
}

void
expect_queries(KeptOperands *kept, const List *queries)
{
	MemoryContext old;
	ListCell *lc;

	if (kept->expecting == NULL)
		kept->expecting = AllocSetContextCreate(kept->memory, "columns of a loop",
												ALLOCSET_SMALL_SIZES);
	MemoryContextReset(kept->expecting);
	kept->expected = NIL;
	old = MemoryContextSwitchTo(kept->expecting);
	foreach (lc, queries)
		kept->expected = expect_query(kept->expected, lfirst(lc));
	MemoryContextSwitchTo(old);
}

bool
named_rows_stay(const KeptOperands *kept, const char *name)
{
	return name_stays(&kept->span, name);
}

/* What is kept of rows */

/* Frees an operand's indexes. */
static void
leave_rows(KeptOperand *operand)
{
	if (operand->coordinates)
		coordinates_free(operand->coordinates);
	operand->coordinates = NULL;
}

/* Frees rows that are not in use. */
static void
empty_rows(KeptOperands *kept, KeptRows *rows)
{
	ListCell *lc;

	foreach (lc, rows->operands)
		leave_rows(lfirst(lc));
	if (rows->coordinates)
		coordinates_free(rows->coordinates);
	rows->coordinates = NULL;
	foreach (lc, rows->dictionaries)
		leave_dictionary(kept->dictionaries, lfirst(lc));
	list_free(rows->dictionaries);
	rows->dictionaries = NIL;
	list_free_deep(rows->columns);
	rows->columns = NIL;
	rows->null_keys = rows->unlike_keys = 0;
	if (rows->values.context)
		MemoryContextDelete(rows->values.context);
	kept->value_bytes -= rows->values.bytes;
	rows->values = (ValueMemory){0};
}

static bool
rows_in_use(const KeptRows *rows)
{
	ListCell *lc;

	foreach (lc, rows->operands)
		if (((const KeptOperand *) lfirst(lc))->users > 0)
			return true;
	return false;
}

/* May an operand still come for rows? */
static bool
rows_of_use(const KeptRows *rows)
{
	ListCell *lc;

	foreach (lc, rows->operands)
	{
		const KeptOperand *operand = lfirst(lc);

		if (operand->users > 0 || !operand->refused)
			return true;
	}
	return false;
}

static void
drop_operand(KeptOperands *kept, KeptOperand *operand)
{
	KeptRows *rows = operand->rows;

	leave_rows(operand);
	rows->operands = list_delete_ptr(rows->operands, operand);
	pfree(operand);
	if (!rows_of_use(rows))
		empty_rows(kept, rows);
	if (rows->operands != NIL)
		return;
	kept->rows = list_delete_ptr(kept->rows, rows);
	MemoryContextDelete(rows->memory);
}

/* All operands, as a list of its own. */
static List *
all_operands(const KeptOperands *kept)
{
	List *operands = NIL;
	ListCell *lc;

	foreach (lc, kept->rows)
		operands = list_concat(operands, ((const KeptRows *) lfirst(lc))->operands);
	return operands;
}

void
age_kept_operands(KeptOperands *kept)
{
	List *operands = all_operands(kept);
	ListCell *lc;

	kept->age++;
	foreach (lc, operands)
	{
		KeptOperand *operand = lfirst(lc);

		if (operand->users == 0 && operand->wanted == 0 && operand->used < kept->age - 1)
			drop_operand(kept, operand);
	}
	list_free(operands);
}

/* What is seen */

/*
 * Does a copy of a snapshot not tell which transactions are running, since some have too
 * many subtransactions?
 */
static bool
has_unknown(const SnapshotData *snapshot)
{
	return snapshot->suboverflowed || snapshot->takenDuringRecovery;
}

static bool
same_sight(const Sight *sight, const SnapshotData *snapshot)
{
	return sight->xmin == snapshot->xmin && sight->xmax == snapshot->xmax &&
		   sight->command == snapshot->curcid && sight->count == snapshot->xcnt &&
		   sight->subcount == snapshot->subxcnt &&
		   (sight->count == 0 || memcmp(sight->running, snapshot->xip,
										sizeof(TransactionId) * sight->count) == 0) &&
		   (sight->subcount <= 0 ||
			memcmp(sight->running + sight->count, snapshot->subxip,
				   sizeof(TransactionId) * sight->subcount) == 0);
}

/*
 * Has nothing ended since but transactions of our own, and has this one not written yet?
 */
static bool
only_we_have_written(const KeptOperands *kept, const SnapshotData *snapshot)
{
	const Sight *sight = &kept->sight;

	return kept->written > 0 && sight->count == 0 && sight->subcount == 0 &&
		   snapshot->xcnt == 0 && snapshot->subxcnt == 0 &&
		   snapshot->xmax - sight->xmax == kept->written &&
		   !TransactionIdIsValid(GetTopTransactionIdIfAny());
}

static void
set_sight(KeptOperands *kept, const SnapshotData *snapshot)
{
	Sight *sight = &kept->sight;

	if (sight->running)
		pfree(sight->running);
	*sight = (Sight){.xmin = snapshot->xmin,
					 .xmax = snapshot->xmax,
					 .command = snapshot->curcid,
					 .count = snapshot->xcnt,
					 .subcount = snapshot->subxcnt};
	sight->running = MemoryContextAlloc(kept->memory,
										sizeof(TransactionId) *
											(sight->count + Max(sight->subcount, 0) + 1));
	if (sight->count > 0)
		memcpy(sight->running, snapshot->xip, sizeof(TransactionId) * sight->count);
	if (sight->subcount > 0)
		memcpy(sight->running + sight->count, snapshot->subxip,
			   sizeof(TransactionId) * sight->subcount);
	kept->has_sight = true;
	kept->written = 0;
}

/* Forgets what was read from a table, or from all. */
static void
empty_tables(KeptOperands *kept, Oid table)
{
	ListCell *lc;

	foreach (lc, kept->rows)
	{
		KeptRows *rows = lfirst(lc);

		if (rows->tables && (!OidIsValid(table) || list_member_oid(rows->tables, table)))
			empty_rows(kept, rows);
	}
}

static bool
tables_in_use(const KeptOperands *kept)
{
	ListCell *lc;

	foreach (lc, kept->rows)
	{
		const KeptRows *rows = lfirst(lc);

		if (rows->tables && rows_in_use(rows))
			return true;
	}
	return false;
}

/*
 * Makes what is kept of tables valid for a snapshot; false if a running query has another
 * one.
 */
static bool
see_tables(KeptOperands *kept, const SnapshotData *snapshot)
{
	if (kept->has_sight && same_sight(&kept->sight, snapshot))
		return true;
	if (tables_in_use(kept))
		return false;
	if (!kept->has_sight || !only_we_have_written(kept, snapshot))
		empty_tables(kept, InvalidOid);
	set_sight(kept, snapshot);
	return true;
}

/* A transaction that writes a table, or drops it, has locked it until its end. */
static bool
may_have_written(Oid table)
{
	LOCKTAG tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, table);
	for (LOCKMODE mode = RowExclusiveLock; mode <= MaxLockMode; mode++)
		if (lock_held_by_me(&tag, mode))
			return true;
	return false;
}

void
commit_kept_operands(KeptOperands *kept)
{
	TransactionId own = GetTopTransactionIdIfAny();
	TransactionId *children;
	List *tables = NIL;
	ListCell *lc;

	/* a serializable transaction is known by what it reads itself */
	if (IsolationIsSerializable())
		kept->has_sight = false;
	if (!kept->has_sight || !TransactionIdIsValid(own))
		return;
	if (TransactionIdPrecedes(own, kept->sight.xmax))
	{
		kept->has_sight = false;
		return;
	}
	kept->written += 1 + xactGetCommittedChildren(&children);
	foreach (lc, kept->rows)
		tables = list_concat_unique_oid(tables, ((KeptRows *) lfirst(lc))->tables);
	foreach (lc, tables)
	{
		if (may_have_written(lfirst_oid(lc)))
			empty_tables(kept, lfirst_oid(lc));
	}
	list_free(tables);
}

/* What nodes do */

/*
 * The number of a column among the keys or values of columns; -1 if it is not among them.
 */
static int
place_of(const List *columns, const OperandColumn *column)
{
	int place = 0;
	ListCell *lc;

	foreach (lc, columns)
	{
		const OperandColumn *other = lfirst(lc);

		if (same_column(other, column))
			return place;
		place += other->key == column->key;
	}
	return -1;
}

static bool
same_columns(const List *a, const List *b)
{
	ListCell *lca;
	ListCell *lcb;

	if (list_length(a) != list_length(b))
		return false;
	forboth (lca, a, lcb, b)
		if (!same_column(lfirst(lca), lfirst(lcb)))
			return false;
	return true;
}

/* Rows that no operand reads yet. */
static KeptRows *
add_rows(KeptOperands *kept, const List *key, const List *tables, Oid table, bool alone)
{
	MemoryContext memory =
		AllocSetContextCreate(kept->memory, "kept operand", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	KeptRows *rows = palloc0(sizeof(KeptRows));

	rows->memory = memory;
	rows->key = copyObject((List *) key);
	rows->tables = list_copy(tables);
	rows->table = table;
	rows->alone = alone;
	MemoryContextSwitchTo(kept->memory);
	kept->rows = lappend(kept->rows, rows);
	MemoryContextSwitchTo(old);
	return rows;
}

static List *
copy_columns(const List *columns)
{
	List *copies = NIL;
	ListCell *lc;

	foreach (lc, columns)
	{
		OperandColumn *copy = palloc(sizeof(OperandColumn));

		*copy = *(const OperandColumn *) lfirst(lc);
		copy->expression = copyObject(copy->expression);
		copies = lappend(copies, copy);
	}
	return copies;
}

/* An operand goes to rows. */
static void
give_rows(KeptOperand *operand, KeptRows *rows, const List *columns)
{
	MemoryContext old = MemoryContextSwitchTo(rows->memory);

	operand->rows = rows;
	operand->columns = copy_columns(columns);
	rows->operands = lappend(rows->operands, operand);
	MemoryContextSwitchTo(old);
}

/* The operand of a key, be it empty. */
static KeptOperand *
operand_of_key(KeptOperands *kept, const OperandKey *key)
{
	KeptRows *united = NULL;
	KeptOperand *operand;
	ListCell *lc;
	ListCell *lco;

	foreach (lc, kept->rows)
	{
		KeptRows *rows = lfirst(lc);

		if (!equal(rows->key, key->rows))
			continue;
		foreach (lco, rows->operands)
		{
			operand = lfirst(lco);
			if (same_columns(operand->columns, key->columns))
				return operand;
		}
		if (!rows->alone)
			united = rows;
	}
	if (united == NULL)
		united = add_rows(kept, key->rows, key->tables, key->table, false);
	operand = MemoryContextAllocZero(kept->memory, sizeof(KeptOperand));
	operand->used = kept->age;
	give_rows(operand, united, key->columns);
	return operand;
}

void
read_alone(KeptOperands *kept, KeptOperand *operand)
{
	KeptRows *rows = operand->rows;

	if (rows->alone)
		return;
	leave_rows(operand);
	rows->operands = list_delete_ptr(rows->operands, operand);
	give_rows(operand, add_rows(kept, rows->key, rows->tables, rows->table, true),
			  operand->columns);
	if (rows->operands != NIL)
		return;
	kept->rows = list_delete_ptr(kept->rows, rows);
	empty_rows(kept, rows);
	MemoryContextDelete(rows->memory);
}

void
want_operand(const TensorOperands *state, TensorOperand *operand)
{
	OperandKey key;

	if (!make_operand_key(state, operand, &state->kept_operands->span, &key))
		return;
	operand->wanted = operand_of_key(state->kept_operands, &key);
	/* with other parameters it is run again */
	operand->wants = bms_is_empty(state->node->ss.ps.plan->extParam) ? 1 : 2;
	operand->wanted->wanted += operand->wants;
	operand->streams = state->stream >= 0 && operand == &state->operands[state->stream];
	operand->wanted->streamed += operand->streams ? operand->wants : 0;
}

bool
shares_indexes(const TensorOperands *state, const TensorOperand *operand)
{
	return operand->kept && (!end_with_query(state->kept_operands) ||
							 operand->kept->wanted > operand->kept->streamed);
}

void
give_up_operand(KeptOperands *kept, TensorOperand *operand)
{
	KeptOperand *wanted = operand->wanted;

	operand->wanted = NULL;
	if (wanted == NULL)
		return;
	wanted->wanted -= operand->wants;
	wanted->streamed -= operand->streams ? operand->wants : 0;
	/* those of a loop are what it wants in the next round, too */
	if (wanted->wanted == 0 && wanted->users == 0 && end_with_query(kept))
		drop_operand(kept, wanted);
}

/* Adds columns that are not there yet, unless there would be too many; false then. */
static bool
add_columns(List **columns, const List *others)
{
	int counts[2] = {0, 0};
	ListCell *lc;

	foreach (lc, *columns)
		counts[((const OperandColumn *) lfirst(lc))->key]++;
	foreach (lc, others)
	{
		OperandColumn *column = lfirst(lc);

		if (place_of(*columns, column) >= 0)
			continue;
		if (counts[column->key]++ == (column->key ? NEST_MAX_KEYS : NEST_MAX_VALUES))
			return false;
		*columns = lappend(*columns, column);
	}
	return true;
}

/* What queries will read of rows, as far as it is known. */
static List *
columns_expected_of(const KeptOperands *kept, const KeptRows *rows)
{
	return rows->alone || rows->unexpected || !OidIsValid(rows->table)
			   ? NIL
			   : expected_columns(kept->expected, rows->table);
}

bool
leave_expected_columns(const KeptOperands *kept, KeptOperand *operand)
{
	bool expected = columns_expected_of(kept, operand->rows) != NIL;

	operand->rows->unexpected = operand->rows->unexpected || expected;
	return expected;
}

List *
columns_to_read(const KeptOperands *kept, const KeptOperand *operand)
{
	const KeptRows *rows = operand->rows;
	List *columns = list_copy(operand->columns);
	ListCell *lc;

	foreach (lc, rows->operands)
	{
		const KeptOperand *other = lfirst(lc);

		if (!other->refused && !add_columns(&columns, other->columns))
			return NIL;
	}
	/* columns beyond the limit are left to the operands that need them */
	(void) add_columns(&columns, columns_expected_of(kept, rows));
	return columns;
}

/*
 * Lets an operand use the rows that are there; false if they have not its columns, or
 * lack some of its rows.
 */
static bool
use_rows(KeptOperand *operand)
{
	const KeptRows *rows = operand->rows;
	int keys[NEST_MAX_KEYS];
	int values[NEST_MAX_VALUES];
	int nkeys = 0;
	int nvalues = 0;
	uint32 mine = 0;
	ListCell *lc;

	operand->null_keys = operand->unlike_keys = 0;
	operand->differ = false;
	foreach (lc, operand->columns)
	{
		const OperandColumn *column = lfirst(lc);
		int place = place_of(rows->columns, column);

		if (place < 0)
			return false;
		if (!column->key)
		{
			values[nvalues++] = place;
			operand->differ =
				operand->differ || coordinates_shape_count(rows->coordinates, place) > 1;
			continue;
		}
		mine |= UINT32_C(1) << place;
		operand->null_keys |= (rows->null_keys >> place & 1) << nkeys;
		operand->unlike_keys |= (rows->unlike_keys >> place & 1) << nkeys;
		keys[nkeys++] = place;
	}
	/* what has been left out for a key of others alone may join here */
	if (rows->null_keys & ~mine)
		return false;
	operand->coordinates =
		coordinates_select(rows->coordinates, nkeys, keys, nvalues, values);
	return true;
}

/* Do operands of the query have rows in common? */
static bool
has_readers(const KeptRows *rows)
{
	int wanted = 0;
	ListCell *lc;

	foreach (lc, rows->operands)
		wanted += ((const KeptOperand *) lfirst(lc))->wanted;
	return wanted > 1 || rows->coordinates;
}

/* Are a loop's rows the same for the snapshot of a query? */
static bool
is_seen(const TensorOperands *state, const KeptRows *rows)
{
	const SnapshotData *snapshot = state->estate->es_snapshot;

	return rows->tables == NIL ||
		   (snapshot && snapshot->snapshot_type == SNAPSHOT_MVCC &&
			!has_unknown(snapshot) && see_tables(state->kept_operands, snapshot));
}

KeptOperand *
find_kept_operand(const TensorOperands *state, const TensorOperand *operand)
{
	KeptOperands *kept = state->kept_operands;
	KeptOperand *found = operand->wanted;

	if (found == NULL || found->refused)
		return NULL;
	found->used = kept->age;
	if (!end_with_query(kept) && !is_seen(state, found->rows))
		return NULL;
	kept->accounts.limit = get_hash_memory_limit();
	if (found->coordinates == NULL && found->rows->coordinates && !use_rows(found))
	{
		if (rows_in_use(found->rows))
			read_alone(kept, found);
		else
			empty_rows(kept, found->rows);
	}
	if (end_with_query(kept) && !has_readers(found->rows))
		return NULL;
	found->users++;
	return found;
}

Coordinates *
kept_coordinates(const KeptOperand *operand)
{
	return operand->coordinates;
}

bool
has_kept_rows(const KeptOperand *operand)
{
	return operand->rows->coordinates != NULL;
}

void
kept_irregularities(const KeptOperand *operand, uint32 *null_keys, uint32 *unlike_keys,
					bool *differ)
{
	*null_keys = operand->null_keys;
	*unlike_keys = operand->unlike_keys;
	*differ = operand->differ;
}

Dictionaries *
kept_dictionaries(KeptOperands *kept)
{
	return kept->dictionaries;
}

void
keep_rows(KeptOperands *kept, const TensorOperand *reader, const List *columns)
{
	KeptOperand *operand = reader->kept;
	KeptRows *rows = operand->rows;
	MemoryContext old = MemoryContextSwitchTo(rows->memory);

	rows->coordinates = reader->coordinates;
	rows->columns = copy_columns(columns);
	rows->null_keys = reader->null_keys;
	rows->unlike_keys = reader->unlike_keys;
	/* numbers have a meaning as long as these are there */
	for (int k = 0; k < reader->nkeys; k++)
		if (reader->keys[k].dictionary)
			rows->dictionaries =
				lappend(rows->dictionaries,
						use_dictionary(kept->dictionaries, &reader->keys[k].kind));
	MemoryContextSwitchTo(old);
	if (!use_rows(operand))
		elog(ERROR, "rows have been read without the columns of their operand");
}

NestMemory *
kept_accounts(KeptOperands *kept)
{
	return &kept->accounts;
}

ValueMemory *
kept_value_memory(KeptOperands *kept, const KeptOperand *operand, Size bytes, Size limit)
{
	KeptRows *rows = operand->rows;

	if (kept->value_bytes + bytes > limit)
		return NULL;
	if (rows->values.context == NULL)
		rows->values.context =
			AllocSetContextCreate(rows->memory, "kept tensors", ALLOCSET_DEFAULT_SIZES);
	kept->value_bytes += bytes;
	return &rows->values;
}

void
release_kept_operand(KeptOperands *kept, KeptOperand *operand, bool refuse)
{
	operand->users--;
	operand->refused = operand->refused || refuse;
	if (operand->users > 0)
		return;
	if (operand->refused)
		leave_rows(operand);
	/* what has been read in part is of no use */
	if (!rows_of_use(operand->rows) ||
		(operand->rows->coordinates == NULL && !rows_in_use(operand->rows)))
		empty_rows(kept, operand->rows);
}
