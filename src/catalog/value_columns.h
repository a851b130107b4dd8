/*-------------------------------------------------------------------------
 *
 * value_columns.h
 *	  Values that are no column: a vector of several columns, and the categories
 *	  of one.
 *
 * '{age,income,1}' makes a row's columns and numbers one dimension of the value. With a
 * NULL in one of them a row has no entries (nulls => 'row'), as one whose value is NULL;
 * or (nulls => 'entry') lacks that entry, so that its value is the fill. With one_hot, a
 * column of categories is a dimension of its values when it is registered, where a row is
 * 1 at its own and 0 at the others; there a NULL is a row without entries.
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
 * Sets the value of a storage from the argument "value" of a registration; NULL: no value
 * column. If several columns make the value, their number is the bound of the dimension.
 * Errors: 22023 and others of an argument, 42701.
 */
extern void set_value(Storage *storage, const char *value, bool one_hot);

/* Is the value made from columns, rather than stored in one? */
extern bool has_made_value(const Storage *storage);

/* Reads 'row' or 'entry'; false for any other word. */
extern bool null_policy_by_name(const char *name, NullPolicy *policy);

/*
 * Returns the names of columns of the value: a row has no entries if one of them is NULL.
 */
extern List *needed_value_columns(const Storage *storage);

/*
 * Appends "AND alias.column IS NOT NULL" for all keys and all columns that the value
 * needs: true for rows that have entries.
 */
extern void append_row_conditions(StringInfo query, const Storage *storage,
								  const char *alias);

/*
 * Checks that the storage has the one dimension that its made value needs, and sets that
 * dimension's bound. Returns what is wrong, or NULL.
 */
extern char *fit_made_value(Storage *storage);

/*
 * Finds the columns that make a value, and their types. False with *problem filled if one
 * does not fit.
 */
extern bool resolve_value_parts(Storage *storage, Relation relation,
								StorageProblem *problem);

/*
 * Checks the type of a column of categories. False with *problem filled if it does not
 * fit.
 */
extern bool resolve_category(const Storage *storage, Relation relation, Oid type,
							 StorageProblem *problem);

/*
 * Reads, while registering, the categories that a column has now, as the relation's
 * owner.
 */
extern void read_categories(Storage *storage, Relation relation);

/*
 * Returns a made value as a template of SQL, of type tensor; %1$s stands for the alias of
 * the relation. If columns is not NULL, it has the names under which the SQL knows the
 * columns: those of value_parts in their order, or the column of categories.
 */
extern char *made_value(const Storage *storage, char *const *columns);

/* Returns the text of ValuePart *s, as "{age,income,1}". */
extern char *value_parts_text(List *parts);

/* Returns the name of index i of the dimension: a column, a number or a category. */
extern char *value_index_name(const Storage *storage, int i);

#endif
