/*-------------------------------------------------------------------------
 *
 * count_pairs.c
 *	  How many pairs of indices two steps through a matrix lead to.
 *
 * Two entries that have an index of a dimension in common are two steps: from the other
 * index of the first entry, the start, through the common index, the middle, to the other
 * index of the second entry, the end. Meetings count such walks. Many walks may lead from
 * one start to the same end, as in a graph whose neighbours are neighbours too.
 *
 * The walks of a sample of starts are followed. The sample has the starts with the least
 * hashes, so that it depends on the indices alone, and is the same on every machine. If
 * there are few entries, it has all starts. First steps are kept while entries are read
 * in the order of starts, and second steps while they are read in the order of middles.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "catalog/count_pairs.h"

/*
 * Limits: the first steps of a sample (at least, if there are that many), the first steps
 * of one start, the second steps, and the walks that are followed.
 */
#define FIRST_STEPS 16384
#define STEPS_OF_START 262144
#define SECOND_STEPS 1048576
#define FOLLOWED_WALKS 262144

/* An index, with the steps from it. */
typedef struct Steps
{
	int64 index;
	uint64 hash;
	int first; /* index of its first step */
	int count;
	char status;
} Steps;

/* Returns a hash of an index that is the same on every machine. */
static uint64
hash_of_key(int64 index)
{
	return DatumGetUInt64(hash_uint32_extended(
		(uint32) index, (uint64) hash_uint32((uint32) ((uint64) index >> 32))));
}

#define SH_PREFIX middles
#define SH_ELEMENT_TYPE Steps
#define SH_KEY_TYPE int64
#define SH_KEY index
#define SH_HASH_KEY(table, key) ((uint32) hash_of_key(key))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct FirstSteps
{
	uint64 limit; /* starts have hashes up to this */
	Steps *starts;
	int nstarts;
	int64 last; /* the last index passed, whether it became a start or not */
	bool any;
	bool kept;      /* last became a start */
	int64 *middles; /* by step */
	int nsteps;
};

struct SecondSteps
{
	const FirstSteps *first;
	middles_hash *middles;
	Steps *middle; /* whose steps are being added; NULL if no first step leads to it */
	int64 last;
	bool any;
	bool too_many;
	int64 *ends; /* by step */
	int nsteps;
};

/* An end that a walk from this start has reached. */
typedef struct SeenEnd
{
	int64 end;
	int start;
} SeenEnd;

/* Makes room in an array for one more element, doubling its size. */
static void *
with_room(void *array, int count, Size size)
{
	if (array == NULL)
		return palloc(size * 256);
	if (count < 256 || (count & (count - 1)) != 0)
		return array;
	return repalloc_huge(array, size * 2 * count);
}

FirstSteps *
first_steps_begin(void)
{
	FirstSteps *first = palloc0(sizeof(FirstSteps));

	first->limit = PG_UINT64_MAX;
	return first;
}

/* Removes half of the starts, those with the larger hashes. */
static void
halve(FirstSteps *first)
{
	int nstarts = 0;
	int nsteps = 0;

	first->limit /= 2;
	for (int s = 0; s < first->nstarts; s++)
	{
		Steps *start = &first->starts[s];

		if (start->hash > first->limit)
			continue;
		memmove(&first->middles[nsteps], &first->middles[start->first],
				sizeof(int64) * start->count);
		start->first = nsteps;
		nsteps += start->count;
		first->starts[nstarts++] = *start;
	}
	first->nstarts = nstarts;
	first->nsteps = nsteps;
}

void
put_first_step(FirstSteps *first, int64 start, int64 middle)
{
	if (!first->any || first->last != start)
	{
		uint64 hash = hash_of_key(start);

		/* only between starts: the last one is complete */
		while (first->nsteps > 2 * FIRST_STEPS && first->nstarts > 1)
			halve(first);
		first->any = true;
		first->last = start;
		first->kept = hash <= first->limit;
		if (first->kept)
		{
			first->starts = with_room(first->starts, first->nstarts, sizeof(Steps));
			first->starts[first->nstarts++] =
				(Steps){.index = start, .hash = hash, .first = first->nsteps};
		}
	}
	if (!first->kept)
		return;
	first->middles = with_room(first->middles, first->nsteps, sizeof(int64));
	first->middles[first->nsteps++] = middle;
	if (++first->starts[first->nstarts - 1].count < STEPS_OF_START)
		return;
	/*
	 * memory is limited: drop this start, with all whose hashes are as large, so that the
	 * sample is still chosen by hashes alone
	 */
	while (first->limit > 0 && hash_of_key(start) <= first->limit)
		halve(first);
	first->kept = false;
}

