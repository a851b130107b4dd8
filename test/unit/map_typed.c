/*-------------------------------------------------------------------------
 *
 * map_typed.c
 *	  Types of pointwise functions, and expressions of operands of different
 *	  types: each step against the definition on one number at a time.
 *
 *-------------------------------------------------------------------------
 */
#include <complex.h>

#include "harness.h"
#include "kernels/function_type.h"

#define MOST 300

/* Real ones the reference knows; of complex ones what the language says. */
static Number
defined_value(FunctionId function, const Number *args, bool is_complex)
{
	double reals[FUNCTION_MAX_ARGS];

	if (function == FUNCTION_IF)
		return args[0] != 0 ? args[1] : args[2];
	if (is_complex)
	{
		switch (function)
		{
			case FUNCTION_ADD:
				return args[0] + args[1];
			case FUNCTION_SUBTRACT:
				return args[0] - args[1];
			case FUNCTION_MULTIPLY:
				return CMPLX(
					creal(args[0]) * creal(args[1]) - cimag(args[0]) * cimag(args[1]),
					creal(args[0]) * cimag(args[1]) + cimag(args[0]) * creal(args[1]));
			case FUNCTION_NEGATE:
				return -args[0];
			case FUNCTION_EQ:
				return args[0] == args[1];
			case FUNCTION_NE:
				return args[0] != args[1];
			case FUNCTION_REAL:
				return creal(args[0]);
			case FUNCTION_IMAG:
				return cimag(args[0]);
			case FUNCTION_CONJ:
				return conj(args[0]);
			case FUNCTION_ABS:
				return cabs(args[0]);
			default:
				return args[0];
		}
	}
	for (int k = 0; k < FUNCTION_MAX_ARGS; k++)
		reals[k] = creal(args[k]);
	return reference_function(function, reals);
}

static void
set(ElementType type, void *data, int64_t i, Number value)
{
	switch (type)
	{
		case ELEMENT_FLOAT4:
			((float *) data)[i] = (float) creal(value);
			break;
		case ELEMENT_FLOAT8:
			((double *) data)[i] = creal(value);
			break;
		case ELEMENT_COMPLEX8:
			((float _Complex *) data)[i] = (float _Complex) value;
			break;
		case ELEMENT_COMPLEX16:
			((double _Complex *) data)[i] = value;
			break;
	}
}

static Number
get(ElementType type, const void *data, int64_t i)
{
	switch (type)
	{
		case ELEMENT_FLOAT4:
			return ((const float *) data)[i];
		case ELEMENT_FLOAT8:
			return ((const double *) data)[i];
		case ELEMENT_COMPLEX8:
			return ((const float _Complex *) data)[i];
		case ELEMENT_COMPLEX16:
			break;
	}
	return ((const double _Complex *) data)[i];
}

