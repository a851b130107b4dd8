/*-------------------------------------------------------------------------
 *
 * key_costs.c
 *	  How many keys a loop nest has, and whether their dictionaries fit in memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "planner/aggregate_join/costs.h"

double
keys_of_column(const Level *level, const LevelColumn *column)
{
	return estimate_num_groups(level->root, list_make1(column->expression),
							   level->operands[column->operand].path->rows, NULL, NULL);
}

/* Bytes of a key that are not in its datum, on average. */
static double
key_width(const Level *level, const LevelColumn *column)
{
	const RelOptInfo *rel = level->operands[column->operand].rel;
	const Var *var = (const Var *) column->expression;
	Oid type = exprType(column->expression);

	if (get_typbyval(type))
		return 0.0;
	if (IsA(var, Var) && rel->reloptkind == RELOPT_BASEREL && var->varno == rel->relid &&
		rel->attr_widths && var->varattno >= rel->min_attr &&
		var->varattno <= rel->max_attr && rel->attr_widths[var->varattno - rel->min_attr])
		return rel->attr_widths[var->varattno - rel->min_attr];
	return get_typavgwidth(type, exprTypmod(column->expression));
}

/* The keys that the dictionary of a label has, 0 without one, and their bytes. */
static double
keys_of_dictionary(const Level *level, int label, double *bytes)
{
	double most = 0.0;

	*bytes = 0.0;
	/* those that are joined have mostly the same keys */
	for (int i = 0; i < level->ncolumns; i++)
	{
		const LevelColumn *column = &level->columns[i];
		double keys;

		if (!has_dictionary(column) || column->label != label)
			continue;
		keys = keys_of_column(level, column);
		most = Max(most, keys);
		*bytes = Max(*bytes, keys * dictionary_key_bytes(key_width(level, column)));
	}
	return most;
}

bool
dictionaries_fit(const Level *level, int nprocesses)
{
	double all = 0.0;

	for (int l = 0; l < level->nlabels; l++)
	{
		double bytes;
		double keys = keys_of_dictionary(level, l, &bytes);

		all += bytes + keys * (nprocesses - 1) * sizeof(int32);
	}
	return all <= (double) get_hash_memory_limit();
}
