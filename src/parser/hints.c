/*-------------------------------------------------------------------------
 *
 * hints.c
 *	  What the author of a program that cannot be read probably needs to know.
 *
 * Mostly the token to the left of the error tells: in `mean[j] a[i,j]` the
 * parser stops at `a`, and the mistake is `mean`. What has been opened and not
 * closed comes first, since an error behind it may be far from its cause.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "parser/scansup.h"
#include "utils/varlena.h"

#include "parser/program_grammar.h"

/* Words of SQL, R, numpy and Python, and how the language says what they mean. */
static const struct
{
	const char *word;
	const char *hint;
} foreign_words[] = {
	{"log", "Write ln(x), or ln(x)/ln(10) for the decimal logarithm."},
	{"power", "Write x^y or pow(x, y)."},
	{"min", "Write least(a, b), or min[j] a[i,j] over a label."},
	{"max", "Write greatest(a, b), or max[j] a[i,j] over a label."},
	{"pmin", "Write least(a, b)."},
	{"pmax", "Write greatest(a, b)."},
	{"prod", "Write prod[j] a[i,j] over a label."},
	{"any", "Write any[j] a[i,j] over a label."},
	{"all", "Write all[j] a[i,j] over a label."},
	{"mean", "Write avg[j] a[i,j] over a label; of a matrix without indices mean(a), "
			 "rowMeans(a) or colMeans(a)."},
	{"avg", "Write avg[j] a[i,j] over a label; of a matrix without indices mean(a), "
			"rowMeans(a) or colMeans(a)."},
	{"count", "Write count[j] a[i,j] over a label: how many are not 0."},
	{"argmax", "Write argmax[k] x[i,k] over a label."},
	{"argmin", "Write argmin[k] x[i,k] over a label."},
	{"softmax", "Write softmax[k] x[i,k] over a label."},
	{"logsumexp", "Write logsumexp[k] x[i,k] over a label."},
	{"norm", "Write norm[k] x[i,k] over a label."},
	{"dot", "A matrix product is written %*%, or with labels sum[j] a[i,j]*b[j,k]."},
	{"matmul", "A matrix product is written %*%, or with labels sum[j] a[i,j]*b[j,k]."},
	{"transpose", "Write t(a), or with labels b[j,i] = a[i,j]."},
	{"and", "Comparisons give 1 or 0: (a > 0) * (b > 0) is 1 where both hold."},
	{"or", "Comparisons give 1 or 0: greatest(a > 0, b > 0) is 1 where one holds."},
	{"not", "Comparisons give 1 or 0: 1 - (a > 0) is 1 where a > 0 does not hold."},
	{"where", "Write if(a[i,j] > 0, a[i,j], 0), or multiply by the comparison; a "
			  "condition on keys "
			  "belongs into a registered view, or the query that reads the result."},
	{"case", "Write if(condition, x, y)."},
	{"when", "Write if(condition, x, y)."},
	{"then", "Write if(condition, x, y)."},
	{"else", "Write if(condition, x, y)."},
	{"if", "Write if(condition, x, y)."},
	{"for", "An aggregate names its labels, as in sum[j] a[i,j]."},
	{"over", "An aggregate names its labels, as in sum[j] a[i,j]."},
};

const char *
hint_for_word(const char *word)
{
	for (int i = 0; i < lengthof(foreign_words); i++)
		if (pg_strcasecmp(word, foreign_words[i].word) == 0)
			return _(foreign_words[i].hint);
	return NULL;
}

/* Makes other *similar if it is less than *least edits from name, whatever its case. */
static void
compare_name(const char *name, const char *other, int *least, const char **similar)
{
	int length = (int) strlen(name);
	char *folded = downcase_identifier(other, (int) strlen(other), false, false);
	int distance;

	if (length >= NAMEDATALEN)
		return;
	distance = varstr_levenshtein_less_equal(name, length, folded, (int) strlen(folded),
											 1, 1, 1, *least - 1, true);
	if (distance < *least)
	{
		*least = distance;
		*similar = other;
	}
}

const char *
hint_for_similar(const char *name, bool in_program)
{
	int least = Min(3, (int) strlen(name) / 2) + 1;
	const char *similar = NULL;
	const MatrixFunction *function;

	for (int i = 0; i < FUNCTION_COUNT; i++)
	{
		if (pointwise_functions[i].symbol == NULL)
			compare_name(name, pointwise_functions[i].name, &least, &similar);
	}
	for (int i = 0; in_program && (function = matrix_function(i)) != NULL; i++)
		compare_name(name, function->name, &least, &similar);
	return similar ? psprintf(_("Perhaps you meant %s."), similar) : NULL;
}

/* The text of a token that is a word, or NULL. */
static const char *
word_of(const ProgramParser *parser, const ProgramToken *token)
{
	switch (token->kind)
	{
		case NAME:
		case FUNCTION:
		case AGGREGATE:
			return pnstrdup(parser->text + token->location, token->length);
		default:
			return NULL;
	}
}

