/*-------------------------------------------------------------------------
 *
 * fixed_labels.c
 *	  Labels that a point query fixes at one index.
 *
 * Elimination then starts at that index: at a fixed i, a[i,j] has as many entries as i
 * has neighbours, and a[i,j]*a[j,k] is cheaper than a[j,k]*a[k,l]. A fixed label fixes
 * labels of the statements that are read, too: in p[s,j] = q[s,i]*a[i,j] with s fixed, q
 * is needed at that s alone. Only estimates depend on fixed labels.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"

#include "algebra/fixed_labels.h"
#include "recursion.h"

/* State of a walk over the statements from the last one to the first. */
typedef struct Fixing
{
	Algebra *algebra;
	Bitmapset **fixed; /* by statement number: dimensions that all readers so far fix */
	bool *read;        /* by statement number: has it a reader? */
} Fixing;

/*
 * Keeps those dimensions of the statement that is read fixed at which this access has a
 * fixed label.
 */
static void
note_access(Fixing *fixing, const TensorExpr *access)
{
	const Statement *definition = statement_read(access);
	Bitmapset *dimensions = NULL;

	if (definition == NULL)
		return;
	/* a shifted access reads other indices */
	for (int d = 0; d < access->nindices && !access->tensor->shifted; d++)
	{
		if (bms_is_member(access->indices[d], fixing->algebra->fixed))
			dimensions = bms_add_member(dimensions, d);
	}
	fixing->fixed[definition->number] =
		fixing->read[definition->number]
			? bms_int_members(fixing->fixed[definition->number], dimensions)
			: dimensions;
	fixing->read[definition->number] = true;
}

static void
note_accesses(Fixing *fixing, SideTable *seen, const TensorExpr *expr)
{
	enter_recursion();
	if (side_value(seen, expr))
		return;
	set_side_value(seen, expr, expr);
	if (expr->kind == EXPR_ACCESS)
		note_access(fixing, expr);
	for (int i = 0; i < expr->nargs; i++)
		note_accesses(fixing, seen, expr->args[i]);
}

void
fix_labels(Algebra *algebra, const List *statements, const Bitmapset *absorbed,
		   int ndimensions, const int *dimensions)
{
	int nstatements = list_length(statements);
	Fixing fixing = {.algebra = algebra,
					 .fixed = palloc0(sizeof(Bitmapset *) * nstatements),
					 .read = palloc0(sizeof(bool) * nstatements)};

	for (int n = 0; n < ndimensions; n++)
		fixing.fixed[nstatements - 1] =
			bms_add_member(fixing.fixed[nstatements - 1], dimensions[n]);
	for (int s = nstatements - 1; s >= 0; s--)
	{
		const Statement *statement = list_nth(statements, s);
		SideTable *seen;
		int dimension = -1;

		CHECK_FOR_INTERRUPTS();
		if (bms_is_member(s, absorbed))
			continue;
		while ((dimension = bms_next_member(fixing.fixed[s], dimension)) >= 0)
			algebra->fixed = bms_add_member(algebra->fixed, statement->output[dimension]);
		seen = new_side_table(64);
		note_accesses(&fixing, seen, statement->expr);
		free_side_table(seen);
	}
}

void
fix_estimate(Algebra *algebra, const LabelNumbers *numbers, Estimate *estimate)
{
	double one[ESTIMATE_MAX_LABELS];
	LabelMask fixed = 0;
	LabelMask others;
	Estimate index;
	Estimate whole;
	int label;

	if (bms_is_empty(algebra->fixed))
		return;
	algebra->asked++;
	for (int i = 0; i < numbers->nlabels; i++)
	{
		one[i] = 1.0;
		if ((estimate->labels & (1u << i)) &&
			bms_is_member(numbers->labels[i], algebra->fixed))
			fixed |= 1u << i;
	}
	if (fixed == 0)
		return;
	whole = *estimate;
	full_estimate(&index, fixed, one);
	algebra->estimator->intersect(estimate, estimate, &index, numbers->bounds);
	/*
	 * which indices of other labels go with the fixed one is unknown: often those with
	 * many entries
	 */
	others = whole.labels & ~fixed;
	FOREACH_LABEL (label, others)
	{
		estimate->values[label] = whole.values[label];
		estimate->skew[label] = whole.skew[label];
	}
}
