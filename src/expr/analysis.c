/*-------------------------------------------------------------------------
 *
 * analysis.c
 *	  From syntax trees to the expression DAG: resolves tensors and labels,
 *	  derives bounds, and checks what the grammar cannot.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "parser/parse_coerce.h"
#include "parser/scansup.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "catalog/dimension.h"
#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/schema.h"
#include "catalog/shift.h"
#include "compat.h"
#include "expr/analysis.h"
#include "expr/bare_names.h"
#include "expr/dimensions.h"
#include "expr/formula.h"
#include "expr/function_table.h"
#include "expr/implicit.h"
#include "expr/known_tensors.h"
#include "expr/linear_algebra.h"
#include "expr/name_set.h"
#include "expr/open_keys.h"
#include "expr/types.h"
#include "expr/walk.h"
#include "parser/hints.h"
#include "recursion.h"

/* A label in scope. */
typedef struct Binding
{
	const char *name;
	int label;
	const struct Binding *outer; /* the one bound before */
} Binding;

/* An access to eye, whose bounds are those of the labels that index it. */
typedef struct IdentityAccess
{
	ProgramTensor *tensor;
	bool bounded; /* the bound is known; it may be 0 */
	int labels[2];
	int location;
} IdentityAccess;

/* The state of the analysis of one statement. */
typedef struct StatementState
{
	Program *program;
	const SyntaxReference *target; /* what the statement defines */
	const Binding *scope;          /* the innermost */
	List *pins;       /* of SyntaxIndex *: first explicit pin of each name on the right */
	List *identities; /* of IdentityAccess * */
	const LoopScope *loop; /* or NULL */
	bool is_until;         /* it asks what a round has made of the states */
} StatementState;

/* Returns the tensors of a program that have a name, in the order of the program. */
static List *
tensors_of_name(const Program *program, const char *name)
{
	return value_of_name(program->tensors_by_name, name);
}

static void
add_tensor(Program *program, ProgramTensor *tensor)
{
	List *named = lappend(tensors_of_name(program, tensor->name), tensor);

	set_value_of_name(program->tensors_by_name, tensor->name, named);
	program->tensors = lappend(program->tensors, tensor);
}

void
unsupported(const Program *program, int location, const char *what, const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s", what),
					errhint("%s", hint), program_errposition(program->text, location)));
}

/* Returns how the pin of an index was written, for messages. */
static const char *
pin_name(const SyntaxIndex *index)
{
	switch (index->pin)
	{
		case PIN_PROMOTED:
			return "promoted";
		case PIN_BLOCKED:
			return psprintf("in blocks of " INT64_FORMAT, (int64) index->block);
		case PIN_DEMOTED:
			return "demoted";
		case PIN_NONE:
			break;
	}
	return "not pinned";
}

static SyntaxIndex *
find_pin(List *pins, const char *name)
{
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	foreach (lc, pins)
	{
		SyntaxIndex *index = lfirst(lc);

		if (strcmp(index->label, name) == 0)
			return index;
	}
	return NULL;
}

/*
 * Adds the explicit pins among indices to the list. A name has one pin throughout a
 * statement: I and i are one label, I and i:* are a contradiction.
 */
static List *
collect_pins(const char *text, List *pins, List *indices)
{
	ListCell *lc;

	foreach (lc, indices)
	{
		SyntaxIndex *index = lfirst(lc);
		SyntaxIndex *earlier;

		if (index->label == NULL || index->pin == PIN_NONE)
			continue;
		earlier = find_pin(pins, index->label);
		if (earlier == NULL)
			pins = lappend(pins, index);
		else if (earlier->pin != index->pin || earlier->block != index->block)
			ereport(ERROR,
					(errcode(ERRCODE_SYNTAX_ERROR),
					 errmsg("label \"%s\" has two different pins in one statement",
							index->label),
					 errdetail("It is %s here and %s earlier.", pin_name(index),
							   pin_name(earlier)),
					 errhint("Write the label in one way, or give one of the two another "
							 "name."),
					 program_errposition(text, index->location)));
	}
	return pins;
}

static List *
collect_expr_pins(const char *text, List *pins, SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE)
		pins = collect_pins(text, pins, expr->reference->indices);
	if (expr->kind == SYNTAX_AGGREGATE || expr->kind == SYNTAX_FORMULA || is_solver(expr))
		pins = collect_pins(text, pins, expr->labels);
	foreach (lc, expr->args)
		pins = collect_expr_pins(text, pins, (SyntaxExpr *) lfirst(lc));
	return pins;
}

static int
bind_label(StatementState *state, SyntaxIndex *index)
{
	SyntaxIndex *pin = find_pin(state->pins, index->label);
	Binding *binding = palloc(sizeof(Binding));

	binding->name = index->label;
	binding->label = program_add_label(state->program, index->label,
									   pin ? pin->pin : PIN_NONE, index->location);
	if (pin)
		state->program->labels[binding->label].block = (int32) pin->block;
	binding->outer = state->scope;
	state->scope = binding;
	return binding->label;
}

static int
resolve_label(StatementState *state, SyntaxIndex *index)
{
	CHECK_FOR_INTERRUPTS();
	for (const Binding *binding = state->scope; binding; binding = binding->outer)
	{
		if (strcmp(binding->name, index->label) == 0)
			return binding->label;
	}
	/* implicit sums have bound every other label */
	elog(ERROR, "label \"%s\" is not bound", index->label);
}

/* Returns a tensor of the program for a stored tensor. */
static ProgramTensor *
tensor_of_entry(TensorEntry *entry, char *schema, char *name)
{
	ProgramTensor *tensor = palloc0(sizeof(ProgramTensor));

	tensor->schema = schema;
	tensor->name = name;
	tensor->rank = entry->rank;
	tensor->entry = entry;
	tensor->type = entry->type;
	tensor->fill = number_as(entry->type, entry->fill);
	memcpy(tensor->bounds, entry->bounds, sizeof(tensor->bounds));
	return tensor;
}

ProgramTensor *
tensor_of_state(TensorEntry *state)
{
	ProgramTensor *tensor = tensor_of_entry(state, NULL, state->name);

	tensor->is_state = true;
	return tensor;
}

/* Returns the state of a loop that a name means, or NULL. */
static ProgramTensor *
find_state(const StatementState *state, const SyntaxReference *reference)
{
	ListCell *lc;

	if (reference->schema || state->is_until)
		return NULL;
	foreach (lc, state->program->states)
	{
		ProgramTensor *tensor = lfirst(lc);

		if (strcmp(tensor->name, reference->name) == 0)
			return tensor;
	}
	return NULL;
}

static bool
is_only_init(const StatementState *state, const SyntaxReference *reference)
{
	ListCell *lc;

	foreach (lc, state->loop && !reference->schema ? state->loop->only_init : NIL)
	{
		if (strcmp(lfirst(lc), reference->name) == 0)
			return true;
	}
	return false;
}

/* Returns the tensor of the program that a reference means, or NULL. */
static ProgramTensor *
find_in_program(const StatementState *state, const SyntaxReference *reference)
{
	ProgramTensor *tensor = find_state(state, reference);
	ListCell *lc;

	if (tensor)
		return tensor;
	foreach (lc, tensors_of_name(state->program, reference->name))
	{
		tensor = lfirst(lc);
		/* a result hides a stored tensor, which is then read by its schema */
		if (reference->schema == NULL
				? tensor->schema == NULL || tensor->definition
				: tensor->schema && strcmp(tensor->schema, reference->schema) == 0)
			return tensor;
	}
	return NULL;
}

