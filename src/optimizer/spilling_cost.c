/*-------------------------------------------------------------------------
 *
 * spilling_cost.c
 *	  The cost model: what hash tables cost that do not fit in memory.
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
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "optimizer/settings.h"
#include "optimizer/spilling_cost.h"

static double
hash_memory(void)
{
	return work_mem * 1024.0 * hash_mem_multiplier;
}

double
spilling_cost(double table, double bytes, double *memory)
{
	if (table <= hash_memory())
		return 0.0;
	*memory = Max(*memory, table);
	return bytes * spill_cost;
}

double
batches_cost(double table, double bytes, double *memory)
{
	double batches = exp2(ceil(log2(Max(table / hash_memory(), 1.0))));

	return spilling_cost(table, (1.0 - 1.0 / batches) * bytes, memory);
}
