/*-------------------------------------------------------------------------
 *
 * arguments.c
 *	  Arguments that several einsum_* functions take.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include <ctype.h>

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/origin.h"
#include "catalog/tensor_storage.h"
#include "commands/arguments.h"
#include "parser/program_parser.h"

void
require_argument(FunctionCallInfo fcinfo, int argument, const char *name)
{
	if (PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("argument \"%s\" must not be NULL", name),
						strcmp(name, "fill") == 0
							? errhint("It is the number that an absent entry means: 0 if "
									  "it is left out, 'NaN' for one that is unknown, or "
									  "'Infinity'.")
							: 0));
}

char *
program_name(FunctionCallInfo fcinfo, int argument)
{
	char *name;

	if (PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the name of a program must not be null")));
	name = text_to_cstring(PG_GETARG_TEXT_PP(argument));
	if (*name == '\0')
		ereport(ERROR, (errcode(ERRCODE_INVALID_NAME),
						errmsg("the name of a program must not be empty")));
	return name;
}

char *
created_program_name(FunctionCallInfo fcinfo, int argument, const char *schema)
{
	char *name = program_name(fcinfo, argument);
	const char *dot = strchr(name, '.');

	if (dot)
		ereport(NOTICE, (errmsg("the name \"%s\", dot included, belongs to schema \"%s\"",
								name, schema),
						 errhint("If a schema is meant, write %s, schema => %s.",
								 quote_literal_cstr(dot + 1),
								 quote_literal_cstr(pnstrdup(name, dot - name)))));
	return name;
}

/*
 * Reads a bound that is the name of a dimension. Errors: 0A000 for a label whose indices
 * are split in blocks.
 */
static int64
parse_index_set(StorageDimension *dimension, const char *text)
{
	SyntaxReference *reference = parse_notation(psprintf("%s[]", text));

	if (dimension->kind == DIMENSION_BLOCKED)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("label \"%s\" cannot have the dimension \"%s\" as its bound",
					dimension->label, reference->name),
			 errdetail("Blocks of keys cannot be stored; this label is split in blocks."),
			 errhint("Store a row for each key, and write the label in upper case.")));
	dimension->index_set =
		reference->schema ? quote_qualified_identifier(reference->schema, reference->name)
						  : pstrdup(quote_identifier(reference->name));
	return BOUND_UNRESOLVED;
}

#define A_BOUND                                                                          \
	"A bound is an integer, a first and a last key as in 1..9, '*' if the index set is " \
	"the keys that occur, or the name of a dimension."
#define READ_OFF                                                                         \
	" NULL in its place, as in bounds => '{NULL,4}', is read off the data, as all are "  \
	"without bounds."

/*
 * Reads a bound; read_off: messages mention that NULL in its place is read off the data.
 */
static int64
parse_bound(StorageDimension *dimension, const char *text, bool read_off)
{
	char *end;
	long long bound;
	int64 range = 0;
	const char *dots = strstr(text, "..");
	bool two_keys = dots && memchr(text, '"', dots - text) == NULL;

	if (strcmp(text, "*") == 0)
	{
		if (dimension->kind == DIMENSION_PROMOTED)
			return BOUND_OPEN;
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("label \"%s\" cannot have the bound '*'", dimension->label),
			 errdetail("Only the keys of a promoted label can be open; this label is "
					   "%s.",
					   dimension->kind == DIMENSION_BLOCKED ? "split in blocks"
															: "a dimension of the value"),
			 errhint("%s", read_off
							   ? _("Give its bound as an integer. NULL in its place, "
								   "as in bounds => '{NULL,NULL}', is read off the "
								   "data, as all are without bounds.")
							   : _("Give its bound as an integer."))));
	}
	if (two_keys && !read_key_range(text, &range))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid bound \"%s\" of label \"%s\"", text, dimension->label),
				 errhint("A bound of two keys has the first one, two dots and the last "
						 "one, without spaces, as 1..9 or 2024-01-01..2024-12-31.")));
	if (IS_HIGHBIT_SET(*text) || isalpha((unsigned char) *text) || *text == '_' ||
		*text == '"')
		return parse_index_set(dimension, text);
	if (two_keys && bound_has_origin(range) &&
		(dimension->kind != DIMENSION_DEMOTED || bound_size(range) <= PG_INT32_MAX))
		return range;
	if (two_keys)
		text = psprintf(INT64_FORMAT, bound_size(range));
	errno = 0;
	bound = strtoll(text, &end, 10);
	if (end == text || *end != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid bound \"%s\" of label \"%s\"", text, dimension->label),
				 errhint("%s%s", _(A_BOUND), read_off ? _(READ_OFF) : "")));
	if (errno != 0 || bound < 0 ||
		(dimension->kind == DIMENSION_DEMOTED && bound > PG_INT32_MAX))
		ereport(
			ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("bound %s of label \"%s\" is out of range", text, dimension->label),
			 errdetail("A bound is from 0 to %s.", dimension->kind == DIMENSION_DEMOTED
													   ? "2147483647"
													   : "9223372036854775807"),
			 errhint("%s%s", _(A_BOUND), bound < 0 && read_off ? _(READ_OFF) : "")));
	return bound;
}

