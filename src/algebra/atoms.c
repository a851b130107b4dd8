/*-------------------------------------------------------------------------
 *
 * atoms.c
 *	  Atoms of polyterms: expressions that the ring's laws do not look into.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "miscadmin.h"

#include "algebra/polyterm.h"
#include "catalog/origin.h"
#include "recursion.h"

/* One text of a head, with its labels in order of appearance. */
typedef struct AtomWriting
{
	StringInfoData text;
	int nlabels;
	int *labels;
	int nbound;
	int *bound;
	/* by argument: where each of its labels is in labels or bound */
	int *places[FUNCTION_MAX_ARGS];
	bool swapped;
} AtomWriting;

/* A head that is still to be written as text. */
typedef struct Draft
{
	Forms *forms;
	Head head;
	int nargs;
	const Key *keys[FUNCTION_MAX_ARGS];
	int *labels[FUNCTION_MAX_ARGS]; /* by argument: its labels in the order of its key */
	const Bitmapset *bound;
	List *unused; /* labels that the aggregate binds but its argument lacks */
	/* the matrix function, whose matrix and result labels are written; or NULL */
	const TensorExpr *matrix;
	bool commutes;
	/* the least text of the head, and all namings that give this text */
	AtomWriting *least;
	List *equals;
} Draft;

bool
same_atom_labels(const Head *head, const int *a, const int *b)
{
	for (int s = 0; s < head->nsymmetries; s++)
	{
		bool same = true;

		for (int p = 0; p < head->nlabels && same; p++)
			same = a[p] == b[head->symmetries[s][p]];
		if (same)
			return true;
	}
	return false;
}

static int *
identity_order(int n)
{
	int *order = palloc(sizeof(int) * Max(n, 1));

	for (int i = 0; i < n; i++)
		order[i] = i;
	return order;
}

/* Returns the head that a text identifies; a copy of the draft if the text is new. */
static const Head *
head_of_text(Forms *forms, const StringInfoData *text, const Head *draft)
{
	int number = interned_number(forms->heads, text);
	Head *head;

	if (number < list_length(forms->known_heads))
		return list_nth(forms->known_heads, number);
	head = palloc(sizeof(Head));
	*head = *draft;
	head->number = number;
	if (head->nsymmetries == 0)
	{
		head->nsymmetries = 1;
		head->symmetries = palloc(sizeof(int *));
		head->symmetries[0] = identity_order(head->nlabels);
	}
	forms->known_heads = lappend(forms->known_heads, head);
	return head;
}

const Polyterm *
access_atom(Forms *forms, const TensorExpr *expr)
{
	Head head = {.kind = HEAD_ACCESS, .nlabels = expr->nindices, .tensor = expr->tensor};
	int *labels = palloc(sizeof(int) * Max(expr->nindices, 1));
	int *both[2];
	StringInfoData text;

	for (int i = 0; i < expr->nindices; i++)
		labels[i] = expr->indices[i];
	head.additive = is_additive(expr->tensor);
	head.finite = number_is_finite(expr->tensor->fill);
	initStringInfo(&text);
	write_int(&text, HEAD_ACCESS);
	if (expr->tensor->identity)
	{
		/* all identity matrices have one head, which is symmetric */
		both[0] = identity_order(2);
		both[1] = palloc(sizeof(int) * 2);
		both[1][0] = 1;
		both[1][1] = 0;
		head.nsymmetries = 2;
		head.symmetries = memcpy(palloc(sizeof(both)), both, sizeof(both));
	}
	else
		appendBinaryStringInfo(&text, (const char *) &expr->tensor, sizeof(expr->tensor));
	return polyterm_atom(forms, head_of_text(forms, &text, &head), labels,
						 expr->type.type);
}

const Polyterm *
number_atom(Forms *forms, const TensorExpr *expr)
{
	Head head = {.kind = HEAD_NUMBER, .value = expr->value};
	StringInfoData text;

	initStringInfo(&text);
	write_int(&text, HEAD_NUMBER);
	appendBinaryStringInfo(&text, (const char *) &expr->value, sizeof(Number));
	return polyterm_atom(forms, head_of_text(forms, &text, &head), NULL, expr->type.type);
}

