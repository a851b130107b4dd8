/*-------------------------------------------------------------------------
 *
 * lower.c
 *	  Cuts a program into stages.
 *
 * A statement becomes one stage where one join with one kernel and one
 * aggregation can compute it: outermost pointwise functions become the stage's
 * post expression, the sum below them its aggregation, what is left its kernel.
 * Sums and unions inside the kernel that cannot be absorbed become stages of
 * their own, equal ones once. A statement read only once is absorbed by its
 * reader where that repeats no work; it still gets a view, as a side stage,
 * but nothing reads it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "expr/analysis.h"
#include "expr/function_table.h"
#include "optimizer/contraction.h"
#include "optimizer/settings.h"
#include "optimizer/stage.h"
#include "optimizer/support.h"

/* A stage under a name for its expression that equal expressions share. */
typedef struct KnownStage
{
	char *key;
	int *order; /* output dimension of each label in key order */
	Stage *stage;
} KnownStage;

typedef struct Lowering
{
	StageGraph *graph;
	Program *program;
	Statement *statement; /* being cut */
	int nsubstages;       /* of the statement, so far */
	List *known;          /* of KnownStage * */
} Lowering;

static Stage *lower_stage(Lowering *lowering, TensorExpr *expr, const int *output,
						  int noutput, bool is_statement);

const TensorStatistics *
tensor_statistics(ProgramTensor *tensor)
{
	if (tensor->statistics == NULL)
	{
		/* read once per program, whatever the number of accesses */
		TensorStatistics *statistics = palloc(sizeof(TensorStatistics));

		get_tensor_statistics(tensor->entry, statistics);
		tensor->statistics = statistics;
	}
	return tensor->statistics;
}

static DimensionMask
decomposition(int rank, const int *labels, LabelMask promoted)
{
	DimensionMask mask = 0;

	for (int i = 0; i < rank; i++)
	{
		if (promoted & (1u << labels[i]))
			mask |= 1u << i;
	}
	return mask;
}

DimensionMask
operand_decomposition(const Operand *operand, LabelMask promoted)
{
	return decomposition(operand->rank, operand->labels, promoted);
}

DimensionMask
output_decomposition(const Stage *stage, LabelMask promoted)
{
	return decomposition(stage->noutput, stage->output, promoted);
}

/*
 * The name under which equal expressions meet: the expression with labels
 * numbered in order of appearance. labels receives the program's labels in
 * that order.
 */
static void
append_key(StringInfo key, Program *program, const TensorExpr *expr, int *labels,
		   int *nlabels)
{
	int label = -1;
	uint64 bits;

	check_stack_depth();
	appendStringInfoChar(key, '(');
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			memcpy(&bits, &expr->value, sizeof(bits));
			appendStringInfo(key, "#" UINT64_FORMAT, bits);
			break;
		case EXPR_ACCESS:
			appendStringInfo(key, "@%p", (void *) expr->tensor);
			for (int i = 0; i < expr->nindices; i++)
			{
				int n = 0;

				while (n < *nlabels && labels[n] != expr->indices[i])
					n++;
				if (n == *nlabels)
					labels[(*nlabels)++] = expr->indices[i];
				/* two that are pinned differently are two */
				appendStringInfo(key, " %d:%d", n,
								 (int) program->labels[expr->indices[i]].pin);
			}
			break;
		case EXPR_MAP:
			appendStringInfo(key, "f%d", (int) expr->function);
			break;
		case EXPR_AGGREGATE:
			appendStringInfo(key, "a%d", (int) expr->aggregate);
			break;
	}
	for (int i = 0; i < expr->nargs; i++)
		append_key(key, program, expr->args[i], labels, nlabels);
	while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
	{
		for (int n = 0; n < *nlabels; n++)
		{
			if (labels[n] == label)
				appendStringInfo(key, " b%d", n);
		}
	}
	appendStringInfoChar(key, ')');
}

/* An access to a stage's result with its output labels in the given order. */
static TensorExpr *
access_stage(Lowering *lowering, Stage *stage, const int *labels, int location)
{
	return expr_access(lowering->program, stage->tensor, labels, location);
}

