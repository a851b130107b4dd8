/*-------------------------------------------------------------------------
 *
 * tensor_binary.c
 *	  The binary form of a tensor, as COPY BINARY and drivers exchange it.
 *
 * Bytes, in network order: format, element type, rank, flags; an int4 for each
 * bound; of a dense value the elements row-major, a complex one as its two parts;
 * of a sparse one the number of entries as int8, the fill, the positions as int4 or,
 * from 2^32 elements on, int8, and the entries' elements. Nothing in a
 * message is believed: version, type, rank, flags, the product of the bounds
 * and the number of bytes that follow are checked before memory is taken.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

/* Copies n bytes of numbers of this width, and converts each to or from network order. */
static void
copy_swapped(char *to, const char *from, Size bytes, size_t width)
{
	if (width == sizeof(uint64))
	{
		for (Size i = 0; i < bytes; i += sizeof(uint64))
		{
			uint64 word;

			memcpy(&word, from + i, sizeof(word));
			word = pg_hton64(word);
			memcpy(to + i, &word, sizeof(word));
		}
	}
	else
	{
		for (Size i = 0; i < bytes; i += sizeof(uint32))
		{
			uint32 word;

			memcpy(&word, from + i, sizeof(word));
			word = pg_hton32(word);
			memcpy(to + i, &word, sizeof(word));
		}
	}
}

static void
copy_swapped_in_pieces(char *to, const char *from, Size bytes, size_t width)
{
	for (Size at = 0; at < bytes; at += PIECE_BYTES)
	{
		copy_swapped(to + at, from + at, Min(bytes - at, PIECE_BYTES), width);
		CHECK_FOR_INTERRUPTS();
	}
}

static size_t
part_width(ElementType type)
{
	return element_is_single(type) ? sizeof(float) : sizeof(double);
}

/* Appends an element in network order. */
static void
send_element(StringInfo out, ElementType type, const void *element)
{
	int bytes = (int) element_size(type);

	enlargeStringInfo(out, bytes);
	copy_swapped(out->data + out->len, element, bytes, part_width(type));
	out->len += bytes;
	out->data[out->len] = '\0';
}

/* Appends the part of a sparse value after its bounds. */
static void
send_sparse(StringInfo out, const Tensor *tensor)
{
	ElementType type = (ElementType) tensor->type;
	SparseEntries entries = sparse_entries(tensor);

	pq_sendint64(out, (uint64) entries.count);
	send_element(out, type, sparse_fill(tensor));
	for (int64 i = 0; i < entries.count; i++)
	{
		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		if (entries.wide)
			pq_sendint64(out, entry_position(&entries, i));
		else
			pq_sendint32(out, (uint32) entry_position(&entries, i));
	}
	for (int64 i = 0; i < (entries.step == 0 ? 1 : entries.count); i++)
	{
		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		send_element(out, type, entry_element(&entries, i));
	}
}

PG_FUNCTION_INFO_V1(tensor_send);
Datum
tensor_send(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	ElementType type = (ElementType) tensor->type;
	Size bytes;
	StringInfoData out;

	pq_begintypsend(&out);
	pq_sendbyte(&out, tensor->format);
	pq_sendbyte(&out, tensor->type);
	pq_sendbyte(&out, tensor->rank);
	pq_sendbyte(&out, tensor->flags);
	for (int i = 0; i < tensor->rank; i++)
		pq_sendint32(&out, tensor->bounds[i]);
	if (is_sparse(tensor))
	{
		send_sparse(&out, tensor);
		PG_RETURN_BYTEA_P(pq_endtypsend(&out));
	}
	bytes = (Size) tensor_count(tensor) * element_size(type);
	enlargeStringInfo(&out, (int) bytes);
	copy_swapped_in_pieces(out.data + out.len, tensor_elements(tensor), bytes,
						   part_width(type));
	out.len += (int) bytes;
	out.data[out.len] = '\0';
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

#define INVALID_BINARY(...)                                                              \
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),                      \
					errmsg("invalid binary form of a tensor"), errdetail(__VA_ARGS__)))

/* Reads an element in network order; zeros and NaNs get their one form. */
static SparseElement
receive_element(StringInfo in, ElementType type)
{
	int bytes = (int) element_size(type);
	SparseElement element = {{0}};

	copy_swapped((char *) &element, pq_getmsgbytes(in, bytes), bytes, part_width(type));
	if (element_is_single(type))
		return sparse_element(type, element.singles[0],
							  element_is_complex(type) ? element.singles[1] : 0);
	return sparse_element(type, element.doubles[0],
						  element_is_complex(type) ? element.doubles[1] : 0);
}

