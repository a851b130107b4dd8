/*-------------------------------------------------------------------------
 *
 * elementwise_complex.c
 *	  Element-wise arithmetic of complex tensors: plain loops in double, for
 *	  the few functions that complex numbers have.
 *
 *-------------------------------------------------------------------------
 */
#include <complex.h>
#include <math.h>

#include "kernels/elementwise.h"

typedef double _Complex (*ComplexFunction)(double _Complex x, double _Complex y);

static double _Complex complex_add(double _Complex x, double _Complex y)
{
	return x + y;
}

static double _Complex complex_subtract(double _Complex x, double _Complex y)
{
	return x - y;
}

static double _Complex complex_multiply(double _Complex x, double _Complex y)
{
	return x * y;
}

/*
 * Divides by Smith's algorithm, as numpy does: it scales by the larger part of the
 * divisor, so that squares cannot overflow. (Smith, Communications of the ACM 5 (1962).)
 */
static double _Complex complex_divide_ieee(double _Complex x, double _Complex y)
{
	double a = creal(x);
	double b = cimag(x);
	double c = creal(y);
	double d = cimag(y);
	double ratio;
	double scale;

	if (c == 0 && d == 0)
		return CMPLX(a / fabs(c), b / fabs(c));
	if (fabs(c) >= fabs(d))
	{
		ratio = d / c;
		scale = 1 / (c + d * ratio);
		return CMPLX((a + b * ratio) * scale, (b - a * ratio) * scale);
	}
	ratio = c / d;
	scale = 1 / (c * ratio + d);
	return CMPLX((a * ratio + b) * scale, (b * ratio - a) * scale);
}

static double _Complex complex_divide(double _Complex x, double _Complex y)
{
	return x == 0 ? 0 : complex_divide_ieee(x, y);
}

/* Returns x to the power of an integer exponent >= 0, by repeated squaring. */
static double _Complex whole_power(double _Complex x, int exponent)
{
	double _Complex result = 1;

	for (; exponent > 0; exponent /= 2)
	{
		if (exponent % 2 == 1)
			result *= x;
		x *= x;
	}
	return result;
}

/* Small integer powers are products, as in numpy: exact where products are. */
static double _Complex complex_power(double _Complex x, double _Complex y)
{
	double exponent = creal(y);

	if (cimag(y) == 0 && exponent == floor(exponent) && fabs(exponent) <= 100)
	{
		double _Complex power = whole_power(x, (int) fabs(exponent));

		return exponent < 0 ? complex_divide_ieee(1, power) : power;
	}
	/* the C library gives NaN for 0 to any power */
	if (x == 0 && creal(y) > 0)
		return 0;
	return cpow(x, y);
}

static double _Complex complex_eq(double _Complex x, double _Complex y)
{
	return x == y ? 1 : 0;
}

static double _Complex complex_ne(double _Complex x, double _Complex y)
{
	return x != y ? 1 : 0;
}

static double _Complex complex_negate(double _Complex x, double _Complex y)
{
	return -x;
}

static double _Complex complex_same(double _Complex x, double _Complex y)
{
	return x;
}

/* Functions of one number are the C library's, with its special values. */
#define WRAPPED_REAL_ONLY
#define WRAPPED_TO_REAL(function) WRAPPED_SAME(function)
#define WRAPPED_SAME(function)                                                           \
	static double _Complex of_one_##function(double _Complex x, double _Complex y)       \
	{                                                                                    \
		return function(x);                                                              \
	}
#define WRAPPED_OPERATOR(...)
#define WRAPPED_ELEMENTWISE(id, name, loops, work, complex, ...) WRAPPED_##complex

POINTWISE_FUNCTIONS(WRAPPED_OPERATOR, WRAPPED_ELEMENTWISE, WRAPPED_OPERATOR)

static double _Complex read_element(ElementType type, const char *element)
{
	if (type == ELEMENT_COMPLEX16)
		return *(const double _Complex *) element;
	return *(const float _Complex *) element;
}

static void
write_element(ElementType type, void *data, int64_t i, double _Complex value)
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

static void
apply(ComplexFunction function, int noperands, const TensorView *const *operands,
	  TensorView *out)
{
	const int64_t size = (int64_t) element_size(out->type);
	const int64_t count = view_count(out);
	int64_t index[TENSOR_MAX_RANK] = {0};

	for (int64_t i = 0; i < count; i++)
	{
		double _Complex args[2] = {0, 0};
		double _Complex value;
		int64_t at = 0;

		if ((i & 0xFFFFF) == 0xFFFFF)
			kernel_host.check_interrupts();
		for (int o = 0; o < noperands; o++)
		{
			const TensorView *view = operands[o];
			int64_t offset = 0;

			for (int d = 0; d < view->rank; d++)
				if (view->bounds[d] != 1)
					offset += index[d + out->rank - view->rank] * view->strides[d];
			args[o] = read_element(out->type, (const char *) view->data + offset * size);
		}
		value = function(args[0], args[1]);
		for (int d = 0; d < out->rank; d++)
			at += index[d] * out->strides[d];
		write_element(out->type, out->data, at, value);
		for (int d = out->rank - 1; d >= 0 && ++index[d] == out->bounds[d]; d--)
			index[d] = 0;
	}
}

#define OPERATOR_REAL_ONLY NULL
#define OPERATOR_CHOICE NULL
#define OPERATOR_SAME(function) function
#define OPERATOR_TO_REAL(function) function
#define ELEMENTWISE_REAL_ONLY NULL
#define ELEMENTWISE_SAME(function) of_one_##function
#define ELEMENTWISE_TO_REAL(function) of_one_##function
#define ROW_OF_OPERATOR(id, name, symbol, arity, work, complex, ...)                     \
	[FUNCTION_##id] = OPERATOR_##complex,
#define ROW_OF_ELEMENTWISE(id, name, loops, work, complex, ...)                          \
	[FUNCTION_##id] = ELEMENTWISE_##complex,
#define ROW_OF_CONVERSION(id, ...) [FUNCTION_##id] = complex_same,

static const ComplexFunction functions[FUNCTION_COUNT] = {
	POINTWISE_FUNCTIONS(ROW_OF_OPERATOR, ROW_OF_ELEMENTWISE, ROW_OF_CONVERSION)};

void
complex_loop(FunctionId function, ElementType type, ElementType result_type, int64_t n,
			 const void *const *args, void *out)
{
	const size_t size = element_size(type);
	const int arity = pointwise_functions[function].arity;

	for (int64_t i = 0; i < n; i++)
	{
		double _Complex numbers[FUNCTION_MAX_ARGS] = {0, 0, 0};
		double _Complex value;

		for (int k = 0; k < arity; k++)
			numbers[k] = read_element(type, (const char *) args[k] + (size_t) i * size);
		if (function == FUNCTION_IF)
			value = numbers[0] != 0 ? numbers[1] : numbers[2];
		else
			value = functions[function](numbers[0], numbers[1]);
		write_element(result_type, out, i, value);
	}
}

void
elementwise_complex(FunctionId function, int noperands, const TensorView *const *operands,
					TensorView *out)
{
	if (functions[function] != NULL)
		apply(functions[function], noperands, operands, out);
}

void
elementwise_complex_divide(const TensorView *const *operands, TensorView *out)
{
	apply(complex_divide_ieee, 2, operands, out);
}
