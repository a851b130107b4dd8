/*-------------------------------------------------------------------------
 *
 * gradient.c
 *	  Makes a program that computes the derivatives of another program's result:
 *	  reverse mode.
 *
 * It visits the statements from the last one back, and in each statement the
 * nodes that depend on the tensors derived by, readers before arguments. The
 * adjoint of a node has at most the node's labels: dL is the sum over these of
 * adjoint times change. What a node passes back is summed over the labels that
 * its argument lacks.
 *
 * A part of a statement that aggregates and is needed again for a derivative
 * gets a name, so that value and derivative share it; whether it is stored is
 * the planner's choice. Adjoints that several arguments need get names too.
 * Statements with pins are not split into parts, as they are computed as they
 * stand, nor are rows of linear algebra, which as a tensor of rank 1 would
 * become columns.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "expr/analysis.h"
#include "expr/derivative.h"
#include "expr/dimensions.h"
#include "expr/gradient.h"
#include "expr/known_tensors.h"
#include "expr/side_table.h"
#include "expr/to_syntax.h"
#include "expr/traps.h"
#include "expr/types.h"
#include "expr/walk.h"
#include "parser/near_names.h"
#include "recursion.h"

#define MAX_TENSORS_LISTED 20

/* An adjoint of at most this size is computed again instead of getting a name. */
#define SMALL_EXPRESSION 8

/* A tensor and its adjoint, the sum of what is passed back to it. */
typedef struct TensorAdjoint
{
	ProgramTensor *tensor;
	bool is_active;   /* something derived by can be reached */
	bool derived_by;  /* it is one of those itself */
	bool only_stored; /* and its derivative is for what differs from its fill */
	int labels[TENSOR_MAX_RANK]; /* of its dimensions */
	List *terms;                 /* of TensorExpr * over these */
} TensorAdjoint;

typedef struct Gradient
{
	Program *program;
	const GradientOptions *options;
	SideTable *tensors;  /* TensorAdjoint * by tensor */
	SideTable *activity; /* by node */
	List *names;         /* of char *: all that are taken */
	bool eye_is_taken;
	List *by;          /* TensorAdjoint *: each that is derived by, once */
	Bitmapset *needed; /* statements, by number */
	char **forward;    /* their texts */
	StringInfoData backward;
} Gradient;

/* The statement that is differentiated. */
typedef struct StatementGradient
{
	Gradient *gradient;
	const Statement *statement;
	bool has_parts;    /* they may be made */
	SideTable *parts;  /* access by node */
	List *part_nodes;  /* of TensorExpr *, in the order in which they were met */
	SideTable *passed; /* List of TensorExpr * by node */
	List *nodes;       /* active ones, arguments first */
	SideTable *visited;
	SideTable *twins; /* of nodes: one before, that is the same but for its labels */
	int nparts;
	int nadjoints;
} StatementGradient;

bool
same_stored_tensor(const ProgramTensor *one, const ProgramTensor *other)
{
	return one->entry && other->entry && strcmp(one->name, other->name) == 0 &&
		   ((const Storage *) linitial(one->entry->storages))->relid ==
			   ((const Storage *) linitial(other->entry->storages))->relid;
}

/*
 * Returns the adjoint of a tensor, which is the same however the tensor's name is
 * written.
 */
static TensorAdjoint *
adjoint_of_tensor(Gradient *gradient, ProgramTensor *tensor)
{
	TensorAdjoint *adjoint = side_value(gradient->tensors, tensor);
	ListCell *lc;

	if (adjoint == NULL && tensor->entry)
	{
		foreach (lc, gradient->program->tensors)
		{
			ProgramTensor *other = lfirst(lc);

			if (other == tensor)
				break;
			if (same_stored_tensor(other, tensor))
			{
				adjoint = adjoint_of_tensor(gradient, other);
				set_side_value(gradient->tensors, tensor, adjoint);
				return adjoint;
			}
		}
	}

	if (adjoint == NULL)
	{
		adjoint = palloc0(sizeof(TensorAdjoint));
		adjoint->tensor = tensor;
		set_side_value(gradient->tensors, tensor, adjoint);
	}
	return adjoint;
}

/* Raises 0A000 if an access with shifted indices reads a tensor that is derived by. */
static void
refuse_shift(Gradient *gradient, const TensorExpr *access)
{
	if (adjoint_of_tensor(gradient, access->tensor->shifted)->is_active)
		unsupported(gradient->program, access->location,
					"the derivative by a tensor with shifted or constant indices",
					"Derive by another tensor, or write the shift as a product with a "
					"matrix that is 1 where it applies.");
}

/* Does a node's value depend on a tensor that is derived by? */
static bool
is_active(Gradient *gradient, const TensorExpr *expr)
{
	bool active = false;

	if (side_answer(gradient->activity, expr, &active))
		return active;
	enter_recursion();
	if (expr->kind == EXPR_ACCESS && expr->tensor->shifted)
		refuse_shift(gradient, expr);
	else if (expr->kind == EXPR_ACCESS)
		active = adjoint_of_tensor(gradient, expr->tensor)->is_active;
	else if (expr->nargs > 0 && !is_constant_in_parts(expr))
	{
		for (int i = 0; i < expr->nargs && !active; i++)
			active = is_active(gradient, expr->args[i]);
	}
	return set_side_answer(gradient->activity, expr, active);
}

