/*-------------------------------------------------------------------------
 *
 * call_hints.c
 *	  Hints for calls that PostgreSQL refuses before a function of ours runs.
 *
 * An unknown argument, an operator that is not defined, or a name of numpy for a function
 * of values is an error of PostgreSQL's parser, which calls nothing of ours. What can be
 * said is added where errors are reported, while their text is not sent yet. PostgreSQL
 * promises emit_log_hook only that it may suppress a line of the log; all versions send
 * the client what the hook leaves in the error, after it. If a version does not, people
 * read PostgreSQL's own hint.
 *
 * The hook runs in a transaction that has failed. So it looks up nothing: it compares the
 * text of the message, in which names and types are the same in every language, with
 * tables that are made when the library is built. Functions of other schemas, errors that
 * are raised by others, and databases without the extension keep the hints they have. As
 * long as a session has not looked up the extension, only what names a type tensor or
 * begins with einsum or tensor_ gets one. What a program made is in made_hints.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "nodes/pg_list.h"
#include "tcop/tcopprot.h"

#include "commands/call_hints.h"
#include "commands/made_hints.h"
#include "commands/options.h"
#include "parser/near_names.h"
#include "type/extension.h"

/* The functions that users call, with a row for each list of arguments. */
static const struct
{
	const char *name;
	const char *arguments; /* name and type of each; those with a default in brackets */
} functions[] = {
#include "commands/call_arguments.inc"
};

/* What to write in place of some words, or operators. */
typedef struct Advice
{
	const char *words; /* each between two spaces */
	const char *advice;
} Advice;

/* Words of numpy, R, pgvector and SQL for functions of values. */
#define OVER_ELEMENTS(aggregate)                                                         \
	"Of the elements of a value: SELECT " aggregate " FROM tensor_entries(t)."
#define REDUCED(kind)                                                                    \
	"Of the elements of a value: tensor_reduce('" kind "', t), or along a dimension, "   \
	"tensor_reduce('" kind "', t, '{0}'). Over rows: " kind "(t)."

