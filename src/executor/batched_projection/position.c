/*-------------------------------------------------------------------------
 *
 * position.c
 *	  The position of a cursor over a batched projection, for WHERE CURRENT OF.
 *
 * UPDATE ... WHERE CURRENT OF looks for the scan of the table in the cursor's plan, and
 * takes the row in the scan's slot. It looks below a Result or Limit, but not below a
 * custom scan; and the scan below this node may have read further rows. So the node
 * presents itself as the scan of the table, at the row that it has returned.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relscan.h"
#include "executor/executor.h"
#include "utils/rel.h"

#include "executor/batched_projection/batched_projection.h"
#include "recursion.h"

/* Finds the scan as PostgreSQL's execCurrentOf does. */
ScanState *
scan_of_cursor(PlanState *node)
{
	enter_recursion();
	switch (nodeTag(node))
	{
		case T_SeqScanState:
		case T_SampleScanState:
		case T_IndexScanState:
		case T_IndexOnlyScanState:
		case T_BitmapHeapScanState:
		case T_TidScanState:
		case T_TidRangeScanState:
		case T_ForeignScanState:
		case T_CustomScanState:
			return ((ScanState *) node)->ss_currentRelation ? (ScanState *) node : NULL;
		case T_ResultState:
		case T_LimitState:
			return outerPlanState(node) ? scan_of_cursor(outerPlanState(node)) : NULL;
		case T_SubqueryScanState:
			return scan_of_cursor(((SubqueryScanState *) node)->subplan);
		default:
			return NULL;
	}
}

ItemPointerData
place_of_row(const ScanState *scan)
{
	if (IsA(scan, IndexOnlyScanState))
		return ((const IndexOnlyScanState *) scan)->ioss_ScanDesc->xs_heaptid;
	return scan->ss_ScanTupleSlot->tts_tid;
}
