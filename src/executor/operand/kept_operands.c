/*-------------------------------------------------------------------------
 *
 * kept_operands.c
 *	  Operands that several AggregateJoins read, or several rounds of a loop, are read
 *	  once.
 *
 * A loop runs the same queries again and again. The coordinates that a node has read
 * from a table that no round changes, and the indexes over them, are kept for the next
 * round. Which operands read the same rows is in their plans: these have the same numbers
 * (ROWS_NUMBER).
 *
 * A table is read under a snapshot. Its rows are valid for queries whose snapshot has
 * the same transactions and the same command, whatever has been written meanwhile; and
 * if only transactions of this session have ended since, and these have not written the
 * table.
 *
 * Outside of loops, operands of one query's nodes share rows until the query ends: it
 * has one snapshot. Nodes register their operands when they begin, so that rows which
 * only one operand needs stay with its node.
 *
 * Operands that need different columns of the same rows share these, too: the first one
 * that is read reads the columns of all, and each selects its own, with indexes over
 * them. If a later query of a loop needs more columns, the rows are read again with all
 * columns needed so far. If these do not fit, or a column of other operands is
 * irregular, an operand is read alone.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "storage/lock.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/operand/kept_operands.h"
#include "executor/operand/state.h"

/* Longer than any name in a query, so that no query can refer to the relation. */
#define RELATION_NAME                                                                    \
	"operands that are kept by the extension sparseeinsum for all queries of this "      \
	"environment"

/*
 * Which transactions a snapshot sees, to compare snapshots. Of the transactions before
 * xmax, the running ones only become fewer, so that snapshots with the same number of
 * them see the same.
 */
typedef struct Sight
{
	TransactionId xmax;
	CommandId command;
	uint32 count;   /* of running transactions, */
	int32 subcount; /* and of subtransactions */
} Sight;

/*
 * Rows that several operands read, each in some columns; the operands are of several
 * nodes, or of queries that follow each other.
 */
typedef struct KeptRows
{
	MemoryContext memory; /* context of this struct and of the tensors */
	List *number;         /* ROWS_NUMBER */
	/* OidList: the tables that the rows are read from; NIL: the rows never change */
	List *tables;
	List *expected;           /* of OperandColumn *: see ROWS_EXPECTED */
	List *operands;           /* of KeptOperand * */
	bool alone;               /* only one operand uses these rows */
	bool unexpected;          /* reading columns that were only expected has failed */
	Coordinates *coordinates; /* of all columns that operands need; NULL: not read yet */
	/* of OperandColumn *: the columns of the coordinates, keys and values mixed */
	List *columns;
	List *dictionaries; /* of Dictionary *, of the keys in the coordinates */
	uint32 null_keys;   /* bit set of keys that were NULL in rows that are left out */
	/* bit set of keys that equal others in their dictionary, but are not identical */
	uint32 unlike_keys;
	ValueMemory values;
} KeptRows;

/*
 * A selection of columns of KeptRows, for operands that read the same columns of the same
 * rows.
 */
struct KeptOperand
{
	KeptRows *rows;
	List *columns; /* of OperandColumn *: keys, then values, in the operand's order */
	int64 used;    /* age of the store when this was used last */
	int users;     /* number of running nodes that use it */
	int wanted;    /* number of operands of the query's nodes that may use it */
	int streamed;  /* how many of these stream its rows and need no index */
	bool refused;  /* the rows do not fit */
	uint32 null_keys;
	uint32 unlike_keys;
	bool differ; /* the tensors of some column differ in shape */
	/* NULL: the rows have not been read, or not in these columns */
	Coordinates *coordinates;
};

struct KeptOperands
{
	EphemeralNamedRelationData relation;
	MemoryContext memory;
	NestMemory accounts;
	Size value_bytes;
	List *rows; /* of KeptRows * */
	Dictionaries *dictionaries;
	int loop; /* the number of the loop; 0: the store of one query */
	int64 age;
	Sight sight;    /* of the snapshot with which tables were read */
	bool has_sight; /* tables have been read */
	uint32 written; /* number of this session's transactions that have committed since */
	/* the members below are for the store of one query */
	MemoryContext query;
	dlist_node node; /* in the list of stores of queries */
	MemoryContextCallback callback;
};

/* The stores of single queries. */
static dlist_head shared = DLIST_STATIC_INIT(shared);

/* Opening and closing */

KeptOperands *
open_kept_operands(MemoryContext context, int loop)
{
	MemoryContext memory =
		AllocSetContextCreate(context, "kept operands", ALLOCSET_DEFAULT_SIZES);
	KeptOperands *kept = MemoryContextAllocZero(memory, sizeof(KeptOperands));

	kept->memory = memory;
	kept->loop = loop;
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

/* Called when the query's memory is deleted: removes the store from the list. */
static void
forget_shared(void *argument)
{
	dlist_delete(&((KeptOperands *) argument)->node);
}

/* Returns the store of a query, which the query's nodes share. */
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
	kept = open_kept_operands(query, 0);
	kept->query = query;
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
	return kept->loop == 0;
}

