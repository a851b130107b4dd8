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

#include "executor/operand/operand_plan.h"
#include "executor/row_nodes.h"
#include "kernels/nest/nest.h"

/*
 * The plan of a node. Its children are the operands' scans, then the relational plan of
 * the query level. custom_exprs are the level's pseudoconstant quals, custom_scan_tlist
 * its group keys and aggregates. Members of custom_private:
 */
enum
{
	JOIN_PRIVATE_OPERANDS,   /* a List for each operand: operand_plan.h */
	JOIN_PRIVATE_VALUES,     /* a List for each value: operand_plan.h */
	JOIN_PRIVATE_AGGREGATES, /* a List for each aggregate: see below */
	/*
	 * IntList: of each column of the scan tuple, a label, or -1 - the number of an
	 * aggregate
	 */
	JOIN_PRIVATE_OUTPUTS,
	JOIN_PRIVATE_LABELS,  /* List of String: the names of the labels */
	JOIN_PRIVATE_GROUPS,  /* IntList: the labels of the groups */
	JOIN_PRIVATE_GROUPED, /* Integer: whether there is no row if no tuple is joined */
	/* Integer: the label whose hash divides rows into parts, or -1 */
	JOIN_PRIVATE_PARTED,
	JOIN_PRIVATE_PARTS, /* Integer: the expected number of parts */
	/* Integer: whether nothing is aggregated: each joined tuple is a row */
	JOIN_PRIVATE_EACH_TUPLE,
	/*
	 * Integer: the operand whose rows are streamed in the order in which they are read;
	 * -1: none, the nest loops over indexes
	 */
	JOIN_PRIVATE_STREAM,
	/* Integer: whether each process of a parallel query returns its share of the rows */
	JOIN_PRIVATE_PARALLEL,
	/* Integer: whether only the leader can run the relational plan of a parallel query */
	JOIN_PRIVATE_BY_LEADER,
};

/* Members of the List of an aggregate. */
enum
{
	/*
	 * Integer: a NestAggregateKind (aggregates of NEST_COMPUTE come first) or
	 * AGGREGATE_COUNT. Where nothing is aggregated: NEST_REDUCE, over one tuple, or
	 * NEST_TAKE
	 */
	AGGREGATE_KIND,
	AGGREGATE_REDUCTION, /* Integer */
	/* String: as in tensor_map; empty: the product of the arguments */
	AGGREGATE_EXPRESSION,
	/* String: empty if all arguments are numbers, or there is one tensor */
	AGGREGATE_EQUATION,
	/* IntList: numbers of values; -1 - n: the result of aggregate n */
	AGGREGATE_ARGUMENTS,
	AGGREGATE_STRICT, /* Integer: whether bounds of 1 are not broadcast */
	/*
	 * if this is a stack: Const int8 of dimension, bound and position, the fill or NULL,
	 * and for each label a Const int8, its multiplier
	 */
	AGGREGATE_STACK,
};

#define AGGREGATE_COUNT (-1)

extern const RowNode aggregate_join_node;

#endif
