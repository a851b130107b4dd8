/*-------------------------------------------------------------------------
 *
 * call_prepared.h
 *	  Calls like the one before: of one or two operands whose shapes, and the
 *	  result's, the call site has seen.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_CALL_PREPARED_H
#define TYPE_CALL_PREPARED_H

#include "postgres.h"

#include "fmgr.h"

#include "type/call.h"

#define PREPARED_MAX_OPERANDS 2

typedef struct PreparedCall PreparedCall;

/* The elements of the operands of one call. Lives on the stack. */
typedef struct PreparedOperands
{
	const void *data[PREPARED_MAX_OPERANDS];
	double scalars[PREPARED_MAX_OPERANDS][2];
	ShortValue shorts[PREPARED_MAX_OPERANDS];
} PreparedOperands;

/*
 * What the call site remembers if this call, with the equation as argument
 * number first and the operands behind it, none of them NULL, is like the one
 * before; else NULL, also for operands that are compressed or out of line.
 */
extern const PreparedCall *find_prepared_call(FunctionCallInfo fcinfo, int first,
											  PreparedOperands *operands);

/*
 * Adds the call's result to a flat tensor if the call is like the one before, as
 * find_prepared_call has it, and the tensor as its result.
 */
extern bool add_prepared_call(FunctionCallInfo fcinfo, int first, Tensor *state);

/* A tensor for the result, with zeroed elements, in the current context. */
extern Tensor *prepared_result(const PreparedCall *prepared);
/* Whether the result is a number of type float8 or float4. */
extern bool prepared_result_is_number(const PreparedCall *prepared, ElementType *type);

/* out += einsum(operands), where out are a result's elements. */
extern void run_prepared_call(const PreparedCall *prepared,
							  const PreparedOperands *operands, void *out);

/*
 * out += einsum(operands), of any number of them, whose shapes have been
 * checked; the call site remembers it. The operands are converted to type; out is
 * contiguous, of that type or of the one of double precision.
 */
extern void run_and_remember(CallCache *cache, const Equation *equation,
							 Operands *operands, ElementType type, TensorView *out);

/* The call site has another equation now. */
extern void forget_prepared_call(PreparedCall *prepared);

#endif
