/*-------------------------------------------------------------------------
 *
 * program_statistics.c
 *	  Statistics of a program's tensors, and of what is computed on the way.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "statistics/program_statistics.h"

/* eye: each index of one label goes with one of the other. */
static void
identity_statistics(double bound, TensorStatistics *statistics)
{
	clear_statistics(2, statistics);
	statistics->exact = true;
	statistics->entries = bound;
	statistics->values[0] = statistics->values[1] = bound;
	statistics->distinct[1] = statistics->distinct[2] = statistics->distinct[3] = bound;
	statistics->degree[1][2] = statistics->degree[2][1] = 1;
	for (int set = 1; set <= 3; set++)
		statistics->degree[set][0] = bound;
}

const TensorStatistics *
tensor_statistics(SideTable *known, const ProgramTensor *tensor)
{
	TensorStatistics *statistics = side_value(known, tensor);

	if (statistics)
		return statistics;
	statistics = palloc(sizeof(TensorStatistics));
	if (tensor->identity)
		identity_statistics(tensor->bounds[0], statistics);
	else if (tensor->entry)
		get_tensor_statistics(tensor->entry, statistics);
	else
		elog(ERROR, "a result is estimated before what makes it");
	set_side_value(known, tensor, statistics);
	return statistics;
}
