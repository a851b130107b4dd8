/*-------------------------------------------------------------------------
 *
 * state.h
 *	  tensor_state: what the aggregates over tensors carry from row to row.
 *
 * Three kinds, told apart by the byte where a tensor has its format:
 *
 * - a *fold* (sum, minimum, ... so far) is laid out as a dense tensor, of double
 *   precision if it is a sum or a product. A flag in it says that the values are
 *   of single precision, to which the final function rounds once;
 * - a *stack* is a StackState: a tensor of the final shape, and which
 *   positions have been filled;
 * - a *count* is a CountState: a number of rows with their sum, a fold (tensor_avg), or
 *   with their mean and co-moment (tensor_covar).
 *
 * A state is a flat value that its transition functions change in place. Some
 * sums are expanded objects that collect rows (see batch.h); their flat form is a
 * fold.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_STATE_H
#define TYPE_STATE_H

#include "postgres.h"

#include "fmgr.h"

#include "kernels/function_type.h"
#include "type/tensor.h"

/*
 * A flag of a fold: it is kept in double precision, but its values have single precision.
 */
#define FOLD_SINGLE 0x01

/* The element type of a fold's values and result. */
static inline ElementType
fold_type(const Tensor *fold)
{
	return fold->flags & FOLD_SINGLE ? element_single((ElementType) fold->type)
									 : (ElementType) fold->type;
}

/* A new fold for values of this type and shape, all zeros, palloc'd. Errors: 54000. */
extern Tensor *fold_state_new(Reduction reduction, ElementType type, int rank,
							  const int64 *bounds);

/*
 * Returns the tensor, or a palloc'd conversion of it to a type that reduction_accumulate
 * can fold into this state.
 */
extern Tensor *fold_operand(Tensor *tensor, Reduction reduction, const Tensor *state);

/* Returns the fold's result as a new tensor, rounded to fold_type. */
extern Tensor *fold_result(const Tensor *fold);

#define STATE_FORMAT_STACK 0x80

/*
 * The state of a stack. After its tensor, padded to a multiple of 8 bytes, comes a bitmap
 * of the positions that have got a value: position p is bit p % 8 of byte p / 8.
 */
typedef struct StackState
{
	int32 vl_len_;   /* varlena header (do not touch directly!) */
	uint8 format;    /* STATE_FORMAT_STACK */
	uint8 dimension; /* the tensor's dimension along which values are stacked */
	uint16 reserved; /* 0 */
	double tensor[FLEXIBLE_ARRAY_MEMBER];
} StackState;

#define STACK_TENSOR(state) ((Tensor *) (state)->tensor)

#define STATE_FORMAT_COUNT 0x81

/*
 * A count of rows with one or two tensors, each padded to a multiple of 8 bytes. If the
 * first is a sum, the second is its carry: the parts moved out of the sum before it would
 * have overflowed, times CARRY_SCALE.
 */
typedef struct CountState
{
	int32 vl_len_; /* varlena header (do not touch directly!) */
	uint8 format;  /* STATE_FORMAT_COUNT */
	uint8 ntensors;
	uint16 reserved; /* 0 */
	int64 count;
	double tensors[FLEXIBLE_ARRAY_MEMBER];
} CountState;

/* A power of 2; a sum of any number of rows, scaled by it, does not overflow. */
#define CARRY_SCALE 0x1p-64

#define COUNT_FIRST(state) ((Tensor *) (state)->tensors)
#define COUNT_SECOND(state)                                                              \
	((Tensor *) ((char *) (state)->tensors + MAXALIGN(VARSIZE(COUNT_FIRST(state)))))

/*
 * Returns a state of these tensors, the second of which may be NULL, in the current
 * context. Errors: 54000 if they are too large together.
 */
extern CountState *count_state_new(int64 count, const Tensor *first,
								   const Tensor *second);
/*
 * Returns the state argument of tensor_covar, or of tensor_avg. Errors: 42804 for another
 * kind of state.
 */
extern CountState *get_count_state(Datum state, bool covar);

/*
 * Raises 0A000 unless the function is called by an aggregate or as a window function,
 * where it may change a state in place.
 */
extern void check_aggregate_call(FunctionCallInfo fcinfo, const char *function);

/*
 * Checks the call like check_aggregate_call; returns the context in which the aggregate
 * keeps its states.
 */
extern MemoryContext aggregate_memory(FunctionCallInfo fcinfo, const char *function);

/*
 * Returns a state argument as a fold. A batch adds up its collected rows first, and still
 * owns the fold. Errors: 42804 for another kind of state.
 */
extern Tensor *get_fold_state(Datum state);

/*
 * Returns the state, or a palloc'd conversion of it, as a fold of this reduction that can
 * also take values of the given type. The state may be a plain value, too. Errors: 2202E
 * for another shape, naming the aggregate.
 */
extern Tensor *fit_fold_state(Tensor *state, Reduction reduction, ElementType type,
							  int rank, const int64 *bounds, const char *function);

/* Returns a stack with no position filled, in the current context. Errors: 54000. */
extern StackState *stack_state_new(ElementType type, int rank, const int64 *bounds,
								   int dimension);
extern StackState *get_stack_state(Datum state);
/*
 * Returns the state, or a copy of it in an element type that can also hold values of this
 * type.
 */
extern StackState *stack_state_widen(StackState *state, ElementType type);
/*
 * Widens like stack_state_widen, and also sets positions without a value to fill again,
 * since the narrower type may have rounded it.
 */
extern StackState *stack_state_refill(StackState *state, ElementType type, Number fill);
/* Sets every element of a new stack, which is all zeros, to fill. */
extern void stack_state_fill(StackState *state, Number fill);
/*
 * Returns the fill argument of a stack: a float8, or a tensor of rank 0, whose element
 * type promotes *type as values do.
 */
extern Number stack_fill_argument(FunctionCallInfo fcinfo, int argument, bool is_tensor,
								  ElementType *type);
/* Sets slice to a view of the stack at a position, of rank one less. */
extern void stack_slice(const StackState *state, int64 position, TensorView *slice);
extern uint8 *stack_state_bitmap(const StackState *state);
/* Has the position got a value? */
extern bool stack_state_has(const StackState *state, int64 position);
/* The bytes of a bitmap for this many positions. */
#define STACK_BITMAP_SIZE(bound) (((Size) (bound) + 7) / 8)

#endif
