/*-------------------------------------------------------------------------
 *
 * stage_cost.c
 *	  The cost model: what one stage costs in one decomposition.
 *
 * Source: SparseEinSum, section 7.2, with the constants split by what they
 * were measured to depend on. T and V are as in statistics/README; bytes() is
 * the size of a tuple, keys and value; a fully promoted value is a float8.
 *
 *	  read(U)	   = T(U) * (tuple_cost + bytes(U) * transfer_cost)
 *					 once if U fits the cache, else its bytes per joined tuple
 *	  join		   = sum over join steps s of T_s * tuple_cost
 *					 + T_last * operations * cost_kernel
 *	  aggregation  = T_join * agg_tuple_cost
 *					 + T_agg * (group_cost + bytes(W) * transfer_cost)
 *	  union		   = sum of its terms' T * group_cost
 *	  repartition  = unstack: T_int * (bytes_int * transfer_cost + tuple_cost)
 *					 + stack: T_int * (the same)
 *							  + T_out * (group_cost + bytes_out * transfer_cost)
 *	  casts		   = rows * (tuple_cost + bytes of the array * array_cost): of what is stored
 *					 as arrays, once to check a row and once for each joined tuple
 *	  spilling	   = of a hash table beyond work_mem * hash_mem_multiplier:
 *					 bytes of all tuples that go into it or look into it, of a
 *					 join but those of the first of its 2^n batches * spill_cost
 *
 * A label in blocks counts as many indices as there are blocks with entries,
 * wherever a promoted one counts V, and one block's wherever a demoted one
 * counts its bound.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "miscadmin.h"

#include "catalog/dimension.h"
#include "expr/analysis.h"
#include "catalog/tensor_storage.h"
#include "optimizer/needed_keys.h"
#include "optimizer/nest_cost.h"
#include "optimizer/plan.h"
#include "optimizer/stage_cost.h"
#include "type/batch.h"
#include "type/detoast_cache.h"
#include "optimizer/settings.h"

#define KEY_BYTES 8.0
#define VALUE_HEADER_BYTES 24.0
#define ELEMENT_BYTES 8.0

/*
 * What a hash table has beside keys and value: of a tuple of a join its header and
 * bucket, of a group the header, the entry and the state's own.
 */
#define HASHED_TUPLE_BYTES 48.0
#define HASHED_GROUP_BYTES 112.0

/* A stored value of more bytes is outside its row, which has a pointer to it. */
#define INLINE_VALUE_BYTES 2000.0
#define POINTER_BYTES 18.0

/*
 * Cost of a byte of an array that is cast to a tensor, in units of transfer_cost; it is
 * detoasted each time. Measured on PostgreSQL 15, one core: 0.38 us for 100 elements and
 * 2.8 us for 500, of double precision.
 */
#define ARRAY_COST 2.0

/* What estimates may overflow to; infinite is what is not allowed. */
#define MAX_COST 1e100

static double
finite_cost(double cost)
{
	return cost < MAX_COST ? cost : MAX_COST;
}

/* Bytes of a value whose demoted labels have this many entries. */
static double
value_bytes(bool scalar, double entries)
{
	return scalar ? ELEMENT_BYTES : VALUE_HEADER_BYTES + entries * ELEMENT_BYTES;
}

/*
 * Tables that grow are small when views are made over them: inside of values a dimension is taken
 * to have so many keys at least, so that a vector is chosen for each row only where that stays
 * cheap, and no matrix of all pairs of keys is.
 */
#define DIMENSION_ROOM 10000.0

static double
bound_in_values(int64 bound, double estimate)
{
	return bound_is_dimension(bound) ? Max(estimate, DIMENSION_ROOM) : estimate;
}

/* Entries of a value over labels of a stage. */
static double
value_entries(const Stage *stage, LabelMask labels, const Decomposition *choice)
{
	LabelMask inside = labels & ~choice->promoted;
	double entries = 1.0;
	int i;

	FOREACH_LABEL (i, inside)
		entries *= block_extent(
			choice, i, bound_in_values(stage->labels[i].bound, stage->bounds[i]));
	return entries;
}

/* Bytes of a tuple over labels of a stage, and of its value alone. */
static double
tuple_bytes(const Stage *stage, LabelMask labels, const Decomposition *choice,
			double *value)
{
	*value = value_bytes((labels & ~choice->promoted) == 0,
						 value_entries(stage, labels, choice));
	return *value + KEY_BYTES * pg_popcount32(labels & keys_of(choice));
}

/* Bytes of a value over labels of a stage as far as bounds say, for what is allowed. */
static double
allowed_bytes(const Stage *stage, LabelMask labels, const Decomposition *choice)
{
	LabelMask inside = labels & ~choice->promoted;
	LabelMask pinned = 0;
	int i;

	/* what a pin asks for is legal, however many keys there are */
	FOREACH_LABEL (i, inside)
	{
		if ((stage->must_demote & (1u << i)) &&
			bound_is_dimension(stage->labels[i].bound))
			pinned |= 1u << i;
	}
	return value_bytes(inside == 0, value_entries(stage, inside & ~pinned, choice));
}

