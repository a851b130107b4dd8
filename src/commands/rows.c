/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  einsum_rows: a program's result as rows, all of it or at some keys.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "executor/tstoreReceiver.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/params.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/plancache.h"

#include "catalog/origin.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "codegen/deparse.h"
#include "codegen/point.h"
#include "commands/options.h"
#include "commands/results.h"
#include "compat.h"
#include "type/extension.h"

PG_FUNCTION_INFO_V1(einsum_rows);

/* A member of the JSON argument at: a label and its key. */
typedef struct GivenKey
{
	char *label;
	char *kind; /* json_typeof */
	char *text; /* the value as text; NULL if it is null */
} GivenKey;

typedef struct GivenKeys
{
	int count;
	GivenKey *keys;
} GivenKeys;

static char *
spi_text(uint64 row, int column, MemoryContext context)
{
	char *value = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column);

	return value ? MemoryContextStrdup(context, value) : NULL;
}

/* Returns the members of a JSON object in order, with duplicates. */
static GivenKeys
read_json_members(Datum json)
{
	MemoryContext context = CurrentMemoryContext;
	Oid type = JSONOID;
	GivenKeys given;

	SPI_connect();
	if (run_with_args("SELECT e.key, pg_catalog.json_typeof(e.value), "
					  "e.value OPERATOR(pg_catalog.#>>) '{}'::pg_catalog.text[] "
					  "FROM pg_catalog.json_each($1) AS e",
					  1, &type, &json, NULL, true) != SPI_OK_SELECT)
		elog(ERROR, "the members of at could not be read");
	given.count = (int) SPI_processed;
	given.keys = MemoryContextAlloc(context, sizeof(GivenKey) * Max(given.count, 1));
	for (int n = 0; n < given.count; n++)
	{
		given.keys[n].label = spi_text(n, 1, context);
		given.keys[n].kind = spi_text(n, 2, context);
		given.keys[n].text = spi_text(n, 3, context);
	}
	SPI_finish();
	return given;
}

/*
 * Reads the argument at. Errors: 22023 if it is not an object, has no members, or a
 * member is not a single key; 22004 for a key that is null.
 */
static GivenKeys
read_given_keys(Datum json)
{
	char *kind = text_to_cstring(DatumGetTextPP(DirectFunctionCall1(json_typeof, json)));
	const char *example = "Write at => '{\"i\": 42}'.";
	GivenKeys given;

	if (strcmp(kind, "object") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("at must be a JSON object"),
						errdetail("It is of type %s.", kind), errhint("%s", example)));
	given = read_json_members(json);
	if (given.count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("at must name at least one label"),
				 errdetail("It is an object without members."),
				 errhint("%s Without the argument, einsum_rows() returns the whole "
						 "result.",
						 example)));
	for (int n = 0; n < given.count; n++)
	{
		const GivenKey *key = &given.keys[n];

		if (key->text == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the key of label \"%s\" must not be null", key->label),
					 errdetail("A row with a NULL key is an absent entry."),
					 errhint("%s", example)));
		if (strcmp(key->kind, "array") == 0 || strcmp(key->kind, "object") == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("label \"%s\" needs one key", key->label),
					 errdetail("It is given an %s.", key->kind),
					 errhint("Call einsum_rows() for each key: FROM unnest(keys) AS "
							 "k(key), einsum_rows(..., at => json_build_object('%s', "
							 "k.key)) AS ...",
							 key->label)));
	}
	return given;
}

static void
no_integer(const GivenKey *key)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("\"%s\" is no key of label \"%s\"", key->text, key->label),
					errdetail("The keys of this label are integers."),
					errhint("Write at => '{\"%s\": 42}'.", key->label)));
}

/*
 * Returns a key as an index. Errors: 22P02 if it is not an integer, 22003 if it is
 * outside the bound.
 */
