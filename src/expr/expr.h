/*-------------------------------------------------------------------------
 *
 * expr.h
 *	  The expression DAG that every layer works on.
 *
 * A node is an Access to a tensor, a Literal, a Map of a pointwise function
 * or an Aggregate. Nodes are immutable and hash-consed: within one program,
 * equal expressions over the same labels are one node, so that equality is
 * pointer equality.
 *
 * A label is a number into the program's array of labels. Each binder (a
 * statement's left side, an aggregate) has labels of its own, whatever their
 * names: scoping is resolved when the DAG is built.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include "postgres.h"

#include "nodes/bitmapset.h"

#include "catalog/registration.h"
#include "kernels/function_type.h"
#include "parser/syntax.h"

typedef struct Statement Statement;

typedef struct ProgramLabel
{
	char *name;   /* lower case, or as quoted */
	int64 bound;  /* or BOUND_OPEN, or of a dimension; 0 < known only after analysis */
	bool bounded; /* bound is known */
	Pin pin;      /* how the statement writes this name */
	int32 block;  /* of PIN_BLOCKED */
	int twin;     /* another one like it, or -1 until there is one */
	int location;
} ProgramLabel;

/* How far rewriting may change an expression; each level includes those before it. */
typedef enum RewriteLevel
{
	REWRITE_NONE,        /* products and sums as written */
	REWRITE_REASSOCIATE, /* factors of a product in any order */
	REWRITE_DISTRIBUTE,  /* sums through products */
} RewriteLevel;

#define REWRITE_LEVELS (REWRITE_DISTRIBUTE + 1)

/* A tensor that a program reads or defines. */
typedef struct ProgramTensor
{
	char *schema; /* as written, or NULL */
	char *name;
	int rank;
	int64 bounds[TENSOR_MAX_RANK]; /* or BOUND_OPEN, or of dimensions */
	ElementType type;              /* of the entries */
	Number fill;                   /* of every entry that is not stored */
	TensorEntry *entry;            /* of a stored tensor, else NULL */
	bool identity;                 /* the built-in eye[i,j] */
	bool is_row;                   /* of rank 1: a row of linear algebra */
	Statement *definition;         /* of a defined tensor, else NULL */
	bool is_state;                 /* of a loop, as a round finds it */
	/*
	 * the tensor of which this is a shift, and the shift; NULL if it is no shift. If that
	 * tensor is stored, entry->shift has the shift too
	 */
	struct ProgramTensor *shifted;
	const struct TensorShift *shift;
	int shift_labels
		[TENSOR_MAX_RANK]; /* of what is not stored: those by which it is read */
} ProgramTensor;

typedef enum ExprKind
{
	EXPR_LITERAL,
	EXPR_ACCESS,
	EXPR_MAP,
	EXPR_AGGREGATE,
	EXPR_KERNEL_SUM, /* in forms only: see expr_kernel_sum */
	EXPR_MATRIX,     /* of whole matrices and vectors: see expr_matrix */
} ExprKind;

typedef struct TensorExpr
{
	ExprKind kind;
	int location; /* in the program's text; not part of a node's identity */
	uint32 hash;

	Number value; /* literal */

	ProgramTensor *tensor;        /* access */
	int nindices;                 /* of it, or of what a matrix function gives */
	int indices[TENSOR_MAX_RANK]; /* labels */

	FunctionId function; /* map */
	int nargs;           /* map; 1 for an aggregate and a kernel sum */
	struct TensorExpr *args[FUNCTION_MAX_ARGS];

	AggregateOperator aggregate; /* aggregate; a kernel sum is one, too */
	Bitmapset *bound_labels;     /* also of a matrix function: its inner labels */

	MatrixOperation matrix; /* matrix function */
	int ninner;             /* its labels in the arguments: see expr_matrix */
	int inner[2];

	/* derived from the fields above when the node is built */
	Bitmapset *labels;   /* free labels; other nodes have the same set */
	Number fill;         /* value of every entry outside the support */
	ValueType type;      /* of the entries; weak of a literal */
	bool has_aggregate;  /* or a matrix function, here or below */
	bool reads_identity; /* eye, here or below */
	Bitmapset *sized; /* free labels that index something of some size, as eye has none */
	bool is_truth_value; /* of a comparison, or chosen among such: 0 or 1 */
	int size;            /* nodes of it as a tree, or PG_INT32_MAX */
	int height;          /* nodes from it down to the lowest */
	uint32 shape;        /* a hash: equal where nodes differ in their labels only */
	Bitmapset
		*all_labels; /* free and bound, here and below; others may have the same set */
	/* by rewrite level; normalize_expr fills them in at first use */
	struct TensorExpr *normal[REWRITE_LEVELS];
} TensorExpr;

