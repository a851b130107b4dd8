/*-------------------------------------------------------------------------
 *
 * shared_chunks.h
 *	  What a process of a parallel query writes for all of them: chunks of shared memory.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_SHARED_CHUNKS_H
#define EXECUTOR_SHARED_CHUNKS_H

#include "postgres.h"

#include "utils/dsa.h"

typedef struct SharedChunk
{
	dsa_pointer next;
	Size size; /* of data */
	Size used;
	char data[FLEXIBLE_ARRAY_MEMBER];
} SharedChunk;

/* What several writers of a process may take. */
typedef struct ChunkAccount
{
	Size used;
	Size limit;
} ChunkAccount;

/*
 * Chunks that a process writes. Each is as large as all before it, so that little takes
 * little, and much has few.
 */
typedef struct ChunkWriter
{
	dsa_area *area;
	dsa_pointer *first; /* of the chunks */
	ChunkAccount *account;
	dsa_pointer place; /* of the last one */
	SharedChunk *chunk;
	Size bytes; /* of all of them */
} ChunkWriter;

/*
 * The bytes of values that may be in the chunks of each of nprocesses processes: in all
 * at most sparseeinsum.cache_size, and no more than hash tables may take and the server
 * keeps for dynamic shared memory. There may be little more of that, and who asks for
 * more than there is gets an error.
 */
extern Size shared_values_limit(int nprocesses);

/*
 * Memory for a number of bytes, of the alignment of any type; NULL if the account does
 * not allow it.
 */
extern char *chunk_memory(ChunkWriter *writer, Size bytes);

extern char *chunk_data(SharedChunk *chunk);

/* The chunk at a place; NULL at an invalid one. */
extern SharedChunk *chunk_at(dsa_area *area, dsa_pointer place);

/* Frees a chunk and those after it. */
extern void free_chunks(dsa_area *area, dsa_pointer place);

#endif
