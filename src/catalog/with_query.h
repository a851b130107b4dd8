/*-------------------------------------------------------------------------
 *
 * with_query.h
 *	  The query of a WITH item.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_WITH_QUERY_H
#define CATALOG_WITH_QUERY_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Returns the query of a WITH item that an RTE_CTE refers to; owner is the query that has
 * the WITH item, ctelevelsup levels above. NULL for a recursive item, or if the item is
 * not analysed as a Query.
 */
extern Query *with_query(const Query *owner, const RangeTblEntry *rte);

#endif
