/*-------------------------------------------------------------------------
 *
 * define.c
 *	  What a loop is: its states, and the programs that begin it and make a round.
 *
 * The states are the tensors that both init and step define, and those that assign names.
 * The right sides of the step read them as they were at the beginning of the round, so
 * their types, bounds and fills must be known before the step can be analysed; init gives
 * them. A round may change the fill: that of 0.15 / n + 0.85 * (sum ...) is 0.15 / n,
 * whatever it was. So the step is analysed again with the fills that it makes, until they
 * stay the same. If they never do (x + 1), or become infinite, all entries are stored.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "catalog/namespace.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/locks.h"
#include "catalog/lookup.h"
#include "expr/analysis.h"
#include "expr/function_table.h"
#include "expr/open_keys.h"
#include "expr/traps.h"
#include "expr/types.h"
#include "expr/walk.h"
#include "iterate/frontier.h"
#include "iterate/loop.h"
#include "iterate/plan.h"
#include "parser/syntax.h"
#include "recursion.h"

/* Analyses of the step, after which a fill that still changes is given up. */
#define MOST_FILL_ROUNDS 4

bool
is_name_in(const List *names, const char *name)
{
	ListCell *lc;

	foreach (lc, names)
	{
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	}
	return false;
}

/* Returns the names (char *) of the tensors that a program defines, in order. */
static List *
defined_names(const char *text)
{
	List *names = NIL;
	ListCell *lc;

	foreach (lc, parse_program(text))
	{
		const SyntaxReference *target = ((const SyntaxStatement *) lfirst(lc))->target;

		if (target->schema)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("what a loop defines has no schema"),
					 errhint("Leave it out; schema => ... is that of the loop's tables."),
					 program_errposition(text, target->location)));
		names = lappend(names, target->name);
	}
	return names;
}

/* Returns the name, with a number appended if it is taken. */
static char *
new_name(const char *name, const List *taken)
{
	char *result = pstrdup(name);
	int number = 0;

	while (is_name_in(taken, result))
		result = psprintf("%s_%d", name, ++number);
	return result;
}

char *
loop_name(const Loop *loop, const char *name)
{
	return new_name(name, loop->names);
}

char *
programs_in_order(const char *first, const char *second)
{
	bool ended = ((const SyntaxStatement *) llast(parse_program(first)))->end > 0;

	return psprintf("%s%s%s", first, ended ? "\n" : "\n;\n", second);
}

/*
 * Appends until to the step as its last statement, under a name that the step does not
 * use. Errors: 42601 if until is more than a condition.
 */
static char *
with_until(const char *step, const char *until, const List *names)
{
	List *statements = parse_program(step);
	char *text = programs_in_order(
		step, psprintf("%s[] = %s", quote_identifier(new_name("until", names)), until));

	if (list_length(parse_program(text)) != list_length(statements) + 1)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("until is one condition"),
						errdetail("It is \"%s\".", until),
						errhint("Write until => 'd[] < 1e-9', and what it needs as "
								"statements of the step.")));
	return text;
}

/* Returns labels, as "i0,i1". */
static char *
labels_of_rank(int rank)
{
	StringInfoData labels;

	initStringInfo(&labels);
	for (int d = 0; d < rank; d++)
		appendStringInfo(&labels, "%si%d", d ? "," : "", d);
	return labels.data;
}

/*
 * Appends the statement "x"[i0,i1] = "s"."x"[i0,i1], which reads a state from its table.
 */
static void
append_reading(StringInfo text, const LoopState *state, const Storage *storage)
{
	char *labels = labels_of_rank(storage->rank);

	appendStringInfo(
		text, "%s[%s] = %s[%s];\n", quote_identifier(state->name), labels,
		quote_qualified_identifier(get_namespace_name(get_rel_namespace(storage->relid)),
								   state->name),
		labels);
}

static Walk
need_statement(const TensorExpr *expr, void *context)
{
	bool *needed = context;

	if (statement_read(expr))
		needed[statement_read(expr)->number] = true;
	return WALK_BELOW;
}

