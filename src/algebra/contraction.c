/*-------------------------------------------------------------------------
 *
 * contraction.c
 *	  The contraction path of a product of two or more factors.
 *
 * If there are few factors, all ways to join them in pairs are tried (factor_path.c);
 * else all orders in which labels may be summed out, if these are few enough
 * (label_path.c). The product along the path is a tree of joins, in which each sum is a
 * group.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "algebra/contraction.h"
#include "algebra/contraction_path.h"
#include "algebra/groups.h"
#include "algebra/late_factors.h"
#include "algebra/proven.h"
#include "catalog/origin.h"
#include "recursion.h"

/* Choices for a part that sums labels: it may stay in the join of the other factors. */
static const FormOption flat[2] = {{NULL}, {"flat join"}};
static const FormOption one_nest[2] = {{NULL}, {"one loop nest"}};
static const FormOption summed_first[2] = {{NULL}, {"summed first"}};
static const FormOption summed_later[2] = {{NULL}, {"summed later"}};
/*
 * A path with more entries may have fewer tuples, once labels are made dimensions of
 * values.
 */
static const FormOption other_paths[OFFERED_PATHS] = {
	{NULL}, {"another path"}, {"another path"}};

LabelMask
needed_labels(const Contractor *contractor, FactorMask subset)
{
	LabelMask needed = contractor->kept;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (!(subset & FACTOR(f)))
			needed |= contractor->factor_labels[f];
	}
	return needed;
}

bool
part_fits(const Contractor *contractor, LabelMask labels)
{
	double entries = 1.0;

	for (int i = 0; i < contractor->numbers.nlabels; i++)
	{
		const ProgramLabel *label =
			&contractor->algebra->program->labels[contractor->numbers.labels[i]];

		if (!(labels & (1u << i)))
			continue;
		if (label->pin == PIN_DEMOTED)
			entries *= (double) bound_size(label->bound);
		else if (label->pin == PIN_BLOCKED)
			entries *= (double) Min(label->block, bound_size(label->bound));
	}
	return pg_popcount32(labels) <= TENSOR_MAX_RANK &&
		   entries * sizeof(double) <= contractor->algebra->limits.bytes;
}

/* Do two factors read the same tensors at the same indices? */
static bool
equal_atoms(Algebra *algebra, TensorExpr *a, TensorExpr *b)
{
	const List *atoms_a = collect_atoms(algebra, a);
	const List *atoms_b = collect_atoms(algebra, b);

	return list_difference_ptr(atoms_a, atoms_b) == NIL &&
		   list_difference_ptr(atoms_b, atoms_a) == NIL;
}

/*
 * Returns the semiring's product of two expressions; the factor, if the product is NULL.
 */
static TensorExpr *
multiplied(const Contractor *contractor, TensorExpr *product, TensorExpr *factor)
{
	return product ? expr_map2(contractor->algebra->program, contractor->semiring.product,
							   product, factor)
				   : factor;
}

/*
 * Returns the product of the factors of a subset, in the order in which they are written.
 */
static TensorExpr *
product_of(const Contractor *contractor, FactorMask subset)
{
	TensorExpr *product = NULL;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (subset & FACTOR(f))
			product = multiplied(contractor, product, contractor->factors[f]);
	}
	return product;
}

/* Returns the filter of a factor (contraction_path.h), or NULL. */
static TensorExpr *
make_filter(Algebra *algebra, TensorExpr *factor)
{
	Program *program = algebra->program;
	TensorExpr *filter;

	/* a complex product makes 1 * (infinity + 0i) another number */
	if (element_is_complex(factor->type.type))
		return NULL;
	if (proven_zero_or_one(algebra, factor))
		return factor;
	if (count_atoms(algebra, factor) != 1)
		return NULL;
	filter = expr_map2(program, FUNCTION_NE, factor, expr_literal(program, 0.0, -1));
	return expr_map2(program, FUNCTION_MULTIPLY, filter, factor)->type.type ==
				   factor->type.type
			   ? filter
			   : NULL;
}

/* Returns a product multiplied by the filters of some factors. */
static TensorExpr *
filtered_product(const Contractor *contractor, TensorExpr *product, FactorMask filters)
{
	for (; filters; filters &= filters - 1)
		product = multiplied(contractor, product,
							 contractor->filters[pg_rightmost_one_pos64(filters)]);
	return product;
}

