/*-------------------------------------------------------------------------
 *
 * call_kernel.h
 *	  The frame that all functions with an equation share: value, scalar, and
 *	  the fused aggregates' transitions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_CALL_KERNEL_H
#define TYPE_CALL_KERNEL_H

#include "postgres.h"

#include "fmgr.h"

#include "type/call.h"

/* The properties in which SQL functions that run a kernel differ. */
typedef struct KernelFunction
{
	const char *name;    /* the SQL name, for messages */
	bool map;            /* a map expression precedes the equation argument */
	Reduction reduction; /* over labels that the output lacks, and over rows */
	bool strict;         /* bounds of 1 are not broadcast */
} KernelFunction;

/* One evaluation of a kernel: its operands, and the shape of its result. */
typedef struct KernelCall
{
	const KernelFunction *function;
	const Equation *equation;
	const MapProgram *program; /* NULL: the product of the operands, summed */
	const EinsumPath *path; /* the order of multiplication, for three or more operands */
	ElementType type;       /* of the result */
	bool typed;             /* the steps of the program differ in type */
	CallCache *cache;       /* of the call site; NULL if nothing is remembered */
	int64 bounds[TENSOR_MAX_RANK];
	Operands operands;
} KernelCall;

/*
 * Sets call->bounds and call->type from the equation and the loaded operands, after which
 * run_kernel may fold into an output of that shape. Errors: 2202E; 0A000 for operations
 * that complex numbers lack, such as a minimum.
 */
extern void finish_kernel_call(KernelCall *call);

/*
 * Computes out = fold(out, kernel(operands)); out is contiguous, and its type can hold
 * the result. Results of single precision are folded into a double precision sum or
 * product without being converted first.
 */
extern void run_kernel(KernelCall *call, TensorView *out);

/* Returns the result as a new tensor in the current context. */
extern Tensor *kernel_result(KernelCall *call);

/*
 * Run an SQL function f([expression text,] equation text, VARIADIC "any"). kernel_value
 * returns a tensor, kernel_scalar a float8 if the result has rank 0. No argument may be
 * NULL.
 */
extern Datum kernel_value(FunctionCallInfo fcinfo, const KernelFunction *function);
extern Datum kernel_scalar(FunctionCallInfo fcinfo, const KernelFunction *function);

/*
 * Transition functions f(state, [expression text,] equation text, VARIADIC "any") of the
 * aggregates that fold the kernel's results. The state is a tensor_state; in the scalar
 * variant a float8. Rows with a NULL argument are skipped; the state is NULL before the
 * first row.
 */
extern Datum kernel_transition(FunctionCallInfo fcinfo, const KernelFunction *function);
extern Datum kernel_scalar_transition(FunctionCallInfo fcinfo,
									  const KernelFunction *function);

/* The equation "a,b->ab", which outer_prod and co-moments compute. */
extern const Equation outer_equation;

#endif
