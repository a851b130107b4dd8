/*-------------------------------------------------------------------------
 *
 * layout.h
 *	  Layouts: what several arrays of a row say together, as entries.
 *
 * The entries of a layout are indices and a number each:
 *
 *	  csr(ptr,idx,v)   {(i, idx[p]): v[p] for i in range(len(ptr)-1) for p in range(ptr[i], ptr[i+1])}
 *
 * Indices of a row, a list or an offset's range ascend, but those of coo may be in any
 * order, and repeated. The layouts with lower and upper in their names are a triangle of
 * a square matrix, packed by rows.
 *
 * Columns are arrays of indices or offsets, then one of the values, then numbers of one
 * element. The values may be missing where there are indices: then all are 1. Numbers
 * that an array of indices has are keys; indices by position count from 0, and the caller
 * adds the first key of their label.
 *
 *	1. layout_find: the layout of a name;
 *	2. layout_begin: checks the arrays;
 *	3. layout_seek, if only the entries from a first index on are asked for;
 *	4. layout_next, again and again.
 *
 * Nothing is allocated, and nothing is read outside of the arrays, whatever they have.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_LAYOUT_LAYOUT_H
#define KERNELS_LAYOUT_LAYOUT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LAYOUT_MAX_COLUMNS 32 /* of csf of rank 16 */
#define LAYOUT_MAX_RANK 16
#define LAYOUT_ANY (-1)

typedef enum LayoutType
{
	LAYOUT_INT2,
	LAYOUT_INT4,
	LAYOUT_INT8,
	LAYOUT_FLOAT4,
	LAYOUT_FLOAT8,
} LayoutType;

typedef enum LayoutColumn
{
	LAYOUT_INDICES, /* an array of integers: indices, or offsets into the next column */
	LAYOUT_VALUES,  /* an array of numbers */
	LAYOUT_NUMBER,  /* an integer */
	/* indices and numbers together, which callers read: layout_begin knows no such layout */
	LAYOUT_OBJECT,
} LayoutColumn;

/* A column of a row: aligned as its elements. */
typedef struct LayoutArray
{
	LayoutType type;
	int64_t length;
	const void *data;
} LayoutArray;

typedef struct Layout Layout;

/*
 * Takes the word symmetric off the beginning of a name (layout_mirror), with the space
 * behind it; false if it is not there. Upper and lower case of names are the same.
 */
extern bool layout_take_symmetric(const char **name, size_t *length);

/*
 * The layout of a name that is not terminated, in upper or lower case; NULL if no layout
 * has it.
 */
extern const Layout *layout_find(const char *name, size_t length);

/* Layouts by number, from 0 on; NULL behind the last one. */
extern const Layout *layout_number(int number);

extern const char *layout_name(const Layout *layout);

/* Names of the columns as "ptr,idx,v"; of what may have more "i,...,v". */
extern const char *layout_columns(const Layout *layout);

/* The entries as a Python comprehension over the columns. */
extern const char *layout_meaning(const Layout *layout);

/* The least rank of the entries; *most: the largest. */
extern int layout_rank(const Layout *layout, int *most);

/* Have entries of the same row never the same indices, whatever is in the arrays? */
extern bool layout_is_unique(const Layout *layout);

/* What a column has, where the entries have this rank. */
extern LayoutColumn layout_column(const Layout *layout, int rank, int column);

/* The index of which a column has keys; -1 of columns that have offsets, or others. */
extern int layout_key_index(const Layout *layout, int rank, int column);

/*
 * Does an index count positions, from the first key of its label on? Otherwise arrays
 * have its keys.
 */
extern bool layout_by_position(const Layout *layout, int index);

/*
 * The bound of the indices that count positions, for a length of the first column; -1 for
 * one that no bound has, and of zorder, which pads. Of band the length is that of one
 * diagonal.
 */
extern int64_t layout_extent(const Layout *layout, int64_t length);

/*
 * Can entries of this rank have this number of columns? *with_values: they have one of
 * values.
 */
extern bool layout_has(const Layout *layout, int rank, int ncolumns, bool *with_values);

