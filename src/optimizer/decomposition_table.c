/*-------------------------------------------------------------------------
 *
 * decomposition_table.c
 *	  What is known of decompositions: their numbers, or what they cost.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "port/pg_bitutils.h"

#include "optimizer/decomposition_table.h"

typedef struct DecompositionEntry
{
	uint32 status;
	Decomposition decomposition;
	double values[DECOMPOSITION_NUMBERS];
} DecompositionEntry;

static inline uint32
hash_decomposition(const Decomposition *decomposition)
{
	uint32 hash = hash_combine(murmurhash32(decomposition->promoted),
							   murmurhash32(decomposition->blocked));
	int i;

	FOREACH_LABEL (i, decomposition->blocked)
		hash = hash_combine(hash, murmurhash32(decomposition->block[i]));
	return hash;
}

#define SH_PREFIX decompositions
#define SH_ELEMENT_TYPE DecompositionEntry
#define SH_KEY_TYPE Decomposition
#define SH_KEY decomposition
#define SH_HASH_KEY(table, key) hash_decomposition(&(key))
#define SH_EQUAL(table, a, b) same_decomposition(&(a), &(b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

DecompositionTable *
new_decomposition_table(void)
{
	return decompositions_create(CurrentMemoryContext, 4, NULL);
}

double *
decomposition_value(DecompositionTable *table, const Decomposition *decomposition,
					bool *found)
{
	return decompositions_insert(table, *decomposition, found)->values;
}
