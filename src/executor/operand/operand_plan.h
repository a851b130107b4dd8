/*-------------------------------------------------------------------------
 *
 * operand_plan.h
 *	  What the plan of a node says of its operands: for the planner and the executor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_OPERAND_PLAN_H
#define EXECUTOR_OPERAND_OPERAND_PLAN_H

/*
 * Members of an operand's List. Operands that are not ranges have the node's children, in
 * order.
 */
enum
{
	OPERAND_OPTIONAL, /* Integer: whether it is left-joined */
	/* of Const int8: first and bound if the operand is a range of integers; else NIL */
	OPERAND_RANGE,
	OPERAND_COLUMNS, /* IntList: of each key, the column of the child's rows */
	OPERAND_LABELS,  /* IntList: of each key (of a range, the only one), the label */
	OPERAND_JOINED,  /* IntList: of each key, 1 if rows with a NULL in it join nothing */
	OPERAND_NAME,    /* String, for EXPLAIN */
	OPERAND_KINDS,   /* OidList: of each key, the three members of its KeyKind */
	OPERAND_READER,  /* Integer: OperandReader */
	OPERAND_ROWS,    /* List of the members below; NIL: no other operand reads the rows */
};

/* What the planner has decided of rows that other operands or later queries may read. */
enum
{
	/*
	 * IntList: the number of the loop in which they stay, or 0 if they stay in the query,
	 * and their own. Operands with the same two numbers read the same rows.
	 */
	ROWS_NUMBER,
	ROWS_TABLES,   /* OidList: the tables from which they are read */
	ROWS_COLUMNS,  /* what the child returns in each column, over relation 1 */
	ROWS_EXPECTED, /* columns over relation 1 that queries of the loop will read */
};

/* Which processes of a parallel query read an operand. */
typedef enum OperandReader
{
	READ_BY_ALL,    /* each process reads a share of the rows */
	READ_BY_ONE,    /* the first process that asks */
	READ_BY_LEADER, /* the leader, before workers are launched */
} OperandReader;

/*
 * Members of the List of a value that kernels take: a column of an operand, or an
 * expression without columns.
 */
enum
{
	VALUE_OPERAND, /* Integer: the operand; -1 if the value is the same for all tuples */
	VALUE_EXPRESSION, /* over the child's row, whose columns are Vars of INDEX_VAR */
	VALUE_FILL,       /* replaces the value where a left join finds no row, or NULL */
};

#endif
