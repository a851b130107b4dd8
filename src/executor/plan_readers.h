/*-------------------------------------------------------------------------
 *
 * plan_readers.h
 *	  Finds which node of a finished plan reads another node's rows.
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
	List **cte_scans;    /* by tree: the scans of the tree if it is a CTE's, else NIL */
	int *prefetch_rules; /* by tree, for prefetch.c: -1 until it is known */
} PlanReaders;

/*
 * Returns the readers of the statement that an executor state runs. They are made once
 * for each run: plans have thousands of nodes, and many of them ask.
 */
extern const PlanReaders *plan_readers(EState *estate);

/* The place of a node in its plan, or NULL. */
extern const PlanPlace *plan_place(const PlanReaders *readers, const Plan *node);

#endif
