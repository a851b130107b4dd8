/*-------------------------------------------------------------------------
 *
 * one_hot.c
 *	  A category as the vector that is 1 at its place among all of them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "type/tensor.h"

typedef struct Category
{
	const char *text;
	int length;
	int index;
} Category;

/* The categories of a call, sorted for searching. */
typedef struct Categories
{
	int count;
	Category *sorted;
} Categories;

static int
compare_categories(const void *a, const void *b)
{
	const Category *left = a;
	const Category *right = b;
	int order = memcmp(left->text, right->text, Min(left->length, right->length));

	return order != 0 ? order : left->length - right->length;
}

static Categories *
read_categories(ArrayType *array)
{
	Categories *categories = palloc(sizeof(Categories));
	Datum *texts;
	bool *nulls;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &texts, &nulls,
					  &categories->count);
	categories->sorted = palloc(sizeof(Category) * Max(categories->count, 1));
	for (int i = 0; i < categories->count; i++)
	{
		text *category = nulls[i] ? cstring_to_text("") : DatumGetTextPP(texts[i]);

		categories->sorted[i] =
			(Category){VARDATA_ANY(category), VARSIZE_ANY_EXHDR(category), i};
	}
	qsort(categories->sorted, categories->count, sizeof(Category), compare_categories);
	return categories;
}

/*
 * einsum_one_hot(value text, categories text[], tensor text): returns a float8 vector
 * with an element for each category, 1 at the value's and 0 elsewhere. Errors: 22003 if
 * the value is no category.
 */
PG_FUNCTION_INFO_V1(einsum_one_hot);
Datum
einsum_one_hot(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	Category wanted = {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value), 0};
	Categories *categories = fcinfo->flinfo->fn_extra;
	const Category *found;
	Tensor *result;

	if (categories == NULL)
	{
		bool stable = get_fn_expr_arg_stable(fcinfo->flinfo, 1);
		MemoryContext old = MemoryContextSwitchTo(stable ? fcinfo->flinfo->fn_mcxt
														 : CurrentMemoryContext);

		categories = read_categories(stable ? PG_GETARG_ARRAYTYPE_P_COPY(1)
											: PG_GETARG_ARRAYTYPE_P(1));
		MemoryContextSwitchTo(old);
		if (stable)
			fcinfo->flinfo->fn_extra = categories;
	}
	found = bsearch(&wanted, categories->sorted, categories->count, sizeof(Category),
					compare_categories);
	if (found == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("\"%s\" is no category of tensor \"%s\"", text_to_cstring(value),
						text_to_cstring(PG_GETARG_TEXT_PP(2))),
				 errdetail("When it was registered, it had %d categories.",
						   categories->count),
				 errhint("Register it anew with replace => true, and make its programs "
						 "anew.")));
	result = tensor_new(ELEMENT_FLOAT8, 1, (int64[]){categories->count});
	((double *) tensor_elements(result))[found->index] = 1;
	PG_RETURN_POINTER(result);
}
