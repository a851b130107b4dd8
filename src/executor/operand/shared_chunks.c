/*-------------------------------------------------------------------------
 *
 * shared_chunks.c
 *	  Chunks of shared memory, which one process of a parallel query writes and all
 *	  processes read.
 *
 * Each process writes its own chunks, so that no process waits for another. Readers use
 * the data in place, without copying it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "storage/dsm_impl.h"

#include "executor/operand/shared_chunks.h"
#include "type/detoast_cache.h"

#define LEAST_CHUNK ((Size) 32 * 1024)
#define LARGEST_CHUNK ((Size) 64 * 1024 * 1024)

#define CHUNK_HEADER MAXALIGN(offsetof(SharedChunk, data))

Size
shared_values_limit(int nprocesses)
{
	Size hash_tables = get_hash_memory_limit();
	Size kept_by_server = (Size) min_dynamic_shared_memory * 1024 * 1024 / nprocesses;
	Size cache = (Size) detoast_cache_size * 1024 / nprocesses;

	return Min(cache, Max(hash_tables, kept_by_server));
}

char *
chunk_data(SharedChunk *chunk)
{
	return (char *) chunk + CHUNK_HEADER;
}

SharedChunk *
chunk_at(dsa_area *area, dsa_pointer place)
{
	return DsaPointerIsValid(place) ? dsa_get_address(area, place) : NULL;
}

void
free_chunks(dsa_area *area, dsa_pointer place)
{
	while (DsaPointerIsValid(place))
	{
		dsa_pointer next = chunk_at(area, place)->next;

		dsa_free(area, place);
		place = next;
	}
}

/* Begins a chunk with room for that many bytes; false if the account is full. */
static bool
begin_chunk(ChunkWriter *writer, Size bytes)
{
	ChunkAccount *account = writer->account;
	Size size = Max(Min(Max(writer->bytes, LEAST_CHUNK), LARGEST_CHUNK), bytes);
	dsa_pointer place;
	SharedChunk *chunk;

	size = Min(size, account->limit - Min(account->used, account->limit));
	if (size < bytes)
		return false;
	place = dsa_allocate_extended(writer->area, CHUNK_HEADER + size, DSA_ALLOC_HUGE);
	chunk = dsa_get_address(writer->area, place);
	chunk->next = InvalidDsaPointer;
	chunk->size = size;
	chunk->used = 0;
	if (writer->chunk)
		writer->chunk->next = place;
	else
		*writer->first = place;
	writer->place = place;
	writer->chunk = chunk;
	writer->bytes += size;
	account->used += size;
	return true;
}

char *
chunk_memory(ChunkWriter *writer, Size bytes)
{
	SharedChunk *chunk = writer->chunk;

	bytes = MAXALIGN(bytes);
	if ((chunk == NULL || chunk->used + bytes > chunk->size) &&
		!begin_chunk(writer, bytes))
		return NULL;
	chunk = writer->chunk;
	chunk->used += bytes;
	return chunk_data(chunk) + chunk->used - bytes;
}
