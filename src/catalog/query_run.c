/*-------------------------------------------------------------------------
 *
 * query_run.c
 *	  Running queries of this extension by SPI.
 *
 * SPI puts the whole query into the context of an error, or, if the error has a position
 * in it, into the error's internal query, which psql shows as QUERY. It does so just
 * before the error is thrown, and no callback can change what another one has added. So
 * errors are caught on their way out and thrown again, with the query shortened in both
 * places.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "parser/scansup.h"
#include "utils/plancache.h"
#include "utils/snapmgr.h"

#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "compat.h"

/* Returns an error's context with the query shortened wherever it occurs. */
static char *
context_in_brief(const char *context, const char *query)
{
	StringInfoData brief;
	const char *found;

	initStringInfo(&brief);
	while (*query && (found = strstr(context, query)) != NULL)
	{
		appendBinaryStringInfo(&brief, context, found - context);
		appendStringInfoString(&brief, query_in_brief(query));
		context = found + strlen(query);
	}
	appendStringInfoString(&brief, context);
	return brief.data;
}

/*
 * The part of a query that is shown with an error position: at most this many bytes, and
 * this many characters before the position.
 */
#define MAX_AROUND 160
#define MAX_BEFORE 30

/*
 * Returns the part of a query around a position, counted in characters from 1, and
 * changes the position to one in that part.
 */
static char *
around_position(const char *query, int *position)
{
	int skipped = Max(*position - 1 - MAX_BEFORE, 0);
	const char *begin = query;
	StringInfoData around;
	int length;

	for (int c = 0; c < skipped && *begin; c++)
		begin += pg_mblen(begin);
	length = pg_mbcliplen(begin, strlen(begin), MAX_AROUND);
	initStringInfo(&around);
	if (skipped > 0)
	{
		appendStringInfoString(&around, "...");
		*position -= skipped - 3;
	}
	for (const char *c = begin; c < begin + length; c++)
		appendStringInfoChar(&around, scanner_isspace(*c) ? ' ' : *c);
	if (begin[length])
		appendStringInfoString(&around, "...");
	return around.data;
}

/* Throws a caught error again, with the query shortened in it. */
pg_noreturn static void
rethrow_in_brief(const char *query, MemoryContext caller)
{
	ErrorData *error;

	MemoryContextSwitchTo(caller);
	error = CopyErrorData();
	FlushErrorState();
	if (error->context)
		error->context = context_in_brief(error->context, query);
	if (error->internalquery && strcmp(error->internalquery, query) == 0 &&
		strlen(query) > MAX_AROUND)
		error->internalquery = around_position(query, &error->internalpos);
	ReThrowError(error);
}

static const char *
text_of(SPIPlanPtr plan)
{
	return ((CachedPlanSource *) linitial(SPI_plan_get_plan_sources(plan)))->query_string;
}

SPIPlanPtr
prepare_sql(const char *query, int count, Oid *types)
{
	MemoryContext caller = CurrentMemoryContext;
	SPIPlanPtr plan;

	PG_TRY();
	{
		plan = SPI_prepare(query, count, types);
	}
	PG_CATCH();
	{
		rethrow_in_brief(query, caller);
	}
	PG_END_TRY();
	if (plan == NULL)
		elog(ERROR, "a query could not be prepared (%s)",
			 SPI_result_code_string(SPI_result));
	return plan;
}

int
run_sql(const char *query, const SPIExecuteOptions *options)
{
	MemoryContext caller = CurrentMemoryContext;
	int result;

	PG_TRY();
	{
		result = SPI_execute_extended(query, options);
	}
	PG_CATCH();
	{
		rethrow_in_brief(query, caller);
	}
	PG_END_TRY();
	return result;
}

int
run_with_args(const char *query, int count, Oid *types, Datum *values, const char *nulls,
			  bool read_only)
{
	MemoryContext caller = CurrentMemoryContext;
	int result;

	PG_TRY();
	{
		result = SPI_execute_with_args(query, count, types, values, nulls, read_only, 0);
	}
	PG_CATCH();
	{
		rethrow_in_brief(query, caller);
	}
	PG_END_TRY();
	return result;
}

int
run_kept(SPIPlanPtr *plan, const char *query, int count, Oid *types, Datum *values)
{
	MemoryContext caller = CurrentMemoryContext;
	int result;

	PG_TRY();
	{
		if (*plan == NULL)
		{
			SPIPlanPtr prepared =
				SPI_prepare_cursor(query, count, types, CURSOR_OPT_GENERIC_PLAN);

			if (prepared == NULL || SPI_keepplan(prepared) != 0)
				elog(ERROR, "a query could not be prepared (%s)",
					 SPI_result_code_string(SPI_result));
			*plan = prepared;
		}
		result = SPI_execute_plan(*plan, values, NULL, false, 0);
	}
	PG_CATCH();
	{
		rethrow_in_brief(query, caller);
	}
	PG_END_TRY();
	return result;
}

int
run_prepared(SPIPlanPtr plan, const SPIExecuteOptions *options)
{
	MemoryContext caller = CurrentMemoryContext;
	int result;

	PG_TRY();
	{
		result = SPI_execute_plan_extended(plan, options);
	}
	PG_CATCH();
	{
		rethrow_in_brief(text_of(plan), caller);
	}
	PG_END_TRY();
	return result;
}

int
run_prepared_writing_at(SPIPlanPtr plan, Snapshot snapshot)
{
	MemoryContext caller = CurrentMemoryContext;
	int result;

	PG_TRY();
	{
		result = SPI_execute_snapshot(plan, NULL, NULL, snapshot, InvalidSnapshot, false,
									  true, 0);
	}
	PG_CATCH();
	{
		rethrow_in_brief(text_of(plan), caller);
	}
	PG_END_TRY();
	return result;
}

int
run_writing_at(const char *query, Snapshot snapshot)
{
	SPIPlanPtr plan = prepare_sql(query, 0, NULL);
	int result;

	result = run_prepared_writing_at(plan, snapshot);
	SPI_freeplan(plan);
	return result;
}

/* A query that only reads sees the active snapshot. */
static void
begin_reading_at(SPIExecuteOptions *options, Snapshot snapshot)
{
	CommandCounterIncrement();
	PushCopiedSnapshot(snapshot);
	UpdateActiveSnapshotCommandId();
	options->read_only = true;
}

int
run_reading_at(const char *query, SPIExecuteOptions *options, Snapshot snapshot)
{
	int result;

	begin_reading_at(options, snapshot);
	result = run_sql(query, options);
	PopActiveSnapshot();
	return result;
}

int
run_prepared_reading_at(SPIPlanPtr plan, SPIExecuteOptions *options, Snapshot snapshot)
{
	int result;

	begin_reading_at(options, snapshot);
	result = run_prepared(plan, options);
	PopActiveSnapshot();
	return result;
}

int
run_reading(const char *query)
{
	SPIExecuteOptions options = {.read_only = true};

	return run_sql(query, &options);
}

int
run_writing(const char *query)
{
	SPIExecuteOptions options = {0};

	return run_sql(query, &options);
}
