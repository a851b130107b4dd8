/*-------------------------------------------------------------------------
 *
 * polyterm.h
 *	  Polyterms: sums of monomials, each a coefficient times atoms with powers,
 *	  summed over labels.
 *
 * An atom has a head, which says what is read or computed, and labels, which index it.
 * The head does not depend on the names of the labels. polyterm.c has the ring's
 * arithmetic, canonical.c names labels, atoms.c makes the atoms. An expression beyond the
 * limits has no polyterm: functions return NULL, and the caller makes an atom of it.
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
/*
 * Limit of the ways to name look-alike labels that are tried, and of the symmetries that
 * a key keeps.
 */
#define CANONICAL_MAX_NAMINGS 256

typedef struct Polyterm Polyterm;

/*
 * Identifies a polyterm up to the names of its free labels: equal polyterms have the same
 * number.
 */
typedef struct Key
{
	int number;
	const Polyterm *polyterm;
	int nlabels;
	int *labels; /* free labels, in canonical order */
	/*
	 * permutations of labels, as positions, that leave the polyterm equal; the first
	 * changes nothing
	 */
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

/* An argument of a head. Its labels are in the order of its key. */
typedef struct HeadArg
{
	const Key *key;
	/* position of each label in the head's labels; -1 - n for bound label n */
	int *places;
} HeadArg;

typedef struct Head
{
	int number;
	HeadKind kind;
	int nlabels;
	int nsymmetries; /* permutations of the labels, as in Key */
	int **symmetries;
	bool additive; /* reads an additive tensor: two such atoms make no square */
	bool finite;   /* its fill is finite */
	const ProgramTensor *tensor;
	Number value;
	FunctionId function;
	AggregateOperator aggregate;
	MatrixOperation matrix;
	int nbound; /* labels that an aggregate or a matrix function binds */
	int *bound; /* these labels, for their bounds and names */
	int nargs;
	HeadArg args[FUNCTION_MAX_ARGS];
} Head;

typedef struct Atom
{
	const Head *head;
	int power;
	int *labels;
} Atom;

/*
 * A product of atoms, summed over labels. It never changes. Equal monomials over the same
 * free labels have the same number.
 */
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

/*
 * A sum of monomials with coefficients. It never changes, except that its key is added.
 */
struct Polyterm
{
	ElementType type;
	bool finite;   /* the fills of all atoms are finite */
	bool additive; /* some atom is additive */
	int nterms;    /* number of terms, each with another monomial */
	PolytermTerm *terms;
	Key *key; /* made at first use */
};

/* A label of the program, or one that was added for a sum. */
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
	SideTable *as_written; /* the same for expressions that are not rewritten */
	Interned *heads;
	List *known_heads; /* by number */
	Interned *monomials;
	Interned *keys;
	int nunnamed; /* keys without a canonical naming, which equal no other key */
	int nlabels;
	int labels_size;
	FormLabel *labels;
	int *names;  /* scratch by label: the number by which it is written */
	int *places; /* scratch by label: its position in a search, or -1 */
} Forms;

extern Forms *new_forms(Program *program, RewriteLevel level);
extern int add_form_label(Forms *forms, int like);

/* canonical.c */

/*
 * Appends a canonical text of a monomial, whose free labels are named by forms->names.
 * False if too many of its labels look alike.
 */
extern bool write_monomial(Forms *forms, StringInfo out, const Monomial *monomial);
extern const Key *key_of_polyterm(Forms *forms, const Polyterm *polyterm);

/* polyterm.c */
extern const Polyterm *polyterm_constant(Forms *forms, Number value, ElementType type);
extern const Polyterm *polyterm_atom(Forms *forms, const Head *head, int *labels,
									 ElementType type);
extern const Polyterm *polyterm_scale(Forms *forms, const Polyterm *polyterm,
									  Number factor);
/* Returns a polyterm of one term with 1 for its coefficient. */
extern const Polyterm *polyterm_unit(const Polyterm *polyterm);
extern const Polyterm *polyterm_add(Forms *forms, const Polyterm *a, const Polyterm *b);
extern const Polyterm *polyterm_multiply(Forms *forms, const Polyterm *a,
										 const Polyterm *b);
extern const Polyterm *polyterm_sum(Forms *forms, const Polyterm *polyterm,
									const Bitmapset *labels);
/* Renames each label from[i] to to[i]; these are different labels. */
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
/* Returns a sum as one atom, for a factor that is not multiplied out. */
extern const Polyterm *key_atom(Forms *forms, const Polyterm *polyterm);

/* normal_form.c */

/*
 * Returns the exponent of a power if it is a small integer, so that products can replace
 * the power; else 0.
 */
extern int small_exponent(const TensorExpr *expr);

extern const Polyterm *normal_form(Forms *forms, TensorExpr *expr);
extern const Polyterm *statement_form(Forms *forms, const Statement *statement);

#endif
