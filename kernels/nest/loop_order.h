/*-------------------------------------------------------------------------
 *
 * loop_order.h
 *	  Which label is the outermost loop, and so on: an order of the variables of a
 *	  worst-case optimal join, chosen by cost (Galley, sections 6.1 and 6.3).
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_NEST_LOOP_ORDER_H
#define KERNELS_NEST_LOOP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#define LOOP_ORDER_MAX_LABELS 64
#define LOOP_ORDER_MAX_OPERANDS 64

typedef uint64_t LoopLabels; /* a set: bit l for label l */

typedef struct LoopOrderOperand
{
	LoopLabels labels;
	bool optional; /* it decides nothing, and is only looked up */
	bool range;    /* all indices of its label: nothing is sorted */
	double rows;
	double shared; /* the part of its index's cost that others bear, 0 to 1 */
	/* The order in which it need not be sorted; none: nsorted is 0. */
	int nsorted;
	uint8_t sorted[LOOP_ORDER_MAX_LABELS];
} LoopOrderOperand;

typedef struct LoopOrderProblem
{
	int nlabels;
	int noperands;
	LoopOrderOperand operands[LOOP_ORDER_MAX_OPERANDS];
	LoopLabels output;
	bool each_tuple; /* there are no accumulators to be found */
	double kernel;   /* nanoseconds for each joined tuple */
	double result;   /* bytes of the tensors that are a group's results; 0: numbers */
	/*
	 * How many different combinations of these labels (one at least) an operand has:
	 * counted or estimated.
	 */
	double (*distinct)(const void *context, int operand, LoopLabels labels);
	/*
	 * How many times as many pairs of rows of two operands meet in a label than if all of
	 * its indices had the same number of rows; NULL: not known, 1. The number of bindings
	 * depends on the order of loops then, as a greedy order sees it: for efforts of 0.
	 */
	double (*skew)(const void *context, int operand, int other, int label);
	const void *context;
	double tuples; /* joined, if that is known better; else 0 */
	double groups; /* likewise */
	/*
	 * Steps of some nanoseconds that the search may take, beyond a greedy one: the best order
	 * of n labels of m operands takes 2^n n^2 m.
	 */
	double effort;
} LoopOrderProblem;

typedef struct LoopOrder
{
	uint8_t labels[LOOP_ORDER_MAX_LABELS]; /* outermost first */
	double iterations[LOOP_ORDER_MAX_LABELS];
	double tuples; /* joined */
	double groups;
	double
		groups_at_once; /* that are accumulated until they can be returned, on average */
	double cost;        /* nanoseconds: indexes, iterations, accumulators, kernels */
} LoopOrder;

/* The cheapest order, as far as the effort goes. The result does not depend on anything but the problem. */
extern void loop_order_choose(const LoopOrderProblem *problem, LoopOrder *order);

/*
 * As loop_order_choose, if the rows of an operand are streamed, and the others are located
 * (nest_prepare_stream): without labels and iterations. False if it has not all labels, or another one is expected
 * to have keys several times.
 */
extern bool loop_order_cost_stream(const LoopOrderProblem *problem, int operand,
								   LoopOrder *order);

/* Fills in all but labels, which are given. */
extern void loop_order_cost(const LoopOrderProblem *problem, LoopOrder *order);

#endif
