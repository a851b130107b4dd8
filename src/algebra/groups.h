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
	ProgramTensor *tensor; /* the tensor as which forms read the group */
	TensorExpr *expr;      /* one of the equal expressions */
	int *labels;           /* labels of expr, by dimension of the tensor */
} EqualGroup;

/*
 * Returns an empty set of groups. An expression keeps its group in all cuts of a program;
 * which expressions read a group, and which tensors statements define, is known for one
 * cut only.
 */
extern struct EqualGroups *new_groups(void);

/* Forgets which groups are read, before the program is cut again. */
extern void begin_readings(struct EqualGroups *groups);

/*
 * Returns an access to the group of an expression, to be put in its place. The group is
 * made at first use.
 *
 * Errors: 54000 if the expression has more labels than a tensor has dimensions.
 */
extern TensorExpr *group_access(Algebra *algebra, TensorExpr *expr);

/*
 * Lets expressions equal to expr be read as this tensor, which expr defines, unless they
 * are read as another one already. labels: those of expr, by dimension of the tensor.
 */
extern void add_group(Algebra *algebra, TensorExpr *expr, ProgramTensor *tensor,
					  const int *labels);

/* Returns the group that is read as this tensor; NULL if no group is. */
extern const EqualGroup *group_of_tensor(const Algebra *algebra,
										 const ProgramTensor *tensor);

/* Is the value of the expression read as a tensor in this cut? */
extern bool is_read_as_group(Algebra *algebra, TensorExpr *expr);

/* Returns the groups that are read in this cut, in the order of their first use. */
extern List *made_groups(const Algebra *algebra);

#endif
