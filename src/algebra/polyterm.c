/*-------------------------------------------------------------------------
 *
 * polyterm.c
 *	  The arithmetic of polyterms.
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

/* Maximum of products of monomials that are computed before like terms are added. */
#define MAX_PRODUCTS (4 * POLYTERM_MAX_MONOMIALS)

Forms *
new_forms(Program *program, RewriteLevel level)
{
	Forms *forms = palloc0(sizeof(Forms));

	forms->program = program;
	forms->level = level;
	forms->by_node = new_side_table(256);
	forms->as_written = new_side_table(64);
	forms->heads = new_interned();
	forms->monomials = new_interned();
	forms->keys = new_interned();
	forms->labels_size = program->nlabels + 64;
	forms->labels = palloc(sizeof(FormLabel) * forms->labels_size);
	forms->names = palloc(sizeof(int) * forms->labels_size);
	forms->places = palloc(sizeof(int) * forms->labels_size);
	memset(forms->places, -1, sizeof(int) * forms->labels_size);
	for (int i = 0; i < program->nlabels; i++)
	{
		const ProgramLabel *label = &program->labels[i];

		forms->labels[i].bound = label->bound;
		forms->labels[i].pin = label->pin;
		forms->labels[i].block = label->block;
		forms->labels[i].origin = i;
	}
	forms->nlabels = program->nlabels;
	return forms;
}

int
add_form_label(Forms *forms, int like)
{
	if (forms->nlabels == forms->labels_size)
	{
		int size = forms->labels_size * 2;

		forms->labels = repalloc(forms->labels, sizeof(FormLabel) * size);
		forms->names = repalloc(forms->names, sizeof(int) * size);
		forms->places = repalloc(forms->places, sizeof(int) * size);
		memset(forms->places + forms->labels_size, -1,
			   sizeof(int) * (size - forms->labels_size));
		forms->labels_size = size;
	}
	forms->labels[forms->nlabels] = forms->labels[like];
	return forms->nlabels++;
}

static bool indexes_monomial(const Monomial *monomial, int label);
static const Monomial *make_monomial(Forms *forms, int natoms, const Atom *atoms,
									 int nbound, const int *bound);

/*
 * Returns which label of eye[i,j] (0 or 1) is summed and can be replaced by the other
 * one, if either indexes another atom; else -1.
 */
static int
summed_place(const Forms *forms, const Monomial *monomial, int atom)
{
	const Atom *identity = &monomial->atoms[atom];
	Monomial others = *monomial;

	if (identity->head->kind != HEAD_ACCESS || !identity->head->tensor->identity ||
		identity->labels[0] == identity->labels[1] ||
		forms->labels[identity->labels[0]].bound !=
			forms->labels[identity->labels[1]].bound)
		return -1;
	others.atoms = palloc(sizeof(Atom) * monomial->natoms);
	others.natoms = 0;
	for (int a = 0; a < monomial->natoms; a++)
	{
		if (a != atom)
			others.atoms[others.natoms++] = monomial->atoms[a];
	}
	if (!indexes_monomial(&others, identity->labels[0]) &&
		!indexes_monomial(&others, identity->labels[1]))
		return -1;
	for (int place = 1; place >= 0; place--)
	{
		for (int i = 0; i < monomial->nbound; i++)
		{
			if (monomial->bound[i] == identity->labels[place])
				return place;
		}
	}
	return -1;
}

/* Returns sum[j] x[j] * eye[i,j] as x[i]; NULL if there is nothing to replace. */
static const Monomial *
without_identity(Forms *forms, const Monomial *monomial)
{
	for (int a = 0; a < monomial->natoms; a++)
	{
		int place = summed_place(forms, monomial, a);
		Atom *atoms;
		int *bound;
		int natoms = 0;
		int nbound = 0;
		int summed;
		int kept;

		if (place < 0)
			continue;
		summed = monomial->atoms[a].labels[place];
		kept = monomial->atoms[a].labels[1 - place];
		atoms = palloc(sizeof(Atom) * monomial->natoms);
		bound = palloc(sizeof(int) * monomial->nbound);
		for (int i = 0; i < monomial->nbound; i++)
		{
			if (monomial->bound[i] != summed)
				bound[nbound++] = monomial->bound[i];
		}
		for (int i = 0; i < monomial->natoms; i++)
		{
			Atom *atom = &atoms[natoms];
			int nlabels = monomial->atoms[i].head->nlabels;

			if (i == a)
				continue;
			*atom = monomial->atoms[i];
			atom->labels = palloc(sizeof(int) * Max(nlabels, 1));
			for (int p = 0; p < nlabels; p++)
			{
				int label = monomial->atoms[i].labels[p];

				atom->labels[p] = label == summed ? kept : label;
			}
			natoms++;
		}
		return make_monomial(forms, natoms, atoms, nbound, bound);
	}
	return NULL;
}

