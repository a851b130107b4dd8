/*-------------------------------------------------------------------------
 *
 * delta.c
 *	  How the result of a statement changes when tensors that it reads change.
 *
 * Sums and products of changes ADDED are ADDED. Where few factors of a product change,
 *
 *	  x' * y' - x * y = dx * y' + x' * dy - dx * dy
 *
 * reads new states and changes only: tables as they are, with their indexes; n factors that
 * change make 2^n - 1 terms. Where more change, there is a term for each, with the new
 * states of the factors before it and the old ones of those behind it. The change of a power has that of its base once:
 *
 *	  x'^2 - x^2 = dx * (x' + x)
 *
 * Extremes of changes BETTER are BETTER, as far as what they are taken of moves with the
 * changes in their direction: then the terms of what has changed suffice. Of everything
 * else follows only where it may differ: the result is touched where an argument is,
 * unless another argument forces it to its fill before and after the change.
 *
 * Programs read new states. An old one is the new one less what was added; where a table
 * has the old one, the new one is that and what is added. Where a
 * result may differ need not be asked of old states: where they differ, it is touched.
 *
 * All expressions that are made bind labels of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "algebra/delta.h"
#include "algebra/proven.h"
#include "algebra/support.h"
#include "catalog/shift.h"
#include "expr/analysis.h"
#include "expr/function_table.h"
#include "expr/walk.h"
#include "recursion.h"

/* Nor is one returned that has more nodes itself: the result is computed sooner. */
#define MOST_NODES_OF_TERMS 20000

/* Powers with a higher exponent are functions like others. */
#define MOST_FACTORS 4

/* Products of two factors with as many pairs of changes read old states instead. */
#define MOST_PAIRS 8

/* How an expression moves when all changed tensors move as they do. */
typedef enum Direction
{
	MOVES_NOT,
	MOVES_DOWN,
	MOVES_UP,
	MOVES_ANYHOW
} Direction;

struct Delta
{
	Algebra *algebra;
	Program *program;
	SideTable *changed; /* by tensor: ChangedTensor * */
	SideTable *differs; /* by node: may its value differ? */
	SideTable *old;     /* by node: the expression of old states */
	SideTable *touched; /* by node: where it may differ */
	const char *why;    /* what was found last to stand in the way */
};

double
neutral_value(FunctionId function)
{
	switch (function)
	{
		case FUNCTION_ADD:
			return 0.0;
		case FUNCTION_MULTIPLY:
			return 1.0;
		case FUNCTION_GREATEST:
			return -INFINITY;
		case FUNCTION_LEAST:
			return INFINITY;
		default:
			return NAN;
	}
}

Delta *
new_delta(Algebra *algebra, const List *changed)
{
	Delta *delta = palloc0(sizeof(Delta));
	ListCell *lc;

	delta->algebra = algebra;
	delta->program = algebra->program;
	delta->changed = new_side_table(64);
	delta->differs = new_side_table(64);
	delta->old = new_side_table(64);
	delta->touched = new_side_table(64);
	foreach (lc, changed)
		add_changed_tensor(delta, lfirst(lc));
	return delta;
}

void
add_changed_tensor(Delta *delta, const ChangedTensor *changed)
{
	Assert(side_value(delta->changed, changed->tensor) == NULL);
	set_side_value(delta->changed, changed->tensor, changed);
}

/* Notes what stands in the way of a better kind; returns false. */
static bool
no_change(Delta *delta, const char *why)
{
	delta->why = why;
	return false;
}

/* Changed tensors */

/* Returns the changed tensor that an access reads, also at shifted indices; or NULL. */
static const ChangedTensor *
changed_read(const Delta *delta, const TensorExpr *access)
{
	return side_value(delta->changed,
					  access->tensor->shifted ? access->tensor->shifted : access->tensor);
}

bool
may_differ(Delta *delta, const TensorExpr *expr)
{
	bool result = false;

	if (side_answer(delta->differs, expr, &result))
		return result;
	enter_recursion();
	if (expr->kind == EXPR_ACCESS)
		result = changed_read(delta, expr) != NULL ||
				 (statement_read(expr) && may_differ(delta, statement_read(expr)->expr));
	for (int i = 0; i < expr->nargs && !result; i++)
		result = may_differ(delta, expr->args[i]);
	return set_side_answer(delta->differs, expr, result);
}

/*
 * Returns the entry of a tensor's change at the place where an access reads the tensor.
 */
