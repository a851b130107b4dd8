/*-------------------------------------------------------------------------
 *
 * read.c
 *	  Reads the operands of an AggregateJoin into coordinates.
 *
 * Tensors are copied once, flat, into memory of the node; kernels read their elements in
 * place.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/operand/state.h"
#include "executor/integer_keys.h"
#include "type/call.h"
#include "type/detoast_cache.h"
#include "type/sparse.h"

/*
 * Tensors are copied side by side into pieces of this size; larger tensors have their
 * own.
 */
#define PIECE_SIZE ((Size) 256 * 1024)

/* Reasons to run the relational plan. */
#define NULL_KEY "a key is NULL"
#define NULL_VALUE "a value is NULL"
#define OTHER_TYPES "values differ in element type"
#define LARGE_SPARSE "a sparse value is too large to be made dense"

/*
 * A reason not to read columns that only other operands need; this operand may still do.
 */
#define OTHERS_COLUMN "a column that other operands want is not regular"

/*
 * Returns where an operand's tensors of that many bytes are kept; NULL if there is no
 * room.
 */
static ValueMemory *
choose_memory(TensorOperands *state, const TensorOperand *operand, Size bytes)
{
	if (is_streamed(state, operand))
		return &state->memory.values_of_rows;
	/* once the rows are there, only the node's own values for left joins are read */
	if (operand->kept && !has_kept_rows(operand->kept))
		return kept_value_memory(state->kept_operands, operand->kept, bytes,
								 tensor_memory_limit());
	if (state->memory.values_of_all.bytes + state->memory.values_of_part.bytes + bytes >
			tensor_memory_limit() &&
		!state->parts.last_resort)
		return NULL;
	return operand->part_key >= 0 ? &state->memory.values_of_part
								  : &state->memory.values_of_all;
}

/*
 * Returns memory for a tensor in a row of a range; NULL if it is used up. The tensor
 * of a row that is written to a file only needs the current context.
 */
static void *
value_memory(TensorOperands *state, const OperandValue *value, int range, Size bytes)
{
	ValueMemory *memory;
	char *result;

	if (range != IN_MEMORY)
		return palloc_extended(bytes, MCXT_ALLOC_HUGE);
	bytes = MAXALIGN(Max(bytes, 1));
	memory = choose_memory(state, &state->operands[value->operand], bytes);
	if (memory == NULL)
		return NULL;
	memory->bytes += bytes;
	if (bytes > PIECE_SIZE / 4)
		return MemoryContextAllocHuge(memory->context, bytes);
	if (bytes > memory->left)
	{
		memory->piece = MemoryContextAlloc(memory->context, PIECE_SIZE);
		memory->left = PIECE_SIZE;
	}
	result = memory->piece;
	memory->piece += bytes;
	memory->left -= bytes;
	return result;
}

/*
 * Finds the number of a tensor's shape, if it differs from the last one's. Returns NULL,
 * or why the tensor cannot be read.
 */
static const char *
number_shape(TensorOperands *state, OperandValue *value, Coordinates *coordinates,
			 const TensorView *view)
{
	if (value->has_shape && value->shape.type == view->type &&
		value->shape.rank == view->rank &&
		memcmp(value->shape.bounds, view->bounds, sizeof(int64) * view->rank) == 0)
		return NULL;
	value->number = coordinates_shape(coordinates, value->column, view);
	if (value->number < 0)
		return OTHER_TYPES;
	value->shape = *view;
	value->has_shape = true;
	state->differ = state->differ || value->number > 0;
	return NULL;
}

const char *
note_shape(TensorOperands *state, OperandValue *value, const TensorView *shape)
{
	return number_shape(state, value, state->operands[value->operand].coordinates, shape);
}

/*
 * Copies a flat tensor, unless it stays where it is. Returns NULL, or why it cannot be
 * kept.
 */
