/*-------------------------------------------------------------------------
 *
 * view.c
 *	  Strided views: making contiguous ones, and counting elements.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/tensor_view.h"

void
view_contiguous(TensorView *view, ElementType type, int rank, const int64_t *bounds,
				void *data)
{
	int64_t stride = 1;

	view->type = type;
	view->rank = rank;
	view->data = data;
	for (int i = rank - 1; i >= 0; i--)
	{
		view->bounds[i] = bounds[i];
		view->strides[i] = stride;
		stride *= bounds[i];
	}
}

/* Returns the number of elements; 1 for rank 0. */
int64_t
view_count(const TensorView *view)
{
	int64_t count = 1;

	for (int i = 0; i < view->rank; i++)
		count *= view->bounds[i];
	return count;
}
