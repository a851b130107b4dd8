/*-------------------------------------------------------------------------
 *
 * algebra.c
 *	  The algebra's knowledge of a program.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/groups.h"
#include "algebra/keys.h"

Algebra *
new_algebra(Program *program, const Estimator *estimator, AlgebraLimits limits)
{
	Algebra *algebra = palloc0(sizeof(Algebra));

	algebra->program = program;
	algebra->estimator = estimator;
	algebra->limits = limits;
	algebra->stored = new_side_table(64);
	algebra->supports = new_side_table(256);
	algebra->not_negative = new_side_table(64);
	algebra->zero_or_one = new_side_table(64);
	for (int level = 0; level < REWRITE_LEVELS; level++)
		algebra->laws[level] = new_side_table(64);
	algebra->contractions = new_side_table(64);
	algebra->keys = new_keys();
	algebra->groups = new_groups();
	return algebra;
}

void
begin_cut(Algebra *algebra, FormChoices *choices)
{
	algebra->choices = choices;
	algebra->statistics = new_side_table(64);
	algebra->paths = new_side_table(64);
	algebra->nests = new_side_table(16);
	algebra->fixed = NULL;
	begin_readings(algebra->groups);
}

static bool
is_stored(const ProgramTensor *tensor)
{
	return tensor->identity || tensor->entry != NULL;
}

bool
has_statistics(Algebra *algebra, const ProgramTensor *tensor)
{
	if (is_stored(tensor))
		return true;
	algebra->asked++;
	return side_value(algebra->statistics, tensor) != NULL;
}

const TensorStatistics *
statistics_of_tensor(Algebra *algebra, const ProgramTensor *tensor)
{
	if (is_stored(tensor))
		return tensor_statistics(algebra->stored, tensor);
	algebra->asked++;
	return tensor_statistics(algebra->statistics, tensor);
}
