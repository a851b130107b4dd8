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

/* "2x3", "scalar" for rank 0; palloc'd. */
extern char *shape_to_string(int rank, const int64 *bounds);

/*
 * The number of elements of a shape, checked: rank within TENSOR_MAX_RANK,
 * bounds within int4, and a size that an allocation can hold. Errors: 54000,
 * and 22023 for a negative bound.
 */
extern int64 shape_count(ElementType type, int rank, const int64 *bounds);

/* Reads int4[] as a shape into bounds[TENSOR_MAX_RANK]; returns the rank. */
extern int shape_from_array(ArrayType *array, int64 *bounds);
extern ArrayType *shape_to_array(int rank, const int64 *bounds);

/* An element type by its name. Errors: 22023 with the list of names. */
extern ElementType element_type_from_text(const text *name);

/* The tensor converted to an element type; itself if it has that type already. */
extern Tensor *tensor_convert(Tensor *tensor, ElementType type);

/* The element of a tensor of rank 0. Errors: 2202E for another rank. */
extern Number tensor_number(const Tensor *tensor);

#endif