TensorExpr *
sum_of(const Contractor *contractor, FactorMask subset, TensorExpr *product)
{
	LabelMask needed = needed_labels(contractor, subset);
	Bitmapset *summed = NULL;

	for (int i = 0; i < contractor->numbers.nlabels; i++)
	{
		if (!(needed & (1u << i)) &&
			bms_is_member(contractor->numbers.labels[i], product->labels))
			summed = bms_add_member(summed, contractor->numbers.labels[i]);
	}
	return expr_aggregate(contractor->algebra->program, contractor->semiring.aggregate,
						  summed, product, product->location);
}

/* Returns how many operands a product of two parts would read as one join. */
static int
count_joined_operands(const Contractor *contractor, TensorExpr *left, TensorExpr *right)
{
	return count_atoms(contractor->algebra, multiplied(contractor, left, right));
}

static TensorExpr *flat_product(Contractor *contractor, const Contraction *path);

/*
 * Returns an access to the group of a part that sums labels. If the path does not say how
 * the part is computed, the group finds its own path later.
 */
static TensorExpr *
cut_part(Contractor *contractor, const Contraction *part)
{
	Algebra *algebra = contractor->algebra;
	TensorExpr *sum =
		sum_of(contractor, part->factors,
			   filtered_product(contractor, product_of(contractor, part->factors),
								part->filters));

	if (contractor->whole && known_path(algebra, sum) == NULL)
		note_path(algebra, sum, flat_product(contractor, part));
	return group_access(algebra, sum);
}

/*
 * Returns a part in which sums have stayed that the path would have cut off; the path
 * sums nothing when the part is joined. Where that is chosen, the part is summed here as
 * a group, since the join may have left fewer entries.
 */
static TensorExpr *
sum_later(Contractor *contractor, const Contraction *part, TensorExpr *product)
{
	Algebra *algebra = contractor->algebra;
	TensorExpr *sum = sum_of(contractor, part->factors, product);

	if (contractor->whole || part->sums || sum == product ||
		!choose_law(algebra->choices, FORMS_OF_CUTS, summed_later))
		return product;
	/* groups that were cut off inside the sum stay */
	note_path(algebra, sum, product);
	return group_access(algebra, sum);
}

/*
 * Is the part a single factor that can be summed over labels which no other factor has?
 */
static bool
may_be_summed_first(const Contractor *contractor, const Contraction *part)
{
	return !contractor->whole && part->left == NULL && part->factors &&
		   (part->result.labels & ~needed_labels(contractor, part->factors)) != 0;
}

/*
 * Returns the product along a path. Parts that sum labels become groups, and so do parts
 * that together have too many operands for one join.
 */
static TensorExpr *
flat_product(Contractor *contractor, const Contraction *path)
{
	const Contraction *parts[2] = {path->left, path->right};
	FormChoices *choices = contractor->algebra->choices;
	TensorExpr *products[2];
	int larger;

	enter_recursion();
	if (path->left == NULL)
		return path->factors ? product_of(contractor, path->factors)
							 : filtered_product(contractor, NULL, path->filters);
	for (int i = 0; i < 2; i++)
	{
		/*
		 * A part that is not cut is summed in the last join. If the path is one by labels
		 * (whole), no join can read all factors, so that every part is cut.
		 */
		bool cut = parts[i]->sums
					   ? contractor->whole || !choose_law(choices, FORMS_OF_CUTS, flat)
					   : may_be_summed_first(contractor, parts[i]) &&
							 choose_law(choices, FORMS_OF_CUTS, summed_first);

		if (cut)
			products[i] = cut_part(contractor, parts[i]);
		else
		{
			products[i] = flat_product(contractor, parts[i]);
			if (parts[i]->left)
				products[i] = sum_later(contractor, parts[i], products[i]);
		}
	}
	/* the larger part first: the other one may then fit */
	larger = count_atoms(contractor->algebra, products[1]) >
			 count_atoms(contractor->algebra, products[0]);
	for (int i = 0; i < 2; i++)
	{
		int which = i == 0 ? larger : 1 - larger;

		if (count_joined_operands(contractor, products[0], products[1]) >
				contractor->most &&
			count_atoms(contractor->algebra, products[which]) > 1)
		{
			/*
			 * groups that were cut off inside the part stay, and the new group reads them
			 */
			products[which] =
				group_access(contractor->algebra,
							 sum_of(contractor, parts[which]->factors, products[which]));
			/* for a path by labels, a join in two steps has the same cost */
			contractor->heuristic = contractor->heuristic || !contractor->whole;
		}
	}
	return multiplied(contractor, products[0], products[1]);
}