/* V of a label that is a key: of its indices, or of its blocks. */
static double
key_values(const Estimate *estimate, int label, const Decomposition *choice, double bound)
{
	if (choice->blocked & (1u << label))
		return occupied_blocks(estimate->values[label], bound, choice->block[label]);
	return estimate->values[label];
}

/* A kernel, or what one sums: to a value over the labels of the result. */
typedef struct Computation
{
	const Kernel *kernel;
	LabelMask labels; /* of all that it reads */
	LabelMask result;
	bool batched; /* for many tuples at once */
} Computation;

/*
 * Does a product have a pair of operands with rows, columns and contracted
 * labels, so that it runs as a matrix product? The rows may be tuples: the
 * batched projection (executor/README.md) multiplies many vectors at once by a
 * matrix that is the same for all, unless they are added up in SQL.
 */
static bool
is_matrix_product(const Stage *stage, const Term *term, const Computation *product,
				  const Decomposition *choice)
{
	LabelMask promoted = choice->promoted;
	LabelMask contracted = product->labels & ~product->result;
	uint32 operands = product->kernel->operands;
	int values = term->noperands + term->nsums;
	LabelMask big = 0;

	for (int i = 0; i < stage->nlabels; i++)
	{
		if (stage->bounds[i] > 1)
			big |= 1u << i;
	}
	for (int a = 0; a < values; a++)
	{
		for (int b = a + 1; b < values; b++)
		{
			LabelMask in_a = term->operands[a].mask & ~promoted & big;
			LabelMask in_b = term->operands[b].mask & ~promoted & big;
			bool rows_of_a = (in_a & ~in_b & product->result) != 0;
			bool rows_of_b = (in_b & ~in_a & product->result) != 0;
			bool a_varies = (term->operands[a].mask & keys_of(choice)) != 0;
			bool b_varies = (term->operands[b].mask & keys_of(choice)) != 0;

			if (!(operands & (1u << a)) || !(operands & (1u << b)) ||
				(in_a & in_b & contracted) == 0)
				continue;
			if (rows_of_a && rows_of_b)
				return true;
			if (product->batched && ((rows_of_a && b_varies && !a_varies) ||
									 (rows_of_b && a_varies && !b_varies)))
				return true;
		}
	}
	return false;
}

/*
 * Is a tuple's kernel an outer product of two values, of which the aggregate
 * collects rows and adds many as one matrix product (type/batch_outer.c)?
 */
static bool
is_outer_product(const Stage *stage, const Term *term, const Decomposition *choice)
{
	LabelMask inside = stage->output_mask & ~choice->promoted;
	LabelMask values[2];
	int nvalues = 0;
	int numbers = 0;

	if (stage->nterms != 1 || stage->aggregate != AGGREGATE_SUM ||
		!stage_groups(stage, keys_of(choice)))
		return false;
	for (int o = 0; o < term->noperands + term->nsums; o++)
	{
		LabelMask value = term->operands[o].mask & ~choice->promoted;

		if (!(term->kernel->operands & (1u << o)))
			continue;
		if (value == 0)
			numbers++;
		else if (nvalues == 2)
			return false;
		else
			values[nvalues++] = value;
	}
	return nvalues == 2 && numbers <= 1 && (values[0] & values[1]) == 0 &&
		   (values[0] | values[1]) == inside &&
		   value_entries(stage, values[0], choice) >= BATCH_OUTER_LEAST &&
		   value_entries(stage, values[1], choice) >= BATCH_OUTER_LEAST;
}

/* Cost of one sum that a term's kernel computes for one joined tuple. */
static double
kernel_sum_cost(const Stage *stage, const Term *term, int n, const Decomposition *choice)
{
	Computation sum = {.kernel = term->sums[n],
					   .result = term->operands[term->noperands + n].mask};
	double rate = kernel_general_cost;

	for (int o = 0; o < term->noperands; o++)
	{
		if (sum.kernel->operands & (1u << o))
			sum.labels |= term->operands[o].mask;
	}
	if (kernel_is_product(term, sum.kernel, choice->promoted))
		rate = is_matrix_product(stage, term, &sum, choice) ? kernel_matrix_cost
															: kernel_streaming_cost;
	return value_entries(stage, sum.labels, choice) * (sum.kernel->operations + 1) * rate;
}

/* Cost of a function of matrices for one joined tuple: factors of each, and all right sides. */
static double
matrix_function_cost(const Stage *stage, const Term *term, const Decomposition *choice)
{
	const Kernel *kernel = term->kernel;
	LabelMask matrix = 1u << kernel->labels[0] | 1u << kernel->labels[1];
	double rows = stage->bounds[kernel->labels[0]];
	double systems;
	double sides;

	if (is_extreme_place(kernel->matrix))
		return value_entries(stage, term->labels, choice) * kernel_general_cost;
	systems = value_entries(stage, term->operands[0].mask & ~matrix, choice);
	sides = kernel->matrix == MATRIX_SOLVE
				? value_entries(stage, term->labels & ~matrix, choice)
				: rows * systems;
	return (systems * rows + sides) * rows * rows * kernel_matrix_cost +
		   (systems * rows + sides) * rows * kernel_general_cost;
}

/*
 * Cost of a term's kernel for one joined tuple, of so many for each tuple of
 * the result.
 */
