/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  Rows that are kept in memory and read by name, and counts of their entries.
 *
 * Queries read them by a name that SPI knows, as triggers read the transition tables of a
 * statement. So a round of a loop writes no table, no catalog and no log. Rows of
 * integers and one number are columns in memory, which loop nests read directly
 * (executor/memory_rows); other rows are in a tuplestore. Values that are stored out of
 * line are fetched: the table that they are in may be gone before the rows are.
 *
 * Source: PostgreSQL's utils/misc/queryenvironment.c and
 * executor/nodeNamedtuplestorescan.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/dimension.h"
#include "catalog/entry_value.h"
#include "catalog/origin.h"
#include "catalog/query_run.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "executor/integer_keys.h"
#include "kernels/count.h"
#include "rows/rows.h"
#include "type/tensor.h"

/*
 * After this many scans a tuplestore is copied, since each scan leaves a read pointer in
 * it.
 */
#define MOST_SCANS 4096

/* Elements that are counted between checks of interrupts. */
#define ELEMENTS_PER_CHECK ((int64) 1 << 20)

/* Indices of a label are counted exactly up to this bound, 2 MB of bits. */
#define MOST_COUNTED_INDICES ((int64) 1 << 24)

typedef struct RowReceiver
{
	DestReceiver pub;
	MemoryRows *memory; /* or */
	Tuplestorestate *store;
	TupleDesc columns;
	Datum *values;
	bool *nulls;
	MemoryContext values_of_row;
	/* of the tensor whose entries are counted; NULL: all rows are kept, uncounted */
	const Storage *storage;
	RowCounts *counts;
	bool has_tensors;
	int value;                     /* the value's column */
	double key_bytes;              /* average width of the keys of a row */
	int column[TENSOR_MAX_RANK];   /* column of each dimension's keys, or -1 */
	uint64 *seen[TENSOR_MAX_RANK]; /* a bit for each key that has occurred; or NULL */
	int64 keys[TENSOR_MAX_RANK];   /* number of possible keys */
} RowReceiver;

Rows *
new_rows(const char *name, TupleDesc columns)
{
	Rows *rows = palloc0(sizeof(Rows));

	rows->relation.md.name = pstrdup(name);
	rows->described.relation = &rows->relation.md;
	rows->relation.md.reliddesc = InvalidOid;
	if (columns)
		rows->relation.md.tupdesc = CreateTupleDescCopy(columns);
	rows->relation.md.enrtype = ENR_NAMED_TUPLESTORE;
	return rows;
}

void
set_columns(Rows *rows, TupleDesc columns, bool across)
{
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(rows));

	rows->relation.md.tupdesc = CreateTupleDescCopy(columns);
	if (fit_memory_rows(columns))
		rows->relation.reldata = rows->memory =
			open_memory_rows(rows->relation.md.name, columns, across);
	MemoryContextSwitchTo(old);
}

void
close_rows(Rows *rows)
{
	if (rows->memory)
		close_memory_rows(rows->memory);
	else
		clear_rows(rows);
	rows->memory = NULL;
	rows->relation.reldata = NULL;
}

void
free_rows(Rows *rows)
{
	unregister_rows(rows);
	close_rows(rows);
	pfree(rows);
}

void
register_rows(Rows *rows)
{
	int result;

	if (rows->registered)
		return;
	result = SPI_register_relation(&rows->relation);
	if (result != SPI_OK_REL_REGISTER)
		elog(ERROR, "rows \"%s\" could not be registered (%s)", rows->relation.md.name,
			 SPI_result_code_string(result));
	rows->registered = true;
}

void
unregister_rows(Rows *rows)
{
	if (rows->registered)
		SPI_unregister_relation(rows->relation.md.name);
	rows->registered = false;
}

void
clear_rows(Rows *rows)
{
	Tuplestorestate *store = rows->memory ? NULL : rows->relation.reldata;

	rows->scans = 0;
	if (rows->memory)
		clear_memory_rows(rows->memory);
	else
		rows->relation.reldata = NULL;
	if (store)
		tuplestore_end(store);
}

