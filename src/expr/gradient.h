/*-------------------------------------------------------------------------
 *
 * gradient.h
 *	  A program that computes derivatives of another one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_GRADIENT_H
#define EXPR_GRADIENT_H

#include "expr/expr.h"

typedef struct GradientOptions
{
	const SyntaxReference
		*of;      /* the statement's result, a real number, that is derived */
	List *by;     /* of SyntaxReference *: tensors that are read or defined */
	List *stored; /* those of them whose derivative is 0 where they are at their fill */
	const char *prefix; /* of the names of derivatives */
	const char *init;   /* of the loop of which the program is the step; or NULL */
} GradientOptions;

/*
 * The text of a program that computes the result, and for each tensor t by which it is
 * derived one named prefix || t, of its shape and type: reverse mode over the expression
 * DAG. Errors: 42704 for a name that the program does not define or read; 42P09 for one
 * that means two tensors; 42710 for a derivative's name that is taken, 42622 for one that
 * is too long; 42804 where the result is not a real number; 0A000 with the position in the
 * text where the number of an open label's indices would have to be known.
 */
extern char *gradient_program(const char *text, const GradientOptions *options);

#endif
