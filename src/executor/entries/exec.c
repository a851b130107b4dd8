/*-------------------------------------------------------------------------
 *
 * exec.c
 *	  Entries: returns a row for each entry of the vector or the arrays in each row of the
 *	  child.
 *
 * Entries are read into columns, some at a time. Without a child there is one row, whose
 * arguments are constants or parameters.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/column_rows.h"
#include "executor/entries/entries.h"
#include "executor/integer_keys.h"
#include "type/call.h"
#include "type/entries.h"
#include "type/key_range.h"
#include "type/unstack.h"

/* The function's arguments, of the row that is read. */
typedef struct EntriesArguments
{
	int nargs;
	NullableDatum *args;
	List *expressions; /* of ExprState: those that are the same for all rows */
	int *arguments;    /* ENTRIES_ARGUMENTS */
	Oid *types;
	ExprState *seek; /* the first index that is asked for; NULL: all are */
	Oid seek_type;
	int64 first_key; /* is added to the first index */
	int64 first;
	Bitmapset *parameters; /* PARAM_EXEC of the expressions */
	bool known;            /* the expressions have been computed */
	bool empty;            /* by them there are no entries */
} EntriesArguments;

/* Where the entries of a row come from: a range, a vector, or arrays. */
typedef struct EntriesSource
{
	KeyLimits limits; /* of ranges */
	int64 next_key;
	int64 end_key; /* behind the last one */
	VectorElements elements;
	ShortValue shorter; /* a copy of the vector if it is short */
	EntriesCall call;
	RowEntries entries;
	bool begun;              /* without a child: the arrays have been read and checked */
	LayoutEntries beginning; /* where their entries begin */
} EntriesSource;

/* Entries that have been read. */
typedef struct EntriesBuffer
{
	int64 *keys[LAYOUT_MAX_RANK];
	double *numbers;
	int count;
	int next;
	int64 *lasts; /* of runs: the last key of each */
	double read;  /* how many have been read in all; of runs none */
	/* by column of the node's rows: numbers of the child's rows, one for each entry */
	int64 *repeated[MOST_COLUMNS];
	double *repeated_numbers[MOST_COLUMNS];
} EntriesBuffer;

typedef struct EntriesState
{
	ColumnNode node;
	EntriesKind kind;
	PlanState *child; /* NULL: there is one row */
	EntriesArguments given;
	TupleTableSlot *row; /* the row whose entries are read */
	bool in_row;         /* some of its entries may be left */
	bool ended;          /* no row is left */
	EntriesSource source;
	MemoryContext values;    /* memory of other copies of the vector or the arrays */
	MemoryContext constants; /* memory of the arguments that are the same for all rows */
	/* the node's rows */
	int rank;
	int ncolumns;
	int *columns; /* ENTRIES_COLUMNS */
	EntriesBuffer buffer;
} EntriesState;

/* Reads the limits of keys in ranges; false if one of them is NULL. */
static bool
begin_ranges(EntriesState *state)
{
	for (int a = 1; a < state->given.nargs; a++)
		if (state->given.args[a].isnull)
			return false;
	state->source.limits = (KeyLimits){.first = DatumGetInt64(state->given.args[1].value),
									   .end = DatumGetInt64(state->given.args[2].value),
									   .tensor = state->given.args[3].value,
									   .label = state->given.args[4].value};
	return true;
}

/* Reads arguments that are no entries; false if there are no entries by them. */
static bool
begin_call(EntriesState *state)
{
	switch (state->kind)
	{
		case ENTRIES_OF_VECTOR:
			return true;
		case ENTRIES_OF_RANGE:
			return begin_ranges(state);
		default:
			return begin_entries_call(
				&state->source.call, state->kind == ENTRIES_OF_STORED, state->rank,
				state->given.nargs, state->given.types, state->given.args);
	}
}

/* Computes the arguments that are the same for all rows, at the first row. */
static void
compute_arguments(EntriesState *state)
{
	ExprContext *econtext = state->node.css.ss.ps.ps_ExprContext;
	MemoryContext old;

	state->source.begun = false;
	MemoryContextReset(state->constants);
	old = MemoryContextSwitchTo(state->constants);
	for (int a = 0; a < state->given.nargs; a++)
	{
		if (state->given.arguments[a] == 0)
			state->given.args[a].value =
				ExecEvalExpr(list_nth(state->given.expressions, a), econtext,
							 &state->given.args[a].isnull);
	}
	state->given.empty = !begin_call(state);
	if (state->given.seek)
	{
		bool isnull;
		Datum first = ExecEvalExpr(state->given.seek, econtext, &isnull);

		/* NULL equals no index, and a key far before the first one has none */
		state->given.first = 0;
		state->given.empty |=
			isnull || pg_sub_s64_overflow(integer_key(first, state->given.seek_type),
										  state->given.first_key, &state->given.first);
	}
	state->given.known = true;
	MemoryContextSwitchTo(old);
}

