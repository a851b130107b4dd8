/*-------------------------------------------------------------------------
 *
 * kept_operands.c
 *	  Operands of AggregateJoins that several queries read, read once.
 *
 * A loop runs the same queries again and again. The coordinates that a node has read from a
 * table that no round changes, and the indexes over them, are kept for the next round.
 *
 * What makes the rows of two scans equal is their key: the table and its file, or the name of rows that
 * stay; columns, conditions and values as expressions, without mutable functions and
 * parameters; and which of the columns are keys. A table is read under a snapshot: what is
 * kept is valid for queries whose snapshot sees the same. That is so if it has the same transactions and the
 * same command, whatever has been written meanwhile; and if nothing but our own
 * transaction has ended since, which has not written the table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "executor/aggregate_join/kept_operands.h"
#include "executor/aggregate_join/state.h"
#include "type/detoast_cache.h"

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
	List *names;    /* of char *: rows that stay as they are */
	int64 age;
	Sight sight;    /* of what was read from tables */
	bool has_sight; /* something was */
	uint32 written; /* transactions of our own that have been committed since */
};

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

KeptOperands *
find_kept_operands(const EState *estate)
{
	EphemeralNamedRelation relation = get_ENR(estate->es_queryEnv, RELATION_NAME);

	return relation ? relation->reldata : NULL;
}

void
keep_named_rows(KeptOperands *kept, const char *name)
{
	MemoryContext old = MemoryContextSwitchTo(kept->memory);

	kept->names = lappend(kept->names, pstrdup(name));
	MemoryContextSwitchTo(old);
}

/* Gives back the rows. */
static void
empty_operand(KeptOperands *kept, KeptOperand *operand)
{
	if (operand->coordinates)
		coordinates_free(operand->coordinates);
	operand->coordinates = NULL;
	operand->differ = false;
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

/* Keys */

typedef struct Key
{
	const KeptOperands *kept;
	List *parts; /* of Node * */
	List *expressions;
	List *tables;
} Key;

static void
add_text(Key *key, char *text)
{
	key->parts = lappend(key->parts, makeString(text));
}

/* Adds expressions over the columns of one relation, whatever its number is. */
static void
add_expressions(Key *key, const List *expressions, Index relation)
{
	List *copy = copyObject((List *) expressions);

	if (relation > 1)
		ChangeVarNodes((Node *) copy, (int) relation, 1, 0);
	/* a list of its own, be it empty */
	key->parts = lappend(key->parts, list_make1(copy));
	key->expressions = lappend(key->expressions, copy);
}

/* The expressions of a target list: their names do not matter. */
static List *
target_expressions(const List *targets)
{
	List *expressions = NIL;
	ListCell *lc;

	foreach (lc, targets)
		expressions = lappend(expressions, lfirst_node(TargetEntry, lc)->expr);
	return expressions;
}

static void
add_table(Key *key, const ScanState *scan)
{
	Relation relation = scan->ss_currentRelation;

	add_text(key, psprintf("table %u %u", RelationGetRelid(relation),
						   relation->rd_rel->relfilenode));
	key->tables = list_append_unique_oid(key->tables, RelationGetRelid(relation));
}

/* Who writes a catalog gives back its lock at once. */
static bool
scans_catalog(const Plan *plan, const PlanState *node)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapHeapScan:
			return IsCatalogRelation(((const ScanState *) node)->ss_currentRelation);
		default:
			return false;
	}
}

static bool
has_name(const KeptOperands *kept, const char *name)
{
	ListCell *lc;

	foreach (lc, kept->names)
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	return false;
}

