/*-------------------------------------------------------------------------
 *
 * batch.h
 *	  States of sums that collect rows and run the kernel for many at once.
 *
 * Two kinds of sums are faster when they collect rows:
 *
 * - *rows*: a number times a tensor, or a tensor alone. Values out of line are
 *	 collected as pointers with their numbers, and are added up together, when
 *	 the group's sum is near the processor and the rows can be read side by
 *	 side (see kernels/dense/rows.c). Inline values are added at once.
 * - *outer products*: operands that share no label. Their rows are collected,
 *	 and the sum is a matrix product of them, a rank-k update.
 *
 *-------------------------------------------------------------------------
 */
#ifndef TYPE_BATCH_H
#define TYPE_BATCH_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/expandeddatum.h"

#include "compat.h"
#include "type/call_kernel.h"

typedef enum BatchKind
{
	BATCH_ROWS,
	BATCH_OUTER,
} BatchKind;

/* What all batches of one aggregate call in a query share; lives as long as the query. */
typedef struct BatchForm
{
	BatchKind kind;
	KernelFunction function;
	MemoryContext query;     /* its detoast cache holds the values */
	bool hashed;             /* hash aggregation: rows of groups alternate */
	bool flat;               /* some states may be flat folds instead of batches */
	int number;              /* the operand that is a number, or -1 */
	ElementType number_type; /* of the operand that is a number */
	int tensors[2];          /* the other operands; one for rows */
	bool swapped;            /* the output has the labels of the second tensor first */
	bool any_shape;          /* tensor_sum: there is no equation */
	Oid toastrelid;          /* TOAST table of the value that was collected last */
	Oid least;               /* least and greatest value OID collected from it */
	Oid greatest;
	int64 collected; /* references collected from it */
	Equation equation;
} BatchForm;

/*
 * A reference to a value out of line, and its factor. The values of a batch are all in
 * one TOAST table and of one size.
 */
typedef struct BatchReference
{
	Oid valueid;
	uint32 extinfo;
	double scale;
} BatchReference;

/*
 * The rows of a batch of outer products: one array of rows for each of the two operands.
 */
typedef struct OuterRows
{
	ElementType value_type; /* of the products */
	ElementType type;       /* of the rows: double precision, as of the sum */
	int ranks[2];
	int64 bounds[2][TENSOR_MAX_RANK];
	int64 counts[2]; /* elements of a row */
	int most;        /* rows to collect before they are added up */
	void *rows[2];
} OuterRows;

/*
 * A matrix product pays if each operand has at least this many elements. A batch collects
 * BATCH_OUTER_ROWS rows or, if the sum is large, more.
 */
#define BATCH_OUTER_LEAST 8
#define BATCH_OUTER_ROWS 64

/* References inside a new state, chosen so that its memory chunk has 128 bytes. */
#define BATCH_FIRST_REFERENCES 2

/*
 * The state of a group, an expanded object. All groups of an aggregate share one memory
 * context. So a transition function must always return the same datum: for another one,
 * the executor would free the context, with the states of all groups.
 */
typedef struct BatchState
{
	ExpandedObjectHeader header;
	int nrows; /* rows collected */
	int capacity;
	union
	{
		BatchReference *references;
		OuterRows *outer;
	} rows;
	Oid toastrelid; /* of the values that references point to */
	int32 rawsize;
	Tensor *sum; /* a fold of the rows added up so far; NULL before the first */
	BatchForm *form;
	BatchReference first[BATCH_FIRST_REFERENCES]; /* used until more are needed */
} BatchState;

/* A reference not yet stored in its batch: the batch's memory is being prefetched. */
typedef struct PendingRow
{
	BatchState *batch;
	Oid toastrelid;
	int32 rawsize;
	BatchReference reference;
} PendingRow;

/*
 * The number of references that wait at a time, a power of 2: half of them for the state
 * to arrive in the processor's cache, half for the place of the reference.
 */
#define PENDING_ROWS 8

/* The references of one aggregate that wait, in a ring buffer. */
typedef struct PendingRows
{
	uint32 first; /* row n is in rows[n % PENDING_ROWS] */
	uint32 next;
	PendingRow rows[PENDING_ROWS];
} PendingRows;

/* pending_add queues a reference for its batch; pending_land stores all queued ones. */
extern void pending_add(PendingRows *pending, BatchState *batch, Oid toastrelid,
						int32 rawsize, const BatchReference *reference);
extern void pending_land(PendingRows *pending);

/*
 * Returns the BatchForm of a sum called at this call site, or NULL if the sum is not
 * batched. The equation is NULL for tensor_sum, which has none.
 */
extern BatchForm *batch_form(FunctionCallInfo fcinfo, const KernelFunction *function,
							 const CallCache *cache, const Equation *equation);

/* Returns the state argument as a batch, or NULL if it is a flat state. */
extern BatchState *batch_state(Datum state);

/*
 * Are all states of this call site batches, and its groups hashed? Then batch_of finds
 * the batch of a state without reading the state from memory.
 */
#define batch_collects(form)                                                             \
	((form)->kind == BATCH_ROWS && (form)->hashed && !(form)->flat)
#define batch_of(state)                                                                  \
	((BatchState *) ((char *) DatumGetPointer(state) -                                   \
					 offsetof(ExpandedObjectHeader, eoh_rw_ptr)))

/*
 * The references of an aggregate that wait for their batches; aggregate is its memory
 * context.
 */
extern PendingRows *batch_pending(MemoryContext aggregate);

/*
 * Returns a new batch without rows, for the aggregate with this memory context. The
 * transition function must return batch_datum of it.
 */
extern BatchState *batch_new(BatchForm *form, MemoryContext aggregate);
#define batch_datum(batch) EOHPGetRWDatum(&(batch)->header)

/* Adds the collected rows to the sum and returns the sum, which the batch still owns. */
extern Tensor *batch_flush(BatchState *batch);

/*
 * Reserves memory for collected rows; false if groups are not hashed, or if all groups
 * of the aggregate together would have reserved more than half of work_mem.
 */
extern bool batch_may_grow(const BatchState *batch, Size bytes);

/* Replaces the batch's sum by a copy of a fold. */
extern void batch_set_sum(BatchState *batch, const Tensor *sum);

/*
 * Returns the result as a new tensor in the current context. keep: the collected rows
 * stay added to the sum, for callers that add more rows and ask again.
 */
extern Tensor *batch_result(BatchState *batch, bool keep);

/*
 * Performs one transition of a sum of rows and sets *result to the new state. False if
 * the caller must add the row to a flat state. isnull: the row is the group's first,
 * which has no state yet.
 */
extern bool batch_add_row(BatchForm *form, MemoryContext aggregate, bool isnull,
						  Datum state, Datum value, double scale, Datum *result);

/*
 * Returns memory in the batch for a further reference to a value of this TOAST table and
 * size, and counts it as collected. References of another table or size are added up
 * first.
 */
extern BatchReference *batch_place(BatchState *batch, Oid toastrelid, int32 rawsize);

/* Add the collected rows to the sum, or to a new fold if it is NULL; return the sum. */
extern Tensor *add_references(const BatchState *batch, Tensor *sum);
extern Tensor *add_outer_products(const BatchState *batch, Tensor *sum);

/*
 * Returns a new batch for outer products of the call's shape; NULL if they are too small
 * for a matrix product to pay.
 */
extern BatchState *batch_outer_new(BatchForm *form, const KernelCall *call,
								   MemoryContext aggregate);

/* Collects the call's operands; false if their type or shape is not the batch's. */
extern bool batch_add_outer(BatchState *batch, const KernelCall *call);

#endif
