/*-------------------------------------------------------------------------
 *
 * sort.h
 *	  Sorting an operand's rows by its keys.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_SORT_H
#define KERNELS_NEST_SORT_H

#include "kernels/nest/coordinates.h"

/* Bits of a level's index, counted from its least, that are in a word. */
typedef struct SortPiece
{
	int level;
	int shift; /* of the bits in the index */
	int bits;
	int place; /* of them in the word */
} SortPiece;

/*
 * Rows in the order of their keys. Each item has the row's number in its low
 * row_bits, and above them the indices less the least of their level, the last
 * level's lowest, if one_word; else a part of them.
 */
typedef struct SortedRows
{
	int64_t count;
	int row_bits;
	bool one_word;
	uint8_t bits[NEST_MAX_KEYS]; /* of each level */
	uint64_t *items;
} SortedRows;

/*
 * Sorts the rows of which the columns of a level are equal, by levels 0 ..
 * nlevels - 1. key_of_level is the first key column of each. The items are the
 * caller's to release. Memory: 16 bytes a row while it sorts, 8 then.
 */
extern void sort_rows(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key,
					  const uint8_t *key_of_level, SortedRows *sorted);

static inline int64_t
sorted_row(const SortedRows *sorted, int64_t item)
{
	return (int64_t) (sorted->items[item] & ((UINT64_C(1) << sorted->row_bits) - 1));
}

#endif
