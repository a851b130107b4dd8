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
 * What the table has of a tensor. Those of a stored one are read at first use, and
 * kept there; all others must have been set.
 */
extern const TensorStatistics *tensor_statistics(SideTable *known,
												 const ProgramTensor *tensor);

#endif