/* clang-format off */
static const Advice value_words[] = {
	{" mean average nanmean ", "Of the elements of a value: tensor_reduce('mean', t), or along a dimension, tensor_reduce('mean', t, '{0}'). Over rows: avg(t)."},
	{" avg ", "Over rows: avg(t). Of the elements of a value: tensor_reduce('mean', t)."},
	{" sum nansum ", REDUCED("sum")},
	{" max amax maximum nanmax ", REDUCED("max")},
	{" min amin minimum nanmin ", REDUCED("min")},
	{" prod product ", "Of the elements of a value: tensor_reduce('prod', t). Over rows: tensor_prod(t)."},
	{" any all bool_or bool_and every ", "Of the elements of a value: tensor_reduce('any', t) or tensor_reduce('all', t). Over rows: tensor_any(t), tensor_all(t)."},
	{" std stddev stddev_samp stddev_pop sd ", OVER_ELEMENTS("stddev_pop(value)") " Over rows, tensor_covar(t) has the variances on the diagonal of its comoment, divided by its count."},
	{" var variance var_samp var_pop ", OVER_ELEMENTS("var_pop(value)") " Over rows, tensor_covar(t) has the variances on the diagonal of its comoment, divided by its count."},
	{" cov covar corr corrcoef covariance covar_pop covar_samp ", "Over rows of vectors: (tensor_covar(t)).comoment / (tensor_covar(t)).count is the matrix of covariances."},
	{" median quantile percentile percentile_cont mode ", OVER_ELEMENTS("percentile_cont(0.5) WITHIN GROUP (ORDER BY value)")},
	{" sort sorted argsort order topk cumsum diff unnest nditer unique ", "The elements as rows: SELECT index, value FROM tensor_entries(t), to which SQL's ORDER BY, window functions and DISTINCT apply."},
	{" array_agg vstack hstack row_stack ", "Values of rows in one: stack(t, position, dimension, bound); two values in one: tensor_concat(a, b, dimension)."},
	{" shape size len length numel array_length cardinality array_dims vector_dims dim dims array_upper ", "The bounds are tensor_shape(t), an integer[]; the number of dimensions is tensor_rank(t)."},
	{" ndim ndims array_ndims ", "The number of dimensions is tensor_rank(t)."},
	{" dtype typeof class ", "The element type is tensor_type(t)."},
	{" transpose t permute swapaxes moveaxis aperm ", "Write tensor_permute(t, '{1,0}'); dimensions count from 0."},
	{" reshape flatten ravel squeeze unsqueeze expand_dims view resize ", "Write tensor_reshape(t, '{2,3}'), with all bounds of the new shape."},
	{" concat concatenate cat append array_cat array_append c cbind rbind ", "Write tensor_concat(a, b, dimension)."},
	{" slice subvector take get index array_slice item ", "Elements and parts are t[0][1] and t[0], from 0; ranges tensor_slice(t, lower, upper), as in tensor_slice(t, '{0,1}', '{2,3}')."},
	{" dot inner inner_product vdot crossprod ", "The inner product of vectors is inner_prod(a, b); products of matrices are mat_mult(a, b), mat_vec_mult(a, x); any other sum of products is einsum('ij,jk->ik', a, b)."},
	{" matmul mm bmm multiply matrix_mult multi_dot tensordot ", "Write mat_mult(a, b), mat_vec_mult(a, x) or einsum('ij,jk->ik', a, b). a * b is element by element."},
	{" outer kron ", "Write outer_prod(a, b)."},
	{" cosine_distance cosine_similarity cosine cos_sim ", "Write a <=> b, 1 minus the cosine; also tensor_cosine_distance(a, b)."},
	{" l2_distance euclidean euclidean_distance dist distance cdist ", "Write a <-> b; also tensor_l2_distance(a, b)."},
	{" l1_distance manhattan cityblock ", "Write a <+> b; also tensor_l1_distance(a, b)."},
	{" norm vector_norm l2_norm magnitude frobenius ", "Write mat_norm(t); other norms are mat_norm(t, 'max'), '1', 'inf', '2' and 'nuc'."},
	{" normalize l2_normalize normalise unit ", "Divide by the norm: t / mat_norm(t)."},
	{" softmax ", "Write e / tensor_reduce('sum', e) with e = tensor_exp(t - tensor_reduce('max', t)::float8)."},
	{" inv inverse ginv ", "Write mat_inverse(a); mat_lstsq(a, b) where there is no inverse."},
	{" pinv pseudo_inverse ", "Write mat_lstsq(a, tensor_eye(n)), with n the number of rows."},
	{" det determinant ", "Write mat_det_scalar(a)."},
	{" solve ", "Write mat_solve(a, b)."},
	{" lstsq lm linregr ols ", "Write mat_lstsq(a, b)."},
	{" svd ", "Write SELECT u, s, vt FROM mat_svd(a)."},
	{" qr ", "Write SELECT q, r FROM mat_qr(a)."},
	{" chol cholesky ", "Write mat_cholesky(a)."},
	{" eig eigh eigen eigvals eigvalsh ", "Write SELECT eigenvalues, eigenvectors FROM mat_eigh(a), of a symmetric matrix."},
	{" rank matrix_rank ", "The number of dimensions is tensor_rank(t). Of a matrix: SELECT count(*) FROM mat_svd(a), tensor_entries(s) WHERE value > 1e-9."},
	{" trace tr ", "Write einsum_scalar('ii->', a)."},
	{" diag diagonal ", "Write einsum('ii->i', a)."},
	{" argmax which_max idxmax ", "Write tensor_argmax(t), or along a dimension tensor_argmax(t, 0)."},
	{" argmin which_min idxmin ", "Write tensor_argmin(t), or along a dimension tensor_argmin(t, 0)."},
	{" pow power ", "Write tensor_power(t, 2)."},
	{" square ", "Write t * t."},
	{" log ", "Write tensor_ln(t)."},
	{" round trunc ", "Write tensor_round(t), or tensor_round(t * 100) / 100 for two decimals."},
	{" exp10 log10 log2 tan clip clamp where if_else mod least greatest ", "Write the formula: tensor_map('greatest(0, least($1, 1))', 'i->i', t), with a letter for each dimension."},
	{" zeros_like ones_like full_like ", "Write tensor_full(tensor_shape(t), 1)."},
	{" count_nonzero nnz ", "Write tensor_count_nonzero(t)."},
	{" countif count_if ", "Write tensor_count_nonzero(tensor_greater(t, 0.5))."},
	{" isnan isinf nan_to_num ", "NaN is the only element that does not equal itself: tensor_not_equal(t, t) is 1 there."},
	{" tolist to_array astype array ", "Write t::float8[]; another element type is t::tensor(float4)."},
};

