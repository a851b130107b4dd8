/*-------------------------------------------------------------------------
 *
 * batch_rows.c
 *	  Sums of a number times a tensor that is stored out of line.
 *
 * A product of a sparse and a dense matrix is such a sum: each nonzero element is
 * multiplied with a row of the dense matrix. Joined tuples are unordered: each alone
 * needs two rows that the processor's caches lack, the value and the group's
 * sum. Collected, a tuple leaves 16 bytes behind. When they are added up, the
 * sum stays in the first cache, and the values are prefetched.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "miscadmin.h"

#include "compat.h"
#include "kernels/vector.h"
#include "type/batch.h"
#include "type/state.h"

/*
 * The number of references that a group collects before it adds them up: 1 kB of them.
 * The sum is then read and written once for all of them, which costs little against
 * reading the values. Hashed groups may collect more, together half of work_mem: reading
 * values evicts the hash tables of joins and groups from the processor's caches, so it
 * should happen rarely.
 */
#define MANY_REFERENCES 64
#define MOST_REFERENCES 65536

/* Slots of the cache to prefetch. */
#define PREFETCHED 64

/* A window has at most this many values, and gets no further one beyond WINDOW_BYTES. */
#define WINDOW 8
#define WINDOW_BYTES (256 * 1024)

/* Can a value be added to the sum element by element, without conversion? */
static inline bool
same_layout(const Tensor *sum, const Tensor *tensor)
{
	return tensor->type == fold_type(sum) && tensor->flags == 0 &&
		   sum->type == element_double(fold_type(sum)) && tensor->rank == sum->rank &&
		   !element_is_complex((ElementType) sum->type) &&
		   memcmp(tensor->bounds, sum->bounds, sizeof(int32) * sum->rank) == 0;
}

/*
 * Adds a value in the general way: the first value of a group, a value that must be
 * converted, or one that raises an error. Returns the sum, which may be a new palloc'd
 * tensor.
 */
static Tensor *
add_any(const BatchForm *form, Tensor *sum, const Tensor *tensor, double scale)
{
	KernelCall call;
	Operands *operands = &call.operands;
	ElementType type = fold_type(tensor);
	int rank;
	Tensor *fitting;
	TensorView out;

	call.function = &form->function;
	call.equation = &form->equation;
	call.program = NULL;
	call.cache = NULL;
	reset_operands(operands);
	for (int i = 0; i <= (form->number >= 0); i++)
	{
		if (i == form->number)
			load_scalar(operands, scale, form->number_type);
		else
			load_tensor(operands, tensor);
	}
	if (form->any_shape)
	{
		rank = tensor->rank;
		for (int d = 0; d < rank; d++)
			call.bounds[d] = tensor->bounds[d];
	}
	else
	{
		finish_kernel_call(&call);
		type = call.type;
		rank = form->equation.output.rank;
	}

	if (sum == NULL)
		fitting = fold_state_new(REDUCTION_SUM, type, rank, call.bounds);
	else
		fitting = fit_fold_state(sum, REDUCTION_SUM, type, rank, call.bounds,
								 form->function.name);
	tensor_view(fitting, &out);
	if (form->any_shape)
	{
		if (element_double((ElementType) tensor->type) != out.type)
			convert_operands(operands, out.type);
		reduction_accumulate(REDUCTION_SUM, operands->views[0], &out);
	}
	else
		run_kernel(&call, &out);
	release_operands(operands);
	return fitting;
}

/* Values of some successive references, while they are added. */
typedef struct Window
{
	int count;
	const Tensor *values[WINDOW];
	int nread; /* values read from the cache, to be released */
	int ncopies;
	void *copies[2 * WINDOW]; /* values read without the cache, and values made dense */
} Window;

/* Returns the TOAST pointer of a reference in the batch. */
static inline struct varatt_external
reference_pointer(const BatchState *batch, int i)
{
	struct varatt_external pointer;

	pointer.va_rawsize = batch->rawsize;
	pointer.va_extinfo = batch->rows.references[i].extinfo;
	pointer.va_valueid = batch->rows.references[i].valueid;
	pointer.va_toastrelid = batch->toastrelid;
	return pointer;
}

