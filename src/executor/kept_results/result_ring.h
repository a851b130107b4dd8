/*-------------------------------------------------------------------------
 *
 * result_ring.h
 *	  A ring buffer in shared memory: values of one worker, on their way to the
 *	  leader.
 *
 * The worker writes values one behind the other and says in its rows where each
 * lies. The leader reads them in that order, and says up to where it has. Neither
 * ever waits for the other: where there is no room for a value, it goes another way.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_RESULT_RING_H
#define EXECUTOR_RESULT_RING_H

#include "postgres.h"

#include "port/atomics.h"

/*
 * Places are counted from the first byte that was ever written, and lie in the
 * buffer at what remains of them when divided by its size.
 */
typedef struct ResultRing
{
	pg_atomic_uint64 read; /* the place up to which the leader has read */
	Size size;             /* of the buffer */
	char pad[PG_CACHE_LINE_SIZE - sizeof(pg_atomic_uint64) - sizeof(Size)];
	char buffer[FLEXIBLE_ARRAY_MEMBER];
} ResultRing;

/* What its worker knows of a ring. */
typedef struct RingWriter
{
	ResultRing *ring;
	uint64 written; /* the place of the next value */
	uint64 read;    /* as it was when that was last looked at */
} RingWriter;

/* The shared memory that a ring takes, with a buffer of so many bytes. */
extern Size result_ring_size(Size bytes);

/* Makes a ring in such memory; or an empty one of one that was used. */
extern void result_ring_init(ResultRing *ring, Size bytes);

/* Writes a value, and sets its place; false if there is no room for it. */
extern bool result_ring_write(RingWriter *writer, const void *value, Size bytes,
							  uint64 *place);

/* The value at a place, which stays there until the place behind it has been read. */
extern void *result_ring_value(ResultRing *ring, uint64 place);

/* Lets the worker write over what is before a place. */
extern void result_ring_release(ResultRing *ring, uint64 place);

#endif
