%{
/*-------------------------------------------------------------------------
 *
 * program_grammar.y
 *	  Grammar of programs, of a tensor's notation, and of map expressions.
 *
 * Pure and reentrant. What can be said about an error beyond "syntax error" is
 * said by rules that recognise the mistake. See README.md for the precedences.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "parser/program_parser.h"

/* Errors leave by longjmp: the parser's stack must vanish with the context. */
#define YYMALLOC palloc
#define YYFREE pfree

/* The place of a construct is that of its first token. */
#define YYLLOC_DEFAULT(Current, Rhs, N) ((Current) = (N) ? (Rhs)[1] : (Rhs)[0])

pg_noreturn static void chained_comparison(ProgramParser *parser, int location);
%}

%code requires {
#include "parser/program_parser.h"
}

%code provides {
extern int program_yylex(ProgramValue *value, int *location, ProgramParser *parser);
extern void program_yyerror(int *location, ProgramParser *parser, const char *message);
}

%define api.pure full
%define api.prefix {program_yy}
%define api.value.type {ProgramValue}
%define api.location.type {int}
%locations
%initial-action { @$ = 0; }
%expect 0
%parse-param {ProgramParser *parser}
%lex-param {ProgramParser *parser}

/* what to parse; given first by the scanner */
%token MODE_PROGRAM MODE_NOTATION MODE_MAP

%token <identifier> NAME FUNCTION FORMULA
%token <aggregate> AGGREGATE
%token <number> INTEGER NUMBER IMAGINARY
%token <parameter> PARAMETER
%token ASSIGN
%token EQUAL NOT_EQUAL LESS_EQUAL GREATER_EQUAL
/* in no rule: scanned for the sake of the hint */
%token EQUALS_SIGN STARS

%type <list> statements indices arguments
%type <statement> statement
%type <reference> reference name formula_reference
%type <index> index label
%type <expr> expr term
%type <function> comparison

/*
 * An aggregate's body takes what binds tighter than AGGREGATE_BODY. Its place
 * in the list only matters for what follows the body: before it stands an
 * operator of whatever precedence.
 */
%left '+' '-'
%precedence AGGREGATE_BODY
%left '*' '/'
%left MATMUL
%precedence UNARY_MINUS
%right '^'

%%

input:
	MODE_PROGRAM statements
		{ parser->statements = $2; }
	| MODE_NOTATION reference
		{
			require_labels(parser, $2->indices, _("in a registration"));
			parser->reference = $2;
		}
	| MODE_MAP expr
		{ parser->expr = $2; }
	;

statements:
	%empty
		{ $$ = NIL; }
	| statement
		{ $$ = list_make1($1); }
	| statements ';'
		{ $$ = $1; end_statement($1, @2); }
	| statements ';' statement
		{ end_statement($1, @2); $$ = lappend($1, $3); }
	;

statement:
	reference ASSIGN expr
		{ $$ = make_statement(parser, $1, $3); }
	;

reference:
	name
	| name '[' ']'
		{ $$ = bracket_reference(parser, $1, NIL); }
	| name '[' indices ']'
		{ $$ = bracket_reference(parser, $1, $3); }
	;

name:
	NAME
		{ $$ = make_reference(parser, NULL, $1); }
	| NAME '.' NAME
		{ $$ = make_reference(parser, $1, $3); }
	;

indices:
	index
		{ $$ = list_make1($1); }
	| indices ',' index
		{ $$ = lappend($1, $3); }
	;

index:
	label
	| label '+' INTEGER
		{ $$ = shift_index(parser, $1, $3, @3); }
	| label '-' INTEGER
		{ $$ = shift_index(parser, $1, -$3, @3); }
	| INTEGER
		{ $$ = make_constant_index(parser, $1, @1); }
	/* what the language keeps for arithmetic in indices */
	| '-'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| '('
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| FUNCTION
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| AGGREGATE
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| INTEGER '+'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| INTEGER '-'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| INTEGER '*'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| NAME '['
		{ $$ = NULL; reserved_index(parser, @1, true); }
	| label '+'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| label '-'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| label '*'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	| label '/'
		{ $$ = NULL; reserved_index(parser, @1, false); }
	;

