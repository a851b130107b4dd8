/*-------------------------------------------------------------------------
 *
 * call_prepared.c
 *	  Reuses the preparations of a call for later calls of the same shapes.
 *
 * The rows of a query mostly have operands of the same shapes. For short operands,
 * checking the equation and choosing the kernel takes longer than multiplying. So a
 * call site remembers the headers of its last operands and result, and the chosen
 * kernel. It reuses them if the equation's text and the operands' headers are equal:
 * a header describes a value except for its elements.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "compat.h"
#include "kernels/prepared.h"
#include "kernels/vector.h"
#include "type/call_prepared.h"
#include "type/state.h"

/* The header of a tensor, without its elements. */
typedef union Header
{
	Tensor tensor;
	char bytes[TENSOR_HEADER_SIZE(TENSOR_MAX_RANK)];
} Header;

struct PreparedCall
{
	bool known; /* the headers are those of the last call */
	bool ready; /* and a single kernel, einsum, can compute the call */
	Header operands[PREPARED_MAX_OPERANDS]; /* of the operands that are tensors */
	Header result;                          /* of a value, or of the state of a sum */
	ElementType type;                       /* of the operands, numbers included */
	PreparedEinsum einsum;
};

static inline bool
same_header(const Tensor *a, const Tensor *b)
{
	/* compares format, type, rank and flags at once */
	if (memcmp(&a->format, &b->format, 4) != 0)
		return false;
	for (int d = 0; d < a->rank; d++)
		if (a->bounds[d] != b->bounds[d])
			return false;
	return true;
}

/* Writes a number as an element of the given type. */
static inline void
set_scalar(double *element, double value, ElementType type)
{
	if (element_is_single(type))
	{
		((float *) element)[0] = (float) value;
		((float *) element)[1] = 0;
	}
	else
	{
		element[0] = value;
		element[1] = 0;
	}
}

/* Returns operand i, of a numeric SQL type, as float8; fast for float8 and float4. */
static inline double
operand_number(CallCache *cache, int i, Datum value)
{
	ElementType type;

	if (cache->kinds[i] == OPERAND_FLOAT8)
		return DatumGetFloat8(value);
	if (cache->kinds[i] == OPERAND_FLOAT4)
		return DatumGetFloat4(value);
	return number_operand(cache, i, value, &type);
}

/*
 * Returns the call remembered at this call site if it has the same equation, else NULL.
 */
static inline const PreparedCall *
known_call(FunctionCallInfo fcinfo, int first)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	const CallCache *cache = flinfo ? (const CallCache *) flinfo->fn_extra : NULL;
	const PreparedCall *prepared = cache ? cache->prepared : NULL;

	if (prepared == NULL || !prepared->ready ||
		cache->noperands != PG_NARGS() - first - 1 ||
		!is_call_equation(cache, PG_GETARG_DATUM(first)))
		return NULL;
	return prepared;
}

/*
 * Finds the elements of the operands; false unless the operands have the remembered
 * shapes.
 */
static inline bool
find_elements(FunctionCallInfo fcinfo, int first, const PreparedCall *prepared,
			  PreparedOperands *operands)
{
	CallCache *cache = (CallCache *) fcinfo->flinfo->fn_extra;

	for (int i = 0; i < cache->noperands; i++)
	{
		Datum value = PG_GETARG_DATUM(first + 1 + i);
		const Tensor *tensor;

		if (cache->kinds[i] != OPERAND_TENSOR)
		{
			set_scalar(operands->scalars[i], operand_number(cache, i, value),
					   prepared->type);
			operands->data[i] = operands->scalars[i];
			continue;
		}
		tensor = plain_tensor(value, &operands->shorts[i]);
		if (tensor == NULL || !same_header(tensor, &prepared->operands[i].tensor))
			return false;
		operands->data[i] = tensor_elements(tensor);
	}
	return true;
}

const PreparedCall *
find_prepared_call(FunctionCallInfo fcinfo, int first, PreparedOperands *operands)
{
	const PreparedCall *prepared = known_call(fcinfo, first);

	if (prepared == NULL || !find_elements(fcinfo, first, prepared, operands))
		return NULL;
	return prepared;
}

/*
 * Adds a number times a vector to the state, the usual step of the product of a sparse
 * and a dense matrix. False if the operands are not a number and a vector.
 */
