/*-------------------------------------------------------------------------
 *
 * count_entries.c
 *	  Distinct counts, degrees and meetings of the index vectors of entries.
 *
 * The index vectors of all entries, sorted with the labels in some order
 * l1, l2, ..., tell in one pass all distinct counts of the prefixes {l1},
 * {l1,l2}, ... and all degrees DC(P' \ P | P) between two of them. The orders
 * below are the fewest whose prefixes make up every pair of nested sets: for
 * four labels the even permutations, since (first, second), (first two, third)
 * and (first, first three) each tell one even permutation from another.
 *
 * The other orders are made from the first sort.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "catalog/count_entries.h"
#include "catalog/count_pairs.h"
#include "catalog/origin.h"
#include "catalog/tensor_storage.h"
#include "compat.h"

static const int orders_1[][STATISTICS_MAX_RANK] = {{0}};
static const int orders_2[][STATISTICS_MAX_RANK] = {{0, 1}, {1, 0}};
static const int orders_3[][STATISTICS_MAX_RANK] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
													{1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
static const int orders_4[][STATISTICS_MAX_RANK] = {
	{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 0, 3, 2}, {1, 2, 0, 3}, {1, 3, 2, 0},
	{2, 0, 1, 3}, {2, 1, 3, 0}, {2, 3, 0, 1}, {3, 0, 2, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}};

/* Counts of prefixes of index vectors, in an order of labels: by a pair of lengths. */
typedef struct PrefixCounts
{
	int width;
	const IndexRange *ranges;
	double now[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1];
	double most[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1];
	double squares[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1]; /* sums */
	double cubes[TENSOR_MAX_RANK + 1][TENSOR_MAX_RANK + 1];
} PrefixCounts;

/* Returns the number of keys that an index stands for. */
static double
weight_of(const IndexRange *range, int64 index)
{
	return range->weights ? range->weights[index - range->low] : 1;
}

/*
 * The last prefix of length i is complete: adds how many prefixes of length j begin with it
 * to the moments. weight: how many prefixes it stands for.
 */
static void
end_count(PrefixCounts *counts, int i, int j, double weight)
{
	double now = counts->now[i][j];

	counts->most[i][j] = Max(counts->most[i][j], now);
	counts->squares[i][j] += weight * now * now;
	counts->cubes[i][j] += weight * now * now * now;
	counts->now[i][j] = 0;
}

/* Ends the counts of prefixes that share the last prefix of length `shared` or more. */
static void
end_counts(PrefixCounts *counts, int shared, const int64 *last)
{
	double weight = 1;

	for (int i = 0; i < counts->width; i++)
	{
		for (int j = i + 1; j <= counts->width && i >= shared; j++)
			end_count(counts, i, j, weight);
		weight *= weight_of(&counts->ranges[i], last[i]);
	}
}

/* Counts a new prefix of length j among those that share a shorter one. */
static void
count_prefix(PrefixCounts *counts, int j, const int64 *vector)
{
	double weight = 1;

	for (int i = j - 1; i >= 0; i--)
	{
		weight *= weight_of(&counts->ranges[i], vector[i]);
		counts->now[i][j] += weight;
	}
}

/* Records a first index, and how many entries it has, in indices. */
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
 * Counters to which each entry is passed while entries are read in the order of their
 * first index; any may be NULL.
 */
typedef struct EntryReaders
{
	EntrySorter *indices; /* gets the number of entries of each first index */
	FirstSteps *first;
	SecondSteps *second;
} EntryReaders;

/*
 * Reads sorted vectors and counts their prefixes: now[i][j] is the number of distinct
 * prefixes of length j since the prefix of length i last changed; most[i][j] is its
 * maximum.
 */
static void
count_prefixes(EntrySorter *sorter, PrefixCounts *counts, const EntryReaders *readers)
{
	int width = counts->width;
	int64 last[TENSOR_MAX_RANK];
	int64 vector[TENSOR_MAX_RANK];
	bool first = true;
	int64 rows = 0;
	int same;

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
			put_index_count(readers->indices, last[0], counts);
		if (readers->first && (first || same < width))
			put_first_step(readers->first, vector[0], vector[1]);
		if (readers->second && (first || same < width))
			put_second_step(readers->second, vector[0], vector[1]);
		if (!first)
			end_counts(counts, same + 1, last);
		first = false;
		for (int j = same + 1; j <= width; j++)
			count_prefix(counts, j, vector);
		memcpy(last, vector, sizeof(int64) * width);
	}
	if (first)
		return;
	put_index_count(readers->indices, last[0], counts);
	end_counts(counts, 0, last);
}

