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
 * The place where a path keeps its only child, for which PostgreSQL's paths have
 * different fields. Callers decide which kinds of paths to pass. Raises an error for
 * paths that have no child, or several.
 */
extern Path **only_subpath(Path *path);

/* The nodes directly below a node of a plan; not those of other nodes' subplans. */
extern List *plans_below(Plan *node);

#endif
