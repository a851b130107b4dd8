/*-------------------------------------------------------------------------
 *
 * program_parser.h
 *	  What the scanner, the grammar and the tree constructors of the program
 *	  language share; nothing outside src/parser includes it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PARSER_PROGRAM_PARSER_H
#define PARSER_PROGRAM_PARSER_H

#include "postgres.h"

#include "compat.h"
#include "parser/syntax.h"

/* The longest text that is parsed, in bytes. */
#define PROGRAM_MAX_LENGTH (1024 * 1024)

/* What the text is. The scanner's first token tells it to the grammar. */
typedef enum ProgramMode
{
	PROGRAM_MODE_PROGRAM,
	PROGRAM_MODE_NOTATION,
	PROGRAM_MODE_MAP,
} ProgramMode;

/*
 * An identifier as it was written. The scanner cannot tell tensors, whose names are
 * folded, from labels, whose case says whether they are promoted.
 */
typedef struct ProgramIdentifier
{
	char *text; /* quotes removed, case kept */
	bool quoted;
	int location;
} ProgramIdentifier;

typedef union ProgramValue
{
	double number;
	int parameter;
	AggregateOperator aggregate;
	FunctionId function;
	ProgramIdentifier *identifier;
	SyntaxIndex *index;
	SyntaxReference *reference;
	SyntaxExpr *expr;
	SyntaxStatement *statement;
	List *list;
} ProgramValue;

typedef struct ProgramToken
{
	int kind; /* a token of the grammar; 0: the end of the text */
	ProgramValue value;
	int location;
	int length;     /* in bytes */
	bool in_target; /* left of a statement's assignment */
	bool in_brackets;
} ProgramToken;

typedef struct ProgramParser
{
	const char *text;
	ProgramMode mode;

	/* the flex scanner */
	void *scanner;
	char *buffer; /* a copy of text with the two NULs that flex needs at its end */
	bool in_target;
	bool in_brackets;
	bool started;          /* the first token, which tells the mode, has been returned */
	ProgramToken previous; /* the token left of current */
	ProgramToken current;
	ProgramToken lookahead;
	bool has_lookahead;
	/* for hints */
	ProgramToken bracketed; /* the token left of the last "[" */
	ProgramToken called;    /* the token left of the last "(" */
	List *open;             /* IntList: locations of "(" and "[" that are not closed */

	/* the result is in one of these, by mode */
	List *statements;
	SyntaxReference *reference;
	SyntaxExpr *expr;
} ProgramParser;

/* Run the scanner and the grammar; they raise errors by ereport. */
extern void program_scanner_begin(ProgramParser *parser);
extern void program_scanner_end(ProgramParser *parser);
extern int program_yyparse(ProgramParser *parser);

/* Functions that make nodes of the syntax tree, with all checks that need no catalog. */
extern SyntaxStatement *make_statement(ProgramParser *parser, SyntaxReference *target,
									   SyntaxExpr *expr);
/* Ends the last statement at a semicolon, unless it has ended. */
extern void end_statement(List *statements, int location);
extern SyntaxReference *make_reference(ProgramParser *parser, ProgramIdentifier *schema,
									   ProgramIdentifier *name);
extern SyntaxReference *bracket_reference(ProgramParser *parser,
										  SyntaxReference *reference, List *indices);
extern SyntaxIndex *make_index(ProgramParser *parser, ProgramIdentifier *label);
extern SyntaxIndex *make_blocked_index(ProgramParser *parser, ProgramIdentifier *label,
									   double block, int block_location);
extern SyntaxIndex *make_demoted_index(ProgramParser *parser, ProgramIdentifier *label);
/*
 * shift_index makes the index t+1 or t-1, make_constant_index the index 0. Raises 22023
 * if the number is too large.
 */
extern SyntaxIndex *shift_index(ProgramParser *parser, SyntaxIndex *index, double offset,
								int offset_location);
extern SyntaxIndex *make_constant_index(ProgramParser *parser, double constant,
										int location);
/*
 * Raises 42601 if an index is shifted or constant: tensors that are defined, bound or
 * registered have labels.
 */
extern void require_labels(const ProgramParser *parser, const List *indices,
						   const char *where);
extern SyntaxExpr *make_number(ProgramParser *parser, double number, bool imaginary,
							   int location);
extern SyntaxExpr *make_parameter(ProgramParser *parser, int parameter, int location);
extern SyntaxExpr *make_reference_expr(ProgramParser *parser, SyntaxReference *reference);
extern SyntaxExpr *make_operator(FunctionId function, SyntaxExpr *left, SyntaxExpr *right,
								 int location);
extern SyntaxExpr *make_matmul(ProgramParser *parser, SyntaxExpr *left, SyntaxExpr *right,
							   int location);
extern SyntaxExpr *make_call(ProgramParser *parser, ProgramIdentifier *name, List *args);
/* location: that of the parenthesis behind name and labels */
extern SyntaxExpr *make_solver(ProgramParser *parser, SyntaxReference *name, List *args,
							   int location);
extern SyntaxExpr *make_aggregate(ProgramParser *parser, AggregateOperator aggregate,
								  List *labels, SyntaxExpr *body, int location);
extern SyntaxExpr *make_formula(ProgramParser *parser, ProgramIdentifier *name,
								List *labels, SyntaxExpr *body);

/* Returns a hint for the syntax error at the current token, or NULL. */
extern const char *hint_for_syntax_error(const ProgramParser *parser);
/*
 * Raises 42883 if the name before brackets is a foreign word, or similar to an aggregate
 * here.
 */
extern void refuse_aggregate(const ProgramParser *parser, const char *name, int location);
/*
 * Calls refuse_aggregate for the name before the brackets that have just been closed, if
 * the current token begins an operand, as in std[i] x[i].
 */
extern void refuse_aggregate_before(const ProgramParser *parser);
/*
 * Returns a hint for an aggregate without labels in brackets, as sum or sum_j; NULL if
 * the word is not an aggregate.
 */
extern const char *hint_for_aggregate(const char *word);
/* Returns a hint that names a function similar to this name; NULL if none is. */
extern const char *hint_for_similar(const char *name, bool in_program);
/*
 * Raises 0A000 for arithmetic in an index that is not supported, or 42601 if the index
 * list is not closed.
 */
pg_noreturn extern void reserved_index(ProgramParser *parser, int location, bool gather);

/*
 * Finds the aggregate with that name in lower case; false if there is no such aggregate.
 */
extern bool aggregate_operator_by_name(const char *name, AggregateOperator *aggregate);

/* Returns a matrix function by its number, from 0 on; NULL behind the last. */
extern const MatrixFunction *matrix_function(int number);

/* Compiles a map expression, read in PROGRAM_MODE_MAP, to postfix code. */
extern void compile_map_expression(ProgramParser *parser, const SyntaxExpr *expr,
								   MapProgram *program);

#endif
