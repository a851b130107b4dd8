/*-------------------------------------------------------------------------
 *
 * apart.h
 *	  Splits aggregates other than sums into aggregates of parts, each over its own
 *	  labels.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_APART_H
#define ALGEBRA_APART_H

#include "algebra/algebra.h"

/*
 * Returns the expression with its max, min and prod aggregates split into parts: a list
 * of at most one LawForm *.
 */
extern List *apart_forms(Algebra *algebra, TensorExpr *expr);

#endif
