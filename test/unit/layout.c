/*-------------------------------------------------------------------------
 *
 * layout.c
 *	  Layouts against the entries that their arrays were made of, and arrays that are wrong.
 *
 *-------------------------------------------------------------------------
 */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "kernels/layout/layout.h"
#include "kernels/layout/write.h"

#define MAX_ENTRIES 200

typedef struct Entry
{
	int64_t keys[LAYOUT_MAX_RANK];
	double number;
} Entry;

static Entry entries[MAX_ENTRIES];
static int nentries;
static int64_t arrays[LAYOUT_MAX_COLUMNS][MAX_ENTRIES + 60];
static double numbers[MAX_ENTRIES];
static LayoutArray columns[LAYOUT_MAX_COLUMNS];
static void *blocks[LAYOUT_MAX_COLUMNS];
static int compared = 2; /* indices that tell entries apart */

/* A column of integers or numbers in memory of exactly its size, so that sanitizers see what is read behind it. */
static void
set_column(int column, LayoutType type, int64_t length, const int64_t *integers,
		   const double *reals)
{
	static const size_t sizes[] = {2, 4, 8, 4, 8};
	char *data = malloc(sizes[type] * (size_t) length + (length == 0));

	for (int64_t i = 0; i < length; i++)
	{
		double real = reals ? reals[i] : (double) integers[i];
		int64_t integer = reals ? (int64_t) reals[i] : integers[i];

		switch (type)
		{
			case LAYOUT_INT2:
				((int16_t *) data)[i] = (int16_t) integer;
				break;
			case LAYOUT_INT4:
				((int32_t *) data)[i] = (int32_t) integer;
				break;
			case LAYOUT_INT8:
				((int64_t *) data)[i] = integer;
				break;
			case LAYOUT_FLOAT4:
				((float *) data)[i] = (float) real;
				break;
			case LAYOUT_FLOAT8:
				((double *) data)[i] = real;
				break;
		}
	}
	free(blocks[column]);
	blocks[column] = data;
	columns[column] = (LayoutArray){type, length, data};
}

static LayoutType
integer_type(void)
{
	return (LayoutType) random_below(3);
}

static int
compare_entries(const void *a, const void *b)
{
	const Entry *left = a;
	const Entry *right = b;

	for (int d = 0; d < compared; d++)
		if (left->keys[d] != right->keys[d])
			return left->keys[d] < right->keys[d] ? -1 : 1;
	return 0;
}

/* Random entries of which no two have the same indices that are compared, in their order. */
static void
random_entries(int64_t extent)
{
	int kept = 0;

	nentries = (int) random_below(MAX_ENTRIES + 1);
	if (random_below(4) == 0)
		nentries = (int) random_below(3);
	for (int e = 0; e < nentries; e++)
	{
		for (int d = 0; d < LAYOUT_MAX_RANK; d++)
			entries[e].keys[d] = random_below(extent);
		entries[e].number = (double) random_below(100);
	}
	qsort(entries, (size_t) nentries, sizeof(Entry), compare_entries);
	for (int e = 0; e < nentries; e++)
		if (kept == 0 || compare_entries(&entries[kept - 1], &entries[e]) != 0)
			entries[kept++] = entries[e];
	nentries = kept;
}

static void
column_of_keys(int column, int dimension)
{
	for (int e = 0; e < nentries; e++)
		arrays[column][e] = entries[e].keys[dimension];
	set_column(column, integer_type(), nentries, arrays[column], NULL);
}

/* By the second index, then the first. */
static int
compare_by_column(const void *a, const void *b)
{
	const Entry *left = a;
	const Entry *right = b;

	for (int d = 1; d >= 0; d--)
		if (left->keys[d] != right->keys[d])
			return left->keys[d] < right->keys[d] ? -1 : 1;
	return 0;
}

/* Makes entries of a band, and its columns. */
static int
make_band(void)
{
	int64_t extent = random_below(14);
	int64_t diagonals[] = {random_below(5), random_below(random_below(4) ? 3 : 9)};
	int64_t length = 0;
	double elements[MAX_ENTRIES];

	nentries = 0;
	for (int64_t i = 0; i < extent; i++)
		for (int64_t j = i - diagonals[0]; j <= i + diagonals[1]; j++)
		{
			elements[length] = (double) random_below(100);
			if (j >= 0 && j < extent)
			{
				entries[nentries].keys[0] = i;
				entries[nentries].keys[1] = j;
				entries[nentries++].number = elements[length];
			}
			length++;
		}
	set_column(0, (LayoutType) random_below(5), length, NULL, elements);
	for (int c = 0; c < 2; c++)
		set_column(c + 1, integer_type(), 1, &diagonals[c], NULL);
	return 3;
}

