/*-------------------------------------------------------------------------
 *
 * label.c
 *	  Security labels of the provider sparseeinsum: their text, and reading
 *	  and writing pg_seclabel.
 *
 * A registration is a security label and not a row of a table of ours, because
 * then PostgreSQL itself carries it through renames, drops, dumps and upgrades
 * together with its relation, one relation at a time.
 *
 * The provider's hook checks the form of a label and nothing else: a restore
 * sets labels before constraints and data are there. What a label says about
 * its relation is checked whenever it is used (tensor_storage.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "commands/seclabel.h"
#include "common/hashfn.h"
#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"

#include "catalog/attempt.h"
#include "catalog/citus.h"
#include "catalog/dimension.h"
#include "catalog/drop_labels.h"
#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/registry.h"
#include "catalog/statistics_table.h"
#include "catalog/stored_layout.h"
#include "catalog/value_columns.h"

/*
 * Label versions. Version 1, of releases before 0.3.0, has no "nulls", which those
 * releases would not understand; and in its calls a missing "result" means that the
 * optimizer chose.
 */
#define LABEL_VERSION 2
#define OLDEST_LABEL_VERSION 1
#define LAYOUT_LABEL_VERSION 3 /* version of a label in which a storage has a layout */
#define ORIGIN_LABEL_VERSION 4 /* in which keys begin at another one, or are in ranges */
#define RESULT_IS_BY_CASE 2    /* first version without that meaning */
#define LABEL_FIELDS 9         /* fields of a registration that are not optional */

static const char *const policy_names[] = {"error", "trust", "sum"};

const char *const call_option_names[] = {
	"search", "alternative", "inputs", "result", "materialize", "rewrite", "estimator"};

StaticAssertDecl(lengthof(call_option_names) == CALL_OPTIONS, "names of all options");

static const char *const loop_text_names[] = {
	[LOOP_INIT] = "init",       [LOOP_STEP] = "step",
	[LOOP_UNTIL] = "until",     [LOOP_SEARCH] = "search",
	[LOOP_REWRITE] = "rewrite", [LOOP_ESTIMATOR] = "estimator",
	[LOOP_RESULT] = "result",   [LOOP_ON_CHANGE] = "on_change",
};

StaticAssertDecl(lengthof(loop_text_names) == LOOP_TEXTS, "names of all texts");

const char *
duplicate_policy_name(DuplicatePolicy policy)
{
	return policy_names[policy];
}

bool
duplicate_policy_by_name(const char *name, DuplicatePolicy *policy)
{
	int i;

	for (i = 0; i < lengthof(policy_names); i++)
	{
		if (strcmp(policy_names[i], name) == 0)
		{
			*policy = (DuplicatePolicy) i;
			return true;
		}
	}
	return false;
}

char *
bound_to_string(int64 bound)
{
	if (bound_is_dimension(bound))
		return dimension_name(bound);
	return bound == BOUND_OPEN ? pstrdup("*") : bounded_to_string(bound);
}

/* Returns the shortest text that reads back as the same number, whatever the settings. */
char *
float8_to_string(double value)
{
	if (isnan(value))
		return pstrdup("NaN");
	if (isinf(value))
		return pstrdup(value > 0 ? "Infinity" : "-Infinity");
	return double_to_shortest_decimal(value);
}

char *
number_to_string(Number value)
{
	char *imaginary = float8_to_string(cimag(value));

	if (cimag(value) == 0.0)
		return float8_to_string(creal(value));
	return psprintf("%s%s%si", float8_to_string(creal(value)),
					*imaginary == '-' ? "" : "+", imaginary);
}

/* ----------------------------------------------------------------
 *		notations
 * ----------------------------------------------------------------
 */

