/*-------------------------------------------------------------------------
 *
 * value_shape.h
 *	  Shapes of tensor values in SQL, where the last block of a label is shorter than the
 *	  others.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CODEGEN_VALUE_SHAPE_H
#define CODEGEN_VALUE_SHAPE_H

#include "codegen/source.h"

/*
 * The extents of a value's dimensions: numbers, or SQL if blocks differ or a dimension's
 * table grows.
 */
typedef struct ValueShape
{
	int rank;
	/* a stage may aggregate more labels than a tensor has dimensions */
	int64 bounds[STAGE_MAX_LABELS];  /* extent of the largest block */
	char *extents[STAGE_MAX_LABELS]; /* SQL of the extent; NULL: the same as bounds */
} ValueShape;

/*
 * Adds dimension i of a decomposition to a shape, unless it is promoted. key: the SQL of
 * its block number, on which the extent of the last block depends. The number of keys of
 * a dimension is found when the query runs.
 */
extern void add_extent(const CodegenContext *context, ValueShape *shape,
					   const Decomposition *decomposition, int i, int64 bound,
					   const char *key);

/* Return the SQL of one extent, as an integer, and of all, as an int4 array. */
extern char *extent_sql(const ValueShape *shape, int dimension);
extern char *shape_sql(const ValueShape *shape);

/*
 * Returns the number of entries of a value as a float8 expression; NULL if it is the same
 * for all rows.
 */
extern char *entries_sql(const CodegenContext *context, const ValueShape *shape);

/*
 * Returns a value whose entries are all one number: a tensor of this shape and element
 * type, or the number itself for rank 0.
 */
extern char *constant_value(const CodegenContext *context, ElementType type,
							Number constant, const ValueShape *shape);

/* Return "allints(first, end)", or a subquery of days: all keys, or all blocks, of a bounded label, as SQL. */
extern char *all_keys_sql(int64 bound);
extern char *all_blocks_sql(int64 bound, int64 block);

#endif
