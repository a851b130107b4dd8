/*-------------------------------------------------------------------------
 *
 * syntax_make.c
 *	  Constructors of syntax trees, with the checks that need nothing but the
 *	  text: case of labels, names and arity of functions, limits.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "parser/scansup.h"

#include "parser/hints.h"
#include "parser/program_parser.h"

static const char *const aggregate_names[] = {
	[AGGREGATE_SUM] = "sum", [AGGREGATE_PROD] = "prod", [AGGREGATE_MAX] = "max",
	[AGGREGATE_MIN] = "min", [AGGREGATE_ANY] = "any",   [AGGREGATE_ALL] = "all",
};

static const char *const formula_names[] = {
	[FORMULA_AVG] = "avg",         [FORMULA_COUNT] = "count",
	[FORMULA_NORM] = "norm",       [FORMULA_LOGSUMEXP] = "logsumexp",
	[FORMULA_SOFTMAX] = "softmax", [FORMULA_ARGMAX] = "argmax",
	[FORMULA_ARGMIN] = "argmin",
};

const char *
aggregate_operator_name(AggregateOperator aggregate)
{
	return aggregate_names[aggregate];
}

bool
aggregate_operator_by_name(const char *name, AggregateOperator *aggregate)
{
	for (int i = 0; i < lengthof(aggregate_names); i++)
	{
		if (strcmp(name, aggregate_names[i]) == 0)
		{
			*aggregate = (AggregateOperator) i;
			return true;
		}
	}
	return false;
}

const char *
formula_name(Formula formula)
{
	return formula_names[formula];
}

bool
formula_by_name(const char *name, Formula *formula)
{
	for (int i = 0; i < lengthof(formula_names); i++)
	{
		if (strcmp(name, formula_names[i]) == 0)
		{
			*formula = (Formula) i;
			return true;
		}
	}
	return false;
}

SyntaxExpr *
make_expr(SyntaxKind kind, List *args, int location)
{
	SyntaxExpr *expr = palloc0(sizeof(SyntaxExpr));

	expr->kind = kind;
	expr->args = args;
	expr->location = location;
	return expr;
}

/* Raises 42601 in a map expression, which may only refer to its operands. */
static void
refuse_in_map(ProgramParser *parser, const char *what, int location)
{
	if (parser->mode == PROGRAM_MODE_MAP)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("%s in an expression of operands", what),
				 errhint("It may have numbers, operators, functions, and $1, $2, ... for "
						 "the operands, as in greatest($1, 0) for the larger one, or "
						 "exp(-$1)."),
				 program_errposition(parser->text, location)));
}

/* The name of a tensor or schema, folded and truncated as SQL does. */
static char *
fold_name(ProgramIdentifier *name)
{
	if (!name->quoted)
		return downcase_truncate_identifier(name->text, strlen(name->text), true);
	truncate_identifier(name->text, strlen(name->text), true);
	return name->text;
}

SyntaxStatement *
make_statement(ProgramParser *parser, SyntaxReference *target, SyntaxExpr *expr)
{
	SyntaxStatement *statement = palloc0(sizeof(SyntaxStatement));
	ListCell *lc;
	ListCell *other;

	require_labels(parser, target->indices, _("on the left"));
	foreach (lc, target->indices)
	{
		SyntaxIndex *index = lfirst(lc);

		foreach (other, target->indices)
		{
			SyntaxIndex *earlier = lfirst(other);

			if (earlier == index)
				break;
			if (strcmp(earlier->label, index->label) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_SYNTAX_ERROR),
						 errmsg("label \"%s\" occurs twice on the left", index->label),
						 errhint("A diagonal matrix is written with eye, as in "
								 "d[i,j] = x[i] * eye[i,j]."),
						 program_errposition(parser->text, index->location)));
		}
	}

	statement->target = target;
	statement->expr = expr;
	statement->location = target->location;
	return statement;
}

