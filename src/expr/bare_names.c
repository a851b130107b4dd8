/*-------------------------------------------------------------------------
 *
 * bare_names.c
 *	  Finds mistakes in names without brackets that are not tensors.
 *
 * A name without brackets makes a statement linear algebra, in which no tensor
 * has brackets. If other tensors of the statement have indices, the name is the
 * mistake: a label that is used as a number, a constant of another language, or
 * the argument of a function of matrices although the tensor is indexed. This is
 * reported first, at the position of the name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/formatting.h"

#include "expr/bare_names.h"
#include "parser/hints.h"
#include "recursion.h"

typedef struct BareNames
{
	const char *text;
	List *labels; /* char *, of the statement; may be there twice */
	TensorExists exists;
	NameHint hint;
	void *context;
	const SyntaxReference *bare;    /* the first tensor without brackets that exists */
	const MatrixFunction *function; /* of which it is an operand, or NULL */
	SyntaxReference *unknown;       /* the first name that is nothing */
	const SyntaxReference *indexed; /* the first one with indices */
	const SyntaxExpr *matrix; /* the first function of matrices of one with indices */
} BareNames;

static List *
add_labels(List *labels, const List *indices)
{
	ListCell *lc;

	foreach (lc, indices)
	{
		SyntaxIndex *index = lfirst(lc);

		if (index->label)
			labels = lappend(labels, index->label);
	}
	return labels;
}

/* Collects the labels of an expression, and finds the first tensor with indices. */
static void
collect_labels_used(BareNames *names, const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE)
	{
		names->labels = add_labels(names->labels, expr->reference->indices);
		if (names->indexed == NULL && expr->reference->indices != NIL)
			names->indexed = expr->reference;
	}
	names->labels = add_labels(names->labels, expr->labels);
	foreach (lc, expr->args)
		collect_labels_used(names, lfirst(lc));
}

/*
 * Returns the label of the statement that a name without brackets means, in upper or
 * lower case; or NULL.
 */
static const char *
label_of_name(const BareNames *names, const SyntaxExpr *expr)
{
	const SyntaxReference *reference = expr->reference;
	ListCell *lc;

	if (expr->kind != SYNTAX_REFERENCE || reference->bracketed || reference->schema)
		return NULL;
	foreach (lc, names->labels)
	{
		if (pg_strcasecmp(lfirst(lc), reference->name) == 0)
			return lfirst(lc);
	}
	return NULL;
}

static bool
has_indices(const SyntaxExpr *expr)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE)
		return expr->reference->indices != NIL;
	foreach (lc, expr->args)
	{
		if (has_indices(lfirst(lc)))
			return true;
	}
	return false;
}

/*
 * Returns the text of a name that is in double quotes only, and seems to be a key; or
 * NULL.
 */
static const char *
quoted_name(const SyntaxExpr *expr)
{
	const SyntaxReference *reference = expr->reference;

	return expr->kind == SYNTAX_REFERENCE && reference->quoted && !reference->bracketed &&
				   !reference->schema
			   ? reference->name
			   : NULL;
}

/*
 * Raises an error for a label that is used as a number. parent is the expression of which
 * it is an operand, or NULL.
 */
static void
label_as_number(const BareNames *names, const SyntaxExpr *expr, const SyntaxExpr *parent)
{
	const char *label = label_of_name(names, expr);
	const char *other = NULL;
	const char *key = NULL;
	bool compares = false;
	bool equal = false;
	ListCell *lc;

	if (parent && parent->kind == SYNTAX_CALL)
	{
		equal = parent->function == FUNCTION_EQ || parent->function == FUNCTION_NE;
		compares = equal || parent->function == FUNCTION_LT ||
				   parent->function == FUNCTION_LE || parent->function == FUNCTION_GT ||
				   parent->function == FUNCTION_GE;
		foreach (lc, parent->args)
		{
			if (lfirst(lc) != expr && label_of_name(names, lfirst(lc)))
				other = label_of_name(names, lfirst(lc));
			else if (lfirst(lc) != expr)
				key = quoted_name(lfirst(lc));
		}
	}
	ereport(
		ERROR,
		(errcode(ERRCODE_SYNTAX_ERROR), errmsg("label \"%s\" is used as a number", label),
		 errdetail("A label is what indexes tensors; it has no value."),
		 equal && key
			 ? errhint("A key that is no integer is not written in a program: ask for it "
					   "where the result is read, as in einsum_rows('y[%s] = ...', at => "
					   "'{\"%s\": \"%s\"}'), or register a view with the condition.",
					   asc_toupper(label, strlen(label)), label, key)
		 : compares && other && equal
			 ? errhint("Write eye[%s,%s], which is 1 where both are equal, or 1 - "
					   "eye[%s,%s].",
					   label, other, label, other)
		 : compares && other
			 ? errhint("Store which pairs are meant, and multiply by it: SELECT "
					   "einsum_store('before[I,J]', 'SELECT i, j, 1 FROM "
					   "generate_series(0, 99) AS i, generate_series(0, 99) AS j WHERE i "
					   "< j', '{100,100}'), then before[%s,%s].",
					   label, other)
			 : errhint("Store the numbers as a tensor: SELECT einsum_store('pos[I]', "
					   "'SELECT i, i FROM generate_series(0, 99) AS i', '{100}'), then "
					   "pos[%s]. A single index is written x[0], and keys are chosen "
					   "where the result is read.",
					   label),
		 program_errposition(names->text, expr->location)));
}

