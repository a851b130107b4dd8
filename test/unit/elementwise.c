/*-------------------------------------------------------------------------
 *
 * elementwise.c
 *	  Element-wise functions with broadcasting, and reductions of one tensor
 *	  into another, against loops over all index vectors.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

static const FunctionId binary_functions[] = {FUNCTION_ADD,      FUNCTION_SUBTRACT,
											  FUNCTION_MULTIPLY, FUNCTION_DIVIDE,
											  FUNCTION_EQ,       FUNCTION_NE};
static const FunctionId unary_functions[] = {FUNCTION_NEGATE, FUNCTION_ABS, FUNCTION_RELU,
											 FUNCTION_SIGN};

static double _Complex element(const TensorView *view, const int64_t *index, int rank)
{
	int64_t own[TENSOR_MAX_RANK];

	for (int d = 0; d < view->rank; d++)
		own[d] = view->bounds[d] == 1 ? 0 : index[d + rank - view->rank];
	return reference_get(view, own);
}

/* On small integers; divisors are powers of two. */
static double _Complex expected_value(FunctionId function, bool ieee, double _Complex x,
									  double _Complex y, bool is_complex)
{
	double args[3] = {creal(x), creal(y), 0};

	if (!is_complex && !ieee)
		return reference_function(function, args);
	if (!is_complex)
		return args[0] / args[1];
	switch (function)
	{
		case FUNCTION_ADD:
			return x + y;
		case FUNCTION_SUBTRACT:
			return x - y;
		case FUNCTION_MULTIPLY:
			return x * y;
		case FUNCTION_DIVIDE:
			return x == 0 ? 0 : x / y;
		case FUNCTION_EQ:
			return x == y;
		case FUNCTION_NE:
			return x != y;
		default:
			return -x;
	}
}

static void
random_bounds(int *rank, int64_t *bounds)
{
	*rank = (int) random_below(5);
	for (int d = 0; d < *rank; d++)
		bounds[d] = random_below(30) == 0  ? 0
					: random_below(5) == 0 ? 1
					: random_below(8) == 0 ? 1 + random_below(300)
										   : 1 + random_below(6);
	while (*rank > 2 && bounds[0] * bounds[1] * bounds[2] > 20000)
		(*rank)--;
	if (*rank > 3 && bounds[0] * bounds[1] * bounds[2] * bounds[3] > 20000)
		*rank = 3;
}

static void
operand_random(TestTensor *tensor, ElementType type, int rank, const int64_t *bounds,
			   bool contiguous)
{
	int64_t own[TENSOR_MAX_RANK];
	int own_rank = rank > 0 && random_below(4) == 0 ? (int) random_below(rank) : rank;

	for (int d = 0; d < own_rank; d++)
	{
		own[d] = bounds[d + rank - own_rank];
		if (random_below(6) == 0)
			own[d] = 1;
	}
	tensor_random(tensor, type, own_rank, own, true, contiguous, 4);
}

/* Replaces divisors by powers of two, so that quotients are exact. */
static void
make_divisors(TensorView *view)
{
	int64_t index[TENSOR_MAX_RANK] = {0};

	for (int64_t i = 0; i < view_count(view); i++)
	{
		static const double divisors[] = {1, 2, 4, -0.5, 0};

		reference_set(view, index, divisors[random_below(5)]);
		for (int d = view->rank - 1; d >= 0 && ++index[d] == view->bounds[d]; d--)
			index[d] = 0;
	}
}

static void
elementwise_case(void)
{
	ElementType type = all_types[random_below(4)];
	bool is_complex = element_is_complex(type);
	bool contiguous = random_below(2) == 0;
	bool unary = random_below(3) == 0;
	bool ieee = false;
	FunctionId function;
	int rank;
	int64_t bounds[TENSOR_MAX_RANK];
	int64_t index[TENSOR_MAX_RANK] = {0};
	TestTensor a;
	TestTensor b;
	TestTensor out;
	TestTensor expected;

	random_bounds(&rank, bounds);
	operand_random(&a, type, rank, bounds, contiguous);
	operand_random(&b, type, rank, bounds, contiguous);
	tensor_random(&out, type, rank, bounds, false, contiguous, 4);
	tensor_duplicate(&out, &expected);
	if (unary)
	{
		function = is_complex ? FUNCTION_NEGATE : unary_functions[random_below(4)];
		elementwise_unary(function, &a.view, &out.view);
	}
	else
	{
		function = binary_functions[random_below(6)];
		ieee = function == FUNCTION_DIVIDE && random_below(2) == 0;
		if (function == FUNCTION_DIVIDE)
			make_divisors(&b.view);
		/* a complex number over 0 is tested below */
		if (function == FUNCTION_DIVIDE && is_complex)
			function = FUNCTION_SUBTRACT;
		else if (ieee)
			elementwise_divide_ieee(&a.view, &b.view, &out.view);
		if (!ieee || is_complex)
			elementwise_binary(function, &a.view, &b.view, &out.view);
	}
	for (int64_t i = 0; i < view_count(&out.view); i++)
	{
		double _Complex x = element(&a.view, index, rank);
		double _Complex y = unary ? 0 : element(&b.view, index, rank);

		reference_set(&expected.view, index,
					  expected_value(function, ieee, x, y, is_complex));
		for (int d = rank - 1; d >= 0 && ++index[d] == bounds[d]; d--)
			index[d] = 0;
	}
	check(tensor_same(&out, &expected), "%s of %s, rank %d, distance %g",
		  pointwise_functions[function].name, element_type_name(type), rank,
		  tensor_distance(&out.view, &expected.view));
	tensor_free(&a);
	tensor_free(&b);
	tensor_free(&out);
	tensor_free(&expected);
}

