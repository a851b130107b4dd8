/*-------------------------------------------------------------------------
 *
 * vector.c
 *	  Sums and products of contiguous elements: all types, lengths around the sizes at
 *	  which other code takes over, and any element as the first.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

#include "kernels/vector.h"

#define LONGEST 10000
#define OFFSETS 9

static void
one_case(void)
{
	ElementType type = all_types[random_below(4)];
	ElementType out = random_below(2) ? element_double(type) : type;
	size_t size = element_size(type);
	int64_t n = random_below(20) == 0  ? random_below(LONGEST)
				: random_below(2) == 0 ? random_below(700)
									   : random_below(70);
	int64_t bound = LONGEST + OFFSETS;
	int64_t first = random_below(OFFSETS);
	int64_t a_first = random_below(OFFSETS);
	TestTensor a;
	TestTensor c;
	TestTensor expected;
	double dot = 0;

	tensor_random(&a, type, 1, &bound, false, true, 9);
	tensor_random(&c, out, 1, &bound, false, true, 9);
	tensor_duplicate(&c, &expected);
	for (int64_t i = 0; i < n; i++)
	{
		int64_t from = a_first + i;
		int64_t to = first + i;

		dot += creal(reference_get(&a.view, &from)) * creal(reference_get(&c.view, &to));
		reference_set(&expected.view, &to,
					  reference_get(&a.view, &from) + reference_get(&c.view, &to));
	}
	if (!element_is_complex(type) && out == type)
		check(dot == vector_dot(type, n, (char *) a.view.data + a_first * size,
								(char *) c.view.data + first * size),
			  "dot of %d %s", (int) n, element_type_name(type));
	vector_add(type, out, n, (char *) a.view.data + a_first * size,
			   (char *) c.view.data + first * element_size(out));
	check(tensor_same(&c, &expected), "sum of %d %s in %s", (int) n,
		  element_type_name(type), element_type_name(out));
	if (!element_is_complex(type) && out == type)
	{
		for (int64_t i = 0; i < n; i++)
		{
			int64_t from = a_first + i;
			int64_t to = first + i;

			reference_set(&expected.view, &to,
						  reference_get(&a.view, &from) * reference_get(&c.view, &to));
		}
		vector_multiply(type, n, (char *) a.view.data + a_first * size,
						(char *) c.view.data + first * size,
						(char *) c.view.data + first * size);
		check(tensor_same(&c, &expected), "product of %d %s", (int) n,
			  element_type_name(type));
	}
	tensor_free(&a);
	tensor_free(&c);
	tensor_free(&expected);
}

/* Sums of scaled rows, several of which may be the same. */
static void
rows_case(void)
{
	ElementType type = random_below(2) ? ELEMENT_FLOAT4 : ELEMENT_FLOAT8;
	ElementType out = random_below(2) ? ELEMENT_FLOAT8 : type;
	size_t size = element_size(type);
	int64_t n = random_below(LONGEST);
	int64_t bound = LONGEST + OFFSETS;
	int64_t first = random_below(OFFSETS);
	int k = (int) random_below(10);
	TestTensor a;
	TestTensor c;
	TestTensor expected;
	double scales[10];
	const void *rows[10];

	tensor_random(&a, type, 1, &bound, false, true, 9);
	tensor_random(&c, out, 1, &bound, false, true, 9);
	tensor_duplicate(&c, &expected);
	for (int r = 0; r < k; r++)
	{
		int64_t a_first = random_below(OFFSETS);

		scales[r] = (double) random_below(9) - 4;
		rows[r] = (char *) a.view.data + a_first * size;
		for (int64_t i = 0; i < n; i++)
		{
			int64_t from = a_first + i;
			int64_t to = first + i;

			reference_set(&expected.view, &to,
						  reference_get(&expected.view, &to) +
							  scales[r] * reference_get(&a.view, &from));
		}
	}
	vector_axpy_rows(type, out, n, k, scales, rows, rows, k < 8 ? k : 8,
					 (char *) c.view.data + first * element_size(out));
	check(tensor_same(&c, &expected), "%d rows of %d %s in %s", k, (int) n,
		  element_type_name(type), element_type_name(out));
	tensor_free(&a);
	tensor_free(&c);
	tensor_free(&expected);
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 2000, one_case);
	run_cases(argc, argv, 2000, rows_case);
	return test_finish();
}