void
move_rows(Rows *to, Rows *from)
{
	MemoryRows *memory = to->memory;

	clear_rows(to);
	to->relation.reldata = from->relation.reldata;
	to->relation.md.enrtuples = from->relation.md.enrtuples;
	to->described = from->described;
	to->described.relation = &to->relation.md;
	from->relation.reldata = memory;
	from->scans = 0;
	if (memory == NULL)
		return;
	to->memory = from->memory;
	from->memory = memory;
	to->memory->name = to->relation.md.name;
	from->memory->name = from->relation.md.name;
}

/*
 * Copies rows to a new tuplestore, which no scan has left read pointers in, and frees the
 * old one.
 */
static Tuplestorestate *
copy_store(Tuplestorestate *old, TupleDesc columns)
{
	Tuplestorestate *copy = tuplestore_begin_heap(false, true, work_mem);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(columns, &TTSOpsMinimalTuple);

	tuplestore_select_read_pointer(old, 0);
	tuplestore_rescan(old);
	while (tuplestore_gettupleslot(old, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		tuplestore_puttupleslot(copy, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(old);
	return copy;
}

void
note_scans(Rows *rows, int scans)
{
	MemoryContext old;

	rows->scans += scans;
	if (rows->scans < MOST_SCANS)
		return;
	rows->scans = 0;
	old = MemoryContextSwitchTo(GetMemoryChunkContext(rows));
	if (rows->memory == NULL)
		rows->relation.reldata =
			copy_store(rows->relation.reldata, rows->relation.md.tupdesc);
	else if (rows->memory->store)
		rows->memory->store = copy_store(rows->memory->store, rows->memory->columns);
	MemoryContextSwitchTo(old);
}

static void
add_counts(RowCounts *counts, ElementType type, int64 n, const void *elements,
		   Number fill)
{
	ElementCounts found = {0};

	count_elements(type, n, elements, fill, &found);
	counts->entries += found.entries;
	counts->nans += found.nans;
	counts->infinite += found.infinite;
	counts->negative += found.negative;
}

/* Counts a number; false if it is fill, so that its row need not be kept. */
static bool
count_number(RowReceiver *receiver, double value)
{
	double entries = receiver->counts->entries;

	receiver->counts->last = value;
	receiver->counts->bytes += sizeof(double);
	add_counts(receiver->counts, ELEMENT_FLOAT8, 1, &value, receiver->storage->fill);
	return receiver->counts->entries > entries || receiver->value == 0;
}

/*
 * Counts the entries of a row's value; false if all are fill: then the row need not be
 * kept. A frontier would otherwise keep every node that it has met.
 */
static bool
count_value(RowReceiver *receiver, Datum value)
{
	RowCounts *counts = receiver->counts;
	Number fill = receiver->storage->fill;
	double entries = counts->entries;
	double imaginary;
	const Tensor *tensor;
	const char *data;
	int64 count;
	int64 n;

	if (!receiver->has_tensors)
		return count_number(receiver, DatumGetFloat8(value));
	tensor = DatumGetDenseTensor(value);
	data = tensor_elements(tensor);
	count = tensor_count(tensor);
	counts->bytes += VARSIZE(tensor);
	if (count > 0)
		read_element(tensor, data, count - 1, &counts->last, &imaginary);
	for (int64 i = 0; i < count; i += n)
	{
		CHECK_FOR_INTERRUPTS();
		n = Min(count - i, ELEMENTS_PER_CHECK);
		add_counts(counts, (ElementType) tensor->type, n,
				   data + i * element_size((ElementType) tensor->type), fill);
	}
	return counts->entries > entries;
}

/*
 * Counts an index of a dimension if it occurs for the first time. Our rows have no NULL
 * keys.
 */
static void
count_key(RowReceiver *receiver, int dimension, int64 key)
{
	key -= dimension_first_key(&receiver->storage->dimensions[dimension]);
	if (key < 0 || key >= receiver->keys[dimension] ||
		(receiver->seen[dimension][key / 64] & (UINT64CONST(1) << (key % 64))))
		return;
	receiver->seen[dimension][key / 64] |= UINT64CONST(1) << (key % 64);
	receiver->counts->values[dimension]++;
}

/* Counts a row that is kept; its keys are counted by count_key. */
static void
count_row(RowReceiver *receiver)
{
	receiver->counts->rows++;
	receiver->counts->bytes += receiver->key_bytes;
}

/* Counts a row that is kept, and its keys. */
static void
count_keys(RowReceiver *receiver, const int64 *keys)
{
	count_row(receiver);
	for (int d = 0; d < receiver->storage->rank; d++)
		if (receiver->seen[d])
			count_key(receiver, d, keys[receiver->column[d]]);
}

/* Adds a row to the rows in memory, unless its value is fill. */
static void
keep_row(RowReceiver *receiver, const int64 *keys, double value)
{
	if (receiver->storage && !count_number(receiver, value))
		return;
	if (receiver->storage)
		count_keys(receiver, keys);
	add_memory_row(receiver->memory, keys, value);
}

static void
start_rows(DestReceiver *self, int operation, TupleDesc type)
{
	RowReceiver *receiver = (RowReceiver *) self;

	if (type->natts != receiver->columns->natts)
		elog(ERROR, "%d columns where %d are kept", type->natts,
			 receiver->columns->natts);
	for (int c = 0; c < type->natts; c++)
	{
		Oid received = TupleDescAttr(type, c)->atttypid;
		Oid kept = TupleDescAttr(receiver->columns, c)->atttypid;

		if (getBaseType(received) != getBaseType(kept))
			elog(ERROR, "a column of type %s where %s is kept", format_type_be(received),
				 format_type_be(kept));
	}
	if (receiver->memory)
		return;
	receiver->values = palloc(sizeof(Datum) * type->natts);
	receiver->nulls = palloc(sizeof(bool) * type->natts);
	receiver->values_of_row = AllocSetContextCreate(CurrentMemoryContext, "row of a loop",
													ALLOCSET_DEFAULT_SIZES);
}

static int64
integer_value(const RowReceiver *receiver, const Datum *values, int column)
{
	return integer_key(values[column],
					   TupleDescAttr(receiver->columns, column)->atttypid);
}

pg_noreturn static void
report_null(const RowReceiver *receiver, int column)
{
	ereport(ERROR, (errcode(ERRCODE_NOT_NULL_VIOLATION),
					errmsg("null value in column \"%s\" of the rows of a tensor",
						   NameStr(TupleDescAttr(receiver->columns, column)->attname))));
}

/* Receives a row of integer keys and a number. */
static bool
receive_numbers(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	int64 keys[TENSOR_MAX_RANK];

	slot_getallattrs(slot);
	for (int c = 0; c <= receiver->value; c++)
		if (slot->tts_isnull[c])
			report_null(receiver, c);
	for (int k = 0; k < receiver->value; k++)
		keys[k] = integer_value(receiver, slot->tts_values, k);
	keep_row(receiver, keys, DatumGetFloat8(slot->tts_values[receiver->value]));
	return true;
}

/*
 * Counts the received row; false if its entries are all fill, so that it need not be
 * kept.
 */
static bool
count_columns(RowReceiver *receiver)
{
	if (!count_value(receiver, receiver->values[receiver->value]) && receiver->value > 0)
		return false;
	count_row(receiver);
	for (int d = 0; d < receiver->storage->rank; d++)
		if (receiver->seen[d])
			count_key(receiver, d,
					  integer_value(receiver, receiver->values, receiver->column[d]));
	return true;
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->values_of_row);

	slot_getallattrs(slot);
	for (int c = 0; c < receiver->columns->natts; c++)
	{
		Form_pg_attribute column = TupleDescAttr(receiver->columns, c);

		receiver->nulls[c] = slot->tts_isnull[c];
		receiver->values[c] = slot->tts_values[c];
		/* detoasted and with a long header, so that tensors are aligned */
		if (!receiver->nulls[c] && column->attlen == -1)
			receiver->values[c] = PointerGetDatum(PG_DETOAST_DATUM(receiver->values[c]));
	}
	if (receiver->nulls[receiver->value])
		report_null(receiver, receiver->value);
	if (receiver->storage == NULL || count_columns(receiver))
		tuplestore_putvalues(receiver->store, receiver->columns, receiver->values,
							 receiver->nulls);
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->values_of_row);
	return true;
}

static void
end_rows(DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;

	if (receiver->values_of_row)
		MemoryContextDelete(receiver->values_of_row);
}

static void
destroy_receiver(DestReceiver *self)
{
}

/* Prepares the counting of a tensor's rows and keys. */
static void
prepare_counts(RowReceiver *receiver)
{
	const Storage *storage = receiver->storage;
	int column = 0;
	int nkeys = storage_key_count(storage);

	memset(receiver->counts, 0, sizeof(RowCounts));
	receiver->counts->last = creal(storage->fill);
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		receiver->column[d] = dimension->kind == DIMENSION_DEMOTED ? -1 : column++;
		if (receiver->column[d] >= 0)
			receiver->key_bytes += get_typavgwidth(dimension->key_type, -1);
		receiver->keys[d] = dimension_key_count(dimension);
		/* rows with a single key column have a different index each */
		if (receiver->column[d] >= 0 && nkeys > 1 && receiver->keys[d] >= 0 &&
			receiver->keys[d] <= MOST_COUNTED_INDICES)
			receiver->seen[d] = palloc0((receiver->keys[d] / 64 + 1) * sizeof(uint64));
	}
	receiver->value = column;
	receiver->has_tensors = storage_has_tensors(storage);
}

