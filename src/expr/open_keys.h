/*-------------------------------------------------------------------------
 *
 * open_keys.h
 *	  The types of the keys of open labels.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_OPEN_KEYS_H
#define EXPR_OPEN_KEYS_H

#include "expr/expr.h"

/*
 * Returns the type of the keys of an open label of a statement's result: the widest
 * integer type among the keys of all tensors that it indexes; if some are no integers,
 * the type of one of those. InvalidOid if no tensor has such keys.
 */
extern Oid open_key_type(const Statement *statement, int dimension);

/* Is this, or the type that a domain is over, an integer type? InvalidOid is not. */
extern bool is_integer_key(Oid type);

/* Returns the wider of two integer types. */
extern Oid wider_key_type(Oid one, Oid other);

#endif
