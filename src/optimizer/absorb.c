/*-------------------------------------------------------------------------
 *
 * absorb.c
 *	  Which statements their readers absorb.
 *
 * A statement that is read once is absorbed where that repeats no work. One that
 * is read more often is computed once and kept, but for *scalings*: one tensor
 * times others over some of its labels, like the normalised adjacency of a graph,
 * n[i,j] = d[i] * a[i,j] * d[j]. Kept, n costs a join of all edges with each d,
 * and is as large as a. In a sum like n[i,j] * x[j,k] over j, d[j] may join x and
 * d[i] the result, which are smaller.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "algebra/factors.h"
#include "algebra/kernel_sums.h"
#include "algebra/restrict.h"
#include "algebra/support.h"
#include "expr/inline.h"
#include "expr/walk.h"
#include "optimizer/lowering.h"
#include "recursion.h"

/*
 * Most reads of a statement that its readers may absorb; one that is read more often is
 * absorbed only if it is a scaling.
 */
#define MOST_COPIES 4

/* How often a statement reads what another defines. */
typedef struct AbsorbedReading
{
	const Statement *definition;
	int count;
} AbsorbedReading;

/* Which statements read which, kept up to date while statements are absorbed. */
typedef struct Absorption
{
	Algebra *algebra;
	Program *program;
	List *statements;
	RewriteLevel level;
	/* statements that are not absorbed by default may be, and the reverse */
	bool choosing;
	List **readings; /* of each statement: a list of AbsorbedReading *, by definition */
	/* of each statement: the statements that read it and are not absorbed */
	Bitmapset **readers;
	Bitmapset *absorbed; /* the absorbed statements */
	int *counts;         /* scratch: accesses by definition, 0 between uses */
	Bitmapset *read;     /* scratch: the definitions that have counts */
	/* by statement: whether it depends on the state of a loop; or NULL */
	bool *varies;
} Absorption;

/* Counts an access to a definition. */
static Walk
count_reading(const TensorExpr *expr, void *context)
{
	Absorption *absorption = context;

	if (expr->kind == EXPR_ACCESS && expr->tensor->definition)
	{
		int definition = expr->tensor->definition->number;

		absorption->read = bms_add_member(absorption->read, definition);
		absorption->counts[definition]++;
	}
	return WALK_BELOW;
}

/*
 * Counts the accesses of an expression to each definition; as a tree it has at most
 * KERNEL_MAX_NODES.
 */
static void
count_readings(Absorption *absorption, const TensorExpr *expr)
{
	enter_recursion();
	(void) count_reading(expr, absorption);
	for (int i = 0; i < expr->nargs; i++)
		count_readings(absorption, expr->args[i]);
}

/* Replaces the list of what a statement reads by what it reads now. */
static void
update_readings(Absorption *absorption, const Statement *statement)
{
	int definition = -1;
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	foreach (lc, absorption->readings[statement->number])
	{
		definition = ((const AbsorbedReading *) lfirst(lc))->definition->number;
		absorption->readers[definition] =
			bms_del_member(absorption->readers[definition], statement->number);
	}
	list_free_deep(absorption->readings[statement->number]);
	absorption->readings[statement->number] = NIL;

	/* a larger expression absorbs nothing, so that each of its accesses counts once */
	if (statement->expr->size <= KERNEL_MAX_NODES)
		count_readings(absorption, statement->expr);
	else
		(void) walk_expr(statement->expr, count_reading, absorption);
	definition = -1;
	while ((definition = bms_next_member(absorption->read, definition)) >= 0)
	{
		AbsorbedReading *reading = palloc(sizeof(AbsorbedReading));

		reading->definition = list_nth(absorption->statements, definition);
		reading->count = absorption->counts[definition];
		absorption->counts[definition] = 0;
		absorption->readings[statement->number] =
			lappend(absorption->readings[statement->number], reading);
		absorption->readers[definition] =
			bms_add_member(absorption->readers[definition], statement->number);
	}
	bms_free(absorption->read);
	absorption->read = NULL;
}

static int
compare_reading(const void *definition, const void *cell)
{
	return *(const int *) definition -
		   ((const AbsorbedReading *) lfirst((const ListCell *) cell))
			   ->definition->number;
}

