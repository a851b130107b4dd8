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

typedef struct RowNumbers RowNumbers; /* planner/aggregate_join/operand_rows.h */

/*
 * What a loop's queries have in common: which rows stay, what has which number, and which
 * columns of tables they read.
 */
typedef struct LoopPlanning LoopPlanning;

/* Begins the planning of a loop, in a child of the context. */
extern LoopPlanning *begin_loop_planning(MemoryContext context);

/* Returns the number of the loop, which differs from that of all other loops. */
extern int number_of_loop(const LoopPlanning *loop);

/* Declares that the rows of a name do not change until the loop ends. */
extern void keep_named_rows(LoopPlanning *loop, const char *name);

/*
 * Says which queries are about to run: a list of the trees (List *) of each after
 * rewriting. The first query that reads a table then reads the columns that several of
 * them need. Replaces the queries of an earlier call.
 */
extern void expect_queries(LoopPlanning *loop, const List *queries);

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
 * Makes PostgreSQL plan a query without parameters, unless it has a valid plan of it.
 * rows is a list of const LoopRows *. again: each round will run it. If the query only
 * returns rows in memory as they are, returns these, to be copied; else NULL.
 */
extern MemoryRows *plan_query_of_loop(SPIPlanPtr plan, const List *rows,
									  LoopPlanning *loop, bool again);

/* Will each round of a loop run the query that is being planned? */
extern bool runs_again(void);

/* The numbers of a loop whose query is being planned, or NULL. */
extern RowNumbers *row_numbers_of_loop(void);

/* Do the rows of a name stay the same in the loop whose query is being planned? */
extern bool named_rows_stay(const char *name);

/*
 * Returns the columns of a table, as Var nodes of relation 1, if several queries of the
 * loop read them and they are numbers.
 */
extern List *columns_of_loop(Oid table);

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
