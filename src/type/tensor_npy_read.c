/*-------------------------------------------------------------------------
 *
 * tensor_npy_read.c
 *	  tensor_from_npy(bytea): a file as numpy.save writes it.
 *
 * The format (numpy.lib.format): the magic "\x93NUMPY", a major and a minor
 * version, the length of the header in 2 bytes (version 1) or 4 (versions 2 and
 * 3), little-endian; the header, a Python dictionary such as
 *
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }
 *
 * padded with spaces; then the elements and nothing else. The dictionary is
 * read by a grammar of just that form. Nothing in the file is believed: lengths
 * are compared with the bytes that are there before memory is taken, and a file
 * that promises more or less than it has is an error.
 *
 * Elements: f2 and f4 become float4, c8 complex8, c16 complex16, all others
 * (f8, i1 to i8, u1 to u8, b1) float8, as arrays of such numbers do. 64-bit
 * integers beyond 2^53 are rounded.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bswap.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

#define INVALID_NPY(...)                                                                 \
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),                      \
					errmsg("invalid npy file"), errdetail(__VA_ARGS__)))

/* The kinds of numbers that a file may have. */
typedef enum NpyKind
{
	NPY_FLOAT,
	NPY_COMPLEX,
	NPY_SIGNED,
	NPY_UNSIGNED,
	NPY_BOOLEAN,
} NpyKind;

typedef struct NpyHeader
{
	NpyKind kind;
	int size; /* of an element, in bytes */
	bool swap;
	bool fortran;
	int rank;
	int64 bounds[TENSOR_MAX_RANK];
} NpyHeader;

/* The reader's position in the header. */
typedef struct NpyCursor
{
	const char *at;
	const char *end;
} NpyCursor;

static void
skip_spaces(NpyCursor *cursor)
{
	while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\n' ||
										*cursor->at == '\t' || *cursor->at == '\r'))
		cursor->at++;
}

/* Takes a character if it is next. */
static bool
take(NpyCursor *cursor, char c)
{
	skip_spaces(cursor);
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

static void
expect(NpyCursor *cursor, char c)
{
	if (!take(cursor, c))
		INVALID_NPY("In the header, %c is missing.", c);
}

static bool
take_word(NpyCursor *cursor, const char *word)
{
	size_t length = strlen(word);

	skip_spaces(cursor);
	if ((size_t) (cursor->end - cursor->at) < length ||
		memcmp(cursor->at, word, length) != 0)
		return false;
	cursor->at += length;
	return true;
}

/*
 * Reads a string of at most `size` - 1 characters, without escapes, in quotes of either
 * kind.
 */
static void
read_string(NpyCursor *cursor, char *into, int size)
{
	char quote = take(cursor, '\'') ? '\'' : '"';
	int length = 0;

	if (quote == '"')
		expect(cursor, '"');
	while (cursor->at < cursor->end && *cursor->at != quote)
	{
		char c = *cursor->at++;

		if (length == size - 1 || c == '\\' || c < ' ' || c > '~')
			INVALID_NPY("A string of the header is not one of a simple array.");
		into[length++] = c;
	}
	into[length] = '\0';
	if (cursor->at++ >= cursor->end)
		INVALID_NPY("A string of the header does not end.");
}

static void
read_descr(NpyCursor *cursor, NpyHeader *header)
{
	static const struct
	{
		const char *name;
		NpyKind kind;
		int size;
	} types[] = {
		{"f2", NPY_FLOAT, 2},    {"f4", NPY_FLOAT, 4},     {"f8", NPY_FLOAT, 8},
		{"c8", NPY_COMPLEX, 8},  {"c16", NPY_COMPLEX, 16}, {"i1", NPY_SIGNED, 1},
		{"i2", NPY_SIGNED, 2},   {"i4", NPY_SIGNED, 4},    {"i8", NPY_SIGNED, 8},
		{"u1", NPY_UNSIGNED, 1}, {"u2", NPY_UNSIGNED, 2},  {"u4", NPY_UNSIGNED, 4},
		{"u8", NPY_UNSIGNED, 8}, {"b1", NPY_BOOLEAN, 1},   {"?", NPY_BOOLEAN, 1},
	};
	char descr[32];
	bool little = true;

	skip_spaces(cursor);
	if (cursor->at < cursor->end && *cursor->at == '[')
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("npy file of records cannot be a tensor"),
						errhint("Save one field of the array.")));
	read_string(cursor, descr, sizeof(descr));
	if (descr[0] == '>')
		little = false;
	for (int i = 0; i < lengthof(types); i++)
	{
		bool ordered = strchr("<>|=", descr[0]) != NULL && descr[0] != '\0';
		const char *name = descr + ordered;

		if (strcmp(name, types[i].name) != 0)
			continue;
		header->kind = types[i].kind;
		header->size = types[i].size;
		/* an element type without a byte order has elements of one byte */
		if (types[i].size > 1 && (!ordered || descr[0] == '|' || descr[0] == '='))
			break;
#ifdef WORDS_BIGENDIAN
		header->swap = little;
#else
		header->swap = !little;
#endif
		return;
	}
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("npy file of type \"%s\" cannot be a tensor", descr),
					errhint("Types are f2, f4, f8, c8, c16, i1, i2, i4, i8, u1, u2, u4, "
							"u8 and b1, in either byte order.")));
}

