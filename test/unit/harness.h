/*-------------------------------------------------------------------------
 *
 * harness.h
 *	  What the unit tests share: counting, a seeded generator, and random
 *	  tensors with odd strides.
 *
 * A test program runs cases numbered from 1; each case seeds the generator
 * with its number, so that a failure is repeated by giving that number as the
 * program's argument.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TEST_UNIT_HARNESS_H
#define TEST_UNIT_HARNESS_H

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernels.h"
#include "kernels/ref/reference.h"

extern uint64_t test_seed;

extern void test_start(uint64_t seed);
/* Counts; prints the message with the seed if the condition is false. */
extern void check(bool condition, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* The last line of a program and its exit status. */
extern int test_finish(void);

/* UNIT_EVERY of the environment: one in that number of cases runs, for slow processors; 1 if it is not set. */
extern int run_every(void);
/*
 * Runs test(case) for cases 1..count, or only for the one that argv names, or for one in
 * run_every() of them.
 */
extern void run_cases(int argc, char **argv, int count, void (*test)(void));

extern int64_t random_below(int64_t n);
/* a number from -limit..limit */
extern double random_integer(int limit);

extern const ElementType all_types[4];

/*
 * A tensor of its own memory: random layout (permuted dimensions, gaps,
 * negative strides; stride 0 if broadcasts are allowed), surrounded by marks
 * that nothing may overwrite. Elements are small integers.
 */
typedef struct TestTensor
{
	TensorView view;
	size_t bytes;
	char *memory;
	char *copy; /* of memory, when last saved */
} TestTensor;

extern void tensor_random(TestTensor *tensor, ElementType type, int rank,
						  const int64_t *bounds, bool broadcast, bool contiguous,
						  int limit);
/* The same layout and elements in other memory. */
extern void tensor_duplicate(const TestTensor *tensor, TestTensor *duplicate);
extern void tensor_free(TestTensor *tensor);

/* Whether all memory is the same, gaps and marks included; NaN equals NaN. */
extern bool tensor_same(const TestTensor *a, const TestTensor *b);
/* Largest |a - b| / (1 + |b|) of the elements; 0 where both are the same. */
extern double tensor_distance(const TensorView *a, const TensorView *b);

extern void equation_print(const Equation *equation, const TensorView *const *operands,
						   char *text, size_t size);
/* Makes the bounds of some of a term's labels 1, for operands to be broadcast. */
extern void broadcast_some(const EquationTerm *term, int64_t *bounds);
/*
 * A random equation of up to this many operands, with extents (now and then 0
 * or 1) so that the product of all is at most max_work.
 */
extern void equation_random(Equation *equation, int noperands, int max_labels,
							int max_rank, double max_work, int64_t *extents);

#endif
