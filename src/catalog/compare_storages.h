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
 * Compares the storages of a tensor. Warns of each storage whose number of entries, sum
 * or extremes differ from those of the first by more than rounding, and of each that
 * cannot be read. Storages whose rows the user may not all see are left out.
 */
extern void compare_storages(const TensorEntry *tensor);

#endif