/* Sorts the vectors by their labels in this order, and counts their prefixes. */
static void
count_order(EntrySorter *entries, const IndexRange *ranges, const int *order, int width,
			PrefixCounts *counts, const EntryReaders *readers)
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
	counts->ranges = permuted_ranges;
	count_prefixes(sorter, counts, readers);
	sorter_end(sorter);
}

/* Copies the counts of an order's prefixes to the statistics. */
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
			/*
			 * the number of distinct prefixes of length i, found in an earlier iteration
			 */
			double groups = i == 0 ? 1 : Max(counts->most[0][i], 1);

			larger |= 1 << order[j - 1];
			added = larger & ~smaller;
			if (i == 0)
				statistics->distinct[larger] = counts->most[0][j];
			degree_of(statistics, added, smaller)->most = counts->most[i][j];
			degree_of(statistics, added, smaller)->square =
				counts->squares[i][j] / groups;
			degree_of(statistics, added, smaller)->cube = counts->cubes[i][j] / groups;
			/* the exact sums over all entries of an index */
			if (i == 1 && j == counts->width)
			{
				meetings_of(statistics, order[0], order[0])->product =
					counts->squares[i][j];
				meetings_of(statistics, order[0], order[0])->square = counts->cubes[i][j];
			}
		}
		smaller |= 1 << order[i];
	}
}

/* Do the indices of two dimensions mean the same, so that programs may join them? */
static bool
may_meet(const StorageDimension *a, const StorageDimension *b)
{
	/* a numbered key has different numbers in each column, and so have cells of ranges */
	return a->bound == b->bound && !is_numbered_key(a) && !is_numbered_key(b) &&
		   !OidIsValid(a->range_type) && !OidIsValid(b->range_type);
}

/*
 * Merges the entry counts of two dimensions by index. Sets the sum of products of the two
 * counts, and the sums with the count of a squared, and of b squared.
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

/*
 * Records how the indices of the dimensions meet; indices has their sorted entry counts.
 */
static void
record_meetings(int rank, const StorageDimension *dimensions, EntrySorter **indices,
				TensorStatistics *statistics)
{
	/* in a tensor of rank 1 each index has one entry */
	if (rank == 1)
		meetings_of(statistics, 0, 0)->product = meetings_of(statistics, 0, 0)->square =
			statistics->entries;
	for (int p = 0; p < rank; p++)
	{
		for (int q = p + 1; q < rank; q++)
		{
			if (!may_meet(&dimensions[p], &dimensions[q]))
				continue;
			count_meetings(indices[p], indices[q],
						   &meetings_of(statistics, p, q)->product,
						   &meetings_of(statistics, p, q)->square,
						   &meetings_of(statistics, q, p)->square);
			meetings_of(statistics, q, p)->product =
				meetings_of(statistics, p, q)->product;
		}
	}
}

/*
 * Records the number of pairs that two steps through a matrix connect, by each of the
 * pairs of dimensions that meet. first are the first steps from indices of either
 * dimension; back are the second steps that lead back to the first dimension.
 */