void
storage_set_notation(Storage *storage, const SyntaxReference *reference)
{
	ListCell *cell;
	int rank = 0;

	if (!reference->bracketed)
		ereport(
			ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("tensor notation \"%s\" has no brackets", reference->name),
			 errhint("Write one label per dimension, as in \"%s[I,k]\": upper case for "
					 "a key column, lower case for a dimension of the value. A single "
					 "number is \"%s[]\".",
					 reference->name, reference->name)));
	if (list_length(reference->indices) > TENSOR_MAX_RANK)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor \"%s\" has too many dimensions", reference->name),
						errdetail("The notation has %d labels; the limit is %d.",
								  list_length(reference->indices), TENSOR_MAX_RANK)));

	storage->tensor = pstrdup(reference->name);
	foreach (cell, reference->indices)
	{
		SyntaxIndex *index = (SyntaxIndex *) lfirst(cell);
		StorageDimension *dimension = &storage->dimensions[rank];
		int other;

		for (other = 0; other < rank; other++)
		{
			if (strcmp(storage->dimensions[other].label, index->label) == 0)
				ereport(
					ERROR,
					(errcode(ERRCODE_SYNTAX_ERROR),
					 errmsg("label \"%s\" occurs twice in the notation of tensor \"%s\"",
							index->label, storage->tensor),
					 errhint("Give every dimension a label of its own; a program "
							 "says a[i,i] where it wants the diagonal.")));
		}
		dimension->label = pstrdup(index->label);
		switch (index->pin)
		{
			case PIN_PROMOTED:
				dimension->kind = DIMENSION_PROMOTED;
				break;
			case PIN_BLOCKED:
				if (index->block < 1 || index->block > PG_INT32_MAX)
					ereport(
						ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("block size " INT64_FORMAT " of label \"%s\" is out of "
								"range",
								index->block, index->label),
						 errdetail("A block size is from 1 to %d.", PG_INT32_MAX)));
				/* a block of size 1 is a promoted label */
				dimension->kind =
					index->block == 1 ? DIMENSION_PROMOTED : DIMENSION_BLOCKED;
				dimension->block = index->block;
				break;
			case PIN_NONE:
			case PIN_DEMOTED:
				dimension->kind = DIMENSION_DEMOTED;
				break;
		}
		if (dimension->kind != DIMENSION_BLOCKED)
			dimension->block = 0;
		rank++;
	}
	storage->rank = rank;
}

/* Can the name be written without quotes, and stays as it is? */
static bool
is_plain(const char *name)
{
	const char *c;

	if (!((*name >= 'a' && *name <= 'z') || *name == '_'))
		return false;
	for (c = name; *c; c++)
	{
		if (!((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_'))
			return false;
	}
	return true;
}

static void
append_name(StringInfo buf, const char *name)
{
	const char *c;

	if (is_plain(name))
	{
		appendStringInfoString(buf, name);
		return;
	}
	appendStringInfoChar(buf, '"');
	for (c = name; *c; c++)
	{
		if (*c == '"')
			appendStringInfoChar(buf, '"');
		appendStringInfoChar(buf, *c);
	}
	appendStringInfoChar(buf, '"');
}

char *
storage_notation(const Storage *storage)
{
	StringInfoData buf;
	int i;

	initStringInfo(&buf);
	append_name(&buf, storage->tensor);
	appendStringInfoChar(&buf, '[');
	for (i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		const char *label = dimension->label;

		if (i > 0)
			appendStringInfoChar(&buf, ',');
		if (dimension->kind == DIMENSION_PROMOTED && is_plain(label) &&
			strpbrk(label, "abcdefghijklmnopqrstuvwxyz") != NULL)
		{
			for (; *label; label++)
				appendStringInfoChar(&buf, pg_ascii_toupper((unsigned char) *label));
			continue;
		}
		append_name(&buf, label);
		/* writes a promoted label that has no upper case as a block of size 1 */
		if (dimension->kind == DIMENSION_PROMOTED)
			appendStringInfoString(&buf, ":1");
		else if (dimension->kind == DIMENSION_BLOCKED)
			appendStringInfo(&buf, ":" INT64_FORMAT, dimension->block);
	}
	appendStringInfoChar(&buf, ']');
	return buf.data;
}

/* ----------------------------------------------------------------
 *		text of labels
 * ----------------------------------------------------------------
 */

static void
malformed(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("invalid security label for provider \"%s\"", LABEL_PROVIDER),
					errdetail_internal("%s", detail),
					errhint("Use einsum_register to declare a table as a tensor.")));
}

/* Returns the member of an object. Errors: 22023 if it is missing. */
static JsonbValue *
get_member(JsonbContainer *object, const char *name)
{
	JsonbValue *value = getKeyJsonValueFromContainer(object, name, strlen(name), NULL);

	if (value == NULL)
		malformed(psprintf("Field \"%s\" is missing.", name));
	return value;
}

/* Returns the text of a string or, if null_ok, NULL. */
static char *
get_string(const JsonbValue *value, const char *name, bool null_ok)
{
	if (value->type == jbvNull && null_ok)
		return NULL;
	if (value->type != jbvString)
		malformed(psprintf("Field \"%s\" must be a string.", name));
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* Returns the elements of an array. */
static JsonbContainer *
get_array(const JsonbValue *value, const char *name)
{
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) ||
		JsonContainerIsScalar(value->val.binary.data))
		malformed(psprintf("Field \"%s\" must be an array.", name));
	return value->val.binary.data;
}

