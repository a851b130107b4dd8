/*-------------------------------------------------------------------------
 *
 * compute.c
 *	  Kernels computed for many rows at a time.
 *
 * The rows of a batch are one more label: operands that vary have it first,
 * their values lying one after the other, and so has the result. a,ab->b becomes
 * za,ab->zb, a product of matrices. Operands that stay the same lack it.
 *
 * Which operands stay the same is seen from the rows: a batch grows as long as
 * they do, and values have the shape of the batch's first. Whatever does not fit
 * is left to the function itself, and so are all errors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "compat.h"
#include "executor/batched_projection/batched_projection.h"
#include "parser/syntax.h"

/* The largest values, in bytes, whose contents are compared between rows. */
#define COMPARED_BYTES 8192

/*
 * A varying operand pays off if its values are no larger than this, whatever the size of
 * the constant ones.
 */
#define SMALL_ROW_BYTES 1024

/* A batch of rows while it is being filled. */
typedef struct Batch
{
	ElementType type;   /* element type of the result */
	bool typed;         /* the kernel is a map whose operands keep their own types */
	ElementType common; /* otherwise the element type of all operands */
	Equation equation;
	int64 bounds[TENSOR_MAX_RANK]; /* of one result */
	Size element_bytes;            /* of one result */
	int limit;                     /* the most rows of the batch */
	int count;
	int members[BATCH_MAX_ROWS]; /* row numbers in the buffer */
} Batch;

/* Is an argument NULL in this row? Then the result is NULL, too. */
static bool
has_null(const BatchedCall *call, const RowBuffer *rows, int row)
{
	if (call->fixed_null)
		return true;
	for (int i = 0; i < call->fcinfo->nargs; i++)
		if (call->columns[i] >= 0 && row_is_null(rows, row, call->columns[i]))
			return true;
	return false;
}

/* Computes the result of one row by calling the function itself. */
static void
compute_single(BatchedCall *call, const RowBuffer *rows, int row,
			   const BatchMemory *memory, BatchCounts *counts)
{
	FunctionCallInfo fcinfo = call->fcinfo;
	MemoryContext old = MemoryContextSwitchTo(memory->buffer);

	for (int i = 0; i < fcinfo->nargs; i++)
	{
		if (call->columns[i] < 0)
			continue;
		fcinfo->args[i].value = row_value(rows, row, call->columns[i]);
		fcinfo->args[i].isnull = false;
	}
	fcinfo->isnull = false;
	call->results[row] = FunctionCallInvoke(fcinfo);
	call->nulls[row] = fcinfo->isnull;
	call->done = row + 1;
	counts->single++;
	MemoryContextSwitchTo(old);
}

/* Determines the call's operands, before the first batch. */
static void
init_operands(BatchedCall *call, const BatchMemory *memory)
{
	const KernelSpec *kernel = call->kernel;
	FunctionCallInfo fcinfo = call->fcinfo;
	int first = first_operand(kernel);
	MemoryContext old = MemoryContextSwitchTo(memory->node);
	CallCache *cache = get_call_cache(fcinfo, first,
									  kernel->form == FORM_MAP ? MAP_MAX_OPERANDS
															   : EQUATION_MAX_OPERANDS,
									  kernel->name);

	if (kernel->form == FORM_MAP)
		call->program = get_call_map(fcinfo, cache, 0);
	if (kernel->equation)
	{
		Equation *equation = palloc(sizeof(Equation));

		parse_equation(kernel->equation, cache->noperands, equation);
		call->equation = equation;
	}
	else
		call->equation = get_call_equation(fcinfo, cache, first - 1);
	call->operands = palloc0(sizeof(BatchedOperand) * cache->noperands);
	for (int i = 0; i < cache->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];

		operand->argument = first + i;
		operand->kind = cache->kinds[i];
		operand->cache = cache;
		operand->number_in_cache = i;
		operand->column = call->columns[first + i];
		operand->constant = operand->column < 0 || call->fixed_columns[operand->column];
	}
	call->noperands = cache->noperands;
	MemoryContextSwitchTo(old);
}

