/*-------------------------------------------------------------------------
 *
 * kernels.h
 *	  The numerical kernels: einsum over strided operands, and pointwise
 *	  expressions of several operands with a reduction.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "kernels/equation.h"
#include "kernels/function.h"
#include "kernels/memory.h"
#include "kernels/tensor_view.h"

/* What a shape check found; label is a number in the equation. */
typedef struct EquationMismatch
{
	int label;
	int operand; /* whose extent disagrees with an earlier one's, or -1: rank */
	int64_t expected;
	int64_t found;
} EquationMismatch;

/*
 * Extents of all labels of an equation over these operands; false (with the
 * reason in *mismatch) if an operand's rank differs from its term or two
 * extents of a label differ.
 */
extern bool equation_extents(const Equation *equation, const TensorView *const *operands,
							 int64_t *extents, EquationMismatch *mismatch);

/*
 * out += scale * einsum(operands). All operands and out have one element type
 * (float4, float8, complex8 or complex16); the caller converts. Extents have
 * been checked. The caller zeroes out if it wants "=".
 */
extern void einsum_accumulate(const Equation *equation, const TensorView *const *operands,
							  double scale, TensorView *out);

/* How a map kernel folds the labels that its output lacks. */
typedef enum Reduction
{
	REDUCTION_SUM,
	REDUCTION_MIN,
	REDUCTION_MAX,
	REDUCTION_PROD,
} Reduction;

/* The identity of a reduction: 0, +infinity, -infinity, 1. */
extern double reduction_identity(Reduction reduction);
/* folds value into *accumulator; min and max propagate NaN */
extern void reduction_fold(Reduction reduction, double *accumulator, double value);

/* A pointwise expression as postfix code over a stack of strips. */
typedef enum MapOpcode
{
	MAP_PARAMETER, /* push operand number argument */
	MAP_CONSTANT,  /* push constant */
	MAP_CALL,      /* apply pointwise_functions[argument] to the top arity */
} MapOpcode;

typedef struct MapStep
{
	MapOpcode opcode;
	int argument;
	double constant;
} MapStep;

#define MAP_MAX_STEPS 128

typedef struct MapProgram
{
	int nsteps;
	int depth;       /* deepest stack */
	int nparameters; /* highest operand used + 1 */
	MapStep steps[MAP_MAX_STEPS];
} MapProgram;

/*
 * out = fold(out, fold over the labels the output lacks of the expression),
 * for every index of the output. Operands lacking a label of the equation are
 * broadcast along it. All views have one element type, float4 or float8. The
 * caller fills out with the reduction's identity if it wants "=".
 */
extern void map_accumulate(const MapProgram *program, const Equation *equation,
						   const TensorView *const *operands, Reduction reduction,
						   TensorView *out);

/* out = fold(out, in), element by element; same type and bounds. */
extern void reduction_accumulate(Reduction reduction, const TensorView *in,
								 TensorView *out);

/* out = f(a, b) with size-1 broadcasting; the three have one element type. */
extern void elementwise_binary(FunctionId function, const TensorView *a,
							   const TensorView *b, TensorView *out);
extern void elementwise_unary(FunctionId function, const TensorView *a, TensorView *out);
/* out = a / b as numpy has it: unlike FUNCTION_DIVIDE, 0 / 0 is NaN. */
extern void elementwise_divide_ieee(const TensorView *a, const TensorView *b,
									TensorView *out);

/* Converts and copies element by element; same bounds, any strides and types
 * (complex to real keeps the real part: callers refuse it before). */
extern void view_copy(const TensorView *from, TensorView *to);

#endif