static int64
index_of_key(const GivenKey *key, const char *tensor, int64 bound)
{
	char *end;
	long long index;

	if (strcmp(key->kind, "boolean") == 0)
		no_integer(key);
	errno = 0;
	index = strtoll(key->text, &end, 10);
	if (end == key->text)
		no_integer(key);
	if (*end != '\0')
	{
		/* 42.0 and 1e3 are integers, too, in JSON */
		Datum number;
		Datum whole;

		if (strcmp(key->kind, "number") != 0)
			no_integer(key);
		number = DirectFunctionCall3(numeric_in, CStringGetDatum(key->text),
									 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
		whole = DirectFunctionCall2(numeric_trunc, number, Int32GetDatum(0));
		if (!DatumGetBool(DirectFunctionCall2(numeric_eq, number, whole)))
			no_integer(key);
		errno = 0;
		index =
			strtoll(DatumGetCString(DirectFunctionCall1(numeric_out, whole)), &end, 10);
	}
	if (errno == ERANGE || index < bound_first(bound) || index >= bound_end(bound))
		ereport(
			ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("key %s is outside the bound of label \"%s\"", key->text, key->label),
			 bound_size(bound) > 0
				 ? errdetail("The result \"%s\" has " INT64_FORMAT
							 " indices of it, " INT64_FORMAT " to " INT64_FORMAT ".",
							 tensor, bound_size(bound), bound_first(bound),
							 bound_end(bound) - 1)
				 : errdetail("The result \"%s\" has no index of it.", tensor),
			 errhint("einsum_tensors shows the bounds with which tensors are "
					 "registered.")));
	return index;
}

/*
 * Converts an index to a key of this type; false if the type has no such value, so that
 * no row can have it.
 */
static bool
key_of_index(int64 index, Oid type, Datum *key)
{
	switch (type)
	{
		case INT2OID:
			*key = Int16GetDatum((int16) index);
			return index == (int16) index;
		case INT4OID:
			*key = Int32GetDatum((int32) index);
			return index == (int32) index;
		case INT8OID:
			*key = Int64GetDatum(index);
			return true;
		default:
			elog(ERROR, "keys of type %u have a bound", type);
	}
}

/* An open label, whose keys may be of any type, and that type. */
typedef struct OpenLabel
{
	const char *label;
	Oid type;
} OpenLabel;

/*
 * Error context callback: names the label whose key the input function of its type
 * rejects.
 */
static void
key_context(void *of)
{
	const OpenLabel *open = of;

	errdetail("The keys of label \"%s\" are of type %s.", open->label,
			  format_type_be(open->type));
	errhint("Write the key in at as this type reads it.");
}

/* Reads a key of an open label with the input function of its type. */
static Datum
read_open_key(const GivenKey *key, Oid type)
{
	OpenLabel open = {key->label, type};
	ErrorContextCallback context = {
		.callback = key_context, .arg = &open, .previous = error_context_stack};
	Oid input;
	Oid parameter;
	Datum value;

	error_context_stack = &context;
	getTypeInputInfo(type, &input, &parameter);
	value = OidInputFunctionCall(input, key->text, parameter, -1);
	error_context_stack = context.previous;
	return value;
}

/* Reads a key that is a date. Errors: 22003 if it is outside the bound. */
static Datum
read_day_key(const GivenKey *key, const char *tensor, int64 bound)
{
	Datum value = read_open_key(key, DATEOID);
	DateADT day = DatumGetDateADT(value);

	if (day < bound_first(bound) || day >= bound_end(bound))
		ereport(
			ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("key %s is outside the bound of label \"%s\"", key->text, key->label),
			 errdetail("The result \"%s\" has " INT64_FORMAT " indices of it, %s to %s.",
					   tensor, bound_size(bound),
					   key_to_string(bound, bound_first(bound)),
					   key_to_string(bound, bound_end(bound) - 1)),
			 errhint("einsum_tensors shows the bounds with which tensors are "
					 "registered.")));
	return value;
}

