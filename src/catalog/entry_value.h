/*-------------------------------------------------------------------------
 *
 * entry_value.h
 *	  The numbers inside tensor values.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_ENTRY_VALUE_H
#define CATALOG_ENTRY_VALUE_H

#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "kernels/function_type.h"
#include "kernels/kernels.h"
#include "type/tensor.h"

/* Does a number equal the fill, so that it need not be stored? */
static inline bool
is_fill(double real, double imaginary, Number fill)
{
	return (real == creal(fill) || (isnan(real) && isnan(creal(fill)))) &&
		   imaginary == cimag(fill);
}

/* Reads element i, in row-major order, of a value whose elements begin at data. */
static inline void
read_element(const Tensor *value, const void *data, int64 i, double *real,
			 double *imaginary)
{
	*imaginary = 0;
	switch ((ElementType) value->type)
	{
		case ELEMENT_FLOAT4:
			*real = ((const float *) data)[i];
			break;
		case ELEMENT_FLOAT8:
			*real = ((const double *) data)[i];
			break;
		case ELEMENT_COMPLEX8:
			*real = ((const float *) data)[2 * i];
			*imaginary = ((const float *) data)[2 * i + 1];
			break;
		case ELEMENT_COMPLEX16:
			*real = ((const double *) data)[2 * i];
			*imaginary = ((const double *) data)[2 * i + 1];
			break;
	}
}

#endif
