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

/*
 * Some bits of a level's index, counted from the level's least index, that are part of a
 * sort word.
 */
typedef struct SortPiece
{
	int level;
	int shift; /* of the bits in the index */
	int bits;
	int place; /* of them in the word */
} SortPiece;

/*
 * Rows in the order of their keys. Each item is a 64-bit word: the row's number in the
 * low row_bits, and above it the indices minus their level's least index, those of the
 * last level lowest. If not one_word, the keys are too long, and the item has only part
 * of them.
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
 * Sorts the rows by levels 0 .. nlevels - 1, and leaves out rows whose key columns of one
 * level differ. key_of_level is the first key column of each level. The caller releases
 * the items. Memory: 16 bytes a row while sorting, 8 afterwards.
 */
extern void sort_rows(Coordinates *coordinates, int nlevels, const uint8_t *level_of_key,
					  const uint8_t *key_of_level, SortedRows *sorted);

static inline int64_t
sorted_row(const SortedRows *sorted, int64_t item)
{
	return (int64_t) (sorted->items[item] & ((UINT64_C(1) << sorted->row_bits) - 1));
}

#endif
