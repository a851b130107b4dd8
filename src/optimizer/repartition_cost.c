/*-------------------------------------------------------------------------
 *
 * repartition_cost.c
 *	  The cost model: bringing a tensor into another decomposition, and delivering it.
 *
 *	  repartition  = unstack: T_int * (bytes_int * transfer_cost + tuple_cost)
 *					 + stack: T_int * (the same)
 *							  + T_out * (group_cost + bytes_out * transfer_cost)
 *				 + places: keys * RANKED_KEY + T_int * group_cost
 *
 * with T and bytes as in stage_cost.c, of the decomposition between both, which is finer. Places are
 * of the labels of dimensions that pass between keys and values: a query that numbers the keys is joined.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "catalog/dimension.h"
#include "catalog/estimate.h"
#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "kernels/layout/layout.h"
#include "optimizer/cast_cost.h"
#include "optimizer/needed_keys.h"
#include "optimizer/plan.h"
#include "optimizer/repartition_cost.h"
#include "optimizer/settings.h"
#include "optimizer/spilling_cost.h"
#include "optimizer/tuple_size.h"

static void
describe_tensor(Repartitions *repartitions, const ProgramTensor *tensor,
				const TensorStatistics *statistics, const Estimator *estimator)
{
	int dimensions[TENSOR_MAX_RANK];

	repartitions->tensor = tensor;
	repartitions->estimator = estimator;
	repartitions->sizes = NULL;
	repartitions->without_blocks = NULL;
	for (int i = 0; i < tensor->rank; i++)
	{
		dimensions[i] = i;
		repartitions->bounds[i] = estimated_bound(tensor->bounds[i]);
	}
	estimator->stored(&repartitions->estimate, statistics, tensor->rank, dimensions,
					  repartitions->bounds);
}

/* The most dimensions of a tensor whose decompositions without blocks have an array. */
#define MOST_INDEXED 13

void
begin_repartitions(Repartitions *repartitions, const ProgramTensor *tensor,
				   const TensorStatistics *statistics, const Estimator *estimator)
{
	describe_tensor(repartitions, tensor, statistics, estimator);
	repartitions->sizes = new_decomposition_table();
	if (tensor->rank > MOST_INDEXED)
		return;
	repartitions->without_blocks = palloc(sizeof(DecompositionSize) << tensor->rank);
	for (int promoted = 0; promoted < 1 << tensor->rank; promoted++)
		repartitions->without_blocks[promoted].tuples = -1.0;
}

/* Returns the bytes of a tensor's tuple in a decomposition. */
static double
tuple_bytes_in(const Repartitions *repartitions, const Decomposition *decomposition)
{
	int rank = repartitions->tensor->rank;
	double entries = 1.0;
	DimensionMask inside = ((1u << rank) - 1) & ~decomposition->promoted;

	for (int i = 0; i < rank; i++)
	{
		if (inside & (1u << i))
			entries *= block_extent(decomposition, i,
									bound_in_values(repartitions->tensor->bounds[i],
													repartitions->bounds[i]));
	}
	return value_bytes(inside == 0, entries) +
		   KEY_BYTES * pg_popcount32(keys_of(decomposition));
}

static DecompositionSize
estimate_size(const Repartitions *repartitions, const Decomposition *decomposition)
{
	return (DecompositionSize){
		.tuples = estimate_tuples(repartitions->estimator, &repartitions->estimate,
								  decomposition, repartitions->bounds),
		.bytes = tuple_bytes_in(repartitions, decomposition)};
}

static DecompositionSize
size_in(const Repartitions *repartitions, const Decomposition *decomposition)
{
	DecompositionSize size;
	double *kept;
	bool found;

	if (repartitions->without_blocks && decomposition->blocked == 0)
	{
		DecompositionSize *known = &repartitions->without_blocks[decomposition->promoted];

		if (known->tuples < 0.0)
			*known = estimate_size(repartitions, decomposition);
		return *known;
	}
	if (repartitions->sizes == NULL)
		return estimate_size(repartitions, decomposition);
	kept = decomposition_value(repartitions->sizes, decomposition, &found);
	if (found)
		return (DecompositionSize){.tuples = kept[0], .bytes = kept[1]};
	size = estimate_size(repartitions, decomposition);
	kept[0] = size.tuples;
	kept[1] = size.bytes;
	return size;
}

/* Returns the cost of spilling by the groups of a repartition. */
static double
stacking_cost(DecompositionSize between, DecompositionSize to, double *memory)
{
	return spilling_cost(to.tuples * (between.bytes + to.bytes + HASHED_GROUP_BYTES),
						 between.tuples * (between.bytes + HASHED_TUPLE_BYTES), memory);
}

