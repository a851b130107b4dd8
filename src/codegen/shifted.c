/*-------------------------------------------------------------------------
 *
 * shifted.c
 *	  Stored tensors at shifted and constant indices, as items of a FROM list.
 *
 * A key is computed from the stored one, rows whose key is beyond the ends or not the constant are
 * left out, and values are shifted by einsum_shift. All checks are of the stored rows, below.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/shift.h"
#include "codegen/kernel_sql.h"
#include "codegen/shifted.h"

static void
add_condition(StringInfo conditions, const char *operand, const char *operator,
			  int64 number)
{
	appendStringInfo(conditions,
					 "%s%s OPERATOR(pg_catalog.%s) '" INT64_FORMAT "'::pg_catalog.int8",
					 conditions->len ? " AND " : " WHERE ", operand, operator, number);
}

/*
 * The keys that a point query needs, as keys of what is shifted: of a shifted tensor
 * they are such and such numbers less.
 */
static OperandLimit *
shift_limit(const TensorShift *shift, const OperandLimit *limit)
{
	OperandLimit *shifted = palloc0(sizeof(OperandLimit));
	StringInfoData columns;

	initStringInfo(&columns);
	for (int d = 0; d < shift->of->rank; d++)
	{
		if (shift->place[d] < 0 || !(limit->dimensions & (1u << shift->place[d])))
			continue;
		shifted->dimensions |= 1u << d;
		appendStringInfo(&columns, "%sneeded.d%d", columns.len ? ", " : "",
						 shift->place[d]);
		if (shift->offset[d] != 0)
			appendStringInfo(
				&columns, " OPERATOR(pg_catalog.+) '" INT64_FORMAT "'::pg_catalog.int8",
				shift->offset[d]);
		appendStringInfo(&columns, " AS d%d", d);
	}
	shifted->relation = psprintf("(SELECT %s FROM %s AS needed) AS shifted", columns.data,
								 limit->relation);
	return shifted;
}

/* The value of a stored row, shifted in the dimensions that it has. */
static char *
shifted_value(const CodegenContext *context, const Storage *storage, char *value)
{
	const TensorShift *shift = storage->shift;
	const Storage *stored = storage->shifted;
	bool moved = false;
	StringInfoData offsets;
	StringInfoData constant;

	initStringInfo(&offsets);
	initStringInfo(&constant);
	for (int d = 0; d < stored->rank; d++)
	{
		if (stored->dimensions[d].kind == DIMENSION_PROMOTED)
			continue;
		moved = moved || shift_moves(shift, d);
		appendStringInfo(&offsets, "%s" INT64_FORMAT, offsets.len ? "," : "",
						 shift->offset[d]);
		appendStringInfo(&constant, "%s%s", constant.len ? "," : "",
						 shift->place[d] < 0 ? "t" : "f");
	}
	if (moved)
		value = psprintf(
			"%s(%s, '{%s}'::pg_catalog.int8[], '{%s}'::pg_catalog.bool[], %s)",
			extension_function(context, "einsum_shift"), value, offsets.data,
			constant.data, tensor_literal(context, storage->element_type, storage->fill));
	/* with keys only, numbers are float8 */
	if (moved && storage->value_type == FLOAT8OID)
		value = psprintf("CAST(%s AS pg_catalog.float8)", value);
	return value;
}

/* Adds the shifted keys to the columns of a query, and what rows have to meet. */
static void
shift_keys(const Storage *storage, const Source *source, StringInfo columns,
		   StringInfo conditions)
{
	const TensorShift *shift = storage->shift;
	const char *alias = source_alias(source);

	for (int d = 0; d < shift->of->rank; d++)
	{
		int64 bound = shift->of->bounds[d];
		int64 offset = shift->offset[d];
		char *key;

		if (source->keys[d] == NULL)
			continue;
		key = psprintf("%s.%s", alias, source->keys[d]);
		if (shift->place[d] < 0)
		{
			add_condition(conditions, key, "=", offset);
			continue;
		}
		if (offset == 0)
		{
			appendStringInfo(columns, "%s AS d%d, ", key, shift->place[d]);
			continue;
		}
		key = psprintf("(%s OPERATOR(pg_catalog.-) '" INT64_FORMAT "'::pg_catalog.int8)",
					   key, offset);
		appendStringInfo(
			columns, "CAST(%s AS %s) AS d%d, ", key,
			format_type_be_qualified(storage->dimensions[shift->place[d]].key_type),
			shift->place[d]);
		/* of the computed key: no index leaves out what has to be checked */
		if (!bound_is_open(bound))
			add_condition(conditions, key, offset > 0 ? ">=" : "<",
						  offset > 0 ? 0 : bound);
	}
}

Source *
shifted_source(const CodegenContext *context, const Storage *storage,
			   const StoredRead *read)
{
	const TensorShift *shift = storage->shift;
	StoredRead of = {.linear = read->linear};
	Decomposition decomposition = storage_decomposition(storage);
	StringInfoData query;
	StringInfoData conditions;
	Source *source;
	char *inner;

	for (int d = 0; d < shift->of->rank; d++)
	{
		/* our conditions on these keys are no view's business */
		if (shift_moves(shift, d) || (read->compared & (1u << shift->place[d])))
			of.compared |= 1u << d;
	}
	if (read->limit)
		of.limit = shift_limit(shift, read->limit);
	source = stored_source(context, storage->shifted, &of);
	initStringInfo(&query);
	initStringInfo(&conditions);
	inner = source_conditions(source, source_alias(source));
	if (inner)
		appendStringInfo(&conditions, " WHERE %s", inner);
	appendStringInfoString(&query, "SELECT ");
	shift_keys(storage, source, &query, &conditions);
	appendStringInfo(
		&query, "%s AS value FROM %s AS %s%s",
		shifted_value(context, storage, source_value(source, source_alias(source))),
		source->from, source_alias(source), conditions.data);
	if (keys_of(&decomposition) != 0)
		return query_source(query.data, source->tensor, storage->rank,
							dimension_names(storage->rank), &decomposition);
	source = query_source(psprintf("SELECT (%s) AS value", query.data), source->tensor,
						  storage->rank, dimension_names(storage->rank), &decomposition);
	source->conditions = list_make1("%1$s.value IS NOT NULL");
	source->one_row = true;
	return source;
}
