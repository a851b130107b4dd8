/*-------------------------------------------------------------------------
 *
 * hints.c
 *	  Hints for the author of a program that cannot be parsed.
 *
 * The mistake usually is the token to the left of the error: in `mean[j] a[i,j]` the
 * parser stops at `a`, and the mistake is `mean`. A bracket that is not closed comes
 * first, since the error that it causes may be far behind it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "parser/scansup.h"

#include "lib/stringinfo.h"

#include "parser/hints.h"
#include "parser/near_names.h"
#include "parser/program_grammar.h"

/*
 * A sign of other languages, and what to write instead. The first sign with which a text
 * begins counts.
 */
typedef struct ForeignSign
{
	const char *sign;
	const char *advice;
} ForeignSign;

#define BOTH_HOLD "Comparisons give 1 or 0: (a > 0) * (b > 0) is 1 where both hold."
#define ONE_HOLDS                                                                        \
	"Comparisons give 1 or 0: greatest(a > 0, b > 0) is 1 where one holds. Absolute "    \
	"values are abs(x), and a norm is norm[k] x[i,k]."
#define NOT_HOLDS "Comparisons give 1 or 0: 1 - (a > 0) is 1 where a > 0 does not hold."
#define A_COMMENT "Comments begin with --, or are between /* and */."
#define MODULO                                                                           \
	"The rest of a division is x - n*floor(x/n), its whole part floor(x/n); a matrix "   \
	"product is written %*%."
#define ASSIGNED_ANEW                                                                    \
	"Write =: a label that is only on the right is summed already. A tensor is not "     \
	"changed: a sum with another one has another name, as in z[i] = y[i] + x[i], and "   \
	"einsum_iterate runs a step many times."
#define IN_BRACKETS "Labels stand in brackets: sum[j] a[i,j]."
#define SUM_SIGN "Write sum[j] a[i,j]."
#define PLAIN_QUOTES "Names are written plainly, or between the quotes of SQL, \"name\"."
#define PRODUCT_SIGN "A product is written with *, and a matrix product with %*%."
#define ONE_BRACKET                                                                      \
	"Indices stand behind the name of a tensor, in one pair of brackets: a[i,j], "       \
	"abs(x[i]), t(a) without indices or b[j,i] = a[i,j]."
#define KEYS_ARE_LABELS                                                                  \
	"A key that is no integer is not written in a program: ask for it where the result " \
	"is read, as in einsum_rows(..., at => '{\"p\": \"ann\"}'), or register a view."
#define KEY_IN_BRACKETS                                                                  \
	"A key that is no integer is not written in a program: write a label, on the left "  \
	"as well, and ask for the key where the result is read, as in einsum_rows('s[u,p] "  \
	"= r[u,p]', at => '{\"u\": \"ann\"}'); or register a view."
#define CONDITION_ON_INDEX                                                               \
	"Conditions are multiplied: sum[j] (x[j] > 0)*a[i,j], or read from a tensor that "   \
	"is "                                                                                \
	"1 where they hold."
#define NOT_THE_SAME_INDEX                                                               \
	"Leave equal indices out by a factor, sum[%s] (1 - eye[%s,%s])*a[i,j]: eye is 1 "    \
	"where two indices are equal, and else 0."
#define THE_SAME_INDEX                                                                   \
	"Equal indices are written as one label, as in a[i,i], or by a factor, sum[%s] "     \
	"eye[%s,%s]*a[i,j]."
#define ORDER_OF_INDICES                                                                 \
	"Indices are compared by a factor, sum[%s] before[%s,%s]*a[i,j], a tensor that is "  \
	"1 "                                                                                 \
	"where it holds: SELECT einsum_store('before[I,J]', 'SELECT i, j, 1 FROM "           \
	"generate_series(0, 9) AS i, generate_series(0, 9) AS j WHERE i %s j', "             \
	"'{10,10}'), here for a bound of 10."
#define ENTRY_BY_ENTRY                                                                   \
	"Operators are of each entry: write a * b, a / b or a^2. A matrix product is "       \
	"written %*%."
#define NO_COLUMNS                                                                       \
	"A tensor has no columns: einsum_register(tensor, relation, keys => ..., value => "  \
	"...) says which column its entries are in, and the program reads x[i]."
#define NO_SLICES                                                                        \
	"A label runs over all indices of its dimension: x[i]. x[0] is the first entry and " \
	"x[i-1] the one before; i:64 is a block size. For a part of them register a view, "  \
	"or multiply by a tensor that is 1 there."
