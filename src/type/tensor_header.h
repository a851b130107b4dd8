/*-------------------------------------------------------------------------
 *
 * tensor_header.h
 *	  Reading a stored tensor in part.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TENSOR_HEADER_H
#define TYPE_TENSOR_HEADER_H

#include "type/tensor.h"

/*
 * Returns a tensor, dense or sparse, of which the caller may only read the header: if the
 * value is stored out of line, nothing else is fetched. Errors: as check_format.
 */
extern const Tensor *tensor_header(Datum datum);

#endif
