/*-------------------------------------------------------------------------
 *
 * attempt.h
 *	  Work that may fail without failing the statement.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_ATTEMPT_H
#define CATALOG_ATTEMPT_H

#include "postgres.h"

/*
 * Calls a function in a subtransaction. Returns NULL, or the error that it
 * raised, of which nothing is left. Cancelling the statement, its timeout and
 * the end of the session are raised, after the subtransaction has ended.
 */
extern ErrorData *attempt(void (*function)(void *), void *argument);

/*
 * The same for a function that only looks at something: what it has locked for that is
 * released. What it has allocated stays.
 */
extern ErrorData *attempt_without_locks(void (*function)(void *), void *argument);

/* Does an error say something of what was given: is it of class 22, 42, 54 or 0A? */
extern bool is_error_of_input(int sqlerrcode);

/*
 * Calls a function that reads a text: it allocates memory, and neither opens, locks nor
 * looks up anything. Returns NULL, or what it says of the text: an error of input. All
 * others are raised.
 */
extern ErrorData *attempt_to_read(void (*function)(void *), void *argument);

#endif
