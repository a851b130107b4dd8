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

/* Most values of one scan. */
#define TOAST_READ_MOST 32

/* Values larger than this are not prefetched, nor more than this at once. */
#define PREFETCH_BYTES (256 * 1024)

/* Can the value be read by toast_read? */
static inline bool
toast_is_readable(const struct varatt_external *pointer)
{
	return pointer->va_rawsize > VARHDRSZ && pointer->va_rawsize <= PREFETCH_BYTES &&
		   !VARATT_EXTERNAL_IS_COMPRESSED(*pointer) &&
		   VARATT_EXTERNAL_GET_EXTSIZE(*pointer) == pointer->va_rawsize - VARHDRSZ;
}

/*
 * Reads count values whose numbers follow each other, the first one's being first,
 * of the TOAST table and the size that the pointer says; none is compressed. values
 * are memory for each; complete says for which there was such a value.
 */
extern void toast_read(const struct varatt_external *pointer, Oid first, int count,
					   struct varlena **values, bool *complete);

/*
 * Reads the beginning of the value that the pointer says, and of the count - 1 next
 * ones: the given bytes with the length word, which is not set. complete says for
 * which there was one; they may be of any size, and may be compressed.
 */
extern void toast_read_beginnings(const struct varatt_external *pointer, int count,
								  Size size, struct varlena **values, bool *complete);

#endif
