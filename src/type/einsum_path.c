/*-------------------------------------------------------------------------
 *
 * einsum_path.c
 *	  einsum_path(equation, shapes...): how einsum multiplies operands of these
 *	  shapes, as opt_einsum's contract_path shows it.
 *
 * Counts are opt_einsum's too: a product takes as many operations as its labels
 * have values, one for each factor but the first, and one more if it is summed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "parser/syntax.h"
#include "type/call.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(einsum_path);

/* The labels of a factor in order, as text; empty for a number. */
typedef struct FactorText
{
	char *text;
	int rank;
	uint8 labels[EQUATION_MAX_LABELS];
} FactorText;

/*
 * Reads argument argno as a view without elements: an integer array gives a shape, a
 * number rank 0.
 */
static void
shape_argument(FunctionCallInfo fcinfo, int argno, TensorView *view)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argno);
	int64 bounds[TENSOR_MAX_RANK];
	Oid input;
	Oid parameter;
	Datum value = PG_GETARG_DATUM(argno);
	int rank = 0;

	if (OidIsValid(type))
		type = getBaseType(type);
	switch (type)
	{
		case UNKNOWNOID:
			getTypeInputInfo(INT4ARRAYOID, &input, &parameter);
			value = OidInputFunctionCall(input, DatumGetCString(value), parameter, -1);
			pg_fallthrough;
		case INT4ARRAYOID:
			rank = shape_from_array(DatumGetArrayTypeP(value), bounds);
			break;
		case FLOAT8OID:
		case FLOAT4OID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
			break;
		default:
			if (!OidIsValid(type) || type != tensor_type_oid())
				ereport(ERROR,
						(errcode(ERRCODE_DATATYPE_MISMATCH),
						 errmsg("shape %d of einsum_path is of type %s", argno,
								OidIsValid(type) ? format_type_be(type) : "unknown"),
						 errhint("A shape is written as an integer array, '{2,3}', or is "
								 "that of a tensor.")));
			{
				Tensor *tensor = DatumGetDenseTensor(value);

				rank = tensor->rank;
				for (int d = 0; d < rank; d++)
					bounds[d] = tensor->bounds[d];
			}
	}
	shape_count(ELEMENT_FLOAT8, rank, bounds); /* refuses what no tensor has */
	view_contiguous(view, ELEMENT_FLOAT8, rank, bounds, NULL);
}

static void
set_factor_text(FactorText *factor, const Equation *equation)
{
	StringInfoData text;
	char before = ' ';

	initStringInfo(&text);
	for (int d = 0; d < factor->rank; d++)
	{
		char letter = equation->letters[factor->labels[d]];

		if (letter != '.')
			appendStringInfoChar(&text, letter);
		else if (before != '.')
			appendStringInfoString(&text, "...");
		before = letter;
	}
	factor->text = text.data;
}

/* Replaces the first factor by the product of both, which keeps these labels. */
static void
join_factors(FactorText *first, const FactorText *second, LabelSet labels,
			 const Equation *equation)
{
	FactorText result = {.rank = 0};

	for (int side = 0; side < 2; side++)
	{
		const FactorText *from = side == 0 ? first : second;

		for (int d = 0; d < from->rank; d++)
		{
			if (!(labels & LABEL_BIT(from->labels[d])))
				continue;
			labels &= ~LABEL_BIT(from->labels[d]);
			result.labels[result.rank++] = from->labels[d];
		}
	}
	set_factor_text(&result, equation);
	*first = result;
}

static void put_line(ReturnSetInfo *result, const char *format, ...)
	pg_attribute_printf(2, 3);

static void
put_line(ReturnSetInfo *result, const char *format, ...)
{
	StringInfoData line;
	Datum value;
	bool null = false;
	int needed;

	initStringInfo(&line);
	do
	{
		va_list args;

		va_start(args, format);
		needed = appendStringInfoVA(&line, format, args);
		va_end(args);
		if (needed > 0)
			enlargeStringInfo(&line, needed);
	} while (needed > 0);
	value = CStringGetTextDatum(line.data);
	tuplestore_putvalues(result->setResult, result->setDesc, &value, &null);
}

/* Returns the operations that multiplying all operands in one nest of loops takes. */
static double
naive_flops(const PathProduct *product, int noperands)
{
	LabelSet all = 0;
	int operations;

	for (int f = 0; f < product->nfactors; f++)
		all |= product->factors[f];
	operations = Max(1, noperands - 1) + (all != product->output ? 1 : 0);
	return label_set_size(all, product->extents) * operations;
}

