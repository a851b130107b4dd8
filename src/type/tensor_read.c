/*-------------------------------------------------------------------------
 *
 * tensor_read.c
 *	  Reading the text form of a tensor, nested brackets, in one pass.
 *
 *		value	:= [ type [ '(' bound { ',' bound } ')' ] ':' ] body
 *		body	:= number | '[' [ body { ',' body } ] ']'
 *		number	:= real | [ real ( '+' | '-' ) ] real 'i'	 (complex types)
 *
 * The type is float8 unless named. The shape is read off the brackets; it is
 * named only where they cannot show it, in an empty tensor of several
 * dimensions, whose body is then []. White space may stand between tokens.
 *
 * A number of at most 15 digits and a small exponent needs one multiplication
 * or division of two exact numbers, which rounds once and so is right
 * (Clinger, How to read floating point numbers accurately, PLDI 1990); strtod
 * and strtof read the rest.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"
#include "utils/float.h"
#include "utils/memutils.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"
#include "type/tensor_text.h"

typedef struct Reader
{
	const char *text;
	const char *at;
	Node *escontext;

	ElementType type;
	bool typed;  /* the type was named */
	bool shaped; /* the shape was named: rank and bounds are given */

	int rank;                      /* -1 until the first element or empty list */
	int64 bounds[TENSOR_MAX_RANK]; /* -1 until the first list there ends */

	Tensor *tensor;  /* grows; bounds not yet set */
	int64 count;     /* elements read */
	int64 capacity;  /* elements allocated */
	int64 max_count; /* what an allocation can hold */
} Reader;

/* Reports what is wrong at the current position; always gives false. */
#define MALFORMED(reader, ...) malformed(reader, psprintf(__VA_ARGS__))

static bool
malformed(Reader *reader, char *detail)
{
	errsave(reader->escontext, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
								errmsg("malformed tensor literal"),
								errdetail("%s, at character %d.", detail,
										  (int) (reader->at - reader->text) + 1)));
	return false;
}

static inline bool
is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline void
skip_space(Reader *reader)
{
	while (is_space(*reader->at))
		reader->at++;
}

/* Takes the keyword (in lower case) if the text goes on with it, in any case. */
static bool
take_word(Reader *reader, const char *word)
{
	size_t length = strlen(word);

	if (pg_strncasecmp(reader->at, word, length) != 0)
		return false;
	reader->at += length;
	return true;
}

static bool
out_of_range(Reader *reader, const char *start, const char *end)
{
	int length = (int) Min(end - start, 40);

	errsave(reader->escontext,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("\"%.*s%s\" is out of range for element type %s", length, start,
					end - start > 40 ? "..." : "", element_type_name(reader->type)),
			 errdetail("It stands at character %d.", (int) (start - reader->text) + 1)));
	return false;
}

/*
 * Reads a real number: decimal digits with point and exponent, NaN, inf or
 * infinity; not strtod's hexadecimal numbers. A number is rounded once, to
 * float4 if single.
 */
static bool
read_real(Reader *reader, bool single, double *value)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
									1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
									1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	const char *start = reader->at;
	const char *at;
	char *end;
	bool negative = false;
	uint64 mantissa = 0;
	int digits = 0;     /* significant digits in mantissa */
	bool any = false;   /* a digit was seen */
	int64 exponent = 0; /* the value is mantissa * 10^exponent if exact */
	bool exact = true;
	uint64 max_mantissa = UINT64CONST(1) << (single ? FLT_MANT_DIG : DBL_MANT_DIG);
	int max_power = single ? 10 : 22;

	if (*reader->at == '+' || *reader->at == '-')
		negative = *reader->at++ == '-';
	if (!is_digit(*reader->at) && *reader->at != '.')
	{
		if (take_word(reader, "nan"))
			*value = get_float8_nan();
		else if (take_word(reader, "infinity") || take_word(reader, "inf"))
			*value = negative ? -get_float8_infinity() : get_float8_infinity();
		else
		{
			reader->at = start;
			if (*start == '\0')
				return MALFORMED(reader, "The text ends where a number is expected");
			return MALFORMED(reader, "A number is expected");
		}
		return true;
	}

	for (at = reader->at; is_digit(*at) || *at == '.'; at++)
	{
		if (*at == '.')
			break;
		any = true;
		if (digits < 18)
		{
			mantissa = mantissa * 10 + (*at - '0');
			digits += mantissa != 0;
		}
		else
			exact = false;
	}
	if (*at == '.')
	{
		for (at++; is_digit(*at); at++)
		{
			any = true;
			if (digits < 18)
			{
				mantissa = mantissa * 10 + (*at - '0');
				digits += mantissa != 0;
				exponent--;
			}
			else
				exact = false;
		}
	}
	if (!any)
	{
		reader->at = start;
		return MALFORMED(reader, "A number is expected");
	}
	if ((*at == 'e' || *at == 'E') &&
		(is_digit(at[1]) || ((at[1] == '+' || at[1] == '-') && is_digit(at[2]))))
	{
		bool down = at[1] == '-';
		int64 written = 0;

		for (at += is_digit(at[1]) ? 1 : 2; is_digit(*at); at++)
		{
			if (written < 1000000)
				written = written * 10 + (*at - '0');
		}
		exponent += down ? -written : written;
	}

