/*-------------------------------------------------------------------------
 *
 * lower.c
 *	  Cuts a program into stages.
 *
 * A statement becomes one stage where one join with one kernel and one
 * aggregation can compute it: outermost pointwise functions become the stage's
 * post expression, the sum below them its aggregation, what is left its kernel.
 * Sums and unions inside the kernel that cannot be absorbed become stages of
 * their own, equal ones once. A statement that its readers have absorbed (see
 * absorb.c) still gets a view, as a side stage, but nothing reads it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "commands/defrem.h"
#include "miscadmin.h"

#include "algebra/fixed_labels.h"
#include "algebra/groups.h"
#include "algebra/kernel_sums.h"
#include "algebra/laws.h"
#include "catalog/dimension.h"
#include "catalog/shift.h"
#include "expr/analysis.h"
#include "expr/dimensions.h"
#include "expr/walk.h"
#include "optimizer/lowering.h"
#include "optimizer/needed_keys.h"
#include "optimizer/settings.h"
#include "recursion.h"

bool
written_shape(const Statement *statement, SearchMethod search, Decomposition *shape)
{
	bool any = search == SEARCH_AS_WRITTEN;

	memset(shape, 0, sizeof(Decomposition));
	for (int i = 0; i < statement->noutput; i++)
	{
		int64 bound = statement->target->bounds[i];
		bool promote = statement->output_pins[i] == PIN_PROMOTED || bound_is_open(bound);

		any = any || statement->output_pins[i] != PIN_NONE;
		set_block(shape, i, promote ? BLOCK_PROMOTED : statement->output_blocks[i],
				  estimated_bound(bound));
	}
	return any;
}

/*
 * Fixes the decomposition of a statement's stage to the one that its left side asks for.
 */
static void
fix_shape(Lowering *lowering, Stage *stage)
{
	stage->shape_fixed = stage->shape_pinned =
		written_shape(stage->statement, lowering->graph->options->search, &stage->shape);
}

/* For as_written: demotes labels that are neither in upper case nor in blocks. */
static void
pin_as_written(Stage *stage)
{
	for (int i = 0; i < stage->nlabels; i++)
	{
		LabelMask bit = 1u << i;

		if ((stage->must_promote | stage->must_block | stage->must_demote) & bit)
			continue;
		/* I on the left only and i on the right are one label, promoted */
		for (int d = 0; stage->statement && d < stage->noutput; d++)
		{
			if (stage->output[d] != i || stage->labels[i].pin != PIN_NONE)
				continue;
			if (stage->shape.promoted & (1u << d))
				stage->must_promote |= bit;
			if (stage->shape.blocked & (1u << d))
			{
				stage->must_block |= bit;
				stage->labels[i].block = stage->shape.block[d];
			}
		}
		if (!((stage->must_promote | stage->must_block) & bit))
			stage->must_demote |= bit;
	}
}

/*
 * Returns "t__1" and so on, within the length of an identifier, and different from all
 * names that the program defines.
 */
static char *
substage_name(Lowering *lowering)
{
	char *name;

	do
	{
		char *suffix = psprintf("_%d", ++lowering->nsubstages);

		CHECK_FOR_INTERRUPTS();
		name = makeObjectName(lowering->statement->target->name, NULL, suffix);
	} while (!add_name(lowering->names, name));
	return name;
}

Stage *
lower_stage(Lowering *lowering, TensorExpr *expr, ProgramTensor *tensor,
			const int *output)
{
	StageGraph *graph = lowering->graph;
	Statement *statement = lowering->statement;
	const Form *form = make_form(lowering, expr);
	Stage *stage =
		lower_form(lowering->algebra, &lowering->lowered, form, tensor->rank, output);

	stage->tensor = tensor;
	stage->part_of = statement;
	stage->schema = statement->target->schema;
	if (tensor == statement->target)
	{
		stage->statement = statement;
		stage->name = tensor->name;
		fix_shape(lowering, stage);
	}
	else
		stage->name = substage_name(lowering);
	if (graph->options->search == SEARCH_AS_WRITTEN)
		pin_as_written(stage);
	stage->number = list_length(graph->stages);
	graph->stages = lappend(graph->stages, stage);
	set_side_value(lowering->lowered.stages, tensor, stage);
	set_side_value(lowering->algebra->statistics, tensor,
				   unconstify(TensorStatistics *, stage->statistics));
	return stage;
}

/*
 * Makes the stage of a shift of a computed tensor. indices are the labels with which the
 * stage reads the tensor; the result has those that are not constant indices. Labels of
 * constant indices are the stage's own.
 */
