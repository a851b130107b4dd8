/*-------------------------------------------------------------------------
 *
 * implicit.c
 *	  Einstein's convention: a label on the right that is not on the left is summed,
 *	  term by term. Also finds the labels of matrices.
 *
 * In solve(g, b), the label of the equations is the one label that g and b share
 * and that is bound nowhere else; the label of the unknowns is the one that only
 * g has. Rows and columns of inverse and cholesky are the last two labels on the
 * left.
 *
 * The sum goes through + and - into the terms that contain the label, and around
 * a term's product or quotient. It is refused where that is not clear: if the
 * label occurs only inside a function, power, comparison, denominator or other
 * aggregate, if some monomial of a product lacks it, or if the statement also
 * binds it explicitly. It is also refused if a label in double quotes occurs
 * once, as a key would, and if a label that occurs once has the name of an index
 * of the dimension that it indexes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "catalog/lookup.h"
#include "catalog/origin.h"
#include "catalog/value_columns.h"
#include "compat.h"
#include "recursion.h"
#include "expr/function_table.h"
#include "expr/implicit.h"
#include "expr/name_set.h"

static void
add_index_names(NameSet *names, const List *indices)
{
	ListCell *lc;

	foreach (lc, indices)
	{
		if (((SyntaxIndex *) lfirst(lc))->label)
			(void) add_name(names, ((SyntaxIndex *) lfirst(lc))->label);
	}
}

static const char *
label_name(const List *indices, int n)
{
	return ((const SyntaxIndex *) list_nth(indices, n))->label;
}

/* Adds the free labels of an expression to names. */
static void
add_free_labels(NameSet *names, const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE)
		add_index_names(names, expr->reference->indices);
	else if (binds_labels(expr))
	{
		NameSet *bound = make_name_set(4);
		NameSet *below = make_name_set(4);

		add_index_names(bound, expr->labels);
		add_free_labels(below, linitial(expr->args));
		foreach (lc, below->names)
		{
			if (!has_name(bound, lfirst(lc)))
				(void) add_name(names, lfirst(lc));
		}
	}
	else if (is_solver(expr) && expr->labels)
	{
		NameSet *below = make_name_set(4);

		foreach (lc, expr->args)
			add_free_labels(below, lfirst(lc));
		foreach (lc, below->names)
		{
			/* the label of the equations is not a label of the result */
			if (expr->matrix->operation != MATRIX_SOLVE ||
				strcmp(lfirst(lc), label_name(expr->labels, 1)) != 0)
				(void) add_name(names, lfirst(lc));
		}
	}
	else
	{
		foreach (lc, expr->args)
			add_free_labels(names, lfirst(lc));
	}
}

/* Adds the labels that aggregates of an expression bind to names. */
static void
add_bound_labels(NameSet *names, const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (binds_labels(expr))
		add_index_names(names, expr->labels);
	foreach (lc, expr->args)
		add_bound_labels(names, lfirst(lc));
}

static bool
is_call(const SyntaxExpr *expr, FunctionId function)
{
	return expr->kind == SYNTAX_CALL && expr->function == function;
}

/*
 * Adds the labels over which a function of matrices may be summed: those of its result,
 * and those that only the right sides have. For the matrix's other labels it is not clear
 * whether matrices or results are to be summed.
 */
static void
add_solver_labels(NameSet *names, const SyntaxExpr *solver)
{
	NameSet *all = make_name_set(4);
	NameSet *matrix = make_name_set(4);
	NameSet *own = make_name_set(4);
	ListCell *lc;

	add_free_labels(all, solver);
	add_free_labels(matrix, linitial(solver->args));
	add_index_names(own, solver->labels);
	foreach (lc, all->names)
	{
		if (has_name(own, lfirst(lc)) || !has_name(matrix, lfirst(lc)))
			(void) add_name(names, lfirst(lc));
	}
}

/* Returns the labels that every monomial of a product contains. */
static NameSet *
labels_of_every_monomial(const SyntaxExpr *expr)
{
	NameSet *names;
	NameSet *other;
	NameSet *both;
	ListCell *lc;

	enter_recursion();
	if (is_call(expr, FUNCTION_DIVIDE) || is_call(expr, FUNCTION_NEGATE))
		return labels_of_every_monomial(linitial(expr->args));
	if (is_call(expr, FUNCTION_MULTIPLY) || is_call(expr, FUNCTION_ADD) ||
		is_call(expr, FUNCTION_SUBTRACT))
	{
		names = labels_of_every_monomial(linitial(expr->args));
		other = labels_of_every_monomial(lsecond(expr->args));
		if (is_call(expr, FUNCTION_MULTIPLY))
		{
			foreach (lc, other->names)
				(void) add_name(names, lfirst(lc));
			return names;
		}
		both = make_name_set(4);
		foreach (lc, other->names)
		{
			if (has_name(names, lfirst(lc)))
				(void) add_name(both, lfirst(lc));
		}
		return both;
	}
	names = make_name_set(4);
	if (expr->kind == SYNTAX_REFERENCE)
		add_index_names(names, expr->reference->indices);
	else if (is_solver(expr))
		add_solver_labels(names, expr);
	return names;
}