static void
check_name(BareNames *names, const SyntaxExpr *expr, const SyntaxExpr *parent)
{
	const SyntaxReference *reference = expr->reference;
	const char *hint;

	if (reference->bracketed)
		return;
	if (names->exists(names->context, reference))
	{
		if (names->bare == NULL)
		{
			names->bare = reference;
			if (parent && parent->kind == SYNTAX_MATRIX && !is_solver(parent))
				names->function = parent->matrix;
		}
		return;
	}
	/* x^T */
	hint = parent && parent->kind == SYNTAX_CALL && parent->function == FUNCTION_POWER &&
				   reference->schema == NULL && strcmp(reference->name, "t") == 0
			   ? hint_for_word("transpose")
			   : NULL;
	if (hint == NULL && label_of_name(names, expr))
		label_as_number(names, expr, parent);
	if (hint == NULL)
		hint = names->hint(names->context, reference);
	if (hint == NULL)
		hint = hint_for_foreign_name(reference->schema, reference->name);
	if (hint)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 reference->schema
					 ? errmsg("tensor \"%s.%s\" does not exist", reference->schema,
							  reference->name)
					 : errmsg("tensor \"%s\" does not exist", reference->name),
				 errhint("%s", hint), program_errposition(names->text, expr->location)));
	if (names->unknown == NULL)
		names->unknown = expr->reference;
}

static void
check_names(BareNames *names, const SyntaxExpr *expr, const SyntaxExpr *parent)
{
	ListCell *lc;

	enter_recursion();
	if (expr->kind == SYNTAX_REFERENCE)
		check_name(names, expr, parent);
	if (expr->kind == SYNTAX_MATRIX && !is_solver(expr) && names->matrix == NULL &&
		has_indices(expr))
		names->matrix = expr;
	foreach (lc, expr->args)
		check_names(names, lfirst(lc), expr);
}

/* Returns a hint how a function of matrices is written with indices. */
static const char *
indexed_form(const MatrixFunction *function)
{
	switch (function->operation)
	{
		case MATRIX_TRANSPOSE:
			return _("Write b[j,i] = a[i,j], or t(a) without indices.");
		case MATRIX_DIAGONAL:
			return _(
				"Write d[i] = a[i,i], or x[i]*eye[i,j], or diag(a) without indices.");
		case MATRIX_TRACE:
			return _("Write s[] = sum[i] a[i,i], or trace(a) without indices.");
		case MATRIX_AGGREGATE:
			return psprintf(
				_("Write %s[j] a[i,j] over a label, or %s(a) without indices%s."),
				function->mean ? formula_name(FORMULA_AVG)
							   : aggregate_operator_name(function->aggregate),
				function->name,
				function->aggregate == AGGREGATE_MAX   ? _("; greatest(x, y) of numbers")
				: function->aggregate == AGGREGATE_MIN ? _("; least(x, y) of numbers")
													   : "");
		case MATRIX_ROWS:
		case MATRIX_COLUMNS:
			return psprintf(_("Write it in a statement of its own, without indices: n = "
							  "%s(a); then n[] is the number, as in y[i] = x[i]/n[]."),
							function->name);
		default:
			return psprintf(_("Write %s(a) without indices."), function->name);
	}
}

SyntaxReference *
check_bare_names(const char *text, const SyntaxStatement *statement, TensorExists exists,
				 NameHint hint, void *context)
{
	BareNames names = {.text = text, .exists = exists, .hint = hint, .context = context};

	names.labels = add_labels(NIL, statement->target->indices);
	collect_labels_used(&names, statement->expr);
	check_names(&names, statement->expr, NULL);
	if (names.indexed == NULL)
		return NULL;
	if (names.unknown)
		return names.unknown;
	if (names.matrix)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("%s is a function of matrices without indices",
							   names.matrix->matrix->name),
						errhint("%s", indexed_form(names.matrix->matrix)),
						program_errposition(text, names.matrix->location)));
	if (!statement->target->bracketed)
		names.bare = statement->target;
	if (names.bare == NULL)
		return NULL;
	ereport(
		ERROR,
		(errcode(ERRCODE_SYNTAX_ERROR),
		 errmsg("a statement has either indices everywhere or nowhere"),
		 errdetail("Tensor \"%s\" has indices here, and \"%s\" none.",
				   names.indexed->name, names.bare->name),
		 names.function
			 ? errhint("%s", indexed_form(names.function))
			 : errhint(
				   "Write every tensor with its indices, as in %s[i,j], or %s[] where "
				   "it is a number, and every aggregate with its labels, as in sum[j] "
				   "a[i,j]; or none of them.",
				   names.bare->name, names.bare->name),
		 program_errposition(text, names.bare->location)));
	return NULL;
}

bool
binds_label(const SyntaxExpr *expr, const char *label)
{
	ListCell *lc;

	enter_recursion();
	foreach (lc, binds_labels(expr) ? expr->labels : NIL)
	{
		const SyntaxIndex *index = lfirst(lc);

		if (index->label && strcmp(index->label, label) == 0)
			return true;
	}
	foreach (lc, expr->args)
	{
		if (binds_label(lfirst(lc), label))
			return true;
	}
	return false;
}