void
end_statement(List *statements, int location)
{
	SyntaxStatement *statement = statements == NIL ? NULL : llast(statements);

	if (statement && statement->end == 0)
		statement->end = location;
}

SyntaxReference *
make_reference(ProgramParser *parser, ProgramIdentifier *schema, ProgramIdentifier *name)
{
	SyntaxReference *reference = palloc0(sizeof(SyntaxReference));

	reference->schema = schema ? fold_name(schema) : NULL;
	reference->name = fold_name(name);
	reference->quoted = name->quoted;
	reference->location = schema ? schema->location : name->location;
	return reference;
}

SyntaxReference *
bracket_reference(ProgramParser *parser, SyntaxReference *reference, List *indices)
{
	if (list_length(indices) > TENSOR_MAX_RANK)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tensor \"%s\" has too many dimensions", reference->name),
						errdetail("It has %d, and the limit is %d.", list_length(indices),
								  TENSOR_MAX_RANK),
						program_errposition(parser->text, reference->location)));
	reference->bracketed = true;
	reference->indices = indices;
	return reference;
}

/*
 * Decides by the case of a label whether it is promoted: all upper case promotes, and the
 * label is folded. Only A to Z count, so that a program means the same in all encodings
 * and locales.
 */
static Pin
pin_by_case(ProgramParser *parser, ProgramIdentifier *label)
{
	char *lower;
	char *upper;

	if (label->quoted)
		return PIN_NONE;

	lower = pstrdup(label->text);
	upper = pstrdup(label->text);
	for (int i = 0; label->text[i]; i++)
	{
		if (label->text[i] >= 'A' && label->text[i] <= 'Z')
			lower[i] += 'a' - 'A';
		else if (label->text[i] >= 'a' && label->text[i] <= 'z')
			upper[i] += 'A' - 'a';
	}

	/* a label without letters is not promoted, either */
	if (strcmp(label->text, lower) == 0)
		return PIN_NONE;
	if (strcmp(label->text, upper) != 0)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("label \"%s\" mixes upper and lower case", label->text),
						errhint("Write %s, or %s to have it as a column.", lower, upper),
						program_errposition(parser->text, label->location)));
	label->text = lower;
	return PIN_PROMOTED;
}

SyntaxIndex *
implied_index(const char *label, int location)
{
	SyntaxIndex *index = palloc0(sizeof(SyntaxIndex));

	index->label = pstrdup(label);
	index->pin = PIN_NONE;
	index->location = location;
	return index;
}

SyntaxIndex *
make_index(ProgramParser *parser, ProgramIdentifier *label)
{
	static const char *const reserved[] = {"value", "tableoid", "ctid", "xmin",
										   "cmin",  "xmax",     "cmax"};
	SyntaxIndex *index = palloc0(sizeof(SyntaxIndex));

	index->pin = pin_by_case(parser, label);
	index->label = label->text;
	index->quoted = label->quoted;
	index->location = label->location;

	/* a label is not truncated: two labels could become one, and a matrix its diagonal */
	if (strlen(index->label) >= NAMEDATALEN)
		ereport(ERROR, (errcode(ERRCODE_NAME_TOO_LONG),
						errmsg("label \"%s\" is too long", index->label),
						errdetail("It has %zu bytes, and the limit is %d.",
								  strlen(index->label), NAMEDATALEN - 1),
						program_errposition(parser->text, index->location)));

	for (int i = 0; i < lengthof(reserved); i++)
	{
		if (strcmp(index->label, reserved[i]) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_RESERVED_NAME),
					 errmsg("label \"%s\" is reserved", index->label),
					 errdetail("Labels become columns of views, which have a column of "
							   "that name."),
					 errhint("Choose another label."),
					 program_errposition(parser->text, index->location)));
	}
	return index;
}

