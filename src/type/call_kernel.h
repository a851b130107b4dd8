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

/* What distinguishes one SQL function from its kin. */
typedef struct KernelFunction
{
	const char *name;    /* as users know it, for messages */
	bool map;            /* an expression precedes the equation */
	Reduction reduction; /* of labels that the output lacks, and of rows */
	bool strict;         /* bounds of 1 are not broadcast */
} KernelFunction;

/* One evaluation of a kernel: its operands, and the shape of its result. */
typedef struct KernelCall
{
	const KernelFunction *function;
	const Equation *equation;
	const MapProgram *program; /* NULL: the product of the operands, summed */
	const EinsumPath *path;    /* of the product of three operands or more */
	ElementType type;          /* of the result */
	bool typed;                /* the steps of the program differ in type */
	CallCache *cache;          /* of the call site; NULL: it remembers nothing */
	int64 bounds[TENSOR_MAX_RANK];
	Operands operands;
} KernelCall;

/*
 * Fills call->bounds and type from the equation and the loaded operands, after
 * which run_kernel may fold into an output of that shape. Errors: 2202E; 0A000
 * for what complex numbers do not have.
 */
extern void finish_kernel_call(KernelCall *call);

/* out = fold(out, kernel(operands)); out is contiguous and its type holds the
 * result's. Into a sum or product of double precision, results of single precision
 * are folded as they are. */
extern void run_kernel(KernelCall *call, TensorView *out);

/* The result as a new tensor in the current context. */
extern Tensor *kernel_result(KernelCall *call);

/* f([expression text,] equation text, VARIADIC "any"), returning tensor, and
 * float8 for a result of rank 0. All arguments are not NULL. */
extern Datum kernel_value(FunctionCallInfo fcinfo, const KernelFunction *function);
extern Datum kernel_scalar(FunctionCallInfo fcinfo, const KernelFunction *function);

/*
 * Transition functions f(state, [expression text,] equation text, VARIADIC
 * "any") of the aggregates that fold the kernel's results; the state is a
 * tensor_state, and a float8. A row with a NULL among the arguments is
 * skipped; the state of no rows is NULL.
 */
extern Datum kernel_transition(FunctionCallInfo fcinfo, const KernelFunction *function);
extern Datum kernel_scalar_transition(FunctionCallInfo fcinfo,
									  const KernelFunction *function);

/* "a,b->ab", of outer_prod and of co-moments. */
extern const Equation outer_equation;

#endif
