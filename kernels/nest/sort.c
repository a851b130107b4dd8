/*-------------------------------------------------------------------------
 *
 * sort.c
 *	  Radix sort of rows by several keys.
 *
 * The varying bits of all keys, followed by the row's number, mostly fit a word
 * of 64 bits. Such words are sorted by digits, the lowest first, in two or three
 * passes. Rows that come in the right order are only checked. Rows that are in
 * the order of the last keys already are sorted by the other keys alone: a graph
 * stored by source is sorted by target in one pass. Longer keys are sorted word
 * by word, the last word first, as the sort is stable.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/assume.h"
#include "kernels/nest/sort.h"

/*
 * The most bits of a digit, for many rows and for few: clearing the counters takes time
 * too. Measured in test/bench/nest.c.
 */
#define DIGIT_BITS 11
#define FEW_DIGIT_BITS 6
#define FEW_ROWS 1024
#define MAX_DIGITS ((64 + FEW_DIGIT_BITS - 1) / FEW_DIGIT_BITS)

/* The most pieces of all words: a level is cut in two where a word ends. */
#define MAX_PIECES (2 * NEST_MAX_KEYS + 64)

static int
bits_of(uint64_t n)
{
	return n == 0 ? 0 : 64 - __builtin_clzll(n);
}

/* is_sorted checks after this many items whether one was out of order. */
#define LOOK_EACH 4096

/* Are the masked bits of the items in ascending order? */
static bool
is_sorted(const uint64_t *items, int64_t n, uint64_t mask)
{
	uint64_t disorder = 0;

	for (int64_t i = 1; i < n && disorder == 0;)
	{
		int64_t end = n - i < LOOK_EACH ? n : i + LOOK_EACH;

		for (; i < end; i++)
			disorder |= (items[i - 1] & mask) > (items[i] & mask);
	}
	return disorder == 0;
}

/*
 * Sorts items by bits low .. low + bits - 1; bits is at least 1, the sort is stable.
 * Returns the array that has the result: items or other.
 */
static uint64_t *
sort_items(uint64_t *items, uint64_t *other, int64_t n, int low, int bits)
{
	int32_t counts[MAX_DIGITS << DIGIT_BITS];
	int most = n < FEW_ROWS ? FEW_DIGIT_BITS : DIGIT_BITS;
	int npasses = (bits + most - 1) / most;
	int digit = (bits + npasses - 1) / npasses;
	uint64_t mask = (UINT64_C(1) << digit) - 1;

	memset(counts, 0, sizeof(int32_t) * ((size_t) npasses << digit));
	for (int64_t i = 0; i < n; i++)
	{
		uint64_t word = items[i] >> low;

		for (int pass = 0; pass < npasses; pass++, word >>= digit)
			counts[(uint64_t) pass << digit | (word & mask)]++;
	}
	for (int pass = 0; pass < npasses; pass++)
	{
		int32_t *places = counts + ((size_t) pass << digit);
		int shift = low + pass * digit;
		uint64_t *sorted = other;
		int32_t sum = 0;

		kernel_host.check_interrupts();
		if (places[items[0] >> shift & mask] == n)
			continue; /* all have the same digit */
		for (uint64_t d = 0; d <= mask; d++)
		{
			int32_t count = places[d];

			places[d] = sum;
			sum += count;
		}
		for (int64_t i = 0; i < n; i++)
			sorted[places[items[i] >> shift & mask]++] = items[i];
		other = items;
		items = sorted;
	}
	return items;
}

/*
 * How the bits of all levels are cut into words, those of the last levels first: word i
 * has the pieces before ends[i].
 */
typedef struct Words
{
	int count;
	int ends[NEST_MAX_KEYS + 1];
	SortPiece pieces[MAX_PIECES];
} Words;

/*
 * Cuts the bits of all levels into words of room bits each, beginning with the last
 * level.
 */
static void
cut_words(int nlevels, const int *bits, int room, Words *words)
{
	int npieces = 0;
	int place = 0;

	ASSUME(nlevels >= 0 && nlevels <= NEST_MAX_KEYS);
	words->count = 0;
	for (int level = nlevels - 1; level >= 0; level--)
	{
		for (int shift = 0; shift < bits[level];)
		{
			int part = bits[level] - shift;

			if (place == room)
			{
				words->ends[words->count++] = npieces;
				place = 0;
			}
			if (part > room - place)
				part = room - place;
			words->pieces[npieces++] = (SortPiece){level, shift, part, place};
			shift += part;
			place += part;
		}
	}
	words->ends[words->count++] = npieces;
}

static inline uint64_t
low_bits(int bits)
{
	return bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
}

/* Do all key columns of the same level have the same key in this row? */
static bool
on_diagonal(const Coordinates *coordinates, int64_t row, const uint8_t *level_of_key,
			const uint8_t *key_of_level)
{
	int place;
	const Chunk *chunk = chunk_of_row(coordinates, row, &place);

	for (int k = 0; k < index_keys(coordinates); k++)
	{
		int first = key_of_level[level_of_key[k]];

		if (first != k && chunk_key(chunk, k, place) != chunk_key(chunk, first, place))
			return false;
	}
	return true;
}

