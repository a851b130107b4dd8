/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  The differences between PostgreSQL 14 and 19, kept in one place.
 *
 * Every other file is written against the newest interface; what an older
 * server lacks is spelt here in terms of what it has.
 *
 *-------------------------------------------------------------------------
 */
#ifndef COMPAT_H
#define COMPAT_H

#include "postgres.h"

#include "fmgr.h"

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * Errors that an input function may hand back to its caller instead of raising
 * them came with PostgreSQL 16 (pg_input_is_valid and its kind). Before, every
 * error is raised, and what follows ereport() is not reached.
 */
#if PG_VERSION_NUM < 160000
#define errsave(context, ...) ereport(ERROR, __VA_ARGS__)
#define ereturn(context, value, ...)                                                     \
	do                                                                                   \
	{                                                                                    \
		ereport(ERROR, __VA_ARGS__);                                                     \
		return value;                                                                    \
	} while (0)
#define DirectInputFunctionCallSafe(function, text, typioparam, typmod, context, result) \
	((void) (context), *(result) = DirectFunctionCall1(function, CStringGetDatum(text)), \
	 true)
#endif

/* Since PostgreSQL 18, functions that do not return are marked before all else. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn __attribute__((noreturn))
#endif

/* CHECK constraints that are not enforced came with PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define CHECK_IS_ENFORCED(check) ((check).ccenforced)
#else
#define CHECK_IS_ENFORCED(check) true
#endif

/* So did NOT NULL of a column that has not been validated, and may hold NULLs. */
#if PG_VERSION_NUM >= 180000
#define COLUMN_IS_NOT_NULL(columns, i)                                                   \
	(TupleDescCompactAttr(columns, i)->attnullability == ATTNULLABLE_VALID)
#else
#define COLUMN_IS_NOT_NULL(columns, i) (TupleDescAttr(columns, i)->attnotnull)
#endif

/*
 * tuplesort_getdatum lets its caller say whether to copy since PostgreSQL 16.
 * Its declaration has to be read before the macro of the same name.
 */
#if PG_VERSION_NUM < 160000
#include "utils/tuplesort.h"

#define tuplesort_getdatum(state, forward, copy, val, isnull, abbrev)                    \
	tuplesort_getdatum(state, forward, val, isnull, abbrev)
#endif

/* What joins a relation that is not needed loses it since PostgreSQL 16; before, it is marked. */
#if PG_VERSION_NUM >= 160000
#define rel_is_removed(rel) ((rel) == NULL)
#else
#define rel_is_removed(rel) ((rel) == NULL || (rel)->reloptkind == RELOPT_DEADREL)
#endif

/* One function checks the ownership of any object since PostgreSQL 16, one a right to it. */
#if PG_VERSION_NUM >= 160000
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"

#define schema_ownercheck(schema, role)                                                  \
	object_ownercheck(NamespaceRelationId, schema, role)
#define schema_aclcheck(schema, role, mode)                                              \
	object_aclcheck(NamespaceRelationId, schema, role, mode)
#define function_aclcheck(function, role, mode)                                          \
	object_aclcheck(ProcedureRelationId, function, role, mode)
#else
#define schema_ownercheck(schema, role) pg_namespace_ownercheck(schema, role)
#define schema_aclcheck(schema, role, mode) pg_namespace_aclcheck(schema, role, mode)
#define function_aclcheck(function, role, mode) pg_proc_aclcheck(function, role, mode)
#endif

/* Views that read with the privileges of their readers came with PostgreSQL 15. */
#define HAVE_SECURITY_INVOKER_VIEWS (PG_VERSION_NUM >= 150000)
#if PG_VERSION_NUM < 150000
#define RelationHasSecurityInvoker(view) false
#endif

