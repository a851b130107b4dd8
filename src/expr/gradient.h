/*-------------------------------------------------------------------------
 *
 * gradient.h
 *	  Makes a program that computes the derivatives of another program's result.
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

/* Are two tensors the same stored one, written with its schema and without? */
extern bool same_stored_tensor(const ProgramTensor *one, const ProgramTensor *other);

/*
 * Returns a tensor that the program reads or defines, by its name. Errors: 42704 if the
 * name is unknown, 42P09 if it means two tensors.
 */
extern ProgramTensor *find_program_tensor(const Program *program,
										  const SyntaxReference *name);

/*
 * Returns the text of a program that computes the result, and for each tensor t by which
 * it is derived a tensor named prefix || t, with t's shape and type: reverse mode over
 * the expression DAG. Errors: 42704 for a name that the program does not define or read;
 * 42P09 for a name that means two tensors; 42710 if a derivative's name is taken, 42622
 * if it is too long; 42804 if the result is not a real number; 0A000, with the position
 * in the text, if the number of an open label's indices would have to be known.
 */
extern char *gradient_program(const char *text, const GradientOptions *options);

#endif
