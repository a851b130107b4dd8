/*-------------------------------------------------------------------------
 *
 * moved.h
 *	  Results that note by how much they have moved since they were computed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_MOVED_H
#define CODEGEN_MOVED_H

#include "catalog/registration.h"

/*
 * Returns the digits of the numbers that a statement computes, as proven_digits does.
 * tables: of IntegerTable *, which it may read.
 */
extern double digits_of_statement(const char *statement, const List *tables);

/* Returns the name of the column that no key of the result has. */
extern char *name_of_moved(const Storage *storage);

#endif
