/*-------------------------------------------------------------------------
 *
 * tensor_subscript.h
 *	  Assigning to a part of a tensor.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TENSOR_SUBSCRIPT_H
#define TYPE_TENSOR_SUBSCRIPT_H

#include "type/tensor.h"

/*
 * Returns a copy of a tensor in which value replaces the part at the given subscripts,
 * which are in range. Errors: 2202E if the shapes do not fit, 42846 for a complex value
 * in a real tensor.
 */
extern Tensor *tensor_assign(const Tensor *old, int given, const int32 *subscripts,
							 Tensor *value);

#endif
