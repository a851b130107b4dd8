/*-------------------------------------------------------------------------
 *
 * sent_results.h
 *	  SentResults, below a Gather: how the leader gets the values that a worker
 *	  does not send in its rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_SENT_RESULTS_H
#define EXECUTOR_SENT_RESULTS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/extensible.h"

#include "type/tensor.h"

typedef struct SentResultsState SentResultsState;

/* The state if it is that of a node SentResults, which returns its child's rows; or NULL. */
extern SentResultsState *as_sent_results(PlanState *node);

/*
 * Has workers send values of a column in another way than in their rows, which have
 * references instead. Called in the leader before the workers start, by who looks
 * at each reference with sent_value.
 */
extern void send_column(SentResultsState *state, AttrNumber column);

/*
 * The value that a worker has sent for a reference; NULL if the datum is no
 * reference, but a value. It stays until the next call of release_sent_values.
 */
extern Tensor *sent_value(SentResultsState *state, Datum datum);

/* Says that the values of the last row are not looked at any more. */
extern void release_sent_values(SentResultsState *state);

extern const CustomScanMethods sent_results_scan_methods;

#endif