void
set_bound(StorageDimension *dimension, const char *text)
{
	dimension->index_set = NULL;
	dimension->bound = parse_bound(dimension, text, false);
}

bool
is_further_storage(const text *value)
{
	char *storage = text_to_cstring(value);

	if (strcmp(storage, "only") != 0 && strcmp(storage, "further") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown value for storage: \"%s\"", storage),
				 errhint("It is 'only' (no other relation holds the tensor) or 'further' "
						 "(others hold the same entries).")));
	return strcmp(storage, "further") == 0;
}

/* May two bounds be meant as the first and the last key of one label? */
static bool
is_first_and_last(const char *first, const char *last)
{
	return strcmp(first, last) != 0 && isdigit((unsigned char) first[0]) &&
		   isdigit((unsigned char) last[0]) && strstr(first, "..") == NULL &&
		   strstr(last, "..") == NULL;
}

void
set_bounds(Storage *storage, ArrayType *bounds, bool read_off)
{
	Datum *texts;
	bool *nulls;
	int count;
	int i;

	if (bounds == NULL)
	{
		for (i = 0; i < storage->rank; i++)
			storage->dimensions[i].bound = BOUND_UNKNOWN;
		return;
	}
	if (ARR_NDIM(bounds) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("bounds must be a one-dimensional array")));
	deconstruct_array(bounds, TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls, &count);
	if (count != storage->rank)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg_plural("tensor \"%s\" has %d label, but bounds for %d",
						   "tensor \"%s\" has %d labels, but bounds for %d",
						   storage->rank, storage->tensor, storage->rank, count),
			 storage->rank == 1 && count == 2 && !nulls[0] && !nulls[1] &&
					 is_first_and_last(TextDatumGetCString(texts[0]),
									   TextDatumGetCString(texts[1]))
				 ? errhint("A first and a last key are one bound: '{%s..%s}'.",
						   TextDatumGetCString(texts[0]), TextDatumGetCString(texts[1]))
				 : errhint("Give one bound for each label, in the order of the "
						   "notation; NULL is read off the data.")));
	for (i = 0; i < storage->rank; i++)
	{
		if (nulls[i])
			storage->dimensions[i].bound = BOUND_UNKNOWN;
		else
		{
			StorageDimension *dimension = &storage->dimensions[i];

			dimension->index_set = NULL;
			dimension->bound =
				parse_bound(dimension, TextDatumGetCString(texts[i]), read_off);
		}
	}
}

SyntaxReference *
parse_tensor_name(const text *name)
{
	char *notation = text_to_cstring(name);

	if (strchr(notation, '[') == NULL)
		notation = psprintf("%s[]", notation);
	return parse_notation(notation);
}

void
report_no_tensor(const SyntaxReference *reference)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("tensor \"%s%s%s\" does not exist",
					reference->schema ? reference->schema : "",
					reference->schema ? "." : "", reference->name),
			 errhint("%s", unknown_tensor_hint(reference->schema, reference->name))));
}

void
notice_aggregate_name(const SyntaxReference *reference)
{
	AggregateOperator aggregate;

	if (!reference->quoted && aggregate_operator_by_name(reference->name, &aggregate))
		ereport(NOTICE,
				(errmsg("tensor \"%s\" has the name of an aggregate", reference->name),
				 errhint("Programs read it in quotes: \"%s\"[i]. Without them %s[i] "
						 "aggregates over label \"i\".",
						 reference->name, reference->name)));
}

TensorEntry *
require_tensor(const SyntaxReference *reference)
{
	TensorEntry *tensor = lookup_tensor(reference->schema, reference->name);

	if (tensor == NULL)
		report_no_tensor(reference);
	return tensor;
}

List *
read_tensor_names(ArrayType *array, const char *argument)
{
	List *names = NIL;
	Datum *elements;
	bool *nulls;
	int count;
	const text *name;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s must be a one-dimensional array", argument)));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("a tensor in %s must not be null", argument)));
		name = DatumGetTextPP(elements[i]);
		/* the array '{x[i,k]}' has the elements "x[i" and "k]" */
		if (strchr(text_to_cstring(name), '[') && !strchr(text_to_cstring(name), ']'))
			ereport(ERROR,
					(errcode(ERRCODE_SYNTAX_ERROR),
					 errmsg("%s is a list of names of tensors, without labels", argument),
					 errhint("Write %s => '{%s}'.", argument,
							 pnstrdup(text_to_cstring(name),
									  strcspn(text_to_cstring(name), "[")))));
		names = lappend(names, parse_tensor_name(name));
	}
	return names;
}

List *
names_of_search_path(void)
{
	List *names = NIL;
	ListCell *lc;

	foreach (lc, fetch_search_path(false))
		names = lappend(names, isTempNamespace(lfirst_oid(lc))
								   ? pstrdup("pg_temp")
								   : get_namespace_name(lfirst_oid(lc)));
	return names;
}
