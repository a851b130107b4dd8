/*-------------------------------------------------------------------------
 *
 * frontier.c
 *	  Extremes of a state, taken over the entries that the last round has changed.
 *
 * A statement has the form
 *
 *	  x'[i] = least(x[i], min[j] t(x[j], y[i,j]))
 *
 * or greatest and max, with any function t and a y that is the same in all rounds. Terms
 * of entries of x that have not changed are what they were, and since the round before
 * x[i] is at most the least of them. So the terms of changed entries suffice: the state's
 * *frontier* f, which is a state of its own,
 *
 *	  f'[i] = if(n[i] >= x[i], infinity, n[i])	  where n[i] = min[j] t(f[j], y[i,j])
 *	  x'[i] = least(x[i], f'[i])
 *
 * and begins as all of x. This is semi-naive evaluation of a recursive query. Where t
 * reads several entries of x, n is the least of as many such minima, each with f for one
 * of the entries.
 *
 * It is used where t is infinite if f is at its fill, whatever y is (algebra/support.h),
 * for then entries that f does not have give no terms. The maximum of terms that are 0
 * there, as a[i,j]*f[i], leaves a state without negative entries as it is: then t must be
 * 0 where f does not have an entry, and "any" serves as max. t need not be monotonic.
 *
 * A NaN in n is a NaN in f' and x'. A NaN in x would stay there without being in f', so
 * that f' would not tell whether x <> x'. So states with NaN have no frontier, and no NaN
 * comes into one later, for it ends the loop.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "algebra/delta.h"
#include "catalog/origin.h"
#include "catalog/tensor_storage.h"
#include "codegen/change_statement.h"
#include "expr/analysis.h"
#include "expr/inline.h"
#include "expr/side_table.h"
#include "expr/to_syntax.h"
#include "expr/types.h"
#include "expr/walk.h"
#include "iterate/changes.h"
#include "iterate/frontier.h"
#include "iterate/plan.h"
#include "optimizer/lowering.h"
#include "optimizer/settings.h"
#include "recursion.h"

/* The rewriting of a step so that it computes a state from its frontier. */
typedef struct Making
{
	Program *program;
	Extreme extreme;
	Delta *delta;       /* in which all states differ between rounds */
	ProgramTensor *old; /* the state, as the round found it */
	Statement *made;    /* the statement that defines the new frontier */
	List *results;      /* of ProgramTensor *: the state's new value */
	List *candidates;   /* of ProgramTensor *: compared with the old value to get the new
						  * one */
} Making;

/* What differs between the round before and this one. */
typedef enum Differing
{
	STATES_DIFFER = 1,
	TABLES_DIFFER = 2 /* those of loop->better */
} Differing;

/* Returns how the stored tensors that a step reads have got better. */
static List *
better_tensors(const Loop *loop, Program *program)
{
	List *result = NIL;
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);

		if (tensor->entry == NULL || tensor->is_state || tensor->shifted)
			continue;
		foreach (lc2, loop->better)
		{
			const TensorChange *change = lfirst(lc2);
			const Storage *storage = linitial(tensor->entry->storages);
			ChangedTensor *changed;

			if (storage->relid != change->relid ||
				strcmp(storage->tensor, change->storage.tensor) != 0)
				continue;
			changed = palloc0(sizeof(ChangedTensor));
			changed->tensor = tensor;
			changed->kind = change->kind;
			changed->function = change->function;
			changed->change =
				tensor_of_change(&change->storage, statistics_of_change(change), tensor);
			result = lappend(result, changed);
		}
	}
	return result;
}

/*
 * Begins to rewrite a step by which a state is an extreme of this function. read: the
 * frontier, as the round finds it; may be NULL where nothing is computed from it.
 */
static Making
begin_making(const Loop *loop, Program *program, const LoopState *state,
			 FunctionId function, ProgramTensor *read, int differing)
{
	Making making = {.program = program, .old = state_read(program, state)};
	List *changed = NIL;
	ListCell *lc;

	making.extreme.function = function;
	making.extreme.keeps = !(differing & TABLES_DIFFER);
	foreach (lc, differing & STATES_DIFFER ? program->states : NIL)
	{
		ChangedTensor *tensor = palloc0(sizeof(ChangedTensor));

		tensor->tensor = lfirst(lc);
		tensor->kind = tensor->tensor == making.old ? CHANGE_BETTER : CHANGE_WHOLE;
		tensor->function = function;
		tensor->change = tensor->tensor != making.old ? NULL : read ? read : making.old;
		changed = lappend(changed, tensor);
	}
	if (differing & TABLES_DIFFER)
	{
		List *better = better_tensors(loop, program);

		foreach (lc, better)
			program->states =
				lappend(program->states, ((const ChangedTensor *) lfirst(lc))->change);
		changed = list_concat(changed, better);
	}
	making.delta =
		new_delta(algebra_of_stages(program, &loop->request->options), changed);
	return making;
}