/* A statement whose implicit sums are made explicit, and its labels. */
typedef struct SumContext
{
	const char *text;
	const NameSet *outputs;
	const NameSet *bound;
	ReferenceTest is_stored;
	void *context;
} SumContext;

/* The places at which a label occurs in an expression. */
typedef struct LabelPlaces
{
	const char *label;
	const SyntaxIndex *quoted;        /* the first place where it is quoted, or NULL */
	const SyntaxReference *reference; /* of the last place, and which index it is there */
	int dimension;
	int count;
} LabelPlaces;

/*
 * Returns the number of the index that has a name in a dimension of a stored tensor, as
 * the columns of a value have names; -1 if no index has this name.
 */
static int
named_index(const SyntaxReference *reference, int dimension, const char *name)
{
	Oid schema = schema_of_tensor(reference->schema, reference->name);
	List *storages =
		OidIsValid(schema) ? registrations_in_schema(schema, reference->name) : NIL;
	ListCell *lc;

	/* lookup of the tensor itself reports what is wrong with its storages */
	foreach (lc, storages_of_first_owner(storages, reference->name, false))
	{
		const Storage *storage = lfirst(lc);
		int64 bound;

		if (dimension >= storage->rank || !has_made_value(storage) ||
			storage->dimensions[dimension].kind != DIMENSION_DEMOTED)
			continue;
		bound = storage->dimensions[dimension].bound;
		for (int i = 0; i < bound_size(bound); i++)
		{
			if (pg_strcasecmp(value_index_name(storage, i), name) == 0)
				return bound_first(bound) + i;
		}
	}
	return -1;
}

static void
find_label_places(LabelPlaces *places, const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	foreach (lc, expr->kind == SYNTAX_REFERENCE ? expr->reference->indices : NIL)
	{
		const SyntaxIndex *index = lfirst(lc);

		if (index->label == NULL || strcmp(index->label, places->label) != 0)
			continue;
		places->count++;
		places->reference = expr->reference;
		places->dimension = foreach_current_index(lc);
		if (places->quoted == NULL && index->quoted)
			places->quoted = index;
	}
	foreach (lc, expr->args)
		find_label_places(places, lfirst(lc));
}

/*
 * Raises an error for a label such as age in p[i,age], if it is the name of a value
 * column: an index is meant, not a label to be summed over.
 */
static void
refuse_index_name(const SumContext *sums, const SyntaxExpr *term, const char *label)
{
	LabelPlaces places = {.label = label};
	int index;

	find_label_places(&places, term);
	if (places.count != 1 || !sums->is_stored(sums->context, places.reference))
		return;
	index = named_index(places.reference, places.dimension, label);
	if (index < 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("\"%s\" is the name of an index of tensor \"%s\", and a label here",
					label, places.reference->name),
			 errdetail("It is not on the left, so the result would be the sum over all "
					   "indices."),
			 errhint("Write %d for it, as einsum_names(%s) shows. To sum over the label, "
					 "write sum[%s], or another name.",
					 index, quote_literal_cstr(places.reference->name),
					 quote_identifier(label)),
			 program_errposition(sums->text, places.reference->location)));
}

/*
 * Raises an error for a quoted label such as "ann" in f["ann",j], if it occurs once or is
 * a number: a key is meant, not a label to be summed over.
 */
static void
refuse_quoted_key(const char *text, const SyntaxExpr *term, const char *label)
{
	LabelPlaces places = {.label = label};

	find_label_places(&places, term);
	if (places.quoted == NULL ||
		(places.count > 1 && strspn(label, "0123456789") < strlen(label)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("\"%s\" in double quotes is a label, not a key", label),
			 errdetail("It is not on the left, so the result would be the sum over all "
					   "keys."),
			 errhint("A key is asked for where the result is read: einsum_rows('n[I,J] = "
					 "f[i,j]', at => '{\"i\": \"ann\"}'); an integer is written without "
					 "quotes: a[2,j]. To sum over the label, write sum[%s].",
					 quote_identifier(label)),
			 program_errposition(text, places.quoted->location)));
}

