/*-------------------------------------------------------------------------
 *
 * repeatable.h
 *	  What may be computed for more rows than are returned, and again.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_REPEATABLE_H
#define EXECUTOR_REPEATABLE_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"

/* True if an expression or a query calls volatile functions, apart from einsum_once. */
extern bool calls_volatile(Node *node);

/*
 * True if the rows of a query level can be read again, and more of them than are
 * returned, without effects: no volatile functions, also in its subplans.
 */
extern bool is_repeatable(const PlannerInfo *root);

#endif
