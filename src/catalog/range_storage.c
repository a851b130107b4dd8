/*-------------------------------------------------------------------------
 *
 * range_storage.c
 *	  Tensors whose key columns have ranges of keys.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rangetypes.h"
#include "utils/rel.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "catalog/dimension.h"
#include "catalog/origin.h"
#include "catalog/range_storage.h"
#include "catalog/value_columns.h"
#include "type/extension.h"
#include "type/key_range.h"

PG_FUNCTION_INFO_V1(einsum_range_support);

int
range_dimensions(const Storage *storage)
{
	int set = 0;

	for (int d = 0; has_ranges(storage) && d < storage->rank; d++)
		if (OidIsValid(storage->dimensions[d].range_type))
			set |= 1 << d;
	return set;
}

/* Returns why a label cannot have ranges of keys, as detail and hint; else NULL. */
static char *
reason_against_ranges(const Storage *storage, const StorageDimension *dimension,
					  char **hint)
{
	*hint = pstrdup("Register a view that has a row for each key, as of "
					"generate_series(lower(r), upper(r) - 1).");
	if (is_dimension(storage))
		return pstrdup("The keys of a dimension are single ones.");
	if (dimension->kind == DIMENSION_BLOCKED)
		return psprintf("Label \"%s\" is in blocks.", dimension->label);
	if (storage->layout)
		return pstrdup("A row with a layout has single keys.");
	if (storage->symmetric)
		return pstrdup("A symmetric tensor has single keys.");
	if (storage->ranges == RANGES_ARE_NO_KEYS)
	{
		*hint = pstrdup("Call einsum_register with replace => true. Then a row holds its "
						"value at each key in its range.");
		return pstrdup("The column had another type when the tensor was registered, or "
					   "an earlier version took a range for one key.");
	}
	return NULL;
}

bool
resolve_range(Storage *storage, StorageDimension *dimension, Relation relation,
			  StorageProblem *problem)
{
	Oid key = range_key_type(getBaseType(dimension->key_type));

	dimension->range_type = InvalidOid;
	if (!OidIsValid(key))
		return true;
	problem->detail = reason_against_ranges(storage, dimension, &problem->hint);
	if (problem->detail == NULL)
	{
		problem->hint = NULL;
		dimension->range_type = dimension->key_type;
		dimension->key_type = key;
		dimension->range_keys =
			mean_keys(RelationGetRelid(relation), dimension->attno, dimension->bound);
		storage->ranges = RANGES_OF_KEYS;
		return true;
	}
	problem->sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
	problem->message =
		psprintf("column \"%s\" of relation \"%s\" cannot have ranges of keys of tensor "
				 "\"%s\"",
				 dimension->column, RelationGetRelationName(relation), storage->tensor);
	return false;
}

/* ---- the subquery ---- */

/* Returns the first arguments of the functions of ranges: the range and its limits. */
static char *
range_arguments(const Storage *storage, const StorageDimension *dimension)
{
	int64 first = bound_first(dimension->bound);
	int64 end = bound_end(dimension->bound);

	/* without limits the end is before the first key */
	if (bound_is_open(dimension->bound))
	{
		first = 0;
		end = -1;
	}
	/* while it is read off the data, keys count from 0 already */
	else if (dimension->bound == BOUND_UNKNOWN)
		end = PG_INT64_MAX;
	return psprintf("r.%s, '" INT64_FORMAT "'::pg_catalog.int8, '" INT64_FORMAT
					"'::pg_catalog.int8, %s::pg_catalog.text, %s::pg_catalog.text",
					quote_identifier(dimension->column), first, end,
					quote_literal_cstr(storage->tensor),
					quote_literal_cstr(dimension->label));
}

/* Returns the columns of values that are read, each once. */
static List *
value_columns_read(const Storage *storage)
{
	List *columns = NIL;
	ListCell *cell;

	foreach (cell, storage->value_parts)
	{
		const ValuePart *part = lfirst(cell);

		if (part->column)
			columns = list_append_unique(columns, makeString(part->column));
	}
	if (storage->value_parts == NIL && storage->value_column)
		columns = lappend(columns, makeString(storage->value_column));
	return columns;
}

static void
append_condition(StringInfo conditions, const char *condition)
{
	appendStringInfo(conditions, "%s%s", conditions->len ? " AND " : " WHERE ",
					 condition);
}