static const char *
keep_tensor(TensorOperands *state, OperandValue *value, Coordinates *coordinates,
			const Tensor *tensor, bool stays, int range, NestValue *result)
{
	TensorView view;
	const Tensor *kept = tensor;
	const char *reason;

	tensor_view(tensor, &view);
	reason = number_shape(state, value, coordinates, &view);
	if (reason)
		return reason;
	/* a tensor that may be returned in a row needs a header of its own */
	if (!stays || state->plan.each_tuple)
	{
		/* with its header, since the tensor may be returned */
		Tensor *copy = value_memory(state, value, range, VARSIZE(tensor));

		if (copy == NULL)
			return TOO_LARGE;
		memcpy(copy, tensor, VARSIZE(tensor));
		kept = copy;
	}
	result->tensor.elements = tensor_elements(kept);
	result->tensor.shape = value->number;
	return NULL;
}

/* Reads a datum of type tensor, whether it is compressed, in a TOAST table, or flat. */
static const char *
read_tensor(TensorOperands *state, OperandValue *value, Coordinates *coordinates,
			Datum datum, int range, NestValue *result)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(datum);
	DetoastCache *cache = NULL;
	const Tensor *tensor;
	Tensor *dense = NULL;
	ShortValue shorter;
	const char *reason;

	if (VARATT_IS_EXTERNAL_ONDISK(pointer))
	{
		struct varatt_external external;

		VARATT_EXTERNAL_GET_POINTER(external, pointer);
		cache = query_cache(state->estate->es_query_cxt);
		tensor = cache ? (const Tensor *) cache_fetch(cache, &external) : NULL;
		if (tensor == NULL)
			cache = NULL;
	}
	else
		tensor = plain_tensor(datum, &shorter);
	if (tensor == NULL)
		tensor = DatumGetTensorOfAnyFormat(datum);
	if (is_sparse(tensor))
	{
		sparse_check(tensor);
		/* functions that read the entries alone can still compute with it */
		if (sparse_exceeds_dense(tensor))
		{
			if (cache)
				release_cached(cache);
			return LARGE_SPARSE;
		}
		tensor = dense = sparse_to_dense(tensor, NULL);
	}
	reason = keep_tensor(state, value, coordinates, tensor, false, range, result);
	if (dense)
		pfree(dense);
	if (cache)
		release_cached(cache);
	return reason;
}

NestValueType
nest_value_type(const OperandValue *value)
{
	NestValueType type = {
		.tensors = value->type != FLOAT8OID && value->type != FLOAT4OID &&
				   !is_integer_type(value->type),
		.type = value->type == FLOAT4OID ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8};

	return type;
}

/* Reads a value of a row of a range. Returns NULL, or why it cannot be read. */
static const char *
read_value(TensorOperands *state, OperandValue *value, Coordinates *coordinates,
		   Datum datum, int range, NestValue *result)
{
	switch (value->type)
	{
		case FLOAT8OID:
			result->float8 = DatumGetFloat8(datum);
			return NULL;
		case FLOAT4OID:
			result->float4 = DatumGetFloat4(datum);
			return NULL;
		case INT2OID:
		case INT4OID:
		case INT8OID:
			result->float8 = (double) integer_key(datum, value->type);
			return NULL;
		default:
			return read_tensor(state, value, coordinates, datum, range, result);
	}
}

void
begin_coordinates(TensorOperands *state, TensorOperand *operand)
{
	NestValueType types[NEST_MAX_VALUES];

	for (int v = 0; v < operand->nvalues; v++)
		types[v] = nest_value_type(operand->values[v]);
	operand->coordinates =
		(is_streamed(state, operand) ? coordinates_new_streamed : coordinates_new)(
			operand->kept ? kept_accounts(state->kept_operands) : &state->memory.accounts,
			operand->nkeys, operand->nvalues, types);
	if (operand->run_key >= 0)
		coordinates_set_runs(operand->coordinates, operand->run_key);
}

