/*-------------------------------------------------------------------------
 *
 * algebra.c
 *	  What the algebra knows of a program.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "algebra/groups.h"
#include "algebra/keys.h"

Algebra *
new_algebra(Program *program, const Estimator *estimator, AlgebraLimits limits,
			FormChoices *choices)
{
	Algebra *algebra = palloc0(sizeof(Algebra));

	algebra->program = program;
	algebra->estimator = estimator;
	algebra->limits = limits;
	algebra->choices = choices;
	algebra->statistics = new_side_table(64);
	algebra->supports = new_side_table(256);
	algebra->not_negative = new_side_table(64);
	algebra->zero_or_one = new_side_table(64);
	algebra->paths = new_side_table(64);
	algebra->keys = new_keys();
	algebra->groups = new_groups();
	return algebra;
}
