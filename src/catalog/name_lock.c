/*-------------------------------------------------------------------------
 *
 * name_lock.c
 *	  Locks on the names of tensors and programs, which no catalog has.
 *
 * Each is a part of the schema, told apart by class, that has no other use. Part 0
 * is the schema itself.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/lock.h"

#include "catalog/name_lock.h"

uint16
lock_hash(const char *name)
{
	return (uint16) (hash_bytes((const unsigned char *) name, (int) strlen(name)) | 1);
}

void
lock_tensor_name(Oid schema, uint16 hash)
{
	LockDatabaseObject(RelationRelationId, schema, hash, ShareUpdateExclusiveLock);
}

void
lock_program_name(Oid schema, uint16 hash)
{
	LockDatabaseObject(NamespaceRelationId, schema, hash, ShareUpdateExclusiveLock);
}

void
hold_program_name(Oid schema, uint16 hash)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, NamespaceRelationId, schema, hash);
	(void) LockAcquire(&tag, ShareUpdateExclusiveLock, true, false);
}

void
release_program_name(Oid schema, uint16 hash)
{
	LOCKTAG tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, NamespaceRelationId, schema, hash);
	(void) LockRelease(&tag, ShareUpdateExclusiveLock, true);
}