/* Reads a key of a row as an integer. Returns NULL, or why it cannot be read. */
static const char *
read_key(TensorOperands *state, TensorOperand *operand, int k, Datum datum, int64 *key)
{
	bool like = true;

	if (operand->keys[k].dictionary == NULL)
	{
		*key = integer_key(datum, operand->keys[k].type);
		return NULL;
	}
	*key = dictionary_number(kept_dictionaries(state->kept_operands),
							 operand->keys[k].dictionary, datum, &like);
	if (*key < 0)
		return MANY_KEYS;
	if (!like)
		operand->unlike_keys |= UINT32_C(1) << k;
	/* which of two equal keys a group returns depends on its rows */
	return !like && operand->keys[k].returned ? UNLIKE_KEYS : NULL;
}

/*
 * Returns the reason for which a column cannot be read; OTHERS_COLUMN if only other
 * operands need the column.
 */
static const char *
reason_of_column(const char *reason, bool others)
{
	return reason && others && strcmp(reason, TOO_LARGE) != 0 ? OTHERS_COLUMN : reason;
}

/*
 * Reads the keys and values of a row, and finds its range. *joins is false if the row
 * joins nothing, for a NULL. Returns NULL, or why the row cannot be read.
 */
static const char *
read_row(TensorOperands *state, TensorOperand *operand, TupleTableSlot *slot, int64 *keys,
		 NestValue *values, int *range, bool *joins)
{
	ExprContext *econtext = state->econtext;
	const char *reason;

	*joins = true;
	for (int k = 0; k < operand->nkeys; k++)
	{
		bool isnull;
		Datum key = slot_getattr(slot, operand->keys[k].attribute, &isnull);

		/* a row with a NULL in this key may join something in another operand */
		if (isnull && operand->united)
			return OTHERS_COLUMN;
		if (isnull && !operand->keys[k].joined)
			return NULL_KEY;
		if (isnull)
		{
			operand->null_keys |= UINT32_C(1) << k;
			*joins = false;
			continue;
		}
		reason = reason_of_column(read_key(state, operand, k, key, &keys[k]),
								  operand->united && k >= operand->united->nkeys);
		if (reason)
			return reason;
	}
	if (!*joins)
		return NULL;
	*range = range_of_row(state, operand, keys);
	for (int v = 0; v < operand->nvalues; v++)
	{
		OperandValue *value = operand->values[v];
		bool others = operand->united && v >= operand->united->nvalues;
		bool isnull;
		Datum datum;

		econtext->ecxt_scantuple = slot;
		datum = value->attribute
					? slot_getattr(slot, value->attribute, &isnull)
					: ExecEvalExprSwitchContext(value->expression, econtext, &isnull);
		if (isnull)
			return reason_of_column(NULL_VALUE, others);
		reason = reason_of_column(
			read_value(state, value, operand->coordinates, datum, *range, &values[v]),
			others);
		if (reason)
			return reason;
	}
	return NULL;
}

/* Puts a row into memory, or into the file of its range. Returns NULL or a reason. */
static const char *
put_row(TensorOperands *state, TensorOperand *operand, const int64 *keys,
		const NestValue *values, int range)
{
	for (int k = 0; k < operand->nkeys; k++)
		operand->wide = operand->wide || keys[k] != (int32) keys[k];
	if (range != IN_MEMORY)
		write_row(state, operand, range, keys, values);
	else if (!coordinates_append(operand->coordinates, keys, values))
		return TOO_LARGE;
	return NULL;
}

/*
 * Makes room for a row that did not fit: moves other rows to files, or takes more memory.
 * False if neither is possible, or the row was refused for another reason than memory.
 */
static bool
make_room_for_row(TensorOperands *state, const TensorOperand *operand, const char *reason)
{
	/* shared rows are in the store's memory; a streamed operand is read again instead */
	if (reason == NULL || strcmp(reason, TOO_LARGE) != 0 || operand->kept ||
		is_streamed(state, operand))
		return false;
	return spill_part(state) || take_more_memory(state);
}