/* Puts the bits of a piece into the items of a chunk's rows. */
static void
add_piece(const Chunk *chunk, int key, int64_t least, const SortPiece *piece,
		  int row_bits, uint64_t *items)
{
	const int32_t *narrow = chunk->keys[key];
	const int64_t *wide = chunk->wide_keys[key];
	int shift = piece->place + row_bits;
	uint64_t mask = low_bits(piece->bits);

	if (narrow)
		for (int i = 0; i < chunk->count; i++)
			items[i] |= (((uint64_t) narrow[i] - (uint64_t) least) >> piece->shift & mask)
						<< shift;
	else
		for (int i = 0; i < chunk->count; i++)
			items[i] |= (((uint64_t) wide[i] - (uint64_t) least) >> piece->shift & mask)
						<< shift;
}

/* Returns the number of bits used of a word; 0 if all rows have the same key. */
static int
word_bits(const Words *words, int word)
{
	const SortPiece *last;

	if (words->ends[word] == 0)
		return 0;
	last = &words->pieces[words->ends[word] - 1];
	return last->place + last->bits;
}

/*
 * Returns how many of a word's lowest bits, in whole pieces, ascend in the items already.
 */
static int
sorted_bits(const uint64_t *items, int64_t n, const Words *words, int word, int row_bits)
{
	int first = word > 0 ? words->ends[word - 1] : 0;

	for (int p = words->ends[word] - 1; p >= first; p--)
	{
		int bits = words->pieces[p].place + words->pieces[p].bits;

		if (is_sorted(items, n, low_bits(bits) << row_bits))
			return bits;
	}
	return 0;
}

/* Fills in the items' first word, in the order of the rows. */
static void
fill_items(const Coordinates *coordinates, const Words *words,
		   const uint8_t *key_of_level, int row_bits, uint64_t *items)
{
	int64_t row = 0;

	for (int c = 0; c < coordinates->nchunks; c++)
	{
		const Chunk *chunk = coordinates->chunks[c];

		for (int i = 0; i < chunk->count; i++)
			items[row + i] = (uint64_t) (row + i);
		for (int p = 0; p < words->ends[0]; p++)
		{
			int key = key_of_level[words->pieces[p].level];

			add_piece(chunk, key, coordinates->least[key], &words->pieces[p], row_bits,
					  items + row);
		}
		row += chunk->count;
	}
}

/* Replaces the items' word by the next word of the same rows; keeps the items' order. */
static void
replace_words(const Coordinates *coordinates, const Words *words, int word,
			  const uint8_t *key_of_level, int row_bits, int64_t n, uint64_t *items)
{
	for (int64_t i = 0; i < n; i++)
	{
		uint64_t row = items[i] & low_bits(row_bits);
		int place;
		const Chunk *chunk = chunk_of_row(coordinates, (int64_t) row, &place);
		uint64_t item = 0;

		for (int p = words->ends[word - 1]; p < words->ends[word]; p++)
		{
			const SortPiece *piece = &words->pieces[p];
			int key = key_of_level[piece->level];
			uint64_t offset = (uint64_t) chunk_key(chunk, key, place) -
							  (uint64_t) coordinates->least[key];

			item |= (offset >> piece->shift & low_bits(piece->bits)) << piece->place;
		}
		ASSUME(row_bits < 64);
		items[i] = item << row_bits | row;
	}
}

void
sort_rows(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key,
		  const uint8_t *key_of_level, SortedRows *sorted)
{
	NestMemory *memory = coordinates->memory;
	int64_t n = coordinates->count;
	uint64_t *items = nest_allocate(memory, sizeof(uint64_t) * (size_t) (n + 1));
	uint64_t *other = NULL;
	int bits[NEST_MAX_KEYS];
	Words words;

	coordinates_find_bounds(coordinates);
	sorted->row_bits = bits_of((uint64_t) n);
	for (int level = 0; level < nlevels; level++)
	{
		int key = key_of_level[level];

		bits[level] = n > 0 ? bits_of((uint64_t) coordinates->greatest[key] -
									  (uint64_t) coordinates->least[key])
							: 0;
	}
	cut_words(nlevels, bits, 64 - sorted->row_bits, &words);
	fill_items(coordinates, &words, key_of_level, sorted->row_bits, items);
	if (nlevels < index_keys(coordinates))
	{
		int64_t kept = 0;

		for (int64_t i = 0; i < n; i++)
		{
			items[kept] = items[i];
			kept += on_diagonal(coordinates, i, level_of_key, key_of_level);
		}
		n = kept;
	}
	for (int word = 0; word < words.count; word++)
	{
		int all = word_bits(&words, word);
		int done;

		if (word > 0)
			replace_words(coordinates, &words, word, key_of_level, sorted->row_bits, n,
						  items);
		done = sorted_bits(items, n, &words, word, sorted->row_bits);
		if (done < all)
		{
			uint64_t *to =
				other ? other
					  : nest_allocate(memory, sizeof(uint64_t) * (size_t) (n + 1));
			uint64_t *result =
				sort_items(items, to, n, sorted->row_bits + done, all - done);

			other = result == to ? items : to;
			items = result;
		}
	}
	nest_release(memory, other);
	sorted->count = n;
	sorted->items = items;
	sorted->one_word = words.count == 1;
	for (int level = 0; level < nlevels; level++)
		sorted->bits[level] = (uint8_t) bits[level];
}