/* Returns a number that must be a non-negative integer. */
static int64
get_integer(const JsonbValue *value, const char *name)
{
	char *text;
	char *end;
	long long result;

	if (value->type != jbvNumeric)
		malformed(psprintf("Field \"%s\" must be an integer.", name));
	text = numeric_normalize(value->val.numeric);
	errno = 0;
	result = strtoll(text, &end, 10);
	if (errno != 0 || *end != '\0' || result < 0)
		malformed(
			psprintf("Field \"%s\" must be a non-negative integer, not %s.", name, text));
	return result;
}

static Number
get_fill(const JsonbValue *value)
{
	char *text;
	char *end;
	double real;
	double imaginary;

	if (value->type == jbvNumeric)
		return DatumGetFloat8(
			DirectFunctionCall1(numeric_float8, NumericGetDatum(value->val.numeric)));
	text = get_string(value, "fill", false);
	if (strcmp(text, "Infinity") == 0)
		return get_float8_infinity();
	if (strcmp(text, "-Infinity") == 0)
		return -get_float8_infinity();
	if (strcmp(text, "NaN") == 0)
		return get_float8_nan();
	real = strtod(text, &end);
	imaginary = strtod(end, &end);
	if (end == text || strcmp(end, "i") != 0)
		malformed(
			"Field \"fill\" must be a number, \"Infinity\", \"-Infinity\", \"NaN\" or "
			"like \"1+2i\".");
	return CMPLX(real, imaginary);
}

/* Reads what append_value_field writes. */
static void
get_value(Storage *storage, const JsonbValue *value)
{
	JsonbContainer *elements;
	StringInfoData columns;
	uint32 i;

	if (value->type != jbvBinary)
	{
		storage->value_column = get_string(value, "value", true);
		return;
	}
	storage->one_hot = JsonContainerIsObject(value->val.binary.data);
	if (storage->one_hot)
	{
		storage->value_column =
			get_string(get_member(value->val.binary.data, "column"), "column", false);
		elements =
			get_array(get_member(value->val.binary.data, "categories"), "categories");
	}
	else
		elements = get_array(value, "value");
	if (JsonContainerSize(elements) == 0)
		malformed("Field \"value\" must have an element.");
	initStringInfo(&columns);
	for (i = 0; i < JsonContainerSize(elements); i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(elements, i);
		ValuePart *part;

		if (storage->one_hot)
		{
			storage->categories =
				lappend(storage->categories, get_string(element, "categories", false));
			continue;
		}
		part = palloc0(sizeof(ValuePart));
		if (element->type == jbvNumeric)
			part->constant = DatumGetFloat8(DirectFunctionCall1(
				numeric_float8, NumericGetDatum(element->val.numeric)));
		else
			part->column = get_string(element, "value", false);
		storage->value_parts = lappend(storage->value_parts, part);
	}
	if (!storage->one_hot)
		storage->value_column = value_parts_text(storage->value_parts);
}

static List *
get_strings(const JsonbValue *value, const char *name)
{
	JsonbContainer *array = get_array(value, name);
	List *strings = NIL;

	for (uint32 i = 0; i < JsonContainerSize(array); i++)
		strings = lappend(
			strings, get_string(getIthJsonbValueFromContainer(array, i), name, false));
	return strings;
}

/* Reads what append_call writes. */
static const ProgramCall *
get_call(const JsonbValue *value, int64 version)
{
	ProgramCall *call = palloc0(sizeof(ProgramCall));
	JsonbContainer *object;
	JsonbValue *option;
	int fields = 2;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		malformed("Field \"call\" must be an object.");
	object = value->val.binary.data;
	call->text = get_string(get_member(object, "text"), "text", false);
	call->path = get_strings(get_member(object, "path"), "path");
	for (int i = 0; i < CALL_OPTIONS; i++)
	{
		const char *name = call_option_names[i];

		option = getKeyJsonValueFromContainer(object, name, strlen(name), NULL);
		if (option == NULL)
			continue;
		call->options[i] = get_string(option, name, false);
		fields++;
	}
	option = getKeyJsonValueFromContainer(object, "security_invoker",
										  strlen("security_invoker"), NULL);
	if (option != NULL)
	{
		if (option->type != jbvBool)
			malformed("Field \"security_invoker\" must be true or false.");
		call->security_invoker = option->val.boolean;
		fields++;
	}
	if (JsonContainerSize(object) != fields)
		malformed("Field \"call\" has a field that is no option.");
	if (version < RESULT_IS_BY_CASE && call->options[CALL_RESULT] == NULL)
		call->options[CALL_RESULT] = "auto";
	return call;
}

