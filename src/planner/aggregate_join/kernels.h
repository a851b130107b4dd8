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
#include "planner/planned_call.h"

/* A value that is an argument of kernels. */
typedef struct LevelValue
{
	int operand;      /* the operand of whose rows it is; -1: the same for all tuples */
	Node *expression; /* over the level's columns */
	Node *fill;       /* the value where a left join finds no row, or NULL */
	bool is_tensor;
	double elements; /* expected number of elements of a tensor; 0: not known */
} LevelValue;

/* An aggregate as a kernel; see AGGREGATE_KIND and the constants after it. */
typedef struct LevelAggregate
{
	int kind;
	Reduction reduction;
	char *expression;
	ExpressionWork work; /* of the expression; 0 without one */
	char *equation;
	bool strict;     /* bounds of 1 are not broadcast */
	List *arguments; /* numbers of values; -1 - n: the result of computed kernel n */
	/* only for a stack: */
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
	 * may sums in arguments of aggregates be computed by kernels of their own? Otherwise
	 * they are columns of the joined rows
	 */
	bool computes;
	List *values; /* of LevelValue */
	/*
	 * of LevelAggregate: kernels whose results are arguments of others, each before these
	 */
	List *computed;
	List *aggregates; /* of LevelAggregate */
} LevelKernels;

/* Returns the computed kernels and the aggregates, in the order in which they run. */
extern List *all_kernels(const LevelKernels *kernels);

/* Has the nest as many kernels as it can have? */
extern bool kernels_are_full(const LevelKernels *kernels);

/* Adds an aggregate to the kernels; false if no kernel can compute it. */
extern bool add_aggregate(LevelKernels *kernels, const Aggref *aggref);

/*
 * Adds a call that computes a number for each joined tuple; false if no kernel can
 * compute it.
 */
extern bool add_call(LevelKernels *kernels, const FuncExpr *call);

/*
 * Adds a number or tensor that is returned as it is in an operand's row; false for
 * another expression.
 */
extern bool add_value(LevelKernels *kernels, Node *expression);

#endif