/* What people call functions whose names begin with einsum_. */
static const Advice command_words[] = {
	{" run exec execute query eval evaluate compute calc calculate select get result ", "SELECT einsum_value('y[i] = ...') is the result as one tensor, SELECT * FROM einsum_rows('y[I] = ...') AS y(i int, value float8) are its rows."},
	{" table ", "SELECT * FROM einsum_rows('y[I] = ...') AS y(i int, value float8) are the rows of a result; einsum_decompose makes views or, with materialize => 'always', tables."},
	{" create view create_view define materialize save prepare ", "einsum_decompose('y[i] = ...', 'name') makes the views of a program; with materialize => 'always' their rows are kept."},
	{" list show ls tensors tables describe info status ", "The views einsum_tensors and einsum_dimensions list what is registered."},
	{" explain cost costs ", "SELECT * FROM einsum_plan('y[i] = ...') shows what will run."},
	{" train fit loop repeat until solve converge ", "Loops are einsum_iterate(name, init, step, until => ...); einsum_gradient has the derivatives."},
	{" grad derivative backward diff differentiate autograd ", "Write einsum_gradient('loss[] = ...', 'loss', '{w}')."},
	{" load import insert add put create_tensor tensor from_table ", "einsum_register says that a table is a tensor, einsum_store makes one of a query."},
	{" delete remove unload ", "einsum_unregister takes a tensor's registration back, einsum_drop the views and tables of a program."},
	{" update recompute ", "einsum_refresh gives kept results the rows of now; views have them always."},
	{" help usage doc docs man ", "In psql, \\df einsum_* lists the functions; the documentation is in docs/reference.md."},
	{" mul matmul product dot path_of ", "A sum of products of values is einsum('ij,jk->ik', a, b)."},
	{" avg mean ", "Over rows, avg() of einsum(...); in programs avg[j] a[i,j]."},
};

#define ARGUMENTS_OF_REGISTER                                                            \
	"The tensor comes first, then a table or view: einsum_register('a[I,J]', 'edge', "   \
	"keys => '{src,dst}', value => 'weight'). For a query create a view, or call "        \
	"einsum_store."
#define VALUES_IN_EQUATION                                                               \
	"einsum_value reads a program of registered tensors, as in einsum_value('c[i,k] = "  \
	"a[i,j]*b[j,k]'). An equation of values is einsum('ij,jk->ik', a, b)."
#define COLUMNS_OF_ROWS                                                                  \
	"Name the columns: SELECT * FROM einsum_rows('y[I] = ...') AS y(i int, value "       \
	"float8), a key for each index in upper case. SELECT einsum_rows('y[I] = ...') says " \
	"which a program has."

#define LABELS_OF_POINT                                                                  \
	"It takes labels, at => '{i}', whose keys are $1, $2, ... of the query. A result at "  \
	"given keys is SELECT * FROM einsum_rows('y[I] = ...', at => '{\"i\": 2}') AS y(i "   \
	"int, value float8)."
#define LARGER_ELEMENTS                                                                  \
	"Of the elements: tensor_map('greatest($1, 0)', 'i->i', t), with a letter for each "  \
	"dimension; tensor_relu(t) is the larger of each and 0."
#define CAST_TO_TENSOR                                                                   \
	"Numbers, arrays and texts beside a tensor are cast: 0::float8::tensor, "             \
	"'{1,2}'::float8[]::tensor, '[1,2]'::tensor."
#define NO_INDEX                                                                         \
	"A column of type tensor has no index of distances. hnsw and ivfflat are of "         \
	"pgvector, CREATE EXTENSION vector, for columns of its type vector, to which "        \
	"extension sparseeinsum_pgvector casts."

