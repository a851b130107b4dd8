/*-------------------------------------------------------------------------
 *
 * index_names.c
 *	  einsum_names: what the indices of a dimension are called.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "catalog/label.h"
#include "catalog/origin.h"
#include "catalog/value_columns.h"
#include "commands/arguments.h"
#include "compat.h"

/*
 * einsum_names(tensor): returns a row for each index of a label that stands for columns
 * or categories, with its name.
 */
PG_FUNCTION_INFO_V1(einsum_names);
Datum
einsum_names(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	TensorEntry *tensor = require_tensor(parse_tensor_name(PG_GETARG_TEXT_PP(0)));
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach (cell, tensor->storages)
	{
		const Storage *storage = lfirst(cell);

		for (int i = 0; has_made_value(storage) && i < storage->rank; i++)
		{
			const StorageDimension *dimension = &storage->dimensions[i];

			if (dimension->kind != DIMENSION_DEMOTED)
				continue;
			for (int index = 0; index < bound_size(dimension->bound); index++)
			{
				Datum values[] = {CStringGetTextDatum(dimension->label),
								  Int32GetDatum(bound_first(dimension->bound) + index),
								  CStringGetTextDatum(value_index_name(storage, index))};
				bool nulls[lengthof(values)] = {false};

				tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
			}
			/* other storages of the tensor have the same names */
			return (Datum) 0;
		}
	}
	return (Datum) 0;
}