typedef struct VaryingSearch
{
	Making *making;
	Statement *found;
} VaryingSearch;

static Walk
find_varying(const TensorExpr *expr, void *context)
{
	VaryingSearch *search = context;

	if (!may_differ(search->making->delta, expr))
		return WALK_ON;
	if (expr->kind == EXPR_ACCESS)
		search->found = expr->tensor->definition;
	return search->found ? WALK_END : WALK_BELOW;
}

/*
 * Returns a statement that the expression reads and whose value varies between rounds, or
 * NULL.
 */
static Statement *
varying_statement(Making *making, const TensorExpr *expr)
{
	VaryingSearch search = {making, NULL};

	(void) walk_expr(expr, find_varying, &search);
	return search.found;
}

/*
 * Replaces reads of varying statements by their definitions, until the expression reads
 * only states. NULL if it becomes too large.
 */
static TensorExpr *
read_through(Making *making, TensorExpr *expr)
{
	const Statement *statement;

	while (expr->size <= CHANGE_MOST_NODES)
	{
		statement = varying_statement(making, expr);
		if (statement == NULL)
			return expr;
		expr = inline_definition(making->program, expr, statement);
	}
	return NULL;
}

/* Is the expression a tensor that is read at the indices of the statement's result? */
static bool
is_read_alike(const TensorExpr *expr, const Statement *statement)
{
	return expr->kind == EXPR_ACCESS && expr->nindices == statement->noutput &&
		   (statement->noutput == 0 || memcmp(expr->indices, statement->output,
											  sizeof(int) * statement->noutput) == 0);
}

/* Returns the statement whose result another one copies, or NULL. */
static Statement *
copied_statement(const Statement *statement)
{
	const TensorExpr *expr = statement->expr;

	return is_read_alike(expr, statement) ? expr->tensor->definition : NULL;
}

/*
 * Finds the statement that computes a state as the extreme of itself and other terms,
 * sets *function, and *change to these terms; NULL if there is no such statement.
 */
static Statement *
find_extreme(Program *program, const LoopState *state, FunctionId *function,
			 TensorExpr **change)
{
	Statement *statement = find_statement(program, state->name);
	Statement *copied;

	while ((copied = copied_statement(statement)) != NULL)
		statement = copied;
	*change = change_of_state(program, statement, state, function);
	if (*change == NULL ||
		(*function != FUNCTION_LEAST && *function != FUNCTION_GREATEST))
		return NULL;
	return statement;
}

/* Gives statements their numbers. */
static void
number_statements(Program *program)
{
	ListCell *lc;

	foreach (lc, program->statements)
		((Statement *) lfirst(lc))->number = foreach_current_index(lc);
}

static Walk
count_before(const TensorExpr *expr, void *context)
{
	int *count = context;

	if (statement_read(expr))
		*count = Max(*count, statement_read(expr)->number + 1);
	return WALK_BELOW;
}

/* Returns how many statements must come before one that computes the expression. */
static int
statements_before(const TensorExpr *expr)
{
	int count = 0;

	(void) walk_expr(expr, count_before, &count);
	return count;
}

/*
 * Adds a statement that computes the frontier from an expression over the labels of
 * another statement, before all statements that may read it.
 */
static Statement *
put_statement(Program *program, const LoopState *frontier, const Statement *like,
			  TensorExpr *expr)
{
	Statement *statement = palloc0(sizeof(Statement));
	ProgramTensor *target = palloc0(sizeof(ProgramTensor));

	statement->target = target;
	statement->noutput = like->noutput;
	statement->location = like->location;
	for (int d = 0; d < like->noutput; d++)
	{
		int copy = program_copy_label(program, like->output[d]);

		statement->output[d] = copy;
		program->renaming[like->output[d]] = copy;
	}
	statement->expr = fix_types(program, rename_labels(program, expr, program->renaming));
	for (int d = 0; d < like->noutput; d++)
		program->renaming[like->output[d]] = -1;
	target->name = frontier->name;
	target->rank = like->noutput;
	target->type = statement->expr->type.type;
	target->fill = statement->expr->fill;
	memcpy(target->bounds, frontier->entry.bounds, sizeof(target->bounds));
	target->definition = statement;
	statement->text = syntax_to_string(list_make1(
		statement_to_syntax(program, target, statement->output, statement->expr)));
	program->statements = list_insert_nth(program->statements,
										  statements_before(statement->expr), statement);
	program->tensors = lappend(program->tensors, target);
	number_statements(program);
	return statement;
}

