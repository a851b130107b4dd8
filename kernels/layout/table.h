/*-------------------------------------------------------------------------
 *
 * table.h
 *	  What the table of layouts has of each, for reading and writing.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_LAYOUT_TABLE_H
#define KERNELS_LAYOUT_TABLE_H

#include "kernels/layout/layout.h"
#include "kernels/layout/write.h"

struct Layout
{
	const char *name;
	const char *columns;
	const char *meaning;
	int least, most; /* ranks that the entries may have */
	/* columns of integers before the values: these, and some more for each index */
	int nintegers;
	int per_index;
	int nnumbers;   /* columns behind the values */
	int positional; /* a bitmask of the indices that count positions of the first column */
	/*
	 * the length of that column for a bound of these indices, and the largest bound that
	 * a length has room for; NULL where the length says nothing of the bound
	 */
	int64_t (*length)(int64_t bound);
	int64_t (*extent)(int64_t length);
	bool (*check)(const LayoutEntries *entries, LayoutProblem *problem);
	int64_t (*count)(const LayoutEntries *entries);
	void (*seek)(LayoutEntries *entries, int64_t first);
	int (*next)(LayoutEntries *entries, int n, int64_t *const *keys);
	bool (*measure)(const LayoutSource *source, int64_t *lengths, int64_t *entry);
	void (*write)(const LayoutSource *source, const LayoutTarget *columns);
	bool upper;    /* which triangle is packed */
	bool repeated; /* indices may occur twice */
	bool object;   /* its column is LAYOUT_OBJECT */
	bool ascends;  /* the first indices of entries never descend */
	bool offsets;  /* as layout_has_offsets says */
};

/*
 * The column that has the indices of a level of csf; the one before has their offsets,
 * but for the first level.
 */
static inline int
indices_of_level(int level)
{
	return 2 * level;
}

/* The position of the first entry of a row of a packed triangle. */
static inline int64_t
start_of_triangle_row(const Layout *layout, int64_t extent, int64_t row)
{
	return layout->upper ? row * extent - row * (row - 1) / 2 : row * (row + 1) / 2;
}

/* Writes bit n of a number as bit 2n. */
static inline int64_t
spread_bits(int64_t number)
{
	int64_t spread = 0;

	for (int bit = 0; number >> bit; bit++)
		spread |= ((number >> bit) & 1) << (2 * bit);
	return spread;
}

/* The position of zorder of two indices below 2^31. */
static inline int64_t
zorder_position(int64_t row, int64_t column)
{
	return spread_bits(row) | spread_bits(column) << 1;
}

/* How layouts are written (write.c). */
extern bool measure_lists(const LayoutSource *source, int64_t *lengths, int64_t *entry);
extern bool measure_offsets(const LayoutSource *source, int64_t *lengths, int64_t *entry);
extern bool measure_csf(const LayoutSource *source, int64_t *lengths, int64_t *entry);
extern bool measure_diagonal(const LayoutSource *source, int64_t *lengths,
							 int64_t *entry);
extern bool measure_triangle(const LayoutSource *source, int64_t *lengths,
							 int64_t *entry);
extern bool measure_band(const LayoutSource *source, int64_t *lengths, int64_t *entry);
extern bool measure_zorder(const LayoutSource *source, int64_t *lengths, int64_t *entry);
extern void write_lists(const LayoutSource *source, const LayoutTarget *columns);
extern void write_offsets(const LayoutSource *source, const LayoutTarget *columns);
extern void write_csf(const LayoutSource *source, const LayoutTarget *columns);
extern void write_diagonal(const LayoutSource *source, const LayoutTarget *columns);
extern void write_triangle(const LayoutSource *source, const LayoutTarget *columns);
extern void write_band(const LayoutSource *source, const LayoutTarget *columns);
extern void write_zorder(const LayoutSource *source, const LayoutTarget *columns);

#endif
