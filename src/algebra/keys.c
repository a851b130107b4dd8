/*-------------------------------------------------------------------------
 *
 * keys.c
 *	  Which expressions are equal, up to the names of their labels.
 *
 * Each node gets a number, determined by its operation, its arguments' numbers, and which
 * of their labels are the same. Equal expressions have one number, and their free labels
 * correspond in order of appearance. Each node is looked at once, however large its
 * expression is. That a * b and b * a have different keys only loses sharing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "algebra/interned.h"
#include "algebra/keys.h"
#include "recursion.h"

typedef struct Keys
{
	SideTable *by_node;
	Interned *numbers;   /* number of each text */
	StringInfoData text; /* the text that is being written */
} Keys;

Keys *
new_keys(void)
{
	Keys *keys = palloc0(sizeof(Keys));

	keys->by_node = new_side_table(256);
	keys->numbers = new_interned();
	initStringInfo(&keys->text);
	return keys;
}

/* Returns the position of a label in a node's order, and appends it if it is new. */
static int
place_label(ExprKey *key, int label)
{
	for (int i = 0; i < key->nlabels; i++)
	{
		if (key->labels[i] == label)
			return i;
	}
	key->labels[key->nlabels] = label;
	return key->nlabels++;
}

static void
write_access(Algebra *algebra, const TensorExpr *expr, ExprKey *key)
{
	Keys *keys = algebra->keys;

	key->labels = palloc(sizeof(int) * Max(expr->nindices, 1));
	appendBinaryStringInfo(&keys->text, (const char *) &expr->tensor,
						   sizeof(expr->tensor));
	for (int i = 0; i < expr->nindices; i++)
	{
		const ProgramLabel *label = &algebra->program->labels[expr->indices[i]];

		write_int(&keys->text, place_label(key, expr->indices[i]));
		/* labels that are pinned differently make different accesses */
		write_int(&keys->text, (int) label->pin);
		write_int(&keys->text, label->block);
	}
}

/* Writes the keys of a node's arguments, and which of their labels are the same. */
static void
write_args(Algebra *algebra, const TensorExpr *expr, const ExprKey *const *args,
		   ExprKey *key)
{
	Keys *keys = algebra->keys;
	int most = 0;
	int nfree = 0;

	for (int i = 0; i < expr->nargs; i++)
		most += args[i]->nlabels;
	key->labels = palloc(sizeof(int) * Max(most, 1));
	for (int i = 0; i < expr->nargs; i++)
	{
		write_int(&keys->text, args[i]->number);
		for (int n = 0; n < args[i]->nlabels; n++)
			write_int(&keys->text, place_label(key, args[i]->labels[n]));
	}
	for (int n = 0; n < key->nlabels; n++)
	{
		if (bms_is_member(key->labels[n], expr->bound_labels))
			write_int(&keys->text, n);
		else
			key->labels[nfree++] = key->labels[n];
	}
	key->nlabels = nfree;
}

/*
 * Writes a matrix function's arguments, and which labels are those of the matrix and of
 * the result.
 */
static void
write_matrix_key(Algebra *algebra, const TensorExpr *expr, const ExprKey *const *args,
				 ExprKey *key)
{
	Keys *keys = algebra->keys;
	ExprKey all = {0};

	for (int i = 0; i < expr->nargs; i++)
		key->nlabels += args[i]->nlabels;
	key->labels = palloc(sizeof(int) * (key->nlabels + 2));
	all.labels = palloc(sizeof(int) * (key->nlabels + 2));
	key->nlabels = 0;
	for (int i = 0; i < expr->ninner; i++)
		(void) place_label(&all, expr->inner[i]);
	for (int i = 0; i < expr->nargs; i++)
	{
		write_int(&keys->text, args[i]->number);
		for (int n = 0; n < args[i]->nlabels; n++)
			write_int(&keys->text, place_label(&all, args[i]->labels[n]));
	}
	for (int n = expr->ninner; n < all.nlabels; n++)
		(void) place_label(key, all.labels[n]);
	for (int i = 0; i < expr->nindices; i++)
		write_int(&keys->text, place_label(key, expr->indices[i]));
}

static ExprKey *
new_key(Algebra *algebra, const TensorExpr *expr)
{
	Keys *keys = algebra->keys;
	ExprKey *key = palloc0(sizeof(ExprKey));
	const ExprKey *args[FUNCTION_MAX_ARGS];

	/* keys of arguments come first: they use the same text buffer */
	for (int i = 0; i < expr->nargs; i++)
		args[i] = key_of(algebra, expr->args[i]);
	resetStringInfo(&keys->text);
	write_int(&keys->text, (int) expr->kind);
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			write_int(&keys->text, (int) expr->type.type);
			appendBinaryStringInfo(&keys->text, (const char *) &expr->value,
								   sizeof(expr->value));
			break;
		case EXPR_ACCESS:
			write_access(algebra, expr, key);
			break;
		case EXPR_MAP:
			write_int(&keys->text, (int) expr->function);
			write_args(algebra, expr, args, key);
			break;
		case EXPR_AGGREGATE:
		case EXPR_KERNEL_SUM:
			write_int(&keys->text, (int) expr->aggregate);
			write_args(algebra, expr, args, key);
			break;
		case EXPR_MATRIX:
			write_int(&keys->text, (int) expr->matrix);
			write_matrix_key(algebra, expr, args, key);
			break;
	}
	key->number = interned_number(keys->numbers, &keys->text);
	return key;
}

const ExprKey *
key_of(Algebra *algebra, const TensorExpr *expr)
{
	SideTable *known = algebra->keys->by_node;
	ExprKey *key = side_value(known, expr);

	if (key)
		return key;
	enter_recursion();
	key = new_key(algebra, expr);
	set_side_value(known, expr, key);
	return key;
}
