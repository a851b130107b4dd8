/*-------------------------------------------------------------------------
 *
 * equation.h
 *	  An einsum equation after parsing: which label each dimension of each
 *	  operand carries.
 *
 *-------------------------------------------------------------------------
 */
#ifndef KERNELS_EQUATION_H
#define KERNELS_EQUATION_H

#include "kernels/tensor_view.h"

#define EQUATION_MAX_OPERANDS 64
#define EQUATION_MAX_LETTERS 52                                      /* a-z, A-Z */
#define EQUATION_MAX_LABELS (EQUATION_MAX_LETTERS + TENSOR_MAX_RANK) /* and "..." */

typedef struct EquationTerm
{
	int rank;
	uint8_t labels[TENSOR_MAX_RANK]; /* label numbers, 0 .. nlabels - 1 */
	uint8_t ellipsis; /* 1 + the number of labels before "...", or 0 without "..." */
} EquationTerm;

/*
 * Labels of operands that the output lacks are summed. A label may repeat within an
 * operand (the diagonal), with equal bounds. Operands in which a label has bound 1 are
 * broadcast along it. Every output label occurs in an operand, and once in the output.
 *
 * How many dimensions "..." stands for is known only with the operands. The kernels take
 * equations without "...": equation_bind gives each of its dimensions a label of its own.
 */
typedef struct Equation
{
	int noperands;
	EquationTerm operands[EQUATION_MAX_OPERANDS];
	EquationTerm output;
	int nlabels;
	char letters[EQUATION_MAX_LABELS]; /* how the label was written; '.': in "..." */
	bool has_ellipsis;                 /* a term has one */
} Equation;

/*
 * Is the product of two operands a matrix product? left, right and output are sets of
 * labels: both operands share labels that are summed, and each has an output label that
 * the other lacks.
 */
static inline bool
is_matrix_product(uint64_t left, uint64_t right, uint64_t output)
{
	return (left & right & ~output) != 0 && (left & output & ~right) != 0 &&
		   (right & output & ~left) != 0;
}

#endif
