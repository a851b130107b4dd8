/*-------------------------------------------------------------------------
 *
 * options.c
 *	  The options that einsum_plan and its kin share, and planning by them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "port/pg_bitutils.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/lsyscache.h"

#include "catalog/schema.h"
#include "commands/options.h"
#include "expr/analysis.h"
#include "expr/traps.h"
#include "optimizer/many_rows.h"
#include "optimizer/settings.h"
#include "statistics/missing_indices.h"

/*
 * The most plans to search for: a search keeps alternatives for each stage and
 * decomposition.
 */
#define MAX_PLANS 1000

typedef struct OptionValue
{
	const char *name;
	int value;
	bool supported;
} OptionValue;

static const OptionValue search_values[] = {{"dp", SEARCH_DP, true},
											{"greedy", SEARCH_GREEDY, true},
											{"as_written", SEARCH_AS_WRITTEN, true},
											{"exhaustive", SEARCH_EXHAUSTIVE, true},
											{NULL}};
static const OptionValue inputs_values[] = {
	{"as_stored", false, true}, {"any", true, true}, {NULL}};
static const OptionValue result_values[] = {{"rows", RESULT_ROWS, true},
											{"auto", RESULT_AUTO, true},
											{"dense", RESULT_DENSE, true},
											{NULL}};
static const OptionValue materialize_values[] = {
	{"auto", MATERIALIZE_AUTO, true},
	{"never", MATERIALIZE_NEVER, true},
	{"always", MATERIALIZE_ALWAYS, true},
	{"incremental", MATERIALIZE_INCREMENTAL, true},
	{NULL}};
static const OptionValue rewrite_values[] = {{"none", REWRITE_NONE, true},
											 {"reassociate", REWRITE_REASSOCIATE, true},
											 {"distribute", REWRITE_DISTRIBUTE, true},
											 {NULL}};
/* in the order of the array estimators */
static const OptionValue estimator_values[] = {
	{"distinct", 0, true}, {"uniform", 1, true}, {"chain", 2, true}, {NULL}};

static char *
possible_values(const OptionValue *values)
{
	StringInfoData list;

	initStringInfo(&list);
	for (; values->name; values++)
	{
		if (values->supported)
			appendStringInfo(&list, "%s\"%s\"", list.len ? ", " : "", values->name);
	}
	return list.data;
}

const char *
option_values(const char *option)
{
	static const struct
	{
		const char *option;
		const OptionValue *values;
	} options[] = {{"search", search_values},   {"inputs", inputs_values},
				   {"result", result_values},   {"materialize", materialize_values},
				   {"rewrite", rewrite_values}, {"estimator", estimator_values}};

	for (int i = 0; i < lengthof(options); i++)
	{
		if (strcmp(options[i].option, option) == 0)
			return possible_values(options[i].values);
	}
	return NULL;
}

/*
 * Returns the entry of an option's value; the first entry if no value is given. Errors:
 * 22023, 0A000.
 */
static const OptionValue *
read_option(const char *given, const char *option, const OptionValue *values)
{
	if (given == NULL)
		return values;
	for (const OptionValue *value = values; value->name; value++)
	{
		if (strcmp(value->name, given) != 0)
			continue;
		if (!value->supported)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("%s => '%s' is not supported yet", option, given),
					 errhint("Supported values are %s.", possible_values(values))));
		return value;
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("\"%s\" is no value of option \"%s\"", given, option),
					errhint("Possible values are %s.", possible_values(values))));
}

/* Returns a count after checking that it is between 1 and MAX_PLANS. */
static int
check_count(int32 count, const char *option)
{
	if (count < 1 || count > MAX_PLANS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("option \"%s\" must be between 1 and %d", option, MAX_PLANS)));
	return count;
}

int
plans_to_search(int wanted)
{
	return wanted > 1 ? Max(LEAST_LIST, (int) pg_nextpower2_32((uint32) wanted)) : 1;
}

/* Reads rewrite and estimator, two options that all planning functions share. */
static void
read_planning_options(const char *rewrite, const char *estimator, PlanOptions *options)
{
	options->rewrite = rewrite ? read_option(rewrite, "rewrite", rewrite_values)->value
							   : REWRITE_DISTRIBUTE;
	options->estimator =
		estimators[estimator
					   ? read_option(estimator, "estimator", estimator_values)->value
					   : default_estimator];
}

/* Returns a text argument as a C string, or NULL if it is NULL. */
static char *
given_text(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

PlanOptions *
loop_options_of(const char *search, const char *rewrite, const char *estimator)
{
	PlanOptions *options = palloc0(sizeof(PlanOptions));

	options->search = read_option(search, "search", search_values)->value;
	options->alternative = options->plans = 1;
	options->blocks = true;
	options->loop = true;
	read_planning_options(rewrite, estimator, options);
	return options;
}

PlanOptions *
read_loop_options(FunctionCallInfo fcinfo, int first)
{
	return loop_options_of(given_text(fcinfo, first), given_text(fcinfo, first + 1),
						   given_text(fcinfo, first + 2));
}

ResultShape
columns_option_of(const char *given)
{
	ResultShape result = read_option(given, "result", result_values)->value;

	if (result == RESULT_DENSE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("result => 'dense' is not for the states of a loop"),
						errhint("Write x[i:*,j:*] on the left side of the step to have a "
								"state as one tensor.")));
	return result;
}

void
given_options(FunctionCallInfo fcinfo, int first, char **given)
{
	for (int i = 0; i < CALL_OPTIONS; i++)
	{
		if (i != 1)
			given[i] = given_text(fcinfo, first + i);
		else
			given[i] = PG_ARGISNULL(first + i)
						   ? NULL
						   : psprintf("%d", PG_GETARG_INT32(first + i));
	}
}

