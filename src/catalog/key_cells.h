/*-------------------------------------------------------------------------
 *
 * key_cells.h
 *	  Cells: neighbouring keys that all ranges of a column have together, or not.
 *
 * Between two neighbours among the first keys of ranges, and those behind the last ones,
 * all keys are in the same ranges. So statistics count a cell once, with its number of
 * keys as a weight, and no key of a range is enumerated.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_KEY_CELLS_H
#define CATALOG_KEY_CELLS_H

#include "postgres.h"

typedef struct KeyCells KeyCells;

/* Begins to collect the ranges of a label. */
extern KeyCells *cells_begin(void);

/* Adds the range that has the keys from first to last. */
extern void cells_put(KeyCells *cells, int64 first, int64 last);

/* Makes cells of the ranges that have been added. */
extern void cells_make(KeyCells *cells);

/*
 * Keeps only a sample of the cells, about a quarter of those that are left; they weigh as
 * much as all. The sample depends on the keys alone.
 */
extern void cells_thin(KeyCells *cells);

/* Returns how many cells there are, and the number of keys that each stands for. */
extern int64 cells_count(const KeyCells *cells);
extern const double *cells_weights(const KeyCells *cells);

/* Finds the cells of a range that was added, *cell to *end - 1. */
extern void cells_of_range(const KeyCells *cells, int64 first, int64 last, int64 *cell,
						   int64 *end);
extern void cells_end(KeyCells *cells);

#endif
