/*-------------------------------------------------------------------------
 *
 * batch.c
 *	  The states of sums that collect rows: when there is one, where it lives,
 *	  and how it becomes flat.
 *
 * A state that can grow must be an expanded object, which the executor leaves
 * in its place from row to row, and its context must be a child of the
 * aggregate's. But hash aggregation adds up the sizes of all contexts below the
 * aggregate's for every new group: with a context for each group, as expanded
 * objects usually have, its time is quadratic in their number. So the groups of
 * an aggregate share one context, a *pool*, and a state costs no more than a
 * flat one, which is copied after the first row. 300,000 groups of 1 to 3 rows
 * take 0.95 of the time without batches where rows are inline, 0.4 where they
 * are 300 elements wide and groups are hashed, and 1.0 where groups are sorted.
 * That is why no state waits with collecting until it has some rows.
 *
 * Whatever lets go of one object's context frees the pool. The executor does so
 * when a transition returns another datum than it has been given, and nowhere
 * else, since states never leave it: final functions and combining functions
 * get pointers that they may only read, and everyone else the flat form, which
 * is the sum as the other folds have it.
 *
 * Pointers to values out of line are good as long as the query's snapshot is,
 * like those in the executor's own hash tables, and never get into a flat form.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "type/batch.h"
#include "type/state.h"

/*
 * Chunks larger than this limit of a pool's blocks are allocated separately, without
 * being rounded up.
 */
#define POOL_MAXIMUM_BLOCK (16 * 1024)

typedef struct BatchPool
{
	MemoryContext aggregate; /* the aggregate's context: the pool has its states */
	MemoryContext memory;    /* its child, where this struct is too */
	Size bytes;              /* reserved by batch_may_grow */
	PendingRows pending;
	dlist_node node; /* in pools */
	MemoryContextCallback callback;
} BatchPool;

static dlist_head pools = DLIST_STATIC_INIT(pools);

static Size batch_flat_size(ExpandedObjectHeader *header);
static void batch_flatten(ExpandedObjectHeader *header, void *result, Size size);

static const ExpandedObjectMethods batch_methods = {batch_flat_size, batch_flatten};

/* Returns the memory context of the query to which the aggregate belongs, or NULL. */
static MemoryContext
aggregate_query(FunctionCallInfo fcinfo)
{
	PlanState *state;

	if (fcinfo->context == NULL)
		return NULL;
	if (IsA(fcinfo->context, AggState))
		state = &((AggState *) fcinfo->context)->ss.ps;
	else if (IsA(fcinfo->context, WindowAggState))
		state = &((WindowAggState *) fcinfo->context)->ss.ps;
	else
		return NULL;
	return state->state->es_query_cxt;
}

static bool
is_number_operand(OperandKind kind)
{
	return kind != OPERAND_TENSOR && kind != OPERAND_LITERAL;
}

/* Are the output's labels those of the first term followed by those of the second? */
static bool
is_concatenation(const EquationTerm *first, const EquationTerm *second,
				 const EquationTerm *output)
{
	if (first->rank == 0 || (second && second->rank == 0) ||
		output->rank != first->rank + (second ? second->rank : 0) ||
		memcmp(output->labels, first->labels, first->rank) != 0)
		return false;
	return second == NULL ||
		   memcmp(output->labels + first->rank, second->labels, second->rank) == 0;
}

/* Sets the form's kind and operands; false if such sums are not batched. */
static bool
classify(const CallCache *cache, const Equation *equation, BatchForm *form)
{
	const EquationTerm *terms[2] = {NULL, NULL};
	int ntensors = 0;

	form->number = -1;
	form->number_type = ELEMENT_FLOAT4; /* changes no type by promotion */
	for (int i = 0; i < cache->noperands; i++)
	{
		OperandKind kind = cache->kinds[i];

		if (is_number_operand(kind) && form->number < 0 &&
			equation->operands[i].rank == 0)
		{
			form->number = i;
			form->number_type = kind == OPERAND_FLOAT4 ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8;
		}
		else if (kind == OPERAND_TENSOR && ntensors < 2)
		{
			form->tensors[ntensors] = i;
			terms[ntensors++] = &equation->operands[i];
		}
		else
			return false;
	}
	/* labels of the output are distinct, so those of the terms are too */
	form->kind = ntensors == 2 ? BATCH_OUTER : BATCH_ROWS;
	form->swapped =
		ntensors == 2 && is_concatenation(terms[1], terms[0], &equation->output);
	return ntensors > 0 &&
		   (form->swapped || is_concatenation(terms[0], terms[1], &equation->output));
}

/*
 * May a call site get states that its own transitions did not make: combined states, the
 * aggregate's initial value, or its input?
 */
static bool
has_foreign_states(FunctionCallInfo fcinfo)
{
	const Aggref *aggref = AggGetAggref(fcinfo);
	HeapTuple tuple;
	bool no_initial;

	if (aggref == NULL || DO_AGGSPLIT_COMBINE(aggref->aggsplit) ||
		fcinfo->flinfo->fn_strict)
		return true;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggref->aggfnoid));
	if (!HeapTupleIsValid(tuple))
		return true;
	(void) SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, &no_initial);
	ReleaseSysCache(tuple);
	return !no_initial;
}

