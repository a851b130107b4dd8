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
 * The statement that makes a resolved storage's table store its values out of
 * line and as they are, or NULL if it does, if they are too narrow for it to
 * matter, or if it is not a table with tensors. Reads catalogs only.
 */
extern char *storage_advice(const Storage *storage);

/* Raises a NOTICE with that statement as its hint, if there is one. */
extern void notice_storage_advice(const Storage *storage);

#endif