/*
 * Returns the expression of the last key in a range, as bigint if keys are integers: of
 * an infinite one that of the label.
 */
static char *
last_key(const StorageDimension *dimension)
{
	const char *column = quote_identifier(dimension->column);
	int64 end = bound_is_open(dimension->bound) || dimension->bound == BOUND_UNKNOWN
					? PG_INT64_MAX
					: bound_end(dimension->bound);

	if (dimension->key_type == DATEOID)
		return psprintf(
			"LEAST(pg_catalog.upper(r.%s), %s) OPERATOR(pg_catalog.-) 1", column,
			bound_has_days(dimension->bound) ? key_literal(end, dimension->bound)
											 : "NULL");
	return psprintf("LEAST(pg_catalog.upper(r.%s)::pg_catalog.int8, '" INT64_FORMAT
					"'::pg_catalog.int8) OPERATOR(pg_catalog.-) 1::pg_catalog.int8",
					column, end);
}

/* Returns the same of the first key. */
static char *
first_key(const StorageDimension *dimension)
{
	const char *column = quote_identifier(dimension->column);
	bool limited = !bound_is_open(dimension->bound) && dimension->bound != BOUND_UNKNOWN;
	int64 first = limited ? bound_first(dimension->bound) : 0;

	if (dimension->key_type == DATEOID)
		return psprintf("GREATEST(pg_catalog.lower(r.%s), %s)", column,
						bound_has_days(dimension->bound)
							? key_literal(first, dimension->bound)
							: "NULL");
	return psprintf("GREATEST(pg_catalog.lower(r.%s)::pg_catalog.int8, %s)", column,
					bound_is_open(dimension->bound)
						? "NULL"
						: psprintf("'" INT64_FORMAT "'::pg_catalog.int8", first));
}

/* Has the subquery a column of this name, of keys or values? */
static bool
is_column_read(const Storage *storage, const char *column)
{
	for (int d = 0; d < storage->rank; d++)
		if (storage->dimensions[d].column &&
			strcmp(storage->dimensions[d].column, column) == 0)
			return true;
	return list_member(value_columns_read(storage), makeString(pstrdup(column)));
}

char *
first_key_column(const Storage *storage, int d)
{
	char *name = psprintf("first%d", d);

	while (is_column_read(storage, name))
		name = psprintf("%s_", name);
	return name;
}

/* The subquery while it is written. */
typedef struct RangeRows
{
	StringInfoData columns;
	StringInfoData from;
	StringInfoData conditions;
} RangeRows;

/* Adds the keys in the ranges of dimension d. */
static void
add_keys(RangeRows *rows, const Storage *storage, int d)
{
	const StorageDimension *dimension = &storage->dimensions[d];

	appendStringInfo(&rows->columns, "e%d.index AS %s", d,
					 quote_identifier(dimension->column));
	appendStringInfo(&rows->from, ", LATERAL %s(%s) AS e%d(index)",
					 extension_function("einsum_range_keys"),
					 range_arguments(storage, dimension), d);
}

/* "price AS r", or of a view the columns that are read, before anything is computed. */
static void
append_relation(StringInfo from, const Storage *storage, const char *keys, List *values)
{
	const char *relation = storage_relation_name(storage);
	ListCell *cell;

	if (get_rel_relkind(storage->relid) != RELKIND_VIEW)
	{
		appendStringInfo(from, "%s AS r", relation);
		return;
	}
	appendStringInfo(from, "(SELECT %s", keys + strlen(", "));
	foreach (cell, values)
		appendStringInfo(from, ", r.%s", quote_identifier(strVal(lfirst(cell))));
	appendStringInfo(from, " FROM %s AS r OFFSET 0) AS r", relation);
}

