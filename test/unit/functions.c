/*-------------------------------------------------------------------------
 *
 * functions.c
 *	  The table of pointwise functions: every function on all combinations of
 *	  special values, scalar and in loops of both precisions and all lengths.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

static const double special[] = {0.0,   -0.0,   1,      -1,       0.5,       -0.5,
								 1.5,   2.5,    -2.5,   3,        710,       -745,
								 1e300, -1e300, 1e-310, INFINITY, -INFINITY, NAN};

#define NSPECIAL ((int) (sizeof(special) / sizeof(special[0])))

static bool
close_to(double x, double y, double tolerance)
{
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y);
	if (x == y)
		return true;
	return fabs(x - y) <= tolerance * fabs(y);
}

static bool
same_number(double x, double y)
{
	return x == y || (isnan(x) && isnan(y));
}

static void
test_function(const PointwiseFunction *function)
{
	int combinations = NSPECIAL * (function->arity > 1 ? NSPECIAL : 1) *
					   (function->arity > 2 ? NSPECIAL : 1);
	double *columns8[3];
	float *columns4[3];
	double *out8 = malloc(sizeof(double) * (size_t) combinations);
	float *out4 = malloc(sizeof(float) * (size_t) combinations);

	for (int k = 0; k < 3; k++)
	{
		columns8[k] = malloc(sizeof(double) * (size_t) combinations);
		columns4[k] = malloc(sizeof(float) * (size_t) combinations);
		for (int c = 0; c < combinations; c++)
		{
			int at = k == 0 ? c : k == 1 ? c / NSPECIAL : c / NSPECIAL / NSPECIAL;

			columns8[k][c] = special[at % NSPECIAL];
			columns4[k][c] = (float) special[at % NSPECIAL];
		}
	}
	function->loop8(combinations, (const double *const *) columns8, out8);
	function->loop4(combinations, (const float *const *) columns4, out4);
	for (int c = 0; c < combinations; c++)
	{
		double args[3] = {columns8[0][c], columns8[1][c], columns8[2][c]};
		double args4[3] = {columns4[0][c], columns4[1][c], columns4[2][c]};
		double expected = reference_function(function->id, args);
		double expected4 = reference_function(function->id, args4);

		check(close_to(function->scalar(args), expected, 1e-15),
			  "%s(%g, %g, %g) is %.17g, not %.17g", function->name, args[0], args[1],
			  args[2], function->scalar(args), expected);
		check(close_to(out8[c], function->scalar(args), 0),
			  "%s(%g, %g, %g): loop differs from scalar", function->name, args[0],
			  args[1], args[2]);
		/* float sine of a number like 1e30 and underflows are not the point */
		if (fabs(args4[0]) < 1e30 || !isfinite(args4[0]))
			check(close_to(out4[c], (float) expected4, 1e-6) ||
					  fabs(out4[c] - expected4) < 1e-37,
				  "%s(%g, %g, %g) is %g, not %g in float4", function->name, args4[0],
				  args4[1], args4[2], out4[c], expected4);
	}
	/* results may replace an argument; lengths around the vector width */
	for (int k = 0; k < function->arity; k++)
	{
		for (int n = 0; n < 20 && n <= combinations; n++)
		{
			double *arguments[3] = {columns8[0], columns8[1], columns8[2]};
			double *own = malloc(sizeof(double) * (size_t) (n + 1));

			memcpy(own, columns8[k], sizeof(double) * (size_t) n);
			own[n] = 42;
			arguments[k] = own;
			function->loop8(n, (const double *const *) arguments, own);
			for (int i = 0; i < n; i++)
				check(close_to(own[i], out8[i], 0), "%s in place", function->name);
			check(own[n] == 42, "%s writes behind its end", function->name);
			free(own);
		}
	}
	for (int k = 0; k < 3; k++)
	{
		free(columns8[k]);
		free(columns4[k]);
	}
	free(out8);
	free(out4);
}

static double
call(FunctionId function, double x, double y)
{
	double args[3] = {x, y, 0};

	return pointwise_functions[function].scalar(args);
}

