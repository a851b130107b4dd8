/*-------------------------------------------------------------------------
 *
 * change_trigger.h
 *	  The triggers that write changes of tables into their logs.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_CHANGE_TRIGGER_H
#define CATALOG_CHANGE_TRIGGER_H

#include "access/transam.h"
#include "utils/relcache.h"

/*
 * Writes a row without columns of the table, of sign 0, into a log: that all rows of the
 * table may have changed or, with a negative statement, that rows of the log are deleted.
 */
extern void log_no_rows(Relation log, FullTransactionId xid, int64 statement);

#endif
