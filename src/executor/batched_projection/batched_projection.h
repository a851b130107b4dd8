/*-------------------------------------------------------------------------
 *
 * batched_projection.h
 *	  A custom scan that computes kernels of a target list for many rows at a
 *	  time: what its plan says, and what its files share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXECUTOR_BATCHED_PROJECTION_H
#define EXECUTOR_BATCHED_PROJECTION_H

#include "postgres.h"

#include "nodes/extensible.h"

#include "executor/row_nodes.h"
#include "type/call.h"
#include "type/kernel_spec.h"
#include "type/toast_read.h"

/* The most rows that one call of a kernel computes. */
#define BATCH_MAX_ROWS 256

/* Members of CustomScan.custom_private. */
enum
{
	BATCH_PRIVATE_COLUMNS, /* Integer: columns of the child's rows */
	/* IntList: 1 for each column that has one value in all rows of a scan */
	BATCH_PRIVATE_FIXED,
};

/*
 * Returns the table scan whose current row is that of a cursor over a plan, for UPDATE
 * and DELETE ... WHERE CURRENT OF; NULL if there is no single scan. place_of_row returns
 * the row's tuple identifier.
 */
extern ScanState *scan_of_cursor(PlanState *node);
extern ItemPointerData place_of_row(const ScanState *scan);

extern const RowNode batched_projection_node;

/* Rows that have been read from the child and not returned yet. */
typedef struct RowBuffer
{
	int ncolumns;
	int count;
	int next; /* the row to return next */
	/* the rows' tuple identifiers, for WHERE CURRENT OF */
	ItemPointerData places[BATCH_MAX_ROWS];
	Datum *values; /* count * ncolumns */
	bool *nulls;
} RowBuffer;

static inline Datum
row_value(const RowBuffer *rows, int row, int column)
{
	return rows->values[(Size) row * rows->ncolumns + column];
}

static inline bool
row_is_null(const RowBuffer *rows, int row, int column)
{
	return rows->nulls[(Size) row * rows->ncolumns + column];
}

/* TOAST values of consecutive rows, read together. */
typedef struct StoredRows
{
	struct varatt_external first;
	int count; /* number of values, whose TOAST identifiers follow that of first */
	struct varlena *values[TOAST_READ_MOST];
	bool complete[TOAST_READ_MOST]; /* whether all of the value was found */
	char *memory;
	Size bytes;
} StoredRows;

/*
 * Returns the value of a row, valid until the next call, and reads ahead the values of
 * further rows that were stored after it in the TOAST table. NULL if the value is not in
 * a TOAST table, or is the only one to read. The values are in memory, which has to live
 * as long as stored.
 */
extern const Tensor *stored_row(StoredRows *stored, const RowBuffer *rows, int row,
								int column, MemoryContext memory);

/* An operand of a batched kernel. */
typedef struct BatchedOperand
{
	int argument; /* its number in the call */
	OperandKind kind;
	CallCache *cache; /* of the call, in which this operand has the number: */
	int number_in_cache;
	int column;    /* of the rows; -1: the operand is evaluated once per scan */
	bool constant; /* cannot differ between the rows of a scan */

	/* its value if that is the same from row to row; read once */
	bool held;
	Datum held_value; /* as it was in the row, to be compared with other rows' values */
	void *held_copy;  /* of held_value, or NULL */
	/* where the elements of view are, if they are not in held_value: */
	ShortValue held_shorter;
	void *flat; /* or NULL */
	double number[2];
	TensorView view;
	void *converted; /* the elements converted to another type, or NULL */
	TensorView converted_view;

	/* its value in the current row if it varies */
	TensorView loaded;
	ShortValue shorter;
	void *loaded_copy;
	StoredRows stored; /* values that further rows will load */
	double loaded_number[2];

	/* in the batch that is being computed */
	bool varies;
	TensorView first; /* type and bounds of the operand's value in the first row */
	char *stack;      /* the values of the batch's rows, one after the other */
	Size stack_bytes;
} BatchedOperand;

/* A call of a kernel in the target list. */
typedef struct BatchedCall
{
	const KernelSpec *kernel;
	FmgrInfo function;
	FunctionCallInfo fcinfo;
	/* by argument: evaluates an argument without a column, else NULL */
	ExprState **expressions;
	int *columns;    /* by argument: its column in the rows, -1: it has an expression */
	bool fixed_null; /* an argument without a column is NULL, and so are all results */
	const bool *fixed_columns;

	int noperands; /* 0: not determined before the first batch */
	BatchedOperand *operands;
	const Equation *equation;
	const MapProgram *program;

	int done; /* number of rows in the buffer that have results */
	Datum results[BATCH_MAX_ROWS];
	bool nulls[BATCH_MAX_ROWS];
	/* memory for the results of a buffer's first batch, used again by the next buffer */
	char *output;
	Size output_bytes;
} BatchedCall;

/* Counts of results that EXPLAIN ANALYZE shows. */
typedef struct BatchCounts
{
	int64 batches;
	int64 batched; /* results that were computed in batches */
	int64 single;  /* results that were computed one by one */
} BatchCounts;

/* The memory contexts of a node for batches, and a limit. */
typedef struct BatchMemory
{
	MemoryContext node;   /* lives as long as the node */
	MemoryContext scan;   /* reset when the node is rescanned */
	MemoryContext buffer; /* reset when the buffer is filled again */
	Size limit;           /* bytes that rows, stacks and results may each take */
} BatchMemory;

/*
 * Computes the call's result for a row, and for as many rows after it as fit in one batch
 * with it.
 */
extern void compute_batch(BatchedCall *call, const RowBuffer *rows, int row,
						  const BatchMemory *memory, BatchCounts *counts);

/* Evaluates the call's arguments that do not depend on rows, at the start of a scan. */
extern void begin_batched_call(BatchedCall *call, ExprContext *econtext,
							   const BatchMemory *memory);

/* Forgets the values of a scan, before the scan begins again. */
extern void end_batched_call(BatchedCall *call);

#endif