/* Returns the subquery; ends: with the last and the first key in each range. */
static char *
rows_sql(const Storage *storage, int contained, int measured, bool ends)
{
	RangeRows rows;
	StringInfoData keys;
	List *values = value_columns_read(storage);
	ListCell *cell;

	initStringInfo(&rows.columns);
	initStringInfo(&rows.from);
	initStringInfo(&rows.conditions);
	initStringInfo(&keys);
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED)
			appendStringInfo(&keys, ", r.%s",
							 quote_identifier(storage->dimensions[d].column));
	}
	append_relation(&rows.from, storage, keys.data, values);
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];
		bool ranges = OidIsValid(dimension->range_type);

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		appendStringInfoString(&rows.columns, rows.columns.len ? ", " : "");
		if (ranges && (measured & (1 << d)))
			appendStringInfo(
				&rows.columns, "%s(%s) AS %s", extension_function("einsum_range_length"),
				range_arguments(storage, dimension), quote_identifier(dimension->column));
		else if (ranges && ends)
			appendStringInfo(&rows.columns, "%s AS %s", last_key(dimension),
							 quote_identifier(dimension->column));
		else if (ranges && !(contained & (1 << d)))
			add_keys(&rows, storage, d);
		else
			appendStringInfo(&rows.columns, "r.%s", quote_identifier(dimension->column));
		if (ranges && (ends || ((contained | measured) & (1 << d))))
			append_condition(&rows.conditions,
							 psprintf("%s(%s)",
									  extension_function("einsum_range_in_bounds"),
									  range_arguments(storage, dimension)));
	}
	foreach (cell, values)
		appendStringInfo(&rows.columns, ", r.%s", quote_identifier(strVal(lfirst(cell))));
	for (int d = 0; ends && d < storage->rank; d++)
	{
		if (OidIsValid(storage->dimensions[d].range_type))
			appendStringInfo(&rows.columns, ", %s AS %s",
							 first_key(&storage->dimensions[d]),
							 first_key_column(storage, d));
	}
	if (storage->duplicates == DUPLICATES_ERROR && storage->gathered == NULL)
		append_condition(&rows.conditions,
						 psprintf("%s(%s::pg_catalog.text%s)",
								  extension_function("einsum_keys_unique"),
								  quote_literal_cstr(storage->tensor), keys.data));
	return psprintf("(SELECT %s FROM %s%s)", rows.columns.data, rows.from.data,
					rows.conditions.data);
}

char *
range_rows_sql(const Storage *storage, int contained, int measured)
{
	return rows_sql(storage, contained, measured, false);
}

char *
range_ends_sql(const Storage *storage)
{
	return rows_sql(storage, 0, 0, true);
}

char *
exclude_statement(const Storage *storage, Relation relation)
{
	StringInfoData keys;
	bool others = false;

	initStringInfo(&keys);
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		appendStringInfo(&keys, "%s%s WITH %s", keys.len ? ", " : "",
						 quote_identifier(dimension->column),
						 OidIsValid(dimension->range_type) ? "&&" : "=");
		others = others || !OidIsValid(dimension->range_type);
	}
	return psprintf("ALTER TABLE %s ADD EXCLUDE USING gist (%s)%s",
					quote_identifier(RelationGetRelationName(relation)), keys.data,
					others ? ", for which CREATE EXTENSION btree_gist has the operators"
						   : "");
}

/* ---- statistics ---- */

/* The number of keys in a range of which nothing is known: ROWS of einsum_range_keys. */
#define DEFAULT_LENGTH 100.0

/* Returns what ANALYZE has found of a column; NULL for nothing. */
static HeapTuple
column_statistics(Oid relid, AttrNumber attno)
{
	return SearchSysCache3(
		STATRELATTINH, ObjectIdGetDatum(relid), Int16GetDatum(attno),
		BoolGetDatum(get_rel_relkind(relid) == RELKIND_PARTITIONED_TABLE));
}

/*
 * Finds a histogram of ranges; false if the statistics lack it. With less than two ranges
 * that are not empty ANALYZE makes none of bounds, and one of lengths without any.
 */
static bool
find_slot(HeapTuple statistics, int kind, AttStatsSlot *slot)
{
	return HeapTupleIsValid(statistics) &&
		   get_attstatsslot(slot, statistics, STATISTIC_KIND_BOUNDS_HISTOGRAM, InvalidOid,
							0) &&
		   get_attstatsslot(slot, statistics, kind, InvalidOid, ATTSTATSSLOT_VALUES);
}

/*
 * Returns the mean length of ranges that have at most `most` keys, by a histogram of
 * lengths; -1 if not known.
 */
static double
mean_length(HeapTuple statistics, double most)
{
	AttStatsSlot slot;
	double length = -1;

	if (find_slot(statistics, STATISTIC_KIND_RANGE_LENGTH_HISTOGRAM, &slot))
	{
		length = 0;
		for (int i = 0; i < slot.nvalues; i++)
		{
			double one = Min(DatumGetFloat8(slot.values[i]), most);

			length += (isinf(one) ? DEFAULT_LENGTH : one) / slot.nvalues;
		}
		free_attstatsslot(&slot);
	}
	return length;
}

