/*-------------------------------------------------------------------------
 *
 * contraction.c
 *	  The contraction path of a product of two or more factors.
 *
 * Dynamic programming over the subsets of factors (exact up to 12), greedy by
 * pairs beyond. A subset sums the labels that neither the result nor a factor
 * outside needs. Costs are entries, before any decomposition is chosen: those
 * of each pairwise join, and those of each sum that has to be kept.
 *
 * This is variable elimination seen from the factors (Galley, section 5): the
 * subsets that sum something are the elimination steps.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "algebra/contraction.h"
#include "algebra/factors.h"
#include "algebra/groups.h"
#include "algebra/late_factors.h"
#include "algebra/support.h"

#define EXACT_FACTORS 12
#define EXACT_FACTORS_BOUNDED 9 /* where each estimate is a search of its own */
#define MAX_FACTORS SUPPORT_MAX_ATOMS

/* Of keeping what is beyond a limit: more than any number of entries. */
#define UNFIT_COST 1e150

/* What sums something may stay in the join of the rest. */
static const FormOption flat[2] = {{NULL}, {"flat join"}};

typedef uint64 FactorMask;
#define FACTOR(f) (UINT64CONST(1) << (f))

/* The best way found to contract a subset of the factors. */
typedef struct Contraction
{
	FactorMask factors;
	bool known;
	double cost;
	FactorMask left; /* one of the two parts, 0 for a single factor */
	/* a part that is a single factor is summed over its own labels first */
	bool presum_left;
	bool presum_right;
	bool sums; /* some label is summed out when the parts have met */
	Estimate result;
} Contraction;

typedef struct Contractor
{
	Algebra *algebra;
	int nfactors;
	TensorExpr *factors[MAX_FACTORS];
	LabelMask factor_labels[MAX_FACTORS];
	Contraction summed[MAX_FACTORS]; /* factors without the labels only they have */
	int most;                        /* operands of a flat join */
	bool heuristic;                  /* not all paths were looked at */
	LabelMask kept; /* labels of the result and of what is multiplied in last */
	LabelNumbers numbers;
	Contraction *made; /* by subset if exact, else in the order they were made */
	int nmade;         /* 0 if exact */
} Contractor;

/* The labels that a subset of the factors has to keep. */
static LabelMask
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

/*
 * May a result over these labels be kept, in the decomposition that pins force?
 * If not, other paths are taken where there are any, whatever they cost: which
 * programs are within the limits is not for estimates to say.
 */
static bool
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
			entries *= (double) label->bound;
		else if (label->pin == PIN_BLOCKED)
			entries *= (double) Min(label->block, label->bound);
	}
	return pg_popcount32(labels) <= TENSOR_MAX_RANK &&
		   entries * sizeof(double) <= contractor->algebra->limits.bytes;
}

/* Joins two parts into *joined; true if that is the cheapest yet. */
static bool
join_parts(const Contractor *contractor, const Contraction *a, const Contraction *b,
		   Contraction *joined)
{
	FactorMask factors = a->factors | b->factors;
	LabelMask needed = needed_labels(contractor, factors);
	Estimate product;
	double cost;
	bool sums;

	if (joined->known && joined->cost <= a->cost + b->cost)
		return false;
	contractor->algebra->estimator->intersect(&product, &a->result, &b->result,
											  contractor->numbers.bounds);
	sums = (product.labels & ~needed) != 0;
	cost = a->cost + b->cost + product.entries;
	if (sums)
	{
		contractor->algebra->estimator->aggregate(&product, &product, needed);
		cost += product.entries;
		if (!part_fits(contractor, product.labels))
			cost += UNFIT_COST;
	}
	if (joined->known && joined->cost <= cost)
		return false;
	joined->factors = factors;
	joined->known = true;
	joined->cost = cost;
	joined->left = a->factors;
	joined->sums = sums;
	joined->result = product;
	return true;
}

/* The summed form of a part, if it is a factor that has one. */
static const Contraction *
summed_part(const Contractor *contractor, const Contraction *part)
{
	const Contraction *summed;

	if (part->left != 0)
		return NULL;
	summed = &contractor->summed[pg_rightmost_one_pos64(part->factors)];
	return summed->known ? summed : NULL;
}

/* Joins two parts in the cheapest of their forms. */
static void
try_join(const Contractor *contractor, const Contraction *a, const Contraction *b,
		 Contraction *joined)
{
	const Contraction *forms_a[2] = {a, summed_part(contractor, a)};
	const Contraction *forms_b[2] = {b, summed_part(contractor, b)};

	for (int i = 0; i < 4; i++)
	{
		const Contraction *form_a = forms_a[i / 2];
		const Contraction *form_b = forms_b[i % 2];

		if (form_a && form_b && join_parts(contractor, form_a, form_b, joined))
		{
			joined->presum_left = i / 2 == 1;
			joined->presum_right = i % 2 == 1;
		}
	}
}