/*
 * Completes the counts of keys: a block counts as all of its indices, and keys without a
 * bit map as different in each row.
 */
static void
finish_counts(RowReceiver *receiver)
{
	const Storage *storage = receiver->storage;

	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];
		double *values = &receiver->counts->values[d];

		if (receiver->column[d] < 0)
			*values = estimated_bound(dimension->bound);
		else if (receiver->seen[d] == NULL)
			*values = receiver->counts->rows;
		else
			pfree(receiver->seen[d]);
		receiver->counts->keys[d] = *values;
		if (dimension->kind == DIMENSION_BLOCKED)
			*values *= dimension->block;
		if (bound_size(dimension->bound) >= 0)
			*values = Min(*values, (double) bound_size(dimension->bound));
	}
}

/*
 * Describes to the planner the number of distinct keys in the rows, and the shape of
 * their tensors if no bound is open.
 */
static void
describe_rows(LoopRows *described, const Storage *storage, const RowCounts *counts)
{
	double bounds[TENSOR_MAX_RANK];
	int rank = 0;

	described->nkeys = 0;
	described->has_shape = storage_has_tensors(storage);
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->kind == DIMENSION_BLOCKED)
			bounds[rank++] = (double) dimension->block;
		if (dimension->kind != DIMENSION_DEMOTED)
			described->distinct[described->nkeys++] = counts->keys[d];
		else
		{
			described->has_shape =
				described->has_shape && bound_size(dimension->bound) >= 0;
			bounds[rank++] = (double) bound_size(dimension->bound);
		}
	}
	if (described->has_shape)
		shape_of_bounds(&described->shape, rank, bounds);
}