static Datum
operand_value(const BatchedCall *call, const BatchedOperand *operand,
			  const RowBuffer *rows, int row)
{
	return operand->column < 0 ? call->fcinfo->args[operand->argument].value
							   : row_value(rows, row, operand->column);
}

/* Returns the number that an operand's value is, and its element type. */
static double
number_of(const BatchedOperand *operand, Datum value, ElementType *type)
{
	return number_operand(operand->cache, operand->number_in_cache, value, type);
}

/*
 * Are two values of an operand known to be equal? False if it would cost too much to
 * tell.
 */
static bool
same_value(const BatchedOperand *operand, Datum a, Datum b)
{
	struct varlena *left = (struct varlena *) DatumGetPointer(a);
	struct varlena *right = (struct varlena *) DatumGetPointer(b);
	Size size;

	if (operand->kind != OPERAND_TENSOR)
	{
		ElementType type;
		double x = number_of(operand, a, &type);
		double y = number_of(operand, b, &type);

		return memcmp(&x, &y, sizeof(double)) == 0;
	}
	/*
	 * equal pointers to TOAST values mean equal values; pointers to memory may be reused
	 */
	if ((VARATT_IS_EXTERNAL(left) && !VARATT_IS_EXTERNAL_ONDISK(left)) ||
		(VARATT_IS_EXTERNAL(right) && !VARATT_IS_EXTERNAL_ONDISK(right)))
		return false;
	size = VARSIZE_ANY(left);
	return size == VARSIZE_ANY(right) && size <= COMPARED_BYTES &&
		   memcmp(left, right, size) == 0;
}

static void
release_loaded(BatchedOperand *operand)
{
	if (operand->loaded_copy)
		pfree(operand->loaded_copy);
	operand->loaded_copy = NULL;
}

/* Stores an operand's value, a number, at a place, and makes a view of it. */
static void
view_number(const BatchedOperand *operand, Datum value, double *place, TensorView *view)
{
	ElementType type;

	place[0] = number_of(operand, value, &type);
	if (type == ELEMENT_FLOAT4)
		*(float *) place = (float) place[0];
	view_contiguous(view, type, 0, NULL, place);
}

/* Reads a row's value of an operand into its loaded view, until release_loaded. */
static void
load_value(BatchedOperand *operand, const RowBuffer *rows, int row,
		   const BatchMemory *memory)
{
	Datum value = row_value(rows, row, operand->column);

	if (operand->kind == OPERAND_TENSOR)
	{
		const Tensor *tensor =
			stored_row(&operand->stored, rows, row, operand->column, memory->node);

		if (tensor == NULL)
			tensor = flatten_tensor(value, &operand->shorter, &operand->loaded_copy);
		else if (is_sparse(tensor))
			tensor = operand->loaded_copy = sparse_to_dense(tensor, NULL);
		tensor_view(tensor, &operand->loaded);
		return;
	}
	view_number(operand, value, operand->loaded_number, &operand->loaded);
}

static void
release_held(BatchedOperand *operand)
{
	if (operand->held_copy)
		pfree(operand->held_copy);
	if (operand->flat)
		pfree(operand->flat);
	if (operand->converted)
		pfree(operand->converted);
	operand->held_copy = operand->flat = operand->converted = NULL;
	operand->held = false;
}

