/*-------------------------------------------------------------------------
 *
 * einsum_named.c
 *	  The kernels that the papers call by name: inner_prod, outer_prod,
 *	  vec_mat_mult, mat_vec_mult, mat_mult and vec_sca_mult.
 *
 * They are einsum with the equation fixed, so that nothing is parsed or
 * remembered, and with arguments whose types are checked by the parser. Unlike
 * einsum they do not broadcast: vectors of different lengths are a mistake.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "kernels/vector.h"
#include "type/call_kernel.h"
#include "type/sparse.h"

PG_FUNCTION_INFO_V1(inner_prod);
PG_FUNCTION_INFO_V1(outer_prod);
PG_FUNCTION_INFO_V1(vec_mat_mult);
PG_FUNCTION_INFO_V1(mat_vec_mult);
PG_FUNCTION_INFO_V1(mat_mult);
PG_FUNCTION_INFO_V1(vec_sca_mult);
PG_FUNCTION_INFO_V1(vec_sca_mult_tensor);

/* "a,a->" */
static const Equation inner_equation = {
	.noperands = 2,
	.operands = {{1, {0}}, {1, {0}}},
	.output = {0, {0}},
	.nlabels = 1,
	.letters = {'a'},
};

const Equation outer_equation = {
	.noperands = 2,
	.operands = {{1, {0}}, {1, {1}}},
	.output = {2, {0, 1}},
	.nlabels = 2,
	.letters = {'a', 'b'},
};

/* "a,ab->b" */
static const Equation vec_mat_equation = {
	.noperands = 2,
	.operands = {{1, {0}}, {2, {0, 1}}},
	.output = {1, {1}},
	.nlabels = 2,
	.letters = {'a', 'b'},
};

/* "ab,b->a" */
static const Equation mat_vec_equation = {
	.noperands = 2,
	.operands = {{2, {0, 1}}, {1, {1}}},
	.output = {1, {0}},
	.nlabels = 2,
	.letters = {'a', 'b'},
};

/* "ab,bc->ac" */
static const Equation mat_mat_equation = {
	.noperands = 2,
	.operands = {{2, {0, 1}}, {2, {1, 2}}},
	.output = {2, {0, 2}},
	.nlabels = 3,
	.letters = {'a', 'b', 'c'},
};

/* Returns the result of a fixed equation over two tensor arguments. */
static Datum
binary_value(FunctionCallInfo fcinfo, const char *name, const Equation *equation)
{
	KernelFunction function = {name, false, REDUCTION_SUM, true};
	Datum values[2] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)};
	KernelCall call;
	Tensor *result;

	call.function = &function;
	call.equation = equation;
	call.program = NULL;
	call.cache = NULL;
	load_tensors(fcinfo, &call.operands, 2, values);
	finish_kernel_call(&call);
	result = kernel_result(&call);
	release_operands(&call.operands);
	PG_RETURN_TENSOR_P(result);
}

static inline double
dot(const Tensor *a, const Tensor *b)
{
	const void *x = tensor_elements(a);
	const void *y = tensor_elements(b);

	return a->type == ELEMENT_FLOAT4 ? (double) vector_dot_float4(a->bounds[0], x, y)
									 : vector_dot_float8(a->bounds[0], x, y);
}

/* Computes inner_prod of any two operands, or raises its errors. */
static pg_noinline Datum
inner_product(FunctionCallInfo fcinfo)
{
	static const KernelFunction function = {"inner_prod", false, REDUCTION_SUM, true};
	double element[2] = {0, 0};
	const Tensor *a;
	const Tensor *b;
	Tensor *x;
	Tensor *y;
	KernelCall call;
	TensorView out;

	call.function = &function;
	call.equation = &inner_equation;
	call.program = NULL;
	call.cache = NULL;
	reset_operands(&call.operands);
	a = fetch_operand(fcinfo, &call.operands, 0, PG_GETARG_DATUM(0));
	b = fetch_operand(fcinfo, &call.operands, 1, PG_GETARG_DATUM(1));
	if (a->rank == 1 && sparse_pairs(a, b, true, &x, &y))
	{
		element[0] = dot(x, y);
		if (a->type == ELEMENT_FLOAT4 && b->type == ELEMENT_FLOAT4)
			element[0] = (float) element[0];
		pfree(x);
		pfree(y);
		release_operands(&call.operands);
		PG_RETURN_FLOAT8(element[0]);
	}
	add_operand(fcinfo, &call.operands, a);
	add_operand(fcinfo, &call.operands, b);
	finish_kernel_call(&call);
	view_contiguous(&out, call.operands.type, 0, NULL, element);
	run_kernel(&call, &out);
	release_operands(&call.operands);
	PG_RETURN_FLOAT8(scalar_element("inner_prod", &out));
}

