/*-------------------------------------------------------------------------
 *
 * dispatch.c
 *	  einsum of any number of operands, by pairs.
 *
 * One or two operands are a contraction (see dense/). More are multiplied two
 * at a time: the pair whose product is smallest compared with the two operands
 * that it replaces comes first, and labels that neither the result nor another
 * operand needs are summed on the way. Numbers go into the factor before all.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "kernels/dense/contraction.h"
#include "kernels/kernels.h"

/* An operand of the remaining product. */
typedef struct Factor
{
	const EquationTerm *term;
	const TensorView *view;
	void *owned; /* memory of an intermediate result, or NULL */
	EquationTerm own_term;
	TensorView own_view;
} Factor;

/* The labels of a term as a set; those of extent 1 do not matter. */
static uint64_t
term_labels(const EquationTerm *term, const int64_t *extents)
{
	uint64_t labels = 0;

	for (int d = 0; d < term->rank; d++)
		if (extents[term->labels[d]] > 1)
			labels |= UINT64_C(1) << term->labels[d];
	return labels;
}

/* Product of the labels' extents; as a double, since it may be beyond int64. */
static double
labels_size(uint64_t labels, const int64_t *extents)
{
	double size = 1;

	for (; labels != 0; labels &= labels - 1)
		size *= (double) extents[__builtin_ctzll(labels)];
	return size;
}

/* Labels that the output or another factor than i and j has. */
static uint64_t
needed_elsewhere(Factor *const *factors, int nfactors, int i, int j,
				 const int64_t *extents, uint64_t output)
{
	uint64_t labels = output;

	for (int f = 0; f < nfactors; f++)
		if (f != i && f != j)
			labels |= term_labels(factors[f]->term, extents);
	return labels;
}

/*
 * The next pair and the labels of its product; false if every pair's product
 * has more labels than a view can have.
 */
static bool
choose_pair(Factor *const *factors, int nfactors, const int64_t *extents, uint64_t output,
			int *first, int *second, uint64_t *product)
{
	double best = 0;
	bool found = false;

	for (int i = 0; i < nfactors; i++)
	{
		for (int j = i + 1; j < nfactors; j++)
		{
			uint64_t a = term_labels(factors[i]->term, extents);
			uint64_t b = term_labels(factors[j]->term, extents);
			uint64_t labels =
				(a | b) & needed_elsewhere(factors, nfactors, i, j, extents, output);
			double growth;

			if (__builtin_popcountll(labels) > TENSOR_MAX_RANK)
				continue;
			growth = labels_size(labels, extents) - labels_size(a, extents) -
					 labels_size(b, extents);
			if (!found || growth < best)
			{
				found = true;
				best = growth;
				*first = i;
				*second = j;
				*product = labels;
			}
		}
	}
	return found;
}

static void
accumulate_factors(const Factor *a, const Factor *b, const EquationTerm *out_term,
				   const TensorView *out, Scalar scale)
{
	Contraction contraction;

	contraction_build(&contraction, a->term, a->view, b ? b->term : NULL,
					  b ? b->view : NULL, out_term, out);
	contraction_execute(&contraction, a->view->data, b ? b->view->data : NULL, out->data,
						scale);
}