/* Returns how often a reader of a statement reads it. */
static int
readings_of(const Absorption *absorption, const Statement *reader,
			const Statement *statement)
{
	const List *readings = absorption->readings[reader->number];
	const ListCell *cell =
		bsearch(&statement->number, readings->elements, list_length(readings),
				sizeof(ListCell), compare_reading);

	return ((const AbsorbedReading *) lfirst(cell))->count;
}

typedef struct AggregateCount
{
	const TensorExpr *core;
	int count;
} AggregateCount;

static Walk
count_aggregate(const TensorExpr *expr, void *context)
{
	AggregateCount *counted = context;

	if (!expr->has_aggregate)
		return WALK_ON;
	counted->count += (expr->kind == EXPR_AGGREGATE && expr != counted->core) ||
					  expr->kind == EXPR_MATRIX;
	return WALK_BELOW;
}

/* Returns how many aggregates of an expression would need a stage of their own. */
static int
stages_of_sums(TensorExpr *expr)
{
	AggregateCount counted = {.core = core_below_post(expr)};

	(void) walk_expr(expr, count_aggregate, &counted);
	return counted.count;
}

/* Ends the walk at a join with more references than a join may have. */
static Walk
find_long_join(const TensorExpr *expr, void *algebra)
{
	if (!expr->has_aggregate)
		return WALK_ON;
	for (int i = 0; expr->kind != EXPR_MAP && i < expr->nargs; i++)
	{
		if (count_atoms(algebra, expr->args[i]) > SUPPORT_MAX_ATOMS)
			return WALK_END;
	}
	return WALK_BELOW;
}

bool
is_within_limits(Algebra *algebra, TensorExpr *expr)
{
	return expr->size <= KERNEL_MAX_NODES &&
		   count_atoms(algebra, expr) <= SUPPORT_MAX_ATOMS &&
		   !walk_expr(expr, find_long_join, algebra);
}

/* Does a factor have only labels of the tensor that it scales, and not all of them? */
static bool
scales(const TensorExpr *factor, const TensorExpr *scaled)
{
	return bms_subset_compare(factor->labels, scaled->labels) == BMS_SUBSET1 &&
		   !factor->has_aggregate;
}

/*
 * Is a statement a scaling? Then *movable becomes the factors by which it scales its
 * tensor, and *fixed its divisors and the expressions that are divided, which cannot be
 * multiplied into a sum.
 */
static bool
split_scaling(Algebra *algebra, const Statement *statement, List **movable, List **fixed)
{
	Factors factors = {NIL, NIL, NIL};
	TensorExpr *scaled = NULL;
	ListCell *lc;

	*movable = NIL;
	*fixed = NIL;
	if (count_atoms(algebra, statement->expr) > SUPPORT_MAX_ATOMS)
		return false;
	split_product(algebra, statement->expr, &factors);
	foreach (lc, factors.killers)
	{
		TensorExpr *factor = lfirst(lc);

		if (scaled == NULL && factor->kind == EXPR_ACCESS &&
			factor->nindices == statement->noutput &&
			bms_num_members(factor->labels) == statement->noutput)
			scaled = factor;
		else if (killer_is_divided(&factors, foreach_current_index(lc)))
			*fixed = lappend(*fixed, factor);
		else
			*movable = lappend(*movable, factor);
	}
	foreach (lc, factors.modifiers)
	{
		if (modifier_is_divided(&factors, foreach_current_index(lc)))
			*fixed = lappend(*fixed, lfirst(lc));
		else
			*movable = lappend(*movable, lfirst(lc));
	}
	foreach (lc, factors.divisors)
		*fixed = lappend(*fixed, ((const Divisor *) lfirst(lc))->expr);
	if (scaled == NULL)
		return false;
	foreach (lc, list_concat_copy(*movable, *fixed))
	{
		if (!scales(lfirst(lc), scaled))
			return false;
	}
	return true;
}

/* Returns the labels of a scaling at an access to its statement. */
static Bitmapset *
accessed_labels(const Statement *statement, const TensorExpr *access,
				const TensorExpr *scaling)
{
	Bitmapset *labels = NULL;

	for (int d = 0; d < statement->noutput; d++)
	{
		if (bms_is_member(statement->output[d], scaling->labels))
			labels = bms_add_member(labels, access->indices[d]);
	}
	return labels;
}

/*
 * Do other factors have these labels, so that the scaling factors may join one of them?
 */
