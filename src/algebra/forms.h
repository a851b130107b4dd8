/*-------------------------------------------------------------------------
 *
 * forms.h
 *	  The groups of a program with their normal forms, as einsum_plan shows them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_FORMS_H
#define ALGEBRA_FORMS_H

#include "lib/stringinfo.h"

#include "expr/expr.h"
#include "expr/normalize.h"

/*
 * Appends a line for each group of equal expressions: the statements first, then the
 * aggregates that occur in them more than once.
 */
extern void print_forms(StringInfo out, Program *program, RewriteLevel level);

#endif