static bool
name_is_taken(const Gradient *gradient, const char *name)
{
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	foreach (lc, gradient->names)
	{
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	}
	return false;
}

/* Returns a new name: base with the next number that makes it unique. */
static char *
numbered_name(Gradient *gradient, const char *base, int *number)
{
	int length = pg_mbcliplen(base, (int) strlen(base), NAMEDATALEN - 12);
	char *name;

	do
		name = psprintf("%.*s_%d", length, base, ++*number);
	while (name_is_taken(gradient, name));
	gradient->names = lappend(gradient->names, name);
	return name;
}

/* Returns the name if it is free and not too long, else a similar one. */
static char *
free_name_of_gradient(Gradient *gradient, char *name)
{
	int number = 0;

	if (strlen(name) >= NAMEDATALEN || name_is_taken(gradient, name))
		return numbered_name(gradient, name, &number);
	gradient->names = lappend(gradient->names, name);
	return name;
}

/*
 * Returns an access to a new tensor that the program is to define, over these labels of
 * an expression.
 */
static TensorExpr *
access_to_new(Gradient *gradient, const char *name, const TensorExpr *expr,
			  const Bitmapset *labels)
{
	ProgramTensor *tensor = palloc0(sizeof(ProgramTensor));
	int indices[TENSOR_MAX_RANK];
	int label = -1;

	tensor->name = pstrdup(name);
	tensor->type = expr->type.type;
	tensor->fill = expr->fill;
	while ((label = bms_next_member(labels, label)) >= 0)
	{
		tensor->bounds[tensor->rank] = gradient->program->labels[label].bound;
		indices[tensor->rank++] = label;
	}
	return expr_access(gradient->program, tensor, indices, expr->location);
}

/* Appends a comment of one line, also if names in it have line ends. */
static void
append_comment(StringInfo out, const char *comment)
{
	appendStringInfoString(out, "-- ");
	for (; *comment; comment++)
		appendStringInfoChar(out, *comment == '\n' || *comment == '\r' ? ' ' : *comment);
	appendStringInfoChar(out, '\n');
}

static void
append_statement(Gradient *gradient, StringInfo out, const char *comment,
				 const ProgramTensor *target, const int *output, const TensorExpr *expr)
{
	SyntaxStatement *syntax;

	if (gradient->eye_is_taken && expr->reads_identity)
		unsupported(gradient->program, expr->location,
					"the derivative needs the identity matrix, whose name is taken",
					"Give your tensor \"eye\" another name.");
	syntax = statement_to_syntax(gradient->program, target, output, expr);
	if (comment)
		append_comment(out, comment);
	appendStringInfo(out, "%s;\n", syntax_to_string(list_make1(syntax)));
}

static char *
tensor_name(const ProgramTensor *tensor)
{
	SyntaxReference reference = {.schema = tensor->schema, .name = tensor->name};

	return reference_to_string(&reference);
}

/* A search for the order in which labels first occur in an expression. */
typedef struct LabelOrder
{
	const Bitmapset *labels;
	List *order;
} LabelOrder;

static Walk
collect_label_order(const TensorExpr *expr, void *context)
{
	LabelOrder *order = context;

	for (int i = 0; i < expr->nindices; i++)
	{
		if (bms_is_member(expr->indices[i], order->labels))
			order->order = list_append_unique_int(order->order, expr->indices[i]);
	}
	return WALK_BELOW;
}

/* Returns the free labels of an expression in the order in which they first occur. */
static List *
ordered_labels(const TensorExpr *expr)
{
	LabelOrder order = {expr->labels, NIL};

	(void) walk_expr(expr, collect_label_order, &order);
	return order.order;
}

/*
 * Sets program->renaming to the free labels that turn one expression into another. False,
 * with nothing set, if the two differ in more than these labels.
 */
static bool
find_renaming(Program *program, TensorExpr *from, TensorExpr *to)
{
	List *labels;
	List *others;
	ListCell *own;
	ListCell *other;
	bool found;

	if (from->shape != to->shape ||
		bms_num_members(from->labels) != bms_num_members(to->labels))
		return false;
	labels = ordered_labels(from);
	others = ordered_labels(to);
	if (list_length(labels) != list_length(others))
		return false;
	forboth (own, labels, other, others)
		program->renaming[lfirst_int(own)] = lfirst_int(other);
	found = rename_labels(program, from, program->renaming) == to;
	foreach (own, found ? NIL : labels)
		program->renaming[lfirst_int(own)] = -1;
	return found;
}

static void
forget_renaming(Program *program, const TensorExpr *from)
{
	int label = -1;

	while ((label = bms_next_member(from->labels, label)) >= 0)
		program->renaming[label] = -1;
}

/*
 * Returns an access to a part that equals a node but for its free labels; NULL if there
 * is no such part.
 */
