/*-------------------------------------------------------------------------
 *
 * factors.c
 *	  Splits a product into killers, modifiers and divisors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "catalog/dimension.h"
#include "expr/function_table.h"
#include "algebra/factors.h"
#include "algebra/fixed_labels.h"
#include "algebra/support.h"
#include "recursion.h"

static bool
decides_support(Algebra *algebra, TensorExpr *expr)
{
	return expr->fill == 0.0 && expr->kind != EXPR_LITERAL && killers(algebra, expr) != 0;
}

void
split_product(Algebra *algebra, TensorExpr *expr, Factors *factors)
{
	enter_recursion();
	if (expr_is_map(expr, FUNCTION_MULTIPLY))
	{
		split_product(algebra, expr->args[0], factors);
		split_product(algebra, expr->args[1], factors);
	}
	else if (expr_is_map(expr, FUNCTION_DIVIDE))
	{
		Divisor *divisor = palloc(sizeof(Divisor));

		divisor->expr = expr->args[1];
		divisor->killers.first = list_length(factors->killers);
		divisor->modifiers.first = list_length(factors->modifiers);
		split_product(algebra, expr->args[0], factors);
		divisor->killers.end = list_length(factors->killers);
		divisor->modifiers.end = list_length(factors->modifiers);
		factors->divisors = lappend(factors->divisors, divisor);
	}
	else if (expr_is_map(expr, FUNCTION_NEGATE))
	{
		factors->modifiers =
			lappend(factors->modifiers, expr_literal(algebra->program, -1.0, -1));
		split_product(algebra, expr->args[0], factors);
	}
	else if (decides_support(algebra, expr))
		factors->killers = lappend(factors->killers, expr);
	else
		factors->modifiers = lappend(factors->modifiers, expr);
}

void
split_terms(Algebra *algebra, FunctionId product, Number fill, TensorExpr *expr,
			Factors *factors)
{
	enter_recursion();
	if (expr_is_map(expr, product))
	{
		split_terms(algebra, product, fill, expr->args[0], factors);
		split_terms(algebra, product, fill, expr->args[1], factors);
	}
	else if (expr->kind != EXPR_LITERAL && fill_kills(product, 0, expr->fill, fill) &&
			 killers(algebra, expr) != 0)
		factors->killers = lappend(factors->killers, expr);
	else
		factors->modifiers = lappend(factors->modifiers, expr);
}

static inline bool
is_within(int number, const FactorRange *range)
{
	return number >= range->first && number < range->end;
}

bool
killer_is_divided(const Factors *factors, int number)
{
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	foreach (lc, factors->divisors)
		if (is_within(number, &((const Divisor *) lfirst(lc))->killers))
			return true;
	return false;
}

bool
modifier_is_divided(const Factors *factors, int number)
{
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	foreach (lc, factors->divisors)
		if (is_within(number, &((const Divisor *) lfirst(lc))->modifiers))
			return true;
	return false;
}

List *
attach_modifiers(Program *program, FunctionId product, List *killer_factors, List *items)
{
	List *rest = NIL;
	ListCell *lc;

	foreach (lc, items)
	{
		TensorExpr *item = lfirst(lc);
		ListCell *lk = NULL;
		bool attached = false;

		if (item->kind != EXPR_LITERAL)
		{
			foreach (lk, killer_factors)
			{
				if (bms_is_subset(item->labels, ((TensorExpr *) lfirst(lk))->labels))
				{
					lfirst(lk) = expr_map2(program, product, lfirst(lk), item);
					attached = true;
					break;
				}
			}
		}
		if (!attached)
			rest = lappend(rest, item);
	}
	return rest;
}

/* Is the numerator of a divisor a single killer, perhaps times numbers that are not 0? */
static bool
divides_one_killer(const Factors *factors, const Divisor *divisor)
{
	if (divisor->killers.end - divisor->killers.first != 1)
		return false;
	for (int i = divisor->modifiers.first; i < divisor->modifiers.end; i++)
	{
		const TensorExpr *modifier = list_nth(factors->modifiers, i);

		if (modifier->kind != EXPR_LITERAL || modifier->fill == 0.0)
			return false;
	}
	return true;
}

List *
attach_divisors(Program *program, const Factors *factors)
{
	List *rest = NIL;
	ListCell *lc;

	foreach (lc, factors->divisors)
	{
		const Divisor *divisor = lfirst(lc);
		ListCell *factor;

		if (!divides_one_killer(factors, divisor))
		{
			rest = lappend(rest, divisor->expr);
			continue;
		}
		factor = list_nth_cell(factors->killers, divisor->killers.first);
		if (bms_is_subset(divisor->expr->labels, ((TensorExpr *) lfirst(factor))->labels))
			lfirst(factor) =
				expr_map2(program, FUNCTION_DIVIDE, lfirst(factor), divisor->expr);
		else
			rest = lappend(rest, divisor->expr);
	}
	return rest;
}

TensorExpr *
multiply_in(Program *program, TensorExpr *product, TensorExpr *factor)
{
	return product ? expr_map2(program, FUNCTION_MULTIPLY, product, factor) : factor;
}

/* Returns the number of a label, which it gets at first use; -1 if there are too many. */
static int
number_label(LabelNumbers *numbers, int label)
{
	int64 bound = numbers->program->labels[label].bound;

	for (int i = 0; i < numbers->nlabels; i++)
	{
		if (numbers->labels[i] == label)
			return i;
	}
	if (numbers->nlabels == ESTIMATE_MAX_LABELS)
		return -1;
	numbers->labels[numbers->nlabels] = label;
	numbers->bounds[numbers->nlabels] = estimated_bound(bound);
	return numbers->nlabels++;
}

bool
number_labels(LabelNumbers *numbers, const Bitmapset *labels, LabelMask *mask)
{
	int label = -1;

	*mask = 0;
	while ((label = bms_next_member(labels, label)) >= 0)
	{
		int local = number_label(numbers, label);

		if (local < 0)
			return false;
		*mask |= 1u << local;
	}
	return true;
}

void
estimate_factor(Algebra *algebra, LabelNumbers *numbers, TensorExpr *factor,
				Estimate *result)
{
	const List *atoms = collect_atoms(algebra, factor);
	uint64 deciding = killers(algebra, factor);
	LabelMask own = 0;
	bool first = true;
	ListCell *lc;

	(void) number_labels(numbers, factor->labels, &own);

	foreach (lc, atoms)
	{
		TensorExpr *access = lfirst(lc);
		int labels[TENSOR_MAX_RANK];
		LabelMask ignored;
		Estimate estimate;

		/* a label that a kernel sum binds has no number, and may be beyond the limit */
		if (!(deciding & (UINT64CONST(1) << foreach_current_index(lc))) ||
			!number_labels(numbers, access->labels, &ignored))
			continue;
		for (int i = 0; i < access->nindices; i++)
			labels[i] = number_label(numbers, access->indices[i]);
		algebra->estimator->stored(&estimate,
								   statistics_of_tensor(algebra, access->tensor),
								   access->nindices, labels, numbers->bounds);
		if (first)
			*result = estimate;
		else
			algebra->estimator->intersect(result, result, &estimate, numbers->bounds);
		first = false;
	}
	if (first)
		full_estimate(result, own, numbers->bounds);
	else if (result->labels & ~own)
		algebra->estimator->aggregate(result, result, own);
	fix_estimate(algebra, numbers, result);
}
