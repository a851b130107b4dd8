/*-------------------------------------------------------------------------
 *
 * repeatable.h
 *	  Which expressions and queries may be computed again, or for more rows than are
 *	  returned.
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
 * True if it has no effects to read the rows of a query level again, or more of them than
 * are returned: neither the level nor its subplans call volatile functions.
 */
extern bool is_repeatable(const PlannerInfo *root);

#endif
