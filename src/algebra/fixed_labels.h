/*-------------------------------------------------------------------------
 *
 * fixed_labels.h
 *	  Labels of which a point query needs one index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_FIXED_LABELS_H
#define ALGEBRA_FIXED_LABELS_H

#include "algebra/factors.h"

/*
 * Fixes these dimensions of the last statement's result, and the labels of others in
 * which all that reads them has a fixed one; not of those that have been absorbed.
 */
extern void fix_labels(Algebra *algebra, const List *statements,
					   const Bitmapset *absorbed, int ndimensions, const int *dimensions);

/* What an estimate is where the fixed labels have one index. */
extern void fix_estimate(Algebra *algebra, const LabelNumbers *numbers,
						 Estimate *estimate);

#endif
