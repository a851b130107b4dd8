/*-------------------------------------------------------------------------
 *
 * dictionary.c
 *	  Keys of any hashable type as dense integers.
 *
 * Keys are hashed and compared by the functions that PostgreSQL's hash joins use for the
 * operator, under its collation. A key is looked up once, when its row is read, and is
 * an integer from there on: in indexes, files and accumulators. Of equal keys that are
 * not identical the dictionary has the first one; callers that return keys are told.
 *
 * Each process has numbers of its own (shared_dictionaries.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "compat.h"
#include "executor/operand/dictionary.h"
#include "type/extension.h"

/* Keys are copied to pieces of memory of this size; larger ones have their own. */
#define PIECE_SIZE ((Size) 8 * 1024)

/* At most MOST_TAKEN of OF_SLOTS slots are taken. */
#define MOST_TAKEN 3
#define OF_SLOTS 4

#define FIRST_SLOTS 64

struct Dictionary
{
	KeyKind kind;
	int users;
	MemoryContext memory;
	Size bytes; /* of this dictionary */
	bool by_value;
	int16 length;
	FmgrInfo hash;
	FmgrInfo equal;
	int64 count;
	Datum *keys;    /* by number */
	uint32 *hashes; /* by number */
	uint32 nslots;  /* a power of two */
	int32 *slots;   /* numbers of keys; -1: the slot is empty */
	char *piece;    /* what is left of the last piece */
	Size left;
};

struct Dictionaries
{
	MemoryContext memory;
	List *dictionaries; /* of Dictionary * */
	Size bytes;         /* of all dictionaries */
};

/* Kinds */

bool
find_key_kind(Oid type, Oid equality, Oid collation, KeyKind *kind)
{
	Oid left;
	Oid right;
	Oid hash;
	Oid other;

	if (!OidIsValid(equality) || type == RECORDOID || is_tensor_type(type))
		return false;
	/*
	 * made of texts with different collations: such keys can be returned, but not
	 * compared
	 */
	if (type_is_collatable(type) && !OidIsValid(collation))
		return false;
	op_input_types(equality, &left, &right);
	/* an equal key of another type could not be returned as one of this type */
	if (left != right || !op_hashjoinable(equality, type) || !op_strict(equality) ||
		!get_op_hash_functions(equality, &hash, &other) || hash != other ||
		!func_strict(hash))
		return false;
	/* a polymorphic equality compares values of one type */
	kind->type = IsPolymorphicType(left) || left == RECORDOID ? type : left;
	kind->equality = equality;
	kind->collation = collation;
	return true;
}

bool
default_key_kind(Oid type, Oid collation, KeyKind *kind)
{
	return find_key_kind(type, lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr,
						 collation, kind);
}

double
dictionary_key_bytes(double width)
{
	return MAXALIGN((Size) width) + sizeof(Datum) + sizeof(uint32) +
		   2.0 * sizeof(int32) * OF_SLOTS / MOST_TAKEN;
}

/* Beginning and ending */

Dictionaries *
begin_dictionaries(MemoryContext context)
{
	MemoryContext memory =
		AllocSetContextCreate(context, "dictionaries", ALLOCSET_SMALL_SIZES);
	Dictionaries *dictionaries = MemoryContextAllocZero(memory, sizeof(Dictionaries));

	dictionaries->memory = memory;
	return dictionaries;
}

static Dictionary *
new_dictionary(Dictionaries *dictionaries, const KeyKind *kind)
{
	MemoryContext memory =
		AllocSetContextCreate(dictionaries->memory, "dictionary", ALLOCSET_DEFAULT_SIZES);
	Dictionary *dictionary = MemoryContextAllocZero(memory, sizeof(Dictionary));
	MemoryContext old;
	Oid hash;
	Oid other;

	dictionary->kind = *kind;
	dictionary->memory = memory;
	get_typlenbyval(kind->type, &dictionary->length, &dictionary->by_value);
	if (!get_op_hash_functions(kind->equality, &hash, &other))
		elog(ERROR, "operator %u cannot be hashed", kind->equality);
	fmgr_info_cxt(hash, &dictionary->hash, memory);
	fmgr_info_cxt(get_opcode(kind->equality), &dictionary->equal, memory);
	old = MemoryContextSwitchTo(dictionaries->memory);
	dictionaries->dictionaries = lappend(dictionaries->dictionaries, dictionary);
	MemoryContextSwitchTo(old);
	return dictionary;
}

