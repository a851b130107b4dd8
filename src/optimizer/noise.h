/*-------------------------------------------------------------------------
 *
 * noise.h
 *	  Wrong estimates on purpose.
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_NOISE_H
#define OPTIMIZER_NOISE_H

#include "optimizer/decomposition.h"

/*
 * Returns the factor by which the estimated tuples of an expression in a decomposition
 * are multiplied: 1 unless sparseeinsum.noise_shape asks for artificial errors.
 */
extern double noise_of_estimate(const Estimate *estimate,
								const Decomposition *decomposition);

#endif
