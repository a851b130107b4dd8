/*-------------------------------------------------------------------------
 *
 * call_equation.c
 *	  Fitting an equation to the operands of a call: the dimensions that its
 *	  ellipsis stands for, the extents of its labels, and the order in which
 *	  more than two operands are multiplied.
 *
 * What depends on ranks and bounds only is remembered by the call site, since
 * the rows of a query mostly have the same.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "compat.h"
#include "type/call.h"
#include "type/tensor_shape.h"

/* Returns a term of an equation as it was written, in quotes. */
static char *
term_string(const Equation *equation, const EquationTerm *term)
{
	StringInfoData string;
	char before = ' ';

	initStringInfo(&string);
	appendStringInfoChar(&string, '"');
	for (int d = 0; d < term->rank; d++)
	{
		char letter = equation->letters[term->labels[d]];

		if (term->ellipsis == d + 1 || (letter == '.' && before != '.'))
			appendStringInfoString(&string, "...");
		if (letter != '.')
			appendStringInfoChar(&string, letter);
		before = letter;
	}
	if (term->ellipsis == term->rank + 1)
		appendStringInfoString(&string, "...");
	appendStringInfoChar(&string, '"');
	return string.data;
}

/*
 * The functions whose equations are fixed, with the ranks of their operands, for hints.
 */
static const struct
{
	const char *name;
	int ranks[2];
	const char *advice;
} named_functions[] = {
	{"vec_sca_mult", {-1, 0}, "Of a tensor and a number it is vec_sca_mult(a, 2)."},
	{"inner_prod", {1, 1}, "Of two vectors it is inner_prod(v, w)."},
	{"outer_prod", {1, 1}, "Of two vectors it is outer_prod(v, w)."},
	{"vec_mat_mult", {1, 2}, "Of a vector and a matrix it is vec_mat_mult(v, a)."},
	{"mat_vec_mult", {2, 1}, "Of a matrix and a vector it is mat_vec_mult(a, v)."},
	{"mat_mult", {2, 2}, "Of two matrices it is mat_mult(a, b)."},
};

/* Is the equation of the function fixed, so that its user did not write one? */
static bool
has_fixed_equation(const char *function)
{
	for (int i = 0; i < lengthof(named_functions); i++)
	{
		if (strcmp(function, named_functions[i].name) == 0)
			return true;
	}
	return false;
}

/*
 * Returns a hint: the function for operands of these ranks, or else the ranks that the
 * called function takes.
 */
static const char *
hint_for_ranks(const char *function, int first, int second)
{
	for (int i = 0; i < lengthof(named_functions); i++)
	{
		bool any_rank = named_functions[i].ranks[0] < 0;

		if (any_rank ? strcmp(function, named_functions[i].name) == 0
					 : first == named_functions[i].ranks[0] &&
						   second == named_functions[i].ranks[1])
			return _(named_functions[i].advice);
	}
	return _("There are inner_prod(v, w), outer_prod(v, w), vec_mat_mult(v, a), "
			 "mat_vec_mult(a, v) and mat_mult(a, b); and einsum(equation, ...) of any.");
}

/* Raises the error for operand i (from 0), whose rank differs from its term's. */
static void
report_rank(const char *function, const Equation *equation,
			const TensorView *const *views, int i, bool strict)
{
	const EquationTerm *term = &equation->operands[i];
	const TensorView *view = views[i];
	bool named = has_fixed_equation(function);
	bool ellipsis = term->ellipsis != 0;

	ereport(
		ERROR,
		(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
		 ellipsis ? errmsg("operand %d of %s has rank %d where at least rank %d is "
						   "needed",
						   i + 1, function, view->rank, term->rank)
				  : errmsg("operand %d of %s has rank %d where rank %d is needed", i + 1,
						   function, view->rank, term->rank),
		 named ? errdetail("Its shape is %s.", shape_to_string(view->rank, view->bounds))
			   : errdetail("Its shape is %s, and its term in the equation %s.",
						   shape_to_string(view->rank, view->bounds),
						   term_string(equation, term)),
		 named ? errhint("%s", hint_for_ranks(function, views[0]->rank, views[1]->rank))
		 : strict || view->rank < term->rank
			 ? errhint("Each dimension of an operand needs one label.")
			 : errhint("Each dimension of an operand needs one label, or an ellipsis "
					   "that stands for it.")));
}

void
bind_equation(const Equation *equation, const TensorView *const *views,
			  const char *function, Equation *bound)
{
	int ranks[EQUATION_MAX_OPERANDS] = {0};
	int where;

	for (int i = 0; i < equation->noperands; i++)
		ranks[i] = views[i]->rank;
	switch (equation_bind(equation, ranks, bound, &where))
	{
		case BIND_DONE:
			break;
		case BIND_RANK_TOO_SMALL:
			report_rank(function, equation, views, where, false);
			break;
		case BIND_NOT_IN_OUTPUT:
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("output of %s lacks the dimensions of the ellipsis", function),
				 errdetail("Operand %d has shape %s, and its term in the equation is "
						   "%s.",
						   where + 1,
						   shape_to_string(views[where]->rank, views[where]->bounds),
						   term_string(equation, &equation->operands[where])),
				 errhint("Write \"...\" in the output too, or give dimensions to be "
						 "summed a letter.")));
			break;
		case BIND_OUTPUT_RANK:
			ereport(
				ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("output of %s has too many dimensions", function),
				 errdetail("There may be %d. Operand %d has shape %s, and its term in "
						   "the equation is %s.",
						   TENSOR_MAX_RANK, where + 1,
						   shape_to_string(views[where]->rank, views[where]->bounds),
						   term_string(equation, &equation->operands[where]))));
			break;
	}
}

