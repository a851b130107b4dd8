/*-------------------------------------------------------------------------
 *
 * made_hints.h
 *	  Hints for statements that change what a program made.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMANDS_MADE_HINTS_H
#define COMMANDS_MADE_HINTS_H

#include "postgres.h"

/*
 * Returns the hint for an error of PostgreSQL about a relation that a program made, or
 * NULL. Looks up nothing.
 */
extern const char *hint_for_made(const ErrorData *error);

#endif