static void
record_pairs(EntrySorter *entries, FirstSteps **first, SecondSteps *back,
			 TensorStatistics *statistics)
{
	SecondSteps *forth = second_steps_begin(first[1]);
	SecondSteps *on = second_steps_begin(first[0]);
	int64 vector[2];
	int64 last[2];
	int64 rows = 0;

	sorter_rescan(entries);
	while (sorter_get(entries, vector))
	{
		bool again = rows > 0 && vector[0] == last[0] && vector[1] == last[1];

		if ((++rows & 0xFFFF) == 0)
			CHECK_FOR_INTERRUPTS();
		if (again)
			continue;
		put_second_step(forth, vector[0], vector[1]);
		put_second_step(on, vector[0], vector[1]);
		memcpy(last, vector, sizeof(last));
	}
	meetings_of(statistics, 0, 0)->pairs =
		count_pairs(forth, meetings_of(statistics, 0, 0)->product);
	meetings_of(statistics, 1, 1)->pairs =
		count_pairs(back, meetings_of(statistics, 1, 1)->product);
	meetings_of(statistics, 0, 1)->pairs = meetings_of(statistics, 1, 0)->pairs =
		count_pairs(on, meetings_of(statistics, 0, 1)->product);
	second_steps_end(on);
	second_steps_end(forth);
	second_steps_end(back);
	first_steps_end(first[0]);
	first_steps_end(first[1]);
}

/*
 * Begins sorting the indices of a dimension with their number of entries; NULL if no
 * other dimension can meet them.
 */
static EntrySorter *
begin_index_counts(int rank, const StorageDimension *dimensions,
				   const IndexRange *all_ranges, int dimension)
{
	IndexRange ranges[2] = {all_ranges[dimension], {.low = 0, .count = 1}};
	bool meets = false;

	/*
	 * an index has at most as many entries as there are index vectors of the other
	 * dimensions
	 */
	for (int q = 0; q < rank; q++)
	{
		if (q == dimension)
			continue;
		ranges[1].count *= Max(all_ranges[q].count, 1);
		meets = meets || may_meet(&dimensions[dimension], &dimensions[q]);
	}
	ranges[1].count += 1;
	return meets ? sorter_begin(2, ranges, Max(maintenance_work_mem / (4 * rank), 64))
				 : NULL;
}

void
count_entries(EntrySorter *entries, int rank, const StorageDimension *dimensions,
			  const IndexRange *ranges, TensorStatistics *statistics)
{
	EntrySorter *indices[STATISTICS_MAX_RANK] = {NULL};
	FirstSteps *first[2] = {NULL};
	EntryReaders readers = {NULL};
	static const int(*const orders[])[STATISTICS_MAX_RANK] = {NULL, orders_1, orders_2,
															  orders_3, orders_4};
	static const int order_counts[] = {0, lengthof(orders_1), lengthof(orders_2),
									   lengthof(orders_3), lengthof(orders_4)};
	PrefixCounts *counts = palloc(sizeof(PrefixCounts));
	bool steps = rank == 2 && !ranges[0].weights && !ranges[1].weights;
	int i;

	sorter_sort(entries);
	counts->width = rank;
	counts->ranges = ranges;
	if (rank <= STATISTICS_MAX_RANK)
		readers.indices = indices[0] = begin_index_counts(rank, dimensions, ranges, 0);
	if (steps)
		readers.first = first[0] = first_steps_begin();
	count_prefixes(entries, counts, &readers);
	statistics->entries = counts->most[0][rank];
	if (rank > STATISTICS_MAX_RANK)
	{
		for (i = 0; i < rank; i++)
		{
			count_order(entries, ranges, &i, 1, counts, &readers);
			statistics->values[i] = counts->most[0][1];
		}
		return;
	}
	/* the entries were already sorted in the first order */
	record_prefixes(orders[rank][0], counts, statistics);
	for (i = 1; i < order_counts[rank]; i++)
	{
		int leading = orders[rank][i][0];

		readers = (EntryReaders){NULL};
		if (indices[leading] == NULL)
			readers.indices = indices[leading] =
				begin_index_counts(rank, dimensions, ranges, leading);
		if (steps)
		{
			readers.first = first[1] = first_steps_begin();
			readers.second = second_steps_begin(first[0]);
		}
		count_order(entries, ranges, orders[rank][i], rank, counts, &readers);
		record_prefixes(orders[rank][i], counts, statistics);
	}
	for (i = 0; i < rank; i++)
	{
		statistics->values[i] = statistics->distinct[1 << i];
		if (indices[i])
			sorter_sort(indices[i]);
	}
	record_meetings(rank, dimensions, indices, statistics);
	if (steps)
		record_pairs(entries, first, readers.second, statistics);
	for (i = 0; i < rank; i++)
	{
		if (indices[i])
			sorter_end(indices[i]);
	}
}

