/*-------------------------------------------------------------------------
 *
 * row_keys.c
 *	  Merges factors that read the same row of a tensor.
 *
 *	  sum[p,a,b] f[p,a] * f[p,b] * x[a] * y[b]   is   sum[p,a] f[p,a]^2 * x[a] * y[a]
 *
 * This holds if a unique constraint says that p alone is a key of f: two rows with the
 * same p are the same row, elsewhere the product is 0. So a fact table with its dimension
 * tables (a star) is squared without joining the facts with themselves. This is the chase
 * of a query by functional dependencies.
 *
 * The generated view depends on the constraint, as on any unique key that it relies on.
 * Each storage of the tensor has to prove the key, whichever is read.
 *
 * Source: Aho, Sagiv, Ullman: Equivalences among relational expressions (1979).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/law_form.h"
#include "algebra/proven.h"
#include "algebra/ring_walk.h"
#include "algebra/row_keys.h"

/*
 * Returns a mask of the dimensions that are a key of a stored tensor's rows; * determined
 * becomes those of which a row has one index besides. 0 if all dimensions are needed for
 * a key.
 */
static int
key_of_rows(const ProgramTensor *tensor, int *determined)
{
	int key = 0;
	ListCell *lc;

	*determined = 0;
	if (tensor->entry == NULL || tensor->fill != 0.0)
		return 0;
	foreach (lc, tensor->entry->storages)
	{
		const Storage *storage = lfirst(lc);
		int promoted = 0;

		for (int d = 0; d < storage->rank; d++)
		{
			if (storage->dimensions[d].kind == DIMENSION_PROMOTED)
				promoted |= 1 << d;
		}
		/* a row that stores a block has several indices */
		if (storage->unique_dimensions == 0 || (storage->unique_dimensions & ~promoted) ||
			(key != 0 && key != storage->unique_dimensions))
			return 0;
		*determined =
			(key == 0 ? promoted : *determined & promoted) & ~storage->unique_dimensions;
		key = storage->unique_dimensions;
	}
	return *determined ? key : 0;
}

/* Replaces a label, over which a product is summed, by another. */
static void
replace_label(Program *program, Product *product, int from, int to)
{
	ListCell *lc;

	program->renaming[from] = to;
	foreach (lc, product->factors)
		lfirst(lc) = rename_labels(program, lfirst(lc), program->renaming);
	program->renaming[from] = -1;
	product->bound = bms_del_member(bms_copy(product->bound), from);
}

/*
 * Do two factors read the same row of a tensor, so that two of their labels must be
 * equal? * from becomes the label to be replaced, * to its replacement.
 */
static bool
find_same_row(const Program *program, const Product *product, const TensorExpr *a,
			  const TensorExpr *b, int *from, int *to)
{
	int determined;
	int key;

	if (a->kind != EXPR_ACCESS || b->kind != EXPR_ACCESS || a->tensor != b->tensor)
		return false;
	key = key_of_rows(a->tensor, &determined);
	if (key == 0)
		return false;
	for (int d = 0; d < a->nindices; d++)
	{
		if ((key & (1 << d)) && a->indices[d] != b->indices[d])
			return false;
	}
	for (int d = 0; d < a->nindices; d++)
	{
		*from = b->indices[d];
		*to = a->indices[d];
		if (!(determined & (1 << d)) || *from == *to ||
			!labels_are_alike(program, *from, *to))
			continue;
		if (!bms_is_member(*from, product->bound))
		{
			*from = a->indices[d];
			*to = b->indices[d];
		}
		if (bms_is_member(*from, product->bound))
			return true;
	}
	return false;
}

/* Identifies two labels that index the same row; false if the product has none. */
static bool
identify_labels(Program *program, Product *product)
{
	int from;
	int to;

	for (int i = 0; i < list_length(product->factors); i++)
	{
		for (int j = i + 1; j < list_length(product->factors); j++)
		{
			if (find_same_row(program, product, list_nth(product->factors, i),
							  list_nth(product->factors, j), &from, &to))
			{
				replace_label(program, product, from, to);
				return true;
			}
		}
	}
	return false;
}

/* Drops repeated factors that are 0 or 1, since these are their own squares. */
static void
drop_repeated(Algebra *algebra, Product *product)
{
	List *factors = NIL;
	ListCell *lc;

	foreach (lc, product->factors)
	{
		if (!list_member_ptr(factors, lfirst(lc)) ||
			!proven_zero_or_one(algebra, lfirst(lc)))
			factors = lappend(factors, lfirst(lc));
	}
	product->factors = factors;
}

static bool
read_rows_once(RingWalk *walk, Expansion *expansion, List **products)
{
	bool changed = false;
	List *result = NIL;
	ListCell *lc;

	foreach (lc, *products)
	{
		Product product = *(const Product *) lfirst(lc);
		bool same_row = false;

		product.factors = list_copy(product.factors);
		while (identify_labels(walk->algebra->program, &product))
			same_row = true;
		if (same_row)
			drop_repeated(walk->algebra, &product);
		changed = changed || same_row;
		if (!add_product(expansion, &result, &product))
			return false;
	}
	*products = result;
	return changed;
}

List *
one_row_forms(Algebra *algebra, TensorExpr *expr)
{
	RingWalk walk = {.algebra = algebra, .rewrite = read_rows_once};
	TensorExpr *other = walk_ring(&walk, expr);

	return add_law_form(algebra, NIL, expr, other, false);
}