/*
 * Returns the monomial of some atoms; NULL if it is too large, or too many labels look
 * alike.
 */
static const Monomial *
make_monomial(Forms *forms, int natoms, const Atom *atoms, int nbound, const int *bound)
{
	const Monomial *simpler;
	Monomial *monomial = palloc0(sizeof(Monomial));
	StringInfoData text;
	int degree = 0;
	bool written;

	enter_recursion();
	monomial->atoms = palloc(sizeof(Atom) * Max(natoms, 1));
	for (int i = 0; i < natoms; i++)
	{
		int same = 0;

		degree += atoms[i].power;
		while (same < monomial->natoms &&
			   (atoms[i].head->additive || monomial->atoms[same].head != atoms[i].head ||
				!same_atom_labels(atoms[i].head, atoms[i].labels,
								  monomial->atoms[same].labels)))
			same++;
		if (same < monomial->natoms)
			monomial->atoms[same].power += atoms[i].power;
		else
			monomial->atoms[monomial->natoms++] = atoms[i];
	}
	if (degree > POLYTERM_MAX_DEGREE)
		return NULL;
	monomial->nbound = nbound;
	monomial->bound = palloc(sizeof(int) * Max(nbound, 1));
	for (int i = 0; i < nbound; i++)
		monomial->bound[i] = bound[i];
	simpler = without_identity(forms, monomial);
	if (simpler)
		return simpler;
	for (int a = 0; a < monomial->natoms; a++)
	{
		for (int p = 0; p < monomial->atoms[a].head->nlabels; p++)
			forms->names[monomial->atoms[a].labels[p]] = monomial->atoms[a].labels[p];
	}
	initStringInfo(&text);
	written = write_monomial(forms, &text, monomial);
	monomial->number = interned_number(forms->monomials, &text);
	pfree(text.data);
	return written ? monomial : NULL;
}

static Polyterm *
new_polyterm(ElementType type, int most)
{
	Polyterm *polyterm = palloc0(sizeof(Polyterm));

	polyterm->type = type;
	polyterm->finite = true;
	polyterm->terms = palloc(sizeof(PolytermTerm) * Max(most, 1));
	return polyterm;
}

/*
 * Adds a term to a polyterm, which has room for it. False if a coefficient is not finite.
 */
static bool
add_term(Polyterm *polyterm, Number coefficient, const Monomial *monomial)
{
	for (int t = 0; t < polyterm->nterms; t++)
	{
		PolytermTerm *term = &polyterm->terms[t];

		if (term->monomial->number != monomial->number)
			continue;
		term->coefficient += coefficient;
		if (term->coefficient == 0.0)
			*term = polyterm->terms[--polyterm->nterms];
		else if (!number_is_finite(term->coefficient))
			return false;
		return true;
	}
	if (!number_is_finite(coefficient))
		return false;
	if (coefficient == 0.0)
		return true;
	polyterm->terms[polyterm->nterms].coefficient = coefficient;
	polyterm->terms[polyterm->nterms++].monomial = monomial;
	return true;
}

/*
 * Sets the fields that follow from the terms. NULL if there are too many terms or atoms.
 */
static const Polyterm *
finish_polyterm(Polyterm *polyterm)
{
	Bitmapset *heads = NULL;

	if (polyterm->nterms > POLYTERM_MAX_MONOMIALS)
		return NULL;
	for (int t = 0; t < polyterm->nterms; t++)
	{
		const Monomial *monomial = polyterm->terms[t].monomial;
		Number *coefficient = &polyterm->terms[t].coefficient;

		/* -0 and 0 must be the same coefficient */
		*coefficient = CMPLX(creal(*coefficient) + 0.0, cimag(*coefficient) + 0.0);
		for (int a = 0; a < monomial->natoms; a++)
		{
			const Head *head = monomial->atoms[a].head;

			heads = bms_add_member(heads, head->number);
			polyterm->finite = polyterm->finite && head->finite;
			polyterm->additive = polyterm->additive || head->additive;
		}
	}
	if (bms_num_members(heads) > POLYTERM_MAX_ATOMS)
		return NULL;
	bms_free(heads);
	return polyterm;
}

