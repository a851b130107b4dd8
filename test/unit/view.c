/*-------------------------------------------------------------------------
 *
 * view.c
 *	  Element types and views; copying between any strides and types.
 *
 *-------------------------------------------------------------------------
 */
#include "harness.h"

static void
one_case(void)
{
	ElementType from_type = all_types[random_below(4)];
	ElementType to_type = all_types[random_below(4)];
	bool contiguous = random_below(3) == 0;
	int rank = (int) random_below(6);
	int64_t bounds[TENSOR_MAX_RANK];
	int64_t index[TENSOR_MAX_RANK] = {0};
	int64_t count = 1;
	TestTensor from;
	TestTensor to;
	TestTensor expected;

	for (int d = 0; d < rank; d++)
	{
		bounds[d] = random_below(40) == 0  ? 0
					: random_below(4) == 0 ? 1 + random_below(90)
										   : 1 + random_below(5);
		if (count * bounds[d] > 20000)
			bounds[d] = 1;
		count *= bounds[d];
	}
	tensor_random(&from, from_type, rank, bounds, true, contiguous, 9);
	tensor_random(&to, to_type, rank, bounds, false, contiguous, 9);
	tensor_duplicate(&to, &expected);
	view_copy(&from.view, &to.view);
	for (int64_t i = 0; i < count; i++)
	{
		reference_set(&expected.view, index, reference_get(&from.view, index));
		for (int d = rank - 1; d >= 0 && ++index[d] == bounds[d]; d--)
			index[d] = 0;
	}
	check(view_count(&from.view) == count, "count");
	check(tensor_same(&to, &expected), "copy of %s to %s, rank %d",
		  element_type_name(from_type), element_type_name(to_type), rank);
	tensor_free(&from);
	tensor_free(&to);
	tensor_free(&expected);
}

static void
test_types(void)
{
	/* numpy.promote_types, row by row */
	static const ElementType promotion[4][4] = {
		{ELEMENT_FLOAT4, ELEMENT_FLOAT8, ELEMENT_COMPLEX8, ELEMENT_COMPLEX16},
		{ELEMENT_FLOAT8, ELEMENT_FLOAT8, ELEMENT_COMPLEX16, ELEMENT_COMPLEX16},
		{ELEMENT_COMPLEX8, ELEMENT_COMPLEX16, ELEMENT_COMPLEX8, ELEMENT_COMPLEX16},
		{ELEMENT_COMPLEX16, ELEMENT_COMPLEX16, ELEMENT_COMPLEX16, ELEMENT_COMPLEX16}};
	static const size_t sizes[4] = {4, 8, 8, 16};
	ElementType type;
	TensorView view;

	test_start(0);
	for (int i = 0; i < 4; i++)
	{
		check(element_size(all_types[i]) == sizes[i], "size of type %d", i);
		check(element_is_complex(all_types[i]) == (i >= 2), "complex type %d", i);
		check(element_type_by_name(element_type_name(all_types[i]), &type) &&
				  type == all_types[i],
			  "name of type %d", i);
		for (int j = 0; j < 4; j++)
			check(element_promote(all_types[i], all_types[j]) == promotion[i][j],
				  "promotion of %d and %d", i, j);
	}
	check(!element_type_by_name("float16", &type), "float16");
	view_contiguous(&view, ELEMENT_FLOAT4, 3, (int64_t[]){2, 3, 4}, NULL);
	check(view.strides[0] == 12 && view.strides[1] == 4 && view.strides[2] == 1,
		  "row-major strides");
	check(view_count(&view) == 24, "count of 2x3x4");
	view_contiguous(&view, ELEMENT_FLOAT4, 0, NULL, NULL);
	check(view_count(&view) == 1, "count of a number");
}

int
main(int argc, char **argv)
{
	run_cases(argc, argv, 10000, one_case);
	if (argc == 1)
		test_types();
	return test_finish();
}
