/*-------------------------------------------------------------------------
 *
 * count_pairs.h
 *	  How many pairs of indices two steps through a matrix lead to.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_COUNT_PAIRS_H
#define CATALOG_COUNT_PAIRS_H

#include "postgres.h"

/* The entries of a sample of indices, from which walks start. */
typedef struct FirstSteps FirstSteps;

/* The entries of the indices that those lead to. */
typedef struct SecondSteps SecondSteps;

extern FirstSteps *first_steps_begin(void);

/* An entry, those of one start one after the other. */
extern void put_first_step(FirstSteps *first, int64 start, int64 middle);
extern void first_steps_end(FirstSteps *first);

/* Once all first steps are there, which have to stay. */
extern SecondSteps *second_steps_begin(const FirstSteps *first);

/* An entry, those of one middle one after the other. */
extern void put_second_step(SecondSteps *second, int64 middle, int64 end);
extern void second_steps_end(SecondSteps *second);

/*
 * The pairs of a start and an end that the walks of all starts lead to: exact
 * where all have been followed, else in proportion; -1 if the second steps are too many.
 */
extern double count_pairs(const SecondSteps *second, double all_walks);

#endif
