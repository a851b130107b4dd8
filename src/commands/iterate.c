/*-------------------------------------------------------------------------
 *
 * iterate.c
 *	  einsum_iterate: loops, as a function and as a procedure.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_namespace.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "portability/instr_time.h"
#include "tcop/pquery.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "catalog/declare.h"
#include "catalog/label.h"
#include "catalog/locks.h"
#include "catalog/position.h"
#include "catalog/tensor_storage.h"
#include "codegen/deparse.h"
#include "codegen/known_programs.h"
#include "commands/arguments.h"
#include "commands/iterate.h"
#include "commands/options.h"
#include "commands/results.h"
#include "compat.h"
#include "iterate/loop.h"
#include "optimizer/many_rows.h"
#include "rows/sources.h"

PG_FUNCTION_INFO_V1(einsum_iterate);
PG_FUNCTION_INFO_V1(einsum_iterate_commit);
PG_FUNCTION_INFO_V1(einsum_iterate_value);
PG_FUNCTION_INFO_V1(einsum_iterate_rows);

/* Columns of the result. */
enum
{
	COLUMN_ROUND,
	COLUMN_VALUE,
	COLUMN_ENTRIES,
	COLUMN_BYTES,
	COLUMN_MILLISECONDS,
	COLUMN_PLANNED,
	COLUMN_COLUMNS,
	COLUMNS
};

static char *
given_program(FunctionCallInfo fcinfo, int argument)
{
	return PG_ARGISNULL(argument) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(argument));
}

/*
 * Reads the arguments until and max_rounds, which are at first and first + 1. Errors:
 * 22004, 22023.
 */
static void
read_end(FunctionCallInfo fcinfo, int first, LoopRequest *request, int *max_rounds)
{
	request->until = given_program(fcinfo, first);
	require_argument(fcinfo, first + 1, "max_rounds");
	*max_rounds = PG_GETARG_INT32(first + 1);
	if (*max_rounds < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_rounds must be at least 1"),
						errdetail("It is %d.", *max_rounds)));
}

/* Returns an argument as text; NULL if it is NULL, or the function has fewer. */
static char *
optional_text(FunctionCallInfo fcinfo, int argument)
{
	/* an extension that has not been updated to this version declares fewer */
	return argument < PG_NARGS() ? given_program(fcinfo, argument) : NULL;
}

/* Reads the names of tensors in assign, as they are written in a label. */
static List *
names_in_assign(const List *references)
{
	List *names = NIL;
	ListCell *lc;

	foreach (lc, references)
	{
		const SyntaxReference *name = lfirst(lc);

		names = lappend(names, quote_qualified_identifier(name->schema, name->name));
	}
	return names;
}

/* Sets what the call of a loop says. Errors: 22023. */
static void
set_call(LoopRequest *request, const LoopCall *call)
{
	const char *on_change = call->texts[LOOP_ON_CHANGE];
	ListCell *lc;

	request->call = call;
	request->kept = true;
	request->init = call->texts[LOOP_INIT];
	request->step = call->texts[LOOP_STEP];
	request->until = call->texts[LOOP_UNTIL];
	foreach (lc, call->assign)
		request->assign =
			lappend(request->assign, parse_tensor_name(cstring_to_text(lfirst(lc))));
	request->options = *loop_options_of(
		call->texts[LOOP_SEARCH], call->texts[LOOP_REWRITE], call->texts[LOOP_ESTIMATOR]);
	request->result = columns_option_of(call->texts[LOOP_RESULT]);
	if (on_change && strcmp(on_change, "restart") != 0 &&
		strcmp(on_change, "resume") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is no value of option \"on_change\"", on_change),
						errhint("Possible values are \"restart\" and \"resume\".")));
}

/*
 * Reads the arguments name, init and step; and, from number first on, until, max_rounds,
 * schema, assign, restart, the options, result and on_change. Errors: 22004, 22023.
 */
