/*-------------------------------------------------------------------------
 *
 * dispatch.c
 *	  einsum of any number of operands, two at a time.
 *
 * One or two operands are a contraction (see dense/). More operands are
 * multiplied two at a time in the order that path.c chooses; operands that are
 * numbers go into the scalar factor first. Where no order keeps intermediate
 * results small enough, or within the labels that a view can have, the range of
 * a label is split in two: each half is an einsum of its own, which adds to the
 * same output.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>
#include <string.h>

#include "kernels/dense/contraction.h"
#include "kernels/dense/workspace.h"
#include "kernels/kernels.h"
#include "kernels/path.h"
#include "kernels/prepared.h"

/*
 * A factor of the product that remains to be computed: an operand or an intermediate
 * result.
 */
typedef struct Factor
{
	const EquationTerm *term;
	const TensorView *view;
	void *owned; /* memory of an intermediate result, or NULL */
	EquationTerm own_term;
	TensorView own_view;
} Factor;

static void
accumulate_factors(const Factor *a, const Factor *b, const EquationTerm *out_term,
				   const TensorView *out, Scalar scale)
{
	DenseContraction contraction;

	contraction_build(&contraction, a->term, a->view, b ? b->term : NULL,
					  b ? b->view : NULL, out_term, out);
	contraction_execute(&contraction, a->view->data, b ? b->view->data : NULL, out->data,
						scale);
}

/* Replaces a by the product of a and b that has these labels, an intermediate result. */
static void
multiply_factors(Factor *a, Factor *b, LabelSet labels, const int64_t *extents)
{
	EquationTerm term;
	TensorView view;
	int64_t bounds[TENSOR_MAX_RANK];
	size_t bytes = element_size(a->view->type);
	void *memory;

	/* any order of the labels is right; the operands' order keeps most loops mergeable */
	term.rank = 0;
	for (int side = 0; side < 2; side++)
	{
		const EquationTerm *from = side == 0 ? a->term : b->term;

		for (int d = 0; d < from->rank; d++)
		{
			LabelSet bit = LABEL_BIT(from->labels[d]);

			if (!(labels & bit))
				continue;
			labels &= ~bit;
			bounds[term.rank] = extents[from->labels[d]];
			bytes *= (size_t) bounds[term.rank]; /* within the limit of the path */
			term.labels[term.rank++] = from->labels[d];
		}
	}
	memory = kernel_host.allocate(bytes);
	memset(memory, 0, bytes);
	view_contiguous(&view, a->view->type, term.rank, bounds, memory);
	accumulate_factors(a, b, &term, &view, 1);

	for (int side = 0; side < 2; side++)
	{
		Factor *factor = side == 0 ? a : b;

		if (factor->owned != NULL)
			kernel_host.release(factor->owned);
		factor->owned = NULL;
	}
	a->own_term = term;
	a->own_view = view;
	a->term = &a->own_term;
	a->view = &a->own_view;
	a->owned = memory;
}

static void accumulate_product(Factor *factors, const PathProduct *product, double limit,
							   const EquationTerm *out_term, const TensorView *out,
							   Scalar scale);

/* Restricts the dimensions that carry a label to count values, from first on. */
static void
restrict_view(const EquationTerm *term, const TensorView *view, int label, int64_t first,
			  int64_t count, TensorView *part)
{
	int64_t offset = 0;

	*part = *view;
	for (int d = 0; d < term->rank; d++)
	{
		if (term->labels[d] != label || view->bounds[d] == 1)
			continue;
		offset += first * view->strides[d];
		part->bounds[d] = count;
	}
	part->data = (char *) view->data + offset * (int64_t) element_size(view->type);
}

/*
 * Chooses the label to split if no order fits: a label of the largest intermediate result
 * of the best order without limits. If that result has more labels than a view can have,
 * the label with the fewest values, as all its values must be split; else the one with
 * the most values.
 */
