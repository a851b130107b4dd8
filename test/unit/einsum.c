/*-------------------------------------------------------------------------
 *
 * einsum.c
 *	  einsum_accumulate against its definition: random equations of one to
 *	  five operands, all element types, odd strides; and the shapes that go to
 *	  BLAS, at sizes on both sides of every cutoff; broadcasting, many operands,
 *	  and limits of memory that force labels to be split. Elements are small integers
 *	  so that every order of summation is exact. Sums of many fractions in single
 *	  precision are those in double precision, rounded.
 *
 *-------------------------------------------------------------------------
 */
#include <float.h>

#include "harness.h"

#include "kernels/path.h"
#include "kernels/prepared.h"

/* "ij,jk->ik", lower-case letters */
static void
equation_from_text(const char *text, Equation *equation)
{
	int number[26];
	EquationTerm *term = &equation->operands[0];

	memset(equation, 0, sizeof(*equation));
	for (int l = 0; l < 26; l++)
		number[l] = -1;
	equation->noperands = 1;
	for (; *text != '\0'; text++)
	{
		if (*text == ',')
			term = &equation->operands[equation->noperands++];
		else if (*text == '-')
			term = &equation->output;
		else if (*text >= 'a')
		{
			if (number[*text - 'a'] < 0)
			{
				equation->letters[equation->nlabels] = *text;
				number[*text - 'a'] = equation->nlabels++;
			}
			term->labels[term->rank++] = (uint8_t) number[*text - 'a'];
		}
	}
}

static void
compare_limited(const Equation *equation, const int64_t *extents, bool contiguous,
				double limit)
{
	ElementType type = all_types[random_below(4)];
	ElementType out_type = random_below(2) ? element_double(type) : type;
	TestTensor operands[EQUATION_MAX_OPERANDS];
	const TensorView *views[EQUATION_MAX_OPERANDS];
	TestTensor out;
	TestTensor expected;
	double scale = random_below(3) == 0 ? random_integer(3) : 1;
	int64_t bounds[TENSOR_MAX_RANK];
	int64_t found[EQUATION_MAX_LABELS];
	EquationMismatch mismatch;
	PreparedEinsum prepared;
	const void *data[EQUATION_MAX_OPERANDS] = {NULL};
	char text[1000];

	for (int o = 0; o < equation->noperands; o++)
	{
		const EquationTerm *term = &equation->operands[o];

		for (int d = 0; d < term->rank; d++)
			bounds[d] = extents[term->labels[d]];
		broadcast_some(term, bounds);
		tensor_random(&operands[o], type, term->rank, bounds, !contiguous, contiguous,
					  equation->noperands > 3 ? 1 : 3);
		views[o] = &operands[o].view;
	}
	check(equation_extents(equation, views, found, &mismatch), "extents");
	for (int l = 0; l < equation->nlabels; l++)
		check(found[l] == extents[l] || found[l] == 1, "extent %d", l);
	for (int d = 0; d < equation->output.rank; d++)
		bounds[d] = found[equation->output.labels[d]];
	tensor_random(&out, out_type, equation->output.rank, bounds, false, contiguous, 5);
	tensor_duplicate(&out, &expected);

	if (limit > 0)
		einsum_accumulate_limited(equation, views, scale, limit, &out.view);
	else if (random_below(2) && einsum_prepare(equation, views, &out.view, &prepared))
	{
		for (int o = 0; o < equation->noperands; o++)
			data[o] = views[o]->data;
		einsum_run(&prepared, data, scale, out.view.data);
	}
	else
		einsum_accumulate(equation, views, scale, &out.view);
	reference_einsum(equation, views, scale, &expected.view);
	equation_print(equation, views, text, sizeof(text));
	check(tensor_same(&out, &expected), "%s to %s %s, distance %g",
		  element_type_name(type), element_type_name(out_type), text,
		  tensor_distance(&out.view, &expected.view));
	for (int o = 0; o < equation->noperands; o++)
		tensor_free(&operands[o]);
	tensor_free(&out);
	tensor_free(&expected);
}

