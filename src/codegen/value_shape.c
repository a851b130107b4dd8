/*-------------------------------------------------------------------------
 *
 * value_shape.c
 *	  Shapes of tensor values in SQL, where the last block of a label is shorter than the
 *	  others.
 *
 * Blocks of size b of an index set 0 .. n - 1 have b indices each; if b does not divide
 * n, the last block has n - floor(n / b) b. So the extent of block number k, which is a
 * key, is least(b, n - k b). If n is the number of keys of a dimension's table, it is a
 * subquery, computed once per query.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "lib/stringinfo.h"

#include "catalog/origin.h"
#include "codegen/value_shape.h"
#include "type/extension.h"

char *
all_keys_sql(int64 bound)
{
	if (bound_has_days(bound))
		return psprintf("(SELECT %s FROM %s('0'::pg_catalog.int4, '" INT64_FORMAT
						"'::pg_catalog.int4) AS n(index))",
						key_of_index_sql(bound, pstrdup("n.index")),
						extension_function("allints"), bound_size(bound));
	return psprintf("%s(%s, %s)", extension_function("allints"),
					integer_literal(bound_first(bound), bound),
					integer_literal(bound_end(bound), bound));
}

char *
all_blocks_sql(int64 bound, int64 block)
{
	return psprintf(
		"%s(%s, %s)", extension_function("allints"), integer_literal(0, bound),
		integer_literal((int64) block_count(bound_size(bound), block), bound));
}

void
add_extent(const CodegenContext *context, ValueShape *shape,
		   const Decomposition *decomposition, int i, int64 bound, const char *key)
{
	int64 block = decomposition->block[i];
	bool grows = bound_is_dimension(bound);
	int d = shape->rank;
	char *indices;

	bound = bound_size(bound);
	if (decomposition->promoted & (1u << i))
		return;
	/* an int8, so that a key out of range is reported and not an overflow */
	indices = grows ? dimension_size(context, bound)
					: psprintf("'" INT64_FORMAT "'::pg_catalog.int8", bound);
	shape->rank++;
	shape->bounds[d] = grows ? PG_INT32_MAX : bound;
	shape->extents[d] = grows ? indices : NULL;
	if (!(decomposition->blocked & (1u << i)))
		return;
	shape->bounds[d] = Min(block, shape->bounds[d]);
	if (grows || bound % block != 0)
		shape->extents[d] = psprintf(
			"LEAST('" INT64_FORMAT
			"'::pg_catalog.int8, %s OPERATOR(pg_catalog.-) (%s OPERATOR(pg_catalog.*) "
			"'" INT64_FORMAT "'::pg_catalog.int8))",
			block, indices, key, block);
}

char *
extent_sql(const ValueShape *shape, int dimension)
{
	return shape->extents[dimension] ? shape->extents[dimension]
									 : psprintf(INT64_FORMAT, shape->bounds[dimension]);
}

char *
shape_sql(const ValueShape *shape)
{
	StringInfoData result;
	bool varies = false;

	initStringInfo(&result);
	for (int d = 0; d < shape->rank; d++)
		varies = varies || shape->extents[d];
	appendStringInfoString(&result, varies ? "CAST(ARRAY[" : "'{");
	for (int d = 0; d < shape->rank; d++)
		appendStringInfo(&result, "%s%s", d ? (varies ? ", " : ",") : "",
						 extent_sql(shape, d));
	appendStringInfoString(&result,
						   varies ? "] AS pg_catalog.int4[])" : "}'::pg_catalog.int4[]");
	return result.data;
}

char *
entries_sql(const CodegenContext *context, const ValueShape *shape)
{
	double constant = 1.0;
	char *product = NULL;

	for (int d = 0; d < shape->rank; d++)
	{
		char *extent;

		if (shape->extents[d] == NULL)
		{
			constant *= shape->bounds[d];
			continue;
		}
		extent = psprintf("CAST(%s AS pg_catalog.float8)", shape->extents[d]);
		product = product ? psprintf("%s(%s, %s)", extension_function("scalar_multiply"),
									 product, extent)
						  : extent;
	}
	if (product && constant != 1.0)
		product = psprintf("%s(%s, %s)", extension_function("scalar_multiply"), product,
						   float8_literal(constant));
	return product;
}

/* Largest number of elements of a constant that may become part of a query's plan. */
#define MAX_FOLDED_ELEMENTS 4096.0

/*
 * The planner would fold a call of tensor_full into a constant, copy it with the plan and
 * print it in EXPLAIN VERBOSE. So large constants are made by another function, when they
 * are needed, which they seldom are.
 */
char *
constant_value(const CodegenContext *context, ElementType type, Number constant,
			   const ValueShape *shape)
{
	double elements = 1.0;

	if (shape->rank == 0)
		return number_literal(context, type, constant);
	for (int d = 0; d < shape->rank; d++)
		elements *= shape->bounds[d];
	if (cimag(constant) != 0.0)
		return psprintf("%s(%s, %s)", extension_function("einsum_full_tensor"),
						shape_sql(shape), number_literal(context, type, constant));
	return psprintf("%s(%s, %s, %s)",
					extension_function(elements <= MAX_FOLDED_ELEMENTS ? "tensor_full"
																	   : "einsum_full"),
					shape_sql(shape), float8_literal(creal(constant)),
					text_literal(element_type_name(type)));
}