static Stage *
lower_shift(Lowering *lowering, const ProgramTensor *shifted, const int *indices,
			ProgramTensor *result, const int *output)
{
	const TensorShift *shift = shifted->shift;
	int labels[TENSOR_MAX_RANK];
	Stage *stage;

	for (int d = 0; d < shift->rank; d++)
		labels[d] =
			shift->place[d] < 0 ? shifted->shift_labels[d] : indices[shift->place[d]];
	stage = lower_stage(lowering,
						expr_access(lowering->program, shifted->shifted, labels,
									lowering->statement->location),
						result, output);
	stage->shift = shift;
	for (int d = 0; d < shift->rank; d++)
	{
		if (shift_moves(shift, d))
			stage->not_blocked |= 1u << stage->terms[0].operands[0].labels[d];
	}
	return stage;
}

/* Is a statement a shift and nothing else, so that the shift's stage can be its own? */
static bool
is_shift(const Program *program, const Statement *statement)
{
	const TensorExpr *expr = statement->expr;

	if (expr->kind != EXPR_ACCESS || expr->tensor->shifted == NULL ||
		expr->tensor->entry != NULL || bms_num_members(expr->labels) != expr->nindices ||
		expr->nindices != statement->noutput)
		return false;
	for (int i = 0; i < statement->noutput; i++)
	{
		if (statement->output_pins[i] == PIN_BLOCKED ||
			program->labels[statement->output[i]].pin == PIN_BLOCKED)
			return false;
	}
	return true;
}

/* Ends the walk where a tensor is read. */
static Walk
find_read_of_tensor(const TensorExpr *expr, void *tensor)
{
	return expr->kind == EXPR_ACCESS && expr->tensor == tensor ? WALK_END : WALK_BELOW;
}

/* Makes the stages by which statements read a tensor at shifted and constant indices. */
static void
lower_shifts(Lowering *lowering, const ProgramTensor *of, const Statement *part_of,
			 const List *statements)
{
	ListCell *lc;
	ListCell *ls;

	lowering->statement = list_nth(lowering->program->statements, part_of->number);
	foreach (lc, lowering->program->shifted)
	{
		ProgramTensor *tensor = lfirst(lc);
		int output[TENSOR_MAX_RANK];
		bool read = false;

		if (tensor->shifted != of || tensor->entry != NULL)
			continue;
		foreach (ls, statements)
		{
			const Statement *statement = lfirst(ls);

			CHECK_FOR_INTERRUPTS();
			read = read || (!is_shift(lowering->program, statement) &&
							walk_expr(statement->expr, find_read_of_tensor, tensor));
		}
		if (!read)
			continue;
		for (int d = 0; d < tensor->shift->rank; d++)
		{
			if (tensor->shift->place[d] >= 0)
				output[tensor->shift->place[d]] = tensor->shift_labels[d];
		}
		(void) lower_shift(lowering, tensor, output, tensor, output);
	}
}

void
lower_group(Lowering *lowering, const ProgramTensor *tensor)
{
	const EqualGroup *group = group_of_tensor(lowering->algebra, tensor);

	if (group && side_value(lowering->lowered.stages, tensor) == NULL)
		lower_stage(lowering, group->expr, group->tensor, group->labels);
}

/* Limit of uses, which may double with each of many stages: keeps costs finite. */
#define MOST_USES 1e200

/* Marks the stages that depend on the state of the loop. */
static void
mark_varying_stages(StageGraph *graph)
{
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Operand *operand = &stage->terms[t].operands[o];

				stage->varies |= operand_varies(operand);
			}
		}
	}
}

/* Counts how often each stage is computed when every root is read once. */
static void
count_uses(StageGraph *graph)
{
	bool once = keeps_all_stages(graph->options->materialize) || graph->options->loop;

	for (int s = list_length(graph->stages) - 1; s >= 0; s--)
	{
		Stage *stage = list_nth(graph->stages, s);

		CHECK_FOR_INTERRUPTS();
		if (stage->side)
			continue;
		/*
		 * a result that nothing reads is a root; a limited result of a point query with
		 * several readers is kept
		 */
		if (stage->uses < 1.0 || (stage->needed && stage->readers > 1))
			stage->uses = 1.0;
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				Stage *producer = stage->terms[t].operands[o].producer;

				if (producer)
				{
					producer->readers++;
					/*
					 * a table is computed once; a result that a loop reads repeatedly,
					 * once a round
					 */
					producer->uses =
						once ? 1.0 : Min(producer->uses + stage->uses, MOST_USES);
				}
			}
		}
		if (graph->options->loop && !stage->varies)
			stage->uses = SHARE_OF_ROUND;
	}
}

/*
 * Makes a statement one stage, where its kernel can compute the sums as they are written.
 * If products could take another order, this is a choice point.
 */