/* Makes a value the held value of an operand that does not vary, unless it already is. */
static void
hold_value(BatchedOperand *operand, Datum value, const BatchMemory *memory)
{
	MemoryContext old;
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);

	if (operand->held &&
		(operand->constant || same_value(operand, operand->held_value, value)))
		return;
	release_held(operand);
	old = MemoryContextSwitchTo(memory->scan);
	operand->held_value = value;
	if (!operand->constant &&
		(operand->kind == OPERAND_TENSOR || operand->kind == OPERAND_NUMERIC))
	{
		operand->held_copy = palloc(VARSIZE_ANY(pointer));
		memcpy(operand->held_copy, pointer, VARSIZE_ANY(pointer));
		operand->held_value = PointerGetDatum(operand->held_copy);
	}
	if (operand->kind == OPERAND_TENSOR)
		tensor_view(
			flatten_tensor(operand->held_value, &operand->held_shorter, &operand->flat),
			&operand->view);
	else if (operand->kind == OPERAND_LITERAL)
	{
		operand->flat = tensor_parse(DatumGetCString(value));
		tensor_view(operand->flat, &operand->view);
	}
	else
		view_number(operand, operand->held_value, operand->number, &operand->view);
	operand->held = true;
	MemoryContextSwitchTo(old);
}

/* Returns the held value of an operand, with its elements converted to a type. */
static const TensorView *
held_view(BatchedOperand *operand, ElementType type, const BatchMemory *memory)
{
	if (operand->view.type == type)
		return &operand->view;
	if (operand->converted && operand->converted_view.type == type)
		return &operand->converted_view;
	if (operand->converted)
		pfree(operand->converted);
	operand->converted = NULL;
	operand->converted = MemoryContextAllocHuge(
		memory->scan, Max(view_count(&operand->view), 1) * element_size(type));
	view_contiguous(&operand->converted_view, type, operand->view.rank,
					operand->view.bounds, operand->converted);
	view_copy(&operand->view, &operand->converted_view);
	return &operand->converted_view;
}

/*
 * Decides which operands vary, by comparing two rows; false if all operands vary, or
 * none.
 */
static bool
choose_varying(BatchedCall *call, const RowBuffer *rows, int row, int next)
{
	bool some = false;
	bool all = true;

	for (int i = 0; i < call->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];

		operand->varies = !operand->constant &&
						  !same_value(operand, row_value(rows, row, operand->column),
									  row_value(rows, next, operand->column));
		some |= operand->varies;
		all &= operand->varies;
	}
	return some && !all;
}

/* Returns an operand's value in the first row of the batch. */
static const TensorView *
first_view(const BatchedOperand *operand)
{
	return operand->varies ? &operand->loaded : &operand->view;
}

/* Returns the element type with which the kernel takes an operand. */
static ElementType
operand_type(const BatchedOperand *operand, const Batch *batch)
{
	return batch->typed ? first_view(operand)->type : batch->common;
}

/*
 * Chooses the element types of operands and result; false if the kernel is not defined
 * for them.
 */
static bool
choose_types(const BatchedCall *call, Batch *batch)
{
	ElementType types[EQUATION_MAX_OPERANDS];
	bool same = true;

	for (int i = 0; i < call->noperands; i++)
	{
		types[i] = first_view(&call->operands[i])->type;
		same &= types[i] == types[0];
		batch->common = i == 0 ? types[0] : element_promote(batch->common, types[i]);
	}
	batch->type = batch->common;
	batch->typed = call->program &&
				   (call->program->typed || !same || element_is_complex(batch->common));
	if (batch->typed && map_result_type(call->program, types, &batch->type) >= 0)
		return false;
	return !call->kernel->scalar || !element_is_complex(batch->type);
}

/*
 * Checks the operands as the function does, but returns false where that raises an error.
 */
