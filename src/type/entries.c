/*-------------------------------------------------------------------------
 *
 * entries.c
 *	  einsum_entries: what the arrays of a row say together, as rows; and the layouts that
 *	  there are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "kernels/layout/layout.h"
#include "type/entries.h"

PG_FUNCTION_INFO_V1(einsum_entries);
PG_FUNCTION_INFO_V1(einsum_stored_entries);
PG_FUNCTION_INFO_V1(known_layouts);

/* Entries that are read at a time. */
#define ENTRIES_AT_ONCE 256

char *
layout_names(void)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int l = 0; layout_number(l); l++)
		appendStringInfo(&names, "%s%s", l ? ", " : "", layout_name(layout_number(l)));
	return names.data;
}

/* Finds the layout of a name, which may begin with the word symmetric. */
static const Layout *
find_layout(const char *name, size_t length, bool *symmetric)
{
	const char *rest = name;
	size_t left = length;
	const Layout *layout;

	*symmetric = layout_take_symmetric(&rest, &left);
	layout = layout_find(rest, left);
	if (layout == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("there is no layout \"%s\"", pnstrdup(name, length)),
				 errdetail("The layouts are %s.", layout_names()),
				 errhint("The view einsum_layouts says what they mean; a view with "
						 "unnest reads arrays in any other one.")));
	return layout;
}

bool
layout_column_type(Oid column, LayoutColumn kind, LayoutType *type)
{
	Oid base = getBaseType(column);

	if (kind == LAYOUT_OBJECT)
		return base == JSONBOID;
	switch (kind == LAYOUT_NUMBER ? base : get_element_type(base))
	{
		case INT2OID:
			*type = LAYOUT_INT2;
			return true;
		case INT4OID:
			*type = LAYOUT_INT4;
			return true;
		case DATEOID:
			/* PostgreSQL stores days as their number */
			*type = LAYOUT_INT4;
			return kind == LAYOUT_INDICES;
		case INT8OID:
			*type = LAYOUT_INT8;
			return true;
		case FLOAT4OID:
			*type = LAYOUT_FLOAT4;
			return kind == LAYOUT_VALUES;
		case FLOAT8OID:
			*type = LAYOUT_FLOAT8;
			return kind == LAYOUT_VALUES;
		default:
			return false;
	}
}

const char *
layout_column_types(LayoutColumn kind)
{
	return kind == LAYOUT_INDICES
			   ? "It has indices: an array of smallint, integer, bigint or date"
		   : kind == LAYOUT_VALUES
			   ? "It has values: an array of smallint, integer, bigint, real or double "
				 "precision"
		   : kind == LAYOUT_NUMBER ? "It has a number: a smallint, integer or bigint"
								   : "It has an object: a jsonb";
}

/* Returns " of tensor "a"" for messages. */
static char *
of_tensor(const EntriesCall *call)
{
	return call->tensor ? psprintf(" of tensor \"%s\"", call->tensor) : "";
}

/* Returns " The row has id 7, day 3." for messages; nothing if the row has no keys. */
static char *
row_of_keys(const EntriesCall *call, const NullableDatum *args)
{
	StringInfoData row;

	if (call->nkeys == 0)
		return "";
	initStringInfo(&row);
	for (int k = 0; k < call->nkeys; k++)
	{
		const NullableDatum *key = &args[STORED_ENTRIES_FIRST_KEY + k];
		Oid output;
		bool varlena;

		getTypeOutputInfo(call->types[STORED_ENTRIES_FIRST_KEY + k], &output, &varlena);
		appendStringInfo(&row, "%s %s %s", k ? "," : " The row has",
						 quote_identifier(TextDatumGetCString(call->key_names[k])),
						 key->isnull ? "NULL"
									 : OidOutputFunctionCall(output, key->value));
	}
	appendStringInfoChar(&row, '.');
	return row.data;
}

/* Returns "The layout is csr(ptr,idx,v). The row has id 7." for messages. */
static char *
layout_and_row(const EntriesCall *call, const NullableDatum *args)
{
	return psprintf("The layout is %s.%s", call->relation, row_of_keys(call, args));
}

/* Reads an argument as one number, which is kept in *kept. */
static void
read_number(Datum argument, LayoutArray *to, int64 *kept)
{
	*kept = to->type == LAYOUT_INT2   ? DatumGetInt16(argument)
			: to->type == LAYOUT_INT4 ? DatumGetInt32(argument)
									  : DatumGetInt64(argument);
	*to = (LayoutArray){.type = LAYOUT_INT8, .length = 1, .data = kept};
}

