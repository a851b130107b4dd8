/*-------------------------------------------------------------------------
 *
 * locate.c
 *	  Locates indices in the fibers of operands.
 *
 * The estimated cost of locating decides which operand iterates. If many indices are
 * to be located in a fiber without a table, its positions are first spread into
 * an array by index.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "kernels/clones.h"
#include "kernels/nest/nest_state.h"

/*
 * Nanoseconds per index: to locate it by a table or in a spread fiber; by a hash table;
 * by binary search, for each halving of the fiber; in runs, one after the other in the
 * order of the indices, and for each run; and to spread it. (AMD EPYC, 2026-11)
 */
#define COST_TABLE 1.0
#define COST_HASH 8.0
#define COST_HALVING 3.0
#define COST_RUN 2.0
#define COST_SPREAD 0.8

static inline double
search_cost(int64_t length)
{
	return COST_HALVING *
		   (double) (64 - __builtin_clzll((unsigned long long) length | 1));
}

/* Is the current fiber of the part spread into its array? */
static inline bool
is_spread(const Nest *nest, const LoopPart *part)
{
	return part->spread && part->spread_parent == part_parent(nest, part);
}

/* Is it cheaper to spread a fiber of this length than to search it n times? */
static inline bool
spread_pays(const LoopPart *part, int64_t length, double n)
{
	return part->spread &&
		   COST_SPREAD * (double) length + COST_TABLE * n < search_cost(length) * n;
}

/* Estimates the cost of locating n indices in the current fiber of a part. */
static double
locate_cost(const Nest *nest, const LoopPart *part, int64_t length, double n)
{
	switch (part->level->format)
	{
		case LEVEL_RANGE:
		case LEVEL_DENSE:
			return n * COST_TABLE;
		case LEVEL_HASH:
			return n * COST_HASH;
		case LEVEL_RUNS:
			return n * COST_RUN +
				   fmin(n, (double) fiber_positions(nest, part)) * COST_HASH;
		default:
			if (is_spread(nest, part))
				return n * COST_TABLE;
			if (spread_pays(part, length, n))
				return COST_SPREAD * (double) length + COST_TABLE * n;
			return n * search_cost(length);
	}
}

int
choose_iterator(const Nest *nest, const NestLoop *loop)
{
	int64_t lengths[NEST_MAX_OPERANDS];
	double least = INFINITY;
	int best = -1;

	for (int p = 0; p < loop->nrequired; p++)
	{
		lengths[p] = fiber_length(nest, &loop->parts[p]);
		if (lengths[p] == 0)
			return -1;
	}
	if (loop->nrequired == 1)
		return 0;
	for (int p = 0; p < loop->nrequired; p++)
	{
		double cost = (double) lengths[p] * (is_of_runs(&loop->parts[p]) ? COST_RUN : 1);

		for (int q = 0; q < loop->nrequired && cost < least; q++)
			if (q != p)
				cost +=
					locate_cost(nest, &loop->parts[q], lengths[q], (double) lengths[p]);
		if (cost < least)
		{
			least = cost;
			best = p;
		}
	}
	return best;
}

/* Spreads the current fiber: stores each position at the place of its index. */
static void
spread_fiber(const Nest *nest, LoopPart *part)
{
	const IndexLevel *level = part->level;
	int64_t parent = part_parent(nest, part);
	int64_t end = level_end(level, parent);

	for (int64_t p = level_begin(level, parent); p < end; p++)
		part->spread[level_index(level, p) - level->least] = (int32_t) p;
	part->spread_parent = parent;
}

/*
 * Stores the positions of the n selected indices of a strip, or of the first n if
 * selected is NULL. FIND sets position from an index's offset, or to -1; offsets out of
 * range give -1. The loop reads local variables only: the compiler would assume that
 * writing to[] changes the level.
 */
#define LOCATE_IN(indices, at, FIND)                                                     \
	for (int t = 0; t < n; t++)                                                          \
	{                                                                                    \
		uint64_t offset = (uint64_t) (int64_t) (indices)[at] - least;                    \
		int64_t position = -1;                                                           \
                                                                                         \
		if (offset <= last)                                                              \
		{                                                                                \
			FIND;                                                                        \
		}                                                                                \
		to[t] = (int32_t) position;                                                      \
	}
