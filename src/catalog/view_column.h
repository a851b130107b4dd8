/*-------------------------------------------------------------------------
 *
 * view_column.h
 *	  Whether a column of a view may be computed of rows that the view leaves out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_VIEW_COLUMN_H
#define CATALOG_VIEW_COLUMN_H

#include "access/attnum.h"
#include "utils/relcache.h"

/*
 * May computing this column of a view raise an error? Not if it is a column of a table,
 * or is computed from such columns by leakproof functions only.
 */
extern bool view_column_may_fail(Relation view, AttrNumber attno);

#endif
