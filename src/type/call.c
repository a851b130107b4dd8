/*-------------------------------------------------------------------------
 *
 * call.c
 *	  Arguments of the functions that compute with tensors.
 *
 * einsum() and its kin are declared (text, VARIADIC "any"), so that tensors
 * and numbers mix and no array is built for a row. They run once for every
 * joined tuple: equations are parsed once per call site, operands are views
 * of the values where they lie, and nothing is allocated unless a value is
 * compressed, stored out of line, or of another element type than its fellows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "parser/syntax.h"
#include "type/call.h"
#include "type/call_prepared.h"
#include "type/sparse.h"
#include "type/tensor_shape.h"

/* A numeric operand and its conversion to float8, remembered. */
typedef struct NumericOperand
{
	Size size; /* 0: nothing is remembered */
	char bytes[32];
	double value;
} NumericOperand;

static OperandKind
operand_kind(FunctionCallInfo fcinfo, int argno, int number, const char *function)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argno);

	if (!OidIsValid(type))
		ereport(ERROR,
				(errcode(ERRCODE_INDETERMINATE_DATATYPE),
				 errmsg("could not determine the types of %s's operands", function)));
	type = getBaseType(type);
	switch (type)
	{
		case FLOAT8OID:
			return OPERAND_FLOAT8;
		case FLOAT4OID:
			return OPERAND_FLOAT4;
		case INT2OID:
			return OPERAND_INT2;
		case INT4OID:
			return OPERAND_INT4;
		case INT8OID:
			return OPERAND_INT8;
		case NUMERICOID:
			return OPERAND_NUMERIC;
		case UNKNOWNOID:
			return OPERAND_LITERAL;
		default:
			break;
	}
	if (type != tensor_type_oid())
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("operand %d of %s is of type %s", number, function,
							   format_type_be(type)),
						errdetail("Operands are tensors or numbers."),
						errhint("Cast the operand to tensor.")));
	return OPERAND_TENSOR;
}

CallCache *
get_call_cache(FunctionCallInfo fcinfo, int first, int most, const char *function)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	CallCache *cache = flinfo ? (CallCache *) flinfo->fn_extra : NULL;
	MemoryContext context;

	if (cache && cache->noperands == PG_NARGS() - first)
		return cache;

	if (get_fn_expr_variadic(flinfo))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not take its operands as an array", function),
				 errhint("Leave out VARIADIC and write the operands one by one.")));
	if (PG_NARGS() - first > most)
		ereport(ERROR, (errcode(ERRCODE_TOO_MANY_ARGUMENTS),
						errmsg("%s has too many operands", function),
						errdetail("There are %d operands, and %d are the most.",
								  PG_NARGS() - first, most)));

	context = flinfo ? flinfo->fn_mcxt : CurrentMemoryContext;
	cache = MemoryContextAllocZero(context, sizeof(CallCache));
	cache->context = context;
	cache->noperands = PG_NARGS() - first;
	for (int i = 0; i < cache->noperands; i++)
		cache->kinds[i] = operand_kind(fcinfo, first + i, i + 1, function);
	if (flinfo)
		flinfo->fn_extra = cache;
	return cache;
}

/* Are a few bytes equal? Inlined, since a call of memcmp would take longer. */
static inline bool
same_bytes(const char *a, const char *b, int length)
{
	uint32 a_end;
	uint32 b_end;
	int i = 0;

	if (length < (int) sizeof(uint32) || length > 16)
		return memcmp(a, b, length) == 0;
	for (; i + (int) sizeof(uint32) <= length; i += sizeof(uint32))
	{
		memcpy(&a_end, a + i, sizeof(uint32));
		memcpy(&b_end, b + i, sizeof(uint32));
		if (a_end != b_end)
			return false;
	}
	/* compares the last four bytes, some of which have been compared already */
	memcpy(&a_end, a + length - sizeof(uint32), sizeof(uint32));
	memcpy(&b_end, b + length - sizeof(uint32), sizeof(uint32));
	return a_end == b_end;
}

