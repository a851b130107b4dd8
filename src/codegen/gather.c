/*-------------------------------------------------------------------------
 *
 * gather.c
 *	  Reads the tables of Citus that a query needs once, into CTEs.
 *
 * Citus computes a materialized CTE on the workers and hands its rows to the rest of the
 * query, which then reads no distributed table and runs here. So each table of Citus is
 * one CTE of the query, with the columns that its tensors have, whatever operands read
 * it; what the rest of the query does with it need not be SQL that Citus can distribute.
 *
 * Conditions that hold for all that is read of a table may be in its CTE: keys of a point
 * query. The conditions that constraints prove the keys unique have to be there, where
 * the planners of the workers find the shards' constraints. All others are checked above.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "commands/defrem.h"
#include "lib/stringinfo.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/citus.h"
#include "catalog/dimension.h"
#include "catalog/range_storage.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "codegen/gather.h"
#include "optimizer/repartition_cost.h"
#include "optimizer/settings.h"
#include "type/extension.h"

typedef struct GatheredTable
{
	Oid relid;
	char *name;      /* of the CTE */
	char *condition; /* or NULL */
	List *columns;   /* String *: the relation's columns */
	List *proofs;    /* String *: the conditions that prove the keys unique */
	bool written;    /* nothing can be added to it any more */
} GatheredTable;

struct Gathering
{
	List *tables; /* GatheredTable * */
};

Gathering *
new_gathering(void)
{
	return palloc0(sizeof(Gathering));
}

bool
plan_gathers(const CodegenContext *context)
{
	ListCell *lc;

	/* what changes have added is read of logs, which tables of Citus lack */
	if (context->plan == NULL || context->round)
		return false;
	foreach (lc, context->plan->graph->program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);
		ListCell *inner;

		foreach (inner, tensor->entry ? tensor->entry->storages : NIL)
		{
			if (((const Storage *) lfirst(inner))->citus)
				return true;
		}
		for (int d = 0; d < tensor->rank; d++)
		{
			if (bound_is_dimension(tensor->bounds[d]) &&
				is_citus_table(dimension_relation(tensor->bounds[d])))
				return true;
		}
	}
	return false;
}

bool
is_gathered(const CodegenContext *context, const Storage *storage)
{
	return storage->citus ||
		   (storage->duplicates == DUPLICATES_ERROR && storage->ephemeral == NULL &&
			(storage->layout || storage_has_barrier(storage)) && plan_gathers(context));
}

/* Returns the columns of the relation that a storage reads. */
static List *
columns_of_storage(const Storage *storage)
{
	const List *parts = storage->layout ? storage->layout->columns : storage->value_parts;
	List *columns = NIL;
	ListCell *lc;

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, d))
			columns =
				list_append_unique(columns, makeString(storage->dimensions[d].column));
	}
	foreach (lc, parts)
	{
		const ValuePart *part = lfirst(lc);

		if (part->column)
			columns = list_append_unique(columns, makeString(part->column));
	}
	if (storage->value_column && parts == NIL)
		columns = list_append_unique(columns, makeString(storage->value_column));
	if (storage->position)
		columns = list_append_unique(columns, makeString(storage->position));
	return columns;
}

/* Returns the conditions that the keys of a storage are unique, as reading it has them. */
static List *
proofs_of_storage(const Storage *storage)
{
	List *proofs = NIL;
	StringInfoData keys;

	initStringInfo(&keys);
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED &&
			!is_layout_index(storage, d))
			appendStringInfo(&keys, ", r.%s",
							 quote_identifier(storage->dimensions[d].column));
	}
	if (storage->duplicates == DUPLICATES_ERROR && keys.len > 0)
		proofs = list_make1(
			makeString(psprintf("%s(%s%s)", extension_function("einsum_keys_unique"),
								text_literal(storage->tensor), keys.data)));
	if (proofs != NIL && mirrored_by_rows(storage))
		proofs = lappend(
			proofs,
			makeString(psprintf(
				"%s(%s, r.%s, r.%s)", extension_function("einsum_keys_ordered"),
				text_literal(storage->tensor),
				quote_identifier(storage->dimensions[storage->rank - 2].column),
				quote_identifier(storage->dimensions[storage->rank - 1].column))));
	return proofs;
}

/* Has the query a stage, or the gathering a table, of that name? */
static bool
is_taken(const CodegenContext *context, const char *name)
{
	ListCell *lc;

	foreach (lc, context->plan->graph->stages)
	{
		if (strcmp(((const Stage *) lfirst(lc))->name, name) == 0)
			return true;
	}
	foreach (lc, context->gathering->tables)
	{
		if (strcmp(((const GatheredTable *) lfirst(lc))->name, name) == 0)
			return true;
	}
	return false;
}

static GatheredTable *
add_table(const CodegenContext *context, const Storage *storage, const char *condition)
{
	const char *relation = get_rel_name(storage->relid);
	GatheredTable *table = palloc0(sizeof(GatheredTable));
	int number = 0;

	table->relid = storage->relid;
	table->condition = condition ? pstrdup(condition) : NULL;
	do
		table->name = makeObjectName(
			relation, NULL, number ? psprintf("gathered%d", number) : "gathered");
	while (is_taken(context, table->name) && ++number);
	context->gathering->tables = lappend(context->gathering->tables, table);
	return table;
}

/*
 * Returns a CTE of a relation without condition, or under this one, to which these columns
 * can be added or that has them; NULL if there is no such CTE.
 */