static TensorExpr *
access_to_change(const Delta *delta, const TensorExpr *access,
				 const ChangedTensor *changed)
{
	ProgramTensor *change = changed->change;
	int indices[TENSOR_MAX_RANK];
	int n = 0;
	int d = -1;

	Assert(changed->kind != CHANGE_WHOLE);
	if (access->tensor->shifted)
	{
		TensorShift *shift = palloc(sizeof(TensorShift));

		*shift = *access->tensor->shift;
		shift->of = change->is_state ? NULL : change->entry;
		return expr_access(
			delta->program,
			program_shifted_tensor(delta->program, change, shift, access->location),
			access->indices, access->location);
	}
	if (changed->kind != CHANGE_AT_KEYS)
		return expr_access(delta->program, change, access->indices, access->location);
	while ((d = bms_next_member(changed->keys, d)) >= 0)
		indices[n++] = access->indices[d];
	Assert(n == change->rank);
	return expr_access(delta->program, change, indices, access->location);
}

/* Expressions with labels of their own */

/* Gives new labels to everything in an expression that binds labels. */
static TensorExpr *
with_own_labels(Program *program, TensorExpr *expr)
{
	Bitmapset *bound = bms_difference(expr->all_labels, expr->labels);
	int label = -1;

	while ((label = bms_next_member(bound, label)) >= 0)
	{
		int copy = program_copy_label(program, label);

		program->renaming[label] = copy;
	}
	expr = rename_labels(program, expr, program->renaming);
	label = -1;
	while ((label = bms_next_member(bound, label)) >= 0)
		program->renaming[label] = -1;
	return expr;
}

/* Returns an aggregate over these labels, as far as the expression has them. */
static TensorExpr *
aggregate_over(Program *program, AggregateOperator aggregate, const Bitmapset *labels,
			   TensorExpr *expr)
{
	return with_own_labels(program,
						   expr_aggregate(program, aggregate,
										  bms_intersect(labels, expr->labels), expr, -1));
}

TensorExpr *
with_other(Program *program, TensorExpr *expr, Number number, Number other)
{
	TensorExpr *args[3];

	args[0] = expr_map2(program, FUNCTION_EQ, expr, expr_literal(program, number, -1));
	args[1] = expr_literal(program, other, -1);
	args[2] = expr;
	return expr_map(program, FUNCTION_IF, args, expr->location);
}

TensorExpr *
combined_terms(Program *program, const List *terms, FunctionId function)
{
	TensorExpr *result = NULL;
	ListCell *lc;

	foreach (lc, terms)
		result = result ? expr_map2(program, function, result, lfirst(lc)) : lfirst(lc);
	Assert(result != NULL);
	return result;
}

/* The old state */

/* Puts the old state of a changed tensor in the place of the new one. */
static TensorExpr *
read_old_state(TensorExpr *expr, void *context)
{
	const Delta *delta = context;
	const ChangedTensor *changed;

	if (expr->kind != EXPR_ACCESS)
		return NULL;
	changed = changed_read(delta, expr);
	if (changed == NULL)
		return expr;
	/* old states are for changes that are added only */
	Assert(changed->kind == CHANGE_ADDED);
	return expr_map2(delta->program, FUNCTION_SUBTRACT, expr,
					 access_to_change(delta, expr, changed));
}

/* Returns the expression with the old states of what has changed. */
static TensorExpr *
in_old_state(Delta *delta, TensorExpr *expr)
{
	TensorExpr *result = side_value(delta->old, expr);

	if (result)
		return result;
	result = change_expr(delta->program, expr, read_old_state, delta);
	if (result != expr)
		result = with_own_labels(delta->program, result);
	set_side_value(delta->old, expr, result);
	return result;
}

/* Puts what a table's old state and its change make in the place of a new state. */
static TensorExpr *
read_sum_for_new(TensorExpr *expr, void *context)
{
	const Delta *delta = context;
	const ChangedTensor *changed;

	if (expr->kind != EXPR_ACCESS)
		return NULL;
	changed = changed_read(delta, expr);
	if (changed == NULL || !changed->is_old)
		return expr;
	return expr_map2(delta->program, FUNCTION_ADD, expr,
					 access_to_change(delta, expr, changed));
}

