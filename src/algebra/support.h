/*-------------------------------------------------------------------------
 *
 * support.h
 *	  Which operands of an expression determine its support.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_SUPPORT_H
#define ALGEBRA_SUPPORT_H

#include "algebra/algebra.h"

/* Of a number: it is its own fill everywhere. */
#define KILLERS_ALL PG_UINT64_MAX
#define SUPPORT_MAX_ATOMS 63

/*
 * The accesses and aggregates of an expression, each once, in order of
 * appearance; not to be changed, for other expressions have the same list. Of an
 * expression that may have more than SUPPORT_MAX_ATOMS only their number is to be
 * had, which is then SUPPORT_MAX_ATOMS + 1.
 */
extern const List *collect_atoms(Algebra *algebra, TensorExpr *expr);
extern int count_atoms(Algebra *algebra, TensorExpr *expr);

/*
 * Does an argument that is at this fill force the function's result to be what its
 * arguments' fills make of it, whatever the others are?
 */
extern bool fill_kills(FunctionId function, int argument, Number fill, Number result);

/*
 * The atoms of the expression (by position in its list) each of which forces it
 * to its fill wherever it is at its own, whatever the others are.
 */
extern uint64 killers(Algebra *algebra, TensorExpr *expr);

/* The atoms among these, which include its own, whose supports, united, include
 * the expression's. */
extern uint64 support_atoms(Algebra *algebra, TensorExpr *expr, const List *atoms);

#endif
