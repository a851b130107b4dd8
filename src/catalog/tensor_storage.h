/*-------------------------------------------------------------------------
 *
 * tensor_storage.h
 *	  Fitting a registration to the relation it is about.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_TENSOR_STORAGE_H
#define CATALOG_TENSOR_STORAGE_H

#include "catalog/pg_attribute.h"
#include "catalog/registration.h"
#include "utils/relcache.h"

/* Why a registration does not fit its relation. */
typedef struct StorageProblem
{
	int sqlstate;
	char *message; /* as errmsg */
	char *detail;  /* or NULL */
	char *hint;    /* or NULL */
} StorageProblem;

/*
 * Finds the columns that a storage names, checks their types and, under DUPLICATES_ERROR,
 * that the keys are unique; fills attno, key_type, value_attno, value_type, constraint,
 * unique_index, range_proved, is_view and may_fail. Returns false with *problem filled if
 * the relation does not have what is needed. Bounds may still be BOUND_UNKNOWN. Reads
 * catalogs only.
 */
extern bool storage_resolve(Storage *storage, Relation relation, StorageProblem *problem);

/* The user column of that name, or NULL. */
extern Form_pg_attribute user_column(Relation relation, const char *name);

/* Fills *problem with a column that is not there, and its role; returns false. */
extern bool no_column(const Storage *storage, Relation relation, const char *name,
					  const char *role, StorageProblem *problem);

/* Raises a problem as an error. */
extern void report_problem(const StorageProblem *problem);

/* A bound that registering has yet to read off the data. */
#define BOUND_UNKNOWN (-2)

/* The rank of the tensors in the value column: blocks and demoted labels. */
extern int storage_value_rank(const Storage *storage);
extern int storage_key_count(const Storage *storage);

/* The keys that a promoted or blocked label has: indices, or blocks; the bound
 * itself where that is open or unknown. */
extern int64 dimension_key_count(const StorageDimension *dimension);

/* Whether the entries come out of tensor values rather than plain numbers. */
extern bool storage_has_tensors(const Storage *storage);

/*
 * A program's view, which has checked what it read, or the state of a loop; into tables
 * others write.
 */
extern bool storage_is_live(const Storage *storage);

/* Do conditions that are generated for a storage stay above those of its view? */
extern bool storage_has_barrier(const Storage *storage);

/* Are the values arrays or made, so that a tensor is built whenever they are read? */
extern bool has_array_values(const Storage *storage);

/* A column of numbers or booleans, as written in a query, as double precision. */
extern char *number_value(const Storage *storage, const char *column);

/*
 * "SELECT keys ..., value FROM relation" for a storage that has been resolved:
 * integer keys as bigint, others as they are, the value as float8 or tensor or
 * 1, everything quoted and qualified. With number_keys, open keys that are not
 * integers are numbered from 0.
 */
extern char *storage_scan_sql(const Storage *storage, bool number_keys);

/* Does this key have no integer value of its own? */
extern bool is_numbered_key(const StorageDimension *dimension);

/* int2, int4 or int8: the types that keys with a bound can have. */
extern bool is_integer_type(Oid type);

/* Does a cast other than through text lead from one type to the other? */
extern bool casts_to(Oid source, Oid target);

/* The view that a table is filled from, or InvalidOid if it does not exist (any more). */
extern Oid storage_filling_view(const Storage *storage);

/* The owner of a relation, or InvalidOid if there is no such relation. */
extern Oid relation_owner(Oid relid);

/* Quoted and qualified name of a relation. */
extern char *qualified_relation_name(Oid relid);

#endif