/* Returns the position of a label in an array, and appends it if it is new. */
static int
place_of_label(int **labels, int *n, int label)
{
	for (int i = 0; i < *n; i++)
	{
		if ((*labels)[i] == label)
			return i;
	}
	*labels = *n ? repalloc(*labels, sizeof(int) * (*n + 1)) : palloc(sizeof(int));
	(*labels)[*n] = label;
	return (*n)++;
}

static void
write_label(Forms *forms, StringInfo text, int label)
{
	const FormLabel *known = &forms->labels[label];

	appendBinaryStringInfo(text, (const char *) &known->bound, sizeof(known->bound));
	write_int(text, (int) known->pin);
	write_int(text, known->block);
}

/*
 * Writes which labels of the arguments are those of the matrix, and which those of the
 * result.
 */
static void
write_matrix_labels(const Draft *draft, AtomWriting *writing)
{
	const TensorExpr *matrix = draft->matrix;

	for (int i = 0; i < matrix->ninner; i++)
	{
		write_int(&writing->text,
				  place_of_label(&writing->bound, &writing->nbound, matrix->inner[i]));
		write_label(draft->forms, &writing->text, matrix->inner[i]);
	}
	for (int i = 0; i < matrix->nindices; i++)
		write_int(&writing->text, place_of_label(&writing->labels, &writing->nlabels,
												 matrix->indices[i]));
}

/*
 * Writes a draft with the given symmetry of each argument's key; its arguments may be
 * swapped.
 */
static AtomWriting *
write_draft(const Draft *draft, const int *symmetries, bool swapped)
{
	AtomWriting *writing = palloc0(sizeof(AtomWriting));

	initStringInfo(&writing->text);
	writing->swapped = swapped;
	for (int i = 0; i < draft->nargs; i++)
	{
		int from = swapped ? draft->nargs - 1 - i : i;
		const Key *key = draft->keys[from];

		write_int(&writing->text, key->number);
		writing->places[from] = palloc(sizeof(int) * Max(key->nlabels, 1));
		for (int l = 0; l < key->nlabels; l++)
		{
			int at = key->symmetries[symmetries[from]][l];
			int label = draft->labels[from][at];
			int place =
				bms_is_member(label, draft->bound)
					? -1 - place_of_label(&writing->bound, &writing->nbound, label)
					: place_of_label(&writing->labels, &writing->nlabels, label);

			writing->places[from][at] = place;
			write_int(&writing->text, place);
			if (place < 0)
				write_label(draft->forms, &writing->text, label);
		}
	}
	if (draft->matrix)
		write_matrix_labels(draft, writing);
	return writing;
}

/* Keeps a text of a draft if it is the least one so far, or equals it with new labels. */
static void
note_writing(Draft *draft, AtomWriting *writing)
{
	int order = -1;
	ListCell *lc;

	if (draft->least)
	{
		const StringInfoData *least = &draft->least->text;

		order = writing->text.len - least->len;
		if (order == 0)
			order = memcmp(writing->text.data, least->data, least->len);
	}
	if (order > 0)
		return;
	if (order < 0)
	{
		draft->least = writing;
		draft->equals = NIL;
	}
	foreach (lc, draft->equals)
	{
		const AtomWriting *other = lfirst(lc);

		if (writing->nlabels == 0 ||
			memcmp(other->labels, writing->labels, sizeof(int) * writing->nlabels) == 0)
			return;
	}
	draft->equals = lappend(draft->equals, writing);
}

