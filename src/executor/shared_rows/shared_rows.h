/*-------------------------------------------------------------------------
 *
 * shared_rows.h
 *	  SharedRows: a scan of a CTE that every process of a parallel query can run.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_SHARED_ROWS_H
#define EXECUTOR_SHARED_ROWS_H

#include "executor/row_nodes.h"

/*
 * The node: its only child is a CTE Scan of all columns without conditions, and its scan
 * tuple is a row of the child.
 */
extern const RowNode shared_rows_node;

#endif
