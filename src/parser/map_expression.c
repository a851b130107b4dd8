/*-------------------------------------------------------------------------
 *
 * map_expression.c
 *	  Compiles a parsed map expression to postfix code.
 *
 * Nothing is folded or reordered: the kernel computes what was written.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "parser/program_parser.h"
#include "recursion.h"

/*
 * Memory is first allocated for that many steps, a power of 2, and doubled when it is
 * full.
 */
#define FIRST_STEPS 16

/* Appends a step after which the stack has depth entries. */
static MapStep *
append_step(ProgramParser *parser, MapProgram *program, MapOpcode opcode, int depth,
			int location)
{
	MapStep *step;

	if (program->nsteps >= MAP_MAX_STEPS)
		ereport(
			ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("expression is too long"),
			 errdetail("It may have %d operands, numbers and operations.", MAP_MAX_STEPS),
			 errhint("Split it into several."),
			 program_errposition(parser->text, location)));

	if (program->nsteps >= FIRST_STEPS && (program->nsteps & (program->nsteps - 1)) == 0)
		program->steps = repalloc(program->steps, sizeof(MapStep) * 2 * program->nsteps);
	step = &program->steps[program->nsteps++];
	step->opcode = opcode;
	step->argument = 0;
	step->constant = 0;
	program->depth = Max(program->depth, depth);
	return step;
}

/* Appends the code of an expression, to run on a stack with depth entries. */
static void
compile(ProgramParser *parser, const SyntaxExpr *expr, int depth, MapProgram *program)
{
	ListCell *lc;
	int nargs = 0;

	enter_recursion();

	switch (expr->kind)
	{
		case SYNTAX_NUMBER:
			append_step(parser, program, MAP_CONSTANT, depth + 1, expr->location)
				->constant = expr->number;
			break;
		case SYNTAX_PARAMETER:
			append_step(parser, program, MAP_PARAMETER, depth + 1, expr->location)
				->argument = expr->parameter;
			program->nparameters = Max(program->nparameters, expr->parameter + 1);
			break;
		case SYNTAX_CALL:
			foreach (lc, expr->args)
				compile(parser, lfirst(lc), depth + nargs++, program);
			append_step(parser, program, MAP_CALL, depth + 1, expr->location)->argument =
				expr->function;
			program->typed = program->typed || expr->function >= FUNCTION_CONJ;
			break;
		default:
			/* the functions that make nodes refuse other kinds in map expressions */
			elog(ERROR, "unexpected syntax kind %d", (int) expr->kind);
	}
}

void
compile_map_expression(ProgramParser *parser, const SyntaxExpr *expr, MapProgram *program)
{
	memset(program, 0, sizeof(MapProgram));
	program->steps = palloc(sizeof(MapStep) * FIRST_STEPS);
	compile(parser, expr, 0, program);
}
