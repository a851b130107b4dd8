/*-------------------------------------------------------------------------
 *
 * needed_keys.h
 *	  What a point query needs of each stage.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_NEEDED_KEYS_H
#define OPTIMIZER_NEEDED_KEYS_H

#include "optimizer/stage.h"

/* Stored tensors of a join that are asked for keys. */
#define MAX_GUARDS 32

/*
 * The dimensions of the last statement's result that options->at names. Errors: 42703
 * if it has no such label, 42701 for one given twice.
 */
extern void find_at_labels(StageGraph *graph, const Statement *last);

/*
 * For a point query: how many keys of which labels each stage is needed at, with estimates
 * for just that, and these labels promoted. Errors: 22023 if the left side does not
 * promote what is given.
 */
extern void find_needed_keys(StageGraph *graph);

/* The statistics of what is computed of a stage's result: of what is needed. */
extern const TensorStatistics *statistics_of_result(const Stage *stage);

/* The statistics of what is read of an operand, to be brought from one decomposition
 * into another. */
extern const TensorStatistics *statistics_to_read(const Operand *operand,
												  const Decomposition *from,
												  const Decomposition *to);

#endif
