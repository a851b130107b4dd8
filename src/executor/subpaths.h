/*-------------------------------------------------------------------------
 *
 * subpaths.h
 *	  The path below another one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_SUBPATHS_H
#define EXECUTOR_SUBPATHS_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Where a path of one child keeps it; an error for paths that have none, or
 * several. Every one of PostgreSQL's names the field of its own, and who walks
 * through paths says which kinds he passes.
 */
extern Path **only_subpath(Path *path);

#endif