/* Files that processes share had functions of their own names before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#include "storage/buffile.h"

#define BufFileCreateFileSet(set, name) BufFileCreateShared(set, name)
#define BufFileExportFileSet(file) BufFileExportShared(file)
#define BufFileOpenFileSet(set, name, mode, missing_ok) BufFileOpenShared(set, name, mode)
#define FILES_OF_SHARED_SET(shared) (shared)
#else
#define FILES_OF_SHARED_SET(shared) (&(shared)->fs)
#endif

/* Logical tapes were numbers in a set before PostgreSQL 15: each is in a set of its own. */
#if PG_VERSION_NUM < 150000
#include "utils/logtape.h"

#define LogicalTape LogicalTapeSet
#define LogicalTapeSetCreate(preallocate, fileset, worker) NULL
#define LogicalTapeSetClose(tapes) ((void) (tapes))
#define LogicalTapeCreate(tapes) (LogicalTapeSetCreate)(1, false, NULL, NULL, -1)
#define LogicalTapeClose(tape) (LogicalTapeSetClose)(tape)
#define LogicalTapeWrite(tape, bytes, size) (LogicalTapeWrite)(tape, 0, bytes, size)
#define LogicalTapeRead(tape, bytes, size) (LogicalTapeRead)(tape, 0, bytes, size)
#define LogicalTapeRewindForRead(tape, size) (LogicalTapeRewindForRead)(tape, 0, size)
#endif

/* tuplesort options were one boolean, random access, before PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define TUPLESORT_NONE false
#define TUPLESORT_RANDOMACCESS true
#endif

/* Prefixes of settings are reserved since PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* The snapshot for TOAST tables was a struct to fill before PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define DECLARE_TOAST_SNAPSHOT(name) Snapshot name = get_toast_snapshot()
#else
#define DECLARE_TOAST_SNAPSHOT(name)                                                     \
	SnapshotData name##_data;                                                            \
	Snapshot name = (init_toast_snapshot(&name##_data), &name##_data)
#endif

/* All relations of a query, as the relation of all its joins has them: with outer joins since PostgreSQL 16. */
#if PG_VERSION_NUM >= 160000
#define ALL_RELIDS(root) ((root)->all_query_rels)
#else
#define ALL_RELIDS(root) ((root)->all_baserels)
#endif

/*
 * Before PostgreSQL 15, any custom scan is taken to evaluate any target list, which the
 * relational plan of an AggregateJoin would not have.
 */
#define CUSTOM_SCANS_MAY_NOT_PROJECT (PG_VERSION_NUM >= 150000)
#if PG_VERSION_NUM < 150000
#define CUSTOMPATH_SUPPORT_PROJECTION 0
#endif

/* What EXPLAIN prints with has a header of its own since PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif

/* Who runs the executor says no more whether it does so once since PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define EXECUTOR_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define EXECUTOR_RUN_ARGUMENTS query, direction, count
#else
#define EXECUTOR_RUN_PARAMETERS                                                          \
	QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define EXECUTOR_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/* Who plans says what for, for EXPLAIN, since PostgreSQL 19. */
#if PG_VERSION_NUM >= 190000
#define PLANNER_PARAMETERS                                                               \
	Query *query, const char *text, int options, ParamListInfo params, ExplainState *es
#define PLANNER_ARGUMENTS query, text, options, params, es
#else
#define PLANNER_PARAMETERS                                                               \
	Query *query, const char *text, int options, ParamListInfo params
#define PLANNER_ARGUMENTS query, text, options, params
#endif

/* The columns of a set operation are also compared by sorting since PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define SETOP_OPERATORS(node) ((node)->cmpOperators)
#else
#define SETOP_OPERATORS(node) ((node)->dupOperators)
#endif

/* Windows stop early by conditions on row numbers and the like since PostgreSQL 15. */
#if PG_VERSION_NUM >= 150000
#define WINDOW_MAY_STOP(window) ((window)->runCondition != NIL)
#else
#define WINDOW_MAY_STOP(window) false
#endif

/* What a setting's check hook hands on is allocated by a function since PostgreSQL 16. */
#if PG_VERSION_NUM < 160000
#define guc_malloc(elevel, size) malloc(size)
#define guc_free(pointer) free(pointer)
#endif

