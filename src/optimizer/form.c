/*-------------------------------------------------------------------------
 *
 * form.c
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

#include <math.h>

#include "miscadmin.h"

#include "algebra/contraction.h"
#include "algebra/groups.h"
#include "algebra/kernel_sums.h"
#include "algebra/support.h"
#include "expr/function_table.h"
#include "expr/side_table.h"
#include "expr/walk.h"
#include "optimizer/lowering.h"
#include "recursion.h"

/* Is it 0 - x, which unlike -x has no -0? */
static bool
is_negation(const TensorExpr *expr)
{
	return expr_is_map(expr, FUNCTION_SUBTRACT) && EXPR_IS_LITERAL(expr->args[0], 0.0);
}

static bool
is_addition(const TensorExpr *expr)
{
	return expr_is_addition(expr) && !is_negation(expr);
}

/* Are all terms of a sum 0 where they have no entries? */
static bool
terms_have_no_fill(const TensorExpr *expr)
{
	enter_recursion();
	if (is_addition(expr))
		return terms_have_no_fill(expr->args[0]) && terms_have_no_fill(expr->args[1]);
	if (is_negation(expr))
		return terms_have_no_fill(expr->args[1]);
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
		if (inner == NULL)
			return NULL;
		expr = inner;
	}
	return expr->kind == EXPR_AGGREGATE ? expr : NULL;
}

/* May factors be multiplied in another order than they are written? */
static bool
may_reassociate(const Lowering *lowering)
{
	const PlanOptions *options = lowering->graph->options;

	return options->search != SEARCH_AS_WRITTEN &&
		   options->rewrite >= REWRITE_REASSOCIATE;
}

/*
 * Returns an access to the stage that computes an expression; the stage is made at first
 * use.
 */
static TensorExpr *
substage(Lowering *lowering, TensorExpr *expr)
{
	TensorExpr *access = group_access(lowering->algebra, expr);

	lower_group(lowering, access->tensor);
	return access;
}

static TensorExpr *contracted_body(Lowering *lowering, TensorExpr *core, bool *folds);

/*
 * Returns the product of groups that takes the place of a sum, if its contraction path
 * leaves nothing to be summed, as in (sum[i] x[i,k]) * (sum[j] y[j,k]), and that is the
 * form to take. A sum that is a group already is read.
 */
static TensorExpr *
product_of_groups(Lowering *lowering, TensorExpr *sum)
{
	static const FormOption product[2] = {{NULL}, {"product of groups"}};
	Algebra *algebra = lowering->algebra;
	TensorExpr *contracted;
	bool folds;

	if (!expr_is_sum(sum) || !may_reassociate(lowering) || is_read_as_group(algebra, sum))
		return NULL;
	contracted = contracted_body(lowering, sum, &folds);
	note_path(algebra, sum, contracted);
	if (bms_overlap(contracted->labels, sum->bound_labels) ||
		!expr_can_replace(contracted, sum) ||
		!choose_law(algebra->choices, FORMS_OF_CUTS, product))
		return NULL;
	return contracted;
}

/*
 * Returns what takes the place of an aggregate in a kernel: mostly an access to the stage
 * that computes it.
 */
static TensorExpr *
stage_out_aggregate(TensorExpr *expr, void *context)
{
	Lowering *lowering = context;
	TensorExpr *core;

	enter_recursion();
	if (!expr->has_aggregate)
		return expr;
	core = core_below_post(expr);
	if ((core && core->kind == EXPR_AGGREGATE) || expr->kind == EXPR_MATRIX)
	{
		TensorExpr *product = core ? product_of_groups(lowering, core) : NULL;

		return product ? replace_expr(lowering->program, expr, core, product)
					   : substage(lowering, expr);
	}
	return NULL;
}

/*
 * Returns an expression for one join, in which accesses to stages replace the aggregates.
 * A kernel sum gets a stage, too, if no operand of this join decides where it is needed.
 */
static TensorExpr *
settle_sums(Lowering *lowering, TensorExpr *expr)
{
	return change_expr(lowering->program, sums_in_kernel(lowering->algebra, expr),
					   stage_out_aggregate, lowering);
}