static bool
check_operands(BatchedCall *call, Batch *batch)
{
	const KernelSpec *kernel = call->kernel;
	const TensorView *views[EQUATION_MAX_OPERANDS];
	int ranks[EQUATION_MAX_OPERANDS];
	int64 extents[EQUATION_MAX_LABELS];
	EquationMismatch mismatch;
	int where;

	for (int i = 0; i < call->noperands; i++)
	{
		views[i] = first_view(&call->operands[i]);
		ranks[i] = views[i]->rank;
		if (views[i]->rank == TENSOR_MAX_RANK)
			return false;
	}
	if (!choose_types(call, batch))
		return false;
	if (!call->equation->has_ellipsis)
		batch->equation = *call->equation;
	else if (equation_bind(call->equation, ranks, &batch->equation, &where) != BIND_DONE)
		return false;
	if (batch->equation.nlabels >= EQUATION_MAX_LABELS ||
		batch->equation.output.rank >= TENSOR_MAX_RANK ||
		(kernel->scalar && batch->equation.output.rank != 0))
		return false;
	if (!equation_extents(&batch->equation, views, extents, &mismatch))
		return false;
	for (int i = 0; kernel->strict && i < call->noperands; i++)
		for (int d = 0; d < ranks[i]; d++)
			if (views[i]->bounds[d] != extents[batch->equation.operands[i].labels[d]])
				return false;
	output_bounds(&batch->equation, extents, batch->bounds);
	return true;
}

/* Sets the most rows that the batch may have; 1 if a batch would not pay. */
static void
limit_batch(BatchedCall *call, Batch *batch, const BatchMemory *memory)
{
	double result = (double) element_size(batch->type);
	double varying = 0;
	double constant = 0;

	for (int d = 0; d < batch->equation.output.rank; d++)
		result *= (double) batch->bounds[d];
	for (int i = 0; i < call->noperands; i++)
	{
		const BatchedOperand *operand = &call->operands[i];
		double bytes = (double) element_size(operand_type(operand, batch)) *
					   (double) view_count(first_view(operand));

		if (operand->varies)
			varying += bytes;
		else
			constant += bytes;
	}
	batch->limit = 1;
	if (varying > constant && varying > SMALL_ROW_BYTES)
		return;
	result += TENSOR_HEADER_SIZE(TENSOR_MAX_RANK);
	if (2 * (varying + result) > (double) memory->limit)
		return;
	batch->limit =
		(int) Min((double) BATCH_MAX_ROWS, (double) memory->limit / (varying + result));
	batch->element_bytes = (Size) (result - TENSOR_HEADER_SIZE(TENSOR_MAX_RANK));
}

/* Copies an operand's loaded value behind those in its stack. */
static void
stack_value(BatchedOperand *operand, const Batch *batch)
{
	const TensorView *from = &operand->loaded;
	ElementType type = batch->typed ? from->type : batch->common;
	Size bytes = view_count(from) * element_size(type);
	char *place = operand->stack + bytes * batch->count;
	TensorView to;

	if (from->type == type)
		memcpy(place, from->data, bytes);
	else
	{
		view_contiguous(&to, type, from->rank, from->bounds, place);
		view_copy(from, &to);
	}
	release_loaded(operand);
}

/* Does an operand's loaded value have the type and bounds of those in its stack? */
static bool
fits_batch(const BatchedOperand *operand)
{
	const TensorView *first = &operand->first;
	const TensorView *loaded = &operand->loaded;

	if (loaded->type != first->type || loaded->rank != first->rank)
		return false;
	for (int d = 0; d < loaded->rank; d++)
		if (loaded->bounds[d] != first->bounds[d])
			return false;
	return true;
}

/* Adds a row without NULLs to the batch; false if its values do not fit. */
static bool
add_batch_row(BatchedCall *call, const RowBuffer *rows, int row, Batch *batch,
			  const BatchMemory *memory)
{
	bool fits = true;

	for (int i = 0; fits && i < call->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];

		if (!operand->varies && !operand->constant)
			fits = same_value(operand, operand->held_value,
							  row_value(rows, row, operand->column));
	}
	for (int i = 0; fits && i < call->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];

		if (!operand->varies)
			continue;
		load_value(operand, rows, row, memory);
		fits = fits_batch(operand);
	}
	for (int i = 0; i < call->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];

		if (fits && operand->varies)
			stack_value(operand, batch);
		else
			release_loaded(operand);
	}
	if (fits)
		batch->members[batch->count++] = row;
	return fits;
}

