/*-------------------------------------------------------------------------
 *
 * children.h
 *	  The paths below a path, the plans below a plan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_CHILDREN_H
#define EXECUTOR_CHILDREN_H

#include "postgres.h"

#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * The places where a path keeps its children, a list of Path **; NIL if it has none, or is
 * of a kind that is not known here. In the order in which the plan has them.
 */
extern List *path_children(Path *path);

/* The place of a path's only child. Raises an error for paths that have none, or several. */
extern Path **only_subpath(Path *path);

/*
 * A copy of a path, whose children can be replaced without changing the original: add_path
 * frees paths that are beaten. NULL for kinds that are not known here.
 */
extern Path *copy_path(const Path *path);

/* The nodes directly below a node of a plan; not those of other nodes' subplans. */
extern List *plan_children(Plan *node);

#endif