/*
 * Returns a union that could be a stage of its own, on the multiplicative path from the
 * root to an atom (any atom if NULL).
 */
static TensorExpr *
find_union(Algebra *algebra, SideTable *seen, TensorExpr *expr, const TensorExpr *atom)
{
	TensorExpr *found;

	enter_recursion();
	if (expr->kind != EXPR_MAP || side_value(seen, expr))
		return NULL;
	set_side_value(seen, expr, expr);
	if (is_union(expr))
		return atom == NULL || list_member_ptr(collect_atoms(algebra, expr), atom) ? expr
																				   : NULL;
	for (int i = 0; i < expr->nargs; i++)
	{
		const FunctionProperties *properties = function_properties(expr->function);

		if (expr->nargs > 1 && !(properties->zero_kills & (1u << i)))
			continue;
		found = find_union(algebra, seen, expr->args[i], atom);
		if (found)
			return found;
	}
	return NULL;
}

static TensorExpr *
union_to_stage(Algebra *algebra, TensorExpr *expr, const TensorExpr *atom)
{
	SideTable *seen = new_side_table(32);
	TensorExpr *found = find_union(algebra, seen, expr, atom);

	free_side_table(seen);
	return found;
}

/*
 * Returns the tensors and groups that an expression reads.
 *
 * Errors: 54000 if there are too many.
 */
static const List *
joined_atoms(Lowering *lowering, TensorExpr *expr)
{
	if (count_atoms(lowering->algebra, expr) > SUPPORT_MAX_ATOMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an expression has more than %d references", SUPPORT_MAX_ATOMS),
				 errdetail("A tensor with its labels is a reference, and so is a sum in "
						   "the expression; each counts once."),
				 errhint("Define parts of it in statements of their own."),
				 program_errposition(lowering->program->text, expr->location)));
	return collect_atoms(lowering->algebra, expr);
}

/*
 * Makes an expression computable by one join. The result has no aggregates but kernel
 * sums. Unions that would leave it without a common support, or that alone have some of
 * its labels, become stages of their own where they can.
 */
