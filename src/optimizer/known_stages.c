/*-------------------------------------------------------------------------
 *
 * known_stages.c
 *	  Stages that several forms of a program have.
 *
 * Another form of a part of a program leaves the other stages as they are. What they
 * cost in each decomposition is known then, however they are called and wherever
 * they come: they have the assignments of the first stage like them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"

#include "optimizer/stage.h"
#include "recursion.h"

/* The first of all stages that look alike. */
typedef struct KnownStage
{
	uint32 status;
	uint32 hash;
	Stage *stage;
} KnownStage;

static bool same_stage(const Stage *a, const Stage *b);

#define SH_PREFIX known_stages
#define SH_ELEMENT_TYPE KnownStage
#define SH_KEY_TYPE Stage *
#define SH_KEY stage
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_HASH_KEY(table, key) stage_hash(key)
#define SH_EQUAL(table, a, b) same_stage(a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE

/*
 * Returns what an operand reads: a stored tensor, or the first stage like its producer.
 */
static const void *
source_of(const Operand *operand)
{
	return operand->producer ? (const void *) operand->producer->like
							 : (const void *) operand->tensor;
}

/*
 * Hashes what differs most among stages. Addresses decide only where an entry is stored.
 */
static uint32
stage_hash(const Stage *stage)
{
	uint32 hash = hash_combine(stage->nlabels, stage->nterms);

	for (int t = 0; t < stage->nterms; t++)
	{
		hash = hash_combine(hash, stage->terms[t].aggregated);
		/*
		 * stages that thousands of statements make of one tensor may differ only in their
		 * size
		 */
		hash = hash_combine(hash, (uint32) stage->terms[t].kernel->operations);
		for (int o = 0; o < stage->terms[t].noperands; o++)
		{
			const void *source = source_of(&stage->terms[t].operands[o]);

			hash = hash_combine(
				hash, hash_bytes((const unsigned char *) &source, sizeof(source)));
		}
	}
	return hash;
}

#include "lib/simplehash.h"

static bool
same_kernels(const Kernel *a, const Kernel *b)
{
	enter_recursion();
	if (a == b)
		return true;
	if (a == NULL || b == NULL || a->kind != b->kind || a->type.type != b->type.type ||
		a->nargs != b->nargs || a->operations != b->operations)
		return false;
	switch (a->kind)
	{
		case KERNEL_LITERAL:
			/* compared by bits: NaN equals itself, and -0 is not 0 */
			return memcmp(&a->value, &b->value, sizeof(Number)) == 0;
		case KERNEL_OPERAND:
			return a->operand == b->operand;
		case KERNEL_CALL:
			break;
		case KERNEL_MATRIX:
			if (a->matrix != b->matrix ||
				memcmp(a->labels, b->labels, sizeof(int) * a->nlabels) != 0)
				return false;
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
	bool same =
		source_of(a) == source_of(b) && a->rank == b->rank && a->outer == b->outer;

	for (int d = 0; same && d < a->rank; d++)
		same = a->labels[d] == b->labels[d];
	return same;
}

static bool
same_terms(const Term *a, const Term *b)
{
	if (a->noperands != b->noperands || a->nsums != b->nsums || a->summed != b->summed ||
		a->aggregated != b->aggregated || a->union_of != b->union_of ||
		!same_kernels(a->kernel, b->kernel))
		return false;
	for (int o = 0; o < a->noperands; o++)
	{
		if (!same_operands(&a->operands[o], &b->operands[o]))
			return false;
	}
	for (int n = 0; n < a->nsums; n++)
	{
		if (a->operands[a->noperands + n].mask != b->operands[b->noperands + n].mask ||
			!same_kernels(a->sums[n], b->sums[n]))
			return false;
	}
	return true;
}

/* Are two stages needed at as many keys of the same labels? */
static bool
same_needed_keys(const NeededKeys *a, const NeededKeys *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	if (a->labels != b->labels)
		return false;
	for (int n = 0; n < a->nlabels; n++)
	{
		if (a->count[a->order[n]] != b->count[a->order[n]])
			return false;
	}
	return true;
}

static bool
same_labels(const Stage *a, const Stage *b)
{
	if (a->nlabels != b->nlabels || a->noutput != b->noutput ||
		a->must_promote != b->must_promote || a->must_demote != b->must_demote ||
		a->must_block != b->must_block || a->shape_fixed != b->shape_fixed ||
		!same_decomposition(&a->shape, &b->shape))
		return false;
	for (int i = 0; i < a->nlabels; i++)
	{
		/*
		 * names are compared, too: of equal plans, labels are to be those of the program
		 */
		if (strcmp(a->labels[i].name, b->labels[i].name) != 0 ||
			a->labels[i].bound != b->labels[i].bound ||
			a->labels[i].block != b->labels[i].block)
			return false;
	}
	for (int d = 0; d < a->noutput; d++)
	{
		if (a->output[d] != b->output[d])
			return false;
	}
	return true;
}

static bool
same_stage(const Stage *a, const Stage *b)
{
	if (a->side != b->side || a->nterms != b->nterms || a->aggregate != b->aggregate ||
		(a->statement == NULL) != (b->statement == NULL) ||
		a->tensor->type != b->tensor->type || a->tensor->fill != b->tensor->fill ||
		!same_labels(a, b) || !same_needed_keys(a->needed, b->needed) ||
		!same_kernels(a->post, b->post) || a->shift != b->shift)
		return false;
	for (int t = 0; t < a->nterms; t++)
	{
		if (!same_terms(&a->terms[t], &b->terms[t]))
			return false;
	}
	return true;
}

struct known_stages_hash *
new_known_stages(void)
{
	return known_stages_create(CurrentMemoryContext, 64, NULL);
}

int
find_known_stages(struct known_stages_hash *known, StageGraph *graph)
{
	int nknown = 0;
	ListCell *lc;

	foreach (lc, graph->stages)
	{
		Stage *stage = lfirst(lc);
		bool found;

		CHECK_FOR_INTERRUPTS();
		stage->like = known_stages_insert(known, stage, &found)->stage;
		nknown += found;
	}
	return nknown;
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
		const Stage *one = lfirst(la);
		const Stage *other = lfirst(lb);

		if (one->like != other->like || strcmp(one->name, other->name) != 0)
			return false;
	}
	return true;
}
