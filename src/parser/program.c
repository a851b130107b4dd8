/*-------------------------------------------------------------------------
 *
 * program.c
 *	  Entry points of the program language's parser.
 *
 * The same grammar reads programs, notations of tensors and map expressions,
 * so that names, numbers and precedences are the same everywhere.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "parser/program_parser.h"

/* Parses a text; the result is in the member of *parser for that mode. */
static void
parse_text(ProgramParser *parser, ProgramMode mode, const char *text)
{
	if (strlen(text) > PROGRAM_MAX_LENGTH)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("text is too long"),
				 errdetail("It has %zu bytes, and the limit is %d.", strlen(text),
						   PROGRAM_MAX_LENGTH)));

	memset(parser, 0, sizeof(ProgramParser));
	parser->text = text;
	parser->mode = mode;

	program_scanner_begin(parser);
	if (program_yyparse(parser) != 0)
		/* the parser throws its errors */
		elog(ERROR, "the parser failed without an error");
	program_scanner_end(parser);
}

List *
parse_program(const char *text)
{
	ProgramParser parser;

	parse_text(&parser, PROGRAM_MODE_PROGRAM, text);
	if (parser.statements == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("program is empty"),
				 errhint("A program is a list of statements such as y[i] = a[i,j] * "
						 "x[j], separated by semicolons.")));
	return parser.statements;
}

SyntaxReference *
parse_notation(const char *text)
{
	ProgramParser parser;

	parse_text(&parser, PROGRAM_MODE_NOTATION, text);
	if (!parser.reference->bracketed)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("labels are missing"),
				 errhint("Write the tensor's labels in brackets, as in %s[I,j], or %s[] "
						 "for a scalar.",
						 parser.reference->name, parser.reference->name),
				 program_errposition(text, parser.reference->location)));
	return parser.reference;
}

void
parse_map_expression(const char *text, MapProgram *program)
{
	ProgramParser parser;

	parse_text(&parser, PROGRAM_MODE_MAP, text);
	compile_map_expression(&parser, parser.expr, program);
}