static TensorExpr *
part_like(StatementGradient *state, TensorExpr *node)
{
	Program *program = state->gradient->program;
	ListCell *lc;

	foreach (lc, state->part_nodes)
	{
		TensorExpr *part = lfirst(lc);
		TensorExpr *found;

		if (!find_renaming(program, part, node))
			continue;
		found = rename_labels(program, side_value(state->parts, part), program->renaming);
		forget_renaming(program, part);
		set_side_value(state->parts, node, found);
		return found;
	}
	return NULL;
}

/*
 * Expressions of at least this many nodes, as a tree, are parts too, even if they do not
 * aggregate: otherwise each derivative of them would repeat all of them.
 */
#define PART_LEAST_NODES 64

/*
 * Is the value of a node in a statement read under a name, instead of being computed
 * again?
 */
static bool
is_named(const TensorExpr *node)
{
	return node->has_aggregate || node->size >= PART_LEAST_NODES;
}

/* Can a node be below another one, so that its part must be defined first? */
static bool
is_smaller(const TensorExpr *node, const TensorExpr *other)
{
	return node->size != other->size ? node->size < other->size
									 : node->height < other->height;
}

/*
 * An expression that is written as a statement, and whether it may be read as a part
 * itself.
 */
typedef struct PartReading
{
	StatementGradient *state;
	const TensorExpr *expr;
	bool itself;
} PartReading;

/*
 * Returns the access to the part that a node is; the node itself if no part can be in it;
 * NULL to look into its arguments.
 */
static TensorExpr *
named_part(TensorExpr *node, void *context)
{
	const PartReading *reading = context;
	bool whole = node == reading->expr && !reading->itself;
	TensorExpr *part;

	if (!is_named(node))
		return node;
	if (whole)
		return NULL;
	part = side_value(reading->state->parts, node);
	return part ? part : part_like(reading->state, node);
}

/*
 * Returns an expression in which the parts of its statement are read by name; itself says
 * whether it may be replaced as a whole.
 */
static TensorExpr *
with_parts(StatementGradient *state, TensorExpr *expr, bool itself)
{
	PartReading reading = {state, expr, itself};

	return change_expr(state->gradient->program, expr, named_part, &reading);
}

/*
 * DerivativeContext.value for a statement: reads an aggregated value instead of computing
 * it again. A part is over its own labels, and so is the statement's result if it has all
 * of them. eye stays where it is, because it has its size from what is around it.
 */
static TensorExpr *
value_in_statement(void *context, TensorExpr *node)
{
	StatementGradient *state = context;
	const Statement *statement = state->statement;
	TensorExpr *part;

	if (node == statement->expr && node->nargs > 0 &&
		bms_num_members(node->labels) == statement->noutput)
		return expr_access(state->gradient->program, statement->target, statement->output,
						   node->location);
	if (!is_named(node) || !state->has_parts ||
		bms_num_members(node->labels) > TENSOR_MAX_RANK || node->reads_identity)
		return node;
	part = side_value(state->parts, node);
	if (part == NULL)
		part = part_like(state, node);
	if (part)
		return part;
	part = access_to_new(
		state->gradient,
		numbered_name(state->gradient, statement->target->name, &state->nparts), node,
		node->labels);
	set_side_value(state->parts, node, part);
	state->part_nodes = lappend(state->part_nodes, node);
	return part;
}

/*
 * Adds an adjoint that is passed to a node for each index of the labels in scope: it is
 * summed over the labels that the node lacks, and multiplied by the number of their
 * indices if it lacks them itself. Of nodes that are equal but for their labels, one gets
 * all adjoints.
 */
static void
pass_to(StatementGradient *state, TensorExpr *node, TensorExpr *passed, Bitmapset *scope)
{
	Program *program = state->gradient->program;
	Bitmapset *lacking = bms_difference(scope, node->labels);
	Bitmapset *constant = bms_difference(lacking, passed->labels);
	Bitmapset *dimensions;
	double count;
	int label = -1;
	TensorExpr *twin = side_value(state->twins, node);

	while ((label = bms_next_member(constant, label)) >= 0)
	{
		if (program->labels[label].bound == BOUND_OPEN)
			unsupported(program, node->location,
						psprintf("the derivative needs the number of indices of the open "
								 "label \"%s\"",
								 program->labels[label].name),
						"Register the tensors it indexes with a bound.");
	}
	dimensions = labels_of_dimensions(program, constant);
	count = product_of_bounds(program, bms_difference(constant, dimensions));
	passed =
		expr_aggregate(program, AGGREGATE_SUM, bms_int_members(lacking, passed->labels),
					   passed, passed->location);
	if (count != 1.0)
		passed = expr_map2(program, FUNCTION_MULTIPLY, expr_literal(program, count, -1),
						   passed);
	if (!bms_is_empty(dimensions))
		passed = expr_map2(
			program, FUNCTION_MULTIPLY, passed,
			count_of_indices(program, dimensions, passed->type.type, node->location));
	if (twin && find_renaming(program, node, twin))
	{
		passed = rename_labels(program, passed, program->renaming);
		forget_renaming(program, node);
		node = twin;
	}
	set_side_value(state->passed, node, lappend(side_value(state->passed, node), passed));
}

