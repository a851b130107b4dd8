/*-------------------------------------------------------------------------
 *
 * kernel_spec.h
 *	  What the functions and aggregates of the extension compute.
 *
 * The planner, the executor nodes and the SQL generator look functions up here by OID;
 * none of them compares names of functions itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_KERNEL_SPEC_H
#define TYPE_KERNEL_SPEC_H

#include "postgres.h"

#include "kernels/function.h"
#include "kernels/kernels.h"

/* What the arguments of a function are, and how the result's size follows from them. */
typedef enum KernelForm
{
	FORM_ELEMENTS,      /* the result is as large as the largest tensor argument */
	FORM_UNKNOWN,       /* the arguments do not tell the result's size */
	FORM_EQUATION,      /* equation, operands: the product of the operands */
	FORM_MAP,           /* expression, equation, operands */
	FORM_NUMBER,        /* a pointwise function of numbers */
	FORM_CONVERSION,    /* number to tensor */
	FORM_STACK,         /* value, position, dimension, bound [, fill] */
	FORM_STACK_BLOCKS,  /* from the fifth on, extents and positions take turns */
	FORM_UNSTACK,       /* tensor, dimension [, block]: a row for each slice or block */
	FORM_ENTRIES,       /* tensor: a row for each element */
	FORM_LAYOUT,        /* layout, fill, arrays: a row for each entry of the arrays */
	FORM_STORED_LAYOUT, /* the same of a row of a registered relation */
	FORM_RANGE_KEYS,    /* range, ...: a row for each key in it */
	FORM_RESHAPE,       /* tensor, shape of the result */
	FORM_FILL,          /* shape of the result, ... */
	FORM_RANGE,         /* first, last: a row for each integer */
	FORM_SHAPE_CHECK,   /* tensor, its shape, ... */
	FORM_ONCE,          /* any value, which is the result */
	FORM_BARRIER,       /* any value, which is the result; planning removes it */
} KernelForm;

typedef struct KernelSpec
{
	const char *name; /* NULL in the entry for all other functions, of FORM_ELEMENTS */
	KernelForm form;
	const char *equation; /* the fixed equation, if it is not an argument */

	bool reduces; /* an aggregate or its transition function: reduces rows */
	Reduction reduction;

	const PointwiseFunction *function; /* of FORM_NUMBER */

	bool scalar;    /* the result, or each row's, is a float8 */
	bool strict;    /* bounds of 1 are not broadcast */
	bool batched;   /* may be computed for many rows at a time */
	bool no_errors; /* raises no errors but those of reading a row */
	bool pairs;     /* the state has an element for each pair of the argument's */
	int operations; /* for an element, as PointwiseFunction.work; 0: not known */
} KernelSpec;

/*
 * Returns the spec of a function or aggregate; a transition, combine or final function
 * has its aggregate's spec. NULL if the function is not a member of the extension. Specs
 * are never freed. Raises no errors of its own.
 */
extern const KernelSpec *kernel_spec(Oid function);

/* Is a function a member of the extension with a spec of this form? */
extern bool function_has_form(Oid function, KernelForm form);

/* Returns the spec of the function whose fixed equation is this one, or NULL. */
extern const KernelSpec *kernel_of_equation(const char *equation);

/* Returns the number of the first argument that is an operand. */
static inline int
first_operand(const KernelSpec *spec)
{
	if (spec->equation)
		return 0;
	return spec->form == FORM_MAP ? 2 : spec->form == FORM_EQUATION ? 1 : 0;
}

#endif
