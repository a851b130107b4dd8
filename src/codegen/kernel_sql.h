/*-------------------------------------------------------------------------
 *
 * kernel_sql.h
 *	  Writes kernels, with their aggregation, as SQL expressions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_KERNEL_SQL_H
#define CODEGEN_KERNEL_SQL_H

#include "codegen/source.h"

/*
 * Returns the value of a term for one joined tuple or, with aggregate, the aggregate over
 * tuples: kernel and aggregate are then one function, so that no tensor is built per
 * tuple. values: the operands as SQL; keys: the stage's labels as SQL. The result is
 * float8 if all output labels are promoted, else tensor. weight: of numbers that are
 * aggregated, for how many entries a tuple stands, as SQL of float8; NULL for one.
 */
extern char *kernel_sql(const CodegenContext *context, const Stage *stage,
						const Term *term, const Decomposition *choice,
						char *const *values, char *const *keys, bool aggregate,
						const char *weight);

/*
 * Returns the sum that a term's kernel reads as operand noperands + n, computed from the
 * first noperands values. It is a float8 if all its labels are promoted, else a tensor.
 */
extern char *kernel_sum_sql(const CodegenContext *context, const Stage *stage,
							const Term *term, int n, const Decomposition *choice,
							char *const *values);

/*
 * Returns an aggregated value combined with the entries that are not stored: the kernel's
 * fill, once for each missing tuple of the aggregated labels, or for each missing entry
 * if tuples cover different numbers of entries.
 */
extern char *with_missing_entries(const CodegenContext *context, const Stage *stage,
								  const Term *term, const Decomposition *choice,
								  char *const *keys, const char *weight,
								  const char *value);

/* Returns the stage's post expression applied to an aggregated value. */
extern char *post_sql(const CodegenContext *context, const Stage *stage,
					  const Decomposition *choice, const char *value);

#endif
