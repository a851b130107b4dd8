/*-------------------------------------------------------------------------
 *
 * check_data.c
 *	  Checking the rows of a relation against what is registered about it.
 *
 * One pass, whatever is to be read off and checked. A row with a NULL key or
 * value is an absent entry and says nothing. Of a tensor only the header is
 * fetched, so a table of large values stored out of line is read quickly.
 *
 * The bound of a blocked label need not be known beforehand: all blocks have
 * the full size but the last, whose size gives the bound.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "catalog/check_data.h"
#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_scan.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "catalog/value_columns.h"
#include "compat.h"
#include "type/key_range.h"
#include "type/tensor.h"
#include "type/tensor_header.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

/* All integers below are numbers of double precision. */
#define EXACT_INTEGERS 9007199254740992.0

/* Returns where the keys of a label stand: "column "i" of relation "edge"". */
static char *
place_of_keys(const DataCheck *check, const StorageDimension *dimension)
{
	const Storage *storage = check->storage;

	if (is_layout_index(storage, dimension - storage->dimensions))
		return psprintf("layout %s of relation \"%s\"", layout_text(storage),
						check->relation);
	return psprintf("column \"%s\" of relation \"%s\"", dimension->column,
					check->relation);
}

/*
 * Raises the error of a key of one of two labels that are exchanged. Their bound may be
 * the number of rows that the offsets of a layout have.
 */
static void
exchanged_key_out_of_range(const DataCheck *check, int64 key, int64 limit)
{
	const StorageDimension *row = &check->storage->dimensions[check->storage->rank - 2];

	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("index " INT64_FORMAT " of the symmetric tensor \"%s\" is out of "
					"range",
					key, check->storage->tensor),
			 errdetail("Labels \"%s\" and \"%s\" have one bound, " INT64_FORMAT
					   ", so that indices in %s are from 0 to " INT64_FORMAT ".",
					   row[0].label, row[1].label, limit, place_of_keys(check, &row[1]),
					   limit - 1),
			 errhint("A symmetric matrix has as many rows as columns: offsets of csr and "
					 "csc need an element for each, and one more.")));
}

static void
key_out_of_range(const DataCheck *check, const StorageDimension *dimension, int64 key,
				 int64 limit)
{
	int index = dimension - check->storage->dimensions;
	int64 first = dimension_first_key(dimension);
	bool any = limit < 0 && !bound_has_origin(dimension->bound);
	int64 shown = dimension->kind == DIMENSION_BLOCKED ? 0 : dimension->bound;

	if (!any && check->storage->layout &&
		(exchanged_dimensions(check->storage) & (1 << index)))
		exchanged_key_out_of_range(check, key, limit);
	ereport(
		ERROR,
		(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
		 errmsg("key %s of label \"%s\" of tensor \"%s\" is out of range",
				key_to_string(shown, key), dimension->label, check->storage->tensor),
		 any ? errdetail("Keys count from 0; this one is in %s.",
						 place_of_keys(check, dimension))
			 : errdetail("Keys in %s must be from %s to %s.",
						 place_of_keys(check, dimension), key_to_string(shown, first),
						 key_to_string(shown, limit - 1)),
		 !bound_has_origin(dimension->bound) && limit > 0 && key == limit &&
				 limit < PG_INT64_MAX && dimension->kind == DIMENSION_PROMOTED
			 ? errhint(
				   "Give a larger bound, or '*' if the index set is the keys that "
				   "occur. With a number as bound keys count from 0; where they are 1 "
				   "to " INT64_FORMAT ", write 1.." INT64_FORMAT ".",
				   key, key)
		 : !bound_has_origin(dimension->bound) && key < 0
			 ? errhint(
				   "With a number as bound keys count from 0: write the first and the "
				   "last key, as -5..5, if keys below 0 are meant. Otherwise register "
				   "a view that leaves such rows out, WHERE %s >= 0, or has NULL for "
				   "the key.",
				   quote_identifier(dimension->column))
			 : errhint("Give a larger bound, or '*' if the index set is the keys that "
					   "occur.")));
}

/*
 * Returns the keys of a row, for messages: " where id is 7 and day is 3", or "" without
 * keys.
 */
static char *
row_of_keys(const DataCheck *check, TupleTableSlot *slot)
{
	StringInfoData where;
	int column = 0;

	initStringInfo(&where);
	for (int i = 0; i < check->storage->rank; i++)
	{
		const StorageDimension *dimension = &check->storage->dimensions[i];
		Oid output;
		bool varlena;

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		getTypeOutputInfo(TupleDescAttr(slot->tts_tupleDescriptor, column)->atttypid,
						  &output, &varlena);
		appendStringInfo(&where, " %s %s is %s", where.len ? "and" : "where",
						 quote_identifier(dimension->column),
						 OidOutputFunctionCall(output, slot->tts_values[column]));
		column++;
	}
	return where.data;
}

