/*-------------------------------------------------------------------------
 *
 * solve.c
 *	  Linear systems inside values: einsum_solve, einsum_inverse and einsum_cholesky,
 *	  which programs call.
 *
 * The equation labels the dimensions, two letters name those of the matrices, and there
 * is a matrix for each index of the other labels. A matrix of zeros and a right side of
 * zeros have the result 0, without further checks, since absent rows, which mean the
 * same, have no result either.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "parser/syntax.h"
#include "type/linear_algebra.h"
#include "type/tensor_shape.h"

/* One operand, or the result, with the strides of its labels. */
typedef struct LabelledView
{
	TensorView view;
	bool has[EQUATION_MAX_LABELS];
	int64 strides[EQUATION_MAX_LABELS]; /* 0 for labels that it lacks */
} LabelledView;

typedef struct MatrixCall
{
	const char *function;
	Equation equation;
	ElementType type;
	const MatrixKernels *kernels;
	int64 extents[EQUATION_MAX_LABELS];
	LabelledView operands[2];
	LabelledView output;
	Tensor *result;
	int matrix[2]; /* its two labels, in the order in which the call names them */
	int nkeys;     /* number of the labels for each of whose indices there is a matrix */
	int keys[EQUATION_MAX_LABELS];
	int nsides; /* number of the labels that only right sides have */
	int sides[EQUATION_MAX_LABELS];
} MatrixCall;

pg_noreturn static void
wrong_equation(const MatrixCall *call, const char *equation)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("\"%s\" is no equation of %s", equation, call->function),
					errhint("einsum_solve('kl', 'ukl,ul->uk', a, b), "
							"einsum_inverse('kl', 'ukl->ukl', a), and einsum_cholesky "
							"likewise.")));
}

/* Finds the strides and extents of a term's labels in a tensor. */
static void
label_view(MatrixCall *call, LabelledView *labelled, const EquationTerm *term,
		   Tensor *tensor, const bool *known)
{
	tensor_view(tensor, &labelled->view);
	if (tensor->rank != term->rank)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("an operand of %s has rank %d where rank %d is needed",
							   call->function, tensor->rank, term->rank),
						errhint("The equation has a letter for each dimension.")));
	for (int d = 0; d < term->rank; d++)
	{
		int label = term->labels[d];

		if ((known[label] || labelled->has[label]) &&
			call->extents[label] != tensor->bounds[d])
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("label \"%c\" of %s has two different bounds",
						call->equation.letters[label], call->function),
				 errdetail("They are %lld and %lld.", (long long) call->extents[label],
						   (long long) tensor->bounds[d]),
				 errhint("All dimensions that a label indexes have one bound.")));
		call->extents[label] = tensor->bounds[d];
		labelled->has[label] = true;
		labelled->strides[label] += labelled->view.strides[d];
	}
}

static int
find_letter(const Equation *equation, char letter)
{
	for (int i = 0; i < equation->nlabels; i++)
	{
		if (equation->letters[i] == letter)
			return i;
	}
	return -1;
}

/* Finds the role of each label, and creates the result, filled with 0. */
static void
prepare_call(MatrixCall *call, const char *matrix, const char *equation, int noperands,
			 Tensor *const *operands)
{
	const bool unknown[EQUATION_MAX_LABELS] = {false};
	int64 bounds[TENSOR_MAX_RANK];

	parse_equation(equation, noperands, &call->equation);
	if (strlen(matrix) != 2 || call->equation.has_ellipsis)
		wrong_equation(call, equation);
	for (int o = 0; o < noperands; o++)
	{
		ElementType type = (ElementType) operands[o]->type;

		label_view(call, &call->operands[o], &call->equation.operands[o], operands[o],
				   o > 0 ? call->operands[0].has : unknown);
		call->type = o == 0 ? type : element_promote(call->type, type);
	}
	call->kernels = matrix_kernels(call->type);
	for (int i = 0; i < 2; i++)
	{
		call->matrix[i] = find_letter(&call->equation, matrix[i]);
		if (call->matrix[i] < 0 || !call->operands[0].has[call->matrix[i]] ||
			(i == 1 && call->matrix[0] == call->matrix[1]))
			wrong_equation(call, equation);
	}
	if (call->extents[call->matrix[0]] != call->extents[call->matrix[1]])
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s takes square matrices", call->function),
						errdetail("They are %lldx%lld.",
								  (long long) call->extents[call->matrix[0]],
								  (long long) call->extents[call->matrix[1]])));

	for (int d = 0; d < call->equation.output.rank; d++)
		bounds[d] = call->extents[call->equation.output.labels[d]];
	shape_count(call->type, call->equation.output.rank, bounds);
	call->result = tensor_new(call->type, call->equation.output.rank, bounds);
	memset(tensor_elements(call->result), 0,
		   tensor_count(call->result) * element_size(call->type));
	label_view(call, &call->output, &call->equation.output, call->result, unknown);
	for (int i = 0; i < call->equation.nlabels; i++)
	{
		bool is_matrix = i == call->matrix[0] || i == call->matrix[1];

		if (!is_matrix && !call->output.has[i])
			wrong_equation(call, equation);
		if (!is_matrix && call->operands[0].has[i])
			call->keys[call->nkeys++] = i;
		else if (!is_matrix)
			call->sides[call->nsides++] = i;
	}
}