/* Reads the values of some references, from number first on, into a window. */
static void
open_window(Window *window, DetoastCache *cache, const BatchState *batch, int first)
{
	int count = Min(batch->nrows - first, WINDOW);
	Size bytes = 0;

	window->count = 0;
	window->nread = 0;
	window->ncopies = 0;
	while (window->count < count && bytes < WINDOW_BYTES)
	{
		struct varatt_external pointer = reference_pointer(batch, first + window->count);
		struct varlena *value = cache ? cache_fetch(cache, &pointer) : NULL;

		if (value)
		{
			window->nread++;
			__builtin_prefetch(value);
		}
		else
			window->copies[window->ncopies++] = value = fetch_value(&pointer);
		if (is_sparse((const Tensor *) value))
			window->copies[window->ncopies++] = value =
				(struct varlena *) sparse_to_dense((const Tensor *) value, NULL);
		window->values[window->count++] = (const Tensor *) value;
		bytes += VARSIZE(value);
	}
}

static void
close_window(Window *window, DetoastCache *cache)
{
	for (int i = 0; i < window->ncopies; i++)
		pfree(window->copies[i]);
	for (int i = 0; i < window->nread; i++)
		release_cached(cache);
}

/*
 * Returns the address of a reference's value in the cache, for prefetching only, or NULL.
 */
static inline const void *
value_place(const BatchState *batch, DetoastCache *cache, int i)
{
	struct varatt_external pointer;

	if (cache == NULL)
		return NULL;
	pointer = reference_pointer(batch, i);
	return cache_place(cache, &pointer);
}

/*
 * Adds the values of a window, whose references begin at number first, to the sum, while
 * the next values are prefetched. Returns the sum.
 */
static Tensor *
add_window(const BatchState *batch, const Window *window, int first,
		   const void *const *next, int nnext, Tensor *sum)
{
	const void *rows[WINDOW];
	double scales[WINDOW];
	int nrows = 0;

	for (int i = 0; i < window->count; i++)
	{
		const Tensor *tensor = window->values[i];
		double scale = batch->rows.references[first + i].scale;
		Tensor *after;

		if (sum && same_layout(sum, tensor))
		{
			rows[nrows] = tensor_elements(tensor);
			scales[nrows++] = scale;
			continue;
		}
		/* before add_any, which may replace the sum */
		if (nrows > 0)
			vector_axpy_rows(fold_type(sum), (ElementType) sum->type, tensor_count(sum),
							 nrows, scales, rows, NULL, 0, tensor_elements(sum));
		nrows = 0;
		after = add_any(batch->form, sum, tensor, scale);
		if (sum && sum != after && sum != batch->sum)
			pfree(sum);
		sum = after;
	}
	if (nrows > 0)
		vector_axpy_rows(fold_type(sum), (ElementType) sum->type, tensor_count(sum),
						 nrows, scales, rows, next, nnext, tensor_elements(sum));
	return sum;
}

Tensor *
add_references(const BatchState *batch, Tensor *sum)
{
	const BatchForm *form = batch->form;
	DetoastCache *cache = query_cache(form->query);
	Window window;
	int slots = 0;  /* cache slots prefetched so far */
	int values = 0; /* values prefetched so far */
	const void *next[WINDOW];
	int nnext;

	/* more than two references per value: nearly all values will be read */
	if (cache && batch->nrows > 0 && batch->toastrelid == form->toastrelid &&
		form->collected > 2 * ((int64) form->greatest - form->least))
	{
		struct varatt_external pointer = reference_pointer(batch, 0);

		cache_expect(cache, &pointer, form->least, form->greatest);
	}
	for (int start = 0; start < batch->nrows; start += window.count)
	{
		for (; cache && slots < Min(start + PREFETCHED, batch->nrows); slots++)
		{
			struct varatt_external pointer = reference_pointer(batch, slots);

			cache_prefetch(cache, &pointer);
		}
		open_window(&window, cache, batch, start);
		nnext = 0;
		for (values = Max(values, start + window.count);
			 values < Min(start + window.count + WINDOW, batch->nrows); values++)
		{
			next[nnext] = value_place(batch, cache, values);
			__builtin_prefetch(next[nnext]);
			nnext += next[nnext] != NULL;
		}
		sum = add_window(batch, &window, start, next, nnext, sum);
		close_window(&window, cache);
		CHECK_FOR_INTERRUPTS();
	}
	return sum;
}

/* Adds a value to the batch's sum immediately, without collecting it. */
static void
add_uncollected(BatchState *batch, Datum value, double scale)
{
	ShortValue shorter;
	void *copy = NULL;
	const Tensor *tensor = flatten_tensor(value, &shorter, &copy);

	if (batch->sum && same_layout(batch->sum, tensor))
		vector_axpy((ElementType) tensor->type, (ElementType) batch->sum->type,
					tensor_count(batch->sum), scale, tensor_elements(tensor),
					tensor_elements(batch->sum));
	else
	{
		MemoryContext old = MemoryContextSwitchTo(batch->header.eoh_context);
		Tensor *sum = add_any(batch->form, batch->sum, tensor, scale);

		if (batch->sum && batch->sum != sum)
			pfree(batch->sum);
		batch->sum = sum;
		MemoryContextSwitchTo(old);
	}
	if (copy)
		pfree(copy);
}