/* Begins with the vector among the arguments; false if it is NULL. */
static bool
begin_vector(EntriesState *state)
{
	void *copy = NULL;

	if (state->given.args[0].isnull || state->given.args[1].isnull)
		return false;
	begin_elements(&state->source.elements, state->given.args[0].value,
				   DatumGetFloat8(state->given.args[1].value), &state->source.shorter,
				   &copy);
	if (state->given.seek)
		seek_element(&state->source.elements, state->given.first);
	return true;
}

/* Begins with the range among the arguments; false if it is NULL. */
static bool
begin_range(EntriesState *state)
{
	if (state->given.args[0].isnull)
		return false;
	keys_of_range(state->given.args[0].value, state->given.types[0],
				  &state->source.limits, state->given.seek == NULL,
				  &state->source.next_key, &state->source.end_key);
	if (state->given.seek && (state->given.first < state->source.next_key ||
							  state->given.first >= state->source.end_key))
		state->source.next_key = state->source.end_key;
	else if (state->given.seek)
	{
		state->source.next_key = state->given.first;
		state->source.end_key = state->given.first + 1;
	}
	return true;
}

/* Begins with the arrays among the arguments; false if one is NULL. */
static bool
begin_arrays(EntriesState *state)
{
	return state->given.seek
			   ? begin_row_entries_at(&state->source.call, state->given.args,
									  state->given.first, &state->source.entries)
			   : begin_row_entries(&state->source.call, state->given.args,
								   &state->source.entries);
}

/* Does the same without a child: a rescan begins with arrays that have been checked. */
static bool
begin_only_arrays(EntriesState *state)
{
	if (!state->source.begun)
	{
		MemoryContext old = MemoryContextSwitchTo(state->constants);

		state->source.begun = begin_arrays(state);
		MemoryContextSwitchTo(old);
		state->source.beginning = state->source.entries.entries;
	}
	state->source.entries.entries = state->source.beginning;
	return state->source.begun;
}

/*
 * Begins with the entries of the next row of the child; false behind the last. A row
 * whose vector, or one of whose arrays, is NULL has no entries.
 */
static bool
next_row_of_child(EntriesState *state)
{
	MemoryContext old;

	state->in_row = false;
	MemoryContextReset(state->values);
	if (state->ended)
		return false;
	state->ended = state->child == NULL;
	if (state->child)
	{
		state->row = ExecProcNode(state->child);
		state->ended = TupIsNull(state->row);
		if (state->ended)
			return false;
	}
	/* not before there is a row: an argument may be an error */
	if (!state->given.known)
		compute_arguments(state);
	state->ended |= state->given.empty;
	for (int a = 0; a < state->given.nargs; a++)
		if (state->given.arguments[a] > 0)
			state->given.args[a].value = slot_getattr(
				state->row, state->given.arguments[a], &state->given.args[a].isnull);
	if (state->given.empty)
		return true;
	old = MemoryContextSwitchTo(state->values);
	state->in_row = state->kind == ENTRIES_OF_VECTOR  ? begin_vector(state)
					: state->kind == ENTRIES_OF_RANGE ? begin_range(state)
					: state->child                    ? begin_arrays(state)
													  : begin_only_arrays(state);
	MemoryContextSwitchTo(old);
	return true;
}

static int
next_elements(EntriesState *state, int n, int64 *indices, double *numbers)
{
	int count = 0;
	int32 index;

	while (count < n && next_element(&state->source.elements, &index, &numbers[count]))
		indices[count++] = index;
	return count;
}

static int
next_keys(EntriesState *state, int n, int64 *indices)
{
	n = (int) Min((int64) n, state->source.end_key - state->source.next_key);
	for (int i = 0; i < n; i++)
		indices[i] = state->source.next_key++;
	return n;
}

/* Returns the keys that are left of a range as one run; 0 if none are left. */
static int
next_run(EntriesState *state, int64 *first, int64 *last)
{
	if (state->source.next_key >= state->source.end_key)
		return 0;
	*first = state->source.next_key;
	*last = state->source.end_key - 1;
	state->source.next_key = state->source.end_key;
	return 1;
}