/* The free labels of an expression in the order of its key. */
static int
key_of(Lowering *lowering, TensorExpr *expr, char **key, int **free_labels)
{
	StringInfoData buffer;
	int *labels = palloc(sizeof(int) * lowering->program->nlabels);
	int nlabels = 0;
	int nfree = 0;

	initStringInfo(&buffer);
	append_key(&buffer, lowering->program, expr, labels, &nlabels);
	*free_labels = palloc(sizeof(int) * Max(nlabels, 1));
	for (int i = 0; i < nlabels; i++)
	{
		if (bms_is_member(labels[i], expr->labels))
			(*free_labels)[nfree++] = labels[i];
	}
	*key = buffer.data;
	return nfree;
}

static void
remember_stage(Lowering *lowering, TensorExpr *expr, Stage *stage)
{
	KnownStage *known = palloc0(sizeof(KnownStage));
	int *labels;
	int nlabels = key_of(lowering, expr, &known->key, &labels);

	/* a result extended to labels its expression lacks is another tensor */
	if (nlabels != stage->noutput)
		return;
	known->stage = stage;
	known->order = palloc(sizeof(int) * Max(nlabels, 1));
	for (int i = 0; i < nlabels; i++)
	{
		for (int d = 0; d < nlabels; d++)
		{
			if (stage->labels[stage->output[d]].program_label == labels[i])
				known->order[i] = d;
		}
	}
	lowering->known = lappend(lowering->known, known);
}

/* An access to the stage that computes an expression, made if there is none. */
static TensorExpr *
substage(Lowering *lowering, TensorExpr *expr)
{
	char *key;
	int *labels;
	int nlabels = key_of(lowering, expr, &key, &labels);
	ListCell *lc;
	Stage *stage;

	foreach (lc, lowering->known)
	{
		KnownStage *known = lfirst(lc);
		int indices[TENSOR_MAX_RANK];

		if (strcmp(known->key, key) != 0)
			continue;
		for (int i = 0; i < nlabels; i++)
			indices[known->order[i]] = labels[i];
		return access_stage(lowering, known->stage, indices, expr->location);
	}

	if (nlabels > TENSOR_MAX_RANK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an intermediate result would have %d dimensions", nlabels),
				 errdetail("A tensor has at most %d.", TENSOR_MAX_RANK),
				 program_errposition(lowering->program->text, expr->location)));
	stage = lower_stage(lowering, expr, labels, nlabels, false);
	return access_stage(lowering, stage, labels, expr->location);
}

/*
 * A chain of functions of one argument each (the others literals) with f(0) =
 * 0, down to a sum or union: what a stage can apply to its aggregated result.
 * Returns the sum or union, or NULL.
 */
static TensorExpr *
core_below_post(TensorExpr *expr)
{
	while (expr->kind == EXPR_MAP && expr->function != FUNCTION_ADD &&
		   expr->function != FUNCTION_SUBTRACT)
	{
		TensorExpr *inner = NULL;

		for (int i = 0; i < expr->nargs; i++)
		{
			if (expr->args[i]->kind == EXPR_LITERAL)
				continue;
			if (inner)
				return NULL;
			inner = expr->args[i];
		}
		if (inner == NULL || inner->fill != 0.0 || expr->fill != 0.0)
			return NULL;
		expr = inner;
	}
	if (expr->kind == EXPR_AGGREGATE)
		return expr;
	return expr->kind == EXPR_MAP && expr->fill == 0.0 ? expr : NULL;
}

/* The chain above core as a kernel over operand 0; NULL if there is none. */
static Kernel *
post_above(TensorExpr *expr, TensorExpr *core)
{
	Kernel *args[FUNCTION_MAX_ARGS];

	if (expr == core)
		return kernel_operand(0);
	for (int i = 0; i < expr->nargs; i++)
		args[i] = expr->args[i]->kind == EXPR_LITERAL
					  ? kernel_literal(expr->args[i]->value)
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

/* Replaces the sums of a kernel by accesses to stages that compute them. */
static TensorExpr *
stage_out_sums(Lowering *lowering, TensorExpr *expr)
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
		args[i] = stage_out_sums(lowering, expr->args[i]);
	return expr_map(lowering->program, expr->function, args, expr->location);
}

