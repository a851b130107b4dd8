/*-------------------------------------------------------------------------
 *
 * traps.c
 *	  Notices for programs that probably do not mean what their author intends.
 *
 * A valid program may be meant otherwise. A NOTICE is raised only where what is
 * written has hardly any use, or a use that can be written in another way:
 *
 * - n[] = sum[i] x[i] > 1 compares the sum, and does not count. Parentheses show
 *   that the sum is meant.
 * - any[i] x[i] > 1 compares a truth value; likewise all[i].
 * - a^-1 of a matrix is the reciprocal of each entry, which is 1/a as well.
 * - sum[k](x[k])^2 is the sum of squares: parentheses right after the brackets
 *   that have no other use look like those of a function. There is no NOTICE if
 *   both meanings have the same result.
 * - min[i] (far[i] + road[i,j]) in a loop, or of one tensor twice, is a step of
 *   shortest paths, in which a road that is missing has length 0 if the fill is 0.
 * - y / sum[i] x[i] * 100 divides by the sum of x[i]*100.
 * - a^2 of a square matrix is the square of each entry, which can be written with labels.
 * - a[i,j]*x[l,k]*w[k,m] with a j and an l that occur once is the product of two sums over
 *   labels that are probably to be one.
 * - 1 - f[i,j] over keys that occur, where a row means 1, is 0 wherever it has a row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"

#include "catalog/dimension.h"
#include "catalog/lookup.h"
#include "catalog/tensor_statistics.h"
#include "expr/function_table.h"
#include "expr/traps.h"
#include "parser/syntax.h"
#include "recursion.h"

/* A program whose traps are searched, and whether it is a loop's. */
typedef struct TrapSearch
{
	const char *text;
	List *results; /* of SyntaxStatement *: whose results a name may mean */
	bool in_loop;
} TrapSearch;

/*
 * Returns the name of an aggregate that is compared, although the comparison may be meant
 * to be part of its body; or NULL.
 */
static const char *
compared_aggregate(const TrapSearch *search, const SyntaxStatement *statement,
				   const SyntaxExpr *expr)
{
	const SyntaxExpr *left = expr->kind == SYNTAX_CALL ? linitial(expr->args) : NULL;
	bool is_result = expr == statement->expr && statement->target->bracketed &&
					 statement->target->indices == NIL && !search->in_loop;

	if (left == NULL || !is_comparison(expr->function) || left->parenthesised)
		return NULL;
	if (left->kind == SYNTAX_AGGREGATE &&
		(left->aggregate == AGGREGATE_ANY || left->aggregate == AGGREGATE_ALL ||
		 (is_result && left->aggregate == AGGREGATE_SUM)))
		return aggregate_operator_name(left->aggregate);
	if (left->kind == SYNTAX_FORMULA && left->formula == FORMULA_COUNT && is_result)
		return formula_name(left->formula);
	return NULL;
}

/* Is the expression a name without brackets of a tensor with two labels, a matrix? */
static bool
names_matrix(const TrapSearch *search, const SyntaxExpr *expr)
{
	const SyntaxReference *reference = expr->reference;
	const TensorEntry *entry;
	ListCell *lc;

	if (expr->kind != SYNTAX_REFERENCE || reference->bracketed)
		return false;
	foreach (lc, reference->schema ? NIL : search->results)
	{
		const SyntaxReference *target = ((const SyntaxStatement *) lfirst(lc))->target;

		if (strcmp(target->name, reference->name) == 0)
			return list_length(target->indices) == 2;
	}
	entry = lookup_tensor(reference->schema, reference->name);
	return entry && entry->rank == 2;
}

/* Is the expression a^-1, without brackets, of a matrix? */
static bool
is_reciprocal_of_matrix(const TrapSearch *search, const SyntaxExpr *expr)
{
	const SyntaxExpr *power;

	if (expr->kind != SYNTAX_CALL || expr->function != FUNCTION_POWER)
		return false;
	power = lsecond(expr->args);
	return power->kind == SYNTAX_CALL && power->function == FUNCTION_NEGATE &&
		   ((const SyntaxExpr *) linitial(power->args))->kind == SYNTAX_NUMBER &&
		   ((const SyntaxExpr *) linitial(power->args))->number == 1.0 &&
		   names_matrix(search, linitial(expr->args));
}

