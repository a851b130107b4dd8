/*-------------------------------------------------------------------------
 *
 * traps.h
 *	  What a program means that its author probably does not.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_TRAPS_H
#define EXPR_TRAPS_H

#include "expr/expr.h"

/* A NOTICE for each trap of a program: of its text, and of its result. */
extern void notice_traps(const Program *program);

/*
 * A NOTICE for each trap of a program of a loop by its text alone: what is right as a result is so as a
 * condition.
 */
extern void notice_traps_of_loop(const char *text);

#endif
