/*-------------------------------------------------------------------------
 *
 * lower_shared.c
 *	  Equal expressions share a stage.
 *
 * Two expressions are equal if they are the same up to the names of their
 * labels. Limits of that view (a * b is not b * a) only lose sharing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "expr/analysis.h"
#include "optimizer/lowering.h"

/* A stage under a name for its expression that equal expressions share. */
typedef struct KnownStage
{
	char *key;
	int *order; /* output dimension of each label in key order */
	Stage *stage;
} KnownStage;

/*
 * The name under which equal expressions meet: the expression with labels
 * numbered in order of appearance. labels receives the program's labels in
 * that order.
 */
static void
append_key(StringInfo key, Program *program, const TensorExpr *expr, int *labels,
		   int *nlabels)
{
	int label = -1;
	uint64 bits[2];

	check_stack_depth();
	appendStringInfoChar(key, '(');
	switch (expr->kind)
	{
		case EXPR_LITERAL:
			memcpy(bits, &expr->value, sizeof(bits));
			appendStringInfo(key, "#%d " UINT64_FORMAT " " UINT64_FORMAT,
							 (int) expr->type.type, bits[0], bits[1]);
			break;
		case EXPR_ACCESS:
			appendStringInfo(key, "@%p", (void *) expr->tensor);
			for (int i = 0; i < expr->nindices; i++)
			{
				int n = 0;

				while (n < *nlabels && labels[n] != expr->indices[i])
					n++;
				if (n == *nlabels)
					labels[(*nlabels)++] = expr->indices[i];
				/* two that are pinned differently are two */
				appendStringInfo(key, " %d:%d:%d", n,
								 (int) program->labels[expr->indices[i]].pin,
								 program->labels[expr->indices[i]].block);
			}
			break;
		case EXPR_MAP:
			appendStringInfo(key, "f%d", (int) expr->function);
			break;
		case EXPR_AGGREGATE:
			appendStringInfo(key, "a%d", (int) expr->aggregate);
			break;
	}
	for (int i = 0; i < expr->nargs; i++)
		append_key(key, program, expr->args[i], labels, nlabels);
	while ((label = bms_next_member(expr->bound_labels, label)) >= 0)
	{
		for (int n = 0; n < *nlabels; n++)
		{
			if (labels[n] == label)
				appendStringInfo(key, " b%d", n);
		}
	}
	appendStringInfoChar(key, ')');
}

/* An access to a stage's result with its output labels in the given order. */
static TensorExpr *
access_stage(Lowering *lowering, Stage *stage, const int *labels, int location)
{
	return expr_access(lowering->program, stage->tensor, labels, location);
}

/* The free labels of an expression in the order of its key. */
static int
key_of(Lowering *lowering, TensorExpr *expr, char **key, int **free_labels)
{
	StringInfoData buffer;
	int *labels = palloc(sizeof(int) * lowering->program->nlabels);
	int nlabels = 0;
	int nfree = 0;

	initStringInfo(&buffer);
	append_key(&buffer, lowering->program, expr, labels, &nlabels);
	*free_labels = palloc(sizeof(int) * Max(nlabels, 1));
	for (int i = 0; i < nlabels; i++)
	{
		if (bms_is_member(labels[i], expr->labels))
			(*free_labels)[nfree++] = labels[i];
	}
	*key = buffer.data;
	return nfree;
}

void
remember_stage(Lowering *lowering, TensorExpr *expr, Stage *stage)
{
	KnownStage *known = palloc0(sizeof(KnownStage));
	int *labels;
	int nlabels = key_of(lowering, expr, &known->key, &labels);

	/* a result extended to labels its expression lacks is another tensor */
	if (nlabels != stage->noutput)
		return;
	known->stage = stage;
	known->order = palloc(sizeof(int) * Max(nlabels, 1));
	for (int i = 0; i < nlabels; i++)
	{
		for (int d = 0; d < nlabels; d++)
		{
			if (stage->labels[stage->output[d]].program_label == labels[i])
				known->order[i] = d;
		}
	}
	lowering->known = lappend(lowering->known, known);
}

TensorExpr *
substage(Lowering *lowering, TensorExpr *expr)
{
	char *key;
	int *labels;
	int nlabels = key_of(lowering, expr, &key, &labels);
	ListCell *lc;
	Stage *stage;

	foreach (lc, lowering->known)
	{
		KnownStage *known = lfirst(lc);
		int indices[TENSOR_MAX_RANK];

		if (strcmp(known->key, key) != 0)
			continue;
		for (int i = 0; i < nlabels; i++)
			indices[known->order[i]] = labels[i];
		return access_stage(lowering, known->stage, indices, expr->location);
	}

	if (nlabels > TENSOR_MAX_RANK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("an intermediate result would have %d dimensions", nlabels),
				 errdetail("A tensor has at most %d.", TENSOR_MAX_RANK),
				 errhint("Sum labels earlier, in a statement of their own."),
				 program_errposition(lowering->program->text, expr->location)));
	stage = lower_stage(lowering, expr, labels, nlabels, false);
	return access_stage(lowering, stage, labels, expr->location);
}