static int
choose_split(const PathProduct *product)
{
	EinsumPath path;
	PathStep steps[EQUATION_MAX_OPERANDS];
	const PathStep *worst = &steps[0];
	LabelSet labels;
	bool wide;
	int best;

	path_choose(product, EQUATION_MAX_LABELS, INFINITY, &path);
	path_measure(product, &path, steps);
	for (int s = 1; s < path.nsteps - 1; s++)
		if (steps[s].elements > worst->elements)
			worst = &steps[s];
	for (int s = 0; s < path.nsteps - 1; s++)
		if (label_set_count(steps[s].result) > TENSOR_MAX_RANK &&
			label_set_count(steps[s].result) > label_set_count(worst->result))
			worst = &steps[s];
	labels = worst->result;
	wide = label_set_count(labels) > TENSOR_MAX_RANK;
	best = label_set_first(labels);
	for (; labels != 0; labels &= labels - 1)
	{
		int label = label_set_first(labels);

		if (wide ? product->extents[label] < product->extents[best]
				 : product->extents[label] > product->extents[best])
			best = label;
	}
	return best;
}

/* Adds the product over the first half of a label's values, and over the second half. */
static void
accumulate_halves(const Factor *factors, const PathProduct *product, double limit,
				  int label, const EquationTerm *out_term, const TensorView *out,
				  Scalar scale)
{
	int64_t extent = product->extents[label];
	Factor *parts = kernel_host.allocate(sizeof(Factor) * (size_t) product->nfactors);
	PathProduct part = *product;
	TensorView part_out;

	for (int side = 0; side < 2; side++)
	{
		int64_t first = side == 0 ? 0 : extent / 2;
		int64_t count = side == 0 ? extent / 2 : extent - extent / 2;

		kernel_host.check_interrupts();
		part.extents[label] = count;
		for (int f = 0; f < product->nfactors; f++)
		{
			restrict_view(factors[f].term, factors[f].view, label, first, count,
						  &parts[f].own_view);
			parts[f].term = factors[f].term;
			parts[f].view = &parts[f].own_view;
			parts[f].owned = NULL;
			part.factors[f] = product->factors[f];
			if (count == 1)
				part.factors[f] &= ~LABEL_BIT(label);
		}
		part.output = product->output;
		if (count == 1)
			part.output &= ~LABEL_BIT(label);
		restrict_view(out_term, out, label, first, count, &part_out);
		accumulate_product(parts, &part, limit, out_term, &part_out, scale);
	}
	kernel_host.release(parts);
}

/*
 * Does what accumulate_halves does for a label that is summed: an out of single precision
 * is rounded only once.
 */
static void
accumulate_summed_halves(const Factor *factors, const PathProduct *product, double limit,
						 int label, const EquationTerm *out_term, const TensorView *out,
						 Scalar scale)
{
	TensorView rounded = *out;
	TensorView sum;
	Workspace workspace;

	if (!element_is_single(out->type))
	{
		accumulate_halves(factors, product, limit, label, out_term, out, scale);
		return;
	}
	workspace_open(&workspace, element_double(out->type), view_count(out));
	view_contiguous(&sum, element_double(out->type), out->rank, out->bounds,
					workspace.data);
	accumulate_halves(factors, product, limit, label, out_term, &sum, scale);
	reduction_accumulate(REDUCTION_SUM, &sum, &rounded);
	workspace_close(&workspace);
}

/* Multiplies two factors at a time in the given order; frees the intermediate results. */
static void
accumulate_in_order(Factor *factors, const PathProduct *product, const EinsumPath *path,
					const EquationTerm *out_term, const TensorView *out, Scalar scale)
{
	PathStep steps[EQUATION_MAX_OPERANDS];
	int last = path->nsteps - 1;
	Factor *a;
	Factor *b;

	path_measure(product, path, steps);
	for (int s = 0; s < last; s++)
		multiply_factors(&factors[path->steps[s].first], &factors[path->steps[s].second],
						 steps[s].result, product->extents);
	a = &factors[path->steps[last].first];
	b = &factors[path->steps[last].second];
	accumulate_factors(a, b, out_term, out, scale);
	if (a->owned != NULL)
		kernel_host.release(a->owned);
	if (b->owned != NULL)
		kernel_host.release(b->owned);
}

