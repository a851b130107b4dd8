/*-------------------------------------------------------------------------
 *
 * state.c
 *	  tensor_state: its input and output, and what all aggregates share.
 *
 * The state is a type of its own, and not "internal": a flat value needs no
 * serial and deserial functions, goes through parallel workers as it is, and
 * has a text form for what passes partial states between servers as text.
 *
 * Text: a fold is written as its tensor, after "single:" if its result is of
 * single precision; the others as
 *	  stack(dimension,bitmap in hex)tensor
 *	  count(rows)sum
 *	  count(rows)sum;carry
 *	  count(rows)mean;comoment
 * Binary: a byte with the kind ('f', 's', or 'a' and 'c' for a count with one
 * tensor and with two; 'F' and 'A' where the fold is single, which has no
 * carry); for a stack the dimension as a byte and the bitmap with
 * its int32 length before it, for a count the number of rows as an int64; and
 * then the tensors in their binary form, the first of two with its int32 length
 * before it, as a tensor takes the rest of a message.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/batch.h"
#include "type/state.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(tensor_state_in);
PG_FUNCTION_INFO_V1(tensor_state_out);
PG_FUNCTION_INFO_V1(tensor_state_recv);
PG_FUNCTION_INFO_V1(tensor_state_send);
PG_FUNCTION_INFO_V1(tensor_fold_finalfn);

extern Datum tensor_recv(PG_FUNCTION_ARGS);
extern Datum tensor_send(PG_FUNCTION_ARGS);

#define STACK_PREFIX "stack("
#define COUNT_PREFIX "count("
#define SINGLE_PREFIX "single:"

MemoryContext
aggregate_memory(FunctionCallInfo fcinfo, const char *function)
{
	MemoryContext memory;

	if (!AggCheckCallContext(fcinfo, &memory))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("transition function of %s called outside an aggregate",
							   function),
						errhint("Use the aggregate.")));
	return memory;
}

void
check_aggregate_call(FunctionCallInfo fcinfo, const char *function)
{
	aggregate_memory(fcinfo, function);
}

Tensor *
get_fold_state(Datum state)
{
	BatchState *batch = batch_state(state);
	Tensor *tensor = batch ? batch_flush(batch) : (Tensor *) PG_DETOAST_DATUM(state);

	if (tensor->format == STATE_FORMAT_STACK || tensor->format == STATE_FORMAT_COUNT)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("tensor_state belongs to another aggregate")));
	return make_dense(tensor, NULL);
}

/* Returns the element type in which values of this type are reduced. */
static ElementType
accumulated_type(Reduction reduction, ElementType type)
{
	return reduction_rounds(reduction) ? element_double(type) : type;
}

/*
 * Returns the element type of a state for values of this type and shape. Errors: 54000 if
 * the values fit in 1 GB, and the state in double precision does not.
 */
static ElementType
state_type(Reduction reduction, ElementType type, int rank, const int64 *bounds)
{
	ElementType wide = accumulated_type(reduction, type);
	double bytes = element_size(wide);

	for (int d = 0; d < rank; d++)
		bytes *= bounds[d];
	if (wide != type && bytes > MaxAllocSize - TENSOR_HEADER_SIZE(TENSOR_MAX_RANK))
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("values of %s are too large to be added up over rows",
					element_type_name(type)),
			 errdetail("The sum is kept in %s, and a tensor of shape %s does not fit in "
					   "1 GB.",
					   element_type_name(wide), shape_to_string(rank, bounds)),
			 errhint("Keep a dimension as a column instead of inside the value.")));
	return wide;
}

Tensor *
fold_state_new(Reduction reduction, ElementType type, int rank, const int64 *bounds)
{
	Tensor *state = tensor_new(state_type(reduction, type, rank, bounds), rank, bounds);

	state->flags = state->type == type ? 0 : FOLD_SINGLE;
	return state;
}