bool
is_call_equation(const CallCache *cache, Datum text)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(text);
	int length = cache->equation_length;

	/*
	 * false for a longer or toasted text, which get_call_equation compares after
	 * unpacking it
	 */
	if (cache->equation_text == NULL)
		return false;
	if (VARATT_IS_4B_U(value))
		return VARSIZE_4B(value) - VARHDRSZ == length &&
			   same_bytes(VARDATA_4B(value), cache->equation_text, length);
	return VARATT_IS_1B(value) && !VARATT_IS_1B_E(value) &&
		   VARSIZE_1B(value) - VARHDRSZ_SHORT == length &&
		   same_bytes(VARDATA_1B(value), cache->equation_text, length);
}

/*
 * Is the argument's text the remembered one? If not, sets *copy to the argument as a C
 * string in the current context.
 */
static bool
is_remembered(Datum argument, const char *remembered, int length, char **copy)
{
	struct varlena *value = PG_DETOAST_DATUM_PACKED(argument);
	int found = VARSIZE_ANY_EXHDR(value);
	bool same = remembered != NULL && found == length &&
				memcmp(VARDATA_ANY(value), remembered, length) == 0;

	if (!same)
		*copy = pnstrdup(VARDATA_ANY(value), found);
	if ((Pointer) value != DatumGetPointer(argument))
		pfree(value);
	return same;
}

const Equation *
get_call_equation(FunctionCallInfo fcinfo, CallCache *cache, int argno)
{
	char *text;
	Equation equation;

	if (is_remembered(PG_GETARG_DATUM(argno), cache->equation_text,
					  cache->equation_length, &text))
		return &cache->equation;

	/* an error must leave the cache as it was: fill it last */
	parse_equation(text, cache->noperands, &equation);
	if (cache->bound)
		cache->bound->noperands = 0; /* it was bound for another equation */
	if (cache->path)
		cache->npath_bounds = -1;
	/* states made with the previous equation may still exist */
	cache->form = NULL;
	cache->form_sought = cache->equation_text != NULL;
	if (cache->prepared)
		forget_prepared_call(cache->prepared);
	if (cache->equation_text)
		pfree(cache->equation_text);
	cache->equation_text = NULL;
	cache->equation_text = MemoryContextStrdup(cache->context, text);
	cache->equation_length = strlen(text);
	cache->equation = equation;
	pfree(text);
	return &cache->equation;
}

const MapProgram *
get_call_map(FunctionCallInfo fcinfo, CallCache *cache, int argno)
{
	char *text;
	MapProgram parsed;
	MapProgram *program;
	Size size;

	if (is_remembered(PG_GETARG_DATUM(argno), cache->map_text, cache->map_length, &text))
		return cache->program;

	parse_map_expression(text, &parsed);
	if (parsed.nparameters > cache->noperands)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("expression \"%s\" uses an operand that there is not", text),
				 errdetail("It uses $%d, and the number of operands is %d.",
						   parsed.nparameters, cache->noperands)));
	size = sizeof(MapStep) * parsed.nsteps;
	program = MemoryContextAlloc(cache->context, MAXALIGN(sizeof(MapProgram)) + size);
	*program = parsed;
	program->steps = (MapStep *) ((char *) program + MAXALIGN(sizeof(MapProgram)));
	memcpy(program->steps, parsed.steps, size);
	pfree(parsed.steps);
	if (cache->map_text)
	{
		pfree(cache->map_text);
		pfree(cache->program);
	}
	cache->map_text = NULL;
	cache->map_text = MemoryContextStrdup(cache->context, text);
	cache->map_length = strlen(text);
	cache->program = program;
	pfree(text);
	return program;
}

const MapProgram *
get_call_product(CallCache *cache)
{
	MapProgram *program = cache->program;

	if (program)
		return program;
	program = MemoryContextAllocZero(cache->context, sizeof(MapProgram));
	program->steps =
		MemoryContextAllocZero(cache->context, sizeof(MapStep) * 2 * cache->noperands);
	program->nparameters = cache->noperands;
	program->depth = Min(cache->noperands, 2);
	for (int i = 0; i < cache->noperands; i++)
	{
		MapStep *step = &program->steps[program->nsteps++];

		step->opcode = MAP_PARAMETER;
		step->argument = i;
		if (i == 0)
			continue;
		step = &program->steps[program->nsteps++];
		step->opcode = MAP_CALL;
		step->argument = FUNCTION_MULTIPLY;
	}
	return cache->program = program;
}

