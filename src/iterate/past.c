/*-------------------------------------------------------------------------
 *
 * past.c
 *	  Whether a loop may continue from a state that tables held since an earlier call.
 *
 * A state that each round computes anew by sums, as ranks are, forgets what it was. A
 * state that is an extreme of itself does not: a distance that has decreased stays so,
 * also when the road that it came from has been deleted. So a state of the form
 *
 *	  x'[i] = least(x[i], t[i])	   where t[i] = min[j] f(x[j], ...)
 *
 * is checked before the first round. Let b be what init makes of x now:
 *
 * - An entry less than both b[i] and t[i] follows from nothing, and an entry greater
 *	 than b[i] does not belong to this init: these are errors.
 * - If each entry is at least b[i], or a term of entries that are less than itself, then
 *	 it follows from b by the present steps, in the order of the entries. Steps of
 *	 positive length are so.
 * - Else entries may follow from each other alone, as the least labels of a component
 *	 around a circle: that is a warning. So is a state of another form that keeps its
 *	 past.
 *
 * A state of another form keeps its past if, on some path from the state to itself,
 *
 * - an extreme chooses by former values, and there is no sum of them above it: w - (sum
 *	 ... w) forgets, as weights do, also within an extreme, and roads + (sum ... front)
 *	 does not. Where the path reads another state next, a sum of that state counts as
 *	 well: y - (sum ... y), with y made of x and of what x was before (FISTA). A sum alone
 *	 within least, greatest or relu does not count: least(1, sum ... x) stays 1;
 * - a function jumps by former values: a comparison, sign, ceil, any, a product over
 *	 labels. Sums inside of it do not count, sums around it do, as those of k-means;
 * - something is added to its own limit, as w + relu(n - w) is the greater of w and n.
 *
 * Nothing is stored for this check, so that it does not matter how tables were changed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "catalog/attempt.h"
#include "catalog/lookup.h"
#include "catalog/query_label.h"
#include "catalog/query_run.h"
#include "codegen/deparse.h"
#include "expr/side_table.h"
#include "iterate/frontier.h"
#include "iterate/loop.h"
#include "iterate/plan.h"
#include "parser/syntax.h"
#include "recursion.h"

/*
 * Relative difference that is tolerated between a stored entry and the same entry
 * computed now: it may be rounded otherwise.
 */
#define ROUNDING 1e-9
#define FLOAT4_ROUNDING 1e-4

/*
 * Whether the entries of a state follow from the tables as they are now: the worst case
 * of all entries.
 */
typedef enum Past
{
	PAST_FOLLOWS,
	PAST_UNKNOWN,
	PAST_WRONG,
} Past;

/* Bits of a node on a path to the state. */
enum
{
	IN_EXTREME = 1, /* it is inside an extreme */
	IN_RENEWED = 2, /* the state's former values fade in it */
	IN_LIMIT = 4,   /* it is inside an extreme with a limit that a sum may exceed */
	IN_JUMP = 8,    /* it is inside a function that jumps */
	IN_PAIR = 16,   /* it is added to a limit of it, or is that limit */
	NUM_PLACES = 32
};

/* A state that a path reads next, and what is known, for it, of the nodes of a step. */
typedef struct NextState
{
	const char *name;
	SideTable *varying; /* does a node read it? */
	SideTable *adding;  /* does a node read it through a sum that is not only compared? */
	SideTable *direct;  /* does a node read it outside of sums? */
	SideTable *limited; /* does a node read it within a limit? */
	SideTable *plain;   /* does a node read it outside of limits? */
	SideTable *leading[NUM_PLACES]; /* by place: does a node keep its former values? */
} NextState;

/* The search for paths by which a state's former values reach its new ones. */
typedef struct Ways
{
	const Program *program;
	const NextState *state;
	NextState *states; /* of the loop */
	int nstates;
} Ways;

/* The state whose entries a node reads, or NULL. */
static const char *
state_read(const TensorExpr *expr)
{
	const ProgramTensor *tensor;

	if (expr->kind != EXPR_ACCESS)
		return NULL;
	tensor = expr->tensor->shifted ? expr->tensor->shifted : expr->tensor;
	return tensor->is_state ? tensor->name : NULL;
}

/* Is the expression a sum or product over a label, or a function of a whole matrix? */
static bool
adds_up(const TensorExpr *expr)
{
	return expr->kind == EXPR_MATRIX ||
		   (expr->kind == EXPR_AGGREGATE &&
			(expr->aggregate == AGGREGATE_SUM || expr->aggregate == AGGREGATE_PROD));
}