#define LOCATE_EACH(FIND)                                                                \
	do                                                                                   \
	{                                                                                    \
		if (narrow && selected)                                                          \
			LOCATE_IN(narrow, selected[t], FIND)                                         \
		else if (narrow)                                                                 \
			LOCATE_IN(narrow, t, FIND)                                                   \
		else if (selected)                                                               \
			LOCATE_IN(wide, selected[t], FIND)                                           \
		else                                                                             \
			LOCATE_IN(wide, t, FIND)                                                     \
	} while (0)

/*
 * Sets to[] to the positions of narrow indices by a table that may have entries of other
 * fibers: only positions begin .. begin + length - 1 count, others become -1. Arithmetic
 * is modulo 2^32, so that an index below the least one has too large an offset.
 */
KERNEL_CLONES static void
find_places(const int32_t *restrict table, uint32_t least, uint32_t last, uint32_t begin,
			uint32_t length, int n, const int32_t *restrict indices, int32_t *restrict to)
{
	for (int t = 0; t < n; t++)
	{
		uint32_t offset = (uint32_t) indices[t] - least;
		int32_t inside = offset <= last ? -1 : 0;
		uint32_t position = (uint32_t) table[offset & (uint32_t) inside];
		int32_t found = (position - begin < length ? -1 : 0) & inside;

		to[t] = ((int32_t) position & found) | ~found;
	}
}

void
locate_strip(Nest *nest, LoopPart *part, int n, const StripIndices *indices,
			 const int32_t *selected, int64_t expected, int32_t *to)
{
	const IndexLevel *level = part->level;
	const int32_t *narrow = indices->narrow;
	const int64_t *wide = indices->wide;
	int64_t parent = part_parent(nest, part);
	int64_t begin = parent < 0 ? 0 : level_begin(level, parent);
	int64_t end = parent < 0 ? 0 : level_end(level, parent);
	uint64_t least = (uint64_t) level->least;
	uint64_t last = level_last_offset(level);
	uint32_t length = (uint32_t) (end - begin);
	const int32_t *table = NULL;

	if (begin == end)
	{
		for (int t = 0; t < n; t++)
			to[t] = -1;
		return;
	}
	if (level->format == LEVEL_COMPRESSED && !is_spread(nest, part) &&
		spread_pays(part, end - begin, (double) expected))
		spread_fiber(nest, part);
	if (is_spread(nest, part))
		table = part->spread;
	else if (level->format == LEVEL_DENSE && !level->full)
		table = level->table + parent * level->extent;

	if (table && level->narrow && narrow && !selected)
		find_places(table, (uint32_t) least, (uint32_t) last, (uint32_t) begin, length, n,
					narrow, to);
	else if (table)
		LOCATE_EACH(position = (uint32_t) table[offset] - (uint32_t) begin < length
								   ? table[offset]
								   : -1);
	else if (level->format == LEVEL_RANGE)
		LOCATE_EACH(position = 0);
	else if (level->format == LEVEL_DENSE)
		LOCATE_EACH(position = begin + (int64_t) offset);
	else if (level->format == LEVEL_HASH)
		LOCATE_EACH(position = hash_locate(level, parent, begin, end,
										   (int64_t) (offset + least)));
	else if (level->format == LEVEL_RUNS)
	{
		int64_t from = begin;
		int64_t before = INT64_MIN;

		LOCATE_EACH({
			int64_t sought = (int64_t) (offset + least);

			from = run_search(level, sought < before ? begin : from, end, sought);
			before = sought;
			if (from < end && level_index(level, from) <= sought)
				position = from;
		});
	}
	else
	{
		int64_t from = begin; /* indices ascend, except where another fiber begins */
		int64_t before = INT64_MIN;

		LOCATE_EACH({
			int64_t sought = (int64_t) (offset + least);

			from = level_search(level, sought < before ? begin : from, end, sought);
			before = sought;
			if (from < end && level_index(level, from) == sought)
				position = from;
		});
	}
}
