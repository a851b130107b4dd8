/*-------------------------------------------------------------------------
 *
 * tensor_read.c
 *	  Reading the text form of a tensor, nested brackets, in one pass.
 *
 *		value	:= [ type [ '(' bound { ',' bound } ')' ] ':' ] body
 *				 | type '(' bound { ',' bound } ')' ':' sparse	 (sparse_text.c)
 *		body	:= number | '[' [ body { ',' body } ] ']'
 *		number	:= real | [ real ( '+' | '-' ) ] real 'i'	 (complex types)
 *
 * The type is float8 unless named. The shape is read off the brackets; it is
 * named only where they cannot show it, in an empty tensor of several
 * dimensions, whose body is then []. White space may stand between tokens.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/tensor_reader.h"
#include "type/tensor_reduce.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

/* Returns a hint that guesses from the beginning of the text what was meant. */
static const char *
literal_hint(const char *text)
{
	text += strspn(text, " \t\n");
	if (strstr(text, "):{"))
		return _("A sparse tensor is written as float8(5):{1:3,4:2} or "
				 "float4(2,3):{(0,1):2,*:7}: indices ascend, and no entry is the fill, "
				 "behind \"*\" or 0.");
	if (*text == '{' && strchr(text, ':') && strrchr(text, '/'))
		return psprintf(
			_("A sparse tensor has its bound in front, and indices count from "
			  "0: float8(%s):{1:3,4:2}. The extension sparseeinsum_pgvector "
			  "casts pgvector's sparsevec."),
			strrchr(text, '/') + 1);
	if (*text == '{' && is_digit(text[1]) && strchr(text, ':'))
		return _("A sparse tensor has its element type and its bound in front, and "
				 "indices count from 0: float8(10):{3:0.5,7:1}.");
	if (*text == '{')
		return _("A tensor is written in brackets, as in [1,2]. An array is cast: "
				 "'{1,2}'::float8[]::tensor.");
	if (*text == '[' && strcasestr(text, "null"))
		return _("Entries are numbers, and no NULL: write NaN, or in a table leave the "
				 "row out.");
	/* the user may have swapped the arguments of tensor_reduce */
	if (is_reduction_name(text))
		return psprintf(_("The kind comes first: tensor_reduce('%s', '[1,2]')."), text);
	if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || *text == '_')
		return _("A tensor is written in brackets, as in [[1,2],[3,4]] or float4:[1,2]. "
				 "Registered tensors are read by programs, as in einsum_value('y[i,j] = "
				 "a[i,j]').");
	return _(
		"A tensor is written in brackets with commas, as in [1,2] or [[1,2],[3,4]].");
}

void
reader_malformed(Reader *reader, char *detail)
{
	errsave(
		reader->escontext,
		(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION), errmsg("malformed tensor literal"),
		 errdetail("%s, at character %d.", detail, (int) (reader->at - reader->text) + 1),
		 errhint("%s", literal_hint(reader->text))));
}

/* Makes space for one more element. */
static bool
reserve_element(Reader *reader)
{
	size_t size = element_size(reader->type);
	Size header = TENSOR_HEADER_SIZE(reader->rank);

	if (reader->count < reader->capacity)
		return true;
	if (reader->count >= reader->max_count)
		ereturn(reader->escontext, false,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("tensor is too large"),
				 errdetail("More than " INT64_FORMAT " %s elements do not fit in 1 GB.",
						   reader->max_count, element_type_name(reader->type))));
	reader->capacity = Min(reader->capacity * 2, reader->max_count);
	if (reader->tensor == NULL)
	{
		reader->capacity = 16;
		reader->tensor = palloc0(header + reader->capacity * size);
	}
	else
		reader->tensor = repalloc(reader->tensor, header + reader->capacity * size);
	CHECK_FOR_INTERRUPTS();
	return true;
}

/*
 * Reports a complex number in a tensor whose elements are real since no type was named.
 */
static bool
unexpected_complex(Reader *reader)
{
	ereturn(reader->escontext, false,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("malformed tensor literal"),
			 errdetail(
				 "A complex element in a tensor of element type float8, at character %d.",
				 (int) (reader->at - reader->text) + 1),
			 errhint("Write the element type first, as in complex16:[1+2i].")));
}

bool
reader_take_parts(Reader *reader, double parts[2])
{
	bool complex = element_is_complex(reader->type);
	bool single = element_is_single(reader->type);
	char next;

	parts[1] = 0;
	if (!reader_take_real(reader, single, &parts[0]))
		return false;
	next = *reader->at;
	if (next != 'i' && next != '+' && next != '-')
		return true;
	if (!complex)
		return reader->typed || unexpected_complex(reader);
	if (next == 'i')
	{
		parts[1] = parts[0];
		parts[0] = 0;
	}
	else
	{
		if (!reader_take_real(reader, single, &parts[1]))
			return false;
		if (*reader->at != 'i')
			return MALFORMED(reader, "Expected \"i\" after an imaginary part");
	}
	reader->at++;
	return true;
}

