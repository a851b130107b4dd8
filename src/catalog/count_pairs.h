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

/*
 * The entries of a sample of starting indices: first steps of walks through the matrix.
 */
typedef struct FirstSteps FirstSteps;

/* The entries of the indices to which the first steps lead. */
typedef struct SecondSteps SecondSteps;

extern FirstSteps *first_steps_begin(void);

/* Adds an entry; entries of one start must come one after the other. */
extern void put_first_step(FirstSteps *first, int64 start, int64 middle);
extern void first_steps_end(FirstSteps *first);

/*
 * Begins second steps when all first steps have been added; first must outlive the
 * result.
 */
extern SecondSteps *second_steps_begin(const FirstSteps *first);

/* Adds an entry; entries of one middle must come one after the other. */
extern void put_second_step(SecondSteps *second, int64 middle, int64 end);
extern void second_steps_end(SecondSteps *second);

/*
 * Returns the number of pairs of a start and an end that walks of two steps connect:
 * exact if all walks were followed, else in proportion to all_walks; -1 if there are too
 * many second steps.
 */
extern double count_pairs(const SecondSteps *second, double all_walks);

#endif