BatchForm *
batch_form(FunctionCallInfo fcinfo, const KernelFunction *function,
		   const CallCache *cache, const Equation *equation)
{
	MemoryContext query = aggregate_query(fcinfo);
	BatchForm form;
	BatchForm *result;

	/* the values to which states point must live as long as the states */
	if (query == NULL || fcinfo->flinfo == NULL || fcinfo->flinfo->fn_mcxt != query ||
		function->reduction != REDUCTION_SUM || function->map)
		return NULL;
	memset(&form, 0, sizeof(form));
	form.function = *function;
	form.query = query;
	form.hashed = IsA(fcinfo->context, AggState) &&
				  ((AggState *) fcinfo->context)->aggstrategy != AGG_SORTED &&
				  ((AggState *) fcinfo->context)->aggstrategy != AGG_PLAIN;
	form.flat = has_foreign_states(fcinfo);
	if (equation == NULL)
	{
		form.any_shape = true;
		form.number = -1;
		form.number_type = ELEMENT_FLOAT4;
	}
	else if (equation->has_ellipsis || !classify(cache, equation, &form))
		return NULL;
	else
		form.equation = *equation;
	result = MemoryContextAlloc(query, sizeof(BatchForm));
	*result = form;
	return result;
}

/* Removes a pool from the list; called when its memory context is freed. */
static void
forget_pool(void *argument)
{
	dlist_delete(&((BatchPool *) argument)->node);
}

/* Returns the pool of an aggregate's memory context; creates it at first use. */
static BatchPool *
find_pool(MemoryContext aggregate)
{
	dlist_iter iter;
	MemoryContext memory;
	BatchPool *pool;

	dlist_foreach(iter, &pools)
	{
		pool = dlist_container(BatchPool, node, iter.cur);
		if (pool->aggregate == aggregate)
			return pool;
	}
	memory =
		AllocSetContextCreate(aggregate, "batches of tensors", ALLOCSET_SMALL_MINSIZE,
							  ALLOCSET_SMALL_INITSIZE, POOL_MAXIMUM_BLOCK);
	pool = MemoryContextAllocZero(memory, sizeof(BatchPool));
	pool->aggregate = aggregate;
	pool->memory = memory;
	pool->callback.func = forget_pool;
	pool->callback.arg = pool;
	MemoryContextRegisterResetCallback(memory, &pool->callback);
	dlist_push_head(&pools, &pool->node);
	return pool;
}

PendingRows *
batch_pending(MemoryContext aggregate)
{
	return &find_pool(aggregate)->pending;
}

/* Stores the references that wait in the batch's pool into their batches. */
static void
land_rows(const ExpandedObjectHeader *header)
{
	pending_land(batch_pending(MemoryContextGetParent(header->eoh_context)));
}

bool
batch_may_grow(const BatchState *batch, Size bytes)
{
	BatchPool *pool = find_pool(MemoryContextGetParent(batch->header.eoh_context));

	if (!batch->form->hashed || pool->bytes + bytes > (Size) work_mem * 1024 / 2)
		return false;
	pool->bytes += bytes;
	return true;
}

BatchState *
batch_new(BatchForm *form, MemoryContext aggregate)
{
	MemoryContext memory = find_pool(aggregate)->memory;
	BatchState *batch = MemoryContextAlloc(memory, sizeof(BatchState));

	EOH_init_header(&batch->header, &batch_methods, memory);
	batch->form = form;
	batch->toastrelid = InvalidOid;
	batch->rawsize = 0;
	batch->sum = NULL;
	batch->nrows = 0;
	batch->capacity = BATCH_FIRST_REFERENCES;
	batch->rows.references = batch->first;
	return batch;
}

BatchState *
batch_state(Datum state)
{
	ExpandedObjectHeader *header;

	if (!VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(state)))
		return NULL;
	header = DatumGetEOHP(state);
	if (header->eoh_methods != &batch_methods)
		return NULL;
	land_rows(header);
	return (BatchState *) header;
}

/* Adds the collected rows to the sum, or to a new palloc'd fold; returns the sum. */
static Tensor *
add_collected(const BatchState *batch, Tensor *sum)
{
	return batch->form->kind == BATCH_OUTER ? add_outer_products(batch, sum)
											: add_references(batch, sum);
}

Tensor *
batch_flush(BatchState *batch)
{
	MemoryContext old;
	Tensor *before = batch->sum;

	if (batch->nrows == 0)
		return batch->sum;
	old = MemoryContextSwitchTo(batch->header.eoh_context);
	batch->sum = add_collected(batch, before);
	batch->nrows = 0;
	if (before && before != batch->sum)
		pfree(before);
	MemoryContextSwitchTo(old);
	return batch->sum;
}

void
batch_set_sum(BatchState *batch, const Tensor *sum)
{
	Tensor *copy = MemoryContextAlloc(batch->header.eoh_context, VARSIZE(sum));

	memcpy(copy, sum, VARSIZE(sum));
	if (batch->sum)
		pfree(batch->sum);
	batch->sum = copy;
}

Tensor *
batch_result(BatchState *batch, bool keep)
{
	if (batch->sum == NULL && !keep)
		return fold_result(add_collected(batch, NULL));
	return fold_result(batch_flush(batch));
}

/* Returns the size of the flat form of a batch, which is its sum as a fold. */
static Size
batch_flat_size(ExpandedObjectHeader *header)
{
	land_rows(header);
	return VARSIZE(batch_flush((BatchState *) header));
}

static void
batch_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	const Tensor *sum = batch_flush((BatchState *) header);

	Assert(size == VARSIZE(sum));
	memcpy(result, sum, size);
}
