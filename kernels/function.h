/*-------------------------------------------------------------------------
 *
 * function.h
 *	  The pointwise functions of the language.
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

#include "kernels/function_list.h"

#define FUNCTION_ID(id, ...) FUNCTION_##id,

/* clang-format off */
typedef enum FunctionId
{
	POINTWISE_FUNCTIONS(FUNCTION_ID, FUNCTION_ID, FUNCTION_ID)
	FUNCTION_COUNT
} FunctionId;
/* clang-format on */

#undef FUNCTION_ID

#define FUNCTION_MAX_ARGS 3

typedef struct PointwiseFunction
{
	FunctionId id;
	const char *name;   /* in programs ("relu") and in SQL ("scalar_relu") */
	const char *symbol; /* the operator it is written with, or NULL */
	int arity;          /* 1 to 3 */
	int work;           /* of an element, as times of an addition */
	double (*scalar)(const double *args);
	/* set out[0..n) to f(args[k][0..n)); out may be one of args */
	void (*loop8)(int64_t n, const double *const *args, double *out);
	void (*loop4)(int64_t n, const float *const *args, float *out);
} PointwiseFunction;

extern const PointwiseFunction pointwise_functions[FUNCTION_COUNT];

/* Division as IEEE has it: 0 / 0 is NaN. It is not a function of the language. */
extern const PointwiseFunction pointwise_divide_ieee;

/*
 * The work of a call (PointwiseFunction.work) whose last argument is this constant, or NaN
 * if that is not known: a square is a product.
 */
extern int function_work(FunctionId function, double last);

/* Finds a function by its name in programs; NULL if unknown. */
extern const PointwiseFunction *pointwise_function_by_name(const char *name);

#endif