/* Does a reference name a tensor of the program or a stored one? */
static bool
tensor_exists(void *context, const SyntaxReference *reference)
{
	return find_in_program(context, reference) ||
		   known_tensor(((const StatementState *) context)->program->known,
						reference->schema, reference->name);
}

/* Does a reference mean a stored tensor, not one that the program defines? */
static bool
means_stored(void *context, const SyntaxReference *reference)
{
	const ProgramTensor *tensor = find_in_program(context, reference);

	return tensor == NULL || tensor->entry != NULL;
}

/* Does a later statement of the program define the name that a reference reads? */
static bool
is_defined_later(const Program *program, const SyntaxReference *reference)
{
	ListCell *lc;

	if (reference->schema)
		return false;
	foreach (lc, parse_program(program->text))
	{
		const SyntaxStatement *statement = lfirst(lc);

		if (statement->location > reference->location &&
			strcmp(statement->target->name, reference->name) == 0)
			return true;
	}
	return false;
}

/*
 * Returns the rest of a reference's name after a prefix, if that is a tensor of the
 * program or a stored one; else NULL.
 */
static const char *
name_behind(StatementState *state, const SyntaxReference *reference, const char *prefix)
{
	SyntaxReference rest = *reference;

	if (strncmp(reference->name, prefix, strlen(prefix)) != 0)
		return NULL;
	rest.name += strlen(prefix);
	return *rest.name && tensor_exists(state, &rest) ? rest.name : NULL;
}

/*
 * Returns the state of a loop whose value before or after the round a name such as x_old
 * seems to mean, or NULL.
 */
static const char *
state_with_suffix(const StatementState *state, const char *name)
{
	static const char *const suffixes[] = {"_old",    "_prev", "_previous", "_last",
										   "_before", "_new",  "_next",     "_after",
										   "old",     "prev",  "new",       "next"};
	ListCell *lc;

	foreach (lc, state->program->states)
	{
		const char *known = ((const ProgramTensor *) lfirst(lc))->name;
		size_t length = strlen(known);

		for (int i = 0; i < lengthof(suffixes); i++)
		{
			if (strncmp(name, known, length) == 0 &&
				strcmp(name + length, suffixes[i]) == 0)
				return known;
		}
	}
	return NULL;
}

/*
 * Returns a hint for a name that seems to mean something of a loop, such as the number of
 * the round; or NULL.
 */
static const char *
hint_for_loop_name(void *context, const SyntaxReference *reference)
{
	static const char *const counters[] = {"round", "rounds", "iteration", "iterations",
										   "iter",  "step",   "epoch",     "it",
										   "time",  "t",      "counter"};
	const StatementState *state = context;
	const char *known;

	if (state->program->states == NIL || reference->schema || reference->quoted)
		return NULL;
	for (int i = 0; i < lengthof(counters) && reference->indices == NIL; i++)
	{
		if (strcmp(reference->name, counters[i]) == 0)
			return _("A loop has no number of its round: keep a state, with n[] = 0 in "
					 "init and n[] = n[] + 1 in the step; the step reads what it was "
					 "before the round.");
	}
	known = state_with_suffix(state, reference->name);
	return known ? psprintf(
					   _("The step reads \"%s\" as it was before the round, and until as "
						 "it is after it. To compare them, give the new value another "
						 "name: n[i] = ...; d[] = sum[i] abs(n[i] - %s[i]); %s[i] = "
						 "n[i], with until => 'd[] < 1e-9'."),
					   known, quote_identifier(known), quote_identifier(known))
				 : NULL;
}

/* Returns a hint for a name that until reads and the step does not define, or NULL. */
static const char *
hint_in_until(const StatementState *state, const SyntaxReference *reference)
{
	StringInfoData names;
	ListCell *lc;

	if (state->program->states == NIL || reference->schema ||
		strcmp(state->target->name, "until") != 0)
		return NULL;
	initStringInfo(&names);
	foreach (lc, parse_program(state->program->text))
	{
		const SyntaxStatement *statement = lfirst(lc);

		if (statement->location < reference->location &&
			strcmp(statement->target->name, "until") != 0)
			appendStringInfo(&names, "%s\"%s\"", names.len ? ", " : "",
							 statement->target->name);
	}
	return psprintf(
		_("until reads what the step defines: %s. To end where little changes, "
		  "the step defines it: n[i] = ...; d[] = sum[i] abs(n[i] - x[i]); "
		  "x[i] = n[i]."),
		names.data);
}

/* Returns a hint for a name without brackets that says more than its word; or NULL. */
static const char *
hint_for_bare_name(void *context, const SyntaxReference *reference)
{
	const char *hint = hint_for_loop_name(context, reference);

	return hint ? hint : hint_in_until(context, reference);
}

/* Returns a hint for a reference to a tensor that does not exist. */
static const char *
hint_for_unknown(StatementState *state, const SyntaxReference *reference)
{
	const char *hint = hint_for_loop_name(state, reference);
	const char *of = name_behind(state, reference, "d_");
	Formula formula;

	if (hint)
		return hint;

	if (reference->schema == NULL && !reference->quoted && reference->bracketed &&
		formula_by_name(reference->name, &formula))
		return psprintf(
			_("A sign behind the brackets is an operator. Write %s[j] (-x[j])."),
			reference->name);
	if (reference->schema == NULL && strcmp(reference->name, state->target->name) == 0)
		return _("Give the result another name, and the start values a table that "
				 "einsum_register knows. What is computed again and again from itself "
				 "is a loop: einsum_iterate(name, init, step).");
	if (is_defined_later(state->program, reference))
		return psprintf(_("A later statement defines \"%s\": statements are read in "
						  "their order, write it before."),
						reference->name);
	if (of == NULL)
		of = name_behind(state, reference, "grad_");
	if (of && state->program->states != NIL)
		return psprintf(_("einsum_gradient(program, 'loss', '{%s}', init => ...), with "
						  "the init of the loop, writes the program that defines d_%s; "
						  "the step is that text and, behind it, what reads d_%s."),
						of, of, of);
	if (of)
		return psprintf(_("einsum_gradient(program, 'loss', '{%s}') writes the program "
						  "that defines d_%s; statements that read it are put behind "
						  "that text."),
						of, of);
	if (!reference->quoted)
		hint = hint_for_sign_within(reference->name);
	/* I[i,j] */
	if (hint == NULL && !reference->quoted && reference->schema == NULL &&
		list_length(reference->indices) == 2 &&
		(strcmp(reference->name, "i") == 0 || strcmp(reference->name, "id") == 0))
		return hint_for_word("eye");
	if (hint == NULL)
		hint = similar_tensor_hint(reference->schema, reference->name);
	if (hint == NULL)
		hint = hint_in_until(state, reference);
	if (hint == NULL && !reference->quoted)
		hint = hint_for_foreign_name(reference->schema, reference->name);
	else
		return hint ? hint : unknown_tensor_hint(reference->schema, reference->name);
	if (hint && reference->bracketed)
		hint = psprintf(
			_("%s If it is a tensor of yours, einsum_register declares its table."),
			hint);
	if (hint == NULL && !reference->bracketed)
		hint = _("Declare a table to be a tensor with einsum_register; einsum_tensors "
				 "lists what there is. A number that is known is written into the "
				 "program.");
	return hint ? hint : unknown_tensor_hint(reference->schema, reference->name);
}