SyntaxIndex *
make_blocked_index(ProgramParser *parser, ProgramIdentifier *label, double block,
				   int block_location)
{
	SyntaxIndex *index = make_index(parser, label);

	/* the block size is a bound of a tensor value, which is at most PG_INT32_MAX */
	if (block < 1 || block > PG_INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("block size of label \"%s\" is out of range", index->label),
				 errdetail("It must be between 1 and %d.", PG_INT32_MAX),
				 errhint("Write %s:* for a dimension that is not split.", index->label),
				 program_errposition(parser->text, block_location)));

	/* a block of one entry is the same as promoting */
	index->pin = block == 1 ? PIN_PROMOTED : PIN_BLOCKED;
	index->block = block == 1 ? 0 : (int64) block;
	return index;
}

SyntaxIndex *
make_demoted_index(ProgramParser *parser, ProgramIdentifier *label)
{
	SyntaxIndex *index = make_index(parser, label);

	index->pin = PIN_DEMOTED;
	return index;
}

/* Numbers are read as float8, which has larger ones only in part. */
#define LARGEST_CONSTANT_INDEX ((INT64CONST(1) << 53) - 1)

/* Converts an index's constant or offset to an integer; raises 22023 beyond the largest. */
static int64
index_number(const ProgramParser *parser, double number, int64 largest, int location)
{
	if (fabs(number) > (double) largest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("index is out of range"),
				 errdetail("Constants are at most " INT64_FORMAT ", and offsets %d.",
						   LARGEST_CONSTANT_INDEX, PG_INT32_MAX),
				 program_errposition(parser->text, location)));
	return (int64) number;
}

SyntaxIndex *
shift_index(ProgramParser *parser, SyntaxIndex *index, double offset, int offset_location)
{
	index->offset = index_number(parser, offset, PG_INT32_MAX, offset_location);
	return index;
}

SyntaxIndex *
make_constant_index(ProgramParser *parser, double constant, int location)
{
	SyntaxIndex *index = palloc0(sizeof(SyntaxIndex));

	index->pin = PIN_NONE;
	index->offset = index_number(parser, constant, LARGEST_CONSTANT_INDEX, location);
	index->location = location;
	return index;
}

void
require_labels(const ProgramParser *parser, const List *indices, const char *where)
{
	ListCell *lc;

	foreach (lc, indices)
	{
		const SyntaxIndex *index = lfirst(lc);

		if (index->label == NULL || index->offset != 0)
			ereport(ERROR,
					(errcode(ERRCODE_SYNTAX_ERROR),
					 index->label ? errmsg("shifted index %s", where)
								  : errmsg("constant index %s", where),
					 errdetail("There is a label of its own for each dimension."),
					 index->label
						 ? errhint("Shift what is read: y[t] = x[t-1].")
						 : errhint("For an entry of x write y[] = x[0]. Entries of a "
								   "stored tensor are changed in its table, by "
								   "UPDATE or INSERT."),
					 program_errposition(parser->text, index->location)));
	}
}

SyntaxExpr *
make_number(ProgramParser *parser, double number, bool imaginary, int location)
{
	SyntaxExpr *expr = make_expr(SYNTAX_NUMBER, NIL, location);

	if (imaginary)
		refuse_in_map(parser, _("imaginary number"), location);
	expr->number = number;
	expr->imaginary = imaginary;
	return expr;
}

/* parameter: counts from 1, as in the text */
SyntaxExpr *
make_parameter(ProgramParser *parser, int parameter, int location)
{
	SyntaxExpr *expr = make_expr(SYNTAX_PARAMETER, NIL, location);

	if (parser->mode != PROGRAM_MODE_MAP)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR), errmsg("parameter in a program"),
						errhint("A program has no parameters and reads tensors by their "
								"names: a number is written into its text, as in "
								"format('y[i] = %%s*x[i]', $%d), or is a tensor s[].",
								parameter),
						program_errposition(parser->text, location)));
	if (parameter < 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_PARAMETER), errmsg("there is no parameter $0"),
				 errhint("The first operand is $1."),
				 program_errposition(parser->text, location)));
	if (parameter > MAP_MAX_OPERANDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many operands"),
				 errdetail("There may be %d.", MAP_MAX_OPERANDS),
				 program_errposition(parser->text, location)));
	expr->parameter = parameter - 1;
	return expr;
}

