/*-------------------------------------------------------------------------
 *
 * hints.h
 *	  What people who know other languages probably need to be told.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PARSER_HINTS_H
#define PARSER_HINTS_H

#include "postgres.h"

#define LIST_OF_NUMBERS                                                                  \
	"A list of numbers is not written in a program: einsum_store() makes a tensor of a " \
	"query's rows, and a column of values is registered."

/* What to write instead of a word of numpy, R, SQL or networkx, whatever its case; or NULL. */
extern const char *hint_for_word(const char *word);

/* A hint for a sign in a name that is not a letter, as a square root; or NULL. */
extern const char *hint_for_sign_within(const char *word);

/*
 * A hint for what was read as the name of a tensor, with a schema or NULL, as np.pi; or
 * NULL.
 */
extern const char *hint_for_foreign_name(const char *schema, const char *name);

#endif
