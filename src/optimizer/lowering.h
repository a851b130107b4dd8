/*-------------------------------------------------------------------------
 *
 * lowering.h
 *	  How a program is cut into stages: what the files that do it share.
 *
 * absorb.c			 which statements absorb others
 * form.c			 makes an expression computable by one stage: its form
 * lower_form.c		 the stage of a form
 * summed_once.c	 what sums the duplicates of an additive tensor
 * lower.c			 the stages of a program
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_LOWERING_H
#define OPTIMIZER_LOWERING_H

#include "algebra/algebra.h"
#include "optimizer/stage.h"

/* One of the terms that a form adds up. */
typedef struct FormTerm
{
	TensorExpr *body;      /* its leaves are tensors and groups */
	Bitmapset *aggregated; /* its labels that the form's operator folds */
	bool negative;
} FormTerm;

/*
 * What one stage computes: post( sum over terms of aggregate[aggregated] body ), where
 * post is what the expression has above its core.
 */
typedef struct Form
{
	TensorExpr *expr;
	TensorExpr *core;
	AggregateOperator aggregate;
	int nterms;
	FormTerm *terms;
	int location; /* of the statement */
} Form;

/* What has been lowered. */
typedef struct Lowered
{
	SideTable *stages;  /* by the tensor that they make */
	SideTable *kernels; /* of nodes over their own atoms */
} Lowered;

/* A program while it is cut into stages. */
typedef struct Lowering
{
	StageGraph *graph;
	Program *program;
	Algebra *algebra;
	Lowered lowered;
	Statement *statement;           /* being cut */
	int nsubstages;                 /* of the statement, so far */
	struct stage_names_hash *names; /* taken: tensors of statements and stages */
} Lowering;

/*
 * Lets statements absorb those that need not be computed by themselves, as long as one
 * expression can hold the two. By default those that only they read, once, that
 * aggregate nothing, need no stage of their own there, or whose sums are needed only in
 * part there (algebra/restrict.h); and scalings. A statement with pins is not absorbed,
 * and one with pins on the right absorbs none. Changes the statements, all of the
 * program as other passes left them, and returns the numbers of those absorbed.
 *
 * The choices of a statement's scope: by its number.
 */
extern Bitmapset *absorb_statements(Algebra *algebra, List *statements,
									const PlanOptions *options);

/* Has an expression no more nodes, and no join in it more references, than it may? */
extern bool is_within_limits(Algebra *algebra, TensorExpr *expr);

/* Makes the stage that computes an expression as a tensor over these labels. */
extern Stage *lower_stage(Lowering *lowering, TensorExpr *expr, ProgramTensor *tensor,
						  const int *output);

/* Finds the operands of a stage of which rows with equal keys need not be summed before. */
extern void find_summed_later(Stage *stage);

/*
 * Makes stages that sum the duplicates of additive tensors for all who would do it
 * themselves, where these are several: the query may keep the result then.
 */
extern void sum_duplicates_once(Lowering *lowering);

/* Makes the stage of the group that is read as a tensor, if it is one without. */
extern void lower_group(Lowering *lowering, const ProgramTensor *tensor);

/*
 * A chain of functions of one argument each (the others literals) down to an
 * aggregate or a union: what a stage can apply to its aggregated result.
 * Returns the aggregate or union, or NULL if the expression has neither.
 */
extern TensorExpr *core_below_post(TensorExpr *expr);

/*
 * Is it the sum of terms that are 0 where their tensors have no entries, so
 * that the entries of all of them can be added up?
 */
extern bool is_union(const TensorExpr *expr);

/*
 * The form of an expression that is part of the statement being cut. What cannot be
 * in it has become groups, and has stages.
 */
extern Form *make_form(Lowering *lowering, TensorExpr *expr);

/*
 * The stage of a form whose groups have stages, over these labels of the program:
 * what it computes, not where it belongs. Changes nothing but what it returns.
 *
 * Errors: 54000 if there are more operands or labels than a stage reads, or more
 * nodes than a kernel has; 2202E if all indices of an open label are needed.
 */
extern Stage *lower_form(Algebra *algebra, const Lowered *lowered, const Form *form,
						 int noutput, const int *output);

#endif
