/*-------------------------------------------------------------------------
 *
 * contraction.h
 *	  An einsum of one or two operands as a set of loops.
 *
 * A built contraction has no labels: each label is a loop with its extent and
 * with the step it makes in A, in B and in the result C; the step is 0 where an
 * operand does not vary. Diagonals, broadcasts and missing labels are only
 * strides.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_DENSE_CONTRACTION_H
#define KERNELS_DENSE_CONTRACTION_H

#include <complex.h>

#include "kernels/equation.h"

/* Factors are always complex; kernels of real types use the real part. */
typedef double _Complex Scalar;

typedef enum Role
{
	ROLE_A,
	ROLE_B,
	ROLE_C,
} Role;

/* Which of A, B and C vary along a loop, as bits 1 << Role. */
typedef enum LoopClass
{
	CLASS_NOTHING = 0,
	CLASS_SUM_A = 1,
	CLASS_SUM_B = 2,
	CLASS_CONTRACTED = 3,
	CLASS_SPREAD = 4, /* only the result varies */
	CLASS_ROW = 5,
	CLASS_COLUMN = 6,
	CLASS_BATCH = 7,
} LoopClass;

typedef struct DenseLoop
{
	int64_t extent;
	int64_t stride[3]; /* by Role, in elements */
} DenseLoop;

/* The most loops: all labels of two operands differ. */
#define CONTRACTION_MAX_LOOPS (2 * TENSOR_MAX_RANK)

typedef struct DenseContraction
{
	ElementType type; /* of the operands */
	ElementType
		out;    /* of the result: type, or the one of its kind with the other precision */
	bool empty; /* an extent is 0: nothing is added */
	int nloops;
	double repeats;    /* each term occurs this often (CLASS_NOTHING) */
	int64_t offset[3]; /* where the loops start, in elements */
	DenseLoop loops[CONTRACTION_MAX_LOOPS];
} DenseContraction;

static inline LoopClass
loop_class(const DenseLoop *loop)
{
	return (LoopClass) ((loop->stride[ROLE_A] != 0) | (loop->stride[ROLE_B] != 0) << 1 |
						(loop->stride[ROLE_C] != 0) << 2);
}

extern void contraction_build(DenseContraction *contraction, const EquationTerm *a_term,
							  const TensorView *a, const EquationTerm *b_term,
							  const TensorView *b, const EquationTerm *c_term,
							  const TensorView *c);
extern void contraction_simplify(DenseContraction *contraction);

/* Returns the loop classes that occur, as bits 1 << class. */
extern unsigned contraction_classes(const DenseContraction *contraction);

/*
 * C += scale * contraction. a, b and c point to the views' elements; b is NULL for one
 * operand, whose loops have no stride in B.
 */
extern void contraction_execute(const DenseContraction *contraction, const void *a,
								const void *b, void *c, Scalar scale);

extern Scalar scalar_read(ElementType type, const void *element);

/*
 * Returns the product of two numbers. Real numbers stay real: computed as complex
 * numbers, infinity times 3 has the imaginary part NaN, which makes the next product NaN.
 */
static inline Scalar
scalar_multiply(Scalar a, Scalar b)
{
	return cimag(a) == 0.0 && cimag(b) == 0.0 ? creal(a) * creal(b) : a * b;
}

#endif
