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

/* Longest text taken, in bytes. */
#define PROGRAM_MAX_LENGTH (1024 * 1024)

/* What is parsed: the scanner's first token tells the grammar. */
typedef enum ProgramMode
{
	PROGRAM_MODE_PROGRAM,
	PROGRAM_MODE_NOTATION,
	PROGRAM_MODE_MAP,
} ProgramMode;

/*
 * An identifier as it was written. Case means different things for tensors
 * (folded) and labels (pinned), and the scanner cannot tell the two apart.
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
	int kind; /* of the grammar's tokens */
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

	/* the scanner */
	void *scanner;
	char *buffer; /* copy of text with flex's two closing NULs */
	bool in_target;
	bool in_brackets;
	bool started;          /* the token of the mode has been given */
	ProgramToken previous; /* left of the current one */
	ProgramToken current;
	ProgramToken lookahead;
	bool has_lookahead;
	/* for hints */
	ProgramToken bracketed; /* what stands left of the last "[" */
	ProgramToken called;    /* what stands left of the last "(" */
	List *open; /* locations of "(" and "[" that are not closed, as integers */

	/* results, one of them by mode */
	List *statements;
	SyntaxReference *reference;
	SyntaxExpr *expr;
} ProgramParser;

/* Runs scanner and grammar; errors leave by ereport. */
extern void program_scanner_begin(ProgramParser *parser);
extern void program_scanner_end(ProgramParser *parser);
extern int program_yyparse(ProgramParser *parser);

/* Constructors of the tree: all checks that need no catalog are here. */
extern SyntaxStatement *make_statement(ProgramParser *parser, SyntaxReference *target,
									   SyntaxExpr *expr);
/* A semicolon: the last of the statements ends there, if it has not before. */
extern void end_statement(List *statements, int location);
extern SyntaxReference *make_reference(ProgramParser *parser, ProgramIdentifier *schema,
									   ProgramIdentifier *name);
extern SyntaxReference *bracket_reference(ProgramParser *parser,
										  SyntaxReference *reference, List *indices);
extern SyntaxIndex *make_index(ProgramParser *parser, ProgramIdentifier *label);
extern SyntaxIndex *make_blocked_index(ProgramParser *parser, ProgramIdentifier *label,
									   double block, int block_location);
extern SyntaxIndex *make_demoted_index(ProgramParser *parser, ProgramIdentifier *label);
/* t+1, t-1; and 0. Errors: 42601 where only labels are allowed, 22023 for what is too large. */
extern SyntaxIndex *shift_index(ProgramParser *parser, SyntaxIndex *index, double offset,
								int offset_location);
extern SyntaxIndex *make_constant_index(ProgramParser *parser, double constant,
										int location);
/* Refuses them: what is defined, bound or registered has labels. */
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
/* location: of the parenthesis behind the name and labels */
extern SyntaxExpr *make_solver(ProgramParser *parser, SyntaxReference *name, List *args,
							   int location);
extern SyntaxExpr *make_aggregate(ProgramParser *parser, AggregateOperator aggregate,
								  List *labels, SyntaxExpr *body, int location);
extern SyntaxExpr *make_formula(ProgramParser *parser, ProgramIdentifier *name,
								List *labels, SyntaxExpr *body);

/* What to tell the author of what the grammar cannot read; NULL for nothing. */
extern const char *hint_for_syntax_error(const ProgramParser *parser);
/* Errors, 42883, if a name before brackets is that of an aggregate elsewhere, or near to one here. */
extern void refuse_aggregate(const ProgramParser *parser, const char *name, int location);
/* Likewise of the name before the brackets that end left of the current token, if an operand begins there. */
extern void refuse_aggregate_before(const ProgramParser *parser);
/*
 * A hint for sum and sum_j where no labels in brackets follow; NULL if the word is not an
 * aggregate's.
 */
extern const char *hint_for_aggregate(const char *word);
/* The function that may have been meant by a name; NULL if none is like it. */
extern const char *hint_for_similar(const char *name, bool in_program);
/* Raises 0A000, or 42601 where it is a bracket that is missing. */
pg_noreturn extern void reserved_index(ProgramParser *parser, int location, bool gather);

/* The aggregate of that (folded) name; false if unknown. */
extern bool aggregate_operator_by_name(const char *name, AggregateOperator *aggregate);

/* The functions of matrices, by number; NULL behind the last. */
extern const MatrixFunction *matrix_function(int number);

/* Compiles what parser has read in PROGRAM_MODE_MAP. */
extern void compile_map_expression(ProgramParser *parser, const SyntaxExpr *expr,
								   MapProgram *program);

#endif