const Polyterm *
polyterm_constant(Forms *forms, Number value, ElementType type)
{
	Polyterm *polyterm = new_polyterm(type, 1);

	if (!add_term(polyterm, value, make_monomial(forms, 0, NULL, 0, NULL)))
		return NULL;
	return finish_polyterm(polyterm);
}

const Polyterm *
polyterm_atom(Forms *forms, const Head *head, int *labels, ElementType type)
{
	Polyterm *polyterm = new_polyterm(type, 1);
	Atom atom = {head, 1, labels};

	(void) add_term(polyterm, 1.0, make_monomial(forms, 1, &atom, 0, NULL));
	return finish_polyterm(polyterm);
}

const Polyterm *
polyterm_as(const Polyterm *polyterm, ElementType type)
{
	Polyterm *result;

	if (polyterm == NULL || polyterm->type == type)
		return polyterm;
	result = palloc(sizeof(Polyterm));
	*result = *polyterm;
	result->type = type;
	result->key = NULL;
	return result;
}

const Polyterm *
polyterm_scale(Forms *forms, const Polyterm *polyterm, Number factor)
{
	Polyterm *result = new_polyterm(polyterm->type, polyterm->nterms);

	for (int t = 0; t < polyterm->nterms; t++)
	{
		if (!add_term(result, polyterm->terms[t].coefficient * factor,
					  polyterm->terms[t].monomial))
			return NULL;
	}
	return finish_polyterm(result);
}

const Polyterm *
polyterm_unit(const Polyterm *polyterm)
{
	Polyterm *result = palloc(sizeof(Polyterm));

	*result = *polyterm;
	result->key = NULL;
	result->terms = palloc(sizeof(PolytermTerm));
	result->terms[0].coefficient = 1.0;
	result->terms[0].monomial = polyterm->terms[0].monomial;
	return result;
}

/* Do two polyterms share a monomial that one may add and the other subtract? */
static bool
may_cancel(const Polyterm *a, const Polyterm *b)
{
	for (int i = 0; i < a->nterms; i++)
	{
		for (int j = 0; j < b->nterms; j++)
		{
			Number x = a->terms[i].coefficient;
			Number y = b->terms[j].coefficient;

			if (a->terms[i].monomial->number == b->terms[j].monomial->number &&
				(cimag(x) != 0.0 || cimag(y) != 0.0 || creal(x) * creal(y) < 0.0))
				return true;
		}
	}
	return false;
}

const Polyterm *
polyterm_add(Forms *forms, const Polyterm *a, const Polyterm *b)
{
	Polyterm *result;

	if (a == NULL || b == NULL)
		return NULL;
	/* Infinity - Infinity is not 0 */
	if (!(a->finite && b->finite) && may_cancel(a, b))
		return NULL;
	result = new_polyterm(a->type, a->nterms + b->nterms);
	for (int t = 0; t < a->nterms; t++)
		result->terms[result->nterms++] = a->terms[t];
	for (int t = 0; t < b->nterms; t++)
	{
		if (!add_term(result, b->terms[t].coefficient, b->terms[t].monomial))
			return NULL;
	}
	return finish_polyterm(result);
}

/* Returns the product of two monomials; the second one's sums get labels of their own. */
static const Monomial *
multiply_monomials(Forms *forms, const Monomial *a, const Monomial *b)
{
	int natoms = a->natoms + b->natoms;
	int nbound = a->nbound + b->nbound;
	Atom *atoms = palloc(sizeof(Atom) * Max(natoms, 1));
	int *bound = palloc(sizeof(int) * Max(nbound, 1));
	const Monomial *product;

	for (int i = 0; i < a->natoms; i++)
		atoms[i] = a->atoms[i];
	for (int i = 0; i < a->nbound; i++)
		bound[i] = a->bound[i];
	for (int i = 0; i < b->nbound; i++)
		bound[a->nbound + i] = add_form_label(forms, b->bound[i]);
	for (int i = 0; i < b->natoms; i++)
	{
		const Atom *from = &b->atoms[i];
		Atom *to = &atoms[a->natoms + i];

		*to = *from;
		if (b->nbound == 0)
			continue;
		to->labels = palloc(sizeof(int) * Max(from->head->nlabels, 1));
		for (int p = 0; p < from->head->nlabels; p++)
		{
			to->labels[p] = from->labels[p];
			for (int l = 0; l < b->nbound; l++)
			{
				if (from->labels[p] == b->bound[l])
					to->labels[p] = bound[a->nbound + l];
			}
		}
	}
	product = make_monomial(forms, natoms, atoms, nbound, bound);
	pfree(atoms);
	pfree(bound);
	return product;
}

