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

/* Of a number: it is its own fill everywhere. */
#define KILLERS_ALL PG_UINT64_MAX
#define SUPPORT_MAX_ATOMS 63

/*
 * The accesses and aggregates of an expression, each once. Of an expression that
 * may have more than SUPPORT_MAX_ATOMS only their number is to be had.
 */
extern List *collect_atoms(TensorExpr *expr);
extern int count_atoms(TensorExpr *expr);

/*
 * The atoms (by position in the list) each of which forces the expression to
 * its fill wherever it is at its own, whatever the others are.
 */
extern uint64 killers(const TensorExpr *expr, List *atoms);

/* Atoms whose supports, united, include the expression's. */
extern uint64 support_atoms(const TensorExpr *expr, List *atoms);

#endif
