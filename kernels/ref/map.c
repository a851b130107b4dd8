/*-------------------------------------------------------------------------
 *
 * map.c
 *	  The definition of a map with a reduction: for all values of all labels,
 *	  evaluate the program on numbers and fold the result into the output.
 *
 *-------------------------------------------------------------------------
 */
#include <math.h>

#include "kernels/ref/reference.h"

double
reference_function(FunctionId function, const double *args)
{
	double x = args[0];
	double y = args[1];

	switch (function)
	{
		case FUNCTION_ADD:
			return x + y;
		case FUNCTION_SUBTRACT:
			return x - y;
		case FUNCTION_MULTIPLY:
			return x * y;
		case FUNCTION_DIVIDE:
			if (x == 0)
				return 0;
			return x / y;
		case FUNCTION_POWER:
			return pow(x, y);
		case FUNCTION_NEGATE:
			return -x;
		case FUNCTION_EQ:
			return x == y;
		case FUNCTION_NE:
			return x != y;
		case FUNCTION_LT:
			return x < y;
		case FUNCTION_LE:
			return x <= y;
		case FUNCTION_GT:
			return x > y;
		case FUNCTION_GE:
			return x >= y;
		case FUNCTION_GREATEST:
			if (isnan(x) || isnan(y))
				return NAN;
			return fmax(x, y);
		case FUNCTION_LEAST:
			if (isnan(x) || isnan(y))
				return NAN;
			return fmin(x, y);
		case FUNCTION_IF:
			if (isnan(x) || x < 0 || x > 0)
				return y;
			return args[2];
		case FUNCTION_ABS:
			return signbit(x) ? -x : x;
		case FUNCTION_SIGN:
			if (isnan(x))
				return NAN;
			return x > 0 ? 1 : x < 0 ? -1 : 0;
		case FUNCTION_SQRT:
			return sqrt(x);
		case FUNCTION_EXP:
			return exp(x);
		case FUNCTION_LN:
			return log(x);
		case FUNCTION_SIN:
			return sin(x);
		case FUNCTION_COS:
			return cos(x);
		case FUNCTION_TANH:
			return tanh(x);
		case FUNCTION_SIGMOID:
			/* another form than the library's, stable too */
			return x > 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x));
		case FUNCTION_RELU:
			if (isnan(x))
				return NAN;
			return fmax(x, 0);
		case FUNCTION_FLOOR:
			return floor(x);
		case FUNCTION_CEIL:
			return ceil(x);
		case FUNCTION_ROUND:
			return nearbyint(x);
		case FUNCTION_CONJ:
		case FUNCTION_REAL:
		case FUNCTION_FLOAT8:
		case FUNCTION_COMPLEX16:
			return x;
		case FUNCTION_IMAG:
			return 0;
		case FUNCTION_FLOAT4:
		case FUNCTION_COMPLEX8:
			return (float) x;
		case FUNCTION_COUNT:
			break;
	}
	return NAN;
}

double
reference_fold(Reduction reduction, double x, double y)
{
	double pair[2] = {x, y};

	switch (reduction)
	{
		case REDUCTION_SUM:
			return x + y;
		case REDUCTION_PROD:
			return x * y;
		case REDUCTION_ANY:
			return x != 0 || y != 0 ? 1 : 0;
		case REDUCTION_ALL:
			return x == 0 || y == 0 ? 0 : 1;
		case REDUCTION_MIN:
			return reference_function(FUNCTION_LEAST, pair);
		case REDUCTION_MAX:
			return reference_function(FUNCTION_GREATEST, pair);
	}
	return NAN;
}

static double
evaluate(const MapProgram *program, const double *parameters)
{
	double stack[program->depth + FUNCTION_MAX_ARGS];
	int top = 0;

	for (int s = 0; s < program->nsteps; s++)
	{
		const MapStep *step = &program->steps[s];

		if (step->opcode == MAP_PARAMETER)
			stack[top++] = parameters[step->argument];
		else if (step->opcode == MAP_CONSTANT)
			stack[top++] = step->constant;
		else
		{
			int arity = pointwise_functions[step->argument].arity;

			for (int i = 0; i < FUNCTION_MAX_ARGS - arity; i++)
				stack[top + i] = 0;
			top -= arity;
			stack[top] = reference_function((FunctionId) step->argument, &stack[top]);
			top++;
		}
	}
	return stack[0];
}

static void
loop_over_label(const MapProgram *program, const Equation *equation,
				const TensorView *const *operands, const int64_t *extents, int label,
				int64_t *values, Reduction reduction, TensorView *out)
{
	int64_t index[TENSOR_MAX_RANK];
	double parameters[MAP_MAX_OPERANDS];
	double old;

	if (label < equation->nlabels)
	{
		for (values[label] = 0; values[label] < extents[label]; values[label]++)
			loop_over_label(program, equation, operands, extents, label + 1, values,
							reduction, out);
		return;
	}
	for (int o = 0; o < equation->noperands; o++)
	{
		reference_index(&equation->operands[o], operands[o], values, index);
		parameters[o] = creal(reference_get(operands[o], index));
	}
	reference_index(&equation->output, out, values, index);
	old = creal(reference_get(out, index));
	reference_set(out, index,
				  reference_fold(reduction, old, evaluate(program, parameters)));
}

void
reference_map(const MapProgram *program, const Equation *equation,
			  const TensorView *const *operands, Reduction reduction, TensorView *out)
{
	int64_t extents[EQUATION_MAX_LABELS];
	int64_t values[EQUATION_MAX_LABELS];

	reference_extents(equation, operands, extents);
	loop_over_label(program, equation, operands, extents, 0, values, reduction, out);
}
