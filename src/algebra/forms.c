/*-------------------------------------------------------------------------
 *
 * forms.c
 *	  The groups of a program with their normal forms, as einsum_plan shows them.
 *
 *	  y[i], z[k] = 2*sum[j] a[i,j]*x[j]
 *
 * Labels have the names of the group's first member; a number is appended where two names
 * are equal. A line that is too long ends in "..."; that does not influence which
 * expressions are in a group.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "common/shortest_dec.h"
#include "utils/builtins.h"

#include "algebra/forms.h"
#include "algebra/polyterm.h"
#include "catalog/shift.h"
#include "parser/program_parser.h"
#include "recursion.h"

/*
 * Limits of a printed line: expressions nested deeper are left out, and longer lines are
 * cut.
 */
#define FORM_MAX_DEPTH 16
#define FORM_MAX_LENGTH 20000

/* A label's name at the current place of printing; names of outer scopes come first. */
typedef struct NamedLabel
{
	int label;
	const char *name;
	const char *wanted; /* what it would be called if that were not taken */
} NamedLabel;

typedef struct Printer
{
	Forms *forms;
	StringInfo out;
	int most; /* length of out at which the line is cut */
	int depth;
	int nnames;
	int size;
	NamedLabel *names;
} Printer;

/* A group of equal expressions. */
typedef struct FormGroup
{
	const Key *key; /* key of the first member */
	int nextended;  /* labels of the first member's result that its expression lacks */
	int *extended;
	StringInfoData names;
	int count; /* number of uses as an aggregate in statements */
} FormGroup;

typedef struct Listing
{
	Forms *forms;
	Interned *numbers; /* of groups */
	List *groups;      /* by number */
	SideTable *seen;   /* nodes */
	int nunnamed;
} Listing;

static void print_polyterm(Printer *printer, const Polyterm *polyterm, bool as_factor);

static void
push_name(Printer *printer, int label, const char *name, const char *wanted)
{
	if (printer->nnames == printer->size)
	{
		printer->size = Max(printer->size * 2, 16);
		printer->names =
			printer->names ? repalloc(printer->names, sizeof(NamedLabel) * printer->size)
						   : palloc(sizeof(NamedLabel) * printer->size);
	}
	printer->names[printer->nnames++] =
		(NamedLabel){.label = label, .name = name, .wanted = wanted};
}

static bool
is_taken(const Printer *printer, const char *name)
{
	for (int i = 0; i < printer->nnames; i++)
	{
		Assert(printer->names[i].name != NULL);
		if (strcmp(printer->names[i].name, name) == 0)
			return true;
	}
	return false;
}

/*
 * Gives a label a name that no other label has: the wanted one, or the first free one
 * with a number.
 */
static void
name_label(Printer *printer, int label, const char *wanted)
{
	const char *name = wanted;
	int copies = 0;

	Assert(wanted != NULL);
	/* names that were given for the same wanted one are taken, up to their count */
	for (int i = 0; i < printer->nnames; i++)
		copies +=
			printer->names[i].wanted && strcmp(printer->names[i].wanted, wanted) == 0;
	if (copies > 0)
		name = psprintf("%s_%d", wanted, copies);
	while (is_taken(printer, name))
		name = psprintf("%s_%d", wanted, ++copies);
	push_name(printer, label, name, wanted);
}

/* Returns the innermost name of a label among the first n names. */
static const char *
label_name(const Printer *printer, int label, int n)
{
	while (--n >= 0)
	{
		if (printer->names[n].label == label)
			return printer->names[n].name;
	}
	elog(ERROR, "a label of a form has no name");
}

static void
name_like_itself(Printer *printer, int label)
{
	const Forms *forms = printer->forms;

	name_label(printer, label, forms->program->labels[forms->labels[label].origin].name);
}

/* Prints a label by its innermost name, and its pin. */
static void
print_label(Printer *printer, int label)
{
	const FormLabel *known = &printer->forms->labels[label];

	appendStringInfoString(printer->out,
						   quote_identifier(label_name(printer, label, printer->nnames)));
	if (known->pin == PIN_PROMOTED)
		appendStringInfoString(printer->out, ":1");
	else if (known->pin == PIN_BLOCKED)
		appendStringInfo(printer->out, ":%d", known->block);
	else if (known->pin == PIN_DEMOTED)
		appendStringInfoString(printer->out, ":*");
}