/* Rows */

/* Frees the coordinates of a kept operand, and with them its indexes. */
static void
leave_rows(KeptOperand *operand)
{
	if (operand->coordinates)
		coordinates_free(operand->coordinates);
	operand->coordinates = NULL;
}

/* Frees rows that are not in use, with all that was made of them. */
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
	list_free(rows->columns);
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

/* Can these rows still be used: is an operand using them, or has one not been refused? */
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

/* All kept operands, in a new list. */
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

/* Snapshots */

static bool
same_sight(const Sight *sight, const SnapshotData *snapshot)
{
	return sight->xmax == snapshot->xmax && sight->command == snapshot->curcid &&
		   sight->count == snapshot->xcnt && sight->subcount == snapshot->subxcnt;
}

/*
 * Have only transactions of this session ended since the tables were read, and has the
 * current one not written yet?
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
	kept->sight = (Sight){.xmax = snapshot->xmax,
						  .command = snapshot->curcid,
						  .count = snapshot->xcnt,
						  .subcount = snapshot->subxcnt};
	kept->has_sight = true;
	kept->written = 0;
}

/* Frees the rows read from a table; InvalidOid: from all tables. */
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
 * Frees the rows of tables that differ for this snapshot; false if a running query uses
 * rows of another snapshot.
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

/*
 * May the current transaction have written a table, or dropped it? Then it holds a lock
 * on it.
 */
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

	/*
	 * SSI tracks what each serializable transaction reads itself, so it has to read again
	 */
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

/* Operands of nodes */

static bool
same_column(const OperandColumn *a, const OperandColumn *b)
{
	return a->key == b->key && a->type == b->type &&
		   (!a->key || same_kind(&a->kind, &b->kind)) &&
		   equal(a->expression, b->expression);
}

/*
 * The position of a column among the keys or the values of a list; -1 if it is not there.
 */
static int
place_of_column(const List *columns, const OperandColumn *column)
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

/* Adds rows that have not been read and have no operands. */
static KeptRows *
new_kept_rows(KeptOperands *kept, const List *number, const List *tables, bool alone)
{
	MemoryContext memory =
		AllocSetContextCreate(kept->memory, "kept operand", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	KeptRows *rows = palloc0(sizeof(KeptRows));

	rows->memory = memory;
	rows->number = list_copy(number);
	rows->tables = list_copy(tables);
	rows->alone = alone;
	MemoryContextSwitchTo(kept->memory);
	kept->rows = lappend(kept->rows, rows);
	MemoryContextSwitchTo(old);
	return rows;
}

/* Adds an operand, with its columns, to rows. */
static void
give_rows(KeptOperand *operand, KeptRows *rows, const List *columns)
{
	MemoryContext old = MemoryContextSwitchTo(rows->memory);

	operand->rows = rows;
	operand->columns = copy_columns(columns);
	rows->operands = lappend(rows->operands, operand);
	MemoryContextSwitchTo(old);
}

/* Replaces references to a scan's columns by the expressions that the scan computes. */
static Node *
use_columns(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varno == INDEX_VAR)
		return copyObject(list_nth((List *) context, ((Var *) node)->varattno - 1));
	return expression_tree_mutator(node, use_columns, context);
}

static OperandColumn *
new_column(Node *expression, const KeyKind *kind)
{
	OperandColumn *column = palloc0(sizeof(OperandColumn));

	column->expression = expression;
	column->type = getBaseType(exprType(expression));
	column->key = kind != NULL;
	if (kind)
		column->kind = *kind;
	return column;
}

/* Returns the columns of an operand, as OperandColumn *. */
static List *
columns_of_operand(const TensorOperands *state, const TensorOperand *operand,
				   List *returned)
{
	List *columns = NIL;

	for (int k = 0; k < operand->nkeys; k++)
		columns = lappend(columns,
						  new_column(list_nth(returned, operand->keys[k].attribute - 1),
									 &operand->keys[k].kind));
	for (int v = 0; v < operand->nvalues; v++)
		columns = lappend(
			columns,
			new_column(use_columns(list_nth(list_nth(state->plan.values,
													 operand->values[v] - state->values),
											VALUE_EXPRESSION),
								   returned),
					   NULL));
	return columns;
}

/* Sets the columns that later queries are expected to read: integers as keys. */
static void
expect_columns(KeptRows *rows, const List *expressions)
{
	const KeyKind integer = {InvalidOid};
	List *columns = NIL;
	MemoryContext old;
	ListCell *lc;

	foreach (lc, expressions)
		columns =
			lappend(columns, new_column(lfirst(lc),
										is_integer_type(getBaseType(exprType(lfirst(lc))))
											? &integer
											: NULL));
	if (same_columns(rows->expected, columns))
		return;
	old = MemoryContextSwitchTo(rows->memory);
	rows->expected = copy_columns(columns);
	MemoryContextSwitchTo(old);
}