static void
wrong_shape(const DataCheck *check, const Tensor *value, TupleTableSlot *slot,
			const char *expected)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
		 errmsg("a value of tensor \"%s\" has the wrong shape", check->storage->tensor),
		 errdetail("The value in column \"%s\" of relation \"%s\"%s has shape %s; the "
				   "notation, keys and bounds ask for %s.",
				   check->storage->value_column, check->relation,
				   row_of_keys(check, slot), tensor_shape_string(value), expected),
		 errhint(
			 "All values have one shape, but for a last block. Correct the row, or "
			 "register a view that leaves such rows out. If all rows have this shape, "
			 "correct the notation or the bounds.")));
}

/* Returns the shape that the value at these keys must have, for the message. */
static char *
expected_shape(const DataCheck *check, const int64 *keys)
{
	int64 bounds[TENSOR_MAX_RANK];
	bool unknown = false;
	int rank = 0;
	int i;

	for (i = 0; i < check->storage->rank; i++)
	{
		const StorageDimension *dimension = &check->storage->dimensions[i];
		int64 bound = bound_size(dimension->bound);

		if (dimension->kind == DIMENSION_DEMOTED)
			bounds[rank++] = bound;
		else if (dimension->kind == DIMENSION_BLOCKED && bound < 0)
		{
			bounds[rank++] = dimension->block;
			unknown = true;
		}
		else if (dimension->kind == DIMENSION_BLOCKED)
			bounds[rank++] = Min(dimension->block, bound - keys[i] * dimension->block);
	}
	if (unknown)
		return psprintf("%s in all blocks but the last of a label",
						shape_to_string(rank, bounds));
	return shape_to_string(rank, bounds);
}

/* Checks the size of one block of a label; true if it is as it must be. */
static bool
check_block(DataCheck *check, int i, int64 key, int64 extent)
{
	const StorageDimension *dimension = &check->storage->dimensions[i];
	int64 last = check->last_key[i];
	int64 bound = bound_size(dimension->bound);

	if (bound >= 0)
		return extent == Min(dimension->block, bound - key * dimension->block);
	if (extent < 1 || extent > dimension->block)
		return false;
	if (key == last)
		return extent == check->last_extent[i];
	if (key < last)
		return extent == dimension->block;
	/* the block that seemed to be the last one is not */
	if (last >= 0 && check->last_extent[i] != dimension->block)
		return false;
	check->last_extent[i] = extent;
	return true;
}

static void
check_value(DataCheck *check, Datum datum, const int64 *keys, TupleTableSlot *slot)
{
	Storage *storage = check->storage;
	const Tensor *value;
	int rank = storage_value_rank(storage);
	int dim = 0;
	int i;

	value = tensor_header(datum);
	if (value->rank != rank)
		ereport(
			ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("a value of tensor \"%s\" has the wrong rank", storage->tensor),
			 errdetail("The value in column \"%s\" of relation \"%s\"%s has shape %s; by "
					   "its labels in lower case or with a block size the notation asks "
					   "for rank %d.",
					   storage->value_column, check->relation, row_of_keys(check, slot),
					   tensor_shape_string(value), rank),
			 errhint("Write one label in lower case for each dimension of the values.")));
	for (i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];

		if (dimension->kind == DIMENSION_DEMOTED)
		{
			if (dimension->bound == BOUND_UNKNOWN)
				dimension->bound = value->bounds[dim];
			/* a value is as wide as the dimension was when the value was stored */
			else if (bound_is_dimension(dimension->bound))
				;
			else if (bound_size(dimension->bound) != value->bounds[dim])
				wrong_shape(check, value, slot, expected_shape(check, keys));
			dim++;
		}
		else if (dimension->kind == DIMENSION_BLOCKED)
		{
			if (!check_block(check, i, keys[i], value->bounds[dim]))
				wrong_shape(check, value, slot, expected_shape(check, keys));
			dim++;
		}
	}

	if (!check->type_known)
	{
		storage->element_type = (ElementType) value->type;
		check->type_known = true;
	}
	else if (storage->element_type != (ElementType) value->type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the values of tensor \"%s\" differ in element type",
							   storage->tensor),
						errdetail("Column \"%s\" of relation \"%s\" holds %s, and%s %s.",
								  storage->value_column, check->relation,
								  element_type_name(storage->element_type),
								  row_of_keys(check, slot),
								  element_type_name((ElementType) value->type)),
						errhint("Correct the row, or declare the column tensor(%s) to "
								"convert what it holds.",
								element_type_name(element_promote(
									storage->element_type, (ElementType) value->type)))));
}