/*
 * Joins the streamed rows that have been read, and frees their tensors. *enough: there
 * are groups that can be returned.
 */
static const char *
pass_rows(TensorOperands *state, bool *enough)
{
	ValueMemory *memory = &state->memory.values_of_rows;
	const char *reason = state->plan.join_streamed(state->node, enough);

	if (memory->bytes > 0)
		MemoryContextReset(memory->context);
	*memory = (ValueMemory){.context = memory->context};
	return reason;
}

/* Have enough streamed rows been read to join them? */
static bool
enough_rows(const TensorOperands *state, const TensorOperand *operand)
{
	return coordinates_count(operand->coordinates) == NEST_STREAMED_ROWS ||
		   state->memory.values_of_rows.bytes >= PIECE_SIZE;
}

/*
 * Finds the child's columns; false if it does not return columns, or an operand's key or
 * value is not one of them.
 */
static bool
find_columns(const TensorOperand *operand, ChildColumns *columns)
{
	if (!find_column_source(operand->child, &columns->source))
		return false;
	for (int k = 0; k < operand->nkeys - (operand->run_key >= 0); k++)
	{
		columns->keys[k] = key_column(&columns->source, operand->keys[k].attribute);
		if (columns->keys[k] < 0 || operand->keys[k].dictionary)
			return false;
	}
	for (int v = 0; v < operand->nvalues; v++)
	{
		AttrNumber attribute = operand->values[v]->attribute;

		columns->values[v] = attribute ? number_column(&columns->source, attribute) : -1;
		if (columns->values[v] < 0)
			return false;
	}
	return true;
}

/* Makes the rows of an operand runs, of key run_key; -1: rows of single indices. */
static void
set_run_key(TensorOperands *state, TensorOperand *operand, int run_key)
{
	operand->nkeys -= operand->run_key >= 0;
	operand->run_key = run_key;
	if (run_key >= 0)
	{
		operand->labels[operand->nkeys] = operand->labels[run_key];
		operand->keys[operand->nkeys++] =
			(OperandKeyColumn){.type = INT8OID, .joined = true};
	}
	state->parts.layouts[operand - state->operands].nkeys = operand->nkeys;
}

/*
 * Makes the rows of an operand runs of indices, if its child can return those: then no
 * index of a range becomes a row. Parts are not divided by a label that has runs, and
 * processes that share rows, and operands that others may select columns of, have single
 * indices.
 */
static void
use_runs(TensorOperands *state, TensorOperand *operand)
{
	ChildColumns columns;
	int run_key = -1;

	/* rows in files have the keys that they had when these were made */
	if (state->parts.files || state->plan.parallel || operand->nkeys == NEST_MAX_KEYS ||
		(state->stream >= 0 && operand == &state->operands[state->stream]) ||
		!find_columns(operand, &columns))
		return;
	for (int k = 0; k < operand->nkeys; k++)
		if (columns.keys[k] == columns.source.node->run_column - 1)
			run_key = run_key < 0 ? k : NEST_MAX_KEYS;
	if (run_key < 0 || run_key == NEST_MAX_KEYS ||
		operand->labels[run_key] == state->plan.part_label)
		return;
	set_run_key(state, operand, run_key);
}

/* Returns the keys of an operand in a child's columns, from the next row on. */
static const int64 *
next_keys(const TensorOperand *operand, const ChildColumns *columns, int k)
{
	const int64 *keys = operand->run_key >= 0 && k == operand->nkeys - 1
							? columns->rows.lasts
							: columns->rows.keys[columns->keys[k]];

	return keys + columns->next;
}

/* Returns the values of an operand in a child's columns, from the next row on. */
static const double *
next_numbers(const ChildColumns *columns, int v)
{
	return columns->rows.numbers[columns->values[v]] + columns->next;
}

