/*-------------------------------------------------------------------------
 *
 * sources.h
 *	  What a result is computed from, and whether that has changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_SOURCES_H
#define ROWS_SOURCES_H

#include "postgres.h"

#include "catalog/position.h"
#include "catalog/tensor_storage.h"
#include "nodes/pg_list.h"
#include "utils/snapshot.h"

/* What a result is computed from, as a snapshot sees it. */
typedef struct Sources
{
	List *states;        /* of RelationState: all relations read, and the result */
	List *logged;        /* OIDs of the tables whose logs tell what has changed */
	const char *unknown; /* why changes may be unknown, in words; NULL: all are known */
	/*
	 * set by reason_to_compute: the position at which the result was computed, if logs
	 * tell all that has changed since; and the OIDs of the relations that have changed
	 */
	Position *position;
	List *changed;
} Sources;

/*
 * Finds the sources of a result that is filled from a view. filled: OIDs of the tables
 * that the same refresh has filled before, for which no log is needed. reading: for a
 * query, which has opened the tables itself; then it is not known what has changed in a
 * table that the transaction writes. Locks what it reads in ACCESS SHARE mode.
 */
extern Sources *sources_of_result(const Storage *result, Oid view, const List *filled,
								  bool reading, Snapshot snapshot);

/* The same of a result that is computed from these relations. */
extern Sources *sources_of_relations(const Storage *result, const List *relations,
									 const List *filled, bool reading, Snapshot snapshot);

/*
 * Why a result has to be computed, in words; NULL if its sources are as they were at its
 * position. changed: OIDs of the tables that the same refresh has changed.
 */
extern const char *reason_to_compute(const Storage *result, Sources *sources,
									 const List *changed, Snapshot snapshot);

#endif