static LoopRequest *
read_request(FunctionCallInfo fcinfo, int first, int *max_rounds)
{
	LoopRequest *request = palloc0(sizeof(LoopRequest));
	LoopCall *call = palloc0(sizeof(LoopCall));
	char *init = given_program(fcinfo, 1);

	request->schema = target_schema(fcinfo, first + 2);
	request->name = created_program_name(fcinfo, 0, request->schema);
	/* blank text counts as NULL */
	if (init && init[strspn(init, " \t\r\n")] != '\0')
		call->texts[LOOP_INIT] = init;
	require_argument(fcinfo, 2, "step");
	call->texts[LOOP_STEP] = text_to_cstring(PG_GETARG_TEXT_PP(2));
	read_end(fcinfo, first, request, max_rounds);
	call->texts[LOOP_UNTIL] = request->until;
	call->max_rounds = *max_rounds;
	call->path = names_of_search_path();
	if (!PG_ARGISNULL(first + 3))
		call->assign = names_in_assign(
			read_tensor_names(PG_GETARG_ARRAYTYPE_P(first + 3), "assign"));
	request->restart = !PG_ARGISNULL(first + 4) && PG_GETARG_BOOL(first + 4);
	call->texts[LOOP_SEARCH] = given_program(fcinfo, first + 5);
	call->texts[LOOP_REWRITE] = given_program(fcinfo, first + 6);
	call->texts[LOOP_ESTIMATOR] = given_program(fcinfo, first + 7);
	call->texts[LOOP_RESULT] =
		PG_NARGS() > first + 8 ? optional_text(fcinfo, first + 8) : pstrdup("auto");
	call->texts[LOOP_ON_CHANGE] = optional_text(fcinfo, first + 9);
	set_call(request, call);
	return request;
}

static void
append_entries(StringInfo text, const Loop *loop, const LoopState *state)
{
	appendStringInfo(text, "%.0f", state->counts.entries);
}

static void
append_bytes(StringInfo text, const Loop *loop, const LoopState *state)
{
	appendStringInfo(text, "%.0f", state->counts.bytes);
}

/*
 * Appends the columns of a state's table, "i integer, value double precision", as a JSON
 * string.
 */
static void
append_columns(StringInfo text, const Loop *loop, const LoopState *state)
{
	escape_json(text, columns_of_state(loop, state));
}

/*
 * Returns a jsonb object {"x": ..., "y": ...} with a member for each state; append writes
 * the member's value.
 */
static Datum
object_of_states(const Loop *loop,
				 void (*append)(StringInfo, const Loop *, const LoopState *))
{
	StringInfoData text;

	initStringInfo(&text);
	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *state = &loop->states[s];

		if (state->frontier_of)
			continue;
		appendStringInfoString(&text, s ? ", " : "{");
		escape_json(&text, state->name);
		appendStringInfoString(&text, ": ");
		append(&text, loop, state);
	}
	appendStringInfoChar(&text, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data));
}

static void
put_round(ReturnSetInfo *rsinfo, const Loop *loop, int round, const RoundReport *report,
		  Datum columns)
{
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_ROUND] = Int32GetDatum(round);
	values[COLUMN_VALUE] = Float8GetDatum(report->value);
	nulls[COLUMN_VALUE] = !report->has_value;
	values[COLUMN_ENTRIES] = object_of_states(loop, append_entries);
	values[COLUMN_BYTES] = object_of_states(loop, append_bytes);
	values[COLUMN_MILLISECONDS] = Float8GetDatum(report->time);
	values[COLUMN_PLANNED] = BoolGetDatum(report->planned);
	values[COLUMN_COLUMNS] = columns;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* Writes the states into their tables, notices the round, and commits. */
static void
commit_rounds(Loop *loop, int round, const RoundReport *report, bool last)
{
	write_states(loop, last);
	if (report->has_value)
		ereport(NOTICE, (errmsg("loop \"%s\": round %d, %s", loop->request->name, round,
								float8_to_string(report->value))));
	else
		ereport(NOTICE, (errmsg("loop \"%s\": round %d", loop->request->name, round)));
	commit_loop(loop);
	/* planning the next round reads data, and so needs a snapshot */
	EnsurePortalSnapshotExists();
}

/* Computes the initial state, after all checks that can be made before the first
 * round. */
static void
begin_loop(Loop *loop)
{
	if (loop->request->kept)
		check_places(loop);
	start_loop(loop);
	if (loop->request->kept)
		notice_columns(loop);
}

/*
 * A loop that has found no new least or greatest value for that many rounds stands still.
 */
#define ROUNDS_STILL 20

/* Which values until's left side has had. */
typedef struct ValueRange
{
	double least;
	double greatest;
	int round; /* the last with a new least or greatest value; 0 before the first */
} ValueRange;

static void
widen_range(ValueRange *range, const RoundReport *report, int round)
{
	if (!report->has_value)
		return;
	if (range->round > 0 && report->value >= range->least &&
		report->value <= range->greatest)
		return;
	range->least = range->round ? Min(range->least, report->value) : report->value;
	range->greatest = range->round ? Max(range->greatest, report->value) : report->value;
	range->round = round;
}

/*
 * Warns that a loop ends before its condition is met, and says whether more rounds may
 * help.
 */
