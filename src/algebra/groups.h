/*-------------------------------------------------------------------------
 *
 * groups.h
 *	  Groups of equal expressions, which are computed once, and read as tensors.
 *
 *-------------------------------------------------------------------------
 */
#ifndef ALGEBRA_GROUPS_H
#define ALGEBRA_GROUPS_H

#include "algebra/algebra.h"

typedef struct EqualGroup
{
	ProgramTensor *tensor; /* by which forms read it */
	TensorExpr *expr;      /* one of them */
	int *labels;           /* of the expression, by dimension of the tensor */
} EqualGroup;

/*
 * A group is the same one whenever it is made of the same expression. Which expressions read it, or what
 * a statement defines, is of one way to cut a program.
 */
extern struct Groups *new_groups(void);

/* The program is cut once more: nothing is read yet. */
extern void begin_readings(struct Groups *groups);

/*
 * An access to the group of an expression, which is made at first use: a leaf
 * in its place.
 *
 * Errors: 54000 if it has more labels than a tensor has dimensions.
 */
extern TensorExpr *group_access(Algebra *algebra, TensorExpr *expr);

/*
 * Lets equal expressions read a tensor that an expression defines, if they read no
 * other yet.
 */
extern void add_group(Algebra *algebra, TensorExpr *expr, ProgramTensor *tensor,
					  const int *labels);

/* The group that was made for expressions to read it as this tensor; NULL of others. */
extern const EqualGroup *group_of_tensor(const Algebra *algebra,
										 const ProgramTensor *tensor);

/* Is what an expression computes read as a tensor in this cut? */
extern bool is_read_as_group(Algebra *algebra, TensorExpr *expr);

/* The groups that are read, in the order in which they came to be. */
extern List *made_groups(const Algebra *algebra);

#endif
