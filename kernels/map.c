/*-------------------------------------------------------------------------
 *
 * map.c
 *	  Pointwise expressions of several operands, with a reduction.
 *
 * The postfix program runs once per block (see sweep.c): each of its steps is a
 * loop over some 256 elements that stay in the first-level cache, so that
 * interpreting the program costs next to nothing and every loop vectorizes.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/map_loops.h"

/*
 * Blocks and stack entries of a program for which there is room on the C stack; longer
 * programs allocate memory.
 */
#define LOCAL_BLOCKS 8
#define LOCAL_DEPTH 32

#define BLOCK_BYTES SWEEP_BLOCK_BYTES

/* A program with memory for its stack, and with a block filled with each constant. */
typedef struct MapContext
{
	const MapProgram *program;
	char *blocks;       /* one per stack entry, then one per constant */
	const void **stack; /* of depth entries */
} MapContext;

static const void *
evaluate_program(const Sweep *sweep, int64_t n, const void *const *operands, void *target)
{
	const MapContext *context = sweep->context;
	const MapProgram *program = context->program;
	const char *constants = context->blocks + (size_t) program->depth * BLOCK_BYTES;
	const void **stack = context->stack;
	int top = 0;

	for (int s = 0; s < program->nsteps; s++)
	{
		const MapStep *step = &program->steps[s];
		const PointwiseFunction *function;
		void *result;

		switch (step->opcode)
		{
			case MAP_PARAMETER:
				stack[top++] = operands[step->argument];
				break;
			case MAP_CONSTANT:
				stack[top++] = constants;
				constants += BLOCK_BYTES;
				break;
			case MAP_CALL:
				function = &pointwise_functions[step->argument];
				top -= function->arity;
				result = s == program->nsteps - 1
							 ? target
							 : context->blocks + (size_t) top * BLOCK_BYTES;
				if (sweep->type == ELEMENT_FLOAT8)
					function->loop8(n, (const double *const *) &stack[top], result);
				else
					function->loop4(n, (const float *const *) &stack[top], result);
				stack[top++] = result;
				break;
		}
	}
	return stack[0];
}

static void
spread_constants(const MapProgram *program, ElementType type, char *block)
{
	for (int s = 0; s < program->nsteps; s++)
	{
		const MapStep *step = &program->steps[s];

		if (step->opcode != MAP_CONSTANT)
			continue;
		for (int i = 0; i < SWEEP_BLOCK; i++)
		{
			if (type == ELEMENT_FLOAT8)
				((double *) block)[i] = step->constant;
			else
				((float *) block)[i] = (float) step->constant;
		}
		block += BLOCK_BYTES;
	}
}

void
map_loops(const MapProgram *program, const Equation *equation,
		  const TensorView *const *operands, Reduction reduction, TensorView *out,
		  Sweep *sweep)
{
	uint8_t loop_of_label[EQUATION_MAX_LABELS];

	sweep->type = equation->noperands > 0 ? operands[0]->type : out->type;
	sweep->out_type = out->type;
	sweep->noperands = equation->noperands;
	sweep->out = out->data;
	sweep->store = false;
	sweep->reduction = reduction;
	sweep->work = 1;
	sweep->nloops = 0;
	for (int s = 0; s < program->nsteps; s++)
		sweep->work += program->steps[s].opcode == MAP_CALL;
	for (int l = 0; l < equation->nlabels; l++)
		loop_of_label[l] = UINT8_MAX;

	/* the output is treated as one more operand, after the last */
	for (int o = 0; o <= equation->noperands; o++)
	{
		bool is_output = o == equation->noperands;
		const EquationTerm *term = is_output ? &equation->output : &equation->operands[o];
		const TensorView *view = is_output ? out : operands[o];

		if (!is_output)
		{
			sweep->operand_types[o] = view->type;
			sweep->data[o] = view->data;
		}
		for (int d = 0; d < term->rank; d++)
		{
			uint8_t *index = &loop_of_label[term->labels[d]];
			SweepLoop *loop;

			if (*index == UINT8_MAX)
			{
				*index = (uint8_t) sweep->nloops;
				loop = &sweep->loops[sweep->nloops++];
				loop->extent = 1;
				loop->out_stride = 0;
				for (int p = 0; p < equation->noperands; p++)
					loop->stride[p] = 0;
			}
			else
				loop = &sweep->loops[*index];
			if (view->bounds[d] == 1)
				continue; /* broadcast, or no loop at all */
			loop->extent = view->bounds[d];
			if (is_output)
				loop->out_stride += view->strides[d];
			else
				loop->stride[o] += view->strides[d];
		}
	}
}

/*
 * Evaluates the program over all labels, and stores the results in out or folds them into
 * it.
 */
static void
run_program(const MapProgram *program, const Equation *equation,
			const TensorView *const *operands, Reduction reduction, bool store,
			TensorView *out)
{
	char local[LOCAL_BLOCKS * BLOCK_BYTES] __attribute__((aligned(64)));
	const void *local_stack[LOCAL_DEPTH];
	MapContext context;
	Sweep sweep;
	int nblocks = program->depth;

	map_loops(program, equation, operands, reduction, out, &sweep);
	sweep.store = store;
	sweep.evaluate = evaluate_program;
	sweep.context = &context;
	for (int s = 0; s < program->nsteps; s++)
		nblocks += program->steps[s].opcode == MAP_CONSTANT;
	context.program = program;
	context.blocks = nblocks <= LOCAL_BLOCKS
						 ? local
						 : kernel_host.allocate((size_t) nblocks * BLOCK_BYTES);
	context.stack =
		program->depth <= LOCAL_DEPTH
			? local_stack
			: kernel_host.allocate((size_t) program->depth * sizeof(const void *));
	spread_constants(program, sweep.type,
					 context.blocks + (size_t) program->depth * BLOCK_BYTES);
	sweep_run(&sweep);
	if (context.blocks != local)
		kernel_host.release(context.blocks);
	if (context.stack != local_stack)
		kernel_host.release(context.stack);
}

void
map_accumulate(const MapProgram *program, const Equation *equation,
			   const TensorView *const *operands, Reduction reduction, TensorView *out)
{
	DoubleResult sum;
	bool doubles = double_result_begin(&sum, equation, reduction, out);

	run_program(program, equation, operands, reduction, false, doubles ? &sum.view : out);
	if (doubles)
		double_result_end(&sum, reduction, out);
}

void
map_store(const MapProgram *program, const Equation *equation,
		  const TensorView *const *operands, TensorView *out)
{
	run_program(program, equation, operands, REDUCTION_SUM, true, out);
}
