/*-------------------------------------------------------------------------
 *
 * equation_parser.h
 *	  What the scanner and the grammar of equations share with equation.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PARSER_EQUATION_PARSER_H
#define PARSER_EQUATION_PARSER_H

#include "postgres.h"

#include "parser/syntax.h"

typedef struct EquationParser
{
	const char *text;
	Equation *equation;

	/* the flex scanner */
	void *scanner;
	char *buffer; /* a copy of text with the two NULs that flex needs at its end */
	int token_location;
	int token_length;

	/* the term being read: an operand, or the output */
	EquationTerm *term;
	int numbers[128];     /* by letter: the number of its label, or -1 */
	int occurrences[128]; /* by letter: how often it occurs in the operands */
	bool in_output[128];
} EquationParser;

extern void equation_scanner_begin(EquationParser *parser);
extern void equation_scanner_end(EquationParser *parser);
extern int equation_yyparse(EquationParser *parser);

extern void equation_begin_operand(EquationParser *parser, int location);
extern void equation_begin_output(EquationParser *parser);
extern void equation_add_label(EquationParser *parser, int letter, int location);
extern void equation_implicit_output(EquationParser *parser);
extern void equation_add_ellipsis(EquationParser *parser, int location);

#endif
