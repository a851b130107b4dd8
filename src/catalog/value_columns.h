/*-------------------------------------------------------------------------
 *
 * value_columns.h
 *	  Values that are no column: a vector of several columns, and the categories
 *	  of one.
 *
 * '{age,income,1}' makes a row's columns and numbers one dimension of the value. With a NULL
 * in one of them a row has no entries (nulls => 'row'), as one whose value is NULL; or
 * (nulls => 'entry') lacks that entry, so that its value is the fill. With
 * one_hot, a column of categories is a dimension of its values when it is registered,
 * where a row is 1 at its own and 0 at the others; there a NULL is a row without entries.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_VALUE_COLUMNS_H
#define CATALOG_VALUE_COLUMNS_H

#include "lib/stringinfo.h"

#include "catalog/registration.h"
#include "catalog/tensor_storage.h"
#include "utils/relcache.h"

/*
 * Sets what the argument "value" of a registration says, NULL for none. The bound of the
 * dimension is that of several columns. Errors: 22023 and others of an argument, 42701.
 */
extern void set_value(Storage *storage, const char *value, bool one_hot);

/* Is the value made of what columns hold, and not what one holds? */
extern bool has_made_value(const Storage *storage);

/* 'row' or 'entry'; false for any other word. */
extern bool null_policy_by_name(const char *name, NullPolicy *policy);

/*
 * The columns of the value, char *s: a row in which one of them is NULL has no entries.
 */
extern List *needed_value_columns(const Storage *storage);

/*
 * "AND alias.column IS NOT NULL" for all keys and for what the value needs: true for rows
 * that have entries.
 */
extern void append_row_conditions(StringInfo query, const Storage *storage,
								  const char *alias);

/*
 * Checks that the storage has the one dimension that a made value is, and gives it its
 * bound. Returns what is wrong, or NULL.
 */
extern char *fit_made_value(Storage *storage);

/* Finds several columns and their types. Returns false with *problem filled otherwise. */
extern bool resolve_value_parts(Storage *storage, Relation relation,
								StorageProblem *problem);

/* Checks the type of a column of categories; the same. */
extern bool resolve_category(const Storage *storage, Relation relation, Oid type,
							 StorageProblem *problem);

/*
 * Reads the categories that a column has now, while registering, as the relation's owner.
 */
extern void read_categories(Storage *storage, Relation relation);

/*
 * A made value as a template of SQL, of type tensor: %1$s is the alias of the relation.
 * The columns have other names there if columns is not NULL: those of value_parts in
 * their order, or the one of categories.
 */
extern char *made_value(const Storage *storage, char *const *columns);

/* "{age,income,1}" of ValuePart *s. */
extern char *value_parts_text(List *parts);

/* What index i of the dimension is called: a column, a number or a category. */
extern char *value_index_name(const Storage *storage, int i);

#endif