void
read_range_ends(const Storage *storage, const TupleTableSlot *slot, int d, int64 *first,
				int64 *last)
{
	int column = 0;
	int end = storage_key_count(storage) + 1;

	for (int i = 0; i < d; i++)
	{
		column += storage->dimensions[i].kind != DIMENSION_DEMOTED;
		end += OidIsValid(storage->dimensions[i].range_type);
	}
	*last = DatumGetInt64(slot->tts_values[column]);
	*first = DatumGetInt64(slot->tts_values[end]);
}

double
keys_of_row(const Storage *storage, const TupleTableSlot *slot)
{
	double keys = 1;

	for (int d = 0; has_ranges(storage) && d < storage->rank; d++)
	{
		int64 first;
		int64 last;

		if (!OidIsValid(storage->dimensions[d].range_type))
			continue;
		read_range_ends(storage, slot, d, &first, &last);
		keys *= key_count(first, last) + 1;
	}
	return keys;
}

bool
check_data_row(DataCheck *check, TupleTableSlot *slot)
{
	Storage *storage = check->storage;
	int64 *keys = check->keys;
	int column = 0;
	int i;

	for (i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		if (slot->tts_isnull[i])
			return false;
	}
	for (i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];

		if (dimension->kind == DIMENSION_DEMOTED)
			continue;
		if (!bound_is_open(dimension->bound))
		{
			int64 count = dimension_key_count(dimension);
			int64 first = dimension_first_key(dimension);
			int64 limit = count < 0 ? -1 : first + count;

			keys[i] = DatumGetInt64(slot->tts_values[column]);
			if (keys[i] < first || (count >= 0 && keys[i] >= limit))
				key_out_of_range(check, dimension, keys[i], limit);
			if (count < 0 && keys[i] >= PG_INT64_MAX / Max(dimension->block, 1))
				key_out_of_range(check, dimension, keys[i],
								 PG_INT64_MAX / Max(dimension->block, 1));
		}
		column++;
	}
	if (++check->rows > 1 && column == 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_CARDINALITY_VIOLATION),
			 errmsg("relation \"%s\" has more than one row", check->relation),
			 errdetail(
				 "Tensor \"%s\" has no keys, so that all its entries are in one value.",
				 storage->tensor),
			 errhint("Register a view of the one row, as in SELECT ... WHERE ...; or say "
					 "which column tells the rows apart, with a label in upper case for "
					 "it: %s[R%s...], keys => '{...}'.",
					 quote_identifier(storage->tensor), storage->rank > 0 ? "," : "")));
	if (check->tensors)
		check_value(check, slot->tts_values[column], keys, slot);
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind != DIMENSION_DEMOTED &&
			!bound_is_open(storage->dimensions[i].bound))
		{
			check->least_key[i] =
				check->last_key[i] < 0 ? keys[i] : Min(check->least_key[i], keys[i]);
			check->last_key[i] = Max(check->last_key[i], keys[i]);
		}
	}
	return true;
}

static bool
check_row(TupleTableSlot *slot, void *state)
{
	DataCheck *check = (DataCheck *) state;
	int value = storage_key_count(check->storage);
	bool keys = true;

	if (check_data_row(check, slot))
	{
		if (check->exact_numbers)
			check->rounded +=
				fabs(DatumGetFloat8(slot->tts_values[value])) >= EXACT_INTEGERS;
		return true;
	}
	for (int i = 0; i < value; i++)
		keys = keys && !slot->tts_isnull[i];
	check->left_out += keys && slot->tts_isnull[value];
	return true;
}

/*
 * Notices rows left out because one of several columns of the value is NULL: their other
 * columns are lost, too. (With a single column, such a row is simply an absent entry.)
 */
