/*-------------------------------------------------------------------------
 *
 * identities.h
 *	  Products with the identity matrix, summed over one of its labels.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_IDENTITIES_H
#define EXPR_IDENTITIES_H

#include "expr/expr.h"

/*
 * Simplifies sum[j] x[j] * eye[i,j] to x[i], and removes j from *labels, the summed ones.
 * Returns NULL if the product has no such factor, or if what remains has another type or
 * another fill than the product.
 */
extern TensorExpr *without_identity(Program *program, Bitmapset **labels,
									TensorExpr *product);

#endif