/* Writes a draft with all symmetries of the arguments from number arg on. */
static void
write_arguments(Draft *draft, int *symmetries, int arg)
{
	enter_recursion();
	if (arg < draft->nargs)
	{
		for (int s = 0; s < draft->keys[arg]->nsymmetries; s++)
		{
			symmetries[arg] = s;
			write_arguments(draft, symmetries, arg + 1);
		}
		return;
	}
	note_writing(draft, write_draft(draft, symmetries, false));
	if (draft->commutes && draft->nargs == 2)
		note_writing(draft, write_draft(draft, symmetries, true));
}

/*
 * Returns the atom of a draft; appends the draft's text to the text that its head begins
 * with.
 */
static const Polyterm *
finish_draft(Draft *draft, StringInfo text, ElementType type)
{
	int symmetries[FUNCTION_MAX_ARGS] = {0};
	Head *head = &draft->head;
	double ways = 1.0;
	ListCell *lc;

	for (int i = 0; i < draft->nargs; i++)
		ways *= draft->keys[i]->nsymmetries;
	/*
	 * with too many ways only one is written: equal heads may differ, which loses sharing
	 */
	if (ways <= CANONICAL_MAX_NAMINGS)
		write_arguments(draft, symmetries, 0);
	else
		note_writing(draft, write_draft(draft, symmetries, false));
	Assert(draft->least != NULL);
	write_int(text, (int) type);
	write_int(text, draft->nargs);
	appendBinaryStringInfo(text, draft->least->text.data, draft->least->text.len);

	head->nlabels = draft->least->nlabels;
	foreach (lc, draft->unused)
		(void) place_of_label(&draft->least->bound, &draft->least->nbound,
							  lfirst_int(lc));
	head->nbound = draft->least->nbound;
	head->bound = draft->least->bound;
	head->nargs = draft->nargs;
	for (int i = 0; i < draft->nargs; i++)
	{
		int from = draft->least->swapped ? draft->nargs - 1 - i : i;

		head->args[i].key = draft->keys[from];
		head->args[i].places = draft->least->places[from];
	}
	head->symmetries = palloc(sizeof(int *) * list_length(draft->equals));
	foreach (lc, draft->equals)
	{
		const AtomWriting *equal = lfirst(lc);
		int *order = palloc(sizeof(int) * Max(head->nlabels, 1));

		for (int p = 0; p < head->nlabels; p++)
		{
			for (int q = 0; q < head->nlabels; q++)
			{
				if (draft->least->labels[q] == equal->labels[p])
					order[p] = q;
			}
		}
		head->symmetries[head->nsymmetries++] = order;
	}
	return polyterm_atom(draft->forms, head_of_text(draft->forms, text, head),
						 draft->least->labels, type);
}

static void
add_draft_argument(Draft *draft, const Polyterm *arg)
{
	const Key *key = key_of_polyterm(draft->forms, arg);

	draft->labels[draft->nargs] = key->labels;
	draft->keys[draft->nargs++] = key;
}

const Polyterm *
function_atom(Forms *forms, FunctionId function, int nargs, const Polyterm *const *args,
			  bool commutes, ElementType type, bool finite)
{
	Draft draft = {.forms = forms, .commutes = commutes};
	StringInfoData text;

	draft.head.kind = HEAD_FUNCTION;
	draft.head.function = function;
	draft.head.finite = finite;
	for (int i = 0; i < nargs; i++)
		add_draft_argument(&draft, args[i]);
	initStringInfo(&text);
	write_int(&text, HEAD_FUNCTION);
	write_int(&text, (int) function);
	return finish_draft(&draft, &text, type);
}

const Polyterm *
matrix_atom(Forms *forms, const TensorExpr *expr, const Polyterm *const *args)
{
	Draft draft = {.forms = forms, .bound = expr->bound_labels, .matrix = expr};
	StringInfoData text;

	draft.head.kind = HEAD_MATRIX;
	draft.head.matrix = expr->matrix;
	draft.head.finite = true;
	for (int i = 0; i < expr->nargs; i++)
		add_draft_argument(&draft, args[i]);
	initStringInfo(&text);
	write_int(&text, HEAD_MATRIX);
	write_int(&text, (int) expr->matrix);
	return finish_draft(&draft, &text, expr->type.type);
}

