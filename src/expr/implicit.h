/*-------------------------------------------------------------------------
 *
 * implicit.h
 *	  Einstein's convention: makes sums explicit that a statement does not write.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_IMPLICIT_H
#define EXPR_IMPLICIT_H

#include "parser/syntax.h"

typedef bool (*ReferenceTest)(void *context, const SyntaxReference *reference);

/*
 * Makes the implicit sums of a statement explicit, in place. Raises 42601, with the
 * explicit spellings, where the rule does not say what is meant, and where a label seems
 * to be a key or the name of an index. is_stored tells whether a reference means a stored
 * tensor.
 */
extern void make_sums_explicit(const char *text, SyntaxStatement *statement,
							   ReferenceTest is_stored, void *context);

/*
 * Gives each solve, inverse and cholesky in a statement the labels of its matrices, if
 * they are not written; call it before make_sums_explicit. Raises 42601 where the labels
 * are not clear.
 */
extern void make_labels_explicit(const char *text, SyntaxStatement *statement);

/* Raises 42601 because a matrix lacks label number n of those in the brackets. */
pg_noreturn extern void matrix_lacks_label(const char *text, const SyntaxExpr *solver,
										   int n);

#endif