/* Reads what append_loop writes. */
static const LoopCall *
get_loop(const JsonbValue *value)
{
	LoopCall *loop = palloc0(sizeof(LoopCall));
	JsonbContainer *object;
	uint32 fields = 3;

	if (value->type != jbvBinary || !JsonContainerIsObject(value->val.binary.data))
		malformed("Field \"loop\" must be an object.");
	object = value->val.binary.data;
	loop->path = get_strings(get_member(object, "path"), "path");
	loop->assign = get_strings(get_member(object, "assign"), "assign");
	loop->max_rounds = (int) get_integer(get_member(object, "max_rounds"), "max_rounds");
	for (int i = 0; i < LOOP_TEXTS; i++)
	{
		const char *name = loop_text_names[i];
		JsonbValue *text = getKeyJsonValueFromContainer(object, name, strlen(name), NULL);

		if (text == NULL)
			continue;
		loop->texts[i] = get_string(text, name, false);
		fields++;
	}
	if (JsonContainerSize(object) != fields || loop->texts[LOOP_STEP] == NULL ||
		loop->max_rounds < 1)
		malformed("Field \"loop\" is not the call of a loop.");
	return loop;
}

/* Parses one element of the array "tensors". */
static Storage *
parse_registration(JsonbContainer *object, Oid relid, int64 version)
{
	Storage *storage = palloc0(sizeof(Storage));
	JsonbContainer *keys;
	JsonbContainer *bounds;
	SyntaxReference *reference;
	JsonbValue *position;
	JsonbValue *query;
	JsonbValue *statement;
	JsonbValue *now;
	JsonbValue *moved;
	JsonbValue *loop;
	JsonbValue *call;
	JsonbValue *nulls;
	JsonbValue *layout;
	JsonbValue *ranges;
	StorageProblem problem;
	int fields;
	char *tensor;
	int key = 0;
	int i;

	position = getKeyJsonValueFromContainer(object, "position", strlen("position"), NULL);
	query = getKeyJsonValueFromContainer(object, "query", strlen("query"), NULL);
	statement =
		getKeyJsonValueFromContainer(object, "statement", strlen("statement"), NULL);
	now = getKeyJsonValueFromContainer(object, "now", strlen("now"), NULL);
	moved = getKeyJsonValueFromContainer(object, "moved", strlen("moved"), NULL);
	loop = getKeyJsonValueFromContainer(object, "loop", strlen("loop"), NULL);
	call = getKeyJsonValueFromContainer(object, "call", strlen("call"), NULL);
	nulls = getKeyJsonValueFromContainer(object, "nulls", strlen("nulls"), NULL);
	layout = getKeyJsonValueFromContainer(object, "layout", strlen("layout"), NULL);
	ranges = getKeyJsonValueFromContainer(object, "ranges", strlen("ranges"), NULL);
	fields = JsonContainerSize(object) - (position != NULL) - (query != NULL) -
			 2 * (statement != NULL) - (now != NULL) - (moved != NULL) - (loop != NULL) -
			 (call != NULL) - (nulls != NULL) - (layout != NULL) - (ranges != NULL);
	if (fields != LABEL_FIELDS)
		malformed(
			psprintf("A registration has %d fields, not %d.", LABEL_FIELDS, fields));

	storage->relid = relid;
	tensor = get_string(get_member(object, "tensor"), "tensor", false);
	reference =
		parse_notation(get_string(get_member(object, "notation"), "notation", false));
	if (reference->schema != NULL || strcmp(reference->name, tensor) != 0)
		malformed(psprintf("The notation must name the tensor \"%s\".", tensor));
	storage_set_notation(storage, reference);

	keys = get_array(get_member(object, "keys"), "keys");
	bounds = get_array(get_member(object, "bounds"), "bounds");
	if (layout != NULL && version < LAYOUT_LABEL_VERSION)
		malformed("A label of this version has no field \"layout\".");
	if (ranges != NULL && (version < ORIGIN_LABEL_VERSION || ranges->type != jbvBool ||
						   !ranges->val.boolean))
		malformed("Field \"ranges\" is true, in labels of version 4.");
	storage->ranges = ranges != NULL ? RANGES_OF_KEYS : RANGES_ARE_NO_KEYS;
	if (layout != NULL && !set_layout(storage, get_string(layout, "layout", false),
									  JsonContainerSize(keys), &problem))
		malformed(problem.detail);
	if (JsonContainerSize(bounds) != storage->rank)
		malformed("Field \"bounds\" must have one element for each label.");
	for (i = 0; i < storage->rank; i++)
	{
		StorageDimension *dimension = &storage->dimensions[i];
		JsonbValue *bound = getIthJsonbValueFromContainer(bounds, i);

		if (dimension->kind != DIMENSION_DEMOTED && !is_layout_index(storage, i))
		{
			if (key >= JsonContainerSize(keys))
				malformed("Field \"keys\" must have one element for each key label.");
			dimension->column =
				get_string(getIthJsonbValueFromContainer(keys, key++), "keys", false);
		}
		if (bound->type == jbvString && bound->val.string.len == 1 &&
			bound->val.string.val[0] == '*')
		{
			if (dimension->kind != DIMENSION_PROMOTED)
				malformed("Only the bound of a promoted label can be open.");
			dimension->bound = BOUND_OPEN;
		}
		else if (bound->type == jbvString && version >= ORIGIN_LABEL_VERSION &&
				 is_key_range(get_string(bound, "bounds", false)))
		{
			if (!read_key_range(get_string(bound, "bounds", false), &dimension->bound))
				malformed("A bound of two keys has the first one and the last one.");
		}
		else if (bound->type == jbvString)
		{
			if (dimension->kind == DIMENSION_BLOCKED)
				malformed("The bound of a label in blocks cannot be a dimension.");
			dimension->index_set = get_string(bound, "bounds", false);
			(void) parse_notation(psprintf("%s[]", dimension->index_set));
			dimension->bound = BOUND_UNRESOLVED;
		}
		else
			dimension->bound = get_integer(bound, "bounds");
		if (dimension->kind == DIMENSION_DEMOTED &&
			bound_size(dimension->bound) > PG_INT32_MAX)
			malformed("The bound of a demoted label is too large.");
	}
	if (key != JsonContainerSize(keys))
		malformed("Field \"keys\" must have one element for each key label.");

	get_value(storage, get_member(object, "value"));
	if (storage->layout && storage->value_column)
		malformed("A layout has no value column.");
	if (has_made_value(storage) && fit_made_value(storage) != NULL)
		malformed(fit_made_value(storage));
	/* a label without this field is from a version that only knew 'entry' */
	storage->nulls = NULLS_ENTRY;
	if (nulls != NULL &&
		(storage->value_parts == NIL ||
		 !null_policy_by_name(get_string(nulls, "nulls", false), &storage->nulls)))
		malformed("Field \"nulls\" must be \"row\" or \"entry\", of a value of several "
				  "columns.");
	storage->fill = get_fill(get_member(object, "fill"));
	storage->program = get_string(get_member(object, "program"), "program", true);
	if (position != NULL)
	{
		if (!is_dimension(storage))
			malformed("Only a dimension has the field \"position\".");
		storage->position = get_string(position, "position", false);
	}
	if (query != NULL)
		storage->query = get_string(query, "query", false);
	if (statement != NULL)
	{
		storage->statement = get_string(statement, "statement", false);
		storage->reads = get_integer(get_member(object, "reads"), "reads");
	}
	if (now != NULL)
		storage->now = get_string(now, "now", false);
	if (moved != NULL)
		storage->moved = get_string(moved, "moved", false);
	if (loop != NULL)
		storage->loop = get_loop(loop);
	if (call != NULL)
		storage->call = get_call(call, version);
	if (!element_type_by_name(get_string(get_member(object, "type"), "type", false),
							  &storage->element_type))
		malformed("Field \"type\" is not an element type.");
	if (!duplicate_policy_by_name(
			get_string(get_member(object, "duplicates"), "duplicates", false),
			&storage->duplicates))
		malformed("Field \"duplicates\" must be \"error\", \"trust\" or \"sum\".");
	return storage;
}

