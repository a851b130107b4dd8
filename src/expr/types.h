/*-------------------------------------------------------------------------
 *
 * types.h
 *	  Element types of expressions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_TYPES_H
#define EXPR_TYPES_H

#include "expr/expr.h"

/*
 * Writes conversions into an expression, so that each operation has operands of one type
 * and no rewriting can change the type in which something is computed. The result has a
 * type of its own: float8 or complex16 where nothing determines it.
 */
extern TensorExpr *fix_types(Program *program, TensorExpr *expr);

/* Is the expression a sum, + - * / or a change of sign: what SPORES calls a ring? */
extern bool is_arithmetic(const TensorExpr *expr);

/*
 * Is a node a comparison, or a choice between comparisons or between these and numbers?
 * Such a truth value takes the type of what it is combined with.
 */
extern bool makes_truth_value(const TensorExpr *expr);

/*
 * Raises 0A000 with the position for functions and aggregates that complex numbers do not
 * have.
 */
extern void check_function_type(const Program *program, FunctionId function,
								TensorExpr *const *args, int location);
extern void check_aggregate_type(const Program *program, AggregateOperator aggregate,
								 const TensorExpr *child, int location);

#endif
