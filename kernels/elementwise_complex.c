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
 * Smith's algorithm, as numpy's: scales by the larger part of the divisor, so
 * that its square cannot overflow. (Smith, Communications of the ACM 5 (1962).)
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

/* x to the power of a whole number from 0 on, by squaring. */
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

/* Small whole powers are products, as numpy's are: exact where these are. */
static double _Complex complex_power(double _Complex x, double _Complex y)
{
	double exponent = creal(y);

	if (cimag(y) == 0 && exponent == floor(exponent) && fabs(exponent) <= 100)
	{
		double _Complex power = whole_power(x, (int) fabs(exponent));

		return exponent < 0 ? complex_divide_ieee(1, power) : power;
	}
	/* the C library has NaN for 0 to any power */
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

/* Functions of one number: the C library's, with its special values. */
#define COMPLEX_FUNCTION(name, value)                                                    \
	static double _Complex name(double _Complex x, double _Complex y)                    \
	{                                                                                    \
		return value;                                                                    \
	}

/* clang-format off */
COMPLEX_FUNCTION(complex_abs, cabs(x))
COMPLEX_FUNCTION(complex_real, creal(x))
COMPLEX_FUNCTION(complex_imag, cimag(x))
COMPLEX_FUNCTION(complex_conj, conj(x))
COMPLEX_FUNCTION(complex_same, x)
COMPLEX_FUNCTION(complex_sqrt, csqrt(x))
COMPLEX_FUNCTION(complex_exp, cexp(x))
COMPLEX_FUNCTION(complex_ln, clog(x))
COMPLEX_FUNCTION(complex_sin, csin(x))
COMPLEX_FUNCTION(complex_cos, ccos(x))
COMPLEX_FUNCTION(complex_tanh, ctanh(x))
/* clang-format on */

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

static const ComplexFunction functions[FUNCTION_COUNT] = {
	[FUNCTION_ADD] = complex_add,
	[FUNCTION_SUBTRACT] = complex_subtract,
	[FUNCTION_MULTIPLY] = complex_multiply,
	[FUNCTION_DIVIDE] = complex_divide,
	[FUNCTION_POWER] = complex_power,
	[FUNCTION_EQ] = complex_eq,
	[FUNCTION_NE] = complex_ne,
	[FUNCTION_NEGATE] = complex_negate,
	[FUNCTION_ABS] = complex_abs,
	[FUNCTION_REAL] = complex_real,
	[FUNCTION_IMAG] = complex_imag,
	[FUNCTION_CONJ] = complex_conj,
	[FUNCTION_SQRT] = complex_sqrt,
	[FUNCTION_EXP] = complex_exp,
	[FUNCTION_LN] = complex_ln,
	[FUNCTION_SIN] = complex_sin,
	[FUNCTION_COS] = complex_cos,
	[FUNCTION_TANH] = complex_tanh,
	[FUNCTION_COMPLEX8] = complex_same,
	[FUNCTION_COMPLEX16] = complex_same,
};

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