/* Errors that do not name the function whose argument is wrong; the statement does. */
static const struct
{
	int sqlerrcode;
	const char *in_message;
	const char *in_statement[2];
	const char *advice;
} refusals[] = {
	{ERRCODE_INVALID_NAME, "sparseeinsum.", {"", ""},
	 "The settings are listed by SELECT name, setting FROM pg_settings WHERE name LIKE 'sparseeinsum.%'."},
	{ERRCODE_UNDEFINED_TABLE, "[", {"einsum_register", ""}, ARGUMENTS_OF_REGISTER},
	{ERRCODE_INVALID_NAME, "", {"einsum_register", ""}, ARGUMENTS_OF_REGISTER},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "integer", {"einsum_value", "->"}, VALUES_IN_EQUATION},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "integer: \"{", {"tensor_eye", ""}, "It takes the number of rows: tensor_eye(3)."},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "boolean", {"einsum_register", "one_hot"},
	 "one_hot is true or false; the column of categories is the value: value => 'color', one_hot => true."},
	{ERRCODE_UNDEFINED_COLUMN, "\"value\"", {"einsum_value", ""},
	 "The result is one tensor, without columns: SELECT einsum_value('...'). Rows are SELECT * FROM einsum_rows('y[I] = ...') AS y(i int, value float8)."},
	{ERRCODE_UNDEFINED_COLUMN, "\"value\"", {"einsum_rows", " AS "}, "The columns have the names of the list behind AS."},
	{ERRCODE_UNDEFINED_COLUMN, "", {"einsum_value", "->"}, VALUES_IN_EQUATION},
	{ERRCODE_UNDEFINED_COLUMN, "[", {"einsum_", "\""},
	 "Double quotes are for names. A text is in single quotes: einsum_value('y[i] = ...'), and a quote within it is doubled."},
	{ERRCODE_SYNTAX_ERROR, "\"record\"", {"einsum_rows", ""}, COLUMNS_OF_ROWS},
	{ERRCODE_SYNTAX_ERROR, "\"record\"", {"einsum_iterate_rows", ""}, COLUMNS_OF_ROWS},
	{ERRCODE_INVALID_PARAMETER_VALUE, "\"search\"", {"einsum_value", "->"}, VALUES_IN_EQUATION},
	{ERRCODE_SYNTAX_ERROR, "\"analyze\"", {"einsum_plan", ""},
	 "SELECT * FROM einsum_plan('y[i] = ...', actual => true) runs the plan as well, and has the rows and times that it took."},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "array literal: \"{\"", {"einsum_sql", "at"}, LABELS_OF_POINT},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "array literal: \"{\"", {"einsum_plan", "at"}, LABELS_OF_POINT},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "array literal", {"einsum_", ""},
	 "A list is an array in braces, also of one: keys => '{src,dst}', bounds => '{4,*}', wrt => '{w}'."},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "array literal", {"tensor_", ""},
	 "Bounds and dimensions are arrays, also of one: '{2,3}', '{0}'."},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "json", {"einsum_rows", ""}, "Keys are JSON: at => '{\"i\": 1}'."},
	{ERRCODE_INVALID_TEXT_REPRESENTATION, "json", {"einsum_rebound", ""}, "Bounds are JSON: '{\"i\": 30}'."},
	{ERRCODE_SYNTAX_ERROR, "\"record\"", {"einsum_entries", ""},
	 "Name the columns: SELECT * FROM einsum_entries('csr', 0, indptr, indices, data) AS e(i bigint, j bigint, v float8)."},
	{ERRCODE_DATATYPE_MISMATCH, "GREATEST types tensor ", {"", ""}, LARGER_ELEMENTS},
	{ERRCODE_DATATYPE_MISMATCH, "LEAST types tensor ", {"", ""}, LARGER_ELEMENTS},
	{ERRCODE_DATATYPE_MISMATCH, " types tensor ", {"", ""}, CAST_TO_TENSOR},
	{ERRCODE_DATATYPE_MISMATCH, " and tensor cannot be matched", {"", ""}, CAST_TO_TENSOR},
	{ERRCODE_DATATYPE_MISMATCH, "does not accept data type tensor", {"", ""}, NO_INDEX},
};
/* clang-format on */

static emit_log_hook_type previous_hook;

static bool
is_name_character(char c)
{
	return isalnum((unsigned char) c) || c == '_' || c == '$' || IS_HIGHBIT_SET(c);
}