/* Fills the receiver from other rows in memory, without running a query. */
static void
copy_rows(RowReceiver *receiver, MemoryRows *from)
{
	int64 keys[TENSOR_MAX_RANK];
	MemoryRowReader reader;
	ColumnRows columns;

	begin_row_reader(&reader, from);
	while (read_memory_rows(&reader, &columns))
		for (int64 i = 0; i < columns.count; i++)
		{
			for (int k = 0; k < from->nkeys; k++)
				keys[k] = columns.keys[k][i];
			keep_row(receiver, keys, columns.numbers[from->nkeys][i]);
		}
	end_row_reader(&reader);
}

/*
 * Clears the rows and returns a receiver that fills them. storage: of the tensor whose
 * entries are counted; NULL: rows are kept as they are.
 */
static RowReceiver
begin_receiver(Rows *rows, const Storage *storage, RowCounts *counts, bool across)
{
	RowReceiver receiver = {
		.pub = {.receiveSlot = rows->memory ? receive_numbers : receive_row,
				.rStartup = start_rows,
				.rShutdown = end_rows,
				.rDestroy = destroy_receiver,
				.mydest = DestTuplestore},
		.memory = rows->memory,
		.columns = rows->relation.md.tupdesc,
		.value = rows->relation.md.tupdesc->natts - 1,
		.storage = storage,
		.counts = counts};
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(rows));

	clear_rows(rows);
	if (rows->memory == NULL)
		rows->relation.reldata = receiver.store =
			tuplestore_begin_heap(false, across, work_mem);
	MemoryContextSwitchTo(old);
	return receiver;
}

