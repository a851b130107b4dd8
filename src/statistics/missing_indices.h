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

/* An aggregate over a label of which fewer indices have rows than there are. */
typedef struct MissingIndices
{
	const char *tensor;    /* whose statement has the aggregate */
	const char *aggregate; /* as it is written there */
	const char *label;
	double indices;
	double with_rows; /* of any tensor below the aggregate, as last counted */
} MissingIndices;

/*
 * Those of a program, of MissingIndices *: a mean, which divides by the number of indices, and all else
 * that is another number if an index without rows is left out, as the maximum of negative numbers. Where it
 * was never counted how many indices have rows, or the user may not know, nothing is said.
 */
extern List *missing_indices(Program *program);

#endif
