/*-------------------------------------------------------------------------
 *
 * operand_key.h
 *	  What the rows of an operand are: equal for two operands that read the same.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_KEY_H
#define EXECUTOR_OPERAND_KEY_H

#include "postgres.h"

#include "executor/operand/state.h"

/* How long rows are compared: what is the same for that long may be in a key. */
typedef struct KeySpan
{
	bool one_query; /* its parameters, CTEs and the rows of its environment; else */
	List *names;    /* rows of the environment, by names: of char * */
} KeySpan;

/* A column of an operand, or what is computed of some. */
typedef struct OperandColumn
{
	Node *expression; /* over the columns of what is scanned, whose number is 1 */
	bool key;         /* else a value */
	KeyKind kind;     /* of a key */
	Oid type;         /* the base type */
} OperandColumn;

typedef struct OperandKey
{
	List *rows;   /* of nodes, for equal(): which they are */
	List *tables; /* OidList: those that are read */
	Oid table; /* whose columns the expressions are over; InvalidOid: it is something else */
	List *columns; /* of OperandColumn *: keys, then values, in the operand's order */
} OperandKey;

/* Do the rows of that name stay as they are? */
extern bool name_stays(const KeySpan *span, const char *name);

/*
 * Makes the key of an operand whose scan has been initialised: the table and its file, or
 * the name of rows, and conditions; and its keys and values as expressions over columns.
 * False if its rows are not known to be the same in all of the span.
 */
extern bool make_operand_key(const TensorOperands *state, const TensorOperand *operand,
							 const KeySpan *span, OperandKey *key);

extern bool same_column(const OperandColumn *a, const OperandColumn *b);

#endif