/*
 * Does the expression read the state, in the same round? With through_sum, only reads
 * inside a sum count, unless its value is only compared.
 */
static bool
reads_state(const NextState *state, const TensorExpr *expr, bool through_sum)
{
	SideTable *known = through_sum ? state->adding : state->varying;
	bool inside = through_sum && !adds_up(expr);
	const char *read = state_read(expr);
	bool result = false;

	if (through_sum && expr->is_truth_value)
		return false;
	if (side_answer(known, expr, &result))
		return result;
	enter_recursion();
	result = !through_sum && read && strcmp(read, state->name) == 0;
	if (!result && statement_read(expr))
		result = reads_state(state, statement_read(expr)->expr, through_sum);
	for (int i = 0; i < expr->nargs && !result; i++)
		result = reads_state(state, expr->args[i], inside);
	return set_side_answer(known, expr, result);
}

/* Does the expression read the state outside of sums, in the same round? */
static bool
reads_directly(const NextState *state, const TensorExpr *expr)
{
	const char *read = state_read(expr);
	bool result = false;

	if (adds_up(expr))
		return false;
	if (side_answer(state->direct, expr, &result))
		return result;
	enter_recursion();
	result = read && strcmp(read, state->name) == 0;
	if (!result && statement_read(expr))
		result = reads_directly(state, statement_read(expr)->expr);
	for (int i = 0; i < expr->nargs && !result; i++)
		result = reads_directly(state, expr->args[i]);
	return set_side_answer(state->direct, expr, result);
}

/*
 * Does the expression add a sum of the state to the state, or choose one, so that former
 * values fade? Both may be the next state on the path.
 */
static bool
is_renewed(const Ways *ways, const NextState *next, const TensorExpr *expr)
{
	return expr->kind == EXPR_MAP &&
		   (expr->function == FUNCTION_ADD || expr->function == FUNCTION_SUBTRACT ||
			expr->function == FUNCTION_IF) &&
		   (reads_directly(ways->state, expr) || reads_directly(next, expr)) &&
		   (reads_state(ways->state, expr, true) || reads_state(next, expr, true));
}

/*
 * Is the expression a truth value, also if it is converted, the result of a statement, or
 * negated as 1 - x?
 */
static bool
is_truth(const TensorExpr *expr)
{
	while (!expr->is_truth_value)
	{
		if (statement_read(expr))
			expr = statement_read(expr)->expr;
		else if (expr_is_map(expr, FUNCTION_FLOAT4) || expr_is_map(expr, FUNCTION_FLOAT8))
			expr = expr->args[0];
		else if (expr_is_map(expr, FUNCTION_SUBTRACT) &&
				 expr->args[0]->kind == EXPR_LITERAL)
			expr = expr->args[1];
		else
			return false;
	}
	return true;
}

/* Does a pointwise function have a limit, which its argument may be above or below? */
static bool
has_limit(const TensorExpr *expr)
{
	return expr_is_map(expr, FUNCTION_LEAST) || expr_is_map(expr, FUNCTION_GREATEST) ||
		   expr_is_map(expr, FUNCTION_RELU) || expr_is_map(expr, FUNCTION_ABS);
}

/*
 * Does a function jump from one number to another, or multiply many values, which one of
 * them can make 0?
 */
static bool
jumps(const TensorExpr *expr)
{
	if (expr->kind == EXPR_MATRIX)
		return is_extreme_place(expr->matrix);
	if (expr->kind == EXPR_AGGREGATE)
		return expr->aggregate == AGGREGATE_ANY || expr->aggregate == AGGREGATE_ALL ||
			   expr->aggregate == AGGREGATE_PROD;
	return expr->is_truth_value || expr_is_map(expr, FUNCTION_SIGN) ||
		   expr_is_map(expr, FUNCTION_CEIL) || expr_is_map(expr, FUNCTION_FLOOR) ||
		   expr_is_map(expr, FUNCTION_ROUND);
}

/* Does the expression choose among its arguments? A product with a condition does. */
static bool
chooses_argument(const TensorExpr *expr)
{
	if (expr->kind == EXPR_AGGREGATE)
		return !adds_up(expr);
	if (expr->kind != EXPR_MAP)
		return false;
	switch (expr->function)
	{
		case FUNCTION_LEAST:
		case FUNCTION_GREATEST:
		case FUNCTION_IF:
		case FUNCTION_RELU:
			return true;
		case FUNCTION_MULTIPLY:
			return is_truth(expr->args[0]) || is_truth(expr->args[1]);
		default:
			return false;
	}
}

