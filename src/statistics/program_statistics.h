/*-------------------------------------------------------------------------
 *
 * program_statistics.h
 *	  Statistics of a program's tensors, and of what is computed on the way.
 *
 *-------------------------------------------------------------------------
 */
#ifndef STATISTICS_PROGRAM_STATISTICS_H
#define STATISTICS_PROGRAM_STATISTICS_H

#include "catalog/tensor_statistics.h"
#include "expr/expr.h"
#include "expr/side_table.h"

/*
 * Returns the statistics of a tensor from the table. Those of a stored tensor or of eye
 * are added to the table at first use; those of other tensors must have been added by the
 * caller.
 */
extern const TensorStatistics *tensor_statistics(SideTable *known,
												 const ProgramTensor *tensor);

#endif