static void
warn_not_met(const Loop *loop, int round, const ValueRange *range)
{
	bool still = range->round > 0 && round - range->round >= ROUNDS_STILL &&
				 round - range->round >= round / 2;

	ereport(
		WARNING,
		(errmsg("loop \"%s\" ends after %d rounds though until is not met",
				loop->request->name, round),
		 still
			 ? errdetail("Since round %d the left side of until stays between %g and %g.",
						 range->round, range->least, range->greatest)
			 : 0,
		 still ? errhint("The step alternates or stands still, and more rounds may not "
						 "help: look at its values, and change the step or until.")
		 : loop->request->kept
			 ? errhint("Call it again to go on from there, or give it more with "
					   "max_rounds.")
			 : errhint("Give it more with max_rounds.")));
}

/*
 * Runs a loop from begin_loop on to its end and writes its state; unless commit_every is
 * 0, also writes and commits it every commit_every rounds. Each round is a row of
 * rsinfo, unless NULL. Returns whether until is met.
 */
static bool
run_loop(Loop *loop, int max_rounds, int commit_every, ReturnSetInfo *rsinfo)
{
	RoundReport report = {0};
	ValueRange range = {0};
	bool last = false;
	int round = 0;
	/* a loop may have a million rounds: only the loop's own memory outlives a round */
	MemoryContext memory =
		AllocSetContextCreate(loop->memory, "round of a loop", ALLOCSET_DEFAULT_SIZES);
	Datum columns = rsinfo ? object_of_states(loop, append_columns) : (Datum) 0;
	MemoryContext old;

	old = MemoryContextSwitchTo(memory);
	while (!last)
	{
		MemoryContextReset(memory);
		run_round(loop, ++round, &report);
		last = report.ended || round == max_rounds;
		widen_range(&range, &report, round);
		if (rsinfo)
			put_round(rsinfo, loop, round, &report, columns);
		if (commit_every > 0 && (last || round % commit_every == 0))
			commit_rounds(loop, round, &report, last);
	}
	if (commit_every == 0 && loop->request->kept)
		write_states(loop, true);
	MemoryContextSwitchTo(old);
	if (loop->request->until && !report.ended)
		warn_not_met(loop, round, &range);
	return report.ended;
}

/*
 * einsum_iterate(name, init, step, until, max_rounds, schema, assign, restart, options,
 * result, on_change): runs a loop in this transaction and writes its state at the end.
 */
Datum
einsum_iterate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	LoopRequest *request;
	int max_rounds;
	Loop *loop;

	InitMaterializedSRF(fcinfo, 0);
	PreventCommandIfReadOnly("einsum_iterate()");
	SPI_connect();
	request = read_request(fcinfo, 3, &max_rounds);
	lock_loop(request);
	loop = define_loop(request);
	PG_TRY();
	{
		begin_loop(loop);
		(void) run_loop(loop, max_rounds, 0, rsinfo);
	}
	PG_FINALLY();
	{
		end_loop(loop);
	}
	PG_END_TRY();
	SPI_finish();
	return (Datum) 0;
}

/* May a procedure commit? Not within a transaction, a function or a subtransaction. */
static bool
may_commit(FunctionCallInfo fcinfo)
{
	return fcinfo->context && IsA(fcinfo->context, CallContext) &&
		   !castNode(CallContext, fcinfo->context)->atomic && !IsSubTransaction();
}

/*
 * einsum_iterate(name, init, step, commit_every, until, ...): the same as a procedure,
 * which commits after each commit_every rounds. Errors: 2D000 within a transaction.
 */
Datum
einsum_iterate_commit(PG_FUNCTION_ARGS)
{
	LoopRequest *request;
	int commit_every;
	int max_rounds;
	Oid namespace;
	bool held;
	Loop *volatile loop = NULL;

	PreventCommandIfReadOnly("einsum_iterate()");
	require_argument(fcinfo, 3, "commit_every");
	commit_every = PG_GETARG_INT32(3);
	if (commit_every < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("commit_every must be at least 1"),
						errdetail("It is %d.", commit_every)));
	if (!may_commit(fcinfo))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_TRANSACTION_TERMINATION),
			 errmsg("a loop cannot commit within a transaction"),
			 errhint("CALL it outside of BEGIN ... COMMIT, of functions and of blocks "
					 "with EXCEPTION, or use the function einsum_iterate, without "
					 "commit_every.")));
	SPI_connect_ext(SPI_OPT_NONATOMIC);
	request = read_request(fcinfo, 4, &max_rounds);
	request->across = true;
	namespace = LookupExplicitNamespace(request->schema, false);
	/*
	 * a session lock keeps other sessions from this loop, and from making its tables,
	 * between our transactions
	 */
	held = hold_program_lock(namespace, request->name);
	PG_TRY();
	{
		lock_loop(request);
		loop = define_loop(request);
		begin_loop(loop);
		(void) run_loop(loop, max_rounds, commit_every, NULL);
	}
	PG_FINALLY();
	{
		if (loop)
			end_loop(loop);
	}
	PG_END_TRY();
	/* after an error, the abort of the transaction releases the session's lock */
	if (held)
		release_program_lock(namespace, request->name);
	SPI_finish();
	return (Datum) 0;
}

