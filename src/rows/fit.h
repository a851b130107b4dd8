/*-------------------------------------------------------------------------
 *
 * fit.h
 *	  Whether rows fit the types of the columns that they are written into.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ROWS_FIT_H
#define ROWS_FIT_H

#include "rows/difference.h"

/*
 * Checks that the keys and values of the rows are in the ranges of the table's columns.
 * Errors: 22003, with the tensor, the entry and the column.
 */
extern void require_fit(const TableChange *change);

#endif