static TensorExpr *
sum_of_terms(Program *program, List *terms)
{
	TensorExpr *sum = linitial(terms);
	ListCell *lc;

	for_each_from (lc, terms, 1)
		sum = expr_map2(program, FUNCTION_ADD, sum, lfirst(lc));
	return sum;
}

/*
 * Returns an adjoint that several arguments need, under a name if one is wanted and
 * possible.
 */
static TensorExpr *
named_adjoint(StatementGradient *state, TensorExpr *adjoint, bool wanted)
{
	Gradient *gradient = state->gradient;
	TensorExpr *named;

	if (!wanted || bms_num_members(adjoint->labels) > TENSOR_MAX_RANK ||
		adjoint->reads_identity)
		return adjoint;
	named = access_to_new(gradient,
						  numbered_name(gradient,
										psprintf("%s%s", gradient->options->prefix,
												 state->statement->target->name),
										&state->nadjoints),
						  adjoint, adjoint->labels);
	append_statement(gradient, &gradient->backward,
					 psprintf("of %s by a part of %s", gradient->options->of->name,
							  tensor_name(state->statement->target)),
					 named->tensor, named->indices, adjoint);
	return named;
}

/*
 * Chooses labels for the dimensions of a tensor's derivative: those of the statement that
 * defines it, or twins of the labels of an access.
 */
static void
label_dimensions(Program *program, TensorAdjoint *adjoint, const TensorExpr *access)
{
	Bitmapset *taken = NULL;

	for (int i = 0; i < access->nindices; i++)
	{
		int label = access->indices[i];

		if (access->tensor->definition)
			label = access->tensor->definition->output[i];
		else
			label = program_twin_beside(program, label, taken);
		taken = bms_add_member(taken, label);
		adjoint->labels[i] = label;
	}
}

/*
 * Adds the adjoint of an access to that of its tensor, with the labels of the tensor's
 * dimensions.
 */
static void
pass_to_tensor(StatementGradient *state, TensorExpr *access)
{
	Program *program = state->gradient->program;
	TensorAdjoint *adjoint = adjoint_of_tensor(state->gradient, access->tensor);
	TensorExpr *passed = sum_of_terms(program, side_value(state->passed, access));
	Size size;
	int *renaming;

	Assert(adjoint->is_active);
	/* which may add labels */
	if (adjoint->terms == NIL)
		label_dimensions(program, adjoint, access);
	size = sizeof(int) * (program->nlabels + TENSOR_MAX_RANK);
	renaming = palloc(size);
	memset(renaming, -1, size);
	for (int i = 0; i < access->nindices; i++)
	{
		int *label = &renaming[access->indices[i]];

		if (*label < 0)
			*label = adjoint->labels[i];
	}
	passed = rename_labels(program, passed, renaming);
	/* an access to a diagonal passes back 0 outside of it */
	for (int i = 0; i < access->nindices; i++)
	{
		int first = renaming[access->indices[i]];

		if (first == adjoint->labels[i])
			continue;
		if (program->labels[first].bound == BOUND_OPEN)
			unsupported(
				program, access->location,
				psprintf("there is no identity matrix to derive by the diagonal of "
						 "\"%s\"",
						 access->tensor->name),
				"Register the tensor with a bound.");
		passed = expr_map2(program, FUNCTION_MULTIPLY, passed,
						   identity_matrix(program, first, adjoint->labels[i]));
	}
	adjoint->terms = lappend(adjoint->terms, passed);
}

/*
 * Returns an earlier node of the statement that is equal but for its labels, so that the
 * adjoints of both are passed on once. Nodes that do not aggregate are not worth the
 * search.
 */
static TensorExpr *
find_twin(StatementGradient *state, TensorExpr *node)
{
	Program *program = state->gradient->program;
	ListCell *lc;

	if (!node->has_aggregate)
		return NULL;
	foreach (lc, state->nodes)
	{
		TensorExpr *other = lfirst(lc);

		if (!other->has_aggregate || !find_renaming(program, node, other))
			continue;
		forget_renaming(program, node);
		return other;
	}
	return NULL;
}

/*
 * Collects the nodes of an expression that depend on what is derived by, arguments first.
 */
static void
collect_active(StatementGradient *state, TensorExpr *expr)
{
	TensorExpr *twin;

	enter_recursion();
	if (!is_active(state->gradient, expr) || side_value(state->visited, expr))
		return;
	set_side_value(state->visited, expr, expr);
	twin = find_twin(state, expr);
	if (twin)
	{
		set_side_value(state->twins, expr, twin);
		return;
	}
	for (int i = 0; i < expr->nargs; i++)
		collect_active(state, expr->args[i]);
	state->nodes = lappend(state->nodes, expr);
}

/* Returns the labels over which a node's adjoint for an argument is defined. */
static Bitmapset *
scope_of_argument(const TensorExpr *node, int arg)
{
	Bitmapset *bound = node->bound_labels;
	Bitmapset *labels = bms_copy(node->labels);

	if (node->kind == EXPR_MATRIX)
	{
		bound = bms_intersect(bound, node->args[arg]->labels);
		for (int i = 0; i < node->nindices; i++)
			labels = bms_del_member(labels, node->indices[i]);
	}
	return bms_union(labels, bound);
}

/*
 * Returns the adjoint of a node times its value, multiplied term by term: so each term is
 * needed only where the value is not 0.
 */