static ProgramTensor *
resolve_tensor(StatementState *state, SyntaxReference *reference)
{
	Program *program = state->program;
	ProgramTensor *tensor = find_in_program(state, reference);
	TensorEntry *entry;

	if (tensor)
		return tensor;
	entry = known_tensor(program->known, reference->schema, reference->name);
	if (entry == NULL && is_only_init(state, reference))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("the step reads tensor \"%s\", which it does not define",
						reference->name),
				 errdetail(
					 "Only init defines it. What both define is the state, and kept from "
					 "round to round."),
				 errhint("Define it in the step as well, if only as what it was."),
				 program_errposition(program->text, reference->location)));
	if (entry == NULL)
	{
		bool own = reference->schema == NULL &&
				   strcmp(reference->name, state->target->name) == 0;

		ereport(
			ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 reference->schema ? errmsg("tensor \"%s.%s\" does not exist",
										reference->schema, reference->name)
							   : errmsg("tensor \"%s\" does not exist", reference->name),
			 own ? errdetail("A statement cannot read the tensor that it defines.") : 0,
			 errhint("%s", hint_for_unknown(state, reference)),
			 program_errposition(program->text, reference->location)));
	}

	tensor = tensor_of_entry(entry, reference->schema, reference->name);
	add_tensor(program, tensor);
	return tensor;
}

/* Describes the indices of a label for messages. */
static char *
index_set_text(int64 bound)
{
	if (bound_is_dimension(bound))
		return psprintf(_("the keys of dimension \"%s\""), dimension_name(bound));
	return bound == BOUND_OPEN ? pstrdup(_("the keys that occur"))
							   : psprintf(_("the bound %s"), bounded_to_string(bound));
}

const char *
open_label_hint(int64 bound)
{
	return bound_is_dimension(bound)
			   ? psprintf(_("The keys of a dimension have no places in a value, unless "
							"einsum_dimension was told the column of their positions: "
							"einsum_dimension(%s, relation, key, position)."),
						  quote_literal_cstr(dimension_name(bound)))
			   : _("Register the tensors it indexes with a bound.");
}

/* Is a dimension of a stored tensor inside of its values? */
static bool
is_inside_values(const ProgramTensor *tensor, int dimension)
{
	ListCell *lc;

	foreach (lc, tensor->entry ? tensor->entry->storages : NIL)
	{
		const Storage *storage = lfirst(lc);

		if (storage->dimensions[dimension].kind != DIMENSION_PROMOTED)
			return true;
	}
	return false;
}

/* Returns a hint how a tensor gets the bound that its label has elsewhere. */
static const char *
one_bound_hint(int64 bound, const ProgramTensor *tensor, int dimension)
{
	int64 has = tensor->bounds[dimension];
	int64 with = bound_has_days(bound) || !bound_has_origin(has) ? bound : has;
	StringInfoData bounds;

	if (bound_first(bound) != bound_first(has) ||
		bound_has_days(bound) != bound_has_days(has))
		return psprintf(
			_("Keys from %s and keys from %s are not the same things. If they are, give "
			  "both labels the bound %s: a dimension of a value may have it, too; its "
			  "first element is then at %s."),
			key_to_string(has, bound_first(has)),
			key_to_string(bound, bound_first(bound)), bounded_to_string(with),
			key_to_string(with, bound_first(with)));
	if (tensor->entry == NULL || tensor->schema || bound_size(bound) < bound_size(has) ||
		is_inside_values(tensor, dimension))
		return _("All dimensions that a label indexes have one bound. Another label is "
				 "another index. If both index the same things, einsum_rebound gives a "
				 "key column the larger bound; values in a column keep their shape, and "
				 "are stored anew.");
	initStringInfo(&bounds);
	for (int d = 0; d < tensor->rank; d++)
	{
		if (d == dimension)
			appendStringInfo(&bounds, bound_has_origin(bound) ? "%s\"%s\"" : "%s%s",
							 d ? ", " : "", bounded_to_string(bound));
		else
			appendStringInfo(&bounds, "%snull", d ? ", " : "");
	}
	return psprintf(
		_("All dimensions that a label indexes have one bound. If these index the same "
		  "things: SELECT einsum_rebound('{\"%s\": [%s]}')."),
		tensor->name, bounds.data);
}

/*
 * Gives a label the bound of a dimension that it indexes; raises an error if the label
 * has another bound already.
 */
static void
constrain_label(StatementState *state, int label, const ProgramTensor *tensor,
				int dimension, int location)
{
	ProgramLabel *known = &state->program->labels[label];
	int64 bound = tensor->bounds[dimension];

	if (!known->bounded)
	{
		known->bound = bound;
		known->bounded = true;
		return;
	}
	if (known->bound == bound)
		return;
	if (bound_is_dimension(known->bound) || bound_is_dimension(bound))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("label \"%s\" has two different index sets", known->name),
				 errdetail(
					 "Dimension %d of tensor \"%s\" has %s, elsewhere the label has %s.",
					 dimension, tensor->name, index_set_text(bound),
					 index_set_text(known->bound)),
				 errhint("Register both with the same dimension as their bound."),
				 program_errposition(state->program->text, location)));
	if (known->bound == BOUND_OPEN || bound == BOUND_OPEN)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("label \"%s\" is open in one tensor and bounded in another",
						known->name),
				 errdetail("Dimension %d of tensor \"%s\" is %s.", dimension,
						   tensor->name, bound == BOUND_OPEN ? "open" : "bounded"),
				 errhint("Register both with the same bound, or both with '*'."),
				 program_errposition(state->program->text, location)));
	ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					errmsg("label \"%s\" has two different bounds", known->name),
					errdetail("It is %s elsewhere, and dimension %d of tensor \"%s\" has "
							  "%s.",
							  bounded_to_string(known->bound), dimension, tensor->name,
							  bounded_to_string(bound)),
					errhint("%s", one_bound_hint(known->bound, tensor, dimension)),
					program_errposition(state->program->text, location)));
}

/* Calls resolve_tensor for linear algebra. */
static ProgramTensor *
resolve_reference(void *context, SyntaxReference *reference)
{
	return resolve_tensor((StatementState *) context, reference);
}

/* Gives both labels of each eye[i,j] the same bound, as far as bounds are known. */
static void
bound_identities(StatementState *state)
{
	bool changed = true;

	while (changed)
	{
		ListCell *lc;

		CHECK_FOR_INTERRUPTS();
		changed = false;
		foreach (lc, state->identities)
		{
			IdentityAccess *access = lfirst(lc);
			ProgramTensor *tensor = access->tensor;

			for (int i = 0; i < 2 && !access->bounded; i++)
			{
				ProgramLabel *label = &state->program->labels[access->labels[i]];

				if (!label->bounded)
					continue;
				if (label->bound == BOUND_OPEN)
					ereport(
						ERROR,
						(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						 errmsg("eye cannot have the open label \"%s\"", label->name),
						 errhint("Register the tensors it indexes with a bound."),
						 program_errposition(state->program->text, access->location)));
				tensor->bounds[0] = tensor->bounds[1] = label->bound;
				access->bounded = changed = true;
			}
			if (!access->bounded)
				continue;
			for (int i = 0; i < 2; i++)
				constrain_label(state, access->labels[i], tensor, i, access->location);
		}
	}
}

