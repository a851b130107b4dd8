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
 * x[i] of sum[j] x[j] * eye[i,j], without j among the labels that are summed. NULL if there
 * is no such factor, or what is left is of another type, or not 0 where nothing is stored,
 * as the sum is.
 */
extern TensorExpr *without_identity(Program *program, Bitmapset **labels,
									TensorExpr *product);

#endif