Tensor *
fit_fold_state(Tensor *state, Reduction reduction, ElementType type, int rank,
			   const int64 *bounds, const char *function)
{
	bool same = state->rank == rank;
	uint8 flags;

	for (int d = 0; same && d < rank; d++)
		same = state->bounds[d] == bounds[d];
	if (!same)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s over tensors of different shapes", function),
				 errdetail("One has shape %s, another %s.", tensor_shape_string(state),
						   shape_to_string(rank, bounds)),
				 errhint("All tensors of a group must have the same shape.")));
	type = element_promote(fold_type(state), type);
	state = tensor_convert(state, state_type(reduction, type, rank, bounds));
	flags = state->type == type ? 0 : FOLD_SINGLE;
	if (state->flags != flags)
		state->flags = flags;
	return state;
}

Tensor *
fold_operand(Tensor *tensor, Reduction reduction, const Tensor *state)
{
	if (accumulated_type(reduction, (ElementType) tensor->type) == state->type)
		return tensor;
	return tensor_convert(tensor, (ElementType) state->type);
}

Tensor *
fold_result(const Tensor *fold)
{
	Tensor *result;

	if (fold->flags & FOLD_SINGLE)
		return tensor_convert(unconstify(Tensor *, fold), fold_type(fold));
	result = palloc(VARSIZE(fold));
	memcpy(result, fold, VARSIZE(fold));
	return result;
}

/* stack */

StackState *
stack_state_new(ElementType type, int rank, const int64 *bounds, int dimension)
{
	Size tensor_size = TENSOR_HEADER_SIZE(rank) +
					   (Size) shape_count(type, rank, bounds) * element_size(type);
	Size size = offsetof(StackState, tensor) + MAXALIGN(tensor_size) +
				STACK_BITMAP_SIZE(bounds[dimension]);
	StackState *state;

	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("tensor is too large"),
				 errdetail(
					 "A %s tensor of shape %s does not fit in 1 GB while it is stacked.",
					 element_type_name(type), shape_to_string(rank, bounds)),
				 errhint("Keep a dimension as a column instead of inside the value.")));
	state = zeroed_in_pieces(size);
	SET_VARSIZE(state, size);
	state->format = STATE_FORMAT_STACK;
	state->dimension = (uint8) dimension;
	tensor_write_header(STACK_TENSOR(state), type, rank, bounds);
	return state;
}

StackState *
get_stack_state(Datum state)
{
	StackState *stack = (StackState *) PG_DETOAST_DATUM(state);

	if (stack->format != STATE_FORMAT_STACK)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("tensor_state belongs to another aggregate")));
	return stack;
}

uint8 *
stack_state_bitmap(const StackState *state)
{
	return (uint8 *) state + offsetof(StackState, tensor) +
		   MAXALIGN(VARSIZE(STACK_TENSOR(state)));
}

/*
 * Builds a stack from a tensor and a bitmap of size bytes that were received as text or
 * binary. Errors: sqlstate if they do not fit together.
 */
static StackState *
stack_state_from(const Tensor *tensor, int dimension, const uint8 *bitmap, Size size,
				 int sqlstate)
{
	int64 bounds[TENSOR_MAX_RANK];
	StackState *state;
	int64 bound;

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[d];
	if (dimension < 0 || dimension >= tensor->rank ||
		size != STACK_BITMAP_SIZE(tensor->bounds[dimension]))
		ereport(ERROR, (errcode(sqlstate), errmsg("malformed tensor_state"),
						errdetail("The positions of a stack do not fit its tensor.")));
	bound = bounds[dimension];
	if (bound % 8 != 0 && bitmap[size - 1] >> (bound % 8) != 0)
		ereport(ERROR, (errcode(sqlstate), errmsg("malformed tensor_state"),
						errdetail("The positions of a stack do not fit its tensor.")));
	state = stack_state_new((ElementType) tensor->type, tensor->rank, bounds, dimension);
	copy_in_pieces(STACK_TENSOR(state), tensor, VARSIZE(tensor));
	memcpy(stack_state_bitmap(state), bitmap, size);
	return state;
}

bool
stack_state_has(const StackState *state, int64 position)
{
	return (stack_state_bitmap(state)[position / 8] >> (position % 8)) & 1;
}