/* Does a reference have a shifted or constant index? */
static bool
has_moved_index(const SyntaxReference *reference)
{
	ListCell *lc;

	foreach (lc, reference->indices)
	{
		const SyntaxIndex *index = lfirst(lc);

		if (index->label == NULL || index->offset != 0)
			return true;
	}
	return false;
}

/*
 * Analyses eye[i,j], the identity matrix, unless a tensor of that name is defined or
 * registered.
 */
static TensorExpr *
analyze_identity(StatementState *state, SyntaxReference *reference)
{
	IdentityAccess *access = palloc0(sizeof(IdentityAccess));
	ProgramTensor *tensor = palloc0(sizeof(ProgramTensor));

	if (list_length(reference->indices) != 2 || has_moved_index(reference))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the built-in tensor \"eye\" has two labels"),
				 errhint("Write eye[i,j]. A vector that is 1 at one index is stored: "
						 "SELECT einsum_store('start[I]', 'SELECT 0, 1', '{4}'), "
						 "here at 0 of 4."),
				 program_errposition(state->program->text, reference->location)));
	tensor->name = reference->name;
	tensor->rank = 2;
	tensor->identity = true;
	tensor->type = ELEMENT_FLOAT8;
	access->tensor = tensor;
	access->location = reference->location;
	for (int i = 0; i < 2; i++)
		access->labels[i] = resolve_label(state, list_nth(reference->indices, i));
	state->identities = lappend(state->identities, access);
	/* linear algebra reads it under no name */
	if (!reference->identity)
		state->program->reads_eye = true;
	return expr_access(state->program, tensor, access->labels, reference->location);
}

/* Does a reference mean the built-in tensor eye? */
static bool
is_identity(StatementState *state, SyntaxReference *reference)
{
	Program *program = state->program;

	if (reference->identity)
		return true;
	if (reference->schema || strcmp(reference->name, "eye") != 0 ||
		tensors_of_name(program, reference->name) != NIL)
		return false;
	return known_tensor(program->known, NULL, reference->name) == NULL;
}

/* Returns a hint how many indices a tensor has, with their names if it is stored. */
static const char *
indices_hint(const ProgramTensor *tensor)
{
	const Storage *storage;
	StringInfoData labels;

	if (tensor->entry == NULL || tensor->entry->storages == NIL)
		return _("Give one index for each dimension.");
	storage = linitial(tensor->entry->storages);
	initStringInfo(&labels);
	for (int d = 0; d < storage->rank; d++)
		appendStringInfo(&labels, "%s%s", d ? "," : "", storage->dimensions[d].label);
	return psprintf(_("Give one index for each dimension, as in %s[%s]."), tensor->name,
					labels.data);
}

/* Raises 2202E unless a reference has one index for each dimension. */
static void
check_rank(const StatementState *state, const ProgramTensor *tensor,
		   const SyntaxReference *reference)
{
	if (list_length(reference->indices) != tensor->rank)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg_plural("tensor \"%s\" has rank %d but is written with %d index",
							   "tensor \"%s\" has rank %d but is written with %d indices",
							   list_length(reference->indices), tensor->name,
							   tensor->rank, list_length(reference->indices)),
				 errhint("%s", indices_hint(tensor)),
				 program_errposition(state->program->text, reference->location)));
}

/*
 * Returns how a reference with shifted or constant indices reads a tensor that has as
 * many dimensions.
 */
static TensorShift *
shift_of_reference(const Program *program, const ProgramTensor *tensor,
				   const SyntaxReference *reference)
{
	TensorShift *shift = palloc0(sizeof(TensorShift));
	int rank = 0;
	int d = 0;
	ListCell *lc;

	shift->of = tensor->is_state ? NULL : tensor->entry;
	shift->rank = tensor->rank;
	memcpy(shift->bounds, tensor->bounds, sizeof(shift->bounds));
	foreach (lc, reference->indices)
	{
		const SyntaxIndex *index = lfirst(lc);

		shift->place[d] = index->label ? rank++ : -1;
		shift->offset[d] = index->offset;
		if (index->label == NULL && bound_has_days(tensor->bounds[d]))
			unsupported(
				program, index->location,
				psprintf("a constant index of \"%s\" in keys that are dates",
						 tensor->name),
				"A day is given where the result is read, as in "
				"einsum_rows('y[day] = x[day]', at => '{\"day\": \"2020-01-31\"}').");
		if (index->label == NULL && !bound_is_open(tensor->bounds[d]) &&
			(index->offset < bound_first(tensor->bounds[d]) ||
			 index->offset >= bound_end(tensor->bounds[d])))
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("index " INT64_FORMAT " is outside the bound of tensor \"%s\"",
						index->offset, tensor->name),
				 errdetail("Dimension %d has the bound %s.", d,
						   bounded_to_string(tensor->bounds[d])),
				 bound_has_origin(tensor->bounds[d]) ? errhint("An index is a key.")
													 : errhint("Indices count from 0."),
				 program_errposition(program->text, index->location)));
		d++;
	}
	return shift;
}

/*
 * Makes labels for the stage that computes a shift (optimizer/lower.c), one for each
 * dimension of the tensor that it reads; a constant index is a condition on a key.
 */
static void
make_shift_labels(Program *program, ProgramTensor *tensor, int location)
{
	const Statement *statement = tensor->shifted->definition;
	const TensorShift *shift = tensor->shift;

	for (int d = 0; d < shift->rank; d++)
	{
		const char *name =
			statement ? program->labels[statement->output[d]].name : psprintf("i%d", d);
		int label = program_add_label(
			program, name, shift->place[d] < 0 ? PIN_PROMOTED : PIN_NONE, location);

		program->labels[label].bound = shift->bounds[d];
		program->labels[label].bounded = true;
		tensor->shift_labels[d] = label;
	}
}

ProgramTensor *
program_shifted_tensor(Program *program, ProgramTensor *of, const TensorShift *shift,
					   int location)
{
	ProgramTensor *tensor;
	ListCell *lc;

	foreach (lc, program->shifted)
	{
		tensor = lfirst(lc);
		if (tensor->shifted == of &&
			memcmp(tensor->shift->place, shift->place, sizeof(shift->place)) == 0 &&
			memcmp(tensor->shift->offset, shift->offset, sizeof(shift->offset)) == 0)
			return tensor;
	}
	if (shift->of)
		tensor = tensor_of_entry(shift_tensor(shift), of->schema, of->name);
	else
	{
		tensor = palloc0(sizeof(ProgramTensor));
		tensor->schema = of->schema;
		tensor->name = of->name;
		tensor->type = of->type;
		tensor->fill = of->fill;
		tensor->rank = shift_bounds(shift, tensor->bounds);
	}
	tensor->shifted = of;
	tensor->shift = shift;
	if (shift->of == NULL)
		make_shift_labels(program, tensor, location);
	program->shifted = lappend(program->shifted, tensor);
	return tensor;
}

