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

#define EQUATION_MAX_OPERANDS 16
#define EQUATION_MAX_LABELS 52 /* a-z, A-Z */

typedef struct EquationTerm
{
	int rank;
	uint8_t labels[TENSOR_MAX_RANK]; /* label numbers, 0 .. nlabels - 1 */
} EquationTerm;

/*
 * Labels of operands that the output lacks are summed. A label may repeat
 * within an operand (the diagonal). Every output label occurs in an operand,
 * and once in the output.
 */
typedef struct Equation
{
	int noperands;
	EquationTerm operands[EQUATION_MAX_OPERANDS];
	EquationTerm output;
	int nlabels;
	char letters[EQUATION_MAX_LABELS]; /* how the label was written */
} Equation;

#endif
