/*-------------------------------------------------------------------------
 *
 * lower_form.c
 *	  The stage of a form: operands and kernels.
 *
 * With killers (algebra/support.c) a term joins them and left joins the other operands;
 * without, it left joins all operands to the union of what decides its support, or to
 * all indices of its labels where these are no more.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "algebra/contraction.h"
#include "algebra/support.h"
#include "catalog/dimension.h"
#include "catalog/origin.h"
#include "expr/analysis.h"
#include "expr/dimensions.h"
#include "expr/walk.h"
#include "optimizer/lowering.h"
#include "optimizer/settings.h"
#include "recursion.h"

/* The state of making a form's stage. */
typedef struct FormLowering
{
	Algebra *algebra;
	const Lowered *lowered;
	const Form *form;
	Stage *stage;
	SideTable *operands; /* operands of the terms, by access; NULL: there is one term */
} FormLowering;

/*
 * Makes room for one more label. Most stages have few labels: room for four at first,
 * then doubled.
 */
static void
make_room_for_label(Stage *stage)
{
	int n = stage->nlabels;

	if (n == 0)
	{
		stage->labels = palloc(sizeof(StageLabel) * 4);
		stage->bounds = palloc(sizeof(double) * 4);
	}
	else if (n >= 4 && (n & (n - 1)) == 0)
	{
		stage->labels = repalloc(stage->labels, sizeof(StageLabel) * 2 * n);
		stage->bounds = repalloc(stage->bounds, sizeof(double) * 2 * n);
	}
}

/* Returns the stage's number of a program label, which is added at first use. */
static int
stage_label(const FormLowering *lowering, int program_label, int location)
{
	Stage *stage = lowering->stage;
	ProgramLabel *label = &lowering->algebra->program->labels[program_label];
	StageLabel *added;

	for (int i = 0; i < stage->nlabels; i++)
	{
		if (stage->labels[i].program_label == program_label)
			return i;
	}
	if (stage->nlabels == STAGE_MAX_LABELS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a stage has more than %d labels", STAGE_MAX_LABELS),
						errhint("Split the statement."),
						program_errposition(lowering->algebra->program->text, location)));
	make_room_for_label(stage);
	added = &stage->labels[stage->nlabels];
	added->program_label = program_label;
	added->name = label->name;
	added->bound = label->bound;
	added->pin = label->pin;
	added->block = label->block;
	stage->bounds[stage->nlabels] = estimated_bound(label->bound);
	added->places_stay = places_stay(lowering->algebra->program, label->bound);
	if (label->pin == PIN_PROMOTED ||
		(label_is_key(lowering->algebra->program, label->bound) && !added->places_stay))
		stage->must_promote |= 1u << stage->nlabels;
	else if (label->pin == PIN_BLOCKED && (label->block < bound_size(label->bound) ||
										   bound_is_dimension(label->bound)))
		stage->must_block |= 1u << stage->nlabels;
	else if (label->pin == PIN_DEMOTED || label->pin == PIN_BLOCKED)
		stage->must_demote |= 1u << stage->nlabels;
	return stage->nlabels++;
}

static Kernel *build_kernel(const FormLowering *lowering, TensorExpr *expr,
							const List *leaves);

/* Builds a kernel over leaves: first the atoms, then the kernel sums. */
static Kernel *
build_new_kernel(const FormLowering *lowering, TensorExpr *expr, const List *leaves)
{
	Kernel *args[FUNCTION_MAX_ARGS];
	ListCell *lc;

	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return kernel_literal(expr);
		case EXPR_ACCESS:
		case EXPR_KERNEL_SUM:
			foreach (lc, leaves)
			{
				if (lfirst(lc) == expr)
					return kernel_operand(foreach_current_index(lc), expr->type.type);
			}
			break;
		case EXPR_MAP:
			for (int i = 0; i < expr->nargs; i++)
				args[i] = build_kernel(lowering, expr->args[i], leaves);
			return kernel_call(expr->function, args, expr->nargs);
		case EXPR_AGGREGATE:
		case EXPR_MATRIX:
			break;
	}
	elog(ERROR, "unexpected node in a kernel");
}

