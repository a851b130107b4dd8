/*-------------------------------------------------------------------------
 *
 * planned_call.c
 *	  A call of a kernel, or an aggregate, as the planner reads it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "nodes/primnodes.h"

#include "catalog/attempt.h"
#include "catalog/shape_proof.h"
#include "parser/syntax.h"
#include "planner/planned_call.h"

/* The arguments of parse_equation, for attempt_to_read. */
typedef struct EquationText
{
	const char *text;
	int noperands;
	Equation *equation;
} EquationText;

static void
parse_equation_text(void *argument)
{
	const EquationText *read = argument;

	parse_equation(read->text, read->noperands, read->equation);
}

ExpressionWork
parse_operations(const char *expression)
{
	MapProgram program;
	ExpressionWork work = {0};

	parse_map_expression(expression, &program);
	for (int s = 0; s < program.nsteps; s++)
	{
		const MapStep *before = s > 0 ? &program.steps[s - 1] : NULL;
		bool constant = before && before->opcode == MAP_CONSTANT;

		if (program.steps[s].opcode != MAP_CALL)
			continue;
		work.functions++;
		work.operations +=
			function_work(program.steps[s].argument, constant ? before->constant : NAN);
	}
	return work;
}

/* The argument and result of parse_operations, for attempt_to_read. */
typedef struct ExpressionText
{
	const char *text;
	ExpressionWork work;
} ExpressionText;

static void
parse_expression_text(void *argument)
{
	ExpressionText *read = argument;

	read->work = parse_operations(read->text);
}

double
expression_operations(const char *expression)
{
	ExpressionText read = {.text = expression};

	return attempt_to_read(parse_expression_text, &read) == NULL ? read.work.operations
																 : 0.0;
}

bool
read_call(Oid function, List *args, PlannedCall *call)
{
	call->spec = kernel_spec(function);
	call->args = args;
	return call->spec != NULL;
}

Node *
call_argument(const PlannedCall *call, int n)
{
	Node *node;

	if (n >= list_length(call->args))
		return NULL;
	node = (Node *) list_nth(call->args, n);
	return IsA(node, TargetEntry) ? (Node *) ((TargetEntry *) node)->expr : node;
}

List *
call_operands(const PlannedCall *call)
{
	List *operands = NIL;

	for (int i = first_operand(call->spec); i < list_length(call->args); i++)
		operands = lappend(operands, call_argument(call, i));
	return operands;
}

const char *
call_expression(const PlannedCall *call)
{
	return call->spec->form == FORM_MAP ? constant_text(call_argument(call, 0)) : NULL;
}

bool
call_equation(const PlannedCall *call, Equation *equation)
{
	int first = first_operand(call->spec);
	EquationText read = {.text = call->spec->equation,
						 .noperands = list_length(call->args) - first,
						 .equation = equation};

	if (read.text == NULL && first > 0)
		read.text = constant_text(call_argument(call, first - 1));
	if (read.text == NULL || read.noperands < 1 || read.noperands > EQUATION_MAX_OPERANDS)
		return false;
	return attempt_to_read(parse_equation_text, &read) == NULL;
}

uint64
term_labels(const EquationTerm *term)
{
	uint64 labels = 0;

	for (int d = 0; d < term->rank; d++)
		labels |= UINT64CONST(1) << term->labels[d];
	return labels;
}