static double
kernel_cost(const Stage *stage, const Term *term, const Decomposition *choice,
			double repeated)
{
	Computation product = {.kernel = term->kernel,
						   .labels = (term->labels & ~term->summed) | term->extension,
						   .result = stage->output_mask,
						   .batched = enable_batching != NODES_OFF &&
									  stage_is_by_row(stage, keys_of(choice))};
	LabelMask promoted = choice->promoted;
	LabelMask demoted = product.labels & ~promoted;
	double indices = value_entries(stage, product.labels, choice);
	double operations = term->kernel->operations;
	double rate = kernel_general_cost;
	double sums = 0.0;

	if (term->kernel->kind == KERNEL_MATRIX)
		return matrix_function_cost(stage, term, choice);
	for (int n = 0; n < term->nsums; n++)
		sums += kernel_sum_cost(stage, term, n, choice);
	/* adding up, within the kernel or fused with it; numbers are the aggregate's */
	if (term->aggregated != 0 && demoted != 0)
		operations += 1;
	if (demoted != 0 && kernel_is_product(term, term->kernel, promoted))
	{
		rate = is_matrix_product(stage, term, &product, choice) ? kernel_matrix_cost
																: kernel_streaming_cost;
		/* the sum is read and written once for all that are collected */
		if (enable_batching != NODES_OFF && is_outer_product(stage, term, choice))
			rate = Min(rate, kernel_matrix_cost +
								 kernel_streaming_cost /
									 Min(Max(repeated, 1.0), BATCH_OUTER_ROWS));
	}
	return sums + indices * operations * rate;
}

/*
 * The bound by chains of the tuples of a join, over its keys. That two operands
 * have entries in one block does not mean that these are at one index: blocks
 * are not joined in it, and taken to be all there.
 */
static double
join_bound(const Stage *stage, const Term *term, uint32 operands,
		   const Decomposition *choice, double limit)
{
	const Degrees *degrees[STAGE_MAX_OPERANDS];
	LabelMask promoted = choice->promoted;
	LabelMask labels = 0;
	LabelMask blocked = 0;
	double blocks = 1.0;
	int n = 0;
	int i;

	for (int o = 0; o < term->noperands; o++)
	{
		if (!(operands & (1u << o)))
			continue;
		degrees[n++] = term->operands[o].estimate.degrees;
		labels |= term->operands[o].mask & promoted;
		blocked |= term->operands[o].mask & choice->blocked;
	}
	FOREACH_LABEL (i, blocked)
		blocks *= block_count(stage->bounds[i], choice->block[i]);
	return Min(limit,
			   blocks * chain_bound_of_join(degrees, n, 0, labels, promoted, limit));
}

static double
hash_memory(void)
{
	return work_mem * 1024.0 * hash_mem_multiplier;
}

/*
 * Cost of grouping with a hash table of so many bytes, given the bytes of all tuples
 * that go into it. PostgreSQL expects a tuple of them beside the state of each group. If
 * that does not fit, it sorts the tuples, or writes those of groups that do not fit: all
 * are written to temporary files and read again. *memory is the most that any table
 * needs.
 *
 * Measured on PostgreSQL 15, one core, work_mem 4 MB beside 1 GB; bytes are those
 * written, which are read once:
 *
 *	  join of 2 x 1 million rows of 88 bytes	 176 MB	 0.0 ns a byte
 *	  join of 2 x 20,000 rows of 5.8 kB			 217 MB	 0.8 ns a byte
 *	  triangles of graph_facebook by vectors	 3.3 GB	 1.6 to 5 ns a byte
 *
 * The first fits the processor's cache better by batches, which makes up for files; the
 * last is more than is kept in memory of files. spill_cost is between.
 */
static double
spilling_cost(double table, double bytes, double *memory)
{
	if (table <= hash_memory())
		return 0.0;
	*memory = Max(*memory, table);
	return bytes * spill_cost;
}

/*
 * The same of a join, given the bytes of the tuples of both sides. There are 2^n batches,
 * of which the first stays in memory: a table that is a little too large spills half.
 */
static double
batches_cost(double table, double bytes, double *memory)
{
	double batches = exp2(ceil(log2(Max(table / hash_memory(), 1.0))));

	return spilling_cost(table, (1.0 - 1.0 / batches) * bytes, memory);
}

/* The storage that has an operand as a stage needs it, if there is one; rather one of
 * tensors than of arrays. */
static const Storage *
storage_as_needed(const Operand *operand, const Decomposition *choice)
{
	Decomposition needed = operand_decomposition(operand, choice);
	const Storage *found = NULL;
	ListCell *lc;

	if (operand->tensor->entry == NULL)
		return NULL;
	foreach (lc, operand->tensor->entry->storages)
	{
		const Storage *storage = lfirst(lc);
		Decomposition stored = storage_decomposition(storage);

		if (!same_decomposition(&stored, &needed))
			continue;
		if (!has_array_values(storage))
			return storage;
		found = storage;
	}
	return found;
}

static double
cast_cost(double bytes)
{
	return tuple_cost + bytes * ARRAY_COST * transfer_cost;
}

/* Bytes that a join carries of an operand in each tuple. */
static double
joined_bytes(const Stage *stage, const Operand *operand, const Decomposition *choice)
{
	double value;
	double bytes = tuple_bytes(stage, operand->mask, choice, &value);

	if (value > INLINE_VALUE_BYTES && storage_as_needed(operand, choice))
		return bytes - value + POINTER_BYTES;
	return bytes;
}