/* The arrays of the entries in a layout; returns the number of columns. */
static int
make_arrays(const char *name, int rank, bool with_values)
{
	int ncolumns = 0;

	if (strcmp(name, "coo") == 0)
	{
		while (ncolumns < rank)
		{
			column_of_keys(ncolumns, ncolumns);
			ncolumns++;
		}
	}
	else if (strcmp(name, "csr") == 0)
	{
		int64_t rows = 1 + random_below(3);

		if (nentries > 0)
			rows += entries[nentries - 1].keys[0];
		for (int64_t i = 0; i <= rows; i++)
		{
			arrays[0][i] = 0;
			for (int e = 0; e < nentries; e++)
				arrays[0][i] += entries[e].keys[0] < i;
		}
		set_column(0, integer_type(), rows + 1, arrays[0], NULL);
		column_of_keys(1, 1);
		ncolumns = 2;
	}
	else if (strcmp(name, "csc") == 0)
	{
		int64_t extent = 1 + random_below(3);

		for (int e = 0; e < nentries; e++)
			if (entries[e].keys[1] >= extent)
				extent = entries[e].keys[1] + 1;
		qsort(entries, (size_t) nentries, sizeof(Entry), compare_by_column);
		for (int64_t j = 0; j <= extent; j++)
		{
			arrays[0][j] = 0;
			for (int e = 0; e < nentries; e++)
				arrays[0][j] += entries[e].keys[1] < j;
		}
		set_column(0, integer_type(), extent + 1, arrays[0], NULL);
		column_of_keys(1, 0);
		ncolumns = 2;
	}
	else if (strcmp(name, "csf") == 0)
	{
		/* an entry has a new index in all levels from the first one on that differs from the entry before */
		for (int level = 0; level < rank; level++)
		{
			int64_t *offsets = arrays[2 * level + 1];
			int count = 0;
			int lists = 0;

			for (int e = 0; e < nentries; e++)
			{
				int same = 0;

				while (e > 0 && same < rank &&
					   entries[e].keys[same] == entries[e - 1].keys[same])
					same++;
				if (same <= level)
				{
					offsets[count] = lists;
					arrays[2 * level][count++] = entries[e].keys[level];
				}
				if (same <= level + 1)
					lists++;
			}
			offsets[count] = lists;
			set_column(2 * level, integer_type(), count, arrays[2 * level], NULL);
			if (level + 1 < rank)
				set_column(2 * level + 1, integer_type(), count + 1, offsets, NULL);
		}
		ncolumns = 2 * rank - 1;
	}
	else if (strcmp(name, "zorder") == 0)
		for (int e = 0; e < nentries; e++)
		{
			entries[e].keys[0] = entries[e].keys[1] = 0;
			for (int bit = 0; bit < 16; bit++)
				entries[e].keys[bit % 2] |= (int64_t) (e >> bit & 1) << (bit / 2);
		}
	else if (strcmp(name, "lower") == 0 || strcmp(name, "upper") == 0)
	{
		int64_t extent = random_below(19);

		nentries = 0;
		for (int64_t i = 0; i < extent; i++)
			for (int64_t j = 0; j < extent; j++)
				if (strcmp(name, "lower") == 0 ? j <= i : j >= i)
				{
					entries[nentries].keys[0] = i;
					entries[nentries].keys[1] = j;
					entries[nentries++].number = (double) random_below(100);
				}
	}
	else if (strcmp(name, "lists") == 0)
	{
		int kept = 0;

		for (int e = 0; e < nentries; e++)
			if (kept == 0 || entries[kept - 1].keys[0] != entries[e].keys[0])
				entries[kept++] = entries[e];
		nentries = kept;
		column_of_keys(ncolumns++, 0);
	}
	else
		for (int e = 0; e < nentries; e++)
			entries[e].keys[0] = entries[e].keys[1] = e;
	for (int e = 0; e < nentries; e++)
	{
		if (!with_values)
			entries[e].number = 1;
		numbers[e] = entries[e].number;
	}
	if (strcmp(name, "band") == 0)
		return make_band();
	if (with_values)
		set_column(ncolumns++, (LayoutType) random_below(5), nentries, NULL, numbers);
	return ncolumns;
}

