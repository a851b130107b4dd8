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
 * tuple. values are the operands' as SQL. The result is float8 where no output
 * label is demoted, else tensor.
 */
extern char *kernel_sql(const CodegenContext *context, const Stage *stage,
						const Term *term, LabelMask promoted, char *const *values,
						bool aggregate);

/*
 * An aggregated value and what the entries that are not stored add to it: the
 * kernel's fill, as often as there are tuples missing of those that the
 * aggregated labels have.
 */
extern char *with_missing_entries(const CodegenContext *context, const Stage *stage,
								  const Term *term, LabelMask promoted,
								  const char *value);

/* A stage's post expression applied to its aggregated result. */
extern char *post_sql(const CodegenContext *context, const Stage *stage,
					  LabelMask promoted, const char *value);

#endif