SecondSteps *
second_steps_begin(const FirstSteps *first)
{
	SecondSteps *second = palloc0(sizeof(SecondSteps));

	second->first = first;
	second->middles = middles_create(CurrentMemoryContext, Max(first->nsteps, 256), NULL);
	for (int s = 0; s < first->nsteps; s++)
	{
		bool found;
		Steps *middle = middles_insert(second->middles, first->middles[s], &found);

		if (!found)
			middle->count = 0;
	}
	return second;
}

void
put_second_step(SecondSteps *second, int64 middle, int64 end)
{
	if (!second->any || second->last != middle)
	{
		second->any = true;
		second->last = middle;
		second->middle = middles_lookup(second->middles, middle);
		if (second->middle)
			second->middle->first = second->nsteps;
	}
	if (second->middle == NULL || second->too_many)
		return;
	if (second->nsteps == SECOND_STEPS)
	{
		second->too_many = true;
		return;
	}
	second->ends = with_room(second->ends, second->nsteps, sizeof(int64));
	second->ends[second->nsteps++] = end;
	second->middle->count++;
}

static int
compare_hashes(const void *a, const void *b)
{
	const Steps *of_a = a;
	const Steps *of_b = b;

	if (of_a->hash != of_b->hash)
		return of_a->hash < of_b->hash ? -1 : 1;
	return (of_a->index > of_b->index) - (of_a->index < of_b->index);
}

/* Returns the second steps that follow a first step. */
static const Steps *
steps_behind(const SecondSteps *second, int step)
{
	return middles_lookup(second->middles, second->first->middles[step]);
}

/*
 * Counts the different ends of walks from a start. seen, whose size slots is a power of
 * 2, has at least as many slots as there are ends; number distinguishes starts.
 */
static double
count_ends(const SecondSteps *second, const Steps *start, int number, SeenEnd *seen,
		   uint32 slots)
{
	double ends = 0;

	for (int s = start->first; s < start->first + start->count; s++)
	{
		const Steps *middle = steps_behind(second, s);

		CHECK_FOR_INTERRUPTS();
		Assert(seen != NULL || middle->count == 0);
		for (int e = middle->first; e < middle->first + middle->count; e++)
		{
			int64 end = second->ends[e];
			uint32 slot =
				(uint32) (((uint64) end * UINT64CONST(0x9E3779B97F4A7C15)) >> 32) &
				(slots - 1);

			while (seen[slot].start == number && seen[slot].end != end)
				slot = (slot + 1) & (slots - 1);
			ends += seen[slot].start != number;
			seen[slot] = (SeenEnd){end, number};
		}
	}
	return ends;
}

double
count_pairs(const SecondSteps *second, double all_walks)
{
	const FirstSteps *first = second->first;
	Steps *starts;
	SeenEnd *seen = NULL;
	uint32 slots = 0;
	double walks = 0;
	double pairs = 0;

	if (all_walks <= 0)
		return all_walks;
	if (second->too_many || first->nstarts == 0)
		return -1;
	starts = palloc(sizeof(Steps) * first->nstarts);
	memcpy(starts, first->starts, sizeof(Steps) * first->nstarts);
	qsort(starts, first->nstarts, sizeof(Steps), compare_hashes);
	for (int i = 0; i < first->nstarts && walks < FOLLOWED_WALKS; i++)
	{
		double of_start = 0;

		for (int s = starts[i].first; s < starts[i].first + starts[i].count; s++)
			of_start += steps_behind(second, s)->count;
		/* no start has more ends than there are second steps */
		if (2 * Min(of_start, second->nsteps) > slots)
		{
			slots = pg_nextpower2_32((uint32) (2 * Min(of_start, second->nsteps)));
			if (seen)
				pfree(seen);
			seen = palloc0(sizeof(SeenEnd) * slots);
		}
		walks += of_start;
		if (of_start > 0)
			pairs += count_ends(second, &starts[i], i + 1, seen, slots);
	}
	if (seen)
		pfree(seen);
	pfree(starts);
	if (walks >= all_walks)
		return pairs;
	return walks > 0 ? pairs / walks * all_walks : -1;
}

void
first_steps_end(FirstSteps *first)
{
	if (first->starts)
	{
		pfree(first->starts);
		pfree(first->middles);
	}
	pfree(first);
}

void
second_steps_end(SecondSteps *second)
{
	middles_destroy(second->middles);
	if (second->ends)
		pfree(second->ends);
	pfree(second);
}