/*
 * Does the expression read the state within a limit, around which there is no sum, or
 * outside of limits?
 */
static bool
reads_limited(const NextState *state, const TensorExpr *expr, bool limited)
{
	SideTable *known = limited ? state->limited : state->plain;
	const char *read = state_read(expr);
	bool result = false;

	if (side_answer(known, expr, &result))
		return result;
	enter_recursion();
	if (has_limit(expr))
		result = limited && reads_state(state, expr, false);
	else if (!limited || !adds_up(expr))
	{
		result = !limited && read && strcmp(read, state->name) == 0;
		if (!result && statement_read(expr))
			result = reads_limited(state, statement_read(expr)->expr, limited);
		for (int i = 0; i < expr->nargs && !result; i++)
			result = reads_limited(state, expr->args[i], limited);
	}
	return set_side_answer(known, expr, result);
}

/* Is the expression a sum of what reads the state next, and a limit of it? */
static bool
adds_limit(const NextState *next, const TensorExpr *expr)
{
	if (!expr_is_map(expr, FUNCTION_ADD) && !expr_is_map(expr, FUNCTION_SUBTRACT))
		return false;
	for (int i = 0; i < 2; i++)
	{
		if (reads_limited(next, expr->args[i], true) &&
			reads_limited(next, expr->args[1 - i], false))
			return true;
	}
	return false;
}

/*
 * Returns the place of the arguments of an expression that is at this place; -1 if former
 * values that they read fade.
 */
static int
place_of_arguments(const Ways *ways, const NextState *next, const TensorExpr *expr,
				   int place)
{
	if (jumps(expr))
	{
		/* what a condition of a renewed state asks may be the state itself */
		if ((place & IN_RENEWED) && !expr->is_truth_value)
			return -1;
		return IN_JUMP | (place & IN_RENEWED);
	}
	if (adds_up(expr))
		return (place & (IN_JUMP | IN_LIMIT)) && !(place & IN_RENEWED) ? place : -1;
	if (place & IN_JUMP)
		return place;
	if (!(place & IN_RENEWED) && adds_limit(next, expr))
		place |= IN_PAIR;
	if (chooses_argument(expr))
		place |= IN_EXTREME;
	if (has_limit(expr) && !expr_is_map(expr, FUNCTION_ABS))
		place |= IN_LIMIT;
	if (!(place & IN_PAIR) && is_renewed(ways, next, expr))
		place |= IN_RENEWED;
	return place;
}

/*
 * Returns what of an argument former values reach the expression by: the whole, or its
 * arguments where a quotient is only kept from a division by 0, and where the sign of
 * what another factor has as well makes no jump: sign(x)*relu(abs(x) - 1).
 */
static const TensorExpr *
effective_argument(const NextState *next, const TensorExpr *expr, int i)
{
	const TensorExpr *below = expr->args[i];

	if (expr_is_map(expr, FUNCTION_MULTIPLY) && expr_is_map(below, FUNCTION_SIGN) &&
		reads_state(next, expr->args[1 - i], false))
		return below->args[0];
	if (expr_is_map(expr, FUNCTION_DIVIDE) && i == 1 &&
		expr_is_map(below, FUNCTION_GREATEST))
		return below->args[below->args[0]->kind == EXPR_LITERAL ? 1 : 0];
	return below;
}

static bool keeps_past(const Ways *ways, const TensorExpr *expr, int place);

/*
 * Is there a path from the state to this node, possibly through several rounds, on which
 * former values do not fade, and that reads state next first?
 */
static bool
keeps_past_by(const Ways *ways, const NextState *next, const TensorExpr *expr, int place)
{
	const char *read = state_read(expr);
	bool result = false;

	place = place_of_arguments(ways, next, expr, place);
	if (place < 0)
		return false;
	if (side_answer(next->leading[place], expr, &result))
		return result;
	enter_recursion();
	/* a path that comes here again finds no more */
	(void) set_side_answer(next->leading[place], expr, false);
	if (read && strcmp(read, next->name) == 0)
	{
		if (next != ways->state)
			result = keeps_past(ways, find_statement(ways->program, read)->expr, place);
		else
			result = (place & (IN_JUMP | IN_PAIR)) ||
					 (place & (IN_EXTREME | IN_RENEWED)) == IN_EXTREME;
	}
	else if (statement_read(expr))
		result = keeps_past_by(ways, next, statement_read(expr)->expr, place);
	for (int i = 0; i < expr->nargs && !result; i++)
		result = keeps_past_by(ways, next, effective_argument(next, expr, i), place);
	return set_side_answer(next->leading[place], expr, result);
}

