/*-------------------------------------------------------------------------
 *
 * plan.h
 *	  How a contraction is run: a kernel over up to three loops, inside the remaining
 *	  loops.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_DENSE_PLAN_H
#define KERNELS_DENSE_PLAN_H

#include "kernels/dense/contraction.h"

typedef enum DenseKernel
{
	/* one operand */
	KERNEL_ADD,       /* c[m] += s a[m] */
	KERNEL_SUM,       /* c += s sum a[m] */
	KERNEL_TRANSPOSE, /* c[m,n] += s a[m,n], contiguous along m in a, along n in c */
	/* two operands, one loop */
	KERNEL_MULTIPLY, /* c[m] += s a[m] b[m] */
	KERNEL_AXPY,     /* c[m] += s a[m] b */
	KERNEL_DOT,      /* c += s sum a[m] b[m] */
	/* two operands, more loops */
	KERNEL_GEMV, /* c[m] += s sum a[m,k] b[k] */
	KERNEL_GER,  /* c[m,n] += s a[m] b[n], contiguous along n in c */
	KERNEL_GEMM, /* c[m,n] += s sum a[m,k] b[k,n], contiguous along n in c */
} DenseKernel;

#define KERNEL_COUNT (KERNEL_GEMM + 1)

typedef struct DensePlan
{
	ElementType type; /* of the operands */
	ElementType out;  /* of the result */
	DenseKernel kernel;
	bool swapped; /* A of the kernel is the contraction's B */
	double repeats;
	double cost;       /* nanoseconds, roughly */
	int64_t work;      /* element operations in one call of the kernel */
	int64_t offset[3]; /* in bytes, after swapping */
	DenseLoop m;       /* strides in elements, after swapping */
	DenseLoop n;
	DenseLoop k;
	int nouter;
	DenseLoop outer[CONTRACTION_MAX_LOOPS]; /* outermost first, strides in bytes */
} DensePlan;

/*
 * Chooses the cheapest kernel. The contraction must be simplified and not empty; either
 * it has one operand, without strides in B, or both operands vary.
 */
extern void plan_choose(const DenseContraction *contraction, bool one_operand,
						DensePlan *plan);

/* Runs a plan; a, b and c are the data of the contraction, not swapped. */
extern void plan_execute(const DensePlan *plan, const void *a, const void *b, void *c,
						 Scalar scale);

/*
 * A contraction in which nothing has to be copied or summed before its kernel runs. It
 * can be run for all operands and results of the same shapes.
 */
typedef struct PreparedContraction
{
	bool empty;            /* nothing is added */
	bool axpy;             /* just that number times a real vector, as it lies */
	Role number;           /* the operand that is a single number, or ROLE_C: none */
	int64_t number_offset; /* of its element, in bytes */
	DensePlan plan;        /* with a number: of the other operand alone, as A */
} PreparedContraction;

/*
 * Chooses how to run a simplified contraction. False if copies or sums have to be made
 * first, which contraction_execute does.
 */
extern bool contraction_prepare(const DenseContraction *contraction, bool two_operands,
								PreparedContraction *prepared);
extern void contraction_run(const PreparedContraction *prepared, const void *a,
							const void *b, void *c, Scalar scale);

/*
 * The kernels, by the element types of operands and result (ELEMENT_FLOAT4 is number 0)
 * and kind. From double to single precision there are only kernels of one operand that
 * add nothing up.
 */
typedef void (*DenseKernelFunction)(const DensePlan *plan, const void *a, const void *b,
									void *c, Scalar scale);
extern const DenseKernelFunction dense_kernels[ELEMENT_TYPE_LAST][ELEMENT_TYPE_LAST]
											  [KERNEL_COUNT];

#endif
