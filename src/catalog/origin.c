/*-------------------------------------------------------------------------
 *
 * origin.c
 *	  Bounds of labels whose keys begin at another integer than 0, or are dates.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "utils/datetime.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#include "catalog/origin.h"

typedef struct Origin
{
	/* the key of the hash table */
	int64 first;
	int64 size;
	int64 days; /* 0 or 1, as wide as the others: the hash table compares all bytes */
	/* its place in "origins" */
	int64 number;
} Origin;

/* All that this process has seen; the bound of origins[n] is BOUND_ORIGIN - n. */
static Origin **origins = NULL;
static HTAB *origins_by_keys = NULL;

static void
begin_origins(void)
{
	HASHCTL control = {.keysize = offsetof(Origin, number), .entrysize = sizeof(Origin)};

	origins = MemoryContextAlloc(TopMemoryContext, sizeof(Origin *));
	origins_by_keys = hash_create("sparseeinsum bounds with first keys", 64, &control,
								  HASH_ELEM | HASH_BLOBS);
}

static int64
intern_origin(int64 first, int64 size, bool days)
{
	const Origin key = {.first = first, .size = size, .days = days};
	Origin *origin;
	int64 count;

	if (origins_by_keys == NULL)
		begin_origins();
	origin = hash_search(origins_by_keys, &key, HASH_FIND, NULL);
	if (origin == NULL)
	{
		/* the array doubles when its length is a power of two */
		count = hash_get_num_entries(origins_by_keys);
		if (count > 0 && (count & (count - 1)) == 0)
			origins = repalloc(origins, sizeof(Origin *) * 2 * count);
		origin = hash_search(origins_by_keys, &key, HASH_ENTER, NULL);
		origin->number = count;
		origins[count] = origin;
	}
	return BOUND_ORIGIN - origin->number;
}

static const Origin *
origin_of(int64 bound)
{
	int64 n = BOUND_ORIGIN - bound;

	if (n < 0 || origins_by_keys == NULL || n >= hash_get_num_entries(origins_by_keys))
		elog(ERROR, "a bound has an unknown origin");
	return origins[n];
}

bool
bound_of_keys(int64 first, int64 last, int64 *bound)
{
	int64 size;

	if (last == PG_INT64_MAX || pg_sub_s64_overflow(last + 1, first, &size) || size < 0)
		return false;
	*bound = first == 0 ? size : intern_origin(first, size, false);
	return true;
}

bool
bound_of_days(DateADT first, DateADT last, int64 *bound)
{
	if (DATE_NOT_FINITE(first) || DATE_NOT_FINITE(last) || last < first)
		return false;
	*bound = intern_origin(first, (int64) last - first + 1, true);
	return true;
}

bool
bound_has_days(int64 bound)
{
	return bound_has_origin(bound) && origin_of(bound)->days;
}

Oid
bound_key_type(int64 bound)
{
	return bound_has_days(bound) ? DATEOID : bound_is_wide(bound) ? INT8OID : INT4OID;
}

/* Reads a day as ISO 8601 writes it, whatever the settings are; returns its end. */
static const char *
read_day(const char *text, DateADT *day)
{
	int numbers[3];
	int length = 0;

	if (sscanf(text, "%d-%2d-%2d%n", &numbers[0], &numbers[1], &numbers[2], &length) != 3)
		return NULL;
	if (numbers[0] < 1 || !IS_VALID_JULIAN(numbers[0], numbers[1], numbers[2]) ||
		numbers[1] < 1 || numbers[1] > MONTHS_PER_YEAR || numbers[2] < 1 ||
		numbers[2] > day_tab[isleap(numbers[0])][numbers[1] - 1])
		return NULL;
	*day = date2j(numbers[0], numbers[1], numbers[2]) - POSTGRES_EPOCH_JDATE;
	return IS_VALID_DATE(*day) ? text + length : NULL;
}

/* Reads "2020-01-01..2020-12-31". */
static bool
read_day_range(const char *text, int64 *bound)
{
	DateADT first;
	DateADT last;

	text = read_day(text, &first);
	if (text == NULL || strncmp(text, "..", 2) != 0)
		return false;
	text = read_day(text + 2, &last);
	return text && *text == '\0' && bound_of_days(first, last, bound);
}