SyntaxExpr *
make_reference_expr(ProgramParser *parser, SyntaxReference *reference)
{
	SyntaxExpr *expr = make_expr(SYNTAX_REFERENCE, NIL, reference->location);

	refuse_in_map(parser, _("tensor name"), reference->location);
	expr->reference = reference;
	return expr;
}

/* right: NULL for a prefix operator */
SyntaxExpr *
make_operator(FunctionId function, SyntaxExpr *left, SyntaxExpr *right, int location)
{
	SyntaxExpr *expr = make_expr(
		SYNTAX_CALL, right ? list_make2(left, right) : list_make1(left), location);

	expr->function = function;
	return expr;
}

SyntaxExpr *
make_matmul(ProgramParser *parser, SyntaxExpr *left, SyntaxExpr *right, int location)
{
	refuse_in_map(parser, _("matrix product"), location);
	return make_expr(SYNTAX_MATMUL, list_make2(left, right), location);
}

/* Returns the names of all functions that are not operators, for a hint. */
static char *
function_names(void)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < FUNCTION_COUNT; i++)
	{
		if (pointwise_functions[i].symbol != NULL)
			continue;
		appendStringInfo(&names, "%s%s", names.len ? ", " : "",
						 pointwise_functions[i].name);
	}
	return names.data;
}

/* Returns the names of all matrix functions, for messages. */
static char *
matrix_function_names(void)
{
	StringInfoData names;
	const MatrixFunction *function;

	initStringInfo(&names);
	for (int i = 0; (function = matrix_function(i)) != NULL; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", function->name);
	return names.data;
}

/* Are the arguments two numbers or more, as in c(1, 2, 3)? */
static bool
are_numbers(const List *args)
{
	ListCell *lc;

	foreach (lc, args)
	{
		if (((const SyntaxExpr *) lfirst(lc))->kind != SYNTAX_NUMBER)
			return false;
	}
	return list_length(args) > 1;
}

static void
unknown_function(ProgramParser *parser, const char *name, const List *args, int location)
{
	const char *hint = hint_for_word(name);

	if (hint == NULL && parser->mode == PROGRAM_MODE_PROGRAM && are_numbers(args))
		hint = _(LIST_OF_NUMBERS);

	if (hint == NULL && parser->mode == PROGRAM_MODE_PROGRAM)
		hint = hint_for_aggregate(name);
	if (hint == NULL)
		hint = hint_for_similar(name, parser->mode == PROGRAM_MODE_PROGRAM);
	ereport(
		ERROR,
		(errcode(ERRCODE_UNDEFINED_FUNCTION), errmsg("there is no function %s", name),
		 hint != NULL ? errhint("%s", hint)
		 : parser->mode == PROGRAM_MODE_MAP
			 ? errhint("There are %s, pow.", function_names())
			 : errhint(
				   "If %s is a tensor, its labels stand in brackets: %s[i,j]. The "
				   "functions are %s, pow; for matrices %s; and aggregates over labels, "
				   "as sum[j].",
				   name, name, function_names(), matrix_function_names()),
		 program_errposition(parser->text, location)));
}

/*
 * Raises 42883 if the number of arguments is wrong; more: there may be more than arity.
 */
static void
check_arity(ProgramParser *parser, const char *name, int nargs, int arity, bool more,
			int location)
{
	static const char *const usage[] = {"", "a", "a, b", "a, b, c"};

	StaticAssertStmt(lengthof(usage) == FUNCTION_MAX_ARGS + 1, "a usage per arity");

	if (nargs == arity || (more && nargs > arity))
		return;
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
					errmsg("wrong number of arguments for function %s: %d", name, nargs),
					hint_for_word(name) ? errhint("%s", hint_for_word(name))
										: errhint("Write %s(%s%s).", name, usage[arity],
												  more ? ", ..." : ""),
					program_errposition(parser->text, location)));
}

