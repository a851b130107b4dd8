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
 * Returns the remembered call of this call site if this call has the same equation,
 * operand types and shapes; else NULL, also if an operand is compressed or out of line.
 * The equation is argument number first, the operands follow it, and no argument is NULL.
 */
extern const PreparedCall *find_prepared_call(FunctionCallInfo fcinfo, int first,
											  PreparedOperands *operands);

/*
 * Adds the call's result to the flat tensor state; false, with state unchanged, if
 * find_prepared_call finds no such call or the result's shape is not the state's.
 */
extern bool add_prepared_call(FunctionCallInfo fcinfo, int first, Tensor *state);

/* Returns a tensor for the result, with zeroed elements, in the current context. */
extern Tensor *prepared_result(const PreparedCall *prepared);
/* Is the result a number? Then *type says whether it is of type float8 or float4. */
extern bool prepared_result_is_number(const PreparedCall *prepared, ElementType *type);

/* out += einsum(operands), where out points to the elements of a result. */
extern void run_prepared_call(const PreparedCall *prepared,
							  const PreparedOperands *operands, void *out);

/*
 * Computes out += einsum(operands), and remembers the call for find_prepared_call. The
 * caller has checked the shapes. Converts the operands to type; out is contiguous, of
 * that type or of its double precision type.
 */
extern void run_and_remember(CallCache *cache, const Equation *equation,
							 Operands *operands, ElementType type, TensorView *out);

/* Forgets a remembered call, because the call site's equation has changed. */
extern void forget_prepared_call(PreparedCall *prepared);

#endif
