/*-------------------------------------------------------------------------
 *
 * measure.c
 *	  Exact statistics of a storage, by reading it.
 *
 * The relation is read once, and the index vectors of its entries are sorted and
 * counted (count_entries.h). Values that are dense have an entry everywhere; then
 * the keys of the rows are all that need be sorted: of 100,000 vectors of 384
 * elements that is 0.8 s and not 37. So that is tried first, until a value has a gap.
 * Keys in ranges are counted by cells (key_cells.h), of which a sample is taken if rows
 * have too many.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "access/relation.h"
#include "access/xact.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "catalog/check_data.h"
#include "catalog/count_entries.h"
#include "catalog/entry_sorter.h"
#include "catalog/entry_value.h"
#include "catalog/estimate.h"
#include "catalog/key_cells.h"
#include "catalog/measure.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "catalog/value_columns.h"
#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"

/*
 * Limits of what is measured while registering. It takes some milliseconds, and at most
 * SMALL_SECONDS if rows are slow to read, as with compressed values.
 */
#define SMALL_PAGES 1024
#define SMALL_ENTRIES 100000
#define SMALL_SECONDS 1

/* How many index vectors are sorted of a tensor with ranges, before cells are sampled. */
#define MOST_VECTORS_OF_CELLS 1000000

typedef struct Measurement
{
	DataCheck check;
	Storage *storage;
	IndexRange ranges[TENSOR_MAX_RANK];
	KeyCells *cells[TENSOR_MAX_RANK];  /* of dimensions with ranges of keys */
	int64 first_cell[TENSOR_MAX_RANK]; /* of the present row */
	int64 end_cell[TENSOR_MAX_RANK];
	Number fill;                 /* in the element type of the entries */
	bool whole;                  /* only keys are sorted: values have all entries */
	bool gaps;                   /* some value has an entry that is the fill */
	int rank;                    /* number of indices that are sorted */
	int sorted[TENSOR_MAX_RANK]; /* their dimensions */
	EntrySorter *entries;        /* NULL if rank is 0 */
	bool any;                    /* there is an entry */
	bool nonfinite;
	bool crowded; /* there are too many vectors of cells */
	bool limited; /* to SMALL_ENTRIES and SMALL_SECONDS */
	bool beyond;  /* a limit has been exceeded */
	int64 count;
	int64 sorted_vectors;
	double vectors; /* of keys, not cells */
	double rows;
	TimestampTz deadline;
} Measurement;

/* Counts an entry; false if it equals the fill, or a limit is exceeded. */
static bool
is_entry(Measurement *measurement, double real, double imaginary)
{
	if (is_fill(real, imaginary, measurement->fill))
	{
		measurement->gaps = true;
		return false;
	}
	if (!isfinite(real) || !isfinite(imaginary))
		measurement->nonfinite = true;
	if (measurement->limited && ++measurement->count > SMALL_ENTRIES)
	{
		measurement->beyond = true;
		return false;
	}
	measurement->any = true;
	return true;
}

/* Advances a vector to the next one of the row's cells; false after the last. */
static bool
next_cells(const Measurement *measurement, int64 *vector)
{
	for (int i = measurement->rank - 1; i >= 0; i--)
	{
		int d = measurement->sorted[i];

		if (measurement->cells[d] == NULL)
			continue;
		if (++vector[i] < measurement->end_cell[d])
			return true;
		vector[i] = measurement->first_cell[d];
	}
	return false;
}

