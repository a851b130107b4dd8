/*-------------------------------------------------------------------------
 *
 * sparse.c
 *	  The layout of sparse tensor values, and the way from and to dense ones.
 *
 * Behind the header of every tensor: the number of entries as int64; the fill, an
 * element in 16 bytes; the positions, uint32 or, from 2^32 elements on, uint64,
 * padded to a multiple of 8; the elements, or the one that all entries have.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <complex.h>
#include <math.h>

#include "common/int.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor_shape.h"

/* The beginning of the part after the header. */
typedef struct SparsePart
{
	int64 count;
	SparseElement fill;
} SparsePart;

int max_kernel_bytes = 16 * 1024;

static const SparsePart *
sparse_part(const Tensor *tensor)
{
	return (const SparsePart *) ((const char *) tensor +
								 TENSOR_HEADER_SIZE(tensor->rank));
}

static int64
tensor_extent(const Tensor *tensor)
{
	int64 bounds[TENSOR_MAX_RANK];

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[d];
	return sparse_extent(tensor->rank, bounds);
}

int64
sparse_extent(int rank, const int64 *bounds)
{
	int64 extent = 1;
	bool empty = false;

	for (int d = 0; d < rank; d++)
	{
		if (bounds[d] == 0)
			empty = true;
		else if (pg_mul_s64_overflow(extent, bounds[d], &extent))
			return -1;
	}
	return empty ? 0 : extent;
}

static int
width_of(int64 extent)
{
	return extent > PG_UINT32_MAX ? sizeof(uint64) : sizeof(uint32);
}

int
sparse_position_width(int rank, const int64 *bounds)
{
	return width_of(sparse_extent(rank, bounds));
}

SparseElement
sparse_element(ElementType type, double re, double im)
{
	SparseElement element = {{0}};
	double parts[2] = {re, im};

	for (int i = 0; i < (element_is_complex(type) ? 2 : 1); i++)
	{
		double part = element_is_single(type) ? (float) parts[i] : parts[i];

		part = part == 0 ? 0 : isnan(part) ? get_float8_nan() : part;
		if (element_is_single(type))
			element.singles[i] = (float) part;
		else
			element.doubles[i] = part;
	}
	return element;
}

/* Gets element i of data of this type, as its real and imaginary part. */
static void
get_parts(ElementType type, const void *data, int64 i, double parts[2])
{
	int n = element_is_complex(type) ? 2 : 1;

	parts[1] = 0;
	for (int p = 0; p < n; p++)
		parts[p] = element_is_single(type) ? ((const float *) data)[n * i + p]
										   : ((const double *) data)[n * i + p];
}

void
sparse_begin(SparseBuilder *builder, ElementType type, int rank, const int64 *bounds)
{
	memset(builder, 0, sizeof(*builder));
	builder->type = type;
	builder->rank = rank;
	for (int d = 0; d < rank; d++)
		builder->bounds[d] = bounds[d];
	if (sparse_extent(rank, bounds) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("tensor is too large"),
				 errdetail("The product of the bounds of shape %s is beyond "
						   "2^63 - 1.",
						   shape_to_string(rank, bounds))));
}

void
sparse_append(SparseBuilder *builder, uint64 position, SparseElement element)
{
	size_t size = element_size(builder->type);

	if ((builder->count & 0xfffff) == 0xfffff)
		CHECK_FOR_INTERRUPTS();
	if (builder->count == builder->capacity)
	{
		if (builder->capacity == 0)
		{
			builder->capacity = 64;
			builder->positions = palloc(builder->capacity * sizeof(uint64));
			builder->elements = palloc(builder->capacity * size);
		}
		else
		{
			if (builder->capacity > (int64) (MaxAllocSize / sizeof(uint32)))
				ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
								errmsg("tensor is too large"),
								errdetail("More than " INT64_FORMAT
										  " entries do not fit in 1 GB.",
										  builder->count)));
			builder->capacity *= 2;
			builder->positions =
				repalloc_huge(builder->positions, builder->capacity * sizeof(uint64));
			builder->elements =
				repalloc_huge(builder->elements, builder->capacity * size);
		}
	}
	builder->positions[builder->count] = position;
	memcpy(builder->elements + builder->count * size, &element, size);
	builder->count++;
}