label:
	NAME
		{ $$ = make_index(parser, $1); }
	| NAME ':' INTEGER
		{ $$ = make_blocked_index(parser, $1, $3, @3); }
	| NAME ':' '*'
		{ $$ = make_demoted_index(parser, $1); }
	;

expr:
	term
	| term comparison term
		{ $$ = make_operator($2, $1, $3, @2); }
	| term comparison term comparison
		{ $$ = NULL; chained_comparison(parser, @4); }
	;

comparison:
	EQUAL				{ $$ = FUNCTION_EQ; }
	| NOT_EQUAL			{ $$ = FUNCTION_NE; }
	| '<'				{ $$ = FUNCTION_LT; }
	| LESS_EQUAL		{ $$ = FUNCTION_LE; }
	| '>'				{ $$ = FUNCTION_GT; }
	| GREATER_EQUAL		{ $$ = FUNCTION_GE; }
	;

term:
	INTEGER
		{ $$ = make_number(parser, $1, false, @1); }
	| NUMBER
		{ $$ = make_number(parser, $1, false, @1); }
	| IMAGINARY
		{ $$ = make_number(parser, $1, true, @1); }
	| PARAMETER
		{ $$ = make_parameter(parser, $1, @1); }
	| reference
		{ $$ = make_reference_expr(parser, $1); }
	| formula_reference
		{ $$ = make_reference_expr(parser, $1); }
	| '(' expr ')'
		{
			$$ = $2;
			$$->parenthesised = true;
		}
	| FUNCTION '(' ')'
		{ $$ = make_call(parser, $1, NIL); }
	| FUNCTION '(' arguments ')'
		{ $$ = make_call(parser, $1, $3); }
	| reference '(' arguments ')'
		{ $$ = make_solver(parser, $1, $3, @2); }
	| AGGREGATE '[' ']'
		{ $$ = make_aggregate(parser, $1, NIL, NULL, @1); }
	| AGGREGATE '[' indices ']' term %prec AGGREGATE_BODY
		{ $$ = make_aggregate(parser, $1, $3, $5, @1); }
	| FORMULA '[' indices ']' term %prec AGGREGATE_BODY
		{ $$ = make_formula(parser, $1, $3, $5); }
	| term '+' term
		{ $$ = make_operator(FUNCTION_ADD, $1, $3, @2); }
	| term '-' term
		{ $$ = make_operator(FUNCTION_SUBTRACT, $1, $3, @2); }
	| term '*' term
		{ $$ = make_operator(FUNCTION_MULTIPLY, $1, $3, @2); }
	| term '/' term
		{ $$ = make_operator(FUNCTION_DIVIDE, $1, $3, @2); }
	| term MATMUL term
		{ $$ = make_matmul(parser, $1, $3, @2); }
	| term '^' term
		{ $$ = make_operator(FUNCTION_POWER, $1, $3, @2); }
	| '-' term %prec UNARY_MINUS
		{ $$ = make_operator(FUNCTION_NEGATE, $2, NULL, @1); }
	;

/*
 * A tensor with the name of a formula: no operand follows. In count[i] - x the sign is an
 * operator; what tells a tensor from a formula must not depend on more than the next token.
 */
formula_reference:
	FORMULA '[' ']'
		{ $$ = bracket_reference(parser, make_reference(parser, NULL, $1), NIL); }
	| FORMULA '[' indices ']' %prec '^'
		{ $$ = bracket_reference(parser, make_reference(parser, NULL, $1), $3); }
	;

arguments:
	expr
		{ $$ = list_make1($1); }
	| arguments ',' expr
		{ $$ = lappend($1, $3); }
	;

%%

static void
chained_comparison(ProgramParser *parser, int location)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("comparisons do not chain"),
			 errhint("Write (a < b) * (b < c) for both, or parenthesise one of them."),
			 program_errposition(parser->text, location)));
}
