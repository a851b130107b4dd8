/*-------------------------------------------------------------------------
 *
 * reference.h
 *	  The oracle of the unit tests: what the kernels mean, as obviously as C
 *	  can say it. It shares no code with them and is not part of the library.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_REF_REFERENCE_H
#define KERNELS_REF_REFERENCE_H

#include <complex.h>

#include "kernels/kernels.h"

/* The element at an index vector, and setting one. */
extern double _Complex reference_get(const TensorView *view, const int64_t *index);
extern void reference_set(TensorView *view, const int64_t *index, double _Complex value);

/* The index vector of an operand at values of the labels. */
extern void reference_index(const EquationTerm *term, const TensorView *view,
							const int64_t *values, int64_t *index);
/* The extents of the labels, which are known to fit. */
extern void reference_extents(const Equation *equation, const TensorView *const *operands,
							  int64_t *extents);

/* out += scale * einsum, computed in complex double. */
extern void reference_einsum(const Equation *equation, const TensorView *const *operands,
							 double scale, TensorView *out);

/* A pointwise function of double arguments. */
extern double reference_function(FunctionId function, const double *args);

/* out = fold(out, values of the program), computed in double. */
extern void reference_map(const MapProgram *program, const Equation *equation,
						  const TensorView *const *operands, Reduction reduction,
						  TensorView *out);

extern double reference_fold(Reduction reduction, double x, double y);

#endif