void
sparse_append_other(SparseBuilder *builder, uint64 position, double re, double im)
{
	SparseElement element = sparse_element(builder->type, re, im);

	if (memcmp(&element, &builder->fill, element_size(builder->type)) != 0)
		sparse_append(builder, position, element);
}

bool
sparse_repeats_fill(const SparseBuilder *builder)
{
	size_t size = element_size(builder->type);

	for (int64 i = 0; i < builder->count; i++)
		if (memcmp(builder->elements + i * size, &builder->fill, size) == 0)
			return true;
	return false;
}

/* Returns the size of a value in bytes; 0 if it is too large. */
static Size
value_size(ElementType type, int rank, int64 extent, int64 count, uint8 flags)
{
	int64 elements = flags & SPARSE_ONE_ELEMENT ? 1 : count;
	int width = width_of(extent);

	if (count < 0 || count > (int64) (MaxAllocSize / width))
		return 0;
	return TENSOR_HEADER_SIZE(rank) + sizeof(SparsePart) + TYPEALIGN(8, count * width) +
		   elements * element_size(type);
}

Tensor *
sparse_finish(SparseBuilder *builder)
{
	size_t size = element_size(builder->type);
	int64 extent = sparse_extent(builder->rank, builder->bounds);
	int width = width_of(extent);
	uint8 flags = builder->count > 0 ? SPARSE_ONE_ELEMENT : 0;
	SparsePart *part;
	Tensor *tensor;
	char *positions;
	Size bytes;

	for (int64 i = 1; flags && i < builder->count; i++)
		if (memcmp(builder->elements, builder->elements + i * size, size) != 0)
			flags = 0;
	bytes = value_size(builder->type, builder->rank, extent, builder->count, flags);
	if (bytes == 0 || !AllocSizeIsValid(bytes))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("tensor is too large"),
				 errdetail(INT64_FORMAT " entries do not fit in 1 GB.", builder->count)));
	tensor = zeroed_in_pieces(bytes);
	SET_VARSIZE(tensor, bytes);
	tensor->format = TENSOR_FORMAT_SPARSE;
	tensor->type = (uint8) builder->type;
	tensor->rank = (uint8) builder->rank;
	tensor->flags = flags;
	for (int d = 0; d < builder->rank; d++)
		tensor->bounds[d] = (int32) builder->bounds[d];
	part = (SparsePart *) ((char *) tensor + TENSOR_HEADER_SIZE(builder->rank));
	part->count = builder->count;
	part->fill = builder->fill;
	positions = (char *) (part + 1);
	if (builder->count > 0)
	{
		if (width == sizeof(uint64))
			copy_in_pieces(positions, builder->positions,
						   builder->count * sizeof(uint64));
		else
			for (int64 i = 0; i < builder->count; i++)
				((uint32 *) positions)[i] = (uint32) builder->positions[i];
		copy_in_pieces(positions + TYPEALIGN(8, builder->count * width),
					   builder->elements, (flags ? 1 : builder->count) * size);
		pfree(builder->positions);
		pfree(builder->elements);
	}
	return tensor;
}

void
sparse_check(const Tensor *tensor)
{
	Size header = TENSOR_HEADER_SIZE(Min(tensor->rank, TENSOR_MAX_RANK));

	if (tensor->rank > TENSOR_MAX_RANK || tensor->type < ELEMENT_FLOAT4 ||
		tensor->type > ELEMENT_TYPE_LAST || (tensor->flags & ~SPARSE_ONE_ELEMENT) != 0 ||
		VARSIZE(tensor) < header + sizeof(SparsePart) ||
		VARSIZE(tensor) != value_size((ElementType) tensor->type, tensor->rank,
									  tensor_extent(tensor), sparse_part(tensor)->count,
									  tensor->flags))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("sparse tensor value is not as long as its header says")));
}

