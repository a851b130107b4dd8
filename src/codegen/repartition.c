/*-------------------------------------------------------------------------
 *
 * repartition.c
 *	  Operands in another decomposition than they are found in.
 *
 * A repartition has two steps (SparseEinSum, section 6): what is to be promoted
 * or split in smaller blocks is unstacked, slices that are fill dropped; what is
 * to be demoted or joined in larger blocks is stacked. Each is left out where it
 * has nothing to do. Between blocks of which neither size divides the other, a
 * label is unstacked to single indices.
 *
 * Key columns to dimensions, the common case, are stacked in one aggregation at
 * their row-major position, and the value reshaped after. Blocks have a place
 * along each dimension instead.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "lib/stringinfo.h"

#include "codegen/source.h"
#include "codegen/value_shape.h"

/* Number of a block of size block * factor times factor, plus what it holds. */
static char *
finer_key(const char *key, int64 factor, const char *offset, int64 bound)
{
	return psprintf("(%s OPERATOR(pg_catalog.*) %s) OPERATOR(pg_catalog.+) %s", key,
					integer_literal(factor, bound), offset);
}

/* Cuts dimensions to the block sizes of to, one after the other from the first. */
static Source *
unstacked(const CodegenContext *context, Source *source, const ProgramTensor *tensor,
		  const Decomposition *to)
{
	StringInfoData select;
	StringInfoData from;
	int rank = tensor->rank;
	bool is_real = cimag(tensor->fill) == 0.0;
	char *fill =
		number_literal(context, is_real ? ELEMENT_FLOAT8 : tensor->type, tensor->fill);
	char **names = dimension_names(rank);
	Decomposition current = source->decomposition;
	List *aliases = NIL;
	char *alias;
	char *value;
	char *conditions;

	/*
	 * Merged into this query, a kernel would be an argument of functions in FROM,
	 * computed for rows of which the join is yet to tell that they do not match:
	 * blocks of different extents, which is an error.
	 */
	if (source->by_row && source->decomposition.blocked)
		source = computed_source(context, source, rank);
	alias = new_alias(&aliases, source->tensor);
	value = source_value(source, alias);
	conditions = source_conditions(source, alias);
	initStringInfo(&select);
	initStringInfo(&from);
	appendStringInfoString(&select, "SELECT ");
	appendStringInfo(&from, "%s AS %s", source->from, alias);
	for (int i = 0; i < rank; i++)
	{
		int32 size = block_size(&source->decomposition, i);
		int32 finer = block_size(to, i);
		char *cut;
		char *key;
		int position = 0;

		if (!is_cut(size, finer))
		{
			if (keys_of(&current) & (1u << i))
				appendStringInfo(&select, "%s.%s AS %s, ", alias, source->keys[i],
								 names[i]);
			continue;
		}
		for (int j = 0; j < i; j++)
		{
			if (!(current.promoted & (1u << j)))
				position++;
		}
		set_block(&current, i, finer, INFINITY);
		cut = new_alias(&aliases, psprintf("u%d", i));
		/* slices of a vector are plain numbers, if those are float8 */
		if (current.promoted == (1u << rank) - 1 && tensor->type == ELEMENT_FLOAT8)
			appendStringInfo(&from, ", LATERAL %s(%s, %s) AS %s(index, value)",
							 extension_function(context, "einsum_unstack_scalar"), value,
							 fill, cut);
		else if (finer == BLOCK_PROMOTED)
			appendStringInfo(&from, ", LATERAL %s(%s, %d, %s) AS %s(index, value)",
							 extension_function(context, is_real
															 ? "einsum_unstack"
															 : "einsum_unstack_tensor"),
							 value, position, fill, cut);
		else
			appendStringInfo(
				&from, ", LATERAL %s(%s, %d, %d, %s) AS %s(index, value)",
				extension_function(context, is_real ? "einsum_unstack_blocks"
													: "einsum_unstack_blocks_tensor"),
				value, position, finer, fill, cut);
		key = psprintf("%s.index", cut);
		if (size != BLOCK_DEMOTED)
			key = finer_key(psprintf("%s.%s", alias, source->keys[i]), size / finer, key,
							tensor->bounds[i]);
		appendStringInfo(&select, "%s AS %s, ", key, names[i]);
		value = psprintf("%s.value", cut);
	}
	appendStringInfo(&select, "%s AS value FROM %s", value, from.data);
	if (conditions)
		appendStringInfo(&select, " WHERE %s", conditions);
	return query_source(select.data, source->tensor, rank, names, &current);
}

