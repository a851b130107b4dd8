/*-------------------------------------------------------------------------
 *
 * registry.c
 *	  Which relations' labels name a tensor or a program, from memory.
 *
 * Labels belong to relations, but a program names tensors. To scan pg_seclabel for each
 * name would cost time for all that others have registered. So each session keeps an
 * index of the names, made by one scan, and keeps it right by PostgreSQL's own
 * invalidation messages:
 *
 * A change of a label sends a message for the relation's cache entry (registry_changed;
 * the provider's hook calls it for SECURITY LABEL). So do CREATE and DROP of a relation,
 * and much else. Other sessions get the message once they see the commit, standbys with
 * the commit record, and the session itself at the end of the command, and when the
 * command or its subtransaction is rolled back. The labels of relations that such
 * messages name are read again before the index is next used. If messages were lost, or
 * name more relations than are noted, all labels are read again.
 *
 * The index has hashes of names, and only says where to look: what a label says is read
 * from pg_seclabel each time, and the schema and owner of a relation come from the
 * system's caches.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/label.h"
#include "catalog/registry.h"
#include "compat.h"

/*
 * Changed relations that are noted one by one; if there are more, all labels are read
 * again.
 */
#define MAX_CHANGED 64

/* A hash of kind and name, and the relations whose labels have a name with this hash. */
typedef struct NameEntry
{
	uint64 hash;
	List *relations; /* of OIDs */
} NameEntry;

/* A relation, and the hashes of the names in its label. */
typedef struct RelationEntry
{
	Oid relid;
	int count;
	uint64 *hashes;
	char *program; /* that made it, or NULL */
	char *schema;  /* if a program made it */
} RelationEntry;

/*
 * The hash that stands for a label that cannot be read. A name may have it by chance,
 * which does no harm: the index only says where to look.
 */
#define UNREADABLE UINT64CONST(0)

static MemoryContext registry_context = NULL;
static HTAB *names = NULL;
static HTAB *relations = NULL;

/* Is the index right, except for the relations noted as changed? */
static bool valid = false;
static bool all_changed = false;
static Oid changed[MAX_CHANGED];
static int nchanged = 0;

/*
 * Invalidation callback: notes that a relation, or any relation if relid is InvalidOid,
 * may have changed.
 */
static void
note_change(Datum arg, Oid relid)
{
	int i;

	for (i = nchanged - 1; i >= 0; i--)
	{
		if (changed[i] == relid)
			return;
	}
	if (OidIsValid(relid) && nchanged < MAX_CHANGED)
		changed[nchanged++] = relid;
	else
	{
		all_changed = true;
		valid = false;
	}
}

static uint64
name_hash(RegistryKind kind, const char *name)
{
	return hash_bytes_extended((const unsigned char *) name, strlen(name), kind + 1);
}

/*
 * Adds the names in a label to the index. The current memory context is the registry's.
 */
static void
add_label(Oid relid, const char *label)
{
	MemoryContext parsing = AllocSetContextCreate(
		CurrentMemoryContext, "sparseeinsum label", ALLOCSET_SMALL_SIZES);
	MemoryContext context = MemoryContextSwitchTo(parsing);
	char *message;
	List *storages = label_parse_softly(label, relid, &message);
	RelationEntry *relation;
	ListCell *cell;
	int i;

	MemoryContextSwitchTo(context);
	relation = hash_search(relations, &relid, HASH_ENTER, NULL);
	relation->count = 0;
	relation->program = NULL;
	relation->schema = NULL;
	relation->hashes = palloc(sizeof(uint64) * (2 * list_length(storages) + 1));
	if (message != NULL)
		relation->hashes[relation->count++] = UNREADABLE;
	foreach (cell, storages)
	{
		const Storage *storage = (const Storage *) lfirst(cell);

		relation->hashes[relation->count++] = name_hash(REGISTRY_TENSOR, storage->tensor);
		if (storage->program == NULL)
			continue;
		relation->hashes[relation->count++] =
			name_hash(REGISTRY_PROGRAM, storage->program);
		if (relation->program == NULL)
		{
			relation->program = pstrdup(storage->program);
			relation->schema = get_namespace_name(get_rel_namespace(relid));
		}
	}
	MemoryContextDelete(parsing);
	for (i = 0; i < relation->count; i++)
	{
		bool found;
		NameEntry *name = hash_search(names, &relation->hashes[i], HASH_ENTER, &found);

		if (!found)
			name->relations = NIL;
		/* once per relation: names of one relation are added one after another */
		if (name->relations == NIL || llast_oid(name->relations) != relid)
			name->relations = lappend_oid(name->relations, relid);
	}
}

