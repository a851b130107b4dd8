/*-------------------------------------------------------------------------
 *
 * bare_names.h
 *	  Names without brackets that are not tensors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_BARE_NAMES_H
#define EXPR_BARE_NAMES_H

#include "parser/syntax.h"

/* Does a reference mean a tensor that exists? */
typedef bool (*TensorExists)(void *context, const SyntaxReference *reference);

/* What to tell of an unknown name by where the program stands, or NULL. */
typedef const char *(*NameHint)(void *context, const SyntaxReference *reference);

/*
 * For statements that are linear algebra because a name has no brackets. Errors if it is a label that is
 * used as a number (42601), or a constant of other languages, as pi (42704); and if some tensors have
 * indices and others none (42601). Returns the first name that is nothing of all this, where others have
 * indices, or NULL.
 */
extern SyntaxReference *check_bare_names(const char *text,
										 const SyntaxStatement *statement,
										 TensorExists exists, NameHint hint,
										 void *context);

/* Does an aggregate or a formula of an expression bind the label? */
extern bool binds_label(const SyntaxExpr *expr, const char *label);

#endif
