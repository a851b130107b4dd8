/*-------------------------------------------------------------------------
 *
 * map.c
 *	  map_accumulate against its definition: random postfix programs over
 *	  random equations, exactly on small integers, and within a tolerance with
 *	  transcendental functions.
 *
 *-------------------------------------------------------------------------
 */
#include <float.h>

#include "harness.h"

static const FunctionId exact_functions[] = {
	FUNCTION_ADD,  FUNCTION_SUBTRACT, FUNCTION_MULTIPLY, FUNCTION_NEGATE,
	FUNCTION_EQ,   FUNCTION_NE,       FUNCTION_LT,       FUNCTION_LE,
	FUNCTION_GT,   FUNCTION_GE,       FUNCTION_GREATEST, FUNCTION_LEAST,
	FUNCTION_IF,   FUNCTION_ABS,      FUNCTION_SIGN,     FUNCTION_RELU,
	FUNCTION_FLOOR};
/* whose results are no larger than their arguments, however many there are */
static const FunctionId bounded_functions[] = {
	FUNCTION_NEGATE, FUNCTION_LT, FUNCTION_GREATEST, FUNCTION_LEAST, FUNCTION_IF,
	FUNCTION_ABS,    FUNCTION_NE, FUNCTION_SIGN,     FUNCTION_RELU};
/* of long programs: more than what is computed without allocation */
#define LONG_PROGRAM 500
#define MOST_STEPS (2 * LONG_PROGRAM)
static const FunctionId smooth_functions[] = {
	FUNCTION_ADD,  FUNCTION_SUBTRACT, FUNCTION_MULTIPLY, FUNCTION_SIN,     FUNCTION_COS,
	FUNCTION_TANH, FUNCTION_SIGMOID,  FUNCTION_ABS,      FUNCTION_GREATEST};

/* Parameters and constants, then functions until one value is left. */
static void
program_random(MapProgram *program, int noperands, const FunctionId *functions,
			   int nfunctions, int length)
{
	int depth = 0;

	program->nsteps = program->depth = 0;
	program->typed = false;
	program->nparameters = noperands;
	while (depth != 1 || program->nsteps < length)
	{
		MapStep *step = &program->steps[program->nsteps];
		FunctionId function = functions[random_below(nfunctions)];
		int arity = pointwise_functions[function].arity;

		if (depth == 0 || (program->nsteps < length && random_below(2) == 0))
		{
			step->opcode = random_below(4) == 0 ? MAP_CONSTANT : MAP_PARAMETER;
			step->argument = (int) random_below(noperands);
			step->constant = random_integer(2);
			depth++;
		}
		else
		{
			if (arity > depth || (program->nsteps >= length && arity == 1))
				continue;
			step->opcode = MAP_CALL;
			step->argument = (int) function;
			depth -= arity - 1;
		}
		program->nsteps++;
		if (depth > program->depth)
			program->depth = depth;
	}
}

static void
one_case(void)
{
	bool exact = test_seed % 4 != 0;
	bool lengthy = test_seed % 16 == 1;
	ElementType type = random_below(2) == 0 ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8;
	int noperands = 1 + (int) random_below(4);
	MapStep steps[MOST_STEPS];
	MapProgram program = {.steps = steps};
	EquationMismatch mismatch;
	Equation equation;
	int64_t extents[EQUATION_MAX_LABELS];
	int64_t bounds[TENSOR_MAX_RANK];
	TestTensor operands[EQUATION_MAX_OPERANDS];
	const TensorView *views[EQUATION_MAX_OPERANDS];
	TestTensor out;
	TestTensor expected;
	Reduction reduction = (Reduction) random_below(6);
	bool contiguous = random_below(3) == 0;
	char text[1000];

	equation_random(&equation, noperands, 2 + (int) random_below(4),
					1 + (int) random_below(4), 3000, extents);
	/* long products of integers overflow and of reals vanish: signs only */
	if (reduction >= REDUCTION_PROD && !exact)
		reduction = REDUCTION_SUM;
	for (int o = 0; o < noperands; o++)
	{
		const EquationTerm *term = &equation.operands[o];

		for (int d = 0; d < term->rank; d++)
			bounds[d] = extents[term->labels[d]];
		broadcast_some(term, bounds);
		tensor_random(&operands[o], type, term->rank, bounds, true, contiguous, 2);
		views[o] = &operands[o].view;
	}
	equation_extents(&equation, views, extents, &mismatch);
	for (int d = 0; d < equation.output.rank; d++)
		bounds[d] = extents[equation.output.labels[d]];
	tensor_random(&out,
				  reduction_rounds(reduction) && random_below(2) ? element_double(type)
																 : type,
				  equation.output.rank, bounds, false, contiguous, 2);
	tensor_duplicate(&out, &expected);

	if (exact)
	{
		if (lengthy)
			program_random(&program, noperands, bounded_functions,
						   sizeof(bounded_functions) / sizeof(bounded_functions[0]),
						   1 + (int) random_below(LONG_PROGRAM));
		else
			program_random(&program, noperands, exact_functions,
						   sizeof(exact_functions) / sizeof(exact_functions[0]),
						   1 + (int) random_below(6));
		if (reduction == REDUCTION_PROD)
		{
			program.steps[program.nsteps].opcode = MAP_CALL;
			program.steps[program.nsteps++].argument = FUNCTION_SIGN;
		}
	}
	else
		program_random(&program, noperands, smooth_functions,
					   sizeof(smooth_functions) / sizeof(smooth_functions[0]),
					   1 + (int) random_below(random_below(10) == 0 ? 40 : 6));

	map_accumulate(&program, &equation, views, reduction, &out.view);
	reference_map(&program, &equation, views, reduction, &expected.view);
	equation_print(&equation, views, text, sizeof(text));
	if (exact)
		check(tensor_same(&out, &expected), "%s %s reduction %d distance %g",
			  element_type_name(type), text, reduction,
			  tensor_distance(&out.view, &expected.view));
	else
	{
		double distance = tensor_distance(&out.view, &expected.view);
		double terms = 1;

		/* relative to the sum of absolute terms, which is not known here */
		for (int l = 0; l < equation.nlabels; l++)
			terms += (double) extents[l] * 8;
		check(distance < (type == ELEMENT_FLOAT8 ? 1e-13 : 1e-4) * terms,
			  "%s %s reduction %d distance %g", element_type_name(type), text, reduction,
			  distance);
	}
	for (int o = 0; o < noperands; o++)
		tensor_free(&operands[o]);
	tensor_free(&out);
	tensor_free(&expected);
}

