/*-------------------------------------------------------------------------
 *
 * loop_order.h
 *	  Chooses by cost which label is the outermost loop, which the next, and so on: an
 *	  order of the variables of a worst-case optimal join (Galley, sections 6.1 and
 *	  6.3).
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
	/*
	 * Indices of one label that a row has, if rows are runs of them; else at most 1. The
	 * loops over the operand's other labels are outside of that label's, unless that is
	 * impossible for all operands.
	 */
	double run;
	uint8_t run_label;
	double shared; /* the part of its index's cost that others bear, 0 to 1 */
	/*
	 * The order of labels in which the operand is sorted already; nsorted is 0 if there
	 * is no such order.
	 */
	int nsorted;
	uint8_t sorted[LOOP_ORDER_MAX_LABELS];
} LoopOrderOperand;

/* Returns the number of rows that are kept and indexed. */
static inline double
loop_order_kept_rows(const LoopOrderOperand *operand)
{
	return operand->run > 1 ? operand->rows / operand->run : operand->rows;
}

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
	 * Returns how many different combinations of these labels, of which there is at least
	 * one, an operand has: counted or estimated.
	 */
	double (*distinct)(const void *context, int operand, LoopLabels labels);
	/*
	 * Returns by what factor more pairs of rows of two operands agree in a label than if
	 * each index of the label had equally many rows. NULL: unknown, taken as 1. With skew
	 * the number of bindings depends on the order of the loops, as a greedy search sees
	 * it: use it with effort 0 only.
	 */
	double (*skew)(const void *context, int operand, int other, int label);
	const void *context;
	double tuples; /* joined, if that is known better; else 0 */
	double groups; /* likewise */
	/*
	 * Steps of a few nanoseconds each that the search may take beyond a greedy one: the
	 * best order of n labels of m operands takes 2^n n^2 m steps.
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

/*
 * Finds the cheapest order that the problem's effort allows. The result depends on the
 * problem alone.
 */
extern void loop_order_choose(const LoopOrderProblem *problem, LoopOrder *order);

/*
 * Estimates the cost of streaming the rows of one operand and locating the others
 * (nest_prepare_stream); sets all of *order but labels and iterations. False if the
 * operand lacks a label, or if another operand probably has several rows per key.
 */
extern bool loop_order_cost_stream(const LoopOrderProblem *problem, int operand,
								   LoopOrder *order);

/*
 * Estimates the cost of the order whose labels are given, and fills in all other fields.
 */
extern void loop_order_cost(const LoopOrderProblem *problem, LoopOrder *order);

#endif