/* A hint for `sum a[i,j]`, where word is what stands left of the error, or NULL. */
static const char *
hint_for_aggregate(const char *word)
{
	size_t length = strcspn(word, "_");
	AggregateOperator aggregate;
	char *name = downcase_identifier(word, (int) length, false, false);

	if (!aggregate_operator_by_name(name, &aggregate))
		return NULL;
	return psprintf(_("An aggregate names its labels in brackets, as in %s[j] a[i,j]."),
					name);
}

/* A hint that names the innermost bracket that has not been closed, or NULL. */
static const char *
hint_for_open(const ProgramParser *parser)
{
	int location;

	if (parser->open == NIL)
		return NULL;
	location = llast_int(parser->open);
	return psprintf(_("The \"%c\" at character %d is not closed."),
					parser->text[location],
					pg_mbstrlen_with_len(parser->text, location) + 1);
}

/* Hints for a token, by itself. */
static const char *
hint_for_kind(const ProgramParser *parser, const ProgramToken *token)
{
	switch (token->kind)
	{
		case EQUALS_SIGN:
			return _("Use == to compare, and ; between statements.");
		case STARS:
			return _("Use ^ for powers.");
		case '%':
		case '@':
			return _("A matrix product is written %*%.");
		case '.':
			return _("A product is written with *, and a matrix product with %*%.");
		case '(':
			return _("A product is written with *, and a function's name without quotes "
					 "and schema.");
		case NAME:
		case FUNCTION:
		case AGGREGATE:
		case INTEGER:
		case NUMBER:
		case IMAGINARY:
		case PARAMETER:
			/* an operand can only be wrong behind another one */
			return parser->mode == PROGRAM_MODE_PROGRAM
					   ? _("A product is written with *, and statements are separated by "
						   ";.")
					   : _("A product is written with *.");
		default:
			return NULL;
	}
}

/* Whether the text is an equation of einsum(), as 'ij,jk->ik'. */
static bool
is_equation(const char *text)
{
	const char *arrow = strstr(text, "->");

	return arrow != NULL &&
		   strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,. ") ==
			   (size_t) (arrow - text);
}

const char *
hint_for_syntax_error(const ProgramParser *parser)
{
	const ProgramToken *token = &parser->current;
	const char *here = word_of(parser, token);
	const char *left = word_of(parser, &parser->previous);
	bool in_expression = !token->in_brackets && parser->mode != PROGRAM_MODE_NOTATION;
	const char *hint = NULL;

	if (parser->mode == PROGRAM_MODE_PROGRAM && is_equation(parser->text))
		return _("This is an equation, of einsum(equation, values ...). A program has "
				 "statements over registered tensors, as z[i,k] = a[i,j] * b[j,k].");
	/* "=" within parentheses is meant to compare */
	if (token->kind == 0 || token->kind == ';' ||
		(token->in_brackets && (token->kind == EQUALS_SIGN || token->kind == ASSIGN)))
		hint = hint_for_open(parser);
	if (hint == NULL && in_expression && here != NULL)
		hint = hint_for_word(here);
	if (hint == NULL && in_expression && left != NULL)
		hint = hint_for_word(left);
	if (hint == NULL && in_expression && left != NULL && here != NULL)
		hint = hint_for_aggregate(left);
	/* behind brackets it stands before them: mean[j] a[i,j] */
	if (hint == NULL && in_expression && parser->previous.kind == ']' && here != NULL &&
		parser->bracketed.length > 0)
		hint = hint_for_word(pnstrdup(parser->text + parser->bracketed.location,
									  parser->bracketed.length));
	if (hint != NULL)
		return hint;

	if (token->in_brackets)
		return _("An index is a label, as in a[i,j], I, i:64 or i:*.");
	if (parser->mode == PROGRAM_MODE_NOTATION)
		return _("A tensor is written name[label, ...], with keys in upper case.");
	if (token->in_target)
	{
		if (token->kind == AGGREGATE)
			return _("A tensor that has the name of an aggregate must be quoted.");
		return _("A statement is written name[label, ...] = expression.");
	}
	return hint_for_kind(parser, token);
}

void
reserved_index(ProgramParser *parser, int location, bool gather)
{
	/* where another reference begins before this one ends, its ] is missing */
	size_t next = strcspn(parser->text + location, "[]");
	const char *open = hint_for_open(parser);

	if (!gather && parser->text[location + next] != ']' && open != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("index list is not closed"),
				 errhint("%s", open), program_errposition(parser->text, location)));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arithmetic in indices is not supported"),
			 errdetail("An index is a label, as in a[i,j], I or i:64, a label with a "
					   "number added, as in x[t-1], or a number, as in x[0,k]."),
			 errhint("Multiply by a tensor that is 1 where it applies, as in "
					 "a[i,k]*next[j,k]."),
			 program_errposition(parser->text, location)));
}