/*
 * Returns the number n of a^n, without brackets, of a stored square matrix, if it is a whole number of at
 * least 2; else 0.
 */
static int
power_of_matrix(const TrapSearch *search, const SyntaxExpr *expr)
{
	const SyntaxExpr *power;
	const SyntaxExpr *matrix;
	const TensorEntry *entry;

	if (expr->kind != SYNTAX_CALL || expr->function != FUNCTION_POWER)
		return 0;
	matrix = linitial(expr->args);
	power = lsecond(expr->args);
	if (power->kind != SYNTAX_NUMBER || power->imaginary || power->number < 2.0 ||
		power->number > 99.0 || power->number != floor(power->number) ||
		!names_matrix(search, matrix))
		return 0;
	entry = lookup_tensor(matrix->reference->schema, matrix->reference->name);
	return entry && entry->rank == 2 && entry->bounds[0] == entry->bounds[1]
			   ? (int) power->number
			   : 0;
}

/* Returns where the text of an expression begins, not counting parentheses. */
static int
beginning(const SyntaxExpr *expr)
{
	while (expr->kind == SYNTAX_CALL && list_length(expr->args) == 2 &&
		   pointwise_functions[expr->function].symbol)
		expr = linitial(expr->args);
	return expr->location;
}

/*
 * Could an expression's parentheses be left out before the next operator, a product or a
 * power?
 */
static bool
needs_no_parentheses(const SyntaxExpr *expr, bool before_product)
{
	if (expr->kind == SYNTAX_REFERENCE)
		return true;
	return expr->kind == SYNTAX_CALL &&
		   (pointwise_functions[expr->function].symbol == NULL ||
			(before_product &&
			 (expr->function == FUNCTION_MULTIPLY || expr->function == FUNCTION_DIVIDE)));
}

static bool
mentions_label(const SyntaxExpr *expr, const List *labels)
{
	ListCell *lc;
	ListCell *other;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE)
	{
		foreach (lc, expr->reference->indices)
		{
			const char *label = ((const SyntaxIndex *) lfirst(lc))->label;

			foreach (other, labels)
			{
				if (label &&
					strcmp(label, ((const SyntaxIndex *) lfirst(other))->label) == 0)
					return true;
			}
		}
	}
	foreach (lc, expr->args)
	{
		if (mentions_label(lfirst(lc), labels))
			return true;
	}
	return false;
}

/*
 * Is aggregate(x * y) the same as aggregate(x) * y, likewise for a quotient, or must y be
 * inside since it has a label of the aggregate?
 */
static bool
is_factor_outside(const SyntaxExpr *aggregate, const SyntaxExpr *product)
{
	const SyntaxExpr *factor = lsecond(product->args);
	bool positive = factor->kind == SYNTAX_NUMBER && factor->number > 0;

	if (aggregate->kind == SYNTAX_FORMULA)
	{
		if (aggregate->formula == FORMULA_SOFTMAX)
			return false;
		return mentions_label(factor, aggregate->labels) ||
			   aggregate->formula == FORMULA_AVG ||
			   (aggregate->formula == FORMULA_NORM && positive);
	}
	return mentions_label(factor, aggregate->labels) ||
		   aggregate->aggregate == AGGREGATE_SUM ||
		   (positive && (aggregate->aggregate == AGGREGATE_MIN ||
						 aggregate->aggregate == AGGREGATE_MAX));
}

