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

	for (int d = 0; d < 2; d++)
		if (left->keys[d] != right->keys[d])
			return left->keys[d] < right->keys[d] ? -1 : 1;
	return 0;
}

/* Random entries of distinct first two indices, in their order. */
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

static void
test_entries(void)
{
	static const char *const names[] = {"coo", "csr",   "lists", "diagonal",
										"csc", "lower", "upper"};
	const char *name = names[random_below(7)];
	const Layout *layout = layout_find(name, strlen(name));
	int rank = strcmp(name, "coo") == 0     ? 1 + (int) random_below(5)
			   : strcmp(name, "lists") == 0 ? 1
											: 2;
	bool only_values = strcmp(name, "diagonal") == 0 || strcmp(name, "lower") == 0 ||
					   strcmp(name, "upper") == 0;
	bool with_values = only_values || random_below(2) == 0;
	bool has_values;
	LayoutEntries read;
	LayoutProblem problem;
	int64_t extent = 1 + random_below(50);
	int64_t bounds[LAYOUT_MAX_RANK];
	int64_t first;
	int ncolumns;

	random_entries(extent);
	ncolumns = make_arrays(name, rank, with_values);
	check(layout && layout_has(layout, rank, ncolumns, &has_values) &&
			  has_values == with_values,
		  "%s of rank %d has %d columns", name, rank, ncolumns);
	for (int d = 0; d < rank; d++)
	{
		bounds[d] = LAYOUT_ANY;
		if (random_below(2) == 0)
			continue;
		bounds[d] = extent + random_below(3);
		if (layout_by_position(layout, d))
			bounds[d] = layout_extent(layout, columns[0].length);
	}
	check(layout_begin(&read, layout, rank, ncolumns, columns, bounds, &problem),
		  "%s: fault %d in column %d at %lld", name, (int) problem.fault, problem.column,
		  (long long) problem.position);
	check(layout_count(&read) == nentries, "%s: count", name);
	check_entries(&read, INT64_MIN, name);
	(void) layout_begin(&read, layout, rank, ncolumns, columns, NULL, &problem);
	first = random_below(extent + 4) - 2;
	layout_seek(&read, first);
	check_entries(&read, first, name);
}

/* One number or length of right arrays is changed: what is wrong is told, or what is read are as many entries as are counted. */
static void
test_wrong(void)
{
	static const char *const names[] = {"csr", "lists", "coo"};
	const char *name = names[random_below(3)];
	const Layout *layout = layout_find(name, strlen(name));
	int rank = strcmp(name, "lists") == 0 ? 1 : 2;
	int64_t first[64];
	int64_t second[64];
	int64_t *keys[] = {first, second};
	double values[64];
	int64_t read_count = 0;
	LayoutEntries read;
	LayoutProblem problem;
	int ncolumns;
	int column;
	int n;

	random_entries(1 + random_below(50));
	ncolumns = make_arrays(name, rank, true);
	column = (int) random_below(ncolumns);
	if (random_below(3) == 0 || columns[column].length == 0)
	{
		int64_t length = columns[column].length;

		set_column(column, LAYOUT_INT8,
				   length + (length == 0 || random_below(2) ? 1 : -1), arrays[column],
				   NULL);
		if (!layout_begin(&read, layout, rank, ncolumns, columns, NULL, &problem))
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
		if (!layout_begin(&read, layout, rank, ncolumns, columns, NULL, &problem))
		{
			check(problem.fault != LAYOUT_RIGHT && problem.column < ncolumns,
				  "%s: a fault", name);
			return;
		}
	}
	else
		(void) layout_begin(&read, layout, rank, ncolumns, columns, NULL, &problem);
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
						bounds, &problem) &&
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
	check_fault("lower", 2, 1, LAYOUT_LENGTHS, 0, 0);
	check_fault("upper", 2, 1, LAYOUT_LENGTHS, 0, 0);
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
		run_cases(argc, argv, 4000, test_wrong);
		test_faults();
	}
	for (int c = 0; c < LAYOUT_MAX_COLUMNS; c++)
		free(blocks[c]);
	return test_finish();
}
