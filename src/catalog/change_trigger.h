/*-------------------------------------------------------------------------
 *
 * change_trigger.h
 *	  What statements change goes into the logs of tables.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_CHANGE_TRIGGER_H
#define CATALOG_CHANGE_TRIGGER_H

#include "utils/relcache.h"

/* Writes into a log that all rows of its table may have changed. */
extern void log_all_rows(Relation log);

#endif