/* Returns the operator that is part of the body in sum[k](x[k])^2, or NULL. */
static const char *
operator_within(const TrapSearch *search, const SyntaxExpr *expr)
{
	const SyntaxExpr *operation = NULL;
	const SyntaxExpr *first;
	int at;

	if (expr->kind != SYNTAX_AGGREGATE && expr->kind != SYNTAX_FORMULA)
		return NULL;
	first = linitial(expr->args);
	while (!first->parenthesised && first->kind == SYNTAX_CALL &&
		   (first->function == FUNCTION_MULTIPLY || first->function == FUNCTION_DIVIDE ||
			first->function == FUNCTION_POWER))
	{
		operation = first;
		first = linitial(first->args);
	}
	if (operation == NULL || !first->parenthesised ||
		!needs_no_parentheses(first, operation->function != FUNCTION_POWER) ||
		(operation->function != FUNCTION_POWER && is_factor_outside(expr, operation)))
		return NULL;
	at = beginning(first);
	while (at > 0 && strchr("( \t\n", search->text[at - 1]))
		at--;
	return at > 0 && search->text[at - 1] == ']' && search->text[at] == '('
			   ? pointwise_functions[operation->function].symbol
			   : NULL;
}

/*
 * Is the expression y / sum[i] x[i] * 100, in which the last factor has no label of the
 * aggregate and is multiplied, or a divisor, inside of it?
 */
static bool
divides_by_product(const SyntaxExpr *expr)
{
	const SyntaxExpr *divisor;
	const SyntaxExpr *body;

	if (expr->kind != SYNTAX_CALL || expr->function != FUNCTION_DIVIDE)
		return false;
	divisor = lsecond(expr->args);
	if (divisor->parenthesised || !binds_labels(divisor))
		return false;
	body = linitial(divisor->args);
	return !body->parenthesised && body->kind == SYNTAX_CALL &&
		   (body->function == FUNCTION_MULTIPLY || body->function == FUNCTION_DIVIDE) &&
		   !mentions_label(lsecond(body->args), divisor->labels);
}

/* Adds the factors of a product to a list. False if one is no tensor or number. */
static bool
collect_factors(const SyntaxExpr *expr, List **factors)
{
	enter_recursion();
	if (expr->kind == SYNTAX_CALL && expr->function == FUNCTION_MULTIPLY)
		return collect_factors(linitial(expr->args), factors) &&
			   collect_factors(lsecond(expr->args), factors);
	if (expr->kind == SYNTAX_REFERENCE)
		*factors = lappend(*factors, unconstify(SyntaxExpr *, expr));
	return expr->kind == SYNTAX_REFERENCE || expr->kind == SYNTAX_NUMBER;
}

/* Counts the places of a label in the indices of references. */
static int
count_label(const List *references, const char *label)
{
	int count = 0;
	ListCell *lc;

	foreach (lc, references)
	{
		ListCell *inner;

		foreach (inner, ((const SyntaxExpr *) lfirst(lc))->reference->indices)
		{
			const char *other = ((const SyntaxIndex *) lfirst(inner))->label;

			count += other && strcmp(other, label) == 0;
		}
	}
	return count;
}

/* Adds the labels of a factor that occur once in the product and not on the left. */
static List *
add_labels_that_occur_once(List *labels, const SyntaxExpr *factor, const List *factors,
						   const SyntaxReference *target)
{
	SyntaxExpr left = {.reference = unconstify(SyntaxReference *, target)};
	ListCell *lc;

	foreach (lc, factor->reference->indices)
	{
		char *label = ((const SyntaxIndex *) lfirst(lc))->label;

		if (label && count_label(factors, label) == 1 &&
			count_label(list_make1(&left), label) == 0)
			labels = lappend(labels, label);
	}
	return labels;
}

/*
 * Notices two labels, each of which occurs once, in factors that no label joins: each
 * factor is summed for itself, and one label was probably meant.
 */
