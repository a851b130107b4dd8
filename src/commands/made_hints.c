/*-------------------------------------------------------------------------
 *
 * made_hints.c
 *	  Hints for statements that change what a program made.
 *
 * The views of a program are PostgreSQL's, and so are the errors of INSERT into one,
 * REFRESH MATERIALIZED VIEW, or ALTER COLUMN ... TYPE below one. Their hints name what
 * would harm here: triggers on the view, or CASCADE. What makes a relation is known from
 * memory, where the session has made it, or looked up the name of a tensor since; others
 * get PostgreSQL's own hint. So do relations of the same name in other schemas: the schema
 * is in the message or the statement, or the statement has locked what it is about.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_collation.h"
#include "tcop/tcopprot.h"
#include "utils/formatting.h"

#include "catalog/registry.h"
#include "commands/made_hints.h"

#define ROWS_OF_FORMULA                                                                  \
	"Its rows and columns are what the formula gives. Change the tables that it reads, " \
	"or the program, by einsum_decompose with replace => true."
#define ALWAYS_RIGHT                                                                     \
	"A view always has the rows of now. Tables that a program fills get them from "      \
	"einsum_refresh, the states of a loop from einsum_iterate."
#define DROP_FIRST                                                                       \
	"einsum_drop drops all of the program. Then make the change, and call "              \
	"einsum_decompose again. CASCADE drops only a part of it."
#define NO_INDEX_OF_VIEW                                                                 \
	"With materialize => 'always' a program fills tables, which have a primary key and " \
	"can have further indexes."

/* clang-format off */

/* Errors of PostgreSQL's statements, by the file that raises them. */
static const struct
{
	int sqlerrcode;
	const char *file;
	bool in_detail; /* the detail names the relation, the message what it depends on */
	bool locked;	/* the statement has locked the relation before */
	const char *advice;
} statements[] = {
	{ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "rewriteHandler.c", false, true, ROWS_OF_FORMULA},
	{ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE, "execMain.c", false, true, ROWS_OF_FORMULA},
	{ERRCODE_FEATURE_NOT_SUPPORTED, "rewriteHandler.c", false, true, ROWS_OF_FORMULA},
	{ERRCODE_WRONG_OBJECT_TYPE, "copyfrom.c", false, true, ROWS_OF_FORMULA},
	{ERRCODE_WRONG_OBJECT_TYPE, "tablecmds.c", false, false, ROWS_OF_FORMULA " " ALWAYS_RIGHT},
	{ERRCODE_FEATURE_NOT_SUPPORTED, "parse_merge.c", false, true, ROWS_OF_FORMULA},
	{ERRCODE_WRONG_OBJECT_TYPE, "indexcmds.c", false, true, NO_INDEX_OF_VIEW},
	{ERRCODE_FEATURE_NOT_SUPPORTED, "matview.c", false, true, ALWAYS_RIGHT},
	{ERRCODE_FEATURE_NOT_SUPPORTED, "tablecmds.c", true, false, DROP_FIRST},
	{ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST, "dependency.c", true, true, DROP_FIRST},
};
/* clang-format on */

/* Returns the length of the name with which a text begins, schema included. */
static size_t
name_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char) text[length]) || IS_HIGHBIT_SET(text[length]) ||
		   (text[length] != '\0' && strchr("_$.\"", text[length])))
		length++;
	return length;
}

/* Returns a name without its quotes. */
static char *
unquoted(const char *name, size_t length)
{
	bool quoted = length > 1 && name[0] == '"' && name[length - 1] == '"';

	return quoted ? pnstrdup(name + 1, length - 2) : pnstrdup(name, length);
}

/* Returns the schema that a statement has before a name, or NULL. */
static char *
schema_in_statement(const char *name)
{
	const char *statement = debug_query_string ? debug_query_string : "";
	size_t length = strlen(name);

	for (const char *dot = statement; (dot = strchr(dot, '.')) != NULL; dot++)
	{
		const char *found = dot[1] == '"' ? dot + 2 : dot + 1;
		const char *start = dot;

		while (start > statement && strchr(" \n\t(,", start[-1]) == NULL)
			start--;
		if (pg_strncasecmp(found, name, length) == 0 &&
			name_length(found + length) == (found[length] == '"' ? 1 : 0))
			return start[0] == '"' ? unquoted(start, dot - start)
								   : str_tolower(start, dot - start, C_COLLATION_OID);
	}
	return NULL;
}

/* Cuts what the view of a table has in its name behind the table's; false: nothing. */
static bool
cut_end(char *name)
{
	static const char *const ends[] = {"__query", "__now"};
	size_t length = strlen(name);

	for (int i = 0; i < lengthof(ends); i++)
	{
		if (length > strlen(ends[i]) &&
			strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
		{
			name[length - strlen(ends[i])] = '\0';
			return true;
		}
	}
	return false;
}

/*
 * Finds a relation that a program made among those that a text names behind the words
 * `before`, and the program; false if there is no such one. What others depend on does
 * not count. What is not locked as long as the text is made may have any schema that the
 * statement does not exclude.
 */
static bool
find_made(const char *text, const char *before, bool locked, char **made,
		  const char **program)
{
	const char *found = text;

	while ((found = strstr(found, before)) != NULL)
	{
		bool dependent = found - text < 11 || strncmp(found - 11, "depends on ", 11) != 0;
		const char *dot;
		char *schema = NULL;
		char *name;
		char *table;
		bool of_table; /* it is a view that belongs to a table */
		size_t length;

		found += strlen(before);
		if (!dependent)
			continue;
		length = name_length(found);
		/* the quotes of a message, not of a name */
		if (length > 0 && before[0] == '"' && found[length - 1] == '"')
			length--;
		*made = pnstrdup(found, length);
		dot = strrchr(*made, '.');
		name = unquoted(dot ? dot + 1 : *made, strlen(dot ? dot + 1 : *made));
		table = pstrdup(name);
		of_table = registry_program_known(NULL, name, false) == NULL && cut_end(table);
		if (dot)
			schema = unquoted(*made, dot - *made);
		else if (!locked || of_table)
			schema = schema_in_statement(name);
		/* where the view of a table is locked, the table is not */
		*program = registry_program_known(schema, of_table ? table : name,
										  locked && !of_table && schema == NULL);
		if (*program)
			return true;
	}
	return false;
}

const char *
hint_for_made(const ErrorData *error)
{
	/* other hints than PostgreSQL's own stay */
	if (error->hint && !strstr(error->hint, "INSTEAD OF") &&
		!strstr(error->hint, "CASCADE"))
		return NULL;
	for (int i = 0; i < lengthof(statements); i++)
	{
		const char *text = statements[i].in_detail ? error->detail : error->message;
		const char *before = statements[i].in_detail ? "view " : "\"";
		const char *program;
		char *made;

		if (error->sqlerrcode == statements[i].sqlerrcode && error->filename && text &&
			strcmp(error->filename, statements[i].file) == 0 &&
			find_made(text, before, statements[i].locked, &made, &program))
			return psprintf(_("\"%s\" is made by the program \"%s\". %s"), made, program,
							_(statements[i].advice));
	}
	return NULL;
}
