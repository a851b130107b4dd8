/*-------------------------------------------------------------------------
 *
 * sweep.c
 *	  Runs loops in blocks of up to SWEEP_BLOCK elements.
 *
 * A block spans (part of) the innermost loop, and if that is short, several
 * steps of the loop around it. Operands whose elements lie in memory in the
 * block's order are read in place. Others are gathered into a buffer; a single
 * number that is broadcast fills its buffer once.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "kernels/sweep.h"

/* Operations between two interrupt checks; the transcendental functions are slow. */
#define WORK_PER_CHECK (INT64_C(1) << 23)

/*
 * The current place in the operands and the output. From here on, strides are in bytes.
 */
typedef struct SweepPosition
{
	const char *operands[MAP_MAX_OPERANDS];
	char *out;
} SweepPosition;

typedef struct Gathered
{
	const char *from; /* what a broadcast buffer was filled with */
	int64_t n;
} Gathered;

static inline bool
continues(const Sweep *sweep, const SweepLoop *outer, const SweepLoop *inner)
{
	for (int o = 0; o < sweep->noperands; o++)
		if (outer->stride[o] != inner->stride[o] * inner->extent)
			return false;
	/* a folded loop must not merge with one that is not folded */
	return outer->out_stride == inner->out_stride * inner->extent;
}

/* Estimates the cost of an element if this loop is the innermost. */
static double
innermost_cost(const Sweep *sweep, const SweepLoop *loop)
{
	double cost = 40.0 / (double) loop->extent;

	for (int o = 0; o < sweep->noperands; o++)
		cost += loop->stride[o] == 0 ? 0.4 : loop->stride[o] == 1 ? 0.5 : 2.0;
	cost += loop->out_stride == 0 ? 0.4 : loop->out_stride == 1 ? 0.5 : 2.0;
	return cost;
}

static int64_t
locality(const Sweep *sweep, const SweepLoop *loop)
{
	int64_t sum = loop->out_stride < 0 ? -loop->out_stride : loop->out_stride;

	for (int o = 0; o < sweep->noperands; o++)
		sum += loop->stride[o] < 0 ? -loop->stride[o] : loop->stride[o];
	return sum;
}

/*
 * Merges loops and orders them: loops with large strides outermost, the cheapest one
 * innermost. False if a loop is empty.
 */
static bool
prepare(Sweep *sweep)
{
	SweepLoop *loops = sweep->loops;
	int kept = 0;
	int best = 0;
	SweepLoop innermost;

	for (int i = 0; i < sweep->nloops; i++)
	{
		if (loops[i].extent == 0)
			return false;
		if (loops[i].extent == 1)
			continue;
		if (kept != i)
			loops[kept] = loops[i];
		kept++;
	}
	sweep->nloops = kept;
	for (int i = 0; i < sweep->nloops; i++)
	{
		for (int j = 0; j < sweep->nloops; j++)
		{
			if (i == j || !continues(sweep, &loops[i], &loops[j]))
				continue;
			loops[j].extent *= loops[i].extent;
			loops[i] = loops[--sweep->nloops];
			i = -1;
			break;
		}
	}
	if (sweep->nloops < 2)
		return true;

	for (int i = 1; i < sweep->nloops; i++)
		if (innermost_cost(sweep, &loops[i]) < innermost_cost(sweep, &loops[best]))
			best = i;
	innermost = loops[best];
	loops[best] = loops[sweep->nloops - 1];
	for (int i = 1; i < sweep->nloops - 1; i++)
	{
		SweepLoop loop = loops[i];
		int place;

		for (place = i; place > 0; place--)
		{
			if (locality(sweep, &loops[place - 1]) >= locality(sweep, &loop))
				break;
			loops[place] = loops[place - 1];
		}
		loops[place] = loop;
	}
	loops[sweep->nloops - 1] = innermost;
	return true;
}

#define GATHER(real)                                                                     \
	for (int64_t r = 0; r < rows; r++)                                                   \
	{                                                                                    \
		const char *element = from + r * row_stride;                                     \
		real *to = (real *) buffer + r * columns;                                        \
                                                                                         \
		for (int64_t c = 0; c < columns; c++, element += stride)                         \
			to[c] = *(const real *) element;                                             \
	}

static void
gather(size_t size, int64_t rows, int64_t columns, const char *from, int64_t row_stride,
	   int64_t stride, void *buffer)
{
	if (size == sizeof(double))
		GATHER(double)
	else if (size == sizeof(float))
		GATHER(float)
	else
		GATHER(double _Complex)
}

#define SCATTER(real)                                                                    \
	for (int64_t i = 0; i < n; i++, to += stride)                                        \
		*(real *) to = ((const real *) values)[i];

static void
scatter(size_t size, int64_t n, const void *values, char *to, int64_t stride)
{
	if (size == sizeof(double))
		SCATTER(double)
	else if (size == sizeof(float))
		SCATTER(float)
	else
		SCATTER(double _Complex)
}