static void
notice_separate_sums(const SyntaxStatement *statement, const SyntaxExpr *term)
{
	List *factors = NIL;
	List *single = NIL;
	List *joined = NIL;
	bool grows = true;
	ListCell *lc;

	if (!collect_factors(term, &factors))
		return;
	foreach (lc, factors)
	{
		single =
			add_labels_that_occur_once(single, lfirst(lc), factors, statement->target);
		if (joined == NIL && single != NIL)
			joined = list_make1(lfirst(lc));
	}
	if (list_length(single) != 2)
		return;
	/* what labels join to the factor that has the first of them */
	while (grows)
	{
		grows = false;
		foreach (lc, factors)
		{
			ListCell *inner;

			if (list_member_ptr(joined, lfirst(lc)))
				continue;
			foreach (inner, ((const SyntaxExpr *) lfirst(lc))->reference->indices)
			{
				const char *label = ((const SyntaxIndex *) lfirst(inner))->label;

				if (label && count_label(joined, label) > 0)
				{
					joined = lappend(joined, lfirst(lc));
					grows = true;
					break;
				}
			}
		}
	}
	if (count_label(joined, lsecond(single)) == 0)
		ereport(NOTICE,
				(errmsg("statement \"%s\" sums over \"%s\" and \"%s\" independently",
						statement->target->name, (char *) linitial(single),
						(char *) lsecond(single)),
				 errdetail("Each of them occurs once, in factors that have no label in "
						   "common: the result is a product of two sums."),
				 errhint("If they are to be the same index, use one label. Else write "
						 "sum[%s,%s] in front.",
						 quote_identifier(linitial(single)),
						 quote_identifier(lsecond(single)))));
}

/* The same in each term of a sum whose labels are summed implicitly; once in a statement. */
static void
notice_separate_sums_of_terms(const SyntaxStatement *statement, const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind != SYNTAX_CALL ||
		(expr->function != FUNCTION_ADD && expr->function != FUNCTION_SUBTRACT &&
		 expr->function != FUNCTION_NEGATE))
	{
		notice_separate_sums(statement, expr);
		return;
	}
	foreach (lc, expr->args)
		notice_separate_sums_of_terms(statement, lfirst(lc));
}

/* Is the expression an access to a tensor that a statement defines? */
static bool
is_result(const TrapSearch *search, const SyntaxExpr *expr)
{
	ListCell *lc;

	foreach (lc, expr->reference->schema ? NIL : search->results)
	{
		if (strcmp(((const SyntaxStatement *) lfirst(lc))->target->name,
				   expr->reference->name) == 0)
			return true;
	}
	return false;
}

/* Is it a matrix with a row for each entry, whose fill is 0 and which lacks some rows? */
static bool
is_sparse_matrix(const TrapSearch *search, const SyntaxExpr *expr)
{
	const TensorEntry *entry;
	const Storage *storage;
	double entries;

	if (is_result(search, expr) || list_length(expr->reference->indices) != 2)
		return false;
	entry = lookup_tensor(expr->reference->schema, expr->reference->name);
	if (entry == NULL || entry->storages == NIL || entry->rank != 2 || entry->fill != 0.0)
		return false;
	storage = linitial(entry->storages);
	entries = estimated_bound(entry->bounds[0]) * estimated_bound(entry->bounds[1]);
	return storage->dimensions[0].kind == DIMENSION_PROMOTED &&
		   storage->dimensions[1].kind == DIMENSION_PROMOTED &&
		   (bound_is_open(entry->bounds[0]) || bound_is_open(entry->bounds[1]) ||
			get_tensor_statistics(entry)->entries < entries);
}

/*
 * Returns the matrix of a step of shortest paths that is 0 where it has no row, or NULL.
 */
static const SyntaxReference *
matrix_of_paths(const TrapSearch *search, const SyntaxExpr *expr)
{
	const SyntaxExpr *sum;

	if (expr->kind != SYNTAX_AGGREGATE ||
		(expr->aggregate != AGGREGATE_MIN && expr->aggregate != AGGREGATE_MAX))
		return NULL;
	sum = linitial(expr->args);
	if (sum->kind != SYNTAX_CALL || sum->function != FUNCTION_ADD)
		return NULL;
	for (int i = 0; i < 2; i++)
	{
		const SyntaxExpr *path = list_nth(sum->args, i);
		const SyntaxExpr *matrix = list_nth(sum->args, 1 - i);

		if (path->kind == SYNTAX_REFERENCE && matrix->kind == SYNTAX_REFERENCE &&
			mentions_label(path, expr->labels) && mentions_label(matrix, expr->labels) &&
			((search->in_loop && is_result(search, path)) ||
			 (path->reference->schema == NULL && matrix->reference->schema == NULL &&
			  strcmp(path->reference->name, matrix->reference->name) == 0)) &&
			is_sparse_matrix(search, matrix))
			return matrix->reference;
	}
	return NULL;
}

