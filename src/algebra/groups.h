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

typedef struct Group
{
	ProgramTensor *tensor; /* by which forms read it */
	TensorExpr *expr;      /* one of them */
	int *labels;           /* of the expression, by dimension of the tensor */
} Group;

extern struct Groups *new_groups(void);

/*
 * An access to the group of an expression, which is made if there is none: a leaf
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
extern const Group *group_of_tensor(const Algebra *algebra, const ProgramTensor *tensor);

/* The groups that were made, in order. */
extern List *made_groups(const Algebra *algebra);

#endif
