/*-------------------------------------------------------------------------
 *
 * query_scan.c
 *	  Reading a relation row by row through the executor.
 *
 * Registering and analyzing read whole tables and views. As ANALYZE does, they
 * read as the owner and in a security-restricted operation, so that a
 * superuser who registers somebody's view lends it no rights.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/spi.h"
#include "tcop/dest.h"
#include "utils/memutils.h"

#include "catalog/query_run.h"
#include "catalog/query_scan.h"
#include "catalog/role.h"

typedef struct CallbackReceiver
{
	DestReceiver base;
	RowCallback callback;
	void *state;
	MemoryContext context;
} CallbackReceiver;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	CallbackReceiver *receiver = (CallbackReceiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->context);
	bool more;

	slot_getallattrs(slot);
	more = receiver->callback(slot, receiver->state);
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->context);
	return more;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc type)
{
}

static void
receiver_nothing(DestReceiver *self)
{
}

static void
scan(const char *query, bool snapshot_now, RowCallback callback, void *state)
{
	CallbackReceiver receiver = {
		{receive, receiver_startup, receiver_nothing, receiver_nothing, DestNone}};
	SPIExecuteOptions options = {0};
	int status;

	receiver.callback = callback;
	receiver.state = state;
	receiver.context = AllocSetContextCreate(CurrentMemoryContext, "sparseeinsum row",
											 ALLOCSET_DEFAULT_SIZES);
	options.dest = (DestReceiver *) &receiver;
	options.read_only = !snapshot_now;

	SPI_connect();
	status = run_sql(query, &options);
	/* SPI counts a query whose rows go to another receiver as a utility command */
	if (status != SPI_OK_SELECT && status != SPI_OK_UTILITY)
		elog(ERROR, "SPI_execute_extended returned %s", SPI_result_code_string(status));
	SPI_finish();
	MemoryContextDelete(receiver.context);
}

void
scan_query(const char *query, Oid role, bool snapshot_now, RowCallback callback,
		   void *state)
{
	Caller caller;

	become_role(&caller, role);
	scan(query, snapshot_now, callback, state);
	become_caller(&caller);
}

void
scan_query_as_caller(const char *query, RowCallback callback, void *state)
{
	scan(query, true, callback, state);
}
