/*-------------------------------------------------------------------------
 *
 * write.c
 *	  Making the arrays of a layout from entries.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/layout/table.h"
#include "kernels/layout/write.h"

/* ---- columns ---- */

static void
put_integer(const LayoutTarget *to, int64_t i, int64_t integer)
{
	if (to->type == LAYOUT_INT4)
		((int32_t *) to->data)[i] = (int32_t) integer;
	else
		((int64_t *) to->data)[i] = integer;
}

static void
put_number(const LayoutTarget *to, int64_t i, double number)
{
	if (to->type == LAYOUT_FLOAT4)
		((float *) to->data)[i] = (float) number;
	else
		((double *) to->data)[i] = number;
}

static void
put_integers(const LayoutTarget *to, const int64_t *integers, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		put_integer(to, i, integers[i]);
}

static void
put_fill(const LayoutSource *source, const LayoutTarget *to)
{
	for (int64_t i = 0; i < to->length; i++)
		put_number(to, i, source->fill);
}

static int64_t
limited_product(int64_t a, int64_t b)
{
	return b > 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

/*
 * How many numbers the indices by position have: the least of their bounds; if none of
 * them has one, one more than the largest that occurs.
 */
static int64_t
extent_of(const LayoutSource *source)
{
	int positional = source->layout->positional;
	int64_t extent = LAYOUT_ANY;
	int64_t largest = -1;

	for (int d = 0; d < source->rank; d++)
	{
		int64_t bound = source->bounds[d];

		if ((positional & (1 << d)) == 0)
			continue;
		if (bound != LAYOUT_ANY && (extent == LAYOUT_ANY || bound < extent))
			extent = bound;
		for (int64_t p = 0; p < source->count && extent == LAYOUT_ANY; p++)
			if (source->keys[d][p] > largest)
				largest = source->keys[d][p];
	}
	return extent != LAYOUT_ANY ? extent : largest == INT64_MAX ? largest : largest + 1;
}

/* Do the entries fulfil a condition on their indices, below an extent? */
static bool
have_places(const LayoutSource *source, int64_t extent,
			bool (*has)(int64_t row, int64_t column), int64_t *entry)
{
	for (int64_t p = 0; p < source->count; p++)
	{
		int64_t row = source->keys[0][p];
		int64_t column = source->keys[1][p];

		if (row < 0 || column < 0 || row >= extent || column >= extent ||
			!has(row, column))
		{
			*entry = p;
			return false;
		}
	}
	return true;
}

/* ---- layouts ---- */

bool
measure_lists(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	for (int c = 0; c <= source->rank; c++)
		lengths[c] = source->count;
	return true;
}

void
write_lists(const LayoutSource *source, const LayoutTarget *columns)
{
	for (int d = 0; d < source->rank; d++)
		put_integers(&columns[d], source->keys[d], source->count);
}

bool
measure_offsets(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	int outer = layout_is_by_column(source->layout);
	int64_t extent = extent_of(source);

	for (int64_t p = 0; p < source->count; p++)
		if (source->keys[outer][p] < 0 || source->keys[outer][p] >= extent)
		{
			*entry = p;
			return false;
		}
	lengths[0] = extent == INT64_MAX ? extent : extent + 1;
	lengths[1] = lengths[2] = source->count;
	return true;
}

void
write_offsets(const LayoutSource *source, const LayoutTarget *columns)
{
	int outer = layout_is_by_column(source->layout);
	int64_t p = 0;

	for (int64_t i = 0; i < columns[0].length; i++)
	{
		while (p < source->count && source->keys[outer][p] < i)
			p++;
		put_integer(&columns[0], i, p);
	}
	put_integers(&columns[1], source->keys[1 - outer], source->count);
}

/*
 * The first level on which an entry is another node of the tree than the one before it;
 * 0 of the first entry.
 */
static int
first_new_level(const LayoutSource *source, int64_t p)
{
	int level = 0;

	while (p > 0 && level < source->rank - 1 &&
		   source->keys[level][p] == source->keys[level][p - 1])
		level++;
	return level;
}

bool
measure_csf(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	int64_t nodes[LAYOUT_MAX_RANK] = {0};

	for (int64_t p = 0; p < source->count; p++)
		for (int level = first_new_level(source, p); level < source->rank; level++)
			nodes[level]++;
	for (int level = 0; level < source->rank; level++)
	{
		lengths[indices_of_level(level)] = nodes[level];
		if (level > 0)
			lengths[indices_of_level(level) - 1] = nodes[level - 1] + 1;
	}
	lengths[indices_of_level(source->rank - 1) + 1] = source->count;
	return true;
}

void
write_csf(const LayoutSource *source, const LayoutTarget *columns)
{
	int64_t nodes[LAYOUT_MAX_RANK] = {0};

	for (int64_t p = 0; p < source->count; p++)
		for (int level = first_new_level(source, p); level < source->rank; level++)
		{
			/* where the list of a node begins on the next level */
			if (level + 1 < source->rank)
				put_integer(&columns[indices_of_level(level) + 1], nodes[level],
							nodes[level + 1]);
			put_integer(&columns[indices_of_level(level)], nodes[level]++,
						source->keys[level][p]);
		}
	for (int level = 0; level + 1 < source->rank; level++)
		put_integer(&columns[indices_of_level(level) + 1], nodes[level],
					nodes[level + 1]);
}

static bool
is_on_diagonal(int64_t row, int64_t column)
{
	return row == column;
}

static bool
is_in_lower(int64_t row, int64_t column)
{
	return column <= row;
}

static bool
is_in_upper(int64_t row, int64_t column)
{
	return column >= row;
}

static bool
is_anywhere(int64_t row, int64_t column)
{
	return true;
}

bool
measure_diagonal(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	lengths[0] = extent_of(source);
	return have_places(source, lengths[0], is_on_diagonal, entry);
}

void
write_diagonal(const LayoutSource *source, const LayoutTarget *columns)
{
	put_fill(source, &columns[0]);
	for (int64_t p = 0; p < source->count; p++)
		put_number(&columns[0], source->keys[0][p], source->numbers[p]);
}

bool
measure_triangle(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	int64_t extent = extent_of(source);

	lengths[0] = source->layout->length(extent);
	return have_places(source, extent, source->layout->upper ? is_in_upper : is_in_lower,
					   entry);
}

void
write_triangle(const LayoutSource *source, const LayoutTarget *columns)
{
	int64_t extent = source->layout->extent(columns[0].length);

	put_fill(source, &columns[0]);
	for (int64_t p = 0; p < source->count; p++)
	{
		int64_t row = source->keys[0][p];
		int64_t column = source->keys[1][p];

		put_number(&columns[0],
				   start_of_triangle_row(source->layout, extent, row) + column -
					   (source->layout->upper ? row : 0),
				   source->numbers[p]);
	}
}

/* How many diagonals have entries below the main one, or above it. */
static int64_t
diagonals_beside(const LayoutSource *source, bool below)
{
	int64_t most = 0;

	for (int64_t p = 0; p < source->count; p++)
	{
		int64_t beside = source->keys[below ? 0 : 1][p] - source->keys[below ? 1 : 0][p];

		if (beside > most)
			most = beside;
	}
	return most;
}

bool
measure_band(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	int64_t extent = extent_of(source);

	if (!have_places(source, extent, is_anywhere, entry))
		return false;
	lengths[0] = limited_product(extent, diagonals_beside(source, true) + 1 +
											 diagonals_beside(source, false));
	lengths[1] = lengths[2] = 1;
	return true;
}

void
write_band(const LayoutSource *source, const LayoutTarget *columns)
{
	int64_t below = diagonals_beside(source, true);
	int64_t above = diagonals_beside(source, false);

	put_fill(source, &columns[0]);
	for (int64_t p = 0; p < source->count; p++)
	{
		int64_t row = source->keys[0][p];

		put_number(&columns[0],
				   row * (below + 1 + above) + source->keys[1][p] - row + below,
				   source->numbers[p]);
	}
	put_integer(&columns[1], 0, below);
	put_integer(&columns[2], 0, above);
}

bool
measure_zorder(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	if (!have_places(source, (int64_t) 1 << 31, is_anywhere, entry))
		return false;
	lengths[0] = 0;
	for (int64_t p = 0; p < source->count; p++)
	{
		int64_t position = zorder_position(source->keys[0][p], source->keys[1][p]);

		if (position >= lengths[0])
			lengths[0] = position + 1;
	}
	return true;
}

void
write_zorder(const LayoutSource *source, const LayoutTarget *columns)
{
	put_fill(source, &columns[0]);
	for (int64_t p = 0; p < source->count; p++)
		put_number(&columns[0], zorder_position(source->keys[0][p], source->keys[1][p]),
				   source->numbers[p]);
}

/* ---- any layout ---- */

bool
layout_is_by_column(const Layout *layout)
{
	return layout->least == 2 && layout->positional == 2;
}

bool
layout_is_lower(const Layout *layout)
{
	return layout->measure == measure_triangle && !layout->upper;
}

bool
layout_measure(const LayoutSource *source, int64_t *lengths, int64_t *entry)
{
	return source->layout->measure(source, lengths, entry);
}

void
layout_write(const LayoutSource *source, int ncolumns, const LayoutTarget *columns)
{
	int values = source->layout->nintegers + source->layout->per_index * source->rank;

	source->layout->write(source, columns);
	if (values == 0 || values >= ncolumns)
		return;
	for (int64_t p = 0; p < source->count; p++)
		put_number(&columns[values], p, source->numbers[p]);
}