Dictionary *
use_dictionary(Dictionaries *dictionaries, const KeyKind *kind)
{
	Dictionary *found = NULL;
	ListCell *lc;

	foreach (lc, dictionaries->dictionaries)
		if (same_kind(&((Dictionary *) lfirst(lc))->kind, kind))
			found = lfirst(lc);
	if (found == NULL)
		found = new_dictionary(dictionaries, kind);
	found->users++;
	return found;
}

void
leave_dictionary(Dictionaries *dictionaries, Dictionary *dictionary)
{
	if (--dictionary->users > 0)
		return;
	dictionaries->bytes -= dictionary->bytes;
	dictionaries->dictionaries = list_delete_ptr(dictionaries->dictionaries, dictionary);
	MemoryContextDelete(dictionary->memory);
}

/* Memory */

/*
 * Accounts for bytes of a dictionary, or (NULL) beside the dictionaries; false if the
 * limit would be exceeded.
 */
static bool
take_bytes(Dictionaries *dictionaries, Dictionary *dictionary, Size bytes)
{
	if (dictionaries->bytes + bytes > get_hash_memory_limit())
		return false;
	dictionaries->bytes += bytes;
	if (dictionary)
		dictionary->bytes += bytes;
	return true;
}

int32 *
allocate_numbers(Dictionaries *dictionaries, int64 count)
{
	Size bytes = (Size) count * sizeof(int32);

	return take_bytes(dictionaries, NULL, bytes)
			   ? MemoryContextAllocHuge(dictionaries->memory, bytes)
			   : NULL;
}

void
free_numbers(Dictionaries *dictionaries, int32 *numbers, int64 count)
{
	dictionaries->bytes -= (Size) count * sizeof(int32);
	pfree(numbers);
}

/* The number of keys that nslots slots have room for. */
static Size
room_of(uint32 nslots)
{
	return (Size) nslots / OF_SLOTS * MOST_TAKEN;
}

/*
 * The empty slot in which a key with this hash is put; the key is not in the dictionary.
 */
static uint32
empty_slot(const Dictionary *dictionary, uint32 hash)
{
	uint32 slot = hash & (dictionary->nslots - 1);

	while (dictionary->slots[slot] >= 0)
		slot = (slot + 1) & (dictionary->nslots - 1);
	return slot;
}

/* Doubles the slots and the room for keys; false if there is no memory. */
static bool
enlarge_dictionary(Dictionaries *dictionaries, Dictionary *dictionary)
{
	uint32 nslots = dictionary->nslots ? dictionary->nslots * 2 : FIRST_SLOTS;
	Size more = room_of(nslots) - room_of(dictionary->nslots);
	MemoryContext old;

	if (nslots > PG_INT32_MAX / 2 ||
		!take_bytes(dictionaries, dictionary,
					more * (sizeof(Datum) + sizeof(uint32)) +
						(nslots - dictionary->nslots) * sizeof(int32)))
		return false;
	old = MemoryContextSwitchTo(dictionary->memory);
	if (dictionary->slots)
	{
		pfree(dictionary->slots);
		dictionary->keys =
			repalloc_huge(dictionary->keys, room_of(nslots) * sizeof(Datum));
		dictionary->hashes =
			repalloc_huge(dictionary->hashes, room_of(nslots) * sizeof(uint32));
	}
	else
	{
		dictionary->keys = palloc(room_of(nslots) * sizeof(Datum));
		dictionary->hashes = palloc(room_of(nslots) * sizeof(uint32));
	}
	dictionary->slots = palloc_extended((Size) nslots * sizeof(int32), MCXT_ALLOC_HUGE);
	memset(dictionary->slots, 0xff, (Size) nslots * sizeof(int32));
	dictionary->nslots = nslots;
	for (int64 n = 0; n < dictionary->count; n++)
		dictionary->slots[empty_slot(dictionary, dictionary->hashes[n])] = (int32) n;
	MemoryContextSwitchTo(old);
	return true;
}