/* Computes a product of factors, splitting labels if needed; limit is in bytes. */
static void
accumulate_product(Factor *factors, const PathProduct *product, double limit,
				   const EquationTerm *out_term, const TensorView *out, Scalar scale)
{
	EinsumPath path;
	int label;

	if (path_choose(product, TENSOR_MAX_RANK,
					limit / (double) element_size(factors[0].view->type), &path))
	{
		accumulate_in_order(factors, product, &path, out_term, out, scale);
		return;
	}
	label = choose_split(product);
	if (product->output & LABEL_BIT(label))
		accumulate_halves(factors, product, limit, label, out_term, out, scale);
	else
		accumulate_summed_halves(factors, product, limit, label, out_term, out, scale);
}

/* Computes an einsum of many operands. path may be NULL: an order is chosen then. */
static void
accumulate_many(const Equation *equation, const TensorView *const *operands,
				const EinsumPath *path, double limit, double scale, TensorView *out)
{
	Factor *factors;
	PathProduct product;
	uint8_t operand_of_factor[EQUATION_MAX_OPERANDS];
	int next = 0;
	Scalar factor = scale;

	if (!product_build(equation, operands, &product, operand_of_factor))
		return; /* an operand is empty: nothing is added */
	factors = kernel_host.allocate(sizeof(Factor) * (size_t) product.nfactors);
	for (int o = 0; o < equation->noperands; o++)
	{
		if (next < product.nfactors && operand_of_factor[next] == o)
		{
			factors[next].term = &equation->operands[o];
			factors[next].view = operands[o];
			factors[next].owned = NULL;
			next++;
		}
		else
			factor = scalar_multiply(factor,
									 scalar_read(operands[o]->type, operands[o]->data));
	}
	if (product.nfactors == 1)
		accumulate_factors(&factors[0], NULL, &equation->output, out, factor);
	else if (path != NULL && path->nsteps == product.nfactors - 1)
		accumulate_in_order(factors, &product, path, &equation->output, out, factor);
	else
		accumulate_product(factors, &product, limit, &equation->output, out, factor);
	kernel_host.release(factors);
}

void
einsum_choose_order(const Equation *equation, const TensorView *const *operands,
					ElementType type, EinsumPath *path)
{
	PathProduct product;
	uint8_t operand_of_factor[EQUATION_MAX_OPERANDS];

	path->nsteps = 0;
	if (!product_build(equation, operands, &product, operand_of_factor) ||
		product.nfactors < 2)
		return;
	if (!path_choose(&product, TENSOR_MAX_RANK,
					 EINSUM_MEMORY_LIMIT / (double) element_size(type), path))
		path->nsteps = 0;
}

void
einsum_accumulate_in_order(const Equation *equation, const TensorView *const *operands,
						   const EinsumPath *path, double scale, TensorView *out)
{
	accumulate_many(equation, operands, path, EINSUM_MEMORY_LIMIT, scale, out);
}

void
einsum_accumulate_limited(const Equation *equation, const TensorView *const *operands,
						  double scale, double limit, TensorView *out)
{
	accumulate_many(equation, operands, NULL, limit, scale, out);
}

/* Builds the contraction of one operand or two. */
static void
build_contraction(const Equation *equation, const TensorView *const *operands,
				  const TensorView *out, DenseContraction *contraction)
{
	bool two = equation->noperands == 2;

	contraction_build(contraction, &equation->operands[0], operands[0],
					  two ? &equation->operands[1] : NULL, two ? operands[1] : NULL,
					  &equation->output, out);
}

void
einsum_accumulate(const Equation *equation, const TensorView *const *operands,
				  double scale, TensorView *out)
{
	DenseContraction contraction;

	if (equation->noperands > 2)
	{
		accumulate_many(equation, operands, NULL, EINSUM_MEMORY_LIMIT, scale, out);
		return;
	}
	build_contraction(equation, operands, out, &contraction);
	contraction_execute(&contraction, operands[0]->data,
						equation->noperands == 2 ? operands[1]->data : NULL, out->data,
						scale);
}

bool
einsum_prepare(const Equation *equation, const TensorView *const *operands,
			   const TensorView *out, PreparedEinsum *prepared)
{
	DenseContraction contraction;

	if (equation->noperands > 2)
		return false;
	build_contraction(equation, operands, out, &contraction);
	return contraction_prepare(&contraction, equation->noperands == 2, prepared);
}

void
einsum_run(const PreparedEinsum *prepared, const void *const *operands, double scale,
		   void *out)
{
	contraction_run(prepared, operands[0], operands[1], out, scale);
}
