/*-------------------------------------------------------------------------
 *
 * canonical.c
 *	  Canonical names of labels, which do not depend on what a program calls them.
 *
 * Labels get colours: first from bound and pin, then, repeatedly, from what they index
 * together with which other labels (colour refinement). If some labels still look alike,
 * each of them in turn gets a colour of its own (individualisation), and of all texts
 * that result the least counts. The free labels of a polyterm are named first, over all
 * monomials. The bound labels of each connected part of a monomial are named separately,
 * since parts share free labels only. If too many labels look alike, a polyterm gets a
 * key that equals no other: that only loses sharing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "algebra/polyterm.h"
#include "recursion.h"

/* Search for canonical names of labels, and the terms that the labels index. */
typedef struct CanonicalSearch
{
	Forms *forms;
	int nterms;
	const PolytermTerm *terms;
	int nsearched; /* number of labels to be named, which come first in labels */
	int nlabels;
	int *labels;
	uint64 *colours;
	int *order; /* the order in which the labels are named, at a leaf of the search */
	void (*visit)(struct CanonicalSearch *search);
	int nleaves;
	bool failed;
	/* the least text so far, and the orders of labels that gave it */
	StringInfoData least;
	bool found;
	List *orders;
} CanonicalSearch;

/* Returns a colour made of two; their order counts. */
static inline uint64
mixed_colour(uint64 a, uint64 b)
{
	uint64 both[2] = {a, b};

	return hash_bytes_extended((const unsigned char *) both, sizeof(both), 0);
}

static uint64
label_colour(const FormLabel *label)
{
	return mixed_colour(mixed_colour((uint64) label->bound, (uint64) label->pin),
						(uint64) label->block);
}

/* Returns the colour of an atom, seen from one of its labels or (-1) from outside. */
static uint64
atom_colour(const CanonicalSearch *search, const Atom *atom, int from)
{
	const Head *head = atom->head;
	uint64 least = PG_UINT64_MAX;

	for (int s = 0; s < head->nsymmetries; s++)
	{
		uint64 colour = mixed_colour((uint64) head->number, (uint64) atom->power);

		for (int p = 0; p < head->nlabels; p++)
		{
			int label = atom->labels[head->symmetries[s][p]];

			colour = mixed_colour(colour, search->colours[search->forms->places[label]]);
			if (label == from)
				colour = mixed_colour(colour, 1);
		}
		least = Min(least, colour);
	}
	return least;
}

