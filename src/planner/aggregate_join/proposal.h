/*-------------------------------------------------------------------------
 *
 * proposal.h
 *	  What has been found out about a query level that can be a loop nest.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_AGGREGATE_JOIN_PROPOSAL_H
#define PLANNER_AGGREGATE_JOIN_PROPOSAL_H

#include "postgres.h"

#include "planner/aggregate_join/kernels.h"

/*
 * The parts into which a label divides the work of a nest, one of which is in memory at a
 * time.
 */
typedef struct NestParts
{
	int label; /* -1: the work cannot be divided */
	int count; /* expected number */
} NestParts;

typedef struct Proposal
{
	Level *level;
	LevelKernels kernels;
	bool each_tuple; /* each joined tuple is a row of the result: nothing is aggregated */
	bool aggregated; /* PostgreSQL aggregates; the relational plan has all outputs */
	bool guarded;    /* state of find_tuple_outputs: below a guard */
	List *having;
	List *outputs; /* expressions of the scan tuple */
	List *places;  /* IntList: for each output a column, or -1 - its aggregate */
	List *groups;  /* IntList: columns of the level whose labels group the rows */
	List *divided; /* IntList: columns whose labels may divide the work into parts */
	double result_bytes; /* of the tensors in a group's result, as estimated */
	NestParts parts;
	int stream;                     /* the operand whose rows are streamed, or -1 */
	Path *scans[NEST_MAX_OPERANDS]; /* of the operands, except ranges, */
	OperandReader readers[NEST_MAX_OPERANDS]; /* and which processes run them */
	int nprocesses; /* processes that share the nest's rows; 1: not parallel */
	bool by_leader; /* only the leader can run the relational plan */
} Proposal;

/* Returns a proposal for a level, with nothing decided yet. */
extern Proposal *new_proposal(Level *level);

/*
 * Do the values of the kernels fit into the operands that a nest can have, including
 * those without columns for constants?
 */
extern bool values_fit(const Proposal *proposal);

/* Does a query level pass the quick tests for a nest, before it is examined in detail? */
extern bool may_be_nest(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output);

/* Is a path without a nest so cheap that planning one cannot pay? */
extern bool is_cheaper_than_nest(const Path *path);

/*
 * Returns a path that runs a proposal, with the relational plan as a child; it returns
 * this number of tuples, or their groups. NULL if nodes would be nested too deep.
 */
extern CustomPath *nest_path(Proposal *proposal, PathTarget *target, double tuples,
							 Path *relational);

/*
 * Returns a variant of the proposal for the processes of a parallel query; NULL if they
 * cannot run it. anywhere: workers can compute the level's target list. Otherwise the
 * proposal is by_leader: only a target list may be between the node and the Gather above,
 * since the leader has to run it.
 */
extern Proposal *parallel_proposal(const Proposal *proposal, PathTarget *target,
								   bool anywhere);

/*
 * Returns a path for such a proposal, by which each process returns a share of the rows;
 * NULL if that is impossible.
 */
extern CustomPath *parallel_nest(Proposal *parallel, PathTarget *target, double tuples,
								 Path *relational);

/*
 * Returns a path by which the leader gathers all rows of the nest; rows is their number.
 */
extern Path *gathered_nest(PlannerInfo *root, RelOptInfo *rel, const CustomPath *nest,
						   double rows);

/*
 * Adds parallel_nest and gathered_nest of a proposal to the paths of a level. False if it
 * has none.
 */
extern bool add_parallel_nest(const Proposal *proposal, RelOptInfo *output, double tuples,
							  Path *relational);

/* Returns the private list of the plan (see aggregate_join.h), which the path keeps. */
extern List *plan_description(const Proposal *proposal);

extern const CustomPathMethods aggregate_join_path_methods;

#endif
