/*-------------------------------------------------------------------------
 *
 * key_costs.c
 *	  How many keys a loop nest has, and what their dictionaries take.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

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

/* Returns the average bytes of a key besides its datum: 0 if it is passed by value. */
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

/*
 * Returns the number of keys in the dictionary of a label, and sets *bytes to their size;
 * 0 if the label has no dictionary.
 */
static double
keys_of_dictionary(const Level *level, int label, double *bytes)
{
	double most = 0.0;

	*bytes = 0.0;
	/* columns that are joined have mostly the same keys, so the largest counts */
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

double
dictionary_bytes(const Level *level, int nprocesses)
{
	double all = 0.0;

	for (int l = 0; l < level->nlabels; l++)
	{
		double bytes;
		double keys = keys_of_dictionary(level, l, &bytes);

		all += bytes + keys * (nprocesses - 1) * sizeof(int32);
	}
	return all;
}