void
fill_rows(Rows *rows, SPIPlanPtr plan, MemoryRows *copied, const Storage *storage,
		  RowCounts *counts, bool across)
{
	RowReceiver receiver = begin_receiver(rows, storage, counts, across);
	SPIExecuteOptions options = {.read_only = true, .dest = &receiver.pub};
	int result = SPI_OK_SELECT;

	prepare_counts(&receiver);
	if (copied && rows->memory)
		copy_rows(&receiver, copied);
	else
		result = run_prepared(plan, &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "rows of a loop could not be computed (%s)",
			 SPI_result_code_string(result));
	finish_counts(&receiver);
	describe_rows(&rows->described, storage, counts);
	rows->relation.md.enrtuples = counts->rows;
}

static void
receive_reading(RowReceiver *receiver, const ReadingAt *reading)
{
	SPIExecuteOptions options = {.dest = &receiver->pub};
	int result = run_kept_reading(reading->kept, reading->query, reading->rows, &options,
								  reading->snapshot);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "rows could not be computed (%s)", SPI_result_code_string(result));
}

void
fill_rows_at(Rows *rows, const ReadingAt *reading)
{
	RowReceiver receiver = begin_receiver(rows, NULL, NULL, false);

	receive_reading(&receiver, reading);
	rows->relation.md.enrtuples = number_of_rows(rows);
}

void
fill_tensor_rows_at(Rows *rows, const ReadingAt *reading, const Storage *storage,
					RowCounts *counts)
{
	RowReceiver receiver = begin_receiver(rows, storage, counts, false);

	prepare_counts(&receiver);
	receive_reading(&receiver, reading);
	finish_counts(&receiver);
	describe_rows(&rows->described, storage, counts);
	rows->relation.md.enrtuples = counts->rows;
}

double
number_of_rows(const Rows *rows)
{
	return rows->memory ? (double) count_memory_rows(rows->memory)
						: (double) tuplestore_tuple_count(rows->relation.reldata);
}

static void
get_bounds(const Storage *storage, int64 *bounds)
{
	for (int d = 0; d < storage->rank; d++)
		bounds[d] = storage->dimensions[d].bound;
}

bool
can_index_rows(const Rows *rows, const Storage *storage, double count)
{
	int64 bounds[TENSOR_MAX_RANK];

	if (storage->rank == 0 || storage_has_tensors(storage))
		return false;
	for (int d = 0; d < storage->rank; d++)
	{
		if (!is_integer_type(storage->dimensions[d].key_type))
			return false;
	}
	if (rows && (rows->memory == NULL || rows->memory->store))
		return false;
	get_bounds(storage, bounds);
	return indexed_rows_bytes(storage->rank, bounds, count) <=
		   (double) get_hash_memory_limit();
}

void
index_rows(const Rows *rows, const Storage *storage)
{
	int64 bounds[TENSOR_MAX_RANK];

	get_bounds(storage, bounds);
	index_memory_rows(rows->memory, bounds);
}