/* Reads the part of a sparse value after its bounds. */
static Tensor *
receive_sparse(StringInfo in, ElementType type, int rank, int flags, const int64 *bounds)
{
	int64 extent = sparse_extent(rank, bounds);
	int width = sparse_position_width(rank, bounds);
	Size size = element_size(type);
	Size rest;
	int64 count;
	SparseBuilder builder;
	StringInfoData elements;
	const char *first;
	bool alike = true; /* in all bits, which those of NaN, and 0 and -0, may not be */
	SparseElement one = {{0}};
	Tensor *tensor;

	if (extent < 0)
		INVALID_BINARY("The product of the bounds of shape %s is beyond 2^63 - 1.",
					   shape_to_string(rank, bounds));
	sparse_begin(&builder, type, rank, bounds);
	count = pq_getmsgint64(in);
	builder.fill = receive_element(in, type);
	rest = (Size) (in->len - in->cursor);
	if (count < 0 || count > extent || count > (int64) (rest / width) ||
		rest != (Size) count * width + (flags ? 1 : (Size) count) * size)
		INVALID_BINARY(INT64_FORMAT " entries do not take the %zu bytes that follow.",
					   count, rest);
	elements = *in;
	elements.cursor += (int) (count * width);
	first = elements.data + elements.cursor;
	for (int64 i = 0; i < count; i++)
	{
		uint64 position = width == sizeof(uint64) ? (uint64) pq_getmsgint64(in)
												  : (uint64) pq_getmsgint(in, 4);

		if (position >= (uint64) extent)
			INVALID_BINARY("Position " UINT64_FORMAT " is beyond shape %s.", position,
						   shape_to_string(rank, bounds));
		if (i > 0 && position <= builder.positions[i - 1])
			INVALID_BINARY("Position " UINT64_FORMAT " is not behind the one before it.",
						   position);
		alike = alike && (flags || memcmp(first + i * size, first, size) == 0);
		if (i == 0 || !flags)
			one = receive_element(&elements, type);
		sparse_append(&builder, position, one);
	}
	if (sparse_repeats_fill(&builder))
		INVALID_BINARY("An entry equals the fill.");
	in->cursor = in->len;
	tensor = sparse_finish(&builder);
	if (tensor->flags != flags && alike)
		INVALID_BINARY("Flags are %d where %d are expected.", flags, tensor->flags);
	return tensor;
}

PG_FUNCTION_INFO_V1(tensor_recv);
Datum
tensor_recv(PG_FUNCTION_ARGS)
{
	StringInfo in = (StringInfo) PG_GETARG_POINTER(0);
	int32 typmod = PG_NARGS() > 2 ? PG_GETARG_INT32(2) : -1;
	int format = pq_getmsgbyte(in);
	int type = pq_getmsgbyte(in);
	int rank = pq_getmsgbyte(in);
	int flags = pq_getmsgbyte(in);
	int64 bounds[TENSOR_MAX_RANK];
	Size bytes;
	Tensor *tensor;

	if (format != TENSOR_FORMAT_DENSE && format != TENSOR_FORMAT_SPARSE)
		INVALID_BINARY("Format %d is unknown.", format);
	if (type < ELEMENT_FLOAT4 || type > ELEMENT_TYPE_LAST)
		INVALID_BINARY("Element type %d is unknown.", type);
	if (rank > TENSOR_MAX_RANK)
		INVALID_BINARY("It has %d dimensions, and %d are the most.", rank,
					   TENSOR_MAX_RANK);
	if (flags != 0 && (format == TENSOR_FORMAT_DENSE || flags != SPARSE_ONE_ELEMENT))
		INVALID_BINARY("Flags %d are unknown.", flags);
	for (int i = 0; i < rank; i++)
	{
		bounds[i] = (int32) pq_getmsgint(in, 4);
		if (bounds[i] < 0)
			INVALID_BINARY("Dimension %d has bound " INT64_FORMAT ".", i, bounds[i]);
	}
	if (format == TENSOR_FORMAT_SPARSE)
		PG_RETURN_TENSOR_P(tensor_apply_typmod(
			receive_sparse(in, (ElementType) type, rank, flags, bounds), typmod, NULL));
	bytes = (Size) shape_count((ElementType) type, rank, bounds) *
			element_size((ElementType) type);
	if (bytes != (Size) (in->len - in->cursor))
		INVALID_BINARY("Elements of shape %s take %zu bytes, and %d follow.",
					   shape_to_string(rank, bounds), bytes, in->len - in->cursor);

	tensor = tensor_new((ElementType) type, rank, bounds);
	copy_swapped_in_pieces(tensor_elements(tensor), pq_getmsgbytes(in, (int) bytes),
						   bytes, part_width((ElementType) type));
	PG_RETURN_TENSOR_P(tensor_apply_typmod(tensor, typmod, NULL));
}
