/*-------------------------------------------------------------------------
 *
 * shared_dictionaries.h
 *	  Keys that the processes of a parallel query have numbered, each by itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_AGGREGATE_JOIN_SHARED_DICTIONARIES_H
#define EXECUTOR_AGGREGATE_JOIN_SHARED_DICTIONARIES_H

#include "postgres.h"

#include "utils/dsa.h"

#include "executor/operand/dictionary.h"
#include "executor/operand/shared_chunks.h"

/* The keys of a dictionary that one has written, in the order of their numbers. */
typedef struct SharedKeys
{
	dsa_pointer chunks;
	int64 count;
} SharedKeys;

/* What the numbers of a writer are in a dictionary of this process. */
typedef struct KeyTranslation
{
	int32 *numbers; /* by the writer's; NULL: they are the same */
	int64 count;
} KeyTranslation;

/* Writes all keys of a dictionary; false if the account does not allow it. */
extern bool write_shared_keys(const Dictionary *dictionary, dsa_area *area,
							  ChunkAccount *account, SharedKeys *keys);

/*
 * Adds a writer's keys to a dictionary of this process; false if there is no memory for
 * them. *like is false if one of them is equal to one that is there, and not identical.
 * Temporary memory is the context's, which is reset.
 */
extern bool read_shared_keys(Dictionaries *dictionaries, Dictionary *dictionary,
							 dsa_area *area, const SharedKeys *keys,
							 MemoryContext temporary, KeyTranslation *translation,
							 bool *like);
extern void free_translation(Dictionaries *dictionaries, KeyTranslation *translation);

#endif