/* Adds those indices of an entry that are sorted, with all cells of the row's ranges. */
static void
put_indices(Measurement *measurement, const int64 *indices)
{
	int64 vector[TENSOR_MAX_RANK];

	if (measurement->entries == NULL)
		return;
	for (int i = 0; i < measurement->rank; i++)
	{
		int d = measurement->sorted[i];
		bool ranges = measurement->cells[d] != NULL;

		if (ranges && measurement->first_cell[d] >= measurement->end_cell[d])
			return;
		vector[i] = ranges ? measurement->first_cell[d] : indices[d];
	}
	do
	{
		double keys = 1;

		for (int i = 0; i < measurement->rank; i++)
			if (measurement->ranges[measurement->sorted[i]].weights)
				keys *= measurement->ranges[measurement->sorted[i]].weights[vector[i]];
		measurement->vectors += keys;
		sorter_put(measurement->entries, vector);
		if ((++measurement->sorted_vectors & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (!has_ranges(measurement->storage))
			return;
		measurement->crowded = measurement->sorted_vectors > MOST_VECTORS_OF_CELLS;
		if (measurement->limited && measurement->sorted_vectors > SMALL_ENTRIES)
			measurement->beyond = true;
	} while (!measurement->crowded && !measurement->beyond &&
			 next_cells(measurement, vector));
}

/* Must a limited measurement end without a result? */
static bool
is_beyond(Measurement *measurement)
{
	if (measurement->limited && !measurement->beyond)
		measurement->beyond = GetCurrentTimestamp() > measurement->deadline;
	return measurement->beyond;
}

/*
 * Counts all entries of a sparse value whose fill is the storage's. start and inside: of
 * its dimensions, as in add_value.
 */
static void
add_sparse_value(Measurement *measurement, const Tensor *value, int64 *indices,
				 const int64 *start, const int *inside)
{
	SparseEntries entries = sparse_entries(value);

	measurement->gaps = measurement->gaps || entries.count < tensor_count(value);
	if (measurement->whole && measurement->gaps)
		return;
	for (int64 i = 0; i < entries.count; i++)
	{
		uint64 position = entry_position(&entries, i);
		Number number = entry_complex(&entries, i);

		if ((i & 0xFFFF) == 0)
		{
			CHECK_FOR_INTERRUPTS();
			if (is_beyond(measurement))
				return;
		}
		if (!is_entry(measurement, creal(number), cimag(number)) || measurement->whole)
			continue;
		for (int d = value->rank - 1; d >= 0; d--)
		{
			indices[inside[d]] =
				start[d] + (int64) (position % (uint64) value->bounds[d]);
			position /= (uint64) value->bounds[d];
		}
		put_indices(measurement, indices);
	}
	if (measurement->whole)
		put_indices(measurement, measurement->check.keys);
}

/* Counts all entries of one value, whose shape has been checked. */
static void
add_value(Measurement *measurement, const Tensor *value)
{
	const Storage *storage = measurement->storage;
	const void *data;
	int64 count = tensor_count(value);
	int64 indices[TENSOR_MAX_RANK];
	int64 start[TENSOR_MAX_RANK]; /* first index of each dimension inside the value */
	int inside[TENSOR_MAX_RANK];  /* its dimension of the tensor */
	int rank = 0;
	int64 i;
	int dim;

	for (dim = 0; dim < storage->rank; dim++)
	{
		const StorageDimension *dimension = &storage->dimensions[dim];

		indices[dim] = measurement->check.keys[dim];
		if (dimension->kind == DIMENSION_PROMOTED)
			continue;
		/* the key of an entry, also of a label in blocks */
		start[rank] = bound_first(dimension->bound);
		if (dimension->kind == DIMENSION_BLOCKED)
			start[rank] += indices[dim] * dimension->block;
		indices[dim] = start[rank];
		inside[rank++] = dim;
	}
	if (is_sparse(value))
	{
		add_sparse_value(measurement, value, indices, start, inside);
		return;
	}
	data = tensor_elements(value);
	for (i = 0; i < count; i++)
	{
		double real = 0;
		double imaginary = 0;

		if ((i & 0xFFFF) == 0)
		{
			CHECK_FOR_INTERRUPTS();
			if (is_beyond(measurement))
				return;
		}
		read_element(value, data, i, &real, &imaginary);
		if (is_entry(measurement, real, imaginary))
		{
			if (!measurement->whole)
				put_indices(measurement, indices);
		}
		else if (measurement->whole)
			return;
		/* row-major order: the last dimension changes fastest */
		for (dim = rank - 1; dim >= 0; dim--)
		{
			if (++indices[inside[dim]] < start[dim] + value->bounds[dim])
				break;
			indices[inside[dim]] = start[dim];
		}
	}
	if (measurement->whole)
		put_indices(measurement, measurement->check.keys);
}

/* Finds the cells of a row's ranges. */
static void
find_cells(Measurement *measurement, const TupleTableSlot *slot)
{
	for (int d = 0; d < measurement->storage->rank; d++)
	{
		int64 first;
		int64 last;

		if (measurement->cells[d] == NULL)
			continue;
		read_range_ends(measurement->storage, slot, d, &first, &last);
		cells_of_range(measurement->cells[d], first, last, &measurement->first_cell[d],
					   &measurement->end_cell[d]);
	}
}

/* Adds the ranges of a row to those of which cells are made. */
static bool
collect_ranges(TupleTableSlot *slot, void *state)
{
	Measurement *measurement = (Measurement *) state;
	const Storage *storage = measurement->storage;

	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
		if (slot->tts_isnull[i])
			return true;
	for (int d = 0; d < storage->rank; d++)
	{
		int64 first;
		int64 last;

		if (measurement->cells[d] == NULL)
			continue;
		read_range_ends(storage, slot, d, &first, &last);
		cells_put(measurement->cells[d], first, last);
	}
	return !is_beyond(measurement);
}

/* Makes cells of the ranges of all rows. */
static void
make_cells(Measurement *measurement, Relation relation)
{
	const Storage *storage = measurement->storage;
	int ranges = range_dimensions(storage);

	for (int d = 0; d < storage->rank; d++)
		if (ranges & (1 << d))
			measurement->cells[d] = cells_begin();
	if (ranges)
		scan_query(labelled_query("einsum_analyze", storage->tensor,
								  storage_scan_sql(storage, true)),
				   relation->rd_rel->relowner, false, collect_ranges, measurement);
	for (int d = 0; d < storage->rank; d++)
		if (measurement->cells[d])
			cells_make(measurement->cells[d]);
}

static bool
measure_row(TupleTableSlot *slot, void *state)
{
	Measurement *measurement = (Measurement *) state;
	const Storage *storage = measurement->storage;
	int64 *keys = measurement->check.keys;
	int column = 0;
	int i;

	if (is_beyond(measurement))
		return false;
	if (!check_data_row(&measurement->check, slot))
		return true;
	measurement->rows += keys_of_row(storage, slot);
	find_cells(measurement, slot);
	for (i = 0; i < storage->rank; i++)
	{
		const IndexRange *range = &measurement->ranges[i];

		if (storage->dimensions[i].kind == DIMENSION_DEMOTED)
			continue;
		if (bound_is_open(storage->dimensions[i].bound) && !measurement->cells[i])
		{
			keys[i] = DatumGetInt64(slot->tts_values[column]);
			/* both queries see the same snapshot, so only a volatile view can do that */
			if (keys[i] < range->low ||
				(double) keys[i] - (double) range->low > range->count)
				ereport(ERROR,
						(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						 errmsg("relation \"%s\" gives other keys each time it is read",
								measurement->check.relation)));
		}
		column++;
	}
	if (measurement->check.tensors)
		add_value(measurement,
				  DatumGetTensorWithFill(slot->tts_values[column], measurement->fill));
	else if (is_entry(measurement, DatumGetFloat8(slot->tts_values[column]), 0))
		put_indices(measurement, keys);
	return !(measurement->whole && measurement->gaps) && !measurement->crowded;
}

static bool
read_range(TupleTableSlot *slot, void *state)
{
	IndexRange *range = (IndexRange *) state;

	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	range->low = DatumGetInt64(slot->tts_values[0]);
	range->count = (double) DatumGetInt64(slot->tts_values[1]) - (double) range->low + 1;
	return true;
}

/* Finds the range of indices that a label can have: by its bound, or by its keys. */
static void
find_range(const Storage *storage, Relation relation, int i, IndexRange *range)
{
	const StorageDimension *dimension = &storage->dimensions[i];
	const char *column = quote_identifier(dimension->column ? dimension->column : "");
	const char *query;

	range->weights = NULL;
	range->low = bound_first(dimension->bound);
	range->count = (double) bound_size(dimension->bound);
	if (!bound_is_open(dimension->bound))
		return;
	/* for positions inside of values */
	range->count = PG_INT32_MAX;
	if (dimension->kind == DIMENSION_DEMOTED)
		return;
	range->count = 0;
	query =
		is_numbered_key(dimension)
			? psprintf("SELECT 0::pg_catalog.int8, pg_catalog.count(DISTINCT r.%s) FROM "
					   "%s AS r",
					   column, storage_relation_sql(storage))
			: psprintf("SELECT pg_catalog.min(r.%s)::pg_catalog.int8, "
					   "pg_catalog.max(r.%s)::pg_catalog.int8 FROM %s AS r",
					   column, column, storage_relation_sql(storage));
	scan_query(labelled_query("einsum_analyze", storage->tensor, query),
			   relation->rd_rel->relowner, false, read_range, range);
}

/*
 * May each value have an entry everywhere? Not if there are blocks, the last of which is
 * shorter, or dimensions, which may have grown since a value was stored.
 */
static bool
may_be_whole(const Storage *storage)
{
	bool inside = false;

	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_BLOCKED ||
			(storage->dimensions[i].kind == DIMENSION_DEMOTED &&
			 bound_is_dimension(storage->dimensions[i].bound)))
			return false;
		inside = inside || storage->dimensions[i].kind == DIMENSION_DEMOTED;
	}
	return inside;
}