Storage *
loop_among(const List *relations)
{
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, relations)
	{
		foreach (lc2, relation_registrations(lfirst_oid(lc)))
		{
			if (((const Storage *) lfirst(lc2))->loop)
				return lfirst(lc2);
		}
	}
	return NULL;
}

/* A loop that is run again. */
typedef struct LoopAgain
{
	const Storage *state; /* keeps its call */
	LoopRequest request;
	bool whole;
	Loop *loop;
	Sources *sources; /* what has changed since */
	TableFilled *filled;
} LoopAgain;

/* Returns the OIDs of the tables of the loop's states. */
static List *
tables_of_states(const Loop *loop)
{
	List *tables = NIL;

	for (int s = 0; s < loop->nstates; s++)
	{
		if (loop->states[s].table)
			tables = lappend_oid(tables, loop->states[s].table->relid);
	}
	return tables;
}

/*
 * Why a loop has to be run, in words; NULL if nothing that it reads has changed. Stores up
 * to where its states are going to be computed.
 */
static const char *
reason_to_run(LoopAgain *again)
{
	const Loop *loop = again->loop;
	Snapshot snapshot = GetActiveSnapshot();
	Storage result = *again->state;
	Sources *sources;
	const char *why;

	/* what it is computed by, of tensors as they are registered now */
	result.statement = loop->step;
	result.reads = registrations_of_loop(loop);
	sources = sources_of_relations(&result, relations_of_loop(loop),
								   tables_of_states(loop), false, snapshot);
	if (loop->request->assign)
		sources->unknown = "a state is in a table of yours";
	else if (IsolationUsesXactSnapshot())
		sources->unknown = "the transaction keeps one snapshot";
	why = reason_to_compute(&result, sources, NIL, snapshot);
	again->sources = sources;
	if (why == NULL && !again->whole)
		return NULL;
	if (sources->unknown == NULL)
		(void) store_position(result.relid, registration_hash(&result), sources->states,
							  snapshot, sources->position == NULL);
	else if (read_position(result.relid, snapshot))
		forget_position(result.relid);
	return again->whole ? "whole => true" : why;
}

/* May the loop continue from the states that it has? */
static bool
may_resume(const LoopAgain *again)
{
	const char *on_change = again->request.call->texts[LOOP_ON_CHANGE];

	if (again->whole)
		return false;
	if (continues_from_better(again->loop, again->state, again->sources,
							  GetActiveSnapshot()))
		return true;
	return again->loop->continues && on_change && strcmp(on_change, "resume") == 0 &&
		   past_is_right(again->loop);
}

static void
run_again(void *argument)
{
	LoopAgain *again = argument;
	TableFilled *filled = again->filled;
	const char *why;

	lock_loop(&again->request);
	/* behind the locks: all that follows reads this snapshot, and the position is its */
	CommandCounterIncrement();
	PushCopiedSnapshot(GetTransactionSnapshot());
	UpdateActiveSnapshotCommandId();
	again->loop = define_loop(&again->request);
	why = reason_to_run(again);
	filled->how = "unchanged";
	filled->why = MemoryContextStrdup(GetMemoryChunkContext(filled),
									  why ? why : "nothing that it reads has changed");
	if (why)
	{
		filled->how = may_resume(again) ? "resumed" : "restarted";
		if (again->loop->continues && strcmp(filled->how, "restarted") == 0)
		{
			end_loop(again->loop);
			again->loop = NULL;
			again->request.restart = true;
			again->loop = define_loop(&again->request);
		}
		begin_loop(again->loop);
		/* states that could still change do not follow from what they read */
		if (!run_loop(again->loop, again->request.call->max_rounds, 0, NULL) &&
			again->request.until && again->sources->unknown == NULL)
			forget_position(again->state->relid);
		for (int s = 0; s < again->loop->nstates; s++)
			filled->written += again->loop->states[s].written;
	}
	PopActiveSnapshot();
}