static int
compare_colours(const void *a, const void *b)
{
	uint64 x = *(const uint64 *) a;
	uint64 y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

static int
count_colours(const CanonicalSearch *search)
{
	uint64 *sorted = palloc(sizeof(uint64) * search->nlabels);
	int count = 0;

	memcpy(sorted, search->colours, sizeof(uint64) * search->nlabels);
	qsort(sorted, search->nlabels, sizeof(uint64), compare_colours);
	for (int i = 0; i < search->nlabels; i++)
		count += i == 0 || sorted[i] != sorted[i - 1];
	pfree(sorted);
	return count;
}

/* Refines the colours of labels by what they index, until no more labels differ. */
static void
refine(CanonicalSearch *search)
{
	uint64 *next = palloc(sizeof(uint64) * Max(search->nlabels, 1));
	int before = 0;
	int count = count_colours(search);

	while (count > before && count < search->nlabels)
	{
		CHECK_FOR_INTERRUPTS();
		memset(next, 0, sizeof(uint64) * search->nlabels);
		for (int t = 0; t < search->nterms; t++)
		{
			const PolytermTerm *term = &search->terms[t];
			const Monomial *monomial = term->monomial;
			uint64 whole = hash_bytes_extended((const unsigned char *) &term->coefficient,
											   sizeof(Number), 0);

			for (int a = 0; a < monomial->natoms; a++)
				whole += atom_colour(search, &monomial->atoms[a], -1);
			for (int a = 0; a < monomial->natoms; a++)
			{
				const Atom *atom = &monomial->atoms[a];

				for (int p = 0; p < atom->head->nlabels; p++)
					next[search->forms->places[atom->labels[p]]] +=
						mixed_colour(whole, atom_colour(search, atom, atom->labels[p]));
			}
		}
		for (int i = 0; i < search->nlabels; i++)
			search->colours[i] = mixed_colour(search->colours[i], next[i]);
		before = count;
		count = count_colours(search);
	}
	pfree(next);
}

/* Finds the colour of the smallest set of labels that look alike; false if all differ. */
static bool
smallest_cell(const CanonicalSearch *search, uint64 *colour)
{
	int smallest = 0;

	for (int i = 0; i < search->nsearched; i++)
	{
		int size = 0;

		for (int j = 0; j < search->nsearched; j++)
			size += search->colours[i] == search->colours[j];
		if (size < 2)
			continue;
		if (smallest == 0 || size < smallest ||
			(size == smallest && search->colours[i] < *colour))
		{
			smallest = size;
			*colour = search->colours[i];
		}
	}
	return smallest > 0;
}

/* Writes the labels to be named to order, sorted by colour. */
static void
order_labels(CanonicalSearch *search)
{
	for (int i = 0; i < search->nsearched; i++)
	{
		int place = 0;

		for (int j = 0; j < search->nsearched; j++)
			place += search->colours[j] < search->colours[i];
		search->order[place] = search->labels[i];
	}
}

static void
explore(CanonicalSearch *search)
{
	uint64 colour = 0;
	uint64 *saved;

	enter_recursion();
	refine(search);
	if (!smallest_cell(search, &colour))
	{
		if (++search->nleaves > CANONICAL_MAX_NAMINGS)
			search->failed = true;
		else
		{
			order_labels(search);
			search->visit(search);
		}
		return;
	}
	saved = palloc(sizeof(uint64) * search->nlabels);
	memcpy(saved, search->colours, sizeof(uint64) * search->nlabels);
	for (int i = 0; i < search->nsearched && !search->failed; i++)
	{
		if (saved[i] != colour)
			continue;
		memcpy(search->colours, saved, sizeof(uint64) * search->nlabels);
		search->colours[i] = mixed_colour(colour, 2);
		explore(search);
	}
	pfree(saved);
}

/* Prepares a search for names of labels; first colours come from each label alone. */
static void
begin_naming(CanonicalSearch *search, Forms *forms, int nterms, const PolytermTerm *terms,
			 int nsearched, const int *searched)
{
	int size = nsearched;

	memset(search, 0, sizeof(CanonicalSearch));
	search->forms = forms;
	search->nterms = nterms;
	search->terms = terms;
	search->nsearched = nsearched;
	for (int t = 0; t < nterms; t++)
	{
		for (int a = 0; a < terms[t].monomial->natoms; a++)
			size += terms[t].monomial->atoms[a].head->nlabels;
	}
	search->labels = palloc(sizeof(int) * Max(size, 1));
	search->colours = palloc(sizeof(uint64) * Max(size, 1));
	search->order = palloc(sizeof(int) * Max(nsearched, 1));
	for (int i = 0; i < nsearched; i++)
	{
		forms->places[searched[i]] = search->nlabels;
		search->labels[search->nlabels++] = searched[i];
	}
	for (int t = 0; t < nterms; t++)
	{
		for (int a = 0; a < terms[t].monomial->natoms; a++)
		{
			const Atom *atom = &terms[t].monomial->atoms[a];

			for (int p = 0; p < atom->head->nlabels; p++)
			{
				if (forms->places[atom->labels[p]] >= 0)
					continue;
				forms->places[atom->labels[p]] = search->nlabels;
				search->labels[search->nlabels++] = atom->labels[p];
			}
		}
	}
	for (int i = 0; i < search->nlabels; i++)
		search->colours[i] = label_colour(&forms->labels[search->labels[i]]);
	initStringInfo(&search->least);
}

/* Frees a search, and resets its places for other searches. */
static void
end_search(CanonicalSearch *search)
{
	for (int i = 0; i < search->nlabels; i++)
		search->forms->places[search->labels[i]] = -1;
	pfree(search->labels);
	pfree(search->colours);
	pfree(search->order);
}

static int
compare_text(const StringInfoData *a, const StringInfoData *b)
{
	int order = memcmp(a->data, b->data, Min(a->len, b->len));

	return order ? order : a->len - b->len;
}

static int
compare_texts(const void *a, const void *b)
{
	return compare_text(a, b);
}

/*
 * Keeps the text of a leaf of the search if it is the least; true if no text before was
 * less.
 */
static bool
note_text(CanonicalSearch *search, const StringInfoData *text)
{
	int order = search->found ? compare_text(text, &search->least) : -1;

	if (order < 0)
	{
		resetStringInfo(&search->least);
		appendBinaryStringInfo(&search->least, text->data, text->len);
		search->found = true;
		search->orders = NIL;
	}
	return order <= 0;
}

/* Appends the texts sorted, and frees them. */
static void
write_sorted(StringInfo out, StringInfoData *texts, int n)
{
	qsort(texts, n, sizeof(StringInfoData), compare_texts);
	write_int(out, n);
	for (int i = 0; i < n; i++)
	{
		write_int(out, texts[i].len);
		appendBinaryStringInfo(out, texts[i].data, texts[i].len);
		pfree(texts[i].data);
	}
}

/*
 * Appends an atom with the numbers of its labels, by that of its symmetries which gives
 * the least text.
 */
static void
write_atom(const Forms *forms, StringInfo out, const Atom *atom)
{
	const Head *head = atom->head;
	int best = 0;

	for (int s = 1; s < head->nsymmetries; s++)
	{
		int order = 0;

		for (int p = 0; p < head->nlabels && order == 0; p++)
			order = forms->names[atom->labels[head->symmetries[s][p]]] -
					forms->names[atom->labels[head->symmetries[best][p]]];
		if (order < 0)
			best = s;
	}
	write_int(out, head->number);
	write_int(out, atom->power);
	for (int p = 0; p < head->nlabels; p++)
		write_int(out, forms->names[atom->labels[head->symmetries[best][p]]]);
}

/* Writes a connected part with its bound labels in the order found by a search. */
static void
visit_part(CanonicalSearch *search)
{
	const Monomial *part = search->terms[0].monomial;
	StringInfoData *texts = palloc(sizeof(StringInfoData) * part->natoms);
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < search->nsearched; i++)
	{
		const FormLabel *label = &search->forms->labels[search->order[i]];

		/* free labels have names from 0 on */
		search->forms->names[search->order[i]] = -1 - i;
		appendBinaryStringInfo(&text, (const char *) &label->bound, sizeof(label->bound));
		write_int(&text, (int) label->pin);
		write_int(&text, label->block);
	}
	for (int a = 0; a < part->natoms; a++)
	{
		initStringInfo(&texts[a]);
		write_atom(search->forms, &texts[a], &part->atoms[a]);
	}
	write_sorted(&text, texts, part->natoms);
	(void) note_text(search, &text);
	pfree(texts);
	pfree(text.data);
}