/*
 * Adds the factors; those that read the same tensors at the same labels become one, since
 * joining a relation to itself is wasteful. False if there are too many.
 */
static bool
note_factors(Contractor *contractor, const List *factors)
{
	Algebra *algebra = contractor->algebra;
	ListCell *lc;

	foreach (lc, factors)
	{
		TensorExpr *factor = lfirst(lc);
		int f = 0;

		while (f < contractor->nfactors &&
			   !(bms_equal(factor->labels, contractor->factors[f]->labels) &&
				 equal_atoms(algebra, factor, contractor->factors[f])))
			f++;
		if (f == MAX_FACTORS)
			return false;
		contractor->factors[f] =
			f < contractor->nfactors
				? multiplied(contractor, contractor->factors[f], factor)
				: factor;
		contractor->nfactors = Max(contractor->nfactors, f + 1);
	}
	return true;
}

/*
 * Returns the factor that a given factor is to be joined with before any sum, since it
 * has all labels of the given one; -1 if there is no such factor. A factor of one label
 * with several candidates is left alone: it may filter all of them.
 */
static int
factor_with_labels_of(const Contractor *contractor, int factor)
{
	LabelMask labels = contractor->factor_labels[factor];
	int found = -1;
	int count = 0;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (f == factor || (labels & ~contractor->factor_labels[f]) || labels == 0)
			continue;
		/* take the first candidate with the fewest labels */
		if (found < 0 || pg_popcount32(contractor->factor_labels[f]) <
							 pg_popcount32(contractor->factor_labels[found]))
			found = f;
		count++;
	}
	return count > 1 && (labels & (labels - 1)) == 0 ? -1 : found;
}

/* Joins each factor with one that has all of its labels. */
static void
join_filters(Contractor *contractor)
{
	for (int f = contractor->nfactors - 1; f >= 0; f--)
	{
		int other = factor_with_labels_of(contractor, f);

		if (other < 0)
			continue;
		contractor->factors[other] =
			multiplied(contractor, contractor->factors[other], contractor->factors[f]);
		contractor->nfactors--;
		for (int i = f; i < contractor->nfactors; i++)
		{
			contractor->factors[i] = contractor->factors[i + 1];
			contractor->factor_labels[i] = contractor->factor_labels[i + 1];
		}
	}
}

/* Returns the labels of all factors that have a given label. */
static Bitmapset *
labels_beside(const Contractor *contractor, int label)
{
	Bitmapset *labels = NULL;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (bms_is_member(label, contractor->factors[f]->labels))
			labels = bms_add_members(labels, contractor->factors[f]->labels);
	}
	return labels;
}

/*
 * Replaces all factors that have a label by one group, which sums their product over the
 * labels that no other factor needs.
 */
static void
sum_label(Contractor *contractor, int label, const Bitmapset *kept)
{
	TensorExpr *product = NULL;
	Bitmapset *needed = bms_copy(kept);
	int rest = 0;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		TensorExpr *factor = contractor->factors[f];

		if (bms_is_member(label, factor->labels))
			product = multiplied(contractor, product, factor);
		else
		{
			needed = bms_add_members(needed, factor->labels);
			contractor->factors[rest++] = factor;
		}
	}
	Assert(product != NULL);
	contractor->factors[rest++] = group_access(
		contractor->algebra,
		expr_aggregate(contractor->algebra->program, contractor->semiring.aggregate,
					   bms_difference(product->labels, needed), product,
					   product->location));
	contractor->nfactors = rest;
}

/*
 * If a product has more labels than an estimate can hold, sums some before any estimate,
 * first those whose factors have the fewest labels. True if any label was summed.
 */
static bool
sum_surplus_labels(Contractor *contractor, const Bitmapset *kept)
{
	bool summed = false;

	for (;;)
	{
		Bitmapset *labels = bms_copy(kept);
		int least = TENSOR_MAX_RANK + 1;
		int first = -1;
		int label = -1;

		CHECK_FOR_INTERRUPTS();
		for (int f = 0; f < contractor->nfactors; f++)
			labels = bms_add_members(labels, contractor->factors[f]->labels);
		if (bms_num_members(labels) <= ESTIMATE_MAX_LABELS)
			return summed;
		while ((label = bms_next_member(labels, label)) >= 0)
		{
			int beside = bms_num_members(labels_beside(contractor, label));

			if (!bms_is_member(label, kept) && beside < least)
			{
				least = beside;
				first = label;
			}
		}
		/* all labels are in the result, which cannot have that many either */
		if (first < 0)
			return summed;
		sum_label(contractor, first, kept);
		summed = true;
	}
}