/* Puts the next row of columns into memory or a file. Returns NULL or a reason. */
static const char *
put_column_row(TensorOperands *state, TensorOperand *operand, const ChildColumns *columns)
{
	ExprContext *econtext = state->econtext;
	int64 row_keys[NEST_MAX_KEYS] = {0};
	NestValue values[NEST_MAX_VALUES];
	const char *reason;
	MemoryContext old;

	for (int k = 0; k < operand->nkeys; k++)
		row_keys[k] = *next_keys(operand, columns, k);
	for (int v = 0; v < operand->nvalues; v++)
		values[v].float8 = *next_numbers(columns, v);
	ResetExprContext(econtext);
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	reason =
		put_row(state, operand, row_keys, values, range_of_row(state, operand, row_keys));
	MemoryContextSwitchTo(old);
	return reason;
}

/*
 * Puts rows of columns into coordinates, from the next one on. Returns NULL, or why the
 * next row cannot be put.
 */
static const char *
put_columns(TensorOperands *state, TensorOperand *operand, ChildColumns *columns)
{
	const int64 *keys[NEST_MAX_KEYS];
	const double *numbers[NEST_MAX_VALUES];
	int64 count = columns->rows.count - columns->next;
	int64 appended;

	if (!all_in_memory(state, operand))
	{
		const char *reason = put_column_row(state, operand, columns);

		columns->next += reason == NULL;
		return reason;
	}
	for (int k = 0; k < operand->nkeys; k++)
		keys[k] = next_keys(operand, columns, k);
	for (int v = 0; v < operand->nvalues; v++)
		numbers[v] = next_numbers(columns, v);
	if (is_streamed(state, operand))
	{
		coordinates_lend_columns(operand->coordinates, count, keys, numbers);
		columns->next += count;
		return NULL;
	}
	appended = coordinates_append_columns(operand->coordinates, count, keys, numbers);
	operand->wide |= coordinates_are_wide(operand->coordinates);
	columns->next += appended;
	return appended < count ? TOO_LARGE : NULL;
}

/* Tells the coordinates of an operand which keys of the child's columns ascend. */
static void
note_order(const TensorOperand *operand, const ChildColumns *columns)
{
	for (int k = 0; k < operand->nkeys; k++)
		if (columns->rows.ascending > 0 &&
			columns->keys[k] == columns->rows.ascending - 1)
			coordinates_set_ascending(operand->coordinates, k);
}

/*
 * Reads the rows of the child as columns, to their end, or until there are groups that
 * can be returned; then the columns are state->open. Returns NULL or a reason.
 */
static const char *
read_columns(TensorOperands *state, TensorOperand *operand, ChildColumns *columns)
{
	bool streamed = is_streamed(state, operand);
	bool enough = false;

	state->open = NULL;
	for (;;)
	{
		while (columns->next < columns->rows.count)
		{
			const char *reason = put_columns(state, operand, columns);

			if (make_room_for_row(state, operand, reason))
				continue;
			if (reason == NULL && streamed)
				reason = pass_rows(state, &enough);
			if (reason)
				return reason;
			if (enough)
			{
				state->open = columns;
				return NULL;
			}
		}
		if (!next_column_rows(&columns->source, &columns->rows))
			break;
		note_order(operand, columns);
		columns->next = 0;
		operand->rows += columns->rows.count;
		operand->joining += columns->rows.count;
	}
	return NULL;
}

/* Reads all rows of the child one by one. Returns NULL or a reason. */
static const char *
read_rows(TensorOperands *state, TensorOperand *operand)
{
	ExprContext *econtext = state->econtext;
	int64 keys[NEST_MAX_KEYS];
	NestValue values[NEST_MAX_VALUES];
	const char *reason;
	int range;
	bool streamed = is_streamed(state, operand);
	bool enough;
	bool joins;
	MemoryContext old;

	for (;;)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = ExecProcNode(operand->child);
		if (TupIsNull(slot))
			return streamed && coordinates_count(operand->coordinates) > 0
					   ? pass_rows(state, &enough)
					   : NULL;
		operand->rows++;
		do
		{
			ResetExprContext(econtext);
			old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
			reason = read_row(state, operand, slot, keys, values, &range, &joins);
			if (reason == NULL && joins)
				reason = put_row(state, operand, keys, values, range);
			MemoryContextSwitchTo(old);
		} while (make_room_for_row(state, operand, reason));
		if (reason)
			return reason;
		operand->joining += joins;
		if (streamed && enough_rows(state, operand))
			reason = pass_rows(state, &enough);
		if (reason)
			return reason;
	}
}