/*
 * Copies a key that is passed by reference into the dictionary; false if there is no
 * memory.
 */
static bool
copy_key(Dictionaries *dictionaries, Dictionary *dictionary, Datum key, Datum *copy)
{
	Size size = datumGetSize(key, false, dictionary->length);
	Size bytes = MAXALIGN(size);
	char *memory;

	if (bytes > PIECE_SIZE / 4)
	{
		if (!take_bytes(dictionaries, dictionary, bytes))
			return false;
		memory = MemoryContextAllocHuge(dictionary->memory, bytes);
	}
	else
	{
		if (bytes > dictionary->left)
		{
			if (!take_bytes(dictionaries, dictionary, PIECE_SIZE))
				return false;
			dictionary->piece = MemoryContextAlloc(dictionary->memory, PIECE_SIZE);
			dictionary->left = PIECE_SIZE;
		}
		memory = dictionary->piece;
		dictionary->piece += bytes;
		dictionary->left -= bytes;
	}
	memcpy(memory, DatumGetPointer(key), size);
	*copy = PointerGetDatum(memory);
	return true;
}

/* Looking up */

/* Returns the number of a key in the dictionary; -1 if it is not there. */
static int64
find_number(Dictionary *dictionary, Datum key, uint32 hash)
{
	uint32 slot = hash & (dictionary->nslots - 1);

	if (dictionary->nslots == 0)
		return -1;
	for (; dictionary->slots[slot] >= 0; slot = (slot + 1) & (dictionary->nslots - 1))
	{
		int32 number = dictionary->slots[slot];

		if (dictionary->hashes[number] == hash &&
			DatumGetBool(FunctionCall2Coll(&dictionary->equal, dictionary->kind.collation,
										   dictionary->keys[number], key)))
			return number;
	}
	return -1;
}

int64
dictionary_number_of_hashed(Dictionaries *dictionaries, Dictionary *dictionary, Datum key,
							uint32 hash, bool *like)
{
	int64 number = find_number(dictionary, key, hash);

	*like = number < 0 || datum_image_eq(dictionary->keys[number], key,
										 dictionary->by_value, dictionary->length);
	if (number >= 0)
		return number;
	if ((Size) dictionary->count >= room_of(dictionary->nslots) &&
		!enlarge_dictionary(dictionaries, dictionary))
		return -1;
	if (!dictionary->by_value && !copy_key(dictionaries, dictionary, key, &key))
		return -1;
	number = dictionary->count++;
	dictionary->keys[number] = key;
	dictionary->hashes[number] = hash;
	dictionary->slots[empty_slot(dictionary, hash)] = (int32) number;
	return number;
}

int64
dictionary_number(Dictionaries *dictionaries, Dictionary *dictionary, Datum key,
				  bool *like)
{
	uint32 hash;

	/* detoast the key here, rather than in each comparison */
	if (dictionary->length == -1)
		key = PointerGetDatum(PG_DETOAST_DATUM_PACKED(key));
	/* some types hash an integer to itself, so neighbours would share slots */
	hash = murmurhash32(DatumGetUInt32(
		FunctionCall1Coll(&dictionary->hash, dictionary->kind.collation, key)));
	return dictionary_number_of_hashed(dictionaries, dictionary, key, hash, like);
}

int64
dictionary_count(const Dictionary *dictionary)
{
	return dictionary->count;
}

Datum
dictionary_key(const Dictionary *dictionary, int64 number)
{
	return dictionary->keys[number];
}

uint32
dictionary_hash(const Dictionary *dictionary, int64 number)
{
	return dictionary->hashes[number];
}

void
dictionary_representation(const Dictionary *dictionary, bool *by_value, int16 *length)
{
	*by_value = dictionary->by_value;
	*length = dictionary->length;
}
