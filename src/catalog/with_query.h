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
 * The query behind an RTE_CTE, of the query that has the WITH item: the one that is
 * ctelevelsup above. NULL of a recursive item, and of one that is no SELECT or the like.
 */
extern Query *with_query(const Query *owner, const RangeTblEntry *rte);

#endif