static void
compare(const Equation *equation, const int64_t *extents, bool contiguous)
{
	compare_limited(equation, extents, contiguous, 0);
}

static void
random_equation(void)
{
	Equation equation;
	int64_t extents[EQUATION_MAX_LABELS];
	int noperands = 1 + (int) random_below(3) + (random_below(8) == 0 ? 2 : 0);
	bool limited = random_below(6) == 0;

	if (random_below(40) == 0)
		noperands = 6 + (int) random_below(8);
	equation_random(&equation, noperands, 2 + (int) random_below(6),
					1 + (int) random_below(noperands > 5 ? 2 : 5), 20000, extents);
	if (limited && noperands > 2)
		compare_limited(&equation, extents, random_below(3) == 0,
						(double) (256 << random_below(8)));
	else
		compare(&equation, extents, random_below(3) == 0);
}

/* The shapes of linear algebra, at sizes around and above the cutoffs. */
static void
blas_shape(void)
{
	static const char *const shapes[] = {
		"a->",          "a->a",         "ab->ba",      "ab->a",        "ab->b",
		"aa->a",        "aa->",         "a,a->",       "a,->a",        ",a->a",
		"a,a->a",       "ab,b->a",      "ab,a->b",     "b,ab->a",      "a,b->ab",
		"a,b->ba",      "ab,bc->ac",    "ab,bc->ca",   "ba,bc->ac",    "ab,cb->ac",
		"ba,cb->ca",    "abc,bcd->ad",  "abc,cbd->ad", "abc,abd->acd", "abc,acd->abd",
		"abc,bcd->bad", "abcd,cd->ab",  "cdab,dc->ba", "abc,adc->bd",  "ab,cd->acbd",
		"ab,ab->a",     "ab,a->ab",     "ab,b->ab",    "ab,cd->ad",    "aab,bc->ac",
		"ab,bc,cd->ad", "ab,bc,ca->",   "ab,b,a->",    "a,b,c->abc",   "ab,ac,ad->bcd",
		"abc,acd->abd", "abc,adc->abd", "abc,dc->abd", "abc,cd->abd",  "abce,abed->abcd",
	};
	Equation equation;
	int64_t extents[EQUATION_MAX_LABELS];
	double work = 1;

	equation_from_text(shapes[(test_seed / 2) % (sizeof(shapes) / sizeof(shapes[0]))],
					   &equation);
	for (int l = 0; l < equation.nlabels; l++)
	{
		int64_t most = (int64_t) (equation.nlabels == 1   ? 600
								  : equation.nlabels == 2 ? 90
								  : equation.nlabels == 3 ? 30
														  : 14);

		extents[l] = random_below(4) == 0 ? random_below(4) : 1 + random_below(most);
		work *= (double) extents[l];
	}
	compare(&equation, extents, random_below(2) == 0);
}

static void
one_case(void)
{
	if (test_seed % 2 == 0)
		blas_shape();
	else
		random_equation();
}

/* Ranks and mismatches are found, with the operand and label at fault. */
static void
test_mismatches(void)
{
	Equation equation;
	double data[6] = {0};
	int64_t extents[EQUATION_MAX_LABELS];
	TensorView a;
	TensorView b;
	const TensorView *operands[2] = {&a, &b};
	EquationMismatch mismatch;

	test_start(0);
	equation_from_text("ij,jk->ik", &equation);
	view_contiguous(&a, ELEMENT_FLOAT8, 2, (int64_t[]){2, 3}, data);
	view_contiguous(&b, ELEMENT_FLOAT8, 1, (int64_t[]){3}, data);
	check(!equation_extents(&equation, operands, extents, &mismatch) &&
			  mismatch.label == -1 && mismatch.operand == 1 && mismatch.expected == 2 &&
			  mismatch.found == 1,
		  "rank");
	view_contiguous(&b, ELEMENT_FLOAT8, 2, (int64_t[]){2, 3}, data);
	check(!equation_extents(&equation, operands, extents, &mismatch) &&
			  mismatch.label == 1 && mismatch.operand == 1 && mismatch.expected == 3 &&
			  mismatch.found == 2,
		  "extent");
	view_contiguous(&b, ELEMENT_FLOAT8, 2, (int64_t[]){1, 2}, data);
	check(equation_extents(&equation, operands, extents, &mismatch) && extents[1] == 3,
		  "broadcast");
	equation_from_text("ii->i", &equation);
	check(!equation_extents(&equation, operands + 1, extents, &mismatch) &&
			  mismatch.label == 0 && mismatch.operand == 0 && mismatch.expected == 1 &&
			  mismatch.found == 2,
		  "nothing is broadcast along a diagonal");
}

