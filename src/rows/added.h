/*-------------------------------------------------------------------------
 *
 * added.h
 *	  What has to be added to a result, since tensors that it reads have changed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_ADDED_H
#define ROWS_ADDED_H

#include "rows/sources.h"
#include "rows/tensor_change.h"

/* A result, and what is known of what it reads. */
typedef struct Addition
{
	const Storage *result;  /* resolved */
	const Sources *sources; /* with a position */
	const List *known;      /* of TensorChange *: of tables of the same refresh */
	const List *refreshed;  /* OIDs of all tables that the refresh has changed */
	Snapshot snapshot;
	double rows;               /* of the result's table; -1: not known */
	const char *caller;        /* queries are labelled with it and the result's program */
	char *(*new_name)(void *); /* makes names of rows */
	void *names;
} Addition;

/*
 * Finds what has to be added to a result. Returns NULL, and *change is what to add, or
 * NULL if nothing has to be; otherwise returns why that is not enough, in words. Errors:
 * those of reading bad rows, and of the queries.
 */
extern const char *find_addition(const Addition *addition, TensorChange **change);

#endif