#define NO_INDEX                                                                         \
	"Each dimension has a label or a number, which counts from 0: a row is y[j] = "      \
	"a[1,j], a column y[i] = a[i,1]."

/* clang-format off */
static const ForeignSign foreign_signs[] = {
	{"<->", "The distance is written out: sqrt(sum[k] (x[i,k] - y[j,k])^2)."},
	{"<#>", "The inner product is written out: -(sum[k] x[i,k]*y[j,k]), which <#> of values gives."},
	{"<=>", "The cosine distance is written out: 1 - (sum[k] x[i,k]*y[j,k]) / ((norm[k] x[i,k]) * (norm[k] y[j,k]))."},
	{"<+>", "The distance is written out: sum[k] abs(x[i,k] - y[j,k])."},
	{"&&", BOTH_HOLD}, {"&", BOTH_HOLD}, {"\xe2\x88\xa7", BOTH_HOLD},
	{"||", ONE_HOLDS}, {"|>", SUM_SIGN}, {"|", ONE_HOLDS}, {"\xe2\x88\xa8", ONE_HOLDS},
	{"!", NOT_HOLDS}, {"~", NOT_HOLDS}, {"\xc2\xac", NOT_HOLDS},
	{"??", "There is no NULL; write if(condition, x, y)."},
	{"?", "Write if(condition, x, y). A program has no parameters: a number is written into its text, or is a tensor s[]."},
	{"#", A_COMMENT}, {"//", A_COMMENT " The whole part of a quotient is floor(x/y)."},
	{"'", "The transpose of a matrix is t(a), or with labels b[j,i] = a[i,j]. Texts have no place in a program, and names are written plainly."},
	{"`", PLAIN_QUOTES}, {"\xe2\x80\x9c", PLAIN_QUOTES}, {"\xe2\x80\x9d", PLAIN_QUOTES}, {"\xe2\x80\x98", PLAIN_QUOTES}, {"\xe2\x80\x99", PLAIN_QUOTES},
	{"+=", ASSIGNED_ANEW}, {"-=", ASSIGNED_ANEW}, {"*=", ASSIGNED_ANEW}, {"/=", ASSIGNED_ANEW}, {"^=", ASSIGNED_ANEW}, {"++", ASSIGNED_ANEW}, {"@=", ASSIGNED_ANEW},
	{"%o%", "An outer product is written with labels: y[i,j] = x[i]*z[j]."},
	{"%x%", "Write y[i,j,k,l] = a[i,j]*b[k,l], with four labels."},
	{"%in%", "Write (x == 1) + (x == 2), which is 1 where one holds."},
	{"%>%", SUM_SIGN}, {"%", MODULO},
	{"**", "Use ^ for powers."},
	{".*", ENTRY_BY_ENTRY}, {"./", ENTRY_BY_ENTRY}, {".^", ENTRY_BY_ENTRY}, {".+", ENTRY_BY_ENTRY}, {".-", ENTRY_BY_ENTRY}, {".\\", ENTRY_BY_ENTRY},
	{"@", "A matrix product is written %*%, or with labels sum[j] a[i,j]*b[j,k]."},
	{"::", "Write float8(x), float4(x), round(x) or floor(x): there are no other types."},
	{":", "A program has no parameters: a number is written into its text, or is a tensor s[], as in s[]*x[i]."},
	{"<<", "Multiply or divide by a power of 2: x*2^n."}, {">>", "Multiply or divide by a power of 2: x*2^n."},
	{"=>", "A program has only statements, name[label, ...] = expression; options belong to the call, behind the program."},
	{"->", "A statement is written name[label, ...] = expression, with the result on the left."},
	{"..", NO_SLICES},
	{"\xe2\x88\x82", "einsum_gradient(program, 'loss', '{w}') writes the program that computes derivatives."}, {"\xe2\x88\x87", "einsum_gradient(program, 'loss', '{w}') writes the program that computes derivatives."},
	{"{", IN_BRACKETS}, {"}", IN_BRACKETS},
	{"\\", "Names have no backslash: write sum[j] a[i,j], sqrt(x), x/y. solve(a, b) solves."},
	{"$", NO_COLUMNS},
	{"\xc2\xb7", PRODUCT_SIGN}, {"\xc3\x97", PRODUCT_SIGN}, {"\xe2\x8b\x85", PRODUCT_SIGN}, {"\xe2\x88\x97", PRODUCT_SIGN}, {"\xe2\x80\xa2", PRODUCT_SIGN}, {"\xe2\x88\x98", PRODUCT_SIGN}, {"\xe2\x8a\x99", PRODUCT_SIGN},
	{"\xe2\x8a\x97", "An outer product is written with labels: y[i,j] = x[i]*z[j]."},
	{"\xc3\xb7", "Write x / y."}, {"\xe2\x88\x92", "Write - for minus."}, {"\xe2\x80\x93", "Write - for minus."},
	{"\xc2\xb2", "Write x^2."}, {"\xc2\xb3", "Write x^3."}, {"\xe2\x81\xbb\xc2\xb9", "Write 1/x, or inverse(a) of a matrix."}, {"\xe1\xb5\x80", "Write t(a), or with labels b[j,i] = a[i,j]."},
	{"\xe2\x88\x9a", "Write sqrt(x)."},
	{"\xe2\x89\xa4", "Write <=."}, {"\xe2\x89\xa5", "Write >=."}, {"\xe2\x89\xa0", "Write <>."}, {"\xe2\x89\x88", "Write abs(x - y) < 1e-9."},
	{"\xe2\x88\x91", SUM_SIGN}, {"\xce\xa3", SUM_SIGN}, {"\xe2\x88\x8f", "Write prod[j] a[i,j]."}, {"\xce\xa0", "Write prod[j] a[i,j]."},
	{"\xe2\x88\x88", "The labels of an aggregate are in brackets: sum[j] a[i,j]."},
	{"\xe2\x86\x90", "Write = or <-."}, {"\xe2\x86\x92", "Write = or <-, with the result on the left."},
	{"[", ONE_BRACKET},
};

