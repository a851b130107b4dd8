/*-------------------------------------------------------------------------
 *
 * missing_indices.h
 *	  Aggregates of a program whose results depend on indices that no row has.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STATISTICS_MISSING_INDICES_H
#define STATISTICS_MISSING_INDICES_H

#include "expr/expr.h"

/* An aggregate over a label for which some indices have no rows. */
typedef struct MissingIndices
{
	const char *tensor;    /* the tensor whose statement has the aggregate */
	const char *aggregate; /* the aggregate's text in the statement */
	const char *label;
	double indices;
	/* the most indices with rows in any tensor below the aggregate, as last counted */
	double with_rows;
	/* a mean divides by the indices, which are all numbers below a bound, no population */
	bool doubtful;
} MissingIndices;

/*
 * Returns a list of MissingIndices *: the aggregates of a program whose results would be
 * other numbers if indices without rows were left out, as for the maximum of negative
 * numbers, or for a mean, which divides by the number of indices. Leaves out aggregates
 * where indices with rows were never counted, or the user may not read the count.
 */
extern List *missing_indices(Program *program);

/*
 * Returns a list of MissingIndices *: the means of stored tensors over key columns that
 * divide by more places than there are rows, though each index may have one. The label
 * is NULL, the indices are the places of the tensor, and with_rows is its rows. Leaves out
 * tensors in which a row means 1, and means over a dimension.
 */
extern List *means_of_sparse_tensors(const Program *program);

#endif