/* Returns the number of keys that a call of einsum_range_keys permits. */
static double
keys_permitted(const FuncExpr *call)
{
	const Const *first = lsecond(call->args);
	const Const *end = lthird(call->args);

	if (!IsA(first, Const) || !IsA(end, Const) || first->constisnull ||
		end->constisnull || DatumGetInt64(end->constvalue) == PG_INT64_MAX ||
		DatumGetInt64(first->constvalue) > DatumGetInt64(end->constvalue))
		return INFINITY;
	return key_count(DatumGetInt64(first->constvalue), DatumGetInt64(end->constvalue));
}

/* Returns the length of a constant range that has keys within limits; -1 for others. */
static double
constant_length(const Node *node)
{
	const Const *range = (const Const *) node;
	RangeBound lower;
	RangeBound upper;
	bool empty;
	bool is_int8;

	if (!IsA(range, Const) || range->constisnull)
		return -1;
	range_deserialize(
		lookup_type_cache(getBaseType(range->consttype), TYPECACHE_RANGE_INFO),
		DatumGetRangeTypeP(range->constvalue), &lower, &upper, &empty);
	if (empty || lower.infinite || upper.infinite)
		return empty ? 0 : -1;
	is_int8 = range_key_type(getBaseType(range->consttype)) == INT8OID;
	return is_int8 ? key_count(DatumGetInt64(lower.val), DatumGetInt64(upper.val))
				   : (double) DatumGetInt32(upper.val) - DatumGetInt32(lower.val);
}

/*
 * Planner support of einsum_range_keys: the mean length of ranges; and of
 * einsum_range_in_bounds, which keeps nearly all rows: others are empty, or errors.
 */
Datum
einsum_range_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	SupportRequestRows *rows = (SupportRequestRows *) request;
	Node *range;
	double length;

	if (IsA(request, SupportRequestSelectivity))
	{
		((SupportRequestSelectivity *) request)->selectivity = 1.0;
		PG_RETURN_POINTER(request);
	}
	if (!IsA(request, SupportRequestRows) || rows->root == NULL ||
		!is_funcclause(rows->node))
		PG_RETURN_POINTER(NULL);
	range = linitial(((FuncExpr *) rows->node)->args);
	length = constant_length(estimate_expression_value(rows->root, range));
	if (length < 0)
	{
		VariableStatData variable;

		examine_variable(rows->root, range, 0, &variable);
		length =
			mean_length(variable.statsTuple, keys_permitted((FuncExpr *) rows->node));
		ReleaseVariableStats(variable);
	}
	if (length < 0)
		PG_RETURN_POINTER(NULL);
	rows->rows = Max(length, 1.0);
	PG_RETURN_POINTER(rows);
}

double
mean_keys(Oid relid, AttrNumber attno, int64 bound)
{
	HeapTuple statistics = column_statistics(relid, attno);
	double most =
		bound_is_open(bound) || bound == BOUND_UNKNOWN ? INFINITY : bound_size(bound);
	double length = mean_length(statistics, most);

	if (HeapTupleIsValid(statistics))
		ReleaseSysCache(statistics);
	return length < 0 ? DEFAULT_LENGTH : Max(length, 1.0);
}

double
spanned_keys(Oid relid, AttrNumber attno)
{
	HeapTuple statistics = column_statistics(relid, attno);
	AttStatsSlot slot;
	double span = -1;

	if (find_slot(statistics, STATISTIC_KIND_BOUNDS_HISTOGRAM, &slot))
	{
		Oid type = getBaseType(get_atttype(relid, attno));
		TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_RANGE_INFO);
		RangeBound first;
		RangeBound last;
		RangeBound other;
		bool empty;

		range_deserialize(entry, DatumGetRangeTypeP(slot.values[0]), &first, &other,
						  &empty);
		range_deserialize(entry, DatumGetRangeTypeP(slot.values[slot.nvalues - 1]),
						  &other, &last, &empty);
		if (!first.infinite && !last.infinite)
			span = range_key_type(type) == INT8OID
					   ? key_count(DatumGetInt64(first.val), DatumGetInt64(last.val))
					   : (double) DatumGetInt32(last.val) - DatumGetInt32(first.val);
		free_attstatsslot(&slot);
	}
	if (HeapTupleIsValid(statistics))
		ReleaseSysCache(statistics);
	return span;
}