static void
print_labels(Printer *printer, int n, const int *labels)
{
	appendStringInfoChar(printer->out, '[');
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoChar(printer->out, ',');
		print_label(printer, labels[i]);
	}
	appendStringInfoChar(printer->out, ']');
}

/* Prints the indices of a tensor that is read at shifted or constant indices. */
static void
print_shifted_labels(Printer *printer, const TensorShift *shift, const int *labels)
{
	appendStringInfoChar(printer->out, '[');
	for (int d = 0; d < shift->rank; d++)
	{
		if (d > 0)
			appendStringInfoChar(printer->out, ',');
		if (shift->place[d] < 0)
			appendStringInfo(printer->out, INT64_FORMAT, shift->offset[d]);
		else
			print_label(printer, labels[shift->place[d]]);
		if (shift->place[d] >= 0 && shift->offset[d] != 0)
			appendStringInfo(printer->out, "%+lld", (long long) shift->offset[d]);
	}
	appendStringInfoChar(printer->out, ']');
}

/* Is the number printed with a minus in front of it? */
static bool
is_negative(Number number)
{
	return cimag(number) == 0.0 ? creal(number) < 0.0
								: creal(number) == 0.0 && cimag(number) < 0.0;
}

static void
print_number(StringInfo out, Number value)
{
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	if (cimag(value) == 0.0 || creal(value) != 0.0)
	{
		double_to_shortest_decimal_buf(creal(value), digits);
		appendStringInfo(out, cimag(value) == 0.0 ? "%s" : "(%s", digits);
	}
	if (cimag(value) != 0.0)
	{
		double_to_shortest_decimal_buf(fabs(cimag(value)), digits);
		if (creal(value) != 0.0)
			appendStringInfoString(out, cimag(value) < 0.0 ? " - " : " + ");
		appendStringInfo(out, creal(value) != 0.0 ? "%si)" : "%si", digits);
	}
}

/* Prints an argument of a head, with the labels of its key named as they are here. */
static void
print_argument(Printer *printer, const Head *head, const HeadArg *arg, const int *labels,
			   int nouter, bool as_factor)
{
	int nnames = printer->nnames;

	for (int l = 0; l < arg->key->nlabels; l++)
	{
		int place = arg->places[l];

		/* look in outer scopes only: an inner label may have the same number */
		push_name(printer, arg->key->labels[l],
				  place < 0 ? label_name(printer, head->bound[-1 - place], nnames)
							: label_name(printer, labels[place], nouter),
				  NULL);
	}
	print_polyterm(printer, arg->key->polyterm, as_factor);
	printer->nnames = nnames;
}

static void
print_function(Printer *printer, const Head *head, const int *labels)
{
	const PointwiseFunction *function = &pointwise_functions[head->function];

	if (!function->symbol)
		appendStringInfoString(printer->out, function->name);
	appendStringInfoChar(printer->out, '(');
	if (function->symbol && head->nargs == 1)
		appendStringInfoString(printer->out, function->symbol);
	for (int i = 0; i < head->nargs; i++)
	{
		if (i > 0 && function->symbol)
			appendStringInfo(printer->out, " %s ", function->symbol);
		else if (i > 0)
			appendStringInfoString(printer->out, ", ");
		print_argument(printer, head, &head->args[i], labels, printer->nnames,
					   function->symbol != NULL);
	}
	appendStringInfoChar(printer->out, ')');
}

static void
print_aggregate(Printer *printer, const Head *head, const int *labels)
{
	int nnames = printer->nnames;

	for (int i = 0; i < head->nbound; i++)
		name_like_itself(printer, head->bound[i]);
	appendStringInfo(printer->out, "(%s", aggregate_operator_name(head->aggregate));
	print_labels(printer, head->nbound, head->bound);
	appendStringInfoChar(printer->out, ' ');
	print_argument(printer, head, &head->args[0], labels, nnames, true);
	appendStringInfoChar(printer->out, ')');
	printer->nnames = nnames;
}

/* Prints the name of a tensor, quoted if it is the name of an aggregate. */
static void
print_tensor(StringInfo out, const ProgramTensor *tensor)
{
	AggregateOperator aggregate;

	if (tensor->schema)
		appendStringInfo(out, "%s.%s", quote_identifier(tensor->schema),
						 quote_identifier(tensor->name));
	else if (aggregate_operator_by_name(tensor->name, &aggregate))
		appendStringInfo(out, "\"%s\"", tensor->name);
	else
		appendStringInfoString(out, quote_identifier(tensor->name));
}