List *
label_parse(const char *text, Oid relid)
{
	Jsonb *label = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	JsonbContainer *tensors;
	List *storages = NIL;
	int64 version;
	uint32 i;

	if (!JB_ROOT_IS_OBJECT(label))
		malformed("The label must be a JSON object.");
	version = get_integer(get_member(&label->root, "version"), "version");
	if (version < OLDEST_LABEL_VERSION || version > ORIGIN_LABEL_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("security label for provider \"%s\" has version " INT64_FORMAT,
						LABEL_PROVIDER, version),
				 errdetail("This version of the extension reads versions %d to %d.",
						   OLDEST_LABEL_VERSION, ORIGIN_LABEL_VERSION),
				 errhint("Update the extension, or register the table again.")));
	if (JB_ROOT_COUNT(label) != 2)
		malformed("The label must have the fields \"version\" and \"tensors\".");
	tensors = get_array(get_member(&label->root, "tensors"), "tensors");

	for (i = 0; i < JsonContainerSize(tensors); i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(tensors, i);
		Storage *storage;

		if (element->type != jbvBinary ||
			!JsonContainerIsObject(element->val.binary.data))
			malformed("Each element of \"tensors\" must be an object.");
		storage = parse_registration(element->val.binary.data, relid, version);
		if (find_registration(storages, storage->tensor) != NULL)
			malformed(psprintf("Tensor \"%s\" is registered twice.", storage->tensor));
		storages = lappend(storages, storage);
	}
	return storages;
}

