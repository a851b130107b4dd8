/*-------------------------------------------------------------------------
 *
 * arguments.h
 *	  Arguments that several einsum_* functions take.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMMANDS_ARGUMENTS_H
#define COMMANDS_ARGUMENTS_H

#include "fmgr.h"
#include "utils/array.h"

#include "catalog/registration.h"
#include "parser/syntax.h"

/* Errors if an argument of a function that is not strict is NULL. */
extern void require_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/*
 * Sets the bounds of a storage from text[]: integers, '*' for a promoted label
 * whose index set is the keys that occur, NULL (also for the whole array) for
 * BOUND_UNKNOWN. Errors: another number of bounds than labels, no such bound.
 */
extern void set_bounds(Storage *storage, ArrayType *bounds);

/* Reads "a", "s.a" or, labels ignored, "a[I,J]": the name of a tensor. */
extern SyntaxReference *parse_tensor_name(const text *name);

/* The registered tensor of that name. Errors: 42P01 with similar names. */
extern TensorEntry *require_tensor(const SyntaxReference *reference);

#endif
