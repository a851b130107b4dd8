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
 * Calls a function in a subtransaction. Returns NULL; or the error that it raised, after
 * undoing all that it did. Cancelling the statement, its timeout and the end of the
 * session are raised, once the subtransaction has ended.
 */
extern ErrorData *attempt(void (*function)(void *), void *argument);

/*
 * Does the same for a function that only reads: its locks are released when it returns.
 * Memory that it has allocated stays.
 */
extern ErrorData *attempt_without_locks(void (*function)(void *), void *argument);

/* Is an error about the user's input: of class 22, 42, 54 or 0A? */
extern bool is_error_of_input(int sqlerrcode);

/*
 * Calls a function that parses a text: it only allocates memory, and opens, locks and
 * looks up nothing. Returns NULL, or an error about the text. Other errors are raised.
 */
extern ErrorData *attempt_to_read(void (*function)(void *), void *argument);

#endif
