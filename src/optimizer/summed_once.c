/*-------------------------------------------------------------------------
 *
 * summed_once.c
 *	  What sums the duplicates of an additive tensor.
 *
 * A tensor whose rows with equal keys are summed is read in one of three ways. A term
 * that is linear in it and adds up its tuples joins the rows as they are. Any other
 * operand reads a sum of them, by keys. Where several do, a stage is this sum, and they
 * read that: like any other, the query keeps it where that is cheaper (materialize.c),
 * and a loop for all rounds. A stage that is not kept costs no more than the sums where
 * they are read.
 *
 * Known weakness: rows are left out before they are summed only if their tensor has a
 * label in two dimensions, so that a diagonal is no reader of the stage.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "port/pg_bitutils.h"

#include "catalog/dimension.h"
#include "expr/function_table.h"
#include "expr/side_table.h"
#include "optimizer/lowering.h"
#include "optimizer/plan.h"
#include "recursion.h"

/*
 * Is a call linear in its argument i? A quotient is in its numerator where the divisor is
 * no 0: 0 / 0 is 0, also of a numerator whose rows add up to it.
 */
static bool
is_linear_in(const Kernel *call, int i)
{
	if ((function_properties(call->function)->linear_in & (1u << i)) == 0)
		return false;
	return call->function != FUNCTION_DIVIDE ||
		   (call->args[1]->kind == KERNEL_LITERAL && call->args[1]->value != 0.0);
}

/* Counts how often a kernel reads an operand, and finds whether only as a factor. */
static int
count_reads(const Kernel *kernel, int operand, bool factor, bool *only_as_factor)
{
	int reads = 0;

	enter_recursion();
	if (kernel->kind == KERNEL_OPERAND && kernel->operand == operand)
	{
		*only_as_factor = *only_as_factor && factor;
		return 1;
	}
	for (int i = 0; i < kernel->nargs; i++)
	{
		reads += count_reads(kernel->args[i], operand, factor && is_linear_in(kernel, i),
							 only_as_factor);
	}
	return reads;
}

/* Does a term, where it adds up tuples, add up what is linear in an operand? */
static bool
sums_linearly(const Stage *stage, const Term *term, int operand)
{
	bool only_as_factor = true;

	/* what it is summed with may be repeated, and the sum is not */
	for (int n = 0; n < term->nsums; n++)
	{
		if (term->sums[n]->operands & (1u << operand))
			return false;
	}
	return stage->aggregate == AGGREGATE_SUM && term->aggregated != 0 &&
		   !term->operands[operand].outer && term->fill == 0.0 &&
		   count_reads(term->kernel, operand, true, &only_as_factor) == 1 &&
		   only_as_factor;
}

/*
 * Can SQL aggregate in a stage that reads an operand as this storage has it? A sum over
 * labels that are dimensions of the values alone is the kernel's, which adds up no rows.
 */
static bool
can_sum_rows(const Stage *stage, const Operand *operand, const Storage *storage)
{
	Decomposition stored = storage_decomposition(storage);
	LabelMask demoted = stage->must_demote;

	for (int d = 0; d < operand->rank; d++)
	{
		if ((keys_of(&stored) & (1u << d)) == 0)
			demoted |= 1u << operand->labels[d];
	}
	return stage_groups(stage, ~demoted);
}

void
find_summed_later(Stage *stage)
{
	for (int t = 0; t < stage->nterms; t++)
	{
		Term *term = &stage->terms[t];

		for (int o = 0; o < term->noperands; o++)
		{
			Operand *operand = &term->operands[o];
			ListCell *lc;

			operand->summed_later = operand->may_read_sum = false;
			if (!is_additive(operand->tensor) || !sums_linearly(stage, term, o))
				continue;
			foreach (lc, operand->tensor->entry->storages)
			{
				const Storage *storage = lfirst(lc);

				/* others have no rows to sum */
				if (storage->duplicates != DUPLICATES_SUM)
					continue;
				if (can_sum_rows(stage, operand, storage))
					operand->summed_later = true;
				else
					operand->may_read_sum = true;
			}
		}
	}
}