/* Compares what is read, some entries at a time, with the entries whose first index is not less. */
static void
check_entries(LayoutEntries *read, int64_t first, const char *name)
{
	int64_t block[LAYOUT_MAX_RANK][64];
	int64_t *keys[LAYOUT_MAX_RANK];
	double values[64];
	int most = 1 + (int) random_below(64);
	int e = 0;
	int n;

	for (int d = 0; d < LAYOUT_MAX_RANK; d++)
		keys[d] = block[d];
	while ((n = layout_next(read, most, keys, values)) > 0)
		for (int i = 0; i < n; i++)
		{
			while (e < nentries && entries[e].keys[0] < first)
				e++;
			if (e == nentries)
			{
				check(false, "%s has an entry too many", name);
				return;
			}
			for (int d = 0; d < read->rank; d++)
				if (keys[d][i] != entries[e].keys[d])
					check(false, "%s: index %d of entry %d", name, d, e);
			if (values[i] != entries[e].number)
				check(false, "%s: value of entry %d", name, e);
			e++;
		}
	while (e < nentries && entries[e].keys[0] < first)
		e++;
	check(e == nentries, "%s ends with entry %d of %d", name, e, nentries);
}

/* A layout of arrays. */
static const Layout *
random_layout(void)
{
	const Layout *layout;
	int count = 0;

	while (layout_number(count))
		count++;
	do
		layout = layout_number((int) random_below(count));
	while (layout_column(layout, 1, 0) == LAYOUT_OBJECT);
	return layout;
}

/* The rows of the band whose columns are made. */
static int64_t
band_rows(void)
{
	int64_t rows = 0;

	for (int e = 0; e < nentries; e++)
		rows = entries[e].keys[0] + 1;
	return rows;
}

static void
test_entries(void)
{
	const Layout *layout = random_layout();
	const char *name = layout_name(layout);
	int most;
	int least = layout_rank(layout, &most);
	int rank = least + (most == least ? 0 : (int) random_below(4));
	bool only_values = layout_column(layout, rank, 0) == LAYOUT_VALUES;
	bool with_values = only_values || random_below(2) == 0;
	bool has_values;
	LayoutEntries read;
	LayoutProblem problem;
	int64_t extent = 1 + random_below(50);
	int64_t bounds[LAYOUT_MAX_RANK];
	int64_t first;
	int ncolumns;

	compared = rank > 2 ? rank : 2;
	if (rank > 2)
		extent = 1 + random_below(5);
	random_entries(extent);
	ncolumns = make_arrays(name, rank, with_values);
	compared = 2;
	check(layout && layout_has(layout, rank, ncolumns, &has_values) &&
			  has_values == with_values,
		  "%s of rank %d has %d columns", name, rank, ncolumns);
	for (int d = 0; d < rank; d++)
	{
		bounds[d] = LAYOUT_ANY;
		if (random_below(2) == 0)
			continue;
		bounds[d] = extent + random_below(3);
		if (strcmp(name, "zorder") == 0)
			bounds[d] = 16 + random_below(3);
		else if (layout_by_position(layout, d))
			bounds[d] = layout_extent(
				layout, strcmp(name, "band") == 0 ? band_rows() : columns[0].length);
	}
	check(layout_begin(&read, layout, rank, ncolumns, columns, bounds, 0, &problem),
		  "%s: fault %d in column %d at %lld", name, (int) problem.fault, problem.column,
		  (long long) problem.position);
	check(layout_count(&read) == nentries, "%s: count", name);
	check_entries(&read, INT64_MIN, name);
	(void) layout_begin(&read, layout, rank, ncolumns, columns, NULL, 0, &problem);
	first = random_below(extent + 4) - 2;
	layout_seek(&read, first);
	check_entries(&read, first, name);
}