const char *
read_operand(TensorOperands *state, TensorOperand *operand)
{
	/* it is still used if groups are returned before all rows are read */
	ChildColumns *columns =
		MemoryContextAllocZero(state->memory.context, sizeof(ChildColumns));

	begin_coordinates(state, operand);
	operand->null_keys = operand->unlike_keys = 0;
	operand->joining = 0;
	if (!find_columns(operand, columns))
		return read_rows(state, operand);
	columns->source.node->runs = operand->run_key >= 0;
	return begin_column_rows(&columns->source) ? read_columns(state, operand, columns)
											   : read_rows(state, operand);
}

bool
stream_is_open(const TensorOperands *state)
{
	return state->open != NULL;
}

const char *
continue_stream(TensorOperands *state)
{
	return read_columns(state, &state->operands[state->stream], state->open);
}

/*
 * Copies the tensors of a row from a file to where the row is kept. Returns NULL or a
 * reason.
 */
static const char *
keep_tensors(TensorOperands *state, TensorOperand *operand, const Tensor **tensors,
			 bool stay, int range, NestValue *values)
{
	for (int v = 0; v < operand->nvalues; v++)
	{
		const char *reason;

		if (!nest_value_type(operand->values[v]).tensors)
			continue;
		reason = keep_tensor(state, operand->values[v], operand->coordinates, tensors[v],
							 stay, range, &values[v]);
		if (reason)
			return reason;
	}
	return NULL;
}

const char *
read_part(TensorOperands *state, OperandPart *part)
{
	ExprContext *econtext = state->econtext;
	PartFiles *files = state->parts.files;
	int64 keys[NEST_MAX_KEYS];
	NestValue values[NEST_MAX_VALUES];
	const Tensor *tensors[NEST_MAX_VALUES];
	const char *reason = NULL;
	int number;
	bool stay;

	while (reason == NULL && read_part_row(files, part->file, state->parts.layouts,
										   &number, keys, values, tensors, &stay))
	{
		TensorOperand *operand = &state->operands[number];

		CHECK_FOR_INTERRUPTS();
		translate_keys(state, operand, writer_of_row(part->file), keys);
		do
		{
			int range = range_of_row(state, operand, keys);
			MemoryContext old;

			ResetExprContext(econtext);
			old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
			reason = keep_tensors(state, operand, tensors, stay, range, values);
			if (reason == NULL)
				reason = put_row(state, operand, keys, values, range);
			MemoryContextSwitchTo(old);
		} while (make_room_for_row(state, operand, reason));
	}
	close_part_file(files, part->file);
	pfree(part);
	return reason;
}

void
forget_operand(TensorOperands *state, TensorOperand *operand, bool refuse)
{
	if (operand->coordinates &&
		(operand->kept == NULL || kept_coordinates(operand->kept) == NULL))
		coordinates_free(operand->coordinates);
	operand->coordinates = NULL;
	if (operand->kept)
		release_kept_operand(state->kept_operands, operand->kept, refuse);
	operand->kept = NULL;
	for (int v = 0; v < operand->nvalues; v++)
		operand->values[v]->has_shape = false;
}

/*
 * Makes an operand use kept rows. Returns NULL, or why it cannot: a NULL in a key joins
 * nothing in other operands but is a group in this one, or this one returns keys that are
 * not identical.
 */
