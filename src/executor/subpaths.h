/*-------------------------------------------------------------------------
 *
 * subpaths.h
 *	  The path below another one, the plans below a plan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_SUBPATHS_H
#define EXECUTOR_SUBPATHS_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * Where a path of one child keeps it: PostgreSQL's have fields of their own for it.
 * Who walks through paths says which kinds to pass. Raises an error for paths that
 * have no child, or several.
 */
extern Path **only_subpath(Path *path);

/* The nodes directly below a node of a plan; not those of other nodes' subplans. */
extern List *plans_below(Plan *node);

#endif
