/*-------------------------------------------------------------------------
 *
 * interned.h
 *	  Numbers for texts: equal texts have the same number.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_INTERNED_H
#define ALGEBRA_INTERNED_H

#include "postgres.h"

#include "lib/stringinfo.h"

typedef struct Interned Interned;

/* Returns an empty table of texts, in the current memory context. */
extern Interned *new_interned(void);

/*
 * Returns the number of a text, compared by all of its bytes. New texts are numbered from
 * 0.
 */
extern int interned_number(Interned *interned, const StringInfoData *text);

/* Appends the bytes of a number to a text. */
extern void write_int(StringInfo text, int value);

#endif
