/*-------------------------------------------------------------------------
 *
 * tensor_read_number.c
 *	  Reading one real number of a tensor's text form.
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

#include "utils/float.h"

#include "compat.h"
#include "type/tensor_reader.h"

/* This many decimal digits always fit in a mantissa of 64 bits. */
#define MANTISSA_DIGITS 18

/* A number as it is written, without its sign: mantissa * 10^exponent if exact. */
typedef struct Decimal
{
	uint64 mantissa;
	int64 exponent;
	int digits; /* significant digits in mantissa */
	bool exact; /* mantissa has all digits that were written */
} Decimal;

/* Reads the keyword (in lower case) if it is next in the text, in any case. */
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

/* Reads NaN, inf or infinity, after the sign of a number that begins at start. */
static bool
take_special(Reader *reader, const char *start, bool negative, double *value)
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

/* Appends digits to the mantissa; returns where they end. */
static inline const char *
scan_digits(const char *at, bool fraction, Decimal *decimal)
{
	for (; is_digit(*at); at++)
	{
		if (decimal->digits < MANTISSA_DIGITS)
		{
			decimal->mantissa = decimal->mantissa * 10 + (*at - '0');
			decimal->digits += decimal->mantissa != 0;
			decimal->exponent -= fraction;
		}
		else
			decimal->exact = false;
	}
	return at;
}

/*
 * Reads digits, point and exponent; returns where they end, or NULL if there are no
 * digits.
 */
static inline const char *
scan_decimal(const char *at, Decimal *decimal)
{
	const char *start = at;

	decimal->mantissa = 0;
	decimal->exponent = 0;
	decimal->digits = 0;
	decimal->exact = true;
	at = scan_digits(at, false, decimal);
	if (*at == '.')
	{
		at = scan_digits(at + 1, true, decimal);
		if (at == start + 1)
			return NULL;
	}
	else if (at == start)
		return NULL;
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
		decimal->exponent += down ? -written : written;
	}
	return at;
}

/*
 * Computes the value of a decimal number if one operation on two exact numbers gives it.
 */
static inline bool
exact_value(const Decimal *decimal, bool single, double *value)
{
#if FLT_EVAL_METHOD == 0
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
									1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
									1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	uint64 max_mantissa = UINT64CONST(1) << (single ? FLT_MANT_DIG : DBL_MANT_DIG);
	int max_power = single ? 10 : 22;
	uint64 mantissa = decimal->mantissa;
	int64 exponent = decimal->exponent;

	if (!decimal->exact || mantissa > max_mantissa)
		return false;
	if (mantissa == 0)
	{
		*value = 0;
		return true;
	}
	if (exponent < -max_power || exponent > max_power)
		return false;
	if (single)
		*value = exponent < 0 ? (float) mantissa / (float) powers[-exponent]
							  : (float) mantissa * (float) powers[exponent];
	else
		*value = exponent < 0 ? (double) mantissa / powers[-exponent]
							  : (double) mantissa * powers[exponent];
	return true;
#else
	return false;
#endif
}

bool
reader_take_real(Reader *reader, bool single, double *value)
{
	const char *start = reader->at;
	const char *at;
	char *end;
	bool negative = false;
	Decimal decimal;

	if (*reader->at == '+' || *reader->at == '-')
		negative = *reader->at++ == '-';
	if (!is_digit(*reader->at) && *reader->at != '.')
		return take_special(reader, start, negative, value);
	at = scan_decimal(reader->at, &decimal);
	if (at != NULL && exact_value(&decimal, single, value))
	{
		if (negative)
			*value = -*value;
		reader->at = at;
		return true;
	}

	/* strtod would also read a hexadecimal number, and so end elsewhere */
	errno = 0;
	if (at != NULL)
		*value = single ? (double) strtof(start, &end) : strtod(start, &end);
	if (at == NULL || end != at)
	{
		reader->at = start;
		return MALFORMED(reader, "A number is expected");
	}
	if (errno == ERANGE && (*value == 0 || isinf(*value)))
		return out_of_range(reader, start, at);
	reader->at = at;
	return true;
}