/* The name of the aggregate that a matrix function applies. */
static const char *
aggregate_of_function(const MatrixFunction *function)
{
	return function->mean ? formula_name(FORMULA_AVG)
						  : aggregate_operator_name(function->aggregate);
}

static SyntaxExpr *
make_matrix_call(ProgramParser *parser, const MatrixFunction *function, List *args,
				 int location)
{
	SyntaxExpr *expr = make_expr(SYNTAX_MATRIX, args, location);

	refuse_in_map(parser, _("function of matrices"), location);
	/* max(a, b) in R and SQL is greatest(a, b) here, which the hint says */
	if (list_length(args) > 1 && hint_for_word(function->name))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("wrong number of arguments for function %s: %d",
							   function->name, list_length(args)),
						errhint("%s", hint_for_word(function->name)),
						program_errposition(parser->text, location)));
	if (list_length(args) > 1 && function->operation == MATRIX_AGGREGATE)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("wrong number of arguments for function %s: %d",
							   function->name, list_length(args)),
						errhint("Over a label write %s[j] a[i,j]; %s(a) is of a matrix "
								"without indices.",
								aggregate_of_function(function), function->name),
						program_errposition(parser->text, location)));
	/* in R solve(a) is the inverse */
	if (list_length(args) == 1 && function->operation == MATRIX_SOLVE)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_FUNCTION),
				 errmsg("wrong number of arguments for function %s: 1", function->name),
				 errhint("The inverse is inverse(a), and the x with a %%*%% x == b "
						 "is solve(a, b)."),
				 program_errposition(parser->text, location)));
	check_arity(parser, function->name, list_length(args),
				function->operation == MATRIX_SOLVE ? 2 : 1, false, location);
	expr->matrix = function;
	return expr;
}

/* Makes a call of a solver that names the labels of the matrix: solve[k,l](a, b). */
SyntaxExpr *
make_solver(ProgramParser *parser, SyntaxReference *name, List *args, int location)
{
	const MatrixFunction *function =
		name->schema || name->quoted ? NULL : matrix_function_by_name(name->name);
	SyntaxExpr *expr;

	if (!name->bracketed)
	{
		const char *hint =
			name->quoted ? NULL : hint_for_foreign_name(name->schema, name->name);

		/* for np.sqrt(x) */
		if (hint == NULL && !name->quoted &&
			(pointwise_function_by_name(name->name) ||
			 matrix_function_by_name(name->name)))
			hint = psprintf(_("Functions are written alone: %s(x)."), name->name);
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("syntax error at or near \"(\""),
				 hint ? errhint("%s", hint)
					  : errhint("A product is written with *, and a function's name "
								"without quotes and schema."),
				 program_errposition(parser->text, location)));
	}
	if (function == NULL && !name->schema && !name->quoted)
		refuse_aggregate(parser, name->name, name->location);
	if (function == NULL || function->operation < MATRIX_SOLVE)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("\"%s\" is no function of matrices by their labels", name->name),
				 errhint("There are solve[k,l](a, b), inverse[k,l](a) and "
						 "cholesky[k,l](a). A product is written with *."),
				 program_errposition(parser->text, name->location)));
	expr = make_matrix_call(parser, function, args, name->location);
	require_labels(parser, name->indices, _("in the brackets of a matrix"));
	if (list_length(name->indices) != 2 ||
		strcmp(((SyntaxIndex *) linitial(name->indices))->label,
			   ((SyntaxIndex *) lsecond(name->indices))->label) == 0)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("%s[...] needs two labels", function->name),
						errdetail("They are those of the matrix."),
						errhint("Write %s[k,l](...).", function->name),
						program_errposition(parser->text, name->location)));
	expr->labels = name->indices;
	return expr;
}

