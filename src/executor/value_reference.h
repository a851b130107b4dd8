/*-------------------------------------------------------------------------
 *
 * value_reference.h
 *	  What a row has for a tensor that lies in memory which processes share.
 *
 * It looks like a tensor with a header of one byte, and has a format that none has. Only
 * the node that makes it and the one that reads it may see it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_VALUE_REFERENCE_H
#define EXECUTOR_VALUE_REFERENCE_H

#include "postgres.h"

#include "compat.h"

typedef struct ValueReference
{
	uint8 format; /* as of a Tensor */
	uint32 process;
	uint64 place;
} ValueReference;

#define VALUE_REFERENCE_FORMAT 0xff
#define VALUE_REFERENCE_BYTES (VARHDRSZ_SHORT + sizeof(ValueReference))

/* The memory for one, as a datum. */
typedef char ValueReferenceDatum[VALUE_REFERENCE_BYTES];

static inline Datum
make_value_reference(ValueReferenceDatum datum, uint32 process, uint64 place)
{
	ValueReference reference;

	/* all bytes of it are sent */
	memset(&reference, 0, sizeof(reference));
	reference.format = VALUE_REFERENCE_FORMAT;
	reference.process = process;
	reference.place = place;
	SET_VARSIZE_SHORT(datum, VALUE_REFERENCE_BYTES);
	memcpy(VARDATA_SHORT(datum), &reference, sizeof(reference));
	return PointerGetDatum(datum);
}

/* Reads a datum if it is one; false if it is a value. */
static inline bool
read_value_reference(Datum datum, ValueReference *reference)
{
	const struct varlena *value = (const struct varlena *) DatumGetPointer(datum);

	if (!VARATT_IS_SHORT(value) || VARSIZE_SHORT(value) != VALUE_REFERENCE_BYTES)
		return false;
	memcpy(reference, VARDATA_SHORT(value), sizeof(*reference));
	return reference->format == VALUE_REFERENCE_FORMAT;
}

#endif
