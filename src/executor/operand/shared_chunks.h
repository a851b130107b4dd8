/*-------------------------------------------------------------------------
 *
 * shared_chunks.h
 *	  Chunks of shared memory, which one process of a parallel query writes and all
 *	  processes read.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_SHARED_CHUNKS_H
#define EXECUTOR_OPERAND_SHARED_CHUNKS_H

#include "postgres.h"

#include "utils/dsa.h"

typedef struct SharedChunk
{
	dsa_pointer next;
	Size size; /* of data */
	Size used;
	char data[FLEXIBLE_ARRAY_MEMBER];
} SharedChunk;

/* Limits the memory that a process takes for several writers. */
typedef struct ChunkAccount
{
	Size used;
	Size limit;
} ChunkAccount;

/*
 * Writes data into chunks of shared memory. Each chunk is as large as all before it
 * together, so that little data takes little memory, and much data takes few chunks.
 */
typedef struct ChunkWriter
{
	dsa_area *area;
	dsa_pointer *first; /* the first chunk */
	ChunkAccount *account;
	dsa_pointer place; /* the last chunk */
	SharedChunk *chunk;
	Size bytes; /* of all chunks */
} ChunkWriter;

/*
 * Returns how many bytes of values each of nprocesses processes may put into chunks. All
 * together are limited by sparseeinsum.cache_size, by the memory for hash tables, and by
 * the server's dynamic shared memory, of which there may be little: allocating more is an
 * error.
 */
extern Size shared_values_limit(int nprocesses);

/*
 * Returns memory for a number of bytes, aligned for any type; NULL if the account is
 * full.
 */
extern char *chunk_memory(ChunkWriter *writer, Size bytes);

extern char *chunk_data(SharedChunk *chunk);

/* The chunk at a place; NULL if the place is InvalidDsaPointer. */
extern SharedChunk *chunk_at(dsa_area *area, dsa_pointer place);

/* Frees a chunk and the chunks after it. */
extern void free_chunks(dsa_area *area, dsa_pointer place);

#endif