/* Returns terms that read what there is of states of which the old one is stored. */
static List *
with_stored_states(Delta *delta, const List *terms)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, terms)
		result = lappend(
			result, change_expr(delta->program, lfirst(lc), read_sum_for_new, delta));
	return result;
}

/* What is added */

static bool find_added(Delta *delta, TensorExpr *expr, List **terms);

/* Adds the terms of an expression, each with a function applied to it and a factor. */
static List *
add_products(Delta *delta, List *products, const List *terms, TensorExpr *factor,
			 bool factor_first)
{
	ListCell *lc;

	foreach (lc, terms)
		products = lappend(products,
						   expr_map2(delta->program, FUNCTION_MULTIPLY,
									 factor_first ? factor : (TensorExpr *) lfirst(lc),
									 factor_first ? (TensorExpr *) lfirst(lc) : factor));
	return products;
}

/* The terms of a factor: of a product one for each of its own factors, else one. */
static bool
find_factor_terms(Delta *delta, TensorExpr *factor, List **terms)
{
	if (!find_added(delta, factor, terms))
		return false;
	if (list_length(*terms) > 1 && !expr_is_map(factor, FUNCTION_MULTIPLY))
		*terms = list_make1(combined_terms(delta->program, *terms, FUNCTION_ADD));
	return true;
}

/* Subtracts the products of what is added to two factors, which both of them count. */
static List *
subtract_products(Delta *delta, List *products, const List *left, const List *right)
{
	Program *program = delta->program;
	ListCell *a;
	ListCell *b;

	foreach (a, left)
	{
		foreach (b, right)
			products = lappend(products, expr_map1(program, FUNCTION_NEGATE,
												   expr_map2(program, FUNCTION_MULTIPLY,
															 lfirst(a), lfirst(b))));
	}
	return products;
}

static bool
find_added_product(Delta *delta, TensorExpr *a, TensorExpr *b, List **terms)
{
	List *left;
	List *right;
	bool many;

	if (!number_is_finite(a->fill) || !number_is_finite(b->fill))
		return no_change(delta, "a factor has an infinite fill");
	if (!find_factor_terms(delta, a, &left) || !find_factor_terms(delta, b, &right))
		return false;
	many = list_length(left) * list_length(right) >= MOST_PAIRS;
	*terms = NIL;
	if (left)
		*terms =
			add_products(delta, *terms, left, many ? in_old_state(delta, b) : b, false);
	if (right)
		*terms = add_products(delta, *terms, right, a, true);
	if (!many)
		*terms = subtract_products(delta, *terms, left, right);
	return true;
}

/*
 * Returns what the change of x is multiplied by in the change of x^n: x + o for x^2, x^2 +
 * o*(x + o) for x^3, and so on; o is the old state of x. So the change of x is needed
 * once, however deep powers are nested.
 */
static TensorExpr *
quotient_of_powers(Delta *delta, TensorExpr *x, int n)
{
	Program *program = delta->program;
	TensorExpr *old = in_old_state(delta, x);
	TensorExpr *result = expr_map2(program, FUNCTION_ADD, x, old);

	for (int power = 2; power < n; power++)
		result = expr_map2(
			program, FUNCTION_ADD,
			expr_map2(program, FUNCTION_POWER, x, expr_literal(program, power, -1)),
			expr_map2(program, FUNCTION_MULTIPLY, old, result));
	return result;
}

/* Finds the terms of x^n, for an n from 2 to MOST_FACTORS. */
static bool
find_added_power(Delta *delta, TensorExpr *x, int n, List **terms)
{
	if (!number_is_finite(x->fill))
		return no_change(delta, "a factor has an infinite fill");
	if (!find_factor_terms(delta, x, terms))
		return false;
	*terms = add_products(delta, NIL, *terms, quotient_of_powers(delta, x, n), false);
	return true;
}

/* Returns the exponent of a small power, from 2 to MOST_FACTORS; 0 of other powers. */
static int
small_exponent(const TensorExpr *exponent)
{
	if (exponent->kind != EXPR_LITERAL)
		return 0;
	for (int n = 2; n <= MOST_FACTORS; n++)
	{
		if (exponent->value == n)
			return n;
	}
	return 0;
}

/* Applies a function of one argument to terms, or of two with the same second one. */
static List *
map_terms(Program *program, FunctionId function, const List *terms, TensorExpr *second)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, terms)
		result = lappend(result, second ? expr_map2(program, function, lfirst(lc), second)
										: expr_map1(program, function, lfirst(lc)));
	return result;
}