/*
 * Reads an argument as a column; false if it is NULL. *kept: the number of a column that
 * is one.
 */
static bool
read_column(const EntriesCall *call, const NullableDatum *args, int column,
			LayoutArray *to, int64 *kept)
{
	const NullableDatum *argument = &args[call->first_column + column];
	ArrayType *array;

	to->type = call->column_types[column];
	if (argument->isnull)
		return false;
	if (layout_column(call->layout, call->rank, column) == LAYOUT_NUMBER)
	{
		read_number(argument->value, to, kept);
		return true;
	}
	array = DatumGetArrayTypeP(argument->value);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("column %d of a layout%s has %d dimensions", column + 1,
						of_tensor(call), ARR_NDIM(array)),
				 call->tensor ? errdetail_internal("%s", layout_and_row(call, args)) : 0,
				 errhint("It must be an array of one dimension.")));
	if (array_contains_nulls(array))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column %d of a layout%s has an element that is NULL", column + 1,
						of_tensor(call)),
				 call->tensor ? errdetail_internal("%s", layout_and_row(call, args)) : 0,
				 errhint("array_remove(..., NULL) leaves such elements out of a single "
						 "array.")));
	to->length = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	to->data = ARR_DATA_PTR(array);
	return true;
}

static int
fault_code(LayoutFault fault)
{
	switch (fault)
	{
		case LAYOUT_LENGTHS:
		case LAYOUT_NO_TRIANGLE:
		case LAYOUT_NO_DIAGONALS:
			return ERRCODE_ARRAY_SUBSCRIPT_ERROR;
		case LAYOUT_KEY_REPEATED:
			return ERRCODE_UNIQUE_VIOLATION;
		default:
			return ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE;
	}
}

static char *
describe_fault(const LayoutProblem *problem)
{
	switch (problem->fault)
	{
		case LAYOUT_RIGHT:
			break;
		case LAYOUT_LENGTHS:
			return psprintf("Its length is " INT64_FORMAT ", not " INT64_FORMAT ".",
							problem->number, problem->other);
		case LAYOUT_NO_TRIANGLE:
			return psprintf("Its length is " INT64_FORMAT
							", which no triangle has: one of " INT64_FORMAT
							" rows has " INT64_FORMAT
							" elements, and the next larger one " INT64_FORMAT ".",
							problem->number, problem->other,
							problem->other * (problem->other + 1) / 2,
							(problem->other + 1) * (problem->other + 2) / 2);
		case LAYOUT_NO_DIAGONALS:
			return psprintf("Its length is " INT64_FORMAT
							", no multiple of the number of diagonals, " INT64_FORMAT ".",
							problem->number, problem->other);
		case LAYOUT_NUMBER_BEYOND:
			return psprintf("It is " INT64_FORMAT ", not from 0 to " INT64_FORMAT ".",
							problem->number, problem->other);
		case LAYOUT_FIRST_OFFSET:
			return pstrdup("The first offset must be there, and 0.");
		case LAYOUT_OFFSET_DESCENDS:
			return psprintf("Element " INT64_FORMAT " is the offset " INT64_FORMAT
							", which is less than the one before, " INT64_FORMAT ".",
							problem->position + 1, problem->number, problem->other);
		case LAYOUT_OFFSET_BEYOND:
			return psprintf("Element " INT64_FORMAT " is the offset " INT64_FORMAT
							", beyond the " INT64_FORMAT " entries.",
							problem->position + 1, problem->number, problem->other);
		case LAYOUT_KEY_DESCENDS:
		case LAYOUT_KEY_REPEATED:
			return psprintf("Element " INT64_FORMAT " is the index " INT64_FORMAT
							", behind " INT64_FORMAT ": they must ascend.",
							problem->position + 1, problem->number, problem->other);
		case LAYOUT_KEY_BEYOND:
			if (problem->other == PG_INT64_MAX)
				return psprintf("Element " INT64_FORMAT " is the index " INT64_FORMAT
								". Indices count from 0.",
								problem->position + 1, problem->number);
			return psprintf("Element " INT64_FORMAT " is the index " INT64_FORMAT
							", not from 0 to " INT64_FORMAT ".",
							problem->position + 1, problem->number, problem->other - 1);
		case LAYOUT_BOTH_SIDES:
			return psprintf("Element " INT64_FORMAT
							" is the entry of the last two indices (" INT64_FORMAT
							"," INT64_FORMAT "), on the other side of the diagonal than "
							"one before: entries are mirrored.",
							problem->position + 1, problem->other, problem->number);
		case LAYOUT_POSITION_BEYOND:
			return psprintf("Element " INT64_FORMAT " has the index " INT64_FORMAT
							", not from 0 to " INT64_FORMAT ".",
							problem->position + 1, problem->number, problem->other - 1);
	}
	return "";
}