void
keep_needed(Program *program)
{
	int count = list_length(program->statements);
	bool *needed = palloc0(sizeof(bool) * count);
	List *kept = NIL;
	ListCell *lc;

	for (int s = count - 1; s >= 0; s--)
	{
		const Statement *statement = list_nth(program->statements, s);

		needed[s] = needed[s] || statement->wanted;
		if (needed[s])
			(void) walk_expr(statement->expr, need_statement, needed);
	}
	foreach (lc, program->statements)
	{
		if (needed[foreach_current_index(lc)])
			kept = lappend(kept, lfirst(lc));
	}
	foreach (lc, kept)
		((Statement *) lfirst(lc))->number = foreach_current_index(lc);
	program->statements = kept;
}

Statement *
find_statement(const Program *program, const char *name)
{
	ListCell *lc;

	foreach (lc, program->statements)
	{
		Statement *statement = lfirst(lc);

		if (strcmp(statement->target->name, name) == 0)
			return statement;
	}
	return NULL;
}

/* "x[3,*] of float8" */
static char *
shape_of(const char *name, int rank, const int64 *bounds, ElementType type)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s[", name);
	for (int d = 0; d < rank; d++)
		appendStringInfo(&text, "%s%s", d ? "," : "", bound_to_string(bounds[d]));
	appendStringInfo(&text, "] of %s", element_type_name(type));
	return text.data;
}

static bool
same_shape(const TensorEntry *entry, const ProgramTensor *tensor)
{
	return entry->rank == tensor->rank && entry->type == tensor->type &&
		   memcmp(entry->bounds, tensor->bounds, sizeof(int64) * entry->rank) == 0;
}

/* Checks that the step keeps the shape and type of a state. Errors: 42804. */
static void
check_state(const Loop *loop, const LoopState *state, const Statement *statement)
{
	const ProgramTensor *tensor = statement->target;

	if (same_shape(&state->entry, tensor))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("the step does not make of \"%s\" what it was", state->name),
			 errdetail("Before a round it is %s, after it %s.",
					   shape_of(state->name, state->entry.rank, state->entry.bounds,
								state->entry.type),
					   shape_of(state->name, tensor->rank, tensor->bounds, tensor->type)),
			 state->entry.rank == tensor->rank && state->entry.type != tensor->type
				 ? errhint("Convert one of the two, as in float8(...).")
				 : errhint("Let init, or the table, and the step have one shape."),
			 program_errposition(loop->step, statement->location)));
}

Program *
analyze_step(const Loop *loop, const char *step, bool has_until)
{
	LoopScope scope = {
		.only_init = loop->only_init, .has_until = has_until, .known = loop->known};

	for (int s = 0; s < loop->nstates; s++)
	{
		if (loop->states[s].frontier_of == NULL)
			scope.states = lappend(scope.states, &loop->states[s].entry);
	}
	return analyze_loop(step, &scope);
}

/* Analyses a program that runs before the first round. */
static Program *
analyze_start(const Loop *loop, const char *text)
{
	LoopScope scope = {.known = loop->known};

	return analyze_loop(text, &scope);
}

/* Looks up the stored tensors that all programs of the loop read. */
static void
know_tensors(Loop *loop)
{
	List *states = NIL;

	for (int s = 0; s < loop->nstates; s++)
		states = lappend(states, loop->states[s].name);
	loop->known = new_known_tensors();
	add_names_of_program(loop->known, loop->start, NIL);
	if (loop->request->init)
		add_names_of_program(loop->known, loop->request->init, NIL);
	add_names_of_program(loop->known, loop->step, states);
	if (loop->request->read)
		add_names_of_program(loop->known, loop->request->read, states);
	look_up_tensors(loop->known);
}

static Program *
analyze_whole_step(const Loop *loop)
{
	return analyze_step(loop, loop->step, loop->request->until != NULL);
}

/*
 * Widens the integer keys of a state to the type that the step makes of them: shifted
 * keys are bigint. Returns whether some were.
 */
static bool
widen_keys(LoopState *state, const Statement *statement)
{
	bool widened = false;

	for (int d = 0; d < state->entry.rank; d++)
	{
		Oid *type = &state->entry.state_keys[d];
		Oid made;

		if (!bound_is_open(state->entry.bounds[d]) || !is_integer_key(*type))
			continue;
		made = open_key_type(statement, d);
		if (!is_integer_key(made) || wider_key_type(*type, made) == *type)
			continue;
		*type = made;
		widened = true;
	}
	return widened;
}

/*
 * Finds the fills and the types of keys of states that a round leaves as they are, and
 * checks the shapes of what it makes.
 */
