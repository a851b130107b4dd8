/*-------------------------------------------------------------------------
 *
 * entries.h
 *	  Arguments of einsum_entries and einsum_stored_entries, and what columns can be.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_ENTRIES_H
#define TYPE_ENTRIES_H

#include "postgres.h"

#include "kernels/layout/layout.h"

/*
 * The arguments before the columns; of einsum_stored_entries those before the keys and
 * columns.
 */
#define ENTRIES_FIRST_COLUMN 2
#define STORED_ENTRIES_FIRST_KEY 5

/*
 * Finds the type of a column's elements; false for a type that no such column has.
 * Domains count as what they are over.
 */
extern bool layout_column_type(Oid column, LayoutColumn kind, LayoutType *type);

/* Returns "It has indices: an array of ...": which types a column can have. */
extern const char *layout_column_types(LayoutColumn kind);

/*
 * A call of einsum_entries, or of einsum_stored_entries, which says where its columns are
 * from.
 */
typedef struct EntriesCall
{
	const Layout *layout;
	int rank;
	int nargs;
	const Oid *types; /* of the arguments */
	int first_column; /* the number of an argument, from 0 */
	int ncolumns;
	bool with_values;
	bool symmetric; /* entries come with their mirror images (layout_mirror) */
	LayoutType column_types[LAYOUT_MAX_COLUMNS];
	int nbounds;
	const int64_t *bounds; /* as of layout_begin */
	int64 origin;          /* as of layout_mirror */
	double fill;
	/* for messages; NULL and 0 if the origin is not known */
	const char *tensor;
	const char *relation; /* "csr(indptr,indices,data)" */
	Datum *key_names;     /* texts: the key columns of a row */
	int nkeys;
} EntriesCall;

/* The entries of a row, and how far they have been read. Must not be moved. */
typedef struct RowEntries
{
	LayoutEntries entries;
	int64 numbers[LAYOUT_MAX_COLUMNS]; /* columns that are no arrays */
	int64 origin;                      /* is added to first indices */
} RowEntries;

/*
 * Are the keys of an index dates? Then its arrays have dates or, where the last two
 * indices are exchanged, those of the other one.
 */
extern bool index_has_days(const EntriesCall *call, int index);

/* The number of the first argument that differs from row to row. */
extern int entries_first_row_argument(bool stored);

/*
 * Reads the arguments that are the same for all rows; false if one of them is NULL, and
 * there are no entries. types must stay valid. Errors: 42601, 42804 for what is no layout
 * of this rank.
 */
extern bool begin_entries_call(EntriesCall *call, bool stored, int rank, int nargs,
							   const Oid *types, const NullableDatum *args);

/*
 * Begins with the first entry of a row; false if one of its columns is NULL. The arrays
 * are copied into the current memory context if they are compressed or out of line, and
 * read as long as entries are. Errors: those of arrays that do not fit the layout, with
 * the keys of the row.
 */
extern bool begin_row_entries(const EntriesCall *call, const NullableDatum *args,
							  RowEntries *row);

/*
 * Does the same, but begins with the first entry whose first index is not less than the
 * given one, but of symmetric entries with the first of all. Of arrays with offsets only
 * the entries of that index are read, and their other elements are not checked.
 */
extern bool begin_row_entries_at(const EntriesCall *call, const NullableDatum *args,
								 int64 first, RowEntries *row);

/*
 * Returns the next entries that are not the fill, n at the most, which is 2 at least:
 * keys[d][i] and numbers[i]; 0 at the end.
 */
extern int next_entries(const EntriesCall *call, RowEntries *row, int n,
						int64 *const *keys, double *numbers);

/*
 * Calls a function with the text of each key of an object that is not the fill, and its
 * number, for the columns of a row whose keys may be any text; nothing if it is NULL.
 */
typedef void (*ObjectEntry)(const char *key, double number, void *state);
extern void read_object(const EntriesCall *call, const NullableDatum *args,
						ObjectEntry entry, void *state);

/* Is its column an object, whose keys are integers or texts? */
static inline bool
layout_is_object(const Layout *layout)
{
	return layout_column(layout, 1, 0) == LAYOUT_OBJECT;
}

/* Returns "coo, csr, ...": the names of all layouts. */
extern char *layout_names(void);

#endif