/* Are two accesses at the same entry of their tensors? */
static bool
are_at_same_place(const TensorExpr *a, const TensorExpr *b)
{
	return a->nindices == b->nindices &&
		   memcmp(a->indices, b->indices, sizeof(int) * a->nindices) == 0;
}

/*
 * Are these two accesses an entry of one of the tensors and the same entry of the old
 * state?
 */
static bool
is_compared(const Making *making, const List *tensors, const TensorExpr *value,
			const TensorExpr *old)
{
	return value->kind == EXPR_ACCESS && old->kind == EXPR_ACCESS &&
		   old->tensor == making->old && list_member_ptr(tensors, value->tensor) &&
		   are_at_same_place(value, old);
}

/*
 * If a comparison tells whether the round changes an entry of the state, returns the
 * access to the entry's new value; else NULL.
 */
static const TensorExpr *
asks_for_change(const Making *making, const TensorExpr *expr)
{
	bool least = making->extreme.function == FUNCTION_LEAST;

	if (expr->kind != EXPR_MAP || expr->nargs != 2)
		return NULL;
	for (int i = 0; i < 2; i++)
	{
		const TensorExpr *value = expr->args[i];
		const TensorExpr *old = expr->args[1 - i];
		FunctionId better = least == (i == 0) ? FUNCTION_LT : FUNCTION_GT;

		if ((expr->function == FUNCTION_NE || expr->function == FUNCTION_EQ ||
			 expr->function == better) &&
			is_compared(making, making->results, value, old))
			return value;
		if (expr->function == better &&
			is_compared(making, making->candidates, value, old))
			return value;
	}
	return NULL;
}

/*
 * Rewrites an expression: comparisons that tell whether an entry changes look at the
 * frontier instead.
 */
static TensorExpr *
asking_frontier(const Making *making, TensorExpr *expr, SideTable *done)
{
	Program *program = making->program;
	TensorExpr *args[FUNCTION_MAX_ARGS];
	TensorExpr *result = side_value(done, expr);
	const TensorExpr *value;

	Assert(expr != NULL);
	if (result)
		return result;
	enter_recursion();
	value = asks_for_change(making, expr);
	if (value)
		result = expr_map2(
			program, expr->function == FUNCTION_EQ ? FUNCTION_EQ : FUNCTION_NE,
			expr_access(program, making->made->target, value->indices, value->location),
			expr_literal(program, neutral_value(making->extreme.function), -1));
	else
	{
		for (int i = 0; i < expr->nargs; i++)
			args[i] = asking_frontier(making, expr->args[i], done);
		result = expr_with_args(program, expr, args);
	}
	set_side_value(done, expr, result);
	return result;
}

/*
 * The better of the state's old value and the frontier's new one, over a statement's
 * labels.
 */
static TensorExpr *
better_value(const Making *making, const Statement *statement)
{
	Program *program = making->program;

	return expr_map2(program, making->extreme.function,
					 expr_access(program, making->old, statement->output, -1),
					 expr_access(program, making->made->target, statement->output, -1));
}

/*
 * Notes where a step has the state's new value, which a statement makes of the old one and
 * a change.
 */
static void
note_results(Making *making, Statement *statement, const Statement *maker,
			 const TensorExpr *change)
{
	for (Statement *made = statement; made; made = copied_statement(made))
		making->results = lappend(making->results, made->target);
	if (is_read_alike(change, maker) && change->tensor->definition)
		making->candidates = list_make1(change->tensor);
	making->extreme.bottom = change->fill;
}

/*
 * Makes a step compute a state from its frontier. If that is impossible, returns false
 * and leaves the program as it is: the frontier is among its states only if it is used.
 */