static void
find_fills(Loop *loop)
{
	bool changed = true;

	for (int round = 0; changed; round++)
	{
		Program *program = analyze_whole_step(loop);

		changed = false;
		for (int s = 0; s < loop->nstates; s++)
		{
			LoopState *state = &loop->states[s];
			const Statement *statement = find_statement(program, state->name);

			check_state(loop, state, statement);
			changed = widen_keys(state, statement) || changed;
			if (state->table || state->all_stored ||
				same_number(statement->target->fill, state->entry.fill))
				continue;
			state->all_stored =
				round == MOST_FILL_ROUNDS || (number_is_finite(state->entry.fill) &&
											  !number_is_finite(statement->target->fill));
			state->entry.fill = state->all_stored ? 0.0 : statement->target->fill;
			changed = true;
		}
	}
}

/*
 * Finds the labels of states, named as in the step, and the columns of their tables: as
 * the left side of the step says, or else that of init, which may be NULL.
 */
static void
find_labels(Loop *loop, const Program *program, const Program *init)
{
	SearchMethod search = loop->request->options.search;

	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];
		const Statement *statement = find_statement(program, state->name);

		state->labels = palloc(sizeof(char *) * Max(statement->noutput, 1));
		for (int d = 0; d < statement->noutput; d++)
			state->labels[d] = program->labels[statement->output[d]].name;
		state->location = statement->location;
		if (written_shape(statement, search, &state->columns))
			continue;
		statement = init ? find_statement(init, state->name) : NULL;
		if (statement && written_shape(statement, search, &state->columns))
			continue;
		state->by_entry = true;
		state->columns = promoting((1u << state->entry.rank) - 1);
	}
}

/* Removes conversions to float4 and float8, which truth values that stand alone have. */
static TensorExpr *
without_conversion(TensorExpr *expr)
{
	enter_recursion();
	return expr_is_map(expr, FUNCTION_FLOAT4) || expr_is_map(expr, FUNCTION_FLOAT8)
			   ? without_conversion(expr->args[0])
			   : expr;
}

/*
 * Is the expression a comparison, or a product, the least or the greatest of comparisons?
 */
static bool
is_condition(TensorExpr *expr)
{
	enter_recursion();
	expr = without_conversion(expr);
	if (expr->is_truth_value)
		return true;
	if (!expr_is_map(expr, FUNCTION_MULTIPLY) && !expr_is_map(expr, FUNCTION_LEAST) &&
		!expr_is_map(expr, FUNCTION_GREATEST))
		return false;
	return is_condition(expr->args[0]) && is_condition(expr->args[1]);
}

static Walk
look_at_comparison(const TensorExpr *expr, void *context)
{
	const TensorExpr **found = context;

	if (expr->kind != EXPR_MAP || !is_comparison(expr->function))
		return WALK_BELOW;
	*found = expr;
	return WALK_END;
}

/* The leftmost comparison in a condition, or NULL. */
static TensorExpr *
first_comparison(const TensorExpr *expr)
{
	const TensorExpr *found = NULL;

	(void) walk_expr(expr, look_at_comparison, &found);
	return unconstify(TensorExpr *, found);
}

Statement *
statement_of(Program *program, TensorExpr *expr, const char *name)
{
	Statement *statement;

	if (expr->kind == EXPR_ACCESS && expr->tensor->definition)
		return expr->tensor->definition;
	statement = palloc0(sizeof(Statement));
	statement->target = palloc0(sizeof(ProgramTensor));
	statement->expr = fix_types(program, expr);
	statement->target->name = unconstify(char *, name);
	statement->target->type = statement->expr->type.type;
	statement->target->fill = statement->expr->fill;
	statement->target->definition = statement;
	statement->location = expr->location;
	statement->text = pstrdup("until");
	statement->number = list_length(program->statements);
	program->statements = lappend(program->statements, statement);
	program->tensors = lappend(program->tensors, statement->target);
	return statement;
}

/*
 * Returns the tensor that a statement of the step copies to make this one; the tensor
 * itself if no statement does.
 */
static const ProgramTensor *
copied_tensor(const ProgramTensor *tensor)
{
	const Statement *statement = tensor->definition;

	if (statement == NULL || statement->expr->kind != EXPR_ACCESS ||
		statement->expr->nindices != statement->noutput)
		return tensor;
	for (int d = 0; d < statement->noutput; d++)
	{
		if (statement->expr->indices[d] != statement->output[d])
			return tensor;
	}
	return statement->expr->tensor;
}

