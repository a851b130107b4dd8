/*-------------------------------------------------------------------------
 *
 * same_stages.c
 *	  Whether two ways to cut a program come to the same stages.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "optimizer/stage.h"

static bool
same_kernels(const Kernel *a, const Kernel *b)
{
	check_stack_depth();
	if (a == b)
		return true;
	if (a == NULL || b == NULL || a->kind != b->kind || a->type.type != b->type.type ||
		a->nargs != b->nargs)
		return false;
	switch (a->kind)
	{
		case KERNEL_LITERAL:
			/* by their bits: NaN is itself, and -0 is not 0 */
			return memcmp(&a->value, &b->value, sizeof(Number)) == 0;
		case KERNEL_OPERAND:
			return a->operand == b->operand;
		case KERNEL_CALL:
			break;
	}
	for (int i = 0; i < a->nargs; i++)
	{
		if (!same_kernels(a->args[i], b->args[i]))
			return false;
	}
	return a->function == b->function;
}

static bool
same_operands(const Operand *a, const Operand *b)
{
	bool same = a->rank == b->rank && a->outer == b->outer &&
				(a->producer == NULL) == (b->producer == NULL) &&
				(a->producer ? a->producer->number == b->producer->number
							 : a->tensor == b->tensor);

	for (int d = 0; same && d < a->rank; d++)
		same = a->labels[d] == b->labels[d];
	return same;
}

static bool
same_terms(const Term *a, const Term *b)
{
	if (a->noperands != b->noperands || a->aggregated != b->aggregated ||
		a->union_of != b->union_of || !same_kernels(a->kernel, b->kernel))
		return false;
	for (int o = 0; o < a->noperands; o++)
	{
		if (!same_operands(&a->operands[o], &b->operands[o]))
			return false;
	}
	return true;
}

static bool
same_stage(const Stage *a, const Stage *b)
{
	if (a->side != b->side || a->nlabels != b->nlabels || a->noutput != b->noutput ||
		a->nterms != b->nterms || a->aggregate != b->aggregate ||
		strcmp(a->name, b->name) != 0 || !same_kernels(a->post, b->post))
		return false;
	for (int i = 0; i < a->nlabels; i++)
	{
		if (strcmp(a->labels[i].name, b->labels[i].name) != 0 ||
			a->labels[i].bound != b->labels[i].bound ||
			a->labels[i].pin != b->labels[i].pin)
			return false;
	}
	for (int d = 0; d < a->noutput; d++)
	{
		if (a->output[d] != b->output[d])
			return false;
	}
	for (int t = 0; t < a->nterms; t++)
	{
		if (!same_terms(&a->terms[t], &b->terms[t]))
			return false;
	}
	return true;
}

bool
same_stages(const StageGraph *a, const StageGraph *b)
{
	ListCell *la;
	ListCell *lb;

	if (list_length(a->stages) != list_length(b->stages))
		return false;
	forboth (la, a->stages, lb, b->stages)
	{
		if (!same_stage(lfirst(la), lfirst(lb)))
			return false;
	}
	return true;
}
