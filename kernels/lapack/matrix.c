/*-------------------------------------------------------------------------
 *
 * matrix.c
 *	  Factorisations of dense matrices by LAPACK, for the four element types.
 *
 * LAPACK is called by its Fortran symbols, which OpenBLAS itself contains, and
 * not through LAPACKE: for column-major matrices LAPACKE's functions with
 * workspace only pass their arguments on, and its shared library would bring in
 * whatever liblapack.so.3 and libblas.so.3 the system's alternatives name, a
 * build with threads among them. LAPACKE's header lapack.h declares the
 * symbols, with the hidden lengths of character arguments.
 *
 *-------------------------------------------------------------------------
 */
#include <cblas.h>
#include <complex.h>
#include <float.h>
#include <lapack.h>
#include <math.h>
#include <string.h>

#include "kernels/lapack/matrix.h"
#include "kernels/memory.h"

/* Allocates work space for count items of a type; freed by release(). */
#define ALLOCATE(type, count)                                                            \
	((type *) kernel_host.allocate(sizeof(type) * (size_t) (count)))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
#define MIN(x, y) ((x) < (y) ? (x) : (y))

int64_t matrix_work_between_checks = INT64_C(1) << 30;

/* Columns of a panel of a triangular factorisation, and of a panel of reflectors. */
#define PANEL 64
#define REFLECTORS 32

static void
release(void *memory)
{
	kernel_host.release(memory);
}

/*
 * Returns the size of work space that LAPACK has answered as a number of the matrix's
 * type; it is raised a little, as a float may have been rounded down.
 */
static lapack_int
work_size(double answer)
{
	return (lapack_int) (answer * (1 + 2 * (double) FLT_EPSILON)) + 1;
}

/* Returns 2^exponent * number; the exponent may exceed the range of int. */
static double
scale_by_power(double number, int64_t exponent)
{
	return ldexp(number, (int) MAX(MIN(exponent, 100000), -100000));
}

#define PASTE_(x, y) x##y
#define PASTE(x, y) PASTE_(x, y)
#define FUNCTION(name) PASTE(PASTE(LETTER, _), name)
#define CALL(name) PASTE(PASTE(LAPACK_, LETTER), name)
#define CALL_UNDECLARED(name) PASTE(PASTE(LETTER, name), _)
#define REAL_CALL(name) PASTE(PASTE(LAPACK_, REAL_LETTER), name)
#define BLAS(name) PASTE(PASTE(cblas_, LETTER), name)

#define LETTER s
#define TYPE ELEMENT_FLOAT4
#define REAL_TYPE ELEMENT_FLOAT4
#define ELEMENT float
#define REAL float
#define REAL_LETTER s
#define REAL_MINIMUM FLT_MIN
#define REAL_EPSILON FLT_EPSILON
#define IS_COMPLEX 0
#include "kernels/lapack/matrix_template.h"

#define LETTER d
#define TYPE ELEMENT_FLOAT8
#define REAL_TYPE ELEMENT_FLOAT8
#define ELEMENT double
#define REAL double
#define REAL_LETTER d
#define REAL_MINIMUM DBL_MIN
#define REAL_EPSILON DBL_EPSILON
#define IS_COMPLEX 0
#include "kernels/lapack/matrix_template.h"

#define LETTER c
#define TYPE ELEMENT_COMPLEX8
#define REAL_TYPE ELEMENT_FLOAT4
#define ELEMENT float _Complex
#define REAL float
#define REAL_LETTER s
#define REAL_MINIMUM FLT_MIN
#define REAL_EPSILON FLT_EPSILON
#define IS_COMPLEX 1
#include "kernels/lapack/matrix_template.h"

#define LETTER z
#define TYPE ELEMENT_COMPLEX16
#define REAL_TYPE ELEMENT_FLOAT8
#define ELEMENT double _Complex
#define REAL double
#define REAL_LETTER d
#define REAL_MINIMUM DBL_MIN
#define REAL_EPSILON DBL_EPSILON
#define IS_COMPLEX 1
#include "kernels/lapack/matrix_template.h"

const MatrixKernels *
matrix_kernels(ElementType type)
{
	switch (type)
	{
		case ELEMENT_FLOAT4:
			return &s_kernels;
		case ELEMENT_FLOAT8:
			return &d_kernels;
		case ELEMENT_COMPLEX8:
			return &c_kernels;
		case ELEMENT_COMPLEX16:
			return &z_kernels;
	}
	return NULL;
}
