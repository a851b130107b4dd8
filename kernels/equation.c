/*-------------------------------------------------------------------------
 *
 * equation.c
 *	  Binds the "..." of an equation to operands, and checks the operands' shapes
 *	  against it.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/kernels.h"

BindResult
equation_bind(const Equation *equation, const int *ranks, Equation *bound, int *where)
{
	int most = 0; /* dimensions of "..." */
	int widest = 0;

	*bound = *equation;
	for (int o = 0; o < equation->noperands; o++)
	{
		const EquationTerm *term = &equation->operands[o];
		int more = ranks[o] - term->rank;

		if (term->ellipsis == 0)
			continue; /* equation_extents compares the ranks */
		if (more < 0)
		{
			*where = o;
			return BIND_RANK_TOO_SMALL;
		}
		if (more > most)
		{
			most = more;
			widest = o;
		}
	}
	*where = widest;
	if (most > 0 && equation->output.ellipsis == 0)
		return BIND_NOT_IN_OUTPUT;
	if (equation->output.rank + most > TENSOR_MAX_RANK)
		return BIND_OUTPUT_RANK;

	for (int o = 0; o <= equation->noperands; o++)
	{
		bool output = o == equation->noperands;
		const EquationTerm *from = output ? &equation->output : &equation->operands[o];
		EquationTerm *to = output ? &bound->output : &bound->operands[o];
		int more = output ? most : ranks[o] - from->rank;
		int at = from->ellipsis - 1;

		if (from->ellipsis == 0)
			continue;
		for (int d = from->rank - 1; d >= at; d--)
			to->labels[d + more] = from->labels[d];
		for (int d = 0; d < more; d++)
			to->labels[at + d] = (uint8_t) (equation->nlabels + most - more + d);
		to->rank = from->rank + more;
		to->ellipsis = 0;
	}
	for (int d = 0; d < most; d++)
		bound->letters[bound->nlabels++] = '.';
	bound->has_ellipsis = false;
	return BIND_DONE;
}

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
			int64_t expected = extents[label];
			bool fits = expected < 0 || expected == 1 || view->bounds[d] == 1 ||
						expected == view->bounds[d];

			/* both dimensions of a diagonal must have the same bound: no broadcasting */
			for (int e = 0; e < d && fits; e++)
				if (term->labels[e] == label && view->bounds[e] != view->bounds[d])
				{
					expected = view->bounds[e];
					fits = false;
				}
			if (!fits)
			{
				mismatch->label = label;
				mismatch->operand = o;
				mismatch->expected = expected;
				mismatch->found = view->bounds[d];
				return false;
			}
			if (expected < 0 || expected == 1)
				extents[label] = view->bounds[d];
		}
	}
	return true;
}