static bool
is_union(const TensorExpr *expr)
{
	return expr->kind == EXPR_MAP &&
		   (expr->function == FUNCTION_ADD || expr->function == FUNCTION_SUBTRACT);
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
	{
		if (expr->fill != 0.0)
			return NULL;
		return atom == NULL || list_member_ptr(collect_atoms(expr), atom) ? expr : NULL;
	}
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
 * Makes an expression computable by one join: afterwards it has no aggregates,
 * some operand determines its support, and the others' labels are among the
 * determining ones'.
 */
static TensorExpr *
prepare_join(Lowering *lowering, TensorExpr *expr)
{
	Program *program = lowering->program;

	expr = stage_out_sums(lowering, expr);
	for (;;)
	{
		List *atoms = collect_atoms(expr);
		uint64 deciding = killers(expr, atoms);
		Bitmapset *covered = NULL;
		TensorExpr *uncovered = NULL;
		TensorExpr *stage_this = NULL;
		ListCell *lc;

		/* numbers have one entry, and it is always there */
		if (bms_is_empty(expr->labels))
			return expr;
		if (expr->fill != 0.0)
			unsupported(
				program, expr->location,
				"an expression that is not 0 where its tensors have no entries is "
				"not supported yet",
				"Multiply it by a tensor that is 0 there.");
		if (deciding == 0)
		{
			stage_this = union_to_stage(expr, NULL);
			if (stage_this == NULL)
				unsupported(
					program, expr->location,
					"a function of several tensors without a common support is not "
					"supported yet",
					"Multiply it by a tensor that is 0 where the result is.");
		}
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
				TensorExpr *atom = lfirst(lc);

				if (!(deciding & (UINT64CONST(1) << foreach_current_index(lc))) &&
					!bms_is_subset(atom->labels, covered))
					uncovered = atom;
			}
			if (uncovered == NULL)
				return expr;
			stage_this = union_to_stage(expr, uncovered);
			if (stage_this == NULL)
				unsupported(
					program, uncovered->location,
					"extending a tensor to labels that only it has is not supported "
					"yet",
					"Multiply by a tensor over those labels, such as one that is 1 "
					"where it counts.");
		}
		expr = replace_expr(program, expr, stage_this, substage(lowering, stage_this));
	}
}

/* The stage's number of a program label, added at first sight. */
static int
stage_label(Lowering *lowering, Stage *stage, int program_label, int location)
{
	ProgramLabel *label = &lowering->program->labels[program_label];
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
						program_errposition(lowering->program->text, location)));
	added = &stage->labels[stage->nlabels];
	added->program_label = program_label;
	added->name = label->name;
	added->bound = label->bound;
	added->pin = label->pin;
	stage->bounds[stage->nlabels] = label->bound == BOUND_OPEN ? INFINITY : label->bound;
	if (label->bound == BOUND_OPEN || label->pin == PIN_PROMOTED)
		stage->must_promote |= 1u << stage->nlabels;
	if (label->pin == PIN_DEMOTED)
		stage->must_demote |= 1u << stage->nlabels;
	return stage->nlabels++;
}

static Kernel *
build_kernel(TensorExpr *expr, List *atoms)
{
	Kernel *args[FUNCTION_MAX_ARGS];
	ListCell *lc;

	check_stack_depth();
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			return kernel_literal(expr->value);
		case EXPR_ACCESS:
			foreach (lc, atoms)
			{
				if (lfirst(lc) == expr)
					return kernel_operand(foreach_current_index(lc));
			}
			break;
		case EXPR_MAP:
			for (int i = 0; i < expr->nargs; i++)
				args[i] = build_kernel(expr->args[i], atoms);
			return kernel_call(expr->function, args, expr->nargs);
		case EXPR_AGGREGATE:
			break;
	}
	elog(ERROR, "unexpected node in a kernel");
}

/*
 * A term that joins the operands of a prepared expression. Errors: 54000 if
 * there are more than a stage reads.
 */
static void
build_term(Lowering *lowering, Stage *stage, Term *term, TensorExpr *expr,
		   Bitmapset *aggregated)
{
	const Estimator *estimator = lowering->graph->options->estimator;
	List *atoms = collect_atoms(expr);
	uint64 deciding = killers(expr, atoms);
	bool first = true;
	int label = -1;
	ListCell *lc;

	if (list_length(atoms) > STAGE_MAX_OPERANDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a stage would join %d tensors", list_length(atoms)),
				 errdetail("It can join at most %d.", STAGE_MAX_OPERANDS),
				 errhint("Define part of the expression in a statement of its own."),
				 program_errposition(lowering->program->text, expr->location)));

	foreach (lc, atoms)
	{
		TensorExpr *access = lfirst(lc);
		Operand *operand = &term->operands[term->noperands];

		operand->tensor = access->tensor;
		operand->producer = access->tensor->producer;
		operand->rank = access->nindices;
		operand->fill = access->fill;
		operand->outer = bms_is_empty(expr->labels) ||
						 !(deciding & (UINT64CONST(1) << term->noperands));
		for (int i = 0; i < access->nindices; i++)
		{
			operand->labels[i] =
				stage_label(lowering, stage, access->indices[i], access->location);
			operand->mask |= 1u << operand->labels[i];
		}
		term->labels |= operand->mask;
		term->noperands++;

		estimator->stored(&operand->estimate, tensor_statistics(operand->tensor),
						  operand->rank, operand->labels);
		if (operand->outer)
			continue;
		if (first)
			term->joined = operand->estimate;
		else
			estimator->intersect(&term->joined, &term->joined, &operand->estimate,
								 stage->bounds);
		first = false;
	}
	while ((label = bms_next_member(aggregated, label)) >= 0)
		term->aggregated |= 1u << stage_label(lowering, stage, label, expr->location);
	term->kernel = build_kernel(expr, atoms);
}