/* Signs that are used where an index should be. */
static const ForeignSign signs_in_brackets[] = {
	{"...", "Each dimension has a label: a[i,j,k]. Those of a sum over the last one are y[i,j] = sum[k] a[i,j,k]."},
	{":", NO_SLICES}, {".", NO_SLICES}, {"*", NO_SLICES}, {"]", NO_INDEX}, {",", NO_INDEX},
	{"<", CONDITION_ON_INDEX}, {">", CONDITION_ON_INDEX}, {"!", CONDITION_ON_INDEX},
	{"'", KEY_IN_BRACKETS}, {"$", KEY_IN_BRACKETS}, {"?", KEY_IN_BRACKETS},
	{"=", "An index is a label, or an integer as in x[0,k]. " CONDITION_ON_INDEX " " KEYS_ARE_LABELS},
	{"[", ONE_BRACKET},
};
/* clang-format on */

/* Returns the advice for the foreign sign with which the text begins, or NULL. */
static const char *
hint_for_sign(const char *text)
{
	for (int i = 0; i < lengthof(foreign_signs); i++)
	{
		if (strncmp(text, foreign_signs[i].sign, strlen(foreign_signs[i].sign)) == 0)
			return _(foreign_signs[i].advice);
	}
	return NULL;
}

const char *
hint_for_sign_within(const char *word)
{
	const char *hint = NULL;

	for (; *word && hint == NULL; word += pg_mblen(word))
	{
		/* x$v was read as a name, but meant as a column */
		if (IS_HIGHBIT_SET(*word) || *word == '$')
			hint = hint_for_sign(word);
	}
	return hint;
}

/* Returns the text of a token if the token is a word, else NULL. */
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

/*
 * Returns a hint for two labels that are compared in the brackets of an aggregate, as in
 * sum[j != i]; or NULL.
 */
static const char *
hint_for_compared_labels(const ProgramParser *parser, const char *text)
{
	size_t length = strspn(text, "!<>=");
	const char *other = text + length + strspn(text + length, " ");
	const char *label = word_of(parser, &parser->previous);
	const char *sign = pnstrdup(text, length);
	const char *advice = ORDER_OF_INDICES;

	if (length == 0 || label == NULL ||
		!(isalpha((unsigned char) *other) || *other == '_'))
		return NULL;
	other = pnstrdup(other, strspn(other, "abcdefghijklmnopqrstuvwxyz"
										  "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"));
	if (strcmp(sign, "!=") == 0 || strcmp(sign, "<>") == 0)
		advice = NOT_THE_SAME_INDEX;
	else if (sign[0] == '=')
		advice = THE_SAME_INDEX;
	return psprintf(_(advice), label, label, other, sign);
}

/*
 * Returns a hint for an index that is left out or a slice in a product of matrices, where
 * the next operator or the one before is %*%; or NULL.
 */