/* What has been joined so far, and what is known of the keys of it. */
typedef struct JoinedKeys
{
	uint32 operands;
	LabelMask labels;
	double tuples;                   /* by their skew, not capped */
	double values[STAGE_MAX_LABELS]; /* indices or blocks of each label */
	Skew skew[STAGE_MAX_LABELS];
	double most;  /* that skew can be, see most_skew() */
	double bytes; /* of a tuple */
} JoinedKeys;

/* One operand, as what has been joined. */
static void
keys_of_operand(const Stage *stage, const Term *term, const double *tuples, int o,
				const Decomposition *choice, JoinedKeys *keys)
{
	const Operand *operand = &term->operands[o];
	double places = 1.0;
	int l;

	keys->operands = 1u << o;
	keys->labels = operand->mask & keys_of(choice);
	keys->tuples = tuples[o];
	FOREACH_LABEL (l, keys->labels)
	{
		keys->values[l] = key_values(&operand->estimate, l, choice, stage->bounds[l]);
		keys->skew[l] = operand->estimate.skew[l];
		places *= keys->values[l];
	}
	keys->most = most_skew(places, tuples[o]);
	keys->bytes = joined_bytes(stage, operand, choice);
}

/* What an operand and what has been joined agree in at a label. */
static void
label_agreement(const Term *term, const JoinedKeys *joined, const JoinedKeys *operand,
				const Decomposition *choice, int label, LabelAgreement *agreement,
				Skew *skew)
{
	double meetings = skewed_meetings(&joined->skew[label], &operand->skew[label], skew);

	/* in a block, indices with many entries are among others */
	if (choice->blocked & (1u << label))
	{
		const Estimate *estimate =
			&term->operands[pg_rightmost_one_pos32(operand->operands)].estimate;

		meetings = 1.0 + (meetings - 1.0) * operand->values[label] /
							 Max(estimate->values[label], operand->values[label]);
	}
	agreement->selectivity = Min(meetings, Min(joined->most, operand->most)) /
							 Max(Max(joined->values[label], operand->values[label]), 1.0);
	agreement->times = 1;
	agreement->operands = 0;
	if (same_source(&joined->skew[label], &operand->skew[label]))
	{
		agreement->operands = 3;
		agreement->entries = operand->skew[label].source->entries;
	}
}

/*
 * Tuples of the join of one more operand: the textbook estimate over the promoted
 * labels that it shares, by their skew.
 */
static double
join_tuples(const Term *term, const JoinedKeys *joined, const JoinedKeys *operand,
			const Decomposition *choice)
{
	LabelAgreement agreements[STAGE_MAX_LABELS];
	const Operand *added = &term->operands[pg_rightmost_one_pos32(operand->operands)];
	LabelMask shared = joined->labels & operand->labels;
	Skew skew;
	double tuples;
	int n = 0;
	int l;

	FOREACH_LABEL (l, shared)
		label_agreement(term, joined, operand, choice, l, &agreements[n++], &skew);
	tuples = joined->tuples * operand->tuples * selectivity_of(agreements, n);
	/* where its keys are unique, it may exclude tuples, and repeats none */
	return shared == operand->labels && !is_additive(added->tensor)
			   ? Min(tuples, joined->tuples)
			   : tuples;
}

/* Adds an operand to what has been joined. */
static void
add_keys(const Term *term, JoinedKeys *joined, const JoinedKeys *operand,
		 const Decomposition *choice)
{
	double tuples = join_tuples(term, joined, operand, choice);
	double places = 1.0;
	int l;

	FOREACH_LABEL (l, operand->labels)
	{
		LabelAgreement ignored;
		Skew skew;

		if (!(joined->labels & (1u << l)))
		{
			joined->values[l] = operand->values[l];
			joined->skew[l] = operand->skew[l];
			continue;
		}
		label_agreement(term, joined, operand, choice, l, &ignored, &skew);
		joined->values[l] = Min(joined->values[l], operand->values[l]);
		joined->skew[l] = skew;
	}
	joined->operands |= operand->operands;
	joined->labels |= operand->labels;
	joined->tuples = tuples;
	joined->bytes += operand->bytes;
	/* a filter has no skew, and leaves what it is joined with its own */
	FOREACH_LABEL (l, joined->labels)
		places *= joined->values[l];
	joined->most = most_skew(places, tuples);
}

/* There is at most one tuple for each combination of keys. */
static double
cap_by_keys(const JoinedKeys *joined, const JoinedKeys *operand, double tuples)
{
	LabelMask labels = joined->labels | operand->labels;
	double combinations = 1.0;
	int l;

	FOREACH_LABEL (l, labels)
	{
		double least =
			joined->labels & (1u << l) ? joined->values[l] : operand->values[l];

		if (operand->labels & (1u << l))
			least = Min(least, operand->values[l]);
		combinations *= Max(least, 1.0);
	}
	return Min(tuples, combinations);
}