double
repartition_memory(const ProgramTensor *tensor, const TensorStatistics *statistics,
				   const Estimator *estimator, const Decomposition *from,
				   const Decomposition *to)
{
	Decomposition between = finer_decomposition(from, to, tensor->rank);
	Repartitions repartitions;
	double memory = 0.0;

	/* one tuple of the result needs no hash table */
	if (same_decomposition(&between, to) || keys_of(to) == 0)
		return 0.0;
	describe_tensor(&repartitions, tensor, statistics, estimator);
	(void) stacking_cost(size_in(&repartitions, &between), size_in(&repartitions, to),
						 &memory);
	return memory;
}

/* Cost of a dimension's key, which is read, sorted and hashed. */
#define RANKED_KEY (3.0 * group_cost)

/* Returns the cost of joining tuples with the places of keys. */
static double
placing_cost(const Repartitions *repartitions, const Decomposition *from,
			 const Decomposition *to, double tuples)
{
	const ProgramTensor *tensor = repartitions->tensor;
	double cost = 0.0;

	for (int i = 0; i < tensor->rank; i++)
	{
		if (bound_is_dimension(tensor->bounds[i]) &&
			((from->promoted ^ to->promoted) & (1u << i)))
			cost += repartitions->bounds[i] * RANKED_KEY + tuples * group_cost;
	}
	return cost;
}

double
repartition_between(const Repartitions *repartitions, const Decomposition *from,
					const Decomposition *to)
{
	const ProgramTensor *tensor = repartitions->tensor;
	Decomposition between;
	DecompositionSize finer;
	double move;
	double cost = 0.0;

	if (same_decomposition(from, to))
		return 0.0;
	between = finer_decomposition(from, to, tensor->rank);
	finer = size_in(repartitions, &between);
	move = finer.tuples * (finer.bytes * transfer_cost + tuple_cost);
	cost += placing_cost(repartitions, from, to, finer.tuples);
	if (!same_decomposition(&between, from))
		cost += move;
	if (!same_decomposition(&between, to))
	{
		DecompositionSize groups = size_in(repartitions, to);
		double memory = 0.0;

		cost += move + groups.tuples * (group_cost + groups.bytes * transfer_cost);
		if (keys_of(to) != 0)
			cost += stacking_cost(finer, groups, &memory);
	}
	return finite_cost(cost);
}

double
least_repartition(const Repartitions *repartitions, const Decomposition *to)
{
	return finite_cost(size_in(repartitions, to).tuples * Min(group_cost, tuple_cost));
}

double
cost_repartition(const ProgramTensor *tensor, const TensorStatistics *statistics,
				 const Estimator *estimator, const Decomposition *from,
				 const Decomposition *to)
{
	Repartitions repartitions;

	if (same_decomposition(from, to))
		return 0.0;
	describe_tensor(&repartitions, tensor, statistics, estimator);
	return repartition_between(&repartitions, from, to);
}

void
result_size(const Stage *stage, const Estimator *estimator, const Decomposition *shape,
			double *tuples, double *bytes)
{
	Repartitions result;
	DecompositionSize size;

	describe_tensor(&result, stage->tensor, statistics_of_result(stage), estimator);
	size = size_in(&result, shape);
	*tuples = size.tuples;
	*bytes = size.bytes;
}

/*
 * What a byte of a dense value takes that is made of a sparse one, of what it takes to
 * read it: sparse values are read faster up to a density of some 60 % (make bench-storage).
 */
#define MADE_DENSE 0.1

/* Bytes of an entry in arrays: an index and a number. */
#define ARRAY_ENTRY_BYTES 12.0

/*
 * Microseconds by which sorting and indexing an entry takes longer than indexing sorted
 * ones (test/bench/nest.c).
 */
#define SORT_ENTRY_TIME 0.036

/* The least correlation of rows that are taken to be in the order of a key. */
#define CORRELATED 0.99

/*
 * Returns the dimensions that are the first by which a storage's entries are sorted: as
 * its layout says, or ANALYZE, and where neither does, its first key.
 */
