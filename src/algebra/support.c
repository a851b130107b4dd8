/*-------------------------------------------------------------------------
 *
 * support.c
 *	  Which operands of an expression determine its support.
 *
 * An atom is a killer of an expression if the expression is at its fill wherever the atom
 * is at its own, whatever the other atoms are. With killers the support is the
 * intersection of their supports: they are joined, and the other atoms are left joined,
 * with their fill where they are absent. Without killers the support is a union.
 *
 * A kernel sum reads the atoms below it. Its labels are dimensions, so that where a row
 * of an atom is absent, the atom is at its fill for all terms; if the atom is a killer of
 * the terms, the sum is at its fill, too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "utils/memutils.h"

#include "expr/function_table.h"
#include "expr/walk.h"
#include "algebra/support.h"
#include "recursion.h"

/* The support of a node, computed once. */
typedef struct ExprSupport
{
	List *atoms; /* the first SUPPORT_MAX_ATOMS + 1 of them */
	uint64 killers;
} ExprSupport;

/*
 * Is an infinite fill also the result? Only real infinities count: nothing is known of
 * complex ones.
 */
static bool
is_infinite(Number fill, Number result)
{
	return isinf(creal(fill)) && cimag(fill) == 0.0 && fill == result;
}

bool
fill_kills(FunctionId function, int argument, Number fill, Number result)
{
	switch (function)
	{
		case FUNCTION_ADD:
			return is_infinite(fill, result);
		case FUNCTION_SUBTRACT:
			return is_infinite(argument == 0 ? fill : -fill, result);
		case FUNCTION_GREATEST:
			/* result must equal fill: if another fill is NaN, so is the result */
			return fill == INFINITY && fill == result;
		case FUNCTION_LEAST:
			return fill == -INFINITY && fill == result;
		case FUNCTION_LT:
			/* no number is beyond the infinity, and comparisons with NaN are 0 */
			return fill == (argument == 0 ? INFINITY : -INFINITY);
		case FUNCTION_GT:
			return fill == (argument == 0 ? -INFINITY : INFINITY);
		default:
			return fill == 0.0 &&
				   (function_properties(function)->zero_kills & (1u << argument));
	}
}

/* Returns the position of an atom in a list that has it. */
static int
atom_position(const List *atoms, const TensorExpr *atom)
{
	ListCell *lc;

	foreach (lc, atoms)
	{
		if (lfirst(lc) == atom)
			return foreach_current_index(lc);
	}
	elog(ERROR, "atom not found");
}

/*
 * Converts a mask of positions in atoms to positions in another list, which has all of
 * them.
 */
static uint64
atoms_in(const List *other, uint64 members, const List *atoms)
{
	uint64 result = 0;
	ListCell *lc;

	if (members == KILLERS_ALL || other == atoms)
		return members;
	foreach (lc, atoms)
	{
		if (members & (UINT64CONST(1) << foreach_current_index(lc)))
			result |= UINT64CONST(1) << atom_position(other, lfirst(lc));
	}
	return result;
}

/* Returns the atoms of two lists; the first list itself if it has all of them. */
static List *
unite_atoms(List *atoms, const List *others)
{
	List *united = atoms;
	ListCell *lc;

	foreach (lc, others)
	{
		if (list_length(united) > SUPPORT_MAX_ATOMS)
			break;
		if (list_member_ptr(united, lfirst(lc)))
			continue;
		if (united == atoms)
			united = list_copy(atoms);
		united = lappend(united, lfirst(lc));
	}
	return united;
}

static const ExprSupport *support_of(Algebra *algebra, TensorExpr *expr);

/*
 * Returns the killers of if(c, a, b), given those of its arguments: the atoms that kill c
 * and the branch which c's fill chooses, and, if both branches have the same fill, those
 * that kill both.
 */
static uint64
choice_killers(const TensorExpr *expr, const uint64 *arguments)
{
	uint64 result = arguments[0] & arguments[expr->args[0]->fill != 0.0 ? 1 : 2];

	if (expr->args[1]->fill == expr->args[2]->fill)
		result |= arguments[1] & arguments[2];
	return result;
}