static bool
write_part(Forms *forms, StringInfo out, const Monomial *part)
{
	PolytermTerm term = {1.0, part};
	CanonicalSearch search;

	begin_naming(&search, forms, 1, &term, part->nbound, part->bound);
	for (int i = part->nbound; i < search.nlabels; i++)
		search.colours[i] =
			mixed_colour(search.colours[i], (uint64) forms->names[search.labels[i]] + 3);
	search.visit = visit_part;
	explore(&search);
	end_search(&search);
	appendBinaryStringInfo(out, search.least.data, search.least.len);
	pfree(search.least.data);
	return !search.failed;
}

static bool
is_bound(const Monomial *monomial, int label)
{
	for (int i = 0; i < monomial->nbound; i++)
	{
		if (monomial->bound[i] == label)
			return true;
	}
	return false;
}

static bool
atom_has_label(const Atom *atom, int label)
{
	for (int p = 0; p < atom->head->nlabels; p++)
	{
		if (atom->labels[p] == label)
			return true;
	}
	return false;
}

/* Do two atoms have a bound label in common? */
static bool
are_connected(const Monomial *monomial, const Atom *a, const Atom *b)
{
	for (int p = 0; p < a->head->nlabels; p++)
	{
		if (is_bound(monomial, a->labels[p]) && atom_has_label(b, a->labels[p]))
			return true;
	}
	return false;
}