/* Makes a view of the elements over some labels, from an offset on. */
static void
part_view(const MatrixCall *call, const LabelledView *of, int64 offset, int nlabels,
		  const int *labels, TensorView *view)
{
	view->type = of->view.type;
	view->rank = nlabels;
	for (int i = 0; i < nlabels; i++)
	{
		view->bounds[i] = call->extents[labels[i]];
		view->strides[i] = of->strides[labels[i]];
	}
	view->data = (char *) of->view.data + offset * element_size(view->type);
}

/* Sets a view of a buffer with the same bounds, in column-major order. */
static void
buffer_view(ElementType type, const TensorView *like, void *elements, TensorView *view)
{
	int64 stride = 1;

	*view = *like;
	view->type = type;
	view->data = elements;
	for (int i = 0; i < like->rank; i++)
	{
		view->strides[i] = stride;
		stride *= like->bounds[i];
	}
}

/* Copies a matrix or right sides into a buffer; false if all elements are 0. */
static bool
load_part(const MatrixCall *call, const TensorView *from, void *elements)
{
	int64 count = view_count(from);
	int64 numbers = count * (element_is_complex(call->type) ? 2 : 1);
	bool zero = true;
	TensorView to;

	buffer_view(call->type, from, elements, &to);
	view_copy(from, &to);
	for (int64 i = 0; zero && i < numbers; i++)
		zero = element_is_single(call->type) ? ((const float *) elements)[i] == 0.0f
											 : ((const double *) elements)[i] == 0.0;
	return !zero;
}

/* Raises 22000 if elements that load_part has read contain NaN or infinity. */
static void
check_elements_finite(const MatrixCall *call, const TensorView *from,
					  const void *elements)
{
	if (!call->kernels->all_finite(view_count(from), elements))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%s does not take NaN or infinite elements", call->function),
				 errdetail("A tensor of shape %s has one.",
						   shape_to_string(from->rank, from->bounds))));
}

static void
store_part(const MatrixCall *call, TensorView *to, void *elements)
{
	TensorView from;

	buffer_view(call->type, to, elements, &from);
	view_copy(&from, to);
}

/*
 * Returns the offset, in elements, of the part of a tensor that belongs to an index of
 * the keys.
 */
static int64
part_offset(const MatrixCall *call, const LabelledView *of, const int64 *index)
{
	int64 offset = 0;

	for (int i = 0; i < call->nkeys; i++)
		offset += index[i] * of->strides[call->keys[i]];
	return offset;
}

/* Steps to the next index of the keys; false after the last. */
static bool
next_index(const MatrixCall *call, int64 *index)
{
	for (int i = call->nkeys - 1; i >= 0; i--)
	{
		if (++index[i] < call->extents[call->keys[i]])
			return true;
		index[i] = 0;
	}
	return false;
}

/*
 * A function that processes the matrix of one index of the keys; elements are the
 * matrix's, from is its view.
 */
typedef void (*MatrixWork)(const MatrixCall *call, const int64 *index,
						   const TensorView *from, void *elements, int n);

/*
 * Calls work for each matrix that is not 0; rows and columns are the labels of its
 * dimensions. Returns the result.
 */
static Tensor *
for_each_matrix(MatrixCall *call, int rows, int columns, MatrixWork work)
{
	int n = (int) call->extents[rows];
	int labels[2] = {rows, columns};
	int64 index[EQUATION_MAX_LABELS] = {0};
	void *elements;

	if (tensor_count(call->result) == 0)
		return call->result;
	elements = zeroed_in_pieces((Size) n * n * element_size(call->type));
	do
	{
		TensorView from;

		CHECK_FOR_INTERRUPTS();
		part_view(call, &call->operands[0], part_offset(call, &call->operands[0], index),
				  2, labels, &from);
		if (load_part(call, &from, elements))
			work(call, index, &from, elements, n);
	} while (next_index(call, index));
	pfree(elements);
	return call->result;
}

