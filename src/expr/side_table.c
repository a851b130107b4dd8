/*-------------------------------------------------------------------------
 *
 * side_table.c
 *	  A table of facts about nodes or tensors, kept outside of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "expr/side_table.h"

typedef struct SideEntry
{
	uint32 status;
	const void *key;
	const void *value;
} SideEntry;

#define SH_PREFIX side_table
#define SH_ELEMENT_TYPE SideEntry
#define SH_KEY_TYPE const void *
#define SH_KEY key
#define SH_HASH_KEY(table, key)                                                          \
	hash_bytes((const unsigned char *) &(key), sizeof(const void *))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

SideTable *
new_side_table(uint32 size)
{
	return side_table_create(CurrentMemoryContext, size, NULL);
}

void
free_side_table(SideTable *table)
{
	side_table_destroy(table);
}

void *
side_value(SideTable *table, const void *key)
{
	SideEntry *entry = side_table_lookup(table, key);

	return entry ? unconstify(void *, entry->value) : NULL;
}

void
set_side_value(SideTable *table, const void *key, const void *value)
{
	bool found;

	side_table_insert(table, key, &found)->value = value;
}

static const char yes = 1;
static const char no = 0;

bool
side_answer(SideTable *table, const void *key, bool *answer)
{
	const void *known = side_value(table, key);

	*answer = known == &yes;
	return known != NULL;
}

bool
set_side_answer(SideTable *table, const void *key, bool answer)
{
	set_side_value(table, key, answer ? &yes : &no);
	return answer;
}