/* Returns the only atom of a polyterm; NULL if it is anything else. */
static const Atom *
only_atom(const Polyterm *polyterm)
{
	const Monomial *monomial;

	if (polyterm->nterms != 1 || polyterm->terms[0].coefficient != 1.0)
		return NULL;
	monomial = polyterm->terms[0].monomial;
	if (monomial->natoms != 1 || monomial->nbound > 0 || monomial->atoms[0].power != 1)
		return NULL;
	return &monomial->atoms[0];
}

/* Makes a draft of max[i] max[j] x the maximum over both labels. */
static void
merge_nested(Draft *draft, const Atom *inner, Bitmapset **bound)
{
	const Head *head = inner->head;
	const HeadArg *arg = &head->args[0];
	int *fresh = palloc(sizeof(int) * Max(head->nbound, 1));

	for (int i = 0; i < head->nbound; i++)
	{
		fresh[i] = add_form_label(draft->forms, head->bound[i]);
		*bound = bms_add_member(*bound, fresh[i]);
	}
	draft->keys[0] = arg->key;
	draft->labels[0] = palloc(sizeof(int) * Max(arg->key->nlabels, 1));
	for (int l = 0; l < arg->key->nlabels; l++)
		draft->labels[0][l] = arg->places[l] < 0 ? fresh[-1 - arg->places[l]]
												 : inner->labels[arg->places[l]];
	draft->nargs = 1;
}

const Polyterm *
aggregate_atom(Forms *forms, AggregateOperator aggregate, const Bitmapset *labels,
			   const Polyterm *arg, bool merge, ElementType type, bool finite)
{
	Draft draft = {.forms = forms};
	const Atom *inner = only_atom(arg);
	Bitmapset *bound = bms_copy(labels);
	Bitmapset *used = NULL;
	bool idempotent = aggregate == AGGREGATE_MAX || aggregate == AGGREGATE_MIN;
	StringInfoData text;
	StringInfoData unused;
	int label = -1;

	draft.head.kind = HEAD_AGGREGATE;
	draft.head.aggregate = aggregate;
	draft.head.finite = finite;
	if (merge && inner && inner->head->kind == HEAD_AGGREGATE &&
		inner->head->aggregate == aggregate && aggregate != AGGREGATE_SUM)
		merge_nested(&draft, inner, &bound);
	else
		add_draft_argument(&draft, arg);
	for (int l = 0; l < draft.keys[0]->nlabels; l++)
		used = bms_add_member(used, draft.labels[0][l]);
	initStringInfo(&unused);
	while ((label = bms_next_member(bound, label)) >= 0)
	{
		if (bms_is_member(label, used))
			continue;
		/* the greatest of equal values is the value, however often it is repeated */
		if (idempotent && merge && bound_size(forms->labels[label].bound) > 0)
			continue;
		draft.unused = lappend_int(draft.unused, label);
		write_label(forms, &unused, label);
	}
	if (draft.unused == NIL && !bms_overlap(bound, used) && idempotent &&
		draft.keys[0]->polyterm == arg)
		return polyterm_as(arg, type);
	draft.bound = bound;
	initStringInfo(&text);
	write_int(&text, HEAD_AGGREGATE);
	write_int(&text, (int) aggregate);
	write_int(&text, unused.len);
	appendBinaryStringInfo(&text, unused.data, unused.len);
	return finish_draft(&draft, &text, type);
}

const Polyterm *
key_atom(Forms *forms, const Polyterm *polyterm)
{
	Draft draft = {.forms = forms};
	StringInfoData text;

	if (only_atom(polyterm))
		return polyterm;
	draft.head.kind = HEAD_KEY;
	draft.head.additive = polyterm->additive;
	draft.head.finite = polyterm->finite;
	add_draft_argument(&draft, polyterm);
	initStringInfo(&text);
	write_int(&text, HEAD_KEY);
	return finish_draft(&draft, &text, polyterm->type);
}
