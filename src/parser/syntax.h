/*-------------------------------------------------------------------------
 *
 * syntax.h
 *	  Syntax trees of the program language, and the parsers' entry points.
 *
 * Locations are byte offsets into the text that was parsed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PARSER_SYNTAX_H
#define PARSER_SYNTAX_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "kernels/kernels.h"

/* How an index was written: i, I, I:64, i:* */
typedef enum Pin
{
	PIN_NONE,     /* in lower case: the optimizer decides */
	PIN_PROMOTED, /* all letters upper case */
	PIN_BLOCKED,  /* with a block size */
	PIN_DEMOTED,  /* with an asterisk */
} Pin;

typedef struct SyntaxIndex
{
	char *label;  /* in lower case unless quoted; NULL: a constant */
	bool quoted;  /* the label was quoted */
	int64 offset; /* added to the label, as in t-1; or the constant */
	Pin pin;
	int64 block; /* of PIN_BLOCKED */
	int location;
} SyntaxIndex;

typedef struct SyntaxReference
{
	char *schema; /* or NULL */
	char *name;
	bool bracketed; /* false: a matrix or vector of linear algebra */
	bool quoted;    /* the name was quoted, so that it is not a function's */
	bool identity;  /* this is eye[i,j], whatever tensors are called eye */
	List *indices;  /* of SyntaxIndex * */
	int location;
} SyntaxReference;

typedef enum SyntaxKind
{
	SYNTAX_NUMBER,
	SYNTAX_REFERENCE,
	SYNTAX_PARAMETER, /* $1, in map expressions only */
	SYNTAX_CALL,      /* a call of a pointwise function or an operator */
	SYNTAX_AGGREGATE, /* sum[i,j] expr */
	SYNTAX_FORMULA,   /* avg[i,j] expr */
	SYNTAX_MATMUL,    /* %*%, linear algebra only */
	SYNTAX_MATRIX,    /* a matrix function, as t() or rowSums(); or solve[k,l](a, b) */
} SyntaxKind;

typedef enum AggregateOperator
{
	AGGREGATE_SUM,
	AGGREGATE_PROD,
	AGGREGATE_MAX,
	AGGREGATE_MIN,
	AGGREGATE_ANY,
	AGGREGATE_ALL,
} AggregateOperator;

/*
 * A function with a name and labels that stands for an expression with aggregates, see
 * expr/formula.h. Tensors may have the same names; the grammar decides by what follows
 * the brackets.
 */
typedef enum Formula
{
	FORMULA_AVG,
	FORMULA_COUNT,
	FORMULA_NORM,
	FORMULA_LOGSUMEXP,
	FORMULA_SOFTMAX,
	FORMULA_ARGMAX,
	FORMULA_ARGMIN,
} Formula;

typedef enum MatrixOperation
{
	MATRIX_TRANSPOSE,
	MATRIX_AGGREGATE,
	MATRIX_DIAGONAL, /* the diagonal of a square matrix; a vector as a diagonal matrix */
	MATRIX_TRACE,
	MATRIX_ROWS, /* the number of rows */
	MATRIX_COLUMNS,
	/* this and the next two also take tensors with indices, see is_solver */
	MATRIX_SOLVE,
	MATRIX_INVERSE,
	MATRIX_CHOLESKY,
	/* not in the syntax: the analysis makes these of the formulas argmax and argmin */
	MATRIX_ARGMAX,
	MATRIX_ARGMIN,
} MatrixOperation;

/* A function of matrices, named as in R and SystemML. */
typedef struct MatrixFunction
{
	const char *name; /* case does not matter */
	MatrixOperation operation;
	AggregateOperator aggregate;
	bool mean;         /* the sum is divided by the number of entries */
	bool over_rows;    /* aggregates over the index of rows */
	bool over_columns; /* aggregates over the index of columns */
} MatrixFunction;

typedef struct SyntaxExpr
{
	SyntaxKind kind;
	int location;
	double number;
	bool imaginary;
	SyntaxReference *reference;
	int parameter; /* 0-based */
	FunctionId function;
	const MatrixFunction *matrix; /* if this is the sum within a mean: the mean */
	AggregateOperator aggregate;
	Formula formula;
	/*
	 * of SyntaxIndex *: the labels in the brackets of an aggregate, a formula or a solver
	 */
	List *labels;
	List *args; /* of SyntaxExpr *: the operands in order */
	bool parenthesised;
} SyntaxExpr;

typedef struct SyntaxStatement
{
	SyntaxReference *target;
	SyntaxExpr *expr;
	int location;
	int end; /* where the statement's text ends; 0: at the end of the program */
} SyntaxStatement;

/*
 * For use in ereport: reports the text and a position in it, in bytes (none if negative),
 * which psql shows as the line with a caret under it. Returns 0, as errposition() does.
 */
extern int program_errposition(const char *text, int location);

/*
 * Parses a program into a list of SyntaxStatement *. Errors are 42601, with the position
 * in the text.
 */
extern List *parse_program(const char *text);

/*
 * Parses a single reference such as "a[I,J]" or "s.a[I:64,j]", which einsum_register
 * takes.
 */
extern SyntaxReference *parse_notation(const char *text);

/* Parses "exp($1*$2)" and compiles it to postfix code. */
extern void parse_map_expression(const char *text, MapProgram *program);

/*
 * Parses an equation as numpy's einsum does: "ij,jk->ik", "...i,i->...", with spaces
 * anywhere; the output may be left out. Raises an error if there are not noperands
 * operands. An equation with an ellipsis has to be completed by equation_bind.
 */
extern void parse_equation(const char *text, int noperands, Equation *equation);

/* Is this a call of solve, inverse or cholesky, which also take tensors with labels? */
static inline bool
is_solver(const SyntaxExpr *expr)
{
	return expr->kind == SYNTAX_MATRIX && expr->matrix->operation >= MATRIX_SOLVE;
}

/*
 * Are the labels in an expression's brackets bound in it? Not those of softmax[c] x: the
 * result has the label c, as x does.
 */
static inline bool
binds_labels(const SyntaxExpr *expr)
{
	return expr->kind == SYNTAX_AGGREGATE ||
		   (expr->kind == SYNTAX_FORMULA && expr->formula != FORMULA_SOFTMAX);
}

/* Makes a node of the syntax tree, without the members that only its kind has. */
extern SyntaxExpr *make_expr(SyntaxKind kind, List *args, int location);

/* Makes an index that is not in the text, with a copy of the label. */
extern SyntaxIndex *implied_index(const char *label, int location);

extern const char *aggregate_operator_name(AggregateOperator aggregate);
extern const char *formula_name(Formula formula);
/* Finds the formula with that name in lower case; false if there is no such formula. */
extern bool formula_by_name(const char *name, Formula *formula);
/*
 * Returns the matrix function with that name, in whatever case; NULL if no function is so
 * called.
 */
extern const MatrixFunction *matrix_function_by_name(const char *name);
/* Returns the name of the first matrix function with this operation. */
extern const char *matrix_operation_name(MatrixOperation operation);

/* Returns statements as canonical text, fully parenthesised; for tests. */
extern char *syntax_to_string(List *statements);

/* Returns a reference as canonical text, such as a[I,j:64]. */
extern char *reference_to_string(const SyntaxReference *reference);

#endif
