/*-------------------------------------------------------------------------
 *
 * near_names.c
 *	  Finds the names that may have been meant by an unknown name.
 *
 * A name is near another one if one edit per three letters turns it into the other, if
 * two neighbouring letters are swapped, if only case differs, or if it is the beginning
 * of the other. Names that have no letter in common are not near, however short they
 * are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "parser/scansup.h"
#include "utils/varlena.h"

#include "parser/near_names.h"

/* The least length of a name that may abbreviate a longer one. */
#define SHORTEST_ABBREVIATION 3

#define NOT_NEAR 1000

typedef struct OfferedName
{
	const char *name;
	int distance; /* NOT_NEAR or more: the names are not similar */
} OfferedName;

static char *
folded(const char *name)
{
	return downcase_identifier(name, (int) strlen(name), false, false);
}

/* Do two names of one length differ only by two neighbouring letters that are swapped? */
static bool
is_swapped(const char *name, const char *other, int length)
{
	int i = 0;

	while (i < length && name[i] == other[i])
		i++;
	return i + 1 < length && name[i] == other[i + 1] && name[i + 1] == other[i] &&
		   strcmp(name + i + 2, other + i + 2) == 0;
}

static int
name_distance(const char *name, const char *other)
{
	char *left = folded(name);
	char *right = folded(other);
	int length = (int) strlen(left);
	int other_length = (int) strlen(right);
	/* for a name of one letter any change makes another name */
	int limit = length == 1 ? 0 : Max(1, length / 3);
	int distance;

	/* varstr_levenshtein takes no longer strings */
	if (length >= NAMEDATALEN || other_length >= NAMEDATALEN)
		return NOT_NEAR + NAMEDATALEN;
	if (length == other_length && is_swapped(left, right, length))
		return 1;
	distance = varstr_levenshtein(left, length, right, other_length, 1, 1, 1, true);
	if (distance <= limit && distance < Max(length, other_length))
		return distance;
	if (length >= SHORTEST_ABBREVIATION && strncmp(left, right, length) == 0)
		return limit + 1;
	return NOT_NEAR + distance;
}

void
offer_name(NearNames *names, const char *other)
{
	OfferedName *offered = palloc(sizeof(OfferedName));

	offered->name = other;
	offered->distance = name_distance(names->name, other);
	names->offered = lappend(names->offered, offered);
}

static int
compare_offered(const ListCell *a, const ListCell *b)
{
	const OfferedName *left = (const OfferedName *) lfirst(a);
	const OfferedName *right = (const OfferedName *) lfirst(b);

	if (left->distance != right->distance)
		return left->distance < right->distance ? -1 : 1;
	return strcmp(left->name, right->name);
}

List *
near_names(NearNames *names, int most)
{
	List *near = NIL;
	ListCell *lc;

	list_sort(names->offered, compare_offered);
	foreach (lc, names->offered)
	{
		const OfferedName *offered = lfirst(lc);

		if (offered->distance >= NOT_NEAR || list_length(near) == most)
			break;
		if (near == NIL || strcmp(llast(near), offered->name) != 0)
			near = lappend(near, unconstify(char *, offered->name));
	}
	return near;
}

const char *
nearest_name(NearNames *names)
{
	List *near = near_names(names, 1);

	return near == NIL ? NULL : linitial(near);
}

char *
names_by_nearness(NearNames *names, int most)
{
	const char *last = NULL;
	StringInfoData list;
	ListCell *lc;

	initStringInfo(&list);
	list_sort(names->offered, compare_offered);
	foreach (lc, names->offered)
	{
		const OfferedName *offered = lfirst(lc);

		if (last && strcmp(last, offered->name) == 0)
			continue;
		if (most-- == 0)
		{
			appendStringInfoString(&list, ", ...");
			break;
		}
		appendStringInfo(&list, "%s\"%s\"", list.len ? ", " : "", offered->name);
		last = offered->name;
	}
	return list.data;
}
