/*-------------------------------------------------------------------------
 *
 * iterate.h
 *	  Running a loop again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMANDS_ITERATE_H
#define COMMANDS_ITERATE_H

#include "catalog/registration.h"
#include "rows/fill.h"

/*
 * Returns the registration, among those of relations, that keeps how a loop was run; or
 * NULL.
 */
extern Storage *loop_among(const List *relations);

/*
 * Runs a loop again as the owner of its tables, unless nothing that it reads has changed,
 * and whole is false. state: a registration that keeps how it was run. Errors: those of
 * einsum_iterate.
 */
extern TableFilled *refresh_loop(const Storage *state, bool whole);

#endif