/* The fewest operations of all orders, by trying them all. */
static double
fewest_flops(const PathProduct *product)
{
	double best = INFINITY;

	if (product->nfactors < 2)
		return 0;
	for (int i = 0; i < product->nfactors; i++)
	{
		for (int j = i + 1; j < product->nfactors; j++)
		{
			PathProduct rest = *product;
			EinsumPath path = {.nsteps = 1};
			PathStep step[1];

			path.steps[0].first = (uint8_t) i;
			path.steps[0].second = (uint8_t) j;
			path_measure(product, &path, step);
			rest.factors[i] = step[0].result;
			rest.factors[j] = rest.factors[--rest.nfactors];
			best = fmin(best, step[0].flops + fewest_flops(&rest));
		}
	}
	return best;
}

/* Orders have the fewest operations up to eight factors, and keep to limits. */
static void
test_orders(void)
{
	for (int round = 0; round < 2000; round++)
	{
		PathProduct product;
		EinsumPath path;
		PathStep steps[EQUATION_MAX_OPERANDS];
		LabelSet all = 0;
		double flops = 0;
		double peak;
		double limit;

		test_start((uint64_t) round + 1);
		product.nfactors = 2 + (int) random_below(round % 50 == 0 ? 19 : 4);
		for (int l = 0; l < 8; l++)
			product.extents[l] = 2 + random_below(9);
		for (int f = 0; f < product.nfactors; f++)
		{
			product.factors[f] = 0;
			for (int d = 0; d < 3; d++)
				product.factors[f] |= LABEL_BIT(random_below(8));
			all |= product.factors[f];
		}
		product.output = all & (LabelSet) random_below(256);
		check(path_choose(&product, TENSOR_MAX_RANK, INFINITY, &path) &&
				  path.nsteps == product.nfactors - 1,
			  "an order of %d factors", product.nfactors);
		peak = path_measure(&product, &path, steps);
		for (int s = 0; s < path.nsteps; s++)
			flops += steps[s].flops;
		check(steps[path.nsteps - 1].result == product.output, "result");
		if (product.nfactors <= 5)
			check(flops == fewest_flops(&product), "%g operations, not %g", flops,
				  fewest_flops(&product));
		limit = fmax(peak / 2, product.nfactors);
		if (path_choose(&product, TENSOR_MAX_RANK, limit, &path))
			check(path_measure(&product, &path, steps) <= limit, "limit");
	}
}