static void
report_fault(const EntriesCall *call, const NullableDatum *args,
			 const LayoutProblem *problem)
{
	ereport(ERROR,
			(errcode(fault_code(problem->fault)),
			 errmsg(problem->fault == LAYOUT_NUMBER_BEYOND
						? "column %d is wrong in layout \"%s\"%s"
						: "column %d is wrong in an array of layout \"%s\"%s",
					problem->column + 1,
					call->relation ? call->relation : layout_name(call->layout),
					of_tensor(call)),
			 errdetail_internal("%s%s", describe_fault(problem), row_of_keys(call, args)),
			 call->tensor && (problem->fault == LAYOUT_KEY_BEYOND ||
							  problem->fault == LAYOUT_POSITION_BEYOND)
				 ? errhint("Correct the row, or register the tensor with a larger bound, "
						   "or with '*' if the index set is the keys that occur.")
				 : 0));
}

/* Reads the arguments of einsum_stored_entries that tell the origin, and the bounds. */
static void
read_origin(EntriesCall *call, const NullableDatum *args)
{
	ArrayType *names = DatumGetArrayTypeP(args[2].value);
	ArrayType *bounds = DatumGetArrayTypeP(args[3].value);

	call->tensor = TextDatumGetCString(args[0].value);
	call->relation = TextDatumGetCString(args[1].value);
	call->nbounds = ArrayGetNItems(ARR_NDIM(bounds), ARR_DIMS(bounds));
	call->bounds = (const int64_t *) ARR_DATA_PTR(bounds);
	if (call->nbounds == call->rank + 1)
		call->origin = call->bounds[--call->nbounds];
	if (!array_contains_nulls(names) && !array_contains_nulls(bounds))
	{
		deconstruct_array(names, TEXTOID, -1, false, TYPALIGN_INT, &call->key_names, NULL,
						  &call->nkeys);
		call->first_column = STORED_ENTRIES_FIRST_KEY + call->nkeys;
		if (call->first_column < call->nargs)
			return;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the arguments of einsum_stored_entries are not those of "
						   "a registration")));
}

/* Is the index one of which a column has dates as its keys? */
static bool
has_column_of_days(const EntriesCall *call, int index)
{
	for (int c = 0; c < call->ncolumns; c++)
		if (layout_key_index(call->layout, call->rank, c) == index)
			return get_element_type(getBaseType(call->types[call->first_column + c])) ==
				   DATEOID;
	return false;
}

bool
index_has_days(const EntriesCall *call, int index)
{
	int other = 2 * call->rank - 3 - index;

	return has_column_of_days(call, index) ||
		   (call->symmetric && index >= call->rank - 2 &&
			has_column_of_days(call, other));
}

/* Finds the types of the columns' elements. */
static void
find_column_types(EntriesCall *call)
{
	for (int c = 0; c < call->ncolumns; c++)
	{
		LayoutColumn kind = layout_column(call->layout, call->rank, c);
		Oid type = call->types[call->first_column + c];

		if (!layout_column_type(type, kind, &call->column_types[c]))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d of a layout cannot be of type %s", c + 1,
							format_type_be(type)),
					 errdetail_internal("%s.", layout_column_types(kind)),
					 kind == LAYOUT_NUMBER || kind == LAYOUT_OBJECT
						 ? 0
						 : errhint("A view with unnest reads arrays of other types.")));
	}
}

int
entries_first_row_argument(bool stored)
{
	return stored ? STORED_ENTRIES_FIRST_KEY : ENTRIES_FIRST_COLUMN;
}

