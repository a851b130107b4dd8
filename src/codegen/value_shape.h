/*-------------------------------------------------------------------------
 *
 * value_shape.h
 *	  The shapes of values in SQL, where the last block of a label is shorter
 *	  than the others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_VALUE_SHAPE_H
#define CODEGEN_VALUE_SHAPE_H

#include "codegen/source.h"

/* The extents of a value's dimensions: numbers, or SQL where blocks differ or tables grow. */
typedef struct ValueShape
{
	int rank;
	/* of a stage's aggregated labels there may be more than dimensions of a tensor */
	int64 bounds[STAGE_MAX_LABELS];  /* of blocks, the largest */
	char *extents[STAGE_MAX_LABELS]; /* NULL: as the bound */
} ValueShape;

/*
 * Adds dimension i of a decomposition, unless it is promoted. key is the SQL of
 * its block number; only the last block's extent depends on it. How many keys a dimension has
 * is asked when the query runs.
 */
extern void add_extent(const CodegenContext *context, ValueShape *shape,
					   const Decomposition *decomposition, int i, int64 bound,
					   const char *key);

/* An extent as an integer expression, and all of them as an int4 array. */
extern char *extent_sql(const ValueShape *shape, int dimension);
extern char *shape_sql(const ValueShape *shape);

/* Entries of a value as a float8 expression, or NULL if it does not vary. */
extern char *entries_sql(const CodegenContext *context, const ValueShape *shape);

/* A value of one number: that number, or a tensor of this shape, of an element
 * type. */
extern char *constant_value(const CodegenContext *context, ElementType type,
							Number constant, const ValueShape *shape);

/* A literal of the integer type in which indices of this bound are computed. */
extern char *integer_literal(int64 value, int64 bound);

#endif
