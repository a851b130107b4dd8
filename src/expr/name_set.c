/*-------------------------------------------------------------------------
 *
 * name_set.c
 *	  Sets of names, and what belongs to each name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "expr/name_set.h"

typedef struct NameSetEntry
{
	uint32 status;
	const char *name;
	void *value; /* NULL until it is set */
} NameSetEntry;

#define SH_PREFIX name_table
#define SH_ELEMENT_TYPE NameSetEntry
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

void *
value_of_name(const NameSet *set, const char *name)
{
	const NameSetEntry *entry = name_table_lookup(set->table, name);

	return entry ? entry->value : NULL;
}

/* Returns the entry of a name; makes one if it is new. */
static NameSetEntry *
entry_of_name(NameSet *set, const char *name, bool *found)
{
	NameSetEntry *entry = name_table_insert(set->table, name, found);

	if (*found)
		return entry;
	entry->value = NULL;
	set->names = lappend(set->names, unconstify(char *, name));
	return entry;
}

bool
add_name(NameSet *set, const char *name)
{
	bool found;

	(void) entry_of_name(set, name, &found);
	return !found;
}

void
set_value_of_name(NameSet *set, const char *name, void *value)
{
	bool found;

	entry_of_name(set, name, &found)->value = value;
}
