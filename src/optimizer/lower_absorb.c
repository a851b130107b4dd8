/*-------------------------------------------------------------------------
 *
 * lower_absorb.c
 *	  Statements that those who read them absorb.
 *
 * A statement that is read once is absorbed where that repeats no work. One that
 * is read more often is computed once and kept, but for *scalings*: one tensor
 * times others over some of its labels, like the normalised adjacency of a graph,
 * n[i,j] = d[i] * a[i,j] * d[j]. Kept, n costs a join of all edges with each d,
 * and is as large as a. In a sum like n[i,j] * x[j,k] over j, d[j] may join x and
 * d[i] the result, which are smaller.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "optimizer/factors.h"
#include "optimizer/lowering.h"
#include "optimizer/support.h"

/* The aggregates of an expression that would not be its own stage's. */
static int
inner_aggregates(const TensorExpr *expr, const TensorExpr *core)
{
	int count = expr->kind == EXPR_AGGREGATE && expr != core ? 1 : 0;

	for (int i = 0; i < expr->nargs; i++)
		count += inner_aggregates(expr->args[i], core);
	return count;
}

static int
stages_of_sums(TensorExpr *expr)
{
	return inner_aggregates(expr, core_below_post(expr));
}

/* Has no join of an expression more references than it may have? */
static bool
can_be_joined(TensorExpr *expr)
{
	check_stack_depth();
	for (int i = 0; i < expr->nargs; i++)
	{
		if (!can_be_joined(expr->args[i]))
			return false;
		if (expr->kind == EXPR_AGGREGATE &&
			count_atoms(expr->args[i]) > SUPPORT_MAX_ATOMS)
			return false;
	}
	return true;
}

/* Is every label of a factor one of the tensor's, and some label not the factor's? */
static bool
scales(const TensorExpr *factor, const TensorExpr *scaled)
{
	return bms_subset_compare(factor->labels, scaled->labels) == BMS_SUBSET1 &&
		   !contains_aggregate(factor);
}

/*
 * Is a statement a scaling? Then *movable are the factors by which it scales its
 * tensor, and *fixed its divisors and what is divided by them, which cannot be
 * multiplied into a sum.
 */
static bool
split_scaling(Program *program, const Statement *statement, List **movable, List **fixed)
{
	Factors factors = {NIL, NIL, NIL};
	TensorExpr *scaled = NULL;
	ListCell *lc;

	*movable = NIL;
	*fixed = NIL;
	if (count_atoms(statement->expr) > SUPPORT_MAX_ATOMS)
		return false;
	split_product(program, statement->expr, &factors);
	foreach (lc, factors.killers)
	{
		TensorExpr *factor = lfirst(lc);

		if (scaled == NULL && factor->kind == EXPR_ACCESS &&
			factor->nindices == statement->noutput &&
			bms_num_members(factor->labels) == statement->noutput)
			scaled = factor;
		else if (killer_is_divided(&factors, foreach_current_index(lc)))
			*fixed = lappend(*fixed, factor);
		else
			*movable = lappend(*movable, factor);
	}
	foreach (lc, factors.modifiers)
	{
		if (modifier_is_divided(&factors, foreach_current_index(lc)))
			*fixed = lappend(*fixed, lfirst(lc));
		else
			*movable = lappend(*movable, lfirst(lc));
	}
	foreach (lc, factors.divisors)
		*fixed = lappend(*fixed, ((const Divisor *) lfirst(lc))->expr);
	if (scaled == NULL)
		return false;
	foreach (lc, list_concat_copy(*movable, *fixed))
	{
		if (!scales(lfirst(lc), scaled))
			return false;
	}
	return true;
}

/* The labels of a scaling where its statement is accessed. */
static Bitmapset *
accessed_labels(const Statement *statement, const TensorExpr *access,
				const TensorExpr *scaling)
{
	Bitmapset *labels = NULL;

	for (int d = 0; d < statement->noutput; d++)
	{
		if (bms_is_member(statement->output[d], scaling->labels))
			labels = bms_add_member(labels, access->indices[d]);
	}
	return labels;
}

/* Do other factors have these labels, so that what scales may join one of them? */
static bool
joins_another(const List *factors, const TensorExpr *access, const Bitmapset *labels)
{
	ListCell *lc;

	foreach (lc, factors)
	{
		const TensorExpr *factor = lfirst(lc);

		if (factor != access && bms_is_subset(labels, factor->labels))
			return true;
	}
	return false;
}

