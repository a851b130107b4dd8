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

#include "type/call.h"
#include "type/kernel_spec.h"
#include "type/toast_read.h"

/* The most rows of one call of a kernel. */
#define BATCH_MAX_ROWS 256

/* Members of CustomScan.custom_private. */
enum
{
	BATCH_PRIVATE_COLUMNS, /* Integer: columns of the child's rows */
	BATCH_PRIVATE_FIXED,   /* IntList: 1 for each column that is fixed, see below */
};

/*
 * The scan whose row a cursor over a plan is at, for UPDATE and DELETE ... WHERE
 * CURRENT OF; NULL if there is no single one. And where that row is.
 */
extern ScanState *scan_of_cursor(PlanState *node);
extern ItemPointerData place_of_row(const ScanState *scan);

/* Makes the node known to the executor. */
extern void register_batched_projection(void);

extern const CustomScanMethods batched_projection_scan_methods;

/* Rows that have been read from the child and not returned yet. */
typedef struct RowBuffer
{
	int ncolumns;
	int count;
	int next;                               /* to be returned */
	ItemPointerData places[BATCH_MAX_ROWS]; /* where a cursor has them, if it can */
	Datum *values;                          /* count * ncolumns */
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

/* Values out of line of some rows, read at once. */
typedef struct StoredRows
{
	struct varatt_external first;
	int count; /* with the numbers from the first one's on */
	struct varlena *values[TOAST_READ_MOST];
	bool complete[TOAST_READ_MOST]; /* whether it was found */
	char *memory;
	Size bytes;
} StoredRows;

/*
 * The value of a row, read from its TOAST table with those of further rows that
 * were stored after it; until the next call. NULL if it is stored otherwise, or
 * alone. memory is where values lie, as long as stored is used.
 */
extern const Tensor *stored_row(StoredRows *stored, const RowBuffer *rows, int row,
								int column, MemoryContext memory);

/* An operand of a batched kernel. */
typedef struct BatchedOperand
{
	int argument; /* its number in the call */
	OperandKind kind;
	CallCache *cache; /* of the call, where it has this number */
	int number_in_cache;
	int column;    /* in the rows; -1: evaluated once per scan */
	bool constant; /* cannot differ between the rows of a scan */

	/* its value where it is the same from row to row, read once */
	bool held;
	Datum held_value; /* as it was in the row, to be compared with others */
	void *held_copy;  /* of held_value, or NULL */
	void *flat;       /* what view points into, or NULL if that is held_value */
	double number[2];
	TensorView view;
	void *converted; /* its elements as another type, or NULL */
	TensorView converted_view;

	/* where it varies, its value in the row at hand */
	TensorView loaded;
	ShortValue shorter;
	void *loaded_copy;
	StoredRows stored; /* what the next rows will load */
	double loaded_number[2];

	/* of the batch that is being computed */
	bool varies;
	TensorView first; /* type and bounds of its value in the first row */
	char *stack;      /* the values of its rows one after the other */
	Size stack_bytes;
} BatchedOperand;

/* A call of a kernel in the target list. */
typedef struct BatchedCall
{
	const KernelSpec *kernel;
	FmgrInfo function;
	FunctionCallInfo fcinfo;
	ExprState **expressions; /* of arguments without a column, else NULL */
	int *columns;            /* of arguments; -1 for expressions */
	bool fixed_null;         /* an argument without a column is NULL */
	const bool *fixed_columns;

	int noperands; /* 0 until the first batch */
	BatchedOperand *operands;
	const Equation *equation;
	const MapProgram *program;

	int done; /* rows of the buffer with results */
	Datum results[BATCH_MAX_ROWS];
	bool nulls[BATCH_MAX_ROWS];
	char *output; /* memory for the results of a buffer's first batch */
	Size output_bytes;
} BatchedCall;

/* What EXPLAIN ANALYZE shows. */
typedef struct BatchCounts
{
	int64 batches;
	int64 batched; /* results that were computed in batches */
	int64 single;  /* and those that were computed alone */
} BatchCounts;

/* Where batches get memory from, and how much. */
typedef struct BatchMemory
{
	MemoryContext node;   /* as long as the node */
	MemoryContext scan;   /* until the node is rescanned */
	MemoryContext buffer; /* until the buffer is filled again */
	Size limit;           /* bytes, of each of rows, stacks and results */
} BatchMemory;

/* Computes the call for the row, and for as many of the rows after it as can be
 * computed with it. */
extern void compute_batch(BatchedCall *call, const RowBuffer *rows, int row,
						  const BatchMemory *memory, BatchCounts *counts);

/* Evaluates the arguments that do not depend on rows, at the start of a scan. */
extern void begin_batched_call(BatchedCall *call, ExprContext *econtext,
							   const BatchMemory *memory);

/* Forgets what belongs to the scan, before it begins again. */
extern void end_batched_call(BatchedCall *call);

#endif
