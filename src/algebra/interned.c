/*-------------------------------------------------------------------------
 *
 * interned.c
 *	  Numbers for texts: equal texts have the same number.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "algebra/interned.h"

typedef struct WrittenText
{
	const char *data;
	int length;
} WrittenText;

typedef struct NumberEntry
{
	uint32 status;
	uint32 hash;
	WrittenText text;
	int number;
} NumberEntry;

static inline bool
same_text(WrittenText a, WrittenText b)
{
	return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

#define SH_PREFIX number_table
#define SH_ELEMENT_TYPE NumberEntry
#define SH_KEY_TYPE WrittenText
#define SH_KEY text
#define SH_HASH_KEY(table, key)                                                          \
	hash_bytes((const unsigned char *) (key).data, (key).length)
#define SH_EQUAL(table, a, b) same_text(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) ((entry)->hash)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct Interned
{
	number_table_hash *numbers; /* by text */
	int count;
};

Interned *
new_interned(void)
{
	Interned *interned = palloc0(sizeof(Interned));

	interned->numbers = number_table_create(CurrentMemoryContext, 256, NULL);
	return interned;
}

int
interned_number(Interned *interned, const StringInfoData *written)
{
	WrittenText text = {written->data, written->len};
	NumberEntry *entry = number_table_lookup(interned->numbers, text);
	bool found;

	if (entry)
		return entry->number;
	text.data = memcpy(palloc(text.length), text.data, text.length);
	entry = number_table_insert(interned->numbers, text, &found);
	return entry->number = interned->count++;
}

void
write_int(StringInfo text, int value)
{
	appendBinaryStringInfo(text, (const char *) &value, sizeof(value));
}