/*
 * The accesses to a scaling that are factors of a sum in which all that scales
 * may be joined elsewhere than with the tensor that is scaled.
 */
static int
count_movable(Program *program, TensorExpr *expr, const Statement *statement,
			  const List *movable, const List *fixed)
{
	Factors factors = {NIL, NIL, NIL};
	int count = 0;
	ListCell *lc;

	check_stack_depth();
	for (int i = 0; i < expr->nargs; i++)
		count += count_movable(program, expr->args[i], statement, movable, fixed);
	if (expr->kind != EXPR_AGGREGATE || expr->aggregate != AGGREGATE_SUM ||
		count_atoms(expr->args[0]) > SUPPORT_MAX_ATOMS)
		return count;
	split_product(program, expr->args[0], &factors);
	foreach (lc, factors.killers)
	{
		const TensorExpr *access = lfirst(lc);
		bool divided = killer_is_divided(&factors, foreach_current_index(lc));
		bool moves = true;
		ListCell *ls;

		if (access->kind != EXPR_ACCESS || access->tensor != statement->target)
			continue;
		foreach (ls, movable)
		{
			Bitmapset *labels = accessed_labels(statement, access, lfirst(ls));

			moves = moves && ((!divided && !bms_overlap(labels, expr->bound_labels)) ||
							  joins_another(factors.killers, access, labels));
		}
		foreach (ls, fixed)
			moves =
				moves && joins_another(factors.killers, access,
									   accessed_labels(statement, access, lfirst(ls)));
		count += moves;
	}
	return count;
}

/* What a reader becomes with a statement in it; NULL if that cannot be. */
static TensorExpr *
merge(Program *program, const Statement *reader, const Statement *statement,
	  RewriteLevel level)
{
	TensorExpr *merged;

	if (reader->body_pinned)
		return NULL;
	merged = normalize_expr(
		program, inline_definition(program, reader->expr, statement->target), level);
	if (expr_size(merged, NULL, KERNEL_MAX_NODES) > KERNEL_MAX_NODES ||
		count_atoms(merged) > SUPPORT_MAX_ATOMS || !can_be_joined(merged) ||
		stages_of_sums(merged) > stages_of_sums(reader->expr))
		return NULL;
	return merged;
}

/*
 * The statements that read one and have not been absorbed; NIL if it must be
 * computed by itself since they read it more than once.
 */
static List *
find_readers(Program *program, const Statement *statement, const List *absorbed)
{
	List *readers = NIL;
	List *movable;
	List *fixed;
	bool scaling = split_scaling(program, statement, &movable, &fixed);
	int reads = 0;
	int moved = 0;
	ListCell *lc;

	foreach (lc, program->statements)
	{
		Statement *reader = lfirst(lc);
		int count = count_accesses(reader->expr, statement->target);

		if (count == 0 || list_member_ptr(absorbed, reader))
			continue;
		readers = lappend(readers, reader);
		reads += count;
		if (scaling)
			moved += count_movable(program, reader->expr, statement, movable, fixed);
	}
	return reads == 1 || moved == reads ? readers : NIL;
}

/* Lets all readers of a statement absorb it, if all can. */
static bool
absorb_statement(Program *program, const Statement *statement, const List *absorbed,
				 RewriteLevel level)
{
	List *merged = NIL;
	List *readers;
	ListCell *lc;
	ListCell *lm;

	if (statement->pinned || is_union(statement->expr))
		return false;
	readers = find_readers(program, statement, absorbed);
	foreach (lc, readers)
	{
		TensorExpr *expr = merge(program, lfirst(lc), statement, level);

		if (expr == NULL)
			return false;
		merged = lappend(merged, expr);
	}
	forboth (lc, readers, lm, merged)
		((Statement *) lfirst(lc))->expr = lfirst(lm);
	return readers != NIL;
}

List *
absorb_statements(Program *program, const PlanOptions *options)
{
	List *absorbed = NIL;
	ListCell *lc;

	if (options->search == SEARCH_AS_WRITTEN || options->rewrite < REWRITE_DISTRIBUTE)
		return NIL;
	foreach (lc, program->statements)
	{
		if (absorb_statement(program, lfirst(lc), absorbed, options->rewrite))
			absorbed = lappend(absorbed, lfirst(lc));
	}
	return absorbed;
}
