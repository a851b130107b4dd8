/*-------------------------------------------------------------------------
 *
 * to_syntax.h
 *	  Turns expressions back into syntax trees, to be printed as statements.
 *
 *-------------------------------------------------------------------------
 */
#ifndef EXPR_TO_SYNTAX_H
#define EXPR_TO_SYNTAX_H

#include "expr/expr.h"

/*
 * Returns target[output] = expr as a statement that means the same. Labels keep their
 * names, unless two in scope have the same name: then one gets a similar name. No label
 * has a pin. When the statement is read back, labels of the output that the expression
 * lacks have no bound.
 */
extern SyntaxStatement *statement_to_syntax(const Program *program,
											const ProgramTensor *target,
											const int *output, const TensorExpr *expr);

#endif