static bool
use_frontier(const Loop *loop, Program *program, const LoopState *state,
			 const LoopState *frontier)
{
	ProgramTensor *read = tensor_of_state(unconstify(TensorEntry *, &frontier->entry));
	Statement *statement = find_statement(program, state->name);
	Extreme *extreme;
	FunctionId function;
	TensorExpr *change;
	Statement *maker = find_extreme(program, state, &function, &change);
	Making making;
	TensorExpr *recent;
	TensorExpr *args[3];
	List *terms;
	SideTable *done = new_side_table(64);
	ListCell *lc;

	if (maker == NULL)
		return false;
	making = begin_making(loop, program, state, function, read,
						  loop->better ? TABLES_DIFFER : STATES_DIFFER);
	extreme = &making.extreme;
	note_results(&making, statement, maker, change);
	change = read_through(&making, change);
	if (change == NULL || !may_differ(making.delta, change) ||
		!find_extreme_terms(making.delta, change, extreme, &terms))
		return false;
	recent = combined_terms(program, terms, extreme->function);
	if (!same_number(recent->fill, extreme->bottom))
		return false;
	args[0] = expr_map2(program,
						extreme->function == FUNCTION_LEAST ? FUNCTION_GE : FUNCTION_LE,
						recent, expr_access(program, making.old, maker->output, -1));
	args[1] = expr_literal(program, neutral_value(extreme->function), -1);
	args[2] = recent;
	program->states = lappend(program->states, read);
	making.made = put_statement(program, frontier, maker,
								expr_map(program, FUNCTION_IF, args, maker->location));
	foreach (lc, program->statements)
	{
		Statement *other = lfirst(lc);

		Assert(other != NULL);
		if (other == making.made)
			continue;
		if (other == statement || other == maker)
			other->expr = better_value(&making, other);
		else
			other->expr = asking_frontier(&making, other->expr, done);
	}
	return true;
}

/*
 * The extreme of the terms whose entries of the state are all better than own; NULL if
 * the expression has terms of another form.
 */
static TensorExpr *
extreme_of_better(Making *making, TensorExpr *expr, TensorExpr *own)
{
	Program *program = making->program;
	const Extreme *extreme = &making->extreme;
	FunctionId better = extreme->function == FUNCTION_LEAST ? FUNCTION_LT : FUNCTION_GT;
	TensorExpr *term = expr;
	List *entries;
	ListCell *lc;

	enter_recursion();
	if (!may_differ(making->delta, expr))
		return expr;
	if (expr_is_map(expr, extreme->function))
	{
		TensorExpr *one = extreme_of_better(making, expr->args[0], own);
		TensorExpr *other = extreme_of_better(making, expr->args[1], own);

		return one && other ? expr_map2(program, extreme->function, one, other) : NULL;
	}
	if (expr->kind == EXPR_AGGREGATE)
	{
		if (!takes_extreme(extreme, expr->aggregate))
			return NULL;
		term = expr->args[0];
	}
	if (!find_changed_entries(making->delta, term, &entries))
		return NULL;
	foreach (lc, entries)
	{
		TensorExpr *args[3];

		args[0] = expr_map2(program, better, lfirst(lc), own);
		args[1] = term;
		args[2] = expr_literal(program, extreme->bottom, -1);
		term = expr_map(program, FUNCTION_IF, args, expr->location);
	}
	return expr->kind == EXPR_AGGREGATE
			   ? expr_aggregate(program, expr->aggregate, bms_copy(expr->bound_labels),
								term, expr->location)
			   : term;
}

bool
find_state_extreme(const Loop *loop, Program *program, const LoopState *state,
				   StateExtreme *extreme)
{
	TensorExpr *change;
	Statement *maker = find_extreme(program, state, &extreme->function, &change);
	Making making;

	if (maker == NULL)
		return false;
	making = begin_making(loop, program, state, extreme->function, NULL, STATES_DIFFER);
	making.extreme.bottom = change->fill;
	extreme->nlabels = maker->noutput;
	extreme->labels = maker->output;
	extreme->own = expr_access(program, making.old, maker->output, -1);
	if (expr_is_map(change, FUNCTION_FLOAT8))
		change = change->args[0];
	extreme->all = read_through(&making, change);
	extreme->better =
		extreme->all ? extreme_of_better(&making, extreme->all, extreme->own) : NULL;
	return extreme->better != NULL;
}

/*
 * Does until say that no entry of the state has changed: a count or the like, over all
 * entries, of those that have, which equals 0?
 */
static bool
ends_when_still(const Making *making, const LoopEnd *end)
{
	const TensorExpr *count;
	const TensorExpr *value;
	Bitmapset *labels = NULL;

	if (end->left < 0 || end->condition >= 0 || end->comparison != FUNCTION_EQ ||
		end->right != 0.0)
		return false;
	count = ((const Statement *) list_nth(making->program->statements, end->left))->expr;
	while (expr_is_map(count, FUNCTION_FLOAT8))
		count = count->args[0];
	if (count->kind != EXPR_AGGREGATE ||
		(count->aggregate != AGGREGATE_SUM && count->aggregate != AGGREGATE_MAX &&
		 count->aggregate != AGGREGATE_ANY))
		return false;
	value = count->args[0];
	while (expr_is_map(value, FUNCTION_FLOAT8))
		value = value->args[0];
	if (expr_is_map(value, FUNCTION_EQ))
		return false;
	value = asks_for_change(making, value);
	if (value == NULL)
		return false;
	/* not of a diagonal alone */
	for (int i = 0; i < value->nindices; i++)
		labels = bms_add_member(labels, value->indices[i]);
	return bms_num_members(labels) == value->nindices &&
		   bms_equal(labels, count->bound_labels);
}