/* Moves the first atom of rest, and all atoms connected with it, into a new part. */
static Monomial *
take_part(const Monomial *monomial, Atom *rest, int *nrest)
{
	Monomial *part = palloc0(sizeof(Monomial));

	part->atoms = palloc(sizeof(Atom) * *nrest);
	part->bound = palloc(sizeof(int) * Max(monomial->nbound, 1));
	part->atoms[part->natoms++] = rest[0];
	rest[0] = rest[--*nrest];
	for (int done = 0; done < part->natoms; done++)
	{
		for (int i = 0; i < *nrest;)
		{
			if (!are_connected(monomial, &part->atoms[done], &rest[i]))
			{
				i++;
				continue;
			}
			part->atoms[part->natoms++] = rest[i];
			rest[i] = rest[--*nrest];
		}
	}
	for (int i = 0; i < monomial->nbound; i++)
	{
		bool has = false;

		for (int a = 0; a < part->natoms; a++)
			has = has || atom_has_label(&part->atoms[a], monomial->bound[i]);
		if (has)
			part->bound[part->nbound++] = monomial->bound[i];
	}
	return part;
}

bool
write_monomial(Forms *forms, StringInfo out, const Monomial *monomial)
{
	StringInfoData *texts = palloc(sizeof(StringInfoData) * Max(monomial->natoms, 1));
	Atom *rest = palloc(sizeof(Atom) * Max(monomial->natoms, 1));
	int nrest = monomial->natoms;
	int nparts = 0;
	bool written = true;

	for (int a = 0; a < nrest; a++)
		rest[a] = monomial->atoms[a];
	while (nrest > 0)
	{
		Monomial *part = take_part(monomial, rest, &nrest);

		initStringInfo(&texts[nparts]);
		written = write_part(forms, &texts[nparts++], part) && written;
		pfree(part->atoms);
		pfree(part->bound);
		pfree(part);
	}
	write_sorted(out, texts, nparts);
	pfree(texts);
	pfree(rest);
	return written;
}

/* Lists the free labels of a polyterm, in no canonical order; returns how many. */
static int
free_labels(Forms *forms, const Polyterm *polyterm, int **labels)
{
	Bitmapset *seen = NULL;
	int count = 0;
	int label = -1;

	for (int t = 0; t < polyterm->nterms; t++)
	{
		const Monomial *monomial = polyterm->terms[t].monomial;

		for (int a = 0; a < monomial->natoms; a++)
		{
			const Atom *atom = &monomial->atoms[a];

			for (int p = 0; p < atom->head->nlabels; p++)
			{
				if (!is_bound(monomial, atom->labels[p]))
					seen = bms_add_member(seen, atom->labels[p]);
			}
		}
	}
	*labels = palloc(sizeof(int) * Max(bms_num_members(seen), 1));
	while ((label = bms_next_member(seen, label)) >= 0)
		(*labels)[count++] = label;
	bms_free(seen);
	return count;
}

/* Writes a polyterm with its free labels in the order found by a search. */
static void
visit_polyterm(CanonicalSearch *search)
{
	Forms *forms = search->forms;
	StringInfoData *texts = palloc(sizeof(StringInfoData) * Max(search->nterms, 1));
	int *places = palloc(sizeof(int) * Max(search->nlabels, 1));
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < search->nsearched; i++)
	{
		const FormLabel *label = &forms->labels[search->order[i]];

		forms->names[search->order[i]] = i;
		appendBinaryStringInfo(&text, (const char *) &label->bound, sizeof(label->bound));
		write_int(&text, (int) label->pin);
		write_int(&text, label->block);
	}
	/* the searches in the monomials need forms->places themselves */
	for (int i = 0; i < search->nlabels; i++)
	{
		places[i] = forms->places[search->labels[i]];
		forms->places[search->labels[i]] = -1;
	}
	for (int t = 0; t < search->nterms; t++)
	{
		initStringInfo(&texts[t]);
		if (!write_monomial(forms, &texts[t], search->terms[t].monomial))
			search->failed = true;
		appendBinaryStringInfo(&texts[t], (const char *) &search->terms[t].coefficient,
							   sizeof(Number));
	}
	for (int i = 0; i < search->nlabels; i++)
		forms->places[search->labels[i]] = places[i];
	write_sorted(&text, texts, search->nterms);
	if (note_text(search, &text))
	{
		int *order = palloc(sizeof(int) * Max(search->nsearched, 1));

		for (int i = 0; i < search->nsearched; i++)
			order[i] = search->order[i];
		search->orders = lappend(search->orders, order);
	}
	pfree(texts);
	pfree(places);
	pfree(text.data);
}