/* Evaluates a block, and stores its results in the output or folds them. */
static void
run_block(const Sweep *sweep, const SweepPosition *position, const SweepLoop *row_loop,
		  int64_t rows, const SweepLoop *loop, int64_t columns, Gathered *gathered,
		  char (*buffers)[SWEEP_BLOCK_BYTES], void *target)
{
	const int64_t size = (int64_t) element_size(sweep->type);
	const int64_t out_size = (int64_t) element_size(sweep->out_type);
	const void *operands[MAP_MAX_OPERANDS];
	const int64_t n = rows * columns;
	const char *values;
	bool in_place = false;

	for (int o = 0; o < sweep->noperands; o++)
	{
		const int64_t width = (int64_t) element_size(sweep->operand_types[o]);
		const char *from = position->operands[o];
		int64_t stride = loop->stride[o];
		int64_t row_stride = rows > 1 ? row_loop->stride[o] : columns * stride;

		operands[o] = buffers[o];
		if (stride == width && row_stride == columns * width)
			operands[o] = from;
		else if (stride == 0 && row_stride == 0)
		{
			if (gathered[o].from == from && gathered[o].n >= n)
				continue;
			gather((size_t) width, 1, n, from, 0, 0, buffers[o]);
			gathered[o].from = from;
			gathered[o].n = n;
		}
		else
		{
			gather((size_t) width, rows, columns, from, row_stride, stride, buffers[o]);
			gathered[o].from = NULL;
		}
	}

	if (sweep->store && loop->out_stride == size &&
		(rows == 1 || row_loop->out_stride == columns * size))
	{
		in_place = true;
		target = position->out;
	}
	values = sweep->evaluate(sweep, n, operands, target);
	if (in_place)
	{
		if (values != position->out)
			memcpy(position->out, values, (size_t) (n * size));
		return;
	}
	if (!sweep->store && loop->out_stride == 0 &&
		(rows == 1 || row_loop->out_stride == 0))
	{
		fold_all(sweep->reduction, sweep->type, sweep->out_type, n, values,
				 position->out);
		return;
	}
	for (int64_t r = 0; r < rows; r++, values += columns * size)
	{
		char *out = position->out + (rows > 1 ? r * row_loop->out_stride : 0);

		if (sweep->store)
			scatter((size_t) size, columns, values, out, loop->out_stride);
		else if (loop->out_stride == 0)
			fold_all(sweep->reduction, sweep->type, sweep->out_type, columns, values,
					 out);
		else
			fold_elements(sweep->reduction, sweep->type, sweep->out_type, columns, values,
						  out, loop->out_stride / out_size);
	}
}

static inline void
advance(const Sweep *sweep, SweepPosition *position, const SweepLoop *loop, int64_t steps)
{
	for (int o = 0; o < sweep->noperands; o++)
		position->operands[o] += steps * loop->stride[o];
	position->out += steps * loop->out_stride;
}

/*
 * Runs sweep->evaluate over the loops in any order; changes sweep->loops. The output's
 * strides must address every element once; results of folded loops are folded into the
 * existing elements.
 */
void
sweep_run(Sweep *sweep)
{
	static const SweepLoop single = {.extent = 1};
	const int64_t size = (int64_t) element_size(sweep->type);
	char buffers[MAP_MAX_OPERANDS][SWEEP_BLOCK_BYTES] __attribute__((aligned(64)));
	char target[SWEEP_BLOCK_BYTES] __attribute__((aligned(64)));
	Gathered gathered[MAP_MAX_OPERANDS];
	int64_t index[EQUATION_MAX_LABELS];
	const SweepLoop *inner;
	const SweepLoop *row;
	SweepPosition position;
	int nouter;
	int64_t rows_at_once = 1;
	int64_t block = size > (int64_t) sizeof(double) ? SWEEP_BLOCK / 2 : SWEEP_BLOCK;
	int64_t work_left = WORK_PER_CHECK;

	if (!prepare(sweep))
		return;
	for (int o = 0; o < sweep->noperands; o++)
	{
		if (sweep->operand_types[o] == ELEMENT_COMPLEX16)
			block = SWEEP_BLOCK / 2;
	}
	for (int i = 0; i < sweep->nloops; i++)
	{
		for (int o = 0; o < sweep->noperands; o++)
			sweep->loops[i].stride[o] *= (int64_t) element_size(sweep->operand_types[o]);
		sweep->loops[i].out_stride *= (int64_t) element_size(sweep->out_type);
	}
	inner = sweep->nloops > 0 ? &sweep->loops[sweep->nloops - 1] : &single;
	row = sweep->nloops > 1 ? &sweep->loops[sweep->nloops - 2] : &single;
	nouter = sweep->nloops > 2 ? sweep->nloops - 2 : 0;
	if (inner->extent <= block / 2)
		rows_at_once = block / inner->extent;

	for (int o = 0; o < sweep->noperands; o++)
	{
		position.operands[o] = sweep->data[o];
		gathered[o].from = NULL;
	}
	position.out = sweep->out;
	for (int i = 0; i < nouter; i++)
		index[i] = 0;

	for (;;)
	{
		SweepPosition at_row = position;
		int level;

		for (int64_t r = 0; r < row->extent;)
		{
			int64_t rows =
				row->extent - r < rows_at_once ? row->extent - r : rows_at_once;
			SweepPosition at_column = at_row;

			for (int64_t c = 0; c < inner->extent;)
			{
				int64_t columns = inner->extent - c < block ? inner->extent - c : block;

				run_block(sweep, &at_column, row, rows, inner, columns, gathered, buffers,
						  target);
				work_left -= rows * columns * sweep->work;
				if (work_left < 0)
				{
					kernel_host.check_interrupts();
					work_left = WORK_PER_CHECK;
				}
				c += columns;
				if (c < inner->extent)
					advance(sweep, &at_column, inner, columns);
			}
			r += rows;
			if (r < row->extent)
				advance(sweep, &at_row, row, rows);
		}

		/* advances the outer loops like an odometer */
		for (level = nouter - 1; level >= 0; level--)
		{
			if (++index[level] < sweep->loops[level].extent)
			{
				advance(sweep, &position, &sweep->loops[level], 1);
				break;
			}
			advance(sweep, &position, &sweep->loops[level],
					1 - sweep->loops[level].extent);
			index[level] = 0;
		}
		if (level < 0)
			break;
	}
}