/*
 * Returns the kernel of an expression over these leaves. Expressions with the same atoms
 * and without kernel sums have the same kernel everywhere: an expression and those that
 * absorb it share it.
 */
static Kernel *
build_kernel(const FormLowering *lowering, TensorExpr *expr, const List *leaves)
{
	Kernel *kernel;

	enter_recursion();
	if (collect_atoms(lowering->algebra, expr) != leaves || expr->kind == EXPR_LITERAL)
		return build_new_kernel(lowering, expr, leaves);
	kernel = side_value(lowering->lowered->kernels, expr);
	if (kernel == NULL)
	{
		kernel = build_new_kernel(lowering, expr, leaves);
		set_side_value(lowering->lowered->kernels, expr, kernel);
	}
	return kernel;
}

/*
 * Raises an error if the part of an expression above core (all of it if core is NULL) is
 * too large for a kernel.
 */
static void
check_kernel_size(const FormLowering *lowering, const TensorExpr *expr,
				  const TensorExpr *core)
{
	/* core occurs once, and beside the path to it there are only numbers */
	int size = core ? expr->size - core->size + 1 : expr->size;

	if (size > KERNEL_MAX_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("expression is too long"),
				 errdetail("What is computed at once may have %d references, numbers and "
						   "operations.",
						   KERNEL_MAX_NODES),
				 errhint("Define part of it in a statement of its own."),
				 program_errposition(lowering->algebra->program->text, expr->location)));
}

static Walk
collect_kernel_sum(const TensorExpr *expr, void *context)
{
	List **sums = context;

	if (expr->kind == EXPR_KERNEL_SUM)
		*sums = lappend(*sums, unconstify(TensorExpr *, expr));
	return expr->has_aggregate && expr->kind != EXPR_KERNEL_SUM ? WALK_BELOW : WALK_ON;
}

/* Returns the kernel sums of an expression, each once. */
static List *
collect_kernel_sums(const TensorExpr *expr)
{
	List *sums = NIL;

	(void) walk_expr(expr, collect_kernel_sum, &sums);
	return sums;
}

/* Adds a kernel sum to the operands that a term's kernel reads. */
static void
add_kernel_sum(const FormLowering *lowering, const TensorExpr *body, TensorExpr *sum,
			   const List *leaves, Term *term)
{
	Operand *operand = &term->operands[term->noperands + term->nsums];
	int label = -1;

	Assert(!bms_overlap(sum->bound_labels, body->labels));
	operand->tensor = palloc0(sizeof(ProgramTensor));
	operand->tensor->type = sum->type.type;
	while ((label = bms_next_member(sum->labels, label)) >= 0)
	{
		operand->labels[operand->rank] = stage_label(lowering, label, sum->location);
		operand->mask |= 1u << operand->labels[operand->rank++];
	}
	label = -1;
	while ((label = bms_next_member(sum->bound_labels, label)) >= 0)
		term->summed |= 1u << stage_label(lowering, label, sum->location);
	term->sums[term->nsums++] = build_kernel(lowering, sum->args[0], leaves);
}

/*
 * Returns the kernel of a matrix function, whose operands are whole matrices, with
 * dimensions of values. Vectors may also be rows with one element each.
 */
static Kernel *
matrix_kernel(const FormLowering *lowering, const TensorExpr *expr)
{
	Kernel *kernel = kernel_matrix(expr->matrix, expr->nargs, expr->type.type);

	kernel->nlabels = expr->ninner;
	for (int i = 0; i < expr->ninner; i++)
	{
		kernel->labels[i] = stage_label(lowering, expr->inner[i], expr->location);
		if (is_extreme_place(expr->matrix))
			lowering->stage->not_blocked |= 1u << kernel->labels[i];
		else
			lowering->stage->must_demote |= 1u << kernel->labels[i];
	}
	return kernel;
}

