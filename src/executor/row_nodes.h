/*-------------------------------------------------------------------------
 *
 * row_nodes.h
 *	  What this extension's plan nodes have in common.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_ROW_NODES_H
#define EXECUTOR_ROW_NODES_H

#include "postgres.h"

#include "executor/executor.h"
#include "nodes/extensible.h"

/* A plan node of this extension: how its plans and states are made. */
typedef struct RowNode
{
	CustomScanMethods scan; /* creates states by row_node_state */
	const CustomExecMethods *exec;
	/*
	 * of a node that makes its own rows (execute_row_node): stores the next row in the
	 * scan slot, or clears the slot at the end
	 */
	ExecScanAccessMtd next_row;
	Size state_bytes; /* of the state, which begins with a CustomScanState */
	bool has_columns; /* the state begins with a ColumnNode (column_rows.h) */
} RowNode;

extern Node *row_node_state(CustomScan *scan);

/* Returns the node of this extension that a plan is; NULL for other plans. */
extern const RowNode *row_node_of(const Plan *plan);

/* Is a plan one of this node? */
static inline bool
is_plan_of(const Plan *plan, const RowNode *node)
{
	return row_node_of(plan) == node;
}

/*
 * Begins a node's only child. The child has to support backward scans only if the node
 * does.
 */
extern PlanState *begin_child(CustomScanState *node, EState *estate, int eflags);

/*
 * Returns the next row of a node that makes its own rows; its conditions and target list
 * are applied.
 */
extern TupleTableSlot *execute_row_node(CustomScanState *node);

/*
 * Whether the current user may call a function, which PostgreSQL checks before it runs an
 * expression; check_execute_permission raises error 42501 if not.
 */
extern bool may_execute(Oid function);
extern void check_execute_permission(Oid function);

/* Rescans the node's child, unless the child's next row does that by itself. */
extern void rescan_child(CustomScanState *node);

/* Ends the node's child. */
extern void end_child(CustomScanState *node);

#endif