/* Is there a word in a text, with nothing of a longer name beside it? */
static bool
has_word(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *found = text;

	while ((found = strstr(found, word)) != NULL)
	{
		if ((found == text || !is_name_character(found[-1])) &&
			!is_name_character(found[length]))
			return true;
		found++;
	}
	return false;
}

/* Appends how a function is called: each list of arguments that it may have. */
static void
append_calls(StringInfo hint, const char *name)
{
	const char *between = "";

	for (int i = 0; i < lengthof(functions); i++)
	{
		if (strcmp(functions[i].name, name) != 0)
			continue;
		appendStringInfo(hint, "%s%s(%s)", between, name, functions[i].arguments);
		between = _(" or ");
	}
}

static bool
is_ours(const char *name)
{
	for (int i = 0; i < lengthof(functions); i++)
	{
		if (strcmp(functions[i].name, name) == 0)
			return true;
	}
	return false;
}

/* Is the first argument of a function of ours a tensor? */
static bool
takes_tensor(const char *name)
{
	for (int i = 0; i < lengthof(functions); i++)
	{
		const char *end = functions[i].arguments + strcspn(functions[i].arguments, ",[");

		if (strcmp(functions[i].name, name) == 0 &&
			has_word(pnstrdup(functions[i].arguments, end - functions[i].arguments),
					 "tensor"))
			return true;
	}
	return false;
}

/* Returns the names of all arguments of a function of ours. */
static List *
argument_names(const char *name)
{
	List *names = NIL;

	for (int i = 0; i < lengthof(functions); i++)
	{
		const char *at = functions[i].arguments;

		if (strcmp(functions[i].name, name) != 0)
			continue;
		while (*at != '\0')
		{
			const char *end;

			at += strspn(at, " ,[\"");
			for (end = at; is_name_character(*end); end++)
				;
			names = lappend(names, pnstrdup(at, end - at));
			at = end + strcspn(end, ",");
		}
	}
	return names;
}

/* Returns the name of an argument that stands before its arrow, in the text of a call. */
static char *
name_before(const char *call, const char *arrow)
{
	const char *start = arrow;

	while (start > call && is_name_character(start[-1]))
		start--;
	return pnstrdup(start, arrow - start);
}

/*
 * Appends what is said of the first named argument of a call, in the text between its
 * parentheses, that the function does not have; false if it has all.
 */
static bool
append_unknown_argument(StringInfo hint, const char *name, const char *call)
{
	List *arguments = argument_names(name);
	const char *arrow = call;

	while ((arrow = strstr(arrow, " => ")) != NULL)
	{
		NearNames names = {.name = name_before(call, arrow)};
		const char *nearest;
		bool known = false;
		ListCell *lc;

		foreach (lc, arguments)
		{
			known = known || strcmp(lfirst(lc), names.name) == 0;
			offer_name(&names, lfirst(lc));
		}
		if (!known)
		{
			appendStringInfo(hint, _("%s has no argument \"%s\". "), name, names.name);
			if (strcmp(names.name, "at") == 0)
				appendStringInfo(hint,
								 _("A result at given keys is SELECT * FROM "
								   "einsum_rows('y[I] = ...', at => '{\"i\": 2}') AS y(i "
								   "int, value float8). "));
			nearest = nearest_name(&names);
			if (nearest)
				appendStringInfo(hint, _("Perhaps you meant \"%s\". "), nearest);
			return true;
		}
		arrow++;
	}
	return false;
}

/*
 * Appends what the options of a call may be that are given something else than a text,
 * in the text between its parentheses.
 */
static void
append_option_values(StringInfo hint, const char *call)
{
	const char *arrow = call;

	while ((arrow = strstr(arrow, " => ")) != NULL)
	{
		const char *name = name_before(call, arrow);
		const char *values = option_values(name);

		arrow += 4;
		if (values && strncmp(arrow, "unknown", 7) != 0 && strncmp(arrow, "text", 4) != 0)
			appendStringInfo(hint, _("%s is a text, one of %s. "), name, values);
	}
}

/* Finds a name among the words of a table, whose rows are words and advice; or NULL. */
static const char *
advice_for(const char *name, const Advice *table, int rows)
{
	char *word = psprintf(" %s ", name);

	for (int i = 0; i < rows; i++)
	{
		if (strstr(table[i].words, word))
			return _(table[i].advice);
	}
	return NULL;
}

