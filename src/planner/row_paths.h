/*-------------------------------------------------------------------------
 *
 * row_paths.h
 *	  What paths and plans of our own have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_ROW_PATHS_H
#define PLANNER_ROW_PATHS_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

#include "executor/row_nodes.h"

/*
 * Has a path columns of type record? EXPLAIN shows a field of a record by its name in the
 * subquery or CTE that made the record, and finds that name only through PostgreSQL's own
 * nodes.
 */
extern bool has_records(const Path *path);

/*
 * Returns a path with the costs, rows and target of another one, for a node of ours over
 * a child; to be called when all paths of the level are made. The child checks the
 * conditions of the relation. The path belongs to the final relation, not to the table or
 * join: otherwise PostgreSQL would check pseudoconstant quals above the node once more.
 */
extern CustomPath *final_row_path(PlannerInfo *root, const Path *like, Path *child,
								  const CustomPathMethods *methods);

/*
 * Returns a plan of a node with this target list; the columns of its scan tuple are the
 * expressions, which are copied.
 */
extern CustomScan *row_scan(const RowNode *node, const CustomPath *path, List *tlist,
							List *custom_plans, const List *expressions);

#endif