bool
is_key_range(const char *text)
{
	return isdigit((unsigned char) text[text[0] == '-' || text[0] == '+']) &&
		   strstr(text, "..") != NULL;
}

bool
read_key_range(const char *text, int64 *bound)
{
	char *end;
	long long first;
	long long last;

	if (read_day_range(text, bound))
		return true;
	errno = 0;
	first = strtoll(text, &end, 10);
	if (errno != 0 || end == text || strncmp(end, "..", 2) != 0)
		return false;
	text = end + 2;
	last = strtoll(text, &end, 10);
	return errno == 0 && end > text && *end == '\0' && first <= last &&
		   bound_of_keys(first, last, bound);
}

int64
bound_size(int64 bound)
{
	return bound_has_origin(bound) ? origin_of(bound)->size : bound;
}

int64
bound_first(int64 bound)
{
	return bound_has_origin(bound) ? origin_of(bound)->first : 0;
}

int64
bound_end(int64 bound)
{
	return bound_first(bound) + bound_size(bound);
}

bool
bound_is_wide(int64 bound)
{
	return bound_size(bound) > PG_INT32_MAX || bound_first(bound) < PG_INT32_MIN ||
		   bound_end(bound) > PG_INT32_MAX;
}

bool
bound_fits(int64 bound, Oid type)
{
	int64 first = bound_first(bound);
	int64 last = bound_end(bound) - 1;

	if (bound_has_days(bound))
		return type == DATEOID;
	switch (type)
	{
		case INT2OID:
			return first >= PG_INT16_MIN && last <= PG_INT16_MAX;
		case INT4OID:
			return first >= PG_INT32_MIN && last <= PG_INT32_MAX;
		default:
			return true;
	}
}

char *
key_to_string(int64 bound, int64 key)
{
	int year;
	int month;
	int day;

	if (!bound_has_days(bound))
		return psprintf(INT64_FORMAT, key);
	if (DATE_NOT_FINITE(key))
		return pstrdup(DATE_IS_NOEND(key) ? "infinity" : "-infinity");
	j2date((int) key + POSTGRES_EPOCH_JDATE, &year, &month, &day);
	return psprintf("%04d-%02d-%02d%s", year > 0 ? year : 1 - year, month, day,
					year > 0 ? "" : " BC");
}

char *
bounded_to_string(int64 bound)
{
	if (!bound_has_origin(bound))
		return psprintf(INT64_FORMAT, bound);
	return psprintf("%s..%s", key_to_string(bound, bound_first(bound)),
					key_to_string(bound, bound_end(bound) - 1));
}

char *
integer_literal(int64 value, int64 bound)
{
	return psprintf("'" INT64_FORMAT "'::pg_catalog.%s", value,
					bound_is_wide(bound) ? "int8" : "int4");
}

char *
key_literal(int64 key, int64 bound)
{
	return bound_has_days(bound)
			   ? psprintf("'%s'::pg_catalog.date", key_to_string(bound, key))
			   : integer_literal(key, bound);
}

char *
between_keys_sql(const char *key, int64 first, int64 last, int64 bound)
{
	return psprintf("%s OPERATOR(pg_catalog.>=) %s AND %s OPERATOR(pg_catalog.<=) %s",
					key, key_literal(first, bound), key, key_literal(last, bound));
}

char *
index_of_key_sql(int64 bound, char *key)
{
	if (!bound_has_origin(bound))
		return key;
	/* an int8, as a nest expects of positions; days between dates are an int4 */
	return psprintf(
		"(%s OPERATOR(pg_catalog.-) %s)", key,
		bound_has_days(bound)
			? key_literal(bound_first(bound), bound)
			: psprintf("'" INT64_FORMAT "'::pg_catalog.int8", bound_first(bound)));
}

char *
key_of_index_sql(int64 bound, char *index)
{
	if (!bound_has_origin(bound))
		return index;
	return psprintf("(%s OPERATOR(pg_catalog.+) %s)", index,
					key_literal(bound_first(bound), bound));
}
