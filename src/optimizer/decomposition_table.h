/*-------------------------------------------------------------------------
 *
 * decomposition_table.h
 *	  What is known of decompositions: their numbers, or what they cost.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_DECOMPOSITION_TABLE_H
#define OPTIMIZER_DECOMPOSITION_TABLE_H

#include "optimizer/decomposition.h"

typedef struct decompositions_hash DecompositionTable;

/* Returns an empty table, allocated in the current memory context. */
extern DecompositionTable *new_decomposition_table(void);

/* The numbers that a table has of each decomposition. */
#define DECOMPOSITION_NUMBERS 2

/*
 * Returns the place of a decomposition's numbers, for the caller to read and write until
 * the next call. *found is false if the decomposition is new in the table.
 */
extern double *decomposition_value(DecompositionTable *table,
								   const Decomposition *decomposition, bool *found);

#endif