/* Reads one number and appends it as an element. */
static bool
read_one_element(Reader *reader)
{
	double parts[2];
	char *data;

	if (!reader_take_parts(reader, parts) || !reserve_element(reader))
		return false;
	data = (char *) reader->tensor + TENSOR_HEADER_SIZE(reader->rank);
	switch (reader->type)
	{
		case ELEMENT_FLOAT8:
			((double *) data)[reader->count] = parts[0];
			break;
		case ELEMENT_FLOAT4:
			((float *) data)[reader->count] = (float) parts[0];
			break;
		case ELEMENT_COMPLEX16:
			((double *) data)[2 * reader->count] = parts[0];
			((double *) data)[2 * reader->count + 1] = parts[1];
			break;
		case ELEMENT_COMPLEX8:
			((float *) data)[2 * reader->count] = (float) parts[0];
			((float *) data)[2 * reader->count + 1] = (float) parts[1];
			break;
	}
	reader->count++;
	return true;
}

/* Reads the bounds of a named shape, from after its "(" to after its ")". */
static bool
read_bounds(Reader *reader)
{
	reader->shaped = true;
	reader->rank = 0;
	reader_skip_space(reader);
	while (*reader->at != ')')
	{
		int64 bound = 0;

		if (reader->rank == TENSOR_MAX_RANK)
			return MALFORMED(reader, "A tensor has at most %d dimensions",
							 TENSOR_MAX_RANK);
		if (!is_digit(*reader->at))
			return MALFORMED(reader, "Expected a bound");
		for (; is_digit(*reader->at); reader->at++)
		{
			bound = bound * 10 + (*reader->at - '0');
			if (bound > PG_INT32_MAX)
				return MALFORMED(reader, "A bound is larger than %d", PG_INT32_MAX);
		}
		reader->bounds[reader->rank++] = bound;
		reader_skip_space(reader);
		if (*reader->at == ')')
			break;
		if (*reader->at != ',')
			return MALFORMED(reader, "Expected \",\" or \")\"");
		reader->at++;
		reader_skip_space(reader);
		if (*reader->at == ')')
			return MALFORMED(reader, "Expected a bound");
	}
	reader->at++;
	reader_skip_space(reader);
	return true;
}

/* Looks up the element type whose name stands from start to end. */
static bool
read_type_name(Reader *reader, const char *start, const char *end)
{
	const char *behind = reader->at;
	char name[16];

	reader->at = start; /* so that messages give the position of the name */
	if (end - start >= (int) sizeof(name))
		return MALFORMED(reader, "Unknown element type");
	for (int i = 0; i < end - start; i++)
		name[i] = (char) pg_tolower((unsigned char) start[i]);
	name[end - start] = '\0';
	if (!element_type_by_name(name, &reader->type))
		return MALFORMED(reader, "Unknown element type \"%s\"", name);
	reader->typed = true;
	reader->at = behind;
	return true;
}

/* Reads "type(bounds):" if the text begins with it. */
static bool
read_prefix(Reader *reader)
{
	const char *start = reader->at;
	const char *end = start;

	while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || is_digit(*end))
		end++;
	/* NaN and Infinity begin like a name, but no ":" or "(" follows them */
	if (end == start || is_digit(*start))
		return true;
	reader->at = end;
	reader_skip_space(reader);
	if (*reader->at != ':' && *reader->at != '(')
	{
		reader->at = start;
		return true;
	}
	if (!read_type_name(reader, start, end))
		return false;
	if (*reader->at == '(')
	{
		reader->at++;
		if (!read_bounds(reader))
			return false;
		if (*reader->at != ':')
			return MALFORMED(reader, "Expected \":\"");
	}
	reader->at++;
	reader_skip_space(reader);
	return true;
}

/* Ends the list at this depth: its length must be that of the other lists. */
static bool
end_list(Reader *reader, int depth, int64 length)
{
	if (reader->bounds[depth] < 0)
		reader->bounds[depth] = length;
	else if (reader->bounds[depth] != length)
		return MALFORMED(reader,
						 "A list of dimension %d has " INT64_FORMAT
						 " members where " INT64_FORMAT " are expected",
						 depth, length, reader->bounds[depth]);
	return true;
}

/*
 * Checks that an element or an empty list may be at this depth; the first one sets the
 * rank.
 */
static inline bool
fits_rank(Reader *reader, int depth)
{
	if (reader->rank < 0)
		reader->rank = depth;
	return depth == reader->rank;
}

/*
 * Opens a list as a member of the list of this depth. Reads it to its end if it is empty
 * (*empty).
 */
static bool
open_list(Reader *reader, int depth, bool *empty)
{
	if (depth == TENSOR_MAX_RANK)
		return MALFORMED(reader, "A tensor has at most %d dimensions", TENSOR_MAX_RANK);
	if (reader->rank >= 0 && depth >= reader->rank)
		return MALFORMED(reader, "A list stands where a number is expected");
	reader->at++;
	reader_skip_space(reader);
	*empty = *reader->at == ']';
	if (*empty && !fits_rank(reader, depth + 1))
		return MALFORMED(reader, "An empty list stands where lists are expected");
	return true;
}

