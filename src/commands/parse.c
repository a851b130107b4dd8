/*-------------------------------------------------------------------------
 *
 * parse.c
 *	  The parsers as SQL functions: how the extension reads a text.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "parser/syntax.h"

PG_FUNCTION_INFO_V1(einsum_parse);
PG_FUNCTION_INFO_V1(einsum_parse_equation);
PG_FUNCTION_INFO_V1(einsum_parse_notation);
PG_FUNCTION_INFO_V1(einsum_parse_map);

/* einsum_parse(program text) returns text: the program in canonical form. */
Datum
einsum_parse(PG_FUNCTION_ARGS)
{
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_TEXT_P(cstring_to_text(syntax_to_string(parse_program(source))));
}

static void
append_term(StringInfo out, const Equation *equation, const EquationTerm *term)
{
	for (int i = 0; i <= term->rank; i++)
	{
		if (term->ellipsis == i + 1)
			appendStringInfoString(out, "...");
		if (i < term->rank)
			appendStringInfoChar(out, equation->letters[term->labels[i]]);
	}
}

/*
 * einsum_parse_equation(equation text, operands int) returns text: the equation, with its
 * output written out.
 */
Datum
einsum_parse_equation(PG_FUNCTION_ARGS)
{
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Equation equation;
	StringInfoData out;

	parse_equation(source, PG_GETARG_INT32(1), &equation);

	initStringInfo(&out);
	for (int i = 0; i < equation.noperands; i++)
	{
		if (i > 0)
			appendStringInfoChar(&out, ',');
		append_term(&out, &equation, &equation.operands[i]);
	}
	appendStringInfoString(&out, "->");
	append_term(&out, &equation, &equation.output);
	PG_RETURN_TEXT_P(cstring_to_text(out.data));
}

/* einsum_parse_notation(notation text) returns text: the notation in canonical form. */
Datum
einsum_parse_notation(PG_FUNCTION_ARGS)
{
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));

	PG_RETURN_TEXT_P(cstring_to_text(reference_to_string(parse_notation(source))));
}

/*
 * einsum_parse_map(expression text) returns text: the steps of a scalar expression, in
 * postfix order.
 */
Datum
einsum_parse_map(PG_FUNCTION_ARGS)
{
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	MapProgram program;
	StringInfoData out;
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	parse_map_expression(source, &program);

	initStringInfo(&out);
	for (int i = 0; i < program.nsteps; i++)
	{
		const MapStep *step = &program.steps[i];

		if (i > 0)
			appendStringInfoChar(&out, ' ');
		switch (step->opcode)
		{
			case MAP_PARAMETER:
				appendStringInfo(&out, "$%d", step->argument + 1);
				break;
			case MAP_CONSTANT:
				double_to_shortest_decimal_buf(step->constant, digits);
				appendStringInfoString(&out, digits);
				break;
			case MAP_CALL:
				appendStringInfoString(&out, pointwise_functions[step->argument].name);
				break;
		}
	}
	appendStringInfo(&out, " (depth %d, operands %d)", program.depth,
					 program.nparameters);
	PG_RETURN_TEXT_P(cstring_to_text(out.data));
}
