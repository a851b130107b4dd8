/*-------------------------------------------------------------------------
 *
 * layout.c
 *	  The table of layouts, and their checks and enumerations.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "kernels/clones.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/table.h"

/* Numbers whose descents are counted in 32 bits. */
#define DESCENTS_AT_ONCE 65536

/* ---- bounds ---- */

static int64_t
length_of_offsets(int64_t bound)
{
	/* no array is as long, and the sum would overflow */
	return bound == INT64_MAX ? bound : bound + 1;
}

static int64_t
extent_of_offsets(int64_t length)
{
	return length - 1;
}

static int64_t
same_length(int64_t number)
{
	return number;
}

static int64_t
length_of_triangle(int64_t bound)
{
	/* no array is as long, and the product would overflow */
	return bound < 0 || bound > INT32_MAX ? INT64_MAX : bound * (bound + 1) / 2;
}

static int64_t
extent_of_triangle(int64_t length)
{
	int64_t extent = (int64_t) sqrt(2.0 * (double) length);

	while (length_of_triangle(extent) > length)
		extent--;
	return extent;
}

/* ---- arrays ---- */

static inline int64_t
integer_at(const LayoutArray *array, int64_t i)
{
	switch (array->type)
	{
		case LAYOUT_INT2:
			return ((const int16_t *) array->data)[i];
		case LAYOUT_INT4:
			return ((const int32_t *) array->data)[i];
		default:
			return ((const int64_t *) array->data)[i];
	}
}

/* Copies n integers from number first on. */
static void
read_integers(const LayoutArray *array, int64_t first, int n, int64_t *to)
{
	if (array->type == LAYOUT_INT4)
		for (int i = 0; i < n; i++)
			to[i] = ((const int32_t *) array->data)[first + i];
	else
		for (int i = 0; i < n; i++)
			to[i] = integer_at(array, first + i);
}

static void
read_numbers(const LayoutArray *array, int64_t first, int n, double *to)
{
	switch (array->type)
	{
		case LAYOUT_FLOAT8:
			memcpy(to, (const double *) array->data + first, sizeof(double) * (size_t) n);
			break;
		case LAYOUT_FLOAT4:
			for (int i = 0; i < n; i++)
				to[i] = ((const float *) array->data)[first + i];
			break;
		default:
			for (int i = 0; i < n; i++)
				to[i] = (double) integer_at(array, first + i);
	}
}