bool
follows_from_better(const Loop *loop)
{
	LoopEnd end = {-1, -1};
	Program *program = loop_step(loop, &end);
	const LoopState *state = loop->states;
	FunctionId function;
	TensorExpr *change;
	Statement *maker;
	Making making;
	List *terms;

	if (loop->nstates != 1 || state->given)
		return false;
	maker = find_extreme(program, state, &function, &change);
	if (maker == NULL)
		return false;
	making =
		begin_making(loop, program, state, function, NULL, STATES_DIFFER | TABLES_DIFFER);
	note_results(&making, find_statement(program, state->name), maker, change);
	if (!ends_when_still(&making, &end))
		return false;
	change = read_through(&making, change);
	/* its terms move in one direction, with the state and with the tables */
	return change && find_extreme_terms(making.delta, change, &making.extreme, &terms);
}

void
use_frontiers(const Loop *loop, Program *program)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *frontier = &loop->states[s];

		if (frontier->frontier_of &&
			!use_frontier(loop, program, frontier->frontier_of, frontier))
			elog(ERROR, "state \"%s\" cannot be made by its frontier",
				 frontier->frontier_of->name);
	}
}

void
start_frontiers(const Loop *loop, Program *program)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		const LoopState *frontier = &loop->states[s];
		const Statement *whole;
		TensorExpr *all;

		if (frontier->frontier_of == NULL)
			continue;
		whole = find_statement(program, frontier->frontier_of->name);
		all = expr_access(program, whole->target, whole->output, -1);
		/* entries of 0 give no terms, so that the frontier need not have them */
		if (frontier->from_zero)
			all = with_other(program, all, 0.0, frontier->entry.fill);
		(void) put_statement(program, frontier, whole, all);
	}
}

/* Do the type and size of a state allow a frontier, and should one pay? */
static bool
may_have_frontier(const LoopState *state)
{
	double entries = 1.0;

	if (enable_state_changes == NODES_OFF || state->all_stored || !can_be_indexed(state))
		return false;
	for (int d = 0; d < state->entry.rank; d++)
		entries *= bound_is_open(state->entry.bounds[d])
					   ? INFINITY
					   : (double) bound_size(state->entry.bounds[d]);
	return enable_state_changes == NODES_FORCE || entries >= LEAST_ENTRIES;
}

/* Initializes the frontier of a state, which is a state itself. */
static void
describe_frontier(const Loop *loop, LoopState *frontier, LoopState *state, double fill)
{
	Decomposition shape = storage_decomposition(&state->place);

	memset(frontier, 0, sizeof(LoopState));
	frontier->frontier_of = state;
	frontier->name = loop_name(loop, psprintf("%s_changed", state->name));
	frontier->labels = state->labels;
	frontier->entry = state->entry;
	frontier->entry.name = frontier->name;
	frontier->entry.fill = fill;
	place_state(frontier, &shape);
}

void
add_frontiers(Loop *loop)
{
	int nstates = loop->nstates;
	List *better = loop->better;
	LoopEnd end;

	/* which rounds need that are not the first */
	loop->better = NIL;

	for (int s = 0; s < nstates; s++)
	{
		LoopState *state = &loop->states[s];
		LoopState *frontier = &loop->states[loop->nstates];
		FunctionId function;
		TensorExpr *change;
		Program *program;

		if (!may_have_frontier(state))
			continue;
		program = loop_step(loop, &end);
		if (find_extreme(program, state, &function, &change) == NULL)
			continue;
		describe_frontier(loop, frontier, state, neutral_value(function));
		frontier->from_zero = !same_number(change->fill, frontier->entry.fill);
		if (!use_frontier(loop, program, state, frontier))
			continue;
		program = loop_step(loop, &end);
		loop->better = better;
		if (better && !use_frontier(loop, program, state, frontier))
			better = NIL;
		loop->better = NIL;
		loop->names = lappend(loop->names, frontier->name);
		loop->nstates++;
	}
	if (loop->nstates > nstates)
		loop->better = better;
}

void
drop_frontiers(Loop *loop)
{
	while (loop->nstates > 0 && loop->states[loop->nstates - 1].frontier_of)
	{
		LoopState *frontier = &loop->states[--loop->nstates];

		if (frontier->rows == NULL)
			continue;
		unregister_rows(frontier->rows);
		clear_rows(frontier->rows);
	}
}
