/*-------------------------------------------------------------------------
 *
 * interned.h
 *	  Numbers for what has been written down: equal texts have one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_INTERNED_H
#define ALGEBRA_INTERNED_H

#include "postgres.h"

#include "lib/stringinfo.h"

typedef struct Interned Interned;

/* In the current memory context. */
extern Interned *new_interned(void);

/* The number of a text, by all of its bytes; they count from 0 in order of appearance. */
extern int interned_number(Interned *interned, const StringInfoData *text);

/* Appends a number to a text that is being written. */
extern void write_int(StringInfo text, int value);

#endif