static DimensionMask
sorted_dimensions(const Storage *storage)
{
	Decomposition from = storage_decomposition(storage);
	DimensionMask keys = keys_of(&from);
	DimensionMask sorted = 0;
	int d;

	if (storage->layout && storage->layout->first == 0)
	{
		int first = layout_leading_index(storage->layout->layout);

		return first < 0 ? 0 : 1u << first;
	}
	if (keys == 0)
		return 1;
	FOREACH_LABEL (d, keys)
	{
		double correlation =
			row_correlation(storage->relid, storage->dimensions[d].attno);

		if (correlation < -1.0)
			return 1u << pg_rightmost_one_pos32(keys);
		if (correlation > CORRELATED)
			sorted |= 1u << d;
	}
	return sorted;
}

/* Are a storage's entries read in an order in which a loop nest may go over them? */
static bool
is_in_order(const Storage *storage, int rank, DimensionMask leading)
{
	return leading == 0 || leading == (1u << rank) - 1 ||
		   (leading & sorted_dimensions(storage)) != 0;
}

double
bytes_to_read(const Operand *operand, const Estimator *estimator, const Storage *storage,
			  const Decomposition *to, DimensionMask leading, double *cost)
{
	Decomposition from = storage_decomposition(storage);
	Repartitions stored;
	DecompositionSize size;
	double rows;
	double bytes;
	double entries = 0.0; /* that are taken out of a row */
	double made = 0.0;    /* bytes of dense values that are made of sparse ones */

	describe_tensor(&stored, operand->tensor, statistics_to_read(operand, &from, to),
					estimator);
	size = size_in(&stored, &from);
	rows = size.tuples;
	bytes = rows * size.bytes;
	if (storage->layout)
	{
		Decomposition keys = promoting((1u << storage->layout->first) - 1);

		entries = rows;
		rows = size_in(&stored, &keys).tuples;
		/* without keys of rows all is fetched, whatever is needed of it */
		bytes = rows * KEY_BYTES +
				ARRAY_ENTRY_BYTES *
					(storage->layout->first > 0 ? entries : operand->statistics->entries);
	}
	else if (storage->sparse_values)
	{
		if (same_decomposition(&from, to))
			made = bytes;
		else
			entries = stored.estimate.entries;
		bytes = rows * (sparse_bytes(stored.estimate.entries / Max(rows, 1.0)) +
						KEY_BYTES * pg_popcount32(keys_of(&from)));
	}
	*cost = finite_cost(rows * tuple_cost + (bytes + made * MADE_DENSE) * transfer_cost +
						entries * entry_cost);
	if (to->promoted == (1u << operand->rank) - 1 &&
		!is_in_order(storage, operand->rank, leading))
		*cost = finite_cost(*cost + size_in(&stored, to).tuples * SORT_ENTRY_TIME);
	return bytes;
}

double
cost_of_casts(const ProgramTensor *tensor, const TensorStatistics *statistics,
			  const Estimator *estimator, const Storage *storage,
			  const Decomposition *from)
{
	Repartitions stored;
	DecompositionSize size;

	if (!has_array_values(storage))
		return 0.0;
	describe_tensor(&stored, tensor, statistics, estimator);
	size = size_in(&stored, from);
	return finite_cost(size.tuples * cast_cost(size.bytes));
}

double
cost_of_duplicates(const Operand *operand, const TensorStatistics *read,
				   const Estimator *estimator, const Storage *storage,
				   const Decomposition *from, bool summed_later)
{
	Repartitions stored;
	DecompositionSize groups;
	DecompositionSize rows;
	double memory = 0.0;
	double cost;

	if (storage->duplicates != DUPLICATES_SUM)
		return 0.0;
	describe_tensor(&stored, operand->tensor, operand->statistics, estimator);
	rows = size_in(&stored, from);
	rows.tuples =
		Max(unsummed_rows(operand->statistics, storage) / Max(rows.tuples, 1.0), 1.0);
	describe_tensor(&stored, operand->tensor, read, estimator);
	groups = size_in(&stored, from);
	rows.tuples *= groups.tuples;
	/* one row of each entry is counted as a tuple already */
	cost = (rows.tuples - groups.tuples) * tuple_cost;
	if (summed_later)
		return finite_cost(cost + (rows.tuples - groups.tuples) * agg_tuple_cost);
	cost += rows.tuples * agg_tuple_cost +
			groups.tuples * (group_cost + groups.bytes * transfer_cost);
	if (keys_of(from) != 0)
		cost += stacking_cost(rows, groups, &memory);
	return finite_cost(cost);
}

double
cost_result(const Stage *stage, const Estimator *estimator, const Decomposition *shape)
{
	double tuples;
	double bytes;

	result_size(stage, estimator, shape, &tuples, &bytes);
	return finite_cost(tuples * (tuple_cost + bytes * transfer_cost));
}
