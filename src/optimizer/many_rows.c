/*-------------------------------------------------------------------------
 *
 * many_rows.c
 *	  Results of a number for each entry, in a row each, that would be too large.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/formatting.h"

#include "catalog/dimension.h"
#include "optimizer/many_rows.h"
#include "optimizer/settings.h"
#include "parser/syntax.h"

/*
 * Returns how many labels have to be keys, from the first on, so that a value of the
 * others is small enough for kernels; at least one.
 */
static int
keys_of_small_values(int rank, const int64 *bounds)
{
	double bytes = sizeof(double);
	int keys = rank;

	while (keys > 1)
	{
		int64 bound = bounds[keys - 1];

		bytes *= bound_is_open(bound) ? 1.0 : estimated_bound(bound);
		if (bytes > max_kernel_bytes * 1024.0)
			break;
		keys--;
	}
	return keys;
}

/*
 * Returns a notation like "y[I,k]" of the result, with its first labels as keys, and
 * those that have to be keys.
 */
static char *
with_keys(const char *name, int rank, char *const *labels, const int64 *bounds, int keys)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int d = 0; d < rank; d++)
	{
		bool key = d < keys || bound_is_open(bounds[d]);

		appendStringInfo(&text, "%s%s", d ? "," : "",
						 key ? asc_toupper(labels[d], strlen(labels[d])) : labels[d]);
	}
	return psprintf("%s[%s]", quote_identifier(name), text.data);
}

/* Returns labels as "i" and "j". */
static char *
list_of_labels(char *const *labels, int count)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int d = 0; d < count; d++)
		appendStringInfo(&text, "%s\"%s\"",
						 d == 0          ? ""
						 : d < count - 1 ? ", "
										 : " and ",
						 labels[d]);
	return text.data;
}

void
refuse_many_rows(const char *name, int rank, char *const *labels, const int64 *bounds,
				 double rows, const char *program, int location)
{
	char *all;
	int keys;

	if (rank == 0 || !(rows > max_dense_tuples))
		return;
	all = with_keys(name, rank, labels, bounds, rank);
	keys = keys_of_small_values(rank, bounds);
	ereport(
		ERROR,
		(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
		 errmsg("result \"%s\" would have %.0f rows of a number each", name, rows),
		 errdetail("All labels on its left side are in lower case, so that each is "
				   "a key; sparseeinsum.max_dense_tuples is %.0f.",
				   max_dense_tuples),
		 keys < rank
			 ? errhint("Write %s for a row for each %s with a value of the others, "
					   "or %s for all these rows.",
					   with_keys(name, rank, labels, bounds, keys),
					   list_of_labels(labels, keys), all)
		 : rank > 1
			 ? errhint("Write %s for all these rows. With fewer keys a value would be "
					   "larger than sparseeinsum.max_kernel_bytes.",
					   all)
			 : errhint("Write %s for all these rows, or ask einsum_value for "
					   "one tensor.",
					   all),
		 program_errposition(program, location)));
}

void
refuse_many_rows_of_plan(const ProgramPlan *plan)
{
	ListCell *lc;

	if (plan->graph->options->result != RESULT_ROWS || plan->graph->options->nat > 0)
		return;
	foreach (lc, plan->graph->stages)
	{
		const Stage *stage = lfirst(lc);
		char *labels[TENSOR_MAX_RANK];
		int64 bounds[TENSOR_MAX_RANK];

		if (stage->side || stage->readers > 0 || !is_shown_by_rows(stage))
			continue;
		for (int d = 0; d < stage->noutput; d++)
		{
			labels[d] = stage->labels[stage->output[d]].name;
			bounds[d] = stage->labels[stage->output[d]].bound;
		}
		refuse_many_rows(stage->name, stage->noutput, labels, bounds,
						 plan->stages[stage->number].tuples, plan->graph->program->text,
						 stage->statement->location);
	}
}
