/*-------------------------------------------------------------------------
 *
 * comment.c
 *	  Comments on the views and tables of programs: the statement as the user wrote it.
 *
 * A relation that is replaced keeps its comment, as it keeps its grants. A comment of
 * ours is known by its beginning, and is written again; other comments are the owner's.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "commands/comment.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/label.h"
#include "catalog/query_label.h"
#include "catalog/tensor_storage.h"
#include "codegen/comment.h"
#include "codegen/explain.h"
#include "codegen/replace.h"

#define COMMENT_BEGINNING "einsum: "

char *
stage_definition(const StagePlan *plan)
{
	const Stage *stage = plan->stage;

	if (stage->statement)
		return stage->statement->text;
	return psprintf("%s, part of %s", stage_notation(plan),
					text_in_brief(stage->part_of->text));
}

/* Returns a text as an SQL literal in one line, as einsum_plan shows a statement. */
static char *
literal_in_line(const char *text)
{
	StringInfoData literal;

	initStringInfo(&literal);
	for (const char *c = quote_literal_cstr(text); *c; c++)
	{
		if (*c == '\n' || *c == '\r')
			appendStringInfoString(&literal, *c == '\n' ? "\\n" : "\\r");
		else
			appendStringInfoChar(&literal, *c);
	}
	if (strpbrk(text, "\n\r") && literal.data[0] != 'E')
		return psprintf("E%s", literal.data);
	return literal.data;
}

char *
comment_statement(const StagePlan *plan, char relkind, const char *relation)
{
	return psprintf(
		"COMMENT ON %s %s IS %s", relkind == RELKIND_VIEW ? "VIEW" : "TABLE", relation,
		literal_in_line(psprintf(COMMENT_BEGINNING "%s", stage_definition(plan))));
}

void
put_comment(const StagePlan *plan, Oid relation)
{
	char *comment = GetComment(relation, RelationRelationId, 0);

	if (comment == NULL ||
		strncmp(comment, COMMENT_BEGINNING, strlen(COMMENT_BEGINNING)) == 0)
		execute_utility(comment_statement(plan, get_rel_relkind(relation),
										  qualified_relation_name(relation)));
}
