/*-------------------------------------------------------------------------
 *
 * operand_rows.h
 *	  Which rows an operand reads: who else reads them, and whether they stay in a loop.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_AGGREGATE_JOIN_OPERAND_ROWS_H
#define PLANNER_AGGREGATE_JOIN_OPERAND_ROWS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * The numbers of the rows that operands read, in one planning or in all of a loop. Two
 * operands read the same rows if these have the same number.
 */
typedef struct RowNumbers
{
	int loop; /* the number of the loop; 0: one planning */
	MemoryContext memory;
	List *rows; /* of List *: what identifies the rows of each number */
} RowNumbers;

/* The rows of an operand. */
typedef struct OperandRows
{
	int loop;       /* see RowNumbers */
	int number;     /* -1: no other operand reads the same */
	List *tables;   /* OidList: the tables from which they are read */
	List *columns;  /* the scan's columns, with 1 as the number of the relation */
	List *expected; /* columns of the rows that other queries of the loop will read */
} OperandRows;

/* Finds the rows of a relation that a path reads. */
extern void find_operand_rows(PlannerInfo *root, RelOptInfo *rel, const Path *path,
							  OperandRows *rows);

/*
 * May an expression have another value for the same rows? It may if it has a mutable
 * function, or a parameter other than those of the whole query.
 */
extern bool may_vary(Node *expression);

#endif