bool
begin_entries_call(EntriesCall *call, bool stored, int rank, int nargs, const Oid *types,
				   const NullableDatum *args)
{
	text *name;

	*call = (EntriesCall){.rank = rank, .nargs = nargs, .types = types};
	for (int a = 0; a < entries_first_row_argument(stored); a++)
	{
		/* without a fill it is 0 */
		if (args[a].isnull && (stored || a == 0))
			return false;
	}
	if (stored)
	{
		read_origin(call, args);
		call->layout =
			find_layout(call->relation, strcspn(call->relation, "("), &call->symmetric);
		/* a list whose other index is a key of the row is mirrored by what reads it */
		call->symmetric = call->symmetric && rank > 1;
		call->fill = DatumGetFloat8(args[4].value);
	}
	else
	{
		name = DatumGetTextPP(args[0].value);
		call->layout =
			find_layout(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &call->symmetric);
		if (call->symmetric && rank < 2)
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
							errmsg("entries of one index cannot be symmetric"),
							errhint("A layout of two indices or more is symmetric in the "
									"last two of them.")));
		call->fill = args[1].isnull ? 0 : DatumGetFloat8(args[1].value);
		call->first_column = ENTRIES_FIRST_COLUMN;
	}
	call->ncolumns = nargs - call->first_column;
	if (call->ncolumns > LAYOUT_MAX_COLUMNS ||
		!layout_has(call->layout, rank, call->ncolumns, &call->with_values) ||
		(call->bounds && call->nbounds != rank))
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("layout \"%s\" does not have %d columns for %d indices",
							   layout_name(call->layout), call->ncolumns, rank),
						errdetail("Its columns are %s, v being the values.",
								  layout_columns(call->layout))));
	find_column_types(call);
	return true;
}

/* ---- objects ---- */

/* Reports what is wrong with a key of an object, or with the object if that is NULL. */
static void
report_object(const EntriesCall *call, const NullableDatum *args, const char *key,
			  const char *detail, const char *hint)
{
	const char *layout = call->relation ? call->relation : layout_name(call->layout);

	ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					key ? errmsg("key \"%s\" is wrong in an object of layout \"%s\"%s",
								 key, layout, of_tensor(call))
						: errmsg("there is no object in layout \"%s\"%s", layout,
								 of_tensor(call)),
					errdetail_internal("%s%s", detail, row_of_keys(call, args)),
					hint ? errhint("%s", hint) : 0));
}

/*
 * Reads a key that is an integer as it is written without need: no sign but -, no 0
 * before other digits.
 */
static int64
integer_of_key(const EntriesCall *call, const NullableDatum *args, const char *key)
{
	int64 bound = call->bounds ? call->bounds[0] : LAYOUT_ANY;
	char *end;
	int64 number;

	Assert(key != NULL);
	errno = 0;
	number = strtoll(key, &end, 10);
	if (errno != 0 || strcmp(psprintf(INT64_FORMAT, number), key) != 0)
		report_object(
			call, args, key,
			"It is no integer. Only the keys of a label whose bound is '*' or a "
			"dimension of texts can be any text.",
			NULL);
	if (bound != LAYOUT_ANY && (number < 0 || number >= bound))
		report_object(call, args, key,
					  bound == PG_INT64_MAX
						  ? "Indices count from 0."
						  : psprintf("It is not from 0 to " INT64_FORMAT ".", bound - 1),
					  NULL);
	return number;
}

/* Reads the number that stands at a key. */
static double
number_of_key(const EntriesCall *call, const NullableDatum *args, const char *key,
			  const JsonbValue *value)
{
	double number;

	if (value->type != jbvNumeric)
		report_object(call, args, key,
					  value->type == jbvString ? "Its value is a string, no number."
											   : "Its value is no number.",
					  value->type == jbvString
						  ? _("Store numbers, as in {\"a\": 3} for {\"a\": \"3\"}, or "
							  "register a view of jsonb_each_text(...) that casts them.")
						  : _("Store numbers, and leave out keys that have none."));
	number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
												NumericGetDatum(value->val.numeric)));
	if (isinf(number))
		report_object(call, args, key,
					  "Its value is out of range for type double precision.", NULL);
	return number;
}

