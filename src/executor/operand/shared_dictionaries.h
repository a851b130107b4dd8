/*-------------------------------------------------------------------------
 *
 * shared_dictionaries.h
 *	  Keys that the processes of a parallel query have numbered, each by itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_OPERAND_SHARED_DICTIONARIES_H
#define EXECUTOR_OPERAND_SHARED_DICTIONARIES_H

#include "postgres.h"

#include "utils/dsa.h"

#include "executor/operand/dictionary.h"
#include "executor/operand/shared_chunks.h"

/* The keys of a process's dictionary in shared memory, in the order of their numbers. */
typedef struct SharedKeys
{
	dsa_pointer chunks;
	int64 count;
} SharedKeys;

/* Translates another process's numbers of keys to this process's. */
typedef struct KeyTranslation
{
	int32 *numbers; /* by the other process's number; NULL: the numbers are the same */
	int64 count;
} KeyTranslation;

/* Writes all keys of a dictionary to shared memory; false if the account is full. */
extern bool write_shared_keys(const Dictionary *dictionary, dsa_area *area,
							  ChunkAccount *account, SharedKeys *keys);

/*
 * Adds another process's keys to a dictionary of this process, and makes the translation
 * of their numbers; false if there is no memory. *like is false if a key equals one that
 * is in the dictionary and is not identical. temporary is reset.
 */
extern bool read_shared_keys(Dictionaries *dictionaries, Dictionary *dictionary,
							 dsa_area *area, const SharedKeys *keys,
							 MemoryContext temporary, KeyTranslation *translation,
							 bool *like);
extern void free_translation(Dictionaries *dictionaries, KeyTranslation *translation);

#endif
