/*-------------------------------------------------------------------------
 *
 * coordinates.c
 *	  Rows that move into an index are the same rows, for those that select columns of them
 *	  too, and are in memory once.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"
#include "kernels/nest/index.h"

#define NKEYS 3
#define NVALUES 2
#define MOST_ROWS 3000

static int64_t blocks;
static int64_t moves;

static void *
count_allocate(void *context, size_t bytes)
{
	blocks++;
	return malloc(bytes > 0 ? bytes : 1);
}

static void
count_release(void *context, void *block)
{
	blocks--;
	free(block);
}

typedef struct Row
{
	int64_t keys[NKEYS];
	double number;
	float small;
} Row;

static Row rows[MOST_ROWS];
static Row found[MOST_ROWS];

static int
compare_rows(const void *a, const void *b)
{
	const Row *x = a;
	const Row *y = b;

	for (int k = 0; k < NKEYS; k++)
		if (x->keys[k] != y->keys[k])
			return x->keys[k] < y->keys[k] ? -1 : 1;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return (x->small > y->small) - (x->small < y->small);
}

static void
sort_of_rows(Row *sorted, int n)
{
	qsort(sorted, (size_t) n, sizeof(Row), compare_rows);
}

/*
 * Checks that some coordinates have the rows, in any order: keys[k] and values[v] are their
 * columns' numbers in the rows.
 */
static void
check_rows(const Coordinates *coordinates, int n, int nkeys, const int *keys, int nvalues,
		   const int *values, const char *what)
{
	static Row expected[MOST_ROWS];
	int64_t columns[NKEYS][16];
	NestValue numbers[NVALUES][16];
	int64_t *key_pointers[NKEYS] = {columns[0], columns[1], columns[2]};
	NestValue *value_pointers[NVALUES] = {numbers[0], numbers[1]};
	bool same = coordinates_count(coordinates) == n;
	int64_t read;

	memset(found, 0, sizeof(found));
	memset(expected, 0, sizeof(expected));
	for (int64_t first = 0; first < n; first += read)
	{
		read = coordinates_read(coordinates, first, 16, key_pointers, value_pointers);
		if (read <= 0)
			break;
		for (int64_t i = 0; i < read; i++)
		{
			Row *row = &found[first + i];

			for (int k = 0; k < nkeys; k++)
				row->keys[keys[k]] = columns[k][i];
			for (int v = 0; v < nvalues; v++)
				if (values[v] == 0)
					row->number = numbers[v][i].float8;
				else
					row->small = numbers[v][i].float4;
		}
	}
	for (int r = 0; r < n; r++)
	{
		for (int k = 0; k < nkeys; k++)
			expected[r].keys[keys[k]] = rows[r].keys[keys[k]];
		for (int v = 0; v < nvalues; v++)
			if (values[v] == 0)
				expected[r].number = rows[r].number;
			else
				expected[r].small = rows[r].small;
	}
	sort_of_rows(found, n);
	sort_of_rows(expected, n);
	for (int r = 0; r < n; r++)
		same &= compare_rows(&found[r], &expected[r]) == 0;
	check(same, "%s have the rows", what);
}

static void
shuffle(int *places, int n)
{
	for (int i = 0; i < n; i++)
	{
		int other = (int) random_below(i + 1);

		places[i] = places[other];
		places[other] = i;
	}
}

/* Adds rows, each of which has a small number that follows from its number. */
static int
add_rows(Coordinates *coordinates, bool wide)
{
	int n = 1 + (int) random_below(test_seed % 8 == 0 ? MOST_ROWS : 100);
	int64_t extent = 1 + random_below(40);

	for (int r = 0; r < n; r++)
	{
		NestValue values[NVALUES];

		for (int k = 0; k < NKEYS; k++)
			rows[r].keys[k] = random_below(extent);
		if (wide)
			rows[r].keys[1] *= INT64_C(1) << 40;
		values[0].float8 = rows[r].number = random_integer(1000);
		values[1].float4 = rows[r].small = (float) (rows[r].number / 2);
		check(coordinates_append(coordinates, rows[r].keys, values), "a row is added");
	}
	return n;
}