static bool
joins_another(const List *factors, const TensorExpr *access, const Bitmapset *labels)
{
	ListCell *lc;

	foreach (lc, factors)
	{
		const TensorExpr *factor = lfirst(lc);

		if (factor != access && bms_is_subset(labels, factor->labels))
			return true;
	}
	return false;
}

/*
 * The statement scales a tensor: it multiplies it by other factors. Returns how many
 * sums read it as a factor and can join each of those with another one of theirs.
 */
static int
count_movable(Algebra *algebra, TensorExpr *expr, const Statement *statement,
			  const List *movable, const List *fixed)
{
	Factors factors = {NIL, NIL, NIL};
	int count = 0;
	ListCell *lc;

	/*
	 * The expression is walked as a tree of at most KERNEL_MAX_NODES: each place counts.
	 */
	enter_recursion();
	for (int i = 0; i < expr->nargs; i++)
		count += count_movable(algebra, expr->args[i], statement, movable, fixed);
	if (expr->kind != EXPR_AGGREGATE || expr->aggregate != AGGREGATE_SUM ||
		count_atoms(algebra, expr->args[0]) > SUPPORT_MAX_ATOMS)
		return count;
	split_product(algebra, expr->args[0], &factors);
	foreach (lc, factors.killers)
	{
		const TensorExpr *access = lfirst(lc);
		bool divided = killer_is_divided(&factors, foreach_current_index(lc));
		bool moves = true;
		ListCell *ls;

		if (access->kind != EXPR_ACCESS || access->tensor != statement->target)
			continue;
		foreach (ls, movable)
		{
			Bitmapset *labels = accessed_labels(statement, access, lfirst(ls));

			moves = moves && ((!divided && !bms_overlap(labels, expr->bound_labels)) ||
							  joins_another(factors.killers, access, labels));
		}
		foreach (ls, fixed)
			moves =
				moves && joins_another(factors.killers, access,
									   accessed_labels(statement, access, lfirst(ls)));
		count += moves;
	}
	return count;
}

/*
 * How many nodes fewer a merged expression may have than its parts together, if it is not
 * a number: two sums become one, and two signs cancel.
 */
#define MERGE_LEAST_NODES 8

/*
 * From this number of nodes on a statement keeps its labels when its only reader absorbs
 * it, and the reader takes them over if they are like its own. The smaller of the two is
 * renamed, so that a chain of statements is renamed in linear time.
 */
#define ADOPT_LEAST_NODES 64

typedef struct AccessSearch
{
	const ProgramTensor *tensor;
	const TensorExpr *found;
} AccessSearch;

static Walk
look_at_access(const TensorExpr *expr, void *context)
{
	AccessSearch *search = context;

	if (expr->kind != EXPR_ACCESS || expr->tensor != search->tensor)
		return WALK_BELOW;
	search->found = expr;
	return WALK_END;
}

/* Returns the first access to a tensor in an expression. */
static const TensorExpr *
find_access(const TensorExpr *expr, const ProgramTensor *tensor)
{
	AccessSearch search = {.tensor = tensor};

	(void) walk_expr(expr, look_at_access, &search);
	return search.found;
}

static bool
is_like_label(const ProgramLabel *a, const ProgramLabel *b)
{
	return strcmp(a->name, b->name) == 0 && a->bound == b->bound && a->pin == b->pin &&
		   a->block == b->block;
}

/*
 * Gives a reader the labels of a statement at the one place where it reads the statement.
 * The reader stays as it is if the labels differ in more than their numbers.
 */
static void
adopt_labels(Program *program, Statement *reader, const Statement *statement)
{
	const TensorExpr *access = find_access(reader->expr, statement->target);
	int *renaming = program->renaming;

	if (access == NULL || bms_num_members(access->labels) != access->nindices)
		return;
	for (int i = 0; i < access->nindices; i++)
	{
		if (!is_like_label(&program->labels[access->indices[i]],
						   &program->labels[statement->output[i]]))
			return;
	}
	for (int i = 0; i < access->nindices; i++)
		renaming[access->indices[i]] = statement->output[i];
	reader->expr = rename_labels(program, reader->expr, renaming);
	for (int i = 0; i < reader->noutput; i++)
	{
		if (renaming[reader->output[i]] >= 0)
			reader->output[i] = renaming[reader->output[i]];
	}
	for (int i = 0; i < access->nindices; i++)
		renaming[access->indices[i]] = -1;
}