SparseEntries
sparse_entries(const Tensor *tensor)
{
	const SparsePart *part = sparse_part(tensor);
	int width = width_of(tensor_extent(tensor));
	ElementType type = (ElementType) tensor->type;

	return (SparseEntries){
		.type = type,
		.count = part->count,
		.wide = width == sizeof(uint64),
		.positions = part + 1,
		.elements = (const char *) (part + 1) + TYPEALIGN(8, part->count * width),
		.step = tensor->flags & SPARSE_ONE_ELEMENT ? 0 : element_size(type),
	};
}

int64
entries_before(const SparseEntries *entries, uint64 position)
{
	int64 low = 0;
	int64 high = entries->count;

	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (entry_position(entries, middle) < position)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const void *
sparse_fill(const Tensor *tensor)
{
	return &sparse_part(tensor)->fill;
}

Number
sparse_fill_number(const Tensor *tensor)
{
	double parts[2];

	get_parts((ElementType) tensor->type, sparse_fill(tensor), 0, parts);
	return CMPLX(parts[0], parts[1]);
}

Number
entry_complex(const SparseEntries *entries, int64 i)
{
	double parts[2];

	get_parts(entries->type, entry_element(entries, i), 0, parts);
	return CMPLX(parts[0], parts[1]);
}

Tensor *
DatumGetTensorWithFill(Datum datum, Number fill)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(datum);

	if (!is_sparse(tensor) || sparse_has_fill(tensor, fill) ||
		(isnan(creal(fill)) && isnan(creal(sparse_fill_number(tensor))) &&
		 cimag(fill) == cimag(sparse_fill_number(tensor))))
		return tensor;
	return sparse_to_dense(tensor, NULL);
}

bool
sparse_has_fill(const Tensor *tensor, Number fill)
{
	ElementType type = (ElementType) tensor->type;
	double parts[2];

	get_parts(type, sparse_fill(tensor), 0, parts);
	if (element_is_single(type))
		fill = (float _Complex) fill;
	return parts[0] == creal(fill) && parts[1] == cimag(fill);
}

/* Writes count copies of an element. */
static void
repeat_element(char *to, const void *element, size_t size, int64 count)
{
	for (int64 i = 0; i < count; i++)
	{
		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		memcpy(to + i * size, element, size);
	}
}

/*
 * Returns the position of an entry that is written to. Errors: 22P04 if it is beyond the
 * bounds.
 */
static inline uint64
position_within(const SparseEntries *entries, int64 i, int64 extent)
{
	uint64 position = entry_position(entries, i);

	if ((i & 0xfffff) == 0xfffff)
		CHECK_FOR_INTERRUPTS();
	if (unlikely(position >= (uint64) extent))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("sparse tensor value has a position beyond its bounds")));
	return position;
}

bool
sparse_exceeds_dense(const Tensor *tensor)
{
	return (double) tensor_extent(tensor) * element_size((ElementType) tensor->type) >
		   max_kernel_bytes * 1024.0;
}

Tensor *
sparse_to_dense(const Tensor *tensor, FunctionCallInfo fcinfo)
{
	ElementType type = (ElementType) tensor->type;
	size_t size = element_size(type);
	SparseElement zero = {{0}};
	int64 bounds[TENSOR_MAX_RANK];
	SparseEntries entries;
	int64 extent;
	Tensor *dense;
	char *elements;

	sparse_check(tensor);
	entries = sparse_entries(tensor);
	extent = tensor_extent(tensor);
	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[d];
	if (sparse_exceeds_dense(tensor))
	{
		Oid function = fcinfo && fcinfo->flinfo ? fcinfo->flinfo->fn_oid : InvalidOid;
		char *name = OidIsValid(function) ? get_func_name(function) : NULL;

		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 name ? errmsg("sparse tensor is too large for function %s", name)
					  : errmsg("sparse tensor is too large for what computes with it"),
				 errdetail("Its shape is %s, it has " INT64_FORMAT
						   " entries, and its dense form takes more than "
						   "sparseeinsum.max_kernel_bytes, %d kB.",
						   shape_to_string(tensor->rank, bounds), entries.count,
						   max_kernel_bytes),
				 (double) extent * size > MaxAllocSize
					 ? errhint("No value may take more than 1 GB, whatever "
							   "sparseeinsum.max_kernel_bytes is: store the entries as "
							   "rows of a table.")
					 : errhint("Increase sparseeinsum.max_kernel_bytes, or store the "
							   "entries as rows.")));
	}
	dense = tensor_new(type, tensor->rank, bounds);
	elements = tensor_elements(dense);
	if (memcmp(sparse_fill(tensor), &zero, size) != 0)
		repeat_element(elements, sparse_fill(tensor), size, extent);
	for (int64 i = 0; i < entries.count; i++)
		memcpy(elements + position_within(&entries, i, extent) * size,
			   entry_element(&entries, i), size);
	return dense;
}

