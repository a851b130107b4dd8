/*-------------------------------------------------------------------------
 *
 * equation.c
 *	  numpy's einsum equations: "ij,jk->ik" to numbered labels.
 *
 * Labels are numbered as they first occur. Without an arrow the output has the
 * dimensions of the ellipsis and then the labels that occur once, in the order
 * of numpy: upper case first.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "parser/equation_parser.h"

/* The number of the operand being read, from 1; 0 for the output. */
static int
term_number(EquationParser *parser)
{
	if (parser->term == &parser->equation->output)
		return 0;
	return parser->equation->noperands;
}

void
equation_begin_operand(EquationParser *parser, int location)
{
	Equation *equation = parser->equation;

	if (equation->noperands >= EQUATION_MAX_OPERANDS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("equation has too many operands"),
						errdetail("There may be %d.", EQUATION_MAX_OPERANDS),
						program_errposition(parser->text, location)));
	parser->term = &equation->operands[equation->noperands++];
}

void
equation_begin_output(EquationParser *parser)
{
	parser->term = &parser->equation->output;
}

/* Appends a label to the term being read; only operands may have new labels. */
void
equation_add_label(EquationParser *parser, int letter, int location)
{
	Equation *equation = parser->equation;
	EquationTerm *term = parser->term;

	if (term_number(parser) == 0)
	{
		if (parser->occurrences[letter] == 0)
			ereport(ERROR,
					(errcode(ERRCODE_SYNTAX_ERROR),
					 errmsg("label \"%c\" of the output occurs in no operand", letter),
					 program_errposition(parser->text, location)));
		if (parser->in_output[letter])
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
							errmsg("label \"%c\" occurs twice in the output", letter),
							program_errposition(parser->text, location)));
		parser->in_output[letter] = true;
	}
	else
	{
		if (parser->numbers[letter] < 0)
		{
			/* there are only EQUATION_MAX_LETTERS letters */
			Assert(equation->nlabels < EQUATION_MAX_LETTERS);
			equation->letters[equation->nlabels] = (char) letter;
			parser->numbers[letter] = equation->nlabels++;
		}
		parser->occurrences[letter]++;
	}

	if (term->rank >= TENSOR_MAX_RANK)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						term_number(parser) == 0
							? errmsg("output of equation has too many labels")
							: errmsg("operand %d of equation has too many labels",
									 term_number(parser)),
						errdetail("A term may have %d, and \"%c\" is one more.",
								  TENSOR_MAX_RANK, letter),
						program_errposition(parser->text, location)));
	term->labels[term->rank++] = (uint8) parser->numbers[letter];
}

void
equation_implicit_output(EquationParser *parser)
{
	equation_begin_output(parser);
	parser->term->ellipsis = parser->equation->has_ellipsis ? 1 : 0;
	for (int letter = 'A'; letter <= 'z'; letter++)
	{
		if (parser->occurrences[letter] == 1)
			equation_add_label(parser, letter, (int) strlen(parser->text));
	}
}

/* Notes "..." in the term being read; raises an error if the term already has it. */
void
equation_add_ellipsis(EquationParser *parser, int location)
{
	EquationTerm *term = parser->term;

	if (term->ellipsis != 0)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						term_number(parser) == 0
							? errmsg("output of equation has two ellipses")
							: errmsg("operand %d of equation has two ellipses",
									 term_number(parser)),
						errdetail("An ellipsis stands for all dimensions of an operand "
								  "that have no letter."),
						program_errposition(parser->text, location)));
	term->ellipsis = (uint8) (term->rank + 1);
	parser->equation->has_ellipsis = true;
}

void
parse_equation(const char *text, int noperands, Equation *equation)
{
	EquationParser parser;

	memset(&parser, 0, sizeof(parser));
	memset(equation, 0, sizeof(Equation));
	memset(parser.numbers, -1, sizeof(parser.numbers));
	parser.text = text;
	parser.equation = equation;

	equation_scanner_begin(&parser);
	if (equation_yyparse(&parser) != 0)
		/* the parser throws its errors */
		elog(ERROR, "the parser failed without an error");
	equation_scanner_end(&parser);

	if (equation->noperands != noperands)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("equation does not fit the number of operands"),
				 errdetail("Equation \"%s\" has %d, the call has %d.", text,
						   equation->noperands, noperands),
				 errhint("Operands are separated by commas; a scalar's term is empty.")));
}
