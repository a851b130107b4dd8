/*-------------------------------------------------------------------------
 *
 * check_data.h
 *	  Checking the rows of a relation against what is registered about it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_CHECK_DATA_H
#define CATALOG_CHECK_DATA_H

#include "catalog/registration.h"
#include "executor/tuptable.h"
#include "utils/relcache.h"

/* The check of one storage, row by row. */
typedef struct DataCheck
{
	Storage *storage;
	const char *relation;
	bool tensors; /* values are tensors */
	bool type_known;
	bool exact_numbers; /* the value is a bigint or numeric, cast to double precision */
	int64 rows;
	int64 left_out; /* rows with keys whose value is NULL */
	int64 rounded;  /* values of bigint or numeric columns that may have lost digits */
	int64 keys[TENSOR_MAX_RANK]; /* of the present row, by dimension */
	int64 least_key[TENSOR_MAX_RANK];
	int64 last_key[TENSOR_MAX_RANK]; /* largest key so far, or -1 */
	int64
		last_extent[TENSOR_MAX_RANK]; /* of a blocked label: size of the block last_key */
} DataCheck;

extern void begin_data_check(DataCheck *check, Storage *storage, Relation relation);

/*
 * Checks one row of storage_scan_sql, and sets check->keys for keys that are integers.
 * False if the row is an absent entry, because of a NULL. Errors: as check_storage_data.
 */
extern bool check_data_row(DataCheck *check, TupleTableSlot *slot);

/* Reads the ends of a row's range for dimension d, of storage_scan_sql. */
extern void read_range_ends(const Storage *storage, const TupleTableSlot *slot, int d,
							int64 *first, int64 *last);

/* Returns how many keys such a row stands for, by its ranges. */
extern double keys_of_row(const Storage *storage, const TupleTableSlot *slot);

/*
 * Reads and checks every row of a resolved storage once. Bounds that are BOUND_UNKNOWN
 * are set from the data: one more than the largest key, or the shape of the values. The
 * element type of tensor values is set, too. Errors: 22003 for a key out of range, 2202E
 * for a value of another shape, 42804 for mixed element types, 21000 for a second row
 * without keys, 55000 if there is no row to read a bound from.
 */
extern void check_storage_data(Storage *storage, Relation relation);

#endif