/* Raises 0A000: the index is shifted or constant, in keys that are no integers. */
static void
refuse_moved_keys(const Program *program, const char *name, const SyntaxIndex *index,
				  Oid type)
{
	const char *hint;

	if (!OidIsValid(type))
		unsupported(program, index->location,
					psprintf("shifted or constant indices of \"%s\", whose keys are not "
							 "known to be integers",
							 name),
					"Compute it of tensors with integer keys.");
	switch (TypeCategory(getBaseType(type)))
	{
		case TYPCATEGORY_DATETIME:
			hint = getBaseType(type) == DATEOID
					   ? "Indices are shifted by whole numbers: register a view with an "
						 "integer key, as day - DATE '2000-01-01'."
					   : "Indices are shifted by whole numbers: register a view with an "
						 "integer key, as floor(extract(epoch FROM time) / 3600)::bigint "
						 "for hours.";
			break;
		case TYPCATEGORY_NUMERIC:
			hint = "Indices are shifted by whole numbers: give the column the type "
				   "bigint, or register a view with an integer key.";
			break;
		default:
			hint = "Only integers have a next one: join a table of which key comes "
				   "after which. A single key is given where the result is read, as in "
				   "einsum_rows('y[u] = x[u]', at => '{\"u\": \"ann\"}').";
	}
	unsupported(program, index->location,
				psprintf("shifted or constant indices of \"%s\" in keys of type %s", name,
						 format_type_be(type)),
				hint);
}

/* Raises 0A000: the index is shifted or constant, in the keys of a dimension. */
static void
refuse_moved_dimension(const Program *program, const char *name, const SyntaxIndex *index)
{
	unsupported(program, index->location,
				psprintf("shifted or constant indices of \"%s\" in the keys of a "
						 "dimension",
						 name),
				index->label
					? "Join a table of which key comes after which."
					: psprintf("Write a label, on the left as well, and ask for the key "
							   "where the result is read, as in einsum_rows('y[i,j] = "
							   "x[i,j]', at => '{\"i\": " INT64_FORMAT "}').",
							   index->offset));
}

/*
 * Raises 0A000 if the indices of a computed tensor cannot be shifted or constant. Labels
 * in blocks are no obstacle: they are repartitioned first.
 */
static void
check_moved_indices(const StatementState *state, const ProgramTensor *of,
					const TensorShift *shift, const SyntaxReference *reference)
{
	for (int d = 0; d < shift->rank; d++)
	{
		const SyntaxIndex *index = list_nth(reference->indices, d);
		Oid type;

		if (!shift_moves(shift, d))
			continue;
		if (bound_is_dimension(of->bounds[d]))
			refuse_moved_dimension(state->program, of->name, index);
		if (!bound_is_open(of->bounds[d]))
			continue;
		type =
			of->definition ? open_key_type(of->definition, d) : of->entry->state_keys[d];
		if (!is_integer_key(type))
			refuse_moved_keys(state->program, of->name, index, type);
	}
}

/*
 * Raises 0A000 if none of a stored tensor's storages can be read with these indices
 * shifted or constant. The reason that the first storage gives is named.
 */
static void
check_moved_storages(const StatementState *state, const ProgramTensor *of,
					 const ProgramTensor *shifted, const SyntaxReference *reference)
{
	const Storage *storage;

	if (shifted->entry->storages != NIL || of->entry->storages == NIL)
		return;
	storage = linitial(of->entry->storages);
	for (int d = 0; d < storage->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];
		const SyntaxIndex *index = list_nth(reference->indices, d);

		if (!shift_moves(shifted->shift, d) || dimension_can_move(dimension))
			continue;
		if (bound_is_dimension(dimension->bound))
			refuse_moved_dimension(state->program, of->name, index);
		if (dimension->kind == DIMENSION_PROMOTED)
			refuse_moved_keys(state->program, of->name, index, dimension->key_type);
		unsupported(
			state->program, index->location,
			psprintf("shifted or constant indices of \"%s\", which is stored in "
					 "blocks",
					 of->name),
			psprintf("Copy it in a statement of its own, h[...] = %s[...], and shift "
					 "h.",
					 of->name));
	}
}

/*
 * Analyses an access with shifted or constant indices, such as x[t-1,0], to a stored or
 * computed tensor.
 */
static TensorExpr *
analyze_shift(StatementState *state, ProgramTensor *of, SyntaxReference *reference)
{
	Program *program = state->program;
	TensorShift *shift;
	ProgramTensor *tensor;
	int indices[TENSOR_MAX_RANK];
	ListCell *lc;
	int d = 0;

	check_rank(state, of, reference);
	shift = shift_of_reference(program, of, reference);
	if (shift->of == NULL)
		check_moved_indices(state, of, shift, reference);
	tensor = program_shifted_tensor(program, of, shift, reference->location);
	if (shift->of)
		check_moved_storages(state, of, tensor, reference);
	foreach (lc, reference->indices)
	{
		SyntaxIndex *index = lfirst(lc);

		if (index->label == NULL)
			continue;
		indices[d] = resolve_label(state, index);
		constrain_label(state, indices[d], tensor, d, index->location);
		d++;
	}
	return expr_access(program, tensor, indices, reference->location);
}

static TensorExpr *
analyze_access(StatementState *state, SyntaxReference *reference)
{
	ProgramTensor *tensor;
	int indices[TENSOR_MAX_RANK];
	int dimension = 0;
	ListCell *lc;

	if (is_identity(state, reference))
		return analyze_identity(state, reference);
	tensor = resolve_tensor(state, reference);
	if (has_moved_index(reference))
		return analyze_shift(state, tensor, reference);
	check_rank(state, tensor, reference);
	foreach (lc, reference->indices)
	{
		SyntaxIndex *index = lfirst(lc);
		int label = resolve_label(state, index);

		constrain_label(state, label, tensor, dimension, index->location);
		indices[dimension++] = label;
	}
	return expr_access(state->program, tensor, indices, reference->location);
}

static TensorExpr *analyze_expr(StatementState *state, SyntaxExpr *syntax);

/*
 * Gives a label the bound of another label, which has one; raises an error if the two
 * differ.
 */
static void
bound_like(StatementState *state, int label, int other, int location)
{
	ProgramLabel *labels = state->program->labels;

	if (!labels[label].bounded)
	{
		labels[label].bound = labels[other].bound;
		labels[label].bounded = true;
	}
	if (labels[label].bound != labels[other].bound)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 strcmp(labels[label].name, labels[other].name) == 0
					 ? errmsg("the matrix and what reads its result differ in size")
					 : errmsg("the matrix is not square"),
				 errdetail("Label \"%s\" has the bound %s, and label \"%s\" %s.",
						   labels[label].name, bound_to_string(labels[label].bound),
						   labels[other].name, bound_to_string(labels[other].bound)),
				 errhint("The normal equations t(x) %%*%% x are square."),
				 program_errposition(state->program->text, location)));
}

/* Raises an error unless the labels of a matrix are dimensions of one value. */
static void
check_matrix_labels(StatementState *state, const SyntaxExpr *syntax, const int *inner)
{
	Program *program = state->program;

	for (int i = 0; i < 2; i++)
	{
		const ProgramLabel *label = &program->labels[inner[i]];

		if (label->bounded && bound_is_dimension(label->bound) &&
			!label_is_key(program, label->bound))
			unsupported(
				program, syntax->location,
				psprintf("%s of a matrix over dimension \"%s\"", syntax->matrix->name,
						 dimension_name(label->bound)),
				"mat_solve and its kin take tensors, as einsum_value gives them.");
		if (label->bounded && bound_is_open(label->bound))
			ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
							errmsg("%s of a matrix with the open label \"%s\"",
								   syntax->matrix->name, label->name),
							errdetail("A matrix is solved as a whole."),
							errhint("%s", open_label_hint(label->bound)),
							program_errposition(program->text, syntax->location)));
		if (label->pin != PIN_NONE && label->pin != PIN_DEMOTED)
			unsupported(
				program, syntax->location,
				psprintf("label \"%s\" of the matrix of %s is not demoted", label->name,
						 syntax->matrix->name),
				"A matrix is solved as a whole, in one value. Write its labels in "
				"lower case on the right: rows that are stored one by one are "
				"put together.");
	}
}