/* Is there such a path that reads any state of the loop first? */
static bool
keeps_past(const Ways *ways, const TensorExpr *expr, int place)
{
	enter_recursion();
	for (int s = 0; s < ways->nstates; s++)
	{
		if (keeps_past_by(ways, &ways->states[s], expr, place))
			return true;
	}
	return false;
}

/* Prepares the search for paths that begin at a state of the loop. */
static Ways
ways_from(const Loop *loop, const Program *step, int state)
{
	Ways ways = {.program = step,
				 .states = palloc(sizeof(NextState) * loop->nstates),
				 .nstates = loop->nstates};

	ways.state = &ways.states[state];
	for (int s = 0; s < loop->nstates; s++)
	{
		NextState *next = &ways.states[s];

		next->name = loop->states[s].name;
		next->varying = new_side_table(64);
		next->adding = new_side_table(64);
		next->direct = new_side_table(64);
		next->limited = new_side_table(64);
		next->plain = new_side_table(64);
		for (int place = 0; place < NUM_PLACES; place++)
			next->leading[place] = new_side_table(64);
	}
	return ways;
}

/* The name, in a program of init and step, of the tensor that init makes for a state. */
static char *
name_of_begin(const char *name)
{
	return psprintf("%s at the beginning", name);
}

/* The position of a name in a program's text, and what is to be written there. */
typedef struct NamePlace
{
	int location;
	const char *text;
} NamePlace;

static int
compare_places(const ListCell *a, const ListCell *b)
{
	return ((const NamePlace *) lfirst(a))->location -
		   ((const NamePlace *) lfirst(b))->location;
}

static void
add_place(List **places, const SyntaxReference *reference, const char *text)
{
	NamePlace *place = palloc(sizeof(NamePlace));

	place->location = reference->location;
	place->text = text;
	*places = lappend(*places, place);
}

/*
 * Adds the positions at which a statement of init reads what statements before it define,
 * or a stored tensor whose name the loop gives another meaning.
 */
static void
add_readings(const Loop *loop, const SyntaxExpr *expr, const List *before, List **places)
{
	const SyntaxReference *reference = expr->reference;
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE && reference->schema == NULL)
	{
		const char *name = reference->name;
		Oid schema;

		if (is_name_in(before, name))
			add_place(places, reference, quote_identifier(name_of_begin(name)));
		else if (is_name_in(loop->names, name) &&
				 OidIsValid(schema = schema_of_tensor(NULL, name)))
			add_place(places, reference,
					  quote_qualified_identifier(get_namespace_name(schema), name));
	}
	foreach (lc, expr->args)
		add_readings(loop, lfirst(lc), before, places);
}

/* Returns the end of the name, quoted or not, that begins here. */
static const char *
end_of_name(const char *name)
{
	if (*name != '"')
	{
		while (IS_HIGHBIT_SET(*name) || isalnum((unsigned char) *name) || *name == '_' ||
			   *name == '$')
			name++;
		return name;
	}
	do
	{
		name = strchr(name + 1, '"') + 1;
	} while (*name == '"');
	return name;
}

/*
 * Returns the text of init with other names (name_of_begin) for the tensors it defines.
 */
static char *
renamed_init(const Loop *loop)
{
	const char *init = loop->request->init;
	List *before = NIL; /* names of results that a statement may read */
	List *places = NIL;
	const char *rest = init;
	StringInfoData text;
	ListCell *lc;

	foreach (lc, parse_program(init))
	{
		const SyntaxStatement *statement = lfirst(lc);
		char *name = statement->target->name;

		add_place(&places, statement->target, quote_identifier(name_of_begin(name)));
		add_readings(loop, statement->expr, before, &places);
		before = lappend(before, name);
	}
	list_sort(places, compare_places);
	initStringInfo(&text);
	foreach (lc, places)
	{
		const NamePlace *place = lfirst(lc);
		const char *name = init + place->location;

		appendBinaryStringInfo(&text, rest, (int) (name - rest));
		appendStringInfoString(&text, place->text);
		rest = end_of_name(name);
	}
	appendStringInfoString(&text, rest);
	return text.data;
}