static const char *
use_kept(TensorOperands *state, TensorOperand *operand)
{
	uint32 null_keys;
	uint32 unlike_keys;
	bool differ;

	kept_irregularities(operand->kept, &null_keys, &unlike_keys, &differ);
	for (int k = 0; k < operand->nkeys; k++)
		if (null_keys >> k & 1 && !operand->keys[k].joined)
			return NULL_KEY;
	for (int k = 0; k < operand->nkeys; k++)
		if (unlike_keys >> k & 1 && operand->keys[k].returned)
			return UNLIKE_KEYS;
	operand->coordinates = kept_coordinates(operand->kept);
	/* the number of rows read before; is used if the rows are moved to files */
	operand->joining = coordinates_count(operand->coordinates);
	state->differ = state->differ || differ;
	return NULL;
}

/*
 * Are that many columns of an operand's rows likely to fit in memory? False for 0
 * columns.
 */
static bool
expected_to_fit(const TensorOperand *operand, int columns)
{
	return columns > 0 && operand->child->plan->plan_rows * columns * sizeof(int32) <=
							  (double) get_hash_memory_limit();
}

/*
 * Reads an operand's rows, with the columns that other operands need, into the store.
 * *united: there are such columns. Returns NULL or a reason.
 */
static const char *
read_to_keep(TensorOperands *state, TensorOperand *operand, bool *united)
{
	List *columns = columns_to_read(operand->kept);
	bool differ = state->differ;
	TensorOperand *reader;
	const char *reason;

	*united = list_length(columns) != operand->nkeys + operand->nvalues;
	if (*united && !expected_to_fit(operand, list_length(columns)))
		return OTHERS_COLUMN;
	reader = begin_reader(state, operand, columns);
	if (reader == NULL)
		return OTHERS_COLUMN;
	reason = read_operand(state, reader);
	state->differ = differ;
	if (reason == NULL)
		keep_rows(state->kept_operands, reader, columns);
	else
		coordinates_free(reader->coordinates);
	end_reader(state, reader, operand);
	return reason ? reason : use_kept(state, operand);
}

/*
 * Gets an operand's coordinates: from the store, or by reading its scan. Returns NULL or
 * a reason.
 */
static const char *
get_operand(TensorOperands *state, TensorOperand *operand)
{
	for (;;)
	{
		KeptOperand *kept = NULL;
		const char *reason;
		bool united;

		if (state->parts.files == NULL)
			set_run_key(state, operand, -1);
		/* an operand that is divided into parts has a part of the rows only */
		if ((operand->part_key < 0 || !is_divided(state)) && operand->run_key < 0)
			operand->kept = kept = find_kept_operand(state, operand);
		operand->found = kept && kept_coordinates(kept);
		if (kept == NULL)
		{
			use_runs(state, operand);
			return read_operand(state, operand);
		}
		if (operand->found)
			return use_kept(state, operand);
		reason = read_to_keep(state, operand, &united);
		if (reason == NULL ||
			(strcmp(reason, TOO_LARGE) != 0 && strcmp(reason, OTHERS_COLUMN) != 0))
			return reason;
		/* read again, without the columns of others, or outside of the store */
		forget_operand(state, operand, !united);
		if (united && !leave_expected_columns(kept))
			read_alone(state->kept_operands, kept);
		operand->rows = 0;
		ExecReScan(operand->child);
	}
}

/* Evaluates a value that is the same for all tuples. Returns NULL or a reason. */
static const char *
evaluate_constant(TensorOperands *state, OperandValue *value, ExprState *expression,
				  Coordinates *coordinates, NestValue *result)
{
	ExprContext *econtext = state->econtext;
	const char *reason = NULL_VALUE;
	MemoryContext old;
	bool isnull;
	Datum datum;

	ResetExprContext(econtext);
	/* temporary memory also for detoasting */
	old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	datum = ExecEvalExpr(expression, econtext, &isnull);
	if (!isnull)
		reason = read_value(state, value, coordinates, datum, IN_MEMORY, result);
	MemoryContextSwitchTo(old);
	return reason;
}

