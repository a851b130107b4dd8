/*-------------------------------------------------------------------------
 *
 * nest_cost.h
 *	  The cost model: what a stage costs as one loop nest.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_NEST_COST_H
#define OPTIMIZER_NEST_COST_H

#include "optimizer/join_cost.h"
#include "optimizer/stage.h"

/* What a loop nest reads of one operand. */
typedef struct NestOperandRows
{
	LabelMask keys;
	double tuples;
	double read;                     /* cost */
	double value_bytes;              /* of a tensor in each; 0: a number */
	double values[STAGE_MAX_LABELS]; /* indices or blocks of each key */
	const double *indices;           /* of each label */
	const Skew *skew;                /* of each label */
	bool numbers;                    /* a number in each tuple; else 1, or a tensor */
	bool computed;                   /* by another stage */
	bool shared;                     /* the rows are those of an operand before it */
	bool read_again;                 /* an operand behind it shares them */
	bool lasts;                      /* rounds of a loop share them, and their indexes */
} NestOperandRows;

/* A term's join as a loop nest. */
typedef struct NestJoin
{
	int noperands; /* those that read a row of their own */
	NestOperandRows operands[STAGE_NEST_OPERANDS];
	uint32 outer;  /* those of them that are joined left */
	bool numbers;  /* no tensors */
	double tuples; /* joined, as the relational join has them */
	double groups; /* of them */
	double parts;  /* in which it runs: cost_of_nest finds out */
} NestJoin;

/* The join of a stage's only term, as a loop nest has it. */
extern void describe_nest(const Stage *stage, const Decomposition *choice,
						  const JoinedTerm *joined, double groups, NestJoin *join);

/*
 * Can PostgreSQL run a stage in this decomposition as one AggregateJoin? Of stages that group nothing, those
 * whose joined tuples are rows of numbers.
 */
extern bool nest_is_possible(const Stage *stage, const Decomposition *choice);

/*
 * Microseconds of the loops over the joined tuples of a stage's only term: with indexes, with kernels of
 * numbers and with what finds the groups, but without reading the operands, kernels of tensors and
 * returning rows; or of going through the rows of an operand as they are read, if that is less. Infinite if
 * it does not fit in memory.
 */
extern double cost_of_nest(const Stage *stage, const Decomposition *choice,
						   NestJoin *join);

/* Microseconds of a function of numbers, at least. */
#define NEST_FUNCTION_COST 0.001

/* Microseconds of a group, beside its bytes; of a result's row that is read; and of starting. */
#define NEST_GROUP_COST 0.02
#define NEST_RESULT_COST 0.04
#define NEST_START_COST 50.0

#endif
