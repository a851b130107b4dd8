/*-------------------------------------------------------------------------
 *
 * kept_operands.c
 *	  Operands that several AggregateJoins read, or several rounds of a loop, read once.
 *
 * A loop runs the same queries again and again. The coordinates that a node has read from a
 * table that no round changes, and the indexes over them, are kept for the next round.
 *
 * What makes the rows of two scans equal is their key (operand_key.c). A table is read under a
 * snapshot: what is kept is valid for queries whose snapshot sees the same. That is so if it has the same
 * transactions and the same command, whatever has been written meanwhile; and if nothing but
 * our own transaction has ended since, which has not written the table.
 *
 * Other queries have what several operands of their nodes read in common, until they end: one snapshot.
 * Nodes say what they want when they begin, so that what only one operand wants stays its node's own.
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
#include "executor/aggregate_join/kept_operands.h"
#include "executor/aggregate_join/operand_key.h"
#include "executor/aggregate_join/state.h"

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

struct KeptOperands
{
	EphemeralNamedRelationData relation;
	MemoryContext memory;
	NestMemory accounts;
	Size value_bytes;
	List *operands; /* of KeptOperand * */
	Dictionaries *dictionaries;
	KeySpan span;
	int64 age;
	Sight sight;    /* of what was read from tables */
	bool has_sight; /* something was */
	uint32 written; /* transactions of our own that have been committed since */
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

bool
named_rows_stay(const KeptOperands *kept, const char *name)
{
	return name_stays(&kept->span, name);
}

/* Gives back the rows. */
static void
empty_operand(KeptOperands *kept, KeptOperand *operand)
{
	ListCell *lc;

	if (operand->coordinates)
		coordinates_free(operand->coordinates);
	operand->coordinates = NULL;
	foreach (lc, operand->dictionaries)
		leave_dictionary(kept->dictionaries, lfirst(lc));
	list_free(operand->dictionaries);
	operand->dictionaries = NIL;
	operand->differ = false;
	operand->null_keys = operand->unlike_keys = 0;
	if (operand->values.context)
		MemoryContextDelete(operand->values.context);
	kept->value_bytes -= operand->values.bytes;
	operand->values = (ValueMemory){0};
}

static void
drop_operand(KeptOperands *kept, KeptOperand *operand)
{
	empty_operand(kept, operand);
	kept->operands = list_delete_ptr(kept->operands, operand);
	MemoryContextDelete(operand->memory);
}

void
age_kept_operands(KeptOperands *kept)
{
	List *operands = list_copy(kept->operands);
	ListCell *lc;

	kept->age++;
	foreach (lc, operands)
	{
		KeptOperand *operand = lfirst(lc);

		if (operand->users == 0 && operand->used < kept->age - 1)
			drop_operand(kept, operand);
	}
	list_free(operands);
}

/* What is seen */

/* Of transactions with many subtransactions a copy does not say which are running. */
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

/* Has nothing ended since but transactions of our own, and has this one not written yet? */
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

/* Forgets what was read from tables; of those, unless NIL. */
static void
drop_tables(KeptOperands *kept, Oid table)
{
	List *operands = list_copy(kept->operands);
	ListCell *lc;

	foreach (lc, operands)
	{
		KeptOperand *operand = lfirst(lc);

		if (operand->tables &&
			(!OidIsValid(table) || list_member_oid(operand->tables, table)))
			drop_operand(kept, operand);
	}
	list_free(operands);
}

static bool
tables_in_use(const KeptOperands *kept)
{
	ListCell *lc;

	foreach (lc, kept->operands)
	{
		const KeptOperand *operand = lfirst(lc);

		if (operand->tables && operand->users > 0)
			return true;
	}
	return false;
}

/* Makes what is kept of tables valid for a snapshot; false if a running query has another one. */
static bool
see_tables(KeptOperands *kept, const SnapshotData *snapshot)
{
	if (kept->has_sight && same_sight(&kept->sight, snapshot))
		return true;
	if (tables_in_use(kept))
		return false;
	if (!kept->has_sight || !only_we_have_written(kept, snapshot))
		drop_tables(kept, InvalidOid);
	set_sight(kept, snapshot);
	return true;
}

/* Whoever writes a table, or drops it, has locked it until the end of the transaction. */
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
	foreach (lc, kept->operands)
		tables = list_concat_unique_oid(tables, ((KeptOperand *) lfirst(lc))->tables);
	foreach (lc, tables)
	{
		if (may_have_written(lfirst_oid(lc)))
			drop_tables(kept, lfirst_oid(lc));
	}
	list_free(tables);
}

/* What nodes do */