/* Returns the cheapest path that the search budget allows to find. */
static const Contraction *
find_path(Contractor *contractor)
{
	int exact =
		contractor->algebra->estimator->is_bound ? EXACT_FACTORS_BOUNDED : EXACT_FACTORS;
	LabelMask all = 0;

	if (contractor->nfactors <= exact)
		return contract_factors(contractor);
	join_filters(contractor);
	if (contractor->nfactors <= exact)
		return contract_factors(contractor);
	for (int f = 0; f < contractor->nfactors; f++)
	{
		all |= contractor->factor_labels[f];
		if (contractor->semiring.aggregate == AGGREGATE_SUM)
			contractor->filters[f] =
				make_filter(contractor->algebra, contractor->factors[f]);
	}
	if (all & ~contractor->kept)
		return contract_labels(contractor);
	contractor->heuristic = true;
	return contract_factors_greedily(contractor);
}

/* A path that depends on stored tensors alone, and the contractor after its search. */
typedef struct KnownPath
{
	Contractor contractor;
	const Contraction *path;
} KnownPath;

/*
 * Returns the path of a product; a path that depends on stored tensors alone is kept for
 * other cuts.
 */
static const Contraction *
path_of_product(Contractor *contractor, const TensorExpr *product)
{
	Algebra *algebra = contractor->algebra;
	List *paths = side_value(algebra->contractions, product);
	int64 asked = algebra->asked;
	KnownPath *found;
	ListCell *lc;

	foreach (lc, paths)
	{
		const KnownPath *known = lfirst(lc);

		/* equal products have the same factors */
		if (known->contractor.semiring.aggregate == contractor->semiring.aggregate &&
			known->contractor.semiring.product == contractor->semiring.product &&
			known->contractor.kept == contractor->kept)
		{
			*contractor = known->contractor;
			return known->path;
		}
	}
	found = palloc(sizeof(KnownPath));
	found->path = find_path(contractor);
	found->contractor = *contractor;
	if (algebra->asked == asked)
		set_side_value(algebra->contractions, product, lappend(paths, found));
	return found->path;
}

/* Returns the path that is requested, of those that are offered. */
static const Contraction *
choose_path(Contractor *contractor, const Contraction *path)
{
	int noffered = 1;
	int taken;

	for (const Contraction *other = path->next; other; other = other->next)
		noffered++;
	if (noffered == 1)
		return path;
	taken =
		choose_form(contractor->algebra->choices, FORMS_OF_PATHS, noffered, other_paths);
	for (; taken > 0; taken--)
	{
		path = path->next;
		Assert(path != NULL);
	}
	return path;
}

/*
 * Returns a group that sums the only killer of a product over the labels that no other
 * factor has; NULL if there are no such labels, or the group is not chosen.
 */
static TensorExpr *
sum_killer_first(Algebra *algebra, TensorExpr *killer, const Factors *factors,
				 const Bitmapset *aggregated)
{
	Bitmapset *alone = bms_intersect(aggregated, killer->labels);
	ListCell *lc;

	if (factors->divisors != NIL || factors->modifiers == NIL)
		return NULL;
	foreach (lc, factors->modifiers)
		alone = bms_del_members(alone, ((const TensorExpr *) lfirst(lc))->labels);
	if (bms_is_empty(alone) || !choose_law(algebra->choices, FORMS_OF_CUTS, summed_first))
		return NULL;
	return group_access(algebra, expr_aggregate(algebra->program, AGGREGATE_SUM, alone,
												killer, killer->location));
}

/*
 * Is a product of more factors than one join can order to be one loop nest? Each loop of
 * a nest, over one label, is bounded by all factors that have the label, so that no
 * intermediate result exceeds what all factors leave. Not with pins or in point queries,
 * which prescribe the stages.
 */