static const char *
hint_for_column(const ProgramParser *parser)
{
	return strstr(parser->text, "%*%") ? _("Tensors with brackets and %*% do not mix: "
										   "write the labels, y[i] = sum[j] "
										   "a[i,j]*x[j,1]. x[j,1] is one column of x.")
									   : NULL;
}

static const char *
hint_in_brackets(const char *text)
{
	for (int i = 0; i < lengthof(signs_in_brackets); i++)
	{
		if (strncmp(text, signs_in_brackets[i].sign, strlen(signs_in_brackets[i].sign)) ==
			0)
			return _(signs_in_brackets[i].advice);
	}
	return NULL;
}

static void
offer_functions(NearNames *names, bool in_program)
{
	const MatrixFunction *function;

	for (int i = 0; i < FUNCTION_COUNT; i++)
	{
		if (pointwise_functions[i].symbol == NULL)
			offer_name(names, pointwise_functions[i].name);
	}
	for (int i = 0; in_program && (function = matrix_function(i)) != NULL; i++)
		offer_name(names, function->name);
}

static void
offer_aggregates(NearNames *names)
{
	for (int i = 0; i <= AGGREGATE_ALL; i++)
		offer_name(names, aggregate_operator_name((AggregateOperator) i));
	for (int i = 0; i <= FORMULA_ARGMIN; i++)
		offer_name(names, formula_name((Formula) i));
}

const char *
hint_for_similar(const char *name, bool in_program)
{
	NearNames names = {.name = name};
	const char *nearest;

	offer_functions(&names, in_program);
	nearest = nearest_name(&names);
	if (nearest)
		return psprintf(_("Perhaps you meant %s."), nearest);
	if (!in_program)
		return NULL;
	offer_aggregates(&names);
	nearest = nearest_name(&names);
	return nearest ? psprintf(_("Perhaps you meant %s[j] a[i,j], over a label."), nearest)
				   : NULL;
}

const char *
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

/*
 * Returns a hint for an operator of three signs, as <->, if the error is at its second or
 * third sign; or NULL.
 */
static const char *
hint_for_distance(const ProgramParser *parser, const ProgramToken *token)
{
	const char *text = parser->text + token->location;

	for (int back = 1; back <= 2 && back <= token->location; back++)
	{
		if (text[-back] == '<' && text[1 - back] != '\0' && text[2 - back] == '>')
			return hint_for_sign(text - back);
	}
	return NULL;
}

/* Returns a hint that names the innermost bracket that is not closed, or NULL. */
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

/* Returns a hint for a token, whatever stands around it; or NULL. */
static const char *
hint_for_kind(const ProgramParser *parser, const ProgramToken *token)
{
	switch (token->kind)
	{
		case EQUALS_SIGN:
			return _("Use == to compare, and ; between statements.");
		case ',':
			if ((parser->previous.kind == INTEGER || parser->previous.kind == NUMBER) &&
				isdigit((unsigned char) parser->text[token->location + 1]))
				return parser->open == NIL
						   ? _("Decimals are written with a point, as in 1.5.")
						   : _(LIST_OF_NUMBERS);
			return parser->mode == PROGRAM_MODE_PROGRAM && parser->open == NIL
					   ? _("Statements are separated by ;.")
					   : NULL;
		case '.':
			return parser->previous.kind == ']' &&
						   isalpha((unsigned char) parser->text[token->location + 1])
					   ? _(NO_COLUMNS)
					   : _(PRODUCT_SIGN);
		case ')':
		case ']':
			return psprintf(_("The \"%c\" closes nothing, or an operand is missing."),
							token->kind);
		case '(':
			return _("A product is written with *, and a function's name without quotes "
					 "and schema.");
		case NAME:
		case FUNCTION:
		case FORMULA:
		case AGGREGATE:
		case INTEGER:
		case NUMBER:
		case IMAGINARY:
		case PARAMETER:
			/* such a token is only wrong if it follows another operand */
			return parser->mode == PROGRAM_MODE_PROGRAM
					   ? _("A product is written with *, and statements are separated by "
						   ";.")
					   : _("A product is written with *.");
		default:
			return parser->mode == PROGRAM_MODE_PROGRAM
					   ? _("An operand is missing: a tensor such as a[i,j], a number, a "
						   "function of such, or an aggregate such as sum[j] a[i,j].")
					   : _("An operand is missing: $1, a number, or a function of such.");
	}
}

