/*-------------------------------------------------------------------------
 *
 * tensor_json.c
 *	  Casts between tensors, json and jsonb: nested arrays of numbers, or of a sparse value
 *	  an object.
 *
 * The object of float8(3,4):{(0,1):2,*:1} is {"shape": [3, 4], "entries": {"0,1": 2},
 * "fill": 1}; a fill of 0 is left out.
 *
 * Numbers that JSON has not got are the strings "NaN", "Infinity" and
 * "-Infinity". What comes back is float8. A tensor without elements keeps of
 * its shape what nested arrays can show: the bounds up to the first 0.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

static void
json_of_number(ElementType type, const void *element, JsonbValue *value)
{
	char text[DOUBLE_SHORTEST_DECIMAL_LEN];
	double number;

	/* as few digits as the element's own precision needs */
	if (type == ELEMENT_FLOAT4)
	{
		number = *(const float *) element;
		float_to_shortest_decimal_buf((float) number, text);
	}
	else
	{
		number = *(const double *) element;
		double_to_shortest_decimal_buf(number, text);
	}
	if (isfinite(number))
	{
		value->type = jbvNumeric;
		value->val.numeric = DatumGetNumeric(
			DirectFunctionCall3(numeric_in, CStringGetDatum(text),
								ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	}
	else
	{
		value->type = jbvString;
		value->val.string.val = pstrdup(text);
		value->val.string.len = (int) strlen(text);
	}
}

/*
 * The most bytes, in a container of jsonb, which has at most 256 MB, of a number of 17
 * digits, of a list around one, and of an index in a key.
 */
#define JSON_NUMBER 24
#define JSON_LIST 8
#define JSON_INDEX 11

/* Returns how many entries of a value an object of jsonb can have, whatever they are. */
static int64
most_json_entries(const Tensor *tensor)
{
	return JENTRY_OFFLENMASK /
		   (int64) (JSON_NUMBER + sizeof(JEntry) + JSON_INDEX * tensor->rank);
}

/* Can a value be cast to jsonb, as an array or object that is not too large? */
static bool
is_array_of_json(const Tensor *tensor)
{
	ElementType type = (ElementType) tensor->type;
	int64 bounds[TENSOR_MAX_RANK];
	int64 count;

	if (element_is_complex(type))
		return false;
	if (is_sparse(tensor))
		return sparse_entries(tensor).count <= most_json_entries(tensor);
	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[d];
	count = sparse_extent(tensor->rank, bounds);
	/* with at most as many lists as elements */
	return count <= JENTRY_OFFLENMASK / (JSON_NUMBER + JSON_LIST);
}

/* Adds a member of an object with this key. */
static void
push_key(JsonbInState *state, char *key)
{
	JsonbValue value = {.type = jbvString, .val.string = {strlen(key), key}};

	pushJsonbValue(state, WJB_KEY, &value);
}

/* Returns a sparse value as an object. */
static JsonbValue *
object_of_sparse(const Tensor *tensor)
{
	SparseEntries entries = sparse_entries(tensor);
	JsonbInState state = {0};
	JsonbValue value;

	if (entries.count > most_json_entries(tensor))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("sparse tensor of " INT64_FORMAT
							   " entries is too large for type jsonb",
							   entries.count)));
	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	push_key(&state, "shape");
	pushJsonbValue(&state, WJB_BEGIN_ARRAY, NULL);
	for (int d = 0; d < tensor->rank; d++)
	{
		double bound = tensor->bounds[d];

		json_of_number(ELEMENT_FLOAT8, &bound, &value);
		pushJsonbValue(&state, WJB_ELEM, &value);
	}
	pushJsonbValue(&state, WJB_END_ARRAY, NULL);
	push_key(&state, "entries");
	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (int64 i = 0; i < entries.count; i++)
	{
		if ((i & 1023) == 0)
			CHECK_FOR_INTERRUPTS();
		push_key(&state, sparse_place_string(tensor, entry_position(&entries, i)));
		json_of_number(entries.type, entry_element(&entries, i), &value);
		pushJsonbValue(&state, WJB_VALUE, &value);
	}
	pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	if (!sparse_has_fill(tensor, 0))
	{
		push_key(&state, "fill");
		json_of_number(entries.type, sparse_fill(tensor), &value);
		pushJsonbValue(&state, WJB_VALUE, &value);
	}
	pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	return state.result;
}

