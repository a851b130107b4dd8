/*-------------------------------------------------------------------------
 *
 * sparse_vector.c
 *	  The text form of pgvector's type sparsevec, {1:1.5,4:-2}/5, which counts indices
 *	  from 1: how its values become sparse tensors, and back.
 *
 * The casts of the extension sparseeinsum_pgvector call these functions: nothing
 * depends on how pgvector stores its values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "compat.h"
#include "type/sparse.h"
#include "type/tensor_reader.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(tensor_of_sparsevec);
PG_FUNCTION_INFO_V1(sparsevec_of_tensor);

/* Takes a character that must come next. */
static void
take_expected(Reader *reader, char expected)
{
	if (*reader->at != expected)
		(void) MALFORMED(reader, "Expected \"%c\"", expected);
	reader->at++;
}

/* Takes an integer from least on up to most. */
static int64
take_integer(Reader *reader, int64 least, int64 most)
{
	int64 integer = 0;

	if (!is_digit(*reader->at))
		(void) MALFORMED(reader, "Expected an integer");
	for (; is_digit(*reader->at) && integer <= most; reader->at++)
		integer = integer * 10 + (*reader->at - '0');
	if (integer < least || integer > most)
		(void) MALFORMED(reader,
						 "Expected an integer from " INT64_FORMAT " to " INT64_FORMAT,
						 least, most);
	return integer;
}

/*
 * tensor_of_sparsevec(text): returns the sparse float4 vector of a sparsevec's text.
 * Errors: 22P02 for another text.
 */
Datum
tensor_of_sparsevec(PG_FUNCTION_ARGS)
{
	char *form = text_to_cstring(PG_GETARG_TEXT_PP(0));
	char *slash = strrchr(form, '/');
	Reader reader = {.text = form, .at = form, .type = ELEMENT_FLOAT4, .rank = 1};
	SparseBuilder builder;
	int64 last = 0;

	if (slash == NULL)
		(void) MALFORMED(&reader, "It has no number of dimensions");
	/* the error is raised, as the reader has nowhere to save it */
	Assert(slash != NULL);
	reader.at = slash + 1;
	reader.bounds[0] = take_integer(&reader, 0, PG_INT32_MAX);
	if (*reader.at != '\0')
		(void) MALFORMED(&reader, "The text continues after the number of dimensions");
	sparse_begin(&builder, ELEMENT_FLOAT4, 1, reader.bounds);
	reader.at = form;
	take_expected(&reader, '{');
	while (*reader.at != '}')
	{
		double number;

		if (last > 0)
			take_expected(&reader, ',');
		last = take_integer(&reader, last + 1, reader.bounds[0]);
		take_expected(&reader, ':');
		(void) reader_take_real(&reader, true, &number);
		sparse_append_other(&builder, (uint64) (last - 1), number, 0);
	}
	take_expected(&reader, '}');
	take_expected(&reader, '/');
	PG_RETURN_TENSOR_P(sparse_finish(&builder));
}

/*
 * sparsevec_of_tensor(vector): returns the text of a sparsevec, whose elements are
 * rounded to float4. Errors: 2202E unless it is a vector, 42846 for complex elements,
 * 22003 for an element that float4 cannot hold.
 */
Datum
sparsevec_of_tensor(PG_FUNCTION_ARGS)
{
	Tensor *tensor = DatumGetTensorWithFill(PG_GETARG_DATUM(0), 0);
	char number[FLOAT_SHORTEST_DECIMAL_LEN];
	SparseEntries entries;
	StringInfoData out;

	if (tensor->rank != 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a tensor of shape %s cannot be cast to type sparsevec",
							   tensor_shape_string(tensor)),
						errhint("A sparsevec is a vector.")));
	if (element_is_complex((ElementType) tensor->type))
		ereport(ERROR, (errcode(ERRCODE_CANNOT_COERCE),
						errmsg("complex tensor cannot be cast to type sparsevec")));
	if (!is_sparse(tensor))
		tensor = sparse_from_dense(tensor, 0);
	entries = sparse_entries(tensor);
	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int64 i = 0; i < entries.count; i++)
	{
		double element = entry_number(&entries, i);
		float single = (float) element;

		if ((i & 0xfffff) == 0xfffff)
			CHECK_FOR_INTERRUPTS();
		if (isinf(single) && !isinf(element))
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("an element is out of range for type real"),
							errdetail("It is %g.", element)));
		if (single == 0)
			continue;
		float_to_shortest_decimal_buf(single, number);
		appendStringInfo(&out, "%s" UINT64_FORMAT ":%s", out.len > 1 ? "," : "",
						 entry_position(&entries, i) + 1, number);
	}
	appendStringInfo(&out, "}/%d", tensor->bounds[0]);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(out.data, out.len));
}