/*
 * Returns the place of the next element, from i on, that differs from the fill; of complex
 * elements i, which may differ.
 */
static int64
skip_fill(ElementType type, const void *data, int64 i, int64 count,
		  const SparseElement *fill)
{
	if (type == ELEMENT_FLOAT4)
		while (i < count && ((const float *) data)[i] == fill->singles[0])
			i++;
	else if (type == ELEMENT_FLOAT8)
		while (i < count && ((const double *) data)[i] == fill->doubles[0])
			i++;
	return i;
}

Tensor *
sparse_from_dense(const Tensor *tensor, double fill)
{
	SparseBuilder builder;
	ElementType type = (ElementType) tensor->type;
	int64 count = tensor_count(tensor);
	const void *data = tensor_elements(tensor);
	int64 bounds[TENSOR_MAX_RANK];
	double parts[2];

	for (int d = 0; d < tensor->rank; d++)
		bounds[d] = tensor->bounds[d];
	sparse_begin(&builder, type, tensor->rank, bounds);
	builder.fill = sparse_element(type, fill, 0);
	for (int64 i = 0; i < count; i++)
	{
		i = skip_fill(type, data, i, count, &builder.fill);
		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		if (i == count)
			break;
		get_parts(type, data, i, parts);
		sparse_append_other(&builder, (uint64) i, parts[0], parts[1]);
	}
	return sparse_finish(&builder);
}

/* Appends some entries of a value, whose positions become less by a number. */
static void
append_moved_entries(SparseBuilder *builder, const SparseEntries *entries, int64 from,
					 int64 to, uint64 less)
{
	double parts[2];

	for (int64 i = from; i < to; i++)
	{
		get_parts(entries->type, entry_element(entries, i), 0, parts);
		sparse_append(builder, entry_position(entries, i) - less,
					  sparse_element(builder->type, parts[0], parts[1]));
	}
}

/* Begins a value of the shape behind some first dimensions, with the same fill. */
static void
begin_like(SparseBuilder *builder, const Tensor *tensor, int given)
{
	int64 bounds[TENSOR_MAX_RANK];

	for (int d = given; d < tensor->rank; d++)
		bounds[d - given] = tensor->bounds[d];
	sparse_begin(builder, (ElementType) tensor->type, tensor->rank - given, bounds);
	memcpy(&builder->fill, sparse_fill(tensor), element_size(builder->type));
}

Tensor *
sparse_replace(const Tensor *tensor, int64 position, const Tensor *elements)
{
	ElementType type = (ElementType) tensor->type;
	int64 replaced = tensor_count(elements);
	SparseEntries entries;
	SparseBuilder builder;
	double parts[2];

	sparse_check(tensor);
	entries = sparse_entries(tensor);
	begin_like(&builder, tensor, 0);
	append_moved_entries(&builder, &entries, 0,
						 entries_before(&entries, (uint64) position), 0);
	for (int64 i = 0; i < replaced; i++)
	{
		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		get_parts(type, tensor_elements(elements), i, parts);
		sparse_append_other(&builder, (uint64) (position + i), parts[0], parts[1]);
	}
	append_moved_entries(&builder, &entries,
						 entries_before(&entries, (uint64) (position + replaced)),
						 entries.count, 0);
	return sparse_finish(&builder);
}