static void
one_case(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType types[NVALUES] = {{false, ELEMENT_FLOAT8}, {false, ELEMENT_FLOAT4}};
	Coordinates *source = coordinates_new(&memory, NKEYS, NVALUES, types);
	Coordinates *all;
	Coordinates *some;
	const int one_key[1] = {1};
	const int one_value[1] = {1};
	const int in_order[NKEYS] = {0, 1, 2};
	int keys[NKEYS];
	int values[NVALUES];
	int levels[NKEYS];
	uint8_t level_of_key[NKEYS];
	int n = add_rows(source, random_below(3) == 0);
	size_t used;
	Index *first;
	Index *second;

	shuffle(keys, NKEYS);
	shuffle(values, NVALUES);
	some = coordinates_select(source, 1, one_key, 1, one_value);
	all = coordinates_select(source, NKEYS, keys, NVALUES, values);
	check(!coordinates_move_rows(all), "rows without an index do not move");
	level_of_key[0] = 0;
	check(coordinates_index(some, 1, level_of_key) && !coordinates_move_rows(some),
		  "rows do not move into an index of some columns");
	shuffle(levels, NKEYS);
	for (int k = 0; k < NKEYS; k++)
		level_of_key[k] = (uint8_t) levels[k];
	first = coordinates_index(all, NKEYS, level_of_key);
	coordinates_note_stream(some, true);
	check(!coordinates_move_rows(all), "rows that are streamed do not move");
	coordinates_note_stream(some, false);
	used = memory.used;
	check(coordinates_move_rows(all), "rows move");
	check(!coordinates_move_rows(all), "rows move once");
	/* few rows take little memory in any case */
	check(n < 1000 || memory.used < used, "rows that have moved take less memory");
	check(first == coordinates_index(all, NKEYS, level_of_key), "the index is there");
	moves++;
	check_rows(source, n, NKEYS, in_order, NVALUES, in_order, "moved coordinates");
	check_rows(all, n, NKEYS, keys, NVALUES, values, "selected coordinates");
	check_rows(some, n, 1, one_key, 1, one_value, "coordinates of some columns");
	shuffle(levels, NKEYS);
	for (int k = 0; k < NKEYS; k++)
		level_of_key[k] = (uint8_t) levels[k];
	second = coordinates_index(all, NKEYS, level_of_key);
	check(second && second->count == n, "another index of moved rows");
	if (random_below(2) == 0)
		coordinates_release_rows(all);
	/* the index with the rows outlives the coordinates that it was made for */
	coordinates_free(all);
	check_rows(source, n, NKEYS, in_order, NVALUES, in_order, "coordinates left");
	check_rows(some, n, 1, one_key, 1, one_value, "selected coordinates left");
	coordinates_free(some);
	coordinates_clear(source);
	n = add_rows(source, false);
	check_rows(source, n, NKEYS, in_order, NVALUES, in_order, "new rows");
	if (random_below(2) == 0)
	{
		(void) coordinates_index(source, NKEYS, level_of_key);
		check(coordinates_move_rows(source), "rows of their own move");
		check_rows(source, n, NKEYS, in_order, NVALUES, in_order, "moved rows");
		if (random_below(2) == 0)
		{
			coordinates_clear(source);
			n = add_rows(source, false);
			check_rows(source, n, NKEYS, in_order, NVALUES, in_order, "rows after these");
		}
	}
	coordinates_free(source);
	check(memory.used == 0 && blocks == 0, "all memory is released");
}

/*
 * Two indexes fit in memory in which rows and two indexes do not; the first one is there
 * until the second is built.
 */
static void
test_room(void)
{
	NestMemory memory = {
		.allocate = count_allocate, .release = count_release, .limit = SIZE_MAX / 2};
	NestValueType type = {false, ELEMENT_FLOAT8};
	Coordinates *coordinates = coordinates_new(&memory, 2, 1, &type);
	int64_t n = 200000;
	size_t used;

	for (int64_t r = 0; r < n; r++)
	{
		int64_t keys[2] = {r % 20000, r / 20000 * 2000 + random_below(2000)};

		coordinates_append(coordinates, keys, &(NestValue){.float8 = 1});
	}
	check((double) memory.used < 17.0 * (double) n, "chunks have little room unused: %zu",
		  memory.used);
	/* sorting takes 16 bytes a row, and the index then 13 beside 9 */
	used = memory.used;
	memory.limit = used + 17 * (size_t) n;
	check(coordinates_index(coordinates, 2, (uint8_t[]){0, 1}) == NULL &&
			  memory.used == used,
		  "rows are sorted, and the index has no room");
	memory.limit = 8 << 20;
	check(coordinates_index(coordinates, 2, (uint8_t[]){0, 1}) != NULL, "an index");
	check(coordinates_index(coordinates, 2, (uint8_t[]){1, 0}) == NULL,
		  "two beside rows");
	check(coordinates_move_rows(coordinates), "rows move");
	check(coordinates_index(coordinates, 2, (uint8_t[]){1, 0}) != NULL, "two indexes");
	check(memory.used < memory.limit, "memory within its limit");
	coordinates_free(coordinates);
	check(memory.used == 0 && blocks == 0, "memory is released");
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 3000, one_case);
	if (argc == 1)
	{
		test_room();
		check(moves * run_every() > 1000, "%lld rows have moved", (long long) moves);
	}
	return test_finish();
}
