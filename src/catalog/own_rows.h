/*-------------------------------------------------------------------------
 *
 * own_rows.h
 *	  Tables whose rows belong to one server: logs, positions, statistics.
 *
 *-------------------------------------------------------------------------
 */
#ifndef CATALOG_OWN_ROWS_H
#define CATALOG_OWN_ROWS_H

#include "postgres.h"

#include "utils/relcache.h"

#include "catalog/role.h"

/*
 * Continues with the rights of a table's owner, until become_caller or an error, to write
 * rows of this server, which the table's trigger does not leave out.
 */
extern void begin_own_write(Caller *caller, Relation table);

#endif
