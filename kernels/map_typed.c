/*-------------------------------------------------------------------------
 *
 * map_typed.c
 *	  Pointwise expressions whose operands or intermediate results differ in element
 *	  type, or are complex.
 *
 * Each step of the program is computed in the type to which its own arguments
 * promote, as if it were a statement of its own: what a function computes does
 * not depend on the rest of the expression. The program runs once per block as
 * in map.c; arguments of another type are converted block by block. Known
 * weakness: complex functions are calls, one per element.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/assume.h"
#include "kernels/function_type.h"
#include "kernels/map_loops.h"

/* A block of elements of any type. */
#define TYPED_BLOCK_BYTES (SWEEP_BLOCK * sizeof(double _Complex))

/* Steps of a program whose types fit on the C stack; longer programs allocate memory. */
#define LOCAL_STEPS 64

/* The argument and result types of one step. */
typedef struct TypedStep
{
	FunctionType function;
	ElementType arguments[FUNCTION_MAX_ARGS];
	ValueType stack; /* while types are found: that entry of the stack */
} TypedStep;

/* A program with the types of its steps, and memory to run it. */
typedef struct TypedProgram
{
	const MapProgram *program;
	TypedStep local[LOCAL_STEPS];
	TypedStep *steps;   /* one per step */
	const void **stack; /* of blocks */
	char *slots;        /* one block per stack entry */
	char *constants;    /* one per constant */
	char *work;         /* for conversions */
} TypedProgram;

static void
begin_typed(TypedProgram *typed, const MapProgram *program)
{
	typed->program = program;
	typed->steps =
		program->nsteps <= LOCAL_STEPS
			? typed->local
			: kernel_host.allocate((size_t) program->nsteps * sizeof(TypedStep));
}

static void
end_typed(TypedProgram *typed)
{
	if (typed->steps != typed->local)
		kernel_host.release(typed->steps);
}

/* Finds the types of all steps. Returns -1, or the first function that is not defined. */
static int
type_steps(const MapProgram *program, const ElementType *operands, TypedProgram *typed,
		   ElementType *result)
{
	ValueType arguments[FUNCTION_MAX_ARGS];
	int top = 0;

	ASSUME(program->nsteps > 0);
	for (int s = 0; s < program->nsteps; s++)
	{
		const MapStep *step = &program->steps[s];
		int arity;

		switch (step->opcode)
		{
			case MAP_PARAMETER:
				typed->steps[top++].stack = (ValueType){operands[step->argument], false};
				break;
			case MAP_CONSTANT:
				typed->steps[top++].stack = (ValueType){ELEMENT_FLOAT8, true};
				break;
			case MAP_CALL:
				arity = pointwise_functions[step->argument].arity;
				top -= arity;
				for (int k = 0; k < arity; k++)
				{
					arguments[k] = typed->steps[top + k].stack;
					typed->steps[s].arguments[k] = arguments[k].type;
				}
				typed->steps[s].function =
					function_type((FunctionId) step->argument, arguments);
				if (!typed->steps[s].function.defined)
					return step->argument;
				typed->steps[top++].stack = typed->steps[s].function.result;
				break;
		}
	}
	*result = typed->steps[0].stack.type;
	return -1;
}

int
map_result_type(const MapProgram *program, const ElementType *operands,
				ElementType *result)
{
	TypedProgram typed;
	int undefined;

	begin_typed(&typed, program);
	undefined = type_steps(program, operands, &typed, result);
	end_typed(&typed);
	return undefined;
}

static const void *
evaluate_typed(const Sweep *sweep, int64_t n, const void *const *operands, void *target)
{
	const TypedProgram *typed = sweep->context;
	const MapProgram *program = typed->program;
	const char *constants = typed->constants;
	const void **stack = typed->stack;
	int top = 0;

	for (int s = 0; s < program->nsteps; s++)
	{
		const MapStep *step = &program->steps[s];
		void *result;

		switch (step->opcode)
		{
			case MAP_PARAMETER:
				stack[top++] = operands[step->argument];
				break;
			case MAP_CONSTANT:
				stack[top++] = constants;
				constants += TYPED_BLOCK_BYTES;
				break;
			case MAP_CALL:
				top -= pointwise_functions[step->argument].arity;
				result = s == program->nsteps - 1
							 ? target
							 : typed->slots + (size_t) top * TYPED_BLOCK_BYTES;
				function_loop((FunctionId) step->argument, &typed->steps[s].function,
							  typed->steps[s].arguments, n, &stack[top], result,
							  typed->work);
				stack[top++] = result;
				break;
		}
	}
	return stack[0];
}

void
map_accumulate_typed(const MapProgram *program, const Equation *equation,
					 const TensorView *const *operands, Reduction reduction,
					 TensorView *out)
{
	ElementType types[MAP_MAX_OPERANDS];
	ElementType result = ELEMENT_FLOAT8;
	TypedProgram typed;
	Sweep sweep;
	DoubleResult sum;
	bool doubles;
	size_t nconstants = 0;
	char *memory;
	char *constant;

	for (int o = 0; o < equation->noperands; o++)
		types[o] = operands[o]->type;
	begin_typed(&typed, program);
	type_steps(program, types, &typed, &result);
	doubles = double_result_begin(&sum, equation, reduction, out);
	map_loops(program, equation, operands, reduction, doubles ? &sum.view : out, &sweep);
	sweep.type = result;
	sweep.evaluate = evaluate_typed;
	sweep.context = &typed;

	for (int s = 0; s < program->nsteps; s++)
		nconstants += program->steps[s].opcode == MAP_CONSTANT;
	memory = kernel_host.allocate(
		((size_t) program->depth + nconstants + FUNCTION_MAX_ARGS) * TYPED_BLOCK_BYTES +
		(size_t) program->depth * sizeof(const void *));
	typed.slots = memory;
	typed.work = memory + (size_t) program->depth * TYPED_BLOCK_BYTES;
	typed.constants = typed.work + FUNCTION_MAX_ARGS * TYPED_BLOCK_BYTES;
	constant = typed.constants;
	for (int s = 0; s < program->nsteps; s++)
	{
		if (program->steps[s].opcode != MAP_CONSTANT)
			continue;
		for (int i = 0; i < SWEEP_BLOCK; i++)
			((double *) constant)[i] = program->steps[s].constant;
		constant += TYPED_BLOCK_BYTES;
	}
	typed.stack = (const void **) constant;
	sweep_run(&sweep);
	if (doubles)
		double_result_end(&sum, reduction, out);
	kernel_host.release(memory);
	end_typed(&typed);
}