/* The arguments and result of label_parse, for attempt_to_read. */
typedef struct LabelText
{
	const char *text;
	Oid relid;
	List *storages;
} LabelText;

static void
parse_label_text(void *argument)
{
	LabelText *label = argument;

	label->storages = label_parse(label->text, label->relid);
}

List *
label_parse_softly(const char *text, Oid relid, char **message)
{
	LabelText label = {text, relid, NIL};
	const ErrorData *error = attempt_to_read(parse_label_text, &label);

	*message = error ? error->message : NULL;
	return label.storages;
}

static void
append_string_field(StringInfo buf, const char *name, const char *value)
{
	appendStringInfo(buf, ",\"%s\":", name);
	if (value == NULL)
		appendStringInfoString(buf, "null");
	else
		escape_json(buf, value);
}

/* Appends a JSON array of strings (char *). */
static void
append_strings(StringInfo buf, const List *strings)
{
	const ListCell *cell;

	appendStringInfoChar(buf, '[');
	foreach (cell, strings)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoChar(buf, ',');
		escape_json(buf, lfirst(cell));
	}
	appendStringInfoChar(buf, ']');
}

/*
 * Appends the field "value": a column, or what makes the value: several columns, or the
 * categories of one.
 */
static void
append_value_field(StringInfo buf, const Storage *storage)
{
	const char *separator = "";
	ListCell *cell;

	if (storage->layout)
		append_string_field(buf, "value", NULL);
	else if (storage->one_hot)
	{
		appendStringInfoString(buf, ",\"value\":{\"column\":");
		escape_json(buf, storage->value_column);
		appendStringInfoString(buf, ",\"categories\":");
		append_strings(buf, storage->categories);
		appendStringInfoChar(buf, '}');
	}
	else if (storage->value_parts != NIL)
	{
		appendStringInfoString(buf, ",\"value\":[");
		foreach (cell, storage->value_parts)
		{
			const ValuePart *part = lfirst(cell);

			appendStringInfoString(buf, separator);
			separator = ",";
			if (part->column)
				escape_json(buf, part->column);
			else
				appendStringInfoString(buf, float8_to_string(part->constant));
		}
		appendStringInfoChar(buf, ']');
	}
	else
		append_string_field(buf, "value", storage->value_column);
}

static void
append_call(StringInfo buf, const ProgramCall *call)
{
	appendStringInfoString(buf, ",\"call\":{\"text\":");
	escape_json(buf, call->text);
	appendStringInfoString(buf, ",\"path\":");
	append_strings(buf, call->path);
	for (int i = 0; i < CALL_OPTIONS; i++)
	{
		if (call->options[i])
			append_string_field(buf, call_option_names[i], call->options[i]);
	}
	if (call->security_invoker)
		appendStringInfoString(buf, ",\"security_invoker\":true");
	appendStringInfoChar(buf, '}');
}

static void
append_loop(StringInfo buf, const LoopCall *loop)
{
	appendStringInfo(buf, ",\"loop\":{\"max_rounds\":%d", loop->max_rounds);
	for (int i = 0; i < LOOP_TEXTS; i++)
	{
		if (loop->texts[i])
			append_string_field(buf, loop_text_names[i], loop->texts[i]);
	}
	appendStringInfoString(buf, ",\"path\":");
	append_strings(buf, loop->path);
	appendStringInfoString(buf, ",\"assign\":");
	append_strings(buf, loop->assign);
	appendStringInfoChar(buf, '}');
}

bool
same_loop_call(const LoopCall *one, const LoopCall *other)
{
	StringInfoData texts[2];

	if (one == NULL || other == NULL)
		return one == other;
	for (int i = 0; i < 2; i++)
	{
		initStringInfo(&texts[i]);
		append_loop(&texts[i], i ? other : one);
	}
	return strcmp(texts[0].data, texts[1].data) == 0;
}