void
stack_slice(const StackState *state, int64 position, TensorView *slice)
{
	TensorView whole;
	int rank = 0;

	tensor_view(STACK_TENSOR(state), &whole);
	slice->type = whole.type;
	slice->data = (char *) whole.data +
				  position * whole.strides[state->dimension] * element_size(whole.type);
	for (int d = 0; d < whole.rank; d++)
	{
		if (d == state->dimension)
			continue;
		slice->bounds[rank] = whole.bounds[d];
		slice->strides[rank] = whole.strides[d];
		rank++;
	}
	slice->rank = rank;
}

StackState *
stack_state_widen(StackState *state, ElementType type)
{
	Tensor *tensor = STACK_TENSOR(state);
	TensorView from;
	TensorView to;
	StackState *wider;

	if (tensor->type == type)
		return state;
	type = element_promote((ElementType) tensor->type, type);
	if (tensor->type == type)
		return state;
	tensor_view(tensor, &from);
	wider = stack_state_new(type, from.rank, from.bounds, state->dimension);
	tensor_view(STACK_TENSOR(wider), &to);
	view_copy(&from, &to);
	memcpy(stack_state_bitmap(wider), stack_state_bitmap(state),
		   STACK_BITMAP_SIZE(from.bounds[state->dimension]));
	return wider;
}

void
stack_state_fill(StackState *state, Number fill)
{
	TensorView number = {.type = ELEMENT_COMPLEX16, .data = &fill};
	TensorView whole;

	if (fill == 0.0 && !signbit(creal(fill)))
		return;
	tensor_view(STACK_TENSOR(state), &whole);
	/* a number with strides of 0 stands at every index */
	number.rank = whole.rank;
	memcpy(number.bounds, whole.bounds, sizeof(number.bounds));
	view_copy(&number, &whole);
}

/* Does single precision lose digits of a number? */
static bool
single_differs(Number number)
{
	return (float) creal(number) != creal(number) ||
		   (float) cimag(number) != cimag(number);
}

StackState *
stack_state_refill(StackState *state, ElementType type, Number fill)
{
	ElementType had = (ElementType) STACK_TENSOR(state)->type;
	StackState *wider = stack_state_widen(state, type);
	const Tensor *tensor = STACK_TENSOR(wider);

	if (wider == state || !element_is_single(had) ||
		element_is_single((ElementType) tensor->type) || !single_differs(fill))
		return wider;
	for (int64 position = 0; position < tensor->bounds[wider->dimension]; position++)
	{
		TensorView number = {.type = ELEMENT_COMPLEX16, .data = &fill};
		TensorView slice;

		if (stack_state_has(wider, position))
			continue;
		CHECK_FOR_INTERRUPTS();
		stack_slice(wider, position, &slice);
		/* a number with strides of 0 stands at every index */
		number.rank = slice.rank;
		memcpy(number.bounds, slice.bounds, sizeof(number.bounds));
		view_copy(&number, &slice);
	}
	return wider;
}

Number
stack_fill_argument(FunctionCallInfo fcinfo, int argument, bool is_tensor,
					ElementType *type)
{
	const Tensor *fill;

	if (!is_tensor)
		return PG_GETARG_FLOAT8(argument);
	fill = PG_GETARG_TENSOR_P(argument);
	*type = element_promote(*type, (ElementType) fill->type);
	return tensor_number(fill);
}

/* counts */

CountState *
count_state_new(int64 count, const Tensor *first, const Tensor *second)
{
	Size size = offsetof(CountState, tensors) + MAXALIGN(VARSIZE(first)) +
				(second ? MAXALIGN(VARSIZE(second)) : 0);
	CountState *state;

	if (!AllocSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("state of the aggregate is too large"),
				 errdetail("It holds a tensor of shape %s and does not fit in 1 GB.",
						   tensor_shape_string(second ? second : first))));
	state = palloc0(size);
	SET_VARSIZE(state, size);
	state->format = STATE_FORMAT_COUNT;
	state->ntensors = second ? 2 : 1;
	state->count = count;
	memcpy(COUNT_FIRST(state), first, VARSIZE(first));
	if (second)
		memcpy(COUNT_SECOND(state), second, VARSIZE(second));
	return state;
}