static bool
find_added_map(Delta *delta, TensorExpr *expr, List **terms)
{
	Program *program = delta->program;
	List *right;

	switch (expr->function)
	{
		case FUNCTION_ADD:
		case FUNCTION_SUBTRACT:
			if (!find_added(delta, expr->args[0], terms) ||
				!find_added(delta, expr->args[1], &right))
				return false;
			if (expr->function == FUNCTION_SUBTRACT)
				right = map_terms(program, FUNCTION_NEGATE, right, NULL);
			*terms = list_concat_copy(*terms, right);
			return true;
		case FUNCTION_NEGATE:
		case FUNCTION_FLOAT8:
			if (!find_added(delta, expr->args[0], terms))
				return false;
			*terms = map_terms(program, expr->function, *terms, NULL);
			return true;
		case FUNCTION_MULTIPLY:
			return find_added_product(delta, expr->args[0], expr->args[1], terms);
		case FUNCTION_POWER:
			if (small_exponent(expr->args[1]) == 0)
				break;
			return find_added_power(delta, expr->args[0], small_exponent(expr->args[1]),
									terms);
		case FUNCTION_DIVIDE:
			if (expr->args[1]->kind != EXPR_LITERAL || expr->args[1]->value == 0.0 ||
				!number_is_finite(expr->args[1]->value))
				break;
			if (!find_added(delta, expr->args[0], terms))
				return false;
			*terms = map_terms(program, FUNCTION_DIVIDE, *terms, expr->args[1]);
			return true;
		default:
			break;
	}
	return no_change(delta, psprintf("what changes is an argument of %s",
									 function_written(expr->function)));
}

/*
 * Sums terms over labels. A label that a term lacks multiplies it by the number of
 * indices.
 */
static bool
sum_terms(Delta *delta, const Bitmapset *labels, List *terms, List **sums)
{
	Program *program = delta->program;
	ListCell *lc;

	*sums = NIL;
	foreach (lc, terms)
	{
		TensorExpr *term = lfirst(lc);
		double count = product_of_bounds(program, bms_difference(labels, term->labels));

		if (isinf(count))
			return no_change(delta,
							 "a sum repeats what changes, and its label has no bound");
		term = aggregate_over(program, AGGREGATE_SUM, labels, term);
		if (count != 1.0)
			term = expr_map2(program, FUNCTION_MULTIPLY, expr_literal(program, count, -1),
							 term);
		*sums = lappend(*sums, term);
	}
	return true;
}

/*
 * Finds terms that, added to the old value of an expression, make the new one. False if
 * it does not change in this way.
 */
static bool
find_added(Delta *delta, TensorExpr *expr, List **terms)
{
	const ChangedTensor *changed;

	*terms = NIL;
	if (!may_differ(delta, expr))
		return true;
	enter_recursion();
	if (!number_is_finite(expr->fill))
		return no_change(delta, "the fill is infinite");
	switch (expr->kind)
	{
		case EXPR_ACCESS:
			changed = changed_read(delta, expr);
			if (changed == NULL || changed->kind != CHANGE_ADDED)
				return no_change(
					delta, psprintf("tensor \"%s\" does not change by what is added",
									expr->tensor->name));
			*terms = list_make1(access_to_change(delta, expr, changed));
			return true;
		case EXPR_MAP:
			return find_added_map(delta, expr, terms);
		case EXPR_AGGREGATE:
			if (!expr_is_sum(expr))
				return no_change(delta, "an aggregate is no sum");
			return find_added(delta, expr->args[0], terms) &&
				   sum_terms(delta, expr->bound_labels, *terms, terms);
		case EXPR_LITERAL:
		case EXPR_KERNEL_SUM:
		case EXPR_MATRIX:
			break;
	}
	return no_change(delta, "what changes is an argument of a matrix function");
}

/* Extremes */

/* Is the bottom another value than the function's neutral one? */
static bool
is_from_zero(const Extreme *extreme)
{
	return !same_number(extreme->bottom, neutral_value(extreme->function));
}

bool
takes_extreme(const Extreme *extreme, AggregateOperator aggregate)
{
	switch (aggregate)
	{
		case AGGREGATE_MIN:
			return extreme->function == FUNCTION_LEAST;
		case AGGREGATE_MAX:
			return extreme->function == FUNCTION_GREATEST;
		case AGGREGATE_ANY:
			return extreme->function == FUNCTION_GREATEST && is_from_zero(extreme);
		case AGGREGATE_ALL:
			return extreme->function == FUNCTION_LEAST && is_from_zero(extreme);
		default:
			return false;
	}
}

