/*-------------------------------------------------------------------------
 *
 * row_nodes.h
 *	  What plan nodes of our own have in common that read the rows of one child.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_ROW_NODES_H
#define EXECUTOR_ROW_NODES_H

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/extensible.h"
#include "nodes/pathnodes.h"

/*
 * Has a path columns of type record? Where a field of one is selected, EXPLAIN has its name from
 * the subquery or CTE that made the record, and finds that only by PostgreSQL's own nodes.
 */
extern bool has_records(const Path *path);

/*
 * A path like another one, for a node of these methods over a child that is made when all paths of
 * the level are. The child checks the conditions of the relation; whatever else differs is the
 * caller's. The rows are no longer those of a table or join, whose pseudoconstant quals PostgreSQL
 * would check above the node once more.
 */
extern CustomPath *final_row_path(PlannerInfo *root, const Path *like, Path *child,
								  const CustomPathMethods *methods);

/*
 * The node of such a path with this target list. Its scan tuple has the columns
 * of the child's rows.
 */
extern CustomScan *row_scan(const CustomPath *path, List *tlist, List *custom_plans,
							const CustomScanMethods *methods);

/* The state of a node: that many bytes, which begin with a CustomScanState. */
extern Node *row_node_state(Size bytes, const CustomExecMethods *methods);

/* Begins the child, which has to run backwards only if the node says that it does. */
extern PlanState *begin_child(CustomScanState *node, EState *estate, int eflags);

/*
 * What a node returns that makes rows of its own, in its scan slot: checks its conditions and
 * makes its target list of them. next_row stores the next row, and leaves the slot empty at the end.
 */
extern TupleTableSlot *scan_rows(CustomScanState *node, ExecScanAccessMtd next_row);

/* As PostgreSQL does before it runs an expression: may the user call the function? Or an error 42501 if not. */
extern bool may_execute(Oid function);
extern void check_execute_permission(Oid function);

/* Rescans the child, or leaves that to its first row. */
extern void rescan_child(CustomScanState *node);

/* Ends the child. */
extern void end_child(CustomScanState *node);

#endif
