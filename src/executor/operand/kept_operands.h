/*-------------------------------------------------------------------------
 *
 * kept_operands.h
 *	  Operands that several AggregateJoins read, or several rounds of a loop, read once.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_KEPT_OPERANDS_H
#define EXECUTOR_KEPT_OPERANDS_H

#include "postgres.h"

#include "utils/queryenvironment.h"

/*
 * The store of kept rows. The caller that runs the queries opens it, and says when it
 * ends.
 */
typedef struct KeptOperands KeptOperands;

/*
 * Nothing yet. It lives in a child of the context. Queries keep operands here if the
 * relation that is returned by kept_operands_relation is in their environment. Memory:
 * what a hash table may take, and sparseeinsum.cache_size for tensors.
 */
extern KeptOperands *open_kept_operands(MemoryContext context);
extern EphemeralNamedRelation kept_operands_relation(KeptOperands *kept);

/* Rows of that name of the environment stay as they are until all is closed. */
extern void keep_named_rows(KeptOperands *kept, const char *name);

/*
 * Queries that are about to run, each given by its trees after rewriting: a list of List
 * *. What several of them read of a table is read by the first. Replaces those of before.
 */
extern void expect_queries(KeptOperands *kept, const List *queries);

/* Do they, as was said? */
extern bool named_rows_stay(const KeptOperands *kept, const char *name);

/* What no query has read since the last call but one is given back. */
extern void age_kept_operands(KeptOperands *kept);

/*
 * To be called before the current transaction is committed, if more queries follow: rows
 * of tables that neither it nor another transaction has written stay.
 */
extern void commit_kept_operands(KeptOperands *kept);

/* Gives all back; no query is running. */
extern void close_kept_operands(KeptOperands *kept);

#endif