SyntaxExpr *
make_call(ProgramParser *parser, ProgramIdentifier *name, List *args)
{
	char *folded = downcase_identifier(name->text, strlen(name->text), false, false);
	const MatrixFunction *matrix = matrix_function_by_name(folded);
	const PointwiseFunction *function;
	SyntaxExpr *expr;
	bool variadic;

	/* a map expression has no matrix functions: there max($1, $2) means greatest */
	if (matrix && !(parser->mode == PROGRAM_MODE_MAP && hint_for_word(folded)))
		return make_matrix_call(parser, matrix, args, name->location);

	function = pointwise_function_by_name(folded);
	if (function == NULL)
		unknown_function(parser, folded, args, name->location);
	variadic = function->id == FUNCTION_GREATEST || function->id == FUNCTION_LEAST;
	check_arity(parser, folded, list_length(args), function->arity, variadic,
				name->location);

	/* greatest and least of more than two are nested from the left */
	expr = make_expr(SYNTAX_CALL, NIL, name->location);
	expr->function = function->id;
	if (!variadic)
		expr->args = args;
	else
	{
		expr->args = list_make2(linitial(args), lsecond(args));
		for (int i = 2; i < list_length(args); i++)
		{
			SyntaxExpr *outer = make_expr(
				SYNTAX_CALL, list_make2(expr, list_nth(args, i)), name->location);

			outer->function = function->id;
			expr = outer;
		}
	}
	return expr;
}

/*
 * Checks the labels in the brackets of an aggregate or formula: there may not be too
 * many, and none may occur twice.
 */
static void
check_labels(const ProgramParser *parser, const char *name, const List *labels,
			 int location)
{
	ListCell *lc;
	ListCell *other;

	require_labels(parser, labels, _("in the brackets of an aggregate"));
	if (list_length(labels) > EQUATION_MAX_LETTERS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%s has too many labels", name),
						errdetail("It has %d, and the limit is %d.", list_length(labels),
								  EQUATION_MAX_LETTERS),
						program_errposition(parser->text, location)));

	foreach (lc, labels)
	{
		SyntaxIndex *index = lfirst(lc);

		foreach (other, labels)
		{
			SyntaxIndex *earlier = lfirst(other);

			if (earlier == index)
				break;
			if (strcmp(earlier->label, index->label) == 0)
				ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
								errmsg("label \"%s\" occurs twice in %s[...]",
									   index->label, name),
								program_errposition(parser->text, index->location)));
		}
	}
}

/* labels: NIL if sum[] was written, which is an error */
SyntaxExpr *
make_aggregate(ProgramParser *parser, AggregateOperator aggregate, List *labels,
			   SyntaxExpr *body, int location)
{
	const char *name = aggregate_names[aggregate];
	SyntaxExpr *expr;

	refuse_in_map(parser, _("aggregate"), location);
	if (labels == NIL)
		ereport(
			ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR), errmsg("%s[] needs a label", name),
			 errhint("Write the labels that it aggregates, as in %s[j] a[i,j]. A tensor "
					 "that has the name of an aggregate must be quoted.",
					 name),
			 program_errposition(parser->text, location)));
	check_labels(parser, name, labels, location);
	expr = make_expr(SYNTAX_AGGREGATE, list_make1(body), location);
	expr->aggregate = aggregate;
	expr->labels = labels;
	return expr;
}

SyntaxExpr *
make_formula(ProgramParser *parser, ProgramIdentifier *name, List *labels,
			 SyntaxExpr *body)
{
	char *folded = downcase_identifier(name->text, strlen(name->text), false, false);
	SyntaxExpr *expr = make_expr(SYNTAX_FORMULA, list_make1(body), name->location);

	refuse_in_map(parser, _("aggregate"), name->location);
	if (!formula_by_name(folded, &expr->formula))
		elog(ERROR, "no formula is called %s", folded);
	check_labels(parser, folded, labels, name->location);
	expr->labels = labels;
	return expr;
}
