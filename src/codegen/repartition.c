/*-------------------------------------------------------------------------
 *
 * repartition.c
 *	  Brings operands into another decomposition.
 *
 * A repartition has two steps (SparseEinSum, section 6): dimensions to be promoted or
 * split in smaller blocks are unstacked, and slices equal to the fill are dropped;
 * dimensions to be demoted or joined in larger blocks are stacked. A step without work is
 * left out. Between block sizes of which neither divides the other, a label is unstacked
 * to single indices.
 *
 * The keys of a dimension's table have places in the order of their positions
 * (dimension_places). The table of places is joined by key for stacking, and by place for
 * unstacking. Block numbers need no join.
 *
 * In the common case key columns become whole dimensions: one aggregation stacks them at
 * their row-major position, and the value is reshaped after. Blocks have an offset along
 * each dimension instead.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "lib/stringinfo.h"

#include "catalog/origin.h"
#include "codegen/source.h"
#include "codegen/value_shape.h"
#include "type/extension.h"

/*
 * Returns the number of the smaller block: the larger block's number times factor (the
 * ratio of the sizes), plus the smaller block's offset in it.
 */
static char *
finer_key(const char *key, int64 factor, const char *offset, int64 bound)
{
	return psprintf("(%s OPERATOR(pg_catalog.*) %s) OPERATOR(pg_catalog.+) %s", key,
					integer_literal(factor, bound), offset);
}

/* The table of places that is joined to stack or unstack a dimension by its keys. */
typedef struct PlaceJoin
{
	char *table; /* subquery of the places */
	char *alias; /* NULL: no join */
} PlaceJoin;

/*
 * Returns the join with the table of places, if a dimension changes from keys to places,
 * or back, between these block sizes.
 */
static PlaceJoin
join_places(const CodegenContext *context, const ProgramTensor *tensor, int i, int32 from,
			int32 to, List **aliases)
{
	PlaceJoin join = {0};

	if (!bound_is_dimension(tensor->bounds[i]) ||
		(from == BLOCK_PROMOTED) == (to == BLOCK_PROMOTED))
		return join;
	join.table = dimension_places(context, tensor->bounds[i]);
	join.alias = new_alias(aliases, psprintf("p%d", i));
	return join;
}

/* Unstacks dimensions to the block sizes of to, one after the other from the first. */
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
	StringInfoData where;

	/*
	 * If the source were merged into this query, its kernel would be an argument of
	 * functions in FROM, computed for rows before the join finds that they do not match.
	 * Their blocks may differ in extent, which is an error.
	 */
	if (source->by_row && source->decomposition.blocked)
		source = computed_source(context, source, rank);
	alias = new_alias(&aliases, source->tensor);
	value = source_value(source, alias);
	conditions = source_conditions(source, alias);
	initStringInfo(&select);
	initStringInfo(&from);
	initStringInfo(&where);
	if (conditions)
		appendStringInfoString(&where, conditions);
	appendStringInfoString(&select, "SELECT ");
	appendStringInfo(&from, "%s AS %s", source->from, alias);
	for (int i = 0; i < rank; i++)
	{
		int32 size = block_size(&source->decomposition, i);
		int32 finer = block_size(to, i);
		char *cut;
		char *key;
		PlaceJoin join;
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
		/* slices of a float8 vector are plain numbers */
		if (current.promoted == (1u << rank) - 1 && tensor->type == ELEMENT_FLOAT8)
			appendStringInfo(&from, ", LATERAL %s(%s, %s) AS %s(index, value)",
							 extension_function("einsum_unstack_scalar"), value, fill,
							 cut);
		else if (finer == BLOCK_PROMOTED)
			appendStringInfo(
				&from, ", LATERAL %s(%s, %d, %s) AS %s(index, value)",
				extension_function(is_real ? "einsum_unstack" : "einsum_unstack_tensor"),
				value, position, fill, cut);
		else
			appendStringInfo(&from, ", LATERAL %s(%s, %d, %d, %s) AS %s(index, value)",
							 extension_function(is_real ? "einsum_unstack_blocks"
														: "einsum_unstack_blocks_tensor"),
							 value, position, finer, fill, cut);
		key = psprintf("%s.index", cut);
		if (size != BLOCK_DEMOTED)
			key = finer_key(psprintf("%s.%s", alias, source->keys[i]), size / finer, key,
							tensor->bounds[i]);
		join = join_places(context, tensor, i, size, finer, &aliases);
		if (join.alias)
		{
			appendStringInfo(&from, ", %s AS %s", join.table, join.alias);
			appendStringInfo(&where, "%s%s.place OPERATOR(pg_catalog.=) (%s)",
							 where.len ? " AND " : "", join.alias, key);
			key = psprintf("%s.key", join.alias);
		}
		else if (finer == BLOCK_PROMOTED)
			key = key_of_index_sql(tensor->bounds[i], key);
		appendStringInfo(&select, "%s AS %s, ", key, names[i]);
		value = psprintf("%s.value", cut);
	}
	appendStringInfo(&select, "%s AS value FROM %s", value, from.data);
	if (where.len)
		appendStringInfo(&select, " WHERE %s", where.data);
	return query_source(select.data, source->tensor, rank, names, &current);
}