/* The condition that one number is better than the other by more than rounding errors. */
static TensorExpr *
clearly_better(Program *program, const StateExtreme *extreme, TensorExpr *one,
			   TensorExpr *other)
{
	bool least = extreme->function == FUNCTION_LEAST;
	double rounding =
		extreme->own->type.type == ELEMENT_FLOAT4 ? FLOAT4_ROUNDING : ROUNDING;
	TensorExpr *number = expr_convert(program, one, ELEMENT_FLOAT8);

	number = expr_map2(program, least ? FUNCTION_ADD : FUNCTION_SUBTRACT, number,
					   expr_map2(program, FUNCTION_MULTIPLY,
								 expr_map1(program, FUNCTION_ABS, number),
								 expr_literal(program, rounding, -1)));
	return expr_map2(program, least ? FUNCTION_LT : FUNCTION_GT, number, other);
}

static TensorExpr *
choose(Program *program, TensorExpr *condition, Past past, TensorExpr *otherwise)
{
	TensorExpr *args[3] = {condition, expr_literal(program, past, -1), otherwise};

	return expr_map(program, FUNCTION_IF, args, -1);
}

/* The Past of an entry, as an expression; begin is the entry that init makes. */
static TensorExpr *
past_of_entry(Program *program, const StateExtreme *extreme, TensorExpr *begin)
{
	TensorExpr *reached = expr_map2(program, extreme->function, begin, extreme->better);
	TensorExpr *given = expr_map2(program, extreme->function, begin, extreme->all);
	TensorExpr *past = expr_literal(program, PAST_FOLLOWS, -1);

	past =
		choose(program,
			   expr_map2(program,
						 extreme->function == FUNCTION_LEAST ? FUNCTION_LT : FUNCTION_GT,
						 extreme->own, reached),
			   PAST_UNKNOWN, past);
	past = choose(program, clearly_better(program, extreme, extreme->own, given),
				  PAST_WRONG, past);
	past = choose(program, clearly_better(program, extreme, begin, extreme->own),
				  PAST_WRONG, past);
	return expr_convert(program, past, ELEMENT_FLOAT8);
}

/* A state that is checked, and what is found. */
typedef struct PastState
{
	Loop *loop;
	LoopState *state;
	Past past;
} PastState;

static Past
value_of(const LoopState *state, const ProgramPlan *plan)
{
	char *query = labelled_query("einsum_iterate", state->name, deparse_program(plan));
	bool isnull;
	Datum value;

	if (run_reading(query) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "what is known of state \"%s\" could not be computed", state->name);
	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	if (isnull || SPI_gettypeid(SPI_tuptable->tupdesc, 1) != FLOAT8OID)
		elog(ERROR, "what is known of state \"%s\" is no number", state->name);
	return (Past) DatumGetFloat8(value);
}

/*
 * Checks all entries of a state, with one query; argument is a PastState, whose past is
 * set.
 */
static void
look_at_entries(void *argument)
{
	PastState *past = argument;
	const Loop *loop = past->loop;
	PlanOptions options = loop->request->options;
	Program *program = analyze_step(
		loop, programs_in_order(renamed_init(loop), loop->request->step), false);
	Statement *begin = find_statement(program, name_of_begin(past->state->name));
	StateExtreme extreme;
	Bitmapset *labels = NULL;
	TensorExpr *entry;

	options.loop = false;
	if (!find_state_extreme(loop, program, past->state, &extreme))
		return;
	entry = past_of_entry(program, &extreme,
						  expr_access(program, begin->target, extreme.labels, -1));
	for (int d = 0; d < extreme.nlabels; d++)
	{
		int copy = program_copy_label(program, extreme.labels[d]);

		program->renaming[extreme.labels[d]] = copy;
		labels = bms_add_member(labels, copy);
	}
	entry = rename_labels(program, entry, program->renaming);
	for (int d = 0; d < extreme.nlabels; d++)
		program->renaming[extreme.labels[d]] = -1;
	if (extreme.nlabels > 0)
		entry = expr_aggregate(program, AGGREGATE_MAX, labels, entry, -1);
	statement_of(program, entry, "past")->wanted = true;
	keep_needed(program);
	past->past = value_of(past->state, linitial(find_plans(program, &options)));
}