static SyntaxExpr *
wrap_in_sum(SyntaxExpr *term, List *labels)
{
	SyntaxExpr *sum = palloc0(sizeof(SyntaxExpr));
	ListCell *lc;

	sum->kind = SYNTAX_AGGREGATE;
	sum->location = term->location;
	sum->aggregate = AGGREGATE_SUM;
	sum->args = list_make1(term);
	foreach (lc, labels)
		sum->labels = lappend(sum->labels, implied_index(lfirst(lc), term->location));
	return sum;
}

/*
 * Puts sums around the terms of an expression, over labels that the statement neither has
 * on the left nor binds.
 */
static SyntaxExpr *
put_sums(const SumContext *sums, SyntaxExpr *expr)
{
	const char *text = sums->text;
	NameSet *occurring;
	NameSet *summable = NULL;
	List *missing = NIL;
	ListCell *lc;

	enter_recursion();
	if (is_call(expr, FUNCTION_ADD) || is_call(expr, FUNCTION_SUBTRACT) ||
		is_call(expr, FUNCTION_NEGATE))
	{
		foreach (lc, expr->args)
			lfirst(lc) = put_sums(sums, (SyntaxExpr *) lfirst(lc));
		return expr;
	}

	occurring = make_name_set(4);
	add_free_labels(occurring, expr);
	foreach (lc, occurring->names)
	{
		char *label = (char *) lfirst(lc);

		if (has_name(sums->outputs, label))
			continue;
		if (has_name(sums->bound, label))
			ereport(
				ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("label \"%s\" is both bound by an aggregate and free", label),
				 errdetail("The aggregate's body ends before the free occurrence."),
				 errhint("Put the aggregate's body in parentheses, or give one of the "
						 "two another name."),
				 program_errposition(text, expr->location)));
		refuse_index_name(sums, expr, label);
		refuse_quoted_key(text, expr, label);
		if (summable == NULL)
			summable = labels_of_every_monomial(expr);
		if (!has_name(summable, label))
			ereport(
				ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("it is not clear where label \"%s\" is to be summed", label),
				 errdetail("The label is not on the left, and on the right it does not "
						   "occur in every product of its term."),
				 expr->kind == SYNTAX_CALL && is_comparison(expr->function)
					 ? errhint("Write sum[%s] (x > 1) for how many, any[%s] (x > 1) for "
							   "whether one is, or all[%s] (x > 1) for whether all are.",
							   quote_identifier(label), quote_identifier(label),
							   quote_identifier(label))
					 : errhint("Write the sum where it belongs, for example f(sum[%s] "
							   "...) or sum[%s] f(...).",
							   quote_identifier(label), quote_identifier(label)),
				 program_errposition(text, expr->location)));
		missing = lappend(missing, label);
	}
	return missing == NIL ? expr : wrap_in_sum(expr, missing);
}

void
make_sums_explicit(const char *text, SyntaxStatement *statement, ReferenceTest is_stored,
				   void *context)
{
	NameSet *outputs = make_name_set(4);
	NameSet *bound = make_name_set(4);
	const SumContext sums = {text, outputs, bound, is_stored, context};

	add_index_names(outputs, statement->target->indices);
	add_bound_labels(bound, statement->expr);
	statement->expr = put_sums(&sums, statement->expr);
}

pg_noreturn static void
unclear_matrix(const char *text, const SyntaxExpr *solver, const char *detail,
			   const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
					errmsg("it is not clear which labels the matrix of %s has",
						   solver->matrix->name),
					errdetail("%s", detail), errhint("%s", hint),
					program_errposition(text, solver->location)));
}

void
matrix_lacks_label(const char *text, const SyntaxExpr *solver, int n)
{
	const char *name = solver->matrix->name;
	const SyntaxIndex *index = list_nth(solver->labels, n);

	ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
					errmsg("the matrix of %s lacks label \"%s\"", name, index->label),
					errhint("Write %s[k,l] with two labels of its first argument.", name),
					program_errposition(text, index->location)));
}

/*
 * Raises an error unless the matrix has the labels of rows and columns, or of unknowns
 * and equations.
 */
static void
check_solver_labels(const char *text, const SyntaxExpr *solver)
{
	NameSet *matrix = make_name_set(4);

	add_free_labels(matrix, linitial(solver->args));
	for (int n = 0; n < list_length(solver->labels); n++)
	{
		if (!has_name(matrix, label_name(solver->labels, n)))
			matrix_lacks_label(text, solver, n);
	}
}

/*
 * Returns the hint to write u[j,k] = solve(...) for solve(a[i,j], b[i,k]) with the
 * equations i.
 */