/*
 * Returns the arguments of a matrix function that make its result 0 if they are absent.
 */
static uint64
matrix_killers(const TensorExpr *expr)
{
	uint64 deciding = 0;

	for (int i = 0; i < expr->nargs; i++)
	{
		if (expr->args[i]->fill == 0.0 || is_extreme_place(expr->matrix))
			deciding |= UINT64CONST(1) << i;
	}
	return deciding;
}

/* Returns the accesses to tensors that a matrix function reads. */
static List *
matrix_atoms(const TensorExpr *expr)
{
	List *atoms = NIL;

	for (int i = 0; i < expr->nargs; i++)
		atoms = lappend(atoms, expr->args[i]);
	return atoms;
}

/*
 * Sets an operand from an access. Terms of a sum that read a tensor at the same labels
 * share one estimate.
 */
static void
lower_access(const FormLowering *lowering, const TensorExpr *access, Operand *operand)
{
	const Operand *like =
		lowering->operands ? side_value(lowering->operands, access) : NULL;
	Estimate *estimate;

	if (like)
	{
		*operand = *like;
		return;
	}
	operand->tensor = access->tensor;
	operand->producer = side_value(lowering->lowered->stages, access->tensor);
	operand->statistics = statistics_of_tensor(lowering->algebra, access->tensor);
	operand->rank = access->nindices;
	operand->fill = access->fill;
	for (int i = 0; i < access->nindices; i++)
	{
		operand->labels[i] = stage_label(lowering, access->indices[i], access->location);
		operand->mask |= 1u << operand->labels[i];
	}
	estimate = palloc(sizeof(Estimate));
	lowering->algebra->estimator->stored(estimate, operand->statistics, operand->rank,
										 operand->labels, lowering->stage->bounds);
	operand->estimate = estimate;
	if (lowering->operands)
		set_side_value(lowering->operands, access, operand);
}

/*
 * Do these labels of a term have no more index vectors than the parts of its union have
 * together, each part extended to the labels that it lacks? Only estimates are compared:
 * both ways are right.
 */
static bool
all_are_no_more(const FormLowering *lowering, const Term *term, LabelMask labels)
{
	const double *bounds = lowering->stage->bounds;
	double all = 1.0;
	double parts = 0.0;
	int i;

	FOREACH_LABEL (i, labels)
		all *= bounds[i];
	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		LabelMask lacking = labels & ~operand->mask;
		double tuples;

		if (!(term->union_of & (1u << o)))
			continue;
		tuples = lowering->algebra->estimator->tuples(operand->estimate,
													  labels & operand->mask);
		FOREACH_LABEL (i, lacking)
			tuples *= bounds[i];
		parts += tuples;
	}
	/* never true for an open label, whose estimate is infinite */
	return all <= Min(parts, max_dense_tuples);
}

/*
 * Is a union better replaced by all indices of its labels? Otherwise each of its parts is
 * computed and the keys of all are compared before any operand is joined. Labels that are
 * dimensions of values in all plans make no tuples. A term with a diagonal keeps its
 * union: else only the rows on the diagonal might be looked up, and wrong keys in other
 * rows stay undetected.
 */
static bool
reads_all_indices(const FormLowering *lowering, const Term *term)
{
	LabelMask labels = term->labels & ~term->summed;
	LabelMask keys = labels & lowering->stage->must_promote;

	for (int o = 0; o < term->noperands; o++)
	{
		if (pg_popcount32(term->operands[o].mask) < term->operands[o].rank)
			return false;
	}
	return all_are_no_more(lowering, term, labels) ||
		   (keys != 0 && all_are_no_more(lowering, term, keys));
}

