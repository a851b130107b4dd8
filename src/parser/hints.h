/*-------------------------------------------------------------------------
 *
 * hints.h
 *	  Hints for people who know other languages.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PARSER_HINTS_H
#define PARSER_HINTS_H

#include "postgres.h"

#define LIST_OF_NUMBERS                                                                  \
	"A list of numbers is not written in a program: einsum_store() makes a tensor of a " \
	"query's rows, and a column of values is registered."

/*
 * Returns what to write instead of a word of numpy, R, SQL or networkx, upper or lower
 * case; NULL for other words.
 */
extern const char *hint_for_word(const char *word);

/*
 * Returns a hint for the first foreign sign in a name, such as a square root sign; NULL
 * if there is no such sign.
 */
extern const char *hint_for_sign_within(const char *word);

/*
 * Returns a hint for a name of a tensor (schema may be NULL) that is a foreign word, as
 * np.pi; or NULL.
 */
extern const char *hint_for_foreign_name(const char *schema, const char *name);

#endif