static void
fuse_written_sums(Lowering *lowering, Statement *statement)
{
	static const FormOption fuse[2] = {{NULL}, {"sum in the kernel"}};
	const PlanOptions *options = lowering->graph->options;
	TensorExpr *fused = sums_in_kernels(lowering->algebra, statement->expr);
	bool as_written =
		options->search == SEARCH_AS_WRITTEN || options->rewrite == REWRITE_NONE;

	if (fused != statement->expr && is_within_limits(lowering->algebra, fused) &&
		(as_written || choose_law(lowering->algebra->choices, FORMS_OF_CUTS, fuse)))
		statement->expr = fused;
}

/* Most laws that are applied to a statement one after the other. */
#define MOST_LAWS 4

/*
 * Gives a statement the form that its choice points ask for: one law makes other forms of
 * it, then further laws those of the form that is taken. By default preferred laws are
 * applied.
 */
static void
choose_statement_form(Lowering *lowering, Statement *statement)
{
	Algebra *algebra = lowering->algebra;
	const PlanOptions *options = lowering->graph->options;
	List *seen = NIL;

	if (statement->body_pinned || options->search == SEARCH_AS_WRITTEN)
	{
		fuse_written_sums(lowering, statement);
		return;
	}
	for (int step = 0; step < MOST_LAWS; step++)
	{
		List *others = other_forms(algebra, statement->expr, options->rewrite);
		int most = list_length(others) + 1;
		FormOption *offered = palloc0(sizeof(FormOption) * most);
		TensorExpr **forms = palloc(sizeof(TensorExpr *) * most);
		bool *last = palloc0(sizeof(bool) * most);
		int n = 0;
		int taken;
		ListCell *lc;

		seen = lappend(seen, statement->expr);
		for (int preferred = 1; preferred >= 0; preferred--)
		{
			foreach (lc, others)
			{
				const OtherForm *other = lfirst(lc);

				/*
				 * an expression that can be computed as it is must not fail in another
				 * form
				 */
				if (other->preferred != preferred || list_member_ptr(seen, other->expr) ||
					!is_within_limits(algebra, other->expr))
					continue;
				offered[n] = other->option;
				last[n] = other->last;
				forms[n++] = other->expr;
			}
			if (preferred)
				forms[n++] = statement->expr;
		}
		if (n == 1)
			return;
		taken = choose_form(algebra->choices, FORMS_OF_LAWS, n, offered);
		if (forms[taken] == statement->expr)
			return;
		statement->expr = forms[taken];
		if (offered[taken].cancels)
			lowering->graph->cancelling =
				bms_add_member(lowering->graph->cancelling, statement->number);
		if (last[taken])
			return;
	}
}

/* Makes the stage of a statement, in the form that earlier passes have given it. */
static Stage *
lower_statement(Lowering *lowering, const Statement *statement)
{
	Stage *stage;

	lowering->statement = list_nth(lowering->program->statements, statement->number);
	lowering->nsubstages = 0;
	if (is_shift(lowering->program, statement))
		return lower_shift(lowering, statement->expr->tensor, statement->expr->indices,
						   statement->target, statement->output);
	stage = lower_stage(lowering, statement->expr, statement->target, statement->output);
	add_group(lowering->algebra, statement->expr, statement->target, statement->output);
	return stage;
}

void
check_dense_result(const StageGraph *graph)
{
	const Stage *last = graph->last;

	for (int i = 0; i < last->noutput; i++)
	{
		if (label_is_key(graph->program, last->labels[last->output[i]].bound))
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("a dense result cannot have the open label \"%s\"",
						last->labels[last->output[i]].name),
				 bound_is_dimension(last->labels[last->output[i]].bound)
					 ? errhint("einsum_rows() and einsum_decompose() give a row for each "
							   "key. %s",
							   open_label_hint(last->labels[last->output[i]].bound))
					 : errhint(
						   "einsum_rows() and einsum_decompose() give a row for each key "
						   "that occurs; to have rows for keys that do not occur too, "
						   "give the label a dimension (einsum_dimension) as its bound. "
						   "With a number as its bound it could be dense."),
				 program_errposition(graph->program->text, last->statement->location)));
	}
}

bool
is_shown_by_rows(const Stage *stage)
{
	return stage->statement && !stage->shape_pinned;
}

Decomposition
shown_decomposition(const Stage *stage)
{
	return promoting((1u << stage->noutput) - 1);
}

static void
deliver_rows(Stage *stage)
{
	stage->shape_fixed = true;
	stage->shape = shown_decomposition(stage);
}

/*
 * Lets results that nothing reads be delivered in the decomposition that users see; a
 * result that is read must suit its readers, too.
 */