/*
 * Returns a flat value itself if it is dense, else a dense copy, which takes the place of
 * *copy.
 */
static const Tensor *
dense_copy(const Tensor *tensor, void **copy)
{
	void *flat = *copy;

	if (!is_sparse(tensor))
		return tensor;
	*copy = sparse_to_dense(tensor, NULL);
	if (flat)
		pfree(flat);
	return *copy;
}

const Tensor *
flatten_tensor(Datum value, ShortValue *shorter, void **copy)
{
	return dense_copy(flatten_any(value, shorter, copy), copy);
}

const Tensor *
flatten_any(Datum value, ShortValue *shorter, void **copy)
{
	const Tensor *tensor = plain_value(value, shorter);

	if (tensor == NULL)
		tensor = *copy = detoast_attr((struct varlena *) DatumGetPointer(value));
	check_format(tensor);
	if (is_sparse(tensor))
		sparse_check(tensor);
	return tensor;
}

const Tensor *
flatten_with_fill(Datum value, Number fill, ShortValue *shorter, void **copy)
{
	const Tensor *tensor = flatten_any(value, shorter, copy);

	if (is_sparse(tensor) && sparse_has_fill(tensor, fill))
		return tensor;
	return dense_copy(tensor, copy);
}

void
reset_operands(Operands *operands)
{
	operands->count = 0;
	operands->ncopies = 0;
	operands->ncached = 0;
	operands->type = ELEMENT_FLOAT8;
}

void
load_tensor(Operands *operands, const Tensor *tensor)
{
	int i = operands->count++;

	Assert(tensor != NULL);
	tensor_view(tensor, &operands->view[i]);
	operands->views[i] = &operands->view[i];
	operands->type = i == 0 ? (ElementType) tensor->type
							: element_promote(operands->type, (ElementType) tensor->type);
}

const Tensor *
fetch_operand(FunctionCallInfo fcinfo, Operands *operands, int i, Datum value)
{
	const Tensor *tensor = NULL;
	void *copy = NULL;

	if (fcinfo)
		tensor = (const Tensor *) detoast_cached(fcinfo, value, &operands->cache);
	if (tensor)
		operands->ncached++;
	else
		tensor = flatten_any(value, &operands->shorts[i], &copy);
	if (copy)
		operands->copies[operands->ncopies++] = copy;
	if (is_sparse(tensor))
		sparse_check(tensor);
	return tensor;
}

void
add_operand(FunctionCallInfo fcinfo, Operands *operands, const Tensor *tensor)
{
	if (is_sparse(tensor))
		tensor = operands->copies[operands->ncopies++] = sparse_to_dense(tensor, fcinfo);
	load_tensor(operands, tensor);
}

/* Adds a tensor to the operands; fcinfo: as in load_tensors. */
static void
add_tensor_operand(FunctionCallInfo fcinfo, Operands *operands, Datum value)
{
	add_operand(fcinfo, operands,
				fetch_operand(fcinfo, operands, operands->count, value));
}

void
load_scalar(Operands *operands, double value, ElementType type)
{
	int i = operands->count++;

	if (type == ELEMENT_FLOAT4)
		*(float *) operands->scalars[i] = (float) value;
	else
		operands->scalars[i][0] = value;
	operands->view[i].type = type;
	operands->view[i].rank = 0;
	operands->view[i].data = operands->scalars[i];
	operands->views[i] = &operands->view[i];
	operands->type = i == 0 ? type : element_promote(operands->type, type);
}

/*
 * Returns a numeric operand as float8. Most numerics are constants and their conversion
 * is slow, going through text; so the last conversion of each operand is remembered.
 */
