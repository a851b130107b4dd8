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
 * Writes down the conversions that make every operation one of operands of one
 * type, so that no rewriting can change in what type something is computed.
 * The result has a type of its own: float8 or complex16 where nothing says.
 */
extern TensorExpr *fix_types(Program *program, TensorExpr *expr);

/* Is it a sum, or + - * / or a sign: what SPORES calls a ring? */
extern bool is_arithmetic(const TensorExpr *expr);

/*
 * Does a node over its arguments compare, or choose between what does or
 * between numbers? Then it takes the type of what it meets.
 */
extern bool makes_truth_value(const TensorExpr *expr);

/* Errors: 0A000 with the position, for what complex numbers do not have. */
extern void check_function_type(const Program *program, FunctionId function,
								TensorExpr *const *args, int location);
extern void check_aggregate_type(const Program *program, AggregateOperator aggregate,
								 const TensorExpr *child, int location);

#endif