bool
is_summed_later(const Stage *stage, const Term *term, int operand,
				const Decomposition *choice)
{
	int row;

	if (!term->operands[operand].summed_later || !stage_groups(stage, keys_of(choice)))
		return false;
	row = operand_of_row(term, operand, choice);
	for (int o = 0; o < term->noperands; o++)
	{
		/* of what else reads the row, it would be a factor once more */
		if (o != operand && operand_of_row(term, o, choice) == row)
			return false;
	}
	return true;
}

/* Have all storages of a tensor rows to sum? Others are read without a sum. */
static bool
all_are_summed(const ProgramTensor *tensor)
{
	ListCell *lc;

	foreach (lc, tensor->entry->storages)
	{
		if (((const Storage *) lfirst(lc))->duplicates != DUPLICATES_SUM)
			return false;
	}
	return true;
}

/*
 * May an operand read a sum of rows, whichever storage that takes, and has it a label for
 * each dimension? It does if its rows are not summed later.
 */
static bool
may_read_sum(const Operand *operand)
{
	return operand->producer == NULL && is_additive(operand->tensor) &&
		   (!operand->summed_later || operand->may_read_sum) && operand->rank > 0 &&
		   all_are_summed(operand->tensor) &&
		   pg_popcount32(operand->mask) == operand->rank;
}

/* Has an operand the row of one before it in its term, however these are read? */
static bool
has_row_before(const Term *term, int operand)
{
	for (int o = 0; o < operand; o++)
	{
		if (term->operands[o].tensor == term->operands[operand].tensor &&
			memcmp(term->operands[o].labels, term->operands[operand].labels,
				   sizeof(int) * term->operands[operand].rank) == 0)
			return true;
	}
	return false;
}

/* The operands that may read sums of one tensor. */
typedef struct SumReaders
{
	ProgramTensor *tensor;
	Stage *first; /* the first stage that reads the sum */
	const Operand *operand;
	int count;
	int certain; /* those that read sums in any case */
} SumReaders;

/* Returns the tensors whose sums may be read, in the order in which stages read them. */
static List *
find_sum_readers(const StageGraph *graph)
{
	SideTable *by_tensor = new_side_table(16);
	List *found = NIL;
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				const Operand *operand = &stage->terms[t].operands[o];
				SumReaders *readers;

				/* a side stage has a query of its own */
				if (stage->side || !may_read_sum(operand) ||
					has_row_before(&stage->terms[t], o))
					continue;
				readers = side_value(by_tensor, operand->tensor);
				if (readers == NULL)
				{
					readers = palloc0(sizeof(SumReaders));
					readers->tensor = operand->tensor;
					readers->first = stage;
					readers->operand = operand;
					set_side_value(by_tensor, operand->tensor, readers);
					found = lappend(found, readers);
				}
				readers->count++;
				readers->certain += !operand->summed_later;
			}
		}
	}
	free_side_table(by_tensor);
	return found;
}

/*
 * Do all storages of a tensor have a dimension in the decomposition in which the first
 * has it?
 */
static bool
are_alike_in(const ProgramTensor *tensor, int dimension)
{
	Decomposition first = storage_decomposition(linitial(tensor->entry->storages));
	ListCell *lc;

	foreach (lc, tensor->entry->storages)
	{
		Decomposition other = storage_decomposition(lfirst(lc));

		if (first.block[dimension] != other.block[dimension] ||
			((first.promoted ^ other.promoted) & (1u << dimension)) ||
			((first.blocked ^ other.blocked) & (1u << dimension)))
			return false;
	}
	return true;
}

/*
 * Leaves to the stage of a sum the decompositions in which its tensor is stored, which is
 * how readers would find it: one if there is one storage. Dimensions in which storages
 * differ are searched, as those of any result that is shared.
 */