#if FLT_EVAL_METHOD == 0
	if (exact && mantissa <= max_mantissa &&
		(mantissa == 0 || (exponent >= -max_power && exponent <= max_power)))
	{
		double result;

		if (mantissa == 0)
			result = 0;
		else if (single)
			result = exponent < 0 ? (float) mantissa / (float) powers[-exponent]
								  : (float) mantissa * (float) powers[exponent];
		else
			result = exponent < 0 ? (double) mantissa / powers[-exponent]
								  : (double) mantissa * powers[exponent];
		*value = negative ? -result : result;
		reader->at = at;
		return true;
	}
#endif

	errno = 0;
	*value = single ? (double) strtof(start, &end) : strtod(start, &end);
	if (end != at)
	{
		reader->at = start;
		return MALFORMED(reader, "A number is expected");
	}
	if (errno == ERANGE && (*value == 0 || isinf(*value)))
		return out_of_range(reader, start, at);
	reader->at = at;
	return true;
}

/* Makes room for one more element. */
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

/* Reads one number and appends it as an element. */
static bool
read_element(Reader *reader)
{
	bool complex = element_is_complex(reader->type);
	bool single = reader->type == ELEMENT_FLOAT4 || reader->type == ELEMENT_COMPLEX8;
	double parts[2] = {0, 0};
	char *data;

	if (!read_real(reader, single, &parts[0]))
		return false;
	if (*reader->at == 'i' && complex)
	{
		parts[1] = parts[0];
		parts[0] = 0;
		reader->at++;
	}
	else if ((*reader->at == '+' || *reader->at == '-') && complex)
	{
		if (!read_real(reader, single, &parts[1]))
			return false;
		if (*reader->at != 'i')
			return MALFORMED(reader, "Expected \"i\" after an imaginary part");
		reader->at++;
	}
	else if ((*reader->at == 'i' || *reader->at == '+' || *reader->at == '-') &&
			 !reader->typed)
		ereturn(
			reader->escontext, false,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("malformed tensor literal"),
			 errdetail(
				 "A complex element in a tensor of element type float8, at character %d.",
				 (int) (reader->at - reader->text) + 1),
			 errhint("Write the element type first, as in complex16:[1+2i].")));

	if (!reserve_element(reader))
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

/* Reads "type(bounds):" if it is there. */
static bool
read_prefix(Reader *reader)
{
	const char *start = reader->at;
	const char *end = start;
	char name[16];

	while ((*end >= 'a' && *end <= 'z') || (*end >= 'A' && *end <= 'Z') || is_digit(*end))
		end++;
	/* NaN and Infinity begin like a name, and are followed by nothing */
	if (end == start || is_digit(*start))
		return true;
	reader->at = end;
	skip_space(reader);
	if (*reader->at != ':' && *reader->at != '(')
	{
		reader->at = start;
		return true;
	}
	if (end - start >= (int) sizeof(name))
	{
		reader->at = start;
		return MALFORMED(reader, "Unknown element type");
	}
	for (int i = 0; i < end - start; i++)
		name[i] = (char) pg_tolower((unsigned char) start[i]);
	name[end - start] = '\0';
	if (!element_type_by_name(name, &reader->type))
	{
		reader->at = start;
		return MALFORMED(reader, "Unknown element type \"%s\"", name);
	}
	reader->typed = true;

	if (*reader->at == '(')
	{
		reader->at++;
		reader->shaped = true;
		reader->rank = 0;
		skip_space(reader);
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
			skip_space(reader);
			if (*reader->at == ')')
				break;
			if (*reader->at != ',')
				return MALFORMED(reader, "Expected \",\" or \")\"");
			reader->at++;
			skip_space(reader);
			if (*reader->at == ')')
				return MALFORMED(reader, "Expected a bound");
		}
		reader->at++;
		skip_space(reader);
		if (*reader->at != ':')
			return MALFORMED(reader, "Expected \":\"");
	}
	reader->at++;
	skip_space(reader);
	return true;
}

