/*-------------------------------------------------------------------------
 *
 * shift.c
 *	  Stored tensors read at shifted and at constant indices.
 *
 * x[t-1,0] is a tensor of its own, whose storages are those of x with other keys: the
 * optimizer treats it as any stored tensor. Queries read x, and compute the keys and
 * values of the shifted tensor from it (codegen/shifted.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "catalog/origin.h"
#include "catalog/shift.h"
#include "catalog/tensor_storage.h"
#include "type/tensor.h"

bool
shift_moves(const TensorShift *shift, int dimension)
{
	return shift->place[dimension] < 0 || shift->offset[dimension] != 0;
}

bool
dimension_can_move(const StorageDimension *dimension)
{
	/* the next key of a dimension is not computable: only its table knows it */
	if (bound_is_dimension(dimension->bound))
		return false;
	if (dimension->kind != DIMENSION_PROMOTED)
		return dimension->kind == DIMENSION_DEMOTED;
	return is_integer_type(getBaseType(dimension->key_type)) ||
		   bound_has_days(dimension->bound);
}

Oid
shifted_key_type(int64 bound)
{
	return bound_is_open(bound) ? INT8OID : bound_key_type(bound);
}

/*
 * Returns the type of shifted keys: that of the stored keys, if it holds all possible
 * ones.
 */
static Oid
moved_key_type(Oid stored, int64 bound)
{
	stored = getBaseType(stored);
	if (bound_is_open(bound) || !bound_fits(bound, stored))
		return shifted_key_type(bound);
	return stored;
}

/* Returns a storage of the shifted tensor, or NULL if it cannot be read from this one. */
static Storage *
shift_storage(const TensorShift *shift, const Storage *of, int rank)
{
	Storage *storage = palloc(sizeof(Storage));
	bool is_float8 = of->element_type == ELEMENT_FLOAT8;

	*storage = *of;
	storage->rank = rank;
	storage->shift = shift;
	storage->shifted = of;
	storage->unique_dimensions = 0;
	/* values are made where the rows of the other storage are read */
	storage->value_parts = storage->categories = NIL;
	storage->one_hot = false;
	for (int d = 0; d < of->rank; d++)
	{
		int place = shift->place[d];

		if (shift_moves(shift, d) && !dimension_can_move(&of->dimensions[d]))
			return NULL;
		if (place < 0)
			continue;
		storage->dimensions[place] = of->dimensions[d];
		if (shift_moves(shift, d) && of->dimensions[d].kind == DIMENSION_PROMOTED)
			storage->dimensions[place].key_type =
				moved_key_type(of->dimensions[d].key_type, of->dimensions[d].bound);
		if (of->unique_dimensions & (1 << d))
			storage->unique_dimensions |= 1 << place;
	}
	for (int d = 0; d < rank; d++)
		is_float8 = is_float8 && storage->dimensions[d].kind == DIMENSION_PROMOTED;
	if (of->value_column)
		storage->value_type = is_float8 ? FLOAT8OID : tensor_type_oid();
	return storage;
}

int
shift_bounds(const TensorShift *shift, int64 *bounds)
{
	int rank = 0;

	for (int d = 0; d < shift->rank; d++)
	{
		if (shift->place[d] >= 0)
			bounds[rank++] = shift->bounds[d];
	}
	return rank;
}

TensorEntry *
shift_tensor(const TensorShift *shift)
{
	const TensorEntry *of = shift->of;
	TensorEntry *entry = palloc(sizeof(TensorEntry));
	ListCell *lc;

	*entry = *of;
	entry->shift = shift;
	entry->rank = shift_bounds(shift, entry->bounds);
	entry->storages = NIL;
	foreach (lc, of->storages)
	{
		Storage *storage = shift_storage(shift, lfirst(lc), entry->rank);

		if (storage)
			entry->storages = lappend(entry->storages, storage);
	}
	return entry;
}

/* Returns the rows of additive storages that hold a share of a tensor's entries. */
static List *
share_of_unsummed(const List *unsummed, double share)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, unsummed)
	{
		UnsummedRows *rows = palloc(sizeof(UnsummedRows));

		*rows = *(const UnsummedRows *) lfirst(lc);
		rows->rows *= share;
		result = lappend(result, rows);
	}
	return result;
}

const TensorStatistics *
shift_statistics(const TensorShift *shift, const TensorStatistics *of)
{
	TensorStatistics *statistics;
	int rank = 0;

	for (int d = 0; d < of->rank; d++)
		rank += shift->place[d] >= 0;
	/* the statistics stay the same but for entries at the ends */
	if (rank == of->rank)
		return of;
	statistics = new_statistics(rank);
	statistics->exact = of->exact;
	statistics->outdated = of->outdated;
	statistics->nonfinite = of->nonfinite;
	statistics->entries = of->entries;
	for (int d = 0; d < of->rank; d++)
	{
		if (shift->place[d] < 0)
			statistics->entries /= Max(of->values[d], 1.0);
	}
	for (int d = 0; d < of->rank; d++)
	{
		if (shift->place[d] >= 0)
			statistics->values[shift->place[d]] = Min(of->values[d], statistics->entries);
	}
	statistics->rows = statistics->entries;
	statistics->unsummed =
		share_of_unsummed(of->unsummed, statistics->entries / Max(of->entries, 1.0));
	return statistics;
}