/*
 * A single factor, and what it is when the labels that only it has are summed
 * out: e[i,j] * e[i,k] * e[i,l] summed over j, k and l need never join two e.
 */
static void
single_factor(Contractor *contractor, int factor, Contraction *single)
{
	Contraction *summed = &contractor->summed[factor];
	LabelMask needed = needed_labels(contractor, FACTOR(factor));

	memset(single, 0, sizeof(Contraction));
	single->factors = FACTOR(factor);
	single->known = true;
	estimate_factor(contractor->algebra, &contractor->numbers,
					contractor->factors[factor], &single->result);
	*summed = *single;
	summed->known = (single->result.labels & ~needed) != 0;
	if (!summed->known)
		return;
	contractor->algebra->estimator->aggregate(&summed->result, &single->result, needed);
	summed->cost = single->result.entries + summed->result.entries;
}

/* Exact: every subset's best split, connected splits where there are any. */
static void
contract_exactly(Contractor *contractor)
{
	FactorMask all = FACTOR(contractor->nfactors) - 1;
	Contraction *best = palloc0(sizeof(Contraction) * ((Size) all + 1));

	for (int f = 0; f < contractor->nfactors; f++)
		single_factor(contractor, f, &best[FACTOR(f)]);
	for (FactorMask subset = 1; subset <= all; subset++)
	{
		if (best[subset].known)
			continue;
		CHECK_FOR_INTERRUPTS();
		for (int connected = 1; connected >= 0 && !best[subset].known; connected--)
		{
			for (FactorMask left = (subset - 1) & subset; left > 0;
				 left = (left - 1) & subset)
			{
				const Contraction *a = &best[left];
				const Contraction *b = &best[subset & ~left];

				if (left < (subset & ~left))
					continue; /* the mirror image */
				if (connected && !(a->result.labels & b->result.labels))
					continue;
				try_join(contractor, a, b, &best[subset]);
			}
		}
		cap_by_chain(&best[subset].result);
	}
	contractor->made = best;
}

/*
 * Greedy: always the pair whose result is least in excess of its parts.
 */
static void
contract_greedily(Contractor *contractor)
{
	int n = contractor->nfactors;
	Contraction *made = palloc0(sizeof(Contraction) * 2 * n);
	int *open = palloc(sizeof(int) * n);
	int nopen = n;

	for (int f = 0; f < n; f++)
	{
		single_factor(contractor, f, &made[f]);
		open[f] = f;
	}
	while (nopen > 1)
	{
		Contraction cheapest = {.known = false};
		int best_a = 0;
		int best_b = 1;
		double best_excess = INFINITY;

		CHECK_FOR_INTERRUPTS();
		for (int a = 0; a < nopen; a++)
		{
			for (int b = a + 1; b < nopen; b++)
			{
				Contraction joined = {.known = false};
				double excess;

				try_join(contractor, &made[open[a]], &made[open[b]], &joined);
				excess = joined.result.entries - made[open[a]].result.entries -
						 made[open[b]].result.entries;
				if (joined.cost >= UNFIT_COST)
					excess += UNFIT_COST;
				if (!(made[open[a]].result.labels & made[open[b]].result.labels))
					excess = Max(excess, 0) + 1e100; /* a cross product comes last */
				if (!cheapest.known || excess < best_excess)
				{
					cheapest = joined;
					best_excess = excess;
					best_a = a;
					best_b = b;
				}
			}
		}
		made[n] = cheapest;
		open[best_a] = n++;
		open[best_b] = open[--nopen];
	}
	contractor->made = made;
	contractor->nmade = n;
}

