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
#include "utils/relcache.h"

/*
 * Reads every row of a resolved storage once. Bounds that are BOUND_UNKNOWN are
 * read off: one more than the largest key, the shape of the value. The element
 * type of tensor values is read off too. Errors: 22003 for a key out of range,
 * 2202E for a value of another shape, 42804 for mixed element types, 21000 for
 * a second row without keys, 55000 if there is nothing to read a bound off.
 */
extern void check_storage_data(Storage *storage, Relation relation);

#endif
