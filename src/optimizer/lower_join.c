/*-------------------------------------------------------------------------
 *
 * lower_join.c
 *	  Makes an expression computable by one join, or by a union of joins.
 *
 * Aggregates inside an expression that were not taken out become stages of
 * their own, and so do sums of tensors with different supports where the rest of
 * the expression joins them to something: a[i,j] * (x[i] + y[i])^2 needs no such
 * stage (a decides), (x[i] + y[i])^2 * z[j] does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "expr/function_table.h"
#include "optimizer/contraction.h"
#include "optimizer/lowering.h"
#include "optimizer/support.h"

static bool
is_addition(const TensorExpr *expr)
{
	return expr->kind == EXPR_MAP &&
		   (expr->function == FUNCTION_ADD || expr->function == FUNCTION_SUBTRACT);
}

/* Are all terms of a sum 0 where they have no entries? */
static bool
terms_have_no_fill(const TensorExpr *expr)
{
	check_stack_depth();
	if (is_addition(expr))
		return terms_have_no_fill(expr->args[0]) && terms_have_no_fill(expr->args[1]);
	return expr->fill == 0.0 && expr->kind != EXPR_LITERAL;
}

bool
is_union(const TensorExpr *expr)
{
	return is_addition(expr) && terms_have_no_fill(expr);
}

TensorExpr *
core_below_post(TensorExpr *expr)
{
	while (expr->kind == EXPR_MAP)
	{
		TensorExpr *inner = NULL;

		for (int i = 0; i < expr->nargs; i++)
		{
			if (expr->args[i]->kind == EXPR_LITERAL)
				continue;
			if (inner)
				return is_union(expr) ? expr : NULL;
			inner = expr->args[i];
		}
		expr = inner;
	}
	return expr->kind == EXPR_AGGREGATE ? expr : NULL;
}

Kernel *
post_above(TensorExpr *expr, TensorExpr *core)
{
	Kernel *args[FUNCTION_MAX_ARGS];

	if (expr == core)
		return kernel_operand(0, core->type.type);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = expr->args[i]->kind == EXPR_LITERAL ? kernel_literal(expr->args[i])
													  : post_above(expr->args[i], core);
	return kernel_call(expr->function, args, expr->nargs);
}

/* Replaces one subexpression by another. */
static TensorExpr *
replace_expr(Program *program, TensorExpr *expr, TensorExpr *from, TensorExpr *to)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];

	if (expr == from)
		return to;
	if (expr->nargs == 0)
		return expr;
	for (int i = 0; i < expr->nargs; i++)
		args[i] = replace_expr(program, expr->args[i], from, to);
	if (expr->kind == EXPR_AGGREGATE)
		return expr_aggregate(program, expr->aggregate, expr->bound_labels, args[0],
							  expr->location);
	return expr_map(program, expr->function, args, expr->location);
}

/* Replaces the aggregates of a kernel by accesses to stages that compute them. */
static TensorExpr *
stage_out_aggregates(Lowering *lowering, TensorExpr *expr)
{
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *core;

	check_stack_depth();
	if (!contains_aggregate(expr))
		return expr;
	core = core_below_post(expr);
	if (core && (core->kind == EXPR_AGGREGATE))
		return substage(lowering, expr);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = stage_out_aggregates(lowering, expr->args[i]);
	return expr_map(lowering->program, expr->function, args, expr->location);
}

/*
 * A union on the multiplicative path from the root to an atom (any atom, if
 * NULL) that could be a stage of its own.
 */
static TensorExpr *
union_to_stage(TensorExpr *expr, const TensorExpr *atom)
{
	TensorExpr *found;

	if (expr->kind != EXPR_MAP)
		return NULL;
	if (is_union(expr))
		return atom == NULL || list_member_ptr(collect_atoms(expr), atom) ? expr : NULL;
	for (int i = 0; i < expr->nargs; i++)
	{
		const FunctionProperties *properties = function_properties(expr->function);

		if (expr->nargs > 1 && !(properties->zero_kills & (1u << i)))
			continue;
		found = union_to_stage(expr->args[i], atom);
		if (found)
			return found;
	}
	return NULL;
}

/*
 * Makes an expression computable by one join. Afterwards it has no aggregates;
 * unions that would leave it without a common support, or with labels only they
 * have, are stages of their own where they can be.
 */
static TensorExpr *
prepare_join(Lowering *lowering, TensorExpr *expr)
{
	expr = stage_out_aggregates(lowering, expr);
	for (;;)
	{
		List *atoms = collect_atoms(expr);
		uint64 deciding = killers(expr, atoms);
		Bitmapset *covered = NULL;
		TensorExpr *stage_this = NULL;
		ListCell *lc;

		if (bms_is_empty(expr->labels))
			return expr;
		if (deciding == 0)
			stage_this = union_to_stage(expr, NULL);
		else
		{
			foreach (lc, atoms)
			{
				if (deciding & (UINT64CONST(1) << foreach_current_index(lc)))
					covered =
						bms_add_members(covered, ((TensorExpr *) lfirst(lc))->labels);
			}
			foreach (lc, atoms)
			{
				if (!(deciding & (UINT64CONST(1) << foreach_current_index(lc))) &&
					!bms_is_subset(((TensorExpr *) lfirst(lc))->labels, covered))
					stage_this = union_to_stage(expr, lfirst(lc));
				if (stage_this)
					break;
			}
		}
		if (stage_this == NULL || stage_this == expr)
			return expr;
		expr = replace_expr(lowering->program, expr, stage_this,
							substage(lowering, stage_this));
	}
}

