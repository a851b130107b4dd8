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

#include "optimizer/settings.h"

/* Microseconds of an operator. */
#define OPERATOR_TIME 0.01

/* The cost of a time in microseconds. */
static inline Cost
cost_of_time(double microseconds)
{
	return microseconds / OPERATOR_TIME * cpu_operator_cost;
}

/* The microseconds that a cost stands for. */
static inline double
time_of_cost(Cost cost)
{
	return cost / cpu_operator_cost * OPERATOR_TIME;
}

/*
 * The cost of moving bytes from one process to another: PostgreSQL's costs
 * count rows only.
 */
static inline Cost
cost_of_transfer(double bytes)
{
	return cost_of_time(bytes * transfer_cost);
}

#endif