/*
 * Returns the reader with the statement merged into it in all places (reads) where it
 * reads the statement; NULL if that is not possible. *repeats becomes true if the merged
 * reader needs more stages.
 */
static Statement *
merge(const Absorption *absorption, const Statement *reader, const Statement *statement,
	  int reads, bool *repeats)
{
	Program *program = absorption->program;
	Statement *result;
	TensorExpr *merged;

	/* a matrix function reads what is stored or computed */
	if (reader->body_pinned || reader->expr->kind == EXPR_MATRIX)
		return NULL;
	/*
	 * Checked before the work: other readers may be long, and merge() may be called for
	 * many.
	 */
	if (statement->expr->kind != EXPR_LITERAL &&
		reader->expr->size - MERGE_LEAST_NODES > KERNEL_MAX_NODES - statement->expr->size)
		return NULL;
	result = palloc(sizeof(Statement));
	*result = *reader;
	if (reads == 1 && statement->expr->size >= ADOPT_LEAST_NODES &&
		statement->expr->size >= reader->expr->size)
		adopt_labels(program, result, statement);
	merged = normalize_expr(program, inline_definition(program, result->expr, statement),
							absorption->level);
	if (!is_within_limits(absorption->algebra, merged))
		return NULL;
	/* a sum in the reader is worth it if it is restricted there, or needs no stage */
	*repeats = *repeats ||
			   (stages_of_sums(merged) > stages_of_sums(reader->expr) &&
				(reads != 1 || (restrict_sums(absorption->algebra, merged) == merged &&
								sums_in_kernels(absorption->algebra, merged) == merged)));
	result->expr = merged;
	return result;
}

/*
 * Returns the statements that read a statement and are not absorbed; *reads becomes how
 * often they read it together.
 */
static List *
find_reading_statements(const Absorption *absorption, const Statement *statement,
						int *reads)
{
	List *readers = NIL;
	int number = -1;

	*reads = 0;
	while ((number = bms_next_member(absorption->readers[statement->number], number)) >=
		   0)
	{
		Statement *reader = list_nth(absorption->statements, number);

		readers = lappend(readers, reader);
		*reads += readings_of(absorption, reader, statement);
	}
	return readers;
}

/*
 * Is a statement a scaling whose factors may all join other factors where the statement
 * is read?
 */
static bool
moves_everywhere(const Absorption *absorption, const Statement *statement,
				 const List *readers, int reads)
{
	List *movable = NIL;
	List *fixed = NIL;
	int moved = 0;
	ListCell *lc;

	/* a larger statement is not merged */
	if (statement->expr->size > KERNEL_MAX_NODES)
		return false;
	foreach (lc, readers)
	{
		if (((const Statement *) lfirst(lc))->expr->size > KERNEL_MAX_NODES)
			return false;
	}
	if (!split_scaling(absorption->algebra, statement, &movable, &fixed))
		return false;
	foreach (lc, readers)
		moved += count_movable(absorption->algebra, ((Statement *) lfirst(lc))->expr,
							   statement, movable, fixed);
	return moved == reads;
}

/*
 * Is an expression a plain product of tensors and numbers, for which kernels are fastest?
 */
static bool
is_plain_product(const TensorExpr *expr)
{
	enter_recursion();
	if (expr_is_map(expr, FUNCTION_MULTIPLY))
		return is_plain_product(expr->args[0]) && is_plain_product(expr->args[1]);
	return expr->nargs == 0;
}

/*
 * May absorbing a statement that is read once be expensive, because a sum over it may
 * lose its fast kernel?
 */
static bool
may_cost_kernel(const Statement *statement, const List *readers)
{
	const Statement *reader = linitial(readers);

	return statement->expr->has_aggregate ||
		   (reader->expr->has_aggregate && !is_plain_product(statement->expr));
}

/*
 * Ends the walk at an access that depends on the state of a loop, given which statements
 * do.
 */
static Walk
find_varying_access(const TensorExpr *expr, void *context)
{
	const Absorption *absorption = context;
	const Statement *statement = statement_read(expr);

	if (expr->kind == EXPR_ACCESS &&
		(expr->tensor->is_state ||
		 (expr->tensor->shifted && expr->tensor->shifted->is_state) ||
		 (statement && absorption->varies[statement->number])))
		return WALK_END;
	return WALK_BELOW;
}