/* Ends the walk at a comparison, or a difference, of a tensor and its copy. */
static Walk
look_at_copy(const TensorExpr *expr, void *found)
{
	const TensorExpr *left = expr->args[0];
	const TensorExpr *right = expr->args[1];

	if (expr->kind != EXPR_MAP ||
		!(is_comparison(expr->function) || expr->function == FUNCTION_SUBTRACT) ||
		left->kind != EXPR_ACCESS || right->kind != EXPR_ACCESS ||
		left->tensor == right->tensor || left->nindices != right->nindices ||
		memcmp(left->indices, right->indices, sizeof(int) * left->nindices) != 0 ||
		copied_tensor(left->tensor) != copied_tensor(right->tensor))
		return WALK_BELOW;
	*(const TensorExpr **) found = expr;
	return WALK_END;
}

/*
 * Warns if until compares a state with a tensor that copies it: until reads both as the
 * round has made them, and so they are equal.
 */
static void
warn_of_copies(const TensorExpr *until)
{
	const TensorExpr *found;

	if (!walk_expr(until, look_at_copy, &found))
		return;
	ereport(
		WARNING,
		(errmsg("until compares \"%s\" with \"%s\", of which one is a copy of the "
				"other",
				found->args[0]->tensor->name, found->args[1]->tensor->name),
		 errdetail("until reads what the round has made, and there they are equal."),
		 errhint("Compare in the step, which reads the states of the round before: "
				 "changed[] = sum[j] (next[j] <> seen[j]), and until => 'changed[] == "
				 "0'.")));
}

/*
 * Takes until, the last statement, apart: the value that is shown, and the condition that
 * ends the loop, if possible as a comparison of that value with a number. Errors: 42601
 * if until is not a condition.
 */
static void
read_until(const Loop *loop, Program *program, LoopEnd *end, Statement **left,
		   Statement **condition)
{
	Statement *until = llast(program->statements);
	TensorExpr *comparison;
	List *names = NIL;
	ListCell *lc;

	if (!is_condition(until->expr))
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("until is not a condition"),
				 errdetail("It is \"%s\".", loop->request->until),
				 errhint("Write a comparison, as until => 'd[] < 1e-9'. For \"and\" "
						 "multiply conditions, for \"or\" take the greatest."),
				 program_errposition(loop->step, until->location)));
	foreach (lc, program->statements)
		names = lappend(names, ((const Statement *) lfirst(lc))->target->name);
	comparison = first_comparison(until->expr);
	if (comparison && bms_is_empty(comparison->labels))
		*left = statement_of(program, comparison->args[0], new_name("until_left", names));
	if (*left && comparison == without_conversion(until->expr) &&
		comparison->args[1]->kind == EXPR_LITERAL &&
		!element_is_complex((*left)->target->type) &&
		cimag(comparison->args[1]->value) == 0)
	{
		end->comparison = comparison->function;
		end->right = creal(comparison->args[1]->value);
	}
	else
		*condition = until;
}

Program *
loop_step(const Loop *loop, LoopEnd *end)
{
	Program *program = analyze_whole_step(loop);
	Statement *left = NULL;
	Statement *condition = NULL;

	/* the procedure has a new snapshot after each commit */
	program->one_snapshot = !loop->request->across;
	for (int s = 0; s < loop->nstates; s++)
	{
		if (loop->states[s].frontier_of == NULL)
			check_state(loop, &loop->states[s],
						find_statement(program, loop->states[s].name));
	}
	if (loop->request->until)
		read_until(loop, program, end, &left, &condition);
	use_frontiers(loop, program);
	for (int s = 0; s < loop->nstates; s++)
		find_statement(program, loop->states[s].name)->wanted = true;
	if (left)
		left->wanted = true;
	if (condition)
		condition->wanted = true;
	keep_needed(program);
	end->left = left ? left->number : -1;
	end->condition = condition ? condition->number : -1;
	return program;
}

Program *
loop_start(const Loop *loop)
{
	Program *program = analyze_start(loop, loop->start);

	start_frontiers(loop, program);
	for (int s = 0; s < loop->nstates; s++)
		find_statement(program, loop->states[s].name)->wanted = true;
	keep_needed(program);
	return program;
}

/*
 * Checks that the step defines each tensor that assign names, and init does not. Errors:
 * 42704, 22023.
 */
