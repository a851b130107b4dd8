/*-------------------------------------------------------------------------
 *
 * function_table.h
 *	  The algebra of the pointwise functions: what fill analysis, rewriting
 *	  and code generation need to know beyond a function's arithmetic (which
 *	  is in kernels/function.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_FUNCTION_TABLE_H
#define EXPR_FUNCTION_TABLE_H

#include "kernels/function.h"
#include "parser/syntax.h"

typedef enum Monotony
{
	MONOTONE_NONE,
	MONOTONE_RISING,
	MONOTONE_FALLING,
} Monotony;

typedef struct FunctionProperties
{
	bool commutative;
	unsigned zero_kills; /* arguments (bit k) that at 0 make the result 0 */
	unsigned linear_in;  /* those that are factors: a sum of them is a sum of results */
	Monotony monotony;   /* of a unary function */
	bool total;          /* a number of every real number, or an infinity */
	bool never_negative; /* whatever its arguments, where they are real */
	unsigned folds;      /* the aggregate (bit of AggregateOperator) that repeats it */
	/*
	 * Aggregates (bits of AggregateOperator) that may be moved from one argument to the
	 * function's result, if the other argument has none of their labels; and those for
	 * which this holds only if no argument is negative.
	 */
	unsigned distributed;
	unsigned distributed_not_negative;
} FunctionProperties;

extern const FunctionProperties *function_properties(FunctionId function);

/*
 * Returns a function as programs write it: its symbol, or its name if it has no symbol.
 */
extern const char *function_written(FunctionId function);

/* Is the function ==, <>, <, <=, > or >=? */
extern bool is_comparison(FunctionId function);

#endif
