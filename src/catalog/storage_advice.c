/*-------------------------------------------------------------------------
 *
 * storage_advice.c
 *	  Whether the values of a table should be stored in another way.
 *
 * The type's default storage is external: in a row of more than some 2 kB the
 * value lies out of line, and joins and their hash tables carry a pointer of 18
 * bytes; and it is not compressed, which hardly shortens numbers and is undone
 * for every read. A table may say otherwise: when its column was made from a
 * query's, or by hand. Then values in the row make hash tables spill, and
 * compressed ones take several times as long to read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/origin.h"
#include "catalog/storage_advice.h"
#include "catalog/tensor_storage.h"
#include "compat.h"
#include "type/tensor.h"

/* Returns the bytes of a value, or 0 if its bounds are not known. */
static double
value_bytes(const Storage *storage)
{
	double bytes = (double) element_size(storage->element_type);

	for (int i = 0; i < storage->rank; i++)
	{
		const StorageDimension *dimension = &storage->dimensions[i];
		int64 bound = bound_size(dimension->bound);

		if (dimension->kind == DIMENSION_PROMOTED)
			continue;
		if (bound < 0)
			return 0;
		bytes *= dimension->kind == DIMENSION_BLOCKED
					 ? (double) Min(dimension->block, bound)
					 : (double) bound;
	}
	return bytes;
}

/*
 * Returns how the value column is stored (attstorage), or 0 if it is not a table's column
 * of tensors.
 */
static char
column_storage(const Storage *storage)
{
	char kind = get_rel_relkind(storage->relid);
	HeapTuple tuple;
	char result;

	if ((kind != RELKIND_RELATION && kind != RELKIND_PARTITIONED_TABLE &&
		 kind != RELKIND_MATVIEW) ||
		!AttributeNumberIsValid(storage->value_attno) ||
		storage->value_type != tensor_type_oid())
		return 0;
	tuple = SearchSysCacheAttName(storage->relid, storage->value_column);
	if (!HeapTupleIsValid(tuple))
		return 0;
	result = ((Form_pg_attribute) GETSTRUCT(tuple))->attstorage;
	ReleaseSysCache(tuple);
	return result;
}

char *
storage_advice(const Storage *storage)
{
	char how = column_storage(storage);

	if (how == 0 || how == TYPSTORAGE_EXTERNAL ||
		value_bytes(storage) <= TOAST_TUPLE_THRESHOLD)
		return NULL;
	return psprintf(
		"ALTER %s %s ALTER COLUMN %s SET STORAGE EXTERNAL;",
		get_rel_relkind(storage->relid) == RELKIND_MATVIEW ? "MATERIALIZED VIEW"
														   : "TABLE",
		qualified_relation_name(storage->relid), quote_identifier(storage->value_column));
}

void
notice_storage_advice(const Storage *storage)
{
	char *advice = storage_advice(storage);

	if (advice == NULL)
		return;
	ereport(NOTICE,
			(errmsg("programs read tensor \"%s\" faster if its values are stored out of "
					"line and not compressed",
					storage->tensor),
			 errdetail("A value takes about %.0f kB. Values that are there stay as they "
					   "are until they are computed anew.",
					   value_bytes(storage) / 1024),
			 errhint("%s", advice)));
}
