/*-------------------------------------------------------------------------
 *
 * elementwise.c
 *	  One function of one or two tensors, element by element.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/elementwise.h"
#include "kernels/sweep.h"

static const void *
evaluate_function(const Sweep *sweep, int64_t n, const void *const *operands,
				  void *target)
{
	const PointwiseFunction *function = sweep->context;

	if (sweep->type == ELEMENT_FLOAT8)
		function->loop8(n, (const double *const *) operands, target);
	else
		function->loop4(n, (const float *const *) operands, target);
	return target;
}

/*
 * Applies a function. Dimensions are matched from the last one; an operand that lacks a
 * dimension or has bound 1 there is repeated along it.
 */
static void
apply(const PointwiseFunction *function, int noperands, const TensorView *const *operands,
	  TensorView *out)
{
	Sweep sweep;

	sweep.type = sweep.out_type = out->type;
	sweep.noperands = noperands;
	sweep.out = out->data;
	sweep.store = true;
	sweep.reduction = REDUCTION_SUM;
	sweep.evaluate = evaluate_function;
	sweep.context = function;
	sweep.work = 2;
	sweep.nloops = out->rank;
	for (int o = 0; o < noperands; o++)
	{
		sweep.operand_types[o] = out->type;
		sweep.data[o] = operands[o]->data;
	}
	for (int d = 0; d < out->rank; d++)
	{
		SweepLoop *loop = &sweep.loops[d];

		loop->extent = out->bounds[d];
		loop->out_stride = out->strides[d];
		for (int o = 0; o < noperands; o++)
		{
			int from = d - (out->rank - operands[o]->rank);

			loop->stride[o] = from < 0 || operands[o]->bounds[from] == 1
								  ? 0
								  : operands[o]->strides[from];
		}
	}
	sweep_run(&sweep);
}

void
elementwise_binary(FunctionId function, const TensorView *a, const TensorView *b,
				   TensorView *out)
{
	const TensorView *operands[2] = {a, b};

	if (element_is_complex(out->type))
		elementwise_complex(function, 2, operands, out);
	else
		apply(&pointwise_functions[function], 2, operands, out);
}

void
elementwise_unary(FunctionId function, const TensorView *a, TensorView *out)
{
	if (element_is_complex(out->type))
		elementwise_complex(function, 1, &a, out);
	else
		apply(&pointwise_functions[function], 1, &a, out);
}

void
elementwise_divide_ieee(const TensorView *a, const TensorView *b, TensorView *out)
{
	const TensorView *operands[2] = {a, b};

	if (element_is_complex(out->type))
		elementwise_complex_divide(operands, out);
	else
		apply(&pointwise_divide_ieee, 2, operands, out);
}