void
read_object(const EntriesCall *call, const NullableDatum *args, ObjectEntry entry,
			void *state)
{
	const NullableDatum *argument = &args[call->first_column];
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	char *key = NULL;

	if (argument->isnull)
		return;
	iterator = JsonbIteratorInit(&DatumGetJsonbP(argument->value)->root);
	if (JsonbIteratorNext(&iterator, &value, true) != WJB_BEGIN_OBJECT)
		report_object(call, args, NULL, "The value is an array or a scalar.", NULL);
	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_END_OBJECT)
	{
		double number;

		CHECK_FOR_INTERRUPTS();
		if (token == WJB_KEY)
		{
			key = pnstrdup(value.val.string.val, value.val.string.len);
			continue;
		}
		number = number_of_key(call, args, key, &value);
		if (number != call->fill)
			entry(key, number, state);
		pfree(key);
	}
}

/* The entries of an object with integer keys, as arrays. */
typedef struct ObjectArrays
{
	const EntriesCall *call;
	const NullableDatum *args;
	int64 *keys;
	double *numbers;
	int count;
} ObjectArrays;

static void
append_to_arrays(const char *key, double number, void *state)
{
	ObjectArrays *arrays = state;

	arrays->keys[arrays->count] = integer_of_key(arrays->call, arrays->args, key);
	arrays->numbers[arrays->count++] = number;
}

/* Begins with the entries of an object whose keys are integers. */
static bool
begin_object(const EntriesCall *call, const NullableDatum *args, RowEntries *row)
{
	const NullableDatum *argument = &args[call->first_column];
	ObjectArrays arrays = {.call = call, .args = args};
	LayoutArray columns[2];
	LayoutProblem problem;
	Size count;

	if (argument->isnull)
		return false;
	count = JB_ROOT_COUNT(DatumGetJsonbP(argument->value)) + 1;
	arrays.keys = palloc(sizeof(int64) * count);
	arrays.numbers = palloc(sizeof(double) * count);
	read_object(call, args, append_to_arrays, &arrays);
	columns[0] = (LayoutArray){LAYOUT_INT8, arrays.count, arrays.keys};
	columns[1] = (LayoutArray){LAYOUT_FLOAT8, arrays.count, arrays.numbers};
	/* keys are in the order of jsonb */
	return layout_begin(&row->entries, layout_find("coo", 3), 1, 2, columns, NULL,
						call->fill, &problem);
}

/* ---- rows ---- */

bool
begin_row_entries(const EntriesCall *call, const NullableDatum *args, RowEntries *row)
{
	LayoutArray columns[LAYOUT_MAX_COLUMNS];
	LayoutProblem problem;
	bool absent = false;

	row->origin = 0;
	if (layout_is_object(call->layout))
		return begin_object(call, args, row);
	for (int c = 0; c < call->ncolumns; c++)
		absent |= !read_column(call, args, c, &columns[c], &row->numbers[c]);
	if (absent)
		return false;
	if (!layout_begin(&row->entries, call->layout, call->rank, call->ncolumns, columns,
					  call->bounds, call->fill, &problem) ||
		(call->symmetric && !layout_mirror(&row->entries, call->origin, &problem)))
		report_fault(call, args, &problem);
	return true;
}

/* ---- parts of arrays ---- */

/* Bytes of an array behind its length word and before its elements. */
#define PART_HEADER (ARR_OVERHEAD_NONULLS(1) - VARHDRSZ)

static int
element_size(LayoutType type)
{
	return type == LAYOUT_INT2 ? 2 : type == LAYOUT_INT4 || type == LAYOUT_FLOAT4 ? 4 : 8;
}

/*
 * Gets the length of an array from its beginning; false for an array that must be read as
 * a whole.
 */
static bool
length_by_header(const NullableDatum *argument, int64 *length)
{
	const struct varlena *header;
	int32 fields[5]; /* ndim, dataoffset, elemtype, the dimension, its lower bound */

	/* an array in its expanded form is in memory */
	if (argument->isnull || VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(argument->value)))
		return false;
	header = PG_DETOAST_DATUM_SLICE(argument->value, 0, sizeof(fields));
	/* an empty array is shorter */
	if (VARSIZE_ANY_EXHDR(header) < sizeof(fields))
		return false;
	memcpy(fields, VARDATA_ANY(header), sizeof(fields));
	*length = fields[3];
	return fields[0] == 1 && fields[1] == 0;
}

/* Reads elements from..from + n - 1 of an array. */
static void
read_part(const NullableDatum *argument, LayoutType type, int64 from, int64 n,
		  LayoutArray *to)
{
	int size = element_size(type);
	const char *part = (const char *) PG_DETOAST_DATUM_SLICE(
		argument->value, (int32) (PART_HEADER + from * size), (int32) (n * size));
	/* aligned as its elements */
	char *copy = palloc(n * size + 1);

	memcpy(copy, VARDATA_ANY(part), n * size);
	*to = (LayoutArray){.type = type, .length = n, .data = copy};
}

