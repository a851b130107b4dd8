/*-------------------------------------------------------------------------
 *
 * analysis.h
 *	  From syntax trees to the expression DAG.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_ANALYSIS_H
#define EXPR_ANALYSIS_H

#include "compat.h"
#include "expr/expr.h"

/*
 * Parses and analyses a program: resolves tensors, labels and their bounds,
 * makes implicit sums explicit. Errors carry the position in the text.
 */
extern Program *analyze_program(const char *text);

/* 0A000 at a position of the program, for what is documented as not supported. */
pg_noreturn extern void unsupported(const Program *program, int location,
									const char *what, const char *hint);

#endif