/* Returns the function of ours that a name with one of our prefixes may stand for. */
static const char *
nearest_function(const char *name, int prefix)
{
	NearNames names = {.name = name + prefix};
	const char *nearest;

	for (int i = 0; i < lengthof(functions); i++)
	{
		if (strncmp(functions[i].name, name, prefix) == 0)
			offer_name(&names, functions[i].name + prefix);
	}
	nearest = nearest_name(&names);
	return nearest ? psprintf("%.*s%s", prefix, name, nearest) : NULL;
}

/* The bytes of the prefix by which a name is one of ours, "einsum_" as well; or 0. */
static int
our_prefix(const char *name)
{
	static const char *const prefixes[] = {"einsum_", "tensor_", "mat_", "vec_"};

	for (int i = 0; i < lengthof(prefixes); i++)
	{
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return (int) strlen(prefixes[i]);
	}
	return 0;
}

/* Returns the hint for a function that does not exist, or NULL. call: its arguments. */
static const char *
hint_for_function(const char *name, const char *call)
{
	bool of_tensors = has_word(call, "tensor");
	int prefix = our_prefix(name);
	const char *tensor_name = psprintf("tensor_%s", name);
	const char *advice = NULL;
	const char *meant = NULL;
	StringInfoData hint;

	initStringInfo(&hint);
	if (of_tensors && strcmp(name, "einsum_value") == 0)
		return _(VALUES_IN_EQUATION);
	/* sum() and max() are PostgreSQL's as well, and stack() anybody's */
	if (is_ours(name) && (prefix > 0 || strchr(name, '_') || strcmp(name, "einsum") == 0))
	{
		bool unknown;

		if (!of_tensors && takes_tensor(name) &&
			(strstr(call, "[]") || has_word(call, "json") || has_word(call, "jsonb") ||
			 has_word(call, "vector")))
			return psprintf(_("An argument that is no tensor is cast: %s(x::tensor)."),
							name);
		unknown = append_unknown_argument(&hint, name, call);
		append_option_values(&hint, call);
		appendStringInfoString(&hint, _("Write "));
		append_calls(&hint, name);
		appendStringInfoString(
			&hint, unknown ? "."
						   : _(". If it is written so, search_path lacks the schema of "
							   "the extension, or CREATE EXTENSION sparseeinsum was not "
							   "run in this database."));
		return hint.data;
	}
	if (strncmp(name, "einsum_", 7) == 0)
		advice = advice_for(name + 7, command_words, lengthof(command_words));
	else if (of_tensors || prefix > 0)
		advice = advice_for(name + prefix, value_words, lengthof(value_words));
	if (advice)
		return advice;
	if (of_tensors && is_ours(tensor_name))
		meant = tensor_name;
	else if (of_tensors && is_ours(name))
		meant = name;
	else if (prefix > 0)
		meant = nearest_function(name, prefix);
	if (meant == NULL)
		return NULL;
	appendStringInfoString(&hint, _("Perhaps you meant "));
	append_calls(&hint, meant);
	appendStringInfoChar(&hint, '.');
	return hint.data;
}

#define EACH_ELEMENT                                                                     \
	"Each element is compared by tensor_greater(t, 0.5), tensor_less, tensor_equal and " \
	"so on, which give 1 or 0; a tensor of rank 0 is a number by t::float8, and t[0] "   \
	"is an element."

/* clang-format off */
static const Advice operator_words[] = {
	{" < > <= >= = <> ", EACH_ELEMENT},
	{" @ %*% ", "Products are mat_mult(a, b), mat_vec_mult(a, x), inner_prod(a, b) and einsum('ij,jk->ik', a, b)."},
	{" ^ ** ", "Write tensor_power(t, 2)."},
	{" || ", "Write tensor_concat(a, b, dimension)."},
	{" % ", "Write tensor_map('$1 - 2*floor($1/2)', 'i->i', t), with a letter for each dimension."},
	{" + - * / <-> <=> <#> <+> ", "Arrays, vectors and numbers beside a tensor are cast: '{1,2}'::float8[]::tensor."},
	{" -> ->> #> ", "Elements are t[0][1], from 0; t::jsonb is nested arrays."},
	{" && & | ~ ! ", "Elements that are 1 or 0: a * b is \"and\", tensor_map('greatest($1, $2)', 'i,i->i', a, b) \"or\", 1 - a \"not\"."},
};
/* clang-format on */

