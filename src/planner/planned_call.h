/*-------------------------------------------------------------------------
 *
 * planned_call.h
 *	  A call of a kernel, or an aggregate, as the planner reads it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLANNER_PLANNED_CALL_H
#define PLANNER_PLANNED_CALL_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "kernels/equation.h"
#include "type/kernel_spec.h"

typedef struct PlannedCall
{
	const KernelSpec *spec;
	List *args; /* as in the query: TargetEntries for an aggregate */
} PlannedCall;

/*
 * Reads a call of a function, or of an aggregate or its transition function, with these
 * arguments. False if it is not a member of the extension.
 */
extern bool read_call(Oid function, List *args, PlannedCall *call);

/* Returns argument number n as an expression, counted from 0; NULL if there are fewer. */
extern Node *call_argument(const PlannedCall *call, int n);

/*
 * Returns the operands of an equation as expressions; without an equation all arguments.
 */
extern List *call_operands(const PlannedCall *call);

/* Returns the expression of a FORM_MAP call; NULL if it is not constant. */
extern const char *call_expression(const PlannedCall *call);

/* What an expression of tensor_map computes for an element. */
typedef struct ExpressionWork
{
	int functions;
	double operations; /* of these, as PointwiseFunction.work counts them */
} ExpressionWork;

/*
 * parse_operations returns the work of an expression, and raises an error if it is wrong.
 * expression_operations returns its operations, or 0 if it is wrong.
 */
extern ExpressionWork parse_operations(const char *expression);
extern double expression_operations(const char *expression);

/*
 * Parses the equation of the call. False if it is not constant, or wrong: then computing
 * a row raises the error, not planning.
 */
extern bool call_equation(const PlannedCall *call, Equation *equation);

/* Returns the labels of a term as a set. */
extern uint64 term_labels(const EquationTerm *term);

#endif
