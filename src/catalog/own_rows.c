/*-------------------------------------------------------------------------
 *
 * own_rows.c
 *	  Tables whose rows belong to one server: logs, positions, statistics.
 *
 * Their rows have numbers of transactions, or OIDs, of the server that has written them.
 * A publication of all tables has them, too. So on a subscriber a trigger leaves out the
 * rows that are replicated from another server. It fires only where changes are
 * replicated, and what the library writes there of its own does not fire it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "commands/trigger.h"
#include "fmgr.h"
#include "utils/guc.h"
#include "utils/rel.h"

#include "catalog/own_rows.h"

void
begin_own_write(Caller *caller, Relation table)
{
	become_role(caller, table->rd_rel->relowner);
	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
		(void) set_config_option("session_replication_role", "origin", PGC_SUSET,
								 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* leave_out_replicated(): BEFORE trigger for each row that lets no row change. */
PG_FUNCTION_INFO_V1(leave_out_replicated);
Datum
leave_out_replicated(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}