/*
 * Gets the two offsets of a first index, of which there are count; both are 0 for an
 * index that is out of range. False if the array is wrong.
 */
static bool
offsets_of_index(const EntriesCall *call, const NullableDatum *args, int64 first,
				 int64 count, int64 offsets[2])
{
	LayoutArray part;

	offsets[0] = offsets[1] = 0;
	if (first < 0 || first >= count)
		return true;
	read_part(&args[call->first_column], call->column_types[0], first, 2, &part);
	for (int i = 0; i < 2; i++)
		offsets[i] = layout_integer(&part, i);
	return offsets[0] >= 0 && offsets[0] <= offsets[1] && (first > 0 || offsets[0] == 0);
}

/*
 * Begins with the entries of one first index, as the only row of arrays that are parts;
 * false if the arrays have to be read as a whole, because they seem to be wrong or are of
 * another layout.
 */
static bool
begin_part(const EntriesCall *call, const NullableDatum *args, int64 first,
		   RowEntries *row)
{
	LayoutArray columns[LAYOUT_MAX_COLUMNS];
	int64 lengths[LAYOUT_MAX_COLUMNS];
	int64 bounds[2] = {1, call->bounds ? call->bounds[1] : LAYOUT_ANY};
	LayoutProblem problem;

	if (call->symmetric || !layout_has_offsets(call->layout))
		return false;
	Assert(call->ncolumns > 0);
	for (int c = 0; c < call->ncolumns; c++)
	{
		if (!length_by_header(&args[call->first_column + c], &lengths[c]) ||
			(c > 1 && lengths[c] != lengths[1]))
			return false;
	}
	if ((call->bounds && call->bounds[0] != LAYOUT_ANY &&
		 lengths[0] != call->bounds[0] + 1) ||
		!offsets_of_index(call, args, first, lengths[0] - 1, row->numbers) ||
		row->numbers[1] > lengths[1])
		return false;
	for (int c = 1; c < call->ncolumns; c++)
		read_part(&args[call->first_column + c], call->column_types[c], row->numbers[0],
				  row->numbers[1] - row->numbers[0], &columns[c]);
	row->numbers[1] -= row->numbers[0];
	row->numbers[0] = 0;
	columns[0] = (LayoutArray){.type = LAYOUT_INT8, .length = 2, .data = row->numbers};
	row->origin = first;
	return layout_begin(&row->entries, call->layout, call->rank, call->ncolumns, columns,
						(const int64_t *) bounds, call->fill, &problem);
}

bool
begin_row_entries_at(const EntriesCall *call, const NullableDatum *args, int64 first,
					 RowEntries *row)
{
	if (begin_part(call, args, first, row))
		return true;
	if (!begin_row_entries(call, args, row))
		return false;
	if (!call->symmetric)
		layout_seek(&row->entries, first);
	return true;
}

/* ---- entries ---- */

int
next_entries(const EntriesCall *call, RowEntries *row, int n, int64 *const *keys,
			 double *numbers)
{
	int count = 0;
	int read;

	while (count == 0 &&
		   (read = layout_next(&row->entries, n, (int64_t *const *) keys, numbers)) > 0)
	{
		CHECK_FOR_INTERRUPTS();
		count = layout_drop_fill(&row->entries, read, (int64_t *const *) keys, numbers);
	}
	for (int i = 0; row->origin != 0 && i < count; i++)
		keys[0][i] += row->origin;
	return count;
}

/*
 * Checks the columns of the result: indices are integers, dates if arrays have them, or
 * texts if those of an object, and the value behind them is float8.
 */
static void
check_result(const EntriesCall *call, TupleDesc descriptor)
{
	bool texts = layout_is_object(call->layout);

	for (int a = 0; a < descriptor->natts; a++)
	{
		Oid type = TupleDescAttr(descriptor, a)->atttypid;
		Oid expected = a == call->rank           ? FLOAT8OID
					   : index_has_days(call, a) ? DATEOID
												 : INT8OID;

		if (type == expected || (a < call->rank && texts && type == TEXTOID))
			continue;
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column %d of the result of einsum_entries cannot be of type %s",
					a + 1, format_type_be(type)),
			 errhint("Write bigint for each index, date for one whose array has dates, "
					 "and double precision for the value, as in AS e(i bigint, j bigint, "
					 "v double precision).")));
	}
}

