/*-------------------------------------------------------------------------
 *
 * write.h
 *	  Making the arrays of a layout from entries.
 *
 *	1. layout_is_by_column: in which order the entries must come;
 *	2. layout_measure: the length of each column;
 *	3. layout_write: fills columns that the caller has allocated.
 *
 * What is written, layout.h reads as the same entries.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_LAYOUT_WRITE_H
#define KERNELS_LAYOUT_WRITE_H

#include "kernels/layout/layout.h"

/*
 * The entries of a row, each with other indices, in row-major order, but by the last
 * index first where layout_is_by_column.
 */
typedef struct LayoutSource
{
	const Layout *layout; /* whose columns are no object */
	int rank;
	int64_t count;
	const int64_t *keys[LAYOUT_MAX_RANK];
	const double *numbers;
	/* of each index, LAYOUT_ANY where every integer is allowed; keys are in them */
	int64_t bounds[LAYOUT_MAX_RANK];
	double fill; /* the value of what packed arrays have where there is no entry */
} LayoutSource;

/* A column to be filled. */
typedef struct LayoutTarget
{
	LayoutType type; /* of no narrower elements than it gets */
	int64_t length;
	void *data;
} LayoutTarget;

/* Does the second of two indices order the entries? Else the first does. */
extern bool layout_is_by_column(const Layout *layout);

/* Has the layout places only for entries on the diagonal and below? */
extern bool layout_is_lower(const Layout *layout);

/*
 * Finds the lengths of the columns, with one of values; of numbers the length is 1. A
 * length beyond INT64_MAX is that. False with *entry, the number of the first entry that
 * the layout has no place for.
 */
extern bool layout_measure(const LayoutSource *source, int64_t *lengths, int64_t *entry);

/*
 * Fills ncolumns columns, whose lengths are those of layout_measure; those of numbers and
 * values are left out where the layout may lack them (layout_has).
 */
extern void layout_write(const LayoutSource *source, int ncolumns,
						 const LayoutTarget *columns);

#endif
