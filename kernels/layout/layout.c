/*-------------------------------------------------------------------------
 *
 * layout.c
 *	  The table of layouts, and their checks and enumerations.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "kernels/layout/layout.h"

struct Layout
{
	const char *name;
	const char *columns;
	const char *meaning;
	int rank;       /* LAYOUT_ANY: one column of integers for each index */
	int nintegers;  /* columns before the values */
	int positional; /* a bitmask of the indices that count positions of the first column */
	/* the length of that column for a bound of these indices, and the largest bound that a length has room for */
	int64_t (*length)(int64_t bound);
	int64_t (*extent)(int64_t length);
	bool (*check)(const LayoutEntries *entries, LayoutProblem *problem);
	int64_t (*count)(const LayoutEntries *entries);
	void (*seek)(LayoutEntries *entries, int64_t first);
	int (*next)(LayoutEntries *entries, int n, int64_t *const *keys);
	bool upper; /* which triangle is packed */
};

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

static const LayoutArray *
values_of(const LayoutEntries *entries)
{
	return entries->with_values ? &entries->columns[entries->ncolumns - 1] : NULL;
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
	int64_t length = entries->columns[0].length;
	int64_t least = LAYOUT_ANY;

	for (int d = 0; d < entries->rank; d++)
	{
		int64_t bound = entries->bounds[d];

		if ((entries->layout->positional & (1 << d)) && bound != LAYOUT_ANY &&
			(least == LAYOUT_ANY || bound < least))
			least = bound;
	}
	if (least == LAYOUT_ANY)
		least = entries->layout->extent(length);
	if (length == entries->layout->length(least))
		return true;
	return report(problem, LAYOUT_LENGTHS, 0, 0, length, entries->layout->length(least));
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
check_offsets(const LayoutEntries *entries, LayoutProblem *problem)
{
	const LayoutArray *offsets = &entries->columns[0];
	int64_t count = entries->columns[1].length;
	int64_t before = 0;

	if (!check_lengths(entries, 1, problem))
		return false;
	if (offsets->length == 0 || integer_at(offsets, 0) != 0)
		return report(problem, LAYOUT_FIRST_OFFSET, 0, 0,
					  offsets->length == 0 ? 0 : integer_at(offsets, 0), 0);
	if (!check_positions(entries, problem))
		return false;
	for (int64_t i = 1; i < offsets->length; i++)
	{
		int64_t offset = integer_at(offsets, i);

		if (offset < before)
			return report(problem, LAYOUT_OFFSET_DESCENDS, 0, i, offset, before);
		if (offset > count)
			return report(problem, LAYOUT_OFFSET_BEYOND, 0, i, offset, count);
		if (!check_list(entries, 1, before, offset, key_of_offsets(entries), problem))
			return false;
		before = offset;
	}
	/* entries behind the last offset belong to no row */
	if (before != count)
		return report(problem, LAYOUT_LENGTHS, 1, 0, count, before);
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

/* Goes to the next entries whose first index is not left out; returns how many there are in one run, n at the most. */
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

	entries->row = first < 0 ? 0 : first;
	entries->position = entries->row < offsets->length - 1
							? integer_at(offsets, entries->row)
							: entries->columns[1].length;
}

/* Reads n entries: the indices by position that their offsets say, and those in the second column. */
static void
read_offsets(LayoutEntries *entries, int n, int64_t *const *keys)
{
	const LayoutArray *offsets = &entries->columns[0];
	int key = key_of_offsets(entries);

	for (int i = 0; i < n; i++)
	{
		while (integer_at(offsets, entries->row + 1) <= entries->position + i)
			entries->row++;
		keys[1 - key][i] = entries->row;
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

/* The first position of a list that ascends whose key is not less. */
static void
seek_lists(LayoutEntries *entries, int64_t first)
{
	int64_t low = 0;
	int64_t high = entries->columns[0].length;

	while (low < high)
	{
		int64_t middle = low + (high - low) / 2;

		if (integer_at(&entries->columns[0], middle) < first)
			low = middle + 1;
		else
			high = middle;
	}
	entries->position = low;
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

/* The position of the first entry of a row of a packed triangle. */
static int64_t
start_of_row(const LayoutEntries *entries, int64_t extent, int64_t row)
{
	return entries->layout->upper ? row * extent - row * (row - 1) / 2
								  : row * (row + 1) / 2;
}

static void
seek_triangle(LayoutEntries *entries, int64_t first)
{
	int64_t extent = extent_of_triangle(entries->columns[0].length);

	entries->row = first < 0 ? 0 : first < extent ? first : extent;
	entries->position = start_of_row(entries, extent, entries->row);
}

static int
next_triangle(LayoutEntries *entries, int n, int64_t *const *keys)
{
	int64_t extent = extent_of_triangle(entries->columns[0].length);

	n = at_most(entries, n, entries->columns[0].length);
	for (int i = 0; i < n; i++)
	{
		int64_t position = entries->position + i;

		while (start_of_row(entries, extent, entries->row + 1) <= position)
			entries->row++;
		keys[0][i] = entries->row;
		keys[1][i] = position - start_of_row(entries, extent, entries->row) +
					 (entries->layout->upper ? entries->row : 0);
	}
	return n;
}

/* ---- the table ---- */

static const Layout layouts[] = {
	{"coo", "i,...,v", "{(i[p], j[p]): v[p] for p in range(len(v))}", LAYOUT_ANY, 0, 0,
	 NULL, NULL, check_coo, count_first, seek_unordered, next_coo},
	{"csc", "ptr,idx,v",
	 "{(idx[p], j): v[p] for j in range(len(ptr)-1) for p in range(ptr[j], ptr[j+1])}", 2,
	 2, 2, length_of_offsets, extent_of_offsets, check_offsets, count_second,
	 seek_unordered, next_csc},
	{"csr", "ptr,idx,v",
	 "{(i, idx[p]): v[p] for i in range(len(ptr)-1) for p in range(ptr[i], ptr[i+1])}", 2,
	 2, 1, length_of_offsets, extent_of_offsets, check_offsets, count_second, seek_csr,
	 next_csr},
	{"diagonal", "v", "{(i, i): v[i] for i in range(len(v))}", 2, 0, 3, same_length,
	 same_length, check_positions, count_first, seek_diagonal, next_diagonal},
	{"lists", "idx,v", "{idx[p]: v[p] for p in range(len(idx))}", 1, 1, 0, NULL, NULL,
	 check_lists, count_first, seek_lists, next_lists},
	{"lower", "v",
	 "{(i, j): v[i*(i+1)//2+j] for i in range(int((2*len(v))**0.5)) for j in range(i+1)}",
	 2, 0, 3, length_of_triangle, extent_of_triangle, check_positions, count_first,
	 seek_triangle, next_triangle},
	{"upper", "v",
	 "{(i, j): v[i*n-i*(i-1)//2+j-i] for n in [int((2*len(v))**0.5)] for i in range(n) "
	 "for "
	 "j in range(i, n)}",
	 2, 0, 3, length_of_triangle, extent_of_triangle, check_positions, count_first,
	 seek_triangle, next_triangle, true},
};

#define NLAYOUTS ((int) (sizeof(layouts) / sizeof(layouts[0])))

const Layout *
layout_find(const char *name, size_t length)
{
	for (int l = 0; l < NLAYOUTS; l++)
		if (strlen(layouts[l].name) == length &&
			memcmp(layouts[l].name, name, length) == 0)
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
layout_rank(const Layout *layout)
{
	return layout->rank;
}

bool
layout_by_position(const Layout *layout, int index)
{
	return (layout->positional & (1 << index)) != 0;
}

int64_t
layout_extent(const Layout *layout, int64_t length)
{
	int64_t extent = layout->extent(length);

	return layout->length(extent) == length ? extent : -1;
}

bool
layout_has(const Layout *layout, int rank, int ncolumns, bool *with_values)
{
	int nintegers = layout->rank == LAYOUT_ANY ? rank : layout->nintegers;

	*with_values = ncolumns == nintegers + 1;
	if (rank < 1 || rank > LAYOUT_MAX_RANK ||
		(layout->rank != LAYOUT_ANY && layout->rank != rank))
		return false;
	return *with_values || (ncolumns == nintegers && nintegers > 0);
}

bool
layout_begin(LayoutEntries *entries, const Layout *layout, int rank, int ncolumns,
			 const LayoutArray *columns, const int64_t *bounds, LayoutProblem *problem)
{
	memset(entries, 0, sizeof(*entries));
	entries->layout = layout;
	entries->rank = rank;
	entries->ncolumns = ncolumns;
	(void) layout_has(layout, rank, ncolumns, &entries->with_values);
	memcpy(entries->columns, columns, sizeof(LayoutArray) * (size_t) ncolumns);
	for (int d = 0; d < rank; d++)
		entries->bounds[d] = bounds ? bounds[d] : LAYOUT_ANY;
	entries->first = INT64_MIN;
	memset(problem, 0, sizeof(*problem));
	return layout->check(entries, problem);
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

int
layout_next(LayoutEntries *entries, int n, int64_t *const *keys, double *numbers)
{
	const LayoutArray *values = values_of(entries);

	n = entries->layout->next(entries, n, keys);
	if (values)
		read_numbers(values, entries->position, n, numbers);
	else
		for (int i = 0; i < n; i++)
			numbers[i] = 1;
	entries->position += n;
	return n;
}
