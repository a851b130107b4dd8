/*-------------------------------------------------------------------------
 *
 * kernels.h
 *	  The aggregates of a query level as kernels of a loop nest.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_AGGREGATE_JOIN_KERNELS_H
#define PLANNER_AGGREGATE_JOIN_KERNELS_H

#include "postgres.h"

#include "nodes/primnodes.h"

#include "planner/aggregate_join/level.h"

/* A value that kernels take. */
typedef struct LevelValue
{
	int operand;      /* -1: the same for all tuples */
	Node *expression; /* over the level's columns */
	Node *fill;       /* of what a left join does not find, or NULL */
	bool is_tensor;
	double elements; /* of a tensor as it is expected; 0: not known */
} LevelValue;

/* An aggregate; see AGGREGATE_KIND and what follows it. */
typedef struct LevelAggregate
{
	int kind;
	Reduction reduction;
	char *expression;
	char *equation;
	bool strict;     /* bounds of 1 are not broadcast */
	List *arguments; /* numbers of values; -1 - n: what computed kernel n gives */
	/* of a stack */
	int dimension;
	int64 bound;
	int64 position;
	int64 *multipliers; /* by column of the level */
	int fill;           /* the number of a value, or -1 */
} LevelAggregate;

typedef struct LevelKernels
{
	Level *level;
	/*
	 * are sums in the kernels of aggregates computed? Else they are columns of the joined
	 * rows
	 */
	bool computes;
	List *values; /* of LevelValue */
	/* of LevelAggregate: such sums, each before those that it is an argument of */
	List *computed;
	List *aggregates; /* of LevelAggregate */
} LevelKernels;

/* The computed kernels and the aggregates, in the order in which they run. */
extern List *all_kernels(const LevelKernels *kernels);

/* Has a nest no room for another one? */
extern bool kernels_are_full(const LevelKernels *kernels);

/* Adds an aggregate; false if no kernel does what it does. */
extern bool add_aggregate(LevelKernels *kernels, const Aggref *aggref);

/*
 * Adds a call that computes a number of each joined tuple; false if no kernel does that.
 */
extern bool add_call(LevelKernels *kernels, const FuncExpr *call);

/*
 * Adds a number or tensor of a row of an operand as it is; false for another expression.
 */
extern bool add_value(LevelKernels *kernels, Node *expression);

#endif
