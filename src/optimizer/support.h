/*-------------------------------------------------------------------------
 *
 * support.h
 *	  Which operands of an expression determine its support.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_SUPPORT_H
#define OPTIMIZER_SUPPORT_H

#include "expr/expr.h"

/* Of a literal 0: absent whatever the atoms are. */
#define KILLERS_ALL PG_UINT64_MAX
#define SUPPORT_MAX_ATOMS 63

/* The accesses and aggregates of an expression, each once. */
extern List *collect_atoms(TensorExpr *expr);

/*
 * The atoms (by position in the list) each of which forces the expression to
 * 0 wherever it is 0 itself, whatever the others are.
 */
extern uint64 killers(const TensorExpr *expr, List *atoms);

#endif
