/*-------------------------------------------------------------------------
 *
 * integer_keys.h
 *	  Keys of the integer types, and dates, which are compared and looked up as int64.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_INTEGER_KEYS_H
#define EXECUTOR_INTEGER_KEYS_H

#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgroids.h"

/* Are keys of a type integers, or counted as such, as days are? */
static inline bool
has_integer_keys(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID;
}

/* Is a function the equality operator of two such types? */
static inline bool
is_integer_equality(Oid function)
{
	switch (function)
	{
		case F_INT2EQ:
		case F_INT24EQ:
		case F_INT28EQ:
		case F_INT42EQ:
		case F_INT4EQ:
		case F_INT48EQ:
		case F_INT82EQ:
		case F_INT84EQ:
		case F_INT8EQ:
		case F_DATE_EQ:
			return true;
		default:
			return false;
	}
}

/* Converts a key of an integer type to int64. */
static inline int64
integer_key(Datum key, Oid type)
{
	if (type == INT4OID || type == DATEOID)
		return DatumGetInt32(key);
	return type == INT8OID ? DatumGetInt64(key) : DatumGetInt16(key);
}

/* Converts a key from int64 to its integer type, whose range it has to be in. */
static inline Datum
integer_datum(int64 key, Oid type)
{
	if (type == INT4OID || type == DATEOID)
		return Int32GetDatum((int32) key);
	return type == INT8OID ? Int64GetDatum(key) : Int16GetDatum((int16) key);
}

#endif
