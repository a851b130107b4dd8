/*-------------------------------------------------------------------------
 *
 * analyze.c
 *	  einsum_analyze: measures a tensor, or all, and shows what was found.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_class.h"
#include "commands/progress.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "catalog/attempt.h"
#include "catalog/compare_storages.h"
#include "catalog/declare.h"
#include "catalog/label.h"
#include "catalog/locks.h"
#include "catalog/lookup.h"
#include "catalog/measure.h"
#include "catalog/readable.h"
#include "catalog/statistics_table.h"
#include "catalog/tensor_storage.h"
#include "commands/arguments.h"
#include "compat.h"

/* The largest count that is shown; estimates for large bounds may exceed it. */
#define MAX_COUNT 9.0e18

/*
 * The storage that is quickest to read: a table rather than a view, whose
 * entries are rows rather than inside values. All hold the same entries.
 */
static Storage *
storage_to_measure(const TensorEntry *tensor)
{
	Storage *best = NULL;
	int best_rating = -1;
	ListCell *cell;

	foreach (cell, tensor->storages)
	{
		Storage *storage = (Storage *) lfirst(cell);
		int rating = storage_key_count(storage);

		if (get_rel_relkind(storage->relid) != RELKIND_VIEW)
			rating += TENSOR_MAX_RANK + 1;
		if (rating > best_rating)
		{
			best = storage;
			best_rating = rating;
		}
	}
	return best;
}

/* Returns the labels of a set (a bitmask) as a list, "i, j". */
static char *
label_list(const Storage *storage, int set)
{
	StringInfoData buf;
	int i;

	initStringInfo(&buf);
	for (i = 0; i < storage->rank; i++)
	{
		if (set & (1 << i))
			appendStringInfo(&buf, "%s%s", buf.len > 0 ? ", " : "",
							 storage->dimensions[i].label);
	}
	return buf.data;
}