static Direction
opposite(Direction direction)
{
	return direction == MOVES_DOWN ? MOVES_UP
		   : direction == MOVES_UP ? MOVES_DOWN
								   : direction;
}

/* The direction of what rises with both. */
static Direction
together(Direction a, Direction b)
{
	if (a == MOVES_NOT || a == b)
		return b;
	return b == MOVES_NOT ? a : MOVES_ANYHOW;
}

/* How a term moves that is made of changed tensors by functions only. */
static Direction
direction_of(Delta *delta, TensorExpr *expr)
{
	Direction args[FUNCTION_MAX_ARGS] = {MOVES_NOT};
	const ChangedTensor *changed;

	if (!may_differ(delta, expr))
		return MOVES_NOT;
	enter_recursion();
	if (expr->kind == EXPR_ACCESS)
	{
		changed = changed_read(delta, expr);
		if (changed == NULL || changed->kind != CHANGE_BETTER)
			return MOVES_ANYHOW;
		return changed->function == FUNCTION_LEAST ? MOVES_DOWN : MOVES_UP;
	}
	if (expr->kind != EXPR_MAP)
		return MOVES_ANYHOW;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = direction_of(delta, expr->args[i]);
	switch (expr->function)
	{
		case FUNCTION_ADD:
		case FUNCTION_LEAST:
		case FUNCTION_GREATEST:
			return together(args[0], args[1]);
		case FUNCTION_SUBTRACT:
			return together(args[0], opposite(args[1]));
		case FUNCTION_NEGATE:
			return opposite(args[0]);
		case FUNCTION_MULTIPLY:
			for (int i = 0; i < 2; i++)
			{
				if (args[i] != MOVES_NOT &&
					!proven_not_negative(delta->algebra, expr->args[1 - i]))
					return MOVES_ANYHOW;
			}
			return together(args[0], args[1]);
		case FUNCTION_IF:
			return args[0] == MOVES_NOT ? together(args[1], args[2]) : MOVES_ANYHOW;
		default:
			if (expr->nargs != 1)
				return MOVES_ANYHOW;
			switch (function_properties(expr->function)->monotony)
			{
				case MONOTONE_RISING:
					return args[0];
				case MONOTONE_FALLING:
					return opposite(args[0]);
				case MONOTONE_NONE:
					break;
			}
			return MOVES_ANYHOW;
	}
}

/* Accesses to changed tensors in one term. */
typedef struct EntrySearch
{
	Delta *delta;
	List *entries;
} EntrySearch;

/* Collects accesses to changed tensors; ends the walk where something else differs. */
static Walk
collect_changed(const TensorExpr *expr, void *context)
{
	EntrySearch *search = context;
	const ChangedTensor *changed;

	if (!may_differ(search->delta, expr))
		return WALK_ON;
	if (expr->kind != EXPR_ACCESS)
		return expr->kind == EXPR_MAP ? WALK_BELOW : WALK_END;
	changed = changed_read(search->delta, expr);
	if (changed == NULL || changed->kind != CHANGE_BETTER || expr->tensor->shifted)
		return WALK_END;
	search->entries =
		list_append_unique_ptr(search->entries, unconstify(TensorExpr *, expr));
	return WALK_ON;
}

bool
find_changed_entries(Delta *delta, const TensorExpr *expr, List **entries)
{
	EntrySearch search = {delta, NIL};
	bool ended = walk_expr(expr, collect_changed, &search);

	*entries = search.entries;
	return !ended;
}

/* Is an expression at the bottom wherever one of its atoms is at its fill? */
static bool
is_left_out(const Delta *delta, const Extreme *extreme, TensorExpr *expr,
			const TensorExpr *atom)
{
	uint64 deciding;
	ListCell *lc;

	if (!same_number(expr->fill, extreme->bottom) ||
		count_atoms(delta->algebra, expr) > SUPPORT_MAX_ATOMS)
		return false;
	deciding = killers(delta->algebra, expr);
	foreach (lc, collect_atoms(delta->algebra, expr))
		if (lfirst(lc) == atom)
			return (deciding & (UINT64CONST(1) << foreach_current_index(lc))) != 0;
	return false;
}

