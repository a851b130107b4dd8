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

/*
 * Reads the text form of a dense or sparse value, with this element type unless the text
 * names one. NULL only if an error was saved in escontext.
 */
extern Tensor *tensor_read(const char *text, ElementType type, Node *escontext);

/* Writes element i of the data at this place; returns the end of the written text. */
#define ELEMENT_MAX_LENGTH (2 * DOUBLE_SHORTEST_DECIMAL_LEN + 8)
extern char *put_element(char *at, ElementType type, const void *data, int64 i);

/* The text form of a sparse value. */
extern char *sparse_to_string(const Tensor *tensor);

/* Returns the indices of a position, as "0,1". */
extern char *sparse_place_string(const Tensor *tensor, uint64 position);

/* Does a typmod make values sparse? */
extern bool tensor_typmod_is_sparse(int32 typmod);

/* Returns the element type that a typmod fixes, or `otherwise` if it fixes none. */
extern ElementType tensor_typmod_type(int32 typmod, ElementType otherwise);

/* The rank that a typmod fixes, or -1. */
extern int tensor_typmod_rank(int32 typmod);

/*
 * Converts a tensor for a column of this typmod. NULL only if an error was saved in
 * escontext.
 */
extern Tensor *tensor_apply_typmod(Tensor *tensor, int32 typmod, Node *escontext);

/*
 * Is a text an object of JSON, as to_jsonb makes of a sparse value? So
 * jsonb_populate_record reads it, which gives the text to the input function.
 */
extern bool is_json_object(const char *text);

/*
 * Returns the value of such an object; NULL if an error was saved in escontext: 22P02 for
 * what is no JSON, 22023 for another object, 22003 for a number beyond float8.
 */
extern Tensor *tensor_of_json(char *text, Node *escontext);

#endif
