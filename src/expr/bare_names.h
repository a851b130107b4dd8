/*-------------------------------------------------------------------------
 *
 * bare_names.h
 *	  Finds mistakes in names without brackets that are not tensors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_BARE_NAMES_H
#define EXPR_BARE_NAMES_H

#include "parser/syntax.h"

/* Does a reference mean a tensor that exists? */
typedef bool (*TensorExists)(void *context, const SyntaxReference *reference);

/*
 * Returns a hint for an unknown name that depends on where the program stands, or NULL.
 */
typedef const char *(*NameHint)(void *context, const SyntaxReference *reference);

/*
 * Checks a statement that is linear algebra because a name has no brackets. Raises 42601
 * if the name is a label that is used as a number, 42704 if it is a constant of other
 * languages, such as pi, and 42601 if some tensors have indices and others have none.
 * Returns the first name of which nothing is known, if other tensors have indices; else
 * NULL.
 */
extern SyntaxReference *check_bare_names(const char *text,
										 const SyntaxStatement *statement,
										 TensorExists exists, NameHint hint,
										 void *context);

/* Does an aggregate or a formula of an expression bind the label? */
extern bool binds_label(const SyntaxExpr *expr, const char *label);

#endif