/* Adds the output's labels that no operand has, and what the term amounts to. */
static void
finish_term(Lowering *lowering, Stage *stage, Term *term)
{
	Estimate extension = {.entries = 1.0};

	if (term->labels == 0)
		term->joined.entries = 1.0; /* a number */
	term->extension = stage->output_mask & ~term->labels;
	if (term->extension == 0)
		return;
	extension.labels = term->extension;
	for (int i = 0; i < stage->nlabels; i++)
	{
		if (!(term->extension & (1u << i)))
			continue;
		if (stage->labels[i].bound == BOUND_OPEN)
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("a term cannot be extended to the open label \"%s\"",
								   stage->labels[i].name),
							errhint("Register the tensors it indexes with a bound."),
							program_errposition(lowering->program->text,
												lowering->statement->location)));
		extension.values[i] = stage->bounds[i];
		extension.entries *= stage->bounds[i];
	}
	lowering->graph->options->estimator->intersect(&term->joined, &term->joined,
												   &extension, stage->bounds);
}

/* The terms of a union with their signs, in order. */
static void
flatten_union(TensorExpr *expr, bool negative, List **terms, List **signs)
{
	check_stack_depth();
	if (is_union(expr))
	{
		flatten_union(expr->args[0], negative, terms, signs);
		flatten_union(expr->args[1],
					  expr->function == FUNCTION_SUBTRACT ? !negative : negative, terms,
					  signs);
		return;
	}
	if (expr->kind == EXPR_MAP && expr->function == FUNCTION_NEGATE &&
		is_union(expr->args[0]))
	{
		flatten_union(expr->args[0], !negative, terms, signs);
		return;
	}
	*terms = lappend(*terms, expr);
	*signs = lappend_int(*signs, negative);
}

static void
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

		build_term(lowering, stage, term, body, NULL);
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

static void
build_join(Lowering *lowering, Stage *stage, TensorExpr *body, Bitmapset *aggregated)
{
	const PlanOptions *options = lowering->graph->options;

	body = prepare_join(lowering, body);
	if (options->search != SEARCH_AS_WRITTEN && options->rewrite >= REWRITE_REASSOCIATE)
	{
		/* parts that are better aggregated before they meet the rest */
		body = contract_product(lowering->program, options->estimator, body, aggregated,
								cut_part, lowering);
		aggregated = bms_intersect(aggregated, body->labels);
	}
	stage->nterms = 1;
	stage->terms = palloc0(sizeof(Term));
	build_term(lowering, stage, &stage->terms[0], body, aggregated);
}

/*
 * The result of a join has no more entries than an operand that decides the
 * support has tuples over the result's labels, times the indices of the labels
 * it lacks. Without this bound sum[k] q[i,k] * b[i,j] * p[j,k] would seem to
 * have entries wherever some k may have brought one, not just where b has.
 */
static void
bound_by_operands(const Estimator *estimator, const Term *term, Estimate *result)
{
	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		double bound;

		if (operand->outer)
			continue;
		bound = estimator->tuples(&operand->estimate, operand->mask & result->labels);
		for (int i = 0; i < STAGE_MAX_LABELS; i++)
		{
			if (result->labels & ~operand->mask & (1u << i))
				bound *= result->values[i];
		}
		result->entries = Min(result->entries, bound);
	}
}

