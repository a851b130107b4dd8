/*-------------------------------------------------------------------------
 *
 * kernel_sums.c
 *	  Sums that are computed in the kernel of the join that reads them.
 *
 * In a[i,j] * exp(sum[k] q[i,k] * p[j,k]) the sum is needed where a is not 0. If k is a
 * dimension, one join of a, q and p has all operands in a row: the kernel computes the
 * sum, and applies exp to it. So the sum has no stage of its own, whose result would be
 * joined with a again, and it need not be restricted to where a is not 0 (restrict.c),
 * since a leaves out the other rows. Stored zeros of a need no test either: the kernel
 * computes every row as the expression is written.
 *
 * A * region* is what one join computes: the functions above accesses and aggregates. The
 * kernel may compute a sum of the region if an operand of the region decides where there
 * are rows, and has no label that the sum lacks, along which the sum would be repeated. A
 * sum that is a factor of the whole region is left: it is multiplied out (normalize.c)
 * and summed by the stage. Terms of a sum are a region each, since a union joins each by
 * itself. These rules look at a region alone, so that a stage that is written as a
 * statement has the same kernel sums.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/kernel_sums.h"
#include "algebra/keys.h"
#include "algebra/support.h"
#include "expr/function_table.h"
#include "expr/walk.h"
#include "recursion.h"

/* Maximum of labels of a region; the stage's result may have more than its operands. */
#define REGION_MAX_LABELS (ESTIMATE_MAX_LABELS - TENSOR_MAX_RANK)

typedef struct Region
{
	Algebra *algebra;
	const TensorExpr *top;
	const List *deciding; /* its killers */
	List *sums;           /* sums that its kernel computes, as aggregates */
	List *kernel_sums;    /* the same sums, as kernel sums */
	Bitmapset *summed;    /* bound labels of the kernel sums */
	SideTable *done[2];   /* by whether the node is a factor of the region */
} Region;

/*
 * Can the kernel compute a sum? The sum's labels must be dimensions of all values that
 * have them, and must not be labels of the region.
 */
static bool
fits_kernel(const Region *region, const TensorExpr *sum)
{
	int label = -1;

	if (bms_overlap(sum->bound_labels, region->top->labels) ||
		bms_num_members(sum->labels) > TENSOR_MAX_RANK)
		return false;
	while ((label = bms_next_member(sum->bound_labels, label)) >= 0)
	{
		const ProgramLabel *summed = &region->algebra->program->labels[label];

		if (bound_is_open(summed->bound) ||
			(summed->pin != PIN_NONE && summed->pin != PIN_DEMOTED))
			return false;
	}
	return true;
}

/* Does a killer of the region say where a sum is needed? */
static bool
is_decided(const Region *region, const TensorExpr *sum)
{
	ListCell *lc;

	foreach (lc, region->deciding)
	{
		const TensorExpr *killer = lfirst(lc);

		/* an aggregate does not count: it may be dense, or be this sum */
		if (killer->kind == EXPR_ACCESS && !bms_is_empty(killer->labels) &&
			bms_is_subset(killer->labels, sum->labels))
			return true;
	}
	return false;
}

/*
 * Returns the sum with bound labels that no other kernel sum of the region has; renames
 * shared ones.
 */
static TensorExpr *
sum_with_own_labels(const Region *region, TensorExpr *sum)
{
	Program *program = region->algebra->program;
	Bitmapset *shared = bms_intersect(sum->bound_labels, region->summed);
	Bitmapset *taken = bms_union(region->summed, region->top->labels);
	int label = -1;

	if (bms_is_empty(shared))
		return sum;
	while ((label = bms_next_member(shared, label)) >= 0)
	{
		/* this may move the program's array of labels */
		int twin = program_twin_beside(program, label, taken);

		program->renaming[label] = twin;
		taken = bms_add_member(taken, twin);
	}
	sum = rename_labels(program, sum, program->renaming);
	label = -1;
	while ((label = bms_next_member(shared, label)) >= 0)
		program->renaming[label] = -1;
	return sum;
}

/* Are two expressions equal, up to the names of bound labels? */
static bool
is_same(Algebra *algebra, const TensorExpr *a, const TensorExpr *b)
{
	const ExprKey *one = key_of(algebra, a);
	const ExprKey *other = key_of(algebra, b);

	return one->number == other->number &&
		   (one->nlabels == 0 ||
			memcmp(one->labels, other->labels, sizeof(int) * one->nlabels) == 0);
}

/* Returns a sum as a kernel sum, if that is possible; equal sums become one. */
static TensorExpr *
sum_in_region(Region *region, TensorExpr *sum)
{
	TensorExpr *result;
	ListCell *ls;
	ListCell *lk;

	forboth (ls, region->sums, lk, region->kernel_sums)
	{
		if (is_same(region->algebra, lfirst(ls), sum))
			return lfirst(lk);
	}
	if (sum->aggregate != AGGREGATE_SUM || !is_decided(region, sum) ||
		!fits_kernel(region, sum))
		return sum;
	result = expr_kernel_sum(region->algebra->program, sum_with_own_labels(region, sum));
	region->sums = lappend(region->sums, sum);
	region->kernel_sums = lappend(region->kernel_sums, result);
	region->summed = bms_add_members(region->summed, result->bound_labels);
	return result;
}

