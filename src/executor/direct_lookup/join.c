/*-------------------------------------------------------------------------
 *
 * join.c
 *	  DirectJoin: drives a hash join whose rows are found in an array.
 *
 * A probe of PostgreSQL's hash table computes a hash, reads a bucket, a row's
 * header, and compares the keys by a function: 0.15 to 0.2 us where the table is
 * no longer in the first caches. Where keys are integers without wide gaps, which
 * indices of tensors are, the row is found at the key's place in an array. Its
 * columns are kept as they are in a slot, not as in a stored row.
 *
 * The node is over the hash join, and does what that would do: reads the inner
 * side, then the outer one row by row, evaluates the join's own conditions and
 * target list. If the rows or the array turn out to need more memory than a hash
 * table may have, or there are many more places than rows, the inner side is read
 * again, by the hash join, which has batches for that.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/direct_lookup/direct_lookup.h"
#include "executor/direct_lookup/direct_table.h"
#include "executor/row_nodes.h"

/*
 * Places of the array, at most: so few that they need no rows to be worth it, and
 * so many for each row.
 */
#define PLACES_ANYHOW 65536
#define PLACES_OF_ROW 16

/* What rows are allocated in. */
#define CHUNK_BYTES ((Size) 256 * 1024)

/*
 * A row of the inner side, followed by its columns' values, whether each is NULL,
 * and the bytes that values point to.
 */
typedef struct InnerRow
{
	struct InnerRow *next; /* with the same key; until the array is there, any */
	int64 key;
} InnerRow;

typedef struct DirectJoinState
{
	CustomScanState css;
	HashJoinState *join;
	bool direct; /* false: the hash join runs by itself */
	bool built;  /* the inner side has been read */

	AttrNumber outer_column; /* the keys */
	AttrNumber inner_column;
	Oid outer_type;
	Oid inner_type;
	TupleDesc inner_columns;
	TupleTableSlot *inner_slot;

	MemoryContext memory; /* of the rows and the array */
	DirectTable table;
	char *chunk; /* what is left of the last */
	Size chunk_left;
	Size bytes;
	int64 nrows;

	TupleTableSlot *outer_row; /* NULL: the next is to be read */
	InnerRow *inner_row;       /* the next with its key */
	bool matched;              /* there was one */
} DirectJoinState;

static InnerRow **
entry_of(void **place)
{
	return (InnerRow **) place;
}

static Datum *
values_of(InnerRow *row)
{
	return (Datum *) ((char *) row + MAXALIGN(sizeof(InnerRow)));
}

/* Beginning */

/* Finds the columns of the keys; false if they are none. */
static bool
find_keys(DirectJoinState *state)
{
	const HashJoin *plan = (const HashJoin *) state->join->js.ps.plan;
	const OpExpr *clause = linitial(plan->hashclauses);
	const Var *outer = linitial(clause->args);
	const Var *inner = lsecond(clause->args);

	if (!IsA(outer, Var) || !IsA(inner, Var) || outer->varno != OUTER_VAR ||
		inner->varno != INNER_VAR || !is_integer_type(outer->vartype) ||
		!is_integer_type(inner->vartype))
		return false;
	state->outer_column = outer->varattno;
	state->inner_column = inner->varattno;
	state->outer_type = outer->vartype;
	state->inner_type = inner->vartype;
	return true;
}

static void
begin_direct_join(CustomScanState *node, EState *estate, int eflags)
{
	DirectJoinState *state = (DirectJoinState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	PlanState *child;

	/* the rows of the inner side may be wanted twice by the hash join */
	child = ExecInitNode(linitial(scan->custom_plans), estate,
						 eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));
	node->custom_ps = list_make1(child);
	pass_child_rows(node, child);

	/* a node of ours knows what it was planned over, but not what others made of it */
	if (!IsA(child, HashJoinState))
		return;
	state->join = (HashJoinState *) child;
	state->direct = find_keys(state);
	if (!state->direct)
		return;
	state->inner_columns = ExecGetResultType(innerPlanState(child));
	state->inner_slot =
		ExecInitExtraTupleSlot(estate, state->inner_columns, &TTSOpsVirtual);
	state->memory =
		AllocSetContextCreate(estate->es_query_cxt, "DirectJoin", ALLOCSET_DEFAULT_SIZES);
	direct_table_begin(&state->table, state->memory);
}

/* The inner side */

/* Memory for a row, as long as the table; NULL if it is too much. */
static void *
allocate_row(DirectJoinState *state, Size size, Size limit)
{
	void *row;

	size = MAXALIGN(size);
	if (size > state->chunk_left)
	{
		Size chunk = Max(size, CHUNK_BYTES);

		if (state->bytes + chunk > Max(limit, CHUNK_BYTES))
			return NULL;
		state->chunk = MemoryContextAllocExtended(state->memory, chunk, MCXT_ALLOC_HUGE);
		state->chunk_left = chunk;
		state->bytes += chunk;
	}
	row = state->chunk;
	state->chunk += size;
	state->chunk_left -= size;
	return row;
}

