/*-------------------------------------------------------------------------
 *
 * open_keys.c
 *	  The types of the keys of open labels.
 *
 * They are found before anything is planned, since only integers can be shifted, and a
 * loop must know the types of a state's keys before its first round.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/lsyscache.h"

#include "catalog/shift.h"
#include "catalog/tensor_storage.h"
#include "expr/open_keys.h"
#include "expr/walk.h"

/* A dimension of the tensor that a statement defines. */
typedef struct DefinedDimension
{
	const Statement *statement;
	int dimension;
} DefinedDimension;

/* A search for where the keys of a label come from. */
typedef struct KeySearch
{
	int label;
	Oid type;      /* of the keys found so far */
	List *defined; /* of DefinedDimension *: whose keys are asked for, each once */
} KeySearch;

bool
is_integer_key(Oid type)
{
	return OidIsValid(type) && is_integer_type(getBaseType(type));
}

Oid
wider_key_type(Oid one, Oid other)
{
	return get_typlen(other) > get_typlen(one) ? other : one;
}

static void
add_type(KeySearch *search, Oid type)
{
	if (!OidIsValid(type))
		return;
	type = getBaseType(type);
	if (!OidIsValid(search->type))
		search->type = type;
	else if (is_integer_key(search->type))
		search->type = is_integer_key(type) ? wider_key_type(search->type, type) : type;
}

static void
add_defined(KeySearch *search, const Statement *statement, int dimension)
{
	DefinedDimension *added;
	ListCell *lc;

	foreach (lc, search->defined)
	{
		const DefinedDimension *known = lfirst(lc);

		if (known->statement == statement && known->dimension == dimension)
			return;
	}
	added = palloc(sizeof(DefinedDimension));
	*added = (DefinedDimension){statement, dimension};
	search->defined = lappend(search->defined, added);
}

/* Adds the keys of a dimension of a tensor that is not a shift. */
static void
add_open_keys(KeySearch *search, const ProgramTensor *tensor, int dimension)
{
	ListCell *lc;

	if (tensor->definition)
		add_defined(search, tensor->definition, dimension);
	if (tensor->entry == NULL)
		return;
	if (tensor->entry->state)
	{
		add_type(search, tensor->entry->state_keys[dimension]);
		return;
	}
	foreach (lc, tensor->entry->storages)
		add_type(search, ((const Storage *) lfirst(lc))->dimensions[dimension].key_type);
}

static Walk
find_keys(const TensorExpr *expr, void *context)
{
	KeySearch *search = context;

	for (int d = 0; expr->kind == EXPR_ACCESS && d < expr->nindices; d++)
	{
		const ProgramTensor *tensor = expr->tensor;

		if (expr->indices[d] != search->label)
			continue;
		if (tensor->shifted == NULL)
		{
			add_open_keys(search, tensor, d);
			continue;
		}
		for (int of = 0; of < tensor->shift->rank; of++)
		{
			if (tensor->shift->place[of] != d)
				continue;
			if (shift_moves(tensor->shift, of))
				add_type(search, shifted_key_type(tensor->shift->bounds[of]));
			else
				add_open_keys(search, tensor->shifted, of);
		}
	}
	return WALK_BELOW;
}

Oid
open_key_type(const Statement *statement, int dimension)
{
	KeySearch search = {.type = InvalidOid};

	add_defined(&search, statement, dimension);
	for (int n = 0; n < list_length(search.defined); n++)
	{
		const DefinedDimension *defined = list_nth(search.defined, n);

		search.label = defined->statement->output[defined->dimension];
		(void) walk_expr(defined->statement->expr, find_keys, &search);
	}
	return search.type;
}