static TensorExpr *
terms_times_value(const DerivativeContext *context, TensorExpr *node, const List *terms)
{
	List *products = NIL;
	ListCell *lc;

	foreach (lc, terms)
		products = lappend(products, adjoint_times_value(context, node, lfirst(lc)));
	return sum_of_terms(context->program, products);
}

static void
pass_through(StatementGradient *state, TensorExpr *node)
{
	Gradient *gradient = state->gradient;
	DerivativeContext context = {
		.program = gradient->program, .value = value_in_statement, .state = state};
	List *terms = side_value(state->passed, node);
	TensorExpr *adjoint = sum_of_terms(gradient->program, terms);
	TensorExpr *times_value = NULL;
	int readers = 0;
	int readers_of_value = 0;

	for (int i = 0; i < node->nargs; i++)
	{
		if (!is_active(gradient, node->args[i]))
			continue;
		if (is_passed_value(node, i))
			readers_of_value++;
		else
			readers++;
	}
	/* an adjoint is computed once if it is large and read more than once */
	if (readers > 0)
		adjoint = named_adjoint(
			state, adjoint,
			readers + (readers_of_value > 0) > 1 &&
				(adjoint->has_aggregate || adjoint->size > SMALL_EXPRESSION));
	if (readers_of_value > 0)
		times_value = named_adjoint(
			state,
			terms_times_value(&context, node, readers > 0 ? list_make1(adjoint) : terms),
			readers_of_value > 1 || (readers == 0 && adjoint->has_aggregate));
	for (int i = 0; i < node->nargs; i++)
	{
		TensorExpr *arg = node->args[i];
		TensorExpr *passed;

		if (!is_active(gradient, arg))
			continue;
		if (is_passed_value(node, i))
			passed = pass_value(&context, node, i, times_value, &arg);
		else
			passed = pass_back(&context, node, i, adjoint);
		if (passed)
			pass_to(state, arg, passed, scope_of_argument(node, i));
	}
}

static void
differentiate(StatementGradient *state, List *adjoints)
{
	const Statement *statement = state->statement;
	Bitmapset *scope = NULL;
	ListCell *lc;

	for (int i = 0; i < statement->noutput; i++)
		scope = bms_add_member(scope, statement->output[i]);
	collect_active(state, statement->expr);
	foreach (lc, adjoints)
		pass_to(state, statement->expr, lfirst(lc), scope);
	for (int n = list_length(state->nodes) - 1; n >= 0; n--)
	{
		TensorExpr *node = list_nth(state->nodes, n);

		CHECK_FOR_INTERRUPTS();
		if (side_value(state->passed, node) == NULL)
			continue;
		if (node->kind == EXPR_ACCESS)
			pass_to_tensor(state, node);
		else
			pass_through(state, node);
	}
}

/* Returns an access to the tensor itself, at the labels of its derivative. */
static TensorExpr *
own_entry(Gradient *gradient, TensorAdjoint *adjoint)
{
	Program *program = gradient->program;
	ProgramTensor *tensor = adjoint->tensor;

	if (adjoint->terms == NIL)
	{
		for (int i = 0; i < tensor->rank; i++)
		{
			int label = program_add_label(program, psprintf("i%d", i), PIN_NONE, -1);

			program->labels[label].bound = tensor->bounds[i];
			program->labels[label].bounded = true;
			adjoint->labels[i] = label;
		}
	}
	return expr_access(program, tensor, adjoint->labels, -1);
}

/* Returns 1 at every index of an entry; labels get their bounds from the entry. */
static TensorExpr *
ones_like(Program *program, TensorExpr *entry)
{
	if (element_is_complex(entry->type.type))
		entry = expr_map1(program, FUNCTION_ABS, entry);
	return expr_map2(program, FUNCTION_POWER, entry, expr_literal(program, 0.0, -1));
}

/* Adds to the known labels those that share an eye with one of them. */
static Walk
link_labels(const TensorExpr *expr, void *labels)
{
	Bitmapset **known = labels;

	if (!expr->reads_identity)
		return WALK_ON;
	if (expr->kind == EXPR_ACCESS && bms_overlap(expr->labels, *known))
		*known = bms_union(*known, expr->labels);
	return WALK_BELOW;
}

/*
 * Ends the walk at an aggregate that binds a label whose size only eye, and what is
 * around it, determines.
 */
static Walk
find_sum_without_size(const TensorExpr *expr, void *context)
{
	if (!expr->has_aggregate)
		return WALK_ON;
	return expr->kind == EXPR_AGGREGATE &&
				   !bms_is_subset(expr->bound_labels, expr->args[0]->sized)
			   ? WALK_END
			   : WALK_BELOW;
}

/*
 * Returns an expression in which each of these labels has a bound that does not come from
 * eye: multiplied by 1, made from an entry, if needed.
 */
static TensorExpr *
with_bounds(Program *program, TensorExpr *expr, const Bitmapset *labels,
			TensorExpr *entry)
{
	Bitmapset *known = expr->sized;

	(void) walk_expr(expr, link_labels, &known);
	if (bms_is_subset(labels, known) && !walk_expr(expr, find_sum_without_size, NULL))
		return expr;
	return expr_map2(program, FUNCTION_MULTIPLY, ones_like(program, entry), expr);
}