static void
notice_traps_of_expr(const TrapSearch *search, const SyntaxStatement *statement,
					 const SyntaxExpr *expr)
{
	const char *aggregate = compared_aggregate(search, statement, expr);
	const char *symbol = operator_within(search, expr);
	const SyntaxReference *matrix = matrix_of_paths(search, expr);
	int power = power_of_matrix(search, expr);
	ListCell *lc;

	enter_recursion();
	if (aggregate)
		ereport(NOTICE, (errmsg("statement \"%s\" compares what %s[...] makes",
								statement->target->name, aggregate),
						 errdetail("A comparison is part of what is aggregated only in "
								   "parentheses."),
						 errhint("Write %s[...] (x > 1) to aggregate the comparison, or "
								 "(%s[...] x) > 1 to compare the aggregate.",
								 aggregate, aggregate)));
	if (symbol)
	{
		const char *name = expr->kind == SYNTAX_FORMULA
							   ? formula_name(expr->formula)
							   : aggregate_operator_name(expr->aggregate);

		ereport(
			NOTICE,
			(errmsg("statement \"%s\" has %s[...](x) %s y, which is %s[...] of (x) %s y",
					statement->target->name, name, symbol, name, symbol),
			 errdetail("An aggregate takes what is multiplied, divided and raised to "
					   "a power behind it."),
			 errhint("Write (%s[...] x) %s y where the aggregate is of x alone, and "
					 "%s[...] x %s y, without parentheses, for this.",
					 name, symbol, name, symbol)));
	}
	if (matrix)
	{
		const char *name = aggregate_operator_name(expr->aggregate);

		ereport(NOTICE,
				(errmsg("statement \"%s\" has %s[...] of sums in which \"%s\" is 0 "
						"where it has no row",
						statement->target->name, name, matrix->name),
				 errdetail("Where paths are meant, what has no row is then a way of "
						   "length 0."),
				 errhint("For paths register \"%s\" anew, with fill => '%sInfinity' and "
						 "replace => true.",
						 matrix->name, expr->aggregate == AGGREGATE_MAX ? "-" : "")));
	}
	if (divides_by_product(expr))
	{
		const SyntaxExpr *divisor = lsecond(expr->args);
		const char *name = divisor->kind == SYNTAX_FORMULA
							   ? formula_name(divisor->formula)
							   : aggregate_operator_name(divisor->aggregate);
		const char *last =
			function_written(((const SyntaxExpr *) linitial(divisor->args))->function);

		ereport(NOTICE,
				(errmsg("statement \"%s\" divides by %s[...] of (x %s y)",
						statement->target->name, name, last),
				 errdetail("An aggregate takes what is multiplied and divided behind "
						   "it."),
				 errhint("Write z / (%s[...] x) %s y where only x is aggregated, and "
						 "z / (%s[...] x %s y) for this.",
						 name, last, name, last)));
	}
	if (power > 0)
	{
		const SyntaxReference *reference =
			((const SyntaxExpr *) linitial(expr->args))->reference;
		const char *name = quote_identifier(reference->name);

		ereport(NOTICE,
				(errmsg("%s^%d is the power of each entry", name, power),
				 errhint("The product of matrices is %s %%*%% %s. Labels say that "
						 "each entry is meant: %s[i,j]^%d.",
						 name, name, name, power)));
	}
	if (is_reciprocal_of_matrix(search, expr))
	{
		const char *name = quote_identifier(
			((const SyntaxExpr *) linitial(expr->args))->reference->name);

		ereport(NOTICE, (errmsg("%s^-1 is the reciprocal of each entry", name),
						 errhint("The inverse of a matrix is inverse(%s); 1/%s is the "
								 "reciprocals, too.",
								 name, name)));
	}
	foreach (lc, expr->args)
		notice_traps_of_expr(search, statement, lfirst(lc));
}

