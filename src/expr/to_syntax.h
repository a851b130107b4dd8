/*-------------------------------------------------------------------------
 *
 * to_syntax.h
 *	  Expressions as syntax trees, to be printed as statements.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_TO_SYNTAX_H
#define EXPR_TO_SYNTAX_H

#include "expr/expr.h"

/*
 * target[output] = expr as a statement that means the same: labels have their names, or
 * such as are like them where two in scope have one; none has a pin. Labels of the output
 * that the expression lacks have no bound in what is read back.
 */
extern SyntaxStatement *statement_to_syntax(const Program *program,
											const ProgramTensor *target,
											const int *output, const TensorExpr *expr);

#endif