static void
read_entries_once(Measurement *measurement, Relation relation, bool whole)
{
	Storage *storage = measurement->storage;
	IndexRange ranges[TENSOR_MAX_RANK];

	begin_data_check(&measurement->check, storage, relation);
	measurement->check.type_known = true;
	measurement->whole = whole;
	measurement->any = measurement->gaps = measurement->nonfinite = false;
	measurement->crowded = false;
	measurement->count = measurement->rank = 0;
	measurement->rows = measurement->vectors = 0;
	measurement->sorted_vectors = 0;
	for (int i = 0; i < storage->rank; i++)
	{
		if (whole && storage->dimensions[i].kind == DIMENSION_DEMOTED)
			continue;
		if (measurement->cells[i])
			measurement->ranges[i] =
				(IndexRange){.count = (double) cells_count(measurement->cells[i]),
							 .weights = cells_weights(measurement->cells[i])};
		ranges[measurement->rank] = measurement->ranges[i];
		measurement->sorted[measurement->rank++] = i;
	}
	measurement->entries = measurement->rank > 0 ? sorter_begin(measurement->rank, ranges,
																maintenance_work_mem / 2)
												 : NULL;
	scan_query(labelled_query("einsum_analyze", storage->tensor,
							  storage_scan_sql(storage, true)),
			   relation->rd_rel->relowner, false, measure_row, measurement);
}

