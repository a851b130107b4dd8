/*-------------------------------------------------------------------------
 *
 * apart.h
 *	  Aggregates of parts, each over the labels that it has.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_APART_H
#define ALGEBRA_APART_H

#include "algebra/algebra.h"

/*
 * The expression with its extremes and products over labels taken apart: of LawForm *, one
 * or none.
 */
extern List *apart_forms(Algebra *algebra, TensorExpr *expr);

#endif
