/*-------------------------------------------------------------------------
 *
 * kernel_sql.h
 *	  Kernels, with their aggregation, as SQL expressions.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_KERNEL_SQL_H
#define CODEGEN_KERNEL_SQL_H

#include "codegen/source.h"

/*
 * The value of a term for one joined tuple or, with aggregate, their sum: the
 * kernel and the aggregate are one function, so that no tensor is built per
 * tuple. values are the operands' as SQL, keys those of the stage's labels. The
 * result is float8 where all output labels are promoted, else tensor.
 */
extern char *kernel_sql(const CodegenContext *context, const Stage *stage,
						const Term *term, const Decomposition *choice,
						char *const *values, char *const *keys, bool aggregate);

/*
 * What a term's kernel reads as operand noperands + n: the sum that it computes of
 * operands, of which values has the first noperands. A float8 where all labels of it
 * are promoted, else tensor.
 */
extern char *kernel_sum_sql(const CodegenContext *context, const Stage *stage,
							const Term *term, int n, const Decomposition *choice,
							char *const *values);

/*
 * An aggregated value and what the entries that are not stored add to it: the
 * kernel's fill, as often as there are tuples missing of those that the
 * aggregated labels have, or entries where tuples cover different numbers.
 */
extern char *with_missing_entries(const CodegenContext *context, const Stage *stage,
								  const Term *term, const Decomposition *choice,
								  char *const *keys, const char *value);

/* A stage's post expression applied to its aggregated result. */
extern char *post_sql(const CodegenContext *context, const Stage *stage,
					  const Decomposition *choice, const char *value);

#endif