static const Contraction *
find_contraction(const Contractor *contractor, FactorMask factors)
{
	if (contractor->nmade == 0)
		return &contractor->made[factors];
	for (int i = 0; i < contractor->nmade; i++)
	{
		if (contractor->made[i].factors == factors)
			return &contractor->made[i];
	}
	elog(ERROR, "contraction not found");
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

/* The product of the factors of a subset, as written. */
static TensorExpr *
product_of(const Contractor *contractor, FactorMask subset)
{
	TensorExpr *product = NULL;

	for (int f = 0; f < contractor->nfactors; f++)
	{
		if (subset & FACTOR(f))
			product = multiply_in(contractor->algebra->program, product,
								  contractor->factors[f]);
	}
	return product;
}

/* The group of a product of a subset of the factors, summed if it sums something. */
static TensorExpr *
cut_product(const Contractor *contractor, FactorMask subset, TensorExpr *product)
{
	LabelMask needed = needed_labels(contractor, subset);
	Bitmapset *summed = NULL;

	for (int i = 0; i < contractor->numbers.nlabels; i++)
	{
		if (!(needed & (1u << i)) &&
			bms_is_member(contractor->numbers.labels[i], product->labels))
			summed = bms_add_member(summed, contractor->numbers.labels[i]);
	}
	return group_access(contractor->algebra,
						expr_aggregate(contractor->algebra->program, AGGREGATE_SUM,
									   summed, product, product->location));
}

/* What would a product of two parts read, were it one join? */
static int
joined_operands(Algebra *algebra, TensorExpr *left, TensorExpr *right)
{
	return count_atoms(algebra, multiply_in(algebra->program, left, right));
}

/*
 * The product of a subset in which parts that sum something are groups, and those
 * that together are too many for one join. The path of what a group sums is found
 * when its turn comes.
 */
static TensorExpr *
flat_product(Contractor *contractor, FactorMask subset, bool top, bool presum)
{
	const Contraction *contraction = find_contraction(contractor, subset);
	FactorMask parts[2];
	TensorExpr *products[2];
	int larger;

	check_stack_depth();
	if (contraction->left == 0 && !presum)
		return product_of(contractor, subset);
	/* what is not cut is summed where all have met */
	if ((presum || (!top && contraction->sums)) &&
		!choose_law(contractor->algebra->choices, flat))
		return cut_product(contractor, subset, product_of(contractor, subset));
	if (contraction->left == 0)
		return product_of(contractor, subset);
	for (int i = 0; i < 2; i++)
	{
		parts[i] = i == 0 ? contraction->left : subset & ~contraction->left;
		products[i] =
			flat_product(contractor, parts[i], false,
						 i == 0 ? contraction->presum_left : contraction->presum_right);
	}
	/* the larger part first: the other may do then */
	larger = count_atoms(contractor->algebra, products[1]) >
			 count_atoms(contractor->algebra, products[0]);
	for (int i = 0; i < 2; i++)
	{
		int which = i == 0 ? larger : 1 - larger;

		if (joined_operands(contractor->algebra, products[0], products[1]) >
				contractor->most &&
			count_atoms(contractor->algebra, products[which]) > 1)
		{
			/* what was cut off inside it stays, and is read by it */
			products[which] = cut_product(contractor, parts[which], products[which]);
			contractor->heuristic = true;
		}
	}
	return multiply_in(contractor->algebra->program, products[0], products[1]);
}

/*
 * Notes the factors; a square is one factor: joining a relation to itself would be
 * wasteful. False if they are too many.
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
		contractor->factors[f] = f < contractor->nfactors
									 ? expr_map2(algebra->program, FUNCTION_MULTIPLY,
												 contractor->factors[f], factor)
									 : factor;
		contractor->nfactors = Max(contractor->nfactors, f + 1);
	}
	return true;
}

TensorExpr *
contract_product(Algebra *algebra, TensorExpr *product, Bitmapset *aggregated,
				 bool *heuristic)
{
	Program *program = algebra->program;
	Contractor contractor = {.algebra = algebra,
							 .most = algebra->limits.atoms,
							 .numbers = {.program = program}};
	bool too_many = count_atoms(algebra, product) > algebra->limits.atoms;
	Factors factors = {NIL, NIL, NIL};
	TensorExpr *result;
	Bitmapset *kept;
	LabelMask ignored;
	ListCell *lc;

	result = multiply_late(algebra, product, aggregated);
	if (result)
		return result;
	if (too_many)
		contractor.most = algebra->limits.easy_atoms;
	split_product(algebra, product, &factors);
	/* what has too many operands is best read with what decides its support first */
	if (factors.killers == NIL || (list_length(factors.killers) == 1 && !too_many))
		return product;
	factors.divisors = attach_divisors(program, &factors);
	factors.modifiers = attach_modifiers(program, factors.killers, factors.modifiers);
	if (!note_factors(&contractor, factors.killers) ||
		(!too_many && (contractor.nfactors < 2 || bms_is_empty(aggregated))))
		return product;

	kept = bms_difference(product->labels, aggregated);
	foreach (lc, factors.modifiers)
		kept = bms_add_members(kept, ((TensorExpr *) lfirst(lc))->labels);
	foreach (lc, factors.divisors)
		kept = bms_add_members(kept, ((TensorExpr *) lfirst(lc))->labels);
	if (!number_labels(&contractor.numbers, product->labels, &ignored) ||
		!number_labels(&contractor.numbers, kept, &contractor.kept))
		return product;
	for (int f = 0; f < contractor.nfactors; f++)
		number_labels(&contractor.numbers, contractor.factors[f]->labels,
					  &contractor.factor_labels[f]);

	contractor.heuristic =
		contractor.nfactors >
		(algebra->estimator->is_bound ? EXACT_FACTORS_BOUNDED : EXACT_FACTORS);
	if (contractor.heuristic)
		contract_greedily(&contractor);
	else
		contract_exactly(&contractor);
	result = flat_product(&contractor, FACTOR(contractor.nfactors) - 1, true, false);

	*heuristic = *heuristic || contractor.heuristic;
	foreach (lc, factors.modifiers)
		result = expr_map2(program, FUNCTION_MULTIPLY, result, lfirst(lc));
	foreach (lc, factors.divisors)
		result = expr_map2(program, FUNCTION_DIVIDE, result, lfirst(lc));
	return result;
}
