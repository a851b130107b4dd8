/*-------------------------------------------------------------------------
 *
 * kept.h
 *	  What a session keeps of the refreshes of a table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_KEPT_H
#define ROWS_KEPT_H

#include "postgres.h"

#include "executor/spi.h"
#include "nodes/pg_list.h"
#include "utils/snapshot.h"

/* What is kept of one table. */
typedef struct KeptTable
{
	Oid table;
	int64 state;          /* of what it reads, as a number */
	bool valid;           /* false: it is forgotten when the next refresh begins */
	MemoryContext memory; /* of all that is kept */
	List *relations;      /* OIDs: what it reads, and itself */
	List *types;          /* hash values of the types of their columns */
	List *plans;          /* of queries */
	void *statement;      /* for added.c */
} KeptTable;

/* Forgets what is not valid. No refresh is running in this session. */
extern void forget_invalid(void);

/*
 * Returns what is kept of a table that reads relations in these states (RelationState *),
 * and nothing else.
 */
extern KeptTable *kept_of_table(Oid table, const List *states);

/* Has a number of rows left another by a factor with which plans are made anew? */
extern bool has_left(double rows, double planned);

/*
 * Returns what PostgreSQL expects the plan of a query to take, in microseconds, which is
 * kept, of about as many rows in memory.
 */
extern double time_of_plan(KeptTable *kept, const char *query, double rows);

/*
 * Run a query as run_reading_at and run_writing_at do, by a plan that is kept. rows: how
 * many rows in memory it reads, about. kept: or NULL.
 */
extern int run_kept_reading(KeptTable *kept, const char *query, double rows,
							SPIExecuteOptions *options, Snapshot snapshot);
extern int run_kept_writing(KeptTable *kept, const char *query, double rows,
							Snapshot snapshot);

#endif
