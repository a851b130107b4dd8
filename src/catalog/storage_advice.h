/*-------------------------------------------------------------------------
 *
 * storage_advice.h
 *	  Whether the values of a table should be stored in another way.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_STORAGE_ADVICE_H
#define CATALOG_STORAGE_ADVICE_H

#include "catalog/registration.h"

/*
 * Returns the statement that makes a resolved storage's table store its values out of
 * line and uncompressed. NULL if it does so already, if values are too small for it to
 * matter, or if it is not a table with tensors. Reads catalogs only.
 */
extern char *storage_advice(const Storage *storage);

/* Raises a NOTICE with that statement as its hint, unless it is NULL. */
extern void notice_storage_advice(const Storage *storage);

#endif