/* Is the second tensor the carry of a sum? Then it has the sum's shape and type. */
static bool
is_carry(const Tensor *first, const Tensor *second)
{
	return first->rank == second->rank && first->type == second->type &&
		   first->flags == 0 && !element_is_single((ElementType) first->type) &&
		   memcmp(first->bounds, second->bounds, sizeof(int32) * first->rank) == 0;
}

CountState *
get_count_state(Datum state, bool covar)
{
	CountState *counted = (CountState *) PG_DETOAST_DATUM(state);

	if (counted->format != STATE_FORMAT_COUNT ||
		covar != (counted->ntensors > 1 &&
				  !is_carry(COUNT_FIRST(counted), COUNT_SECOND(counted))))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("tensor_state belongs to another aggregate")));
	return counted;
}

/*
 * Builds a count state from parts that were received as text or binary. Errors: sqlstate
 * if they do not fit together.
 */
static CountState *
count_state_from(int64 count, const Tensor *first, const Tensor *second, int sqlstate)
{
	bool fits = count > 0;

	if (second && !is_carry(first, second))
		fits = fits && first->rank == 1 && second->rank == 2 && first->flags == 0 &&
			   second->bounds[0] == first->bounds[0] &&
			   second->bounds[1] == first->bounds[0] && first->type == ELEMENT_FLOAT8 &&
			   second->type == ELEMENT_FLOAT8;
	if (!fits)
		ereport(ERROR,
				(errcode(sqlstate), errmsg("malformed tensor_state"),
				 errdetail("The number of rows and the tensors do not fit together.")));
	return count_state_new(count, first, second);
}

/* Input and output */

/*
 * Marks a fold that was received as text or binary as one of single precision values.
 * Errors: sqlstate if the tensor itself is of single precision.
 */
static Tensor *
make_single(Tensor *tensor, int sqlstate)
{
	if (element_is_single((ElementType) tensor->type))
		ereport(ERROR,
				(errcode(sqlstate), errmsg("malformed tensor_state"),
				 errdetail("A sum of single precision is kept in double precision.")));
	tensor->flags = FOLD_SINGLE;
	return tensor;
}

static Tensor *
parse_fold(const char *text)
{
	if (strncmp(text, SINGLE_PREFIX, strlen(SINGLE_PREFIX)) == 0)
		return make_single(tensor_parse(text + strlen(SINGLE_PREFIX)),
						   ERRCODE_INVALID_TEXT_REPRESENTATION);
	return tensor_parse(text);
}

static char *
fold_to_string(const Tensor *fold)
{
	char *text = tensor_to_string(fold);

	return fold->flags & FOLD_SINGLE ? psprintf(SINGLE_PREFIX "%s", text) : text;
}

/* Reads the text of a count state, after COUNT_PREFIX. */
static CountState *
parse_count_state(const char *text)
{
	char *end;
	char *middle;
	long long count;
	Tensor *second = NULL;

	errno = 0;
	count = strtoll(text, &end, 10);
	if (end == text || *end != ')' || errno != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("malformed tensor_state literal"),
						errdetail("A count is written \"count(rows)tensor\".")));
	middle = strchr(end, ';');
	if (middle)
	{
		*middle = '\0';
		second = tensor_parse(middle + 1);
	}
	return count_state_from(count, parse_fold(end + 1), second,
							ERRCODE_INVALID_TEXT_REPRESENTATION);
}

