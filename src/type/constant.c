/*-------------------------------------------------------------------------
 *
 * constant.c
 *	  Constants in planned expressions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/primnodes.h"

#include "type/constant.h"

bool
constant_integer(const Node *node, int64 *value)
{
	const Const *constant = (const Const *) node;

	if (node == NULL || !IsA(node, Const) || constant->constisnull)
		return false;
	switch (constant->consttype)
	{
		case INT2OID:
			*value = DatumGetInt16(constant->constvalue);
			return true;
		case INT4OID:
			*value = DatumGetInt32(constant->constvalue);
			return true;
		case INT8OID:
			*value = DatumGetInt64(constant->constvalue);
			return true;
		default:
			return false;
	}
}
