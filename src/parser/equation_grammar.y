%{
/*-------------------------------------------------------------------------
 *
 * equation_grammar.y
 *	  Grammar of numpy's einsum equations. Pure and reentrant.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "parser/equation_parser.h"

/* Errors leave by longjmp: the parser's stack must vanish with the context. */
#define YYMALLOC palloc
#define YYFREE pfree

/* An empty term is where it ought to be. */
#define YYLLOC_DEFAULT(Current, Rhs, N) ((Current) = (N) ? (Rhs)[1] : (Rhs)[0])
%}

%code requires {
#include "parser/equation_parser.h"
}

%code provides {
extern int equation_yylex(int *value, int *location, EquationParser *parser);
extern void equation_yyerror(int *location, EquationParser *parser, const char *message);
}

%define api.pure full
%define api.prefix {equation_yy}
%define api.value.type {int}
%define api.location.type {int}
%locations
%initial-action { @$ = 0; }
%expect 0
%parse-param {EquationParser *parser}
%lex-param {EquationParser *parser}

%token LETTER
%token ARROW
%token ELLIPSIS

%%

equation:
	operands
		{ equation_implicit_output(parser); }
	| operands ARROW
		{ equation_begin_output(parser); }
	  labels
	;

operands:
	operand
	| operands ',' operand
	;

operand:
		{ equation_begin_operand(parser, @$); }
	  labels
	;

labels:
	%empty
	| labels LETTER
		{ equation_add_label(parser, $2, @2); }
	| labels ELLIPSIS
		{ equation_add_ellipsis(parser, @2); }
	;
