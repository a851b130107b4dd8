/*-------------------------------------------------------------------------
 *
 * time_cost.h
 *	  Times in the unit of PostgreSQL's costs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_TIME_COST_H
#define PLANNER_TIME_COST_H

#include "postgres.h"

#include "nodes/nodes.h"
#include "optimizer/optimizer.h"

#include "optimizer/kernel_cost.h"
#include "optimizer/settings.h"

/* The time of one call of an operator, in microseconds. */
#define OPERATOR_TIME 0.01

/* The time of a call of a function or aggregate with operands, in microseconds. */
#define CALL_TIME 0.1

/* Converts a time in microseconds to PostgreSQL's cost units. */
static inline Cost
cost_of_time(double microseconds)
{
	return microseconds / OPERATOR_TIME * cpu_operator_cost;
}

/* Converts a cost in PostgreSQL's units to microseconds. */
static inline double
time_of_cost(Cost cost)
{
	return cost / cpu_operator_cost * OPERATOR_TIME;
}

/*
 * The cost of moving bytes from one process to another, which PostgreSQL counts only by
 * rows.
 */
static inline Cost
cost_of_transfer(double bytes)
{
	return cost_of_time(bytes * transfer_cost);
}

#endif
