/*-------------------------------------------------------------------------
 *
 * tensor_text.h
 *	  Reading a tensor's text form with a default element type, and writing parts
 *	  of it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TENSOR_TEXT_H
#define TYPE_TENSOR_TEXT_H

#include "nodes/nodes.h"

#include "type/tensor.h"

/* A dense or sparse value; NULL only where escontext took an error. */
extern Tensor *tensor_read(const char *text, ElementType type, Node *escontext);

/* Writes element i of data of a type; returns its end. */
#define ELEMENT_MAX_LENGTH (2 * DOUBLE_SHORTEST_DECIMAL_LEN + 8)
extern char *put_element(char *at, ElementType type, const void *data, int64 i);

/* The text form of a sparse value. */
extern char *sparse_to_string(const Tensor *tensor);

/* The element type that a typmod fixes, or what is otherwise the default. */
extern ElementType tensor_typmod_type(int32 typmod, ElementType otherwise);

/* The rank that a typmod fixes, or -1. */
extern int tensor_typmod_rank(int32 typmod);

/*
 * The tensor as a column of this typmod holds it. NULL only where escontext
 * took an error.
 */
extern Tensor *tensor_apply_typmod(Tensor *tensor, int32 typmod, Node *escontext);

#endif