static inline bool
add_scaled_vector(FunctionCallInfo fcinfo, int first, const PreparedCall *prepared,
				  Tensor *state)
{
	CallCache *cache = (CallCache *) fcinfo->flinfo->fn_extra;
	int number = prepared->einsum.number == ROLE_A ? 0 : 1;
	const Tensor *vector = (const Tensor *) PG_GETARG_POINTER(first + 2 - number);

	if (cache->kinds[number] == OPERAND_TENSOR ||
		cache->kinds[1 - number] != OPERAND_TENSOR || !VARATT_IS_4B_U(vector) ||
		!same_header(vector, &prepared->operands[1 - number].tensor))
		return false;
	vector_axpy(prepared->type, (ElementType) state->type, prepared->einsum.plan.m.extent,
				operand_number(cache, number, PG_GETARG_DATUM(first + 1 + number)),
				tensor_elements(vector), tensor_elements(state));
	return true;
}

bool
add_prepared_call(FunctionCallInfo fcinfo, int first, Tensor *state)
{
	const PreparedCall *prepared = known_call(fcinfo, first);
	PreparedOperands operands;

	if (prepared == NULL || !same_header(state, &prepared->result.tensor))
		return false;
	if (prepared->einsum.axpy && add_scaled_vector(fcinfo, first, prepared, state))
		return true;
	if (!find_elements(fcinfo, first, prepared, &operands))
		return false;
	einsum_run(&prepared->einsum, operands.data, 1, tensor_elements(state));
	return true;
}

Tensor *
prepared_result(const PreparedCall *prepared)
{
	const Tensor *header = &prepared->result.tensor;
	Tensor *tensor = palloc0(VARSIZE(header));

	memcpy(tensor, header, offsetof(Tensor, bounds) + sizeof(int32) * header->rank);
	return tensor;
}

bool
prepared_result_is_number(const PreparedCall *prepared, ElementType *type)
{
	*type = (ElementType) prepared->result.tensor.type;
	return prepared->result.tensor.rank == 0 && !element_is_complex(*type);
}

void
run_prepared_call(const PreparedCall *prepared, const PreparedOperands *operands,
				  void *out)
{
	einsum_run(&prepared->einsum, operands->data, 1, out);
}

void
forget_prepared_call(PreparedCall *prepared)
{
	prepared->known = prepared->ready = false;
}

/* Makes the header of a contiguous tensor of the view's type and shape. */
static void
make_header(const TensorView *view, uint8 flags, Header *header)
{
	tensor_write_header(&header->tensor, view->type, view->rank, view->bounds);
	header->tensor.flags = flags;
}

/* Is this the header of the view? If not, replaces it by the view's. */
static bool
keep_header(const TensorView *view, uint8 flags, Header *header)
{
	Header found;

	make_header(view, flags, &found);
	if (same_header(&found.tensor, &header->tensor))
		return true;
	*header = found;
	return false;
}

/* Can calls with such operands be prepared? */
static bool
can_prepare(const CallCache *cache, const Operands *operands, ElementType type)
{
	if (operands->count > PREPARED_MAX_OPERANDS)
		return false;
	for (int i = 0; i < operands->count; i++)
		if (cache->kinds[i] == OPERAND_LITERAL ||
			(cache->kinds[i] == OPERAND_TENSOR && operands->views[i]->type != type))
			return false;
	return true;
}

void
run_and_remember(CallCache *cache, const Equation *equation, Operands *operands,
				 ElementType type, TensorView *out)
{
	PreparedCall *prepared = cache->prepared;
	const void *data[PREPARED_MAX_OPERANDS] = {NULL};
	bool same;

	if (!can_prepare(cache, operands, type))
	{
		if (prepared)
			forget_prepared_call(prepared);
		convert_operands(operands, type);
		einsum_accumulate(equation, operands->views, 1.0, out);
		return;
	}
	if (prepared == NULL)
		prepared = cache->prepared =
			MemoryContextAllocZero(cache->context, sizeof(PreparedCall));
	same = prepared->known;
	same &= prepared->type == type;
	prepared->type = type;
	same &= keep_header(out, out->type == type ? 0 : FOLD_SINGLE, &prepared->result);
	for (int i = 0; i < operands->count; i++)
		if (cache->kinds[i] == OPERAND_TENSOR)
			same &= keep_header(operands->views[i], 0, &prepared->operands[i]);
	convert_operands(operands, type); /* only numbers are still of another type */
	if (!same)
	{
		prepared->ready =
			einsum_prepare(equation, operands->views, out, &prepared->einsum);
		prepared->known = true;
	}
	if (!prepared->ready)
	{
		einsum_accumulate(equation, operands->views, 1.0, out);
		return;
	}
	for (int i = 0; i < operands->count; i++)
		data[i] = operands->views[i]->data;
	einsum_run(&prepared->einsum, data, 1.0, out->data);
}
