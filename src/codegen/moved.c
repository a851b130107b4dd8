/*-------------------------------------------------------------------------
 *
 * moved.c
 *	  Results that note by how much they have moved since they were computed.
 *
 * What is added to a number is rounded. So each row of a result has a further column, the
 * sum of the absolute values of all that has been added to it, and is computed again when
 * that is much more than the row itself. Sums of integers that are small enough are exact,
 * whatever is stored: such results have no column.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "algebra/proven.h"
#include "catalog/attempt.h"
#include "codegen/change_statement.h"
#include "codegen/moved.h"
#include "expr/analysis.h"

/* A statement, and the digits of what it computes. */
typedef struct StatementDigits
{
	const char *statement;
	const List *tables;
	double digits;
} StatementDigits;

static void
find_digits(void *argument)
{
	StatementDigits *found = argument;
	const PlanOptions options = options_of_change(MATERIALIZE_NEVER);
	Program *program = analyze_program(found->statement);

	found->digits =
		proven_digits(algebra_of_stages(program, &options),
					  ((Statement *) llast(program->statements))->expr, found->tables);
}

double
digits_of_statement(const char *statement, const List *tables)
{
	StatementDigits found = {
		.statement = statement, .tables = tables, .digits = INFINITY};

	return attempt_without_locks(find_digits, &found) ? INFINITY : found.digits;
}

char *
name_of_moved(const Storage *storage)
{
	char *name = "moved";

	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].column == NULL ||
			strcmp(storage->dimensions[d].column, name) != 0)
			continue;
		/* the new name may be that of a key before this one */
		name = psprintf("%s_", name);
		d = -1;
	}
	return name;
}
