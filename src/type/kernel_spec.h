/*-------------------------------------------------------------------------
 *
 * kernel_spec.h
 *	  What the functions and aggregates of the extension compute.
 *
 * The planner, the nodes, and what writes SQL ask here, by OID, and nowhere by a name of
 * their own.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_KERNEL_SPEC_H
#define TYPE_KERNEL_SPEC_H

#include "postgres.h"

#include "kernels/function.h"
#include "kernels/kernels.h"

/* How arguments and result belong together. */
typedef enum KernelForm
{
	FORM_ELEMENTS,     /* the result is as large as the largest tensor among them */
	FORM_UNKNOWN,      /* they do not tell how large it is */
	FORM_EQUATION,     /* equation, operands: a product of them */
	FORM_MAP,          /* expression, equation, operands */
	FORM_NUMBER,       /* a pointwise function of numbers */
	FORM_CONVERSION,   /* number to tensor */
	FORM_STACK,        /* value, position, dimension, bound [, fill] */
	FORM_STACK_BLOCKS, /* from the fifth on, extents and positions take turns */
	FORM_UNSTACK,      /* tensor, dimension [, block]: a row for each slice or block */
	FORM_ENTRIES,      /* tensor: a row for each element */
	FORM_RESHAPE,      /* tensor, shape of the result */
	FORM_FILL,         /* shape of the result, ... */
	FORM_RANGE,        /* first, last: a row for each integer */
	FORM_SHAPE_CHECK,  /* tensor, its shape, ... */
	FORM_ONCE,         /* any value, which is the result */
	FORM_BARRIER,      /* any value, which is the result; planning removes it */
} KernelForm;

typedef struct KernelSpec
{
	const char *name; /* NULL of FORM_ELEMENTS without anything special */
	KernelForm form;
	const char *equation; /* if it is always the same, and no argument */

	bool reduces; /* an aggregate, or its transition function: over rows */
	Reduction reduction;

	const PointwiseFunction *function; /* of FORM_NUMBER */

	bool scalar;    /* the result, or each row's, is a float8 */
	bool strict;    /* bounds of 1 are not broadcast */
	bool batched;   /* may be computed for many rows at a time */
	bool streaming; /* an element takes no longer than reading it */
	bool no_errors; /* raises none, whatever the tensor */
	bool pairs;     /* the state has an element for each two of the argument */
} KernelSpec;

/*
 * What a function or aggregate computes; that of a transition, combine or final
 * function is its aggregate's. NULL if it is not a member of the extension. The result is
 * never freed. Raises no errors of its own.
 */
extern const KernelSpec *kernel_spec(Oid function);

/* The one of a form, or false as well for what is not a member. */
extern bool function_has_form(Oid function, KernelForm form);

/* The function whose equation is always this one; NULL if there is no such. */
extern const KernelSpec *kernel_of_equation(const char *equation);

/* The number of the first argument that is an operand. */
static inline int
first_operand(const KernelSpec *spec)
{
	if (spec->equation)
		return 0;
	return spec->form == FORM_MAP ? 2 : spec->form == FORM_EQUATION ? 1 : 0;
}

#endif
