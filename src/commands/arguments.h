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
#include "compat.h"
#include "parser/syntax.h"

/* Errors if an argument of a function that is not strict is NULL. */
extern void require_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* The name of a program. Errors: NULL, empty. */
extern char *program_name(FunctionCallInfo fcinfo, int argument);

/* The name of a program to be created in a schema; a NOTICE if it looks like
 * "schema.name". */
extern char *created_program_name(FunctionCallInfo fcinfo, int argument,
								  const char *schema);

/* Names of tensors, SyntaxReference *, from an array of text; argument names it in
 * errors. */
extern List *read_tensor_names(ArrayType *array, const char *argument);

/*
 * Sets the bounds of a storage from text[]: an integer; '*' for a promoted label whose
 * index set is the keys that occur; the name of a dimension; NULL (also for the whole
 * array) for BOUND_UNKNOWN, which is read off the data if read_off. Errors: the number of
 * bounds is not that of labels, an invalid bound.
 */
extern void set_bounds(Storage *storage, ArrayType *bounds, bool read_off);

/* Sets the bound of one dimension, and its index_set. */
extern void set_bound(StorageDimension *dimension, const char *text);

/* The argument storage: true for 'further', false for 'only'. */
extern bool is_further_storage(const text *value);

/* Reads "a", "s.a" or, labels ignored, "a[I,J]": the name of a tensor. */
extern SyntaxReference *parse_tensor_name(const text *name);

/* Errors: 42P01, with similar names. */
pg_noreturn extern void report_no_tensor(const SyntaxReference *reference);

/* The registered tensor of that name. Errors: as report_no_tensor. */
extern TensorEntry *require_tensor(const SyntaxReference *reference);

#endif