/* Makes memory for the operands' stacks, for as many rows as the batch may have. */
static void
reserve_stacks(BatchedCall *call, const Batch *batch, const BatchMemory *memory)
{
	for (int i = 0; i < call->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];
		Size bytes;

		if (!operand->varies)
			continue;
		operand->first = operand->loaded;
		bytes = Max(view_count(&operand->loaded), 1) *
				element_size(operand_type(operand, batch)) * batch->limit;
		if (bytes <= operand->stack_bytes)
			continue;
		if (operand->stack)
			pfree(operand->stack);
		operand->stack = NULL;
		operand->stack_bytes = 0;
		operand->stack = MemoryContextAlloc(memory->node, bytes);
		operand->stack_bytes = bytes;
	}
}

/* Adds the label of rows in front of a term's labels. */
static void
add_row_label(EquationTerm *term, int label)
{
	memmove(term->labels + 1, term->labels, term->rank);
	term->labels[0] = (uint8) label;
	term->rank++;
}

/*
 * Returns zeroed memory for results. A buffer's first batch uses the memory of the last
 * buffer's again.
 */
static char *
result_memory(BatchedCall *call, const Batch *batch, Size bytes,
			  const BatchMemory *memory)
{
	if (batch->members[0] != 0)
		return MemoryContextAllocZero(memory->buffer, bytes);
	if (bytes > call->output_bytes)
	{
		if (call->output)
			pfree(call->output);
		call->output = NULL;
		call->output_bytes = 0;
		call->output = MemoryContextAlloc(memory->node, bytes);
		call->output_bytes = bytes;
	}
	return memset(call->output, 0, bytes);
}

/*
 * Makes memory for the results, a header and elements for each row, so that the kernel
 * writes the elements in place.
 */
static void
make_results(BatchedCall *call, const Batch *batch, TensorView *out,
			 const BatchMemory *memory)
{
	int rank = batch->equation.output.rank;
	Size element = element_size(batch->type);
	Size header = call->kernel->scalar ? 0 : TENSOR_HEADER_SIZE(rank);
	Size step = TYPEALIGN(Max(MAXIMUM_ALIGNOF, element), header + batch->element_bytes);
	int64 stride = 1;
	char *memory_of_results;

	if (call->kernel->scalar)
		step = element;
	memory_of_results = result_memory(call, batch, step * batch->count, memory);
	out->type = batch->type;
	out->rank = rank + 1;
	out->bounds[0] = batch->count;
	out->strides[0] = (int64) (step / element);
	for (int d = rank; d >= 1; d--)
	{
		out->bounds[d] = batch->bounds[d - 1];
		out->strides[d] = stride;
		stride *= out->bounds[d];
	}
	out->data = memory_of_results + header;
	for (int m = 0; m < batch->count && !call->kernel->scalar; m++)
	{
		Tensor *tensor = (Tensor *) (memory_of_results + step * m);

		tensor_write_header(tensor, batch->type, rank, batch->bounds);
		call->results[batch->members[m]] = PointerGetDatum(tensor);
	}
}

/* Runs the kernel over the stacked rows of a batch. */
static void
run_batch(BatchedCall *call, Batch *batch, const BatchMemory *memory)
{
	TensorView stacked[EQUATION_MAX_OPERANDS];
	const TensorView *views[EQUATION_MAX_OPERANDS];
	TensorView out;
	int label = batch->equation.nlabels;

	make_results(call, batch, &out, memory);
	batch->equation.letters[batch->equation.nlabels++] = '.';
	for (int i = 0; i < call->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];
		int64 bounds[TENSOR_MAX_RANK];

		if (!operand->varies)
		{
			views[i] = held_view(operand, operand_type(operand, batch), memory);
			continue;
		}
		add_row_label(&batch->equation.operands[i], label);
		bounds[0] = batch->count;
		memcpy(bounds + 1, operand->first.bounds, sizeof(int64) * operand->first.rank);
		view_contiguous(&stacked[i], batch->typed ? operand->first.type : batch->common,
						operand->first.rank + 1, bounds, operand->stack);
		views[i] = &stacked[i];
	}
	add_row_label(&batch->equation.output, label);

	if (batch->typed)
		map_accumulate_typed(call->program, &batch->equation, views, REDUCTION_SUM, &out);
	else if (call->program)
		map_accumulate(call->program, &batch->equation, views, REDUCTION_SUM, &out);
	else
		einsum_accumulate(&batch->equation, views, 1.0, &out);
	for (int m = 0; m < batch->count && call->kernel->scalar; m++)
		call->results[batch->members[m]] = Float8GetDatum(
			batch->type == ELEMENT_FLOAT4 ? (double) ((const float *) out.data)[m]
										  : ((const double *) out.data)[m]);
}