static bool
first_indices_ascend(const EntriesState *state)
{
	return state->kind == ENTRIES_OF_VECTOR || state->kind == ENTRIES_OF_RANGE ||
		   (!state->source.call.symmetric && layout_ascends(state->source.call.layout));
}

/* Reads entries of the row behind those that have been read; false if it has no more. */
static bool
read_entries_of_row(EntriesState *state)
{
	int64 *keys[LAYOUT_MAX_RANK];
	double *numbers = state->buffer.numbers + state->buffer.count;
	int room = MOST_COLUMN_ROWS - state->buffer.count;
	int n;

	Assert(state->rank > 0);
	for (int d = 0; d < state->rank; d++)
		keys[d] = state->buffer.keys[d] + state->buffer.count;
	if (state->node.runs)
	{
		n = next_run(state, keys[0], state->buffer.lasts + state->buffer.count);
		state->in_row = false;
		state->buffer.count += n;
		return n > 0;
	}
	n = state->kind == ENTRIES_OF_VECTOR ? next_elements(state, room, keys[0], numbers)
		: state->kind == ENTRIES_OF_RANGE
			? next_keys(state, room, keys[0])
			: next_entries(&state->source.call, &state->source.entries, room, keys,
						   numbers);
	state->buffer.read += n;
	state->in_row = n > 0;
	/* entries behind the index that is asked for are the last of the row */
	while (n > 0 && state->given.seek && first_indices_ascend(state) &&
		   keys[0][n - 1] > state->given.first)
	{
		state->in_row = false;
		n--;
	}
	state->buffer.count += n;
	return n > 0;
}

/* Repeats the child's columns for the entries from one on. */
static void
repeat_columns(EntriesState *state, int from)
{
	const TupleDesc columns = state->row->tts_tupleDescriptor;

	for (int c = 0; c < state->ncolumns; c++)
	{
		bool isnull;
		Datum value;
		int64 key;

		if (state->columns[c] <= 0)
			continue;
		value = slot_getattr(state->row, state->columns[c], &isnull);
		if (isnull)
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("a column that is NOT NULL is NULL in an older version of a "
							"row"),
					 errhint("Run the transaction again.")));
		for (int i = from; state->buffer.repeated_numbers[c] && i < state->buffer.count;
			 i++)
			state->buffer.repeated_numbers[c][i] = DatumGetFloat8(value);
		if (state->buffer.repeated_numbers[c])
			continue;
		key = integer_key(value, TupleDescAttr(columns, state->columns[c] - 1)->atttypid);
		for (int i = from; i < state->buffer.count; i++)
			state->buffer.repeated[c][i] = key;
	}
}

/* Returns the next entries of some rows as columns; false behind the last. */
static bool
next_rows(ColumnNode *node, ColumnRows *rows)
{
	EntriesState *state = (EntriesState *) node;

	state->buffer.count = 0;
	do
	{
		int from = state->buffer.count;

		if (state->in_row && read_entries_of_row(state) && state->child)
			repeat_columns(state, from);
		/* next_entries needs room for two */
	} while (state->buffer.count < MOST_COLUMN_ROWS - 1 &&
			 (state->in_row || next_row_of_child(state)));
	rows->count = state->buffer.count;
	rows->lasts = state->buffer.lasts;
	for (int c = 0; c < state->ncolumns; c++)
	{
		int entry = ENTRY_COLUMN(state->columns[c]);

		rows->keys[c] = entry < 0             ? state->buffer.repeated[c]
						: entry < state->rank ? state->buffer.keys[entry]
											  : NULL;
		rows->numbers[c] = entry == state->rank ? state->buffer.numbers
												: state->buffer.repeated_numbers[c];
		/* entries of several rows are in no order */
		if (entry == 0 && state->child == NULL && first_indices_ascend(state))
			rows->ascending = c + 1;
	}
	return rows->count > 0;
}

/*
 * Can all columns of the node's rows be returned as columns? Those of the child's rows
 * must be integers or float8 that are not NULL.
 */
static bool
are_columns(const EntriesState *state, const CustomScan *scan)
{
	const List *types = scan->custom_scan_tlist;

	if (state->ncolumns > MOST_COLUMNS)
		return false;
	for (int c = 0; c < state->ncolumns; c++)
	{
		const TargetEntry *column = list_nth_node(TargetEntry, types, c);

		Oid type = exprType((Node *) column->expr);

		if (state->columns[c] > 0 &&
			!((has_integer_keys(type) || type == FLOAT8OID) &&
			  intVal(list_nth(scan->custom_private, ENTRIES_REGULAR))))
			return false;
	}
	return true;
}