static void
check_assigned(const LoopRequest *request, const List *init, const List *step)
{
	ListCell *lc;

	foreach (lc, request->assign)
	{
		const SyntaxReference *name = lfirst(lc);

		if (!is_name_in(step, name->name))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("the step does not define \"%s\"", name->name),
					 errdetail("assign names it."),
					 errhint("Define it in the step, or leave it out of assign.")));
		if (is_name_in(init, name->name))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("both init and assign say what \"%s\" begins with", name->name),
				 errhint(
					 "What assign names begins with what is in its table: leave it out "
					 "of init, which may be NULL where it defines nothing else.")));
	}
}

static bool
is_assigned(const LoopRequest *request, const char *name)
{
	ListCell *lc;

	foreach (lc, request->assign)
	{
		if (strcmp(((const SyntaxReference *) lfirst(lc))->name, name) == 0)
			return true;
	}
	return false;
}

/* Finds the states, in the order in which the step defines them. */
static void
find_states(Loop *loop, const List *init, const List *step)
{
	ListCell *lc;

	/* allocates two states for each tensor of the step, since each may have a frontier */
	loop->states = palloc0(sizeof(LoopState) * 2 * list_length(step));
	foreach (lc, step)
	{
		char *name = lfirst(lc);
		LoopState *state = &loop->states[loop->nstates];
		bool given = is_assigned(loop->request, name);

		/*
		 * without init, a tensor of the step is a state if a table of the loop holds it
		 */
		if (loop->request->init && !given && !is_name_in(init, name))
			continue;
		state->name = name;
		state->given = given;
		loop->nstates++;
	}
	foreach (lc, init)
	{
		if (!is_name_in(step, lfirst(lc)))
			loop->only_init = lappend(loop->only_init, lfirst(lc));
	}
}

/* Removes states that no table holds; for loops without init. */
static void
keep_stored_states(Loop *loop)
{
	int kept = 0;

	for (int s = 0; s < loop->nstates; s++)
	{
		if (loop->states[s].table)
			loop->states[kept++] = loop->states[s];
	}
	loop->nstates = kept;
}

/* Returns the name of the first state that has a table, which no argument gives. */
static const char *
first_kept_state(const Loop *loop)
{
	for (int s = 0; s < loop->nstates; s++)
	{
		if (!loop->states[s].given && loop->states[s].table)
			return loop->states[s].name;
	}
	return NULL;
}

/*
 * Do tables hold all of the loop's own states, so that it can continue? Errors: 55000 if
 * they hold only some.
 */
static bool
goes_on(const Loop *loop)
{
	const char *there = first_kept_state(loop);
	const char *missing = NULL;

	for (int s = 0; s < loop->nstates; s++)
	{
		if (!loop->states[s].given && loop->states[s].table == NULL)
			missing = loop->states[s].name;
	}
	if (there && missing)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("loop \"%s\" cannot go on", loop->request->name),
						errdetail("There is a table of \"%s\", but none of \"%s\".",
								  there, missing),
						errhint("Begin again with restart => true.")));
	return there != NULL;
}

/*
 * Checks that a table from which the loop continues has the shape and type that init
 * would make. Errors: 55000.
 */
static void
check_table(const Loop *loop, const LoopState *state, const Program *init)
{
	const Statement *statement = init ? find_statement(init, state->name) : NULL;

	if (statement == NULL || same_shape(&state->entry, statement->target))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("loop \"%s\" cannot go on with table \"%s\"", loop->request->name,
					state->name),
			 errdetail("It holds %s, but init makes %s.",
					   shape_of(state->name, state->entry.rank, state->entry.bounds,
								state->entry.type),
					   shape_of(state->name, statement->target->rank,
								statement->target->bounds, statement->target->type)),
			 errhint("Begin again with restart => true.")));
}

/* Does an expression read a tensor of this name, without a schema? */
static bool
reads_name(const SyntaxExpr *expr, const char *name)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE && expr->reference->schema == NULL &&
		strcmp(expr->reference->name, name) == 0)
		return true;
	foreach (lc, expr->args)
	{
		if (reads_name(lfirst(lc), name))
			return true;
	}
	return false;
}

/*
 * Notices statements that read a state after a statement of the step has computed it anew
 * from itself: they read it as it was before the round, where other languages would give
 * the new value.
 */
