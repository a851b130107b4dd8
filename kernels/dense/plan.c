/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  Chooses the kernel of a contraction, and runs it inside the other loops.
 *
 * Each way to give one row loop, one column loop and one contracted loop to a
 * kernel is a candidate, if the strides obey the kernel's storage rules; the
 * remaining loops run around the kernel. The estimates (nanoseconds) only need
 * to tell a good candidate from a bad one: they count calls of the kernel and
 * elements of its inner loop, contiguous or not.
 *
 *-------------------------------------------------------------------------
 */
#include <limits.h>

#include "kernels/dense/plan.h"
#include "kernels/memory.h"
#include "kernels/tensor_view.h"

/* Costs in nanoseconds, measured on one core with AVX2 */
#define COST_CALL 4.0        /* a kernel in a loop of ours */
#define COST_CONTIGUOUS 0.35 /* an element, strides of 1 or 0 */
#define COST_STRIDED 1.5     /* an element, other strides */
#define COST_BLAS2_CALL 45.0
#define COST_BLAS2 0.15
#define COST_BLAS3_CALL 120.0
#define COST_BLAS3 0.05
#define COST_DIRECT_CALL 10.0
#define COST_DIRECT 0.15

/* Largest matrix B, in elements, of a product that does not go to BLAS. */
#define DIRECT_B 16

#define NO_LOOP (-1)

/* Work between two interrupt checks: half a second in the slowest kernel. */
#define WORK_PER_CHECK (INT64_C(1) << 26)

typedef struct PlanCandidate
{
	DenseKernel kernel;
	bool swapped;
	int m;
	int n;
	int k;
	double cost;
} PlanCandidate;

static inline void
consider(PlanCandidate *best, DenseKernel kernel, bool swapped, int m, int n, int k,
		 double cost)
{
	if (cost < best->cost)
	{
		best->kernel = kernel;
		best->swapped = swapped;
		best->m = m;
		best->n = n;
		best->k = k;
		best->cost = cost;
	}
}

/* Does a number fit BLAS's 32-bit integers? */
static inline bool
fits_int(int64_t number)
{
	return number <= INT_MAX && number >= -INT_MAX;
}

/*
 * Does BLAS take an operand with these steps along two loops as a matrix? It must be
 * contiguous along one loop, and its rows must not overlap along the other.
 */
static inline bool
is_matrix(const DenseLoop *x, const DenseLoop *y, Role role)
{
	int64_t sx = x->stride[role];
	int64_t sy = y->stride[role];

	return ((sy == 1 && sx >= y->extent) || (sx == 1 && sy >= x->extent)) &&
		   fits_int(sx) && fits_int(sy) && fits_int(x->extent) && fits_int(y->extent);
}

static inline double
strip_cost(const DenseLoop *loop)
{
	bool contiguous = true;

	for (int role = 0; role < 3; role++)
		contiguous &= loop->stride[role] == 1 || loop->stride[role] == 0;
	return COST_CALL +
		   (double) loop->extent * (contiguous ? COST_CONTIGUOUS : COST_STRIDED);
}

static void
consider_one_operand(const DenseContraction *contraction, double total,
					 PlanCandidate *best)
{
	int nloops = contraction->nloops;

	for (int i = 0; i < nloops; i++)
	{
		const DenseLoop *x = &contraction->loops[i];
		LoopClass x_class = loop_class(x);

		consider(best, x_class == CLASS_SUM_A ? KERNEL_SUM : KERNEL_ADD, false, i,
				 NO_LOOP, NO_LOOP, total / (double) x->extent * strip_cost(x));
		if (x_class != CLASS_ROW || x->stride[ROLE_A] != 1)
			continue;
		for (int j = 0; j < nloops; j++)
		{
			const DenseLoop *y = &contraction->loops[j];

			if (j == i || loop_class(y) != CLASS_ROW || y->stride[ROLE_C] != 1)
				continue;
			consider(best, KERNEL_TRANSPOSE, false, i, j, NO_LOOP,
					 total / (double) x->extent / (double) y->extent * 20 + total * 0.6);
		}
	}
}

static double
gemm_cost(double m, double n, double k)
{
	double blas = COST_BLAS3_CALL +
				  COST_BLAS3 * m * n * k * (1 + 4 / m) * (1 + 4 / n) * (1 + 8 / k);
	double direct = COST_DIRECT_CALL + COST_DIRECT * m * n * k;

	return blas < direct || n * k > DIRECT_B ? blas : direct;
}