static void
remove_label(Oid relid)
{
	RelationEntry *relation = hash_search(relations, &relid, HASH_FIND, NULL);
	int i;

	if (relation == NULL)
		return;
	for (i = 0; i < relation->count; i++)
	{
		NameEntry *name = hash_search(names, &relation->hashes[i], HASH_FIND, NULL);

		if (name == NULL)
			continue;
		name->relations = list_delete_oid(name->relations, relid);
		if (name->relations == NIL)
			hash_search(names, &relation->hashes[i], HASH_REMOVE, NULL);
	}
	pfree(relation->hashes);
	if (relation->program)
		pfree(relation->program);
	if (relation->schema)
		pfree(relation->schema);
	hash_search(relations, &relid, HASH_REMOVE, NULL);
}

static void
read_all(void)
{
	HASHCTL info = {0};
	List *labels;
	ListCell *cell;
	MemoryContext context;

	nchanged = 0;
	all_changed = false;
	labels = all_labels();
	if (registry_context == NULL)
		registry_context = AllocSetContextCreate(
			CacheMemoryContext, "sparseeinsum registry", ALLOCSET_DEFAULT_SIZES);
	else
		MemoryContextReset(registry_context);
	info.hcxt = registry_context;
	info.keysize = sizeof(uint64);
	info.entrysize = sizeof(NameEntry);
	names = hash_create("sparseeinsum names", 256, &info,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	info.keysize = sizeof(Oid);
	info.entrysize = sizeof(RelationEntry);
	relations = hash_create("sparseeinsum relations", 256, &info,
							HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	context = MemoryContextSwitchTo(registry_context);
	foreach (cell, labels)
	{
		const LabelledRelation *relation = (const LabelledRelation *) lfirst(cell);

		CHECK_FOR_INTERRUPTS();
		add_label(relation->relid, relation->label);
	}
	MemoryContextSwitchTo(context);
}

/* Reads again the label of the relation that was noted last. */
static void
read_changed(void)
{
	Oid relid = changed[--nchanged];
	char *label = relation_label(relid);
	MemoryContext context = MemoryContextSwitchTo(registry_context);

	remove_label(relid);
	if (label != NULL)
		add_label(relid, label);
	MemoryContextSwitchTo(context);
}

/*
 * Makes the index up to date. Reading a catalog processes further messages, and the
 * snapshot may be older than these: relations that they name are read again. An error
 * leaves the index invalid.
 */
void
bring_registry_up_to_date(void)
{
	static bool listening = false;
	MemoryContext reading;
	MemoryContext context;

	if (!listening)
		CacheRegisterRelcacheCallback(note_change, (Datum) 0);
	listening = true;
	AcceptInvalidationMessages();
	if (valid && nchanged == 0)
		return;
	reading = AllocSetContextCreate(CurrentMemoryContext, "sparseeinsum labels",
									ALLOCSET_DEFAULT_SIZES);
	context = MemoryContextSwitchTo(reading);
	while (!valid || nchanged > 0)
	{
		bool all = !valid;

		valid = false;
		if (all)
			read_all();
		else
			read_changed();
		valid = !all_changed;
	}
	MemoryContextSwitchTo(context);
	MemoryContextDelete(reading);
}

List *
registry_relations(RegistryKind kind, const char *name)
{
	uint64 hashes[] = {name_hash(kind, name), UNREADABLE};
	List *result = NIL;
	int i;

	bring_registry_up_to_date();
	for (i = 0; i < lengthof(hashes); i++)
	{
		NameEntry *entry = hash_search(names, &hashes[i], HASH_FIND, NULL);

		if (entry != NULL)
			result = list_concat(result, entry->relations);
	}
	list_sort(result, list_oid_cmp);
	list_deduplicate_oid(result);
	return result;
}

/* Has this transaction locked a relation? */
static bool
is_locked(Oid relid)
{
	LOCKTAG tag;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, relid);
	for (LOCKMODE mode = AccessShareLock; mode <= AccessExclusiveLock; mode++)
	{
		if (lock_held_by_me(&tag, mode))
			return true;
	}
	return false;
}

const char *
registry_program_known(const char *schema, const char *tensor, bool locked)
{
	uint64 hash = name_hash(REGISTRY_TENSOR, tensor);
	NameEntry *entry = valid ? hash_search(names, &hash, HASH_FIND, NULL) : NULL;
	ListCell *cell;

	foreach (cell, entry ? entry->relations : NIL)
	{
		Oid relid = lfirst_oid(cell);
		RelationEntry *relation = hash_search(relations, &relid, HASH_FIND, NULL);

		if (relation && relation->program &&
			(schema == NULL ||
			 (relation->schema && strcmp(relation->schema, schema) == 0)) &&
			(!locked || is_locked(relid)))
			return relation->program;
	}
	return NULL;
}

void
registry_changed(Oid relid)
{
	CacheInvalidateRelcacheByRelid(relid);
}