static void
put_statistic(ReturnSetInfo *result, const char *statistic, char *labels, char *given,
			  double count)
{
	Datum values[4];
	bool nulls[4] = {false, false, false, false};

	/* an estimate may be missing */
	if (count < 0)
		return;
	values[0] = CStringGetTextDatum(statistic);
	values[1] = CStringGetTextDatum(labels);
	nulls[2] = given == NULL;
	values[2] = given ? CStringGetTextDatum(given) : (Datum) 0;
	values[3] = Int64GetDatum((int64) rint(Min(count, MAX_COUNT)));
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * Puts a row for each statistic into the result; sets of labels are in the order of their
 * bitmasks.
 */
static void
put_statistics(ReturnSetInfo *result, const Storage *storage,
			   const TensorStatistics *statistics)
{
	int sets = storage->rank <= STATISTICS_MAX_RANK ? 1 << storage->rank : 0;
	int all = (1 << storage->rank) - 1;
	int x;
	int y;

	put_statistic(result, "entries", label_list(storage, all), NULL, statistics->entries);
	for (x = 0; x < storage->rank; x++)
		put_statistic(result, "values", label_list(storage, 1 << x), NULL,
					  statistics->values[x]);
	for (x = 1; x < sets - 1; x++)
	{
		/* for a single label: the number of its distinct values */
		if ((x & (x - 1)) != 0)
			put_statistic(result, "distinct", label_list(storage, x), NULL,
						  statistics->distinct[x]);
	}
	for (y = 1; y < sets; y++)
	{
		for (x = 1; x < sets; x++)
		{
			if ((x & y) == 0)
				put_statistic(result, "degree", label_list(storage, x),
							  label_list(storage, y), degree_of(statistics, x, y)->most);
		}
	}
}

static void
put_moments(ReturnSetInfo *result, const char *statistic, char *labels, char *given,
			double square, double cube, double pairs)
{
	Datum values[6];
	bool nulls[6] = {false, false, false, false, false, false};

	if (square < 0 && cube < 0)
		return;
	values[0] = CStringGetTextDatum(statistic);
	values[1] = CStringGetTextDatum(labels);
	values[2] = CStringGetTextDatum(given);
	nulls[3] = square < 0;
	values[3] = Float8GetDatum(square);
	nulls[4] = cube < 0;
	values[4] = Float8GetDatum(cube);
	nulls[5] = pairs < 0;
	values[5] = Float8GetDatum(pairs);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Returns a row for every degree, and for each pair of labels that may be joined. */
static void
put_all_moments(ReturnSetInfo *result, const Storage *storage,
				const TensorStatistics *statistics)
{
	int sets = storage->rank <= STATISTICS_MAX_RANK ? 1 << storage->rank : 0;

	for (int y = 1; y < sets; y++)
	{
		for (int x = 1; x < sets; x++)
		{
			if ((x & y) == 0)
				put_moments(result, "degree", label_list(storage, x),
							label_list(storage, y), degree_of(statistics, x, y)->square,
							degree_of(statistics, x, y)->cube, -1);
		}
	}
	for (int p = 0; sets > 0 && p < storage->rank; p++)
	{
		for (int q = 0; q < storage->rank; q++)
			put_moments(result, "meetings", label_list(storage, 1 << p),
						label_list(storage, 1 << q),
						meetings_of(statistics, p, q)->product,
						meetings_of(statistics, p, q)->square,
						meetings_of(statistics, p, q)->pairs);
	}
}

/*
 * Reports a row of pg_stat_progress_analyze, with tensors in the place of the children of
 * a partitioned table. If a tensor cannot be measured, the end of its subtransaction
 * removes the row; so each tensor reports it anew.
 */
static void
report_progress(Oid relid, int done, int tensors)
{
	const int parameters[] = {PROGRESS_ANALYZE_PHASE, PROGRESS_ANALYZE_CHILD_TABLES_TOTAL,
							  PROGRESS_ANALYZE_CHILD_TABLES_DONE,
							  PROGRESS_ANALYZE_CURRENT_CHILD_TABLE_RELID};
	const int64 values[] = {PROGRESS_ANALYZE_PHASE_COMPUTE_STATS, tensors, done, relid};

	pgstat_progress_start_command(PROGRESS_COMMAND_ANALYZE, relid);
	pgstat_progress_update_multi_param(lengthof(parameters), parameters, values);
}

/*
 * Measures a tensor, the one after done of all tensors. Returns the StorageStatistics of
 * its storages; the one that was read comes first.
 */
static List *
measure_tensor(const TensorEntry *tensor, int done, int tensors)
{
	TensorStatistics *statistics = new_statistics(tensor->rank);
	List *measured = NIL;
	Storage *storage;
	ListCell *cell;

	foreach (cell, tensor->storages)
		check_relation_owner(((Storage *) lfirst(cell))->relid);

	storage = storage_to_measure(tensor);
	report_progress(storage->relid, done, tensors);
	measure_statistics(storage, statistics);
	/*
	 * all storages get the statistics: a program may read any of them, or others may be
	 * dropped
	 */
	foreach (cell, tensor->storages)
	{
		StorageStatistics *other = palloc(sizeof(StorageStatistics));

		other->storage = lfirst(cell);
		other->statistics = statistics;
		other->rows =
			other->storage == storage ? statistics->rows : count_rows(other->storage);
		measured =
			other->storage == storage ? lcons(other, measured) : lappend(measured, other);
	}

	if (statistics->nonfinite)
		ereport(
			WARNING,
			(errmsg("tensor \"%s\" has infinite or NaN entries", tensor->name),
			 errdetail(
				 "The product of such an entry and an absent one is 0 or NaN, depending "
				 "on the plan."),
			 errhint(
				 "Store finite values, or declare the value that stands for \"nothing\" "
				 "as fill.")));
	compare_storages(tensor);
	pgstat_progress_end_command();
	return measured;
}

/* Locks the relations that hold a tensor; its lookup afterwards warns of omitted ones. */
static void
lock_tensor_to_read(const SyntaxReference *name)
{
	Locks held = {NIL};
	Locks wanted;

	do
	{
		Oid schema = schema_of_tensor(name->schema, name->name);
		List *relations = NIL;
		ListCell *cell;

		foreach (cell,
				 OidIsValid(schema) ? registrations_in_schema(schema, name->name) : NIL)
			relations = lappend_oid(relations, ((Storage *) lfirst(cell))->relid);
		wanted = (Locks){NIL};
		add_locks_to_read(&wanted, relations);
	} while (!take_locks(&wanted, &held));
}

/* einsum_analyze(tensor): measures, stores and returns exact statistics. */
PG_FUNCTION_INFO_V1(einsum_analyze);
Datum
einsum_analyze(PG_FUNCTION_ARGS)
{
	const StorageStatistics *first;
	const SyntaxReference *name;
	List *measured;

	PreventCommandIfReadOnly("einsum_analyze()");
	name = parse_tensor_name(PG_GETARG_TEXT_PP(0));
	lock_tensor_to_read(name);
	measured = measure_tensor(require_tensor(name), 0, 1);
	first = linitial(measured);
	write_statistics(list_copy(measured));
	InitMaterializedSRF(fcinfo, 0);
	put_statistics((ReturnSetInfo *) fcinfo->resultinfo, first->storage,
				   first->statistics);
	PG_RETURN_NULL();
}

/* A tensor that einsum_analyze() measures after done of all tensors. */
typedef struct AnalyzedTensor
{
	char *schema;
	char *name;
	int found; /* how many were found before */
	int done;
	int tensors;
	List *measured; /* of measure_tensor; NIL before, and if it cannot be measured */
} AnalyzedTensor;

static void
analyze_named(void *argument)
{
	AnalyzedTensor *tensor = (AnalyzedTensor *) argument;
	TensorEntry *entry = lookup_tensor(tensor->schema, tensor->name);

	/* NULL if the tensor was dropped after its label was read */
	if (entry != NULL)
		tensor->measured = measure_tensor(entry, tensor->done, tensor->tensors);
}

/*
 * A label that is read, and of all labels so far the tensors, each once for each of its
 * storages, and their relations.
 */
typedef struct LabelTensors
{
	const LabelledRelation *relation;
	List *tensors;
	List *relations;
} LabelTensors;

static void
add_tensors_of_label(void *argument)
{
	LabelTensors *labels = (LabelTensors *) argument;
	char *schema = get_namespace_name(labels->relation->schema);
	bool is_view = get_rel_relkind(labels->relation->relid) == RELKIND_VIEW;
	ListCell *cell;

	foreach (cell, label_parse(labels->relation->label, labels->relation->relid))
	{
		const Storage *storage = (const Storage *) lfirst(cell);
		AnalyzedTensor *tensor;

		/* views of programs are not measured: they are computed from other tensors */
		if (schema == NULL || (is_view && storage->program != NULL))
			continue;
		if (labels->relations == NIL ||
			llast_oid(labels->relations) != labels->relation->relid)
			labels->relations = lappend_oid(labels->relations, labels->relation->relid);
		tensor = palloc0(sizeof(AnalyzedTensor));
		tensor->schema = schema;
		tensor->name = pstrdup(storage->tensor);
		tensor->found = list_length(labels->tensors);
		labels->tensors = lappend(labels->tensors, tensor);
	}
}

static int
compare_names(const AnalyzedTensor *a, const AnalyzedTensor *b)
{
	int schemas = strcmp(a->schema, b->schema);

	return schemas ? schemas : strcmp(a->name, b->name);
}

static int
compare_by_name(const ListCell *one, const ListCell *other)
{
	const AnalyzedTensor *a = lfirst(one);
	const AnalyzedTensor *b = lfirst(other);
	int names = compare_names(a, b);

	return names ? names : a->found - b->found;
}

static int
compare_by_finding(const ListCell *one, const ListCell *other)
{
	return ((const AnalyzedTensor *) lfirst(one))->found -
		   ((const AnalyzedTensor *) lfirst(other))->found;
}

/* Returns each tensor once, in the order in which they were found. */
static List *
each_tensor_once(List *tensors)
{
	List *result = NIL;
	ListCell *cell;

	list_sort(tensors, compare_by_name);
	foreach (cell, tensors)
	{
		if (result == NIL || compare_names(llast(result), lfirst(cell)) != 0)
			result = lappend(result, lfirst(cell));
	}
	list_sort(result, compare_by_finding);
	return result;
}

static void
warn_of_skipped(const char *name, const ErrorData *error)
{
	ereport(WARNING, (errcode(error->sqlerrcode),
					  errmsg("skipping %s --- %s", name, error->message),
					  error->detail ? errdetail_internal("%s", error->detail) : 0,
					  error->hint ? errhint("%s", error->hint) : 0));
}

/*
 * The tensors of all labels, as AnalyzedTensors. Locks all their relations before the
 * first is measured: taking locks between measurements could deadlock with writers.
 */
static List *
lock_all_tensors(void)
{
	LabelTensors labels;
	Locks held = {NIL};
	Locks wanted;
	bool first = true;
	ListCell *cell;

	do
	{
		labels = (LabelTensors){NULL, NIL, NIL};
		foreach (cell, scan_labels(NIL))
		{
			ErrorData *error;

			labels.relation = (LabelledRelation *) lfirst(cell);
			error = attempt(add_tensors_of_label, &labels);
			if (error && first)
				warn_of_skipped(
					psprintf("relation \"%s\"", get_rel_name(labels.relation->relid)),
					error);
		}
		first = false;
		wanted = (Locks){NIL};
		add_locks_to_read(&wanted, labels.relations);
	} while (!take_locks(&wanted, &held));
	return each_tensor_once(labels.tensors);
}

/*
 * einsum_analyze(): measures all tensors except programs' views, and returns a row for
 * each. Like ANALYZE, it skips tensors that cannot be measured, with a warning; failing
 * to get a lock is an error of the call.
 */
PG_FUNCTION_INFO_V1(einsum_analyze_all);
Datum
einsum_analyze_all(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	List *written = NIL;
	List *tensors;
	ListCell *cell;

	PreventCommandIfReadOnly("einsum_analyze()");
	InitMaterializedSRF(fcinfo, 0);
	tensors = lock_all_tensors();
	foreach (cell, tensors)
	{
		AnalyzedTensor *tensor = (AnalyzedTensor *) lfirst(cell);
		Datum values[3];
		bool nulls[3] = {false, false, false};
		const StorageStatistics *measured;
		ErrorData *error;

		CHECK_FOR_INTERRUPTS();
		tensor->done = foreach_current_index(cell);
		tensor->tensors = list_length(tensors);
		error = attempt(analyze_named, tensor);
		if (error)
			warn_of_skipped(psprintf("tensor %s", quote_qualified_identifier(
													  tensor->schema, tensor->name)),
							error);
		if (tensor->measured == NIL)
			continue;
		measured = linitial(tensor->measured);
		values[0] = CStringGetTextDatum(tensor->schema);
		values[1] = CStringGetTextDatum(tensor->name);
		values[2] =
			Int64GetDatum((int64) rint(Min(measured->statistics->entries, MAX_COUNT)));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		written = list_concat(written, tensor->measured);
	}
	write_statistics(written);
	PG_RETURN_NULL();
}

/*
 * Returns a tensor and the statistics that the optimizer uses for it. Errors: 42501 if
 * the user may not read the tensor.
 */
static TensorEntry *
require_statistics(text *name, const TensorStatistics **statistics)
{
	TensorEntry *tensor = require_tensor(parse_tensor_name(name));

	if (!tensor_is_readable(tensor))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied for tensor \"%s\"", tensor->name),
						errdetail("Statistics tell about data."),
						errhint("You need SELECT on a table or view that holds it, and "
								"see all of its rows.")));
	*statistics = get_tensor_statistics(tensor);
	return tensor;
}

/*
 * known_statistics(tensor): the statistics that the optimizer uses, measured earlier or
 * estimated; measures nothing itself.
 */
PG_FUNCTION_INFO_V1(known_statistics);
Datum
known_statistics(PG_FUNCTION_ARGS)
{
	const TensorStatistics *statistics;
	TensorEntry *tensor = require_statistics(PG_GETARG_TEXT_PP(0), &statistics);

	InitMaterializedSRF(fcinfo, 0);
	put_statistics((ReturnSetInfo *) fcinfo->resultinfo,
				   (Storage *) linitial(tensor->storages), statistics);
	PG_RETURN_NULL();
}

/*
 * known_moments(tensor): like known_statistics, but returns the statistics that are not
 * counts.
 */
PG_FUNCTION_INFO_V1(known_moments);
Datum
known_moments(PG_FUNCTION_ARGS)
{
	const TensorStatistics *statistics;
	TensorEntry *tensor = require_statistics(PG_GETARG_TEXT_PP(0), &statistics);

	InitMaterializedSRF(fcinfo, 0);
	put_all_moments((ReturnSetInfo *) fcinfo->resultinfo,
					(Storage *) linitial(tensor->storages), statistics);
	PG_RETURN_NULL();
}
