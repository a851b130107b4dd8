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
#include "expr/name_set.h"
#include "optimizer/stage.h"

/* One of the terms that a form adds up. */
typedef struct FormTerm
{
	TensorExpr *body;      /* its leaves are tensors and groups */
	Bitmapset *aggregated; /* labels that the form's aggregate folds */
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

/* The stages and kernels that have been made so far. */
typedef struct Lowered
{
	SideTable *stages;  /* by the tensor that each stage makes */
	SideTable *kernels; /* by expression node; operands are the node's atoms */
} Lowered;

/* A program while it is cut into stages. */
typedef struct Lowering
{
	StageGraph *graph;
	Program *program;
	Algebra *algebra;
	Lowered lowered;
	Statement *statement; /* the one that is being cut */
	int nsubstages;       /* made for this statement so far */
	NameSet *names;       /* taken by tensors of statements and stages */
} Lowering;

/*
 * Lets statements absorb the definitions of tensors that they read, as long as one
 * expression can hold both. By default a statement is absorbed if it is read once,
 * aggregates nothing, and needs no stage of its own in its reader, or its sums are needed
 * only in part there (algebra/restrict.h); and if it is a scaling. A statement with pins
 * is not absorbed, and one with pins on the right side absorbs none. Changes the
 * statements, all of the program as other passes left them, and returns the numbers of
 * the absorbed ones.
 *
 * The choices of a statement are met in the scope of its number.
 */
extern Bitmapset *absorb_statements(Algebra *algebra, List *statements,
									const PlanOptions *options);

/*
 * Is an expression within the limits of nodes, and each join in it within that of
 * references?
 */
extern bool is_within_limits(Algebra *algebra, TensorExpr *expr);

/* Makes the stage that computes an expression as a tensor over these labels. */
extern Stage *lower_stage(Lowering *lowering, TensorExpr *expr, ProgramTensor *tensor,
						  const int *output);

/*
 * Marks the operands of a stage whose rows with equal keys need not be summed before the
 * join.
 */
extern void find_summed_later(Stage *stage);

/*
 * Makes stages that sum the duplicates of an additive tensor, if several operands would
 * each sum them: then the query may compute the sum once and keep it.
 */
extern void sum_duplicates_once(Lowering *lowering);

/*
 * Makes the stage that computes a tensor, if the tensor stands for a group that has no
 * stage yet.
 */
extern void lower_group(Lowering *lowering, const ProgramTensor *tensor);

/*
 * Follows the chain of functions of one argument (their other arguments are literals)
 * that a stage can apply to its aggregated result, and returns the aggregate or union at
 * its end, or NULL if there is neither.
 */
extern TensorExpr *core_below_post(TensorExpr *expr);

/*
 * Is an expression a sum of terms that are 0 where their tensors have no entries, so that
 * the entries of all terms can be added up?
 */
extern bool is_union(const TensorExpr *expr);

/*
 * Returns the form of an expression that is part of the statement being cut. Parts that
 * one stage cannot compute become groups with stages of their own.
 */
extern Form *make_form(Lowering *lowering, TensorExpr *expr);

/*
 * Returns the stage of a form whose groups have stages, over these labels of the program:
 * what the stage computes, not its name or its place in the program. Changes nothing
 * else.
 *
 * Errors: 54000 if there are more operands or labels than a stage reads, or more nodes
 * than a kernel has; 2202E if all indices of an open label are needed.
 */
extern Stage *lower_form(Algebra *algebra, const Lowered *lowered, const Form *form,
						 int noutput, const int *output);

#endif