/* The preamble of a set-returning function came with PostgreSQL 15. */
#if PG_VERSION_NUM < 150000
#include "funcapi.h"
#include "miscadmin.h"

#define MAT_SRF_USE_EXPECTED_DESC 0x01

static inline void
InitMaterializedSRF(FunctionCallInfo fcinfo, bits32 flags)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext old;
	TupleDesc desc;

	if (result == NULL || !IsA(result, ReturnSetInfo) ||
		!(result->allowedModes & SFRM_Materialize))
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("set-valued function called in context that cannot accept a set")));
	old = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	if (flags & MAT_SRF_USE_EXPECTED_DESC)
		desc = CreateTupleDescCopy(result->expectedDesc);
	else if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	result->returnMode = SFRM_Materialize;
	result->setResult = tuplestore_begin_heap(
		(result->allowedModes & SFRM_Materialize_Random) != 0, false, work_mem);
	result->setDesc = desc;
	MemoryContextSwitchTo(old);
}
#endif

#if PG_VERSION_NUM >= 170000
#define lock_held_by_me(tag, mode) LockHeldByMe(tag, mode, false)
#else
#define lock_held_by_me(tag, mode) LockHeldByMe(tag, mode)
#endif

/* Which columns of a relation a query reads is no longer in the range table since PostgreSQL 16. */
#if PG_VERSION_NUM >= 160000
#define selected_columns(query, rte)                                                     \
	((rte)->perminfoindex == 0                                                           \
		 ? NULL                                                                          \
		 : getRTEPermissionInfo((query)->rteperminfos, (RangeTblEntry *) (rte))          \
			   ->selectedCols)
#else
#define selected_columns(query, rte) ((void) (query), (rte)->selectedCols)
#endif

/*
 * A function of the planner that had fewer arguments before PostgreSQL 16; its declaration
 * has to be read before the macro of the same name.
 */
#if PG_VERSION_NUM < 160000
#include "optimizer/pathnode.h"

#define create_subqueryscan_path(root, rel, subpath, trivial, pathkeys, outer)           \
	create_subqueryscan_path(root, rel, subpath, pathkeys, outer)
#define build_join_rel(root, relids, outer, inner, join, pushed_down, conditions)        \
	build_join_rel(root, relids, outer, inner, join, conditions)
#endif

/* Since PostgreSQL 16, columns say which outer joins may make them NULL where they are used. */
#if PG_VERSION_NUM >= 160000
#include "rewrite/rewriteManip.h"

#define without_nulling_relids(root, node)                                               \
	(bms_is_empty((root)->outer_join_rels)                                               \
		 ? (node)                                                                        \
		 : remove_nulling_relids(node, (root)->outer_join_rels, NULL))
#else
#define without_nulling_relids(root, node) (node)
#endif

/* What groups are made by, without what is redundant since PostgreSQL 16. */
#if PG_VERSION_NUM >= 160000
#define GROUP_CLAUSES(root) ((root)->processed_groupClause)
#else
#define GROUP_CLAUSES(root) ((root)->parse->groupClause)
#endif

/* Since then, a plain aggregate may have the arguments of its functions sorted below it. */
#define PLAIN_AGGREGATES_MAY_SORT (PG_VERSION_NUM >= 160000)

/*
 * Since PostgreSQL 17, conditions that a column is not NULL are dropped if it never is, and
 * partial paths of subqueries with subplans of their own are kept.
 */
#define PLANNER_DROPS_NULL_TESTS (PG_VERSION_NUM >= 170000)
#define PLANNER_KEEPS_PARTIAL_PATHS (PG_VERSION_NUM >= 170000)

/* Since PostgreSQL 18, what a query is grouped by is a relation of its own. */
#if PG_VERSION_NUM >= 180000
#define group_expressions(rte) ((rte)->rtekind == RTE_GROUP ? (rte)->groupexprs : NIL)
#else
#define group_expressions(rte) ((void) (rte), NIL)
#endif