static void
read_shape(NpyCursor *cursor, NpyHeader *header)
{
	header->rank = 0;
	expect(cursor, '(');
	while (!take(cursor, ')'))
	{
		int64 bound = 0;
		int digits = 0;

		skip_spaces(cursor);
		for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9';
			 cursor->at++, digits++)
		{
			if (bound > PG_INT32_MAX)
				ereport(ERROR,
						(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						 errmsg("bound of a tensor is too large"),
						 errdetail("Dimension %d of the npy file is larger than %d.",
								   header->rank, PG_INT32_MAX)));
			bound = bound * 10 + (*cursor->at - '0');
		}
		if (digits == 0)
			INVALID_NPY("A bound of the shape is not a number.");
		if (header->rank == TENSOR_MAX_RANK)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("tensor has too many dimensions"),
					 errdetail("The npy file has more than %d.", TENSOR_MAX_RANK)));
		/* Python 2 wrote this suffix of long integers */
		(void) take(cursor, 'L');
		header->bounds[header->rank++] = bound;
		if (!take(cursor, ','))
		{
			if (header->rank == 1)
				INVALID_NPY("The shape is not a tuple.");
			expect(cursor, ')');
			break;
		}
	}
}

static void
read_header(NpyCursor *cursor, NpyHeader *header)
{
	static const char *const keys[] = {"descr", "fortran_order", "shape"};
	bool seen[lengthof(keys)] = {false};

	memset(header, 0, sizeof(NpyHeader));
	expect(cursor, '{');
	while (!take(cursor, '}'))
	{
		char name[32];
		int key;

		read_string(cursor, name, sizeof(name));
		for (key = 0; key < lengthof(keys) && strcmp(name, keys[key]) != 0; key++)
			;
		if (key == lengthof(keys) || seen[key])
			INVALID_NPY("The header has \"%s\" twice, or should not have it.", name);
		seen[key] = true;
		expect(cursor, ':');
		if (key == 0)
			read_descr(cursor, header);
		else if (key == 2)
			read_shape(cursor, header);
		else if (take_word(cursor, "True"))
			header->fortran = true;
		else if (!take_word(cursor, "False"))
			INVALID_NPY("fortran_order is neither True nor False.");
		if (!take(cursor, ','))
		{
			expect(cursor, '}');
			break;
		}
	}
	skip_spaces(cursor);
	if (cursor->at != cursor->end)
		INVALID_NPY("Something follows the dictionary of the header.");
	for (int key = 0; key < lengthof(keys); key++)
		if (!seen[key])
			INVALID_NPY("The header lacks \"%s\".", keys[key]);
}

/* Returns the value of a half-precision number, which single precision holds exactly. */
static float
half_to_float(uint16 half)
{
	uint32 sign = (uint32) (half >> 15) << 31;
	uint32 exponent = (half >> 10) & 0x1F;
	uint32 fraction = half & 0x3FF;
	union
	{
		uint32 bits;
		float value;
	} result;

	if (exponent == 0)
	{
		/* subnormal: fraction * 2^-24 */
		result.value = (float) fraction * 0x1p-24f;
		result.bits |= sign;
	}
	else if (exponent == 0x1F)
		result.bits = sign | 0x7F800000 | (fraction << 13);
	else
		result.bits = sign | ((exponent + 112) << 23) | (fraction << 13);
	return result.value;
}

/* Copies n words of this width, and reverses their bytes if swap. */
static void
copy_words(char *to, const char *from, int64 n, int width, bool swap)
{
	memcpy(to, from, n * width);
	if (!swap)
		return;
	for (int64 i = 0; i < n; i++, to += width)
	{
		for (int low = 0, high = width - 1; low < high; low++, high--)
		{
			char byte = to[low];

			to[low] = to[high];
			to[high] = byte;
		}
	}
}

