/*-------------------------------------------------------------------------
 *
 * lowering.h
 *	  How a program is cut into stages: what the files lower*.c share.
 *
 * lower.c			 statements
 * lower_absorb.c	 which of them absorb others
 * lower_join.c		 makes an expression computable by one join
 * lower_term.c		 operands, kernels and estimates of a stage
 *
 *-------------------------------------------------------------------------
 */
#ifndef OPTIMIZER_LOWERING_H
#define OPTIMIZER_LOWERING_H

#include "algebra/algebra.h"
#include "optimizer/stage.h"

typedef struct Lowering
{
	StageGraph *graph;
	Program *program;
	Algebra *algebra;
	Statement *statement;           /* being cut */
	int nsubstages;                 /* of the statement, so far */
	SideTable *producers;           /* stages, by the tensor that they make */
	SideTable *kernels;             /* of nodes over their own atoms */
	struct stage_names_hash *names; /* taken: tensors of statements and stages */
} Lowering;

/*
 * Lets statements absorb those that need not be computed by themselves: those that
 * only they read, once, that aggregate nothing or need no stage of their own there,
 * and scalings, as long as one expression can hold the two. A statement with pins
 * is not absorbed, and one with pins on the right absorbs none. Returns the numbers of
 * those absorbed.
 */
extern Bitmapset *absorb_statements(Algebra *algebra, const PlanOptions *options);

/* Makes the stage of the group that is read as a tensor, if it is one without. */
extern void lower_group(Lowering *lowering, const ProgramTensor *tensor);

/*
 * A chain of functions of one argument each (the others literals) down to an
 * aggregate or a union: what a stage can apply to its aggregated result.
 * Returns the aggregate or union, or NULL if the expression has neither.
 */
extern TensorExpr *core_below_post(TensorExpr *expr);

/* The chain above core as a kernel over operand 0. */
extern Kernel *post_above(TensorExpr *expr, TensorExpr *core);

/*
 * Is it the sum of terms that are 0 where their tensors have no entries, so
 * that the entries of all of them can be added up?
 */
extern bool is_union(const TensorExpr *expr);

/* Makes the single term of a stage that joins an expression's operands. */
extern void build_join(Lowering *lowering, Stage *stage, TensorExpr *body,
					   Bitmapset *aggregated);

/* Makes a term for each of the terms of a union. */
extern void build_union(Lowering *lowering, Stage *stage, TensorExpr *expr);

/* The stage's number of a program label, added at first sight. */
extern int stage_label(Lowering *lowering, Stage *stage, int program_label, int location);

/* A term that joins the operands of an expression without aggregates. */
extern void build_term(Lowering *lowering, Stage *stage, Term *term, TensorExpr *expr,
					   Bitmapset *aggregated);

/* Errors: 54000 if an expression down to core, NULL for all of it, is no kernel
 * for its size. */
extern void check_kernel_size(Lowering *lowering, const TensorExpr *expr,
							  const TensorExpr *core);

/* When the output is known: labels to extend to, and estimates. */
extern void finish_stage(Lowering *lowering, Stage *stage);

#endif
