/*-------------------------------------------------------------------------
 *
 * tensor_npy_write.c
 *	  tensor_to_npy(tensor): a file that numpy.load reads.
 *
 * Format 1.0, little-endian, row-major; the header is padded with spaces to a
 * multiple of 64 bytes, as the format asks for, so that the elements of a file
 * mapped to memory are aligned. (tensor_npy_read.c describes the format.)
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

#define NPY_ALIGNMENT 64
#define NPY_PREAMBLE 10 /* magic, version, length of the header */

static const char *
npy_type(ElementType type)
{
	switch (type)
	{
		case ELEMENT_FLOAT4:
			return "<f4";
		case ELEMENT_FLOAT8:
			return "<f8";
		case ELEMENT_COMPLEX8:
			return "<c8";
		case ELEMENT_COMPLEX16:
			return "<c16";
	}
	return NULL;
}

PG_FUNCTION_INFO_V1(tensor_to_npy);
Datum
tensor_to_npy(PG_FUNCTION_ARGS)
{
	Tensor *tensor = PG_GETARG_TENSOR_P(0);
	ElementType type = (ElementType) tensor->type;
	Size bytes = (Size) tensor_count(tensor) * element_size(type);
	StringInfoData header;
	int length;
	Size size;
	bytea *file;
	char *to;

	initStringInfo(&header);
	appendStringInfo(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (",
					 npy_type(type));
	for (int d = 0; d < tensor->rank; d++)
		appendStringInfo(&header, d == 0 ? "%d" : ", %d", tensor->bounds[d]);
	/* Python writes a tuple of one element with a comma */
	appendStringInfoString(&header, tensor->rank == 1 ? ",), }" : "), }");
	while ((NPY_PREAMBLE + header.len + 1) % NPY_ALIGNMENT != 0)
		appendStringInfoChar(&header, ' ');
	appendStringInfoChar(&header, '\n');
	length = header.len;

	size = VARHDRSZ + NPY_PREAMBLE + length + bytes;
	if (!AllocSizeIsValid(size))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor of shape %s is too large for an npy file",
							   tensor_shape_string(tensor)),
						errdetail("With its header it does not fit in 1 GB.")));
	file = palloc(size);
	SET_VARSIZE(file, size);
	to = VARDATA(file);
	memcpy(to, "\x93NUMPY\x01\x00", 8);
	to[8] = (char) (length & 0xFF);
	to[9] = (char) (length >> 8);
	memcpy(to + NPY_PREAMBLE, header.data, length);
	to += NPY_PREAMBLE + length;
	copy_in_pieces(to, tensor_elements(tensor), bytes);
#ifdef WORDS_BIGENDIAN
	{
		int width = element_is_single(type) ? 4 : 8;

		for (Size i = 0; i < bytes; i += width)
			for (int low = 0, high = width - 1; low < high; low++, high--)
			{
				char byte = to[i + low];

				to[i + low] = to[i + high];
				to[i + high] = byte;
			}
	}
#endif
	PG_RETURN_BYTEA_P(file);
}
