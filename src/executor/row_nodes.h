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
