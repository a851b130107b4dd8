/*-------------------------------------------------------------------------
 *
 * query_run.h
 *	  Running queries of ours by SPI.
 *
 * As SPI's own functions, but that an error's context shows the beginning of the query
 * only, in one line of at most 200 characters: users did not write it, and a program's
 * query has pages.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_QUERY_RUN_H
#define CATALOG_QUERY_RUN_H

#include "postgres.h"

#include "executor/spi.h"
#include "utils/snapshot.h"

/* Prepares a query with parameters of these types. */
extern SPIPlanPtr prepare_sql(const char *query, int count, Oid *types);

/* Runs a query with parameters, like SPI_execute_with_args. */
extern int run_with_args(const char *query, int count, Oid *types, Datum *values,
						 const char *nulls, bool read_only);

/*
 * Runs a query with parameters, that may write, by a plan that stays in the session: *plan,
 * which is NULL before the first call. Returns what SPI_execute_plan returns.
 */
extern int run_kept(SPIPlanPtr *plan, const char *query, int count, Oid *types,
					Datum *values);

/* Run a query, or a prepared one. They return what SPI_execute_extended returns. */
extern int run_sql(const char *query, const SPIExecuteOptions *options);
extern int run_prepared(SPIPlanPtr plan, const SPIExecuteOptions *options);

/*
 * Run a query that sees a snapshot and what this transaction has done: one that only
 * reads, or one that may write.
 */
extern int run_reading_at(const char *query, SPIExecuteOptions *options,
						  Snapshot snapshot);
extern int run_writing_at(const char *query, Snapshot snapshot);

/* Do the same with a prepared query. */
extern int run_prepared_reading_at(SPIPlanPtr plan, SPIExecuteOptions *options,
								   Snapshot snapshot);
extern int run_prepared_writing_at(SPIPlanPtr plan, Snapshot snapshot);

/*
 * Run a statement without options, like run_sql: one that only reads, or one that may
 * write.
 */
extern int run_reading(const char *query);
extern int run_writing(const char *query);

#endif
