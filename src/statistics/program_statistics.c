/*-------------------------------------------------------------------------
 *
 * program_statistics.c
 *	  Statistics of a program's tensors, and of what is computed on the way.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/dimension.h"
#include "statistics/program_statistics.h"

/*
 * The statistics of eye, an identity matrix: each index of one label goes with one of the
 * other.
 */
static const TensorStatistics *
identity_statistics(double bound)
{
	TensorStatistics *statistics = new_statistics(2);

	statistics->exact = true;
	statistics->entries = bound;
	statistics->values[0] = statistics->values[1] = bound;
	statistics->distinct[1] = statistics->distinct[2] = statistics->distinct[3] = bound;
	degree_of(statistics, 1, 2)->most = degree_of(statistics, 2, 1)->most = 1;
	for (int set = 1; set <= 3; set++)
		degree_of(statistics, set, 0)->most = bound;
	return statistics;
}

const TensorStatistics *
tensor_statistics(SideTable *known, const ProgramTensor *tensor)
{
	const TensorStatistics *statistics = side_value(known, tensor);

	if (statistics)
		return statistics;
	if (tensor->identity)
		statistics = identity_statistics(estimated_bound(tensor->bounds[0]));
	else if (tensor->entry)
		statistics = get_tensor_statistics(tensor->entry);
	else
		elog(ERROR, "a result is estimated before what makes it");
	set_side_value(known, tensor, unconstify(TensorStatistics *, statistics));
	return statistics;
}