/* Estimates of the result, by label and by dimension. */
static void
estimate_stage(Lowering *lowering, Stage *stage)
{
	const Estimator *estimator = lowering->graph->options->estimator;
	TensorStatistics *statistics = &stage->statistics;

	for (int i = 0; i < stage->nterms; i++)
	{
		Estimate aggregated;

		estimator->aggregate(&aggregated, &stage->terms[i].joined, stage->output_mask);
		bound_by_operands(estimator, &stage->terms[i], &aggregated);
		if (i == 0)
			stage->estimate = aggregated;
		else
			estimator->unite(&stage->estimate, &stage->estimate, &aggregated,
							 stage->bounds);
	}
	statistics->rank = stage->noutput;
	statistics->entries = stage->estimate.entries;
	for (int i = 0; i < stage->noutput; i++)
		statistics->values[i] = stage->estimate.values[stage->output[i]];
	for (int s = 0; s < 1 << STATISTICS_MAX_RANK; s++)
	{
		statistics->distinct[s] = -1;
		for (int t = 0; t < 1 << STATISTICS_MAX_RANK; t++)
			statistics->degree[s][t] = -1;
	}
}

/*
 * The decomposition that the left side's case asks for: with a pin on any
 * label, every label is as written. Without one the optimizer chooses.
 */
static void
fix_shape(Lowering *lowering, Stage *stage)
{
	Statement *statement = stage->statement;
	const PlanOptions *options = lowering->graph->options;
	bool any = options->search == SEARCH_AS_WRITTEN;

	for (int i = 0; i < statement->noutput; i++)
	{
		bool promote = statement->output_pins[i] == PIN_PROMOTED ||
					   stage->labels[stage->output[i]].bound == BOUND_OPEN;

		any = any || statement->output_pins[i] != PIN_NONE;
		if (promote)
			stage->shape |= 1u << i;
	}
	stage->shape_fixed = any;
}

/* as_written: what is not upper case is demoted. */
static void
pin_as_written(Stage *stage)
{
	for (int i = 0; i < stage->nlabels; i++)
	{
		LabelMask bit = 1u << i;

		if (stage->must_promote & bit)
			continue;
		/* I on the left only and i on the right are one label, promoted */
		if (stage->statement)
		{
			for (int d = 0; d < stage->noutput; d++)
			{
				if (stage->output[d] == i && (stage->shape & (1u << d)) &&
					stage->labels[i].pin == PIN_NONE)
					stage->must_promote |= bit;
			}
		}
		if (!(stage->must_promote & bit))
			stage->must_demote |= bit;
	}
}

static Stage *
lower_stage(Lowering *lowering, TensorExpr *expr, const int *output, int noutput,
			bool is_statement)
{
	StageGraph *graph = lowering->graph;
	Statement *statement = lowering->statement;
	Stage *stage = palloc0(sizeof(Stage));
	TensorExpr *core = core_below_post(expr);

	check_stack_depth();
	for (int i = 0; i < noutput; i++)
	{
		stage->output[i] = stage_label(lowering, stage, output[i], expr->location);
		stage->output_mask |= 1u << stage->output[i];
	}
	stage->noutput = noutput;

	if (core && core->kind == EXPR_AGGREGATE)
	{
		if (core->aggregate != AGGREGATE_SUM)
			unsupported(lowering->program, core->location,
						"aggregates other than sum are not supported in programs yet",
						"Use the aggregates tensor_min and tensor_max on a view.");
		build_join(lowering, stage, core->args[0], core->bound_labels);
	}
	else if (core && is_union(core))
		build_union(lowering, stage, core);
	else
	{
		core = expr;
		build_join(lowering, stage, expr, NULL);
	}
	if (core != expr)
		stage->post = post_above(expr, core);

	for (int i = 0; i < stage->nterms; i++)
	{
		finish_term(lowering, stage, &stage->terms[i]);
		stage->aggregated |= stage->terms[i].aggregated;
	}
	estimate_stage(lowering, stage);

	if (is_statement)
	{
		stage->statement = statement;
		stage->schema = statement->target->schema;
		stage->name = statement->target->name;
		stage->tensor = statement->target;
		fix_shape(lowering, stage);
	}
	else
	{
		stage->schema = statement->target->schema;
		stage->name = psprintf("%s__%d", statement->target->name, ++lowering->nsubstages);
		stage->tensor = palloc0(sizeof(ProgramTensor));
		stage->tensor->name = stage->name;
		stage->tensor->rank = noutput;
		for (int i = 0; i < noutput; i++)
			stage->tensor->bounds[i] = stage->labels[stage->output[i]].bound;
	}
	if (graph->options->search == SEARCH_AS_WRITTEN)
		pin_as_written(stage);
	stage->tensor->producer = stage;
	stage->tensor->statistics = &stage->statistics;
	stage->number = list_length(graph->stages);
	graph->stages = lappend(graph->stages, stage);
	remember_stage(lowering, expr, stage);
	return stage;
}

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

