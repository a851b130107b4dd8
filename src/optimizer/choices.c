/*-------------------------------------------------------------------------
 *
 * choices.c
 *	  What can be chosen for a stage, and what a choice means for the tensors
 *	  that it reads and makes.
 *
 * A choice has a block size for each label of a stage: a label has one in all
 * of the stage. What operands and the result are decomposed into follows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/stored_layout.h"
#include "catalog/tensor_storage.h"
#include "optimizer/plan.h"
#include "optimizer/settings.h"
#include "optimizer/stage.h"

Decomposition
operand_decomposition(const Operand *operand, const Decomposition *choice)
{
	return decomposition_of_dimensions(choice, operand->rank, operand->labels);
}

/*
 * Returns the storage whose rows a stage reads as they are for an operand, or NULL. A
 * tensor with several storages may be read from another one.
 */
static const Storage *
rows_as_stored(const Operand *operand, const Decomposition *choice)
{
	Decomposition needed = operand_decomposition(operand, choice);
	Decomposition stored;
	const Storage *storage;

	if (operand->producer || operand->outer || operand->tensor->entry == NULL ||
		list_length(operand->tensor->entry->storages) != 1)
		return NULL;
	storage = linitial(operand->tensor->entry->storages);
	stored = storage_decomposition(storage);
	if (storage->ephemeral || storage->shift || is_read_by_subquery(storage) ||
		storage_has_barrier(storage) || storage->duplicates == DUPLICATES_SUM ||
		!same_decomposition(&stored, &needed))
		return NULL;
	return storage;
}

/* Returns the label of a key column; -1 for other columns. */
static int
label_of_column(const Operand *operand, const Storage *storage, AttrNumber attno)
{
	for (int d = 0; d < storage->rank; d++)
	{
		if (storage->dimensions[d].kind != DIMENSION_DEMOTED &&
			storage->dimensions[d].attno == attno)
			return operand->labels[d];
	}
	return -1;
}

/*
 * Are two tensors columns of the same rows of one relation, such as features and the
 * target that they explain?
 */
static bool
are_columns_of_row(const Operand *a, const Operand *b, const Decomposition *choice)
{
	const Storage *of_a = rows_as_stored(a, choice);
	const Storage *of_b = of_a ? rows_as_stored(b, choice) : NULL;

	if (of_b == NULL || of_a->relid != of_b->relid || storage_key_count(of_a) == 0 ||
		storage_key_count(of_a) != storage_key_count(of_b))
		return false;
	for (int d = 0; d < of_a->rank; d++)
	{
		const StorageDimension *dimension = &of_a->dimensions[d];

		if (dimension->kind != DIMENSION_DEMOTED &&
			label_of_column(b, of_b, dimension->attno) != a->labels[d])
			return false;
	}
	return true;
}

/* Do two operands read the same row of the same relation for each tuple of the join? */
static bool
read_same_row(const Operand *a, const Operand *b, const Decomposition *choice)
{
	Decomposition of_a;
	Decomposition of_b;

	if (a->producer != b->producer || a->tensor->identity || b->tensor->identity)
		return false;
	if (a->tensor != b->tensor)
		return are_columns_of_row(a, b, choice);
	of_a = operand_decomposition(a, choice);
	of_b = operand_decomposition(b, choice);
	if (!same_decomposition(&of_a, &of_b))
		return false;
	for (int d = 0; d < a->rank; d++)
	{
		if ((keys_of(&of_a) & (1u << d)) && a->labels[d] != b->labels[d])
			return false;
	}
	return true;
}

int
operand_of_row(const Term *term, int operand, const Decomposition *choice)
{
	int first = operand;

	if (term->union_of)
		return operand;
	for (int o = 0; o < term->noperands; o++)
	{
		if (o != operand &&
			!read_same_row(&term->operands[o], &term->operands[operand], choice))
			continue;
		if (!term->operands[o].outer)
			return o;
		first = Min(first, o);
	}
	return first;
}

Decomposition
output_decomposition(const Stage *stage, const Decomposition *choice)
{
	return decomposition_of_dimensions(choice, stage->noutput, stage->output);
}

Decomposition
result_decomposition(const Stage *stage, const Decomposition *choice)
{
	Decomposition result;

	if (stage->shape_fixed)
		return stage->shape;
	result = output_decomposition(stage, choice);
	/*
	 * Places are numbers of one query, unless they stay: results that other queries read,
	 * and states, have keys instead.
	 */
	for (int d = 0; d < stage->noutput; d++)
	{
		const StageLabel *label = &stage->labels[stage->output[d]];
		bool inside =
			label->places_stay && !(stage->statement && stage->statement->wanted);

		if (bound_is_open(label->bound) && !inside)
			set_block(&result, d, BLOCK_PROMOTED, INFINITY);
	}
	if (stage->statement)
		return promoting(keys_of(&result));
	return result;
}