/* Is the text an equation of einsum(), as 'ij,jk->ik' or 'ij,jk'? */
static bool
is_equation(const char *text)
{
	size_t left = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,. ");
	const char *arrow = text + left;

	if (text[left] == '\0')
		return strchr(text, ',') != NULL;
	return strncmp(arrow, "->", 2) == 0 &&
		   arrow[2 + strspn(arrow + 2,
							"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ. ")] ==
			   '\0';
}

/*
 * Appends the labels of an equation's term in brackets; returns the text behind the term.
 */
static const char *
append_labels(StringInfo program, const char *term)
{
	bool first = true;

	appendStringInfoChar(program, '[');
	for (; *term && *term != ',' && *term != '-'; term++)
	{
		if (*term == ' ' || *term == '.')
			continue;
		appendStringInfo(program, "%s%c", first ? "" : ",",
						 pg_tolower((unsigned char) *term));
		first = false;
	}
	appendStringInfoChar(program, ']');
	return term;
}

/*
 * Returns a hint with the statement that an equation stands for: z[i,k] = a[i,j] * b[j,k]
 * for 'ij,jk->ik'.
 */
static const char *
hint_for_equation(const char *equation)
{
	const char *result = strstr(equation, "->");
	StringInfoData program;
	char name = 'a';

	initStringInfo(&program);
	if (result && strlen(equation) < NAMEDATALEN)
	{
		appendStringInfoChar(&program, 'z');
		(void) append_labels(&program, result + 2);
		appendStringInfoString(&program, " = ");
		while (true)
		{
			appendStringInfo(&program, "%s%c", name == 'a' ? "" : " * ", name);
			equation = append_labels(&program, equation);
			if (*equation != ',' || ++name == 'z')
				break;
			equation++;
		}
	}
	else
		appendStringInfoString(&program, "z[i,k] = a[i,j] * b[j,k]");
	return psprintf(_("This is an equation, of einsum(equation, values ...). A program "
					  "has statements "
					  "over registered tensors, as %s."),
					program.data);
}

/*
 * Returns the beginning of the dotted word that a token is in, as np.linalg.det, and its
 * length; NULL if there are no dots.
 */
static const char *
dotted_word(const ProgramParser *parser, const ProgramToken *token, int *length)
{
	static const char *const letters =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
	int start = token->location;

	while (start > 0 && strchr(letters, parser->text[start - 1]))
		start--;
	*length = (int) strspn(parser->text + start, letters);
	if (memchr(parser->text + start, '.', *length) == NULL ||
		strspn(parser->text + start, "0123456789.") == (size_t) *length)
		return NULL;
	return parser->text + start;
}

/*
 * Returns a hint for a dotted word, as np.linalg.det or x.sum: for all of it, else for
 * its last part; or NULL.
 */
static const char *
hint_for_dotted_word(const char *word)
{
	const char *hint = hint_for_word(word);
	const char *last = strrchr(word, '.');

	if (hint || last == NULL)
		return hint;
	last++;
	/* x[i].T is the transpose */
	if (pg_strcasecmp(last, "t") == 0)
		return hint_for_word("transpose");
	hint = hint_for_word(last);
	if (hint == NULL &&
		(matrix_function_by_name(last) || pointwise_function_by_name(last)))
		hint = psprintf(_("Functions are written alone: %s(x)."), last);
	return hint;
}

static const char *
hint_for_dotted(const ProgramParser *parser, const ProgramToken *token)
{
	int length;
	const char *start = dotted_word(parser, token, &length);

	return start ? hint_for_dotted_word(pnstrdup(start, length)) : NULL;
}

const char *
hint_for_foreign_name(const char *schema, const char *name)
{
	const char *hint;

	if (schema)
	{
		hint = hint_for_word(psprintf("%s.%s", schema, name));
		if (hint)
			return hint;
		if (strcmp(name, "t") == 0)
			return hint_for_word("transpose");
	}
	hint = hint_for_sign_within(name);
	return hint ? hint : hint_for_word(name);
}

/* May an operand begin with this token? */
static bool
begins_operand(const ProgramToken *token)
{
	switch (token->kind)
	{
		case NAME:
		case FUNCTION:
		case FORMULA:
		case AGGREGATE:
		case INTEGER:
		case NUMBER:
		case IMAGINARY:
		case '(':
			return true;
		default:
			return false;
	}
}

