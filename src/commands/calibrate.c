/*-------------------------------------------------------------------------
 *
 * calibrate.c
 *	  einsum_calibrate: measures the costs of the cost model on this machine.
 *
 *	  cost = (least time with - least time without) / units
 *
 * Each setting has two queries: one performs the measured operation many times, the other
 * does everything else that the first does. They run alternately until their time is up,
 * and the fastest run of each counts: other load of the machine only makes runs slower.
 * They read only results of functions, so that no table is made.
 *
 * Known weakness: if noise hides the difference, a fixed share of the query's time is
 * taken, since no cost is 0.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/tuplestore.h"

#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "compat.h"
#include "kernels/function.h"
#include "optimizer/settings.h"
#include "type/extension.h"

PG_FUNCTION_INFO_V1(einsum_calibrate);

/* Time to measure one setting: all 9 take about five seconds. */
#define MEASURED_MICROSECONDS 500000.0
#define LEAST_ROUNDS 2

/* A measured operation counts for at least this share of its query's time. */
#define LEAST_SHARE 0.01

/* work_mem in kB: enough for every measured query, and PostgreSQL's minimum. */
#define AMPLE_MEMORY "262144"
#define NO_MEMORY "64"

#define SERIES(n) "pg_catalog.generate_series(1, " n ")"
#define COUNT(what) "pg_catalog.count(" what ")"
#define GROUPS(by)                                                                       \
	"SELECT " COUNT("s.t") " FROM (SELECT @tensor_sum('1'::pg_catalog.float8) AS t "     \
						   "FROM " SERIES("100000") " AS a(i) GROUP BY " by ") AS s"
#define IN_FEW "a.i OPERATOR(pg_catalog.%) 16"
/* repeat() copies piece by piece, so pieces are large: 500 bytes */
#define WIDE(pieces)                                                                     \
	"WITH w AS MATERIALIZED (SELECT pg_catalog.repeat(pg_catalog.repeat("                \
	"'x'::pg_catalog.text, 500), " pieces                                                \
	" OPERATOR(pg_catalog.+) (a.i OPERATOR(pg_catalog.%) 2)) AS v FROM " SERIES(         \
		"5000") " AS a(i)) SELECT " COUNT("w.v") " FROM w"
#define INDICES                                                                          \
	"WITH r AS MATERIALIZED (SELECT pg_catalog.array_agg(a.i) AS v FROM " SERIES(        \
		"300000") " AS a(i)) "
#define RANDOM(shape)                                                                    \
	"WITH r AS MATERIALIZED (SELECT @tensor_random('" shape                              \
	"'::pg_catalog.int4[], '1'::pg_catalog.int8) AS v) "

/*
 * How one setting is measured. "@name" in a query stands for a function of the extension.
 */
typedef struct Measure
{
	const char *setting;
	const double *current;
	const char *with;
	const char *without;
	const char *memory;  /* work_mem of the first query; the second has ample */
	double units;        /* operations that the first query has more than the second */
	double exponentials; /* besides; the function table says how many one counts as */
} Measure;

static const Measure measures[] = {
	/* tuples: one is read from each side, and one is joined */
	{"cost_tuple", &tuple_cost,
	 "SELECT " COUNT("*") " FROM " SERIES("50000") " AS a(i), " SERIES(
		 "50000") " AS b(i) WHERE a.i OPERATOR(pg_catalog.=) b.i",
	 "SELECT 1", AMPLE_MEMORY, 150000},
	{"cost_agg_tuple", &agg_tuple_cost, GROUPS(IN_FEW),
	 "SELECT " COUNT(IN_FEW) " FROM " SERIES("100000") " AS a(i)", AMPLE_MEMORY, 100000},
	{"cost_group", &group_cost, GROUPS("a.i"), GROUPS(IN_FEW), AMPLE_MEMORY, 100000},
	{"cost_transfer", &transfer_cost, WIDE("4"), WIDE("0"), AMPLE_MEMORY, 5000.0 * 2000},
	{"cost_entry", &entry_cost,
	 INDICES "SELECT " COUNT("e.value") " FROM r, LATERAL "
										"@einsum_entries('lists'::pg_catalog.text, "
										"'0'::pg_catalog.float8, r.v) AS "
										"e(i pg_catalog.int8, value pg_catalog.float8)",
	 INDICES "SELECT " COUNT("r.v") " FROM r", AMPLE_MEMORY, 300000},
	{"cost_spill", &spill_cost, WIDE("4"), WIDE("4"), NO_MEMORY, 5000.0 * 2000},
	/* operations: a multiplication, an addition */
	{"cost_kernel_matrix", &kernel_matrix_cost,
	 RANDOM("{512,512}") "SELECT @tensor_rank(@mat_mult(r.v, r.v)) FROM r",
	 RANDOM("{512,512}") "SELECT @tensor_rank(r.v) FROM r", AMPLE_MEMORY,
	 2.0 * 512 * 512 * 512},
	{"cost_kernel_streaming", &kernel_streaming_cost,
	 RANDOM("{10000}") "SELECT " COUNT(
		 "s.t") " FROM (SELECT @einsum_sum(',a->a'::pg_catalog.text, CAST(a.i AS "
				"pg_catalog.float8), "
				"r.v) AS t FROM r, " SERIES("500") " AS a(i)) AS s",
	 RANDOM("{10000}") "SELECT " COUNT("r.v") " FROM r, " SERIES("500") " AS a(i)",
	 AMPLE_MEMORY, 2.0 * 10000 * 500},
	{"cost_kernel_general", &kernel_general_cost,
	 RANDOM("{10000}") "SELECT " COUNT(
		 "s.t") " FROM (SELECT @tensor_map_sum('exp($1 * $2)'::pg_catalog.text, "
				"',a->a'::pg_catalog.text, CAST(a.i AS pg_catalog.float8), r.v) AS t "
				"FROM r, " SERIES("50") " AS a(i)) AS s",
	 RANDOM("{10000}") "SELECT " COUNT("r.v") " FROM r, " SERIES("50") " AS a(i)",
	 AMPLE_MEMORY, 2.0 * 10000 * 50, 10000.0 * 50},
};