/* PostgreSQL hashes the smaller side of a join; without a key there is nothing to hash. */
static double
hash_join_cost(const JoinedKeys *joined, double tuples, const JoinedKeys *operand,
			   double *memory)
{
	double of_joined = tuples * (joined->bytes + HASHED_TUPLE_BYTES);
	double of_operand = operand->tuples * (operand->bytes + HASHED_TUPLE_BYTES);

	if ((joined->labels & operand->labels) == 0)
		return 0.0;
	return batches_cost(Min(of_joined, of_operand), of_joined + of_operand, memory);
}

/* What a join makes. */
typedef struct JoinResult
{
	double tuples;
	double bytes;                  /* of one, with all values that the kernel reads */
	int order[STAGE_MAX_OPERANDS]; /* of operands that decide the support */
	int njoined;
} JoinResult;

/*
 * The whole join, adding up the tuples of its steps: from the smallest
 * operand, always to the connected one that leaves least. Of the operands only
 * those that are read are joined. Returns the cost of what spills.
 */
static double
join_steps(const Stage *stage, const Term *term, const double *tuples, uint32 read,
		   const Decomposition *choice, bool is_bound, double *step_tuples,
		   JoinResult *result, double *memory)
{
	JoinedKeys operands[STAGE_MAX_OPERANDS];
	JoinedKeys joined;
	uint32 inner = 0;
	int smallest = -1;
	double current;
	double spilled = 0.0;

	*step_tuples = 0.0;
	*result = (JoinResult){.tuples = 1.0};
	for (int o = 0; o < term->noperands; o++)
	{
		if (!(read & (1u << o)) || term->operands[o].outer)
			continue;
		inner |= 1u << o;
		keys_of_operand(stage, term, tuples, o, choice, &operands[o]);
		if (smallest < 0 || tuples[o] < tuples[smallest])
			smallest = o;
	}
	if (smallest < 0)
		return 0.0;
	joined = operands[smallest];
	current = tuples[smallest];
	result->order[result->njoined++] = smallest;
	while (joined.operands != inner)
	{
		int best = -1;
		bool best_connected = false;
		double best_tuples = INFINITY;

		for (int o = 0; o < term->noperands; o++)
		{
			double next;
			bool connected;

			if (!(inner & ~joined.operands & (1u << o)))
				continue;
			next =
				cap_by_keys(&joined, &operands[o],
							is_bound ? joined.tuples * operands[o].tuples
									 : join_tuples(term, &joined, &operands[o], choice));
			if (is_bound)
				next = join_bound(stage, term, joined.operands | (1u << o), choice, next);
			/* a single tuple joined to all of them is no cross product */
			connected =
				(operands[o].labels & joined.labels) != 0 || operands[o].labels == 0;
			if (best < 0 || (connected && !best_connected) ||
				(connected == best_connected && next < best_tuples))
			{
				best = o;
				best_connected = connected;
				best_tuples = next;
			}
		}
		spilled += hash_join_cost(&joined, current, &operands[best], memory);
		add_keys(term, &joined, &operands[best], choice);
		result->order[result->njoined++] = best;
		current = is_bound
					  ? best_tuples
					  : join_bound(stage, term, joined.operands, choice, best_tuples);
		*step_tuples += current;
	}
	/* left joins keep the number of tuples */
	*step_tuples += current * pg_popcount32(read & ~inner);
	for (int o = 0; o < term->noperands; o++)
	{
		if (!(read & ~inner & (1u << o)))
			continue;
		keys_of_operand(stage, term, tuples, o, choice, &operands[o]);
		spilled += hash_join_cost(&joined, current, &operands[o], memory);
		joined.bytes += operands[o].bytes;
	}
	result->tuples = current;
	result->bytes = joined.bytes;
	return spilled;
}

/* The operands that read a row of their own, and the tuples of each operand. */
static uint32
operands_to_read(const Stage *stage, const Estimator *estimator, const Term *term,
				 const Decomposition *choice, double *tuples)
{
	uint32 read = 0;

	for (int o = 0; o < term->noperands; o++)
	{
		tuples[o] = estimate_tuples(estimator, &term->operands[o].estimate, choice,
									stage->bounds);
		if (operand_of_row(term, o, choice) == o)
			read |= 1u << o;
	}
	return read;
}

int
order_of_join(const Stage *stage, const Estimator *estimator, const Term *term,
			  const Decomposition *choice, int *order)
{
	double tuples[STAGE_MAX_OPERANDS];
	uint32 read = operands_to_read(stage, estimator, term, choice, tuples);
	JoinResult join;
	double steps;
	double memory = 0.0;

	(void) join_steps(stage, term, tuples, read, choice, estimator->is_bound, &steps,
					  &join, &memory);
	memcpy(order, join.order, sizeof(int) * join.njoined);
	return join.njoined;
}

/* Index vectors of labels that are keys, or their blocks: by bounds alone. */
static double
key_space(const Stage *stage, LabelMask labels, const Decomposition *choice)
{
	LabelMask keys = labels & keys_of(choice);
	double count = 1.0;
	int i;

	FOREACH_LABEL (i, keys)
		count *= choice->blocked & (1u << i)
					 ? block_count(stage->bounds[i], choice->block[i])
					 : stage->bounds[i];
	return count;
}

