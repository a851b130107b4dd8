/*-------------------------------------------------------------------------
 *
 * near_names.c
 *	  Which names may have been meant by one that is not known.
 *
 * A name is near if an edit in three letters makes it the other one, if two
 * neighbouring letters are swapped, if only case differs, or if it is the
 * beginning of the other. Names that have no letter in common are not near,
 * however short.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "parser/scansup.h"
#include "utils/varlena.h"

#include "parser/near_names.h"

/* The fewest letters of an abbreviation. */
#define SHORTEST_ABBREVIATION 3

#define NOT_NEAR 1000

typedef struct OfferedName
{
	const char *name;
	int distance; /* NOT_NEAR or more: not near */
} OfferedName;

static char *
folded(const char *name)
{
	return downcase_identifier(name, (int) strlen(name), false, false);
}

/* Are two neighbouring letters swapped, and all others equal? */
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
	/* another letter is another name */
	int limit = length == 1 ? 0 : Max(1, length / 3);
	int distance;

	/* the function takes no longer ones */
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
