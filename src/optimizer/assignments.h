/*-------------------------------------------------------------------------
 *
 * assignments.h
 *	  The decompositions of one stage that a search considers.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_ASSIGNMENTS_H
#define OPTIMIZER_ASSIGNMENTS_H

#include "optimizer/plan.h"

typedef struct Assignment
{
	Decomposition choice;
	double cost; /* of one computation, stages it reads left out */
} Assignment;

struct AssignmentList
{
	int nassignments;
	double least; /* cost among them */
	Assignment *assignments;
	bool complete; /* all that are allowed have been looked at */
	bool
		limited; /* those whose reading costs more than the graph's limit are not there */
};

/*
 * All assignments of block sizes to a stage's labels within the constraints, up to sparseeinsum.search_budget; beyond that those found by
 * descending from the extremes. Their costs include reading stored operands
 * and the repartition of the result that a fixed shape needs. Made once per stage.
 */
extern AssignmentList *stage_assignments(StageGraph *graph, Stage *stage);

/* Less than any decomposition costs: the fastest kernel makes every entry of a join. */
extern double least_entries_cost(const Stage *stage);

/* What a stage costs in its cheapest decomposition if its assignments have been made, else less. */
extern double known_least_cost(const Stage *stage);

#endif
