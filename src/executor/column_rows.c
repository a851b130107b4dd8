/*-------------------------------------------------------------------------
 *
 * column_rows.c
 *	  Rows that nodes of this extension return column by column.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"

#include "executor/column_rows.h"
#include "executor/integer_keys.h"
#include "executor/row_nodes.h"

/* Can a node return all its rows as columns? */
static bool
has_columns(PlanState *node)
{
	const RowNode *of = row_node_of(node->plan);

	return of && of->has_columns && node->qual == NULL &&
		   ((const ColumnNode *) node)->next_rows;
}

bool
find_column_source(PlanState *top, ColumnSource *source)
{
	PlanState *node = top;

	while (IsA(node, SubqueryScanState) && node->qual == NULL)
		node = ((SubqueryScanState *) node)->subplan;
	*source = (ColumnSource){.top = top, .node = (ColumnNode *) node};
	return has_columns(node);
}

/* The node below a node of the source; NULL below the last one. */
static PlanState *
below(const ColumnSource *source, PlanState *node)
{
	return node == &source->node->css.ss.ps ? NULL
											: ((SubqueryScanState *) node)->subplan;
}

/*
 * The column of the scanned rows that a column of a plan's result passes on; NULL if the
 * result's column is computed.
 */
static const Var *
scanned_column(const Plan *plan, AttrNumber attno)
{
	const Var *column =
		(const Var *) list_nth_node(TargetEntry, plan->targetlist, attno - 1)->expr;

	return IsA(column, Var) && column->varattno > 0 ? column : NULL;
}

/*
 * The column of the node's scan tuple that a column of the source's result passes on, or
 * NULL.
 */
static const Var *
source_column(const ColumnSource *source, AttrNumber attno)
{
	PlanState *node = source->top;
	const Var *column = scanned_column(node->plan, attno);

	while (column && (node = below(source, node)) != NULL)
		column = scanned_column(node->plan, column->varattno);
	return column && column->varno == INDEX_VAR && column->varattno <= MOST_COLUMNS
			   ? column
			   : NULL;
}

int
key_column(const ColumnSource *source, AttrNumber attno)
{
	const Var *column = source_column(source, attno);

	return column && has_integer_keys(column->vartype) ? column->varattno - 1 : -1;
}

int
number_column(const ColumnSource *source, AttrNumber attno)
{
	const Var *column = source_column(source, attno);

	return column && column->vartype == FLOAT8OID ? column->varattno - 1 : -1;
}

static void
enter_nodes(const ColumnSource *source)
{
	for (PlanState *node = source->top; node; node = below(source, node))
	{
		if (node->chgParam)
			ExecReScan(node);
		if (node->instrument)
			InstrStartNode(node->instrument);
	}
}

static void
leave_nodes(const ColumnSource *source, int64 rows)
{
	for (PlanState *node = source->top; node; node = below(source, node))
		if (node->instrument)
			InstrStopNode(node->instrument, (double) rows);
}

bool
begin_column_rows(const ColumnSource *source)
{
	bool columns;

	if (source->node->begin_columns == NULL)
		return true;
	enter_nodes(source);
	columns = source->node->begin_columns(source->node);
	leave_nodes(source, 0);
	return columns;
}

bool
next_column_rows(const ColumnSource *source, ColumnRows *rows)
{
	bool found;

	CHECK_FOR_INTERRUPTS();
	enter_nodes(source);
	rows->ascending = 0;
	found = source->node->next_rows(source->node, rows);
	leave_nodes(source, found ? rows->count : 0);
	return found;
}