/* "..." has as many dimensions as the operands leave, counted from the last. */
static void
test_ellipsis(void)
{
	Equation equation;
	Equation bound;
	int ranks[2] = {3, 2};
	int where = -1;

	test_start(0);
	/* a...,...b->...ab */
	equation_from_text("a,b->ab", &equation);
	equation.has_ellipsis = true;
	equation.operands[0].ellipsis = 2;
	equation.operands[1].ellipsis = 1;
	equation.output.ellipsis = 1;
	check(equation_bind(&equation, ranks, &bound, &where) == BIND_DONE &&
			  bound.nlabels == 4 && bound.operands[0].rank == 3 &&
			  memcmp(bound.operands[0].labels, (uint8_t[]){0, 2, 3}, 3) == 0 &&
			  bound.operands[1].rank == 2 &&
			  memcmp(bound.operands[1].labels, (uint8_t[]){3, 1}, 2) == 0 &&
			  bound.output.rank == 4 &&
			  memcmp(bound.output.labels, (uint8_t[]){2, 3, 0, 1}, 4) == 0,
		  "bound");
	ranks[1] = 0;
	check(equation_bind(&equation, ranks, &bound, &where) == BIND_RANK_TOO_SMALL &&
			  where == 1,
		  "rank too small");
	ranks[1] = 16;
	check(equation_bind(&equation, ranks, &bound, &where) == BIND_OUTPUT_RANK &&
			  where == 1,
		  "output rank");
	equation.output.ellipsis = 0;
	ranks[1] = 3;
	check(equation_bind(&equation, ranks, &bound, &where) == BIND_NOT_IN_OUTPUT &&
			  where == 0,
		  "not in the output");
}

/* Products of pairs that need more labels than a view has are sliced. */
static void
test_many_labels(void)
{
	Equation equation;
	int64_t extents[EQUATION_MAX_LABELS];

	test_start(7);
	/* 15 labels are in all factors, so that every pair keeps 17 */
	equation_from_text("abcdefghijklmnop,abcdefghijklmnoq,rabcdefghijklmno->pqr",
					   &equation);
	for (int l = 0; l < equation.nlabels; l++)
		extents[l] = 2;
	compare(&equation, extents, true);
	equation_from_text("abcdefghijklmnop,abcdefghijklmnoq,rabcdefghijklmno->paqrb",
					   &equation);
	compare(&equation, extents, false);
	/* labels of extent 1 do not count */
	for (int l = 0; l < equation.nlabels; l++)
		extents[l] = l % 3 == 0 ? 1 : 2;
	compare(&equation, extents, true);
}

static int interrupts;

static void
count_interrupt(void)
{
	interrupts++;
}

/* Long computations look for interrupts, and panels of products add up. */
static void
test_interrupts(void)
{
	const int64_t n = 1100;
	Equation equation;
	double *data = malloc(sizeof(double) * (size_t) (3 * n * n));
	TensorView a;
	TensorView b;
	TensorView c;
	const TensorView *operands[2] = {&a, &b};
	bool same = true;

	view_contiguous(&a, ELEMENT_FLOAT8, 2, (int64_t[]){n, n}, data);
	view_contiguous(&b, ELEMENT_FLOAT8, 2, (int64_t[]){n, n}, data + n * n);
	view_contiguous(&c, ELEMENT_FLOAT8, 2, (int64_t[]){n, n}, data + 2 * n * n);
	for (int64_t i = 0; i < n * n; i++)
	{
		data[i] = (double) (i / n % 3);
		data[n * n + i] = (double) (i % n % 5);
		data[2 * n * n + i] = 1;
	}
	kernel_host.check_interrupts = count_interrupt;
	equation_from_text("ij,jk->ik", &equation);
	einsum_accumulate(&equation, operands, 1, &c);
	for (int64_t i = 0; i < n * n; i++)
		same &= data[2 * n * n + i] == 1 + (double) (n * (i / n % 3) * (i % n % 5));
	check(same, "panels");
	check(interrupts > 0, "no interrupt check in a large product");

	/* a loop of dot products: rows overlap, so that little memory is much work */
	interrupts = 0;
	equation_from_text("ij,ij->i", &equation);
	for (int64_t i = 0; i < 2 * n * n; i++)
		data[i] = 1;
	view_contiguous(&a, ELEMENT_FLOAT8, 2, (int64_t[]){300, 300000}, data);
	b = a;
	a.strides[0] = 1;
	a.strides[1] = 2;
	b.strides[0] = 3;
	b.strides[1] = 1;
	view_contiguous(&c, ELEMENT_FLOAT8, 1, (int64_t[]){300}, data + 2 * n * n);
	memset(c.data, 0, sizeof(double) * 300);
	einsum_accumulate(&equation, operands, 1, &c);
	same = true;
	for (int64_t i = 0; i < 300; i++)
		same &= data[2 * n * n + i] == 300000;
	check(same, "loop of dot products");
	check(interrupts > 0, "no interrupt check in a long loop");
	free(data);
}

