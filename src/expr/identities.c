/*-------------------------------------------------------------------------
 *
 * identities.c
 *	  Products with the identity matrix, summed over one of its labels.
 *
 *	  sum[j] x[j] * eye[i,j]       is  x[i]
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "expr/identities.h"
#include "recursion.h"

/* Larger expressions are not searched: the size counts shared parts each time. */
#define IDENTITIES_MAX_NODES 1000

/* Returns a product without one of its factors; NULL if that is the whole product. */
static TensorExpr *
without_factor(Program *program, TensorExpr *product, const TensorExpr *factor)
{
	TensorExpr *args[2];

	enter_recursion();
	if (product == factor)
		return NULL;
	if (!expr_is_map(product, FUNCTION_MULTIPLY))
		return product;
	for (int i = 0; i < 2; i++)
		args[i] = without_factor(program, product->args[i], factor);
	if (!args[0] || !args[1])
		return args[0] ? args[0] : args[1];
	return expr_with_args(program, product, args);
}

/*
 * Returns a factor eye[i,j] of a product where i or j is among the labels, and both have
 * the same bound and no pin; NULL if there is no such factor.
 */
static TensorExpr *
find_identity(const Program *program, TensorExpr *product, const Bitmapset *labels)
{
	TensorExpr *found;

	enter_recursion();
	if (expr_is_map(product, FUNCTION_MULTIPLY))
	{
		found = find_identity(program, product->args[0], labels);
		return found ? found : find_identity(program, product->args[1], labels);
	}
	if (product->kind == EXPR_ACCESS && product->tensor->identity)
	{
		const ProgramLabel *row = &program->labels[product->indices[0]];
		const ProgramLabel *column = &program->labels[product->indices[1]];

		if (product->indices[0] != product->indices[1] && row->bound == column->bound &&
			row->pin == PIN_NONE && column->pin == PIN_NONE &&
			(bms_is_member(product->indices[0], labels) ||
			 bms_is_member(product->indices[1], labels)))
			return product;
	}
	return NULL;
}

TensorExpr *
without_identity(Program *program, Bitmapset **labels, TensorExpr *product)
{
	TensorExpr *identity;
	TensorExpr *rest;
	int summed;
	int kept;

	if (product->size > IDENTITIES_MAX_NODES)
		return NULL;
	identity = find_identity(program, product, *labels);
	if (identity == NULL)
		return NULL;
	summed = identity->indices[bms_is_member(identity->indices[1], *labels) ? 1 : 0];
	kept = identity->indices[summed == identity->indices[0] ? 1 : 0];
	rest = without_factor(program, product, identity);
	if (rest == NULL)
		return NULL;
	rest = rename_label(program, rest, summed, kept);
	if (!bms_is_member(kept, rest->labels) || rest->type.type != product->type.type ||
		rest->type.weak || rest->fill != product->fill)
		return NULL;
	*labels = bms_del_member(bms_copy(*labels), summed);
	return rest;
}