/* Returns the hint for an operator on a tensor that does not exist, or NULL. */
static const char *
hint_for_operator(const char *message)
{
	if (!has_word(message, "tensor"))
		return NULL;
	for (int i = 0; i < lengthof(operator_words); i++)
	{
		char *operators = pstrdup(operator_words[i].words);

		for (char *one = strtok(operators, " "); one != NULL; one = strtok(NULL, " "))
		{
			if (strstr(message, psprintf(" %s ", one)))
				return _(operator_words[i].advice);
		}
	}
	return NULL;
}

/*
 * Returns the name of the function whose parentheses a place in a statement is in; "" if
 * it is in none.
 */
static char *
call_around(const char *statement, const char *place)
{
	int open = 1;
	const char *end;

	for (; place > statement && open > 0; place--)
		open += place[-1] == ')' ? 1 : place[-1] == '(' ? -1 : 0;
	if (open > 0)
		return pstrdup("");
	end = place;
	while (place > statement && is_name_character(place[-1]))
		place--;
	return pnstrdup(place, end - place);
}

/* Returns the place behind what is before this one, which is no space. */
static const char *
without_space(const char *statement, const char *place)
{
	while (place > statement && isspace((unsigned char) place[-1]))
		place--;
	return place;
}

/*
 * Returns a hint for a syntax error behind a call of ours, at a bracket or at the list of
 * columns of a value; or NULL.
 */
static const char *
hint_behind_call(const char *statement, const char *place)
{
	const char *end = without_space(statement, place);
	char *name;

	/* for AS y(i int, value float8) */
	if (*place == '(')
	{
		while (end > statement && is_name_character(end[-1]))
			end--;
		end = without_space(statement, end);
		if (end - statement < 2 || pg_strncasecmp(end - 2, "as", 2) != 0)
			return NULL;
		end = without_space(statement, end - 2);
	}
	else if (*place != '[')
		return NULL;
	if (end == statement || end[-1] != ')')
		return NULL;
	name = call_around(statement, end - 1);
	if (*place == '(')
		return strcmp(name, "einsum_value") == 0 || strcmp(name, "einsum_rows") == 0
				   ? _(COLUMNS_OF_ROWS)
				   : NULL;
	return is_ours(name) && (our_prefix(name) > 0 || strcmp(name, "einsum") == 0 ||
							 strcmp(name, "avg") == 0 || strcmp(name, "sum") == 0)
			   ? psprintf(_("A call with a subscript is in parentheses: (%s(...))[0]."),
						  name)
			   : NULL;
}

/*
 * Returns a hint for a column that does not exist, where a name that a function of ours
 * is given has no quotes; or NULL.
 */
static const char *
hint_for_bare_text(const char *statement, const char *place)
{
	const char *before = without_space(statement, place);
	size_t length = 0;
	char *name;
	List *arguments;

	while (is_name_character(place[length]))
		length++;
	if (length == 0 || before == statement ||
		strchr(",)", place[length + strspn(place + length, " \n\t")]) == NULL ||
		strchr("(,>", before[-1]) == NULL)
		return NULL;
	name = call_around(statement, place);
	arguments = argument_names(name);
	/* others have columns as their operands */
	if (strncmp(name, "einsum_", 7) != 0 || arguments == NIL ||
		strcmp(llast(arguments), "VARIADIC") == 0)
		return NULL;
	return psprintf(_("A text is in single quotes, also a name: '%.*s'."), (int) length,
					place);
}

/*
 * Returns a hint for a relation that does not exist, where the statement has its name
 * with capitals, between single quotes; or NULL.
 */