static void
print_atom(Printer *printer, const Atom *atom)
{
	const Head *head = atom->head;

	switch (head->kind)
	{
		case HEAD_ACCESS:
			print_tensor(printer->out, head->tensor);
			if (head->tensor->shifted)
				print_shifted_labels(printer, head->tensor->shift, atom->labels);
			else
				print_labels(printer, head->nlabels, atom->labels);
			break;
		case HEAD_NUMBER:
			if (is_negative(head->value))
				appendStringInfoChar(printer->out, '-');
			print_number(printer->out,
						 is_negative(head->value) ? -head->value : head->value);
			break;
		case HEAD_FUNCTION:
			print_function(printer, head, atom->labels);
			break;
		case HEAD_AGGREGATE:
			print_aggregate(printer, head, atom->labels);
			break;
		case HEAD_MATRIX:
			appendStringInfo(printer->out, "%s(...)",
							 matrix_operation_name(head->matrix));
			print_labels(printer, head->nlabels, atom->labels);
			break;
		case HEAD_KEY:
			print_argument(printer, head, &head->args[0], atom->labels, printer->nnames,
						   true);
			break;
	}
	if (atom->power != 1)
		appendStringInfo(printer->out, "^%d", atom->power);
}

/* Prints a term without its sign. */
static void
print_term(Printer *printer, const PolytermTerm *term)
{
	const Monomial *monomial = term->monomial;
	Number coefficient = term->coefficient;
	int nnames = printer->nnames;

	if (is_negative(coefficient))
		coefficient = -coefficient;
	if (coefficient != 1.0 || monomial->natoms == 0)
	{
		print_number(printer->out, coefficient);
		if (monomial->natoms > 0)
			appendStringInfoChar(printer->out, '*');
	}
	for (int i = 0; i < monomial->nbound; i++)
		name_like_itself(printer, monomial->bound[i]);
	if (monomial->nbound > 0)
	{
		appendStringInfoString(printer->out, "sum");
		print_labels(printer, monomial->nbound, monomial->bound);
		appendStringInfoChar(printer->out, ' ');
	}
	for (int a = 0; a < monomial->natoms; a++)
	{
		if (a > 0)
			appendStringInfoChar(printer->out, '*');
		print_atom(printer, &monomial->atoms[a]);
	}
	printer->nnames = nnames;
}

/* Can the polyterm be printed as a factor without parentheses? */
static bool
is_factor(const Polyterm *polyterm)
{
	const PolytermTerm *term = &polyterm->terms[0];

	if (polyterm->nterms == 0)
		return true;
	if (polyterm->nterms > 1 || is_negative(term->coefficient))
		return false;
	if (term->monomial->natoms == 0)
		return true;
	return term->coefficient == 1.0 && term->monomial->natoms == 1 &&
		   term->monomial->nbound == 0 && term->monomial->atoms[0].power == 1;
}

static void
print_polyterm(Printer *printer, const Polyterm *polyterm, bool as_factor)
{
	bool parentheses = as_factor && !is_factor(polyterm);

	enter_recursion();
	if (printer->depth == FORM_MAX_DEPTH || printer->out->len > printer->most)
	{
		appendStringInfoString(printer->out, "...");
		return;
	}
	printer->depth++;
	if (parentheses)
		appendStringInfoChar(printer->out, '(');
	if (polyterm->nterms == 0)
		appendStringInfoChar(printer->out, '0');
	for (int t = 0; t < polyterm->nterms; t++)
	{
		Number coefficient = polyterm->terms[t].coefficient;
		bool negative = is_negative(coefficient);

		if (t > 0)
			appendStringInfoString(printer->out, negative ? " - " : " + ");
		else if (negative)
			appendStringInfoChar(printer->out, '-');
		print_term(printer, &polyterm->terms[t]);
	}
	if (parentheses)
		appendStringInfoChar(printer->out, ')');
	printer->depth--;
}

/*
 * Returns the group of a key and of the bounds of the labels that a result has beyond the
 * key; adds it if it is new.
 */
