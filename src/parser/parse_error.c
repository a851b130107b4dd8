/*-------------------------------------------------------------------------
 *
 * parse_error.c
 *	  Positions of errors in texts that are arguments of functions.
 *
 * errposition() would point into the query that calls us, which has the text
 * as a literal (if at all) with other offsets. As PL/pgSQL does for the
 * expressions in a function's body, we report text and position as those of an
 * internal query.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"

#include "parser/syntax.h"

int
program_errposition(const char *text, int location)
{
	if (location < 0)
		return 0;

	internalerrquery(text);
	/* an error position counts characters, from 1 */
	internalerrposition(pg_mbstrlen_with_len(text, location) + 1);
	return 0;
}