#define CONVERT(to_type, from_type, convert)                                             \
	for (int64 i = 0; i < count; i++)                                                    \
	{                                                                                    \
		from_type word;                                                                  \
                                                                                         \
		copy_words((char *) &word, data + i * sizeof(word), 1, sizeof(word),             \
				   header->swap);                                                        \
		((to_type *) into)[i] = convert(word);                                           \
	}                                                                                    \
	break

#define BOOLEAN_VALUE(byte) ((byte) != 0)

/* Converts elements of the file, in its order, to the tensor's element type. */
static void
convert_elements(const NpyHeader *header, const char *data, int64 count, void *into)
{
	switch (header->kind)
	{
		case NPY_FLOAT:
			if (header->size != 2)
			{
				copy_words(into, data, count, header->size, header->swap);
				break;
			}
			CONVERT(float, uint16, half_to_float);
		case NPY_COMPLEX:
			copy_words(into, data, 2 * count, header->size / 2, header->swap);
			break;
		case NPY_BOOLEAN:
			CONVERT(double, uint8, BOOLEAN_VALUE);
		case NPY_SIGNED:
			switch (header->size)
			{
				case 1:
					CONVERT(double, int8, (double) );
				case 2:
					CONVERT(double, int16, (double) );
				case 4:
					CONVERT(double, int32, (double) );
				case 8:
					CONVERT(double, int64, (double) );
			}
			break;
		case NPY_UNSIGNED:
			switch (header->size)
			{
				case 1:
					CONVERT(double, uint8, (double) );
				case 2:
					CONVERT(double, uint16, (double) );
				case 4:
					CONVERT(double, uint32, (double) );
				case 8:
					CONVERT(double, uint64, (double) );
			}
			break;
	}
}

static ElementType
npy_element_type(const NpyHeader *header)
{
	if (header->kind == NPY_FLOAT && header->size <= 4)
		return ELEMENT_FLOAT4;
	if (header->kind == NPY_COMPLEX)
		return header->size == 8 ? ELEMENT_COMPLEX8 : ELEMENT_COMPLEX16;
	return ELEMENT_FLOAT8;
}

PG_FUNCTION_INFO_V1(tensor_from_npy);
Datum
tensor_from_npy(PG_FUNCTION_ARGS)
{
	bytea *file = PG_GETARG_BYTEA_PP(0);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(file);
	int64 length = VARSIZE_ANY_EXHDR(file);
	int64 start;
	int64 header_length;
	int64 count;
	NpyHeader header;
	NpyCursor cursor;
	Tensor *tensor;

	if (length < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
		INVALID_NPY("It does not begin as one.");
	if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("npy format %d.%d is unknown", bytes[6], bytes[7]),
						errdetail("Formats 1.0, 2.0 and 3.0 can be read.")));
	start = bytes[6] == 1 ? 10 : 12;
	if (length < start)
		INVALID_NPY("It ends within its header.");
	header_length = bytes[8] | bytes[9] << 8;
	if (bytes[6] != 1)
		header_length |= (int64) bytes[10] << 16 | (int64) bytes[11] << 24;
	if (header_length > length - start)
		INVALID_NPY("Its header has " INT64_FORMAT " bytes, and " INT64_FORMAT " follow.",
					header_length, length - start);
	cursor.at = (const char *) bytes + start;
	cursor.end = cursor.at + header_length;
	read_header(&cursor, &header);

	count = shape_count(npy_element_type(&header), header.rank, header.bounds);
	/* does not overflow: fewer than 2^30 elements of at most 16 bytes */
	if (count * header.size != length - start - header_length)
		INVALID_NPY("Elements of shape %s take " INT64_FORMAT " bytes, and " INT64_FORMAT
					" follow.",
					shape_to_string(header.rank, header.bounds), count * header.size,
					length - start - header_length);

	tensor = tensor_new(npy_element_type(&header), header.rank, header.bounds);
	convert_elements(&header, cursor.end, count, tensor_elements(tensor));
	if (header.fortran && header.rank > 1 && count > 0)
	{
		Tensor *turned =
			tensor_new(npy_element_type(&header), header.rank, header.bounds);
		TensorView from;
		TensorView to;
		int64 stride = 1;

		tensor_view(tensor, &from);
		for (int d = 0; d < header.rank; d++)
		{
			from.strides[d] = stride;
			stride *= header.bounds[d];
		}
		tensor_view(turned, &to);
		view_copy(&from, &to);
		tensor = turned;
	}
	PG_RETURN_TENSOR_P(tensor);
}