PlanOptions *
plan_options_of(char *const *given)
{
	PlanOptions *options = palloc0(sizeof(PlanOptions));

	options->search = read_option(given[0], "search", search_values)->value;
	options->alternative =
		given[1] ? check_count(pg_strtoint32(given[1]), "alternative") : 1;
	options->plans = plans_to_search(options->alternative);
	options->inputs_any = read_option(given[2], "inputs", inputs_values)->value;
	options->blocks = true;
	options->result = read_option(given[3], "result", result_values)->value;
	options->materialize =
		read_option(given[4], "materialize", materialize_values)->value;
	read_planning_options(given[5], given[6], options);
	return options;
}

PlanOptions *
read_plan_options(FunctionCallInfo fcinfo, int first)
{
	int schema = first + PLAN_OPTION_ARGUMENTS - 1;
	char *given[CALL_OPTIONS];

	given_options(fcinfo, first, given);
	/* nothing is created there, but a name that is misspelt is an error */
	if (!PG_ARGISNULL(schema))
		require_schema(NameStr(*PG_GETARG_NAME(schema)), NULL, 0);
	return plan_options_of(given);
}

void
read_at_labels(ArrayType *array, PlanOptions *options)
{
	Datum *elements;
	bool *nulls;
	int count;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("at must be a one-dimensional array of labels")));
	deconstruct_array(array, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR, &elements,
					  &nulls, &count);
	if (count == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("at must name at least one label")));
	options->nat = count;
	options->at = palloc(sizeof(char *) * count);
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("a label of at must not be null")));
		options->at[i] = NameStr(*DatumGetName(elements[i]));
	}
}

char *
target_schema(FunctionCallInfo fcinfo, int argument)
{
	List *path;
	char *schema;

	if (!PG_ARGISNULL(argument))
	{
		schema = NameStr(*PG_GETARG_NAME(argument));
		require_schema(schema, NULL, 0);
		/*
		 * pg_temp is the session's own schema, which is created if it does not exist yet
		 */
		if (strcmp(schema, "pg_temp") == 0)
			(void) LookupCreationNamespace(schema);
		else
			(void) LookupExplicitNamespace(schema, false);
		return pstrdup(schema);
	}
	path = fetch_search_path(false);
	if (path == NIL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_SCHEMA),
						errmsg("no schema has been selected to create in"),
						errhint("Set search_path, or name a schema with schema => ...")));
	return get_namespace_name(linitial_oid(path));
}

List *
plan_program(const text *program, const PlanOptions *options)
{
	Program *analyzed = analyze_program(text_to_cstring(program));
	List *plans;

	notice_hidden_tensors(analyzed);
	notice_traps(analyzed);
	plans = find_plans(analyzed, options);
	if (plans != NIL)
		refuse_many_rows_of_plan(linitial(plans));
	return plans;
}

/* Has this list, or its beginning up to a cell, one of the same statement? */
static bool
is_of_statement(const List *means, const ListCell *end, const char *tensor)
{
	ListCell *lc;

	foreach (lc, means)
	{
		const MissingIndices *mean = lfirst(lc);

		if (lc == end)
			return false;
		if (mean->doubtful && strcmp(mean->tensor, tensor) == 0)
			return true;
	}
	return false;
}

/*
 * Notices the means that divide by indices without rows, or by places of a sparse tensor,
 * once in a statement: means of the rows may be meant.
 */
static void
notice_means(Program *program)
{
	List *means = list_concat(missing_indices(program), means_of_sparse_tensors(program));
	ListCell *lc;

	foreach (lc, means)
	{
		const MissingIndices *mean = lfirst(lc);

		if (!mean->doubtful || is_of_statement(means, lc, mean->tensor))
			continue;
		ereport(
			NOTICE,
			(mean->label
				 ? errmsg("%s of statement \"%s\" counts all indices of \"%s\", %.0f, of "
						  "which %.0f have rows",
						  mean->aggregate, mean->tensor, mean->label, mean->indices,
						  mean->with_rows)
				 : errmsg("%s of statement \"%s\" counts all places, %.0f, of which %.0f "
						  "have rows",
						  mean->aggregate, mean->tensor, mean->indices, mean->with_rows),
			 errdetail("It divides by all, and what has no row counts as the fill."),
			 errhint("For a mean of the rows divide by what you count: (sum[j] x[j]) / "
					 "(count[j] x[j]), where count is of those that are not 0. Over a "
					 "dimension (einsum_dimension) all its members are meant.")));
	}
}

/*
 * Warns of stages that exceed max_dense_tuples by estimate only; they are planned
 * nevertheless.
 */
static void
warn_of_extensions(const ProgramPlan *plan)
{
	ListCell *lc;

	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		double tuples = plan->stages[stage->number].cost.extended;

		if (tuples > 0.0 && !stage->side)
			ereport(
				WARNING,
				(errmsg("stage \"%s\" seems to make %.0f tuples", stage->name, tuples),
				 errdetail("No decomposition keeps what terms are extended to within "
						   "sparseeinsum.max_dense_tuples by estimate."),
				 errhint("Measure the tensors with einsum_analyze, or see einsum_plan "
						 "for what is computed.")));
	}
}

ProgramPlan *
plan_alternative(const text *program, PlanOptions *options)
{
	List *plans = plan_program(program, options);
	ProgramPlan *chosen;

	if (list_length(plans) < options->alternative)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no plan %d", options->alternative),
						errdetail("The search found %d.", list_length(plans)),
						errhint("See them with einsum_plan(..., plans => %d).",
								list_length(plans))));
	chosen = list_nth(plans, options->alternative - 1);
	warn_of_extensions(chosen);
	notice_means(chosen->graph->program);
	return chosen;
}