/* Reads an element that is within this many lists. */
static bool
read_member(Reader *reader, int depth)
{
	if (!fits_rank(reader, depth))
		return MALFORMED(reader, *reader->at == '\0' ? "The text ends within a list"
													 : "A list is expected");
	if (!read_one_element(reader))
		return false;
	reader_skip_space(reader);
	return true;
}

/*
 * Reads the body. One loop reads lists of all depths: lengths[d] counts the members, so
 * far, of the open list of dimension d.
 */
static bool
read_body(Reader *reader)
{
	int64 lengths[TENSOR_MAX_RANK];
	int depth = 0;

	for (;;)
	{
		/* reads one member of the list of dimension depth - 1 */
		reader_skip_space(reader);
		if (*reader->at == '[')
		{
			bool empty = false;

			if (!open_list(reader, depth, &empty))
				return false;
			lengths[depth++] = 0;
			if (!empty)
				continue;
		}
		else
		{
			if (!read_member(reader, depth))
				return false;
			if (depth > 0)
				lengths[depth - 1]++;
		}

		/* after a member: the ends of lists, then a comma or the end */
		while (depth > 0 && *reader->at == ']')
		{
			if (!end_list(reader, depth - 1, lengths[depth - 1]))
				return false;
			reader->at++;
			depth--;
			if (depth > 0)
				lengths[depth - 1]++;
			reader_skip_space(reader);
		}
		if (depth == 0)
			return true;
		if (*reader->at == '\0')
			return MALFORMED(reader, "The text ends within a list");
		if (*reader->at != ',')
			return MALFORMED(reader, "Expected \",\" or \"]\"");
		reader->at++;
		if ((lengths[depth - 1] & 1023) == 0)
			CHECK_FOR_INTERRUPTS();
	}
}

/* Reads the body of a tensor without elements whose shape was named: []. */
static bool
read_empty_body(Reader *reader)
{
	if (*reader->at != '[')
		return MALFORMED(reader, "Expected \"[]\", as the shape has no elements");
	reader->at++;
	reader_skip_space(reader);
	if (*reader->at != ']')
		return MALFORMED(reader, "Expected \"]\", as the shape has no elements");
	reader->at++;
	reader_skip_space(reader);
	return true;
}

/*
 * Reads a tensor; its element type is `type` unless the text names one. Errors are saved
 * in escontext, if given, and the result is then NULL: 22P02 with the position, 22003 for
 * a number that the element type cannot hold, 54000 for too large a tensor.
 */
Tensor *
tensor_read(const char *text, ElementType type, Node *escontext)
{
	Reader reader = {
		.text = text, .at = text, .escontext = escontext, .type = type, .rank = -1};
	bool empty = false;
	Tensor *tensor;

	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		reader.bounds[i] = -1;
	reader_skip_space(&reader);
	if (!read_prefix(&reader))
		return NULL;
	reader.max_count =
		(MaxAllocSize - TENSOR_HEADER_SIZE(TENSOR_MAX_RANK)) / element_size(reader.type);
	if (reader.shaped && *reader.at == '{')
		return sparse_read(&reader);
	if (reader.shaped)
	{
		for (int i = 0; i < reader.rank; i++)
			empty = empty || reader.bounds[i] == 0;
	}
	if (!(empty ? read_empty_body(&reader) : read_body(&reader)))
		return NULL;
	if (*reader.at != '\0')
	{
		(void) MALFORMED(&reader, "The text continues after the end of the tensor");
		return NULL;
	}

	/* a named shape without elements is checked by tensor_new */
	if (reader.tensor == NULL)
		return tensor_new(reader.type, reader.rank, reader.bounds);
	tensor = reader.tensor;
	tensor_write_header(tensor, reader.type, reader.rank, reader.bounds);
	return tensor;
}

Tensor *
tensor_parse(const char *text)
{
	return make_dense(tensor_read(text, ELEMENT_FLOAT8, NULL), NULL);
}

PG_FUNCTION_INFO_V1(tensor_in);
Datum
tensor_in(PG_FUNCTION_ARGS)
{
	int32 typmod = PG_NARGS() > 2 ? PG_GETARG_INT32(2) : -1;
	Node *escontext = fcinfo->context;
	Tensor *tensor;

	if (is_json_object(PG_GETARG_CSTRING(0)))
		tensor = tensor_of_json(PG_GETARG_CSTRING(0), escontext);
	else
		tensor = tensor_read(PG_GETARG_CSTRING(0),
							 tensor_typmod_type(typmod, ELEMENT_FLOAT8), escontext);
	if (tensor == NULL)
		PG_RETURN_NULL();
	tensor = tensor_apply_typmod(tensor, typmod, escontext);
	if (tensor == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TENSOR_P(tensor);
}
