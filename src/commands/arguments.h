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

/* Raises an error if an argument is NULL; for functions that are not strict. */
extern void require_argument(FunctionCallInfo fcinfo, int argument, const char *name);

/* Returns the name of a program. Errors: 22004 if it is NULL, 42602 if empty. */
extern char *program_name(FunctionCallInfo fcinfo, int argument);

/*
 * Returns the name of a program that is to be created in a schema; notices a name that
 * looks like "schema.name".
 */
extern char *created_program_name(FunctionCallInfo fcinfo, int argument,
								  const char *schema);

/*
 * Returns names of tensors (SyntaxReference *) from an array of text; error messages call
 * the array by the name in argument.
 */
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

/* Reads the argument storage: true for 'further', false for 'only'. */
extern bool is_further_storage(const text *value);

/* Reads "a", "s.a" or, labels ignored, "a[I,J]": the name of a tensor. */
extern SyntaxReference *parse_tensor_name(const text *name);

/* Raises 42P01 for a tensor that does not exist, with similar names as a hint. */
pg_noreturn extern void report_no_tensor(const SyntaxReference *reference);

/*
 * Raises a NOTICE if a tensor that has been made or registered has the name of an aggregate
 * and the caller did not quote it, so that programs may be expected to read it so.
 */
extern void notice_aggregate_name(const SyntaxReference *reference);

/* Returns the registered tensor of that name. Errors: as report_no_tensor. */
extern TensorEntry *require_tensor(const SyntaxReference *reference);

/* Returns the names of the schemas in the current search_path. */
extern List *names_of_search_path(void);

#endif
