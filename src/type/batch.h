/*-------------------------------------------------------------------------
 *
 * batch.h
 *	  States of sums that collect rows and run the kernel for many at once.
 *
 * Two kinds of sums gain by it:
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

/* What a call site's batches have in common; lives as long as the query. */
typedef struct BatchForm
{
	BatchKind kind;
	KernelFunction function;
	MemoryContext query;     /* whose cache has the values */
	bool hashed;             /* groups take turns */
	bool flat;               /* some states may be no batches */
	int number;              /* the operand that is a number, or -1 */
	ElementType number_type; /* of the number, if there is one */
	int tensors[2];          /* the other operands; one for rows */
	bool swapped;            /* the output has the second's labels first */
	bool any_shape;          /* tensor_sum: there is no equation */
	Oid toastrelid;          /* of the last value out of line */
	Oid least;               /* of the numbers of its values that were collected */
	Oid greatest;
	int64 collected; /* how often */
	Equation equation;
} BatchForm;

/* A value out of line, and its number. Those of a batch are of one table and size. */
typedef struct BatchReference
{
	Oid valueid;
	uint32 extinfo;
	double scale;
} BatchReference;

/* Rows of outer products, side by side for each of the two operands. */
typedef struct OuterRows
{
	ElementType value_type; /* of the products */
	ElementType type;       /* of the rows: of double precision, as the sum is */
	int ranks[2];
	int64 bounds[2][TENSOR_MAX_RANK];
	int64 counts[2]; /* elements of a row */
	int most;        /* rows before they are added up */
	void *rows[2];
} OuterRows;

/* Elements of an outer product's operand, at the least, and rows of a batch, at
 * the most, for which a matrix product is worth it. */
#define BATCH_OUTER_LEAST 8
#define BATCH_OUTER_ROWS 64

/* References in a new state: with these it is a chunk of 128 bytes. */
#define BATCH_FIRST_REFERENCES 2

/*
 * A group's state, an expanded object. All groups of an aggregate share one
 * memory context, so that the datum must stay in its place: a transition
 * function that returned anything else would have the others freed with it.
 */
typedef struct BatchState
{
	ExpandedObjectHeader header;
	int nrows; /* that are collected */
	int capacity;
	union
	{
		BatchReference *references;
		OuterRows *outer;
	} rows;
	Oid toastrelid; /* of the references */
	int32 rawsize;
	Tensor *sum; /* of the rows that are no longer collected, a fold; NULL: none yet */
	BatchForm *form;
	BatchReference first[BATCH_FIRST_REFERENCES]; /* until there are more */
} BatchState;

/* A reference that waits for its batch. */
typedef struct PendingRow
{
	BatchState *batch;
	Oid toastrelid;
	int32 rawsize;
	BatchReference reference;
} PendingRow;

/* Rows that wait, a power of two: half of them for the state, half for the place. */
#define PENDING_ROWS 8

/* Those of an aggregate. */
typedef struct PendingRows
{
	uint32 first; /* numbers of rows; the place in rows is by remainder */
	uint32 next;
	PendingRow rows[PENDING_ROWS];
} PendingRows;

/* Collects a reference soon; pending_land does it now with all that wait. */
extern void pending_add(PendingRows *pending, BatchState *batch, Oid toastrelid,
						int32 rawsize, const BatchReference *reference);
extern void pending_land(PendingRows *pending);

/* The form of a sum with this call site, or NULL if it is not batched. The
 * equation is NULL for the sum of tensors as they are. */
extern BatchForm *batch_form(FunctionCallInfo fcinfo, const KernelFunction *function,
							 const CallCache *cache, const Equation *equation);

/* The batch that a state argument is, or NULL. */
extern BatchState *batch_state(Datum state);

/*
 * Are all states of this call site batches, between which rows alternate? Then a
 * state need not be fetched to know where its batch is.
 */
#define batch_collects(form)                                                             \
	((form)->kind == BATCH_ROWS && (form)->hashed && !(form)->flat)
#define batch_of(state)                                                                  \
	((BatchState *) (DatumGetPointer(state) - offsetof(ExpandedObjectHeader, eoh_rw_ptr)))

/* What waits for the states in this aggregate's context. */
extern PendingRows *batch_pending(MemoryContext aggregate);

/* A new state without rows, for this aggregate's context. The datum, to be
 * returned by the transition function, is batch_datum. */
extern BatchState *batch_new(BatchForm *form, MemoryContext aggregate);
#define batch_datum(batch) EOHPGetRWDatum(&(batch)->header)

/* Adds what is collected to the sum, and returns it; it stays the batch's. */
extern Tensor *batch_flush(BatchState *batch);

/*
 * True if the groups of this aggregate may have the given bytes more for what
 * they collect; then they are counted as taken.
 */
extern bool batch_may_grow(const BatchState *batch, Size bytes);

/* Replaces the sum, by a fold that is copied. */
extern void batch_set_sum(BatchState *batch, const Tensor *sum);

/*
 * The result as a tensor in the current context. With keep, what is collected is
 * added up for good: for callers that go on and ask again.
 */
extern Tensor *batch_result(BatchState *batch, bool keep);

/*
 * One transition of a sum of rows; false if the state is to be made or changed
 * as without batches. state is NULL for the first row.
 */
extern bool batch_add_row(BatchForm *form, MemoryContext aggregate, bool isnull,
						  Datum state, Datum value, double scale, Datum *result);

/*
 * The place of another reference, to a value of this table, if it is a stored one,
 * and size; it is counted as collected.
 */
extern BatchReference *batch_place(BatchState *batch, Oid toastrelid, int32 rawsize);

/* As the flush does: collected rows added to sum, or to a new fold. */
extern Tensor *add_references(const BatchState *batch, Tensor *sum);
extern Tensor *add_outer_products(const BatchState *batch, Tensor *sum);

/*
 * A state for outer products of the call's shape; NULL if they are too small
 * for it.
 */
extern BatchState *batch_outer_new(BatchForm *form, const KernelCall *call,
								   MemoryContext aggregate);

/* Collects the call's operands; false if they do not fit the others. */
extern bool batch_add_outer(BatchState *batch, const KernelCall *call);

#endif