void
refuse_aggregate(const ProgramParser *parser, const char *name, int location)
{
	NearNames names = {.name = name};
	const char *hint = hint_for_word(name);
	Formula formula;

	/* argmax[i] -x subtracts x from a tensor called argmax */
	if (formula_by_name(name, &formula))
		return;
	if (hint == NULL)
	{
		const char *nearest;

		offer_aggregates(&names);
		nearest = nearest_name(&names);
		/* a[j] x[j] is more likely a product without * */
		if (nearest == NULL || strlen(name) < 3)
			return;
		hint = psprintf(_("Perhaps you meant %s[j] a[i,j]."), nearest);
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_FUNCTION),
			 errmsg("there is no aggregate %s", name),
			 errhint("%s If %s is a tensor, a * is missing behind it.", hint, name),
			 program_errposition(parser->text, location)));
}

void
refuse_aggregate_before(const ProgramParser *parser)
{
	const ProgramToken *word = &parser->bracketed;

	/* a name with a schema is always a tensor's */
	if (word->location > 0 && parser->text[word->location - 1] == '.')
		return;
	if (parser->previous.kind == ']' && word->kind == NAME && !word->in_target &&
		!word->value.identifier->quoted && begins_operand(&parser->current))
		refuse_aggregate(parser, word->value.identifier->text, word->location);
}

/* Is there an assignment behind the next closing bracket of the text? */
static bool
assigns_behind(const char *text, char closing)
{
	const char *behind = strchr(text, closing);

	if (behind == NULL)
		return false;
	behind += 1 + strspn(behind + 1, " \t\n");
	return *behind == '=' || *behind == '<' || *behind == ':';
}

/* Does a statement assign to the name of an aggregate, as in max[i] = x[i]? */
static bool
assigns_to_aggregate(const ProgramParser *parser, const ProgramToken *token)
{
	return token->in_target && token->kind == AGGREGATE &&
		   assigns_behind(parser->text + token->location, ']');
}

/* Returns a hint for an error left of a statement's assignment. */
static const char *
hint_for_target(const ProgramParser *parser, const ProgramToken *token)
{
	const char *text = parser->text + token->location;

	if (assigns_to_aggregate(parser, token))
		return _("A tensor that has the name of an aggregate must be quoted.");
	/* y(i) = x(i) */
	if (token->kind == FUNCTION && assigns_behind(text, ')'))
		return _("Labels stand in brackets: y[i] = x[i].");
	/* the whole text is a name */
	if (token->kind == 0 && parser->previous.kind == NAME &&
		strspn(parser->text, " \t\n") == (size_t) parser->previous.location)
		return psprintf(
			_("A program, the first argument, is a list of statements. Write the result "
			  "on the left and the labels of tensors, as in y[i,j] = %s[i,j]."),
			pnstrdup(parser->text + parser->previous.location, parser->previous.length));
	return _("A statement is written name[label, ...] = expression: on the left is the "
			 "result with its labels, as in y[i] = sum[j] a[i,j], or y[] for a number.");
}

/*
 * Returns the name of the function whose parentheses the error is in, as np.argmax; or
 * NULL.
 */
static const char *
call_around(const ProgramParser *parser)
{
	int end = parser->open == NIL ? 0 : llast_int(parser->open);
	int start;
	const char *name;

	/* in f() the error is at the closing parenthesis */
	if (parser->previous.kind == '(')
		end = parser->previous.location;
	/* for zeros((4,4)) */
	while (end > 0 && parser->text[end - 1] == '(')
		end--;
	start = end;
	if (parser->text[end] != '(')
		return NULL;
	while (start > 0 &&
		   (isalnum((unsigned char) parser->text[start - 1]) ||
			parser->text[start - 1] == '_' || parser->text[start - 1] == '.'))
		start--;
	name = pnstrdup(parser->text + start, end - start);
	/* in if(x = 1, 2, 3) the sign is the mistake, in KMeans(n_clusters=3) the function */
	if (start == end ||
		(parser->current.kind == EQUALS_SIGN &&
		 (parser->previous.kind != NAME || pointwise_function_by_name(name))))
		return NULL;
	return name;
}

/* Returns the hint for a foreign word that is the last part of a dotted name, or NULL. */
static const char *
hint_for_last_part(const char *name)
{
	const char *last = strrchr(name, '.');

	return hint_for_word(last ? last + 1 : name);
}

/* Returns a hint for the * in count[*], or NULL. */
static const char *
hint_for_star(const ProgramParser *parser)
{
	int end = parser->previous.location;
	int start = end;

	if (parser->previous.kind != '[')
		return NULL;
	while (start > 0 && isalpha((unsigned char) parser->text[start - 1]))
		start--;
	return end - start == 5 && pg_strncasecmp(parser->text + start, "count", 5) == 0
			   ? hint_for_word("count")
			   : NULL;
}

