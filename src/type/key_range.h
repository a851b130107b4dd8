/*-------------------------------------------------------------------------
 *
 * key_range.h
 *	  Ranges of keys: values of types int4range, int8range and daterange.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_KEY_RANGE_H
#define TYPE_KEY_RANGE_H

#include "postgres.h"

/* Returns the type of the keys in ranges of a base type; InvalidOid for other types. */
extern Oid range_key_type(Oid type);

/* What the keys of a label can be: none if end is less than first. */
typedef struct KeyLimits
{
	int64 first;
	int64 end;    /* behind the last one */
	Datum tensor; /* texts, for messages */
	Datum label;
} KeyLimits;

/* Returns the number of keys from first to end - 1. */
extern double key_count(int64 first, int64 end);

/*
 * Finds the keys of a range, first to *end - 1; infinite ends are those of the label,
 * which has none if it ends at PG_INT64_MAX, as far as the type has such keys.
 * Dates are counted as in type date, infinite ones are no keys. Errors: 22003 if a key is outside the limits, 0A000
 * for an infinite end of a label without limits; with enumerated also 54000 for more than
 * max_dense_tuples keys.
 */
extern void keys_of_range(Datum range, Oid type, const KeyLimits *limits, bool enumerated,
						  int64 *first, int64 *end);

#endif