int64
sparse_count_nonzero(const Tensor *tensor)
{
	SparseEntries entries = sparse_entries(tensor);
	double parts[2];
	int64 zeros = 0;

	if (sparse_has_fill(tensor, 0))
		return entries.count;
	for (int64 i = 0; i < entries.count; i++)
	{
		get_parts(entries.type, entry_element(&entries, i), 0, parts);
		zeros += parts[0] == 0 && parts[1] == 0;
	}
	return tensor_extent(tensor) - zeros;
}

Tensor *
sparse_sub_tensor(const Tensor *tensor, int given, uint64 position)
{
	SparseEntries entries = sparse_entries(tensor);
	int64 from = entries_before(&entries, position);
	SparseBuilder builder;

	if (given == tensor->rank)
	{
		Tensor *element = tensor_new((ElementType) tensor->type, 0, NULL);
		bool has = from < entries.count && entry_position(&entries, from) == position;

		memcpy(tensor_elements(element),
			   has ? entry_element(&entries, from) : sparse_fill(tensor),
			   element_size((ElementType) tensor->type));
		return element;
	}
	begin_like(&builder, tensor, given);
	append_moved_entries(
		&builder, &entries, from,
		entries_before(&entries,
					   position + (uint64) sparse_extent(builder.rank, builder.bounds)),
		position);
	return sparse_finish(&builder);
}

/* Appends all entries of a value, whose elements are multiplied by a number. */
static void
append_multiplied(SparseBuilder *builder, const SparseEntries *entries, double number)
{
	double parts[2];

	/* an entry that differed from the fill may equal it now */
	for (int64 i = 0; i < entries->count; i++)
	{
		get_parts(entries->type, entry_element(entries, i), 0, parts);
		sparse_append_other(builder, entry_position(entries, i), parts[0] * number,
							parts[1]);
	}
}

Tensor *
sparse_convert(const Tensor *tensor, ElementType type)
{
	SparseEntries entries = sparse_entries(tensor);
	Number fill = sparse_fill_number(tensor);
	SparseBuilder builder;

	begin_like(&builder, tensor, 0);
	builder.type = type;
	builder.fill = sparse_element(type, creal(fill), cimag(fill));
	append_multiplied(&builder, &entries, 1);
	return sparse_finish(&builder);
}

Tensor *
sparse_times(const Tensor *tensor, double number)
{
	SparseEntries entries;
	SparseBuilder builder;

	if (!is_sparse(tensor) || element_is_complex((ElementType) tensor->type))
		return NULL;
	entries = sparse_entries(tensor);
	begin_like(&builder, tensor, 0);
	builder.type = ELEMENT_FLOAT8;
	builder.fill =
		sparse_element(ELEMENT_FLOAT8, creal(sparse_fill_number(tensor)) * number, 0);
	append_multiplied(&builder, &entries, number);
	return sparse_finish(&builder);
}

void
sparse_add(const Tensor *tensor, double *sum)
{
	SparseEntries entries = sparse_entries(tensor);
	int64 extent = tensor_extent(tensor);

	for (int64 i = 0; i < entries.count; i++)
		sum[position_within(&entries, i, extent)] += entry_number(&entries, i);
}

/*
 * tensor_sparse(tensor [, fill float8]): returns the value in sparse format with this
 * fill.
 */
PG_FUNCTION_INFO_V1(tensor_sparse);
Datum
tensor_sparse(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	double fill = PG_NARGS() > 1 ? PG_GETARG_FLOAT8(1) : 0;

	if (is_sparse(tensor))
	{
		SparseElement element = sparse_element((ElementType) tensor->type, fill, 0);

		if (memcmp(&element, sparse_fill(tensor),
				   element_size((ElementType) tensor->type)) == 0)
			PG_RETURN_TENSOR_P(tensor);
		tensor = sparse_to_dense(tensor, fcinfo);
	}
	PG_RETURN_TENSOR_P(sparse_from_dense(tensor, fill));
}

/* tensor_dense(tensor): returns the value in dense format. */
PG_FUNCTION_INFO_V1(tensor_dense);
Datum
tensor_dense(PG_FUNCTION_ARGS)
{
	PG_RETURN_TENSOR_P(PG_GETARG_TENSOR_P(0));
}
