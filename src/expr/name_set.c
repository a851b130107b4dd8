/*-------------------------------------------------------------------------
 *
 * name_set.c
 *	  Sets of names.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "expr/name_set.h"

typedef struct NameEntry
{
	uint32 status;
	const char *name;
} NameEntry;

#define SH_PREFIX name_table
#define SH_ELEMENT_TYPE NameEntry
#define SH_KEY_TYPE const char *
#define SH_KEY name
#define SH_HASH_KEY(table, key)                                                          \
	hash_bytes((const unsigned char *) (key), (int) strlen(key))
#define SH_EQUAL(table, a, b) (strcmp(a, b) == 0)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

NameSet *
make_name_set(uint32 size)
{
	NameSet *set = palloc0(sizeof(NameSet));

	set->table = name_table_create(CurrentMemoryContext, size, NULL);
	return set;
}

bool
has_name(const NameSet *set, const char *name)
{
	return name_table_lookup(set->table, name) != NULL;
}

bool
add_name(NameSet *set, const char *name)
{
	bool found;

	(void) name_table_insert(set->table, name, &found);
	if (!found)
		set->names = lappend(set->names, unconstify(char *, name));
	return !found;
}