/* Asserts that a node has the arguments and indices of its kind. */
static inline void
assert_expr_arguments(const TensorExpr *expr)
{
	Assert(expr->kind != EXPR_ACCESS ||
		   (expr->tensor != NULL && expr->nindices == expr->tensor->rank));
	Assert(expr->kind != EXPR_MAP ||
		   (expr->nargs > 0 && expr->nargs == pointwise_functions[expr->function].arity));
	Assert((expr->kind != EXPR_AGGREGATE && expr->kind != EXPR_KERNEL_SUM) ||
		   expr->nargs == 1);
}

/* target[output] = expr */
struct Statement
{
	int number; /* position in the program */
	ProgramTensor *target;
	int noutput;
	int output[TENSOR_MAX_RANK];      /* labels */
	Pin output_pins[TENSOR_MAX_RANK]; /* as written on the left */
	int32 output_blocks[TENSOR_MAX_RANK];
	bool pinned;        /* some label has a pin */
	bool body_pinned;   /* some label on the right has one */
	bool parenthesised; /* the right side, or what its functions are applied to */
	TensorExpr *expr;
	int location;
	char *text;  /* as the user wrote it */
	bool wanted; /* of a loop: a result of each round, which keeps a stage of its own */
};

/*
 * An aggregate as a statement writes it, before it is expanded. An index at which body is
 * neutral does not change the result, unless the aggregate divides by the number of
 * indices.
 */
typedef struct WrittenAggregate
{
	const char *tensor; /* whose statement it is in */
	const char *name;
	Bitmapset *labels;
	TensorExpr *body;
	double neutral;
	bool truth; /* all that is not 0 is like 1 */
	bool divides;
} WrittenAggregate;

typedef struct Program
{
	const char *text;
	List *statements;                 /* of Statement * */
	List *written;                    /* of WrittenAggregate *, as they come */
	List *tensors;                    /* of ProgramTensor *, each once */
	List *shifted;                    /* of ProgramTensor *, likewise: shifts of these */
	struct NameSet *tensors_by_name;  /* the tensors of each name */
	const struct KnownTensors *known; /* what it reads of stored tensors */
	bool reads_eye;                   /* the built-in one, by its name, so far */
	int nlabels;
	int labels_size;
	ProgramLabel *labels;
	struct expr_table_hash *nodes; /* hash-consing */
	int *renaming;                 /* scratch of the size of labels, all -1 */
	bool as_written; /* nothing is planned: aggregates over dimensions stay as written */
	/*
	 * of int64 *: dimensions known to have no column of positions, and those known to
	 * have one
	 */
	List *positioned[2];
	bool one_snapshot; /* all its queries have one, so that the keys of dimensions stay */
	List *states; /* of a loop: of ProgramTensor *, what their names mean on the right */
} Program;

/* Are two numbers equal, or both NaN? */
extern bool same_number(Number a, Number b);

#define EXPR_IS_LITERAL(e, v) ((e)->kind == EXPR_LITERAL && (e)->value == (v))

/* Is the expression a call of this function? */
static inline bool
expr_is_map(const TensorExpr *expr, FunctionId function)
{
	return expr->kind == EXPR_MAP && expr->function == function;
}

/* Is the expression a sum over labels? */
static inline bool
expr_is_sum(const TensorExpr *expr)
{
	return expr->kind == EXPR_AGGREGATE && expr->aggregate == AGGREGATE_SUM;
}

/* Is the expression an addition or a subtraction? */
static inline bool
expr_is_addition(const TensorExpr *expr)
{
	return expr_is_map(expr, FUNCTION_ADD) || expr_is_map(expr, FUNCTION_SUBTRACT);
}

/*
 * Returns the statement that defines the tensor that a node reads, also with shifted or
 * constant indices; NULL if the node reads no such tensor.
 */
static inline Statement *
statement_read(const TensorExpr *expr)
{
	if (expr->kind != EXPR_ACCESS)
		return NULL;
	return expr->tensor->shifted ? expr->tensor->shifted->definition
								 : expr->tensor->definition;
}

extern Program *program_new(const char *text);

/* Adds a label to a program; returns the label's number. */
extern int program_add_label(Program *program, const char *name, Pin pin, int location);

/* Returns a new label that is a copy of another one, without twins. */
extern int program_copy_label(Program *program, int label);

/*
 * Returns the twin of a label, a copy of it: always the same one, so that expressions
 * made with it are equal nodes. The twin's own twin is a third label, and so on.
 */
extern int program_twin_label(Program *program, int label);

/*
 * Returns the first of a label's twins, its twin's twin and so on, that is not in the
 * set.
 */
