/*-------------------------------------------------------------------------
 *
 * sparse_text.c
 *	  The text form of sparse values: float4(3,4):{(0,1):2,*:Infinity}.
 *
 *		body	:= '{' [ entry { ',' entry } ] '}'
 *		entry	:= place ':' number | '*' ':' number	 (the fill, last)
 *		place	:= index | '(' [ index { ',' index } ] ')'
 *
 * An index stands without parentheses if the rank is 1. Entries come in the row-major
 * order of their places, each once, and none is the fill, which is 0 if not given.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor_reader.h"
#include "type/tensor_text.h"

/* Reads an index of a dimension. */
static bool
read_index(Reader *reader, int dimension, int64 *index)
{
	*index = 0;
	reader_skip_space(reader);
	if (!is_digit(*reader->at))
		return MALFORMED(reader, "Expected an index");
	for (; is_digit(*reader->at); reader->at++)
	{
		*index = *index * 10 + (*reader->at - '0');
		if (*index >= reader->bounds[dimension])
			return MALFORMED(
				reader, "An index of dimension %d is not below its bound " INT64_FORMAT,
				dimension, reader->bounds[dimension]);
	}
	reader_skip_space(reader);
	return true;
}

/* Reads the place of an entry; sets its position. */
static bool
read_place(Reader *reader, uint64 *position)
{
	int64 index;

	*position = 0;
	if (reader->rank == 1 && *reader->at != '(')
	{
		if (!read_index(reader, 0, &index))
			return false;
		*position = (uint64) index;
		return true;
	}
	if (*reader->at != '(')
		return MALFORMED(reader, "Expected \"(\"");
	reader->at++;
	reader_skip_space(reader);
	for (int d = 0; d < reader->rank; d++)
	{
		if (!read_index(reader, d, &index))
			return false;
		*position = *position * (uint64) reader->bounds[d] + (uint64) index;
		if (d + 1 == reader->rank)
			break;
		if (*reader->at != ',')
			return MALFORMED(reader, "Expected \",\"");
		reader->at++;
	}
	if (*reader->at != ')')
		return MALFORMED(reader, "Expected \")\"");
	reader->at++;
	return true;
}

/* Reads ':' and a number. */
static bool
read_number(Reader *reader, SparseElement *element)
{
	double parts[2];

	reader_skip_space(reader);
	if (*reader->at != ':')
		return MALFORMED(reader, "Expected \":\"");
	reader->at++;
	reader_skip_space(reader);
	if (!reader_take_parts(reader, parts))
		return false;
	reader_skip_space(reader);
	*element = sparse_element(reader->type, parts[0], parts[1]);
	return true;
}

/* Reads entries, and the fill if it is given, up to "}". */
static bool
read_entries(Reader *reader, SparseBuilder *builder)
{
	SparseElement element;
	uint64 position;

	while (*reader->at != '}')
	{
		const char *start = reader->at;

		if (*reader->at == '*')
		{
			reader->at++;
			if (!read_number(reader, &builder->fill))
				return false;
			if (*reader->at != '}')
				return MALFORMED(reader, "Expected \"}\" after the fill");
			break;
		}
		if (!read_place(reader, &position) || !read_number(reader, &element))
			return false;
		if (builder->count > 0 && position <= builder->positions[builder->count - 1])
		{
			reader->at = start;
			return MALFORMED(reader, "The entry is not behind the one before it");
		}
		sparse_append(builder, position, element);
		if (*reader->at == '}')
			break;
		if (*reader->at != ',')
			return MALFORMED(reader, "Expected \",\" or \"}\"");
		reader->at++;
		reader_skip_space(reader);
		if (*reader->at == '}')
			return MALFORMED(reader, "Expected an entry");
	}
	if (sparse_repeats_fill(builder))
		return MALFORMED(reader, "An entry equals the fill");
	reader->at++;
	reader_skip_space(reader);
	return true;
}

Tensor *
sparse_read(Reader *reader)
{
	SparseBuilder builder;

	if (sparse_extent(reader->rank, reader->bounds) < 0)
	{
		(void) MALFORMED(reader, "The product of the bounds is beyond 2^63 - 1");
		return NULL;
	}
	sparse_begin(&builder, reader->type, reader->rank, reader->bounds);
	reader->at++;
	reader_skip_space(reader);
	if (!read_entries(reader, &builder))
		return NULL;
	if (*reader->at != '\0')
	{
		(void) MALFORMED(reader, "The text continues after the end of the tensor");
		return NULL;
	}
	return sparse_finish(&builder);
}

/* Appends the indices of a position. */
static void
append_indices(StringInfo out, const Tensor *tensor, uint64 position)
{
	uint64 index[TENSOR_MAX_RANK];

	for (int d = tensor->rank - 1; d >= 0; d--)
	{
		index[d] = position % (uint64) tensor->bounds[d];
		position /= (uint64) tensor->bounds[d];
	}
	for (int d = 0; d < tensor->rank; d++)
		appendStringInfo(out, d == 0 ? UINT64_FORMAT : "," UINT64_FORMAT, index[d]);
}

char *
sparse_place_string(const Tensor *tensor, uint64 position)
{
	StringInfoData out;

	initStringInfo(&out);
	append_indices(&out, tensor, position);
	return out.data;
}

static void
append_element(StringInfo out, const Tensor *tensor, const void *element)
{
	enlargeStringInfo(out, ELEMENT_MAX_LENGTH);
	out->len =
		(int) (put_element(out->data + out->len, (ElementType) tensor->type, element, 0) -
			   out->data);
	out->data[out->len] = '\0';
}

char *
sparse_to_string(const Tensor *tensor)
{
	StringInfoData out;
	SparseElement zero = {{0}};
	ElementType type = (ElementType) tensor->type;
	SparseEntries entries = sparse_entries(tensor);

	initStringInfo(&out);
	appendStringInfo(&out, "%s(", element_type_name(type));
	for (int d = 0; d < tensor->rank; d++)
		appendStringInfo(&out, d == 0 ? "%d" : ",%d", tensor->bounds[d]);
	appendStringInfoString(&out, "):{");
	for (int64 i = 0; i < entries.count; i++)
	{
		if ((i & 1023) == 1023)
			CHECK_FOR_INTERRUPTS();
		if (i > 0)
			appendStringInfoChar(&out, ',');
		if (tensor->rank != 1)
			appendStringInfoChar(&out, '(');
		append_indices(&out, tensor, entry_position(&entries, i));
		if (tensor->rank != 1)
			appendStringInfoChar(&out, ')');
		appendStringInfoChar(&out, ':');
		append_element(&out, tensor, entry_element(&entries, i));
	}
	if (memcmp(sparse_fill(tensor), &zero, element_size(type)) != 0)
	{
		appendStringInfoString(&out, entries.count > 0 ? ",*:" : "*:");
		append_element(&out, tensor, sparse_fill(tensor));
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