/*
 * The terms of one body: for each entry of a changed tensor the body with the change in
 * its place. truth: the body counts as a truth value.
 */
static bool
find_body_terms(Delta *delta, TensorExpr *body, const Extreme *extreme, bool truth,
				List **terms)
{
	Program *program = delta->program;
	Direction wanted = extreme->function == FUNCTION_LEAST ? MOVES_DOWN : MOVES_UP;
	List *entries;
	ListCell *lc;

	*terms = NIL;
	if (!find_changed_entries(delta, body, &entries))
		return no_change(delta, "an extreme is taken of what does not get better only");
	/* less than nothing is true */
	if (!extreme->keeps && (direction_of(delta, body) != wanted ||
							(truth && !proven_not_negative(delta->algebra, body))))
		return no_change(delta,
						 "a term may get worse where what it is made of gets better");
	foreach (lc, entries)
	{
		TensorExpr *entry = lfirst(lc);
		TensorExpr *recent = access_to_change(delta, entry, changed_read(delta, entry));
		bool at_zero = extreme->function == FUNCTION_GREATEST && is_from_zero(extreme);
		TensorExpr *term = replace_expr(
			program, body, entry,
			at_zero ? with_other(program, recent, recent->fill, extreme->bottom)
					: recent);

		if (truth && !at_zero)
			term = expr_map2(program, FUNCTION_NE, term, expr_literal(program, 0.0, -1));
		if (!is_left_out(delta, extreme, term, recent))
			return no_change(delta, "a term has a value where nothing has changed");
		*terms = lappend(*terms, term);
	}
	return true;
}

bool
find_extreme_terms(Delta *delta, TensorExpr *expr, const Extreme *extreme, List **terms)
{
	List *more;
	List *bodies;
	bool truth;
	ListCell *lc;

	enter_recursion();
	*terms = NIL;
	if (!may_differ(delta, expr))
	{
		if (extreme->keeps)
			*terms = list_make1(expr);
		return true;
	}
	if (expr_is_map(expr, extreme->function))
	{
		if (!find_extreme_terms(delta, expr->args[0], extreme, terms) ||
			!find_extreme_terms(delta, expr->args[1], extreme, &more))
			return false;
		*terms = list_concat_copy(*terms, more);
		return true;
	}
	if (expr->kind != EXPR_AGGREGATE)
		return find_body_terms(delta, expr, extreme, false, terms);
	if (!takes_extreme(extreme, expr->aggregate))
		return no_change(delta, "another aggregate than an extreme");
	truth = expr->aggregate == AGGREGATE_ANY || expr->aggregate == AGGREGATE_ALL;
	if (!find_body_terms(delta, expr->args[0], extreme, truth, &bodies))
		return false;
	foreach (lc, bodies)
	{
		TensorExpr *body = lfirst(lc);

		*terms = lappend(*terms,
						 with_own_labels(delta->program,
										 expr_aggregate(delta->program, expr->aggregate,
														bms_copy(expr->bound_labels),
														body, expr->location)));
	}
	return true;
}

/* Does the expression change by getting better? Sets the function and the terms. */
static bool
find_better(Delta *delta, TensorExpr *expr, Change *change)
{
	const struct
	{
		FunctionId function;
		double bottom;
		bool possible;
	} tried[] = {{FUNCTION_LEAST, INFINITY, true},
				 {FUNCTION_GREATEST, -INFINITY, true},
				 {FUNCTION_GREATEST, 0.0, proven_not_negative(delta->algebra, expr)},
				 {FUNCTION_LEAST, 1.0,
				  expr->kind == EXPR_AGGREGATE && expr->aggregate == AGGREGATE_ALL}};

	if (element_is_complex(expr->type.type))
		return false;
	for (int i = 0; i < (int) lengthof(tried); i++)
	{
		Extreme extreme = {tried[i].function, tried[i].bottom, false};

		if (tried[i].possible &&
			find_extreme_terms(delta, expr, &extreme, &change->terms))
		{
			change->function = extreme.function;
			return true;
		}
	}
	change->terms = NIL;
	return false;
}

/* Where an expression may differ */

static bool find_touched(Delta *delta, TensorExpr *expr, TensorExpr **touched);

/*
 * Where one expression is not 0, or another. Neither is negative. As a sum of products
 * each term is a join of its own, of what few keys there are with the rest.
 */
