/*-------------------------------------------------------------------------
 *
 * tensor_binary.c
 *	  The binary form of a tensor, as COPY BINARY and drivers exchange it.
 *
 * Bytes, in network order: format, element type, rank, flags; an int4 for each
 * bound; the elements row-major, a complex one as its two parts. Nothing in a
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
#include "type/tensor.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

/* Copies n bytes of numbers of the given width, turning each to or from network order. */
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

PG_FUNCTION_INFO_V1(tensor_send);
Datum
tensor_send(PG_FUNCTION_ARGS)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	ElementType type = (ElementType) tensor->type;
	Size bytes = (Size) tensor_count(tensor) * element_size(type);
	StringInfoData out;

	pq_begintypsend(&out);
	pq_sendbyte(&out, TENSOR_FORMAT_DENSE);
	pq_sendbyte(&out, tensor->type);
	pq_sendbyte(&out, tensor->rank);
	pq_sendbyte(&out, tensor->flags);
	for (int i = 0; i < tensor->rank; i++)
		pq_sendint32(&out, tensor->bounds[i]);
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

	if (format != TENSOR_FORMAT_DENSE)
		INVALID_BINARY("Format %d is unknown.", format);
	if (type < ELEMENT_FLOAT4 || type > ELEMENT_TYPE_LAST)
		INVALID_BINARY("Element type %d is unknown.", type);
	if (rank > TENSOR_MAX_RANK)
		INVALID_BINARY("It has %d dimensions, and %d are the most.", rank,
					   TENSOR_MAX_RANK);
	if (flags != 0)
		INVALID_BINARY("Flags %d are unknown.", flags);
	for (int i = 0; i < rank; i++)
	{
		bounds[i] = (int32) pq_getmsgint(in, 4);
		if (bounds[i] < 0)
			INVALID_BINARY("Dimension %d has bound " INT64_FORMAT ".", i, bounds[i]);
	}
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