/* What one stack aggregation does to a tensor's dimensions. */
typedef struct Stacking
{
	int nstack;            /* dimensions that are stacked */
	DimensionMask stacked; /* the same, over the demoted dimensions */
	char *position;        /* row-major over them */
	double extent;         /* of them together */
	int first;             /* of them, among the demoted dimensions */
	ValueShape shape;      /* of the result */
} Stacking;

static void
plan_stacking(const Source *source, const ProgramTensor *tensor, const Decomposition *to,
			  Stacking *stacking)
{
	const char *alias = source_alias(source);

	memset(stacking, 0, sizeof(Stacking));
	stacking->extent = 1.0;
	for (int i = 0; i < tensor->rank; i++)
	{
		if (to->promoted & (1u << i))
			continue;
		if (source->decomposition.promoted & (1u << i))
		{
			if (stacking->nstack++ == 0)
			{
				stacking->first = stacking->shape.rank;
				stacking->position = psprintf("%s.%s", alias, source->keys[i]);
			}
			else
				stacking->position = psprintf(
					"(%s OPERATOR(pg_catalog.*) '" INT64_FORMAT
					"'::pg_catalog.int8 OPERATOR(pg_catalog.+) %s.%s)",
					stacking->position, tensor->bounds[i], alias, source->keys[i]);
			stacking->stacked |= 1u << stacking->shape.rank;
			stacking->extent *= tensor->bounds[i];
		}
		add_extent(&stacking->shape, to, i, tensor->bounds[i],
				   psprintf("%s.%s", alias, source->keys[i] ? source->keys[i] : ""));
	}
	if (stacking->extent > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a value of %.0f entries is too large", stacking->extent),
						errhint("Promote one of its labels.")));
}

/*
 * A value in which several dimensions are stacked into the first one, with each
 * of them a dimension again, in its place.
 */
static char *
reshaped(const CodegenContext *context, const Stacking *stacking, char *value)
{
	ValueShape shape = {0};
	StringInfoData from_letters;
	StringInfoData to_letters;
	bool in_order = true;

	initStringInfo(&from_letters);
	initStringInfo(&to_letters);
	/* the stacked dimensions come first, then the others */
	for (int pass = 0; pass < 2; pass++)
	{
		for (int d = 0; d < stacking->shape.rank; d++)
		{
			if (((stacking->stacked >> d) & 1) != (pass == 0))
				continue;
			if (from_letters.len != d)
				in_order = false;
			shape.bounds[shape.rank] = stacking->shape.bounds[d];
			shape.extents[shape.rank++] = stacking->shape.extents[d];
			appendStringInfoChar(&from_letters, 'a' + d);
		}
	}
	for (int d = 0; d < stacking->shape.rank; d++)
		appendStringInfoChar(&to_letters, 'a' + d);
	value = psprintf("%s(%s, %s)", extension_function(context, "tensor_reshape"), value,
					 shape_sql(&shape));
	if (in_order)
		return value;
	return psprintf("%s('%s->%s'::pg_catalog.text, %s)", variadic_function("einsum"),
					from_letters.data, to_letters.data, value);
}

/* Puts values side by side at their row-major position: keys become dimensions. */
static char *
stacked_value(const CodegenContext *context, const Source *source,
			  const ProgramTensor *tensor, const Decomposition *to)
{
	bool is_real = cimag(tensor->fill) == 0.0;
	Stacking stacking;
	char *value;

	plan_stacking(source, tensor, to, &stacking);
	value = psprintf(
		"%s(%s, CAST(%s AS pg_catalog.int8), %d, '%.0f'::pg_catalog.int8%s)",
		extension_function(context, is_real ? "stack" : "einsum_stack"),
		source_value(source, source_alias(source)), stacking.position,
		stacking.nstack > 1 ? 0 : stacking.first, stacking.extent,
		tensor->fill == 0.0
			? ""
			: psprintf(", %s",
					   number_literal(context, is_real ? ELEMENT_FLOAT8 : tensor->type,
									  tensor->fill)));
	if (stacking.nstack > 1)
		value = reshaped(context, &stacking, value);
	return value;
}

/* The number of the block of to that holds a block of the source. */
static char *
coarser_key(const Source *source, const ProgramTensor *tensor, const Decomposition *to,
			int i)
{
	int32 size = block_size(&source->decomposition, i);
	int32 coarser = block_size(to, i);

	if (!is_stacked(size, coarser))
		return psprintf("%s.%s", source_alias(source), source->keys[i]);
	return psprintf("(%s.%s OPERATOR(pg_catalog./) %s)", source_alias(source),
					source->keys[i], integer_literal(coarser / size, tensor->bounds[i]));
}