PG_FUNCTION_INFO_V1(tensor_to_jsonb);
Datum
tensor_to_jsonb(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	int rank = tensor->rank;
	Size size = element_size((ElementType) tensor->type);
	JsonbInState state = {0};
	JsonbValue value;
	int64 lists = 1; /* number of innermost lists */
	int depth = 0;   /* depth of the innermost lists: up to the first bound of 0 */
	int64 index[TENSOR_MAX_RANK] = {0};
	int64 at = 0;

	if (element_is_complex((ElementType) tensor->type))
		ereport(ERROR, (errcode(ERRCODE_CANNOT_COERCE),
						errmsg("complex tensor cannot be cast to type jsonb"),
						errdetail("The value's element type is %s.",
								  element_type_name((ElementType) tensor->type))));
	if (is_sparse(tensor))
		PG_RETURN_JSONB_P(JsonbValueToJsonb(object_of_sparse(tensor)));
	if (rank == 0)
	{
		json_of_number((ElementType) tensor->type, tensor_elements(tensor), &value);
		PG_RETURN_JSONB_P(JsonbValueToJsonb(&value));
	}

	while (depth < rank)
	{
		depth++;
		if (tensor->bounds[depth - 1] == 0)
			break;
		if (depth < rank)
			lists *= tensor->bounds[depth - 1];
	}
	/* a jsonb container has at most 256 MB, and a number takes at least 8 bytes */
	if (lists + tensor_count(tensor) > JENTRY_OFFLENMASK / 8)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor of shape %s is too large for type jsonb",
							   tensor_shape_string(tensor))));

	for (int d = 0; d < depth; d++)
		pushJsonbValue(&state, WJB_BEGIN_ARRAY, NULL);
	for (int64 list = 0; list < lists; list++)
	{
		int closed = 1;

		for (int64 i = 0; i < tensor->bounds[depth - 1]; i++, at++)
		{
			if ((at & 1023) == 0)
				CHECK_FOR_INTERRUPTS();
			json_of_number((ElementType) tensor->type,
						   (const char *) tensor_elements(tensor) + at * size, &value);
			pushJsonbValue(&state, WJB_ELEM, &value);
		}
		for (int d = depth - 2; d >= 0; d--)
		{
			if (++index[d] < tensor->bounds[d])
				break;
			index[d] = 0;
			closed++;
		}
		for (int d = 0; d < closed; d++)
			pushJsonbValue(&state, WJB_END_ARRAY, NULL);
		for (int d = 0; list + 1 < lists && d < closed; d++)
			pushJsonbValue(&state, WJB_BEGIN_ARRAY, NULL);
	}
	PG_RETURN_JSONB_P(JsonbValueToJsonb(state.result));
}

/*
 * tensor_to_json(tensor): as the cast to jsonb; to_json() and row_to_json() use it for
 * columns. They must not fail where the text of a value did: what jsonb refuses, complex
 * and large values, is a string, the text of the value.
 */
PG_FUNCTION_INFO_V1(tensor_to_json);
Datum
tensor_to_json(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	StringInfoData text;

	initStringInfo(&text);
	if (is_array_of_json(tensor))
	{
		Jsonb *array =
			DatumGetJsonbP(DirectFunctionCall1(tensor_to_jsonb, PointerGetDatum(tensor)));

		(void) JsonbToCString(&text, &array->root, VARSIZE(array));
	}
	else
		escape_json(&text, is_sparse(tensor) ? sparse_to_string(tensor)
											 : tensor_to_string(tensor));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text.data, text.len));
}

/* Raises the error that a value of JSON is no tensor, or saves it in escontext. */
#define NOT_A_TENSOR(escontext, ...)                                                     \
	errsave(escontext,                                                                   \
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),                                   \
			 errmsg("jsonb value cannot be cast to type tensor"),                        \
			 errdetail(__VA_ARGS__),                                                     \
			 errhint("A dense value is nested arrays of numbers, as in [[1,2],"          \
					 "[3,4]], without null; a sparse one {\"shape\": [5], "              \
					 "\"entries\": {\"3\": 0.5}}.")))

/*
 * Reads a number. False if an error was saved in escontext: 22003 for one beyond float8,
 * 22023 for what is no number.
 */