/* Sets a setting for the rest of the GUC nest level. */
static void
set_for_now(const char *setting, const char *value)
{
	(void) set_config_option(setting, value, superuser() ? PGC_SUSET : PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Replaces each "@name" in a query by the qualified name of the extension's function. */
static char *
with_functions(const char *query)
{
	StringInfoData text;

	initStringInfo(&text);
	while (*query)
	{
		size_t plain = strcspn(query, "@");

		appendBinaryStringInfo(&text, query, plain);
		query += plain;
		if (*query == '@')
		{
			size_t length = strcspn(++query, "(");

			appendStringInfoString(&text, extension_function(pnstrdup(query, length)));
			query += length;
		}
	}
	return text.data;
}

static SPIPlanPtr
prepare_measure(const Measure *measure, const char *query)
{
	return prepare_sql(
		labelled_query("einsum_calibrate", measure->setting, with_functions(query)), 0,
		NULL);
}

/* Returns the microseconds that a query takes with this work_mem. */
static double
time_of(SPIPlanPtr plan, const char *memory)
{
	SPIExecuteOptions reading = {.read_only = true};
	instr_time start;
	instr_time end;

	CHECK_FOR_INTERRUPTS();
	set_for_now("work_mem", memory);
	INSTR_TIME_SET_CURRENT(start);
	if (run_prepared(plan, &reading) != SPI_OK_SELECT)
		elog(ERROR, "a query that measures costs failed");
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	SPI_freetuptable(SPI_tuptable);
	return (double) INSTR_TIME_GET_MICROSEC(end);
}

/* Returns the cost of one operation, in microseconds. */
static double
measured_cost(const Measure *measure)
{
	SPIPlanPtr with = prepare_measure(measure, measure->with);
	SPIPlanPtr without = prepare_measure(measure, measure->without);
	double least_with = INFINITY;
	double least_without = INFINITY;
	double spent = 0.0;

	for (int round = 0; round < LEAST_ROUNDS || spent < MEASURED_MICROSECONDS; round++)
	{
		double one = time_of(with, measure->memory);
		double other = time_of(without, AMPLE_MEMORY);

		least_with = Min(least_with, Max(one, 1.0));
		least_without = Min(least_without, other);
		/* at least 1, so that the loop ends even if the clock stands still */
		spent += Max(one + other, 1.0);
	}
	SPI_freeplan(with);
	SPI_freeplan(without);
	return Max(least_with - least_without, LEAST_SHARE * least_with) /
		   (measure->units +
			measure->exponentials * pointwise_functions[FUNCTION_EXP].work);
}

/*
 * einsum_calibrate(): returns a row for each cost setting: name, present value, measured
 * value, and the statement that would set it. Changes no setting.
 */
Datum
einsum_calibrate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int nest_level;

	InitMaterializedSRF(fcinfo, 0);
	/* a GUC nest level, so that errors undo the settings, too */
	nest_level = NewGUCNestLevel();
	set_for_now("jit", "off");
	set_for_now("max_parallel_workers_per_gather", "0");
	SPI_connect();
	for (int m = 0; m < lengthof(measures); m++)
	{
		const Measure *measure = &measures[m];
		char *setting = psprintf("sparseeinsum.%s", measure->setting);
		/* two digits: a third would differ from call to call */
		char *rounded = psprintf("%.2g", measured_cost(measure));
		Datum values[4];
		bool nulls[4] = {false};

		values[0] = CStringGetTextDatum(setting);
		values[1] = Float8GetDatum(*measure->current);
		values[2] = DirectFunctionCall1(float8in, CStringGetDatum(rounded));
		values[3] =
			CStringGetTextDatum(psprintf("ALTER SYSTEM SET %s = %s", setting, rounded));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	PG_RETURN_VOID();
}
