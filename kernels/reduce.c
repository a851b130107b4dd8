/*-------------------------------------------------------------------------
 *
 * reduce.c
 *	  Folding one tensor into another of the same shape: what the aggregates
 *	  tensor_sum, tensor_min, tensor_max and tensor_prod do per row.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/dense/contraction.h"
#include "kernels/elementwise.h"
#include "kernels/sweep.h"

static const void *
evaluate_identity(const Sweep *sweep, int64_t n, const void *const *operands,
				  void *target)
{
	return operands[0];
}

/* A sum is an einsum with the same labels on both sides. */
static void
accumulate_sum(const TensorView *in, TensorView *out)
{
	Contraction contraction;
	EquationTerm term;

	term.rank = out->rank;
	for (int d = 0; d < out->rank; d++)
		term.labels[d] = (uint8_t) d;
	contraction_build(&contraction, &term, in, NULL, NULL, &term, out);
	contraction_execute(&contraction, in->data, NULL, out->data, 1);
}

void
reduction_accumulate(Reduction reduction, const TensorView *in, TensorView *out)
{
	Sweep sweep;

	if (reduction == REDUCTION_SUM)
	{
		accumulate_sum(in, out);
		return;
	}
	if (element_is_complex(out->type))
	{
		const TensorView *operands[2] = {in, out};

		/* complex numbers have no order; callers refuse min and max */
		if (reduction == REDUCTION_PROD)
			elementwise_complex(FUNCTION_MULTIPLY, 2, operands, out);
		return;
	}
	sweep.type = out->type;
	sweep.noperands = 1;
	sweep.operand_types[0] = in->type;
	sweep.data[0] = in->data;
	sweep.out = out->data;
	sweep.store = false;
	sweep.reduction = reduction;
	sweep.evaluate = evaluate_identity;
	sweep.context = NULL;
	sweep.work = 1;
	sweep.nloops = out->rank;
	for (int d = 0; d < out->rank; d++)
	{
		sweep.loops[d].extent = out->bounds[d];
		sweep.loops[d].stride[0] = in->strides[d];
		sweep.loops[d].out_stride = out->strides[d];
	}
	sweep_run(&sweep);
}