static bool
number_of_json(const JsonbValue *value, Node *escontext, double *number)
{
	if (value->type == jbvNumeric)
	{
		char *text = DatumGetCString(
			DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
		Datum result;

		if (!DirectInputFunctionCallSafe(float8in, text, FLOAT8OID, -1, escontext,
										 &result))
			return false;
		*number = DatumGetFloat8(result);
		pfree(text);
		return true;
	}
	if (value->type == jbvString)
	{
		static const struct
		{
			const char *name;
			double sign;
		} names[] = {{"NaN", 0}, {"Infinity", 1}, {"-Infinity", -1}};

		for (int i = 0; i < (int) lengthof(names); i++)
		{
			if (value->val.string.len == (int) strlen(names[i].name) &&
				memcmp(value->val.string.val, names[i].name, value->val.string.len) == 0)
			{
				*number = names[i].sign == 0 ? get_float8_nan()
											 : names[i].sign * get_float8_infinity();
				return true;
			}
		}
		NOT_A_TENSOR(
			escontext,
			"Of strings only \"NaN\", \"Infinity\" and \"-Infinity\" are numbers.");
		return false;
	}
	NOT_A_TENSOR(escontext, "It holds something else than numbers and arrays.");
	return false;
}

/* Returns a member of an object; NULL if no member has this name. */
static JsonbValue *
member_of(JsonbContainer *object, const char *name)
{
	return getKeyJsonValueFromContainer(object, name, (int) strlen(name), NULL);
}

/* Reads the shape of a sparse value; returns its rank, or -1 if an error was saved. */
static int
shape_of_json(JsonbContainer *object, Node *escontext, int64 *bounds)
{
	JsonbValue *shape = member_of(object, "shape");
	JsonbContainer *list;

	if (shape == NULL || shape->type != jbvBinary ||
		!JsonContainerIsArray(shape->val.binary.data))
	{
		NOT_A_TENSOR(escontext,
					 "An object is a sparse tensor, and has an array \"shape\".");
		return -1;
	}
	list = shape->val.binary.data;
	if (JsonContainerSize(list) > TENSOR_MAX_RANK)
	{
		NOT_A_TENSOR(escontext, "A tensor has at most %d dimensions.", TENSOR_MAX_RANK);
		return -1;
	}
	for (uint32 d = 0; d < JsonContainerSize(list); d++)
	{
		JsonbValue *bound = getIthJsonbValueFromContainer(list, d);
		double number = -1;

		if (bound->type == jbvNumeric && !number_of_json(bound, escontext, &number))
			return -1;
		if (!(number >= 0 && number <= PG_INT32_MAX) || number != floor(number))
		{
			NOT_A_TENSOR(escontext, "Its bounds are integers from 0 to %d.",
						 PG_INT32_MAX);
			return -1;
		}
		bounds[d] = (int64) number;
	}
	if (sparse_extent((int) JsonContainerSize(list), bounds) < 0)
	{
		NOT_A_TENSOR(escontext, "The product of the bounds is beyond 2^63 - 1.");
		return -1;
	}
	return (int) JsonContainerSize(list);
}

/* An entry of an object. */
typedef struct JsonEntry
{
	uint64 position;
	double number;
} JsonEntry;

/* Reads the key of an entry, "0,1", as its position. False if it is no place. */
static bool
position_of_json(const JsonbValue *key, int rank, const int64 *bounds, uint64 *position)
{
	const char *at = key->val.string.val;
	const char *end = at + key->val.string.len;

	*position = 0;
	for (int d = 0; d < rank; d++)
	{
		int64 index = 0;
		const char *start = at;

		for (; at < end && *at >= '0' && *at <= '9' && index < bounds[d]; at++)
			index = index * 10 + (*at - '0');
		if (at == start || index >= bounds[d] || (*start == '0' && at > start + 1) ||
			(d + 1 < rank && (at == end || *at++ != ',')))
			return false;
		*position = *position * (uint64) bounds[d] + (uint64) index;
	}
	return at == end;
}

static int
compare_entries(const void *a, const void *b)
{
	uint64 left = ((const JsonEntry *) a)->position;
	uint64 right = ((const JsonEntry *) b)->position;

	return left < right ? -1 : left > right;
}

/*
 * Reads the entries of a sparse value, in the order of the object. False if an error was
 * saved in escontext.
 */
static bool
entries_of_json(JsonbContainer *members, int rank, const int64 *bounds, Node *escontext,
				JsonEntry *entries)
{
	JsonbIterator *iterator = JsonbIteratorInit(members);
	JsonbIteratorToken token;
	JsonbValue value;
	int64 count = 0;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY &&
			!position_of_json(&value, rank, bounds, &entries[count].position))
		{
			NOT_A_TENSOR(escontext, "The key \"%s\" is no place of an entry in shape %s.",
						 pnstrdup(value.val.string.val, value.val.string.len),
						 shape_to_string(rank, bounds));
			return false;
		}
		if (token == WJB_VALUE &&
			!number_of_json(&value, escontext, &entries[count++].number))
			return false;
		if ((count & 1023) == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return true;
}

/*
 * Returns the sparse value of an object; NULL if an error was saved in escontext. An
 * entry that equals the fill is left out.
 */
static Tensor *
sparse_of_object(JsonbContainer *object, Node *escontext)
{
	JsonbValue *members = member_of(object, "entries");
	JsonbValue *fill = member_of(object, "fill");
	double filling = 0.0;
	int64 bounds[TENSOR_MAX_RANK];
	int rank = shape_of_json(object, escontext, bounds);
	SparseBuilder builder;
	JsonEntry *entries;
	int64 count;

	if (rank < 0)
		return NULL;
	if (members == NULL || members->type != jbvBinary ||
		!JsonContainerIsObject(members->val.binary.data))
	{
		NOT_A_TENSOR(escontext,
					 "An object is a sparse tensor, and has an object \"entries\".");
		return NULL;
	}
	if (JsonContainerSize(object) != (fill ? 3 : 2))
	{
		NOT_A_TENSOR(escontext, "An object of a sparse tensor has \"shape\", "
								"\"entries\" and \"fill\" alone.");
		return NULL;
	}
	if (fill && !number_of_json(fill, escontext, &filling))
		return NULL;
	count = JsonContainerSize(members->val.binary.data);
	entries = palloc(sizeof(JsonEntry) * Max(count, 1));
	if (!entries_of_json(members->val.binary.data, rank, bounds, escontext, entries))
		return NULL;
	sparse_begin(&builder, ELEMENT_FLOAT8, rank, bounds);
	builder.fill = sparse_element(ELEMENT_FLOAT8, filling, 0);
	/* the keys of an object are in an order of their own */
	qsort(entries, count, sizeof(JsonEntry), compare_entries);
	for (int64 i = 0; i < count; i++)
		sparse_append_other(&builder, entries[i].position, entries[i].number, 0);
	pfree(entries);
	return sparse_finish(&builder);
}

/*
 * jsonb_to_tensor(jsonb): walks through the value twice: first to find the shape, which
 * every list must fit, and so the size; then to read the numbers.
 */
PG_FUNCTION_INFO_V1(jsonb_to_tensor);
Datum
jsonb_to_tensor(PG_FUNCTION_ARGS)
{
	Jsonb *json = PG_GETARG_JSONB_P(0);
	int64 bounds[TENSOR_MAX_RANK];
	int rank = -1;
	int depth = 0;
	int64 lengths[TENSOR_MAX_RANK];
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue value;
	Tensor *tensor;
	double *data;
	int64 count = 0;

	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		bounds[i] = -1;
	if (JB_ROOT_IS_OBJECT(json))
		PG_RETURN_TENSOR_P(sparse_of_object(&json->root, NULL));
	if (JB_ROOT_IS_SCALAR(json))
		rank = 0;
	iterator = JsonbIteratorInit(&json->root);
	while (rank != 0 && (token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		if (token == WJB_BEGIN_ARRAY)
		{
			if (depth == TENSOR_MAX_RANK)
				NOT_A_TENSOR(NULL, "Arrays nest more than %d deep.", TENSOR_MAX_RANK);
			if (rank >= 0 && depth >= rank)
				NOT_A_TENSOR(NULL, "An array stands where a number is expected.");
			lengths[depth++] = 0;
		}
		else if (token == WJB_END_ARRAY)
		{
			depth--;
			if (rank < 0)
				rank = depth + 1;
			if (lengths[depth] == 0 && depth + 1 != rank)
				NOT_A_TENSOR(NULL, "An empty array stands where arrays are expected.");
			if (bounds[depth] < 0)
				bounds[depth] = lengths[depth];
			else if (bounds[depth] != lengths[depth])
				NOT_A_TENSOR(NULL,
							 "An array of dimension %d has " INT64_FORMAT
							 " members where " INT64_FORMAT " are expected.",
							 depth, lengths[depth], bounds[depth]);
			if (depth > 0)
				lengths[depth - 1]++;
		}
		else if (token == WJB_ELEM)
		{
			if (rank < 0)
				rank = depth;
			else if (depth != rank)
				NOT_A_TENSOR(NULL, "A number stands where an array is expected.");
			lengths[depth - 1]++;
		}
		else
			NOT_A_TENSOR(NULL, "It holds an object.");
	}

	tensor = tensor_new(ELEMENT_FLOAT8, rank, bounds);
	data = tensor_elements(tensor);
	iterator = JsonbIteratorInit(&json->root);
	while ((token = JsonbIteratorNext(&iterator, &value, false)) != WJB_DONE)
	{
		if ((count & 1023) == 0)
			CHECK_FOR_INTERRUPTS();
		if (token == WJB_ELEM)
			(void) number_of_json(&value, NULL, &data[count++]);
	}
	PG_RETURN_TENSOR_P(tensor);
}

bool
is_json_object(const char *text)
{
	text += strspn(text, " \t\r\n");
	if (*text != '{')
		return false;
	text++;
	return text[strspn(text, " \t\r\n")] == '"';
}

Tensor *
tensor_of_json(char *text, Node *escontext)
{
	Datum json;

	if (!DirectInputFunctionCallSafe(jsonb_in, text, JSONBOID, -1, escontext, &json))
		return NULL;
	return sparse_of_object(&DatumGetJsonbP(json)->root, escontext);
}