/* Solves the systems of one matrix, except those whose right side is 0. */
static void
solve_systems(const MatrixCall *call, const int64 *index, const TensorView *matrix,
			  void *elements, int n)
{
	const LabelledView *b = &call->operands[1];
	int labels[EQUATION_MAX_LABELS];
	TensorView from;
	TensorView to;
	Size bytes;
	void *right;
	double rcond = 1;

	labels[0] = call->matrix[1];
	memcpy(labels + 1, call->sides, sizeof(int) * call->nsides);
	part_view(call, b, part_offset(call, b, index), call->nsides + 1, labels, &from);
	bytes = view_count(&from) * element_size(call->type);
	right = zeroed_in_pieces(bytes);
	if (load_part(call, &from, right))
	{
		int info;

		check_elements_finite(call, matrix, elements);
		check_elements_finite(call, &from, right);
		info = call->kernels->solve(n, (int) (view_count(&from) / n), elements, right,
									&rcond);
		check_singular(call->function, info, rcond, call->kernels);
		labels[0] = call->matrix[0];
		part_view(call, &call->output, part_offset(call, &call->output, index),
				  call->nsides + 1, labels, &to);
		store_part(call, &to, right);
	}
	pfree(right);
}

static void
store_matrix_of(const MatrixCall *call, const int64 *index, void *elements)
{
	TensorView to;

	part_view(call, &call->output, part_offset(call, &call->output, index), 2,
			  call->matrix, &to);
	store_part(call, &to, elements);
}

static void
invert_matrix(const MatrixCall *call, const int64 *index, const TensorView *from,
			  void *elements, int n)
{
	double rcond = 1;
	int info;

	check_elements_finite(call, from, elements);
	info = call->kernels->invert(n, elements, &rcond);
	check_singular(call->function, info, rcond, call->kernels);
	store_matrix_of(call, index, elements);
}

static void
factor_matrix(const MatrixCall *call, const int64 *index, const TensorView *from,
			  void *elements, int n)
{
	Matrix matrix = {
		.kernels = call->kernels, .rows = n, .columns = n, .elements = elements};

	check_elements_finite(call, from, elements);
	check_symmetric(call->function, &matrix);
	check_definite(call->function, call->kernels->cholesky(n, elements));
	store_matrix_of(call, index, elements);
}

/*
 * einsum_solve(matrix, equation, a, b): returns the x with sum over k of a * x = b.
 * matrix names the labels k, the unknowns, and l, the equations; there is a system for
 * each index of the other labels. Errors: 2202E for shapes, 22000 as mat_solve.
 */
PG_FUNCTION_INFO_V1(einsum_solve);
Datum
einsum_solve(PG_FUNCTION_ARGS)
{
	char *equation = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Tensor *operands[2] = {PG_GETARG_TENSOR_P(2), PG_GETARG_TENSOR_P(3)};
	MatrixCall call = {.function = "solve"};

	prepare_call(&call, text_to_cstring(PG_GETARG_TEXT_PP(0)), equation, 2, operands);
	if (call.operands[1].has[call.matrix[0]] || !call.operands[1].has[call.matrix[1]] ||
		!call.output.has[call.matrix[0]] || call.output.has[call.matrix[1]])
		wrong_equation(&call, equation);
	PG_RETURN_TENSOR_P(
		for_each_matrix(&call, call.matrix[1], call.matrix[0], solve_systems));
}

/*
 * Runs a function that has only matrices as its operand, and whose result has the same
 * labels.
 */
static Datum
matrix_function(FunctionCallInfo fcinfo, const char *function, MatrixWork work)
{
	char *equation = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Tensor *operand = PG_GETARG_TENSOR_P(2);
	MatrixCall call = {.function = function};

	prepare_call(&call, text_to_cstring(PG_GETARG_TEXT_PP(0)), equation, 1, &operand);
	if (!call.output.has[call.matrix[0]] || !call.output.has[call.matrix[1]])
		wrong_equation(&call, equation);
	PG_RETURN_TENSOR_P(for_each_matrix(&call, call.matrix[0], call.matrix[1], work));
}

/*
 * einsum_inverse(matrix, equation, a): inverts each matrix of a. Errors: as mat_inverse.
 */
PG_FUNCTION_INFO_V1(einsum_inverse);
Datum
einsum_inverse(PG_FUNCTION_ARGS)
{
	return matrix_function(fcinfo, "inverse", invert_matrix);
}

/*
 * einsum_cholesky(matrix, equation, a): factors each matrix of a; matrix names the labels
 * of rows and columns. Errors: as mat_cholesky.
 */
PG_FUNCTION_INFO_V1(einsum_cholesky);
Datum
einsum_cholesky(PG_FUNCTION_ARGS)
{
	return matrix_function(fcinfo, "cholesky", factor_matrix);
}