/* Returns an expression that has the type of an entry after it has been read back. */
static TensorExpr *
of_type(Program *program, TensorExpr *expr, TensorExpr *entry)
{
	ElementType type = entry->type.type;
	TensorExpr *read;

	if (expr->kind == EXPR_LITERAL && type != ELEMENT_FLOAT8)
		expr = expr_map2(program, FUNCTION_MULTIPLY, ones_like(program, entry), expr);
	read = fix_types(program, expr);
	if ((read->type.weak || read->is_truth_value ? ELEMENT_FLOAT8 : read->type.type) ==
		type)
		return expr;
	if (element_is_complex(read->type.type) && !element_is_complex(type))
		expr = expr_map1(program, FUNCTION_REAL, expr);
	return expr_map1(program, conversion_function(type), expr);
}

/*
 * Writes the statement of a derivative that was asked for, with the tensor's shape and
 * type.
 */
static TensorExpr *
put_result(Gradient *gradient, TensorAdjoint *adjoint, const char *comment)
{
	Program *program = gradient->program;
	ProgramTensor *tensor = adjoint->tensor;
	ProgramTensor *target = palloc0(sizeof(ProgramTensor));
	TensorExpr *entry = own_entry(gradient, adjoint);
	TensorExpr *expr = adjoint->terms ? sum_of_terms(program, adjoint->terms)
									  : expr_literal(program, 0.0, -1);

	if (adjoint->terms == NIL)
		ereport(NOTICE,
				(errmsg("the derivative of \"%s\" by \"%s\" is 0 everywhere",
						gradient->options->of->name, tensor->name),
				 errdetail("\"%s\" does not depend on it, or only in jumps, through "
						   "comparisons, round, floor, ceil, sign, argmax, any or all.",
						   gradient->options->of->name),
				 errhint("Derive a loss that changes gradually, as (p[i] - y[i])^2 or "
						 "-y[i]*ln(p[i]) in place of p[i] <> y[i].")));
	expr = with_bounds(program, expr, entry->labels, entry);
	if (adjoint->only_stored)
		expr = expr_map2(program, FUNCTION_MULTIPLY, expr,
						 expr_map2(program, FUNCTION_NE, entry,
								   expr_literal(program, tensor->fill, -1)));
	expr = of_type(program, expr, entry);
	target->name = psprintf("%s%s", gradient->options->prefix, tensor->name);
	target->rank = tensor->rank;
	target->type = tensor->type;
	target->fill = expr->fill;
	memcpy(target->bounds, tensor->bounds, sizeof(target->bounds));
	append_statement(gradient, &gradient->backward, comment, target, adjoint->labels,
					 expr);
	return expr_access(program, target, adjoint->labels, -1);
}

/*
 * Writes the adjoint of a tensor as a statement of its own, and returns an access to it;
 * NULL if nothing was passed back.
 */
static TensorExpr *
put_derivative(Gradient *gradient, TensorAdjoint *adjoint)
{
	const GradientOptions *options = gradient->options;
	char *comment =
		psprintf("of %s by %s", options->of->name, tensor_name(adjoint->tensor));
	TensorExpr *expr;
	TensorExpr *named;

	if (adjoint->derived_by)
	{
		TensorExpr *result = put_result(gradient, adjoint, comment);

		/* the whole adjoint is passed on, not only what only_stored leaves of it */
		if (adjoint->terms && (!adjoint->only_stored || adjoint->tensor->entry))
			return result;
	}
	if (adjoint->terms == NIL)
		return NULL;
	expr = sum_of_terms(gradient->program, adjoint->terms);
	if (expr->kind == EXPR_LITERAL)
		return expr;
	/* labels that only eye has would have no bound */
	expr =
		with_bounds(gradient->program, expr, expr->labels,
					expr_access(gradient->program, adjoint->tensor, adjoint->labels, -1));
	named =
		access_to_new(gradient,
					  free_name_of_gradient(gradient, psprintf("%s%s", options->prefix,
															   adjoint->tensor->name)),
					  expr, expr->labels);
	append_statement(gradient, &gradient->backward, comment, named->tensor,
					 named->indices, expr);
	return named;
}

/*
 * Returns the text of a statement as written, or with its parts as statements before it.
 */
static char *
forward_text(StatementGradient *state)
{
	const Statement *statement = state->statement;
	char *comment = psprintf("part of %s", tensor_name(statement->target));
	List *parts = NIL;
	StringInfoData out;
	ListCell *lc;

	initStringInfo(&out);
	/* parts by size, as a part within another one is smaller */
	foreach (lc, state->part_nodes)
	{
		const TensorExpr *node = lfirst(lc);
		int place = 0;

		while (place < list_length(parts) && !is_smaller(node, list_nth(parts, place)))
			place++;
		parts = list_insert_nth(parts, place, unconstify(TensorExpr *, node));
	}
	foreach (lc, parts)
	{
		TensorExpr *node = lfirst(lc);
		const TensorExpr *part = side_value(state->parts, node);

		append_statement(state->gradient, &out, comment, part->tensor, part->indices,
						 with_parts(state, node, false));
	}
	if (parts)
		append_statement(state->gradient, &out, NULL, statement->target,
						 statement->output, with_parts(state, statement->expr, true));
	else
		/* a comment at the end of the statement ends with its line */
		appendStringInfo(&out, "%s%s;\n", statement->text,
						 strstr(statement->text, "--") ? "\n" : "");
	return out.data;
}