static void
notice_rows_left_out(const DataCheck *check)
{
	if (check->left_out == 0 || check->storage->value_column == NULL)
		return;
	if (check->storage->value_parts == NIL)
	{
		const char *tensor = quote_identifier(check->storage->tensor);
		StringInfoData labels;

		/* a column that is mostly NULL is sparse, as one that marks where to start */
		if (check->left_out > check->rows)
			return;
		initStringInfo(&labels);
		for (int d = 0; d < check->storage->rank; d++)
			appendStringInfo(&labels, "%s%s", d > 0 ? "," : "",
							 quote_identifier(check->storage->dimensions[d].label));
		ereport(
			NOTICE,
			(errmsg_plural("tensor \"%s\" has no entry where column \"%s\" is NULL, "
						   "in " INT64_FORMAT " row",
						   "tensor \"%s\" has no entry where column \"%s\" is NULL, "
						   "in " INT64_FORMAT " rows",
						   check->left_out, check->storage->tensor,
						   check->storage->value_column, check->left_out),
			 errdetail("An index without entry counts as the fill, %s, in means and "
					   "comparisons, too.",
					   number_to_string(check->storage->fill)),
			 errhint("For a mean of what is known divide by how much is known: (sum[%s] "
					 "%s[%s]) / (sum[%s] known[%s]), where known is registered without "
					 "value on a view with WHERE %s IS NOT NULL.",
					 labels.data, tensor, labels.data, labels.data, labels.data,
					 quote_identifier(check->storage->value_column))));
		return;
	}
	ereport(
		NOTICE,
		(errmsg_plural(
			 "tensor \"%s\" leaves out " INT64_FORMAT " row of relation \"%s\"",
			 "tensor \"%s\" leaves out " INT64_FORMAT " rows of relation \"%s\"",
			 check->left_out, check->storage->tensor, check->left_out, check->relation),
		 errdetail("A row in which a column of the value is NULL has no entries."),
		 errhint("With nulls => 'entry' it keeps its other entries, and a NULL means "
				 "the fill.")));
}

static void
notice_rounded(const DataCheck *check)
{
	if (check->rounded == 0)
		return;
	ereport(
		NOTICE,
		(errmsg_plural("tensor \"%s\" rounds " INT64_FORMAT " value of column \"%s\"",
					   "tensor \"%s\" rounds " INT64_FORMAT " values of column \"%s\"",
					   check->rounded, check->storage->tensor, check->rounded,
					   check->storage->value_column),
		 errdetail("Entries are double precision, which has all integers below "
				   "9007199254740992 only."),
		 errhint("Identifiers are keys: leave value out, or subtract a constant in a "
				 "view.")));
}

/*
 * Notices the first bound, read off identifiers, that is so large that no value can have
 * it.
 */
static void
notice_bound(const DataCheck *check, int read_off)
{
	const StorageDimension *dimension = check->storage->dimensions;
	int i = 0;

	while (i < check->storage->rank &&
		   (!(read_off & (1 << i)) || dimension[i].bound <= PG_INT32_MAX))
		i++;
	if (i == check->storage->rank)
		return;
	dimension += i;
	ereport(
		NOTICE,
		(errmsg("the bound of label \"%s\" of tensor \"%s\" is " INT64_FORMAT,
				dimension->label, check->storage->tensor, dimension->bound),
		 errdetail("It is read off the largest key, of " INT64_FORMAT " rows. No value "
				   "can have so large a dimension, and aggregates count all indices.",
				   check->rows),
		 errhint("Where keys are identifiers, give the bound '*', for the keys that "
				 "occur, or a dimension (einsum_dimension).")));
}

/*
 * Notices that all keys whose bounds are read off begin at 1, with several each: then
 * index 0 is one without entries, which aggregates count.
 */
static void
notice_first_key(const DataCheck *check, int read_off)
{
	const Storage *storage = check->storage;
	StringInfoData bounds;
	bool any = false;

	initStringInfo(&bounds);
	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		bool is_key = (read_off & (1 << i)) && dimension->kind == DIMENSION_PROMOTED;

		if (is_key && (check->least_key[i] != 1 || check->last_key[i] == 1))
			return;
		any = any || is_key;
		appendStringInfo(&bounds, "%s%s%s", i ? "," : "", is_key ? "1.." : "",
						 is_key ? psprintf(INT64_FORMAT, dimension->bound - 1)
						 : dimension->index_set ? dimension->index_set
												: bound_to_string(dimension->bound));
	}
	if (!any || storage->layout)
		return;
	ereport(NOTICE,
			(errmsg("keys of tensor \"%s\" begin at 1", storage->tensor),
			 errdetail("Without bounds indices count from 0: index 0 is one without "
					   "entries, which means and comparisons with 0 count, too."),
			 errhint("If the first key is 1, write bounds => '{%s}'.", bounds.data)));
}

void
begin_data_check(DataCheck *check, Storage *storage, Relation relation)
{
	int i;

	memset(check, 0, sizeof(DataCheck));
	check->storage = storage;
	check->relation = RelationGetRelationName(relation);
	check->tensors = storage_has_tensors(storage);
	for (i = 0; i < storage->rank; i++)
		check->last_key[i] = -1;
}

