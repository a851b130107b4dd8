/*-------------------------------------------------------------------------
 *
 * reduce.c
 *	  Folds one tensor into another of the same shape, as the aggregates tensor_sum,
 *	  tensor_min, tensor_max and tensor_prod do per row; and keeps results that are
 *	  folded in double precision before they are rounded.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/dense/contraction.h"
#include "kernels/map_loops.h"

static const void *
evaluate_identity(const Sweep *sweep, int64_t n, const void *const *operands,
				  void *target)
{
	return operands[0];
}

/* Adds in to out: a sum is an einsum with the same labels on both sides. */
static void
accumulate_sum(const TensorView *in, TensorView *out)
{
	DenseContraction contraction;
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
	/* complex numbers have no order; callers refuse min and max */
	if (element_is_complex(out->type) && reduction != REDUCTION_PROD)
		return;
	sweep.type = in->type;
	sweep.out_type = out->type;
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

bool
double_result_begin(DoubleResult *sum, const Equation *equation, Reduction reduction,
					const TensorView *out)
{
	ElementType type = element_double(out->type);
	double identity = reduction_identity(reduction);
	int64_t count = view_count(out);

	if (!element_is_single(out->type) || !reduction_rounds(reduction) ||
		equation->nlabels == out->rank)
		return false;
	/* twice the elements: the second half is for the rounded result */
	workspace_open(&sum->workspace, type, 2 * count);
	view_contiguous(&sum->view, type, out->rank, out->bounds, sum->workspace.data);
	for (int64_t i = 0; identity != 0 && i < count; i++)
		((double *) sum->view.data)[element_is_complex(type) ? 2 * i : i] = identity;
	return true;
}

void
double_result_end(DoubleResult *sum, Reduction reduction, TensorView *out)
{
	TensorView rounded;

	view_contiguous(&rounded, out->type, out->rank, out->bounds,
					(char *) sum->view.data +
						view_count(out) * (int64_t) element_size(sum->view.type));
	view_copy(&sum->view, &rounded);
	reduction_accumulate(reduction, &rounded, out);
	workspace_close(&sum->workspace);
}
