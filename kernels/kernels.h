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

/*
 * A mismatch that a shape check found. label is a label's number, or -1 for a wrong rank.
 */
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
 * Replaces "..." in an equation by labels for the dimensions that it stands for in
 * operands of these ranks: the dimensions are matched from the last one, as numpy
 * broadcasts. bound must be a different struct from equation.
 */
extern BindResult equation_bind(const Equation *equation, const int *ranks,
								Equation *bound, int *where);

/*
 * Finds the extents of all labels of an equation from these operands. False, with the
 * reason in *mismatch, if an operand's rank differs from its term's, or if two extents of
 * a label differ and neither is 1 or both are in one operand.
 */
extern bool equation_extents(const Equation *equation, const TensorView *const *operands,
							 int64_t *extents, EquationMismatch *mismatch);

/* The order in which the operands of an einsum are multiplied (see path.h). */
struct EinsumPath;

/*
 * Chooses the order in which einsum_accumulate_in_order multiplies operands of these
 * bounds and this element type. Their elements are not read. The order has no steps if
 * labels must be split to limit memory.
 */
extern void einsum_choose_order(const Equation *equation,
								const TensorView *const *operands, ElementType type,
								struct EinsumPath *path);

/*
 * Does what einsum_accumulate does, in an order chosen before; for three operands or
 * more.
 */
extern void einsum_accumulate_in_order(const Equation *equation,
									   const TensorView *const *operands,
									   const struct EinsumPath *path, double scale,
									   TensorView *out);

/* Does what einsum_accumulate does, with another memory limit in bytes; for tests. */
extern void einsum_accumulate_limited(const Equation *equation,
									  const TensorView *const *operands, double scale,
									  double limit, TensorView *out);

/*
 * out += scale * einsum(operands). All operands have one element type (float4, float8,
 * complex8 or complex16); the caller converts. out has that type, or the same with double
 * precision. Sums in single precision are added up in double precision and rounded once,
 * except in products of matrices, which BLAS computes. Extents have been checked. The
 * caller zeroes out if it wants "=".
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

/* True of reductions that round, and so are computed in double precision. */
static inline bool
reduction_rounds(Reduction reduction)
{
	return reduction == REDUCTION_SUM || reduction == REDUCTION_PROD;
}

/* Returns the value that a reduction starts from, such as 0 for a sum. */
extern double reduction_identity(Reduction reduction);
/* Folds value into *accumulator; min and max propagate NaN. */
extern void reduction_fold(Reduction reduction, double *accumulator, double value);

/* The largest number of operands of a pointwise expression. */
#define MAP_MAX_OPERANDS 16

/* A pointwise expression is postfix code for a stack of blocks of elements. */
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
 * Longer programs are refused: a program runs once per block, and the stack of a parser
 * that nests as deep as a program is long has an end.
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
 * out = fold(out, fold of the expression over the labels that the output lacks), for
 * every index of the output. Operands that lack a label are broadcast along it. All
 * operands have one element type, float4 or float8; out has the same, or for sums and
 * products its double precision. Sums and products in single precision are folded in
 * double precision and rounded once. The caller fills out with the reduction's identity
 * if it wants "=".
 */
extern void map_accumulate(const MapProgram *program, const Equation *equation,
						   const TensorView *const *operands, Reduction reduction,
						   TensorView *out);

/*
 * Writes the values of an expression to out, whose term has all labels; operands as in
 * map_accumulate.
 */
extern void map_store(const MapProgram *program, const Equation *equation,
					  const TensorView *const *operands, TensorView *out);

/*
 * Finds the element type of an expression for operands of these types. Returns -1, or the
 * function that would get complex numbers for which it is not defined.
 */
extern int map_result_type(const MapProgram *program, const ElementType *operands,
						   ElementType *result);

/*
 * Does what map_accumulate does for operands of any types, also complex ones: each step
 * is computed in the type of its own arguments. out has the type that map_result_type
 * finds, or for sums and products its double precision. Complex results can only be
 * summed or multiplied.
 */
extern void map_accumulate_typed(const MapProgram *program, const Equation *equation,
								 const TensorView *const *operands, Reduction reduction,
								 TensorView *out);

/*
 * out = fold(out, in), element by element; both have the same bounds. out has in's type,
 * or for sums and products its double precision.
 */
extern void reduction_accumulate(Reduction reduction, const TensorView *in,
								 TensorView *out);

/* out = f(a, b) with size-1 broadcasting; the three have one element type. */
extern void elementwise_binary(FunctionId function, const TensorView *a,
							   const TensorView *b, TensorView *out);
extern void elementwise_unary(FunctionId function, const TensorView *a, TensorView *out);
/* out = a / b as in numpy: unlike with FUNCTION_DIVIDE, 0 / 0 is NaN. */
extern void elementwise_divide_ieee(const TensorView *a, const TensorView *b,
									TensorView *out);

/*
 * Copies and converts element by element between views of the same bounds, with any
 * strides and types (complex to real keeps the real part: callers refuse that before).
 */
extern void view_copy(const TensorView *from, TensorView *to);

#endif
