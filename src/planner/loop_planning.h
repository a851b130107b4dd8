/*-------------------------------------------------------------------------
 *
 * loop_planning.h
 *	  What the planner is told of a loop's queries.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_LOOP_PLANNING_H
#define PLANNER_LOOP_PLANNING_H

#include "postgres.h"

#include "executor/spi.h"
#include "nodes/parsenodes.h"
#include "utils/queryenvironment.h"

#include "executor/memory_rows/memory_rows.h"
#include "planner/estimate_shape.h"

typedef struct KeptOperands KeptOperands; /* executor/operand/kept_operands.h */

/*
 * Rows of a loop that queries read by name: columns of keys, and one of values. The
 * planner is told of them what they contain.
 */
typedef struct LoopRows
{
	EphemeralNamedRelationMetadata relation; /* with the name and number of the rows */
	int nkeys;
	/* distinct values of each key column; 0: not known */
	double distinct[TENSOR_MAX_RANK];
	bool has_shape;
	ShapeEstimate shape; /* of the values, if these are tensors */
} LoopRows;

/*
 * The share of the cost of work that is done once for all rounds that each round is
 * charged: the number of rounds is not known.
 */
#define SHARE_OF_ROUND (1.0 / 16.0)

/*
 * Makes PostgreSQL plan a query without parameters, unless it has a valid plan of it.
 * rows is a list of const LoopRows *. kept is what the query shares with its next runs;
 * NULL if it runs once. If the query only returns rows in memory as they are, returns
 * these, to be copied; else NULL.
 */
extern MemoryRows *plan_query_of_loop(SPIPlanPtr plan, const List *rows,
									  KeptOperands *kept);

/* Will the query that is being planned run again with this relation unchanged? */
extern bool stays_in_loop(const RangeTblEntry *rte);

/*
 * Returns the distinct keys in a column of rows that a loop has described; 0 if not
 * known.
 */
extern double distinct_in_loop(const RangeTblEntry *rte, AttrNumber attno);

/*
 * Sets *shape to the shape of the tensors in a column of rows that a loop has described;
 * false if not known.
 */
extern bool shape_in_loop(const RangeTblEntry *rte, AttrNumber attno,
						  ShapeEstimate *shape);

/* Installs the hook; called when the library is loaded. */
extern void loop_planning_init(void);

#endif