const Polyterm *
polyterm_multiply(Forms *forms, const Polyterm *a, const Polyterm *b)
{
	int most = a->nterms * b->nterms;
	Polyterm *result;

	if (most > MAX_PRODUCTS)
		return NULL;
	result = new_polyterm(a->type, most);
	for (int i = 0; i < a->nterms; i++)
	{
		for (int j = 0; j < b->nterms; j++)
		{
			const Monomial *product =
				multiply_monomials(forms, a->terms[i].monomial, b->terms[j].monomial);

			if (product == NULL ||
				!add_term(result, a->terms[i].coefficient * b->terms[j].coefficient,
						  product))
				return NULL;
		}
	}
	return finish_polyterm(result);
}

static bool
indexes_monomial(const Monomial *monomial, int label)
{
	for (int a = 0; a < monomial->natoms; a++)
	{
		for (int p = 0; p < monomial->atoms[a].head->nlabels; p++)
		{
			if (monomial->atoms[a].labels[p] == label)
				return true;
		}
	}
	return false;
}

/*
 * Adds sum[labels] of a term to a polyterm; a label that the term lacks multiplies it by
 * the label's bound. False if that is impossible.
 */
static bool
add_sum(Forms *forms, Polyterm *result, const PolytermTerm *term, const Bitmapset *labels)
{
	const Monomial *monomial = term->monomial;
	int *bound = palloc(sizeof(int) * Max(monomial->nbound + bms_num_members(labels), 1));
	int nbound = monomial->nbound;
	Number coefficient = term->coefficient;
	int label = -1;

	for (int i = 0; i < nbound; i++)
		bound[i] = monomial->bound[i];
	while ((label = bms_next_member(labels, label)) >= 0)
	{
		/* the sum over no index is 0 */
		if (forms->labels[label].bound == 0)
			return true;
		if (indexes_monomial(monomial, label))
			bound[nbound++] = label;
		else if (bound_is_open(forms->labels[label].bound))
			return false;
		else
			coefficient *= (double) bound_size(forms->labels[label].bound);
	}
	monomial = make_monomial(forms, monomial->natoms, monomial->atoms, nbound, bound);
	return monomial && add_term(result, coefficient, monomial);
}

const Polyterm *
polyterm_sum(Forms *forms, const Polyterm *polyterm, const Bitmapset *labels)
{
	Polyterm *result = new_polyterm(polyterm->type, polyterm->nterms);

	for (int t = 0; t < polyterm->nterms; t++)
	{
		if (!add_sum(forms, result, &polyterm->terms[t], labels))
			return NULL;
	}
	return finish_polyterm(result);
}

const Polyterm *
polyterm_rename(Forms *forms, const Polyterm *polyterm, int n, const int *from,
				const int *to)
{
	Polyterm *result = new_polyterm(polyterm->type, polyterm->nterms);

	for (int t = 0; t < polyterm->nterms; t++)
	{
		const Monomial *monomial = polyterm->terms[t].monomial;
		Atom *atoms = palloc(sizeof(Atom) * Max(monomial->natoms, 1));

		for (int a = 0; a < monomial->natoms; a++)
		{
			atoms[a] = monomial->atoms[a];
			atoms[a].labels = palloc(sizeof(int) * Max(atoms[a].head->nlabels, 1));
			for (int p = 0; p < atoms[a].head->nlabels; p++)
			{
				atoms[a].labels[p] = monomial->atoms[a].labels[p];
				for (int i = 0; i < n; i++)
				{
					if (monomial->atoms[a].labels[p] == from[i])
						atoms[a].labels[p] = to[i];
				}
			}
		}
		monomial = make_monomial(forms, monomial->natoms, atoms, monomial->nbound,
								 monomial->bound);
		if (monomial == NULL ||
			!add_term(result, polyterm->terms[t].coefficient, monomial))
			return NULL;
		pfree(atoms);
	}
	return finish_polyterm(result);
}