/* Returns for each label of an order its position in another order. */
static int *
positions(const int *order, const int *in, int n)
{
	int *result = palloc(sizeof(int) * Max(n, 1));

	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < n; j++)
		{
			if (in[j] == order[i])
				result[i] = j;
		}
	}
	return result;
}

/*
 * Returns a monomial whose bound labels are in no monomial before it: equal names of
 * bound labels in two monomials mean nothing.
 */
static const Monomial *
monomial_with_own_labels(Forms *forms, const Monomial *monomial, Bitmapset **taken)
{
	Monomial *result = palloc(sizeof(Monomial));

	*result = *monomial;
	result->atoms = palloc(sizeof(Atom) * Max(monomial->natoms, 1));
	result->bound = palloc(sizeof(int) * Max(monomial->nbound, 1));
	for (int i = 0; i < monomial->nbound; i++)
	{
		result->bound[i] = monomial->bound[i];
		if (bms_is_member(result->bound[i], *taken))
			result->bound[i] = add_form_label(forms, monomial->bound[i]);
		*taken = bms_add_member(*taken, result->bound[i]);
	}
	for (int a = 0; a < monomial->natoms; a++)
	{
		const Atom *from = &monomial->atoms[a];
		Atom *to = &result->atoms[a];

		*to = *from;
		to->labels = palloc(sizeof(int) * Max(from->head->nlabels, 1));
		for (int p = 0; p < from->head->nlabels; p++)
		{
			to->labels[p] = from->labels[p];
			for (int i = 0; i < monomial->nbound; i++)
			{
				if (from->labels[p] == monomial->bound[i])
					to->labels[p] = result->bound[i];
			}
		}
	}
	return result;
}

const Key *
key_of_polyterm(Forms *forms, const Polyterm *polyterm)
{
	Key *key = polyterm->key;
	PolytermTerm *terms;
	Bitmapset *taken = NULL;
	int *labels;
	int nlabels;
	CanonicalSearch search;
	ListCell *lc;

	if (key)
		return key;
	key = palloc0(sizeof(Key));
	key->polyterm = polyterm;
	nlabels = free_labels(forms, polyterm, &labels);
	terms = palloc(sizeof(PolytermTerm) * Max(polyterm->nterms, 1));
	for (int i = 0; i < nlabels; i++)
		taken = bms_add_member(taken, labels[i]);
	for (int t = 0; t < polyterm->nterms; t++)
	{
		terms[t].coefficient = polyterm->terms[t].coefficient;
		terms[t].monomial =
			monomial_with_own_labels(forms, polyterm->terms[t].monomial, &taken);
	}
	begin_naming(&search, forms, polyterm->nterms, terms, nlabels, labels);
	search.visit = visit_polyterm;
	explore(&search);
	end_search(&search);
	key->nlabels = nlabels;
	if (search.failed)
	{
		/* its key equals no other */
		resetStringInfo(&search.least);
		write_int(&search.least, -1);
		write_int(&search.least, forms->nunnamed++);
		search.orders = list_make1(labels);
	}
	else
		write_int(&search.least, (int) polyterm->type);
	key->number = interned_number(forms->keys, &search.least);
	key->labels = linitial(search.orders);
	key->symmetries = palloc(sizeof(int *) * list_length(search.orders));
	foreach (lc, search.orders)
		key->symmetries[key->nsymmetries++] = positions(lfirst(lc), key->labels, nlabels);
	pfree(search.least.data);
	unconstify(Polyterm *, polyterm)->key = key;
	return key;
}