static void
deliver_unread(StageGraph *graph)
{
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		if (graph->options->result == RESULT_ROWS && stage->readers == 0 &&
			is_shown_by_rows(stage))
			deliver_rows(stage);
	}
}

/*
 * Applies result => 'rows' or 'dense' to results whose left side asks for no
 * decomposition.
 */
static void
apply_result_option(StageGraph *graph)
{
	Stage *last = graph->last;

	if (graph->options->result == RESULT_AUTO || last->shape_fixed)
		return;
	if (graph->options->result == RESULT_ROWS)
	{
		deliver_rows(last);
		return;
	}
	last->shape_fixed = true;
	check_dense_result(graph);
	last->shape = promoting(0);
	/* whoever reads the value stacks open labels */
	for (int d = 0; d < last->noutput; d++)
	{
		if (bound_is_open(last->labels[last->output[d]].bound))
			set_block(&last->shape, d, BLOCK_PROMOTED, INFINITY);
	}
}

/*
 * Returns the number of scopes. Each statement has one for its absorption, then one for
 * its form, then one for its form as a side stage, which takes the best known form.
 */
int
choice_scopes(const Program *program)
{
	return 3 * list_length(program->statements);
}

List *
laws_of_statement(const StageGraph *graph, const Statement *statement)
{
	return laws_taken(graph->choices,
					  list_length(graph->program->statements) + statement->number);
}

Algebra *
algebra_of_stages(Program *program, const PlanOptions *options)
{
	AlgebraLimits limits = {.atoms = STAGE_MAX_OPERANDS,
							.nest_atoms = STAGE_NEST_OPERANDS,
							.easy_atoms = STAGE_EASY_OPERANDS,
							.bytes = max_kernel_bytes * 1024.0,
							.budget = search_budget};
	Algebra *algebra = new_algebra(program, options->estimator, limits);

	algebra->at_keys = options->nat > 0;
	return algebra;
}

StageGraph *
build_stages(Algebra *algebra, const PlanOptions *options, FormChoices *choices)
{
	Program *program = algebra->program;
	int nstatements = list_length(program->statements);
	StageGraph *graph = palloc0(sizeof(StageGraph));
	Lowering lowering = {.graph = graph,
						 .program = program,
						 .algebra = algebra,
						 .lowered = {new_side_table(256), new_side_table(256)}};
	List *statements = NIL; /* copies: the program keeps what was written */
	Bitmapset *absorbed;
	int number = -1;
	ListCell *lc;

	graph->program = program;
	graph->options = options;
	graph->choices = choices;
	graph->limit = INFINITY;
	begin_cut(algebra, choices);
	lowering.names = make_name_set(256);
	foreach (lc, program->statements)
	{
		Statement *statement = palloc(sizeof(Statement));

		CHECK_FOR_INTERRUPTS();
		*statement = *(const Statement *) lfirst(lc);
		(void) add_name(lowering.names, statement->target->name);
		statement->expr = normalize_expr(program, statement->expr, options->rewrite);
		statements = lappend(statements, statement);
	}
	absorbed = absorb_statements(algebra, statements, options);
	find_at_labels(graph, llast(statements));
	fix_labels(algebra, statements, absorbed, options->nat, graph->at);

	foreach (lc, program->states)
		lower_shifts(&lowering, lfirst(lc), linitial(statements), statements);
	foreach (lc, statements)
	{
		if (bms_is_member(foreach_current_index(lc), absorbed))
			continue;
		enter_scope(choices, nstatements + foreach_current_index(lc),
					((const Statement *) lfirst(lc))->expr);
		choose_statement_form(&lowering, lfirst(lc));
		graph->last = lower_statement(&lowering, lfirst(lc));
		lower_shifts(&lowering, graph->last->tensor, lfirst(lc), statements);
	}
	/*
	 * side stages come last, so that they share the stages that run, and not the reverse
	 */
	while ((number = bms_next_member(absorbed, number)) >= 0)
	{
		int first_new = list_length(graph->stages);

		enter_scope(choices, 2 * nstatements + number,
					((const Statement *) list_nth(statements, number))->expr);
		choose_statement_form(&lowering, list_nth(statements, number));
		lower_statement(&lowering, list_nth(statements, number));
		for (int s = first_new; s < list_length(graph->stages); s++)
			((Stage *) list_nth(graph->stages, s))->side = true;
	}
	sum_duplicates_once(&lowering);
	apply_result_option(graph);
	if (options->nat > 0)
		find_needed_keys(graph);
	if (options->loop)
		mark_varying_stages(graph);
	count_uses(graph);
	deliver_unread(graph);
	return graph;
}