/*
 * Finds the killers of a function by two rules. The killers of an argument whose fill
 * forces the function's result are killers of the function. So are the common killers of
 * all arguments: where all of these are at their fills, the function is at its own. A
 * choice has its own rules, which include the second.
 */
static void
map_support(Algebra *algebra, TensorExpr *expr, ExprSupport *support)
{
	uint64 arguments[FUNCTION_MAX_ARGS] = {0};
	uint64 forcing = 0;
	uint64 common = KILLERS_ALL;

	assert_expr_arguments(expr);
	for (int i = 0; i < expr->nargs; i++)
		support->atoms = i == 0 ? support_of(algebra, expr->args[i])->atoms
								: unite_atoms(support->atoms,
											  support_of(algebra, expr->args[i])->atoms);
	if (list_length(support->atoms) > SUPPORT_MAX_ATOMS)
		return;
	for (int i = 0; i < expr->nargs; i++)
	{
		const ExprSupport *own = support_of(algebra, expr->args[i]);

		arguments[i] = atoms_in(support->atoms, own->killers, own->atoms);
		common &= arguments[i];
		if (expr->args[i]->kind != EXPR_LITERAL &&
			fill_kills(expr->function, i, expr->args[i]->fill, expr->fill))
			forcing |= arguments[i];
	}
	support->killers = expr->function == FUNCTION_IF ? choice_killers(expr, arguments)
													 : forcing | common;
}

static const ExprSupport *
support_of(Algebra *algebra, TensorExpr *expr)
{
	MemoryContext old;
	ExprSupport *support = side_value(algebra->supports, expr);

	if (support)
		return support;
	enter_recursion();
	old = MemoryContextSwitchTo(GetMemoryChunkContext(algebra));
	support = palloc0(sizeof(ExprSupport));
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			support->killers = KILLERS_ALL;
			break;
		case EXPR_ACCESS:
		case EXPR_AGGREGATE:
		case EXPR_MATRIX:
			support->atoms = list_make1(expr);
			support->killers = 1;
			break;
		case EXPR_MAP:
			map_support(algebra, expr, support);
			break;
		case EXPR_KERNEL_SUM:
			*support = *support_of(algebra, expr->args[0]);
			break;
	}
	MemoryContextSwitchTo(old);
	set_side_value(algebra->supports, expr, support);
	return support;
}

const List *
collect_atoms(Algebra *algebra, TensorExpr *expr)
{
	const List *atoms = support_of(algebra, expr)->atoms;

	if (list_length(atoms) > SUPPORT_MAX_ATOMS)
		elog(ERROR, "too many atoms");
	return atoms;
}

int
count_atoms(Algebra *algebra, TensorExpr *expr)
{
	return list_length(support_of(algebra, expr)->atoms);
}

uint64
killers(Algebra *algebra, TensorExpr *expr)
{
	(void) collect_atoms(algebra, expr);
	return support_of(algebra, expr)->killers;
}

/* Search for the atoms that decide where an expression has entries. */
typedef struct SupportSearch
{
	Algebra *algebra;
	const List *atoms;
	uint64 found;
} SupportSearch;

/*
 * Adds atoms to the support: for a node with killers the first of these, which bounds it;
 * for a node without, those of every argument.
 */
static Walk
add_support(const TensorExpr *node, void *context)
{
	SupportSearch *search = context;
	TensorExpr *expr = unconstify(TensorExpr *, node);
	uint64 deciding = atoms_in(search->atoms, killers(search->algebra, expr),
							   collect_atoms(search->algebra, expr));

	if (deciding == 0)
		return WALK_BELOW;
	if (deciding != KILLERS_ALL)
		search->found |= deciding & (~deciding + 1);
	return WALK_ON;
}

uint64
support_atoms(Algebra *algebra, TensorExpr *expr, const List *atoms)
{
	SupportSearch search = {algebra, atoms, 0};

	(void) walk_expr(expr, add_support, &search);
	return search.found;
}