/* Adds what the rows of a scan are made of; false if that is not all known. */
static bool
add_scan(Key *key, PlanState *node)
{
	Plan *plan = node->plan;
	Index relation = ((Scan *) plan)->scanrelid;
	List *quals = plan->qual;

	check_stack_depth();
	if (plan->initPlan != NIL || plan->parallel_aware || scans_catalog(plan, node))
		return false;
	switch (nodeTag(plan))
	{
		case T_SeqScan:
			add_table(key, (ScanState *) node);
			break;
		case T_IndexScan:
			if (((IndexScan *) plan)->indexorderby != NIL)
				return false;
			add_table(key, (ScanState *) node);
			/* conditions that a partial index implies are not in the plan */
			add_expressions(
				key,
				RelationGetIndexPredicate(((IndexScanState *) node)->iss_RelationDesc),
				0);
			quals = list_concat_copy(((IndexScan *) plan)->indexqualorig, quals);
			break;
		case T_IndexOnlyScan:
			if (((IndexOnlyScan *) plan)->indexorderby != NIL)
				return false;
			add_table(key, (ScanState *) node);
			/* columns are the index's */
			add_text(key, psprintf("index %u", ((IndexOnlyScan *) plan)->indexid));
			quals = list_concat_copy(((IndexOnlyScan *) plan)->indexqual, quals);
			break;
		case T_BitmapHeapScan:
			add_table(key, (ScanState *) node);
			quals = list_concat_copy(((BitmapHeapScan *) plan)->bitmapqualorig, quals);
			break;
		case T_NamedTuplestoreScan:
			if (!has_name(key->kept, ((NamedTuplestoreScan *) plan)->enrname))
				return false;
			add_text(key, psprintf("rows %s", ((NamedTuplestoreScan *) plan)->enrname));
			break;
		case T_SubqueryScan:
			add_text(key, "subquery");
			if (!add_scan(key, ((SubqueryScanState *) node)->subplan))
				return false;
			break;
		default:
			return false;
	}
	add_expressions(key, target_expressions(plan->targetlist), relation);
	add_expressions(key, quals, relation);
	return true;
}

static bool
has_parameters(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) || IsA(node, SubPlan) || IsA(node, AlternativeSubPlan))
		return true;
	return expression_tree_walker(node, has_parameters, context);
}

/* What the rows of an operand are; false if they may be others in the next query. */
static bool
make_key(const AggregateJoinState *state, const JoinOperand *operand, Key *key)
{
	CustomScan *scan = (CustomScan *) state->css.ss.ps.plan;
	List *plan = list_nth(list_nth(scan->custom_private, JOIN_PRIVATE_OPERANDS),
						  operand - state->operands);
	List *values = NIL;

	if (!add_scan(key, operand->child))
		return false;
	key->parts = lappend(key->parts, list_nth(plan, OPERAND_COLUMNS));
	key->parts = lappend(key->parts, list_nth(plan, OPERAND_JOINED));
	for (int v = 0; v < operand->nvalues; v++)
		values = lappend(
			values, list_nth(list_nth(list_nth(scan->custom_private, JOIN_PRIVATE_VALUES),
									  operand->values[v] - state->values),
							 VALUE_EXPRESSION));
	add_expressions(key, values, 0);
	return !contain_mutable_functions((Node *) key->expressions) &&
		   !has_parameters((Node *) key->expressions, NULL);
}

/* What nodes do */

static KeptOperand *
new_operand(KeptOperands *kept, const Key *key)
{
	MemoryContext memory =
		AllocSetContextCreate(kept->memory, "kept operand", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	KeptOperand *operand = palloc0(sizeof(KeptOperand));

	operand->memory = memory;
	operand->key = copyObject(key->parts);
	operand->tables = list_copy(key->tables);
	MemoryContextSwitchTo(kept->memory);
	kept->operands = lappend(kept->operands, operand);
	MemoryContextSwitchTo(old);
	return operand;
}

KeptOperand *
find_kept_operand(const AggregateJoinState *state, const JoinOperand *operand)
{
	KeptOperands *kept = state->kept_operands;
	Key key = {.kept = kept};
	KeptOperand *found = NULL;
	ListCell *lc;

	if (!make_key(state, operand, &key))
		return NULL;
	if (key.tables)
	{
		const SnapshotData *snapshot = state->css.ss.ps.state->es_snapshot;

		if (snapshot == NULL || snapshot->snapshot_type != SNAPSHOT_MVCC ||
			has_unknown(snapshot) || !see_tables(kept, snapshot))
			return NULL;
	}
	foreach (lc, kept->operands)
	{
		KeptOperand *other = lfirst(lc);

		if (equal(other->key, key.parts))
			found = other;
	}
	if (found == NULL)
		found = new_operand(kept, &key);
	found->used = kept->age;
	if (found->refused)
		return NULL;
	kept->accounts.limit = get_hash_memory_limit();
	found->users++;
	return found;
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