/* Arrays that are written of entries are read as these. */
static void
test_written(void)
{
	const Layout *layout = random_layout();
	const char *name = layout_name(layout);
	int most;
	int least = layout_rank(layout, &most);
	int rank = least + (most == least ? 0 : (int) random_below(4));
	bool with_values =
		layout_column(layout, rank, 0) == LAYOUT_VALUES || random_below(2) == 0;
	static int64_t keys[LAYOUT_MAX_RANK][MAX_ENTRIES];
	LayoutSource source = {.layout = layout, .rank = rank, .numbers = numbers};
	LayoutTarget targets[LAYOUT_MAX_COLUMNS];
	int64_t lengths[LAYOUT_MAX_COLUMNS];
	int64_t entry;
	LayoutEntries read;
	LayoutProblem problem;
	int ncolumns;

	compared = rank > 2 ? rank : 2;
	random_entries(1 + random_below(rank > 2 ? 5 : 50));
	ncolumns = make_arrays(name, rank, with_values);
	compared = 2;
	source.count = nentries;
	for (int e = 0; e < nentries; e++)
	{
		for (int d = 0; d < rank; d++)
			keys[d][e] = entries[e].keys[d];
		numbers[e] = entries[e].number;
	}
	for (int d = 0; d < rank; d++)
	{
		source.keys[d] = keys[d];
		source.bounds[d] = LAYOUT_ANY;
	}
	check(layout_measure(&source, lengths, &entry), "%s has a place for entry %lld", name,
		  (long long) entry);
	for (int c = 0; c < ncolumns; c++)
	{
		bool is_value = layout_column(layout, rank, c) == LAYOUT_VALUES;
		LayoutType type =
			(is_value ? LAYOUT_FLOAT4 : LAYOUT_INT4) + (random_below(2) == 0);

		set_column(c, type, 0, NULL, NULL);
		free(blocks[c]);
		blocks[c] = malloc((size_t) lengths[c] *
							   (type == LAYOUT_INT4 || type == LAYOUT_FLOAT4 ? 4 : 8) +
						   (lengths[c] == 0));
		targets[c] = (LayoutTarget){type, lengths[c], blocks[c]};
		columns[c] = (LayoutArray){type, lengths[c], blocks[c]};
	}
	layout_write(&source, ncolumns, targets);
	check(layout_begin(&read, layout, rank, ncolumns, columns, NULL, 0, &problem),
		  "%s written: fault %d in column %d at %lld", name, (int) problem.fault,
		  problem.column, (long long) problem.position);
	check_entries(&read, INT64_MIN, name);
}

/* One number or length of right arrays is changed: what is wrong is told, or what is read are as many entries as are counted. */
static void
test_wrong(void)
{
	static const char *const names[] = {"csr", "lists", "coo", "csf"};
	const char *name = names[random_below(4)];
	const Layout *layout = layout_find(name, strlen(name));
	int rank = strcmp(name, "lists") == 0 ? 1 : strcmp(name, "csf") == 0 ? 3 : 2;
	int64_t block[3][64];
	int64_t *keys[] = {block[0], block[1], block[2]};
	double values[64];
	int64_t read_count = 0;
	LayoutEntries read;
	LayoutProblem problem;
	int ncolumns;
	int column;
	int n;

	compared = rank > 2 ? rank : 2;
	random_entries(1 + random_below(rank > 2 ? 5 : 50));
	ncolumns = make_arrays(name, rank, true);
	compared = 2;
	column = (int) random_below(ncolumns);
	if (random_below(3) == 0 || columns[column].length == 0)
	{
		int64_t length = columns[column].length;

		set_column(column, LAYOUT_INT8,
				   length + (length == 0 || random_below(2) ? 1 : -1), arrays[column],
				   NULL);
		if (!layout_begin(&read, layout, rank, ncolumns, columns, NULL, 0, &problem))
		{
			check(problem.fault != LAYOUT_RIGHT, "%s: a fault", name);
			return;
		}
		/* another row without entries, or one less */
		check(strcmp(name, "csr") == 0 && column == 0, "%s: a length is wrong", name);
	}
	else if (column < ncolumns - 1)
	{
		int64_t strange[] = {-1, INT64_MAX, INT64_MIN, random_below(60), MAX_ENTRIES + 1};

		arrays[column][random_below((int) columns[column].length)] =
			strange[random_below(5)];
		set_column(column, LAYOUT_INT8, columns[column].length, arrays[column], NULL);
		if (!layout_begin(&read, layout, rank, ncolumns, columns, NULL, 0, &problem))
		{
			check(problem.fault != LAYOUT_RIGHT && problem.column < ncolumns,
				  "%s: a fault", name);
			return;
		}
	}
	else
		(void) layout_begin(&read, layout, rank, ncolumns, columns, NULL, 0, &problem);
	while ((n = layout_next(&read, 64, keys, values)) > 0)
		read_count += n;
	check(read_count == layout_count(&read), "%s: all entries are read", name);
}