static const char *
hint_for_solution(const SyntaxStatement *statement, const SyntaxExpr *solve,
				  NameSet *matrix, const NameSet *right, const char *equation)
{
	bool whole = statement->expr == solve;
	StringInfoData labels;
	ListCell *lc;

	initStringInfo(&labels);
	foreach (lc, right->names)
		(void) add_name(matrix, lfirst(lc));
	foreach (lc, matrix->names)
	{
		if (strcmp(lfirst(lc), equation) != 0)
			appendStringInfo(&labels, "%s%s", labels.len ? "," : "",
							 quote_identifier(lfirst(lc)));
	}
	return psprintf(whole ? _("On the left is the label of the unknowns, which only the "
							  "matrix has: write %s[%s] = %s(...).")
						  : _("Write the solution as a statement of its own, with the "
							  "label of the unknowns, which only the matrix has, on the "
							  "left: %s[%s] = %s(...)."),
					whole ? quote_identifier(statement->target->name) : "u", labels.data,
					solve->matrix->name);
}

/*
 * Gives a solve its labels: of the unknowns, which only the matrix has, and of the
 * equations, which both sides have.
 */
static void
label_solve(const char *text, const SyntaxStatement *statement, SyntaxExpr *solve,
			const NameSet *known)
{
	NameSet *matrix = make_name_set(4);
	NameSet *right = make_name_set(4);
	const char *unknown = NULL;
	const char *equation = NULL;
	const char *shared = NULL; /* of both sides, and known */
	bool several = false;      /* of these */
	const char *hint =
		_("The matrix and the right side share the label of the equations, which the "
		  "left lacks; only the matrix has that of the unknowns: x[j] = solve(a[i,j], "
		  "b[i]). To say them: x[j] = solve[j,i](a[i,j], b[i]).");
	ListCell *lc;

	add_free_labels(matrix, linitial(solve->args));
	add_free_labels(right, lsecond(solve->args));
	foreach (lc, matrix->names)
	{
		const char *label = lfirst(lc);
		const char **role = has_name(right, label) ? &equation : &unknown;

		if (role == &equation && has_name(known, label))
		{
			several = shared != NULL;
			shared = label;
			continue;
		}
		if (*role)
			unclear_matrix(text, solve,
						   psprintf(role == &equation
										? _("Labels \"%s\" and \"%s\" are both of the "
											"matrix and of the right side.")
										: _("Labels \"%s\" and \"%s\" are of the matrix, "
											"and not of the right side."),
									*role, label),
						   hint);
		*role = label;
	}
	if (equation == NULL)
		unclear_matrix(text, solve,
					   _("The matrix and the right side share no label that is not on "
						 "the left, or of an aggregate around."),
					   shared && unknown && !several
						   ? hint_for_solution(statement, solve, matrix, right, shared)
						   : hint);
	if (unknown == NULL)
		unclear_matrix(text, solve, _("Every label of the matrix is of the right side."),
					   hint);
	solve->labels = list_make2(implied_index(unknown, solve->location),
							   implied_index(equation, solve->location));
}

/*
 * Gives functions of matrices their labels; known are the labels of the left side and of
 * aggregates around.
 */
static void
label_solvers(const char *text, const SyntaxStatement *statement, SyntaxExpr *expr,
			  const NameSet *known)
{
	const List *target = statement->target->indices;
	ListCell *lc;

	enter_recursion();
	if (binds_labels(expr))
	{
		NameSet *inside = make_name_set(4);

		foreach (lc, known->names)
			(void) add_name(inside, lfirst(lc));
		add_index_names(inside, expr->labels);
		known = inside;
	}
	foreach (lc, expr->args)
		label_solvers(text, statement, lfirst(lc), known);
	if (!is_solver(expr))
		return;
	if (expr->labels == NIL && expr->matrix->operation == MATRIX_SOLVE)
		label_solve(text, statement, expr, known);
	else if (expr->labels == NIL)
	{
		int n = list_length(target);

		if (n < 2)
			unclear_matrix(text, expr, _("The left side has no two labels."),
						   psprintf(_("Say which: %s[k,l](g[k,l]) has rows k and columns "
									  "l."),
									expr->matrix->name));
		expr->labels =
			list_make2(implied_index(label_name(target, n - 2), expr->location),
					   implied_index(label_name(target, n - 1), expr->location));
	}
	check_solver_labels(text, expr);
}

void
make_labels_explicit(const char *text, SyntaxStatement *statement)
{
	NameSet *known = make_name_set(4);

	add_index_names(known, statement->target->indices);
	label_solvers(text, statement, statement->expr, known);
}
