/*-------------------------------------------------------------------------
 *
 * shared_dictionaries.c
 *	  Keys that each process of a parallel query has numbered by itself.
 *
 * No process waits for another one to number a key. A process numbers the keys that it
 * reads, and writes them with their hashes when it has read its share of the rows. A
 * process that reads rows of other processes first adds their keys to its own
 * dictionaries, and then translates the numbers in each row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "executor/operand/shared_dictionaries.h"

/* The hash before each key. The key is its datum, or what the datum points to. */
#define HASH_BYTES MAXALIGN(sizeof(uint32))

bool
write_shared_keys(const Dictionary *dictionary, dsa_area *area, ChunkAccount *account,
				  SharedKeys *keys)
{
	ChunkWriter writer = {.area = area, .first = &keys->chunks, .account = account};
	bool by_value;
	int16 length;

	dictionary_representation(dictionary, &by_value, &length);
	keys->count = dictionary_count(dictionary);
	for (int64 n = 0; n < keys->count; n++)
	{
		Datum key = dictionary_key(dictionary, n);
		uint32 hash = dictionary_hash(dictionary, n);
		Size size = by_value ? sizeof(Datum) : datumGetSize(key, false, length);
		char *memory = chunk_memory(&writer, HASH_BYTES + size);

		CHECK_FOR_INTERRUPTS();
		if (memory == NULL)
			return false;
		memcpy(memory, &hash, sizeof(hash));
		memcpy(memory + HASH_BYTES, by_value ? (const void *) &key : DatumGetPointer(key),
			   size);
	}
	return true;
}

/*
 * Adds the key at a place in shared memory to a dictionary. Returns its number, or -1 if
 * there is no memory; *size: the bytes of the key and its hash.
 */
static int64
read_shared_key(Dictionaries *dictionaries, Dictionary *dictionary, char *place,
				Size *size, bool *like)
{
	Datum key = PointerGetDatum(place + HASH_BYTES);
	bool by_value;
	int16 length;
	uint32 hash;

	dictionary_representation(dictionary, &by_value, &length);
	*size = HASH_BYTES +
			MAXALIGN(by_value ? sizeof(Datum) : datumGetSize(key, false, length));
	memcpy(&hash, place, sizeof(hash));
	if (by_value)
		memcpy(&key, place + HASH_BYTES, sizeof(Datum));
	return dictionary_number_of_hashed(dictionaries, dictionary, key, hash, like);
}

bool
read_shared_keys(Dictionaries *dictionaries, Dictionary *dictionary, dsa_area *area,
				 const SharedKeys *keys, MemoryContext temporary,
				 KeyTranslation *translation, bool *like)
{
	int64 n = 0;

	translation->numbers = allocate_numbers(dictionaries, keys->count);
	translation->count = keys->count;
	*like = true;
	if (translation->numbers == NULL)
		return false;
	for (SharedChunk *chunk = chunk_at(area, keys->chunks); chunk;
		 chunk = chunk_at(area, chunk->next))
	{
		for (Size at = 0, size; at < chunk->used; at += size)
		{
			MemoryContext old = MemoryContextSwitchTo(temporary);
			bool same;
			int64 number = read_shared_key(dictionaries, dictionary,
										   chunk_data(chunk) + at, &size, &same);

			MemoryContextSwitchTo(old);
			MemoryContextReset(temporary);
			CHECK_FOR_INTERRUPTS();
			if (number < 0)
				return false;
			translation->numbers[n++] = (int32) number;
			*like = *like && same;
		}
	}
	return true;
}

void
free_translation(Dictionaries *dictionaries, KeyTranslation *translation)
{
	if (translation->numbers)
		free_numbers(dictionaries, translation->numbers, translation->count);
	translation->numbers = NULL;
}