/* Multiplies b into a, keeping these labels; a becomes an intermediate result. */
static void
multiply_factors(Factor *a, Factor *b, uint64_t labels, const int64_t *extents)
{
	EquationTerm term;
	TensorView view;
	int64_t bounds[TENSOR_MAX_RANK];
	size_t bytes = element_size(a->view->type);
	void *memory;

	/* any order is right; that of the operands keeps most loops mergeable */
	term.rank = 0;
	for (int side = 0; side < 2; side++)
	{
		const EquationTerm *from = side == 0 ? a->term : b->term;

		for (int d = 0; d < from->rank; d++)
		{
			uint64_t bit = UINT64_C(1) << from->labels[d];

			if (!(labels & bit))
				continue;
			labels &= ~bit;
			bounds[term.rank] = extents[from->labels[d]];
			/* too large for any address space: the host refuses SIZE_MAX */
			if (__builtin_mul_overflow(bytes, (size_t) bounds[term.rank], &bytes))
				bytes = SIZE_MAX;
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

static void accumulate_product(Factor **factors, int nfactors, const int64_t *extents,
							   const EquationTerm *out_term, const TensorView *out,
							   Scalar scale);

/* The view without the dimensions that carry the label, at this value of it. */
static void
slice(const EquationTerm *term, const TensorView *view, int label, int64_t value,
	  EquationTerm *sliced_term, TensorView *sliced)
{
	int64_t offset = 0;
	int rank = 0;

	for (int d = 0; d < term->rank; d++)
	{
		if (term->labels[d] == label)
		{
			offset += value * view->strides[d];
			continue;
		}
		sliced_term->labels[rank] = term->labels[d];
		sliced->bounds[rank] = view->bounds[d];
		sliced->strides[rank] = view->strides[d];
		rank++;
	}
	sliced_term->rank = rank;
	sliced->rank = rank;
	sliced->type = view->type;
	sliced->data = (char *) view->data + offset * (int64_t) element_size(view->type);
}

/*
 * Every product of two factors has more labels than a view can have: gives the
 * label that most factors have one value after the other.
 */
static void
accumulate_slices(Factor **factors, int nfactors, const int64_t *extents,
				  const EquationTerm *out_term, const TensorView *out, Scalar scale)
{
	Factor storage[EQUATION_MAX_OPERANDS];
	Factor *sliced[EQUATION_MAX_OPERANDS];
	int label = 0;
	int most = 0;

	for (int l = 0; l < EQUATION_MAX_LABELS; l++)
	{
		int count = 0;

		for (int f = 0; f < nfactors; f++)
			count += (term_labels(factors[f]->term, extents) >> l) & 1;
		if (count > most)
		{
			most = count;
			label = l;
		}
	}
	for (int64_t value = 0; value < extents[label]; value++)
	{
		EquationTerm sliced_out_term;
		TensorView sliced_out;

		kernel_host.check_interrupts();
		slice(out_term, out, label, value, &sliced_out_term, &sliced_out);
		for (int f = 0; f < nfactors; f++)
		{
			slice(factors[f]->term, factors[f]->view, label, value, &storage[f].own_term,
				  &storage[f].own_view);
			storage[f].term = &storage[f].own_term;
			storage[f].view = &storage[f].own_view;
			storage[f].owned = NULL;
			sliced[f] = &storage[f];
		}
		accumulate_product(sliced, nfactors, extents, &sliced_out_term, &sliced_out,
						   scale);
	}
}

/* Multiplies two factors at a time until two are left; releases what it made. */
static void
accumulate_product(Factor **factors, int nfactors, const int64_t *extents,
				   const EquationTerm *out_term, const TensorView *out, Scalar scale)
{
	uint64_t output = term_labels(out_term, extents);

	while (nfactors > 2)
	{
		int first;
		int second;
		uint64_t product;

		if (!choose_pair(factors, nfactors, extents, output, &first, &second, &product))
			break;
		multiply_factors(factors[first], factors[second], product, extents);
		factors[second] = factors[--nfactors];
	}
	if (nfactors > 2)
		accumulate_slices(factors, nfactors, extents, out_term, out, scale);
	else
		accumulate_factors(factors[0], nfactors > 1 ? factors[1] : NULL, out_term, out,
						   scale);
	for (int f = 0; f < nfactors; f++)
		if (factors[f]->owned != NULL)
			kernel_host.release(factors[f]->owned);
}

static void
accumulate_many(const Equation *equation, const TensorView *const *operands, double scale,
				TensorView *out)
{
	Factor storage[EQUATION_MAX_OPERANDS];
	Factor *factors[EQUATION_MAX_OPERANDS];
	int nfactors = 0;
	int64_t extents[EQUATION_MAX_LABELS];
	Scalar factor = scale;

	for (int l = 0; l < EQUATION_MAX_LABELS; l++)
		extents[l] = 1;
	for (int o = 0; o < equation->noperands; o++)
	{
		const EquationTerm *term = &equation->operands[o];

		for (int d = 0; d < term->rank; d++)
		{
			extents[term->labels[d]] = operands[o]->bounds[d];
			if (operands[o]->bounds[d] == 0)
				return;
		}
	}
	for (int o = 0; o < equation->noperands; o++)
	{
		/* the last operand stays, even if all are numbers */
		if (equation->operands[o].rank == 0 &&
			(nfactors > 0 || o < equation->noperands - 1))
		{
			factor *= scalar_read(operands[o]->type, operands[o]->data);
			continue;
		}
		storage[nfactors].term = &equation->operands[o];
		storage[nfactors].view = operands[o];
		storage[nfactors].owned = NULL;
		factors[nfactors] = &storage[nfactors];
		nfactors++;
	}
	accumulate_product(factors, nfactors, extents, &equation->output, out, factor);
}

void
einsum_accumulate(const Equation *equation, const TensorView *const *operands,
				  double scale, TensorView *out)
{
	Contraction contraction;

	if (equation->noperands > 2)
	{
		accumulate_many(equation, operands, scale, out);
		return;
	}
	if (equation->noperands == 1)
	{
		contraction_build(&contraction, &equation->operands[0], operands[0], NULL, NULL,
						  &equation->output, out);
		contraction_execute(&contraction, operands[0]->data, NULL, out->data, scale);
		return;
	}
	contraction_build(&contraction, &equation->operands[0], operands[0],
					  &equation->operands[1], operands[1], &equation->output, out);
	contraction_execute(&contraction, operands[0]->data, operands[1]->data, out->data,
						scale);
}