/* Squares are rounded correctly, in both precisions, one by one and in loops. */
static void
test_squares(void)
{
	const PointwiseFunction *power = &pointwise_functions[FUNCTION_POWER];
	enum
	{
		N = 4096
	};
	double x8[N], two8[N], out8[N];
	float x4[N], two4[N], out4[N];

	for (int i = 0; i < N; i++)
	{
		x8[i] = i < NSPECIAL ? special[i]
							 : ldexp((double) random_below(INT64_C(1) << 53) - 4e15,
									 i % 200 - 150);
		x4[i] = i < NSPECIAL ? (float) special[i]
							 : (float) ((double) random_below(1 << 30) / 1e6 - 500);
		two8[i] = 2;
		two4[i] = 2;
	}
	power->loop8(N, (const double *const[]){x8, two8}, out8);
	power->loop4(N, (const float *const[]){x4, two4}, out4);
	for (int i = 0; i < N; i++)
	{
		double lost = fma(x8[i], x8[i], -out8[i]);
		float expected4 = (float) ((double) x4[i] * x4[i]);

		check(same_number(power->scalar((double[]){x8[i], 2}), out8[i]), "scalar %g ^ 2",
			  x8[i]);
		check(!isnormal(out8[i]) ||
				  fabs(lost) <= 0.5 * (nextafter(out8[i], INFINITY) - out8[i]),
			  "%.17g ^ 2 is %.17g", x8[i], out8[i]);
		check(same_number(out4[i], expected4), "%.9g ^ 2 is %.9g in float4, not %.9g",
			  (double) x4[i], (double) out4[i], (double) expected4);
	}
}

/* Sine and cosine: small and large arguments, also in one loop, and those nearest to multiples of pi. */
static void
test_sines(void)
{
	enum
	{
		N = 4096
	};
	double x[N], out[N];

	for (int round = 0; round < 40; round++)
	{
		double most = round % 4 == 3 ? 1e7 : pow(10, round % 6);

		for (int i = 0; i < N; i++)
		{
			x[i] = ((double) random_below(INT64_C(1) << 53) * 0x1p-52 - 1) * most;
			if (round % 4 == 1)
				x[i] = rint(x[i]) * 1.57079632679489661923;
			if (round % 4 == 2 && i % 3 == 0)
				x[i] = nextafter(823549.66, i % 2 ? 0 : INFINITY);
		}
		for (FunctionId f = FUNCTION_SIN; f <= FUNCTION_COS; f++)
		{
			pointwise_functions[f].loop8(N, (const double *const[]){x}, out);
			for (int i = 0; i < N; i++)
			{
				long double expected = f == FUNCTION_SIN ? sinl(x[i]) : cosl(x[i]);
				double unit =
					nextafter(fabs((double) expected), 2) - fabs((double) expected);

				check(fabsl(out[i] - expected) <= unit + 0x1p-100L,
					  "%s(%.17g) is %.17g, not %.17Lg", pointwise_functions[f].name, x[i],
					  out[i], expected);
				check(fabs(out[i] - pointwise_functions[f].scalar(&x[i])) <= unit,
					  "%s(%.17g): loop differs from scalar", pointwise_functions[f].name,
					  x[i]);
			}
		}
	}
}

int
main(int argc, char **argv)
{
	test_start(0);
	test_squares();
	test_sines();
	for (int f = 0; f < FUNCTION_COUNT; f++)
	{
		const PointwiseFunction *function = &pointwise_functions[f];

		check((int) function->id == f, "row %d has number %d", f, function->id);
		check(pointwise_function_by_name(function->name) == function, "name %s",
			  function->name);
		test_function(function);
	}
	check(pointwise_function_by_name("pow") == &pointwise_functions[FUNCTION_POWER],
		  "pow");
	check(pointwise_function_by_name("log") == NULL, "log");
	check(pointwise_function_by_name("") == NULL, "empty name");

	/* what the language says, literally */
	check(call(FUNCTION_DIVIDE, 0, 0) == 0, "0 / 0");
	check(call(FUNCTION_DIVIDE, 0, NAN) == 0, "0 / NaN");
	check(call(FUNCTION_DIVIDE, 3, 0) == INFINITY, "3 / 0");
	check(call(FUNCTION_DIVIDE, -3, 0) == -INFINITY, "-3 / 0");
	check(call(FUNCTION_POWER, 0, 0) == 1, "0 ^ 0");
	check(call(FUNCTION_ROUND, 2.5, 0) == 2 && call(FUNCTION_ROUND, -1.5, 0) == -2,
		  "round half to even");
	check(call(FUNCTION_LN, 0, 0) == -INFINITY && isnan(call(FUNCTION_LN, -1, 0)), "ln");
	check(call(FUNCTION_SIGMOID, 0, 0) == 0.5 && call(FUNCTION_SIGMOID, -800, 0) == 0 &&
			  call(FUNCTION_SIGMOID, 800, 0) == 1,
		  "sigmoid");
	check(isnan(call(FUNCTION_GREATEST, 1, NAN)) && isnan(call(FUNCTION_LEAST, NAN, 1)),
		  "NaN in greatest and least");
	check(isnan(pointwise_divide_ieee.scalar((double[]){0, 0})), "IEEE 0 / 0");
	return test_finish();
}
