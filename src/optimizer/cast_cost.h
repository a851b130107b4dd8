/*-------------------------------------------------------------------------
 *
 * cast_cost.h
 *	  The cost model: arrays that are stored in the place of tensors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_CAST_COST_H
#define OPTIMIZER_CAST_COST_H

#include "optimizer/decomposition.h"
#include "optimizer/stage.h"

/* The storage that has an operand as a stage needs it, if there is one; rather one of
 * tensors than of arrays. */
extern const Storage *storage_as_needed(const Operand *operand,
										const Decomposition *choice);

/* Microseconds of casting an array of a number of bytes. */
extern double cast_cost(double bytes);

#endif