static TensorExpr *
one_or_other(Program *program, TensorExpr *one, TensorExpr *other)
{
	return one ? expr_map2(program, FUNCTION_ADD, one, other) : other;
}

/* A term where an argument is not at its fill, before the change or after it. */
static TensorExpr *
in_support_of_argument(Program *program, TensorExpr *term, TensorExpr *arg,
					   TensorExpr *touched)
{
	TensorExpr *support =
		expr_map2(program, FUNCTION_NE, arg, expr_literal(program, arg->fill, -1));
	TensorExpr *now = expr_map2(program, FUNCTION_MULTIPLY, term, support);

	return touched ? one_or_other(program, now,
								  expr_map2(program, FUNCTION_MULTIPLY, term, touched))
				   : now;
}

static bool
find_touched_map(Delta *delta, const TensorExpr *expr, TensorExpr **touched)
{
	Program *program = delta->program;
	TensorExpr *args[FUNCTION_MAX_ARGS];

	for (int i = 0; i < expr->nargs; i++)
	{
		if (!find_touched(delta, expr->args[i], &args[i]))
			return false;
	}
	for (int i = 0; i < expr->nargs; i++)
	{
		TensorExpr *term = args[i];

		if (term == NULL)
			continue;
		for (int j = 0; j < expr->nargs; j++)
		{
			TensorExpr *other = expr->args[j];

			if (j != i && other->kind != EXPR_LITERAL && other != expr->args[i] &&
				fill_kills(expr->function, j, other->fill, expr->fill))
				term = in_support_of_argument(program, term, other, args[j]);
		}
		*touched = one_or_other(program, *touched, term);
	}
	return true;
}

static bool
find_new_touched(Delta *delta, TensorExpr *expr, TensorExpr **touched)
{
	Program *program = delta->program;
	const ChangedTensor *changed;
	Bitmapset *bound = bms_copy(expr->bound_labels);
	TensorExpr *change;

	switch (expr->kind)
	{
		case EXPR_ACCESS:
			changed = changed_read(delta, expr);
			if (changed == NULL || changed->kind == CHANGE_WHOLE ||
				(expr->tensor->shifted && changed->kind == CHANGE_AT_KEYS))
				return no_change(delta,
								 psprintf("any entry of tensor \"%s\" may have changed",
										  expr->tensor->name));
			change = access_to_change(delta, expr, changed);
			*touched = expr_map2(program, FUNCTION_NE, change,
								 expr_literal(program, change->fill, -1));
			return true;
		case EXPR_MAP:
			return find_touched_map(delta, expr, touched);
		case EXPR_AGGREGATE:
		case EXPR_KERNEL_SUM:
		case EXPR_MATRIX:
			for (int i = 0; i < expr->nargs; i++)
			{
				TensorExpr *arg;

				if (!find_touched(delta, expr->args[i], &arg))
					return false;
				if (arg == NULL)
					continue;
				arg = aggregate_over(program, AGGREGATE_ANY, bound, arg);
				*touched = one_or_other(program, *touched, arg);
			}
			return true;
		case EXPR_LITERAL:
			break;
	}
	return true;
}

/*
 * Sets *touched to an expression that is not 0 where the expression may differ, or to
 * NULL if it does not. False if it may differ anywhere.
 */
static bool
find_touched(Delta *delta, TensorExpr *expr, TensorExpr **touched)
{
	*touched = side_value(delta->touched, expr);
	if (*touched || !may_differ(delta, expr))
		return true;
	enter_recursion();
	if (!find_new_touched(delta, expr, touched))
		return false;
	set_side_value(delta->touched, expr, *touched);
	return true;
}

/* Statements */

/* Has each term all labels? A term that lacks one would change all entries along it. */
static bool
terms_have_labels(const List *terms, const Bitmapset *labels)
{
	ListCell *lc;

	foreach (lc, terms)
	{
		if (!bms_equal(((const TensorExpr *) lfirst(lc))->labels, labels))
			return false;
	}
	return true;
}

/* Counts the nodes of terms as trees, as far as a double counts. */
static double
size_of_terms(const List *terms)
{
	double size = 0.0;
	ListCell *lc;

	foreach (lc, terms)
		size += ((const TensorExpr *) lfirst(lc))->size;
	return size;
}

