/*-------------------------------------------------------------------------
 *
 * selection_function.c
 *	  Selections of groups that are no program's, for tests.
 *
 * test/random/selections.py declares the function: the extension has none for it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"

#include "optimizer/selection.h"

PG_FUNCTION_INFO_V1(einsum_select_forms);

static int
integers(ArrayType *array, const int32 **values)
{
	if (ARR_ELEMTYPE(array) != INT4OID || ARR_HASNULL(array))
		elog(ERROR, "not an array of integers");
	*values = (const int32 *) ARR_DATA_PTR(array);
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/*
 * einsum_select_forms(groups int[], costs float8[], readers int[], inputs int[], budget
 * int) returns float8[]
 *
 * The group of each form, in order, and its cost; then of each reading its form and the
 * group that is read. Gives what the selection costs, what the greedy one costs, whether
 * it is exact (1 or 0), and the form of each group, counted from 0, or -1.
 */
Datum
einsum_select_forms(PG_FUNCTION_ARGS)
{
	ArrayType *costs = PG_GETARG_ARRAYTYPE_P(1);
	const int32 *form_groups;
	const int32 *readers;
	const int32 *inputs;
	int nforms = integers(PG_GETARG_ARRAYTYPE_P(0), &form_groups);
	int nreadings = integers(PG_GETARG_ARRAYTYPE_P(2), &readers);
	int ngroups = nforms > 0 ? form_groups[nforms - 1] + 1 : 0;
	SelectionGroup *groups = palloc0(sizeof(SelectionGroup) * Max(ngroups, 1));
	SelectionForm *forms = palloc0(sizeof(SelectionForm) * Max(nforms, 1));
	const Selection *selection;
	Datum *result;

	if (ARR_ELEMTYPE(costs) != FLOAT8OID || ARR_HASNULL(costs) ||
		ArrayGetNItems(ARR_NDIM(costs), ARR_DIMS(costs)) != nforms || nforms == 0 ||
		integers(PG_GETARG_ARRAYTYPE_P(3), &inputs) != nreadings)
		elog(ERROR, "the arrays do not fit each other");
	for (int f = 0; f < nforms; f++)
	{
		SelectionGroup *group;

		if (form_groups[f] < (f ? form_groups[f - 1] : 0) ||
			form_groups[f] > (f ? form_groups[f - 1] + 1 : 0))
			elog(ERROR, "the groups of forms are not in order");
		group = &groups[form_groups[f]];
		if (group->nforms++ == 0)
			group->forms = &forms[f];
		forms[f].cost = ((const float8 *) ARR_DATA_PTR(costs))[f];
		forms[f].inputs = palloc(sizeof(int) * Max(nreadings, 1));
	}
	for (int r = 0; r < nreadings; r++)
	{
		SelectionForm *form;

		if (readers[r] < 0 || readers[r] >= nforms || inputs[r] < 0 ||
			inputs[r] >= form_groups[readers[r]])
			elog(ERROR, "a form reads no group before its own");
		form = &forms[readers[r]];
		form->inputs[form->ninputs++] = inputs[r];
	}
	selection = select_forms(ngroups, groups, PG_GETARG_INT32(4));
	result = palloc(sizeof(Datum) * (ngroups + 3));
	result[0] = Float8GetDatum(selection->cost);
	result[1] = Float8GetDatum(selection->greedy);
	result[2] = Float8GetDatum(selection->exact);
	for (int g = 0; g < ngroups; g++)
		result[3 + g] = Float8GetDatum(selection->taken[g]);
	PG_RETURN_ARRAYTYPE_P(construct_array(result, ngroups + 3, FLOAT8OID, sizeof(float8),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