/* Makes a term of the stage from a term of the form. */
static void
lower_term(const FormLowering *lowering, const FormTerm *form, Term *term)
{
	Stage *stage = lowering->stage;
	TensorExpr *expr = form->body;
	bool is_matrix = expr->kind == EXPR_MATRIX;
	const List *atoms =
		is_matrix ? matrix_atoms(expr) : collect_atoms(lowering->algebra, expr);
	uint64 deciding = is_matrix ? matrix_killers(expr) : killers(lowering->algebra, expr);
	List *sums = is_matrix ? NIL : collect_kernel_sums(expr);
	const List *leaves = sums ? list_concat_copy(atoms, sums) : atoms;
	bool one_nest = is_one_nest(lowering->algebra, expr);
	int most = one_nest ? STAGE_NEST_OPERANDS : STAGE_MAX_OPERANDS;
	int label = -1;
	ListCell *lc;

	Assert(list_length(sums) <= STAGE_MAX_OPERANDS);
	if (list_length(atoms) > most)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a stage would join %d tensors", list_length(atoms)),
				 errdetail("It can join at most %d.", most),
				 errhint("Define part of the expression in a statement of its own."),
				 program_errposition(lowering->algebra->program->text, expr->location)));

	term->operands = palloc0(sizeof(Operand) * Max(list_length(leaves), 1));
	term->sums = palloc0(sizeof(Kernel *) * Max(list_length(sums), 1));
	term->fill = expr->fill;
	/* a term without labels is a number: one entry, which always exists */
	if (bms_is_empty(expr->labels) && !is_matrix)
		deciding = 0;
	else if (deciding == 0)
		term->union_of = (uint32) support_atoms(lowering->algebra, expr, atoms);

	foreach (lc, atoms)
	{
		Operand *operand = &term->operands[term->noperands];

		lower_access(lowering, lfirst(lc), operand);
		operand->outer = !(deciding & (UINT64CONST(1) << term->noperands));
		term->labels |= operand->mask;
		if (!operand->outer)
			term->decided |= operand->mask;
		term->noperands++;
	}
	/* a loop nest runs over single entries */
	if (one_nest)
		stage->must_promote |= term->labels;
	/* checked before kernels are made, which are trees */
	check_kernel_size(lowering, expr, NULL);
	foreach (lc, sums)
		add_kernel_sum(lowering, expr, lfirst(lc), leaves, term);
	stage->must_demote |= term->summed;
	if (term->union_of && reads_all_indices(lowering, term))
		term->union_of = 0;
	/* a union has all labels of the term: each part is extended to them */
	if (term->union_of)
		term->decided = term->labels;
	while ((label = bms_next_member(form->aggregated, label)) >= 0)
		term->aggregated |= 1u << stage_label(lowering, label, expr->location);
	term->kernel =
		is_matrix ? matrix_kernel(lowering, expr) : build_kernel(lowering, expr, leaves);
	if (form->negative)
		term->kernel = kernel_call(FUNCTION_NEGATE, &term->kernel, 1);
}

/* Hint how to give a label a known set of indices, even if they are not numbers. */
#define ONE_INDEX_SET                                                                    \
	"Register the tensors it indexes with a bound, or with a dimension "                 \
	"(einsum_dimension), whose keys are all there are."

/* Returns a hint what to write if entries that are not stored count in an aggregate. */
static const char *
aggregate_hint(AggregateOperator aggregate)
{
	const char *fill = aggregate == AGGREGATE_MIN   ? "Infinity"
					   : aggregate == AGGREGATE_MAX ? "-Infinity"
					   : aggregate == AGGREGATE_PROD || aggregate == AGGREGATE_ALL ? "1"
																				   : NULL;

	return fill ? psprintf(_("%s With fill => '%s' in einsum_register, entries that are "
							 "not stored do not count."),
						   _(ONE_INDEX_SET), fill)
				: _(ONE_INDEX_SET);
}

/* Raises an error if a label has no bound although all its indices are needed. */
static void
require_all_indices(const FormLowering *lowering, int label, const char *why,
					const char *hint)
{
	const Stage *stage = lowering->stage;

	if (stage->labels[label].bound == BOUND_OPEN)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("label \"%s\" has no bound, but all its indices are needed",
						stage->labels[label].name),
				 errdetail("%s", why), errhint("%s", hint),
				 program_errposition(lowering->algebra->program->text,
									 lowering->form->location)));
}

