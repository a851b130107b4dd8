/*-------------------------------------------------------------------------
 *
 * aggregate_join.h
 *	  Join, kernels and aggregates of a query level in one loop nest: what the
 *	  planner and the execution of the node share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_AGGREGATE_JOIN_H
#define EXECUTOR_AGGREGATE_JOIN_H

#include "postgres.h"

#include "nodes/extensible.h"

#include "executor/operand/operand_plan.h"
#include "kernels/nest/nest.h"

/*
 * The plan of a node. Its children are the operands' scans, and behind them the
 * relational plan of the level. custom_exprs are the level's pseudoconstant quals,
 * custom_scan_tlist are its group keys and aggregates. custom_private:
 */
enum
{
	JOIN_PRIVATE_OPERANDS,   /* a List for each, below */
	JOIN_PRIVATE_VALUES,     /* a List for each, below */
	JOIN_PRIVATE_AGGREGATES, /* a List for each, below */
	JOIN_PRIVATE_OUTPUTS, /* IntList: of each column of the scan tuple, a label, or -1 -
							  * the number of an aggregate */
	JOIN_PRIVATE_LABELS,  /* List of String: the name of each */
	JOIN_PRIVATE_GROUPS,  /* IntList: the labels of the groups */
	JOIN_PRIVATE_GROUPED, /* Integer: whether there is no row if nothing is joined */
	JOIN_PRIVATE_PARTED,  /* Integer: the label by whose hash there may be parts, or -1 */
	JOIN_PRIVATE_PARTS,   /* Integer: how many are expected */
	JOIN_PRIVATE_EACH_TUPLE, /* Integer: whether nothing is aggregated: each joined tuple is
							  * a row */
	JOIN_PRIVATE_STREAM,     /* Integer: the operand whose rows are streamed in the
							  * order in which they are read, or -1: there are loops */
	JOIN_PRIVATE_PARALLEL, /* Integer: whether each process returns its share of the rows */
	JOIN_PRIVATE_BY_LEADER, /* Integer: whether the relational plan is the leader's, then */
};

/* An aggregate. */
enum
{
	/*
	 * Integer: NestAggregateKind, those of NEST_COMPUTE first, or AGGREGATE_COUNT; where
	 * nothing is aggregated, NEST_REDUCE of one tuple or NEST_TAKE
	 */
	AGGREGATE_KIND,
	AGGREGATE_REDUCTION,  /* Integer */
	AGGREGATE_EXPRESSION, /* String: as in tensor_map; empty: the product */
	AGGREGATE_EQUATION,   /* String: empty where all are numbers, or one tensor */
	/* IntList: numbers of values; -1 - n: what number n of the aggregates computes */
	AGGREGATE_ARGUMENTS,
	AGGREGATE_STRICT, /* Integer: whether bounds of 1 are not broadcast */
	AGGREGATE_STACK,  /* of a stack: Const int8 of dimension, bound and position, the
						   * fill or NULL, and of each label a Const int8 */
};

#define AGGREGATE_COUNT (-1)

/* Makes the node known to the executor. */
extern void register_aggregate_join(void);

extern const CustomScanMethods aggregate_join_scan_methods;
extern const CustomExecMethods aggregate_join_exec_methods;

#endif