/* f(g(a, b), c) of vectors of random types, stored or summed. */
static void
one_case(void)
{
	static const FunctionId functions[] = {
		FUNCTION_ADD,      FUNCTION_SUBTRACT, FUNCTION_MULTIPLY, FUNCTION_NEGATE,
		FUNCTION_EQ,       FUNCTION_NE,       FUNCTION_LT,       FUNCTION_GREATEST,
		FUNCTION_IF,       FUNCTION_ABS,      FUNCTION_SIGN,     FUNCTION_CONJ,
		FUNCTION_REAL,     FUNCTION_IMAG,     FUNCTION_FLOAT4,   FUNCTION_FLOAT8,
		FUNCTION_COMPLEX8, FUNCTION_COMPLEX16};
	FunctionId f = functions[random_below(18)];
	FunctionId g = functions[random_below(18)];
	int f_arity = pointwise_functions[f].arity;
	int g_arity = pointwise_functions[g].arity;
	int64_t n = random_below(MOST);
	ElementType types[MAP_MAX_OPERANDS];
	double _Complex data[5][MOST];
	TensorView views[5];
	const TensorView *operands[5];
	MapStep steps[2 * FUNCTION_MAX_ARGS + 2];
	MapProgram program = {.steps = steps};
	Equation equation = {0};
	bool summed = random_below(2) == 0;
	double _Complex out[MOST + 1];
	TensorView out_view;
	ElementType result;
	ValueType kinds[FUNCTION_MAX_ARGS];
	FunctionType f_type;
	FunctionType g_type;
	Number sum = 0;
	int undefined;
	int noperands = g_arity + f_arity - 1;

	for (int o = 0; o < noperands; o++)
	{
		types[o] = all_types[random_below(4)];
		for (int64_t i = 0; i < n; i++)
			set(types[o], data[o], i, CMPLX(random_integer(3), random_integer(3)));
		view_contiguous(&views[o], types[o], 1, &n, data[o]);
		operands[o] = &views[o];
		equation.operands[o].rank = 1;
		if (o < g_arity)
			kinds[o] = (ValueType){types[o], false};
	}
	equation.noperands = noperands;
	equation.nlabels = 1;
	equation.output.rank = summed ? 0 : 1;
	for (int o = 0; o < noperands; o++)
	{
		if (o == g_arity)
			program.steps[program.nsteps++] =
				(MapStep){.opcode = MAP_CALL, .argument = g};
		program.steps[program.nsteps++] =
			(MapStep){.opcode = MAP_PARAMETER, .argument = o};
	}
	if (noperands == g_arity)
		program.steps[program.nsteps++] = (MapStep){.opcode = MAP_CALL, .argument = g};
	program.steps[program.nsteps++] = (MapStep){.opcode = MAP_CALL, .argument = f};
	program.depth = noperands;
	program.nparameters = noperands;

	undefined = map_result_type(&program, types, &result);
	g_type = function_type(g, kinds);
	kinds[0] = g_type.result;
	for (int k = 1; k < f_arity; k++)
		kinds[k] = (ValueType){types[g_arity + k - 1], false};
	f_type = function_type(f, kinds);
	if (!g_type.defined || !f_type.defined)
	{
		check(undefined == (int) (g_type.defined ? f : g), "undefined function");
		return;
	}
	check(undefined < 0, "defined functions");
	check(result == f_type.result.type, "type of the result");

	for (int64_t i = 0; i <= n; i++)
		set(result, out, i, i == n && !summed ? 42 : 0);
	view_contiguous(&out_view, result, summed ? 0 : 1, &n, out);
	map_accumulate_typed(&program, &equation, operands, REDUCTION_SUM, &out_view);
	for (int64_t i = 0; i < n; i++)
	{
		Number args[FUNCTION_MAX_ARGS] = {0, 0, 0};
		Number value;

		for (int o = 0; o < g_arity; o++)
			args[o] = get(types[o], data[o], i);
		value = defined_value(g, args, element_is_complex(g_type.arguments));
		value = number_as(g_type.result.type, value);
		args[0] = value;
		for (int k = 1; k < FUNCTION_MAX_ARGS; k++)
			args[k] =
				k < f_arity ? get(types[g_arity + k - 1], data[g_arity + k - 1], i) : 0;
		check(function_of_numbers(f, kinds, args) ==
					  number_as(
						  result,
						  defined_value(f, args, element_is_complex(f_type.arguments))) ||
				  f == FUNCTION_ABS,
			  "%s of numbers", pointwise_functions[f].name);
		value = number_as(result,
						  defined_value(f, args, element_is_complex(f_type.arguments)));
		sum += value;
		if (!summed)
			check(cabs(get(result, out, i) - value) <= 1e-6 * cabs(value), "%s of %s",
				  pointwise_functions[f].name, pointwise_functions[g].name);
	}
	if (summed)
		check(cabs(get(result, out, 0) - sum) <= 1e-3 * (double) n, "sum of %s of %s",
			  pointwise_functions[f].name, pointwise_functions[g].name);
	else
		check(get(result, out, n) == 42, "writes behind its end");
}

static ElementType
type_of(FunctionId function, ElementType a, bool a_weak, ElementType b, bool b_weak)
{
	ValueType args[FUNCTION_MAX_ARGS] = {{a, a_weak}, {b, b_weak}, {b, b_weak}};

	return function_type(function, args).result.type;
}

int
main(int argc, char **argv)
{
	ElementType f4 = ELEMENT_FLOAT4;
	ElementType f8 = ELEMENT_FLOAT8;
	ElementType c8 = ELEMENT_COMPLEX8;
	ElementType c16 = ELEMENT_COMPLEX16;

	test_start(1);
	/* numpy's promotion, and what a number in a program is */
	check(type_of(FUNCTION_ADD, f4, false, f8, false) == f8, "float4 + float8");
	check(type_of(FUNCTION_ADD, f4, false, c8, false) == c8, "float4 + complex8");
	check(type_of(FUNCTION_ADD, f8, false, c8, false) == c16, "float8 + complex8");
	check(type_of(FUNCTION_ADD, f4, false, f8, true) == f4, "float4 + 1");
	check(type_of(FUNCTION_ADD, f4, false, c16, true) == c8, "float4 + 1i");
	check(type_of(FUNCTION_ADD, f8, false, c16, true) == c16, "float8 + 1i");
	check(type_of(FUNCTION_ADD, c8, false, f8, true) == c8, "complex8 + 1");
	check(type_of(FUNCTION_EQ, c8, false, f8, false) == f8, "complex8 == float8");
	check(type_of(FUNCTION_ABS, c8, false, f8, false) == f4, "abs(complex8)");
	check(type_of(FUNCTION_IF, f4, false, f8, true) == f4, "if(float4, 1, 0)");
	check(type_of(FUNCTION_IF, f8, false, f4, false) == f4, "if(float8, float4, float4)");
	run_cases(argc, argv, 20000, one_case);
	return test_finish();
}