/*
 * Reads the relation and sorts the index vectors of all entries or, if whole, of the
 * rows' keys; of cells fewer and fewer while they are too many.
 */
static void
read_entries(Measurement *measurement, Relation relation, bool whole)
{
	read_entries_once(measurement, relation, whole);
	while (measurement->crowded && !measurement->beyond)
	{
		for (int d = 0; d < measurement->storage->rank; d++)
			if (measurement->cells[d])
				cells_thin(measurement->cells[d]);
		sorter_end(measurement->entries);
		read_entries_once(measurement, relation, whole);
	}
}

/*
 * Sets the statistics of the empty set of labels, which has one index vector, whatever
 * the data.
 */
static void
begin_statistics(TensorStatistics *statistics)
{
	if (statistics->rank > STATISTICS_MAX_RANK)
		return;
	statistics->distinct[0] = 1;
	for (int i = 0; i < 1 << statistics->rank; i++)
		degree_of(statistics, 0, i)->most = 1;
}

/* Sorts and counts the index vectors that were read. */
static void
count_sorted(const Measurement *measurement, TensorStatistics *statistics)
{
	StorageDimension dimensions[TENSOR_MAX_RANK];
	IndexRange ranges[TENSOR_MAX_RANK];

	for (int i = 0; i < measurement->rank; i++)
	{
		dimensions[i] = measurement->storage->dimensions[measurement->sorted[i]];
		ranges[i] = measurement->ranges[measurement->sorted[i]];
	}
	if (measurement->rank == 0)
		statistics->entries = measurement->any ? 1 : 0;
	else
		count_entries(measurement->entries, measurement->rank, dimensions, ranges,
					  statistics);
}

/* Warns of keys that are trusted to be unique and are not. */
static void
warn_of_repeated_keys(const Measurement *measurement, double distinct)
{
	const Storage *storage = measurement->storage;

	if (storage->duplicates != DUPLICATES_TRUST || measurement->vectors <= distinct ||
		measurement->rank == 0)
		return;
	ereport(WARNING,
			(errmsg("relation \"%s\" has several rows with the same keys",
					get_rel_name(storage->relid)),
			 errdetail("Tensor \"%s\" is registered with duplicates => 'trust': results "
					   "over it are wrong, or errors.",
					   storage->tensor),
			 errhint("Register it with duplicates => 'sum', which adds them up, or "
					 "register a view that has each key once.")));
}