static void
notice_read_behind(const Loop *loop)
{
	bool *made = palloc0(sizeof(bool) * loop->nstates);
	ListCell *lc;

	foreach (lc, parse_program(loop->request->step))
	{
		const SyntaxStatement *statement = lfirst(lc);

		for (int s = 0; s < loop->nstates; s++)
		{
			const char *state = loop->states[s].name;

			if (made[s] && reads_name(statement->expr, state))
			{
				ereport(
					NOTICE,
					(errmsg("statement \"%s\" of the step reads state \"%s\" as it "
							"was before the round",
							statement->target->name, state),
					 errdetail("An earlier statement of the step defines \"%s\" anew.",
							   state),
					 errhint("To read the new value, give it another name first: new = "
							 "...; %s = new. To read the old one, write the statement "
							 "before that of \"%s\", or keep it first: old = %s.",
							 quote_identifier(state), state, quote_identifier(state))));
				made[s] = false;
			}
			if (strcmp(statement->target->name, state) == 0)
				made[s] = reads_name(statement->expr, state);
		}
	}
}

void
lock_loop(const LoopRequest *request)
{
	Oid namespace = LookupExplicitNamespace(request->schema, false);
	List *init = request->init ? defined_names(request->init) : NIL;
	List *step = defined_names(request->step);
	Locks held = {NIL};
	Locks wanted;

	do
	{
		List *relations = relations_of_program(namespace, request->name, false);
		ListCell *lc;

		wanted = (Locks){NIL};
		add_program_lock(&wanted, namespace, request->name, relations);
		/* tensors that may be states, each of which gets a table */
		foreach (lc, step)
		{
			if (request->init ? is_name_in(init, lfirst(lc))
							  : OidIsValid(get_relname_relid(lfirst(lc), namespace)))
				add_tensor_lock(&wanted, namespace, lfirst(lc), relations);
		}
		add_tensor_locks_of(&wanted, relations);
		foreach (lc, request->assign)
		{
			const SyntaxReference *name = lfirst(lc);
			Oid schema = schema_of_tensor(name->schema, name->name);
			List *storages =
				OidIsValid(schema) ? registrations_in_schema(schema, name->name) : NIL;
			ListCell *inner;

			foreach (inner, storages)
				add_tensor_lock(&wanted, schema, name->name,
								list_make1_oid(((Storage *) lfirst(inner))->relid));
		}
	} while (!take_locks(&wanted, &held));
}

Loop *
define_loop(const LoopRequest *request)
{
	Loop *loop = palloc0(sizeof(Loop));
	List *init = request->init ? defined_names(request->init) : NIL;
	List *step = defined_names(request->step);
	StringInfoData start;
	Program *program;
	const Program *start_program;
	ListCell *lc;

	loop->request = request;
	loop->memory = CurrentMemoryContext;
	loop->names = list_concat_copy(init, step);
	check_assigned(request, init, step);
	find_states(loop, init, step);
	find_places(loop);
	if (request->init == NULL)
		keep_stored_states(loop);
	if (loop->nstates == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("loop \"%s\" has no state", request->name),
				 request->init
					 ? errdetail("The step defines nothing that init defines.")
					 : errdetail("There is no init, and no table holds what the step "
								 "defines."),
				 errhint("What both init and step define is passed on from round to "
						 "round.")));
	loop->step =
		request->until ? with_until(request->step, request->until, step) : request->step;

	loop->continues = !request->restart && goes_on(loop);
	initStringInfo(&start);
	for (int s = 0; s < loop->nstates; s++)
	{
		if (loop->states[s].given || loop->continues)
			append_reading(&start, &loop->states[s], loop->states[s].table);
	}
	if (!loop->continues && request->init)
		appendStringInfoString(&start, request->init);
	loop->start = start.data;

	know_tensors(loop);
	start_program = program = analyze_start(loop, loop->start);
	for (int s = 0; s < loop->nstates; s++)
		describe_state(&loop->states[s].entry,
					   find_statement(program, loop->states[s].name)->target);
	if (loop->continues && request->init)
	{
		if (!request->again)
			ereport(NOTICE,
					(errmsg("loop \"%s\" continues from table \"%s\"", request->name,
							first_kept_state(loop)),
					 errdetail("An earlier call has made it; init is not computed."),
					 errhint("restart => true begins with init.")));
		start_program = program = analyze_start(loop, request->init);
		for (int s = 0; s < loop->nstates; s++)
			check_table(loop, &loop->states[s], program);
	}
	foreach (lc, loop->names)
	{
		bool is_state = false;

		for (int s = 0; s < loop->nstates; s++)
			is_state = is_state || strcmp(loop->states[s].name, lfirst(lc)) == 0;
		/* what both init and the step define is a state */
		if (!is_state)
			notice_hidden_tensor(NULL, lfirst(lc));
	}
	if (request->init)
		notice_traps_of_loop(request->init);
	notice_traps_of_loop(loop->step);
	notice_read_behind(loop);
	find_fills(loop);
	program = analyze_whole_step(loop);
	if (request->until)
		warn_of_copies(((const Statement *) llast(program->statements))->expr);
	find_labels(loop, program, start_program);
	return loop;
}

