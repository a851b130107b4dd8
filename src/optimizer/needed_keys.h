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

/*
 * The most stored tensors of a join that are asked for keys, and the most stages through
 * which a join reads them.
 */
#define MAX_GUARDS 32

/*
 * A stage that a join reads, directly or through others. map has, for each of its labels,
 * the label of the joining stage; -1 if that has no such label.
 */
typedef struct JoinedStage
{
	Stage *stage;
	int map[STAGE_MAX_LABELS];
	/* the stage that reads it; NULL: it is the joining stage itself */
	struct JoinedStage *above;
} JoinedStage;

/* The stages of a join, the nearest first; each stage once for equal maps of labels. */
typedef struct JoinedStages
{
	int count;
	JoinedStage *stages[MAX_GUARDS];
} JoinedStages;

/*
 * Begins a list of joined stages with the joining stage alone; the caller adds the
 * others, walking through the list from its first stage.
 */
extern void begin_joined_stages(JoinedStages *joined, Stage *stage);

/*
 * Adds the stage that produces an operand of a joined stage, given the dimensions of the
 * operand that are keys in both. Adds nothing if the operand shares no key with the
 * joining stage, if the list has the stage already, or if it is full.
 */
extern void add_joined_stage(JoinedStages *joined, JoinedStage *above,
							 const Operand *operand, DimensionMask kept);

/*
 * Finds the dimensions of the last statement's result that options->at names. Errors:
 * 42703 if the result has no such label, 42701 if a label is given twice.
 */
extern void find_at_labels(StageGraph *graph, const Statement *last);

/*
 * Finds for a point query how many keys of which labels each stage is needed at. Limits
 * the stages' estimates to these keys and promotes these labels. Errors: 22023 if the
 * left side does not promote a label that the query gives.
 */
extern void find_needed_keys(StageGraph *graph);

/*
 * Returns the statistics of the part of a stage's result that is needed and so computed.
 */
extern const TensorStatistics *statistics_of_result(const Stage *stage);

/*
 * Returns the statistics of the part of an operand that a repartition between these
 * decompositions reads.
 */
extern const TensorStatistics *statistics_to_read(const Operand *operand,
												  const Decomposition *from,
												  const Decomposition *to);

#endif