/*
 * Returns the keys as parameters of the plan's query. Sets *possible to false if no row
 * can have one of the keys.
 */
static ParamListInfo
key_parameters(const ProgramPlan *plan, const GivenKeys *given, bool *possible)
{
	const Stage *last = plan->graph->last;
	ParamListInfo parameters = makeParamList(given->count);

	for (int n = 0; n < given->count; n++)
	{
		ParamExternData *parameter = &parameters->params[n];
		int64 bound = last->labels[last->output[plan->graph->at[n]]].bound;

		parameter->ptype = getBaseType(point_key_type(plan, n));
		parameter->pflags = PARAM_FLAG_CONST;
		parameter->isnull = false;
		if (bound_has_days(bound))
			parameter->value = read_day_key(&given->keys[n], last->name, bound);
		else if (bound_is_open(bound))
			parameter->value = read_open_key(&given->keys[n], parameter->ptype);
		else if (!key_of_index(index_of_key(&given->keys[n], last->name, bound),
							   parameter->ptype, &parameter->value))
			*possible = false;
	}
	return parameters;
}

static char *
column_type(TupleDesc columns, int n)
{
	Form_pg_attribute column = TupleDescAttr(columns, n);

	return format_type_with_typemod(column->atttypid, column->atttypmod);
}

/* Returns the columns as "i integer, value double precision". */
static char *
column_definitions(TupleDesc columns)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < columns->natts; i++)
	{
		appendStringInfo(&list, "%s%s %s", i ? ", " : "",
						 quote_identifier(NameStr(TupleDescAttr(columns, i)->attname)),
						 column_type(columns, i));
	}
	return list.data;
}

static SPIPlanPtr
prepare_with(const char *query, const ParamListInfo parameters)
{
	int count = parameters ? parameters->numParams : 0;
	Oid *types = palloc(sizeof(Oid) * Max(count, 1));

	for (int n = 0; n < count; n++)
		types[n] = parameters->params[n].ptype;
	return prepare_sql(query, count, types);
}

char *
result_columns(const ProgramPlan *plan)
{
	MemoryContext context = CurrentMemoryContext;
	char *list;
	SPIPlanPtr prepared;

	SPI_connect();
	prepared = prepare_with(deparse_program(plan), NULL);
	list = MemoryContextStrdup(
		context, psprintf("%s(%s)", quote_identifier(plan->graph->last->name),
						  column_definitions(((const CachedPlanSource *) linitial(
												  SPI_plan_get_plan_sources(prepared)))
												 ->resultDesc)));
	SPI_finish();
	return list;
}

/*
 * Does a column of a result have one real number in each row, as a tensor of rank 0? So
 * do results of float4 with a row for each entry.
 */
static bool
has_real_numbers(const ProgramPlan *plan, Form_pg_attribute column)
{
	const Stage *last = plan->graph->last;
	const StagePlan *planned = &plan->stages[last->number];

	return column->atttypid == tensor_type_oid() &&
		   planned->shape.promoted == (1u << last->noutput) - 1 &&
		   !element_is_complex(last->statement->target->type);
}

/* Would the type that is asked for round a floating-point column to decimals? */
static bool
is_rounded(const ProgramPlan *plan, Form_pg_attribute column, Form_pg_attribute asked)
{
	int32 typmod = asked->atttypmod;
	Oid type = getBaseTypeAndTypmod(asked->atttypid, &typmod);

	if (column->atttypid != FLOAT8OID && column->atttypid != FLOAT4OID &&
		!has_real_numbers(plan, column))
		return false;
	return type == INT2OID || type == INT4OID || type == INT8OID ||
		   (type == NUMERICOID && typmod >= 0);
}

/*
 * Can a column of the result become one of the type that is asked for? It can where
 * PostgreSQL would assign it without rounding; a tensor of one real number is a number.
 */