Change *
find_change(Delta *delta, TensorExpr *expr, const Bitmapset *labels)
{
	Change *change = palloc0(sizeof(Change));

	change->kind = CHANGE_WHOLE;
	if (!may_differ(delta, expr))
	{
		change->kind = CHANGE_NONE;
		return change;
	}
	if (expr->size > CHANGE_MOST_NODES)
	{
		change->why = "the statement is too large";
		return change;
	}
	if (find_added(delta, expr, &change->terms) &&
		(size_of_terms(change->terms) <= MOST_NODES_OF_TERMS ||
		 no_change(delta, "its change is much larger than the statement")))
	{
		change->kind = CHANGE_ADDED;
		change->function = FUNCTION_ADD;
		change->terms = with_stored_states(delta, change->terms);
	}
	else
	{
		change->why = delta->why;
		if (find_better(delta, expr, change))
			change->kind = CHANGE_BETTER;
	}
	if (change->kind != CHANGE_WHOLE)
	{
		Assert(change->terms != NIL);
		if (terms_have_labels(change->terms, labels))
			return change;
		change->why = "a term repeats along a label of the result";
		change->kind = CHANGE_WHOLE;
	}
	change->terms = NIL;
	if (!find_touched(delta, expr, &change->touched) ||
		(change->touched->size > MOST_NODES_OF_TERMS &&
		 !no_change(delta, "where it differs is much larger than the statement")))
		change->why = delta->why;
	else if (bms_is_empty(labels))
		change->why = psprintf("%s, and the result is one number", change->why);
	else if (!bms_overlap(change->touched->labels, labels))
		change->why = psprintf("%s, and all keys may be concerned", change->why);
	else
	{
		change->kind = CHANGE_AT_KEYS;
		change->keys = bms_copy(change->touched->labels);
		return change;
	}
	change->touched = NULL;
	return change;
}

/* Changes of an entry of the result's own */

/*
 * Does the expression apply the function to the own entry and something else? Sets *left
 * to the expression without the entry, or to NULL if it is the entry alone.
 */
static bool
take_out_own(Program *program, const TensorExpr *own, TensorExpr *expr,
			 FunctionId function, TensorExpr **left)
{
	bool difference = expr_is_map(expr, FUNCTION_SUBTRACT);
	TensorExpr *rest;

	enter_recursion();
	*left = NULL;
	if (expr == own)
		return true;
	if (!expr_is_map(expr, function) && !(function == FUNCTION_ADD && difference))
		return false;
	if (take_out_own(program, own, expr->args[0], function, &rest))
	{
		if (rest)
			*left = expr_map2(program, expr->function, rest, expr->args[1]);
		else
			*left = difference ? expr_map1(program, FUNCTION_NEGATE, expr->args[1])
							   : expr->args[1];
		return true;
	}
	if (difference || !take_out_own(program, own, expr->args[1], function, &rest))
		return false;
	*left = rest ? expr_map2(program, function, expr->args[0], rest) : expr->args[0];
	return true;
}

TensorExpr *
with_neutral_fill(Program *program, TensorExpr *change, FunctionId function)
{
	TensorExpr *args[3];

	if (same_number(change->fill, neutral_value(function)))
		return change;
	args[0] =
		expr_map2(program, FUNCTION_LE, change, expr_literal(program, change->fill, -1));
	args[1] = expr_literal(program, neutral_value(function), -1);
	args[2] = change;
	return expr_map(program, FUNCTION_IF, args, change->location);
}

TensorExpr *
change_of_own(Program *program, const Statement *statement, const TensorExpr *own,
			  bool not_negative, FunctionId *function)
{
	TensorExpr *expr = statement->expr;
	TensorExpr *change;
	Bitmapset *labels = NULL;

	if (expr->kind != EXPR_MAP)
		return NULL;
	*function =
		expr->function == FUNCTION_SUBTRACT ? FUNCTION_ADD : (FunctionId) expr->function;
	if (isnan(neutral_value(*function)) ||
		!take_out_own(program, own, expr, *function, &change))
		return NULL;
	change = expr_convert(program, change, ELEMENT_FLOAT8);
	for (int d = 0; d < statement->noutput; d++)
		labels = bms_add_member(labels, statement->output[d]);
	if (!terms_have_labels(list_make1(change), labels))
		return NULL;
	/* greatest(x, 0) leaves an x as it is that is not negative */
	if (!same_number(change->fill, neutral_value(*function)) &&
		!(*function == FUNCTION_GREATEST && same_number(change->fill, 0.0) &&
		  not_negative))
		return NULL;
	return change;
}
