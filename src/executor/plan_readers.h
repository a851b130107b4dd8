/*-------------------------------------------------------------------------
 *
 * plan_readers.h
 *	  Which node of a finished plan reads another one's rows.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_PLAN_READERS_H
#define EXECUTOR_PLAN_READERS_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "utils/hsearch.h"

/* Where a node is in the plan. */
typedef struct PlanPlace
{
	const Plan *node; /* the key */
	Plan *above;      /* the node that reads it; NULL: it is the top of its tree */
	int tree;         /* plan_id of the subplan, 0: the main tree */
} PlanPlace;

/* The places of all nodes of a statement. */
typedef struct PlanReaders
{
	HTAB *places;
	int ntrees;
	List **cte_scans;    /* by tree: the scans of the CTE that it is, NIL for others */
	int *prefetch_rules; /* by tree, for prefetch.c: -1 until it is known */
} PlanReaders;

/*
 * The readers in the statement that this is the state of; made once for each run, for
 * plans have thousands of nodes of which many ask.
 */
extern const PlanReaders *plan_readers(EState *estate);

/* The place of a node, or NULL. */
extern const PlanPlace *plan_place(const PlanReaders *readers, const Plan *node);

#endif