/* A part of an expression that might be computed first. */
typedef struct Part
{
	TensorExpr *expr;
	bool sparse; /* something decides its support */
	double size; /* its indices */
	int atoms;
} Part;

static bool
is_better_part(const Part *part, const Part *best)
{
	if (best->expr == NULL || part->sparse != best->sparse)
		return best->expr == NULL || part->sparse;
	if (part->size != best->size)
		return part->size < best->size;
	return part->atoms > best->atoms;
}

/*
 * The part that is best computed first: one that has entries only where
 * something is stored, with the fewest indices, and of those the one that
 * reads most.
 */
static void
find_part(Program *program, TensorExpr *expr, Part *best)
{
	List *atoms = collect_atoms(expr);
	Part part = {.expr = expr, .atoms = list_length(atoms)};

	check_stack_depth();
	if (part.atoms < 2)
		return;
	part.sparse = killers(expr, atoms) != 0;
	part.size = product_of_bounds(program, expr->labels);
	if (part.atoms <= STAGE_EASY_OPERANDS && is_better_part(&part, best))
		*best = part;
	for (int i = 0; i < expr->nargs; i++)
		find_part(program, expr->args[i], best);
}

/*
 * Makes stages of parts of an expression, as it is written, until one join can
 * read what it is made of.
 */
static TensorExpr *
split_expr(Lowering *lowering, TensorExpr *expr)
{
	int most = STAGE_MAX_OPERANDS;

	while (list_length(collect_atoms(expr)) > most)
	{
		Part part = {.expr = NULL};

		CHECK_FOR_INTERRUPTS();
		find_part(lowering->program, expr, &part);
		if (part.expr == NULL)
			break;
		most = STAGE_EASY_OPERANDS;
		lowering->graph->heuristic = true;
		expr = replace_expr(lowering->program, expr, part.expr,
							substage(lowering, part.expr));
	}
	return expr;
}

/* The terms of a union with their signs, in order. */
static void
flatten_union(TensorExpr *expr, bool negative, List **terms, List **signs)
{
	check_stack_depth();
	if (is_addition(expr))
	{
		flatten_union(expr->args[0], negative, terms, signs);
		flatten_union(expr->args[1],
					  expr->function == FUNCTION_SUBTRACT ? !negative : negative, terms,
					  signs);
		return;
	}
	if (expr->kind == EXPR_MAP && expr->function == FUNCTION_NEGATE &&
		is_addition(expr->args[0]))
	{
		flatten_union(expr->args[0], !negative, terms, signs);
		return;
	}
	*terms = lappend(*terms, expr);
	*signs = lappend_int(*signs, negative);
}

void
build_union(Lowering *lowering, Stage *stage, TensorExpr *expr)
{
	List *terms = NIL;
	List *signs = NIL;
	ListCell *lc;
	ListCell *ls;

	flatten_union(expr, false, &terms, &signs);
	stage->terms = palloc0(sizeof(Term) * list_length(terms));
	forboth (lc, terms, ls, signs)
	{
		Term *term = &stage->terms[stage->nterms];
		TensorExpr *body = prepare_join(lowering, lfirst(lc));

		build_term(lowering, stage, term, split_expr(lowering, body), NULL);
		if (lfirst_int(ls))
			term->kernel = kernel_call(FUNCTION_NEGATE, &term->kernel, 1);
		stage->nterms++;
	}
}

/* A part of a product that the contraction path aggregates first. */
static TensorExpr *
cut_part(void *context, TensorExpr *part)
{
	return substage((Lowering *) context, part);
}

void
build_join(Lowering *lowering, Stage *stage, TensorExpr *body, Bitmapset *aggregated)
{
	const PlanOptions *options = lowering->graph->options;
	bool heuristic = false;

	body = prepare_join(lowering, body);
	if (options->search != SEARCH_AS_WRITTEN && options->rewrite >= REWRITE_REASSOCIATE)
	{
		bool sums = stage->aggregate == AGGREGATE_SUM;

		/* parts that are better aggregated before they meet the rest */
		body = contract_product(lowering->program, options->estimator, body,
								sums ? aggregated : NULL, cut_part, lowering, &heuristic);
		if (sums)
			aggregated = bms_intersect(aggregated, body->labels);
		lowering->graph->heuristic = lowering->graph->heuristic || heuristic;
	}
	body = split_expr(lowering, body);
	stage->nterms = 1;
	stage->terms = palloc0(sizeof(Term));
	build_term(lowering, stage, &stage->terms[0], body, aggregated);
}
