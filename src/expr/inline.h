/*-------------------------------------------------------------------------
 *
 * inline.h
 *	  Puts the right side of a statement in the place of the tensor that it defines.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_INLINE_H
#define EXPR_INLINE_H

#include "expr/expr.h"

/*
 * Replaces the accesses to the tensor that a statement defines by the statement's right
 * side, with fresh bound labels. An access with the statement's own labels gets the very
 * same nodes; it must then be the only access.
 */
extern TensorExpr *inline_definition(Program *program, TensorExpr *expr,
									 const Statement *definition);

#endif