TableFilled *
refresh_loop(const Storage *state, bool whole)
{
	TableFilled *filled = palloc0(sizeof(TableFilled));
	Oid schema = get_rel_namespace(state->relid);
	LoopAgain again = {.state = state,
					   .request = {.name = state->program,
								   .schema = get_namespace_name(schema),
								   .again = true},
					   .whole = whole,
					   .filled = filled};
	instr_time start;
	instr_time end;

	INSTR_TIME_SET_CURRENT(start);
	check_relation_owner(state->relid);
	filled->relid = state->relid;
	filled->changed = -1;
	SPI_connect();
	set_call(&again.request, state->loop);
	PG_TRY();
	{
		call_as_owner(relation_owner(state->relid), state->loop->path, run_again, &again);
	}
	PG_FINALLY();
	{
		if (again.loop)
			end_loop(again.loop);
	}
	PG_END_TRY();
	SPI_finish();
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	filled->milliseconds = INSTR_TIME_GET_MILLISEC(end);
	return filled;
}

/*
 * Reads the arguments init, step, result, until, max_rounds and options of a loop that
 * stores nothing, and runs it within SPI. Returns the loop, from which the result is
 * computed; the result program is analysed before the first round; rsinfo, unless NULL,
 * is to take its rows. Errors: as einsum_iterate, and those of the result.
 */
static Loop *
run_unkept(FunctionCallInfo fcinfo, const char *function, const ReturnSetInfo *rsinfo)
{
	LoopRequest *request = palloc0(sizeof(LoopRequest));
	int max_rounds;
	const ProgramPlan *result;
	Loop *volatile loop = NULL;

	require_argument(fcinfo, 0, "init");
	require_argument(fcinfo, 1, "step");
	request->name = pstrdup(function);
	request->init = given_program(fcinfo, 0);
	if (request->init && *request->init && strpbrk(request->init, "=<") == NULL &&
		strpbrk(request->init, " \t\r\n") == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("init of %s is no program: \"%s\"", function, request->init),
				 errhint("A loop that leaves nothing behind has no name: write "
						 "%s('s[] = 1', 's[] = s[]/2', max_rounds => 5).",
						 function)));
	request->step = given_program(fcinfo, 1);
	request->read = given_program(fcinfo, 2);
	read_end(fcinfo, 3, request, &max_rounds);
	request->restart = true;
	request->options = *read_loop_options(fcinfo, 5);
	/* RESULT_AUTO for a value: any decomposition can be made one tensor */
	request->result = rsinfo ? RESULT_ROWS : RESULT_AUTO;
	PG_TRY();
	{
		loop = define_loop(request);
		begin_loop(loop);
		result = plan_of_result(loop);
		if (rsinfo)
		{
			if (PG_ARGISNULL(2))
				check_size(loop, last_state(loop));
			else
				refuse_many_rows_of_plan(result);
			check_columns(rsinfo, result);
		}
		(void) run_loop(loop, max_rounds, 0, NULL);
	}
	PG_CATCH();
	{
		if (loop)
			end_loop(loop);
		PG_RE_THROW();
	}
	PG_END_TRY();
	return loop;
}

/*
 * einsum_iterate_value(init, step, result, until, max_rounds, options): runs a loop and
 * returns its result as one tensor. Creates no table.
 */
Datum
einsum_iterate_value(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum volatile value = 0;
	Loop *loop;

	SPI_connect();
	loop = run_unkept(fcinfo, "einsum_iterate_value", NULL);
	PG_TRY();
	{
		value = compute_value("einsum_iterate_value", plan_of_result(loop), caller);
	}
	PG_FINALLY();
	{
		end_loop(loop);
	}
	PG_END_TRY();
	SPI_finish();
	PG_RETURN_DATUM(value);
}

/*
 * einsum_iterate_rows(init, step, result, until, max_rounds, options): runs a loop and
 * returns its result as rows. Creates no table. Errors: also those of einsum_rows.
 */
Datum
einsum_iterate_rows(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Loop *loop;

	require_columns(rsinfo, "einsum_iterate_rows");
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	SPI_connect();
	loop = run_unkept(fcinfo, "einsum_iterate_rows", rsinfo);
	PG_TRY();
	{
		ProgramPlan *plan = plan_of_result(loop);

		put_rows(rsinfo, "einsum_iterate_rows", plan, deparse_program(plan), NULL, true);
	}
	PG_FINALLY();
	{
		end_loop(loop);
	}
	PG_END_TRY();
	SPI_finish();
	PG_RETURN_VOID();
}
