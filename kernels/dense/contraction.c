/*-------------------------------------------------------------------------
 *
 * contraction.c
 *	  Turns the labels of an einsum into loops.
 *
 * This runs for every joined tuple, mostly for one or two labels: memory that is
 * not used is not cleared, and the quadratic loops are over a few entries.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "kernels/dense/contraction.h"

#define NO_LOOP 0xFF

/* Adds the dimensions of one operand: each adds its stride to its label's loop. */
static void
add_operand(DenseContraction *contraction, uint8_t *loop_of_label,
			const EquationTerm *term, const TensorView *view, Role role)
{
	for (int d = 0; d < term->rank; d++)
	{
		int64_t extent = view->bounds[d];
		uint8_t *index = &loop_of_label[term->labels[d]];
		DenseLoop *loop;

		if (extent == 1)
			continue;
		if (extent == 0)
			contraction->empty = true;
		if (*index == NO_LOOP)
		{
			*index = (uint8_t) contraction->nloops;
			loop = &contraction->loops[contraction->nloops++];
			loop->extent = extent;
			loop->stride[ROLE_A] = loop->stride[ROLE_B] = loop->stride[ROLE_C] = 0;
		}
		else
			loop = &contraction->loops[*index];
		loop->stride[role] += view->strides[d];
	}
}

/*
 * Builds the contraction of one or two operands; b_term and b are NULL for one operand.
 * The caller has checked the extents against each other.
 */
void
contraction_build(DenseContraction *contraction, const EquationTerm *a_term,
				  const TensorView *a, const EquationTerm *b_term, const TensorView *b,
				  const EquationTerm *c_term, const TensorView *c)
{
	uint8_t loop_of_label[EQUATION_MAX_LABELS];

	memset(loop_of_label, NO_LOOP, sizeof(loop_of_label));
	contraction->type = a->type;
	contraction->out = c->type;
	contraction->empty = false;
	contraction->nloops = 0;
	contraction->repeats = 1;
	contraction->offset[ROLE_A] = 0;
	contraction->offset[ROLE_B] = 0;
	contraction->offset[ROLE_C] = 0;
	add_operand(contraction, loop_of_label, a_term, a, ROLE_A);
	if (b != NULL)
		add_operand(contraction, loop_of_label, b_term, b, ROLE_B);
	add_operand(contraction, loop_of_label, c_term, c, ROLE_C);
	contraction_simplify(contraction);
}

/*
 * Runs a loop backwards if that makes its stride in C positive (in A or B if C does not
 * vary).
 */
static void
orient(DenseContraction *contraction, DenseLoop *loop)
{
	int64_t leading = loop->stride[ROLE_C];

	if (leading == 0)
		leading = loop->stride[ROLE_A];
	if (leading == 0)
		leading = loop->stride[ROLE_B];
	if (leading >= 0)
		return;
	for (int role = 0; role < 3; role++)
	{
		contraction->offset[role] += (loop->extent - 1) * loop->stride[role];
		loop->stride[role] = -loop->stride[role];
	}
}

/* Does outer continue where inner ends, in every operand? */
static inline bool
continues(const DenseLoop *outer, const DenseLoop *inner)
{
	return outer->stride[ROLE_A] == inner->stride[ROLE_A] * inner->extent &&
		   outer->stride[ROLE_B] == inner->stride[ROLE_B] * inner->extent &&
		   outer->stride[ROLE_C] == inner->stride[ROLE_C] * inner->extent;
}

/*
 * Drops loops along which nothing varies, makes strides positive, and merges two loops
 * that continue each other: (i, j) of two contiguous matrices is one loop over their
 * elements. Loops of different classes never merge, as their strides differ. Idempotent.
 */
void
contraction_simplify(DenseContraction *contraction)
{
	int kept = 0;

	if (contraction->empty)
		return;
	for (int i = 0; i < contraction->nloops; i++)
	{
		DenseLoop *loop = &contraction->loops[i];

		if (loop->extent == 1)
			continue;
		if (loop_class(loop) == CLASS_NOTHING)
		{
			contraction->repeats *= (double) loop->extent;
			continue;
		}
		orient(contraction, loop);
		if (kept != i)
			contraction->loops[kept] = *loop;
		kept++;
	}
	contraction->nloops = kept;

	for (int i = 0; i < contraction->nloops; i++)
	{
		for (int j = 0; j < contraction->nloops; j++)
		{
			DenseLoop *outer = &contraction->loops[i];
			DenseLoop *inner = &contraction->loops[j];

			if (i == j || !continues(outer, inner))
				continue;
			/* the merged loop has the inner one's strides; look again from the start */
			inner->extent *= outer->extent;
			*outer = contraction->loops[--contraction->nloops];
			i = -1;
			break;
		}
	}
}

unsigned
contraction_classes(const DenseContraction *contraction)
{
	unsigned classes = 0;

	for (int i = 0; i < contraction->nloops; i++)
		classes |= 1u << loop_class(&contraction->loops[i]);
	return classes;
}

Scalar
scalar_read(ElementType type, const void *element)
{
	switch (type)
	{
		case ELEMENT_FLOAT4:
			return *(const float *) element;
		case ELEMENT_FLOAT8:
			return *(const double *) element;
		case ELEMENT_COMPLEX8:
			return *(const float _Complex *) element;
		case ELEMENT_COMPLEX16:
			return *(const double _Complex *) element;
	}
	return 0;
}