/* Which share of the keys that a term is extended to does a point query need? */
static double
needed_share(const Stage *stage, const Term *term, const Decomposition *choice)
{
	double share = 1.0;
	LabelMask labels;
	int i;

	if (term->needed == NULL)
		return share;
	labels = term->needed->labels & term->extension & choice->promoted;
	FOREACH_LABEL (i, labels)
		share *= Min(1.0, term->needed->count[i] / Max(stage->bounds[i], 1.0));
	return share;
}

/* The labels whose bound is known, and not what a dimension's table is estimated to have. */
static LabelMask
bounded_labels(const Stage *stage)
{
	LabelMask bounded = 0;

	for (int i = 0; i < stage->nlabels; i++)
	{
		if (!bound_is_dimension(stage->labels[i].bound))
			bounded |= 1u << i;
	}
	return bounded;
}

/*
 * What extending a term to some labels multiplies the tuples of what it extends by: the most
 * of any part of a union.
 */
static double
extension_factor(const Stage *stage, const Term *term, const Decomposition *choice,
				 LabelMask labels)
{
	double factor = key_space(stage, term->extension & labels, choice);

	for (int o = 0; o < term->noperands; o++)
	{
		if (term->union_of & (1u << o))
			factor = Max(factor,
						 key_space(stage, term->labels & labels & ~term->operands[o].mask,
								   choice));
	}
	return factor;
}

/* What a term joins, in a choice. */
typedef struct JoinedTerm
{
	uint32 read; /* operands that read a row of their own */
	double operand_tuples[STAGE_MAX_OPERANDS];
	double tuples;  /* joined */
	double width;   /* bytes of one */
	double kernels; /* cost of those of all */
} JoinedTerm;

/*
 * False if the bounds alone exclude the choice. What estimates say makes it no
 * more than undesirable: a program that is legal stays so when statistics change.
 */
static bool
cost_term(const Stage *stage, const Estimator *estimator, const Term *term,
		  const Decomposition *choice, double result, StageCost *cost, JoinedTerm *joined)
{
	JoinResult join = {0};
	double limit = max_kernel_bytes * 1024.0;
	double *tuples = joined->operand_tuples;
	double steps;
	double extension;
	double factor = extension_factor(stage, term, choice, ~(LabelMask) 0);

	if (extension_factor(stage, term, choice, bounded_labels(stage)) > max_dense_tuples)
		return false;
	for (int n = 0; n < term->nsums; n++)
	{
		if (allowed_bytes(stage, term->operands[term->noperands + n].mask, choice) >
			limit)
			return false;
	}
	joined->read = operands_to_read(stage, estimator, term, choice, tuples);
	if (term->union_of)
	{
		/* the keys of its parts, extended, then a left join for each operand */
		joined->tuples = estimate_tuples(estimator, &term->joined, choice, stage->bounds);
		steps = joined->tuples * term->noperands;
		cost->group += joined->tuples * group_cost;
	}
	else
	{
		cost->join += join_steps(stage, term, tuples, joined->read, choice,
								 estimator->is_bound, &steps, &join, &cost->memory);
		joined->tuples = join.tuples;
	}
	joined->width = join.bytes;

	extension =
		key_space(stage, term->extension, choice) * needed_share(stage, term, choice);
	if (extension > 1.0)
	{
		joined->tuples *= extension;
		steps += joined->tuples;
	}
	if (factor > 1.0 && joined->tuples > max_dense_tuples)
		cost->extended = Max(cost->extended, joined->tuples);

	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		const Storage *storage;
		double value;
		double bytes = tuple_bytes(stage, operand->mask, choice, &value);

		if (allowed_bytes(stage, operand->mask, choice) > limit)
			return false;
		if (!(joined->read & (1u << o)))
			continue;
		/* by their keys, where few are joined */
		if (term->needed)
			tuples[o] = Min(tuples[o], steps + 1.0);
		cost->reads += tuples[o] * tuple_cost;
		/* a cast has its argument from no cache */
		storage = value > ELEMENT_BYTES ? storage_as_needed(operand, choice) : NULL;
		if (storage && has_array_values(storage))
			cost->reads += (joined->tuples + tuples[o]) * cast_cost(value);
		if (tuples[o] * bytes <= detoast_cache_size * 1024.0)
			cost->reads += tuples[o] * bytes * transfer_cost;
		else
			cost->reads += joined->tuples * bytes * transfer_cost;
	}
	joined->kernels = joined->tuples *
					  kernel_cost(stage, term, choice, joined->tuples / Max(result, 1.0));
	cost->join += steps * tuple_cost + joined->kernels;
	return true;
}

/* Has a tensor values? Else its entries are 1. */
static bool
has_values(const Operand *operand)
{
	ListCell *lc;

	if (operand->tensor->entry == NULL)
		return true;
	foreach (lc, operand->tensor->entry->storages)
		if (((const Storage *) lfirst(lc))->value_attno != InvalidAttrNumber)
			return true;
	return false;
}

/*
 * Do two operands read the same rows and the same keys of them? A label that an operand has twice is a
 * condition.
 */