/* Can this token end an operand? */
static bool
ends_operand(const ProgramToken *token)
{
	switch (token->kind)
	{
		case NAME:
		case INTEGER:
		case NUMBER:
		case IMAGINARY:
		case PARAMETER:
		case ']':
		case ')':
			return true;
		default:
			return false;
	}
}

const char *
hint_for_syntax_error(const ProgramParser *parser)
{
	const ProgramToken *token = &parser->current;
	const char *text = parser->text + token->location;
	const char *here = word_of(parser, token);
	const char *left = word_of(parser, &parser->previous);
	const char *call = call_around(parser);
	bool in_program = !token->in_brackets && parser->mode != PROGRAM_MODE_NOTATION;
	const char *hint = NULL;

	if (parser->mode == PROGRAM_MODE_PROGRAM && is_equation(parser->text))
		return hint_for_equation(parser->text);
	if (*text == '\'' && strstr(text, "->"))
		return hint_for_word("einsum");
	if (token->kind == 0 || token->kind == ';' ||
		(token->in_brackets && token->kind == ASSIGN))
		hint = hint_for_open(parser);
	if (hint == NULL && in_program)
		hint = hint_for_distance(parser, token);
	/* in if(x > 0 & x < 2, 1, 0) the mistake is &, not a word near it */
	if (hint == NULL && in_program && *text != '\0' && strchr("&|", *text))
		hint = hint_for_sign(text);
	if (hint == NULL && in_program)
		hint = hint_for_dotted(parser, token);
	/* the name of an argument says less than the function: argmax(x, axis=1) */
	if (hint == NULL && in_program && call != NULL && token->kind == EQUALS_SIGN)
		hint = hint_for_last_part(call);
	if (hint == NULL && in_program && here != NULL &&
		!assigns_to_aggregate(parser, token))
		hint = hint_for_word(here);
	if (hint == NULL && in_program && left != NULL)
		hint = hint_for_word(left);
	/* for count(*), lm(y ~ x) and KMeans(n_clusters=3) */
	if (hint == NULL && in_program && call != NULL)
		hint = hint_for_dotted_word(call);
	if (hint == NULL && in_program && left != NULL && here != NULL)
		hint = hint_for_aggregate(left);
	/* for sum{j} a[i,j], and sum(j) a[i,j] */
	if (hint == NULL && in_program && left != NULL && *text == '{')
		hint = hint_for_aggregate(left);
	if (hint == NULL && in_program && parser->previous.kind == ')' && here != NULL &&
		parser->called.length > 0)
		hint = hint_for_aggregate(
			pnstrdup(parser->text + parser->called.location, parser->called.length));
	/* for 5% * x */
	if (hint == NULL && in_program && *text == '%' &&
		(parser->previous.kind == INTEGER || parser->previous.kind == NUMBER) &&
		strchr("*/+-);", text[1 + strspn(text + 1, " ")]))
		hint = psprintf(_("Write %.*s/100 for per cent. %s"), parser->previous.length,
						parser->text + parser->previous.location, hint_for_sign(text));
	/* the error is at the second character of a sign whose first one is an operator */
	if (hint == NULL && in_program && token->location > 0)
	{
		static const char *const pairs[] = {"<<", ">>", "->", "=>", "//", "..", "++",
											".*", "./", ".^", ".+", ".-", ".\\"};

		for (int i = 0; i < lengthof(pairs) && hint == NULL; i++)
		{
			if (strncmp(text - 1, pairs[i], 2) == 0)
				hint = hint_for_sign(text - 1);
		}
	}
	if (hint == NULL && *text == '[' && in_program && !ends_operand(&parser->previous))
		hint = _(LIST_OF_NUMBERS);
	/* for (1, 2, 3) */
	if (hint == NULL && *text == ',' && in_program && parser->open != NIL &&
		(parser->previous.kind == INTEGER || parser->previous.kind == NUMBER))
		hint = _(LIST_OF_NUMBERS);
	if (hint == NULL && *text == '\'' && in_program &&
		(parser->previous.kind == EQUAL || parser->previous.kind == NOT_EQUAL))
		hint = _(KEYS_ARE_LABELS);
	/* for a sign that was read as a part of the name, as in x$v */
	if (hint == NULL && in_program && left != NULL)
		hint = hint_for_sign_within(left);
	if (hint == NULL && in_program && left != NULL && pointwise_function_by_name(left))
		hint = psprintf(_("Arguments stand in parentheses: %s(x)."), left);
	/* for y = 1:4 */
	if (hint == NULL && in_program && *text == ':' && parser->previous.kind == INTEGER)
		hint = hint_for_word("seq");
	if (hint == NULL && in_program && token->kind != EQUALS_SIGN &&
		!(token->in_target && *text == ':'))
		hint = hint_for_sign(text);
	if (hint == NULL && token->in_brackets && strchr(":,]", *text) && *text)
		hint = hint_for_column(parser);
	if (hint == NULL && token->in_brackets && parser->previous.kind == ':')
		hint = _(NO_SLICES);
	if (hint == NULL && token->in_brackets)
		hint = hint_for_compared_labels(parser, text);
	if (hint == NULL && token->in_brackets && *text == '*')
		hint = hint_for_star(parser);
	if (hint == NULL && token->in_brackets)
		hint = hint_in_brackets(text);
	if (hint != NULL)
		return hint;

	if (token->in_brackets)
		return _("An index is a label, as in a[i,j], I, i:64 or i:*, with commas "
				 "between.");
	if (parser->mode == PROGRAM_MODE_NOTATION && parser->text[0] == '{')
		return _("This is one name; a list is another argument, as in "
				 "einsum_gradient(program, of => 'loss', wrt => '{x}').");
	if (parser->mode == PROGRAM_MODE_NOTATION)
		return _("A tensor is written name[label, ...], with keys in upper case.");
	if (token->in_target)
		return hint_for_target(parser, token);
	/* for sum[i] * 2 */
	if (parser->previous.kind == ']' && parser->bracketed.kind == AGGREGATE)
		return psprintf(_("What is aggregated is missing, as in %s[j] a[i,j]. A tensor "
						  "that has the name of an aggregate is written in quotes: "
						  "\"%s\"[i]."),
						aggregate_operator_name(parser->bracketed.value.aggregate),
						pnstrdup(parser->text + parser->bracketed.location,
								 parser->bracketed.length));
	return hint_for_kind(parser, token);
}