/* Evaluates an operand of values without columns. Returns NULL or a reason. */
static const char *
read_constants(TensorOperands *state, TensorOperand *operand)
{
	NestValue values[NEST_MAX_VALUES];

	begin_coordinates(state, operand);
	for (int v = 0; v < operand->nvalues; v++)
	{
		OperandValue *value = operand->values[v];
		const char *reason = evaluate_constant(state, value, value->expression,
											   operand->coordinates, &values[v]);

		if (reason)
			return reason;
	}
	return coordinates_append(operand->coordinates, NULL, values) ? NULL : TOO_LARGE;
}

const char *
read_all_constants(TensorOperands *state)
{
	for (int o = 0; o < state->noperands; o++)
	{
		TensorOperand *operand = &state->operands[o];

		if (!operand->scan && !operand->range && operand->coordinates == NULL)
		{
			const char *reason = read_constants(state, operand);

			if (reason)
			{
				forget_operand(state, operand, false);
				return reason;
			}
		}
	}
	return NULL;
}

bool
operand_joins_nothing(const TensorOperand *operand)
{
	if (operand->optional)
		return false;
	if (operand->range)
		return operand->bound <= operand->first;
	/* not coordinates_count: rows may be in files, or already joined */
	return operand->scan && operand->joining == 0;
}

/*
 * Reads an operand's rows, unless they are in memory already. Returns NULL or a reason.
 */
static const char *
provide_operand(TensorOperands *state, TensorOperand *operand)
{
	const char *reason = NULL;

	/* rows that all parts need have been read for the first part */
	if (operand->scan && operand->coordinates == NULL)
		reason = get_operand(state, operand);
	if (reason)
	{
		/*
		 * so that it is read again; but the nest may still refer to the rows of a
		 * streamed operand
		 */
		if (!is_streamed(state, operand))
			forget_operand(state, operand, false);
		return reason;
	}
	state->nothing = operand_joins_nothing(operand);
	return NULL;
}

const char *
read_operands(TensorOperands *state)
{
	/* the streamed operand is read last, even if files end the streaming meanwhile */
	int last = state->stream;
	const char *reason = NULL;

	for (int o = 0; o < state->noperands && reason == NULL && !state->nothing; o++)
		if (o != last)
			reason = provide_operand(state, &state->operands[o]);
	if (last >= 0 && reason == NULL && !state->nothing)
		reason = provide_operand(state, &state->operands[last]);
	/* constants may raise errors, which the query does not raise if there are no rows */
	if (reason == NULL && !state->nothing)
		reason = read_all_constants(state);
	if (reason || state->nothing || state->parts.count == 0)
		return reason;
	return end_scattering(state);
}

/*
 * Evaluates the values that a left join uses where it finds no row. Returns NULL or a
 * reason.
 */
static const char *
read_fills(TensorOperands *state, const TensorOperand *operand, NestValue *fills)
{
	for (int v = 0; v < operand->nvalues; v++)
	{
		OperandValue *value = operand->values[v];
		const char *reason =
			evaluate_constant(state, value, value->fill, operand->coordinates, &fills[v]);

		if (reason)
			return reason;
	}
	return NULL;
}

const char *
describe_operands(TensorOperands *state, NestDescription *description)
{
	description->noperands = state->noperands;
	for (int o = 0; o < state->noperands; o++)
	{
		TensorOperand *operand = &state->operands[o];
		NestOperand *nested = &description->operands[o];
		const char *reason;

		memcpy(nested->labels, operand->labels, operand->nkeys);
		if (operand->range)
		{
			nested->first = operand->first;
			nested->bound = operand->bound;
			continue;
		}
		nested->coordinates = operand->coordinates;
		nested->optional = operand->optional;
		if (!operand->optional)
			continue;
		reason = read_fills(state, operand, nested->fill);
		if (reason)
			return reason;
	}
	return NULL;
}