/* Makes room for one more reference: gets more memory, or adds up the collected ones. */
static void
make_place(BatchState *batch)
{
	int capacity =
		batch->capacity < MANY_REFERENCES / 4 ? batch->capacity * 4 : batch->capacity * 2;
	BatchReference *references;

	if (batch->capacity >= MANY_REFERENCES &&
		(capacity > MOST_REFERENCES ||
		 !batch_may_grow(batch, sizeof(BatchReference) * batch->capacity)))
	{
		batch_flush(batch);
		return;
	}
	references =
		MemoryContextAlloc(batch->header.eoh_context, sizeof(BatchReference) * capacity);
	memcpy(references, batch->rows.references, sizeof(BatchReference) * batch->nrows);
	if (batch->rows.references != batch->first)
		pfree(batch->rows.references);
	batch->rows.references = references;
	batch->capacity = capacity;
}

/* Counts a collected reference, and extends the form's range of value OIDs by it. */
static inline void
note_value(BatchForm *form, const struct varatt_external *pointer)
{
	if (pointer->va_toastrelid != form->toastrelid)
	{
		form->toastrelid = pointer->va_toastrelid;
		form->least = form->greatest = pointer->va_valueid;
		form->collected = 0;
	}
	form->least = Min(form->least, pointer->va_valueid);
	form->greatest = Max(form->greatest, pointer->va_valueid);
	form->collected++;
}

BatchReference *
batch_place(BatchState *batch, Oid toastrelid, int32 rawsize)
{
	if (toastrelid != batch->toastrelid || rawsize != batch->rawsize)
	{
		batch_flush(batch);
		batch->toastrelid = toastrelid;
		batch->rawsize = rawsize;
	}
	if (batch->nrows == batch->capacity)
		make_place(batch);
	return &batch->rows.references[batch->nrows++];
}

/* Makes a reference to a value that is stored out of line; false for other values. */
static bool
make_reference(BatchForm *form, Datum value, double scale, BatchReference *reference,
			   Oid *toastrelid, int32 *rawsize)
{
	const struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	struct varatt_external pointer;

	reference->scale = scale;
	if (!VARATT_IS_EXTERNAL_ONDISK(datum))
		return false;
	VARATT_EXTERNAL_GET_POINTER(pointer, datum);
	note_value(form, &pointer);
	*toastrelid = pointer.va_toastrelid;
	*rawsize = pointer.va_rawsize;
	reference->valueid = pointer.va_valueid;
	reference->extinfo = pointer.va_extinfo;
	return true;
}

bool
batch_add_row(BatchForm *form, MemoryContext aggregate, bool isnull, Datum state,
			  Datum value, double scale, Datum *result)
{
	BatchState *batch;
	BatchReference reference;
	Oid toastrelid;
	int32 rawsize;
	bool collected =
		make_reference(form, value, scale, &reference, &toastrelid, &rawsize);

	*result = state;
	if (collected && !isnull && batch_collects(form))
	{
		pending_add(batch_pending(aggregate), batch_of(state), toastrelid, rawsize,
					&reference);
		return true;
	}
	batch = isnull ? NULL : batch_state(state);
	if (collected)
	{
		if (batch == NULL)
		{
			batch = batch_new(form, aggregate);
			if (!isnull)
				batch_set_sum(batch, get_fold_state(state));
			*result = batch_datum(batch);
		}
		*batch_place(batch, toastrelid, rawsize) = reference;
		return true;
	}
	form->flat = form->flat || isnull;
	if (batch)
	{
		add_uncollected(batch, value, scale);
		return true;
	}
	if (!isnull)
	{
		/* the usual case of a small value, which needs no checks but these */
		Tensor *sum = (Tensor *) DatumGetPointer(state);
		ShortValue shorter;
		const Tensor *tensor = plain_tensor(value, &shorter);

		if (tensor == NULL || !VARATT_IS_4B_U(sum) ||
			sum->format != TENSOR_FORMAT_DENSE || !same_layout(sum, tensor) ||
			element_promote(fold_type(sum), form->number_type) != fold_type(sum))
			return false;
		vector_axpy((ElementType) tensor->type, (ElementType) sum->type,
					tensor_count(sum), scale, tensor_elements(tensor),
					tensor_elements(sum));
		return true;
	}
	return false;
}