static bool
is_to_be_nest(Algebra *algebra, TensorExpr *product, const Factors *factors,
			  const Bitmapset *aggregated)
{
	int label = -1;
	ListCell *lc;

	if (count_atoms(algebra, product) > algebra->limits.nest_atoms || algebra->at_keys ||
		factors->divisors != NIL || factors->modifiers != NIL ||
		bms_is_empty(aggregated) ||
		bms_num_members(product->labels) > ESTIMATE_MAX_LABELS)
		return false;
	foreach (lc, factors->killers)
	{
		if (((const TensorExpr *) lfirst(lc))->kind != EXPR_ACCESS)
			return false;
	}
	while ((label = bms_next_member(product->labels, label)) >= 0)
	{
		Pin pin = algebra->program->labels[label].pin;

		if (pin == PIN_DEMOTED || pin == PIN_BLOCKED)
			return false;
	}
	return choose_law(algebra->choices, FORMS_OF_CUTS, one_nest);
}

bool
is_one_nest(const Algebra *algebra, const TensorExpr *product)
{
	return side_value(algebra->nests, product) != NULL;
}

TensorExpr *
contract_product(Algebra *algebra, const Semiring *semiring, TensorExpr *product,
				 Bitmapset *aggregated, bool *heuristic)
{
	Program *program = algebra->program;
	bool sums = semiring->aggregate == AGGREGATE_SUM;
	Contractor contractor = {.algebra = algebra,
							 .semiring = *semiring,
							 .most = algebra->limits.atoms,
							 .numbers = {.program = program}};
	bool too_many = count_atoms(algebra, product) > algebra->limits.atoms;
	Factors factors = {NIL, NIL, NIL};
	TensorExpr *result;
	Bitmapset *kept;
	LabelMask ignored;
	ListCell *lc;

	result = sums ? multiply_late(algebra, product, aggregated) : NULL;
	if (result)
		return result;
	if (too_many)
		contractor.most = algebra->limits.easy_atoms;
	if (sums)
		split_product(algebra, product, &factors);
	else
		split_terms(algebra, semiring->product, product->fill, product, &factors);
	if (sums && too_many && is_to_be_nest(algebra, product, &factors, aggregated))
	{
		set_side_value(algebra->nests, product, product);
		return product;
	}
	if (sums && !too_many && list_length(factors.killers) == 1)
	{
		result =
			sum_killer_first(algebra, linitial(factors.killers), &factors, aggregated);
		foreach (lc, result ? factors.modifiers : NIL)
			result = multiplied(&contractor, result, lfirst(lc));
		return result ? result : product;
	}
	/* with too many operands, those that decide the support are joined first */
	if (factors.killers == NIL || (list_length(factors.killers) == 1 && !too_many))
		return product;
	factors.divisors = attach_divisors(program, &factors);
	factors.modifiers =
		attach_modifiers(program, semiring->product, factors.killers, factors.modifiers);
	if (!note_factors(&contractor, factors.killers) ||
		(!too_many && (contractor.nfactors < 2 || bms_is_empty(aggregated))))
		return product;

	kept = bms_difference(product->labels, aggregated);
	foreach (lc, factors.modifiers)
		kept = bms_add_members(kept, ((TensorExpr *) lfirst(lc))->labels);
	foreach (lc, factors.divisors)
		kept = bms_add_members(kept, ((TensorExpr *) lfirst(lc))->labels);
	if (sum_surplus_labels(&contractor, kept))
	{
		*heuristic = true;
		result = product_of(&contractor, FACTOR(contractor.nfactors) - 1);
	}
	else
	{
		if (!number_labels(&contractor.numbers, product->labels, &ignored) ||
			!number_labels(&contractor.numbers, kept, &contractor.kept))
			return product;
		for (int f = 0; f < contractor.nfactors; f++)
			number_labels(&contractor.numbers, contractor.factors[f]->labels,
						  &contractor.factor_labels[f]);
		result = flat_product(
			&contractor, choose_path(&contractor, path_of_product(&contractor, product)));
		*heuristic = *heuristic || contractor.heuristic;
	}
	foreach (lc, factors.modifiers)
		result = multiplied(&contractor, result, lfirst(lc));
	foreach (lc, factors.divisors)
		result = expr_map2(program, FUNCTION_DIVIDE, result, lfirst(lc));
	return result;
}

TensorExpr *
known_path(const Algebra *algebra, const TensorExpr *sum)
{
	return side_value(algebra->paths, sum);
}

void
note_path(Algebra *algebra, const TensorExpr *sum, const TensorExpr *contracted)
{
	set_side_value(algebra->paths, sum, contracted);
}
