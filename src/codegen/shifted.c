/*-------------------------------------------------------------------------
 *
 * shifted.c
 *	  Tensors at shifted and constant indices, as items of a FROM list.
 *
 * Keys are computed from the stored ones; rows whose key is then out of range, or is not
 * the constant, are left out; values are shifted by einsum_shift. All checks are made on
 * the stored rows, before that. A result of another stage is shifted by the stage that
 * reads it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/origin.h"
#include "catalog/shift.h"
#include "codegen/kernel_sql.h"
#include "codegen/shifted.h"
#include "type/extension.h"

static void
add_comparison(StringInfo conditions, const char *operand, const char *operator,
			   int64 number)
{
	appendStringInfo(conditions,
					 "%s%s OPERATOR(pg_catalog.%s) '" INT64_FORMAT "'::pg_catalog.int8",
					 conditions->len ? " AND " : " WHERE ", operand, operator, number);
}

/*
 * Returns the last key to which offset can be added without overflow, and the operator
 * that compares keys with it.
 */
static int64
last_to_move(int64 offset, const char **comparison)
{
	*comparison = offset < 0 ? ">=" : "<=";
	return (offset < 0 ? PG_INT64_MIN : PG_INT64_MAX) - offset;
}

char *
add_to_needed_key(const char *key, int64 offset, int64 bound)
{
	const char *comparison;
	int64 last = last_to_move(offset, &comparison);

	/* days that are not in the bound have no row, nor have those that none is moved to */
	if (bound_has_days(bound))
	{
		int64 moved = Max(offset, -offset) < bound_size(bound) ? offset : 0;

		return psprintf("CASE WHEN %s THEN %s OPERATOR(pg_catalog.+) '" INT64_FORMAT
						"'::pg_catalog.int4 END",
						between_keys_sql(key, bound_first(bound) - Min(moved, 0),
										 bound_end(bound) - 1 - Max(moved, 0), bound),
						key, moved);
	}

	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.%s) '" INT64_FORMAT
					"'::pg_catalog.int8 THEN %s OPERATOR(pg_catalog.+) '" INT64_FORMAT
					"'::pg_catalog.int8 END",
					key, comparison, last, key, offset);
}

/*
 * Returns the keys that a point query needs as keys of the tensor that is shifted: needed
 * keys plus the offset.
 */
static OperandLimit *
shift_limit(const TensorShift *shift, const OperandLimit *limit)
{
	OperandLimit *shifted = palloc0(sizeof(OperandLimit));
	StringInfoData columns;

	initStringInfo(&columns);
	for (int d = 0; d < shift->rank; d++)
	{
		char *key;

		if (shift->place[d] < 0 || !(limit->dimensions & (1u << shift->place[d])))
			continue;
		shifted->dimensions |= 1u << d;
		key = psprintf("needed.d%d", shift->place[d]);
		if (shift->offset[d] != 0)
			key = add_to_needed_key(key, shift->offset[d], shift->bounds[d]);
		appendStringInfo(&columns, "%s%s AS d%d", columns.len ? ", " : "", key, d);
	}
	shifted->relation = psprintf("(SELECT %s FROM %s AS needed) AS shifted", columns.data,
								 limit->relation);
	return shifted;
}

/* Returns the value of a row, shifted in all dimensions that are not promoted. */
static char *
shifted_value(const CodegenContext *context, const TensorShift *shift,
			  DimensionMask promoted, ElementType type, Number fill, char *value)
{
	bool moved = false;
	StringInfoData offsets;
	StringInfoData constant;

	initStringInfo(&offsets);
	initStringInfo(&constant);
	for (int d = 0; d < shift->rank; d++)
	{
		if (promoted & (1u << d))
			continue;
		moved = moved || shift_moves(shift, d);
		/* a constant index is a key */
		appendStringInfo(&offsets, "%s" INT64_FORMAT, offsets.len ? "," : "",
						 shift->offset[d] -
							 (shift->place[d] < 0 ? bound_first(shift->bounds[d]) : 0));
		appendStringInfo(&constant, "%s%s", constant.len ? "," : "",
						 shift->place[d] < 0 ? "t" : "f");
	}
	if (!moved)
		return value;
	return psprintf("%s(%s, '{%s}'::pg_catalog.int8[], '{%s}'::pg_catalog.bool[], %s)",
					extension_function("einsum_shift"), value, offsets.data,
					constant.data, tensor_literal(context, type, fill));
}

/* The same as shift_key for a date; one that is moved beyond all days has no rows. */
static void
shift_day(int64 bound, int64 offset, const char *key, const char *column,
		  StringInfo columns, StringInfo conditions)
{
	bool any = Max(offset, -offset) < bound_size(bound);
	int64 end = offset > 0 ? bound_first(bound) : bound_end(bound) - 1;
	const char *comparison = offset > 0 ? ">=" : "<=";
	char *moved =
		psprintf("(%s OPERATOR(pg_catalog.-) '" INT64_FORMAT "'::pg_catalog.int4)", key,
				 any ? offset : 0);

	/* near the ends of the type only days are moved that stay in the bound */
	if (any && !IS_VALID_DATE(end - offset))
		moved = psprintf("CASE WHEN %s OPERATOR(pg_catalog.%s) %s THEN %s END", key,
						 comparison, key_literal(end + offset, bound), moved);
	appendStringInfo(columns, "%s AS %s, ", moved, column);
	appendStringInfo(conditions, "%s%s", conditions->len ? " AND " : " WHERE ",
					 any ? psprintf("%s OPERATOR(pg_catalog.%s) %s", moved, comparison,
									key_literal(end, bound))
						 : "false");
}

/*
 * Adds a shifted key, of the given type, to the columns of a query, and its range check
 * to the conditions. A key with a constant index is only compared with the constant, and
 * stays as it is.
 */