extern int program_twin_beside(Program *program, int label, const Bitmapset *taken);

extern TensorExpr *expr_literal(Program *program, Number value, int location);
/* Returns a complex literal, which stays complex even if it is 0i. */
extern TensorExpr *expr_imaginary(Program *program, double value, int location);
extern TensorExpr *expr_access(Program *program, ProgramTensor *tensor,
							   const int *indices, int location);
/*
 * Folds constants. args has as many arguments as the function takes, of types it is
 * defined for.
 */
extern TensorExpr *expr_map(Program *program, FunctionId function,
							TensorExpr *const *args, int location);
extern TensorExpr *expr_map1(Program *program, FunctionId function, TensorExpr *a);
extern TensorExpr *expr_map2(Program *program, FunctionId function, TensorExpr *a,
							 TensorExpr *b);
extern TensorExpr *expr_aggregate(Program *program, AggregateOperator aggregate,
								  Bitmapset *bound_labels, TensorExpr *child,
								  int location);

/*
 * Returns a sum that is computed by the kernel of the stage that reads it, for each row
 * that the stage joins, instead of by a stage of its own: its labels must be dimensions
 * of values there.
 */
extern TensorExpr *expr_kernel_sum(Program *program, const TensorExpr *sum);

/*
 * Returns solve, inverse or cholesky of the matrices in the arguments, one matrix for
 * each index of their other labels. inner are the matrix's two labels, which are bound:
 * for solve the label of the unknowns and the label of the equations, which b has; else
 * rows and columns. The result has indices in place of the unknowns, or of rows and
 * columns. Its fill is 0.
 *
 * argmax and argmin take a vector: inner is its label, and the result has no label in its
 * place. The result is 0 where all entries are the argument's fill, whatever that is.
 */
extern TensorExpr *expr_matrix(Program *program, MatrixOperation operation,
							   const int *inner, const int *indices,
							   TensorExpr *const *args, int location);

/* Returns how many arguments a function of matrices has. */
static inline int
matrix_args(MatrixOperation operation)
{
	return operation == MATRIX_SOLVE ? 2 : 1;
}

/* Is the operation argmax or argmin? */
static inline bool
is_extreme_place(MatrixOperation operation)
{
	return operation == MATRIX_ARGMAX || operation == MATRIX_ARGMIN;
}

static inline int
matrix_inner(MatrixOperation operation)
{
	return is_extreme_place(operation) ? 1 : 2;
}

static inline int
matrix_indices(MatrixOperation operation)
{
	if (is_extreme_place(operation))
		return 0;
	return operation == MATRIX_SOLVE ? 1 : 2;
}

/* Returns the node with other arguments; the node itself if they are the same. */
extern TensorExpr *expr_with_args(Program *program, TensorExpr *expr,
								  TensorExpr *const *args);

/*
 * Returns the expression converted to another element type; a literal stays, as it
 * adapts.
 */
extern TensorExpr *expr_convert(Program *program, TensorExpr *expr, ElementType type);

/*
 * Returns the expression with label l replaced by renaming[l] where that is not -1. Each
 * node is renamed once, however often it is shared.
 */
extern TensorExpr *rename_labels(Program *program, TensorExpr *expr, const int *renaming);

/* Returns the expression with one label replaced by another. */
extern TensorExpr *rename_label(Program *program, TensorExpr *expr, int label, int other);

/*
 * Can an expression take the place of another one wherever that is read? It must have the
 * same labels, type and fill.
 */
extern bool expr_can_replace(const TensorExpr *expr, const TensorExpr *replaced);

/* Returns the aggregate of count copies of a value. */
extern Number repeated_value(AggregateOperator aggregate, Number value, double count);

/* Returns the value that an aggregate starts from, such as 0, 1, -infinity, infinity. */
extern double aggregate_identity(AggregateOperator aggregate);

/* Does a tensor's table add up rows with the same keys? */
extern bool is_additive(const ProgramTensor *tensor);

/* Returns the product of the labels' bounds; infinite if one is open or a dimension. */
extern double product_of_bounds(const Program *program, const Bitmapset *labels);

/* Do all these labels have a number as their bound? */
extern bool labels_have_bounds(const Program *program, const Bitmapset *labels);

/*
 * Does repeated_value depend on the count, for counts of one or more? The number of keys
 * of a dimension is not known when a program is planned. Where the count does not matter,
 * a dimension without keys is taken to have one.
 */
extern bool depends_on_count(AggregateOperator aggregate, Number value);

/*
 * Do all these labels have at least one index, so that there is something to aggregate?
 */
extern bool labels_have_indices(const Program *program, const Bitmapset *labels);

#endif