static void
append_registration(StringInfo buf, const Storage *storage)
{
	bool first = true;
	int i;

	appendStringInfoString(buf, "{\"tensor\":");
	escape_json(buf, storage->tensor);
	append_string_field(buf, "notation", storage_notation(storage));
	appendStringInfoString(buf, ",\"keys\":[");
	for (i = 0; i < storage->rank; i++)
	{
		if (storage->dimensions[i].kind == DIMENSION_DEMOTED ||
			is_layout_index(storage, i))
			continue;
		if (!first)
			appendStringInfoChar(buf, ',');
		first = false;
		escape_json(buf, storage->dimensions[i].column);
	}
	appendStringInfoChar(buf, ']');
	append_value_field(buf, storage);
	if (layout_text(storage))
		append_string_field(buf, "layout", layout_text(storage));
	if (has_ranges(storage))
		appendStringInfoString(buf, ",\"ranges\":true");
	if (storage->value_parts != NIL && storage->nulls == NULLS_ROW)
		append_string_field(buf, "nulls", "row");
	appendStringInfoString(buf, ",\"bounds\":[");
	for (i = 0; i < storage->rank; i++)
	{
		int64 bound = storage->dimensions[i].bound;

		if (i > 0)
			appendStringInfoChar(buf, ',');
		if (bound == BOUND_OPEN)
			appendStringInfoString(buf, "\"*\"");
		else if (bound_is_dimension(bound))
			escape_json(buf, storage->dimensions[i].index_set);
		else if (bound_has_origin(bound))
			escape_json(buf, bounded_to_string(bound));
		else
			appendStringInfo(buf, INT64_FORMAT, bound);
	}
	appendStringInfoChar(buf, ']');
	append_string_field(buf, "type", element_type_name(storage->element_type));
	if (isfinite(creal(storage->fill)) && cimag(storage->fill) == 0.0)
		/* -0 equals 0, and must not look like another fill */
		appendStringInfo(buf, ",\"fill\":%s",
						 float8_to_string(creal(storage->fill) + 0.0));
	else
		append_string_field(buf, "fill", number_to_string(storage->fill));
	append_string_field(buf, "duplicates", duplicate_policy_name(storage->duplicates));
	append_string_field(buf, "program", storage->program);
	if (storage->position != NULL)
		append_string_field(buf, "position", storage->position);
	if (storage->query != NULL)
		append_string_field(buf, "query", storage->query);
	if (storage->statement != NULL)
	{
		append_string_field(buf, "statement", storage->statement);
		appendStringInfo(buf, ",\"reads\":" INT64_FORMAT, storage->reads);
	}
	if (storage->now != NULL)
		append_string_field(buf, "now", storage->now);
	if (storage->moved != NULL)
		append_string_field(buf, "moved", storage->moved);
	if (storage->loop != NULL)
		append_loop(buf, storage->loop);
	if (storage->call != NULL)
		append_call(buf, storage->call);
	appendStringInfoChar(buf, '}');
}

/* Returns the label text of a list of Storage *, in the form above. */
static char *
label_text(List *storages)
{
	StringInfoData buf;
	int version = LABEL_VERSION;
	ListCell *cell;

	foreach (cell, storages)
	{
		const Storage *storage = lfirst(cell);

		if (is_read_by_subquery(storage))
			version = Max(version, LAYOUT_LABEL_VERSION);
		if (has_ranges(storage))
			version = ORIGIN_LABEL_VERSION;
		for (int i = 0; i < storage->rank; i++)
		{
			if (bound_has_origin(storage->dimensions[i].bound))
				version = ORIGIN_LABEL_VERSION;
		}
	}
	initStringInfo(&buf);
	appendStringInfo(&buf, "{\"version\":%d,\"tensors\":[", version);
	foreach (cell, storages)
	{
		if (cell != list_head(storages))
			appendStringInfoChar(&buf, ',');
		append_registration(&buf, (Storage *) lfirst(cell));
	}
	appendStringInfoString(&buf, "]}");
	return buf.data;
}

int64
registration_hash(const Storage *storage)
{
	StringInfoData buf;
	Storage plain = *storage;

	/* how a tensor was made does not change what it holds */
	plain.call = NULL;
	plain.now = NULL;
	plain.loop = NULL;
	initStringInfo(&buf);
	append_registration(&buf, &plain);
	return (int64) hash_bytes_extended((const unsigned char *) buf.data, buf.len, 0);
}

int64
registrations_hash(const List *storages)
{
	uint64 hash = 0;
	ListCell *cell;

	foreach (cell, storages)
	{
		const Storage *storage = lfirst(cell);
		bool seen = false;

		for (int i = 0; i < foreach_current_index(cell) && !seen; i++)
		{
			const Storage *other = list_nth(storages, i);

			seen = other->relid == storage->relid &&
				   strcmp(other->tensor, storage->tensor) == 0;
		}
		if (!seen)
			hash += (uint64) registration_hash(storage);
	}
	return (int64) (hash & PG_INT64_MAX);
}

Storage *
find_registration(List *storages, const char *tensor)
{
	ListCell *cell;

	foreach (cell, storages)
	{
		Storage *storage = (Storage *) lfirst(cell);

		if (strcmp(storage->tensor, tensor) == 0)
			return storage;
	}
	return NULL;
}