static const char *
hint_for_capitals(const char *message, const char *statement)
{
	const char *start = strchr(message, '"');
	const char *end = start ? strchr(start + 1, '"') : NULL;
	size_t length;

	if (end == NULL || memchr(start, '[', end - start))
		return NULL;
	start++;
	for (const char *c = start; c < end; c++)
	{
		if (*c == '.')
			start = c + 1;
	}
	length = end - start;
	for (const char *c = statement; *c; c++)
	{
		if ((*c == '\'' || *c == '.') && pg_strncasecmp(c + 1, start, length) == 0 &&
			strncmp(c + 1, start, length) != 0 && c[length + 1] == '\'')
			return psprintf(
				_("A name with capitals is quoted within the text: "
				  "'\"%.*s\"'. Names of columns, in keys and value, are not."),
				(int) length, c + 1);
	}
	return NULL;
}

/* Is the error one of PostgreSQL's parser, and not of a function that raises its own? */
static bool
is_of_parser(const ErrorData *error)
{
	return error->filename && (strcmp(error->filename, "parse_func.c") == 0 ||
							   strcmp(error->filename, "parse_oper.c") == 0);
}

/*
 * May a name that begins here in a message be meant for one of ours? Not if it is
 * qualified with another schema.
 */
static bool
may_be_ours(const char *message, const char *name, const char *schema)
{
	const char *start;

	if (name == message || name[-1] != '.')
		return true;
	if (schema == NULL || name - message <= (ptrdiff_t) strlen(schema))
		return false;
	start = name - 1 - strlen(schema);
	return strncmp(start, schema, strlen(schema)) == 0 &&
		   (start == message || !is_name_character(start[-1]));
}

static const char *
hint_for_error(const ErrorData *error)
{
	const char *statement = debug_query_string ? debug_query_string : "";
	const char *schema = extension_schema_known();
	const char *place = NULL; /* of the error in the statement */
	const char *hint;

	if (schema && *schema == '\0')
		return NULL;
	if (error->sqlerrcode == ERRCODE_UNDEFINED_FUNCTION)
	{
		const char *open = strchr(error->message, '(');
		const char *close = strrchr(error->message, ')');
		const char *start = open;

		if (!is_of_parser(error))
			return NULL;
		while (start && start > error->message && is_name_character(start[-1]))
			start--;
		if (start && !may_be_ours(error->message, start, schema))
			return NULL;
		/* as long as the extension was not looked up, it may not be there */
		if (schema == NULL && !has_word(error->message, "tensor") &&
			(start == NULL ||
			 (strncmp(start, "einsum", 6) != 0 && strncmp(start, "tensor_", 7) != 0)))
			return NULL;
		if (open && start < open && close > open)
			return hint_for_function(pnstrdup(start, open - start),
									 pnstrdup(open + 1, close - open - 1));
		return hint_for_operator(error->message);
	}
	hint = hint_for_made(error);
	if (hint)
		return hint;
	/* other hints stay, but for that to an operand that is taken for an option */
	if (error->hint && error->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE)
		return NULL;
	if (error->cursorpos > 0 && error->internalquery == NULL)
		place = statement + pg_mbcharcliplen(statement, (int) strlen(statement),
											 error->cursorpos - 1);
	if (error->sqlerrcode == ERRCODE_SYNTAX_ERROR && place)
	{
		hint = hint_behind_call(statement, place);
		if (hint)
			return hint;
	}
	if (error->sqlerrcode == ERRCODE_UNDEFINED_TABLE && strstr(statement, "einsum_"))
	{
		hint = hint_for_capitals(error->message, statement);
		if (hint)
			return hint;
	}
	for (int i = 0; i < lengthof(refusals); i++)
	{
		if (error->sqlerrcode == refusals[i].sqlerrcode &&
			strstr(error->message, refusals[i].in_message) &&
			strstr(statement, refusals[i].in_statement[0]) &&
			strstr(statement, refusals[i].in_statement[1]))
			return _(refusals[i].advice);
	}
	return error->sqlerrcode == ERRCODE_UNDEFINED_COLUMN && place
			   ? hint_for_bare_text(statement, place)
			   : NULL;
}

/* Gives an error about a call of ours its hint. The caller's memory is the error's. */
static void
add_hint(ErrorData *error)
{
	const char *hint;

	if (previous_hook)
		previous_hook(error);
	if (error->elevel != ERROR || error->message == NULL)
		return;
	hint = hint_for_error(error);
	if (hint)
		error->hint = pstrdup(hint);
}

void
call_hints_init(void)
{
	previous_hook = emit_log_hook;
	emit_log_hook = add_hint;
}