static void
check_fault_within(const char *name, int rank, int ncolumns, const int64_t *bounds,
				   LayoutFault fault, int column, int64_t position)
{
	LayoutEntries read;
	LayoutProblem problem = {0};

	check(!layout_begin(&read, layout_find(name, strlen(name)), rank, ncolumns, columns,
						bounds, 0, &problem) &&
			  problem.fault == fault && problem.column == column &&
			  problem.position == position,
		  "%s: fault %d in column %d at %lld instead of %d in column %d at %lld", name,
		  (int) problem.fault, problem.column, (long long) problem.position, (int) fault,
		  column, (long long) position);
}

static void
check_fault(const char *name, int rank, int ncolumns, LayoutFault fault, int column,
			int64_t position)
{
	check_fault_within(name, rank, ncolumns, NULL, fault, column, position);
}

#define INTEGERS(column, ...)                                                            \
	set_column(column, LAYOUT_INT4,                                                      \
			   (int64_t) (sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)),           \
			   (int64_t[]){__VA_ARGS__}, NULL)

/* The image of an entry off the diagonal comes with it, and no entry may be on the other side. */
static void
test_mirror(void)
{
	int64_t rows[4];
	int64_t cols[4];
	int64_t *keys[] = {rows, cols};
	double values[4];
	LayoutEntries read;
	LayoutProblem problem;
	double found[3][3] = {{0}};
	int count = 0;
	int n;

	INTEGERS(0, 0, 2, 3, 4);
	INTEGERS(1, 0, 2, 1, 2);
	INTEGERS(2, 5, 6, 7, 8);
	check(layout_begin(&read, layout_find("csr", 3), 2, 3, columns, NULL, 0, &problem) &&
			  layout_mirror(&read, 0, &problem),
		  "an upper half");
	while ((n = layout_next(&read, 3, keys, values)) > 0)
		for (int i = 0; i < n; i++, count++)
			found[rows[i]][cols[i]] += values[i];
	check(count == 5 && found[0][0] == 5 && found[0][2] == 6 && found[2][0] == 6 &&
			  found[1][1] == 7 && found[2][2] == 8,
		  "%d entries with images", count);
	INTEGERS(1, 0, 2, 1, 0);
	check(layout_begin(&read, layout_find("csr", 3), 2, 3, columns, NULL, 0, &problem) &&
			  !layout_mirror(&read, 0, &problem) && problem.fault == LAYOUT_BOTH_SIDES &&
			  problem.position == 3 && problem.column == 2 && problem.number == 0 &&
			  problem.other == 2,
		  "both sides");
	check(layout_begin(&read, layout_find("csr", 3), 2, 3, columns, NULL, 8, &problem) &&
			  layout_mirror(&read, 0, &problem),
		  "what is on the other side is fill");
	INTEGERS(0, 0, 1, 2, 2);
	check(layout_begin(&read, layout_find("coo", 3), 2, 3, columns, NULL, 0, &problem) &&
			  layout_mirror(&read, 0, &problem),
		  "coo may have both sides");
}

