/*-------------------------------------------------------------------------
 *
 * difference.h
 *	  What a round has made of a state is written into its table.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ITERATE_DIFFERENCE_H
#define ITERATE_DIFFERENCE_H

#include "iterate/loop.h"

/* Do other tensors have values in the rows of a state's table, or are its rows? Then rows stay. */
extern bool shares_rows(const Storage *table);

/*
 * Writes a state into its table, with the caller's rights: what differs. Its rows are in the environment. False if
 * nothing does. Errors: 55000 for tables with rules, and those of the table.
 */
extern bool write_difference(const Loop *loop, const LoopState *state);

#endif
