/*-------------------------------------------------------------------------
 *
 * operand_key.h
 *	  What the rows of an operand are: equal for two operands that read the same.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_OPERAND_KEY_H
#define EXECUTOR_OPERAND_OPERAND_KEY_H

#include "postgres.h"

#include "executor/operand/state.h"

/*
 * How long rows that are kept are in use. A key may contain what does not change in that
 * time.
 */
typedef struct KeySpan
{
	/*
	 * one query: parameters, CTEs and all rows of its environment do not change; else a
	 * loop:
	 */
	bool one_query;
	List *names; /* of char *: the names of rows of the environment that do not change */
} KeySpan;

/* A column of an operand: a column of the scanned rows, or an expression over them. */
typedef struct OperandColumn
{
	Node *expression; /* its Vars have relation number 1 */
	bool key;         /* false: a value */
	KeyKind kind;     /* of keys */
	Oid type;         /* the base type */
} OperandColumn;

typedef struct OperandKey
{
	List *rows;   /* of nodes, to be compared by equal(): they identify the rows */
	List *tables; /* OidList: the tables that the rows are read from */
	/* the table whose columns the expressions are over; InvalidOid: no table */
	Oid table;
	List *columns; /* of OperandColumn *: keys, then values, in the operand's order */
} OperandKey;

/* Do the environment's rows of a name not change in the span? */
extern bool name_stays(const KeySpan *span, const char *name);

/*
 * Makes the key of an operand whose scan has been initialised: it says which rows the
 * operand reads (a table and its file or the name of rows, and conditions), and its
 * columns, as expressions over those rows. False if the rows may change within the span.
 */
extern bool make_operand_key(const TensorOperands *state, const TensorOperand *operand,
							 const KeySpan *span, OperandKey *key);

extern bool same_column(const OperandColumn *a, const OperandColumn *b);

#endif
