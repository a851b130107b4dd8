/*-------------------------------------------------------------------------
 *
 * toast_read.h
 *	  Several values stored out of line, read by one scan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_TOAST_READ_H
#define TYPE_TOAST_READ_H

#include "postgres.h"

#include "access/detoast.h"

#include "compat.h"

/* The most values that one scan reads. */
#define TOAST_READ_MOST 32

/* Larger values are not prefetched; one prefetch reads at most this many bytes. */
#define PREFETCH_BYTES (256 * 1024)

/* Can toast_read read the value: is it uncompressed, and not too large? */
static inline bool
toast_is_readable(const struct varatt_external *pointer)
{
	return pointer->va_rawsize > VARHDRSZ && pointer->va_rawsize <= PREFETCH_BYTES &&
		   !VARATT_EXTERNAL_IS_COMPRESSED(*pointer) &&
		   VARATT_EXTERNAL_GET_EXTSIZE(*pointer) == pointer->va_rawsize - VARHDRSZ;
}

/*
 * Reads the uncompressed values with the count OIDs from first on, of the pointer's TOAST
 * table and size, into values[]; complete[] tells which of them were found with that
 * size.
 */
extern void toast_read(const struct varatt_external *pointer, Oid first, int count,
					   struct varlena **values, bool *complete);

/*
 * Reads the first bytes of the pointer's value and of the values with the next count - 1
 * OIDs: size bytes including the length word, which is not set. complete[] tells which
 * were found; values may have any size and may be compressed.
 */
extern void toast_read_beginnings(const struct varatt_external *pointer, int count,
								  Size size, struct varlena **values, bool *complete);

#endif