static GatheredTable *
find_table(const Gathering *gathering, const Storage *storage, const char *condition,
		   const List *columns, const List *proofs)
{
	ListCell *lc;

	foreach (lc, gathering->tables)
	{
		GatheredTable *table = lfirst(lc);

		if (table->relid == storage->relid &&
			(table->condition == NULL ||
			 (condition && strcmp(condition, table->condition) == 0)) &&
			(!table->written || (list_difference(columns, table->columns) == NIL &&
								 list_difference(proofs, table->proofs) == NIL)))
			return table;
	}
	return NULL;
}

char *
gathered_relation(const CodegenContext *context, const Storage *storage,
				  const char *condition)
{
	List *columns = columns_of_storage(storage);
	List *proofs = proofs_of_storage(storage);
	GatheredTable *table =
		find_table(context->gathering, storage, condition, columns, proofs);

	if (context->round)
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a loop cannot read \"%s\" in each round", storage->tensor),
			 errdetail("Its table is distributed by Citus, and a round reads only what "
					   "is gathered before it."),
			 errhint("undistribute_table() makes it local.")));
	if (table == NULL)
		table = add_table(context, storage, condition);
	table->columns = list_concat_unique(table->columns, columns);
	table->proofs = list_concat_unique(table->proofs, proofs);
	return pstrdup(quote_identifier(table->name));
}

/* Returns the SELECT of a table's CTE. */
static char *
select_of_table(const GatheredTable *table)
{
	List *conditions = list_copy(table->proofs);
	StringInfoData query;
	ListCell *lc;

	if (table->condition)
		conditions = lappend(conditions, makeString(table->condition));
	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT");
	foreach (lc, table->columns)
		appendStringInfo(&query, "%s r.%s", foreach_current_index(lc) ? "," : "",
						 quote_identifier(strVal(lfirst(lc))));
	appendStringInfo(&query, " FROM %s AS r", qualified_relation_name(table->relid));
	foreach (lc, conditions)
		appendStringInfo(&query, " %s %s", foreach_current_index(lc) ? "AND" : "WHERE",
						 strVal(lfirst(lc)));
	return query.data;
}

void
append_gathered(const CodegenContext *context, StringInfo queries)
{
	ListCell *lc;

	foreach (lc, context->gathering->tables)
	{
		GatheredTable *table = lfirst(lc);

		if (table->written)
			continue;
		table->written = true;
		appendStringInfo(queries, "%s%s AS MATERIALIZED (%s)",
						 queries->len ? ", " : "WITH ", quote_identifier(table->name),
						 select_of_table(table));
	}
}

char *
with_gathered(const CodegenContext *context, char *query)
{
	StringInfoData queries;

	initStringInfo(&queries);
	append_gathered(context, &queries);
	context->gathering->tables = NIL;
	if (queries.len == 0)
		return query;
	if (strncmp(query, "WITH ", strlen("WITH ")) == 0)
		return psprintf("%s, %s", queries.data, query + strlen("WITH "));
	return psprintf("%s %s", queries.data, query);
}

char *
memory_amount(double bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB"};
	double amount = bytes / 1024.0;
	int unit = 0;

	while (amount >= 1024.0 && unit < lengthof(units) - 1)
	{
		amount /= 1024.0;
		unit++;
	}
	return psprintf(amount < 10.0 && amount != floor(amount) ? "%.1f %s" : "%.0f %s",
					amount, units[unit]);
}

/* The most bytes that a plan's operands read of one table. */
typedef struct TableBytes
{
	Oid relid;
	double bytes;
} TableBytes;

static TableBytes *
bytes_of_table(List **tables, Oid relid)
{
	TableBytes *table;
	ListCell *lc;

	foreach (lc, *tables)
	{
		table = lfirst(lc);
		if (table->relid == relid)
			return table;
	}
	table = palloc0(sizeof(TableBytes));
	table->relid = relid;
	*tables = lappend(*tables, table);
	return table;
}

double
gathered_bytes(const ProgramPlan *plan, StringInfo shares)
{
	List *tables = NIL;
	double all = 0;
	ListCell *lc;

	for (int s = 0; s < list_length(plan->graph->stages); s++)
	{
		const StagePlan *chosen = &plan->stages[s];

		for (int t = 0; t < chosen->stage->nterms; t++)
		{
			const Term *term = &chosen->stage->terms[t];

			for (int o = 0; o < term->noperands; o++)
			{
				const OperandPlan *read = &chosen->operands[t][o];
				TableBytes *table;
				double cost;

				if (read->storage == NULL || read->storage->citus == NULL)
					continue;
				table = bytes_of_table(&tables, read->storage->relid);
				table->bytes =
					Max(table->bytes,
						bytes_to_read(&term->operands[o], plan->graph->options->estimator,
									  read->storage, &read->to, 0, &cost));
			}
		}
	}
	foreach (lc, tables)
	{
		const TableBytes *table = lfirst(lc);

		all += table->bytes;
		if (shares)
			appendStringInfo(shares, "%s%s: %s", foreach_current_index(lc) ? ", " : "",
							 get_rel_name(table->relid), memory_amount(table->bytes));
	}
	return all;
}

void
check_gathered_bytes(const ProgramPlan *plan)
{
	StringInfoData shares;
	double bytes;

	initStringInfo(&shares);
	bytes = gathered_bytes(plan, &shares);
	if (bytes > max_gather_bytes * 1024.0)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the program would gather %s from tables of Citus",
					memory_amount(bytes)),
			 errdetail("sparseeinsum.max_gather_bytes is %s. Expected of \"%s\".",
					   memory_amount(max_gather_bytes * 1024.0), shares.data),
			 errhint(
				 "Register views that aggregate or leave rows out, ask for the result "
				 "at some keys, or allow more.")));
}