/*
 * Raises an error if the arguments of a function of matrices have wrong labels, or are
 * not 0 where nothing is stored.
 */
static void
check_matrix_args(StatementState *state, const SyntaxExpr *syntax, const int *inner,
				  TensorExpr *const *args)
{
	Program *program = state->program;
	bool solve = syntax->matrix->operation == MATRIX_SOLVE;

	for (int i = 0; i < 2; i++)
	{
		if (!bms_is_member(inner[i], args[0]->labels))
			matrix_lacks_label(program->text, syntax, i);
		if (solve && bms_is_member(inner[i], args[1]->labels) != (i == 1))
			ereport(
				ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 i == 1 ? errmsg("the right side of solve lacks label \"%s\" of the "
								 "equations",
								 program->labels[inner[i]].name)
						: errmsg("the right side of solve has label \"%s\" of the "
								 "unknowns",
								 program->labels[inner[i]].name),
				 errhint("solve[k,l](g[k,l], b[l]) is the x with g[k,l]*x[k] = b[l]."),
				 program_errposition(program->text, syntax->location)));
	}
	if (args[0]->fill != 0.0 && (!solve || args[1]->fill != 0.0))
		unsupported(
			program, syntax->location,
			psprintf("%s of what is not 0 where nothing is stored", syntax->matrix->name),
			"Multiply by what is 0 there, as a comparison: (n[i] > 0) * x[i].");
}

/*
 * Analyses solve[k,l](a, b) and other functions of matrices. Inside, their labels are
 * bound anew.
 */
static TensorExpr *
analyze_matrix(StatementState *state, SyntaxExpr *syntax)
{
	Program *program = state->program;
	MatrixOperation operation = syntax->matrix->operation;
	const Binding *outer_scope = state->scope;
	TensorExpr *args[FUNCTION_MAX_ARGS];
	int indices[2];
	int inner[2];

	for (int i = 0; i < matrix_indices(operation); i++)
		indices[i] = resolve_label(state, list_nth(syntax->labels, i));
	for (int i = 0; i < 2; i++)
		inner[i] = bind_label(state, list_nth(syntax->labels, i));
	for (int i = 0; i < matrix_args(operation); i++)
		args[i] = analyze_expr(state, list_nth(syntax->args, i));
	state->scope = outer_scope;
	bound_identities(state);
	check_matrix_args(state, syntax, inner, args);
	check_matrix_labels(state, syntax, inner);
	for (int i = 0; i < 2; i++)
	{
		if (program->labels[inner[i]].bounded)
			bound_like(state, inner[1 - i], inner[i], syntax->location);
	}
	for (int i = 0; i < matrix_indices(operation); i++)
	{
		if (program->labels[inner[i]].bounded)
			bound_like(state, indices[i], inner[i], syntax->location);
	}
	for (int i = 0; i < 2; i++)
	{
		if (!program->labels[inner[i]].bounded)
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
							errmsg("label \"%s\" has no derivable bound",
								   program->labels[inner[i]].name),
							errdetail("It is of a matrix that no tensor is in."),
							errhint("Add what has the matrix's size."),
							program_errposition(program->text, syntax->location)));
	}
	return expr_matrix(program, operation, inner, indices, args, syntax->location);
}

/* Raises an error if a label that is aggregated over has no bound. */
static void
require_bound(const Program *program, int number)
{
	const ProgramLabel *label = &program->labels[number];

	if (!label->bounded)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("label \"%s\" has no derivable bound", label->name),
						errdetail("It is aggregated but indexes nothing below."),
						errhint("Leave it out, or multiply by its bound."),
						program_errposition(program->text, label->location)));
}

/*
 * Analyses the body of an aggregate or formula; *bound becomes the labels that it binds.
 */
static TensorExpr *
analyze_bound(StatementState *state, const SyntaxExpr *syntax, Bitmapset **bound)
{
	Program *program = state->program;
	const Binding *outer_scope = state->scope;
	TensorExpr *body;
	ListCell *lc;
	int label = -1;

	*bound = NULL;
	foreach (lc, syntax->labels)
		*bound = bms_add_member(*bound, bind_label(state, lfirst(lc)));
	body = analyze_expr(state, (SyntaxExpr *) linitial(syntax->args));
	state->scope = outer_scope;
	bound_identities(state);
	while ((label = bms_next_member(*bound, label)) >= 0)
		require_bound(program, label);
	return body;
}

/* Analyses the body of softmax[c] x; *over becomes the body's labels that it is over. */
static TensorExpr *
analyze_softmax(StatementState *state, const SyntaxExpr *syntax, Bitmapset **over)
{
	Program *program = state->program;
	TensorExpr *body = analyze_expr(state, (SyntaxExpr *) linitial(syntax->args));
	ListCell *lc;

	*over = NULL;
	bound_identities(state);
	foreach (lc, syntax->labels)
	{
		const SyntaxIndex *index = lfirst(lc);
		int label = -1;

		while ((label = bms_next_member(body->labels, label)) >= 0)
		{
			if (strcmp(program->labels[label].name, index->label) == 0)
				break;
		}
		if (label < 0)
			ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
							errmsg("label \"%s\" of softmax indexes nothing below",
								   index->label),
							errdetail("The result has the labels of what it is of."),
							errhint("Leave it out, or write softmax[c] x[i,c] with a "
									"label of its operand."),
							program_errposition(program->text, index->location)));
		require_bound(program, label);
		*over = bms_add_member(*over, label);
	}
	return body;
}

/* Returns the number that does not change the result of an aggregate or a formula. */
static double
neutral_of_written(const SyntaxExpr *syntax)
{
	if (syntax->kind == SYNTAX_AGGREGATE)
		return syntax->aggregate == AGGREGATE_ANY ? 0.0
			   : syntax->aggregate == AGGREGATE_ALL
				   ? 1.0
				   : aggregate_identity(syntax->aggregate);
	switch (syntax->formula)
	{
		case FORMULA_LOGSUMEXP:
		case FORMULA_SOFTMAX:
		case FORMULA_ARGMAX:
			return -INFINITY;
		case FORMULA_ARGMIN:
			return INFINITY;
		default:
			return 0.0;
	}
}

/* Records an aggregate as it is written. */
static void
note_aggregate(StatementState *state, const SyntaxExpr *syntax, Bitmapset *labels,
			   TensorExpr *body)
{
	WrittenAggregate *written = palloc0(sizeof(WrittenAggregate));
	bool formula = syntax->kind == SYNTAX_FORMULA;

	written->tensor = state->target->name;
	written->labels = labels;
	written->body = body;
	written->neutral = neutral_of_written(syntax);
	written->truth = !formula && syntax->aggregate == AGGREGATE_ALL;
	written->divides = formula ? syntax->formula == FORMULA_AVG
							   : syntax->matrix != NULL && syntax->matrix->mean;
	written->name = formula            ? formula_name(syntax->formula)
					: written->divides ? syntax->matrix->name
									   : aggregate_operator_name(syntax->aggregate);
	state->program->written = lappend(state->program->written, written);
}