static double
numeric_scalar(CallCache *cache, int i, Datum value)
{
	struct varlena *numeric = (struct varlena *) DatumGetPointer(value);
	NumericOperand *last;
	Size size;

	if (cache->numerics == NULL)
		cache->numerics = MemoryContextAllocZero(cache->context, sizeof(NumericOperand) *
																	 cache->noperands);
	last = &cache->numerics[i];
	size = VARATT_IS_EXTERNAL(numeric) ? VARSIZE_EXTERNAL(numeric) : VARSIZE_ANY(numeric);
	if (VARATT_IS_EXTERNAL(numeric) || size > sizeof(last->bytes))
		return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
	if (size != last->size || memcmp(numeric, last->bytes, size) != 0)
	{
		last->value =
			DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
		last->size = size;
		memcpy(last->bytes, numeric, size);
	}
	return last->value;
}

double
number_operand(CallCache *cache, int i, Datum value, ElementType *type)
{
	*type = cache->kinds[i] == OPERAND_FLOAT4 ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8;
	switch (cache->kinds[i])
	{
		case OPERAND_FLOAT4:
			return DatumGetFloat4(value);
		case OPERAND_INT2:
			return DatumGetInt16(value);
		case OPERAND_INT4:
			return DatumGetInt32(value);
		case OPERAND_INT8:
			return (double) DatumGetInt64(value);
		case OPERAND_NUMERIC:
			return numeric_scalar(cache, i, value);
		default:
			return DatumGetFloat8(value);
	}
}

void
load_operands(FunctionCallInfo fcinfo, CallCache *cache, int first, Operands *operands)
{
	reset_operands(operands);
	for (int i = 0; i < cache->noperands; i++)
	{
		Datum value = PG_GETARG_DATUM(first + i);
		Tensor *literal;
		ElementType type;
		double number;

		switch (cache->kinds[i])
		{
			case OPERAND_TENSOR:
				add_tensor_operand(fcinfo, operands, value);
				break;
			case OPERAND_LITERAL:
				literal = tensor_parse(DatumGetCString(value));
				add_tensor_operand(NULL, operands, PointerGetDatum(literal));
				operands->copies[operands->ncopies++] = literal;
				break;
			default:
				number = number_operand(cache, i, value, &type);
				load_scalar(operands, number, type);
				break;
		}
	}
}

void
load_tensors(FunctionCallInfo fcinfo, Operands *operands, int count, const Datum *values)
{
	reset_operands(operands);
	for (int i = 0; i < count; i++)
		add_tensor_operand(fcinfo, operands, values[i]);
}

void
convert_operands(Operands *operands, ElementType type)
{
	for (int i = 0; i < operands->count; i++)
	{
		TensorView *from = &operands->view[i];
		TensorView to;

		if (from->type == type)
			continue;
		if (from->rank == 0)
		{
			double converted[2];

			view_contiguous(&to, type, 0, NULL, converted);
			view_copy(from, &to);
			memcpy(operands->scalars[i], converted, sizeof(converted));
			to.data = operands->scalars[i];
		}
		else
		{
			int64 count = shape_count(type, from->rank, from->bounds);
			void *data = palloc(Max(count, 1) * element_size(type));

			operands->copies[operands->ncopies++] = data;
			view_contiguous(&to, type, from->rank, from->bounds, data);
			view_copy(from, &to);
		}
		*from = to;
	}
	operands->type = type;
}

void
release_operands(Operands *operands)
{
	for (int i = 0; i < operands->ncopies; i++)
		pfree(operands->copies[i]);
	operands->ncopies = 0;
	for (; operands->ncached > 0; operands->ncached--)
		release_cached(operands->cache);
}

void
output_bounds(const Equation *equation, const int64 *extents, int64 *bounds)
{
	for (int d = 0; d < equation->output.rank; d++)
		bounds[d] = extents[equation->output.labels[d]];
}

void
check_real(const char *function, ElementType type)
{
	if (element_is_complex(type))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s is not defined for %s", function, element_type_name(type)),
				 errhint("Use it on float4 or float8 elements.")));
}

double
scalar_element(const char *function, const TensorView *view)
{
	if (element_is_complex(view->type))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("%s cannot return a %s result", function,
							   element_type_name(view->type)),
						errhint("Use einsum or einsum_sum, which return tensors.")));
	return view->type == ELEMENT_FLOAT4 ? *(const float *) view->data
										: *(const double *) view->data;
}
