/*-------------------------------------------------------------------------
 *
 * children.c
 *	  The paths below a path, the plans below a plan.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "executor/children.h"

/* A kind of path, and where its struct has the path's children. */
typedef struct PathKind
{
	NodeTag tag;
	Size size;
	int nplaces;    /* fields of type Path * */
	Size places[2]; /* the offsets of these fields */
	Size list; /* offset of a List of further children; 0: the struct has no such List */
} PathKind;

#define PATH_LEAF(type)                                                                  \
	{                                                                                    \
		.tag = T_##type, .size = sizeof(type)                                            \
	}
#define PATH_ABOVE(type, field)                                                          \
	{                                                                                    \
		.tag = T_##type, .size = sizeof(type), .nplaces = 1, .places = {                 \
			offsetof(type, field)                                                        \
		}                                                                                \
	}
#define PATH_JOIN(type)                                                                  \
	{                                                                                    \
		.tag = T_##type, .size = sizeof(type), .nplaces = 2, .places = {                 \
			offsetof(JoinPath, outerjoinpath),                                           \
			offsetof(JoinPath, innerjoinpath)                                            \
		}                                                                                \
	}
#define PATH_LIST(type, field)                                                           \
	{                                                                                    \
		.tag = T_##type, .size = sizeof(type), .list = offsetof(type, field)             \
	}

static const PathKind path_kinds[] = {
	PATH_LEAF(Path),
	PATH_LEAF(IndexPath),
	PATH_LEAF(BitmapHeapPath),
	PATH_LEAF(GroupResultPath),
	PATH_LEAF(MinMaxAggPath),
	PATH_ABOVE(SubqueryScanPath, subpath),
	PATH_ABOVE(ProjectionPath, subpath),
	PATH_ABOVE(ProjectSetPath, subpath),
	PATH_ABOVE(SortPath, subpath),
	PATH_ABOVE(IncrementalSortPath, spath.subpath),
	PATH_ABOVE(MaterialPath, subpath),
	PATH_ABOVE(MemoizePath, subpath),
	PATH_ABOVE(UniquePath, subpath),
	PATH_ABOVE(UpperUniquePath, subpath),
	PATH_ABOVE(GroupPath, subpath),
	PATH_ABOVE(AggPath, subpath),
	PATH_ABOVE(GroupingSetsPath, subpath),
	PATH_ABOVE(WindowAggPath, subpath),
	PATH_ABOVE(LimitPath, subpath),
	PATH_ABOVE(GatherPath, subpath),
	PATH_ABOVE(GatherMergePath, subpath),
	PATH_ABOVE(ModifyTablePath, subpath),
	PATH_JOIN(NestPath),
	PATH_JOIN(MergePath),
	PATH_JOIN(HashPath),
	PATH_LIST(AppendPath, subpaths),
	PATH_LIST(MergeAppendPath, subpaths),
	PATH_LIST(CustomPath, custom_paths),
};

static const PathKind *
kind_of_path(const Path *path)
{
	for (int i = 0; i < lengthof(path_kinds); i++)
		if (path_kinds[i].tag == nodeTag(path))
			return &path_kinds[i];
	return NULL;
}

static List **
child_list(const PathKind *kind, Path *path)
{
	return kind->list ? (List **) ((char *) path + kind->list) : NULL;
}

List *
path_children(Path *path)
{
	const PathKind *kind = kind_of_path(path);
	List *children = NIL;
	ListCell *lc;

	if (kind == NULL)
		return NIL;
	for (int i = 0; i < kind->nplaces; i++)
		children = lappend(children, (char *) path + kind->places[i]);
	if (kind->list)
		foreach (lc, *child_list(kind, path))
			children = lappend(children, &lfirst(lc));
	return children;
}

Path **
only_subpath(Path *path)
{
	const PathKind *kind = kind_of_path(path);

	if (kind == NULL || kind->nplaces != 1)
		elog(ERROR, "path of type %d has not just one child", (int) nodeTag(path));
	return (Path **) ((char *) path + kind->places[0]);
}

Path *
copy_path(const Path *path)
{
	const PathKind *kind = kind_of_path(path);
	Path *copy;

	if (kind == NULL)
		return NULL;
	copy = palloc(kind->size);
	memcpy(copy, path, kind->size);
	if (kind->list)
		*child_list(kind, copy) = list_copy(*child_list(kind, copy));
	return copy;
}

List *
plan_children(Plan *node)
{
	List *result = NIL;

	if (outerPlan(node))
		result = lappend(result, outerPlan(node));
	if (innerPlan(node))
		result = lappend(result, innerPlan(node));
	if (IsA(node, SubqueryScan))
		result = lappend(result, ((SubqueryScan *) node)->subplan);
	else if (IsA(node, CustomScan))
		result = list_concat(result, ((CustomScan *) node)->custom_plans);
	else if (IsA(node, Append))
		result = list_concat(result, ((Append *) node)->appendplans);
	else if (IsA(node, MergeAppend))
		result = list_concat(result, ((MergeAppend *) node)->mergeplans);
	return result;
}
