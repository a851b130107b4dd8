/*-------------------------------------------------------------------------
 *
 * measure.c
 *	  Exact statistics of a storage, by reading it.
 *
 * The index vectors of all entries, sorted with the labels in some order
 * l1, l2, ..., tell in one pass all distinct counts of the prefixes {l1},
 * {l1,l2}, ... and all degrees DC(P' \ P | P) between two of them. The orders
 * below are the fewest whose prefixes make up every pair of nested sets: for
 * four labels the even permutations, since (first, second), (first two, third)
 * and (first, first three) each tell one even permutation from another.
 *
 * The relation is read once; the other orders are made from the first sort.
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
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "catalog/check_data.h"
#include "catalog/entry_sorter.h"
#include "catalog/entry_value.h"
#include "catalog/estimate.h"
#include "catalog/measure.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "type/tensor.h"

/*
 * What is measured when it is registered: some milliseconds, and at most
 * SMALL_SECONDS where rows take long to read, values to decompress.
 */
#define SMALL_PAGES 1024
#define SMALL_ENTRIES 100000
#define SMALL_SECONDS 1

static const int orders_1[][STATISTICS_MAX_RANK] = {{0}};
static const int orders_2[][STATISTICS_MAX_RANK] = {{0, 1}, {1, 0}};
static const int orders_3[][STATISTICS_MAX_RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
													{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const int orders_4[][STATISTICS_MAX_RANK] = {
	{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 3, 2, 0},
	{2, 0, 1, 3}, {2, 1, 3, 0}, {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};

typedef struct Measurement
{
	DataCheck check;
	Storage *storage;
	IndexRange ranges[TENSOR_MAX_RANK];
	Number fill; /* as the entries have it */
	EntrySorter *entries;
	bool any; /* of a rank 0 tensor */
	bool nonfinite;
	bool limited; /* to SMALL_ENTRIES and SMALL_SECONDS */
	bool beyond;  /* what it is limited to */
	int64 count;
	double rows;
	TimestampTz deadline;
} Measurement;

static void
add_entry(Measurement *measurement, const int64 *indices, double real, double imaginary)
{
	if (is_fill(real, imaginary, measurement->fill))
		return;
	if (!isfinite(real) || !isfinite(imaginary))
		measurement->nonfinite = true;
	if (measurement->limited && ++measurement->count > SMALL_ENTRIES)
	{
		measurement->beyond = true;
		return;
	}
	if (measurement->entries != NULL)
		sorter_put(measurement->entries, indices);
	measurement->any = true;
}

/* Is a limited measurement to end without a result? */
static bool
is_beyond(Measurement *measurement)
{
	if (measurement->limited && !measurement->beyond)
		measurement->beyond = GetCurrentTimestamp() > measurement->deadline;
	return measurement->beyond;
}

/* All entries of one value, whose shape has been checked. */
static void
add_value(Measurement *measurement, const Tensor *value)
{
	const Storage *storage = measurement->storage;
	const void *data = TENSOR_DATA(value);
	int64 count = tensor_count(value);
	int64 indices[TENSOR_MAX_RANK];
	int64 start[TENSOR_MAX_RANK]; /* first index, of each dimension inside */
	int inside[TENSOR_MAX_RANK];  /* dimension of the tensor */
	int rank = 0;
	int64 i;
	int dim;

	for (dim = 0; dim < storage->rank; dim++)
	{
		const StorageDimension *dimension = &storage->dimensions[dim];

		indices[dim] = measurement->check.keys[dim];
		if (dimension->kind == DIMENSION_PROMOTED)
			continue;
		start[rank] =
			dimension->kind == DIMENSION_BLOCKED ? indices[dim] * dimension->block : 0;
		indices[dim] = start[rank];
		inside[rank++] = dim;
	}
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
		add_entry(measurement, indices, real, imaginary);
		/* row-major: the last dimension runs fastest */
		for (dim = rank - 1; dim >= 0; dim--)
		{
			if (++indices[inside[dim]] < start[dim] + value->bounds[dim])
				break;
			indices[inside[dim]] = start[dim];
		}
	}
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
	measurement->rows++;
	for (i = 0; i < storage->rank; i++)
	{
		const IndexRange *range = &measurement->ranges[i];

		if (storage->dimensions[i].kind == DIMENSION_DEMOTED)
			continue;
		if (storage->dimensions[i].bound == BOUND_OPEN)
		{
			keys[i] = DatumGetInt64(slot->tts_values[column]);
			/* the snapshot is the same: only a volatile view can do that */
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
		add_value(measurement, DatumGetTensorP(slot->tts_values[column]));
	else
		add_entry(measurement, keys, DatumGetFloat8(slot->tts_values[column]), 0);
	return true;
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

/* The indices that a label can have: by its bound, or what its keys are. */
static void
find_range(const Storage *storage, Relation relation, int i, IndexRange *range)
{
	const StorageDimension *dimension = &storage->dimensions[i];
	const char *column = quote_identifier(dimension->column ? dimension->column : "");
	const char *query;

	range->low = 0;
	range->count = (double) dimension->bound;
	if (dimension->bound != BOUND_OPEN)
		return;
	range->count = 0;
	query =
		is_numbered_key(dimension)
			? psprintf("SELECT 0::pg_catalog.int8, pg_catalog.count(DISTINCT %s) FROM %s",
					   column, qualified_relation_name(storage->relid))
			: psprintf("SELECT pg_catalog.min(%s)::pg_catalog.int8, "
					   "pg_catalog.max(%s)::pg_catalog.int8 FROM %s",
					   column, column, qualified_relation_name(storage->relid));
	scan_query(labelled_query("einsum_analyze", storage->tensor, query),
			   relation->rd_rel->relowner, false, read_range, range);
}

/* Counts of the prefixes of an order of labels, and between pairs of them. */
typedef struct PrefixCounts
{
	int width;
	double now[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1];
	double most[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1];
	double squares[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1]; /* sums */
	double cubes[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1];
} PrefixCounts;

/* Ends a count of the prefixes of length j that share one of length i. */
static void
end_count(PrefixCounts *counts, int i, int j)
{
	double now = counts->now[i][j];

	counts->most[i][j] = Max(counts->most[i][j], now);
	counts->squares[i][j] += now * now;
	counts->cubes[i][j] += now * now * now;
	counts->now[i][j] = 0;
}

/* The entries that have a first index, as a vector. */
static void
put_index_count(EntrySorter *indices, int64 index, const PrefixCounts *counts)
{
	int64 vector[2] = {index, 1};

	if (indices == NULL)
		return;
	if (counts->width > 1)
		vector[1] = (int64) counts->now[1][counts->width];
	sorter_put(indices, vector);
}

/*
 * Reads sorted vectors. now[i][j] counts the distinct prefixes of length j
 * since the prefix of length i last changed; most[i][j] is its maximum. Puts the
 * entries of each first index into indices, if there is such a sorter.
 */
static void
count_prefixes(EntrySorter *sorter, PrefixCounts *counts, EntrySorter *indices)
{
	int width = counts->width;
	int64 last[TENSOR_MAX_RANK];
	int64 vector[TENSOR_MAX_RANK];
	bool first = true;
	int64 rows = 0;
	int same;
	int i;
	int j;

	memset(counts->now, 0, sizeof(counts->now));
	memset(counts->most, 0, sizeof(counts->most));
	memset(counts->squares, 0, sizeof(counts->squares));
	memset(counts->cubes, 0, sizeof(counts->cubes));
	while (sorter_get(sorter, vector))
	{
		if ((++rows & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		for (same = 0; !first && same < width && vector[same] == last[same]; same++)
			;
		if (!first && same == 0)
			put_index_count(indices, last[0], counts);
		for (i = same + 1; i < width && !first; i++)
		{
			for (j = i + 1; j <= width; j++)
				end_count(counts, i, j);
		}
		first = false;
		for (j = same + 1; j <= width; j++)
		{
			for (i = 0; i < j; i++)
				counts->now[i][j]++;
		}
		memcpy(last, vector, sizeof(int64) * width);
	}
	if (!first)
		put_index_count(indices, last[0], counts);
	for (i = 0; i < width && !first; i++)
	{
		for (j = i + 1; j <= width; j++)
			end_count(counts, i, j);
	}
}

/* Sorts the vectors with these labels in this order, and counts prefixes. */
static void
count_order(EntrySorter *entries, const IndexRange *ranges, const int *order, int width,
			PrefixCounts *counts, EntrySorter *indices)
{
	IndexRange permuted_ranges[TENSOR_MAX_RANK];
	int64 vector[TENSOR_MAX_RANK];
	int64 permuted[TENSOR_MAX_RANK];
	EntrySorter *sorter;
	int64 rows = 0;
	int i;

	for (i = 0; i < width; i++)
		permuted_ranges[i] = ranges[order[i]];
	sorter = sorter_begin(width, permuted_ranges, maintenance_work_mem / 2);
	sorter_rescan(entries);
	while (sorter_get(entries, vector))
	{
		if ((++rows & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		for (i = 0; i < width; i++)
			permuted[i] = vector[order[i]];
		sorter_put(sorter, permuted);
	}
	sorter_sort(sorter);
	counts->width = width;
	count_prefixes(sorter, counts, indices);
	sorter_end(sorter);
}

/* Takes what the prefixes of an order tell over into the statistics. */
static void
record_prefixes(const int *order, const PrefixCounts *counts,
				TensorStatistics *statistics)
{
	int smaller = 0;
	int i;

	for (i = 0; i < counts->width; i++)
	{
		int larger = smaller;
		int j;

		for (j = i + 1; j <= counts->width; j++)
		{
			int added;
			/* of the prefixes of length i, whose counts were made before */
			double groups = i == 0 ? 1 : Max(counts->most[0][i], 1);

			larger |= 1 << order[j - 1];
			added = larger & ~smaller;
			if (i == 0)
				statistics->distinct[larger] = counts->most[0][j];
			statistics->degree[added][smaller] = counts->most[i][j];
			statistics->square[added][smaller] = counts->squares[i][j] / groups;
			statistics->cube[added][smaller] = counts->cubes[i][j] / groups;
			/* the sums themselves, without rounding, of all entries of an index */
			if (i == 1 && j == counts->width)
			{
				statistics->meetings[order[0]][order[0]] = counts->squares[i][j];
				statistics->square_meetings[order[0]][order[0]] = counts->cubes[i][j];
			}
		}
		smaller |= 1 << order[i];
	}
}

/* Are the indices of two dimensions the same things, so that they may be joined? */
static bool
may_meet(const Storage *storage, int p, int q)
{
	const StorageDimension *a = &storage->dimensions[p];
	const StorageDimension *b = &storage->dimensions[q];

	/* keys that are numbered have numbers of their own in each column */
	return a->bound == b->bound && !is_numbered_key(a) && !is_numbered_key(b);
}

/*
 * Merges the entries of each index in two dimensions. Sets how often these meet,
 * and the squares of the one's counts those of the other.
 */
static void
count_meetings(EntrySorter *a, EntrySorter *b, double *meetings, double *squares_of_a,
			   double *squares_of_b)
{
	int64 of_a[2];
	int64 of_b[2];
	bool more;
	int64 rows = 0;

	*meetings = *squares_of_a = *squares_of_b = 0;
	sorter_rescan(a);
	sorter_rescan(b);
	more = sorter_get(a, of_a) && sorter_get(b, of_b);
	while (more)
	{
		if ((++rows & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (of_a[0] == of_b[0])
		{
			double product = (double) of_a[1] * (double) of_b[1];

			*meetings += product;
			*squares_of_a += product * (double) of_a[1];
			*squares_of_b += product * (double) of_b[1];
			more = sorter_get(a, of_a) && sorter_get(b, of_b);
		}
		else if (of_a[0] < of_b[0])
			more = sorter_get(a, of_a);
		else
			more = sorter_get(b, of_b);
	}
}

/* What the indices of the dimensions, sorted with their entries, have in common. */
static void
record_meetings(const Storage *storage, EntrySorter **indices,
				TensorStatistics *statistics)
{
	int rank = storage->rank;

	/* with one dimension each index has one entry */
	if (rank == 1)
		statistics->meetings[0][0] = statistics->square_meetings[0][0] =
			statistics->entries;
	for (int p = 0; p < rank; p++)
	{
		for (int q = p + 1; q < rank; q++)
		{
			if (!may_meet(storage, p, q))
				continue;
			count_meetings(indices[p], indices[q], &statistics->meetings[p][q],
						   &statistics->square_meetings[p][q],
						   &statistics->square_meetings[q][p]);
			statistics->meetings[q][p] = statistics->meetings[p][q];
		}
	}
}

/* A sorter for the indices of a dimension with their entries, if others may meet them. */
static EntrySorter *
begin_index_counts(const Measurement *measurement, int dimension)
{
	const Storage *storage = measurement->storage;
	IndexRange ranges[2] = {measurement->ranges[dimension], {.low = 0, .count = 1}};
	bool meets = false;

	/* the entries of an index are no more than the indices of the others */
	for (int q = 0; q < storage->rank; q++)
	{
		if (q == dimension)
			continue;
		ranges[1].count *= Max(measurement->ranges[q].count, 1);
		meets = meets || may_meet(storage, dimension, q);
	}
	ranges[1].count += 1;
	return meets ? sorter_begin(2, ranges,
								Max(maintenance_work_mem / (4 * storage->rank), 64))
				 : NULL;
}

static void
count_all(Measurement *measurement, TensorStatistics *statistics)
{
	EntrySorter *indices[STATISTICS_MAX_RANK] = {NULL};
	static const int(*const orders[])[STATISTICS_MAX_RANK] = {NULL, orders_1, orders_2,
															  orders_3, orders_4};
	static const int order_counts[] = {0, lengthof(orders_1), lengthof(orders_2),
									   lengthof(orders_3), lengthof(orders_4)};
	int rank = measurement->storage->rank;
	PrefixCounts *counts = palloc(sizeof(PrefixCounts));
	int i;

	sorter_sort(measurement->entries);
	counts->width = rank;
	if (rank <= STATISTICS_MAX_RANK)
		indices[0] = begin_index_counts(measurement, 0);
	count_prefixes(measurement->entries, counts, indices[0]);
	statistics->entries = counts->most[0][rank];
	if (rank > STATISTICS_MAX_RANK)
	{
		for (i = 0; i < rank; i++)
		{
			count_order(measurement->entries, measurement->ranges, &i, 1, counts, NULL);
			statistics->values[i] = counts->most[0][1];
		}
		return;
	}
	/* the relation was sorted by the first order */
	record_prefixes(orders[rank][0], counts, statistics);
	for (i = 1; i < order_counts[rank]; i++)
	{
		int leading = orders[rank][i][0];
		EntrySorter *counted = NULL;

		if (indices[leading] == NULL)
			counted = indices[leading] = begin_index_counts(measurement, leading);
		count_order(measurement->entries, measurement->ranges, orders[rank][i], rank,
					counts, counted);
		record_prefixes(orders[rank][i], counts, statistics);
	}
	for (i = 0; i < rank; i++)
	{
		statistics->values[i] = statistics->distinct[1 << i];
		if (indices[i])
			sorter_sort(indices[i]);
	}
	record_meetings(measurement->storage, indices, statistics);
	for (i = 0; i < rank; i++)
	{
		if (indices[i])
			sorter_end(indices[i]);
	}
}

/* Measures a storage; false, and nothing, if the limits are exceeded. */
static bool
measure(Storage *storage, bool limited, TensorStatistics *statistics)
{
	Relation relation = relation_open(storage->relid, AccessShareLock);
	Measurement measurement;
	int rank = storage->rank;
	int i;

	memset(&measurement, 0, sizeof(measurement));
	measurement.storage = storage;
	measurement.limited = limited;
	measurement.deadline =
		TimestampTzPlusMilliseconds(GetCurrentTimestamp(), SMALL_SECONDS * 1000);
	measurement.fill = number_as(storage->element_type, storage->fill);
	begin_data_check(&measurement.check, storage, relation);
	measurement.check.type_known = true;
	for (i = 0; i < rank; i++)
		find_range(storage, relation, i, &measurement.ranges[i]);
	if (rank > 0)
		measurement.entries =
			sorter_begin(rank, measurement.ranges, maintenance_work_mem / 2);

	scan_query(labelled_query("einsum_analyze", storage->tensor,
							  storage_scan_sql(storage, true)),
			   relation->rd_rel->relowner, false, measure_row, &measurement);

	clear_statistics(rank, statistics);
	statistics->exact = true;
	statistics->nonfinite = measurement.nonfinite;
	statistics->rows = measurement.rows;
	/* sets of no labels have one index vector, whatever the data */
	statistics->distinct[0] = 1;
	for (i = 0; rank <= STATISTICS_MAX_RANK && i < 1 << rank; i++)
		statistics->degree[0][i] = 1;
	if (rank == 0)
		statistics->entries = measurement.any ? 1 : 0;
	else if (!measurement.beyond)
		count_all(&measurement, statistics);
	if (rank > 0)
		sorter_end(measurement.entries);
	relation_close(relation, NoLock);
	return !measurement.beyond;
}

static bool
read_count(TupleTableSlot *slot, void *state)
{
	*(double *) state = (double) DatumGetInt64(slot->tts_values[0]);
	return true;
}

double
count_rows(const Storage *storage)
{
	Relation relation = relation_open(storage->relid, AccessShareLock);
	StringInfoData query;
	double rows = 0;

	initStringInfo(&query);
	/* as a filter of the aggregate: a condition would be asked of what a view leaves out */
	appendStringInfoString(&query, "SELECT pg_catalog.count(*) FILTER (WHERE true");
	for (int i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED)
			appendStringInfo(&query, " AND %s IS NOT NULL",
							 quote_identifier(storage->dimensions[i].column));
	}
	if (storage->value_column)
		appendStringInfo(&query, " AND %s IS NOT NULL",
						 quote_identifier(storage->value_column));
	appendStringInfo(&query, ") FROM %s", qualified_relation_name(storage->relid));
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
	/* what this command has done so far, and nothing that comes while measuring */
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	known = measure(storage, true, statistics);
	PopActiveSnapshot();
	return known;
}
