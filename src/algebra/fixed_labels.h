/*-------------------------------------------------------------------------
 *
 * fixed_labels.h
 *	  Labels that a point query fixes at one index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_FIXED_LABELS_H
#define ALGEBRA_FIXED_LABELS_H

#include "algebra/factors.h"

/*
 * Fixes the labels of these dimensions of the last statement's result, and the labels of
 * other results which every reader fixes; absorbed statements are left out.
 */
extern void fix_labels(Algebra *algebra, const List *statements,
					   const Bitmapset *absorbed, int ndimensions, const int *dimensions);

/* Changes an estimate to one in which the fixed labels have one index. */
extern void fix_estimate(Algebra *algebra, const LabelNumbers *numbers,
						 Estimate *estimate);

#endif
