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

/* The killers of a literal, which is at its fill everywhere. */
#define KILLERS_ALL PG_UINT64_MAX
#define SUPPORT_MAX_ATOMS 63

/*
 * Return the accesses and aggregates of an expression, each once, in order of appearance,
 * or their number. The list is shared: do not change it. With more than SUPPORT_MAX_ATOMS
 * of them the number is SUPPORT_MAX_ATOMS + 1, and there is no list.
 */
extern const List *collect_atoms(Algebra *algebra, TensorExpr *expr);
extern int count_atoms(Algebra *algebra, TensorExpr *expr);

/*
 * Does an argument at this fill force the function's result to its own fill, whatever the
 * other arguments are?
 */
extern bool fill_kills(FunctionId function, int argument, Number fill, Number result);

/*
 * Returns a mask of atoms, by their position in the expression's list: those that force
 * the expression to its fill wherever they are at their own, whatever the other atoms
 * are.
 */
extern uint64 killers(Algebra *algebra, TensorExpr *expr);

/*
 * Returns a mask of some of these atoms, which include the expression's own: the union of
 * their supports includes the support of the expression.
 */
extern uint64 support_atoms(Algebra *algebra, TensorExpr *expr, const List *atoms);

#endif