static void
test_faults_of_csf(void)
{
	INTEGERS(0, 0, 2);
	INTEGERS(1, 0, 1, 3);
	INTEGERS(2, 5, 4, 6);
	INTEGERS(3, 0, 2, 2, 3);
	INTEGERS(4, 1, 7, 0);
	INTEGERS(5, 1, 2);
	check_fault("csf", 3, 6, LAYOUT_LENGTHS, 5, 0);
	check_fault_within("csf", 3, 5, (int64_t[]){2, 7, 8}, LAYOUT_KEY_BEYOND, 0, 1);
	check_fault_within("csf", 3, 5, (int64_t[]){3, 6, 8}, LAYOUT_KEY_BEYOND, 2, 2);
	check_fault_within("csf", 3, 5, (int64_t[]){3, 7, 7}, LAYOUT_KEY_BEYOND, 4, 1);
	INTEGERS(3, 0, 2, 1, 3);
	check_fault("csf", 3, 5, LAYOUT_OFFSET_DESCENDS, 3, 2);
	INTEGERS(3, 0, 2, 2, 2);
	check_fault("csf", 3, 5, LAYOUT_LENGTHS, 4, 0);
	INTEGERS(3, 0, 2, 3);
	check_fault("csf", 3, 5, LAYOUT_LENGTHS, 3, 0);
	INTEGERS(1, 1, 1, 3);
	check_fault("csf", 3, 5, LAYOUT_FIRST_OFFSET, 1, 0);
	INTEGERS(1, 0, 0, 3);
	check_fault("csf", 3, 5, LAYOUT_KEY_DESCENDS, 2, 1);
	INTEGERS(0, 2, 2);
	check_fault("csf", 3, 5, LAYOUT_KEY_REPEATED, 0, 1);
}

static void
test_faults_of_band(void)
{
	INTEGERS(0, 1, 2, 3, 4, 5, 6);
	INTEGERS(1, 1);
	INTEGERS(2, 2);
	check_fault("band", 2, 3, LAYOUT_NO_DIAGONALS, 0, 0);
	INTEGERS(2, 1);
	check_fault_within("band", 2, 3, (int64_t[]){3, LAYOUT_ANY}, LAYOUT_LENGTHS, 0, 0);
	check_fault_within("band", 2, 3, (int64_t[]){INT64_MAX, INT64_MAX}, LAYOUT_LENGTHS, 0,
					   0);
	INTEGERS(2, -1);
	check_fault("band", 2, 3, LAYOUT_NUMBER_BEYOND, 2, 0);
	set_column(1, LAYOUT_INT8, 1, (int64_t[]){INT64_MAX}, NULL);
	set_column(2, LAYOUT_INT8, 1, (int64_t[]){INT64_MAX}, NULL);
	check_fault("band", 2, 3, LAYOUT_NUMBER_BEYOND, 1, 0);
	set_column(1, LAYOUT_INT8, 1, (int64_t[]){INT32_MAX}, NULL);
	set_column(2, LAYOUT_INT8, 1, (int64_t[]){INT32_MAX}, NULL);
	check_fault("band", 2, 3, LAYOUT_NO_DIAGONALS, 0, 0);
}