/* Does a loop compute a statement once, and its readers in each round? */
static bool
lasts_longer(const Absorption *absorption, const Statement *statement,
			 const List *readers)
{
	ListCell *lc;

	if (absorption->varies == NULL || absorption->varies[statement->number] ||
		statement->expr->nargs == 0)
		return false;
	foreach (lc, readers)
	{
		if (absorption->varies[((const Statement *) lfirst(lc))->number])
			return true;
	}
	return false;
}

/* Is a statement read at shifted or constant indices? Such accesses read its result. */
static bool
is_shifted(const Absorption *absorption, const Statement *statement)
{
	ListCell *lc;

	foreach (lc, absorption->program->shifted)
	{
		if (((const ProgramTensor *) lfirst(lc))->shifted == statement->target)
			return true;
	}
	return false;
}

/*
 * Lets all readers of a statement absorb it, if all of them can and the choice point says
 * so. By default they do if nothing is computed more often then. There is no choice point
 * if absorbing cannot cost anything, nor if every statement is to be a table.
 */
static void
absorb_statement(Absorption *absorption, const Statement *statement)
{
	static const FormOption keep[2] = {{"read through"}, {NULL}};
	static const FormOption absorb[2] = {{NULL}, {"read through"}};
	List *merged = NIL;
	List *readers;
	int reads;
	bool moves;
	bool repeats = false;
	bool absorbed;
	ListCell *lc;
	ListCell *lm;

	if (statement->pinned || statement->wanted || statement->expr->kind == EXPR_MATRIX ||
		is_shifted(absorption, statement))
		return;
	readers = find_reading_statements(absorption, statement, &reads);
	moves = reads > 1 && moves_everywhere(absorption, statement, readers, reads);
	if (readers == NIL || (reads > MOST_COPIES && !moves))
		return;
	foreach (lc, readers)
	{
		Statement *reader = merge(absorption, lfirst(lc), statement, reads, &repeats);

		if (reader == NULL)
			return;
		merged = lappend(merged, reader);
	}
	absorbed = !repeats && !is_union(statement->expr) && (reads == 1 || moves) &&
			   !lasts_longer(absorption, statement, readers);
	if (absorption->choosing &&
		(!absorbed || reads > 1 || may_cost_kernel(statement, readers)) &&
		choose_law(absorption->algebra->choices, FORMS_OF_STATEMENTS,
				   absorbed ? keep : absorb))
		absorbed = !absorbed;
	if (!absorbed)
		return;

	forboth (lc, readers, lm, merged)
	{
		*(Statement *) lfirst(lc) = *(const Statement *) lfirst(lm);
		update_readings(absorption, lfirst(lc));
	}
	absorption->absorbed = bms_add_member(absorption->absorbed, statement->number);
	foreach (lc, absorption->readings[statement->number])
	{
		int definition = ((const AbsorbedReading *) lfirst(lc))->definition->number;

		absorption->readers[definition] =
			bms_del_member(absorption->readers[definition], statement->number);
	}
}

Bitmapset *
absorb_statements(Algebra *algebra, List *statements, const PlanOptions *options)
{
	int nstatements = list_length(statements);
	Absorption absorption = {.algebra = algebra,
							 .program = algebra->program,
							 .statements = statements,
							 .level = options->rewrite,
							 .choosing = !keeps_all_stages(options->materialize)};
	ListCell *lc;

	if (options->search == SEARCH_AS_WRITTEN || options->rewrite < REWRITE_DISTRIBUTE)
		return NULL;
	absorption.readings = palloc0(sizeof(List *) * nstatements);
	absorption.readers = palloc0(sizeof(Bitmapset *) * nstatements);
	absorption.counts = palloc0(sizeof(int) * nstatements);
	foreach (lc, statements)
		update_readings(&absorption, lfirst(lc));
	if (options->loop)
	{
		absorption.varies = palloc0(sizeof(bool) * nstatements);
		foreach (lc, statements)
			absorption.varies[foreach_current_index(lc)] = walk_expr(
				((const Statement *) lfirst(lc))->expr, find_varying_access, &absorption);
	}
	foreach (lc, statements)
	{
		CHECK_FOR_INTERRUPTS();
		enter_scope(algebra->choices, foreach_current_index(lc), NULL);
		absorb_statement(&absorption, lfirst(lc));
	}
	return absorption.absorbed;
}