/* Returns the product of the bounds of the dimensions in a set. */
static double
in_set(const double *bounds, int set)
{
	double product = 1;

	for (int i = 0; i < STATISTICS_MAX_RANK; i++)
	{
		if (set & (1 << i))
			product *= bounds[i];
	}
	return product;
}

/*
 * Extends distinct counts and degrees of rows by the dimensions inside values: each row
 * has all of their index vectors, whose number is size.
 */
static void
extend_degrees(const TensorStatistics *rows, const int *place, const double *bounds,
			   int rank, TensorStatistics *statistics)
{
	for (int added = 1; added < 1 << rank; added++)
	{
		double size = in_set(bounds, added);
		int added_rows = 0;

		for (int i = 0; i < rank; i++)
		{
			if (place[i] >= 0 && (added & (1 << i)))
				added_rows |= 1 << place[i];
		}
		statistics->distinct[added] = rows->distinct[added_rows] * size;
		for (int given = 0; given < 1 << rank; given++)
		{
			int given_rows = 0;
			bool own = added_rows != 0;

			if (given & added)
				continue;
			for (int i = 0; i < rank; i++)
			{
				if (place[i] >= 0 && (given & (1 << i)))
					given_rows |= 1 << place[i];
			}
			degree_of(statistics, added, given)->most =
				(own ? degree_of(rows, added_rows, given_rows)->most : 1) * size;
			degree_of(statistics, added, given)->square =
				(own ? degree_of(rows, added_rows, given_rows)->square : 1) * size * size;
			degree_of(statistics, added, given)->cube =
				(own ? degree_of(rows, added_rows, given_rows)->cube : 1) * size * size *
				size;
		}
	}
}

/*
 * Extends meetings of rows: an index of a dimension inside values is in equally many
 * entries as any other, and each row counts for all entries inside it.
 */
static void
extend_meetings(const TensorStatistics *rows, const int *place, const double *bounds,
				int rank, const StorageDimension *dimensions,
				TensorStatistics *statistics)
{
	double entries = statistics->entries;
	double inside = in_set(bounds, (1 << rank) - 1);

	for (int p = 0; p < rank; p++)
	{
		for (int q = 0; q < rank; q++)
		{
			double *meetings = &meetings_of(statistics, p, q)->product;
			double *squares = &meetings_of(statistics, p, q)->square;

			if (p != q && !may_meet(&dimensions[p], &dimensions[q]))
				continue;
			if (place[p] >= 0 && place[q] >= 0)
			{
				*meetings =
					meetings_of(rows, place[p], place[q])->product * inside * inside;
				*squares = meetings_of(rows, place[p], place[q])->square * inside *
						   inside * inside;
			}
			else if (place[q] >= 0)
			{
				/* each index of p is in entries / bounds[p] entries */
				*meetings = entries * (entries / bounds[p]);
				*squares = *meetings * (entries / bounds[p]);
			}
			else
			{
				double of_p =
					place[p] >= 0
						? meetings_of(rows, place[p], place[p])->product * inside * inside
						: entries * (entries / bounds[p]);

				*meetings = entries * (entries / bounds[q]);
				*squares = of_p * (entries / bounds[q]);
			}
		}
	}
}

void
extend_statistics(const TensorStatistics *rows, int rank,
				  const StorageDimension *dimensions, TensorStatistics *statistics)
{
	double bounds[TENSOR_MAX_RANK] = {0};
	int place[TENSOR_MAX_RANK];
	int nkeys = 0;

	statistics->entries = rows->entries;
	for (int i = 0; i < rank; i++)
	{
		bool inside = dimensions[i].kind == DIMENSION_DEMOTED;

		bounds[i] = inside ? (double) bound_size(dimensions[i].bound) : 1;
		place[i] = inside ? -1 : nkeys++;
		statistics->entries *= bounds[i];
		statistics->values[i] = inside ? bounds[i] : rows->values[place[i]];
	}
	if (rank > STATISTICS_MAX_RANK)
		return;
	extend_degrees(rows, place, bounds, rank, statistics);
	extend_meetings(rows, place, bounds, rank, dimensions, statistics);
}
