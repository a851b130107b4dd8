/*-------------------------------------------------------------------------
 *
 * compare_storages.h
 *	  Do the storages of a tensor hold the same entries?
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_COMPARE_STORAGES_H
#define CATALOG_COMPARE_STORAGES_H

#include "catalog/registration.h"

/*
 * A WARNING for each storage whose entries, sum or extremes are not those of the
 * first, but for rounding, and for each that cannot be read. All are read, unless
 * there is only one; left out are those of which the user does not see all rows.
 */
extern void compare_storages(const TensorEntry *tensor);

#endif
