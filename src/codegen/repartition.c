/*-------------------------------------------------------------------------
 *
 * repartition.c
 *	  Operands in another decomposition than they are found in.
 *
 * A repartition has two steps (SparseEinSum, section 6): what is to be promoted
 * is unstacked, slices that are fill dropped; what is to be demoted is stacked.
 * Each is left out where it has nothing to do. Several labels are stacked in one
 * aggregation, at their row-major position, and the value reshaped after.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>

#include "lib/stringinfo.h"

#include "codegen/source.h"

/* Promotes the dimensions of to, one after the other from the first. */
static Source *
unstacked(const CodegenContext *context, Source *source, const ProgramTensor *tensor,
		  DimensionMask to)
{
	StringInfoData select;
	StringInfoData from;
	int rank = tensor->rank;
	bool is_real = cimag(tensor->fill) == 0.0;
	char *fill =
		number_literal(context, is_real ? ELEMENT_FLOAT8 : tensor->type, tensor->fill);
	char **names = dimension_names(rank);
	DimensionMask promoted = source->promoted;
	char *value = source_value(source, "s");
	char *conditions = source_conditions(source, "s");

	initStringInfo(&select);
	initStringInfo(&from);
	appendStringInfoString(&select, "SELECT ");
	append_keys(&select, source, rank, "s", names);
	appendStringInfo(&from, "%s AS s", source->from);
	for (int i = 0; i < rank; i++)
	{
		DimensionMask bit = 1u << i;
		bool last = (promoted | bit) == (1u << rank) - 1;
		int position = 0;

		if (!(to & bit) || (promoted & bit))
			continue;
		for (int j = 0; j < i; j++)
		{
			if (!(promoted & (1u << j)))
				position++;
		}
		/* slices of a vector are plain numbers, if those are float8 */
		if (last && tensor->type == ELEMENT_FLOAT8)
			appendStringInfo(&from, ", LATERAL %s(%s, %s) AS u%d(index, value)",
							 extension_function(context, "einsum_unstack_scalar"), value,
							 fill, i);
		else
			appendStringInfo(&from, ", LATERAL %s(%s, %d, %s) AS u%d(index, value)",
							 extension_function(context, is_real
															 ? "einsum_unstack"
															 : "einsum_unstack_tensor"),
							 value, position, fill, i);
		appendStringInfo(&select, "u%d.index AS %s, ", i, names[i]);
		value = psprintf("u%d.value", i);
		promoted |= bit;
	}
	appendStringInfo(&select, "%s AS value FROM %s", value, from.data);
	if (conditions)
		appendStringInfo(&select, " WHERE %s", conditions);
	return query_source(select.data, rank, names, promoted);
}

/* What one stack aggregation does to a tensor's dimensions. */
typedef struct Stacking
{
	int nstack;                    /* dimensions that are stacked */
	DimensionMask stacked;         /* the same, over the demoted dimensions */
	char *position;                /* row-major over them */
	double extent;                 /* of them together */
	int first;                     /* of them, among the demoted dimensions */
	int ndemoted;                  /* of the result */
	int64 bounds[TENSOR_MAX_RANK]; /* of the demoted dimensions */
} Stacking;