static int *
integers_of(const CustomScan *scan, int member)
{
	const List *list = list_nth(scan->custom_private, member);
	int *integers = palloc(sizeof(int) * Max(list_length(list), 1));
	ListCell *lc;

	foreach (lc, list)
		integers[foreach_current_index(lc)] = lfirst_int(lc);
	return integers;
}

/* Collects the parameters of the executor that an expression has. */
static bool
find_parameters(Node *node, void *parameters)
{
	const Param *parameter = (const Param *) node;
	Bitmapset **found = parameters;

	if (node == NULL)
		return false;
	if (IsA(node, Param) && parameter->paramkind == PARAM_EXEC)
		*found = bms_add_member(*found, parameter->paramid);
	return expression_tree_walker(node, find_parameters, parameters);
}

static void
allocate_columns(EntriesState *state, const CustomScan *scan)
{
	Size bytes = sizeof(int64) * MOST_COLUMN_ROWS;

	for (int d = 0; d < state->rank; d++)
		state->buffer.keys[d] = palloc(bytes);
	state->buffer.numbers = palloc(sizeof(double) * MOST_COLUMN_ROWS);
	if (state->kind == ENTRIES_OF_RANGE)
		state->buffer.lasts = palloc(bytes);
	for (int c = 0; c < state->ncolumns && state->node.next_rows; c++)
	{
		const TargetEntry *column =
			list_nth_node(TargetEntry, scan->custom_scan_tlist, c);

		if (state->columns[c] <= 0)
		{
			if (state->kind == ENTRIES_OF_RANGE)
				state->node.run_column = c + 1;
			continue;
		}
		if (exprType((Node *) column->expr) == FLOAT8OID)
			state->buffer.repeated_numbers[c] = palloc(sizeof(double) * MOST_COLUMN_ROWS);
		else
			state->buffer.repeated[c] = palloc(bytes);
	}
}

static void
begin_node(CustomScanState *node, EState *estate, int eflags)
{
	EntriesState *state = (EntriesState *) node;
	CustomScan *scan = (CustomScan *) node->ss.ps.plan;
	const List *types = list_nth(scan->custom_private, ENTRIES_TYPES);
	ListCell *lc;

	check_execute_permission(
		linitial_oid(list_nth(scan->custom_private, ENTRIES_FUNCTION)));
	if (scan->custom_plans)
		state->child = begin_child(node, estate, eflags);
	state->kind = intVal(list_nth(scan->custom_private, ENTRIES_KIND));
	state->rank = intVal(list_nth(scan->custom_private, ENTRIES_RANK));
	state->given.nargs = list_length(types);
	state->given.args = palloc0(sizeof(NullableDatum) * state->given.nargs);
	state->given.types = palloc(sizeof(Oid) * state->given.nargs);
	foreach (lc, types)
		state->given.types[foreach_current_index(lc)] = lfirst_oid(lc);
	state->given.arguments = integers_of(scan, ENTRIES_ARGUMENTS);
	state->given.expressions = ExecInitExprList(scan->custom_exprs, &node->ss.ps);
	(void) find_parameters((Node *) scan->custom_exprs, &state->given.parameters);
	state->given.seek_type = linitial_oid(list_nth(scan->custom_private, ENTRIES_SEEK));
	state->given.seek =
		OidIsValid(state->given.seek_type) ? llast(state->given.expressions) : NULL;
	state->given.first_key = DatumGetInt64(
		((const Const *) list_nth(scan->custom_private, ENTRIES_FIRST_KEY))->constvalue);
	state->columns = integers_of(scan, ENTRIES_COLUMNS);
	state->ncolumns = list_length(list_nth(scan->custom_private, ENTRIES_COLUMNS));
	state->node.next_rows = are_columns(state, scan) ? next_rows : NULL;
	allocate_columns(state, scan);
	state->values = AllocSetContextCreate(estate->es_query_cxt, "Entries of a row",
										  ALLOCSET_DEFAULT_SIZES);
	state->constants =
		AllocSetContextCreate(estate->es_query_cxt, "Entries", ALLOCSET_SMALL_SIZES);
}

