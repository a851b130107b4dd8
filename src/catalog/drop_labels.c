/*-------------------------------------------------------------------------
 *
 * drop_labels.c
 *	  Removes the labels of all relations when the extension is dropped.
 *
 * A security label depends on its relation and on nothing else. A label that outlived the
 * extension would be dumped, and could not be restored where nothing loads the provider.
 *
 * An event trigger on sql_drop does not fire for the command that drops the trigger
 * itself. So labels are removed by the hook that is called for each dropped object, when
 * it is called for the extension, whatever command drops it. The library is loaded by
 * then: the event trigger sparseeinsum_load fires at the start of all commands that can
 * drop an extension.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_seclabel.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "catalog/drop_labels.h"
#include "catalog/registration.h"
#include "compat.h"

static object_access_hook_type prev_object_access = NULL;

static bool
is_our_label(HeapTuple tuple, Relation catalog)
{
	bool isnull;
	Datum provider = heap_getattr(tuple, Anum_pg_seclabel_provider,
								  RelationGetDescr(catalog), &isnull);

	return !isnull && strcmp(TextDatumGetCString(provider), LABEL_PROVIDER) == 0;
}

/*
 * Removes all labels. Others may be dropping a labelled relation or changing its label at
 * the same time, which is no error. False if a label was replaced by one that this scan
 * does not see.
 */
static bool
remove_labels(Relation catalog)
{
	bool complete = true;
	SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, NULL, 0, NULL);
	HeapTuple tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		TM_FailureData failure;

		if (is_our_label(tuple, catalog) &&
			heap_delete(catalog, &tuple->t_self, GetCurrentCommandId(true), 0,
						InvalidSnapshot, true, &failure) == TM_Updated)
			complete = false;
	}
	systable_endscan(scan);
	CommandCounterIncrement();
	return complete;
}

static void
drop_labels(ObjectAccessType access, Oid class, Oid object, int subobject, void *arg)
{
	char *name;

	if (prev_object_access)
		prev_object_access(access, class, object, subobject, arg);
	if (access != OAT_DROP || class != ExtensionRelationId)
		return;
	name = get_extension_name(object);
	if (name != NULL && strcmp(name, "sparseeinsum") == 0)
	{
		Relation catalog = table_open(SecLabelRelationId, RowExclusiveLock);

		while (!remove_labels(catalog))
			CHECK_FOR_INTERRUPTS();
		table_close(catalog, RowExclusiveLock);
	}
}

void
drop_labels_init(void)
{
	prev_object_access = object_access_hook;
	object_access_hook = drop_labels;
}
