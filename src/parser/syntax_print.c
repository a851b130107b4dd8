/*-------------------------------------------------------------------------
 *
 * syntax_print.c
 *	  Syntax trees as canonical text: every operation in parentheses, names
 *	  quoted where they must be. It parses to the same tree.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"

#include "parser/program_parser.h"
#include "recursion.h"

static void print_expr(StringInfo out, const SyntaxExpr *expr);

/* Can a name be written without quotes, and read again? */
static bool
is_plain(const char *name)
{
	if (!(*name >= 'a' && *name <= 'z') && *name != '_')
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_$") == strlen(name);
}

static void
print_quoted(StringInfo out, const char *name)
{
	appendStringInfoChar(out, '"');
	for (const char *p = name; *p; p++)
	{
		if (*p == '"')
			appendStringInfoChar(out, '"');
		appendStringInfoChar(out, *p);
	}
	appendStringInfoChar(out, '"');
}

static void
print_name(StringInfo out, const char *name, bool plain)
{
	if (plain)
		appendStringInfoString(out, name);
	else
		print_quoted(out, name);
}

static void
print_label(StringInfo out, const SyntaxIndex *index)
{
	bool plain = is_plain(index->label);

	/*
	 * upper case promotes if the label has letters and no quotes, otherwise block size 1
	 * does
	 */
	if (index->pin == PIN_PROMOTED && plain &&
		strpbrk(index->label, "abcdefghijklmnopqrstuvwxyz"))
	{
		for (const char *p = index->label; *p; p++)
			appendStringInfoChar(out, *p >= 'a' && *p <= 'z' ? *p - 'a' + 'A' : *p);
		return;
	}

	print_name(out, index->label, plain);
	switch (index->pin)
	{
		case PIN_NONE:
			break;
		case PIN_PROMOTED:
			appendStringInfoString(out, ":1");
			break;
		case PIN_BLOCKED:
			appendStringInfo(out, ":" INT64_FORMAT, index->block);
			break;
		case PIN_DEMOTED:
			appendStringInfoString(out, ":*");
			break;
	}
}

static void
print_index(StringInfo out, const SyntaxIndex *index)
{
	if (index->label)
		print_label(out, index);
	if (index->label == NULL)
		appendStringInfo(out, INT64_FORMAT, index->offset);
	else if (index->offset != 0)
		appendStringInfo(out, "%+lld", (long long) index->offset);
}

static void
print_indices(StringInfo out, const List *indices)
{
	ListCell *lc;

	appendStringInfoChar(out, '[');
	foreach (lc, indices)
	{
		if (lc != list_head(indices))
			appendStringInfoChar(out, ',');
		print_index(out, lfirst(lc));
	}
	appendStringInfoChar(out, ']');
}

static void
print_reference(StringInfo out, const SyntaxReference *reference)
{
	AggregateOperator aggregate;
	bool plain = is_plain(reference->name);

	if (reference->schema != NULL)
	{
		print_name(out, reference->schema, is_plain(reference->schema));
		appendStringInfoChar(out, '.');
	}
	else if (aggregate_operator_by_name(reference->name, &aggregate))
		plain = false;
	print_name(out, reference->name, plain);
	if (reference->bracketed)
		print_indices(out, reference->indices);
}

static void
print_number(StringInfo out, double number)
{
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	/*
	 * float8out depends on extra_float_digits, which must not change the program's text
	 */
	double_to_shortest_decimal_buf(number, digits);
	appendStringInfoString(out, digits);
}

/* Writes "name(a, b)", or for an operator "(a symbol b)" or "(symbol a)". */
static void
print_operation(StringInfo out, const char *name, const char *symbol, const List *args)
{
	ListCell *lc;

	if (symbol == NULL)
		appendStringInfoString(out, name);
	appendStringInfoChar(out, '(');
	if (symbol != NULL && list_length(args) == 1)
		appendStringInfoString(out, symbol);
	foreach (lc, args)
	{
		if (lc != list_head(args))
		{
			if (symbol != NULL)
				appendStringInfo(out, " %s ", symbol);
			else
				appendStringInfoString(out, ", ");
		}
		print_expr(out, lfirst(lc));
	}
	appendStringInfoChar(out, ')');
}

static void
print_expr(StringInfo out, const SyntaxExpr *expr)
{
	enter_recursion();

	switch (expr->kind)
	{
		case SYNTAX_NUMBER:
			print_number(out, expr->number);
			if (expr->imaginary)
				appendStringInfoChar(out, 'i');
			break;
		case SYNTAX_REFERENCE:
			print_reference(out, expr->reference);
			break;
		case SYNTAX_PARAMETER:
			appendStringInfo(out, "$%d", expr->parameter + 1);
			break;
		case SYNTAX_CALL:
			print_operation(out, pointwise_functions[expr->function].name,
							pointwise_functions[expr->function].symbol, expr->args);
			break;
		case SYNTAX_MATMUL:
			print_operation(out, NULL, "%*%", expr->args);
			break;
		case SYNTAX_MATRIX:
			appendStringInfoString(out, expr->matrix->name);
			if (expr->labels)
				print_indices(out, expr->labels);
			print_operation(out, "", NULL, expr->args);
			break;
		case SYNTAX_AGGREGATE:
		case SYNTAX_FORMULA:
			appendStringInfo(out, "(%s",
							 expr->kind == SYNTAX_FORMULA
								 ? formula_name(expr->formula)
								 : aggregate_operator_name(expr->aggregate));
			print_indices(out, expr->labels);
			appendStringInfoChar(out, ' ');
			print_expr(out, linitial(expr->args));
			appendStringInfoChar(out, ')');
			break;
	}
}

char *
reference_to_string(const SyntaxReference *reference)
{
	StringInfoData out;

	initStringInfo(&out);
	print_reference(&out, reference);
	return out.data;
}

char *
syntax_to_string(List *statements)
{
	StringInfoData out;
	ListCell *lc;

	initStringInfo(&out);
	foreach (lc, statements)
	{
		const SyntaxStatement *statement = lfirst(lc);

		if (lc != list_head(statements))
			appendStringInfoString(&out, ";\n");
		print_reference(&out, statement->target);
		appendStringInfoString(&out, " = ");
		print_expr(&out, statement->expr);
	}
	return out.data;
}
