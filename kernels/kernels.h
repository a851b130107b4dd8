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

/* What a shape check found; label is a number in the equation, or -1: rank. */
typedef struct EquationMismatch
{
	int label;
	int operand; /* whose extent disagrees with an earlier one's */
	int64_t expected;
	int64_t found;
} EquationMismatch;

typedef enum BindResult
{
	BIND_DONE,
	BIND_RANK_TOO_SMALL, /* of operand *where for the labels of its term */
	BIND_NOT_IN_OUTPUT,  /* operand *where has dimensions that the output lacks */
	BIND_OUTPUT_RANK,    /* the output has more dimensions than a tensor may have */
} BindResult;

/*
 * The equation with labels for the dimensions that "..." stands for in operands
 * of these ranks: the last ones of each operand belong together, as numpy
 * broadcasts. bound must be another struct.
 */
extern BindResult equation_bind(const Equation *equation, const int *ranks,
								Equation *bound, int *where);

/*
 * Extents of all labels of an equation over these operands; false (with the
 * reason in *mismatch) if an operand's rank differs from its term or two
 * extents of a label differ, neither being 1 or both in one operand.
 */
extern bool equation_extents(const Equation *equation, const TensorView *const *operands,
							 int64_t *extents, EquationMismatch *mismatch);

/* An order for the operands' product (see path.h). */
struct EinsumPath;

/*
 * Chooses the order in which einsum_accumulate_in_order multiplies operands of
 * these bounds and element type. Their elements are not read. The order has no
 * step if labels must be split to limit memory.
 */
extern void einsum_choose_order(const Equation *equation,
								const TensorView *const *operands, ElementType type,
								struct EinsumPath *path);

/* As einsum_accumulate with an order chosen before; for three operands or more. */
extern void einsum_accumulate_in_order(const Equation *equation,
									   const TensorView *const *operands,
									   const struct EinsumPath *path, double scale,
									   TensorView *out);

/* As einsum_accumulate with another limit of memory, in bytes; for its tests. */
extern void einsum_accumulate_limited(const Equation *equation,
									  const TensorView *const *operands, double scale,
									  double limit, TensorView *out);

/*
 * out += scale * einsum(operands). All operands have one element type
 * (float4, float8, complex8 or complex16); the caller converts. out has that type, or
 * the one of double precision. Of single precision, what is summed is added up in double precision and
 * rounded once, but for products of matrices, which are BLAS's. Extents have
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
	REDUCTION_ANY, /* 1 if a value is not 0, NaN included, else 0 */
	REDUCTION_ALL, /* 0 if a value is 0, else 1 */
} Reduction;

/* True of those that round, and so go on in double precision. */
static inline bool
reduction_rounds(Reduction reduction)
{
	return reduction == REDUCTION_SUM || reduction == REDUCTION_PROD;
}

/* The identity of a reduction: 0, +infinity, -infinity, 1, 0, 1. */
extern double reduction_identity(Reduction reduction);
/* folds value into *accumulator; min and max propagate NaN */
extern void reduction_fold(Reduction reduction, double *accumulator, double value);

/* The largest number of operands of a pointwise expression. */
#define MAP_MAX_OPERANDS 16

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

/*
 * More are refused: a program is run once per call, and a parser, which nests as
 * deep as it has steps, has an end too.
 */
#define MAP_MAX_STEPS 16384

typedef struct MapProgram
{
	int nsteps;
	int depth;       /* deepest stack */
	int nparameters; /* highest operand used + 1 */
	bool typed;      /* has functions that name or change element types */
	MapStep *steps;  /* at most MAP_MAX_STEPS */
} MapProgram;

/*
 * out = fold(out, fold over the labels the output lacks of the expression),
 * for every index of the output. Operands lacking a label of the equation are
 * broadcast along it. All operands have one element type, float4 or float8; out has it,
 * or for sums and products the one of double precision. Of single precision, sums and products are folded in double
 * precision and rounded once. The caller fills out with the reduction's identity if it wants "=".
 */
extern void map_accumulate(const MapProgram *program, const Equation *equation,
						   const TensorView *const *operands, Reduction reduction,
						   TensorView *out);

/*
 * As map_accumulate, where the output has all labels: writes the expression's values to
 * out.
 */
extern void map_store(const MapProgram *program, const Equation *equation,
					  const TensorView *const *operands, TensorView *out);

/*
 * The element type of the expression for operands of these types. Returns -1,
 * or the function that is not defined for the complex numbers it would get.
 */
extern int map_result_type(const MapProgram *program, const ElementType *operands,
						   ElementType *result);

/*
 * As map_accumulate, for operands of any types, complex ones too, each step in
 * the type of its own arguments. out has the type of map_result_type, which has
 * returned -1, or as there that of double precision. Of complex results only sums and products are folded.
 */
extern void map_accumulate_typed(const MapProgram *program, const Equation *equation,
								 const TensorView *const *operands, Reduction reduction,
								 TensorView *out);

/* out = fold(out, in), element by element; same bounds. out has in's type, or for sums and products
 * the one of double precision. */
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