/* The bytes that a value of a row is copied to, beyond its Datum. */
static Size
copied_bytes(Form_pg_attribute column, Datum value)
{
	if (column->attbyval)
		return 0;
	if (column->attlen == -1 &&
		VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) DatumGetPointer(value)))
		return MAXALIGN(EOH_get_flat_size(DatumGetEOHP(value)));
	/* as in a stored row: what is out of line stays there */
	return MAXALIGN(datumGetSize(value, false, column->attlen));
}

static Datum
copy_value(Form_pg_attribute column, Datum value, char *place, Size bytes)
{
	if (column->attbyval)
		return value;
	if (column->attlen == -1 &&
		VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) DatumGetPointer(value)))
	{
		ExpandedObjectHeader *object = DatumGetEOHP(value);

		EOH_flatten_into(object, place, EOH_get_flat_size(object));
	}
	else
		memcpy(place, DatumGetPointer(value), datumGetSize(value, false, column->attlen));
	return PointerGetDatum(place);
}

/* A copy of a row of the inner side; NULL if there is no memory for it. */
static InnerRow *
keep_row(DirectJoinState *state, TupleTableSlot *slot, Size limit)
{
	int natts = state->inner_columns->natts;
	Size header =
		MAXALIGN(sizeof(InnerRow)) + MAXALIGN(natts * (sizeof(Datum) + sizeof(bool)));
	Size size = header;
	InnerRow *row;
	Datum *values;
	char *place;

	slot_getallattrs(slot);
	for (int i = 0; i < natts; i++)
	{
		if (!slot->tts_isnull[i])
			size +=
				copied_bytes(TupleDescAttr(state->inner_columns, i), slot->tts_values[i]);
	}
	row = allocate_row(state, size, limit);
	if (row == NULL)
		return NULL;
	values = values_of(row);
	memcpy(values + natts, slot->tts_isnull, natts * sizeof(bool));
	place = (char *) row + header;
	for (int i = 0; i < natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(state->inner_columns, i);
		Size bytes;

		if (slot->tts_isnull[i])
		{
			values[i] = (Datum) 0;
			continue;
		}
		bytes = copied_bytes(column, slot->tts_values[i]);
		values[i] = copy_value(column, slot->tts_values[i], place, bytes);
		place += bytes;
	}
	return row;
}

/*
 * Reads the inner side into the array; false, with nothing left of it, if it does
 * not fit.
 */
static bool
build_table(DirectJoinState *state)
{
	PlanState *hash = innerPlanState(&state->join->js.ps);
	PlanState *inner = outerPlanState(hash);
	Size limit = get_hash_memory_limit();
	int64 low = PG_INT64_MAX;
	int64 high = PG_INT64_MIN;
	InnerRow *rows = NULL;
	uint64 places;

	/* the child is asked past the node that would have done this */
	if (hash->chgParam)
		ExecReScan(hash);
	for (;;)
	{
		TupleTableSlot *slot = ExecProcNode(inner);
		InnerRow *row;
		bool isnull;
		int64 key;

		if (TupIsNull(slot))
			break;
		key = integer_key(slot_getattr(slot, state->inner_column, &isnull),
						  state->inner_type);
		/* equal to no key */
		if (isnull)
			continue;
		row = keep_row(state, slot, limit);
		if (row == NULL)
			return false;
		row->key = key;
		row->next = rows;
		rows = row;
		low = Min(low, key);
		high = Max(high, key);
		state->nrows++;
	}
	if (rows == NULL)
		return true;
	places = Max((limit - Min(state->bytes, limit)) / sizeof(void *), PLACES_ANYHOW);
	places = Min(places, PLACES_ANYHOW + (uint64) state->nrows * PLACES_OF_ROW);
	if (!direct_table_cover(&state->table, low, high, places))
		return false;
	/* the rows are there last to first: those with one key come in their order */
	while (rows)
	{
		InnerRow *row = rows;
		InnerRow **entry = entry_of(direct_table_place(&state->table, row->key));

		rows = row->next;
		row->next = *entry;
		*entry = row;
	}
	return true;
}

static void
forget_table(DirectJoinState *state)
{
	MemoryContextReset(state->memory);
	direct_table_begin(&state->table, state->memory);
	state->chunk = NULL;
	state->chunk_left = 0;
	state->bytes = 0;
	state->nrows = 0;
	state->built = false;
}

/* Lets the hash join do all by itself, from its first row. */
static void
leave_to_hash_join(DirectJoinState *state)
{
	PlanState *inner = outerPlanState(innerPlanState(&state->join->js.ps));

	forget_table(state);
	state->direct = false;
	ExecReScan(inner);
}

/* Rows */

/* The next row of the outer side, with the first of those with its key. */
static bool
next_outer_row(DirectJoinState *state)
{
	TupleTableSlot *outer = ExecProcNode(outerPlanState(&state->join->js.ps));
	void **place = NULL;
	bool isnull;
	int64 key;

	if (TupIsNull(outer))
		return false;
	key =
		integer_key(slot_getattr(outer, state->outer_column, &isnull), state->outer_type);
	if (!isnull)
		place = direct_table_place(&state->table, key);
	state->outer_row = outer;
	state->inner_row = place ? *entry_of(place) : NULL;
	state->matched = false;
	return true;
}