static bool
can_be(const ProgramPlan *plan, Form_pg_attribute column, Form_pg_attribute asked)
{
	Oid type = getBaseType(asked->atttypid);

	if (is_rounded(plan, column, asked))
		return false;
	return can_coerce_type(1, &column->atttypid, &asked->atttypid, COERCION_ASSIGNMENT) ||
		   (has_real_numbers(plan, column) &&
			(type == FLOAT8OID || type == FLOAT4OID || type == NUMERICOID));
}

/*
 * Returns the index of the column with this name, or -1 if it is the one at place or
 * there is no such column.
 */
static int
column_elsewhere(TupleDesc columns, const char *name, int place)
{
	for (int i = 0; i < columns->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0)
			return i == place ? -1 : i;
	}
	return -1;
}

/* Raises 42804 if a column has the name of another column of the result. */
static void
check_column_names(const char *tensor, TupleDesc columns, TupleDesc wanted)
{
	for (int i = 0; i < wanted->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(wanted, i)->attname);
		int other = column_elsewhere(columns, name, i);

		if (other < 0)
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the column definition list has the columns of the result \"%s\" "
						"in another order",
						tensor),
				 errdetail("Column %d is called %s; that of the result is %s, and %s is "
						   "its column %d.",
						   i + 1, name, NameStr(TupleDescAttr(columns, i)->attname), name,
						   other + 1),
				 errhint("Write AS %s(%s), or other names.", quote_identifier(tensor),
						 column_definitions(columns))));
	}
}

/*
 * Returns the query with its columns cast to those that the caller asks for; NULL if they
 * are the same. Errors: 42804 if their number differs, the result cannot be assigned to a
 * type without rounding, or names are in another order.
 */
static char *
query_of_columns(const char *query, const ProgramPlan *plan, TupleDesc columns,
				 TupleDesc wanted)
{
	const char *tensor = plan->graph->last->name;
	StringInfoData select;
	StringInfoData names;
	bool same = true;
	int wrong = columns->natts == wanted->natts ? 0 : -1;

	if (wrong == 0)
		check_column_names(tensor, columns, wanted);
	initStringInfo(&select);
	initStringInfo(&names);
	for (int i = 0; wrong == 0 && i < wanted->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);
		Form_pg_attribute asked = TupleDescAttr(wanted, i);

		same = same && column->atttypid == asked->atttypid && asked->atttypmod < 0;
		if (!can_be(plan, column, asked))
			wrong = i + 1;
		appendStringInfo(&names, "%sc%d", i ? ", " : "", i);
		appendStringInfo(
			&select, "%sCAST(q.c%d AS %s)", i ? ", " : "", i,
			format_type_extended(asked->atttypid, asked->atttypmod,
								 FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
	if (wrong != 0)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("the column definition list does not fit the result \"%s\"", tensor),
			 wrong < 0 ? errdetail("It has %d columns; the result has %d.", wanted->natts,
								   columns->natts)
			 : is_rounded(plan, TupleDescAttr(columns, wrong - 1),
						  TupleDescAttr(wanted, wrong - 1))
				 ? errdetail("Column %d is %s, to which %s would be rounded.", wrong,
							 column_type(wanted, wrong - 1),
							 column_type(columns, wrong - 1))
				 : errdetail("Column %d is %s; that of the result is %s.", wrong,
							 column_type(wanted, wrong - 1),
							 column_type(columns, wrong - 1)),
			 errhint("Write AS %s(%s).", quote_identifier(tensor),
					 column_definitions(columns))));
	if (same)
		return NULL;
	return psprintf("SELECT %s FROM (%s) AS q(%s)", select.data, query, names.data);
}

