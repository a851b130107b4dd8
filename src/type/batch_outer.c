/*-------------------------------------------------------------------------
 *
 * batch_outer.c
 *	  Sums of outer products, as rank-k updates.
 *
 * One outer product reads and writes the whole sum for two operations per
 * element. The sum of k of them is the product of two matrices whose rows are
 * the collected operands, for which BLAS needs the sum once. Since it is a sum over
 * rows, it is of double precision whatever the operands are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "type/batch.h"
#include "type/state.h"

/*
 * A matrix product pays if the sum has at least this many elements, and from 8 rows on. A
 * large sum is not in the processor's cache: it is read and written once for many rows.
 */
#define OUTER_MINIMUM 256
#define OUTER_LEAST_ROWS 8
#define OUTER_MOST_ROWS (3 * BATCH_OUTER_ROWS)
#define OUTER_FIRST_ROWS 4

/* "ca,cb->ab" */
static const Equation update_equation = {
	.noperands = 2,
	.operands = {{2, {2, 0}}, {2, {2, 1}}},
	.output = {2, {0, 1}},
	.nlabels = 3,
	.letters = {'a', 'b', 'c'},
};

BatchState *
batch_outer_new(BatchForm *form, const KernelCall *call, MemoryContext aggregate)
{
	const TensorView *views[2];
	int64 counts[2];
	int64 most;
	BatchState *batch;
	OuterRows *outer;

	for (int i = 0; i < 2; i++)
	{
		views[i] = call->operands.views[form->tensors[i]];
		counts[i] = view_count(views[i]);
	}
	/* the product of the counts is in range, since the sum is a tensor of that size */
	if (counts[0] < BATCH_OUTER_LEAST || counts[1] < BATCH_OUTER_LEAST ||
		counts[0] * counts[1] < OUTER_MINIMUM)
		return NULL;
	batch = batch_new(form, aggregate);
	outer = MemoryContextAllocZero(batch->header.eoh_context, sizeof(OuterRows));
	outer->value_type = call->operands.type;
	outer->type = element_double(outer->value_type);
	for (int i = 0; i < 2; i++)
	{
		outer->ranks[i] = views[i]->rank;
		memcpy(outer->bounds[i], views[i]->bounds, sizeof(int64) * views[i]->rank);
		outer->counts[i] = counts[i];
	}
	/* the rows may take no more memory than the sum */
	most = counts[0] * counts[1] / (counts[0] + counts[1]);
	outer->most = (int) Max(Min(most, OUTER_MOST_ROWS), OUTER_LEAST_ROWS);
	batch->rows.outer = outer;
	batch->capacity = 0;
	return batch;
}

static void
enlarge_outer_rows(BatchState *batch)
{
	OuterRows *outer = batch->rows.outer;
	int capacity = batch->capacity ? batch->capacity * 4 : OUTER_FIRST_ROWS;

	capacity = Min(capacity, outer->most);
	for (int i = 0; i < 2; i++)
	{
		Size size = (Size) capacity * outer->counts[i] * element_size(outer->type);

		outer->rows[i] = outer->rows[i]
							 ? repalloc_huge(outer->rows[i], size)
							 : MemoryContextAllocHuge(batch->header.eoh_context, size);
	}
	batch->capacity = capacity;
}

/* Multiplies a row of double precision by a number. */
static void
scale_row(ElementType type, int64_t count, double scale, double *row)
{
	if (element_is_complex(type))
		count *= 2;
	for (int64_t i = 0; i < count; i++)
		row[i] *= scale;
}

bool
batch_add_outer(BatchState *batch, const KernelCall *call)
{
	const BatchForm *form = batch->form;
	OuterRows *outer = batch->rows.outer;
	int shorter = outer->counts[1] < outer->counts[0];

	/* only rows of the batch's type are added as a matrix product */
	if (call->operands.type != outer->value_type ||
		(batch->sum && batch->sum->type != outer->type))
		return false;
	for (int i = 0; i < 2; i++)
	{
		const TensorView *view = call->operands.views[form->tensors[i]];

		if (view->rank != outer->ranks[i] ||
			memcmp(view->bounds, outer->bounds[i], sizeof(int64) * view->rank) != 0)
			return false;
	}
	if (batch->nrows == outer->most)
		batch_flush(batch);
	if (batch->nrows == batch->capacity)
		enlarge_outer_rows(batch);
	for (int i = 0; i < 2; i++)
	{
		TensorView row;
		char *data = (char *) outer->rows[i] +
					 batch->nrows * outer->counts[i] * element_size(outer->type);

		view_contiguous(&row, outer->type, outer->ranks[i], outer->bounds[i], data);
		view_copy(call->operands.views[form->tensors[i]], &row);
		if (i == shorter && form->number >= 0)
			scale_row(
				outer->type, outer->counts[i],
				scalar_element(form->function.name, call->operands.views[form->number]),
				(double *) data);
	}
	batch->nrows++;
	return true;
}

Tensor *
add_outer_products(const BatchState *batch, Tensor *sum)
{
	const OuterRows *outer = batch->rows.outer;
	const bool swapped = batch->form->swapped;
	TensorView rows[2];
	const TensorView *views[2];
	TensorView out;
	int64 bounds[TENSOR_MAX_RANK];
	int rank = 0;

	if (sum == NULL)
	{
		for (int i = 0; i < 2; i++)
		{
			int operand = swapped ? 1 - i : i;

			memcpy(bounds + rank, outer->bounds[operand],
				   sizeof(int64) * outer->ranks[operand]);
			rank += outer->ranks[operand];
		}
		sum = fold_state_new(REDUCTION_SUM, outer->value_type, rank, bounds);
	}
	Assert(sum->type == outer->type);
	for (int i = 0; i < 2; i++)
	{
		int operand = swapped ? 1 - i : i;
		int64 shape[2] = {batch->nrows, outer->counts[operand]};

		view_contiguous(&rows[i], outer->type, 2, shape, outer->rows[operand]);
		views[i] = &rows[i];
	}
	bounds[0] = outer->counts[swapped ? 1 : 0];
	bounds[1] = outer->counts[swapped ? 0 : 1];
	view_contiguous(&out, outer->type, 2, bounds, tensor_elements(sum));
	einsum_accumulate(&update_equation, views, 1.0, &out);
	return sum;
}
