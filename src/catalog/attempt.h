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
 * the end of the session are raised as ever.
 */
extern ErrorData *attempt(void (*function)(void *), void *argument);

#endif
