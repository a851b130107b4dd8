/*-------------------------------------------------------------------------
 *
 * function.h
 *	  The pointwise functions of the language: one row per function, and the
 *	  only place where their arithmetic is written.
 *
 * Arithmetic is IEEE 754 and never an error, except that 0 / x is 0 for every
 * x (an absent entry stays absent). min and max (least and greatest) propagate
 * NaN, comparisons give 1 or 0, and the sign of NaN is NaN. The fill of an
 * expression, the fully promoted scalar functions and the map kernels all call
 * the same code, so that no plan can differ from another in what a function
 * means.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_FUNCTION_H
#define KERNELS_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

typedef enum FunctionId
{
	FUNCTION_ADD,
	FUNCTION_SUBTRACT,
	FUNCTION_MULTIPLY,
	FUNCTION_DIVIDE,
	FUNCTION_POWER,
	FUNCTION_NEGATE,
	FUNCTION_EQ,
	FUNCTION_NE,
	FUNCTION_LT,
	FUNCTION_LE,
	FUNCTION_GT,
	FUNCTION_GE,
	FUNCTION_GREATEST,
	FUNCTION_LEAST,
	FUNCTION_IF, /* if(c, a, b): a where c is not 0 */
	FUNCTION_ABS,
	FUNCTION_SIGN,
	FUNCTION_SQRT,
	FUNCTION_EXP,
	FUNCTION_LN,
	FUNCTION_SIN,
	FUNCTION_COS,
	FUNCTION_TANH,
	FUNCTION_SIGMOID,
	FUNCTION_RELU,
	FUNCTION_FLOOR,
	FUNCTION_CEIL,
	FUNCTION_ROUND, /* half to even, as numpy */
	FUNCTION_CONJ,
	FUNCTION_REAL,
	FUNCTION_IMAG,
	FUNCTION_FLOAT4, /* conversions of element type */
	FUNCTION_FLOAT8,
	FUNCTION_COMPLEX8,
	FUNCTION_COMPLEX16,
	FUNCTION_COUNT
} FunctionId;

#define FUNCTION_MAX_ARGS 3

typedef struct PointwiseFunction
{
	FunctionId id;
	const char *name;   /* in programs ("relu") and in SQL ("scalar_relu") */
	const char *symbol; /* the operator it is written with, or NULL */
	int arity;          /* 1 to 3 */
	double (*scalar)(const double *args);
	/* out[0..n) of args[k][0..n); out may be one of args */
	void (*loop8)(int64_t n, const double *const *args, double *out);
	void (*loop4)(int64_t n, const float *const *args, float *out);
} PointwiseFunction;

extern const PointwiseFunction pointwise_functions[FUNCTION_COUNT];

/* Division as IEEE has it, 0 / 0 is NaN; not a function of the language. */
extern const PointwiseFunction pointwise_divide_ieee;

/* Finds a function by its name in programs; NULL if unknown. */
extern const PointwiseFunction *pointwise_function_by_name(const char *name);

#endif
