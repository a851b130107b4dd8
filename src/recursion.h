/*-------------------------------------------------------------------------
 *
 * recursion.h
 *	  What every function begins with that calls itself, be it through others.
 *
 *	  Expressions share their parts, and so do statements and stages: who walks along
 *	  all ways to a part takes exponential time. So a function that calls itself visits
 *	  a node once, as walk_expr() does (expr/walk.h), or has a limit.
 *	  test/gates/recursion.list says which.
 *
 *-------------------------------------------------------------------------
 */
#ifndef RECURSION_H
#define RECURSION_H

#include "postgres.h"

#include "miscadmin.h"

/* Visits of this backend: the setting sparseeinsum.visits, by which tests see how they grow. */
extern uint64 recursion_visits;

/* Counts a visit. Errors: 54001 if the stack is too deep, 57014 if the query is cancelled. */
static inline void
enter_recursion(void)
{
	recursion_visits++;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
}

/* Defines the setting. */
extern void recursion_init(void);

#endif