/* Ends the list at depth: its length must be that of its neighbours. */
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
 * Reads the body. Lists of all depths are tracked in one loop: lengths[d] is
 * the number of members so far of the open list of dimension d.
 */
static bool
read_body(Reader *reader)
{
	int64 lengths[TENSOR_MAX_RANK];
	int depth = 0;

	for (;;)
	{
		/* one member of the list of dimension depth - 1 */
		skip_space(reader);
		if (*reader->at == '[')
		{
			if (depth == TENSOR_MAX_RANK)
				return MALFORMED(reader, "A tensor has at most %d dimensions",
								 TENSOR_MAX_RANK);
			if (reader->rank >= 0 && depth >= reader->rank)
				return MALFORMED(reader, "A list stands where a number is expected");
			reader->at++;
			lengths[depth++] = 0;
			skip_space(reader);
			if (*reader->at != ']')
				continue;
			if (reader->rank < 0)
				reader->rank = depth;
			else if (depth != reader->rank)
				return MALFORMED(reader, "An empty list stands where lists are expected");
		}
		else
		{
			if (reader->rank < 0)
				reader->rank = depth;
			else if (depth != reader->rank)
				return MALFORMED(reader, *reader->at == '\0'
											 ? "The text ends within a list"
											 : "A list is expected");
			if (!read_element(reader))
				return false;
			if (depth > 0)
				lengths[depth - 1]++;
			skip_space(reader);
		}

		/* what may follow a member: the ends of lists, then a comma or the end */
		while (depth > 0 && *reader->at == ']')
		{
			if (!end_list(reader, depth - 1, lengths[depth - 1]))
				return false;
			reader->at++;
			depth--;
			if (depth > 0)
				lengths[depth - 1]++;
			skip_space(reader);
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

/* The body of a tensor without elements whose shape was named: []. */
static bool
read_empty_body(Reader *reader)
{
	if (*reader->at != '[')
		return MALFORMED(reader, "Expected \"[]\", as the shape has no elements");
	reader->at++;
	skip_space(reader);
	if (*reader->at != ']')
		return MALFORMED(reader, "Expected \"]\", as the shape has no elements");
	reader->at++;
	skip_space(reader);
	return true;
}

/*
 * Reads a tensor. type is what elements are unless the text says otherwise.
 * Errors go to escontext where the caller gave one, and the result is then
 * NULL: 22P02 with the position, 22003 for a number that the element type
 * cannot hold, 54000 for what is too large.
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
	skip_space(&reader);
	if (!read_prefix(&reader))
		return NULL;
	reader.max_count =
		(MaxAllocSize - TENSOR_HEADER_SIZE(TENSOR_MAX_RANK)) / element_size(reader.type);
	if (reader.shaped)
	{
		for (int i = 0; i < reader.rank; i++)
			empty = empty || reader.bounds[i] == 0;
	}
	if (!(empty ? read_empty_body(&reader) : read_body(&reader)))
		return NULL;
	if (*reader.at != '\0')
	{
		MALFORMED(&reader, "The text goes on after the end of the tensor");
		return NULL;
	}

	/* a shape without elements may still be beyond what may be multiplied */
	if (reader.tensor == NULL)
		return tensor_new(reader.type, reader.rank, reader.bounds);
	tensor = reader.tensor;
	SET_VARSIZE(tensor, TENSOR_HEADER_SIZE(reader.rank) +
							reader.count * element_size(reader.type));
	tensor->format = TENSOR_FORMAT_DENSE;
	tensor->type = (uint8) reader.type;
	tensor->rank = (uint8) reader.rank;
	tensor->flags = 0;
	for (int i = 0; i < reader.rank; i++)
		tensor->bounds[i] = (int32) reader.bounds[i];
	return tensor;
}

/* Reads the text form; float8 unless it says otherwise. Errors as above, raised. */
Tensor *
tensor_parse(const char *text)
{
	return tensor_read(text, ELEMENT_FLOAT8, NULL);
}

PG_FUNCTION_INFO_V1(tensor_in);
Datum
tensor_in(PG_FUNCTION_ARGS)
{
	int32 typmod = PG_NARGS() > 2 ? PG_GETARG_INT32(2) : -1;
	Node *escontext = fcinfo->context;
	Tensor *tensor;

	tensor = tensor_read(PG_GETARG_CSTRING(0), tensor_typmod_type(typmod, ELEMENT_FLOAT8),
						 escontext);
	if (tensor == NULL)
		PG_RETURN_NULL();
	tensor = tensor_apply_typmod(tensor, typmod, escontext);
	if (tensor == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TENSOR_P(tensor);
}