static void
shift_key(const TensorShift *shift, int d, const char *key, const char *column,
		  Oid stored, Oid type, StringInfo columns, StringInfo conditions)
{
	int64 bound = shift->bounds[d];
	int64 offset = shift->offset[d];
	char *moved;

	if (shift->place[d] < 0)
		add_comparison(conditions, key, "=", offset);
	if (!shift_moves(shift, d) || shift->place[d] < 0)
	{
		if (column)
			appendStringInfo(columns, "%s AS %s, ", key, column);
		return;
	}
	if (bound_has_days(bound))
	{
		shift_day(bound, offset, key, column, columns, conditions);
		return;
	}
	moved = psprintf("(%s OPERATOR(pg_catalog.-) '" INT64_FORMAT "'::pg_catalog.int8)",
					 key, offset);
	/* keep the subtraction within bigint; only such keys can be near its ends */
	if (getBaseType(stored) == INT8OID &&
		(bound_is_open(bound) || bound_end(bound) > PG_INT64_MAX - PG_INT32_MAX ||
		 bound_first(bound) < PG_INT64_MIN + PG_INT32_MAX))
	{
		const char *comparison;
		int64 last = last_to_move(-offset, &comparison);

		/* a condition on the key would be an index's, which skips rows to be checked */
		if (bound_is_open(bound))
			add_comparison(conditions, key, comparison, last);
		else
			moved = psprintf("CASE WHEN %s OPERATOR(pg_catalog.%s) '" INT64_FORMAT
							 "'::pg_catalog.int8 THEN %s END",
							 key, comparison, last, moved);
	}
	appendStringInfo(columns, "CAST(%s AS %s) AS %s, ", moved,
					 format_type_be_qualified(type), column);
	/* test the computed key, so that no index scan skips rows that must be checked */
	if (!bound_is_open(bound))
		add_comparison(conditions, moved, offset > 0 ? ">=" : "<",
					   offset > 0 ? bound_first(bound) : bound_end(bound));
}

/* Adds the shifted keys of a stored tensor to a query. */
static void
shift_keys(const Storage *storage, const Source *source, StringInfo columns,
		   StringInfo conditions)
{
	const TensorShift *shift = storage->shift;

	for (int d = 0; d < shift->rank; d++)
	{
		int place = shift->place[d];

		if (source->keys[d] == NULL)
			continue;
		shift_key(shift, d, psprintf("%s.%s", source_alias(source), source->keys[d]),
				  place < 0 ? NULL : psprintf("d%d", place),
				  storage->shifted->dimensions[d].key_type,
				  place < 0 ? InvalidOid : storage->dimensions[place].key_type, columns,
				  conditions);
	}
}

Source *
shifted_result(const CodegenContext *context, const Stage *stage, Source *source)
{
	const TensorShift *shift = stage->shift;
	const ProgramTensor *tensor = stage->tensor;
	const char *alias = source_alias(source);
	char **names = dimension_names(shift->rank);
	DimensionMask keys = keys_of(&source->decomposition);
	StringInfoData query;
	StringInfoData conditions;
	char *inner = source_conditions(source, alias);

	initStringInfo(&query);
	initStringInfo(&conditions);
	if (inner)
		appendStringInfo(&conditions, " WHERE %s", inner);
	appendStringInfoString(&query, "SELECT ");
	for (int d = 0; d < shift->rank; d++)
	{
		if (keys & (1u << d))
			shift_key(shift, d, psprintf("%s.%s", alias, source->keys[d]), names[d],
					  INT8OID, shifted_key_type(shift->bounds[d]), &query, &conditions);
	}
	appendStringInfo(&query, "%s AS value FROM %s AS %s%s",
					 shifted_value(context, shift, source->decomposition.promoted,
								   tensor->type, tensor->fill,
								   source_value(source, alias)),
					 source->from, alias, conditions.data);
	return query_source(query.data, source->tensor, shift->rank, names,
						&source->decomposition);
}

Source *
shifted_source(const CodegenContext *context, const Storage *storage,
			   const StoredRead *read)
{
	const TensorShift *shift = storage->shift;
	Decomposition decomposition = storage_decomposition(storage);
	/* what has no keys left is read by a scalar subquery, of one row */
	StoredRead of = {.linear = read->linear && keys_of(&decomposition) != 0};
	StringInfoData query;
	StringInfoData conditions;
	DimensionMask promoted = 0;
	Source *source;
	char *inner;
	char *value;

	for (int d = 0; d < shift->rank; d++)
	{
		/* conditions on these keys are ours and must stay outside of a view */
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
	for (int d = 0; d < shift->rank; d++)
	{
		if (storage->shifted->dimensions[d].kind == DIMENSION_PROMOTED)
			promoted |= 1u << d;
	}
	value = shifted_value(context, shift, promoted, storage->element_type, storage->fill,
						  source_value(source, source_alias(source)));
	/* values of fully promoted tensors are float8 */
	if (promoted != (1u << shift->rank) - 1 && storage->value_type == FLOAT8OID)
		value = psprintf("CAST(%s AS pg_catalog.float8)", value);
	appendStringInfo(&query, "%s AS value FROM %s AS %s%s", value, source->from,
					 source_alias(source), conditions.data);
	if (keys_of(&decomposition) != 0)
		return query_source(query.data, source->tensor, storage->rank,
							dimension_names(storage->rank), &decomposition);
	source = query_source(psprintf("SELECT (%s) AS value", query.data), source->tensor,
						  storage->rank, dimension_names(storage->rank), &decomposition);
	source->conditions = list_make1("%1$s.value IS NOT NULL");
	source->one_row = true;
	return source;
}