/* Reads the next entries, of one row of the child; false behind the last. */
static bool
read_entries(EntriesState *state)
{
	state->buffer.count = state->buffer.next = 0;
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (state->in_row && read_entries_of_row(state))
			return true;
		if (!next_row_of_child(state))
			return false;
	}
}

static TupleTableSlot *
next_row(ScanState *node)
{
	EntriesState *state = (EntriesState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	/* indices of vectors are int4, those of layouts int8; dates are as wide as int4 */
	bool wide = state->kind == ENTRIES_OF_RANGE
					? range_key_type(getBaseType(state->given.types[0])) == INT8OID
					: state->kind != ENTRIES_OF_VECTOR;

	ExecClearTuple(slot);
	if (state->buffer.next == state->buffer.count && !read_entries(state))
		return slot;
	for (int c = 0; c < state->ncolumns; c++)
	{
		int entry = ENTRY_COLUMN(state->columns[c]);

		slot->tts_isnull[c] = false;
		if (entry < 0)
			slot->tts_values[c] =
				slot_getattr(state->row, state->columns[c], &slot->tts_isnull[c]);
		else if (entry == state->rank)
			slot->tts_values[c] =
				Float8GetDatum(state->buffer.numbers[state->buffer.next]);
		else
			slot->tts_values[c] =
				wide ? Int64GetDatum(state->buffer.keys[entry][state->buffer.next])
					 : Int32GetDatum(
						   (int32) state->buffer.keys[entry][state->buffer.next]);
	}
	state->buffer.next++;
	return ExecStoreVirtualTuple(slot);
}

static void
end_node(CustomScanState *node)
{
	if (((EntriesState *) node)->child)
		end_child(node);
}

static void
rescan_node(CustomScanState *node)
{
	EntriesState *state = (EntriesState *) node;

	if (bms_overlap(node->ss.ps.chgParam, state->given.parameters))
		state->given.known = false;
	state->in_row = state->ended = false;
	state->buffer.count = state->buffer.next = 0;
	ExecScanReScan(&node->ss);
	if (state->child)
		rescan_child(node);
}

/* Shows how many entries have been read, or keys enumerated, by the leader alone. */
static void
explain_read(const EntriesState *state, const char *label, ExplainState *es)
{
	if (es->analyze && state->node.css.ss.ps.instrument &&
		state->node.css.ss.ps.worker_instrument == NULL)
		ExplainPropertyFloat(
			label, NULL,
			state->buffer.read / Max(state->node.css.ss.ps.instrument->nloops, 1), 0, es);
}

/* Shows the first index that is asked for, and how many entries were read for it. */
static void
explain_seek(const EntriesState *state, List *ancestors, ExplainState *es)
{
	CustomScan *scan = (CustomScan *) state->node.css.ss.ps.plan;
	List *context = set_deparse_context_plan(es->deparse_cxt, (Plan *) scan, ancestors);
	char *index = deparse_expression(llast(scan->custom_exprs), context,
									 list_length(es->rtable) > 1 || es->verbose, false);

	if (state->given.first_key != 0)
		index = psprintf("%s - " INT64_FORMAT, index, state->given.first_key);
	ExplainPropertyText("First Index", index, es);
	explain_read(state, "Entries Read", es);
}

/* Shows which layout is read, "csr(indptr,indices,data)" of a registered relation. */
static void
explain_node(CustomScanState *node, List *ancestors, ExplainState *es)
{
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;
	EntriesKind kind = intVal(list_nth(scan->custom_private, ENTRIES_KIND));
	const Const *layout = list_nth(scan->custom_exprs, kind == ENTRIES_OF_STORED ? 1 : 0);

	if ((kind == ENTRIES_OF_LAYOUT || kind == ENTRIES_OF_STORED) && IsA(layout, Const) &&
		!layout->constisnull)
		ExplainPropertyText("Layout", TextDatumGetCString(layout->constvalue), es);
	if (((EntriesState *) node)->given.seek)
		explain_seek((EntriesState *) node, ancestors, es);
	else if (kind == ENTRIES_OF_RANGE)
		/* keys in ranges that have become rows; of runs none */
		explain_read((EntriesState *) node, "Keys Enumerated", es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "Entries",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = execute_row_node,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.ExplainCustomScan = explain_node,
};

const RowNode entries_node = {
	.scan = {.CustomName = "Entries", .CreateCustomScanState = row_node_state},
	.exec = &exec_methods,
	.next_row = next_row,
	.state_bytes = sizeof(EntriesState),
	.has_columns = true,
};
