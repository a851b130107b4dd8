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
	PIN_NONE,     /* plain lower case: left to the optimizer */
	PIN_PROMOTED, /* all letters upper case */
	PIN_BLOCKED,  /* with a block size */
	PIN_DEMOTED,  /* with an asterisk */
} Pin;

typedef struct SyntaxIndex
{
	char *label;  /* folded to lower case unless quoted; NULL of a constant */
	bool quoted;  /* the label was */
	int64 offset; /* added to the label, as in t-1; or the constant */
	Pin pin;
	int64 block; /* of PIN_BLOCKED */
	int location;
} SyntaxIndex;

typedef struct SyntaxReference
{
	char *schema; /* or NULL */
	char *name;
	bool bracketed; /* false: linear algebra */
	bool quoted;    /* a name that is not a function */
	bool identity;  /* eye[i,j], whatever else has that name */
	List *indices;  /* of SyntaxIndex * */
	int location;
} SyntaxReference;

typedef enum SyntaxKind
{
	SYNTAX_NUMBER,
	SYNTAX_REFERENCE,
	SYNTAX_PARAMETER, /* $1, in map expressions only */
	SYNTAX_CALL,      /* of a pointwise function; operators are calls too */
	SYNTAX_AGGREGATE, /* sum[i,j] expr */
	SYNTAX_FORMULA,   /* avg[i,j] expr */
	SYNTAX_MATMUL,    /* %*%, linear algebra only */
	SYNTAX_MATRIX,    /* t(), rowSums() ...: linear algebra only; solve[k,l](a, b) */
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
 * What has a name and is made of aggregates: see expr/formula.h. The names are tensors' as well; what
 * stands behind the brackets tells.
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
	MATRIX_DIAGONAL, /* of a square matrix; of a vector a diagonal matrix */
	MATRIX_TRACE,
	MATRIX_ROWS, /* how many there are */
	MATRIX_COLUMNS,
	MATRIX_SOLVE, /* these also of tensors with indices: see is_solver */
	MATRIX_INVERSE,
	MATRIX_CHOLESKY,
	MATRIX_ARGMAX, /* these are written otherwise: as formulas */
	MATRIX_ARGMIN,
} MatrixOperation;

/* A function of matrices, as R and SystemML have it. */
typedef struct MatrixFunction
{
	const char *name; /* as it is written; case does not matter */
	MatrixOperation operation;
	AggregateOperator aggregate;
	bool mean;         /* a sum, divided by the number of entries */
	bool over_rows;    /* the index of rows is aggregated */
	bool over_columns; /* likewise */
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
	const MatrixFunction *matrix; /* of a sum: the mean that it is a part of */
	AggregateOperator aggregate;
	Formula formula;
	/* of SyntaxIndex *: those in the brackets of an aggregate, a formula or a solver */
	List *labels;
	List *args; /* of SyntaxExpr *: operands in order */
	bool parenthesised;
} SyntaxExpr;

typedef struct SyntaxStatement
{
	SyntaxReference *target;
	SyntaxExpr *expr;
	int location;
	int end; /* of its text; 0: where the program ends */
} SyntaxStatement;

/*
 * For use inside ereport: shows the text and a position in it (a byte offset;
 * negative: none), which psql prints as the line with a caret under it.
 * Returns 0, as errposition() does.
 */
extern int program_errposition(const char *text, int location);

/*
 * Parses a program into a list of SyntaxStatement *. Errors are 42601 with the
 * position in the text, which cursor positions of psql show.
 */
extern List *parse_program(const char *text);

/* Parses "a[I,J]" or "s.a[I:64,j]" alone, as einsum_register takes it. */
extern SyntaxReference *parse_notation(const char *text);

/* Parses "exp($1*$2)" and compiles it to postfix code. */
extern void parse_map_expression(const char *text, MapProgram *program);

/*
 * Parses numpy's "ij,jk->ik" and "...i,i->...", spaces anywhere, implicit output
 * allowed. noperands is what the caller has; a different count is an error. An
 * equation with an ellipsis is for equation_bind.
 */
extern void parse_equation(const char *text, int noperands, Equation *equation);

/* solve, inverse or cholesky, which know matrices by their labels, too? */
static inline bool
is_solver(const SyntaxExpr *expr)
{
	return expr->kind == SYNTAX_MATRIX && expr->matrix->operation >= MATRIX_SOLVE;
}

/* Does it bind the labels in its brackets? softmax[c] x has them, as x does. */
static inline bool
binds_labels(const SyntaxExpr *expr)
{
	return expr->kind == SYNTAX_AGGREGATE ||
		   (expr->kind == SYNTAX_FORMULA && expr->formula != FORMULA_SOFTMAX);
}

/* A node of the syntax tree, but for what only its kind has. */
extern SyntaxExpr *make_expr(SyntaxKind kind, List *args, int location);

/* An index that is not written, with a copy of the label. */
extern SyntaxIndex *implied_index(const char *label, int location);

extern const char *aggregate_operator_name(AggregateOperator aggregate);
extern const char *formula_name(Formula formula);
/* The formula of that (folded) name; false if unknown. */
extern bool formula_by_name(const char *name, Formula *formula);
/* The function of matrices of that name, case aside; NULL if unknown. */
extern const MatrixFunction *matrix_function_by_name(const char *name);
/* The first name of a function of matrices that does this. */
extern const char *matrix_operation_name(MatrixOperation operation);

/* A tree or program as canonical text, fully parenthesised; for tests. */
extern char *syntax_to_string(List *statements);

/* A reference as canonical text, such as a[I,j:64]. */
extern char *reference_to_string(const SyntaxReference *reference);

#endif