/* tensor_state_in(cstring): reads the text form described above. */
Datum
tensor_state_in(PG_FUNCTION_ARGS)
{
	char *text = pstrdup(PG_GETARG_CSTRING(0));
	char *end;
	long dimension;
	char *close;
	Size size;
	uint8 *bitmap;

	if (strncmp(text, COUNT_PREFIX, strlen(COUNT_PREFIX)) == 0)
		PG_RETURN_POINTER(parse_count_state(text + strlen(COUNT_PREFIX)));
	if (strncmp(text, STACK_PREFIX, strlen(STACK_PREFIX)) != 0)
		PG_RETURN_POINTER(parse_fold(text));

	dimension = strtol(text + strlen(STACK_PREFIX), &end, 10);
	close = strchr(text, ')');
	if (*end != ',' || close == NULL || dimension < 0 || dimension >= TENSOR_MAX_RANK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("malformed tensor_state literal"),
				 errdetail("A stack is written \"stack(dimension,bitmap)tensor\".")));
	bitmap = palloc(close - end);
	size = hex_decode(end + 1, close - end - 1, (char *) bitmap);
	PG_RETURN_POINTER(stack_state_from(tensor_parse(close + 1), (int) dimension, bitmap,
									   size, ERRCODE_INVALID_TEXT_REPRESENTATION));
}

/* tensor_state_out(tensor_state) */
Datum
tensor_state_out(PG_FUNCTION_ARGS)
{
	Tensor *fold = (Tensor *) PG_GETARG_VARLENA_P(0);
	StackState *stack;
	Tensor *tensor;
	Size size;
	StringInfoData out;

	if (fold->format == TENSOR_FORMAT_DENSE)
		PG_RETURN_CSTRING(fold_to_string(fold));
	if (fold->format == STATE_FORMAT_COUNT)
	{
		CountState *counted = (CountState *) fold;

		initStringInfo(&out);
		appendStringInfo(&out, COUNT_PREFIX INT64_FORMAT ")%s", counted->count,
						 fold_to_string(COUNT_FIRST(counted)));
		if (counted->ntensors > 1)
			appendStringInfo(&out, ";%s", tensor_to_string(COUNT_SECOND(counted)));
		PG_RETURN_CSTRING(out.data);
	}

	stack = get_stack_state(PointerGetDatum(fold));
	tensor = STACK_TENSOR(stack);
	size = STACK_BITMAP_SIZE(tensor->bounds[stack->dimension]);
	initStringInfo(&out);
	appendStringInfo(&out, STACK_PREFIX "%d,", stack->dimension);
	enlargeStringInfo(&out, 2 * size);
	out.len += hex_encode((char *) stack_state_bitmap(stack), size, out.data + out.len);
	out.data[out.len] = '\0';
	appendStringInfoChar(&out, ')');
	appendStringInfoString(&out, tensor_to_string(tensor));
	PG_RETURN_CSTRING(out.data);
}

/* Receives a tensor in its binary form. */
static Tensor *
receive_tensor(StringInfo in)
{
	return DatumGetDenseTensor(DirectFunctionCall3(tensor_recv, PointerGetDatum(in),
												   ObjectIdGetDatum(tensor_type_oid()),
												   Int32GetDatum(-1)));
}

/* Receives the first of two tensors, which has its length before it. */
static Tensor *
receive_first_tensor(StringInfo in)
{
	StringInfoData part = {0};

	part.len = (int) pq_getmsgint(in, 4);
	part.maxlen = part.len;
	part.data = unconstify(char *, pq_getmsgbytes(in, part.len));
	return receive_tensor(&part);
}

/* Returns the binary form of a tensor, or of a fold without its flags. */
static bytea *
tensor_message(const Tensor *tensor)
{
	if (tensor->flags)
	{
		Tensor *copy = palloc(VARSIZE(tensor));

		memcpy(copy, tensor, VARSIZE(tensor));
		copy->flags = 0;
		tensor = copy;
	}
	return DatumGetByteaPP(DirectFunctionCall1(tensor_send, PointerGetDatum(tensor)));
}

static void
send_tensor(StringInfo out, const Tensor *tensor)
{
	bytea *sent = tensor_message(tensor);

	pq_sendbytes(out, VARDATA_ANY(sent), VARSIZE_ANY_EXHDR(sent));
}

