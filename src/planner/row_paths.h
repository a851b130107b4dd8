/*-------------------------------------------------------------------------
 *
 * row_paths.h
 *	  What paths and plans of our own have in common that read the rows of one child.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_ROW_PATHS_H
#define PLANNER_ROW_PATHS_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/*
 * Has a path columns of type record? Where a field of one is selected, EXPLAIN has its
 * name from the subquery or CTE that made the record, and finds that only by PostgreSQL's
 * own nodes.
 */
extern bool has_records(const Path *path);

/*
 * A path like another one, for a node of these methods over a child that is made when all
 * paths of the level are. The child checks the conditions of the relation; whatever else
 * differs is the caller's. The rows are no longer those of a table or join, whose
 * pseudoconstant quals PostgreSQL would check above the node once more.
 */
extern CustomPath *final_row_path(PlannerInfo *root, const Path *like, Path *child,
								  const CustomPathMethods *methods);

/*
 * The node of such a path with this target list. Its scan tuple has the columns
 * of the child's rows.
 */
extern CustomScan *row_scan(const CustomPath *path, List *tlist, List *custom_plans,
							const CustomScanMethods *methods);

#endif
