/*-------------------------------------------------------------------------
 *
 * query_label.c
 *	  Comments in queries of this extension that say what they are for.
 *
 * Users choose the names and texts in such a comment: so nothing in it may end the
 * comment, or begin another one, for comments nest.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "parser/scansup.h"

#include "catalog/query_label.h"

/* Most bytes of a text in brief. */
#define MAX_BRIEF 200

#define LABEL_BEGINS "/* "

/*
 * Most bytes of a query in a context. With the words around it, in any language, and
 * "..." the context has at most 200 characters.
 */
#define MAX_CONTEXT 165

static char *
in_brief(const char *text, int limit)
{
	int length = strlen(text);
	bool whole = length <= limit;
	StringInfoData brief;

	initStringInfo(&brief);
	if (!whole)
		length = pg_mbcliplen(text, length, limit);
	for (const char *c = text; c < text + length; c++)
	{
		if (!scanner_isspace(*c))
			appendStringInfoChar(&brief, *c);
		else if (brief.len && brief.data[brief.len - 1] != ' ')
			appendStringInfoChar(&brief, ' ');
	}
	if (!whole)
		appendStringInfoString(&brief, "...");
	return brief.data;
}

char *
text_in_brief(const char *text)
{
	return in_brief(text, MAX_BRIEF);
}

char *
query_in_brief(const char *query)
{
	return in_brief(query, MAX_CONTEXT);
}

char *
labelled_query(const char *function, const char *of, const char *query)
{
	StringInfoData result;

	initStringInfo(&result);
	appendStringInfo(&result, LABEL_BEGINS "%s: ", function);
	for (const char *c = text_in_brief(of); *c; c++)
	{
		char before = result.data[result.len - 1];

		if ((before == '*' && *c == '/') || (before == '/' && *c == '*'))
			appendStringInfoChar(&result, ' ');
		appendStringInfoChar(&result, *c);
	}
	appendStringInfo(&result, " */ %s", query);
	return result.data;
}

bool
is_labelled_query(const char *query)
{
	return strncmp(query, LABEL_BEGINS "einsum", strlen(LABEL_BEGINS "einsum")) == 0;
}
