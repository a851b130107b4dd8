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
 * A tensor of which only the header may be read: all that is fetched of a
 * value stored out of line. It may be dense or sparse. Errors: as check_format.
 */
extern const Tensor *tensor_header(Datum datum);

#endif
