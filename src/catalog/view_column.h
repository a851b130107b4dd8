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
 * May computing this column of a view raise an error? False for a column of a
 * table under another name, and for what only leakproof functions make of such.
 */
extern bool view_column_may_fail(Relation view, AttrNumber attno);

#endif
