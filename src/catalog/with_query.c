/*-------------------------------------------------------------------------
 *
 * with_query.c
 *	  The query of a WITH item.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/with_query.h"

Query *
with_query(const Query *owner, const RangeTblEntry *rte)
{
	ListCell *lc;

	foreach (lc, owner->cteList)
	{
		const CommonTableExpr *with = lfirst_node(CommonTableExpr, lc);

		if (strcmp(with->ctename, rte->ctename) == 0)
			return !with->cterecursive && IsA(with->ctequery, Query)
					   ? (Query *) with->ctequery
					   : NULL;
	}
	return NULL;
}