static void
send_first_tensor(StringInfo out, const Tensor *tensor)
{
	bytea *sent = tensor_message(tensor);

	pq_sendint32(out, (uint32) VARSIZE_ANY_EXHDR(sent));
	pq_sendbytes(out, VARDATA_ANY(sent), VARSIZE_ANY_EXHDR(sent));
}

/* tensor_state_recv(internal) */
Datum
tensor_state_recv(PG_FUNCTION_ARGS)
{
	StringInfo in = (StringInfo) PG_GETARG_POINTER(0);
	int kind = pq_getmsgbyte(in);
	int dimension = 0;
	int32 size = 0;
	const uint8 *bitmap = NULL;
	Tensor *tensor;

	if (kind == 's')
	{
		dimension = pq_getmsgbyte(in);
		size = pq_getmsgint(in, 4);
		bitmap = (const uint8 *) pq_getmsgbytes(in, size);
	}
	else if (kind == 'a' || kind == 'A' || kind == 'c')
	{
		int64 count = pq_getmsgint64(in);

		tensor = kind == 'c' ? receive_first_tensor(in) : receive_tensor(in);
		if (kind == 'A')
			tensor = make_single(tensor, ERRCODE_INVALID_BINARY_REPRESENTATION);
		PG_RETURN_POINTER(count_state_from(count, tensor,
										   kind == 'c' ? receive_tensor(in) : NULL,
										   ERRCODE_INVALID_BINARY_REPRESENTATION));
	}
	else if (kind != 'f' && kind != 'F')
		ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						errmsg("malformed tensor_state")));
	tensor = receive_tensor(in);
	if (kind == 'F')
		PG_RETURN_POINTER(make_single(tensor, ERRCODE_INVALID_BINARY_REPRESENTATION));
	if (kind == 'f')
		PG_RETURN_POINTER(tensor);
	PG_RETURN_POINTER(stack_state_from(tensor, dimension, bitmap, size,
									   ERRCODE_INVALID_BINARY_REPRESENTATION));
}

/* tensor_state_send(tensor_state) */
Datum
tensor_state_send(PG_FUNCTION_ARGS)
{
	Tensor *fold = (Tensor *) PG_GETARG_VARLENA_P(0);
	StringInfoData out;
	const Tensor *tensor = fold;

	pq_begintypsend(&out);
	if (fold->format == TENSOR_FORMAT_DENSE)
		pq_sendbyte(&out, fold->flags & FOLD_SINGLE ? 'F' : 'f');
	else if (fold->format == STATE_FORMAT_COUNT)
	{
		CountState *counted = (CountState *) fold;

		pq_sendbyte(&out, counted->ntensors > 1                       ? 'c'
						  : COUNT_FIRST(counted)->flags & FOLD_SINGLE ? 'A'
																	  : 'a');
		pq_sendint64(&out, counted->count);
		if (counted->ntensors > 1)
			send_first_tensor(&out, COUNT_FIRST(counted));
		tensor = counted->ntensors > 1 ? COUNT_SECOND(counted) : COUNT_FIRST(counted);
	}
	else
	{
		StackState *stack = get_stack_state(PointerGetDatum(fold));
		Size size;

		tensor = STACK_TENSOR(stack);
		size = STACK_BITMAP_SIZE(tensor->bounds[stack->dimension]);
		pq_sendbyte(&out, 's');
		pq_sendbyte(&out, stack->dimension);
		pq_sendint32(&out, (uint32) size);
		pq_sendbytes(&out, (const char *) stack_state_bitmap(stack), (int) size);
	}
	send_tensor(&out, tensor);
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

/*
 * Final function of the folds. It returns a new tensor, since a window function may
 * change the state again.
 */
Datum
tensor_fold_finalfn(PG_FUNCTION_ARGS)
{
	BatchState *batch = batch_state(PG_GETARG_DATUM(0));

	/* a window's frame may grow, and then asks again */
	if (batch)
		PG_RETURN_TENSOR_P(batch_result(batch, fcinfo->context == NULL ||
												   !IsA(fcinfo->context, AggState)));
	PG_RETURN_TENSOR_P(fold_result(get_fold_state(PG_GETARG_DATUM(0))));
}
