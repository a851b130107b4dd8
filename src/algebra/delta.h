/*-------------------------------------------------------------------------
 *
 * delta.h
 *	  How the result of a statement changes when tensors that it reads change.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_DELTA_H
#define ALGEBRA_DELTA_H

#include "algebra/algebra.h"

/* The change of an expression with more nodes, as a tree, is not looked for. */
#define CHANGE_MOST_NODES 1000

/* How a tensor changes, from what costs least to compute to what costs most. */
typedef enum ChangeKind
{
	CHANGE_NONE,    /* it does not */
	CHANGE_ADDED,   /* new = old + change, where the change's fill is 0 */
	CHANGE_BETTER,  /* new = least(old, change), or greatest; never the other way */
	CHANGE_AT_KEYS, /* entries at some keys have other values */
	CHANGE_WHOLE    /* any entry may have another value */
} ChangeKind;

/* A tensor that a program reads and that has changed. */
typedef struct ChangedTensor
{
	const ProgramTensor *tensor; /* the program reads its new state */
	/* of ADDED: the table that the program reads still has the state before the change */
	bool is_old;
	ChangeKind kind;
	FunctionId function; /* of BETTER: least or greatest */
	/*
	 * the change, of the tensor's rank and type. BETTER: the new values of entries that
	 * have changed, and the function's neutral value elsewhere. AT_KEYS: 0 where nothing
	 * has changed, over those dimensions of the tensor that are in keys. WHOLE: NULL
	 */
	ProgramTensor *change;
	Bitmapset *keys;
} ChangedTensor;

/* How the result of an expression changes. */
typedef struct Change
{
	ChangeKind kind;
	FunctionId function; /* ADDED: add; BETTER: least or greatest */
	List *terms;         /* of TensorExpr *: result' = function(result, all terms) */
	TensorExpr *touched; /* AT_KEYS: 0 where the result stays as it is; over keys */
	Bitmapset *keys;     /* AT_KEYS: labels of the result */
	const char *why;     /* it is not a better kind, in words; or NULL */
} Change;

typedef struct Delta Delta;

/* Prepares to find changes. changed: of ChangedTensor *, each tensor once. */
extern Delta *new_delta(Algebra *algebra, const List *changed);

/*
 * Adds a tensor that changes: the result of a statement that no expression given to this
 * Delta has read yet.
 */
extern void add_changed_tensor(Delta *delta, const ChangedTensor *changed);

/* May the expression have another value after the change? */
extern bool may_differ(Delta *delta, const TensorExpr *expr);

/*
 * Finds how an expression changes, as the right side of a statement with these labels. If
 * the change or the old result has a NaN or an infinity that is not the fill, a change
 * ADDED must not be added.
 */
extern Change *find_change(Delta *delta, TensorExpr *expr, const Bitmapset *labels);

/*
 * Returns function(term, term, ...): what has to be combined with the old result. The
 * list must not be empty.
 */
extern TensorExpr *combined_terms(Program *program, const List *terms,
								  FunctionId function);

/*
 * Returns the function's neutral value, with which f(x, neutral) = x: 0, 1 or an
 * infinity. NaN if it has no such value.
 */
extern double neutral_value(FunctionId function);

/* An entry that least and greatest leave as it is, and the terms that are computed. */
typedef struct Extreme
{
	FunctionId function; /* least or greatest */
	Number bottom;       /* a term that changes nothing: the neutral value, or 0 */
	/*
	 * The result keeps the extremes of all states that there have been: terms may rise or
	 * fall with what they read, and those that nothing has changed are taken too.
	 */
	bool keeps;
} Extreme;

/* Does the extreme of the aggregate's terms belong to the same extreme? */
extern bool takes_extreme(const Extreme *extreme, AggregateOperator aggregate);

/*
 * Rewrites an expression so that it reads only what has changed: sets *terms to
 * expressions of which the extreme, with the old result, is the new one. False if that is
 * impossible. All changed tensors that it reads must be BETTER.
 */
extern bool find_extreme_terms(Delta *delta, TensorExpr *expr, const Extreme *extreme,
							   List **terms);

/*
 * Returns the accesses to changed tensors in an expression that has only functions above
 * them; false if it reads them otherwise.
 */
extern bool find_changed_entries(Delta *delta, const TensorExpr *expr, List **entries);

/* Returns the expression with another value where it equals a number. */
extern TensorExpr *with_other(Program *program, TensorExpr *expr, Number number,
							  Number other);

/*
 * If a statement computes function(own, change) for an entry of its own, returns the
 * change and sets *function; else NULL. Where the change is at its fill, the entry stays
 * as it is; for greatest, a fill of 0 serves if the entry is known to be not negative.
 */
extern TensorExpr *change_of_own(Program *program, const Statement *statement,
								 const TensorExpr *own, bool not_negative,
								 FunctionId *function);

/* Returns the change with the function's neutral value in place of its fill. */
extern TensorExpr *with_neutral_fill(Program *program, TensorExpr *change,
									 FunctionId function);

#endif