/* Sums and products of many numbers in single precision are rounded once. */
static void
rounded_fold(void)
{
	Reduction reduction = random_below(2) ? REDUCTION_SUM : REDUCTION_PROD;
	bool typed = random_below(2);
	int kept = (int) random_below(3);
	int64_t bounds[2] = {1 + random_below(700), 1 + random_below(700)};
	Equation equation = {.noperands = 1,
						 .nlabels = 2,
						 .letters = {'a', 'b'},
						 .operands = {{2, {0, 1}}},
						 .output = {kept < 2, {(uint8_t) kept}}};
	MapStep step = {.opcode = MAP_PARAMETER};
	MapProgram program = {.nsteps = 1, .depth = 1, .nparameters = 1, .steps = &step};
	TestTensor in;
	TestTensor out;
	TestTensor expected;
	const TensorView *operands[1] = {&in.view};
	double most = 0;

	tensor_random(&in, ELEMENT_FLOAT4, 2, bounds, false, true, 1);
	for (int64_t i = 0; i < bounds[0] * bounds[1]; i++)
		((float *) in.view.data)[i] =
			reduction == REDUCTION_SUM
				? (float) random_below(1 << 24) / (float) (1 << 24)
				: 1 + (float) (random_below(1 << 20) - (1 << 19)) / (float) (1 << 26);
	bounds[0] = bounds[kept == 1];
	tensor_random(&out, ELEMENT_FLOAT4, kept < 2, bounds, false, true, 0);
	tensor_random(&expected, ELEMENT_FLOAT8, kept < 2, bounds, false, true, 0);
	for (int64_t i = 0; i < view_count(&out.view); i++)
	{
		double start = reduction_identity(reduction);

		reference_set(&out.view, &i, start);
		reference_set(&expected.view, &i, start);
	}
	if (typed)
		map_accumulate_typed(&program, &equation, operands, reduction, &out.view);
	else
		map_accumulate(&program, &equation, operands, reduction, &out.view);
	reference_map(&program, &equation, operands, reduction, &expected.view);
	for (int64_t i = 0; i < view_count(&out.view); i++)
	{
		double y = creal(reference_get(&expected.view, &i));
		double off = y == 0 ? 0 : fabs(creal(reference_get(&out.view, &i)) - y) / y;

		most = off > most ? off : most;
	}
	check(most <= FLT_EPSILON, "reduction %d is %g off", reduction, most / FLT_EPSILON);
	tensor_free(&in);
	tensor_free(&out);
	tensor_free(&expected);
}

/* NaN wins min and max wherever it is; infinities are values like others. */
static void
test_nan(void)
{
	Equation equation = {.noperands = 1, .nlabels = 1, .letters = {'a'}};
	MapStep step = {.opcode = MAP_PARAMETER};
	MapProgram program = {.nsteps = 1, .depth = 1, .nparameters = 1, .steps = &step};
	double values[600];
	double result;
	TensorView in;
	TensorView out;
	const TensorView *operands[1] = {&in};

	test_start(0);
	equation.operands[0].rank = 1;
	for (int n = 1; n <= 600; n += 7)
	{
		for (int at = -1; at < n; at += 1 + n / 10)
		{
			for (int i = 0; i < n; i++)
				values[i] = i == at ? NAN : (i % 5 == 0 ? -INFINITY : i);
			view_contiguous(&in, ELEMENT_FLOAT8, 1, (int64_t[]){n}, values);
			view_contiguous(&out, ELEMENT_FLOAT8, 0, NULL, &result);
			result = INFINITY;
			map_accumulate(&program, &equation, operands, REDUCTION_MIN, &out);
			check(at < 0 ? result == -INFINITY : isnan(result), "min of %d, NaN at %d", n,
				  at);
			result = -INFINITY;
			map_accumulate(&program, &equation, operands, REDUCTION_MAX, &out);
			check(at < 0 ? result == (n == 1 ? -INFINITY : n - 1 - ((n - 1) % 5 == 0))
						 : isnan(result),
				  "max of %d, NaN at %d", n, at);
		}
	}
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 12000, one_case);
	run_cases(argc, argv, 200, rounded_fold);
	if (argc == 1)
		test_nan();
	return test_finish();
}
