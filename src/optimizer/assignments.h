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
	double cost; /* of computing the stage once, without the stages that it reads */
} Assignment;

struct AssignmentList
{
	int nassignments;
	double least; /* the least cost among the assignments */
	Assignment *assignments;
	bool complete; /* the search has looked at every assignment that is allowed */
	bool
		/* assignments whose reading costs more than the graph's limit were left out */
		limited;
};

/*
 * Returns the assignments of block sizes to a stage's labels that satisfy the
 * constraints: all of them up to sparseeinsum.search_budget, beyond that those that a
 * descent from the extremes finds. Their costs include reading stored operands and the
 * repartition of the result that a fixed shape needs. Computed once per stage.
 */
extern AssignmentList *stage_assignments(StageGraph *graph, Stage *stage);

/*
 * Returns a lower bound of a stage's cost in any decomposition: the time in which the
 * fastest kernel makes every entry of the join.
 */
extern double least_entries_cost(const Stage *stage);

/*
 * Returns the cost of a stage in its cheapest decomposition if its assignments have been
 * made, else a lower bound of it.
 */
extern double known_least_cost(const Stage *stage);

#endif