/* Adds the relations of the stored tensors and dimensions that a program reads. */
static List *
add_relations_read(List *relations, const Program *program)
{
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, program->tensors)
	{
		const ProgramTensor *tensor = lfirst(lc);

		if (tensor->entry == NULL || tensor->is_state)
			continue;
		foreach (lc2, tensor->entry->storages)
			relations =
				list_append_unique_oid(relations, ((const Storage *) lfirst(lc2))->relid);
	}
	for (int i = 0; i < program->nlabels; i++)
	{
		if (program->labels[i].bounded && bound_is_dimension(program->labels[i].bound))
			relations = list_append_unique_oid(
				relations, dimension_relation(program->labels[i].bound));
	}
	return relations;
}

/* Returns the programs of a loop: the step, and init if there is one. */
static List *
programs_of_loop(const Loop *loop)
{
	LoopEnd end = {-1, -1};
	List *programs = list_make1(loop_step(loop, &end));

	if (loop->request->init)
		programs = lappend(programs, analyze_start(loop, loop->request->init));
	return programs;
}

List *
relations_of_loop(const Loop *loop)
{
	List *relations = NIL;
	ListCell *lc;

	foreach (lc, programs_of_loop(loop))
		relations = add_relations_read(relations, lfirst(lc));
	return relations;
}

int64
registrations_of_loop(const Loop *loop)
{
	List *storages = NIL;
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, programs_of_loop(loop))
	{
		foreach (lc2, ((const Program *) lfirst(lc))->tensors)
		{
			const ProgramTensor *tensor = lfirst(lc2);

			if (tensor->entry && !tensor->is_state)
				storages = list_concat(storages, tensor->entry->storages);
		}
	}
	return registrations_hash(storages);
}

bool
init_reads(const Loop *loop, const List *relations)
{
	ListCell *lc;

	if (loop->request->init == NULL)
		return false;
	foreach (lc, add_relations_read(NIL, analyze_start(loop, loop->request->init)))
	{
		if (list_member_oid(relations, lfirst_oid(lc)))
			return true;
	}
	return false;
}

/* Returns "value"["i","j"] = "x"["i","j"], with the labels that the step gives a state */
static char *
reading_of_state(const Loop *loop, const LoopState *state)
{
	StringInfoData labels;

	initStringInfo(&labels);
	for (int d = 0; d < state->entry.rank; d++)
		appendStringInfo(&labels, "%s%s", d ? "," : "",
						 quote_identifier(state->labels[d]));
	return psprintf("%s[%s] = %s[%s]", quote_identifier(loop_name(loop, "value")),
					labels.data, quote_identifier(state->name), labels.data);
}

const LoopState *
last_state(const Loop *loop)
{
	const LoopState *state = loop->states;

	for (int s = 1; s < loop->nstates && loop->states[s].frontier_of == NULL; s++)
		state = &loop->states[s];
	return state;
}

ProgramPlan *
plan_of_result(const Loop *loop)
{
	const char *program = loop->request->read;
	PlanOptions options = loop->request->options;
	const LoopState *state = last_state(loop);

	options.loop = false;
	options.result = loop->request->result;
	if (program == NULL && options.result == RESULT_ROWS && !state->by_entry)
		return plan_of_state(loop, state, &state->columns);
	return linitial(find_plans(
		analyze_step(loop, program ? program : reading_of_state(loop, state), false),
		&options));
}

ProgramPlan *
plan_of_state(const Loop *loop, const LoopState *state, const Decomposition *shape)
{
	Program *program = analyze_step(loop, reading_of_state(loop, state), false);
	PlanOptions options = loop->request->options;

	options.loop = false;
	pin_result(llast(program->statements), shape);
	return linitial(find_plans(program, &options));
}