static bool
read_the_same(const Operand *a, const Operand *b, const Decomposition *choice)
{
	LabelMask keys = keys_of(choice);

	if (a->tensor != b->tensor || pg_popcount32(a->mask) < a->rank ||
		pg_popcount32(b->mask) < b->rank)
		return false;
	for (int d = 0; d < a->rank; d++)
	{
		LabelMask of_a = 1u << a->labels[d];
		LabelMask of_b = 1u << b->labels[d];

		if (((of_a & keys) != 0) != ((of_b & keys) != 0) ||
			((of_a & choice->blocked) != 0) != ((of_b & choice->blocked) != 0) ||
			(of_a & choice->blocked &&
			 choice->block[a->labels[d]] != choice->block[b->labels[d]]))
			return false;
	}
	return a->producer == NULL;
}

/* The join of a stage's only term, as a loop nest has it. */
static void
describe_nest(const Stage *stage, const Decomposition *choice, const JoinedTerm *joined,
			  NestJoin *join)
{
	const Term *term = &stage->terms[0];

	join->noperands = 0;
	join->outer = 0;
	join->tuples = joined->tuples;
	join->numbers = true;
	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *operand = &term->operands[o];
		NestOperandRows *rows = &join->operands[join->noperands];
		int l;

		if (!(joined->read & (1u << o)))
			continue;
		if (operand->outer)
			join->outer |= 1u << join->noperands;
		join->noperands++;
		rows->keys = operand->mask & keys_of(choice);
		rows->tuples = joined->operand_tuples[o];
		(void) tuple_bytes(stage, operand->mask, choice, &rows->value_bytes);
		if ((operand->mask & ~choice->promoted) == 0)
			rows->value_bytes = 0.0;
		else
			join->numbers = false;
		rows->skew = operand->estimate.skew;
		rows->indices = operand->estimate.values;
		rows->numbers = rows->value_bytes == 0.0 && has_values(operand);
		rows->computed = operand->producer != NULL;
		rows->shared = false;
		for (int p = 0; p < o && !rows->shared; p++)
			rows->shared = (joined->read & (1u << p)) != 0 &&
						   read_the_same(&term->operands[p], operand, choice);
		FOREACH_LABEL (l, rows->keys)
			rows->values[l] = key_values(&operand->estimate, l, choice, stage->bounds[l]);
	}
}

/*
 * PostgreSQL runs a stage as a loop nest where that costs less: what is read and what the
 * kernels of tensors compute is the same.
 */
static void
cost_as_nest(const Stage *stage, const Decomposition *choice, const JoinedTerm *joined,
			 double groups, StageCost *cost)
{
	NestJoin join;
	double loops;
	double group;

	if (!nest_is_possible(stage, choice))
		return;
	describe_nest(stage, choice, joined, &join);
	loops = cost_of_nest(stage, choice, &join) + NEST_START_COST;
	if (!join.numbers)
		loops += joined->kernels;
	group = groups * (NEST_GROUP_COST + cost->bytes * transfer_cost);
	if (!(loops + group < cost->join + cost->group))
		return;
	cost->nest = true;
	for (int o = 0; o < join.noperands; o++)
	{
		if (join.operands[o].computed)
			cost->reads -=
				join.operands[o].tuples * Max(tuple_cost - NEST_RESULT_COST, 0.0);
	}
	cost->join = loops;
	cost->group = group;
	cost->memory = 0.0;
}

void
cost_stage(const Stage *stage, const Estimator *estimator, const Decomposition *choice,
		   StageCost *cost)
{
	LabelMask keys = keys_of(choice);
	double result_tuples =
		estimate_tuples(estimator, &stage->estimate, choice, stage->bounds);
	double groups = 1.0;
	double joined = 1.0;
	JoinedTerm term = {.tuples = 1.0}; /* the last one */
	double into_union = 0.0;           /* bytes */
	double value;
	double entries;

	memset(cost, 0, sizeof(StageCost));
	cost->total = INFINITY;
	cost->bytes = tuple_bytes(stage, stage->output_mask, choice, &value);
	if (allowed_bytes(stage, stage->output_mask, choice) > max_kernel_bytes * 1024.0)
		return;

	for (int t = 0; t < stage->nterms; t++)
	{
		if (!cost_term(stage, estimator, &stage->terms[t], choice, result_tuples, cost,
					   &term))
			return;
		joined = term.tuples;
		if (stage->nterms > 1)
		{
			cost->group += joined * (group_cost + cost->bytes * transfer_cost);
			into_union += joined * (cost->bytes + HASHED_TUPLE_BYTES);
		}
	}

	groups = joined;
	if (stage->nterms > 1)
	{
		groups = result_tuples;
		cost->group += spilling_cost(groups * (2.0 * cost->bytes + HASHED_GROUP_BYTES),
									 into_union, &cost->memory);
	}
	else if (stage_groups(stage, keys))
	{
		double combinations = 1.0;

		for (int i = 0; i < stage->nlabels; i++)
		{
			if (stage->output_mask & keys & (1u << i))
				combinations *= key_values(&stage->estimate, i, choice, stage->bounds[i]);
		}
		/* one group per tuple, if only demoted labels are aggregated */
		if (stage->aggregated & keys)
			groups = Min(estimator->is_bound ? joined : joined / 2,
						 Min(combinations, result_tuples));
		groups = Min(Max(groups, 1.0), joined);
		cost->group +=
			joined * agg_tuple_cost + groups * (group_cost + cost->bytes * transfer_cost);
		if (stage->output_mask & keys)
			cost->group +=
				spilling_cost(groups * (term.width + cost->bytes + HASHED_GROUP_BYTES),
							  joined * (term.width + HASHED_TUPLE_BYTES), &cost->memory);
		/* without keys there is a row, whatever there is to aggregate */
		if ((stage->output_mask & keys) == 0)
			groups = 1.0;
		cost_as_nest(stage, choice, &term, groups, cost);
	}
	if (stage->post)
	{
		entries = value_entries(stage, stage->output_mask, choice);
		cost->group +=
			groups * entries * stage->post->operations *
			(value > ELEMENT_BYTES ? kernel_streaming_cost : kernel_general_cost);
	}
	cost->tuples = groups;
	cost->total = finite_cost(cost->reads + cost->join + cost->group);
}

