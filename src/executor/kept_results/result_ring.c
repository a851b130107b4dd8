/*-------------------------------------------------------------------------
 *
 * result_ring.c
 *	  A ring buffer in shared memory: values of one worker, on their way to the
 *	  leader.
 *
 * That a value has been written before the leader looks at it is due to the
 * worker's queue, through which it learns the place.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/kept_results/result_ring.h"

Size
result_ring_size(Size bytes)
{
	return CACHELINEALIGN(offsetof(ResultRing, buffer) + bytes);
}

void
result_ring_init(ResultRing *ring, Size bytes)
{
	pg_atomic_init_u64(&ring->read, 0);
	ring->size = bytes;
}

bool
result_ring_write(RingWriter *writer, const void *value, Size bytes, uint64 *place)
{
	ResultRing *ring = writer->ring;
	Size room = MAXALIGN(bytes);
	uint64 start = writer->written;
	Size offset = start % ring->size;

	/* in one piece */
	if (offset + room > ring->size)
		start += ring->size - offset;
	if (start + room - writer->read > ring->size)
	{
		writer->read = pg_atomic_read_u64(&ring->read);
		if (start + room - writer->read > ring->size)
			return false;
		/* the leader is through with what is written over here */
		pg_memory_barrier();
	}
	memcpy(ring->buffer + start % ring->size, value, bytes);
	writer->written = start + room;
	*place = start;
	return true;
}

void *
result_ring_value(ResultRing *ring, uint64 place)
{
	return ring->buffer + place % ring->size;
}

void
result_ring_release(ResultRing *ring, uint64 place)
{
	pg_memory_barrier();
	pg_atomic_write_u64(&ring->read, place);
}
