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

/* Stored tensors of a join that are asked for keys, and the stages through which they are. */
#define MAX_GUARDS 32

/* A stage in a join, by the labels of the stage that joins; -1: none of these. */
typedef struct JoinedStage
{
	Stage *stage;
	int map[STAGE_MAX_LABELS];
	struct JoinedStage *above; /* that reads it; NULL: it is the one that joins */
} JoinedStage;

/* The nearest first, each once by the same labels. */
typedef struct JoinedStages
{
	int count;
	JoinedStage *stages[MAX_GUARDS];
} JoinedStages;

/* The stage that joins; of others more are found from the first one on. */
extern void begin_joined_stages(JoinedStages *joined, Stage *stage);

/*
 * Adds what makes an operand of one of them, of which these dimensions are keys that it shares
 * with the reader; not if it has none of the labels, nor beyond what there is room for.
 */
extern void add_joined_stage(JoinedStages *joined, JoinedStage *above,
							 const Operand *operand, DimensionMask kept);

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
