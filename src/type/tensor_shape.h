/*-------------------------------------------------------------------------
 *
 * tensor_shape.h
 *	  Shapes and element types as SQL passes them: checks and messages.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TENSOR_SHAPE_H
#define TYPE_TENSOR_SHAPE_H

#include "utils/array.h"

#include "kernels/function_type.h"
#include "type/tensor.h"

/* Returns the shape as "2x3", or "scalar" for rank 0; palloc'd. */
extern char *shape_to_string(int rank, const int64 *bounds);

/*
 * Returns the number of elements of a shape after checking it: the rank is within
 * TENSOR_MAX_RANK, bounds are within int4, and the elements fit in an allocation. Errors:
 * 54000, and 22023 for a negative bound.
 */
extern int64 shape_count(ElementType type, int rank, const int64 *bounds);

/* Reads int4[] as a shape into bounds[TENSOR_MAX_RANK]; returns the rank. */
extern int shape_from_array(ArrayType *array, int64 *bounds);
extern ArrayType *shape_to_array(int rank, const int64 *bounds);

/* Returns an element type by its name. Errors: 22023 with the list of names. */
extern ElementType element_type_from_text(const text *name);

/*
 * Returns the tensor converted to an element type; the tensor itself if it has that type
 * already.
 */
extern Tensor *tensor_convert(Tensor *tensor, ElementType type);

/* Returns the element of a tensor of rank 0. Errors: 2202E for another rank. */
extern Number tensor_number(const Tensor *tensor);

#endif