/* Begins a batch with this row; false if the row has to be computed alone. */
static bool
begin_batch(BatchedCall *call, const RowBuffer *rows, int row, int next, Batch *batch,
			const BatchMemory *memory)
{
	bool pays;

	if (call->noperands == 0)
		init_operands(call, memory);
	if (!choose_varying(call, rows, row, next))
		return false;
	for (int i = 0; i < call->noperands; i++)
	{
		BatchedOperand *operand = &call->operands[i];

		if (operand->varies)
			load_value(operand, rows, row, memory);
		else
			hold_value(operand, operand_value(call, operand, rows, row), memory);
	}
	pays = check_operands(call, batch);
	if (pays)
		limit_batch(call, batch, memory);
	if (!pays || batch->limit < 2)
	{
		for (int i = 0; i < call->noperands; i++)
			release_loaded(&call->operands[i]);
		return false;
	}
	batch->limit = Min(batch->limit, rows->count - row);
	reserve_stacks(call, batch, memory);
	batch->count = 0;
	for (int i = 0; i < call->noperands; i++)
		if (call->operands[i].varies)
			stack_value(&call->operands[i], batch);
	batch->members[batch->count++] = row;
	return true;
}

void
compute_batch(BatchedCall *call, const RowBuffer *rows, int row,
			  const BatchMemory *memory, BatchCounts *counts)
{
	MemoryContext old;
	Batch batch;
	int next;

	if (has_null(call, rows, row))
	{
		call->nulls[row] = true;
		call->done = row + 1;
		return;
	}
	for (next = row + 1; next < rows->count; next++)
		if (!has_null(call, rows, next))
			break;
	old = MemoryContextSwitchTo(memory->buffer);
	if (next >= rows->count || !begin_batch(call, rows, row, next, &batch, memory))
	{
		MemoryContextSwitchTo(old);
		compute_single(call, rows, row, memory, counts);
		return;
	}
	for (next = row + 1; next < rows->count && batch.count < batch.limit; next++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!has_null(call, rows, next) &&
			!add_batch_row(call, rows, next, &batch, memory))
			break;
	}
	run_batch(call, &batch, memory);
	for (int i = row; i < next; i++)
		call->nulls[i] = has_null(call, rows, i);
	call->done = next;
	counts->batches++;
	counts->batched += batch.count;
	MemoryContextSwitchTo(old);
}

void
begin_batched_call(BatchedCall *call, ExprContext *econtext, const BatchMemory *memory)
{
	MemoryContext old = MemoryContextSwitchTo(memory->scan);

	call->fixed_null = false;
	for (int i = 0; i < call->fcinfo->nargs; i++)
	{
		bool isnull;

		if (call->expressions[i] == NULL)
			continue;
		/* in the scan's memory, like all that the evaluation allocates */
		call->fcinfo->args[i].value =
			ExecEvalExpr(call->expressions[i], econtext, &isnull);
		call->fcinfo->args[i].isnull = isnull;
		call->fixed_null |= isnull;
	}
	MemoryContextSwitchTo(old);
}

void
end_batched_call(BatchedCall *call)
{
	for (int i = 0; i < call->noperands; i++)
		release_held(&call->operands[i]);
	call->done = 0;
}
