/*-------------------------------------------------------------------------
 *
 * einsum.c
 *	  The definition of einsum: for all values of all labels, multiply the
 *	  operands' elements and add the product to the output's element.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/ref/reference.h"

double _Complex reference_get(const TensorView *view, const int64_t *index)
{
	int64_t at = 0;

	for (int d = 0; d < view->rank; d++)
		at += index[d] * view->strides[d];
	switch (view->type)
	{
		case ELEMENT_FLOAT4:
			return ((float *) view->data)[at];
		case ELEMENT_FLOAT8:
			return ((double *) view->data)[at];
		case ELEMENT_COMPLEX8:
			return ((float _Complex *) view->data)[at];
		case ELEMENT_COMPLEX16:
			return ((double _Complex *) view->data)[at];
	}
	return 0;
}

void
reference_set(TensorView *view, const int64_t *index, double _Complex value)
{
	int64_t at = 0;

	for (int d = 0; d < view->rank; d++)
		at += index[d] * view->strides[d];
	switch (view->type)
	{
		case ELEMENT_FLOAT4:
			((float *) view->data)[at] = (float) creal(value);
			break;
		case ELEMENT_FLOAT8:
			((double *) view->data)[at] = creal(value);
			break;
		case ELEMENT_COMPLEX8:
			((float _Complex *) view->data)[at] = (float _Complex) value;
			break;
		case ELEMENT_COMPLEX16:
			((double _Complex *) view->data)[at] = value;
			break;
	}
}

/* A dimension of bound 1 has one index, whatever the label's value is. */
void
reference_index(const EquationTerm *term, const TensorView *view, const int64_t *values,
				int64_t *index)
{
	for (int d = 0; d < term->rank; d++)
		index[d] = view->bounds[d] == 1 ? 0 : values[term->labels[d]];
}

void
reference_extents(const Equation *equation, const TensorView *const *operands,
				  int64_t *extents)
{
	for (int l = 0; l < equation->nlabels; l++)
		extents[l] = 1;
	for (int o = 0; o < equation->noperands; o++)
		for (int d = 0; d < equation->operands[o].rank; d++)
			if (operands[o]->bounds[d] != 1)
				extents[equation->operands[o].labels[d]] = operands[o]->bounds[d];
}

static void
loop_over_label(const Equation *equation, const TensorView *const *operands,
				const int64_t *extents, int label, int64_t *values, double scale,
				TensorView *out)
{
	int64_t index[TENSOR_MAX_RANK];
	double _Complex product = scale;

	if (label < equation->nlabels)
	{
		for (values[label] = 0; values[label] < extents[label]; values[label]++)
			loop_over_label(equation, operands, extents, label + 1, values, scale, out);
		return;
	}
	for (int o = 0; o < equation->noperands; o++)
	{
		reference_index(&equation->operands[o], operands[o], values, index);
		product *= reference_get(operands[o], index);
	}
	reference_index(&equation->output, out, values, index);
	reference_set(out, index, reference_get(out, index) + product);
}

void
reference_einsum(const Equation *equation, const TensorView *const *operands,
				 double scale, TensorView *out)
{
	int64_t extents[EQUATION_MAX_LABELS];
	int64_t values[EQUATION_MAX_LABELS];

	reference_extents(equation, operands, extents);
	loop_over_label(equation, operands, extents, 0, values, scale, out);
}