static void
consider_two_operands(const DenseContraction *contraction, double total,
					  PlanCandidate *best)
{
	int nloops = contraction->nloops;
	const DenseLoop *loops = contraction->loops;

	for (int i = 0; i < nloops; i++)
	{
		const DenseLoop *x = &loops[i];
		double extent = (double) x->extent;
		LoopClass x_class = loop_class(x);
		bool swapped = x_class == CLASS_COLUMN;
		LoopClass opposite = swapped ? CLASS_ROW : CLASS_COLUMN;

		switch (x_class)
		{
			case CLASS_BATCH:
				consider(best, KERNEL_MULTIPLY, false, i, NO_LOOP, NO_LOOP,
						 total / extent * strip_cost(x));
				break;
			case CLASS_CONTRACTED:
				consider(best, KERNEL_DOT, false, i, NO_LOOP, NO_LOOP,
						 total / extent * strip_cost(x));
				break;
			case CLASS_ROW:
			case CLASS_COLUMN:
				consider(best, KERNEL_AXPY, swapped, i, NO_LOOP, NO_LOOP,
						 total / extent * strip_cost(x));
				for (int j = 0; j < nloops; j++)
				{
					const DenseLoop *y = &loops[j];
					LoopClass y_class = loop_class(y);
					double both = extent * (double) y->extent;

					/* loop x as the kernel's m, y as its k: a matrix times a vector */
					if (y_class == CLASS_CONTRACTED &&
						is_matrix(x, y, swapped ? ROLE_B : ROLE_A) &&
						fits_int(x->stride[ROLE_C]) &&
						fits_int(y->stride[swapped ? ROLE_A : ROLE_B]))
						consider(best, KERNEL_GEMV, swapped, i, NO_LOOP, j,
								 total / both * (COST_BLAS2_CALL + COST_BLAS2 * both));
					/* loop x as the kernel's m, y as its n, contiguous in C */
					if (y_class != opposite || y->stride[ROLE_C] != 1 ||
						!is_matrix(x, y, ROLE_C))
						continue;
					if (fits_int(x->stride[swapped ? ROLE_B : ROLE_A]) &&
						fits_int(y->stride[swapped ? ROLE_A : ROLE_B]))
						consider(best, KERNEL_GER, swapped, i, j, NO_LOOP,
								 total / both * (COST_BLAS2_CALL + COST_BLAS2 * both));
					for (int l = 0; l < nloops; l++)
					{
						const DenseLoop *z = &loops[l];

						if (loop_class(z) != CLASS_CONTRACTED ||
							!is_matrix(x, z, swapped ? ROLE_B : ROLE_A) ||
							!is_matrix(y, z, swapped ? ROLE_A : ROLE_B))
							continue;
						consider(best, KERNEL_GEMM, swapped, i, j, l,
								 total / both / (double) z->extent *
									 gemm_cost(extent, (double) y->extent,
											   (double) z->extent));
					}
				}
				break;
			default:
				break;
		}
	}
}

static inline void
take_loop(const DenseContraction *contraction, int index, bool swapped, DenseLoop *loop)
{
	if (index == NO_LOOP)
	{
		loop->extent = 1;
		loop->stride[ROLE_A] = loop->stride[ROLE_B] = loop->stride[ROLE_C] = 0;
		return;
	}
	*loop = contraction->loops[index];
	if (swapped)
	{
		int64_t stride = loop->stride[ROLE_A];

		loop->stride[ROLE_A] = loop->stride[ROLE_B];
		loop->stride[ROLE_B] = stride;
	}
}

/*
 * Loops with large steps go outside, so that elements that are near in memory are used
 * together.
 */
static inline int64_t
locality(const DenseLoop *loop)
{
	int64_t sum = 0;

	for (int role = 0; role < 3; role++)
		sum += loop->stride[role] < 0 ? -loop->stride[role] : loop->stride[role];
	return sum;
}