/* The operand of a key, be it empty. */
static KeptOperand *
operand_of_key(KeptOperands *kept, const OperandKey *key)
{
	KeptOperand *operand;
	MemoryContext memory;
	MemoryContext old;
	ListCell *lc;

	foreach (lc, kept->operands)
	{
		operand = lfirst(lc);
		if (equal(operand->key, key->parts))
			return operand;
	}
	memory = AllocSetContextCreate(kept->memory, "kept operand", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(memory);
	operand = palloc0(sizeof(KeptOperand));
	operand->memory = memory;
	operand->key = copyObject(key->parts);
	operand->tables = list_copy(key->tables);
	MemoryContextSwitchTo(kept->memory);
	kept->operands = lappend(kept->operands, operand);
	MemoryContextSwitchTo(old);
	return operand;
}

void
want_operand(const AggregateJoinState *state, JoinOperand *operand)
{
	const PlanState *node = &state->css.ss.ps;
	OperandKey key;

	if (!end_with_query(state->kept_operands) ||
		!make_operand_key(state, operand, &state->kept_operands->span, &key))
		return;
	operand->wanted = operand_of_key(state->kept_operands, &key);
	/* with other parameters it is run again */
	operand->wants = bms_is_empty(node->plan->extParam) ? 1 : 2;
	operand->wanted->wanted += operand->wants;
}

void
give_up_operand(KeptOperands *kept, JoinOperand *operand)
{
	KeptOperand *wanted = operand->wanted;

	operand->wanted = NULL;
	if (wanted == NULL)
		return;
	wanted->wanted -= operand->wants;
	if (wanted->wanted == 0 && wanted->users == 0)
		drop_operand(kept, wanted);
}

/* The operand that a loop's queries keep; NULL if they cannot, now. */
static KeptOperand *
find_for_loop(const AggregateJoinState *state, const JoinOperand *operand)
{
	KeptOperands *kept = state->kept_operands;
	KeptOperand *found;
	OperandKey key;

	if (!make_operand_key(state, operand, &kept->span, &key))
		return NULL;
	if (key.tables)
	{
		const SnapshotData *snapshot = state->css.ss.ps.state->es_snapshot;

		if (snapshot == NULL || snapshot->snapshot_type != SNAPSHOT_MVCC ||
			has_unknown(snapshot) || !see_tables(kept, snapshot))
			return NULL;
	}
	found = operand_of_key(kept, &key);
	found->used = kept->age;
	return found;
}

/* The operand that nodes of this query have in common; NULL if only one of them wants it. */
static KeptOperand *
find_for_query(const JoinOperand *operand)
{
	KeptOperand *wanted = operand->wanted;

	return wanted && (wanted->wanted > 1 || wanted->coordinates) ? wanted : NULL;
}

KeptOperand *
find_kept_operand(const AggregateJoinState *state, const JoinOperand *operand)
{
	KeptOperands *kept = state->kept_operands;
	KeptOperand *found =
		end_with_query(kept) ? find_for_query(operand) : find_for_loop(state, operand);

	if (found == NULL || found->refused)
		return NULL;
	kept->accounts.limit = get_hash_memory_limit();
	found->users++;
	return found;
}

Dictionaries *
kept_dictionaries(KeptOperands *kept)
{
	return kept->dictionaries;
}

void
keep_coordinates(KeptOperands *kept, const JoinOperand *operand)
{
	KeptOperand *to = operand->kept;
	MemoryContext old = MemoryContextSwitchTo(to->memory);

	to->coordinates = operand->coordinates;
	to->null_keys = operand->null_keys;
	to->unlike_keys = operand->unlike_keys;
	/* numbers have a meaning as long as these are there */
	for (int k = 0; k < operand->nkeys; k++)
		if (operand->dictionaries[k])
			to->dictionaries = lappend(
				to->dictionaries, use_dictionary(kept->dictionaries, &operand->kinds[k]));
	MemoryContextSwitchTo(old);
}

NestMemory *
kept_accounts(KeptOperands *kept)
{
	return &kept->accounts;
}

ValueMemory *
kept_value_memory(KeptOperands *kept, KeptOperand *operand, Size bytes, Size limit)
{
	if (kept->value_bytes + bytes > limit)
		return NULL;
	if (operand->values.context == NULL)
		operand->values.context = AllocSetContextCreate(operand->memory, "kept tensors",
														ALLOCSET_DEFAULT_SIZES);
	kept->value_bytes += bytes;
	return &operand->values;
}

void
release_kept_operand(KeptOperands *kept, KeptOperand *operand, bool refuse)
{
	operand->users--;
	operand->refused = operand->refused || refuse;
	/* what has been read in part is of no use */
	if (operand->users == 0 && (operand->refused || operand->coordinates == NULL))
		empty_operand(kept, operand);
}