double
desirable_cost(const StageCost *cost)
{
	return cost->extended > 0.0 ? cost->total * UNDESIRABLE : cost->total;
}

static void
describe_tensor(Repartitions *repartitions, const ProgramTensor *tensor,
				const TensorStatistics *statistics, const Estimator *estimator)
{
	int dimensions[TENSOR_MAX_RANK];

	repartitions->tensor = tensor;
	repartitions->estimator = estimator;
	repartitions->tuples = NULL;
	for (int i = 0; i < tensor->rank; i++)
	{
		dimensions[i] = i;
		repartitions->bounds[i] = estimated_bound(tensor->bounds[i]);
	}
	estimator->stored(&repartitions->estimate, statistics, tensor->rank, dimensions,
					  repartitions->bounds);
}

void
begin_repartitions(Repartitions *repartitions, const ProgramTensor *tensor,
				   const TensorStatistics *statistics, const Estimator *estimator)
{
	describe_tensor(repartitions, tensor, statistics, estimator);
	repartitions->tuples = new_decomposition_table();
}

/* Tuples of a tensor in a decomposition. */
static double
decomposition_tuples(const Repartitions *repartitions, const Decomposition *decomposition)
{
	bool found = false;
	double unknown;
	double *tuples = &unknown;

	if (repartitions->tuples)
		tuples = decomposition_value(repartitions->tuples, decomposition, &found);
	if (!found)
		*tuples = estimate_tuples(repartitions->estimator, &repartitions->estimate,
								  decomposition, repartitions->bounds);
	return *tuples;
}

/* Bytes of a tensor's tuple in a decomposition. */
static double
decomposition_bytes(const Repartitions *repartitions, const Decomposition *decomposition)
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

/* The cost of what the groups of a repartition spill. */
static double
stacking_cost(const Repartitions *repartitions, const Decomposition *between,
			  double tuples_between, const Decomposition *to, double tuples_to,
			  double *memory)
{
	double bytes = decomposition_bytes(repartitions, between);

	return spilling_cost(
		tuples_to * (bytes + decomposition_bytes(repartitions, to) + HASHED_GROUP_BYTES),
		tuples_between * (bytes + HASHED_TUPLE_BYTES), memory);
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
	(void) stacking_cost(&repartitions, &between, 0.0, to,
						 decomposition_tuples(&repartitions, to), &memory);
	return memory;
}

double
repartition_between(const Repartitions *repartitions, const Decomposition *from,
					const Decomposition *to)
{
	const ProgramTensor *tensor = repartitions->tensor;
	Decomposition between;
	double tuples;
	double move;
	double cost = 0.0;

	if (same_decomposition(from, to))
		return 0.0;
	between = finer_decomposition(from, to, tensor->rank);
	tuples = decomposition_tuples(repartitions, &between);
	move = tuples *
		   (decomposition_bytes(repartitions, &between) * transfer_cost + tuple_cost);
	if (!same_decomposition(&between, from))
		cost += move;
	if (!same_decomposition(&between, to))
	{
		double groups = decomposition_tuples(repartitions, to);
		double memory = 0.0;

		cost += move + groups * (group_cost +
								 decomposition_bytes(repartitions, to) * transfer_cost);
		if (keys_of(to) != 0)
			cost += stacking_cost(repartitions, &between, tuples, to, groups, &memory);
	}
	return finite_cost(cost);
}

double
least_repartition(const Repartitions *repartitions, const Decomposition *to)
{
	return finite_cost(decomposition_tuples(repartitions, to) *
					   Min(group_cost, tuple_cost));
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

	describe_tensor(&result, stage->tensor, statistics_of_result(stage), estimator);
	*tuples = decomposition_tuples(&result, shape);
	*bytes = decomposition_bytes(&result, shape);
}

double
cost_of_casts(const ProgramTensor *tensor, const TensorStatistics *statistics,
			  const Estimator *estimator, const Storage *storage,
			  const Decomposition *from)
{
	Repartitions stored;

	if (!has_array_values(storage))
		return 0.0;
	describe_tensor(&stored, tensor, statistics, estimator);
	return finite_cost(decomposition_tuples(&stored, from) *
					   cast_cost(decomposition_bytes(&stored, from)));
}

double
cost_result(const Stage *stage, const Estimator *estimator, const Decomposition *shape)
{
	double tuples;
	double bytes;

	result_size(stage, estimator, shape, &tuples, &bytes);
	return finite_cost(tuples * (tuple_cost + bytes * transfer_cost));
}