/* Does the text begin with a label? It follows a minus sign, as in x[-i]. */
static bool
is_label_negated(const char *text)
{
	text += strspn(text, " ");
	return isalpha((unsigned char) *text) || *text == '_';
}

/* Does the text subtract a label from a number, as in x[3-i] or x[n-i]? */
static bool
is_label_subtracted(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	text += digits > 0 ? digits : *text == 'n';
	text += strspn(text, " ");
	return *text == '-' && is_label_negated(text + 1);
}

/* Does the text begin with a day, as 2024-01-05? */
static bool
is_day(const char *text)
{
	int day[3];

	return sscanf(text, "%4d-%2d-%2d", &day[0], &day[1], &day[2]) == 3 && day[0] >= 1000;
}

void
reserved_index(ProgramParser *parser, int location, bool gather)
{
	/* if another reference begins before this one ends, a ] is missing */
	size_t next = strcspn(parser->text + location, "[]");
	const char *open = hint_for_open(parser);

	if (!gather && parser->text[location + next] != ']' && open != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("index list is not closed"),
				 errhint("%s", open), program_errposition(parser->text, location)));
	if (parser->text[location] == '-' &&
		parser->text[location + 1 + strspn(parser->text + location + 1, "0123456789 ")] !=
			'>')
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("negative indices are not supported"),
			 is_label_negated(parser->text + location + 1)
				 ? errhint("%s", hint_for_word("reverse"))
				 : errhint("Indices count from 0: with the bound 4 the last one is 3, as "
						   "in x[3]. x[i-1] is the entry before x[i]. A key below 0, "
						   "with a bound such as -5..5, is asked for where the result "
						   "is read: einsum_rows('y[i] = x[i]', at => '{\"i\": -5}')."),
			 program_errposition(parser->text, location)));
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arithmetic in indices is not supported"),
			 errdetail("An index is a label, as in a[i,j], I or i:64, a label with a "
					   "number added, as in x[t-1], or a number, as in x[0,k]."),
			 is_day(parser->text + location) ? errhint("%s", KEY_IN_BRACKETS)
			 : is_label_subtracted(parser->text + location)
				 ? errhint("%s", hint_for_word("reverse"))
				 : errhint("Multiply by a tensor that is 1 where it applies, as in "
						   "a[i,k]*next[j,k]."),
			 program_errposition(parser->text, location)));
}