/* A source that is stacked, with the tables of places that it needs. */
typedef struct StackedSource
{
	const Source *source;
	const char *alias;
	PlaceJoin joins[TENSOR_MAX_RANK];
} StackedSource;

static char *
stacked_key_sql(const StackedSource *stacked, int i)
{
	return psprintf("%s.%s", stacked->alias, stacked->source->keys[i]);
}

/* Returns the index of a key dimension, its place or the number of its block, as SQL. */
static char *
stacked_index_sql(const StackedSource *stacked, const ProgramTensor *tensor, int i)
{
	if (stacked->joins[i].alias)
		return psprintf("%s.place", stacked->joins[i].alias);
	if (block_size(&stacked->source->decomposition, i) != BLOCK_PROMOTED)
		return stacked_key_sql(stacked, i);
	return index_of_key_sql(tensor->bounds[i], stacked_key_sql(stacked, i));
}

/* How one stack aggregation changes a tensor's dimensions. */
typedef struct Stacking
{
	int nstack;            /* number of stacked dimensions */
	DimensionMask stacked; /* mask of them, numbered among the demoted dimensions */
	char *position;        /* row-major position over the stacked dimensions, as SQL */
	char *extent;          /* product of their extents, as SQL */
	int first;             /* number of the first one, among the demoted dimensions */
	ValueShape shape;      /* shape of the result */
} Stacking;

static char *
product_of_extents(char *product, char *extent)
{
	return product ? psprintf("%s OPERATOR(pg_catalog.*) %s", product, extent) : extent;
}

static void
plan_stacking(const CodegenContext *context, const StackedSource *stacked,
			  const ProgramTensor *tensor, const Decomposition *to, Stacking *stacking)
{
	const Source *source = stacked->source;
	double known = 1.0;
	char *grows = NULL;

	memset(stacking, 0, sizeof(Stacking));
	for (int i = 0; i < tensor->rank; i++)
	{
		bool dimension = bound_is_dimension(tensor->bounds[i]);

		if (to->promoted & (1u << i))
			continue;
		if (source->decomposition.promoted & (1u << i))
		{
			char *extent = dimension ? dimension_size(context, tensor->bounds[i])
									 : psprintf("'" INT64_FORMAT "'::pg_catalog.int8",
												bound_size(tensor->bounds[i]));

			if (stacking->nstack++ == 0)
			{
				stacking->first = stacking->shape.rank;
				stacking->position = stacked_index_sql(stacked, tensor, i);
			}
			else
				stacking->position = psprintf(
					"(%s OPERATOR(pg_catalog.*) %s OPERATOR(pg_catalog.+) %s)",
					stacking->position, extent, stacked_index_sql(stacked, tensor, i));
			stacking->stacked |= 1u << stacking->shape.rank;
			if (dimension)
				grows = product_of_extents(grows, extent);
			else
				known *= bound_size(tensor->bounds[i]);
		}
		add_extent(context, &stacking->shape, to, i, tensor->bounds[i],
				   source->keys[i] ? stacked_index_sql(stacked, tensor, i) : NULL);
	}
	if (known > PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a value of %.0f entries is too large", known),
						errhint("A value holds all indices of its labels. Ask for rows: "
								"einsum_rows, or einsum_decompose with a label in upper "
								"case. Where keys are identifiers, register tensors with "
								"the bound '*', for the keys that occur.")));
	stacking->extent = psprintf("'%.0f'::pg_catalog.int8", known);
	if (grows)
		stacking->extent =
			known == 1.0 ? grows : product_of_extents(stacking->extent, grows);
}

/*
 * Reshapes a value in which several dimensions are stacked into the first one: each
 * becomes a dimension again, in its place.
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
	value = psprintf("%s(%s, %s)", extension_function("tensor_reshape"), value,
					 shape_sql(&shape));
	if (in_order)
		return value;
	return psprintf("%s('%s->%s'::pg_catalog.text, %s)", extension_function("einsum"),
					from_letters.data, to_letters.data, value);
}

/*
 * Returns the SQL that stacks values at their row-major position: keys become dimensions.
 */
