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

/*
 * Returns the storage that has an operand in the decomposition that a stage needs, or
 * NULL. A storage of tensors is preferred to one of arrays.
 */
extern const Storage *storage_as_needed(const Operand *operand,
										const Decomposition *choice);

/* Returns the microseconds of casting an array of this number of bytes to a tensor. */
extern double cast_cost(double bytes);

#endif