static void
test_faults(void)
{
	bool with_values;

	INTEGERS(0, 0, 2, 3);
	INTEGERS(1, 1, 4, 0);
	INTEGERS(2, 7, 8);
	check_fault("csr", 2, 3, LAYOUT_LENGTHS, 2, 0);
	INTEGERS(2, 7, 8, 9);
	INTEGERS(0, 1, 2, 3);
	check_fault("csr", 2, 3, LAYOUT_FIRST_OFFSET, 0, 0);
	set_column(0, LAYOUT_INT4, 0, NULL, NULL);
	check_fault("csr", 2, 3, LAYOUT_FIRST_OFFSET, 0, 0);
	INTEGERS(0, 0, 2, 1);
	check_fault("csr", 2, 3, LAYOUT_OFFSET_DESCENDS, 0, 2);
	INTEGERS(0, 0, 2, 4);
	check_fault("csr", 2, 3, LAYOUT_OFFSET_BEYOND, 0, 2);
	INTEGERS(0, 0, 2, 2);
	check_fault("csr", 2, 3, LAYOUT_LENGTHS, 1, 0);
	INTEGERS(0, 0, 3);
	check_fault("csr", 2, 3, LAYOUT_KEY_DESCENDS, 1, 2);
	INTEGERS(1, 1, 1, 2);
	check_fault("csr", 2, 3, LAYOUT_KEY_REPEATED, 1, 1);
	check_fault("lists", 1, 2, LAYOUT_LENGTHS, 1, 0);
	INTEGERS(0, 5, 4);
	check_fault("lists", 1, 1, LAYOUT_KEY_DESCENDS, 0, 1);
	check_fault("coo", 2, 3, LAYOUT_LENGTHS, 1, 0);

	INTEGERS(0, 0, 2, 3);
	INTEGERS(1, 1, 4, 0);
	check_fault_within("csr", 2, 2, (int64_t[]){2, 4}, LAYOUT_KEY_BEYOND, 1, 1);
	check_fault_within("csr", 2, 2, (int64_t[]){1, 5}, LAYOUT_LENGTHS, 0, 0);
	check_fault_within("csr", 2, 2, (int64_t[]){3, 5}, LAYOUT_LENGTHS, 0, 0);
	check_fault_within("diagonal", 2, 1, (int64_t[]){4, 4}, LAYOUT_LENGTHS, 0, 0);
	check_fault_within("diagonal", 2, 1, (int64_t[]){5, 2}, LAYOUT_LENGTHS, 0, 0);
	check_fault_within("coo", 2, 2, (int64_t[]){LAYOUT_ANY, 4}, LAYOUT_KEY_BEYOND, 1, 1);
	check_fault_within("csc", 2, 2, (int64_t[]){4, LAYOUT_ANY}, LAYOUT_KEY_BEYOND, 1, 1);
	check_fault_within("csc", 2, 2, (int64_t[]){5, 3}, LAYOUT_LENGTHS, 0, 0);
	check_fault_within("lower", 2, 1, (int64_t[]){3, 3}, LAYOUT_LENGTHS, 0, 0);
	check_fault_within("upper", 2, 1, (int64_t[]){INT64_MAX, INT64_MAX}, LAYOUT_LENGTHS,
					   0, 0);
	INTEGERS(0, 0, 2, 3, 4);
	check_fault("lower", 2, 1, LAYOUT_NO_TRIANGLE, 0, 0);
	check_fault("upper", 2, 1, LAYOUT_NO_TRIANGLE, 0, 0);
	check(layout_extent(layout_find("lower", 5), 6) == 3 &&
			  layout_extent(layout_find("lower", 5), 5) == -1 &&
			  layout_extent(layout_find("csr", 3), 0) == -1,
		  "extents");
	INTEGERS(0, -1, 2);
	check_fault_within("lists", 1, 1, (int64_t[]){3}, LAYOUT_KEY_BEYOND, 0, 0);
	check_fault_within("lists", 1, 1, (int64_t[]){2}, LAYOUT_KEY_BEYOND, 0, 0);

	check(layout_find("cs", 2) == NULL && layout_find("csrx", 4) == NULL, "no layouts");
	check(!layout_has(layout_find("csr", 3), 3, 3, &with_values), "csr of rank 3");
	check(!layout_has(layout_find("csr", 3), 2, 1, &with_values), "csr of one column");
	check(!layout_has(layout_find("diagonal", 8), 2, 0, &with_values), "no columns");
	check(!layout_has(layout_find("coo", 3), 17, 17, &with_values), "rank 17");
	check(!layout_has(layout_find("csf", 3), 2, 3, &with_values), "csf of rank 2");
	check(!layout_has(layout_find("band", 4), 2, 2, &with_values), "band of two columns");
	test_mirror();
	test_faults_of_csf();
	test_faults_of_band();
	INTEGERS(0, 1, 2, 3, 4, 5);
	check_fault_within("zorder", 2, 1, (int64_t[]){2, 2}, LAYOUT_POSITION_BEYOND, 0, 4);
	check_fault_within("zorder", 2, 1, (int64_t[]){1, INT64_MAX}, LAYOUT_POSITION_BEYOND,
					   0, 1);
	check_fault_within("zorder", 2, 1, (int64_t[]){LAYOUT_ANY, 1}, LAYOUT_POSITION_BEYOND,
					   0, 2);
	for (int l = 0; layout_number(l); l++)
		check(layout_find(layout_name(layout_number(l)),
						  strlen(layout_name(layout_number(l)))) == layout_number(l) &&
				  strstr(layout_meaning(layout_number(l)), " for ") &&
				  strlen(layout_columns(layout_number(l))) > 0,
			  "layout %d", l);
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 4000, test_entries);
	if (argc == 1)
	{
		run_cases(argc, argv, 4000, test_written);
		run_cases(argc, argv, 4000, test_wrong);
		test_faults();
	}
	for (int c = 0; c < LAYOUT_MAX_COLUMNS; c++)
		free(blocks[c]);
	return test_finish();
}