/* So are nodes that a setting forbids counted, and no longer made expensive. */
#if PG_VERSION_NUM >= 180000
#define disabled_nodes_of(path) ((path)->disabled_nodes)
#define set_disabled_nodes(path, number) ((path)->disabled_nodes = (number))
#else
#define disabled_nodes_of(path) 0
#define set_disabled_nodes(path, number) ((void) (number))
#endif

/* Generated columns that are not stored came with PostgreSQL 18. */
#if PG_VERSION_NUM >= 180000
#define is_computed_column(table, attribute)                                             \
	(get_attgenerated(table, attribute) == ATTRIBUTE_GENERATED_VIRTUAL)
#else
#define is_computed_column(table, attribute) false
#endif

/*
 * Scans and deletions take options, and what builds a jsonb has its result, since
 * PostgreSQL 19. The declarations have to be read before the macros of the same names.
 */
#if PG_VERSION_NUM < 190000
#include "access/heapam.h"
#include "access/tableam.h"
#include "utils/jsonb.h"

#define table_beginscan(table, snapshot, nkeys, keys, options)                           \
	table_beginscan(table, snapshot, nkeys, keys)
#define table_tuple_delete(table, place, command, options, snapshot, check, wait, why)   \
	table_tuple_delete(table, place, command, snapshot, check, wait, why, false)
#define heap_delete(table, place, command, options, check, wait, why)                    \
	heap_delete(table, place, command, check, wait, why, false)

typedef struct JsonbInState
{
	JsonbParseState *state;
	JsonbValue *result;
} JsonbInState;

#define pushJsonbValue(builder, token, value)                                            \
	((void) ((builder)->result = pushJsonbValue(&(builder)->state, token, value)))
#endif

/* A hook is called for each relation since PostgreSQL 19; before, for tables. */
#if PG_VERSION_NUM >= 190000
#define BUILD_SIMPLE_REL_PARAMETERS PlannerInfo *root, RelOptInfo *rel, RangeTblEntry *rte
#define BUILD_SIMPLE_REL_ARGUMENTS root, rel, rte
#else
#define build_simple_rel_hook_type get_relation_info_hook_type
#define build_simple_rel_hook get_relation_info_hook
#define BUILD_SIMPLE_REL_PARAMETERS                                                      \
	PlannerInfo *root, Oid relid, bool inhparent, RelOptInfo *rel
#define BUILD_SIMPLE_REL_ARGUMENTS root, relid, inhparent, rel
#endif

/* What falls through to the next case is marked since PostgreSQL 19. */
#if PG_VERSION_NUM < 190000
#define pg_fallthrough __attribute__((fallthrough))
#endif

/* Whoever makes a tuple descriptor says that it is complete since PostgreSQL 19. */
#if PG_VERSION_NUM < 190000
#define TupleDescFinalize(columns) ((void) (columns))
#endif

/* Paths that make rows unique are of one kind since PostgreSQL 19. */
#if PG_VERSION_NUM >= 190000
#define UpperUniquePath UniquePath
#define T_UpperUniquePath T_UniquePath
#endif

/*
 * Since PostgreSQL 19, rows may be aggregated in part before they are joined: such rows of
 * a relation are a relation of their own. Who searches the order of joins makes its paths
 * once those of the relation are known, as standard_join_search does.
 */
#if PG_VERSION_NUM >= 190000
#define has_aggregated_rows(rel) IS_GROUPED_REL(rel)
#define add_aggregated_rows(root, rel)                                                   \
	do                                                                                   \
	{                                                                                    \
		if ((rel)->grouped_rel)                                                          \
		{                                                                                \
			generate_grouped_paths(root, (rel)->grouped_rel, rel);                       \
			set_cheapest((rel)->grouped_rel);                                            \
		}                                                                                \
	} while (0)
#else
#define has_aggregated_rows(rel) ((void) (rel), false)
#define add_aggregated_rows(root, rel) ((void) (root), (void) (rel))
#endif

#endif
