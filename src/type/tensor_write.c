/*-------------------------------------------------------------------------
 *
 * tensor_write.c
 *	  Writing the text form of a tensor that tensor_read.c reads.
 *
 * Numbers are written with the fewest digits that read back as the same value,
 * whatever extra_float_digits says: a dump must restore what it dumped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "compat.h"
#include "type/tensor.h"
#include "type/tensor_text.h"

/*
 * Writes number i of the data, which has the width of the type's parts; returns its end.
 */
static inline char *
put_part(char *at, ElementType type, const void *data, int64 i)
{
	if (type == ELEMENT_FLOAT8 || type == ELEMENT_COMPLEX16)
		return at + double_to_shortest_decimal_bufn(((const double *) data)[i], at);
	return at + float_to_shortest_decimal_bufn(((const float *) data)[i], at);
}

char *
put_element(char *at, ElementType type, const void *data, int64 i)
{
	char *sign;

	if (!element_is_complex(type))
		return put_part(at, type, data, i);

	/*
	 * complex parts need one sign between them: write the second after a gap, and close
	 * the gap if it has a sign
	 */
	sign = put_part(at, type, data, 2 * i);
	at = put_part(sign + 1, type, data, 2 * i + 1);
	if (sign[1] == '-')
	{
		memmove(sign, sign + 1, at - (sign + 1));
		at--;
	}
	else
		*sign = '+';
	*at++ = 'i';
	return at;
}

/* Returns the text form that tensor_parse reads; palloc'd. */
char *
tensor_to_string(const Tensor *tensor)
{
	StringInfoData out;
	ElementType type = (ElementType) tensor->type;
	int rank = tensor->rank;
	int64 count = tensor_count(tensor);
	const void *data = tensor_elements(tensor);
	int64 index[TENSOR_MAX_RANK] = {0};
	bool named_shape = count == 0 && rank > 1;

	initStringInfo(&out);
	if (type != ELEMENT_FLOAT8 || named_shape)
		appendStringInfoString(&out, element_type_name(type));
	if (named_shape)
	{
		for (int d = 0; d < rank; d++)
			appendStringInfo(&out, d == 0 ? "(%d" : ",%d", tensor->bounds[d]);
		appendStringInfoChar(&out, ')');
	}
	if (type != ELEMENT_FLOAT8 || named_shape)
		appendStringInfoChar(&out, ':');
	if (count == 0)
	{
		appendStringInfoString(&out, "[]");
		return out.data;
	}

	for (int d = 0; d < rank; d++)
		appendStringInfoChar(&out, '[');
	for (int64 i = 0; i < count; i++)
	{
		int closed = 0;
		char *at;

		enlargeStringInfo(&out, ELEMENT_MAX_LENGTH + 2 * TENSOR_MAX_RANK + 2);
		at = put_element(out.data + out.len, type, data, i);

		/* step to the next index; closed counts the lists that end */
		for (int d = rank - 1; d >= 0; d--)
		{
			if (++index[d] < tensor->bounds[d])
				break;
			index[d] = 0;
			closed++;
		}
		for (int d = 0; d < closed; d++)
			*at++ = ']';
		if (i + 1 < count)
		{
			*at++ = ',';
			for (int d = 0; d < closed; d++)
				*at++ = '[';
		}
		*at = '\0';
		out.len = (int) (at - out.data);
		if ((i & 1023) == 0)
			CHECK_FOR_INTERRUPTS();
	}
	return out.data;
}

PG_FUNCTION_INFO_V1(tensor_out);
Datum
tensor_out(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));

	PG_RETURN_CSTRING(is_sparse(tensor) ? sparse_to_string(tensor)
										: tensor_to_string(tensor));
}
