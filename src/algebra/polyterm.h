/*-------------------------------------------------------------------------
 *
 * polyterm.h
 *	  Polyterms: sums of monomials, each a coefficient times atoms with powers,
 *	  summed over labels.
 *
 * An atom has a head, which says what it is, and labels, which say where. Its
 * head is the same whatever the labels are called. polyterm.c has the ring's
 * arithmetic, canonical.c names labels, atoms.c makes the atoms. What is beyond
 * the limits is not a polyterm: functions return NULL then, and the caller makes an
 * atom of it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_POLYTERM_H
#define ALGEBRA_POLYTERM_H

#include "algebra/interned.h"
#include "expr/expr.h"
#include "expr/normalize.h"
#include "expr/side_table.h"

#define POLYTERM_MAX_MONOMIALS 64
#define POLYTERM_MAX_ATOMS 64 /* heads that differ */
#define POLYTERM_MAX_DEGREE 8
/* Ways to name labels that look alike which are tried, and that a key keeps. */
#define CANONICAL_MAX_NAMINGS 256

typedef struct Polyterm Polyterm;

/* A polyterm up to the names of its free labels. Equal ones have one number. */
typedef struct Key
{
	int number;
	const Polyterm *polyterm;
	int nlabels;
	int *labels; /* free, in canonical order */
	/* orders of them that mean the same, the first as it is: positions in labels */
	int nsymmetries;
	int **symmetries;
} Key;

typedef enum HeadKind
{
	HEAD_ACCESS,
	HEAD_NUMBER, /* an infinity or NaN, which is not a coefficient */
	HEAD_FUNCTION,
	HEAD_AGGREGATE,
	HEAD_MATRIX,
	HEAD_KEY, /* a polyterm that is not multiplied out */
} HeadKind;

/* An argument of a head, and its labels by the key's order. */
typedef struct HeadArg
{
	const Key *key;
	int *places; /* among the head's labels, or -1 - number of a bound one */
} HeadArg;

typedef struct Head
{
	int number;
	HeadKind kind;
	int nlabels;
	int nsymmetries; /* orders of the labels that mean the same, as of a key */
	int **symmetries;
	bool additive; /* reads an additive tensor as it is: no two make a square */
	bool finite;   /* its fill is */
	const ProgramTensor *tensor;
	Number value;
	FunctionId function;
	AggregateOperator aggregate;
	MatrixOperation matrix;
	int nbound; /* labels that an aggregate or a matrix function binds */
	int *bound; /* for their bounds and names */
	int nargs;
	HeadArg args[FUNCTION_MAX_ARGS];
} Head;

typedef struct Atom
{
	const Head *head;
	int power;
	int *labels;
} Atom;

/* Never changed once it is made. Equal ones over the same free labels have one number. */
typedef struct Monomial
{
	int number;
	int natoms;
	Atom *atoms;
	int nbound;
	int *bound; /* labels that are summed; each indexes some atom */
} Monomial;

typedef struct PolytermTerm
{
	Number coefficient; /* finite, not 0 */
	const Monomial *monomial;
} PolytermTerm;

/* Never changed once it is made, but for its key. */
struct Polyterm
{
	ElementType type;
	bool finite;   /* the fills of all atoms are */
	bool additive; /* some atom is */
	int nterms;    /* of different monomials */
	PolytermTerm *terms;
	Key *key; /* at first use */
};

/* Labels are those of the program, and fresh ones for sums. */
typedef struct FormLabel
{
	int64 bound;
	Pin pin;
	int32 block;
	int origin; /* the program's label that it is named after */
} FormLabel;

typedef struct Forms
{
	Program *program;
	RewriteLevel level;
	SideTable *by_node;    /* Polyterm * */
	SideTable *as_written; /* the same of statements that are computed as they stand */
	Interned *heads;
	List *known_heads; /* by number */
	Interned *monomials;
	Interned *keys;
	int nunnamed; /* keys that are like no other */
	int nlabels;
	int labels_size;
	FormLabel *labels;
	int *names;  /* scratch by label: what it is written as */
	int *places; /* scratch by label: where it is in a search */
} Forms;

extern Forms *new_forms(Program *program, RewriteLevel level);
extern int add_form_label(Forms *forms, int like);

/* canonical.c */

/*
 * Writes a monomial down, with its free labels as forms->names has them. False if too
 * many of its labels look alike.
 */
extern bool write_monomial(Forms *forms, StringInfo out, const Monomial *monomial);
extern const Key *key_of_polyterm(Forms *forms, const Polyterm *polyterm);

/* Lists the free labels of a polyterm, in no canonical order; returns how many. */
extern int free_labels(Forms *forms, const Polyterm *polyterm, int **labels);

/* polyterm.c */
extern const Polyterm *polyterm_constant(Forms *forms, Number value, ElementType type);
extern const Polyterm *polyterm_atom(Forms *forms, const Head *head, int *labels,
									 ElementType type);
extern const Polyterm *polyterm_scale(Forms *forms, const Polyterm *polyterm,
									  Number factor);
/* A single term without its coefficient. */
extern const Polyterm *polyterm_unit(const Polyterm *polyterm);
extern const Polyterm *polyterm_add(Forms *forms, const Polyterm *a, const Polyterm *b);
extern const Polyterm *polyterm_multiply(Forms *forms, const Polyterm *a,
										 const Polyterm *b);
extern const Polyterm *polyterm_sum(Forms *forms, const Polyterm *polyterm,
									const Bitmapset *labels);
/* Label from[i] becomes to[i], which differ. */
extern const Polyterm *polyterm_rename(Forms *forms, const Polyterm *polyterm, int n,
									   const int *from, const int *to);
extern const Polyterm *polyterm_as(const Polyterm *polyterm, ElementType type);

/* atoms.c */
extern bool same_atom_labels(const Head *head, const int *a, const int *b);
extern const Polyterm *access_atom(Forms *forms, const TensorExpr *expr);
extern const Polyterm *matrix_atom(Forms *forms, const TensorExpr *expr,
								   const Polyterm *const *args);
extern const Polyterm *number_atom(Forms *forms, const TensorExpr *expr);
extern const Polyterm *function_atom(Forms *forms, FunctionId function, int nargs,
									 const Polyterm *const *args, bool commutes,
									 ElementType type, bool finite);
extern const Polyterm *aggregate_atom(Forms *forms, AggregateOperator aggregate,
									  const Bitmapset *labels, const Polyterm *arg,
									  bool merge, ElementType type, bool finite);
/* A sum as a factor, not multiplied out. */
extern const Polyterm *key_atom(Forms *forms, const Polyterm *polyterm);

/* normal_form.c */

/* The exponent, if an expression is a power that products make; else 0. */
extern int small_exponent(const TensorExpr *expr);

extern const Polyterm *normal_form(Forms *forms, TensorExpr *expr);
extern const Polyterm *statement_form(Forms *forms, const Statement *statement);

#endif