/*
 * Sets the element type if the column's declaration fixes it: numbers and arrays of them
 * are float8, or float4 if they are real; tensor(float4) is float4. A column of type
 * tensor may have any: it stays float8 if there is no value.
 */
static void
start_element_type(DataCheck *check, Relation relation)
{
	Storage *storage = check->storage;
	Oid type =
		OidIsValid(storage->value_type) ? getBaseType(storage->value_type) : InvalidOid;
	int32 typmod = -1;

	if (has_made_value(storage))
	{
		check->type_known = true;
		return;
	}
	storage->element_type =
		type == FLOAT4OID || type == FLOAT4ARRAYOID ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8;
	if (!check->tensors || type != tensor_type_oid())
		return;
	if (storage->value_type == tensor_type_oid())
		typmod = TupleDescAttr(RelationGetDescr(relation), storage->value_attno - 1)
					 ->atttypmod;
	else
		(void) getBaseTypeAndTypmod(storage->value_type, &typmod);
	check->type_known = typmod >= 0;
	storage->element_type = tensor_typmod_type(typmod, ELEMENT_FLOAT8);
}

/*
 * Finds the column to which a column refers by a foreign key that has no other column;
 * false if there is no such key.
 */
static bool
referred_column(Relation relation, AttrNumber attno, Oid *relid, AttrNumber *referred)
{
	ListCell *cell;

	foreach (cell, RelationGetFKeyList(relation))
	{
		const ForeignKeyCacheInfo *key = lfirst(cell);

		if (key->nkeys == 1 && key->conkey[0] == attno)
		{
			*relid = key->confrelid;
			*referred = key->confkey[0];
			return true;
		}
	}
	return false;
}

/*
 * If labels whose bounds are read from the data refer to the same key by foreign keys,
 * gives them the same bound, the larger: so a matrix is square whichever of its rows are
 * stored.
 */
static void
agree_read_bounds(Storage *storage, Relation relation, int read_off)
{
	for (int i = 0; i < storage->rank; i++)
	{
		for (int j = 0; j < i; j++)
		{
			StorageDimension *one = &storage->dimensions[j];
			StorageDimension *other = &storage->dimensions[i];
			int64 larger = Max(one->bound, other->bound);
			Oid relids[2];
			AttrNumber columns[2];
			bool refer[2];

			if (!(read_off & (1 << i)) || !(read_off & (1 << j)) ||
				one->kind != DIMENSION_PROMOTED || other->kind != DIMENSION_PROMOTED ||
				one->bound == other->bound)
				continue;
			refer[0] = referred_column(relation, one->attno, &relids[0], &columns[0]);
			refer[1] = referred_column(relation, other->attno, &relids[1], &columns[1]);
			if (refer[0] && refer[1] && relids[0] == relids[1] &&
				columns[0] == columns[1])
				one->bound = other->bound = larger;
		}
	}
}

void
check_storage_data(Storage *storage, Relation relation)
{
	DataCheck check;
	Oid value_type;
	int read_off = 0;
	int i;

	read_categories(storage, relation);
	check_layout_rows(storage, relation);
	begin_data_check(&check, storage, relation);
	start_element_type(&check, relation);
	value_type =
		OidIsValid(storage->value_type) ? getBaseType(storage->value_type) : InvalidOid;
	check.exact_numbers = value_type == INT8OID || value_type == NUMERICOID;
	scan_query(labelled_query("einsum_register", storage->tensor,
							  storage_scan_sql(storage, false)),
			   relation->rd_rel->relowner, true, check_row, &check);

	notice_rows_left_out(&check);
	notice_rounded(&check);
	check_dimension_keys(storage, relation);
	for (i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];

		if (dimension->bound != BOUND_UNKNOWN)
			continue;
		if (check.rows == 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("the bound of label \"%s\" of tensor \"%s\" is not known",
							dimension->label, storage->tensor),
					 errdetail("Relation \"%s\" has no entries to read it off.",
							   check.relation),
					 errhint("Pass the bounds, as in bounds => '{2708,1433}'.")));
		if (dimension->kind == DIMENSION_BLOCKED)
			dimension->bound =
				check.last_key[i] * dimension->block + check.last_extent[i];
		else
			dimension->bound = check.last_key[i] + 1;
		read_off |= 1 << i;
	}
	agree_read_bounds(storage, relation, read_off);
	if (storage->symmetric)
	{
		StorageDimension *last = &storage->dimensions[storage->rank - 1];

		last[0].bound = last[-1].bound = Max(last[0].bound, last[-1].bound);
	}
	notice_bound(&check, read_off);
	notice_first_key(&check, read_off);
}