static char *
stacked_value(const CodegenContext *context, const StackedSource *stacked,
			  const ProgramTensor *tensor, const Decomposition *to)
{
	bool is_real = cimag(tensor->fill) == 0.0;
	Stacking stacking;
	char *value;

	plan_stacking(context, stacked, tensor, to, &stacking);
	value = psprintf(
		"%s(%s, CAST(%s AS pg_catalog.int8), %d, %s%s)",
		extension_function(is_real ? "stack" : "einsum_stack"),
		source_value(stacked->source, stacked->alias), stacking.position,
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

/* Returns the number of the block of to that contains a block of the source. */
static char *
coarser_key(const StackedSource *stacked, const ProgramTensor *tensor,
			const Decomposition *to, int i)
{
	int32 size = block_size(&stacked->source->decomposition, i);
	int32 coarser = block_size(to, i);
	char *number;

	if (!is_stacked(size, coarser))
		return stacked_key_sql(stacked, i);
	number =
		psprintf("(%s OPERATOR(pg_catalog./) %s)", stacked_index_sql(stacked, tensor, i),
				 integer_literal(coarser / size, tensor->bounds[i]));
	/* blocks are numbered in the type of block numbers, whatever that of the keys is */
	if (size != BLOCK_PROMOTED || !bound_has_origin(tensor->bounds[i]))
		return number;
	return psprintf("CAST(%s AS pg_catalog.%s)", number,
					bound_is_wide(tensor->bounds[i]) ? "int8" : "int4");
}

/* Returns the SQL that joins blocks to larger ones, or to a whole dimension. */
static char *
value_of_blocks(const CodegenContext *context, const StackedSource *stacked,
				const ProgramTensor *tensor, const Decomposition *to)
{
	const Source *source = stacked->source;
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
		add_extent(context, &shape, to, i, tensor->bounds[i],
				   keys_of(to) & (1u << i) ? coarser_key(stacked, tensor, to, i) : NULL);
		if (is_stacked(size, coarser))
		{
			offset = stacked_index_sql(stacked, tensor, i);
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
		psprintf("%s(%s, %s, %u%s)", extension_function("einsum_stack_blocks"),
				 source_value(source, stacked->alias),
				 number_literal(
					 context, cimag(tensor->fill) == 0.0 ? ELEMENT_FLOAT8 : tensor->type,
					 tensor->fill),
				 added, places.data);
	if (shape.rank == 1)
		return value;
	return psprintf("%s(%s, %s)", extension_function("tensor_reshape"), value,
					shape_sql(&shape));
}

/* Does a repartition only turn keys into whole dimensions? */
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

/*
 * Stacks dimensions that the source has in finer blocks than to. Tables of places are
 * left joined, so that every row is read, and a key that its dimension lacks is reported.
 */
static Source *
stacked(const CodegenContext *context, Source *source, const ProgramTensor *tensor,
		const Decomposition *to)
{
	char **names = dimension_names(tensor->rank);
	StackedSource rows = {.source = source};
	List *aliases = NIL;
	char *conditions;
	StringInfoData query;
	StringInfoData groups;
	StringInfoData from;
	char *value;
	Source *result;

	rows.alias = new_alias(&aliases, source->tensor);
	conditions = source_conditions(source, rows.alias);
	initStringInfo(&query);
	initStringInfo(&groups);
	initStringInfo(&from);
	appendStringInfo(&from, "%s AS %s", source->from, rows.alias);
	for (int i = 0; i < tensor->rank; i++)
	{
		PlaceJoin *join = &rows.joins[i];

		*join = join_places(context, tensor, i, block_size(&source->decomposition, i),
							block_size(to, i), &aliases);
		if (join->alias)
			appendStringInfo(
				&from, " LEFT JOIN %s AS %s ON %s.key OPERATOR(pg_catalog.=) %s.%s",
				join->table, join->alias, join->alias, rows.alias, source->keys[i]);
	}
	if (only_demotes(&source->decomposition, to, tensor->rank))
		value = stacked_value(context, &rows, tensor, to);
	else
		value = value_of_blocks(context, &rows, tensor, to);

	appendStringInfoString(&query, "SELECT ");
	for (int i = 0; i < tensor->rank; i++)
	{
		char *key;

		if (!(keys_of(to) & (1u << i)))
			continue;
		key = coarser_key(&rows, tensor, to, i);
		appendStringInfo(&query, "%s AS %s, ", key, names[i]);
		appendStringInfo(&groups, "%s%s", groups.len ? ", " : "", key);
	}
	/* without groups there is one row, even if there is no entry */
	if (groups.len == 0)
	{
		ValueShape shape = {0};

		for (int i = 0; i < tensor->rank; i++)
			add_extent(context, &shape, to, i, tensor->bounds[i], NULL);
		value = psprintf("COALESCE(%s, %s)", value,
						 constant_value(context, tensor->type, tensor->fill, &shape));
	}
	appendStringInfo(&query, "%s AS value FROM %s", value, from.data);
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