/* Extends a term by the labels that no operand deciding its support has. */
static void
extend_term(const FormLowering *lowering, Term *term)
{
	const Stage *stage = lowering->stage;
	LabelMask all = stage->output_mask | (term->labels & ~term->summed);

	term->extension = all & ~term->decided;
	for (int o = 0; o < term->noperands; o++)
	{
		/* each part of a union is extended to all labels of the union */
		for (int i = 0; i < stage->nlabels; i++)
		{
			if ((term->union_of & (1u << o)) &&
				(term->labels & ~term->operands[o].mask & (1u << i)))
				require_all_indices(
					lowering, i,
					"A tensor that lacks it is combined with one that has it.",
					_(ONE_INDEX_SET));
		}
	}
	for (int i = 0; i < stage->nlabels; i++)
	{
		if (term->extension & (1u << i))
			require_all_indices(
				lowering, i,
				"Only tensors that have it decide where the result has entries.",
				_(ONE_INDEX_SET));
	}
}

/*
 * Requires bounds if entries that are not stored count in an aggregate, since they are
 * not neutral to it.
 */
static void
check_missing_entries(const FormLowering *lowering, const Term *term)
{
	const Stage *stage = lowering->stage;

	if (!missing_entries_count(stage, term))
		return;
	for (int i = 0; i < stage->nlabels; i++)
	{
		if (!(term->aggregated & (1u << i)))
			continue;
		require_all_indices(lowering, i,
							"It is aggregated, and entries that are not stored count.",
							aggregate_hint(stage->aggregate));
		if (bound_is_dimension(stage->labels[i].bound) &&
			depends_on_count(stage->aggregate, term->fill))
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("what is not stored depends on the number of indices of label "
						"\"%s\"",
						stage->labels[i].name),
				 errdetail("Its index set is the keys of a dimension."),
				 errhint("Write the aggregate in a statement of its own."),
				 program_errposition(lowering->algebra->program->text,
									 lowering->form->location)));
	}
}

/* Returns the chain of functions above core as a kernel over operand 0. */
static Kernel *
post_above(const TensorExpr *expr, const TensorExpr *core)
{
	Kernel *args[FUNCTION_MAX_ARGS];

	enter_recursion();
	if (expr == core)
		return kernel_operand(0, core->type.type);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = expr->args[i]->kind == EXPR_LITERAL ? kernel_literal(expr->args[i])
													  : post_above(expr->args[i], core);
	return kernel_call(expr->function, args, expr->nargs);
}

Stage *
lower_form(Algebra *algebra, const Lowered *lowered, const Form *form, int noutput,
		   const int *output)
{
	Stage *stage = palloc0(sizeof(Stage));
	FormLowering lowering = {algebra, lowered, form, stage,
							 form->nterms > 1 ? new_side_table(64) : NULL};

	for (int i = 0; i < noutput; i++)
	{
		stage->output[i] = stage_label(&lowering, output[i], form->expr->location);
		stage->output_mask |= 1u << stage->output[i];
	}
	stage->noutput = noutput;
	stage->aggregate = form->aggregate;
	stage->nterms = form->nterms;
	stage->terms = palloc0(sizeof(Term) * form->nterms);
	for (int i = 0; i < form->nterms; i++)
		lower_term(&lowering, &form->terms[i], &stage->terms[i]);
	if (form->core != form->expr)
	{
		check_kernel_size(&lowering, form->expr, form->core);
		stage->post = post_above(form->expr, form->core);
	}
	for (int i = 0; i < form->nterms; i++)
	{
		extend_term(&lowering, &stage->terms[i]);
		check_missing_entries(&lowering, &stage->terms[i]);
		stage->aggregated |= stage->terms[i].aggregated;
	}
	if (lowering.operands)
		free_side_table(lowering.operands);
	find_summed_later(stage);
	estimate_stage(algebra->estimator, stage);
	return stage;
}
