/*-------------------------------------------------------------------------
 *
 * join_cost.c
 *	  The cost model: the tuples of the joins of a term.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "optimizer/cast_cost.h"
#include "optimizer/join_cost.h"
#include "optimizer/spilling_cost.h"
#include "optimizer/tuple_size.h"

/* A stored value of more bytes lies outside its row, which has a pointer to it. */
#define INLINE_VALUE_BYTES 2000.0
#define POINTER_BYTES 18.0

/*
 * Returns the bound by chains of a join's tuples, over its keys. That two operands have
 * entries in one block does not mean that these are at one index: so the bound does not
 * join blocks, and counts all of them.
 */
static double
join_bound(const Stage *stage, const Term *term, uint32 operands,
		   const Decomposition *choice, double limit)
{
	const Degrees *degrees[STAGE_NEST_OPERANDS];
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
		degrees[n++] = term->operands[o].estimate->degrees;
		labels |= term->operands[o].mask & promoted;
		blocked |= term->operands[o].mask & choice->blocked;
	}
	FOREACH_LABEL (i, blocked)
		blocks *= block_count(stage->bounds[i], choice->block[i]);
	return Min(limit,
			   blocks * chain_bound_of_join(degrees, n, 0, labels, promoted, limit));
}

/* Returns the bytes of an operand that a join carries in each tuple. */
static double
joined_bytes(const Stage *stage, const Operand *operand, const Decomposition *choice,
			 double tuples)
{
	double value;
	double bytes = operand_bytes(stage, operand, choice, tuples, &value);

	if (value > INLINE_VALUE_BYTES && storage_as_needed(operand, choice))
		return bytes - value + POINTER_BYTES;
	return bytes;
}

/* The operands that have been joined so far, and what is known of their keys. */
typedef struct JoinedKeys
{
	uint32 operands;
	LabelMask labels;
	bool repeated;                   /* rows with equal keys join as they are */
	double tuples;                   /* estimated by skew, not capped */
	double values[STAGE_MAX_LABELS]; /* indices or blocks of each label */
	Skew skew[STAGE_MAX_LABELS];
	double most;  /* most that skew can be, see most_skew() */
	double bytes; /* of a tuple */
} JoinedKeys;

/* Describes one operand in the same way as a join. */
static void
keys_of_operand(const Stage *stage, const Term *term, const double *tuples, int o,
				const Decomposition *choice, JoinedKeys *keys)
{
	const Operand *operand = &term->operands[o];
	double places = 1.0;
	int l;

	keys->operands = 1u << o;
	keys->labels = operand->mask & keys_of(choice);
	keys->repeated = is_summed_later(stage, term, o, choice);
	keys->tuples = tuples[o];
	FOREACH_LABEL (l, keys->labels)
	{
		keys->values[l] = key_values(operand->estimate, l, choice, stage->bounds[l]);
		keys->skew[l] = operand->estimate->skew[l];
		places *= keys->values[l];
	}
	keys->most = most_skew(places, tuples[o]);
	keys->bytes = joined_bytes(stage, operand, choice, tuples[o]);
}

/* Estimates how far an operand and the join so far agree in a label. */
static void
label_agreement(const Term *term, const JoinedKeys *joined, const JoinedKeys *operand,
				const Decomposition *choice, int label, LabelAgreement *agreement,
				Skew *skew)
{
	double meetings = skewed_meetings(&joined->skew[label], &operand->skew[label], skew);

	/* a block mixes indices with many entries and others */
	if (choice->blocked & (1u << label))
	{
		const Estimate *estimate =
			term->operands[pg_rightmost_one_pos32(operand->operands)].estimate;

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
 * Returns the tuples after one more operand is joined: the textbook estimate over the
 * promoted labels that it shares, by their skew.
 */
static double
join_tuples(const Term *term, const JoinedKeys *joined, const JoinedKeys *operand,
			const Decomposition *choice)
{
	LabelAgreement agreements[STAGE_MAX_LABELS];
	LabelMask shared = joined->labels & operand->labels;
	Skew skew;
	double tuples;
	int n = 0;
	int l;

	FOREACH_LABEL (l, shared)
		label_agreement(term, joined, operand, choice, l, &agreements[n++], &skew);
	tuples = joined->tuples * operand->tuples * selectivity_of(agreements, n);
	/* an operand with unique keys may exclude tuples, and repeats none */
	return shared == operand->labels && !operand->repeated ? Min(tuples, joined->tuples)
														   : tuples;
}

/* Adds an operand to the join so far. */
static void
add_joined_keys(const Term *term, JoinedKeys *joined, const JoinedKeys *operand,
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
	/* An operand that filters has no skew, and leaves the join its own. */
	FOREACH_LABEL (l, joined->labels)
		places *= joined->values[l];
	joined->most = most_skew(places, tuples);
}

/* Caps tuples: there is at most one for each combination of keys. */
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

/*
 * Returns the cost of spilling in a hash join. PostgreSQL hashes the smaller side;
 * without a key nothing is hashed.
 */
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

double
join_steps(const Stage *stage, const Term *term, const double *tuples, uint32 read,
		   const Decomposition *choice, bool is_bound, double *step_tuples,
		   JoinResult *result, double *memory)
{
	JoinedKeys operands[STAGE_NEST_OPERANDS];
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
			/* a single tuple joined to all others is no cross product */
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
		add_joined_keys(term, &joined, &operands[best], choice);
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

/* Returns the number of keys for which a row of an operand stands, by its ranges. */
static double
keys_of_row(const Stage *stage, const Term *term, int o, const Decomposition *choice)
{
	const Operand *operand = &term->operands[o];
	const Storage *storage = (term->aggregated & operand->mask & choice->promoted)
								 ? storage_as_needed(operand, choice)
								 : NULL;
	DimensionMask measured =
		storage ? measured_dimensions(stage, term, o, storage, choice) : 0;
	double keys = 1.0;

	for (int d = 0; measured >> d; d++)
		if (measured & (1u << d))
			keys *= storage->dimensions[d].range_keys;
	return keys;
}

uint32
operands_to_read(const Stage *stage, const Estimator *estimator, const Term *term,
				 const Decomposition *choice, double *tuples)
{
	uint32 read = 0;

	for (int o = 0; o < term->noperands; o++)
	{
		tuples[o] = estimate_tuples(estimator, term->operands[o].estimate, choice,
									stage->bounds) /
					keys_of_row(stage, term, o, choice);
		if (operand_of_row(term, o, choice) == o)
			read |= 1u << o;
	}
	return read;
}

int
order_of_join(const Stage *stage, const Estimator *estimator, const Term *term,
			  const Decomposition *choice, int *order)
{
	double tuples[STAGE_NEST_OPERANDS];
	uint32 read = operands_to_read(stage, estimator, term, choice, tuples);
	JoinResult join;
	double steps;
	double memory = 0.0;

	(void) join_steps(stage, term, tuples, read, choice, estimator->is_bound, &steps,
					  &join, &memory);
	memcpy(order, join.order, sizeof(int) * join.njoined);
	return join.njoined;
}