/* Puts blocks together to larger ones, or to all of a dimension. */
static char *
value_of_blocks(const CodegenContext *context, const Source *source,
				const ProgramTensor *tensor, const Decomposition *to)
{
	ValueShape shape = {0};
	StringInfoData places;
	uint32 added = 0;
	char *value;

	initStringInfo(&places);
	for (int i = 0; i < tensor->rank; i++)
	{
		int32 size = block_size(&source->decomposition, i);
		int32 coarser = block_size(to, i);
		int dimension = shape.rank;
		char *offset = "0";

		if (to->promoted & (1u << i))
			continue;
		add_extent(&shape, to, i, tensor->bounds[i],
				   keys_of(to) & (1u << i) ? coarser_key(source, tensor, to, i) : NULL);
		if (is_stacked(size, coarser))
		{
			offset = psprintf("%s.%s", source_alias(source), source->keys[i]);
			if (coarser != BLOCK_DEMOTED)
				offset = psprintf("(%s OPERATOR(pg_catalog.%%) %s)", offset,
								  integer_literal(coarser / size, tensor->bounds[i]));
			if (size != BLOCK_PROMOTED)
				offset = psprintf("(%s OPERATOR(pg_catalog.*) %s)", offset,
								  integer_literal(size, tensor->bounds[i]));
		}
		if (size == BLOCK_PROMOTED)
			added |= 1u << dimension;
		appendStringInfo(&places, ", %s, %s", offset, extent_sql(&shape, dimension));
	}
	value =
		psprintf("%s(%s, %s, %u%s)", variadic_function("einsum_stack_blocks"),
				 source_value(source, source_alias(source)),
				 number_literal(
					 context, cimag(tensor->fill) == 0.0 ? ELEMENT_FLOAT8 : tensor->type,
					 tensor->fill),
				 added, places.data);
	if (shape.rank == 1)
		return value;
	return psprintf("%s(%s, %s)", extension_function(context, "tensor_reshape"), value,
					shape_sql(&shape));
}

/* Is all that a repartition does to make dimensions of keys? */
static bool
only_demotes(const Decomposition *from, const Decomposition *to, int rank)
{
	for (int i = 0; i < rank; i++)
	{
		if (is_stacked(block_size(from, i), block_size(to, i)) &&
			(block_size(from, i) != BLOCK_PROMOTED || block_size(to, i) != BLOCK_DEMOTED))
			return false;
	}
	return true;
}

/* Joins what the source has in finer blocks than to. */
static Source *
stacked(const CodegenContext *context, Source *source, const ProgramTensor *tensor,
		const Decomposition *to)
{
	char **names = dimension_names(tensor->rank);
	const char *alias = source_alias(source);
	char *conditions = source_conditions(source, alias);
	StringInfoData query;
	StringInfoData groups;
	char *value;
	Source *result;

	if (only_demotes(&source->decomposition, to, tensor->rank))
		value = stacked_value(context, source, tensor, to);
	else
		value = value_of_blocks(context, source, tensor, to);

	initStringInfo(&query);
	initStringInfo(&groups);
	appendStringInfoString(&query, "SELECT ");
	for (int i = 0; i < tensor->rank; i++)
	{
		char *key;

		if (!(keys_of(to) & (1u << i)))
			continue;
		key = coarser_key(source, tensor, to, i);
		appendStringInfo(&query, "%s AS %s, ", key, names[i]);
		appendStringInfo(&groups, "%s%s", groups.len ? ", " : "", key);
	}
	/* without groups there is one row, whether or not there is an entry */
	if (groups.len == 0)
	{
		ValueShape shape = {0};

		for (int i = 0; i < tensor->rank; i++)
			add_extent(&shape, to, i, tensor->bounds[i], NULL);
		value = psprintf("COALESCE(%s, %s)", value,
						 constant_value(context, tensor->type, tensor->fill, &shape));
	}
	appendStringInfo(&query, "%s AS value FROM %s AS %s", value, source->from, alias);
	if (conditions)
		appendStringInfo(&query, " WHERE %s", conditions);
	if (groups.len > 0)
		appendStringInfo(&query, " GROUP BY %s", groups.data);
	result = query_source(query.data, source->tensor, tensor->rank, names, to);
	result->one_row = groups.len == 0;
	return result;
}

Source *
repartitioned_source(const CodegenContext *context, Source *source,
					 const ProgramTensor *tensor, const Decomposition *to)
{
	Decomposition between = finer_decomposition(&source->decomposition, to, tensor->rank);

	if (!same_decomposition(&between, &source->decomposition))
		source = unstacked(context, source, tensor, &between);
	if (!same_decomposition(&between, to))
		source = stacked(context, source, tensor, to);
	return source;
}