/*
 * Does a statement pass back nothing but its adjoint times its value? Then the adjoint
 * needs no name of its own, which would be computed for all entries, also where the value
 * is 0.
 */
static bool
passes_value_only(Gradient *gradient, const Statement *statement,
				  const TensorAdjoint *adjoint)
{
	const TensorExpr *expr = statement->expr;
	ListCell *lc;

	if (adjoint->derived_by || adjoint->terms == NIL ||
		bms_num_members(expr->labels) != statement->noutput)
		return false;
	for (int i = 0; i < expr->nargs; i++)
	{
		if (is_active(gradient, expr->args[i]) && !is_passed_value(expr, i))
			return false;
	}
	foreach (lc, adjoint->terms)
	{
		if (((const TensorExpr *) lfirst(lc))->reads_identity)
			return false;
	}
	return expr->nargs > 0;
}

static void
differentiate_statement(Gradient *gradient, const Statement *statement)
{
	TensorAdjoint *adjoint = adjoint_of_tensor(gradient, statement->target);
	StatementGradient state = {.gradient = gradient,
							   .statement = statement,
							   .parts = new_side_table(16),
							   .passed = new_side_table(64),
							   .visited = new_side_table(64),
							   .twins = new_side_table(16)};
	List *passed = NIL;

	state.has_parts =
		!statement->pinned && !statement->target->is_row && !gradient->eye_is_taken;
	if (adjoint->is_active && passes_value_only(gradient, statement, adjoint))
		passed = adjoint->terms;
	else if (adjoint->is_active)
	{
		TensorExpr *derivative = put_derivative(gradient, adjoint);

		passed = derivative ? list_make1(derivative) : NIL;
	}
	if (passed && is_active(gradient, statement->expr))
		differentiate(&state, passed);
	gradient->forward[statement->number] = forward_text(&state);
}

/* Marks the statements that an expression reads as needed. */
static void
need(Gradient *gradient, SideTable *visited, const TensorExpr *expr)
{
	enter_recursion();
	if (side_value(visited, expr))
		return;
	set_side_value(visited, expr, expr);
	if (statement_read(expr))
		gradient->needed = bms_add_member(gradient->needed, statement_read(expr)->number);
	for (int i = 0; i < expr->nargs; i++)
		need(gradient, visited, expr->args[i]);
}

ProgramTensor *
find_program_tensor(const Program *program, const SyntaxReference *name)
{
	SyntaxReference written = {.schema = name->schema, .name = name->name};
	NearNames names = {.name = name->name};
	ProgramTensor *found = NULL;
	ListCell *lc;

	foreach (lc, program->tensors)
	{
		ProgramTensor *tensor = lfirst(lc);

		offer_name(&names, tensor->name);

		if (strcmp(tensor->name, name->name) != 0 ||
			(name->schema &&
			 (tensor->schema == NULL || strcmp(tensor->schema, name->schema) != 0)))
			continue;
		/*
		 * a name without a schema means what the program defines, as in the program
		 * itself
		 */
		if (found && (found->definition || same_stored_tensor(found, tensor)))
			continue;
		if (found && tensor->definition == NULL)
			ereport(ERROR, (errcode(ERRCODE_AMBIGUOUS_ALIAS),
							errmsg("tensor name \"%s\" is ambiguous", name->name),
							errhint("Say of which schema it is.")));
		found = tensor;
	}
	if (found == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("the program has no tensor \"%s\"",
							   reference_to_string(&written)),
						errhint("Name what it defines, or what it reads: %s.",
								names_by_nearness(&names, MAX_TENSORS_LISTED))));
	return found;
}

/*
 * Returns a tensor that is derived by; in the step of a loop, the state at the beginning
 * of the round.
 */
static ProgramTensor *
find_variable(const Program *program, const SyntaxReference *name)
{
	ListCell *lc;

	foreach (lc, name->schema ? NIL : program->states)
	{
		if (strcmp(((const ProgramTensor *) lfirst(lc))->name, name->name) == 0)
			return lfirst(lc);
	}
	return find_program_tensor(program, name);
}

/* Returns the statement that defines the result to be derived, a real number. */
static const Statement *
find_derived_result(const Program *program, const SyntaxReference *name)
{
	const ProgramTensor *tensor = find_program_tensor(program, name);

	if (tensor->definition == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("the program does not define \"%s\"", name->name),
						errhint("What is derived is the result of a statement.")));
	if (tensor->rank > 0 || element_is_complex(tensor->type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("\"%s\" is no real number", name->name),
				 tensor->rank > 0 ? errdetail("It has %d dimensions.", tensor->rank)
								  : errdetail("It is complex."),
				 errhint("Derive a sum of its entries, or of their squares.")));
	return tensor->definition;
}