void
put_rows(ReturnSetInfo *rsinfo, const char *function, const ProgramPlan *plan,
		 const char *query, ParamListInfo parameters, bool possible)
{
	const char *text = plan->graph->last->statement->text;
	SPIExecuteOptions options = {.params = parameters, .read_only = true};
	const CachedPlanSource *source;
	SPIPlanPtr prepared;
	char *wrapped;
	int result;

	prepared = prepare_with(labelled_query(function, text, query), parameters);
	source = linitial(SPI_plan_get_plan_sources(prepared));
	wrapped = query_of_columns(query, plan, source->resultDesc, rsinfo->setDesc);
	if (wrapped)
		prepared = prepare_with(labelled_query(function, text, wrapped), parameters);
	if (possible)
	{
		options.dest = CreateDestReceiver(DestTuplestore);
		SetTuplestoreDestReceiverParams(
			options.dest, rsinfo->setResult, rsinfo->econtext->ecxt_per_query_memory,
			false, rsinfo->setDesc, "the rows do not fit the column definition list");
		result = run_prepared(prepared, &options);
		if (result != SPI_OK_SELECT)
			elog(ERROR, "a program's rows could not be read (%s)",
				 SPI_result_code_string(result));
		options.dest->rDestroy(options.dest);
	}
}

void
check_columns(const ReturnSetInfo *rsinfo, const ProgramPlan *plan)
{
	const char *query = deparse_program(plan);
	SPIPlanPtr prepared = prepare_with(query, NULL);
	const CachedPlanSource *source = linitial(SPI_plan_get_plan_sources(prepared));

	(void) query_of_columns(query, plan, source->resultDesc, rsinfo->setDesc);
	SPI_freeplan(prepared);
}

static bool
expects_columns(const ReturnSetInfo *rsinfo)
{
	return rsinfo != NULL && IsA(rsinfo, ReturnSetInfo) && rsinfo->expectedDesc != NULL;
}

/*
 * Raises the error for a missing column definition list, with columns as the suggested
 * one.
 */
static void
refuse_without_columns(const char *function, const char *columns)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("%s() needs a column definition list", function),
					errdetail("What columns it returns depends on the program."),
					errhint("Write SELECT * FROM %s(...) AS %s.", function, columns)));
}

void
require_columns(const ReturnSetInfo *rsinfo, const char *function)
{
	if (!expects_columns(rsinfo))
		refuse_without_columns(function, "y(i integer, value double precision)");
}

/*
 * einsum_rows(program, at, options): returns the rows of the last statement's result,
 * computed as the current user; with at, those at one key of each of its labels.
 */
Datum
einsum_rows(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext planning;
	MemoryContext old;
	PlanOptions *options;
	ProgramPlan *plan;
	ParamListInfo parameters = NULL;
	bool possible = true;
	char *query;

	if (!expects_columns(rsinfo) && !PG_ARGISNULL(0))
		refuse_without_columns("einsum_rows",
							   result_columns(plan_alternative(
								   PG_GETARG_TEXT_PP(0), read_plan_options(fcinfo, 2))));
	require_columns(rsinfo, "einsum_rows");
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (PG_ARGISNULL(0))
		PG_RETURN_VOID();
	planning = AllocSetContextCreate(CurrentMemoryContext, "einsum_rows",
									 ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(planning);

	options = read_plan_options(fcinfo, 2);
	if (PG_ARGISNULL(1))
	{
		plan = plan_alternative(PG_GETARG_TEXT_PP(0), options);
		query = deparse_program(plan);
	}
	else
	{
		GivenKeys given = read_given_keys(PG_GETARG_DATUM(1));

		options->nat = given.count;
		options->at = palloc(sizeof(char *) * given.count);
		for (int n = 0; n < given.count; n++)
			options->at[n] = given.keys[n].label;
		plan = plan_alternative(PG_GETARG_TEXT_PP(0), options);
		parameters = key_parameters(plan, &given, &possible);
		query = deparse_point(plan);
	}
	SPI_connect();
	put_rows(rsinfo, "einsum_rows", plan, query, parameters, possible);
	SPI_finish();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(planning);
	PG_RETURN_VOID();
}