static void
notice_traps_of_text(const char *text, bool in_loop)
{
	List *statements = parse_program(text);
	TrapSearch search = {
		.text = text, .results = in_loop ? statements : NIL, .in_loop = in_loop};
	ListCell *lc;

	foreach (lc, statements)
	{
		SyntaxStatement *statement = lfirst(lc);

		notice_traps_of_expr(&search, statement, statement->expr);
		if (statement->target->bracketed)
			notice_separate_sums_of_terms(statement, statement->expr);
		/* in a loop a statement may read what a later one has made in the round before */
		if (!in_loop)
			search.results = lappend(search.results, statement);
	}
}

/* Does a row of the tensor mean 1, as it has no value column? */
static bool
is_indicator(const TensorExpr *expr)
{
	ListCell *lc;

	if (expr->kind != EXPR_ACCESS || expr->tensor->entry == NULL || expr->tensor->shifted)
		return false;
	foreach (lc, expr->tensor->entry->storages)
	{
		const Storage *storage = lfirst(lc);

		if (storage->value_column == NULL && storage->layout == NULL)
			return true;
	}
	return false;
}

static bool
is_literal(const TensorExpr *expr, double number)
{
	return expr->kind == EXPR_LITERAL && expr->value == number;
}

/*
 * Returns f if the expression is 1 - f, f == 0, f <> 1, f < 1 or if(f, 0, x), and a row
 * of f means 1: the expression is 0 wherever f has a row. Else NULL.
 */
static const TensorExpr *
indicator_of_complement(const TensorExpr *expr)
{
	const TensorExpr *left;
	const TensorExpr *right;
	bool complement;

	while (expr_is_map(expr, FUNCTION_FLOAT8) || expr_is_map(expr, FUNCTION_FLOAT4))
		expr = expr->args[0];
	left = expr->nargs > 0 ? expr->args[0] : NULL;
	right = expr->nargs > 1 ? expr->args[1] : NULL;
	if (expr_is_map(expr, FUNCTION_SUBTRACT))
		return is_literal(left, 1.0) && is_indicator(right) ? right : NULL;
	complement = (expr_is_map(expr, FUNCTION_EQ) && is_literal(right, 0.0)) ||
				 (expr_is_map(expr, FUNCTION_NE) && is_literal(right, 1.0)) ||
				 (expr_is_map(expr, FUNCTION_LT) && is_literal(right, 1.0)) ||
				 (expr_is_map(expr, FUNCTION_IF) && is_literal(right, 0.0));
	return complement && is_indicator(left) ? left : NULL;
}

/*
 * Returns the name of a label of a statement's result whose indices are the keys that
 * occur, or NULL.
 */
static const char *
label_of_keys(const Program *program, const Statement *statement)
{
	for (int d = 0; d < statement->noutput; d++)
	{
		const ProgramLabel *label = &program->labels[statement->output[d]];

		if (label->bound == BOUND_OPEN)
			return label->name;
	}
	return NULL;
}

static bool
is_state(const Program *program, const char *name)
{
	ListCell *lc;

	foreach (lc, program->states)
	{
		if (strcmp(((const ProgramTensor *) lfirst(lc))->name, name) == 0)
			return true;
	}
	return false;
}

void
notice_hidden_tensors(const Program *program)
{
	ListCell *lc;

	foreach (lc, program->statements)
	{
		const ProgramTensor *target = ((const Statement *) lfirst(lc))->target;

		if (lnext(program->statements, lc) && !is_state(program, target->name))
			notice_hidden_tensor(target->schema, target->name);
	}
}

void
notice_traps(const Program *program)
{
	const Statement *last = llast(program->statements);
	const TensorExpr *indicator = indicator_of_complement(last->expr);
	const char *label = label_of_keys(program, last);

	notice_traps_of_text(program->text, false);
	if (indicator && label)
		ereport(NOTICE,
				(errmsg("result \"%s\" has rows only where \"%s\" has, and there it is 0",
						last->target->name, indicator->tensor->name),
				 errdetail("The indices of label \"%s\" are the keys that occur.", label),
				 errhint("For a row for each pair of keys, register \"%s\" with a "
						 "dimension (einsum_dimension) as the bound of each label.",
						 indicator->tensor->name)));
}

void
notice_traps_of_loop(const char *text)
{
	notice_traps_of_text(text, true);
}