static TensorExpr *
prepare_join(Lowering *lowering, TensorExpr *expr)
{
	for (;;)
	{
		const List *atoms;
		uint64 deciding;
		Bitmapset *covered = NULL;
		TensorExpr *stage_this = NULL;
		ListCell *lc;

		expr = settle_sums(lowering, expr);
		atoms = joined_atoms(lowering, expr);
		deciding = killers(lowering->algebra, expr);
		/* the tensors that this form reads are planned first */
		foreach (lc, atoms)
			lower_group(lowering, ((const TensorExpr *) lfirst(lc))->tensor);
		if (bms_is_empty(expr->labels))
			return expr;
		if (deciding == 0)
			stage_this = union_to_stage(lowering->algebra, expr, NULL);
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
				const TensorExpr *atom = lfirst(lc);

				/* no operand covers the labels of kernel sums */
				if (!(deciding & (UINT64CONST(1) << foreach_current_index(lc))) &&
					!bms_is_subset(bms_intersect(atom->labels, expr->labels), covered))
					stage_this = union_to_stage(lowering->algebra, expr, lfirst(lc));
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

/* Where a part of an expression has entries; later values are better. */
typedef enum PartSupport
{
	PART_EXTENDED, /* at all indices of some label */
	PART_UNITED,   /* where at least one of several tensors has entries */
	/* where all of the tensors that together have its labels have entries */
	PART_JOINED
} PartSupport;

/* A part of an expression that might be computed first. */
typedef struct Part
{
	TensorExpr *expr;
	PartSupport support;
	double size; /* number of its index vectors */
	int atoms;
} Part;

/*
 * Returns where an expression has entries over these labels, some of which it may lack.
 */
static PartSupport
part_support(Algebra *algebra, TensorExpr *expr, const Bitmapset *labels,
			 const List *atoms)
{
	uint64 deciding = killers(algebra, expr);
	Bitmapset *covered = NULL;
	ListCell *lc;

	enter_recursion();
	if (deciding == 0 && is_union(expr))
	{
		PartSupport left = part_support(algebra, expr->args[0], labels, atoms);
		PartSupport right = part_support(algebra, expr->args[1], labels, atoms);

		return Min(Min(left, right), PART_UNITED);
	}
	if (deciding == 0)
	{
		/* each deciding atom is extended on its own */
		deciding = support_atoms(algebra, expr, atoms);
		foreach (lc, atoms)
		{
			if ((deciding & (UINT64CONST(1) << foreach_current_index(lc))) &&
				!bms_is_subset(labels, ((TensorExpr *) lfirst(lc))->labels))
				return PART_EXTENDED;
		}
		return PART_UNITED;
	}
	foreach (lc, collect_atoms(algebra, expr))
	{
		if (deciding & (UINT64CONST(1) << foreach_current_index(lc)))
			covered = bms_add_members(covered, ((TensorExpr *) lfirst(lc))->labels);
	}
	return bms_is_subset(labels, covered) ? PART_JOINED : PART_EXTENDED;
}

static bool
is_better_part(const Part *part, const Part *best)
{
	if (best->expr == NULL || part->support != best->support)
		return best->expr == NULL || part->support > best->support;
	if (part->size != best->size)
		return part->size < best->size;
	return part->atoms > best->atoms;
}

/* A search for the part of an expression that is best computed first. */
typedef struct PartSearch
{
	Algebra *algebra;
	Part best;
} PartSearch;

static Walk
look_at_part(const TensorExpr *node, void *context)
{
	PartSearch *search = context;
	Algebra *algebra = search->algebra;
	TensorExpr *expr = unconstify(TensorExpr *, node);
	Part part = {.expr = expr, .atoms = count_atoms(algebra, expr)};

	if (part.atoms < 2)
		return WALK_ON;
	if (part.atoms <= STAGE_EASY_OPERANDS)
	{
		part.support =
			part_support(algebra, expr, expr->labels, collect_atoms(algebra, expr));
		part.size = product_of_bounds(algebra->program, expr->labels);
		if (is_better_part(&part, &search->best))
			search->best = part;
	}
	return WALK_BELOW;
}

/*
 * Returns the part that is best computed first: among parts that have entries only where
 * something is stored the one with the fewest indices, and of those the one that reads
 * most. If there is no such part, its expr is NULL.
 */
static Part
find_part(Algebra *algebra, TensorExpr *expr)
{
	PartSearch search = {.algebra = algebra};

	(void) walk_expr(expr, look_at_part, &search);
	return search.best;
}

typedef struct ProductSearch
{
	Algebra *algebra;
	TensorExpr *found;
} ProductSearch;

static Walk
look_at_product(const TensorExpr *node, void *context)
{
	ProductSearch *search = context;
	TensorExpr *expr = unconstify(TensorExpr *, node);

	if (count_atoms(search->algebra, expr) <= STAGE_MAX_OPERANDS)
		return WALK_ON;
	if (!expr_is_map(expr, FUNCTION_MULTIPLY))
		return WALK_BELOW;
	search->found = expr;
	return WALK_END;
}

/* Returns a product in an expression that has more factors than one join can read. */
static TensorExpr *
find_long_product(Algebra *algebra, TensorExpr *expr)
{
	ProductSearch search = {.algebra = algebra};

	(void) walk_expr(expr, look_at_product, &search);
	return search.found;
}

/* Makes the stages of the groups that an expression reads, and of groups made since. */
static void
lower_groups(Lowering *lowering, TensorExpr *form, int made)
{
	const List *groups = made_groups(lowering->algebra);
	ListCell *lc;

	for (int end = list_length(groups); made < end; made++)
		lower_group(lowering, ((const EqualGroup *) list_nth(groups, made))->tensor);
	/* also stages of groups that had been made before, but without a stage */
	foreach (lc, collect_atoms(lowering->algebra, form))
		lower_group(lowering, ((const TensorExpr *) lfirst(lc))->tensor);
}

/*
 * Returns a product along its contraction path; the parts that are computed first get
 * stages.
 */
static TensorExpr *
follow_path(Lowering *lowering, const Semiring *semiring, TensorExpr *product,
			Bitmapset *aggregated, bool *heuristic)
{
	TensorExpr *form = product;
	bool estimable;

	do
	{
		int made = list_length(made_groups(lowering->algebra));
		TensorExpr *before = form;

		form = contract_product(lowering->algebra, semiring, before,
								bms_intersect(aggregated, before->labels), heuristic);
		lower_groups(lowering, form, made);
		estimable =
			form == before || bms_num_members(before->labels) <= ESTIMATE_MAX_LABELS;
	} while (!estimable);
	return form;
}

/*
 * Cuts off parts of a product that are better aggregated before they are joined with the
 * rest, or that are too many for one join. The aggregated labels are summed.
 */
static TensorExpr *
contract(Lowering *lowering, const Semiring *semiring, TensorExpr *body,
		 Bitmapset *aggregated)
{
	if (!may_reassociate(lowering))
		return body;
	return follow_path(lowering, semiring, body, aggregated, &lowering->graph->heuristic);
}

/*
 * Returns an expression in which one product has its factors in another order, if every
 * part of it as written would have entries at all indices of an open label, like x[i] *
 * (o[k] + 1) of x[i] * (o[k] + 1) * q[i,k]. This is done whatever the options, since
 * there is no result otherwise.
 */
static TensorExpr *
reorder_product(Lowering *lowering, TensorExpr *expr)
{
	TensorExpr *product = find_long_product(lowering->algebra, expr);
	bool ignored = false;

	if (product == NULL)
		return expr;
	return replace_expr(
		lowering->program, expr, product,
		follow_path(lowering, &sums_of_products, product, NULL, &ignored));
}

/*
 * Makes stages of parts of an expression, as it is written, until one join can read what
 * remains.
 */
static TensorExpr *
split_expr(Lowering *lowering, TensorExpr *expr)
{
	int most = STAGE_MAX_OPERANDS;

	/* A part adds to what is read at first, if its tensors are also read elsewhere. */
	while (count_atoms(lowering->algebra, expr) > most)
	{
		Part part = find_part(lowering->algebra, expr);

		CHECK_FOR_INTERRUPTS();
		if (part.expr == NULL)
			break;
		if (part.support == PART_EXTENDED && isinf(part.size))
		{
			TensorExpr *reordered = reorder_product(lowering, expr);

			/* a few operands more are better than a part with infinitely many entries */
			if (reordered == expr &&
				count_atoms(lowering->algebra, expr) <= STAGE_MAX_OPERANDS)
				break;
			if (reordered != expr)
			{
				expr = reordered;
				most = STAGE_EASY_OPERANDS;
				lowering->graph->heuristic = true;
				continue;
			}
		}
		most = STAGE_EASY_OPERANDS;
		lowering->graph->heuristic = true;
		expr = replace_expr(lowering->program, expr, part.expr,
							substage(lowering, part.expr));
	}
	return expr;
}

/* Lists the terms of a union with their signs, in order. */
static void
flatten_union(TensorExpr *expr, bool negative, List **terms, List **signs)
{
	enter_recursion();
	if (is_addition(expr))
	{
		flatten_union(expr->args[0], negative, terms, signs);
		flatten_union(expr->args[1],
					  expr->function == FUNCTION_SUBTRACT ? !negative : negative, terms,
					  signs);
		return;
	}
	if (is_negation(expr))
	{
		flatten_union(expr->args[1], !negative, terms, signs);
		return;
	}
	if (expr_is_map(expr, FUNCTION_NEGATE) && is_addition(expr->args[0]))
	{
		flatten_union(expr->args[0], !negative, terms, signs);
		return;
	}
	*terms = lappend(*terms, expr);
	*signs = lappend_int(*signs, negative);
}

/*
 * Is a union better read by one join of all indices of its labels? Only if a term lacks a
 * label: it would be extended to all indices of that label, so that the union may have
 * entries at nearly all indices anyway. Where the program is planned as written, only if
 * a statement's right side, or what its functions are applied to, stands in parentheses,
 * as programs print this form.
 */
static bool
joins_all_indices(const Lowering *lowering, TensorExpr *core)
{
	static const FormOption all_indices[2] = {{NULL}, {"all indices"}};
	const Program *program = lowering->program;
	const PlanOptions *options = lowering->graph->options;
	List *terms = NIL;
	List *signs = NIL;
	bool extended = false;
	int label = -1;
	ListCell *lc;

	while ((label = bms_next_member(core->labels, label)) >= 0)
	{
		/* a dimension's keys are an index set, though not a bound */
		if (program->labels[label].bound == BOUND_OPEN)
			return false;
	}
	flatten_union(core, false, &terms, &signs);
	foreach (lc, terms)
		extended = extended ||
				   !bms_equal(((const TensorExpr *) lfirst(lc))->labels, core->labels);
	list_free(terms);
	list_free(signs);
	if (!extended || count_atoms(lowering->algebra, core) > STAGE_EASY_OPERANDS)
		return false;
	if (options->search == SEARCH_AS_WRITTEN)
		return lowering->statement->parenthesised &&
			   core_below_post(lowering->statement->expr) == core;
	return options->rewrite != REWRITE_NONE &&
		   choose_law(lowering->algebra->choices, FORMS_OF_CUTS, all_indices);
}

/* Makes the terms of a union, each computed by one join. */
static void
form_union(Lowering *lowering, Form *form)
{
	List *terms = NIL;
	List *signs = NIL;
	ListCell *lc;
	ListCell *ls;

	flatten_union(form->core, false, &terms, &signs);
	form->terms = palloc0(sizeof(FormTerm) * list_length(terms));
	forboth (lc, terms, ls, signs)
	{
		FormTerm *term = &form->terms[form->nterms++];
		TensorExpr *body = prepare_join(lowering, lfirst(lc));

		body = contract(lowering, &sums_of_products, body, NULL);
		term->body = split_expr(lowering, settle_sums(lowering, body));
		term->negative = lfirst_int(ls);
	}
}

/*
 * Contracts the body of an aggregate in the semiring that allows it; *folds is false if
 * no semiring does, so that all labels remain.
 */
static TensorExpr *
contract_aggregate(Lowering *lowering, AggregateOperator aggregate, TensorExpr *body,
				   Bitmapset *aggregated, bool *folds)
{
	Algebra *algebra = lowering->algebra;
	TensorExpr *factors = body;
	TensorExpr *contracted;
	Semiring semiring;

	if (aggregate == AGGREGATE_MIN || aggregate == AGGREGATE_MAX)
		factors = truth_of_factors(algebra, body);
	*folds = find_semiring(algebra, aggregate, factors, aggregated, &semiring);
	if (!*folds)
		return contract(lowering, &sums_of_products, body, NULL);
	contracted = contract(lowering, &semiring, factors, aggregated);
	/* unchanged, if it is a comparison of one product */
	return contracted == factors ? body : contracted;
}

/*
 * Returns the body of an aggregate, along its contraction path; *folds is false if its
 * product distributes over no aggregate, so that all labels remain.
 */
static TensorExpr *
contracted_body(Lowering *lowering, TensorExpr *core, bool *folds)
{
	TensorExpr *known = known_path(lowering->algebra, core);

	*folds = true;
	if (known)
	{
		lower_groups(lowering, known, list_length(made_groups(lowering->algebra)));
		return known;
	}
	return contract_aggregate(lowering, core->aggregate,
							  prepare_join(lowering, core->args[0]), core->bound_labels,
							  folds);
}

/*
 * Makes the form of a single term, which joins what an aggregate or another expression
 * reads.
 */
static void
form_join(Lowering *lowering, Form *form, TensorExpr *expr)
{
	bool folds = true;
	bool aggregates = expr->kind == EXPR_AGGREGATE;
	TensorExpr *body;

	if (aggregates)
		body = contracted_body(lowering, expr, &folds);
	else
		body = contract(lowering, &sums_of_products, prepare_join(lowering, expr), NULL);
	form->nterms = 1;
	form->terms = palloc0(sizeof(FormTerm));
	body = settle_sums(lowering, body);
	form->terms[0].body =
		is_one_nest(lowering->algebra, body) ? body : split_expr(lowering, body);
	/* labels that a part has aggregated are gone */
	if (aggregates)
		form->terms[0].aggregated =
			folds ? bms_intersect(expr->bound_labels, body->labels) : expr->bound_labels;
}

/*
 * Does the result of a matrix function have its own distinct labels? A diagonal of it,
 * such as x[i,i], is read from the whole result.
 */
static bool
has_own_labels(const TensorExpr *expr)
{
	Bitmapset *others = NULL;

	for (int i = 0; i < expr->nargs; i++)
		others = bms_add_members(others, expr->args[i]->labels);
	others = bms_del_members(others, expr->bound_labels);
	for (int i = 0; i < expr->nindices; i++)
	{
		if (bms_is_member(expr->indices[i], others))
			return false;
		others = bms_add_member(others, expr->indices[i]);
	}
	return true;
}

/* Returns an access, at the same entry, to a result that has labels of its own. */
static TensorExpr *
entry_of_whole(Lowering *lowering, TensorExpr *expr)
{
	Program *program = lowering->program;
	Bitmapset *taken = bms_union(expr->labels, expr->bound_labels);
	int own[2];
	TensorExpr *access;

	for (int i = 0; i < expr->nindices; i++)
	{
		own[i] = program_twin_beside(program, expr->indices[i], taken);
		taken = bms_add_member(taken, own[i]);
	}
	access = substage(lowering, expr_matrix(program, expr->matrix, expr->inner, own,
											expr->args, expr->location));
	for (int i = 0; i < expr->nindices; i++)
		access = rename_label(program, access, own[i], expr->indices[i]);
	return access;
}

/*
 * Returns what a matrix function reads: an access to a tensor with a label for each
 * dimension.
 */
static TensorExpr *
matrix_operand(Lowering *lowering, TensorExpr *arg)
{
	if (arg->kind != EXPR_ACCESS || arg->tensor->identity ||
		bms_num_members(arg->labels) != arg->nindices)
		return substage(lowering, arg);
	lower_group(lowering, arg->tensor);
	return arg;
}

/*
 * Makes the form of a single term that is a matrix function of tensors, in which the
 * matrix has the labels of the result. The equations of solve are summed over, as in a
 * product; so is the label of argmax.
 */
static void
form_matrix(Lowering *lowering, Form *form, const TensorExpr *expr)
{
	Program *program = lowering->program;
	TensorExpr *args[FUNCTION_MAX_ARGS];
	int inner[lengthof(expr->inner)];

	memcpy(inner, expr->inner, sizeof(inner));

	for (int i = 0; i < expr->nargs; i++)
	{
		args[i] = matrix_operand(lowering, expr->args[i]);
		for (int k = 0; k < expr->nindices; k++)
			program->renaming[expr->inner[k]] = expr->indices[k];
		args[i] = rename_labels(program, args[i], program->renaming);
		for (int k = 0; k < expr->nindices; k++)
			program->renaming[expr->inner[k]] = -1;
	}
	for (int k = 0; k < expr->nindices; k++)
		inner[k] = expr->indices[k];
	form->nterms = 1;
	form->terms = palloc0(sizeof(FormTerm));
	form->terms[0].body =
		expr_matrix(program, expr->matrix, inner, expr->indices, args, expr->location);
	for (int i = expr->nindices; i < expr->ninner; i++)
		form->terms[0].aggregated = bms_add_member(form->terms[0].aggregated, inner[i]);
}

Form *
make_form(Lowering *lowering, TensorExpr *expr)
{
	Form *form = palloc0(sizeof(Form));
	TensorExpr *core = core_below_post(expr);

	enter_recursion();
	form->expr = expr;
	form->core = core ? core : expr;
	form->aggregate = AGGREGATE_SUM;
	form->location = lowering->statement->location;
	if (expr->kind == EXPR_MATRIX && has_own_labels(expr))
		form_matrix(lowering, form, expr);
	else if (expr->kind == EXPR_MATRIX)
		form_join(lowering, form, entry_of_whole(lowering, expr));
	else if (core && core->kind == EXPR_AGGREGATE)
	{
		form->aggregate = core->aggregate;
		form_join(lowering, form, core);
	}
	else if (core && !joins_all_indices(lowering, core))
		form_union(lowering, form);
	else
		form_join(lowering, form, core ? core : expr);
	return form;
}
