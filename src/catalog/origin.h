/*-------------------------------------------------------------------------
 *
 * origin.h
 *	  Bounds of labels whose keys begin at another integer than 0, or are dates.
 *
 * The first key and the number of keys of such a label are interned, so that one int64
 * stands for both, as it does for a dimension: labels have the same bound if these
 * numbers are equal. Whatever needs the number of indices or the first key asks here.
 * Keys are never converted: columns have them as they are. Only the index inside of a
 * value is a key less the first one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_ORIGIN_H
#define CATALOG_ORIGIN_H

#include "utils/date.h"

#include "catalog/registration.h"

/*
 * Returns the bound of a label with these first and last keys; that is their number if
 * the first one is 0. False if first is larger than last + 1, or they are too many.
 */
extern bool bound_of_keys(int64 first, int64 last, int64 *bound);

/* Returns the same for keys of type date. */
extern bool bound_of_days(DateADT first, DateADT last, int64 *bound);

/* Are the keys dates? Then the first one is counted as PostgreSQL counts days. */
extern bool bound_has_days(int64 bound);

/* Returns the type in which keys of a bounded label are computed: date, int4 or int8. */
extern Oid bound_key_type(int64 bound);

/* Returns a key as it is written. */
extern char *key_to_string(int64 bound, int64 key);

/* Is a bound written as two keys? */
extern bool is_key_range(const char *text);

/*
 * Reads the first and the last key, as in "1..2708" or "2020-01-01..2020-12-31". Returns
 * false if the text has another form, or is no range of keys: "5..1".
 */
extern bool read_key_range(const char *text, int64 *bound);

/*
 * Returns the number of indices; bounds that are open, unknown or of a dimension, which
 * are negative, are returned as they are.
 */
extern int64 bound_size(int64 bound);

/* Returns the first key, or the one behind the last; 0 and bound_size without origin. */
extern int64 bound_first(int64 bound);
extern int64 bound_end(int64 bound);

/*
 * Are the keys of a bounded label, their number, or the one behind the last key, beyond
 * int4?
 */
extern bool bound_is_wide(int64 bound);

/* Has the type all keys of a bounded label? */
extern bool bound_fits(int64 bound, Oid type);

/* Returns a bound as it is registered: "2708", "1..2708", "2020-01-01..2020-12-31". */
extern char *bounded_to_string(int64 bound);

/* Returns a literal of bound_key_type, and of type date if the keys are dates. */
extern char *key_literal(int64 key, int64 bound);

/*
 * Returns a literal of the integer type in which indices below this bound are computed.
 */
extern char *integer_literal(int64 value, int64 bound);

/* Returns the condition that a key of a bounded label is between two keys, as SQL. */
extern char *between_keys_sql(const char *key, int64 first, int64 last, int64 bound);

/*
 * Convert between a key of a bounded label and its index inside of values, the key less
 * the first one, as SQL.
 */
extern char *index_of_key_sql(int64 bound, char *key);
extern char *key_of_index_sql(int64 bound, char *index);

#endif