/* Sums of many non-negative numbers are rounded once, whichever loops they take. */
static void
rounded_sum(void)
{
	static const char *const equations[] = {
		"a->",    "ab->a",    "ab->b",     "ab->",       "abc->b",
		"abc->c", "abc->ac",  "abcd->bd",  "ab,c->ac",   "ab,c->bc",
		"ab,a->", "a,bc->ac", "ab,ab->b",  "ab,b->b",    "abc,abc->c",
		"aab->b", "ab,cb->b", "abc,c->ac", "abc,cb->cb",
	};
	const char *text =
		equations[random_below((int64_t) (sizeof(equations) / sizeof(equations[0])))];
	ElementType type = random_below(2) ? ELEMENT_FLOAT4 : ELEMENT_COMPLEX8;
	Equation equation;
	int64_t extents[EQUATION_MAX_LABELS];
	int64_t bounds[TENSOR_MAX_RANK];
	int64_t index[TENSOR_MAX_RANK] = {0};
	TestTensor operands[2];
	const TensorView *views[2];
	TestTensor out;
	TestTensor expected;
	double most = 0;

	equation_from_text(text, &equation);
	for (int l = 0; l < equation.nlabels; l++)
		extents[l] = 1 + random_below(equation.nlabels == 1   ? 300000
									  : equation.nlabels == 2 ? 600
									  : equation.nlabels == 3 ? 60
															  : 20);
	for (int o = 0; o < equation.noperands; o++)
	{
		const EquationTerm *term = &equation.operands[o];
		int64_t count;

		for (int d = 0; d < term->rank; d++)
			bounds[d] = extents[term->labels[d]];
		tensor_random(&operands[o], type, term->rank, bounds, false, true, 1);
		count = view_count(&operands[o].view) * (element_is_complex(type) ? 2 : 1);
		/* of the second operand, powers of 2: products are exact */
		for (int64_t i = 0; i < count; i++)
			((float *) operands[o].view.data)[i] =
				o == 1
					? (float) (element_is_complex(type) && i % 2 ? 0
																 : 1 << random_below(3))
					: (float) random_below(1 << 24) / (float) (1 << 24);
		views[o] = &operands[o].view;
	}
	for (int d = 0; d < equation.output.rank; d++)
		bounds[d] = extents[equation.output.labels[d]];
	tensor_random(&out, type, equation.output.rank, bounds, false, true, 0);
	tensor_random(&expected, element_double(type), equation.output.rank, bounds, false,
				  true, 0);
	einsum_accumulate(&equation, views, 1, &out.view);
	reference_einsum(&equation, views, 1, &expected.view);
	for (int64_t i = 0; i < view_count(&out.view); i++)
	{
		double _Complex x = reference_get(&out.view, index);
		double _Complex y = reference_get(&expected.view, index);
		double re = fabs(creal(x) - creal(y)) / creal(y);
		double im = cimag(y) == 0 ? 0 : fabs(cimag(x) - cimag(y)) / cimag(y);

		most = re > most ? re : most;
		most = im > most ? im : most;
		for (int d = out.view.rank - 1; d >= 0 && ++index[d] == bounds[d]; d--)
			index[d] = 0;
	}
	/* sums of one operand before it is multiplied are rounded, too */
	check(most <= 2 * FLT_EPSILON, "%s %s is %g off", element_type_name(type), text,
		  most / FLT_EPSILON);
	for (int o = 0; o < equation.noperands; o++)
		tensor_free(&operands[o]);
	tensor_free(&out);
	tensor_free(&expected);
}