/* Appends an entry of an object, whose key is a text, to the result of a function. */
static void
put_text_entry(const char *key, double number, void *state)
{
	ReturnSetInfo *result = state;
	bool nulls[2] = {false};
	Datum values[] = {CStringGetTextDatum(key), Float8GetDatum(number)};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Returns the entries that a call has as its rows. */
static void
return_entries(FunctionCallInfo fcinfo, bool stored)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int64 block[LAYOUT_MAX_RANK][ENTRIES_AT_ONCE];
	int64 *keys[LAYOUT_MAX_RANK];
	double numbers[ENTRIES_AT_ONCE];
	bool nulls[LAYOUT_MAX_COLUMNS] = {false};
	Oid types[FUNC_MAX_ARGS];
	RowEntries entries;
	EntriesCall call;
	int rank;
	int n;

	if (get_fn_expr_variadic(fcinfo->flinfo))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("einsum_entries cannot take its columns as one array"),
						errhint("Write the columns one by one, without VARIADIC.")));
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	for (int a = 0; a < PG_NARGS(); a++)
		types[a] = get_fn_expr_argtype(fcinfo->flinfo, a);
	rank = result->setDesc->natts - 1;
	if (!begin_entries_call(&call, stored, rank, PG_NARGS(), types, fcinfo->args))
		return;
	check_result(&call, result->setDesc);
	if (rank == 1 && TupleDescAttr(result->setDesc, 0)->atttypid == TEXTOID)
	{
		read_object(&call, fcinfo->args, put_text_entry, result);
		return;
	}
	if (!begin_row_entries(&call, fcinfo->args, &entries))
		return;
	for (int d = 0; d < rank; d++)
		keys[d] = block[d];
	while ((n = next_entries(&call, &entries, ENTRIES_AT_ONCE, keys, numbers)) > 0)
	{
		for (int i = 0; i < n; i++)
		{
			Datum values[LAYOUT_MAX_COLUMNS];

			for (int d = 0; d < rank; d++)
				values[d] = TupleDescAttr(result->setDesc, d)->atttypid == DATEOID
								? DateADTGetDatum((DateADT) keys[d][i])
								: Int64GetDatum(keys[d][i]);
			values[rank] = Float8GetDatum(numbers[i]);
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	}
}

/*
 * einsum_entries(layout text, fill float8, VARIADIC columns "any") returns setof record:
 * a row of indices (bigint) and a value (float8) for each entry that is not fill. A
 * column that is NULL has no entries. With the word symmetric before the name of the
 * layout the mirror image of each entry over the last two indices comes with it. The
 * index of an object may be a text; one whose array has dates is a date.
 */
Datum
einsum_entries(PG_FUNCTION_ARGS)
{
	return_entries(fcinfo, false);
	return (Datum) 0;
}

/*
 * einsum_stored_entries(tensor text, layout text, keys text[], bounds int8[], fill
 * float8, VARIADIC keys and columns "any"): the same of a row of a registered relation.
 * layout: as registered, "csr(indptr,indices,data)"; keys: the names of as many arguments
 * before the columns, which messages tell; bounds: of the layout's indices, -1 for any
 * integer; and behind them, for symmetric entries, the origin of layout_mirror.
 */
Datum
einsum_stored_entries(PG_FUNCTION_ARGS)
{
	return_entries(fcinfo, true);
	return (Datum) 0;
}

static void
put_layout(ReturnSetInfo *result, const char *name, const char *columns,
		   const char *meaning)
{
	bool nulls[3] = {false};
	Datum values[] = {CStringGetTextDatum(name), CStringGetTextDatum(columns),
					  CStringGetTextDatum(meaning)};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* The layouts that there are: name, columns and meaning. */
Datum
known_layouts(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int l = 0; layout_number(l); l++)
	{
		const Layout *layout = layout_number(l);

		put_layout(result, layout_name(layout), layout_columns(layout),
				   layout_meaning(layout));
	}
	put_layout(result, "symmetric", "entries",
			   "{k: x for (i, j), x in entries.items() for k in [(i, j), (j, i)]}");
	return (Datum) 0;
}