void
plan_choose(const DenseContraction *contraction, bool one_operand, DensePlan *plan)
{
	double total = 1;
	int64_t size[3] = {(int64_t) element_size(contraction->type),
					   (int64_t) element_size(contraction->type),
					   (int64_t) element_size(contraction->out)};
	PlanCandidate best;

	best.kernel = KERNEL_ADD;
	best.swapped = false;
	best.m = best.n = best.k = NO_LOOP;
	best.cost = 1e300;
	for (int i = 0; i < contraction->nloops; i++)
		total *= (double) contraction->loops[i].extent;
	if (contraction->nloops == 1)
	{
		/* the usual case per joined tuple: no choice and no estimate needed */
		static const DenseKernel kernels[8] = {
			[CLASS_SUM_A] = KERNEL_SUM,      [CLASS_SPREAD] = KERNEL_ADD,
			[CLASS_ROW] = KERNEL_ADD,        [CLASS_CONTRACTED] = KERNEL_DOT,
			[CLASS_BATCH] = KERNEL_MULTIPLY,
		};

		best.kernel = kernels[loop_class(&contraction->loops[0])];
		best.m = 0;
		best.cost = 0;
	}
	else if (one_operand)
		consider_one_operand(contraction, total, &best);
	else
		consider_two_operands(contraction, total, &best);

	plan->type = contraction->type;
	plan->out = contraction->out;
	plan->kernel = best.kernel;
	plan->swapped = best.swapped;
	plan->repeats = contraction->repeats;
	plan->cost = best.cost;
	take_loop(contraction, best.m, best.swapped, &plan->m);
	take_loop(contraction, best.n, best.swapped, &plan->n);
	take_loop(contraction, best.k, best.swapped, &plan->k);
	plan->work = plan->m.extent * plan->n.extent * plan->k.extent;
	plan->offset[ROLE_A] =
		contraction->offset[best.swapped ? ROLE_B : ROLE_A] * size[ROLE_A];
	plan->offset[ROLE_B] =
		contraction->offset[best.swapped ? ROLE_A : ROLE_B] * size[ROLE_B];
	plan->offset[ROLE_C] = contraction->offset[ROLE_C] * size[ROLE_C];

	plan->nouter = 0;
	for (int i = 0; i < contraction->nloops; i++)
	{
		DenseLoop loop;
		int place;

		if (i == best.m || i == best.n || i == best.k)
			continue;
		take_loop(contraction, i, best.swapped, &loop);
		for (int role = 0; role < 3; role++)
			loop.stride[role] *= size[role];
		for (place = plan->nouter; place > 0; place--)
		{
			if (locality(&plan->outer[place - 1]) >= locality(&loop))
				break;
			plan->outer[place] = plan->outer[place - 1];
		}
		plan->outer[place] = loop;
		plan->nouter++;
	}
}

typedef struct Execution
{
	const DensePlan *plan;
	DenseKernelFunction kernel;
	Scalar scale;
	int64_t work_left; /* until the next interrupt check */
} Execution;

static void
run_loops(Execution *execution, int level, const char *a, const char *b, char *c)
{
	const DensePlan *plan = execution->plan;
	const DenseLoop *loop = &plan->outer[level];
	bool innermost = level == plan->nouter - 1;

	for (int64_t i = 0; i < loop->extent; i++)
	{
		if (innermost)
		{
			execution->kernel(plan, a, b, c, execution->scale);
			execution->work_left -= plan->work;
			if (execution->work_left < 0)
			{
				kernel_host.check_interrupts();
				execution->work_left = WORK_PER_CHECK;
			}
		}
		else
			run_loops(execution, level + 1, a, b, c);
		a += loop->stride[ROLE_A];
		b += loop->stride[ROLE_B];
		c += loop->stride[ROLE_C];
	}
}

void
plan_execute(const DensePlan *plan, const void *a, const void *b, void *c, Scalar scale)
{
	DenseKernelFunction kernel =
		dense_kernels[plan->type - 1][plan->out - 1][plan->kernel];
	const char *first = (const char *) (plan->swapped ? b : a) + plan->offset[ROLE_A];
	const char *second = (const char *) (plan->swapped ? a : b) + plan->offset[ROLE_B];
	char *result = (char *) c + plan->offset[ROLE_C];

	scale = scalar_multiply(scale, plan->repeats);
	if (plan->nouter == 0)
		kernel(plan, first, second, result, scale);
	else
	{
		Execution execution;

		execution.plan = plan;
		execution.kernel = kernel;
		execution.scale = scale;
		execution.work_left = WORK_PER_CHECK;
		run_loops(&execution, 0, first, second, result);
	}
}