/* Takes the name of a derivative that was asked for; raises an error if it is taken. */
static void
take_name(Gradient *gradient, const ProgramTensor *tensor)
{
	char *name = psprintf("%s%s", gradient->options->prefix, tensor->name);

	if (strlen(name) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_NAME_TOO_LONG), errmsg("name \"%s\" is too long", name),
				 errdetail("A name has at most %d bytes.", NAMEDATALEN - 1),
				 errhint("Give a shorter prefix.")));
	if (name_is_taken(gradient, name))
		ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
						errmsg("there is a tensor \"%s\" already", name),
						errdetail("The derivative by \"%s\" would have this name.",
								  tensor->name),
						errhint("Give another prefix.")));
	gradient->names = lappend(gradient->names, name);
}

static void
note_arguments(Gradient *gradient)
{
	ListCell *lc;

	foreach (lc, gradient->program->tensors)
		gradient->names =
			lappend(gradient->names, ((const ProgramTensor *) lfirst(lc))->name);
	foreach (lc, gradient->options->by)
	{
		TensorAdjoint *adjoint =
			adjoint_of_tensor(gradient, find_variable(gradient->program, lfirst(lc)));

		if (adjoint->derived_by)
			continue;
		take_name(gradient, adjoint->tensor);
		adjoint->derived_by = adjoint->is_active = true;
		gradient->by = lappend(gradient->by, adjoint);
	}
	foreach (lc, gradient->options->stored)
	{
		TensorAdjoint *adjoint =
			adjoint_of_tensor(gradient, find_variable(gradient->program, lfirst(lc)));

		if (!adjoint->derived_by)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("nothing is derived by \"%s\"", adjoint->tensor->name),
							errhint("Tensors in stored are some of those in wrt.")));
		adjoint->only_stored = true;
	}
}

/*
 * Analyses a program; if init is given, as the step of a loop whose states init defines.
 */
static Program *
analyze_with_states(const char *text, const char *init)
{
	LoopScope scope = {NIL};
	LoopScope begin = {NIL};
	KnownTensors *known;
	List *states = NIL;
	ListCell *lc;

	if (init == NULL)
		return analyze_as_written(text);
	foreach (lc, parse_program(init))
		states = lappend(states, ((const SyntaxStatement *) lfirst(lc))->target->name);
	known = new_known_tensors();
	add_names_of_program(known, init, NIL);
	add_names_of_program(known, text, states);
	look_up_tensors(known);
	scope.known = begin.known = known;
	foreach (lc, analyze_loop_as_written(init, &begin)->statements)
	{
		TensorEntry *entry = palloc0(sizeof(TensorEntry));

		describe_state(entry, ((const Statement *) lfirst(lc))->target);
		scope.states = lappend(scope.states, entry);
	}
	return analyze_loop_as_written(text, &scope);
}

char *
gradient_program(const char *text, const GradientOptions *options)
{
	Gradient gradient = {.program = analyze_with_states(text, options->init),
						 .options = options};
	Program *program = gradient.program;
	const Statement *result = find_derived_result(program, options->of);
	SideTable *visited = new_side_table(256);
	StringInfoData out;
	ListCell *lc;

	notice_hidden_tensors(program);
	gradient.tensors = new_side_table(64);
	gradient.activity = new_side_table(256);
	gradient.forward = palloc0(sizeof(char *) * list_length(program->statements));
	gradient.eye_is_taken = known_tensor(program->known, NULL, "eye") != NULL;
	initStringInfo(&gradient.backward);
	note_arguments(&gradient);
	gradient.needed = bms_make_singleton(result->number);
	foreach (lc, program->statements)
	{
		const Statement *statement = lfirst(lc);
		TensorAdjoint *adjoint = adjoint_of_tensor(&gradient, statement->target);

		adjoint->is_active = adjoint->is_active || is_active(&gradient, statement->expr);
		if (strcmp(statement->target->name, "eye") == 0)
			gradient.eye_is_taken = true;
		/* its derivative gets its shape, even if the result does not depend on it */
		if (adjoint->derived_by)
			gradient.needed = bms_add_member(gradient.needed, statement->number);
	}
	for (int n = list_length(program->statements) - 1; n >= 0; n--)
	{
		if (bms_is_member(n, gradient.needed))
			need(&gradient, visited,
				 ((const Statement *) list_nth(program->statements, n))->expr);
	}

	adjoint_of_tensor(&gradient, result->target)->terms =
		list_make1(expr_literal(program, 1.0, -1));
	for (int n = list_length(program->statements) - 1; n >= 0; n--)
	{
		if (bms_is_member(n, gradient.needed))
			differentiate_statement(&gradient, list_nth(program->statements, n));
	}
	foreach (lc, gradient.by)
	{
		TensorAdjoint *adjoint = lfirst(lc);

		if (adjoint->tensor->definition == NULL)
			(void) put_derivative(&gradient, adjoint);
	}

	initStringInfo(&out);
	for (int n = 0; n < list_length(program->statements); n++)
	{
		if (gradient.forward[n])
			appendStringInfoString(&out, gradient.forward[n]);
	}
	appendStringInfoString(&out, gradient.backward.data);
	return out.data;
}