/*
 * Lets statements absorb the statements that only they read, once: those that
 * aggregate nothing, and sums that need no stage of their own there. Pinned
 * statements stay as they are written. Returns those absorbed.
 */
static List *
absorb_statements(Program *program, const PlanOptions *options)
{
	List *absorbed = NIL;
	ListCell *lc;

	if (options->search == SEARCH_AS_WRITTEN || options->rewrite < REWRITE_DISTRIBUTE)
		return NIL;
	foreach (lc, program->statements)
	{
		Statement *statement = lfirst(lc);
		Statement *reader = NULL;
		int reads = 0;
		TensorExpr *merged;
		ListCell *other;

		foreach (other, program->statements)
		{
			Statement *candidate = lfirst(other);
			int count;

			if (list_member_ptr(absorbed, candidate))
				continue;
			count = count_accesses(candidate->expr, statement->target);
			if (count > 0)
				reader = candidate;
			reads += count;
		}
		if (reads != 1 || statement->pinned || reader->pinned ||
			is_union(statement->expr))
			continue;
		merged = normalize_expr(
			program, inline_definition(program, reader->expr, statement->target),
			options->rewrite);
		if (stages_of_sums(merged) > stages_of_sums(reader->expr))
			continue;
		reader->expr = merged;
		absorbed = lappend(absorbed, statement);
	}
	return absorbed;
}

/* How often each stage is computed when every root is read once. */
static void
count_uses(StageGraph *graph)
{
	for (int s = list_length(graph->stages) - 1; s >= 0; s--)
	{
		Stage *stage = list_nth(graph->stages, s);

		if (stage->side)
			continue;
		/* a result that nothing reads is a root */
		stage->uses = Max(stage->uses, 1);
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				Stage *producer = stage->terms[t].operands[o].producer;

				if (producer)
				{
					producer->readers++;
					producer->uses += stage->uses;
				}
			}
		}
	}
}

static Stage *
lower_statement(Lowering *lowering, Statement *statement)
{
	lowering->statement = statement;
	lowering->nsubstages = 0;
	return lower_stage(lowering, statement->expr, statement->output, statement->noutput,
					   true);
}

void
check_dense_result(const StageGraph *graph)
{
	const Stage *last = graph->last;

	for (int i = 0; i < last->noutput; i++)
	{
		if (last->labels[last->output[i]].bound == BOUND_OPEN)
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("a dense result cannot have the open label \"%s\"",
						last->labels[last->output[i]].name),
				 errhint("einsum_sql() and einsum_decompose() give a row for each of its "
						 "keys; with a bound, it could be dense."),
				 program_errposition(graph->program->text, last->statement->location)));
	}
}

/* result => 'rows' or 'dense', where the left side's case says nothing. */
static void
apply_result_option(StageGraph *graph)
{
	Stage *last = graph->last;
	DimensionMask all = (1u << last->noutput) - 1;

	if (graph->options->result == RESULT_AUTO || last->shape_fixed)
		return;
	last->shape_fixed = true;
	if (graph->options->result == RESULT_ROWS)
	{
		last->shape = all;
		return;
	}
	check_dense_result(graph);
	last->shape = 0;
}

StageGraph *
build_stages(Program *program, const PlanOptions *options)
{
	StageGraph *graph = palloc0(sizeof(StageGraph));
	Lowering lowering = {.graph = graph, .program = program};
	List *absorbed;
	ListCell *lc;

	graph->program = program;
	graph->options = options;
	foreach (lc, program->statements)
	{
		Statement *statement = lfirst(lc);

		statement->expr = normalize_expr(program, statement->expr, options->rewrite);
	}
	absorbed = absorb_statements(program, options);

	foreach (lc, program->statements)
	{
		if (!list_member_ptr(absorbed, lfirst(lc)))
			graph->last = lower_statement(&lowering, lfirst(lc));
	}
	/* afterwards, so that they share what runs and not the other way round */
	foreach (lc, absorbed)
	{
		int first_new = list_length(graph->stages);

		lower_statement(&lowering, lfirst(lc));
		for (int s = first_new; s < list_length(graph->stages); s++)
			((Stage *) list_nth(graph->stages, s))->side = true;
	}
	apply_result_option(graph);
	count_uses(graph);
	return graph;
}
