/*-------------------------------------------------------------------------
 *
 * column_rows.c
 *	  Rows that nodes of our own return side by side, column by column.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"

#include "catalog/tensor_storage.h"
#include "executor/column_rows.h"
#include "executor/memory_rows/memory_rows.h"
#include "executor/vector_entries/vector_entries.h"

ColumnNode *
column_node(PlanState *node)
{
	ColumnNode *columns = (ColumnNode *) node;

	if (!IsA(node, CustomScanState) || node->qual != NULL ||
		(columns->css.methods != &memory_rows_exec_methods &&
		 columns->css.methods != &vector_entries_exec_methods))
		return NULL;
	return columns->next_rows ? columns : NULL;
}

/* The column of the scan tuple that a column of the result is, or NULL. */
static const Var *
scan_column(const ColumnNode *node, AttrNumber attno)
{
	const Plan *plan = node->css.ss.ps.plan;
	const Var *column =
		(const Var *) list_nth_node(TargetEntry, plan->targetlist, attno - 1)->expr;

	return IsA(column, Var) && column->varno == INDEX_VAR && column->varattno > 0 ? column
																				  : NULL;
}

int
key_column(const ColumnNode *node, AttrNumber attno)
{
	const Var *column = scan_column(node, attno);

	return column && is_integer_type(column->vartype) ? column->varattno - 1 : -1;
}

int
number_column(const ColumnNode *node, AttrNumber attno)
{
	const Var *column = scan_column(node, attno);

	return column && column->vartype == FLOAT8OID ? column->varattno - 1 : -1;
}

bool
next_column_rows(ColumnNode *node, ColumnRows *rows)
{
	PlanState *ps = &node->css.ss.ps;
	bool found;

	CHECK_FOR_INTERRUPTS();
	/* as ExecProcNode does */
	if (ps->chgParam)
		ExecReScan(ps);
	if (ps->instrument)
		InstrStartNode(ps->instrument);
	found = node->next_rows(node, rows);
	if (ps->instrument)
		InstrStopNode(ps->instrument, found ? (double) rows->count : 0.0);
	return found;
}
