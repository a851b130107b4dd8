/*-------------------------------------------------------------------------
 *
 * kept_operands.h
 *	  Operands that several AggregateJoins read, or several rounds of a loop, read once.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_KEPT_OPERANDS_H
#define EXECUTOR_OPERAND_KEPT_OPERANDS_H

#include "postgres.h"

#include "utils/queryenvironment.h"

/*
 * A store of rows that queries have read and later queries find. The caller that runs the
 * queries opens and closes it.
 */
typedef struct KeptOperands KeptOperands;

/*
 * Opens an empty store, in a child of the context. A query keeps operands in it if the
 * query's environment has the relation that kept_operands_relation returns. The store
 * takes at most as much memory as a hash table, and sparseeinsum.cache_size for tensors.
 */
extern KeptOperands *open_kept_operands(MemoryContext context);
extern EphemeralNamedRelation kept_operands_relation(KeptOperands *kept);

/*
 * Declares that the environment's rows of a name do not change until the store is closed.
 */
extern void keep_named_rows(KeptOperands *kept, const char *name);

/*
 * Says which queries are about to run: a list of the trees (List *) of each after
 * rewriting. The first query that reads a table then reads the columns that several of
 * them need. Replaces the queries of an earlier call.
 */
extern void expect_queries(KeptOperands *kept, const List *queries);

/* Have the rows of a name been declared by keep_named_rows? */
extern bool named_rows_stay(const KeptOperands *kept, const char *name);

/* Frees rows that no query has used since the last call but one. */
extern void age_kept_operands(KeptOperands *kept);

/*
 * To be called before the current transaction commits, if further queries use the store.
 * Keeps the rows of tables that neither this transaction nor another one has written.
 */
extern void commit_kept_operands(KeptOperands *kept);

/* Closes the store; no query may be running. */
extern void close_kept_operands(KeptOperands *kept);

#endif