/* A row in the slot that the join's expressions read. */
static TupleTableSlot *
show_row(DirectJoinState *state, InnerRow *row)
{
	TupleTableSlot *slot = state->inner_slot;
	int natts = state->inner_columns->natts;
	Datum *values = values_of(row);

	ExecClearTuple(slot);
	memcpy(slot->tts_values, values, natts * sizeof(Datum));
	memcpy(slot->tts_isnull, values + natts, natts * sizeof(bool));
	return ExecStoreVirtualTuple(slot);
}

/* The row of the join, unless its filter keeps it out. */
static TupleTableSlot *
joined_row(DirectJoinState *state, TupleTableSlot *inner)
{
	PlanState *join = &state->join->js.ps;
	ExprContext *econtext = join->ps_ExprContext;

	econtext->ecxt_innertuple = inner;
	if (join->qual == NULL || ExecQual(join->qual, econtext))
		return ExecProject(join->ps_ProjInfo);
	InstrCountFiltered2(join, 1);
	return NULL;
}

/* What the hash join would return next; NULL at its end. */
static TupleTableSlot *
join_row(DirectJoinState *state)
{
	JoinState *join = &state->join->js;
	ExprContext *econtext = join->ps.ps_ExprContext;
	TupleTableSlot *result;

	/* nothing is joined with nothing, but the outer side's own rows */
	if (state->nrows == 0 &&
		(join->jointype == JOIN_INNER || join->jointype == JOIN_SEMI))
		return NULL;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		ResetExprContext(econtext);
		if (state->outer_row == NULL && !next_outer_row(state))
			return NULL;
		econtext->ecxt_outertuple = state->outer_row;
		while (state->inner_row)
		{
			TupleTableSlot *inner = show_row(state, state->inner_row);

			state->inner_row = state->inner_row->next;
			econtext->ecxt_innertuple = inner;
			if (join->joinqual && !ExecQual(join->joinqual, econtext))
			{
				InstrCountFiltered1(join, 1);
				continue;
			}
			state->matched = true;
			if (join->single_match || join->jointype == JOIN_ANTI)
				state->inner_row = NULL;
			if (join->jointype == JOIN_ANTI)
				break;
			result = joined_row(state, inner);
			if (result)
			{
				/* one look less at the next call */
				if (state->inner_row == NULL)
					state->outer_row = NULL;
				return result;
			}
		}
		state->outer_row = NULL;
		if (!state->matched &&
			(join->jointype == JOIN_LEFT || join->jointype == JOIN_ANTI))
		{
			result = joined_row(state, state->join->hj_NullInnerTupleSlot);
			if (result)
				return result;
		}
	}
}

static TupleTableSlot *
exec_direct_join(CustomScanState *node)
{
	DirectJoinState *state = (DirectJoinState *) node;
	Instrumentation *instrument;
	TupleTableSlot *slot;

	if (state->direct && !state->built)
	{
		if (build_table(state))
			state->built = true;
		else
			leave_to_hash_join(state);
	}
	if (!state->direct)
		return pass_row(node, ExecProcNode(linitial(node->custom_ps)));
	instrument = state->join->js.ps.instrument;
	if (instrument)
		InstrStartNode(instrument);
	slot = join_row(state);
	if (instrument)
		InstrStopNode(instrument, slot ? 1.0 : 0.0);
	return pass_row(node, slot);
}

/* Rescanning, ending */

static void
rescan_direct_join(CustomScanState *node)
{
	DirectJoinState *state = (DirectJoinState *) node;

	PlanState *join = linitial(node->custom_ps);

	state->outer_row = NULL;
	state->inner_row = NULL;
	if (!state->direct)
	{
		rescan_child(node);
		return;
	}
	/* not left to its first row: it is not asked for rows */
	if (node->ss.ps.chgParam)
		UpdateChangedParamSet(join, node->ss.ps.chgParam);
	ExecReScan(join);
	/* having no table, it has not looked whether the inner side is the same */
	if (state->built && innerPlanState(join)->chgParam)
		forget_table(state);
}

static void
explain_direct_join(CustomScanState *node, List *ancestors, ExplainState *es)
{
	DirectJoinState *state = (DirectJoinState *) node;

	if (!es->analyze)
		return;
	if (state->built)
		ExplainPropertyInteger("Direct Rows", NULL, state->nrows, es);
	else if (!state->direct)
		ExplainPropertyText("Lookup", "hash", es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "DirectJoin",
	.BeginCustomScan = begin_direct_join,
	.ExecCustomScan = exec_direct_join,
	.EndCustomScan = end_child,
	.ReScanCustomScan = rescan_direct_join,
	.ExplainCustomScan = explain_direct_join,
};

static Node *
create_direct_join_state(CustomScan *scan)
{
	DirectJoinState *state = palloc0(sizeof(DirectJoinState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &exec_methods;
	return (Node *) state;
}

const CustomScanMethods direct_join_scan_methods = {
	.CustomName = "DirectJoin",
	.CreateCustomScanState = create_direct_join_state,
};