static void
fix_as_stored(Stage *stage, const ProgramTensor *tensor)
{
	Decomposition stored = storage_decomposition(linitial(tensor->entry->storages));
	bool alike = true;

	/* one block of a whole label is a dimension, as where a program asks for it */
	for (int d = 0; d < stage->noutput; d++)
	{
		if ((stored.blocked & (1u << d)) && !bound_is_dimension(tensor->bounds[d]))
			set_block(&stored, d, stored.block[d], estimated_bound(tensor->bounds[d]));
	}
	/* pins of one reader do not hold for all */
	stage->must_promote = stage->must_demote = stage->must_block = 0;
	for (int d = 0; d < stage->noutput; d++)
	{
		LabelMask bit = 1u << stage->output[d];
		StageLabel *label = &stage->labels[stage->output[d]];

		label->pin = PIN_NONE;
		if (!are_alike_in(tensor, d))
			alike = false;
		else if (stored.promoted & (1u << d))
			stage->must_promote |= bit;
		else if (stored.blocked & (1u << d))
		{
			stage->must_block |= bit;
			label->block = stored.block[d];
		}
		else
			stage->must_demote |= bit;
		/* as any result_decomposition: places are those of one query */
		if (bound_is_open(label->bound))
			set_block(&stored, d, BLOCK_PROMOTED, INFINITY);
	}
	stage->shape_fixed = alike;
	if (alike)
		stage->shape = stored;
}

/* Makes the stage of a sum, with labels like those of its first reader. */
static Stage *
sum_stage(Lowering *lowering, const SumReaders *readers)
{
	Program *program = lowering->program;
	const Stage *first = readers->first;
	ProgramTensor *sum = palloc0(sizeof(ProgramTensor));
	int labels[TENSOR_MAX_RANK];
	Stage *stage;

	lowering->statement = first->part_of;
	sum->rank = readers->tensor->rank;
	sum->type = readers->tensor->type;
	sum->fill = readers->tensor->fill;
	for (int d = 0; d < sum->rank; d++)
	{
		sum->bounds[d] = readers->tensor->bounds[d];
		labels[d] = first->labels[readers->operand->labels[d]].program_label;
	}
	stage = lower_stage(
		lowering, expr_access(program, readers->tensor, labels, first->part_of->location),
		sum, labels);
	fix_as_stored(stage, readers->tensor);
	return stage;
}

/* Redirects all operands that read a tensor's sum to the stage that computes it. */
static void
read_stage(const StageGraph *graph, const ProgramTensor *tensor, Stage *sum)
{
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		const Stage *stage = lfirst(lc);

		for (int t = 0; t < stage->nterms; t++)
		{
			for (int o = 0; o < stage->terms[t].noperands; o++)
			{
				Operand *operand = &stage->terms[t].operands[o];

				if (stage == sum || operand->tensor != tensor || !may_read_sum(operand))
					continue;
				operand->summed_later = false;
				operand->producer = sum;
				operand->tensor = sum->tensor;
			}
		}
	}
}

void
sum_duplicates_once(Lowering *lowering)
{
	StageGraph *graph = lowering->graph;
	List *sums = NIL;
	ListCell *lc;

	if (graph->options->search == SEARCH_AS_WRITTEN)
		return;
	foreach (lc, find_sum_readers(graph))
	{
		const SumReaders *readers = lfirst(lc);
		Stage *sum;

		if (readers->count < 2 || readers->certain == 0)
			continue;
		sum = sum_stage(lowering, readers);
		read_stage(graph, readers->tensor, sum);
		graph->stages = list_delete_last(graph->stages);
		sums = lappend(sums, sum);
	}
	if (sums == NIL)
		return;
	/* producers come before their readers */
	graph->stages = list_concat(sums, graph->stages);
	foreach (lc, graph->stages)
		((Stage *) lfirst(lc))->number = foreach_current_index(lc);
}