typedef enum LayoutFault
{
	LAYOUT_RIGHT,
	LAYOUT_LENGTHS, /* a column has another length than the one before it says */
	/* no triangle has the length; other: rows of the largest one that is shorter */
	LAYOUT_NO_TRIANGLE,
	/* the length is no multiple of the number of diagonals, which is other */
	LAYOUT_NO_DIAGONALS,
	LAYOUT_NUMBER_BEYOND,   /* a number is negative, or more than other */
	LAYOUT_FIRST_OFFSET,    /* the first offset is not 0, or there are no offsets */
	LAYOUT_OFFSET_DESCENDS, /* an offset is less than the one before */
	LAYOUT_OFFSET_BEYOND,   /* the last offset is beyond the arrays that it points into */
	LAYOUT_KEY_DESCENDS,    /* a key is less than the one before in its list */
	LAYOUT_KEY_REPEATED,    /* or the same */
	LAYOUT_KEY_BEYOND,      /* a key is negative, or not less than its bound */
	LAYOUT_POSITION_BEYOND, /* a position has an index that is not less than its bound */
	/*
	 * an entry, the index number in row other, is on the other side of the diagonal than
	 * one before
	 */
	LAYOUT_BOTH_SIDES,
} LayoutFault;

/* What is wrong with the arrays of a row. */
typedef struct LayoutProblem
{
	LayoutFault fault;
	int column;       /* from 0 */
	int64_t position; /* in the array, from 0 */
	int64_t number;   /* that stands there; of LAYOUT_LENGTHS the length */
	int64_t other;    /* what it should be, or what it is compared with */
} LayoutProblem;

/* The entries of a row, and how far they have been read. */
typedef struct LayoutEntries
{
	const Layout *layout;
	int rank;
	int ncolumns;
	bool with_values;
	bool symmetric; /* each entry comes with its mirror image */
	int64_t origin; /* is added to the index of the last two that counts positions */
	LayoutArray columns[LAYOUT_MAX_COLUMNS];
	int64_t bounds[LAYOUT_MAX_RANK];
	int64_t width; /* band: the diagonals; else 1 */
	/* of the next entry, the position of the list that it is in, by level; its row */
	int64_t rows[LAYOUT_MAX_RANK];
	int64_t position; /* of the next entry in the arrays */
	int64_t first;    /* first indices below this are left out */
	double fill;
} LayoutEntries;

/*
 * Begins with the first entry of columns as layout_has allows them; false with *problem
 * set if what is in them is no such layout. bounds: of each index, LAYOUT_ANY where every
 * integer is allowed; NULL: of all indices. fill: the value of what an array of zorder has
 * beyond the bounds.
 */
extern bool layout_begin(LayoutEntries *entries, const Layout *layout, int rank,
						 int ncolumns, const LayoutArray *columns, const int64_t *bounds,
						 double fill, LayoutProblem *problem);

/*
 * Adds for each entry that is off the diagonal over the last two indices its mirror
 * image, whose last two indices are exchanged, to what layout_next returns. origin: the
 * first key of their label; if arrays have the keys of only one of them, it is added to
 * the position that the other one is. False with
 * *problem set if there are entries on both sides of the diagonal whose value is not
 * fill; but those of coo may be.
 */
extern bool layout_mirror(LayoutEntries *entries, int64_t origin, LayoutProblem *problem);

/* Does only one of the last two indices, of entries of this rank, count positions? */
extern bool layout_mixes_positions(const Layout *layout, int rank);

/*
 * How many entries there are, with those that layout_seek leaves out, and without mirror
 * images.
 */
extern int64_t layout_count(const LayoutEntries *entries);

/*
 * Continues with the first entry whose first index is not less; entries of coo are left
 * out one by one. Without mirror images.
 */
extern void layout_seek(LayoutEntries *entries, int64_t first);

/* Has an entry the value that stands for none? NaN equals NaN here. */
static inline bool
layout_is_fill(const LayoutEntries *entries, double number)
{
	return number == entries->fill || (isnan(number) && isnan(entries->fill));
}

/* Leaves entries that layout_next has returned out if they are fill; returns how many stay. */
extern int layout_drop_fill(const LayoutEntries *entries, int n, int64_t *const *keys,
							double *numbers);

/* The element of a number, from 0 on, of an array of integers. */
extern int64_t layout_integer(const LayoutArray *array, int64_t i);

/* Do the first indices of entries never descend? */
extern bool layout_ascends(const Layout *layout);

/* Returns the index in whose order the entries come; -1 if they come in no order. */
extern int layout_leading_index(const Layout *layout);

/*
 * Do elements i and i + 1 of the first column say which positions of the others have the
 * entries of the first index i?
 */
extern bool layout_has_offsets(const Layout *layout);

/*
 * The next entries, n at the most, which is 2 at least: keys[d][i] and numbers[i];
 * returns how many, 0 at the end. They come in row-major order, but those of coo, csc and
 * zorder as the arrays have them, and mirror images behind some entries.
 */
extern int layout_next(LayoutEntries *entries, int n, int64_t *const *keys,
					   double *numbers);

#endif