/*
 * Checks a state that extremes compute from itself. Sets *problem to an error's message
 * if it cannot be compared with what init makes.
 */
static Past
past_of_state(Loop *loop, LoopState *state, const char **problem)
{
	PastState past = {loop, state, PAST_UNKNOWN};
	TensorEntry *entries = palloc(sizeof(TensorEntry) * loop->nstates);
	ErrorData *error;

	if (loop->request->init == NULL)
		return PAST_UNKNOWN;
	/* the query reads the states from their tables */
	for (int s = 0; s < loop->nstates; s++)
	{
		entries[s] = loop->states[s].entry;
		loop->states[s].entry.storages = list_make1(loop->states[s].table);
		loop->states[s].entry.state = NULL;
	}
	error = attempt(look_at_entries, &past);
	for (int s = 0; s < loop->nstates; s++)
		loop->states[s].entry = entries[s];
	/*
	 * if init cannot be computed now, the past is unknown; other errors, as of
	 * cancelling, end the loop
	 */
	if (error && !is_error_of_input(error->sqlerrcode) &&
		error->sqlerrcode != ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE)
		ReThrowError(error);
	*problem = error ? error->message : NULL;
	return past.past;
}

static void
no_longer_right(const Loop *loop, const LoopState *state)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg(
			 "loop \"%s\" cannot continue: entries of state \"%s\" are no longer right",
			 loop->request->name, state->name),
		 errdetail(
			 "What init or the step reads has changed since: they do not follow from "
			 "it now."),
		 errhint("Begin again with restart => true.")));
}

static void
warn_of_unknown(const Loop *loop, const char *states, const char *problems)
{
	ereport(
		WARNING,
		(errmsg("loop \"%s\" continues from a state that cannot be verified",
				loop->request->name),
		 errdetail("Extremes make %s of what it was. If rows that it came from have been "
				   "deleted or changed since, its entries are not right.%s",
				   states, problems),
		 errhint("After such changes begin again with restart => true.")));
}

/* Do former values of a state reach its new values? Works in scratch, which is reset. */
static bool
keeps_its_past(const Loop *loop, const Program *step, int state, MemoryContext scratch)
{
	MemoryContext old = MemoryContextSwitchTo(scratch);
	Ways ways = ways_from(loop, step, state);
	bool result =
		keeps_past(&ways, find_statement(step, loop->states[state].name)->expr, 0);

	MemoryContextSwitchTo(old);
	MemoryContextReset(scratch);
	return result;
}

/*
 * Looks at all states. Appends the names of those of which nothing is known, and what
 * prevents that. Returns a state with wrong entries, or NULL.
 */
static const LoopState *
look_at_states(Loop *loop, StringInfo unknown, StringInfo problems)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "ways of a state",
												  ALLOCSET_DEFAULT_SIZES);
	LoopEnd end = {-1, -1};
	const Program *step = loop_step(loop, &end);

	for (int s = 0; s < loop->nstates; s++)
	{
		LoopState *state = &loop->states[s];
		Past past = PAST_FOLLOWS;
		const char *problem = NULL;

		if (!state->given && keeps_its_past(loop, step, s, scratch))
			past = past_of_state(loop, state, &problem);
		if (past == PAST_WRONG)
			return state;
		if (past == PAST_UNKNOWN)
			appendStringInfo(unknown, "%s\"%s\"", unknown->len > 0 ? ", " : "",
							 state->name);
		if (problem)
			appendStringInfo(problems,
							 " Comparing \"%s\" with what init makes failed: %s.",
							 state->name, problem);
	}
	return NULL;
}

/* Does the same in memory of its own; warned: raises what is found. */
static bool
is_past_right(Loop *loop, bool warned)
{
	MemoryContext memory =
		AllocSetContextCreate(loop->memory, "past of a loop", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	const LoopState *wrong;
	StringInfoData unknown;
	StringInfoData problems;
	bool right;

	initStringInfo(&unknown);
	initStringInfo(&problems);
	wrong = look_at_states(loop, &unknown, &problems);
	right = wrong == NULL && unknown.len == 0;
	if (warned && wrong)
		no_longer_right(loop, wrong);
	if (warned && unknown.len > 0)
		warn_of_unknown(loop, unknown.data, problems.data);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(memory);
	return right;
}

void
check_past(Loop *loop)
{
	(void) is_past_right(loop, true);
}

bool
past_is_right(Loop *loop)
{
	return is_past_right(loop, false);
}
