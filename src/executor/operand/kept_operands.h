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
 * Opens an empty store for the loop with this number (ROWS_NUMBER), in a child of the
 * context. A query keeps operands in it if the query's environment has the relation that
 * kept_operands_relation returns. The store takes at most as much memory as a hash table,
 * and sparseeinsum.cache_size for tensors.
 */
extern KeptOperands *open_kept_operands(MemoryContext context, int loop);
extern EphemeralNamedRelation kept_operands_relation(KeptOperands *kept);

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
