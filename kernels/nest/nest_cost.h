/*-------------------------------------------------------------------------
 *
 * nest_cost.h
 *	  What a loop nest costs: reading its operands, keys, parts, loops, kernels and groups.
 *
 * The one cost model of loop nests. The optimizer (optimizer/nest_cost.c), which has
 * statistics of tensors, and the planner (planner/aggregate_join/costs.c), which has
 * PostgreSQL's estimates of rows, describe a nest: rows, keys, bytes, what is shared,
 * what stays, and memory. How it runs and how long that takes is found here. Times are
 * microseconds of one core.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_NEST_COST_H
#define KERNELS_NEST_NEST_COST_H

#include "kernels/nest/loop_order.h"

/*
 * Microseconds, measured on an AMD EPYC (2026-11, make bench-nests; loops: see
 * loop_order.c).
 */
#define NEST_START_TIME 50.0     /* a node: starting and ending it */
#define NEST_READ_TIME 0.025     /* a row of some numbers that is kept, beside its scan */
#define NEST_STREAM_TIME 0.02    /* the same of one that is streamed */
#define NEST_COPY_BYTE_TIME 2e-4 /* a byte of a tensor that is kept */
#define NEST_LOOKUP_TIME 0.06    /* a key looked up in a dictionary */
#define NEST_NEW_KEY_TIME 0.1    /* a key that is added to one, beside looking it up */
#define NEST_SPILL_TIME 0.06     /* a row written to a file and read again */
#define NEST_SPILL_BYTE_TIME 1e-3 /* and a byte of it */
#define NEST_GROUP_TIME 0.02      /* a row that is returned */
#define NEST_SHARE_TIME 0.01      /* a row written to memory that processes share */
#define NEST_INDEX_TIME 0.014     /* a row that each process indexes */
#define NEST_BARRIER_TIME 100.0   /* processes that wait for each other */

/* Microseconds of a row that another query level returns, beside reading it. */
#define NEST_RESULT_TIME 0.015

/*
 * Microseconds of a kernel of numbers for a joined tuple, of each function in it, and of
 * its operations, as PointwiseFunction.work counts them.
 */
#define NEST_NUMBERS_TIME 0.002
#define NEST_FUNCTION_TIME 0.00075
#define NEST_OPERATION_TIME 0.00025

typedef struct NestCostOperand
{
	double scan;         /* microseconds of what returns its rows, beside reading them */
	const double *keys;  /* how many it has of each of its labels */
	int nnumbers;        /* columns of numbers, or of pointers to tensors, in each row */
	double tensor_bytes; /* of the elements of tensors in each row */
	double copied_bytes; /* of them, those whose copies the scan's time does not have */
	int shared;          /* the operand before it whose rows are the same, or -1 */
	double
		share; /* of its scan and index that one run bears; less than 1 if rounds of a loop keep it */
	LoopLabels numbered; /* labels whose keys are looked up in a dictionary */
	bool read_by_all;    /* processes scan it together; otherwise one of them does */
} NestCostOperand;

typedef struct NestCostInput
{
	/*
	 * Labels, rows and output, as estimated. Kernels, distinct keys, and the parts of
	 * indexes that others bear are filled in.
	 */
	LoopOrderProblem loops;
	NestCostOperand operands[LOOP_ORDER_MAX_OPERANDS];
	/* labels of groups by which the rows may be divided; of equals the first is taken */
	int ndivisible;
	uint8_t divisible[LOOP_ORDER_MAX_LABELS];
	double memory;        /* bytes of rows, indexes and groups */
	double tensor_memory; /* bytes of tensors */
	double key_memory;    /* of it, what dictionaries of keys should take */
	int nresults; /* numbers, or pointers to tensors, that a group has beside its keys */
	double
		tuples; /* joined, at the least: frequent keys make more than the loops expect */
	int nkernels;      /* of numbers, which compute a joined tuple */
	int nfunctions;    /* in these */
	double operations; /* of these, for a joined tuple */
	double kernel;     /* microseconds of the other kernels for a joined tuple */
	double returned;   /* rows */
	/* as in LoopOrderProblem, or NULL; with its context */
	double (*skew)(const void *context, int operand, int other, int label);
	const void *context;
	int nprocesses; /* that divide the parts among each other; 1: it is serial */
} NestCostInput;

typedef struct NestCost
{
	double time; /* microseconds; of several processes that of the slowest */
	int stream;  /* the operand whose rows are streamed, or -1 */
	int label; /* by which rows are divided, also if that is not expected; -1: there is no such label */
	int parts;     /* of which one at a time is in memory */
	bool fits;     /* false if it is not expected to fit, in parts neither */
	double tuples; /* joined, as expected */
	double share;  /* of the groups that the slowest process has */
} NestCost;

/*
 * Finds how a nest runs: in parts of which one fits in memory, or with one operand
 * streamed, if that takes less time. If it does not fit, the time is that of the loops
 * without parts.
 */
extern void nest_cost(NestCostInput *input, NestCost *cost);

/* Returns the bytes of the rows of an operand that are in an index. */
extern double nest_cost_operand_bytes(const NestCostInput *input, int operand);

#endif