/* Are both dense vectors of the same real type and length? */
static inline bool
are_real_vectors(const Tensor *a, const Tensor *b)
{
	/* compares format, type, rank, flags and the bound at once */
	return memcmp(&a->format, &b->format, 8) == 0 && a->rank == 1 && !is_sparse(a) &&
		   !element_is_complex((ElementType) a->type);
}

/*
 * Computes inner_prod of values that may have short headers, as small values in tables
 * have.
 */
static pg_noinline Datum
inner_product_of_stored(FunctionCallInfo fcinfo)
{
	ShortValue shorts[2];
	const Tensor *a = plain_tensor(PG_GETARG_DATUM(0), &shorts[0]);
	const Tensor *b = plain_tensor(PG_GETARG_DATUM(1), &shorts[1]);

	if (a && b && are_real_vectors(a, b))
		PG_RETURN_FLOAT8(dot(a, b));
	return inner_product(fcinfo);
}

/*
 * inner_prod(tensor, tensor) returns float8: the sum of a[i] * b[i]. A search calls it
 * for every pair of vectors, so the usual case, two vectors of one real type, only looks
 * at their headers.
 */
Datum
inner_prod(PG_FUNCTION_ARGS)
{
	const Tensor *a = (const Tensor *) PG_GETARG_POINTER(0);
	const Tensor *b = (const Tensor *) PG_GETARG_POINTER(1);

	if (!VARATT_IS_4B_U(a) || !VARATT_IS_4B_U(b))
		return inner_product_of_stored(fcinfo);
	if (!are_real_vectors(a, b))
		return inner_product(fcinfo);
	PG_RETURN_FLOAT8(dot(a, b));
}

/* outer_prod(tensor, tensor): the matrix of a[i] * b[j], of two vectors. */
Datum
outer_prod(PG_FUNCTION_ARGS)
{
	return binary_value(fcinfo, "outer_prod", &outer_equation);
}

/* vec_mat_mult(vector, matrix): the sum of v[i] * m[i,j] over i. */
Datum
vec_mat_mult(PG_FUNCTION_ARGS)
{
	return binary_value(fcinfo, "vec_mat_mult", &vec_mat_equation);
}

/* mat_vec_mult(matrix, vector): the sum of m[i,j] * v[j] over j. */
Datum
mat_vec_mult(PG_FUNCTION_ARGS)
{
	return binary_value(fcinfo, "mat_vec_mult", &mat_vec_equation);
}

/* mat_mult(matrix, matrix): the sum of a[i,j] * b[j,k] over j. */
Datum
mat_mult(PG_FUNCTION_ARGS)
{
	return binary_value(fcinfo, "mat_mult", &mat_mat_equation);
}

/* Multiplies the first of two loaded operands, of any rank, by the second, of
 * rank 0. */
static Datum
scale_value(KernelCall *call)
{
	static const KernelFunction function = {"vec_sca_mult", false, REDUCTION_SUM, true};
	Equation equation;
	Tensor *result;
	int rank = call->operands.views[0]->rank;

	equation.noperands = 2;
	equation.nlabels = rank;
	equation.operands[0].rank = rank;
	equation.operands[0].ellipsis = 0;
	equation.operands[1].rank = 0;
	equation.operands[1].ellipsis = 0;
	for (int d = 0; d < rank; d++)
	{
		equation.operands[0].labels[d] = d;
		equation.letters[d] = 'a' + d;
	}
	equation.output = equation.operands[0];

	call->function = &function;
	call->equation = &equation;
	call->program = NULL;
	call->cache = NULL;
	finish_kernel_call(call);
	result = kernel_result(call);
	release_operands(&call->operands);
	PG_RETURN_TENSOR_P(result);
}

/* vec_sca_mult(tensor, float8): a tensor of any rank times a number. */
Datum
vec_sca_mult(PG_FUNCTION_ARGS)
{
	KernelCall call;
	const Tensor *tensor;
	Tensor *product;

	reset_operands(&call.operands);
	tensor = fetch_operand(fcinfo, &call.operands, 0, PG_GETARG_DATUM(0));
	product = sparse_times(tensor, PG_GETARG_FLOAT8(1));
	if (product)
	{
		release_operands(&call.operands);
		PG_RETURN_TENSOR_P(product);
	}
	add_operand(fcinfo, &call.operands, tensor);
	load_scalar(&call.operands, PG_GETARG_FLOAT8(1), ELEMENT_FLOAT8);
	return scale_value(&call);
}

/* vec_sca_mult(tensor, tensor): a tensor of any rank times a tensor of rank 0. */
Datum
vec_sca_mult_tensor(PG_FUNCTION_ARGS)
{
	Datum values[2] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)};
	KernelCall call;

	load_tensors(fcinfo, &call.operands, 2, values);
	return scale_value(&call);
}
