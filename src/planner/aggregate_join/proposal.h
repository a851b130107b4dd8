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

/* Parts by a label, of which one at a time is in memory. */
typedef struct NestParts
{
	int label; /* -1: there can be none */
	int count; /* that are expected */
} NestParts;

typedef struct Proposal
{
	Level *level;
	LevelKernels kernels;
	bool each_tuple; /* nothing is aggregated: each joined tuple is a row */
	bool aggregated; /* by PostgreSQL: the relational plan computes all outputs, too */
	bool guarded;    /* while outputs are looked for */
	List *having;
	List *outputs; /* expressions of the scan tuple */
	List *places;  /* IntList: a column of the level, or -1 - an aggregate */
	List *groups;  /* IntList: columns of the level whose labels a row has */
	List *divided; /* IntList: columns by whose labels there may be parts */
	NestParts parts;
	int stream;                     /* the operand whose rows are streamed, or -1 */
	Path *scans[NEST_MAX_OPERANDS]; /* of the operands but ranges, */
	OperandReader readers[NEST_MAX_OPERANDS]; /* and which processes run them */
	int nprocesses; /* that run it together, each with a share of its rows; 1: it is not parallel */
	bool by_leader; /* who alone can run the relational plan */
} Proposal;

/* A proposal for a level of which nothing is known yet. */
extern Proposal *new_proposal(Level *level);

/*
 * Do operands, those without columns included, have room for the values of the kernels?
 */
extern bool values_fit(const Proposal *proposal);

/* Is a level one that a nest may be asked about, before it is looked at closely? */
extern bool may_be_nest(PlannerInfo *root, RelOptInfo *input, RelOptInfo *output);

/* Is a path without a nest so cheap that none is looked for? */
extern bool is_cheaper_than_nest(const Path *path);

/*
 * The path of a proposal, which returns that many tuples or their groups, with the
 * relational plan below it; NULL if nodes are nested too deep.
 */
extern CustomPath *nest_path(Proposal *proposal, PathTarget *target, double tuples,
							 Path *relational);

/*
 * The proposal for the processes of a parallel query; NULL if they cannot run it.
 * anywhere: workers can compute what the level does. Otherwise it is by_leader: only a
 * target list may be between it and the Gather above, as the leader has to run it.
 */
extern Proposal *parallel_proposal(const Proposal *proposal, PathTarget *target,
								   bool anywhere);

/*
 * A path of such a proposal, of which each process returns a share of the rows; NULL if
 * they cannot.
 */
extern CustomPath *parallel_nest(Proposal *parallel, PathTarget *target, double tuples,
								 Path *relational);

/* A path by which the leader has all rows, whose number is rows. */
extern Path *gathered_nest(PlannerInfo *root, RelOptInfo *rel, const CustomPath *nest,
						   double rows);

/* Adds both to the paths of a level. False if there are none. */
extern bool add_parallel_nest(const Proposal *proposal, RelOptInfo *output, double tuples,
							  Path *relational);

/* The private list of the plan (see aggregate_join.h), which the path keeps. */
extern List *plan_description(const Proposal *proposal);

extern const CustomPathMethods aggregate_join_path_methods;

#endif
