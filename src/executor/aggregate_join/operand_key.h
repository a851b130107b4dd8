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

#include "executor/aggregate_join/state.h"

/* How long rows are compared: what is the same for that long may be in a key. */
typedef struct KeySpan
{
	bool one_query; /* its parameters, CTEs and the rows of its environment; else */
	List *names;    /* rows of the environment, by names: of char * */
} KeySpan;

typedef struct OperandKey
{
	List *parts;  /* of nodes, for equal() */
	List *tables; /* OidList: those that are read */
} OperandKey;

/* Do the rows of that name stay as they are? */
extern bool name_stays(const KeySpan *span, const char *name);

/*
 * Makes the key of an operand whose scan has been initialised: the table and its file, or the name of rows;
 * conditions, keys and values as expressions over their columns. False if its rows are not known to be
 * the same in all of the span.
 */
extern bool make_operand_key(const AggregateJoinState *state, const JoinOperand *operand,
							 const KeySpan *span, OperandKey *key);

#endif