const Equation *
bind_call_equation(CallCache *cache, const Equation *equation, const Operands *operands,
				   const char *function)
{
	Equation *bound = cache->bound;
	bool same = bound != NULL && bound->noperands == operands->count;

	if (!equation->has_ellipsis)
		return equation;
	for (int i = 0; same && i < operands->count; i++)
		same = bound->operands[i].rank == operands->views[i]->rank;
	if (same)
		return bound;
	if (bound == NULL)
		bound = cache->bound = MemoryContextAllocZero(cache->context, sizeof(Equation));
	bound->noperands = 0;
	bind_equation(equation, operands->views, function, bound);
	return bound;
}

const EinsumPath *
get_call_path(CallCache *cache, const Equation *equation, const Operands *operands)
{
	int at = 0;
	bool same = cache->path != NULL && cache->path_type == operands->type &&
				cache->npath_bounds >= 0;

	/* operands of the same ranks mean the same labels */
	for (int i = 0; same && i < operands->count; i++)
	{
		const TensorView *view = operands->views[i];

		same = cache->path_bounds[at++] == view->rank;
		for (int d = 0; same && d < view->rank; d++)
			same = cache->path_bounds[at++] == view->bounds[d];
	}
	if (same)
		return cache->path;

	if (cache->path == NULL)
	{
		cache->path_bounds =
			MemoryContextAlloc(cache->context, sizeof(int64) * EQUATION_MAX_OPERANDS *
												   (TENSOR_MAX_RANK + 1));
		cache->path = MemoryContextAlloc(cache->context, sizeof(EinsumPath));
	}
	/* an error must not leave a half-built path in the cache */
	cache->npath_bounds = -1;
	einsum_choose_order(equation, operands->views, operands->type, cache->path);
	cache->path_type = operands->type;
	cache->npath_bounds = 0;
	for (int i = 0; i < operands->count; i++)
	{
		const TensorView *view = operands->views[i];

		cache->path_bounds[cache->npath_bounds++] = view->rank;
		for (int d = 0; d < view->rank; d++)
			cache->path_bounds[cache->npath_bounds++] = view->bounds[d];
	}
	return cache->path;
}

/* Raises the error for a label whose extents in operands a and b (from 0) differ. */
static void
report_extents(const char *function, const Equation *equation,
			   const TensorView *const *views, int label, int a, int64 a_extent, int b,
			   int64 b_extent, bool strict)
{
	int letters = 0;

	while (letters < equation->nlabels && equation->letters[letters] != '.')
		letters++;
	if (has_fixed_equation(function))
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("operands of %s do not fit each other", function),
				 errdetail("Their shapes are %s and %s: " INT64_FORMAT
						   " is to be " INT64_FORMAT ".",
						   shape_to_string(views[0]->rank, views[0]->bounds),
						   shape_to_string(views[1]->rank, views[1]->bounds), a_extent,
						   b_extent),
				 errhint("Dimensions that are multiplied with each other must have the "
						 "same extent.")));
	ereport(ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 equation->letters[label] == '.'
				 ? errmsg("dimension %d of the ellipsis of %s has two extents",
						  label - letters, function)
				 : errmsg("label \"%c\" of %s has two extents", equation->letters[label],
						  function),
			 errdetail("It is " INT64_FORMAT " in operand %d (%s, %s) and " INT64_FORMAT
					   " in operand %d (%s, %s).",
					   a_extent, a + 1, shape_to_string(views[a]->rank, views[a]->bounds),
					   term_string(equation, &equation->operands[a]), b_extent, b + 1,
					   shape_to_string(views[b]->rank, views[b]->bounds),
					   term_string(equation, &equation->operands[b])),
			 strict || a == b
				 ? errhint("Dimensions that share a label must have the same extent.")
				 : errhint("Dimensions that share a label must have the same extent, or "
						   "1.")));
}

/*
 * Raises the error for the rank or extent that check_extents rejected; strict: bounds of
 * 1 are not broadcast.
 */
static void
raise_mismatch(const char *function, const Equation *equation,
			   const TensorView *const *views, bool strict)
{
	int64 extents[EQUATION_MAX_LABELS];
	int origin[EQUATION_MAX_LABELS];

	for (int label = 0; label < equation->nlabels; label++)
		origin[label] = -1;
	for (int i = 0; i < equation->noperands; i++)
	{
		const EquationTerm *term = &equation->operands[i];
		const TensorView *view = views[i];

		if (view->rank != term->rank)
			report_rank(function, equation, views, i, strict);
		for (int d = 0; d < term->rank; d++)
		{
			int label = term->labels[d];

			/* a repeated label, a diagonal, needs equal bounds */
			for (int e = 0; e < d; e++)
				if (term->labels[e] == label && view->bounds[e] != view->bounds[d])
					report_extents(function, equation, views, label, i, view->bounds[e],
								   i, view->bounds[d], strict);
			if (origin[label] < 0 || (!strict && extents[label] == 1))
			{
				origin[label] = i;
				extents[label] = view->bounds[d];
			}
			else if (extents[label] != view->bounds[d] &&
					 (strict || view->bounds[d] != 1))
				report_extents(function, equation, views, label, origin[label],
							   extents[label], i, view->bounds[d], strict);
		}
	}
	elog(ERROR, "operands of %s do not fit the equation", function);
}

void
check_extents(const char *function, const Equation *equation,
			  const TensorView *const *views, bool strict, int64 *extents)
{
	EquationMismatch mismatch;

	if (!equation_extents(equation, views, extents, &mismatch))
		raise_mismatch(function, equation, views, strict);
	for (int i = 0; strict && i < equation->noperands; i++)
		for (int d = 0; d < views[i]->rank; d++)
			if (views[i]->bounds[d] != extents[equation->operands[i].labels[d]])
				raise_mismatch(function, equation, views, strict);
}