/* Measures a storage. False, without a result, if limited and a limit was exceeded. */
static bool
measure(Storage *storage, bool limited, TensorStatistics *statistics)
{
	Relation relation = relation_open(storage->relid, AccessShareLock);
	Measurement measurement;

	memset(&measurement, 0, sizeof(measurement));
	measurement.storage = storage;
	measurement.limited = limited;
	measurement.deadline =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), SMALL_SECONDS * 1000);
	measurement.fill = number_as(storage->element_type, storage->fill);
	make_cells(&measurement, relation);
	for (int i = 0; i < storage->rank; i++)
		if (measurement.cells[i] == NULL)
			find_range(storage, relation, i, &measurement.ranges[i]);

	read_entries(&measurement, relation, may_be_whole(storage));
	if (measurement.whole && (measurement.gaps || !measurement.any) &&
		!measurement.beyond)
	{
		if (measurement.entries != NULL)
			sorter_end(measurement.entries);
		read_entries(&measurement, relation, false);
	}

	begin_statistics(statistics);
	if (!measurement.beyond && measurement.whole)
	{
		TensorStatistics *rows = new_statistics(measurement.rank);

		begin_statistics(rows);
		count_sorted(&measurement, rows);
		warn_of_repeated_keys(&measurement, rows->entries);
		extend_statistics(rows, storage->rank, storage->dimensions, statistics);
		pfree(rows);
	}
	else if (!measurement.beyond)
	{
		count_sorted(&measurement, statistics);
		warn_of_repeated_keys(&measurement, statistics->entries);
	}
	statistics->exact = true;
	statistics->nonfinite = measurement.nonfinite;
	statistics->rows = measurement.rows;
	if (measurement.entries != NULL)
		sorter_end(measurement.entries);
	for (int i = 0; i < storage->rank; i++)
		if (measurement.cells[i])
			cells_end(measurement.cells[i]);
	relation_close(relation, NoLock);
	return !measurement.beyond;
}

static bool
read_count(TupleTableSlot *slot, void *state)
{
	*(double *) state = DatumGetFloat8(slot->tts_values[0]);
	return true;
}

/* Returns what counts the rows of a storage, each for the keys in its ranges. */
static char *
count_sql(const Storage *storage)
{
	StringInfoData keys;

	if (!has_ranges(storage))
		return "pg_catalog.count(*)";
	initStringInfo(&keys);
	for (int d = 0; d < storage->rank; d++)
		if (OidIsValid(storage->dimensions[d].range_type))
			appendStringInfo(&keys, "%sr.%s", keys.len ? " OPERATOR(pg_catalog.*) " : "",
							 quote_identifier(storage->dimensions[d].column));
	return psprintf("pg_catalog.sum(%s)", keys.data);
}

double
count_rows(const Storage *storage)
{
	Relation relation = relation_open(storage->relid, AccessShareLock);
	StringInfoData query;
	double rows = 0;

	initStringInfo(&query);
	/*
	 * in a FILTER, since a WHERE condition might be evaluated for rows that a view leaves
	 * out
	 */
	appendStringInfo(&query, "SELECT COALESCE(%s FILTER (WHERE true", count_sql(storage));
	append_row_conditions(&query, storage, "r");
	appendStringInfo(&query, "), 0)::pg_catalog.float8 FROM %s r",
					 has_ranges(storage)
						 ? range_rows_sql(storage, 0, range_dimensions(storage))
						 : storage_relation_sql(storage));
	scan_query(labelled_query("einsum_analyze", storage->tensor, query.data),
			   relation->rd_rel->relowner, false, read_count, &rows);
	relation_close(relation, NoLock);
	return rows;
}

void
measure_statistics(Storage *storage, TensorStatistics *statistics)
{
	(void) measure(storage, false, statistics);
}

bool
measure_small_table(Storage *storage, TensorStatistics *statistics)
{
	double pages = relation_pages(storage->relid);
	bool known;

	if (pages < 0 || pages > SMALL_PAGES)
		return false;
	/*
	 * a snapshot that sees what this command has done so far, but nothing that others do
	 * meanwhile
	 */
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	known = measure(storage, true, statistics);
	PopActiveSnapshot();
	return known;
}
