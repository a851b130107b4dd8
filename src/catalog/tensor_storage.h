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

/* The reason why a registration does not fit its relation. */
typedef struct StorageProblem
{
	int sqlstate;
	char *message; /* as errmsg */
	char *detail;  /* or NULL */
	char *hint;    /* or NULL */
} StorageProblem;

/*
 * Finds the columns that a storage names, checks their types and, under DUPLICATES_ERROR,
 * that the keys are unique. Sets attno, key_type, value_attno, value_type, constraint,
 * unique_index, range_proved, is_view and may_fail. Returns false with *problem filled if
 * the relation does not fit. Bounds may still be BOUND_UNKNOWN. Reads catalogs only.
 */
extern bool storage_resolve(Storage *storage, Relation relation, StorageProblem *problem);

/* Returns the user column of that name, or NULL. */
extern Form_pg_attribute user_column(Relation relation, const char *name);

/*
 * Fills *problem for a column that does not exist, whose role in the registration is
 * given; returns false.
 */
extern bool no_column(const Storage *storage, Relation relation, const char *name,
					  const char *role, StorageProblem *problem);

/* Raises a problem as an error. */
extern void report_problem(const StorageProblem *problem);

/* The bound of a label that registering has yet to read from the data. */
#define BOUND_UNKNOWN (-2)

/*
 * Returns the rank of the tensors in the value column: the number of blocked and demoted
 * labels.
 */
extern int storage_value_rank(const Storage *storage);
extern int storage_key_count(const Storage *storage);

/*
 * Returns the number of keys that a label can have: its indices, or blocks if it is
 * blocked; the bound itself if that is open or unknown.
 */
extern int64 dimension_key_count(const StorageDimension *dimension);

/* Are the keys of a label dates? Those of one in blocks are numbers of blocks. */
extern bool dimension_has_days(const StorageDimension *dimension);

/* Returns the first key of a bounded label; blocks are numbered from 0. */
extern int64 dimension_first_key(const StorageDimension *dimension);

/* Are the values tensors, rather than plain numbers? */
extern bool storage_has_tensors(const Storage *storage);

/*
 * Is the storage a program's view, which has checked the rows that it read, or the state
 * of a loop? Others may write into tables.
 */
extern bool storage_is_live(const Storage *storage);

/*
 * Must conditions that are generated for a storage stay above the conditions of its view?
 */
extern bool storage_has_barrier(const Storage *storage);

/*
 * Are the values arrays, or made from columns, so that a tensor is built whenever one is
 * read?
 */
extern bool has_array_values(const Storage *storage);

/*
 * Returns SQL that converts a column of numbers or booleans, as written in a query, to
 * double precision.
 */
extern char *number_value(const Storage *storage, const char *column);

/*
 * Returns "SELECT keys ..., value FROM relation" for a resolved storage, with all names
 * quoted and qualified: integer keys as bigint, others unchanged, the value as float8 or
 * tensor, or 1. With number_keys, open keys that are not integers are numbered from 0;
 * of ranges there is one row for each, with the last key in it, and behind the value, for
 * each dimension with ranges, the first one.
 */
extern char *storage_scan_sql(const Storage *storage, bool number_keys);

/* Is the key not an integer, so that it has to be numbered? */
extern bool is_numbered_key(const StorageDimension *dimension);

/* Is the type int2, int4 or int8? Keys with a bound have these types. */
extern bool is_integer_type(Oid type);

/* Is there a cast from one type to the other that does not go through text? */
extern bool casts_to(Oid source, Oid target);

/*
 * Returns the view that a table is filled from, or InvalidOid if it does not exist any
 * more.
 */
extern Oid storage_filling_view(const Storage *storage);

/* Returns the view of a table that is current between refreshes, or InvalidOid. */
extern Oid storage_now_view(const Storage *storage);

/* Returns the owner of a relation, or InvalidOid if it does not exist. */
extern Oid relation_owner(Oid relid);

/*
 * Does the relation exist, and does the current user own it, directly or as a member of
 * the owner? Raises no error, unlike pg_class_ownercheck, if another session has dropped
 * the relation.
 */
extern bool owns_relation(Oid relid);

/*
 * Returns the name of the relation that has the rows of a storage, in the query that is
 * written.
 */
extern char *storage_relation_name(const Storage *storage);

/* Returns the quoted and qualified name of a relation. */
extern char *qualified_relation_name(Oid relid);

#endif