static TensorExpr *
in_region(Region *region, TensorExpr *expr, bool factor)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	if (!expr->has_aggregate)
		return expr;
	if (expr->kind == EXPR_MATRIX)
		return expr;
	if (expr->kind == EXPR_AGGREGATE)
		return factor ? expr : sum_in_region(region, expr);
	result = side_value(region->done[factor], expr);
	if (result)
		return result;
	for (int i = 0; i < expr->nargs; i++)
	{
		bool multiplies =
			(function_properties(expr->function)->linear_in & (1u << i)) != 0;

		args[i] = in_region(region, expr->args[i], factor && multiplies);
	}
	result = expr_with_args(region->algebra->program, expr, args);
	set_side_value(region->done[factor], expr, result);
	return result;
}

/*
 * Returns a region with those of its sums that its kernel may compute turned into kernel
 * sums.
 */
static TensorExpr *
region_with_sums(Algebra *algebra, TensorExpr *expr)
{
	Region region = {.algebra = algebra, .top = expr};
	List *deciding = NIL;
	uint64 positions;
	TensorExpr *result;
	ListCell *lc;

	if (expr->kind != EXPR_MAP || !expr->has_aggregate ||
		count_atoms(algebra, expr) > algebra->limits.atoms)
		return expr;
	positions = killers(algebra, expr);
	foreach (lc, collect_atoms(algebra, expr))
	{
		if (positions & (UINT64CONST(1) << foreach_current_index(lc)))
			deciding = lappend(deciding, lfirst(lc));
	}
	region.deciding = deciding;
	region.done[false] = new_side_table(16);
	region.done[true] = new_side_table(16);
	result = in_region(&region, expr, true);
	free_side_table(region.done[false]);
	free_side_table(region.done[true]);
	/* a region that is too much for one stage keeps its sums as aggregates */
	if (count_atoms(algebra, result) > algebra->limits.atoms ||
		list_length(region.sums) > algebra->limits.atoms ||
		bms_num_members(expr->labels) + bms_num_members(region.summed) >
			REGION_MAX_LABELS)
		return expr;
	return result;
}

/* Turns a kernel sum of a region back into an aggregate; NULL: look below this node. */
static TensorExpr *
without_kernel_sum(TensorExpr *expr, void *program)
{
	if (!expr->has_aggregate || expr->kind == EXPR_AGGREGATE || expr->kind == EXPR_MATRIX)
		return expr;
	if (expr->kind == EXPR_KERNEL_SUM)
		return expr_aggregate(program, AGGREGATE_SUM, expr->bound_labels, expr->args[0],
							  expr->location);
	return NULL;
}

TensorExpr *
sums_in_kernel(Algebra *algebra, TensorExpr *expr)
{
	TensorExpr *without =
		change_expr(algebra->program, expr, without_kernel_sum, algebra->program);

	return without == expr ? expr : region_with_sums(algebra, without);
}

/* Results of a walk, by whether the node is the top of a region. */
typedef struct RegionWalk
{
	Algebra *algebra;
	SideTable *done[2];
} RegionWalk;

static TensorExpr *walk_aggregates(RegionWalk *walk, TensorExpr *expr);

/*
 * Is the expression a sum of terms that are 0 where they have no entries? Each term is a
 * join of its own.
 */
static bool
is_sum_of_terms(const TensorExpr *expr)
{
	if (!expr_is_addition(expr) && !expr_is_map(expr, FUNCTION_NEGATE))
		return false;
	for (int i = 0; i < expr->nargs; i++)
	{
		if (expr->args[i]->fill != 0.0 || expr->args[i]->kind == EXPR_LITERAL)
			return false;
	}
	return true;
}

/*
 * Rewrites all regions of an expression that is the top of a region, or of one for each
 * term.
 */
static TensorExpr *
walk_region(RegionWalk *walk, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	if (!expr->has_aggregate)
		return expr;
	if (!is_sum_of_terms(expr))
		return walk_aggregates(walk, region_with_sums(walk->algebra, expr));
	result = side_value(walk->done[true], expr);
	if (result)
		return result;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = walk_region(walk, expr->args[i]);
	result = expr_with_args(walk->algebra->program, expr, args);
	set_side_value(walk->done[true], expr, result);
	return result;
}

/* Rewrites the regions below the aggregates of a region. */
static TensorExpr *
walk_aggregates(RegionWalk *walk, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result;

	enter_recursion();
	if (!expr->has_aggregate || expr->kind == EXPR_KERNEL_SUM)
		return expr;
	result = side_value(walk->done[false], expr);
	if (result)
		return result;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = expr->kind == EXPR_AGGREGATE || expr->kind == EXPR_MATRIX
					  ? walk_region(walk, expr->args[i])
					  : walk_aggregates(walk, expr->args[i]);
	result = expr_with_args(walk->algebra->program, expr, args);
	set_side_value(walk->done[false], expr, result);
	return result;
}

TensorExpr *
sums_in_kernels(Algebra *algebra, TensorExpr *expr)
{
	RegionWalk walk = {algebra, {new_side_table(64), new_side_table(64)}};
	TensorExpr *result = walk_region(&walk, expr);

	free_side_table(walk.done[false]);
	free_side_table(walk.done[true]);
	return result;
}