/*
 * Loops around products of matrices, and the parts of a product that is too large for one, are added up in double
 * precision: each of them is exact in float4, and their sum is not.
 */
static void
rounded_sum_of_products(void)
{
	/* a is the label of the loops: extents so that no copies are made for one product of all */
	static const struct
	{
		const char *text;
		int64_t extents[4];
		double limit;
	} cases[] = {
		{"abc,ac->b", {300, 12, 9}, EINSUM_MEMORY_LIMIT},
		{"ac,abc->b", {200, 9, 16}, EINSUM_MEMORY_LIMIT},
		{"abc,acd->bd", {40, 16, 32, 16}, EINSUM_MEMORY_LIMIT},
		{"abb,acc->bc", {9, 8, 8}, EINSUM_MEMORY_LIMIT},
		{"abc,ac,b->b", {300, 12, 9}, EINSUM_MEMORY_LIMIT},
		{"ab,ac,ad->", {64, 8, 8, 8}, 256},
		{"ab,ac,ad->bcd", {24, 5, 6, 7}, 256},
	};
	int n = (int) random_below(sizeof(cases) / sizeof(cases[0]));
	ElementType type = random_below(2) ? ELEMENT_FLOAT4 : ELEMENT_COMPLEX8;
	Equation equation;
	int64_t bounds[TENSOR_MAX_RANK];
	int64_t index[TENSOR_MAX_RANK] = {0};
	TestTensor operands[3];
	const TensorView *views[3];
	TestTensor out;
	TestTensor expected;
	double most = 0;

	equation_from_text(cases[n].text, &equation);
	for (int o = 0; o < equation.noperands; o++)
	{
		const EquationTerm *term = &equation.operands[o];

		for (int d = 0; d < term->rank; d++)
			bounds[d] = cases[n].extents[equation.letters[term->labels[d]] - 'a'];
		tensor_random(&operands[o], type, term->rank, bounds, false, true, 1);
		views[o] = &operands[o].view;
		/* ones, but what the first of a has in one operand */
		for (int64_t i = 0; i < view_count(views[o]); i++)
		{
			int64_t first = equation.letters[term->labels[0]] == 'a'
								? i / (view_count(views[o]) / bounds[0])
								: 1;
			float x = o == 0 && first == 0 ? 0x1p24F : 1;

			if (type == ELEMENT_FLOAT4)
				((float *) views[o]->data)[i] = x;
			else
				((float _Complex *) views[o]->data)[i] = x;
		}
	}
	for (int d = 0; d < equation.output.rank; d++)
		bounds[d] = cases[n].extents[equation.letters[equation.output.labels[d]] - 'a'];
	tensor_random(&out, type, equation.output.rank, bounds, false, true, 0);
	tensor_random(&expected, element_double(type), equation.output.rank, bounds, false,
				  true, 0);
	einsum_accumulate_limited(&equation, views, 1, cases[n].limit, &out.view);
	reference_einsum(&equation, views, 1, &expected.view);
	for (int64_t i = 0; i < view_count(&out.view); i++)
	{
		double x = creal(reference_get(&out.view, index));
		double y = creal(reference_get(&expected.view, index));

		most = fmax(most, fabs(x - y) / y);
		for (int d = out.view.rank - 1; d >= 0 && ++index[d] == bounds[d]; d--)
			index[d] = 0;
	}
	check(most <= FLT_EPSILON, "%s %s is %g off", element_type_name(type), cases[n].text,
		  most / FLT_EPSILON);
	for (int o = 0; o < equation.noperands; o++)
		tensor_free(&operands[o]);
	tensor_free(&out);
	tensor_free(&expected);
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 30000, one_case);
	run_cases(argc, argv, 150, rounded_sum);
	run_cases(argc, argv, 60, rounded_sum_of_products);
	if (argc == 1)
	{
		test_mismatches();
		test_orders();
		test_ellipsis();
		test_many_labels();
		test_interrupts();
	}
	return test_finish();
}
