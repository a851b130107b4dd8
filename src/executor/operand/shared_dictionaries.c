/*-------------------------------------------------------------------------
 *
 * shared_dictionaries.c
 *	  Keys that the processes of a parallel query have numbered, each by itself.
 *
 * No process waits for another's number of a key: each numbers those that it reads, and
 * writes them with their hashes when it has read its share. A process that reads the rows
 * of others adds their keys to its own, once, and translates the numbers of each row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#include "executor/operand/shared_dictionaries.h"

/* Before each key, which is its datum, or what that points to. */
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

/* Adds the key at a place; *size is of all that is there. -1 if there is no memory. */
static int64
read_key(Dictionaries *dictionaries, Dictionary *dictionary, char *place, Size *size,
		 bool *like)
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
			int64 number =
				read_key(dictionaries, dictionary, chunk_data(chunk) + at, &size, &same);

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