static FormGroup *
group_of(Listing *listing, const Key *key, int nextended, const int *extended)
{
	FormGroup *group;
	StringInfoData text;
	int number;

	initStringInfo(&text);
	write_int(&text, key->number);
	for (int i = 0; i < nextended; i++)
		appendBinaryStringInfo(&text,
							   (const char *) &listing->forms->labels[extended[i]].bound,
							   sizeof(int64));
	number = interned_number(listing->numbers, &text);
	pfree(text.data);
	Assert(number >= 0);
	if (number < list_length(listing->groups))
		return list_nth(listing->groups, number);
	group = palloc0(sizeof(FormGroup));
	group->key = key;
	group->nextended = nextended;
	group->extended = palloc(sizeof(int) * Max(nextended, 1));
	for (int i = 0; i < nextended; i++)
		group->extended[i] = extended[i];
	initStringInfo(&group->names);
	listing->groups = lappend(listing->groups, group);
	return group;
}

/* Starts to print: names the labels of a group as its first member does. */
static void
begin_printing(Printer *printer, Listing *listing, const FormGroup *group, StringInfo out)
{
	memset(printer, 0, sizeof(Printer));
	printer->forms = listing->forms;
	printer->out = out;
	printer->most = out->len + FORM_MAX_LENGTH;
	for (int l = 0; l < group->key->nlabels; l++)
		name_like_itself(printer, group->key->labels[l]);
	for (int l = 0; l < group->nextended; l++)
		name_like_itself(printer, group->extended[l]);
}

/* Returns the group's label for a label of one member. */
static int
label_in_group(const FormGroup *group, const Key *key, const int *extended, int label)
{
	for (int l = 0; l < key->nlabels; l++)
	{
		if (key->labels[l] == label)
			return group->key->labels[l];
	}
	for (int l = 0; l < group->nextended; l++)
	{
		if (extended[l] == label)
			return group->extended[l];
	}
	return label;
}

static void
list_statement(Listing *listing, const Statement *statement)
{
	const Key *key =
		key_of_polyterm(listing->forms, statement_form(listing->forms, statement));
	int extended[TENSOR_MAX_RANK];
	int nextended = 0;
	int output[TENSOR_MAX_RANK];
	FormGroup *group;
	Printer printer;

	for (int i = 0; i < statement->noutput; i++)
	{
		bool has = false;

		for (int l = 0; l < key->nlabels; l++)
			has = has || key->labels[l] == statement->output[i];
		if (!has)
			extended[nextended++] = statement->output[i];
	}
	group = group_of(listing, key, nextended, extended);
	for (int i = 0; i < statement->noutput; i++)
		output[i] = label_in_group(group, key, extended, statement->output[i]);
	if (group->names.len > 0)
		appendStringInfoString(&group->names, ", ");
	begin_printing(&printer, listing, group, &group->names);
	print_tensor(&group->names, statement->target);
	print_labels(&printer, statement->noutput, output);
}

/* Counts the aggregates in an expression, once for each node that reads one. */
static void
count_aggregates(Listing *listing, TensorExpr *expr)
{
	enter_recursion();
	if (!expr->has_aggregate || side_value(listing->seen, expr))
		return;
	set_side_value(listing->seen, expr, expr);
	for (int i = 0; i < expr->nargs; i++)
	{
		TensorExpr *arg = expr->args[i];

		if (arg->kind == EXPR_AGGREGATE)
			group_of(listing,
					 key_of_polyterm(listing->forms, normal_form(listing->forms, arg)), 0,
					 NULL)
				->count++;
		count_aggregates(listing, arg);
	}
}

static void
print_group(Listing *listing, FormGroup *group, StringInfo out)
{
	Printer printer;

	if (group->names.len == 0)
	{
		begin_printing(&printer, listing, group, &group->names);
		appendStringInfo(&group->names, "#%d", ++listing->nunnamed);
		print_labels(&printer, group->key->nlabels, group->key->labels);
	}
	appendStringInfo(out, "%s = ", group->names.data);
	begin_printing(&printer, listing, group, out);
	print_polyterm(&printer, group->key->polyterm, false);
	appendStringInfoChar(out, '\n');
}

void
print_forms(StringInfo out, Program *program, RewriteLevel level)
{
	Listing listing = {.forms = new_forms(program, level)};
	ListCell *lc;

	listing.numbers = new_interned();
	listing.seen = new_side_table(256);
	/* in order: the statements that a statement reads come first */
	foreach (lc, program->statements)
		list_statement(&listing, lfirst(lc));
	foreach (lc, program->statements)
	{
		const Statement *statement = lfirst(lc);

		if (!statement->body_pinned)
			count_aggregates(&listing, statement->expr);
	}
	foreach (lc, listing.groups)
	{
		FormGroup *group = lfirst(lc);

		if (group->names.len > 0 || group->count > 1)
			print_group(&listing, group, out);
	}
}
