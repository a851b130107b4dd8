/*-------------------------------------------------------------------------
 *
 * equation.c
 *	  Checking operands against an equation.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/kernels.h"

bool
equation_extents(const Equation *equation, const TensorView *const *operands,
				 int64_t *extents, EquationMismatch *mismatch)
{
	for (int l = 0; l < equation->nlabels; l++)
		extents[l] = -1;

	for (int o = 0; o < equation->noperands; o++)
	{
		const EquationTerm *term = &equation->operands[o];
		const TensorView *view = operands[o];

		if (view->rank != term->rank)
		{
			mismatch->label = -1;
			mismatch->operand = o;
			mismatch->expected = term->rank;
			mismatch->found = view->rank;
			return false;
		}
		for (int d = 0; d < term->rank; d++)
		{
			int label = term->labels[d];

			if (extents[label] < 0)
				extents[label] = view->bounds[d];
			else if (extents[label] != view->bounds[d])
			{
				mismatch->label = label;
				mismatch->operand = o;
				mismatch->expected = extents[label];
				mismatch->found = view->bounds[d];
				return false;
			}
		}
	}
	return true;
}
