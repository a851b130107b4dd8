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
 * Returns where a path keeps its children: a List of Path **, in the order in which the
 * plan has them; NIL if the path has no children or its kind is not known here.
 */
extern List *path_children(Path *path);

/*
 * Returns where a path keeps its only child. Raises an error for paths with none or
 * several.
 */
extern Path **only_subpath(Path *path);

/*
 * Copies a path, so that the copy's children can be replaced: the original stays valid,
 * since add_path frees paths that lose. NULL for kinds of paths that are not known here.
 */
extern Path *copy_path(const Path *path);

/*
 * Returns the plan nodes directly below a plan node, without those of subplans (SubPlan).
 */
extern List *plan_children(Plan *node);

#endif
