/*-------------------------------------------------------------------------
 *
 * operand_plan.h
 *	  What the plan of a node says of its operands: for the planner and the executor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_PLAN_H
#define EXECUTOR_OPERAND_PLAN_H

/* An operand: the child is its number among those that are not ranges. */
enum
{
	OPERAND_OPTIONAL, /* Integer: whether it is left-joined */
	OPERAND_RANGE,    /* of Const int8: first and bound, if it is one; else NIL */
	OPERAND_COLUMNS,  /* IntList: of each key, its column in the child's rows */
	OPERAND_LABELS,   /* IntList: of each key (a range has one), its label */
	OPERAND_JOINED,   /* IntList: 1 for keys whose rows join nothing if they are NULL */
	OPERAND_NAME,     /* String, for EXPLAIN */
	OPERAND_KINDS,    /* OidList: of each key its KeyKind, three of them */
	OPERAND_READER,   /* Integer: OperandReader */
};

/* Which processes read an operand, where several run the node. */
typedef enum OperandReader
{
	READ_BY_ALL,    /* each a share of its rows */
	READ_BY_ONE,    /* whichever comes first */
	READ_BY_LEADER, /* before workers are launched */
} OperandReader;

/* A value that kernels take: a column of an operand, or what has no columns. */
enum
{
	VALUE_OPERAND,    /* Integer: -1 if it is the same for all tuples */
	VALUE_EXPRESSION, /* over the child's row, whose columns are Vars of INDEX_VAR */
	VALUE_FILL,       /* of what a left join does not find, or NULL */
};

#endif