static TensorExpr *
analyze_expr(StatementState *state, SyntaxExpr *syntax)
{
	Program *program = state->program;
	TensorExpr *args[FUNCTION_MAX_ARGS];
	Bitmapset *bound;
	TensorExpr *child;
	ListCell *lc;
	int n = 0;

	enter_recursion();
	switch (syntax->kind)
	{
		case SYNTAX_NUMBER:
			if (syntax->imaginary)
				return expr_imaginary(program, syntax->number, syntax->location);
			return expr_literal(program, syntax->number, syntax->location);
		case SYNTAX_REFERENCE:
			return analyze_access(state, syntax->reference);
		case SYNTAX_CALL:
			foreach (lc, syntax->args)
				args[n++] = analyze_expr(state, (SyntaxExpr *) lfirst(lc));
			check_function_type(program, syntax->function, args, syntax->location);
			return expr_map(program, syntax->function, args, syntax->location);
		case SYNTAX_AGGREGATE:
			child = analyze_bound(state, syntax, &bound);
			check_aggregate_type(program, syntax->aggregate, child, syntax->location);
			note_aggregate(state, syntax, bound, child);
			if (program->as_written)
				return expr_aggregate(program, syntax->aggregate, bound, child,
									  syntax->location);
			return aggregate_entries(program, syntax->aggregate, bound, child,
									 syntax->location);
		case SYNTAX_FORMULA:
			child = binds_labels(syntax) ? analyze_bound(state, syntax, &bound)
										 : analyze_softmax(state, syntax, &bound);
			note_aggregate(state, syntax, bound, child);
			return expr_formula(program, syntax->formula, bound, child, syntax->location);
		case SYNTAX_MATRIX:
			if (is_solver(syntax))
				return analyze_matrix(state, syntax);
			pg_fallthrough;
		case SYNTAX_MATMUL:
			elog(ERROR, "linear algebra without indices");
			break;
		case SYNTAX_PARAMETER:
			elog(ERROR, "parameter in a program");
			break;
	}
	return NULL;
}

/*
 * Raises an error unless a result over a dimension has the dimension's keys as a key
 * column: keys stay when positions change.
 */
static void
check_result_keys(const Program *program, const Statement *statement,
				  const SyntaxReference *target)
{
	for (int i = 0; i < statement->noutput; i++)
	{
		const ProgramLabel *label = &program->labels[statement->output[i]];
		const SyntaxIndex *index = list_nth(target->indices, i);

		if (bound_is_dimension(label->bound) &&
			(index->pin == PIN_DEMOTED || index->pin == PIN_BLOCKED))
			unsupported(
				program, index->location,
				psprintf("label \"%s\" of a result is of dimension \"%s\", and no "
						 "key",
						 label->name, dimension_name(label->bound)),
				"A result has a row for each key. Write the label so on the right, "
				"where it is read; einsum_value gives a dense tensor.");
	}
}

/*
 * Raises an error if a label without a bound is demoted: only a bounded label can be a
 * dimension of a value.
 */
static void
check_demoted(Program *program, int first_label, List *pins)
{
	for (int i = first_label; i < program->nlabels; i++)
	{
		const ProgramLabel *label = &program->labels[i];
		SyntaxIndex *pin = find_pin(pins, label->name);

		if (pin && (pin->pin == PIN_DEMOTED || pin->pin == PIN_BLOCKED) &&
			label->bounded && label_is_key(program, label->bound))
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
					 errmsg(pin->pin == PIN_DEMOTED
								? "the open label \"%s\" cannot be demoted"
								: "the open label \"%s\" cannot be split in blocks",
							label->name),
					 errhint("%s", open_label_hint(label->bound)),
					 program_errposition(program->text, pin->location)));
	}
}

/* Returns the text of a statement without the white space after it. */
static char *
statement_text(const char *program, const SyntaxStatement *syntax)
{
	int end = syntax->end > 0 ? syntax->end : (int) strlen(program);

	while (end > syntax->location && scanner_isspace(program[end - 1]))
		end--;
	return pnstrdup(program + syntax->location, end - syntax->location);
}

/* Is the expression a number, without any index? */
static bool
is_one_number(const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE)
		return expr->reference->bracketed && expr->reference->indices == NIL;
	if (expr->kind != SYNTAX_NUMBER && expr->kind != SYNTAX_CALL)
		return false;
	foreach (lc, expr->args)
	{
		if (!is_one_number(lfirst(lc)))
			return false;
	}
	return true;
}

/*
 * Returns what stands behind the sign of assignment of a statement, = or <-; NULL without
 * one.
 */
static const char *
assigned_text(const char *statement)
{
	bool quoted = false;

	for (const char *c = statement; *c; c++)
	{
		if (*c == '"')
			quoted = !quoted;
		else if (!quoted && (*c == '=' || *c == '-'))
			return c + 1 + strspn(c + 1, " \t\n");
	}
	return NULL;
}

/* Gives the hint for a label on the left that indexes nothing; for use inside ereport. */
static int
no_bound_hint(const char *program, const SyntaxStatement *syntax)
{
	const SyntaxReference *target = syntax->target;
	const char *text = statement_text(program, syntax);
	const char *name = quote_identifier(target->name);
	const char *number = assigned_text(text);
	int rank = list_length(target->indices);
	const char *labels[2] = {"i", "j"};
	const char *other;

	if (!is_one_number(syntax->expr) || number == NULL || rank > 2)
		return errhint("Leave it out, or let it index a tensor on the right.");
	for (int i = 0; i < rank; i++)
		labels[i] = ((const SyntaxIndex *) list_nth(target->indices, i))->label;
	if (rank == 2)
		return errhint("For a matrix of one number: %s[%s,%s] = %s + 0*a[%s,%s], where a "
					   "is a tensor over the same indices.",
					   name, labels[0], labels[1], number, labels[0], labels[1]);
	other = strcmp(labels[0], "j") == 0 ? "i" : "j";
	return errhint(
		"For a vector of one number: %s[%s] = %s + 0*(sum[%s] a[%s,%s]), "
		"where a is a tensor over the same indices, or + 0*x[%s] with a vector "
		"x; or %s*page[%s], where page is a dimension. A number alone is %s[] = "
		"%s.",
		name, labels[0], number, other, labels[0], other, labels[0], number, labels[0],
		name, number);
}

/*
 * Gives references to the stored tensor that a statement hides the tensor's schema: the
 * name alone means what the statement makes, for later statements and wherever the
 * program is written again.
 */
static void
qualify_hidden(StatementState *state, SyntaxExpr *expr)
{
	SyntaxReference *reference = expr->reference;
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE && reference->schema == NULL &&
		strcmp(reference->name, state->target->name) == 0 &&
		find_state(state, reference) == NULL)
	{
		const TensorEntry *entry =
			known_tensor(state->program->known, NULL, reference->name);

		if (entry)
			reference->schema = get_namespace_name(entry->schema);
	}
	foreach (lc, expr->args)
		qualify_hidden(state, lfirst(lc));
}

/*
 * Raises an error if the program has read a stored tensor, or the built-in eye, by the
 * name of the result that comes now: the name would change its meaning midway.
 */