static void
add_block(int32 *blocks, int *nblocks, int64 block, double bound)
{
	if (block <= BLOCK_PROMOTED || block >= bound || *nblocks == MAX_LABEL_BLOCKS)
		return;
	for (int i = 0; i < *nblocks; i++)
	{
		if (blocks[i] == block)
			return;
	}
	blocks[(*nblocks)++] = (int32) block;
}

/* Adds the block sizes in which a tensor is stored or computed. */
static void
add_operand_blocks(const Operand *operand, int dimension, double bound, int32 *blocks,
				   int *nblocks)
{
	ListCell *lc;

	if (operand->producer)
	{
		add_block(blocks, nblocks, operand->producer->shape.block[dimension], bound);
		return;
	}
	if (operand->tensor->entry == NULL)
		return;
	foreach (lc, operand->tensor->entry->storages)
	{
		const StorageDimension *stored = &((Storage *) lfirst(lc))->dimensions[dimension];

		if (stored->kind == DIMENSION_BLOCKED)
			add_block(blocks, nblocks, stored->block, bound);
	}
}

int
label_blocks(const StageGraph *graph, const Stage *stage, int label, int32 *blocks)
{
	LabelMask bit = 1u << label;
	double bound = stage->bounds[label];
	int n = 0;

	if ((stage->must_promote | stage->must_demote | stage->must_block) & bit)
	{
		blocks[0] = stage->must_promote & bit  ? BLOCK_PROMOTED
					: stage->must_demote & bit ? BLOCK_DEMOTED
											   : stage->labels[label].block;
		return 1;
	}
	blocks[n++] = BLOCK_DEMOTED;
	blocks[n++] = BLOCK_PROMOTED;
	if (!graph->options->blocks || (stage->not_blocked & bit))
		return n;
	for (int t = 0; t < stage->nterms; t++)
	{
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const Operand *operand = &stage->terms[t].operands[o];

			for (int d = 0; d < operand->rank; d++)
			{
				if (operand->labels[d] == label)
					add_operand_blocks(operand, d, bound, blocks, &n);
			}
		}
	}
	for (int d = 0; d < stage->noutput; d++)
	{
		if (stage->output[d] == label)
			add_block(blocks, &n, stage->shape.block[d], bound);
	}
	for (int i = 0; i < nblock_sizes; i++)
		add_block(blocks, &n, block_sizes[i], bound);
	return n;
}

/* Microseconds to find the rows of one key among ranges, by an index. */
#define LOOKUP_TIME 5.0

bool
looks_up_in_ranges(const Term *term, int operand, int label)
{
	double fewest = INFINITY;

	for (int o = 0; o < term->noperands; o++)
	{
		const Operand *other = &term->operands[o];

		if (o != operand && !other->outer && (other->mask & (1u << label)))
			fewest = Min(fewest, other->estimate->entries);
	}
	return term->operands[operand].estimate->entries * tuple_cost > fewest * LOOKUP_TIME;
}

/* Has only one dimension of one operand a label? */
static bool
is_alone(const Term *term, int label)
{
	int found = 0;

	for (int o = 0; o < term->noperands; o++)
		for (int d = 0; d < term->operands[o].rank; d++)
			found += term->operands[o].labels[d] == label;
	return found == 1;
}

DimensionMask
measured_dimensions(const Stage *stage, const Term *term, int operand,
					const Storage *storage, const Decomposition *choice)
{
	const Operand *read = &term->operands[operand];
	LabelMask labels = (term->labels & ~term->summed) | term->extension;
	DimensionMask measured = 0;

	if (!has_ranges(storage) || storage->shift || stage->nterms > 1 || term->union_of ||
		read->outer || term->nsums > 0 || term->kernel->kind == KERNEL_MATRIX ||
		term->kernel->type.type != ELEMENT_FLOAT8 || (labels & ~choice->promoted))
		return 0;
	for (int d = 0; d < read->rank; d++)
	{
		const StorageDimension *dimension = &storage->dimensions[d];

		if (OidIsValid(dimension->range_type) && !bound_is_dimension(dimension->bound) &&
			(term->aggregated & (1u << read->labels[d])) &&
			is_alone(term, read->labels[d]))
			measured |= 1u << d;
	}
	return measured;
}