/* The first position of an array that ascends whose integer is not less. */
static int64_t
first_not_less(const LayoutArray *array, int64_t than)
{
	int64_t low = 0;
	int64_t high = array->length;

	while (low < high)
	{
		int64_t middle = low + (high - low) / 2;

		if (integer_at(array, middle) < than)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
integer_columns(const Layout *layout, int rank)
{
	return layout->nintegers + layout->per_index * rank;
}

static const LayoutArray *
values_of(const LayoutEntries *entries)
{
	return entries->with_values
			   ? &entries->columns[integer_columns(entries->layout, entries->rank)]
			   : NULL;
}

/* ---- checks ---- */

static bool
report(LayoutProblem *problem, LayoutFault fault, int column, int64_t position,
	   int64_t number, int64_t other)
{
	*problem = (LayoutProblem){.fault = fault,
							   .column = column,
							   .position = position,
							   .number = number,
							   .other = other};
	return false;
}

/* Have the columns from one on its length? */
static bool
check_lengths(const LayoutEntries *entries, int from, LayoutProblem *problem)
{
	for (int c = from + 1; c < entries->ncolumns; c++)
		if (entries->columns[c].length != entries->columns[from].length)
			return report(problem, LAYOUT_LENGTHS, c, 0, entries->columns[c].length,
						  entries->columns[from].length);
	return true;
}

static bool
check_key(const LayoutEntries *entries, int column, int64_t position, int index,
		  LayoutProblem *problem)
{
	int64_t bound = entries->bounds[index];
	int64_t key = integer_at(&entries->columns[column], position);

	if (bound == LAYOUT_ANY || (key >= 0 && key < bound))
		return true;
	return report(problem, LAYOUT_KEY_BEYOND, column, position, key, bound);
}

/* Has the first column the length that the bounds of its positions ask for? */
static bool
check_positions(const LayoutEntries *entries, LayoutProblem *problem)
{
	const Layout *layout = entries->layout;
	int64_t all = entries->columns[0].length;
	int64_t length = all / entries->width;
	int64_t least = LAYOUT_ANY;
	int64_t expected;

	for (int d = 0; d < entries->rank; d++)
	{
		int64_t bound = entries->bounds[d];

		if ((layout->positional & (1 << d)) && bound != LAYOUT_ANY &&
			(least == LAYOUT_ANY || bound < least))
			least = bound;
	}
	if (all % entries->width != 0)
		return report(problem, LAYOUT_NO_DIAGONALS, 0, 0, all, entries->width);
	if (layout->length(layout->extent(length)) != length)
		return report(problem, LAYOUT_NO_TRIANGLE, 0, 0, all, layout->extent(length));
	if (least == LAYOUT_ANY || length == layout->length(least))
		return true;
	expected = layout->length(least);
	expected =
		expected > INT64_MAX / entries->width ? INT64_MAX : expected * entries->width;
	return report(problem, LAYOUT_LENGTHS, 0, 0, all, expected);
}

/* Do the integers begin .. end - 1 of a column ascend, as keys of an index? */
static bool
check_list(const LayoutEntries *entries, int column, int64_t begin, int64_t end,
		   int index, LayoutProblem *problem)
{
	const LayoutArray *array = &entries->columns[column];

	for (int64_t p = begin + 1; p < end; p++)
	{
		int64_t before = integer_at(array, p - 1);
		int64_t key = integer_at(array, p);

		if (key <= before)
			return report(problem,
						  key < before ? LAYOUT_KEY_DESCENDS : LAYOUT_KEY_REPEATED,
						  column, p, key, before);
	}
	return end <= begin || (check_key(entries, column, begin, index, problem) &&
							check_key(entries, column, end - 1, index, problem));
}

static bool
check_coo(const LayoutEntries *entries, LayoutProblem *problem)
{
	if (!check_lengths(entries, 0, problem))
		return false;
	for (int d = 0; d < entries->rank; d++)
	{
		for (int64_t p = 0; p < entries->columns[d].length; p++)
			if (!check_key(entries, d, p, d, problem))
				return false;
	}
	return true;
}

/* The index that the second column of csr and csc has. */
static int
key_of_offsets(const LayoutEntries *entries)
{
	return entries->layout->positional == 1 ? 1 : 0;
}

static bool
check_first_offset(const LayoutEntries *entries, int column, LayoutProblem *problem)
{
	const LayoutArray *offsets = &entries->columns[column];

	if (offsets->length > 0 && integer_at(offsets, 0) == 0)
		return true;
	return report(problem, LAYOUT_FIRST_OFFSET, column, 0,
				  offsets->length == 0 ? 0 : integer_at(offsets, 0), 0);
}

/* Returns how many of n numbers are not greater than the one before. */
KERNEL_CLONES static int64_t
count_descents(const int32_t *numbers, int64_t n)
{
	int64_t descents = 0;

	for (int64_t from = 1; from < n; from += DESCENTS_AT_ONCE)
	{
		int64_t end = from + DESCENTS_AT_ONCE < n ? from + DESCENTS_AT_ONCE : n;
		uint32_t some = 0;

		for (int64_t i = from; i < end; i++)
			some += numbers[i] <= numbers[i - 1];
		descents += some;
	}
	return descents;
}

/* Are n numbers from 0 to last? */
KERNEL_CLONES static bool
are_within(const int32_t *numbers, int64_t n, uint32_t last)
{
	uint32_t greatest = 0;

	for (int64_t i = 0; i < n; i++)
		greatest = (uint32_t) numbers[i] > greatest ? (uint32_t) numbers[i] : greatest;
	return n == 0 || greatest <= last;
}

/*
 * Do noffsets offsets, the first of which is 0, divide count keys into lists that ascend
 * and have keys of a bound? The keys that do not ascend must be as many as those that
 * begin a list and do not: these loops take a fifth of the time of a loop in each list.
 */
static bool
are_lists(const int32_t *offsets, int64_t noffsets, const int32_t *keys, int64_t count,
		  int64_t bound)
{
	int64_t descents = 0;

	if (count > INT32_MAX || !are_within(offsets, noffsets, (uint32_t) count) ||
		offsets[noffsets - 1] != count ||
		(bound != LAYOUT_ANY &&
		 !are_within(keys, count,
					 bound > INT32_MAX ? INT32_MAX : (uint32_t) (bound - 1))))
		return false;
	for (int64_t i = 1; i < noffsets; i++)
	{
		int32_t begin = offsets[i];

		if (begin < offsets[i - 1])
			return false;
		if (begin > offsets[i - 1] && begin < count)
			descents += keys[begin] <= keys[begin - 1];
	}
	return count_descents(keys, count) == descents;
}

/*
 * Do the offsets of a column, the first of which is 0, divide the next one into lists of
 * an index?
 */
static bool
check_ranges(const LayoutEntries *entries, int column, int index, LayoutProblem *problem)
{
	const LayoutArray *offsets = &entries->columns[column];
	const LayoutArray *keys = &entries->columns[column + 1];
	int64_t count = keys->length;
	int64_t before = 0;

	if (offsets->type == LAYOUT_INT4 && keys->type == LAYOUT_INT4 &&
		entries->bounds[index] != 0 &&
		are_lists(offsets->data, offsets->length, keys->data, count,
				  entries->bounds[index]))
		return true;
	/* finds what is wrong, or checks arrays of another type */
	for (int64_t i = 1; i < offsets->length; i++)
	{
		int64_t offset = integer_at(offsets, i);

		if (offset < before)
			return report(problem, LAYOUT_OFFSET_DESCENDS, column, i, offset, before);
		if (offset > count)
			return report(problem, LAYOUT_OFFSET_BEYOND, column, i, offset, count);
		if (!check_list(entries, column + 1, before, offset, index, problem))
			return false;
		before = offset;
	}
	/* entries behind the last offset belong to no row */
	if (before != count)
		return report(problem, LAYOUT_LENGTHS, column + 1, 0, count, before);
	return true;
}

static bool
check_offsets(const LayoutEntries *entries, LayoutProblem *problem)
{
	return check_lengths(entries, 1, problem) &&
		   check_first_offset(entries, 0, problem) && check_positions(entries, problem) &&
		   check_ranges(entries, 0, key_of_offsets(entries), problem);
}

static bool
check_csf(const LayoutEntries *entries, LayoutProblem *problem)
{
	const LayoutArray *first = &entries->columns[0];

	if (!check_list(entries, 0, 0, first->length, 0, problem))
		return false;
	for (int level = 1; level < entries->rank; level++)
	{
		int offsets = indices_of_level(level) - 1;
		int64_t lists = entries->columns[offsets - 1].length;

		if (!check_first_offset(entries, offsets, problem))
			return false;
		if (entries->columns[offsets].length != lists + 1)
			return report(problem, LAYOUT_LENGTHS, offsets, 0,
						  entries->columns[offsets].length, lists + 1);
		if (!check_ranges(entries, offsets, level, problem))
			return false;
	}
	return check_lengths(entries, indices_of_level(entries->rank - 1), problem);
}

/* The diagonals on one side of the main one; -1 if no matrix has that number of them. */
static int64_t
diagonals_in(const LayoutArray *number)
{
	int64_t diagonals = integer_at(number, 0);

	return diagonals >= 0 && diagonals <= INT32_MAX ? diagonals : -1;
}

static bool
check_band(const LayoutEntries *entries, LayoutProblem *problem)
{
	for (int c = 1; c <= 2; c++)
		if (diagonals_in(&entries->columns[c]) < 0)
			return report(problem, LAYOUT_NUMBER_BEYOND, c, 0,
						  integer_at(&entries->columns[c], 0), INT32_MAX);
	return check_positions(entries, problem);
}

/* The number whose bit n is bit 2n of a position. */
static int64_t
even_bits(int64_t position)
{
	static const uint64_t masks[] = {0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
									 0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu,
									 0x00000000ffffffffu};
	uint64_t bits = (uint64_t) position & 0x5555555555555555u;

	for (int step = 0; step < 5; step++)
		bits = (bits | (bits >> (1 << step))) & masks[step];
	return (int64_t) bits;
}

/* A matrix whose bounds are no powers of two is padded with the fill. */
static bool
check_zorder(const LayoutEntries *entries, LayoutProblem *problem)
{
	const LayoutArray *values = &entries->columns[0];

	for (int d = 0; d < 2; d++)
	{
		int64_t bound = entries->bounds[d];

		/* no array has a position of an index beyond that */
		if (bound == LAYOUT_ANY || bound > INT32_MAX / 2)
			continue;
		for (int64_t p = spread_bits(bound) << d; p < values->length; p++)
		{
			int64_t index = even_bits(p >> d);
			double number;

			read_numbers(values, p, 1, &number);
			if (index >= bound && !layout_is_fill(entries, number))
				return report(problem, LAYOUT_POSITION_BEYOND, 0, p, index, bound);
		}
	}
	return true;
}

static bool
check_lists(const LayoutEntries *entries, LayoutProblem *problem)
{
	return check_lengths(entries, 0, problem) &&
		   check_list(entries, 0, 0, entries->columns[0].length, 0, problem);
}

/* ---- entries ---- */

static int64_t
count_first(const LayoutEntries *entries)
{
	return entries->columns[0].length;
}

static int64_t
count_second(const LayoutEntries *entries)
{
	return entries->columns[1].length;
}

static int64_t
count_leaves(const LayoutEntries *entries)
{
	return entries->columns[indices_of_level(entries->rank - 1)].length;
}

/* At most n, of those that are left of count. */
static int
at_most(const LayoutEntries *entries, int n, int64_t count)
{
	int64_t left = count - entries->position;

	return left < n ? (int) left : n;
}

/* Where the entries are not in the order of the first index. */
static void
seek_unordered(LayoutEntries *entries, int64_t first)
{
	entries->first = first;
}

/*
 * Goes to the next entries whose first index is not left out; returns how many there are
 * in one run, n at the most.
 */
static int
next_run(LayoutEntries *entries, int n, const LayoutArray *firsts)
{
	while (entries->position < firsts->length &&
		   integer_at(firsts, entries->position) < entries->first)
		entries->position++;
	n = at_most(entries, n, firsts->length);
	for (int i = 0; i < n; i++)
		if (integer_at(firsts, entries->position + i) < entries->first)
			n = i;
	return n;
}

static int
next_coo(LayoutEntries *entries, int n, int64_t *const *keys)
{
	n = next_run(entries, n, &entries->columns[0]);
	for (int d = 0; d < entries->rank; d++)
		read_integers(&entries->columns[d], entries->position, n, keys[d]);
	return n;
}

static void
seek_csr(LayoutEntries *entries, int64_t first)
{
	const LayoutArray *offsets = &entries->columns[0];

	entries->rows[0] = first < 0 ? 0 : first;
	entries->position = entries->rows[0] < offsets->length - 1
							? integer_at(offsets, entries->rows[0])
							: entries->columns[1].length;
}

/*
 * Stores the rows of n positions from one on, by offsets, beginning the search at a row;
 * returns the last one. Where no row is empty, no branch depends on the data.
 */
static int64_t
rows_of_positions(const int32_t *offsets, int64_t row, int64_t position, int n,
				  int64_t *rows)
{
	for (int i = 0; i < n; i++)
	{
		int64_t at = position + i;

		row += offsets[row + 1] <= at;
		while (offsets[row + 1] <= at)
			row++;
		rows[i] = row;
	}
	return row;
}

/*
 * Reads n entries: the indices by position that their offsets say, and those in the
 * second column.
 */
static void
read_offsets(LayoutEntries *entries, int n, int64_t *const *keys)
{
	const LayoutArray *offsets = &entries->columns[0];
	int key = key_of_offsets(entries);

	if (offsets->type == LAYOUT_INT4)
		entries->rows[0] = rows_of_positions(offsets->data, entries->rows[0],
											 entries->position, n, keys[1 - key]);
	else
		for (int i = 0; i < n; i++)
		{
			while (integer_at(offsets, entries->rows[0] + 1) <= entries->position + i)
				entries->rows[0]++;
			keys[1 - key][i] = entries->rows[0];
		}
	read_integers(&entries->columns[1], entries->position, n, keys[key]);
}

static int
next_csr(LayoutEntries *entries, int n, int64_t *const *keys)
{
	n = at_most(entries, n, entries->columns[1].length);
	read_offsets(entries, n, keys);
	return n;
}

static int
next_csc(LayoutEntries *entries, int n, int64_t *const *keys)
{
	n = next_run(entries, n, &entries->columns[1]);
	read_offsets(entries, n, keys);
	return n;
}

static void
seek_csf(LayoutEntries *entries, int64_t first)
{
	int64_t position = first_not_less(&entries->columns[0], first);

	for (int level = 0; level < entries->rank - 1; level++)
	{
		entries->rows[level] = position;
		position =
			integer_at(&entries->columns[indices_of_level(level + 1) - 1], position);
	}
	entries->position = position;
}

static int
next_csf(LayoutEntries *entries, int n, int64_t *const *keys)
{
	int last = entries->rank - 1;
	const LayoutArray *leaves = &entries->columns[indices_of_level(last)];

	n = at_most(entries, n, leaves->length);
	for (int i = 0; i < n; i++)
	{
		int64_t child = entries->position + i;

		for (int level = last - 1; level >= 0; level--)
		{
			const LayoutArray *offsets =
				&entries->columns[indices_of_level(level + 1) - 1];

			/* lists without elements are passed by */
			while (integer_at(offsets, entries->rows[level] + 1) <= child)
				entries->rows[level]++;
			child = entries->rows[level];
			keys[level][i] =
				integer_at(&entries->columns[indices_of_level(level)], child);
		}
	}
	read_integers(leaves, entries->position, n, keys[last]);
	return n;
}

static void
seek_lists(LayoutEntries *entries, int64_t first)
{
	entries->position = first_not_less(&entries->columns[0], first);
}

static int
next_lists(LayoutEntries *entries, int n, int64_t *const *keys)
{
	n = at_most(entries, n, entries->columns[0].length);
	read_integers(&entries->columns[0], entries->position, n, keys[0]);
	return n;
}

static void
seek_diagonal(LayoutEntries *entries, int64_t first)
{
	int64_t length = entries->columns[0].length;

	entries->position = first < 0 ? 0 : first < length ? first : length;
}

static int
next_diagonal(LayoutEntries *entries, int n, int64_t *const *keys)
{
	n = at_most(entries, n, entries->columns[0].length);
	for (int i = 0; i < n; i++)
		keys[0][i] = keys[1][i] = entries->position + i;
	return n;
}

static void
seek_triangle(LayoutEntries *entries, int64_t first)
{
	int64_t extent = extent_of_triangle(entries->columns[0].length);

	entries->rows[0] = first < 0 ? 0 : first < extent ? first : extent;
	entries->position = start_of_triangle_row(entries->layout, extent, entries->rows[0]);
}

static int
next_triangle(LayoutEntries *entries, int n, int64_t *const *keys)
{
	int64_t extent = extent_of_triangle(entries->columns[0].length);

	n = at_most(entries, n, entries->columns[0].length);
	for (int i = 0; i < n; i++)
	{
		int64_t position = entries->position + i;

		while (start_of_triangle_row(entries->layout, extent, entries->rows[0] + 1) <=
			   position)
			entries->rows[0]++;
		keys[0][i] = entries->rows[0];
		keys[1][i] = position -
					 start_of_triangle_row(entries->layout, extent, entries->rows[0]) +
					 (entries->layout->upper ? entries->rows[0] : 0);
	}
	return n;
}

/* The rows of a band, which are as many as there are columns. */
static int64_t
extent_of_band(const LayoutEntries *entries)
{
	return entries->columns[0].length / entries->width;
}

static int64_t
count_band(const LayoutEntries *entries)
{
	int64_t extent = extent_of_band(entries);
	int64_t count = extent;

	for (int c = 1; c <= 2; c++)
	{
		int64_t diagonals = integer_at(&entries->columns[c], 0);

		if (diagonals > extent)
			diagonals = extent;
		count += diagonals * extent - diagonals * (diagonals + 1) / 2;
	}
	return count;
}

static void
seek_band(LayoutEntries *entries, int64_t first)
{
	int64_t extent = extent_of_band(entries);

	entries->position = (first < 0        ? 0
						 : first < extent ? first
										  : extent) *
						entries->width;
}

/*
 * Positions left of the first column or right of the last one have no entries, and end
 * what is read at once.
 */
static int
next_band(LayoutEntries *entries, int n, int64_t *const *keys)
{
	int64_t length = entries->columns[0].length;
	int64_t extent = extent_of_band(entries);
	int64_t row = entries->position / entries->width;
	int64_t column =
		entries->position % entries->width + row - integer_at(&entries->columns[1], 0);
	int64_t end = row - integer_at(&entries->columns[1], 0) + entries->width;
	int count = 0;

	for (int64_t p = entries->position; p < length && count < n; p++)
	{
		if (column >= 0 && column < extent)
		{
			keys[0][count] = row;
			keys[1][count++] = column;
		}
		else if (count > 0)
			break;
		else
			entries->position++;
		if (++column == end)
		{
			row++;
			column += 1 - entries->width;
			end++;
		}
	}
	return count;
}

static int
next_zorder(LayoutEntries *entries, int n, int64_t *const *keys)
{
	int64_t length = entries->columns[0].length;
	int count = 0;

	while (entries->position < length && even_bits(entries->position) < entries->first)
		entries->position++;
	for (int64_t p = entries->position; p < length && count < n; p++)
	{
		keys[0][count] = even_bits(p);
		if (keys[0][count] < entries->first)
			break;
		keys[1][count++] = even_bits(p >> 1);
	}
	return count;
}

/* ---- the table ---- */

static const Layout layouts[] = {
	{.name = "band",
	 .columns = "v,below,above",
	 .meaning = "{(i, i+d-below): v[i*w+d] for w in [below+above+1] for n in [len(v)//w] "
				"for i in range(n) for d in range(w) if 0 <= i+d-below < n}",
	 .least = 2,
	 .most = 2,
	 .nnumbers = 2,
	 .positional = 3,
	 .length = same_length,
	 .extent = same_length,
	 .check = check_band,
	 .count = count_band,
	 .seek = seek_band,
	 .ascends = true,
	 .next = next_band,
	 .measure = measure_band,
	 .write = write_band},
	{.name = "coo",
	 .columns = "i,...,v",
	 .meaning = "{(i[p], j[p]): v[p] for p in range(len(v))}",
	 .least = 1,
	 .most = LAYOUT_MAX_RANK,
	 .per_index = 1,
	 .check = check_coo,
	 .count = count_first,
	 .seek = seek_unordered,
	 .next = next_coo,
	 .measure = measure_lists,
	 .write = write_lists,
	 .repeated = true},
	{.name = "csc",
	 .columns = "ptr,idx,v",
	 .meaning = "{(idx[p], j): v[p] for j in range(len(ptr)-1) "
				"for p in range(ptr[j], ptr[j+1])}",
	 .least = 2,
	 .most = 2,
	 .nintegers = 2,
	 .positional = 2,
	 .length = length_of_offsets,
	 .extent = extent_of_offsets,
	 .check = check_offsets,
	 .count = count_second,
	 .seek = seek_unordered,
	 .next = next_csc,
	 .measure = measure_offsets,
	 .write = write_offsets},
	{.name = "csf",
	 .columns = "idx0,ptr1,idx1,...,v",
	 .meaning = "{(idx0[a], idx1[b], idx2[c]): v[c] for a in range(len(idx0)) "
				"for b in range(ptr1[a], ptr1[a+1]) for c in range(ptr2[b], ptr2[b+1])}",
	 .least = 3,
	 .most = LAYOUT_MAX_RANK,
	 .nintegers = -1,
	 .per_index = 2,
	 .check = check_csf,
	 .count = count_leaves,
	 .seek = seek_csf,
	 .ascends = true,
	 .next = next_csf,
	 .measure = measure_csf,
	 .write = write_csf},
	{.name = "csr",
	 .columns = "ptr,idx,v",
	 .meaning = "{(i, idx[p]): v[p] for i in range(len(ptr)-1) "
				"for p in range(ptr[i], ptr[i+1])}",
	 .least = 2,
	 .most = 2,
	 .nintegers = 2,
	 .positional = 1,
	 .length = length_of_offsets,
	 .extent = extent_of_offsets,
	 .check = check_offsets,
	 .count = count_second,
	 .seek = seek_csr,
	 .ascends = true,
	 .offsets = true,
	 .next = next_csr,
	 .measure = measure_offsets,
	 .write = write_offsets},
	{.name = "diagonal",
	 .columns = "v",
	 .meaning = "{(i, i): v[i] for i in range(len(v))}",
	 .least = 2,
	 .most = 2,
	 .positional = 3,
	 .length = same_length,
	 .extent = same_length,
	 .check = check_positions,
	 .count = count_first,
	 .seek = seek_diagonal,
	 .ascends = true,
	 .next = next_diagonal,
	 .measure = measure_diagonal,
	 .write = write_diagonal},
	{.name = "lists",
	 .columns = "idx,v",
	 .meaning = "{idx[p]: v[p] for p in range(len(idx))}",
	 .least = 1,
	 .most = 1,
	 .nintegers = 1,
	 .check = check_lists,
	 .count = count_first,
	 .seek = seek_lists,
	 .ascends = true,
	 .next = next_lists,
	 .measure = measure_lists,
	 .write = write_lists},
	{.name = "lower",
	 .columns = "v",
	 .meaning = "{(i, j): v[i*(i+1)//2+j] for i in range(int((2*len(v))**0.5)) "
				"for j in range(i+1)}",
	 .least = 2,
	 .most = 2,
	 .positional = 3,
	 .length = length_of_triangle,
	 .extent = extent_of_triangle,
	 .check = check_positions,
	 .count = count_first,
	 .seek = seek_triangle,
	 .ascends = true,
	 .next = next_triangle,
	 .measure = measure_triangle,
	 .write = write_triangle},
	{.name = "object",
	 .columns = "o",
	 .meaning = "{k: x for k, x in o.items()}",
	 .least = 1,
	 .most = 1,
	 .object = true},
	{.name = "upper",
	 .columns = "v",
	 .meaning = "{(i, j): v[i*n-i*(i-1)//2+j-i] for n in [int((2*len(v))**0.5)] "
				"for i in range(n) for j in range(i, n)}",
	 .least = 2,
	 .most = 2,
	 .positional = 3,
	 .length = length_of_triangle,
	 .extent = extent_of_triangle,
	 .check = check_positions,
	 .count = count_first,
	 .seek = seek_triangle,
	 .ascends = true,
	 .next = next_triangle,
	 .measure = measure_triangle,
	 .write = write_triangle,
	 .upper = true},
	{.name = "zorder",
	 .columns = "v",
	 .meaning = "{(int(bin(p)[:1:-2][::-1], 2), int('0'+bin(p)[-2:1:-2][::-1], 2)): v[p] "
				"for p in range(len(v))}",
	 .least = 2,
	 .most = 2,
	 .positional = 3,
	 .check = check_zorder,
	 .count = count_first,
	 .seek = seek_unordered,
	 .next = next_zorder,
	 .measure = measure_zorder,
	 .write = write_zorder},
};

/* Entries that are looked at at a time. */
#define ENTRIES_CHECKED 64

#define NLAYOUTS ((int) (sizeof(layouts) / sizeof(layouts[0])))

/* Do names of n letters differ at most in the case of their letters? */
static bool
same_name(const char *one, const char *other, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		char letter =
			one[i] >= 'A' && one[i] <= 'Z' ? (char) (one[i] - 'A' + 'a') : one[i];

		if (letter != other[i])
			return false;
	}
	return true;
}

static bool
is_space(char letter)
{
	return letter == ' ' || (letter >= '\t' && letter <= '\r');
}

bool
layout_take_symmetric(const char **name, size_t *length)
{
	static const char word[] = "symmetric";
	size_t taken = sizeof(word) - 1;

	if (*length < taken || !same_name(*name, word, taken) ||
		(*length > taken && !is_space((*name)[taken])))
		return false;
	while (taken < *length && is_space((*name)[taken]))
		taken++;
	*name += taken;
	*length -= taken;
	return true;
}

const Layout *
layout_find(const char *name, size_t length)
{
	for (int l = 0; l < NLAYOUTS; l++)
		if (strlen(layouts[l].name) == length && same_name(name, layouts[l].name, length))
			return &layouts[l];
	return NULL;
}

const Layout *
layout_number(int number)
{
	return number < NLAYOUTS ? &layouts[number] : NULL;
}

const char *
layout_name(const Layout *layout)
{
	return layout->name;
}

const char *
layout_columns(const Layout *layout)
{
	return layout->columns;
}

const char *
layout_meaning(const Layout *layout)
{
	return layout->meaning;
}

int
layout_rank(const Layout *layout, int *most)
{
	*most = layout->most;
	return layout->least;
}

bool
layout_is_unique(const Layout *layout)
{
	return !layout->repeated;
}

LayoutColumn
layout_column(const Layout *layout, int rank, int column)
{
	int nintegers = integer_columns(layout, rank);

	return layout->object        ? LAYOUT_OBJECT
		   : column < nintegers  ? LAYOUT_INDICES
		   : column == nintegers ? LAYOUT_VALUES
								 : LAYOUT_NUMBER;
}

int
layout_key_index(const Layout *layout, int rank, int column)
{
	if (column >= integer_columns(layout, rank))
		return -1;
	if (layout->per_index == 2)
		return column % 2 == 0 ? column / 2 : -1;
	if (layout->positional == 0)
		return column;
	return column == 0 ? -1 : layout->positional == 1 ? 1 : 0;
}

bool
layout_by_position(const Layout *layout, int index)
{
	return (layout->positional & (1 << index)) != 0;
}

int64_t
layout_extent(const Layout *layout, int64_t length)
{
	int64_t extent;

	if (layout->extent == NULL)
		return -1;
	extent = layout->extent(length);
	return layout->length(extent) == length ? extent : -1;
}

bool
layout_has(const Layout *layout, int rank, int ncolumns, bool *with_values)
{
	int nintegers = integer_columns(layout, rank);

	*with_values = ncolumns == nintegers + 1 + layout->nnumbers;
	if (rank < layout->least || rank > layout->most)
		return false;
	return *with_values || (ncolumns == nintegers && nintegers > 0);
}

bool
layout_begin(LayoutEntries *entries, const Layout *layout, int rank, int ncolumns,
			 const LayoutArray *columns, const int64_t *bounds, double fill,
			 LayoutProblem *problem)
{
	memset(entries, 0, sizeof(*entries));
	entries->fill = fill;
	entries->layout = layout;
	entries->rank = rank;
	entries->ncolumns = ncolumns;
	(void) layout_has(layout, rank, ncolumns, &entries->with_values);
	memcpy(entries->columns, columns, sizeof(LayoutArray) * (size_t) ncolumns);
	for (int d = 0; d < rank; d++)
		entries->bounds[d] = bounds ? bounds[d] : LAYOUT_ANY;
	entries->first = INT64_MIN;
	entries->width = 1;
	for (int c = 1; c <= layout->nnumbers; c++)
		entries->width += diagonals_in(&columns[c]);
	memset(problem, 0, sizeof(*problem));
	return layout->check(entries, problem);
}

/* Reads the next entries, n at the most, with their values. */
static int
next_entries(LayoutEntries *entries, const LayoutArray *values, int n,
			 int64_t *const *keys, double *numbers)
{
	n = entries->layout->next(entries, n, keys);
	if (entries->origin != 0)
	{
		bool row = layout_by_position(entries->layout, entries->rank - 2);
		int64_t *positions = keys[entries->rank - (row ? 2 : 1)];

		for (int i = 0; i < n; i++)
			positions[i] += entries->origin;
	}
	if (values)
		read_numbers(values, entries->position, n, numbers);
	else
		for (int i = 0; i < n; i++)
			numbers[i] = 1;
	return n;
}

/* Are all entries that are off the diagonal, and not fill, on the same side of it? */
static bool
check_one_side(const LayoutEntries *entries, LayoutProblem *problem)
{
	LayoutEntries read = *entries;
	const LayoutArray *values = values_of(entries);
	int64_t block[LAYOUT_MAX_RANK][ENTRIES_CHECKED];
	int64_t *keys[LAYOUT_MAX_RANK];
	double numbers[ENTRIES_CHECKED];
	const int64_t *rows = block[entries->rank - 2];
	const int64_t *columns = block[entries->rank - 1];
	int side = 0;
	int n;

	for (int d = 0; d < entries->rank; d++)
		keys[d] = block[d];
	while ((n = next_entries(&read, values, ENTRIES_CHECKED, keys, numbers)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			int other = (columns[i] > rows[i]) - (columns[i] < rows[i]);

			if (layout_is_fill(entries, numbers[i]))
				continue;
			if (side * other < 0)
				return report(problem, LAYOUT_BOTH_SIDES,
							  integer_columns(read.layout, read.rank) - !read.with_values,
							  read.position + i, columns[i], rows[i]);
			side = other ? other : side;
		}
		read.position += n;
	}
	return true;
}

bool
layout_mixes_positions(const Layout *layout, int rank)
{
	return layout_by_position(layout, rank - 2) != layout_by_position(layout, rank - 1);
}

bool
layout_mirror(LayoutEntries *entries, int64_t origin, LayoutProblem *problem)
{
	if (layout_mixes_positions(entries->layout, entries->rank))
		entries->origin = origin;
	if (!entries->layout->repeated && !check_one_side(entries, problem))
		return false;
	entries->symmetric = true;
	return true;
}

/* Is one of n numbers the fill? */
KERNEL_CLONES static bool
any_is_fill(const double *numbers, int n, double fill)
{
	bool found = false;

	if (isnan(fill))
		for (int i = 0; i < n; i++)
			found |= isnan(numbers[i]);
	else
		for (int i = 0; i < n; i++)
			found |= numbers[i] == fill;
	return found;
}

int
layout_drop_fill(const LayoutEntries *entries, int n, int64_t *const *keys,
				 double *numbers)
{
	int kept = 0;

	if (!any_is_fill(numbers, n, entries->fill))
		return n;
	for (int i = 0; i < n; i++)
	{
		if (layout_is_fill(entries, numbers[i]))
			continue;
		for (int d = 0; d < entries->rank; d++)
			keys[d][kept] = keys[d][i];
		numbers[kept++] = numbers[i];
	}
	return kept;
}

int64_t
layout_count(const LayoutEntries *entries)
{
	return entries->layout->count(entries);
}

void
layout_seek(LayoutEntries *entries, int64_t first)
{
	entries->layout->seek(entries, first);
}

int64_t
layout_integer(const LayoutArray *array, int64_t i)
{
	return integer_at(array, i);
}

bool
layout_ascends(const Layout *layout)
{
	return layout->ascends;
}

int
layout_leading_index(const Layout *layout)
{
	return layout->ascends ? 0 : layout->next == next_csc ? 1 : -1;
}

bool
layout_has_offsets(const Layout *layout)
{
	return layout->offsets;
}

/* Appends the mirror images of n entries; returns how many there are with them. */
static int
append_images(const LayoutEntries *entries, int n, int64_t *const *keys, double *numbers)
{
	int row = entries->rank - 2;
	int column = entries->rank - 1;
	int count = n;

	for (int i = 0; i < n; i++)
	{
		if (keys[row][i] == keys[column][i])
			continue;
		for (int d = 0; d < row; d++)
			keys[d][count] = keys[d][i];
		keys[row][count] = keys[column][i];
		keys[column][count] = keys[row][i];
		numbers[count++] = numbers[i];
	}
	return count;
}

int
layout_next(LayoutEntries *entries, int n, int64_t *const *keys, double *numbers)
{
	if (entries->symmetric)
		n /= 2;
	n = next_entries(entries, values_of(entries), n, keys, numbers);
	entries->position += n;
	return entries->symmetric ? append_images(entries, n, keys, numbers) : n;
}