/* ----------------------------------------------------------------
 *		pg_seclabel
 * ----------------------------------------------------------------
 */

static int
compare_relations(const ListCell *a, const ListCell *b)
{
	Oid left = ((LabelledRelation *) lfirst(a))->relid;
	Oid right = ((LabelledRelation *) lfirst(b))->relid;

	return left < right ? -1 : left > right ? 1 : 0;
}

List *
all_labels(void)
{
	Relation catalog = table_open(SecLabelRelationId, AccessShareLock);
	ScanKeyData key[2];
	SysScanDesc scan;
	HeapTuple tuple;
	List *result = NIL;

	ScanKeyInit(&key[0], Anum_pg_seclabel_classoid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&key[1], Anum_pg_seclabel_objsubid, BTEqualStrategyNumber, F_INT4EQ,
				Int32GetDatum(0));
	/* no index begins with classoid */
	scan = systable_beginscan(catalog, InvalidOid, false, NULL, 2, key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		LabelledRelation *relation;
		Datum value;
		bool isnull;

		value = heap_getattr(tuple, Anum_pg_seclabel_provider, RelationGetDescr(catalog),
							 &isnull);
		if (isnull || strcmp(TextDatumGetCString(value), LABEL_PROVIDER) != 0)
			continue;
		relation = palloc0(sizeof(LabelledRelation));
		value = heap_getattr(tuple, Anum_pg_seclabel_objoid, RelationGetDescr(catalog),
							 &isnull);
		relation->relid = DatumGetObjectId(value);
		value = heap_getattr(tuple, Anum_pg_seclabel_label, RelationGetDescr(catalog),
							 &isnull);
		if (isnull)
			continue;
		relation->label = TextDatumGetCString(value);
		result = lappend(result, relation);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return result;
}

List *
scan_labels(List *schemas)
{
	List *result = NIL;
	ListCell *cell;

	foreach (cell, all_labels())
	{
		LabelledRelation *relation = (LabelledRelation *) lfirst(cell);

		/* a relation may be dropped while we read */
		relation->schema = get_rel_namespace(relation->relid);
		if (OidIsValid(relation->schema) && !isOtherTempNamespace(relation->schema) &&
			(schemas == NIL || list_member_oid(schemas, relation->schema)) &&
			!is_citus_shard(relation->relid))
			result = lappend(result, relation);
	}
	list_sort(result, compare_relations);
	return result;
}

char *
relation_label(Oid relid)
{
	ObjectAddress object;

	ObjectAddressSet(object, RelationRelationId, relid);
	return GetSecurityLabel(&object, LABEL_PROVIDER);
}

List *
relation_registrations(Oid relid)
{
	char *label = relation_label(relid);

	return label == NULL ? NIL : label_parse(label, relid);
}

void
set_relation_registrations(Oid relid, List *storages)
{
	ObjectAddress object;

	keep_extension();
	ObjectAddressSet(object, RelationRelationId, relid);
	SetSecurityLabel(&object, LABEL_PROVIDER,
					 storages == NIL ? NULL : label_text(storages));
	registry_changed(relid);
	/* so that a further change in this command sees this one */
	CommandCounterIncrement();
}

/*
 * Checks the form of a label; SECURITY LABEL has checked that the user owns the relation,
 * and holds its lock.
 */
static void
check_relabel(const ObjectAddress *object, const char *label)
{
	char kind;

	if (object->classId != RelationRelationId || object->objectSubId != 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("security labels of provider \"%s\" are for tables and views only",
					LABEL_PROVIDER)));
	kind = get_rel_relkind(object->objectId);
	if (kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE &&
		kind != RELKIND_FOREIGN_TABLE && kind != RELKIND_VIEW && kind != RELKIND_MATVIEW)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not a table or view",
							   get_rel_name(object->objectId))));
	if (label != NULL)
	{
		keep_extension();
		(void) label_parse(label, object->objectId);
	}
	/* the message is sent at the end of the command, when the label is stored */
	registry_changed(object->objectId);
}

void
catalog_init(void)
{
	register_label_provider(LABEL_PROVIDER, check_relabel);
	drop_labels_init();
}

/*
 * Called by the event trigger on SECURITY LABEL and on commands that can drop the
 * extension. A session that restores a dump or drops the extension may not have loaded
 * the library yet: calling this function loads it. Catalogs of 0.2.0 have it as the
 * function of the trigger itself.
 */
PG_FUNCTION_INFO_V1(load_label_provider);
Datum
load_label_provider(PG_FUNCTION_ARGS)
{
	PG_RETURN_VOID();
}