/*
 * Returns the kept operand of these rows (OPERAND_ROWS) and columns; makes one that has
 * not been read if it is new.
 */
static KeptOperand *
operand_of_rows(KeptOperands *kept, const List *plan, const List *columns)
{
	const List *number = list_nth(plan, ROWS_NUMBER);
	KeptRows *united = NULL;
	KeptOperand *operand;
	ListCell *lc;
	ListCell *lco;

	foreach (lc, kept->rows)
	{
		KeptRows *rows = lfirst(lc);

		if (!equal(rows->number, number))
			continue;
		expect_columns(rows, list_nth(plan, ROWS_EXPECTED));
		foreach (lco, rows->operands)
		{
			operand = lfirst(lco);
			if (same_columns(operand->columns, columns))
				return operand;
		}
		if (!rows->alone)
			united = rows;
	}
	if (united == NULL)
	{
		united = new_kept_rows(kept, number, list_nth(plan, ROWS_TABLES), false);
		expect_columns(united, list_nth(plan, ROWS_EXPECTED));
	}
	operand = MemoryContextAllocZero(kept->memory, sizeof(KeptOperand));
	operand->used = kept->age;
	give_rows(operand, united, columns);
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
	give_rows(operand, new_kept_rows(kept, rows->number, rows->tables, true),
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
	KeptOperands *kept = state->kept_operands;
	const List *plan = plan_of_rows(state, operand);

	/* a loop keeps what is the same in each of its rounds */
	if (plan == NIL ||
		(kept->loop != 0 && linitial_int(list_nth(plan, ROWS_NUMBER)) != kept->loop))
		return;
	operand->wanted = operand_of_rows(
		kept, plan, columns_of_operand(state, operand, list_nth(plan, ROWS_COLUMNS)));
	/* a node with parameters may be run again */
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
	/* the store of a loop keeps the operand for the next round */
	if (wanted->wanted == 0 && wanted->users == 0 && end_with_query(kept))
		drop_operand(kept, wanted);
}

/*
 * Adds others to a list of columns, without duplicates; false if there would be too many.
 */
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

		if (place_of_column(*columns, column) >= 0)
			continue;
		if (counts[column->key]++ == (column->key ? NEST_MAX_KEYS : NEST_MAX_VALUES))
			return false;
		*columns = lappend(*columns, column);
	}
	return true;
}

/* The columns of these rows that queries are expected to read. */
static List *
columns_expected_of(const KeptRows *rows)
{
	return rows->alone || rows->unexpected ? NIL : rows->expected;
}

bool
leave_expected_columns(KeptOperand *operand)
{
	bool expected = columns_expected_of(operand->rows) != NIL;

	operand->rows->unexpected = operand->rows->unexpected || expected;
	return expected;
}

List *
columns_to_read(const KeptOperand *operand)
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
	(void) add_columns(&columns, columns_expected_of(rows));
	return columns;
}

/*
 * Selects an operand's columns of rows that have been read; false if columns are missing,
 * or rows that the operand needs.
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
		int place = place_of_column(rows->columns, column);

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
	/* rows left out for a NULL in another operand's key may join something here */
	if (rows->null_keys & ~mine)
		return false;
	operand->coordinates =
		coordinates_select(rows->coordinates, nkeys, keys, nvalues, values);
	return true;
}

/* Do several operands of the query need these rows, or have the rows been read? */
static bool
has_readers(const KeptRows *rows)
{
	int wanted = 0;
	ListCell *lc;

	foreach (lc, rows->operands)
		wanted += ((const KeptOperand *) lfirst(lc))->wanted;
	return wanted > 1 || rows->coordinates;
}

/* Are the rows that a loop keeps valid for the snapshot of the query? */
static bool
is_seen(const TensorOperands *state, const KeptRows *rows)
{
	const SnapshotData *snapshot = state->estate->es_snapshot;

	return rows->tables == NIL || (snapshot && snapshot->snapshot_type == SNAPSHOT_MVCC &&
								   see_tables(state->kept_operands, snapshot));
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
	rows->columns = list_copy(columns);
	rows->null_keys = reader->null_keys;
	rows->unlike_keys = reader->unlike_keys;
	/*
	 * these dictionaries are in use as long as the coordinates have numbers of their keys
	 */
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
	/* an operand that was read only in part is of no use */
	if (!rows_of_use(operand->rows) ||
		(operand->rows->coordinates == NULL && !rows_in_use(operand->rows)))
		empty_rows(kept, operand->rows);
}
