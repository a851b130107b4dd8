/*-------------------------------------------------------------------------
 *
 * traps.h
 *	  Notices for programs that probably do not mean what their author intends.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_TRAPS_H
#define EXPR_TRAPS_H

#include "expr/expr.h"

/*
 * Raises a NOTICE for each statement of a program, but for the last and those that define
 * states of a loop, that hides a stored tensor from the statements behind it.
 */
extern void notice_hidden_tensors(const Program *program);

/* Raises a NOTICE for each trap in a program's text, and in its results. */
extern void notice_traps(const Program *program);

/*
 * Raises a NOTICE for each trap in the text of a loop's program. The results are not
 * checked: what is doubtful as a result may be right as a condition.
 */
extern void notice_traps_of_loop(const char *text);

#endif
