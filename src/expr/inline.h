/*-------------------------------------------------------------------------
 *
 * inline.h
 *	  Statements read through: their right sides in the place of what they define.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_INLINE_H
#define EXPR_INLINE_H

#include "expr/expr.h"

/*
 * Replaces the accesses to what a statement defines by its right side, with bound
 * labels that it does not have; by the very definition where an access has its labels, which
 * must then be the only one.
 */
extern TensorExpr *inline_definition(Program *program, TensorExpr *expr,
									 const Statement *definition);

#endif