static void
plan_stacking(const Source *source, const ProgramTensor *tensor, DimensionMask to,
			  Stacking *stacking)
{
	memset(stacking, 0, sizeof(Stacking));
	stacking->extent = 1.0;
	for (int i = 0; i < tensor->rank; i++)
	{
		if (to & (1u << i))
			continue;
		stacking->bounds[stacking->ndemoted] = tensor->bounds[i];
		if (source->promoted & (1u << i))
		{
			if (stacking->nstack++ == 0)
			{
				stacking->first = stacking->ndemoted;
				stacking->position = psprintf("s.%s", source->keys[i]);
			}
			else
				stacking->position =
					psprintf("(%s OPERATOR(pg_catalog.*) '" INT64_FORMAT
							 "'::pg_catalog.int8 OPERATOR(pg_catalog.+) s.%s)",
							 stacking->position, tensor->bounds[i], source->keys[i]);
			stacking->stacked |= 1u << stacking->ndemoted;
			stacking->extent *= tensor->bounds[i];
		}
		stacking->ndemoted++;
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
	StringInfoData shape;
	StringInfoData from_letters;
	StringInfoData to_letters;
	bool in_order = true;

	initStringInfo(&shape);
	initStringInfo(&from_letters);
	initStringInfo(&to_letters);
	/* the stacked dimensions come first, then the others */
	for (int pass = 0; pass < 2; pass++)
	{
		for (int d = 0; d < stacking->ndemoted; d++)
		{
			if (((stacking->stacked >> d) & 1) != (pass == 0))
				continue;
			if (from_letters.len != d)
				in_order = false;
			appendStringInfo(&shape, "%s" INT64_FORMAT, shape.len ? "," : "",
							 stacking->bounds[d]);
			appendStringInfoChar(&from_letters, 'a' + d);
		}
	}
	for (int d = 0; d < stacking->ndemoted; d++)
		appendStringInfoChar(&to_letters, 'a' + d);
	value = psprintf("%s(%s, '{%s}'::pg_catalog.int4[])",
					 extension_function(context, "tensor_reshape"), value, shape.data);
	if (in_order)
		return value;
	return psprintf("%s('%s->%s', %s)", extension_function(context, "einsum"),
					from_letters.data, to_letters.data, value);
}

/* Demotes the dimensions that are not in to. */
static Source *
stacked(const CodegenContext *context, Source *source, const ProgramTensor *tensor,
		DimensionMask to)
{
	char **names = dimension_names(tensor->rank);
	char *conditions = source_conditions(source, "s");
	bool is_real = cimag(tensor->fill) == 0.0;
	Stacking stacking;
	StringInfoData query;
	StringInfoData groups;
	char *value;

	plan_stacking(source, tensor, to, &stacking);
	value = psprintf(
		"%s(%s, %s, %d, %.0f%s)",
		extension_function(context, is_real ? "stack" : "einsum_stack"),
		source_value(source, "s"), stacking.position,
		stacking.nstack > 1 ? 0 : stacking.first, stacking.extent,
		tensor->fill == 0.0
			? ""
			: psprintf(", %s",
					   number_literal(context, is_real ? ELEMENT_FLOAT8 : tensor->type,
									  tensor->fill)));
	if (stacking.nstack > 1)
		value = reshaped(context, &stacking, value);

	initStringInfo(&query);
	initStringInfo(&groups);
	appendStringInfoString(&query, "SELECT ");
	for (int i = 0; i < tensor->rank; i++)
	{
		if (!(to & (1u << i)))
			continue;
		appendStringInfo(&query, "s.%s AS %s, ", source->keys[i], names[i]);
		appendStringInfo(&groups, "%ss.%s", groups.len ? ", " : "", source->keys[i]);
	}
	/* without groups there is one row, whether or not there is an entry */
	if (groups.len == 0)
		value = psprintf("COALESCE(%s, %s)", value,
						 constant_value(context, tensor->type, tensor->fill,
										stacking.ndemoted, stacking.bounds));
	appendStringInfo(&query, "%s AS value FROM %s AS s", value, source->from);
	if (conditions)
		appendStringInfo(&query, " WHERE %s", conditions);
	if (groups.len > 0)
		appendStringInfo(&query, " GROUP BY %s", groups.data);
	return query_source(query.data, tensor->rank, names, to);
}

Source *
repartitioned_source(const CodegenContext *context, Source *source,
					 const ProgramTensor *tensor, DimensionMask to)
{
	if (to & ~source->promoted)
		source = unstacked(context, source, tensor, to);
	if (source->promoted & ~to)
		source = stacked(context, source, tensor, to);
	return source;
}