static void
check_not_read(const Program *program, const SyntaxReference *target, bool itself)
{
	ListCell *lc;

	if (program->reads_eye && strcmp(target->name, "eye") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("tensor \"%s\" is read before it is defined", target->name),
				 errdetail("It is the identity matrix where it is read."),
				 errhint("Give the result another name."),
				 program_errposition(program->text, target->location)));
	foreach (lc, tensors_of_name(program, target->name))
	{
		const ProgramTensor *read = lfirst(lc);

		if (read->entry &&
			(read->schema == NULL ||
			 (target->schema &&
			  read->entry->schema == LookupExplicitNamespace(target->schema, true))))
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_OBJECT),
					 errmsg("tensor \"%s\" is read before it is defined", read->name),
					 itself ? errdetail("The statement reads the registered tensor of "
										"that name and schema.")
							: errdetail("An earlier statement reads the registered "
										"tensor of that name."),
					 errhint("Give the result another name."),
					 program_errposition(program->text, target->location)));
	}
}

/*
 * Is a right side, or what its outermost functions of one number are applied to, written
 * in parentheses that it does not need?
 */
static bool
is_in_parentheses(const SyntaxExpr *expr)
{
	while (!expr->parenthesised && expr->kind == SYNTAX_CALL &&
		   expr->function != FUNCTION_NEGATE && list_length(expr->args) == 1)
		expr = linitial(expr->args);
	return expr->parenthesised;
}

static void
analyze_statement(Program *program, SyntaxStatement *syntax, const LoopScope *loop,
				  bool is_until)
{
	SyntaxReference *target = syntax->target;
	StatementState state = {
		.program = program, .target = target, .loop = loop, .is_until = is_until};
	Statement *statement = palloc0(sizeof(Statement));
	ProgramTensor *tensor = palloc0(sizeof(ProgramTensor));
	List *left_pins;
	int first_label = program->nlabels;
	ListCell *lc;

	if (target->schema)
		require_schema(target->schema, program->text, target->location);
	foreach (lc, tensors_of_name(program, target->name))
	{
		if (((const ProgramTensor *) lfirst(lc))->definition)
			ereport(ERROR, (errcode(ERRCODE_DUPLICATE_OBJECT),
							errmsg("tensor \"%s\" is defined twice", target->name),
							errhint("Give each statement's result a name of its own."),
							program_errposition(program->text, target->location)));
	}
	if (list_length(target->indices) > TENSOR_MAX_RANK)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a tensor has at most %d dimensions", TENSOR_MAX_RANK),
						errdetail("Tensor \"%s\" would have %d.", target->name,
								  list_length(target->indices)),
						errhint("Define the result in parts."),
						program_errposition(program->text, target->location)));

	check_not_read(program, target, false);
	qualify_hidden(&state, syntax->expr);
	if (is_linear_algebra(syntax))
	{
		SyntaxReference *unknown = check_bare_names(program->text, syntax, tensor_exists,
													hint_for_bare_name, &state);

		if (unknown)
			(void) resolve_tensor(&state, unknown);
		tensor->is_row =
			add_indices(program->text, syntax, is_until, resolve_reference, &state);
	}
	make_labels_explicit(program->text, syntax);
	make_sums_explicit(program->text, syntax, means_stored, &state);
	state.pins = collect_expr_pins(program->text, NIL, syntax->expr);
	left_pins = collect_pins(program->text, NIL, target->indices);
	(void) collect_pins(program->text, list_copy(left_pins), state.pins);

	foreach (lc, target->indices)
	{
		SyntaxIndex *index = lfirst(lc);

		for (int i = 0; i < statement->noutput; i++)
		{
			if (strcmp(program->labels[statement->output[i]].name, index->label) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_SYNTAX_ERROR),
						 errmsg("label \"%s\" is repeated on the left", index->label),
						 errhint("Give each dimension of the result a label of its own."),
						 program_errposition(program->text, index->location)));
		}
		statement->output_pins[statement->noutput] = index->pin;
		statement->output_blocks[statement->noutput] = (int32) index->block;
		statement->output[statement->noutput++] = bind_label(&state, index);
	}

	statement->number = list_length(program->statements);
	statement->target = tensor;
	statement->location = target->location;
	statement->text = statement_text(program->text, syntax);
	statement->pinned = state.pins != NIL || left_pins != NIL;
	statement->body_pinned = state.pins != NIL;
	statement->parenthesised = is_in_parentheses(syntax->expr);
	statement->expr = fix_types(program, analyze_expr(&state, syntax->expr));
	bound_identities(&state);
	check_not_read(program, target, true);

	for (int i = 0; i < statement->noutput; i++)
	{
		ProgramLabel *label = &program->labels[statement->output[i]];

		if (!label->bounded)
		{
			bool aggregated = binds_label(syntax->expr, label->name);

			ereport(
				ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("label \"%s\" has no derivable bound", label->name),
				 aggregated
					 ? errdetail("It is on the left; on the right it is aggregated, "
								 "and indexes nothing besides.")
					 : errdetail("It is on the left but indexes nothing on the right."),
				 aggregated
					 ? errhint(
						   "Leave it out on the left, or aggregate over another label.")
					 : no_bound_hint(program->text, syntax),
				 program_errposition(program->text, label->location)));
		}
		tensor->bounds[i] = label->bound;
	}
	check_demoted(program, first_label, state.pins);
	check_demoted(program, first_label, left_pins);
	check_result_keys(program, statement, target);

	tensor->schema = target->schema;
	tensor->name = target->name;
	tensor->rank = statement->noutput;
	tensor->definition = statement;
	tensor->type = statement->expr->type.type;
	tensor->fill = statement->expr->fill;
	program->statements = lappend(program->statements, statement);
	add_tensor(program, tensor);
}

static Program *
analyze(const char *text, const LoopScope *loop, bool as_written)
{
	Program *program = program_new(text);
	List *statements = parse_program(text);
	ListCell *lc;

	program->as_written = as_written;
	program->tensors_by_name = make_name_set(64);
	if (loop)
		program->known = loop->known;
	else
	{
		KnownTensors *known = new_known_tensors();

		add_names_of_program(known, text, NIL);
		look_up_tensors(known);
		program->known = known;
	}
	foreach (lc, loop ? loop->states : NIL)
		program->states = lappend(program->states, tensor_of_state(lfirst(lc)));

	foreach (lc, statements)
	{
		CHECK_FOR_INTERRUPTS();
		analyze_statement(program, lfirst(lc), loop,
						  loop && loop->has_until && lnext(statements, lc) == NULL);
	}
	return program;
}

Program *
analyze_program(const char *text)
{
	return analyze(text, NULL, false);
}

Program *
analyze_as_written(const char *text)
{
	return analyze(text, NULL, true);
}

Program *
analyze_loop(const char *text, const LoopScope *loop)
{
	return analyze(text, loop, false);
}

Program *
analyze_loop_as_written(const char *text, const LoopScope *loop)
{
	return analyze(text, loop, true);
}

void
describe_state(TensorEntry *entry, const ProgramTensor *tensor)
{
	entry->name = tensor->name;
	entry->rank = tensor->rank;
	entry->type = tensor->type;
	memcpy(entry->bounds, tensor->bounds, sizeof(tensor->bounds));
	entry->fill = tensor->fill;
	entry->state = new_statistics(tensor->rank);
	for (int d = 0; d < tensor->rank; d++)
	{
		if (bound_is_open(tensor->bounds[d]))
			entry->state_keys[d] = open_key_type(tensor->definition, d);
	}
}
