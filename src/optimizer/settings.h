/*-------------------------------------------------------------------------
 *
 * settings.h
 *	  The sparseeinsum.* settings that steer the optimizer.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_SETTINGS_H
#define OPTIMIZER_SETTINGS_H

#include "postgres.h"

#include "type/allints.h" /* max_dense_tuples */
#include "type/tensor.h"  /* max_kernel_bytes */

/* All costs are microseconds of one core. */
extern double tuple_cost;            /* one tuple through a join */
extern double agg_tuple_cost;        /* one tuple into an aggregate */
extern double group_cost;            /* one group, or one row that is formed */
extern double transfer_cost;         /* one byte of a tuple */
extern double entry_cost;            /* one entry of an array or of a sparse value */
extern double spill_cost;            /* one byte written to a temporary file and read */
extern double kernel_matrix_cost;    /* one operation, matrix times matrix */
extern double kernel_streaming_cost; /* one operation, vectors */
extern double kernel_general_cost;   /* an addition in a general expression */
extern int search_budget;            /* most assignments of a stage that are tried */
extern int max_gather_bytes;         /* kB that a query gathers from tables of Citus */
extern int rewrite_budget;           /* work spent on other forms, see rewrite_budget.h */
/* factor between a state's entries at which a loop's step is planned again */
extern double replan_factor;
/* a row that has moved by this many times its greatest entry is computed again */
extern double max_drift;
extern double noise_shape; /* of artificial errors of estimates; 0: none */
extern int noise_seed;
extern int default_estimator; /* position in estimators[] */
extern int nblock_sizes;      /* number of sizes in block_sizes */
extern const int *block_sizes;

/* Where plan nodes of a kind are used. */
typedef enum NodeUse
{
	NODES_OFF,
	NODES_ON,    /* where they should pay */
	NODES_FORCE, /* wherever they are possible */
} NodeUse;

extern int enable_batching;
extern int enable_aggregate_join;
extern int enable_additions;     /* for refreshes, likewise */
extern int enable_state_changes; /* for loops: not a plan node, but set alike */

/* Defines the settings; called when the library is loaded. */
extern void optimizer_init(void);

#endif