/* einsum_path(equation text, VARIADIC shapes "any") returns setof text. */
Datum
einsum_path(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	int count = PG_NARGS() - 1;
	TensorView view[EQUATION_MAX_OPERANDS];
	const TensorView *views[EQUATION_MAX_OPERANDS];
	Equation parsed;
	Equation equation;
	int64 extents[EQUATION_MAX_LABELS];
	PathProduct product;
	uint8 operand_of_factor[EQUATION_MAX_OPERANDS];
	EinsumPath path;
	PathStep steps[EQUATION_MAX_OPERANDS];
	FactorText factors[EQUATION_MAX_OPERANDS];
	bool gone[EQUATION_MAX_OPERANDS] = {false};
	char *source;
	bool whole;
	double flops = 0;
	double largest;
	double naive;

	if (get_fn_expr_variadic(fcinfo->flinfo))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("einsum_path does not take its shapes as an array"),
						errhint("Leave out VARIADIC and write the shapes one by one.")));
	if (count > EQUATION_MAX_OPERANDS)
		ereport(ERROR, (errcode(ERRCODE_TOO_MANY_ARGUMENTS),
						errmsg("einsum_path has too many shapes"),
						errdetail("There are %d, and %d are the most.", count,
								  EQUATION_MAX_OPERANDS)));
	source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	parse_equation(source, count, &parsed);
	for (int i = 0; i < count; i++)
	{
		shape_argument(fcinfo, i + 1, &view[i]);
		views[i] = &view[i];
	}
	bind_equation(&parsed, views, "einsum_path", &equation);
	check_extents("einsum_path", &equation, views, false, extents);

	product_build(&equation, views, &product, operand_of_factor);
	whole = path_choose(&product, TENSOR_MAX_RANK, EINSUM_MEMORY_LIMIT / sizeof(double),
						&path);
	if (!whole)
		path_choose(&product, EQUATION_MAX_LABELS, INFINITY, &path);
	path_measure(&product, &path, steps);
	largest = label_set_size(product.output, product.extents);
	for (int s = 0; s < path.nsteps; s++)
	{
		flops += steps[s].flops;
		largest = Max(largest, steps[s].elements);
	}
	naive = naive_flops(&product, product.nfactors);
	if (path.nsteps == 0)
		flops = naive;
	for (int f = 0; f < product.nfactors; f++)
	{
		const EquationTerm *term = &equation.operands[operand_of_factor[f]];

		factors[f].rank = term->rank;
		memcpy(factors[f].labels, term->labels, term->rank);
		set_factor_text(&factors[f], &equation);
	}

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	put_line(result, "Complete contraction: %s", source);
	put_line(result, "Naive FLOP count: %.15g", naive);
	put_line(result, "Optimized FLOP count: %.15g", flops);
	put_line(result, "Largest intermediate: %.15g elements", largest);
	if (product.nfactors < count)
		put_line(result, "Factors of rank 0 or one element: %d, applied last",
				 count - product.nfactors);
	if (!whole)
		put_line(result, "Computed in parts: no order keeps intermediate results of "
						 "float8 within 1 GB and 16 dimensions");
	for (int s = 0; s < path.nsteps; s++)
	{
		FactorText *first = &factors[path.steps[s].first];
		FactorText *second = &factors[path.steps[s].second];
		char *pair = psprintf("%s,%s", first->text, second->text);
		StringInfoData remaining;

		join_factors(first, second, steps[s].result, &equation);
		gone[path.steps[s].second] = true;
		if (s == path.nsteps - 1)
		{
			first->rank = equation.output.rank;
			memcpy(first->labels, equation.output.labels, first->rank);
			set_factor_text(first, &equation);
		}
		initStringInfo(&remaining);
		for (int f = 0, listed = 0; f < product.nfactors; f++)
			if (!gone[f])
				appendStringInfo(&remaining, "%s%s", listed++ > 0 ? "," : "",
								 factors[f].text);
		put_line(result, "Step %d: %s->%s  (flops=%.15g elements=%.15g remaining=%s)",
				 s + 1, pair, first->text, steps[s].flops, steps[s].elements,
				 remaining.data);
	}
	return (Datum) 0;
}