static void
reduction_case(void)
{
	Reduction reduction = (Reduction) random_below(4);
	ElementType type = all_types[random_below(
		reduction == REDUCTION_MIN || reduction == REDUCTION_MAX ? 2 : 4)];
	bool contiguous = random_below(2) == 0;
	int rank;
	int64_t bounds[TENSOR_MAX_RANK];
	int64_t index[TENSOR_MAX_RANK] = {0};
	TestTensor in;
	TestTensor out;
	TestTensor expected;

	random_bounds(&rank, bounds);
	tensor_random(&in, type, rank, bounds, true, contiguous, 4);
	tensor_random(&out,
				  reduction_rounds(reduction) && random_below(2) ? element_double(type)
																 : type,
				  rank, bounds, false, contiguous, 4);
	tensor_duplicate(&out, &expected);
	reduction_accumulate(reduction, &in.view, &out.view);
	for (int64_t i = 0; i < view_count(&out.view); i++)
	{
		double _Complex x = reference_get(&expected.view, index);
		double _Complex y = reference_get(&in.view, index);

		reference_set(&expected.view, index,
					  reduction == REDUCTION_SUM ? x + y
					  : reduction == REDUCTION_PROD
						  ? x * y
						  : reference_fold(reduction, creal(x), creal(y)));
		for (int d = rank - 1; d >= 0 && ++index[d] == bounds[d]; d--)
			index[d] = 0;
	}
	check(tensor_same(&out, &expected), "reduction %d of %s, rank %d", reduction,
		  element_type_name(type), rank);
	tensor_free(&in);
	tensor_free(&out);
	tensor_free(&expected);
}

static void
one_case(void)
{
	if (test_seed % 3 == 0)
		reduction_case();
	else
		elementwise_case();
}

static void
test_complex_division(void)
{
	double _Complex x[4] = {4 + 2 * I, 0, 1e300 + 1e300 * I, 1};
	double _Complex y[4] = {1 + 1 * I, 0, 1e300 + 1e300 * I, 2 * I};
	double _Complex z[4];
	TensorView a;
	TensorView b;
	TensorView c;

	test_start(0);
	view_contiguous(&a, ELEMENT_COMPLEX16, 1, (int64_t[]){4}, x);
	view_contiguous(&b, ELEMENT_COMPLEX16, 1, (int64_t[]){4}, y);
	view_contiguous(&c, ELEMENT_COMPLEX16, 1, (int64_t[]){4}, z);
	elementwise_binary(FUNCTION_DIVIDE, &a, &b, &c);
	check(z[0] == 3 - 1 * I, "(4+2i) / (1+1i)");
	check(z[1] == 0, "0 / 0");
	check(z[2] == 1, "large / large");
	check(z[3] == -0.5 * I, "1 / 2i");
	elementwise_divide_ieee(&a, &b, &c);
	check(isnan(creal(z[1])), "IEEE 0 / 0");

	check(reduction_identity(REDUCTION_SUM) == 0 &&
			  reduction_identity(REDUCTION_PROD) == 1 &&
			  reduction_identity(REDUCTION_MIN) == INFINITY &&
			  reduction_identity(REDUCTION_MAX) == -INFINITY,
		  "identities");
	for (int r = 0; r < 4; r++)
	{
		double accumulator = 5;

		reduction_fold((Reduction) r, &accumulator, -2);
		check(accumulator == reference_fold((Reduction) r, 5, -2), "fold %d", r);
		reduction_fold((Reduction) r, &accumulator, NAN);
		reduction_fold((Reduction) r, &accumulator, 1);
		check(isnan(accumulator), "fold %d of NaN", r);
	}
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 20000, one_case);
	if (argc == 1)
		test_complex_division();
	return test_finish();
}
