/*-------------------------------------------------------------------------
 *
 * execute.c
 *	  Runs a contraction: removes what need not be multiplied, and packs operands into
 *	  matrices where that pays.
 *
 * Three steps come before a kernel is chosen.
 *
 *	  1. An operand that is a single number becomes part of the factor.
 *	  2. A label that is summed and occurs in one operand only is summed there
 *		 first: "ij,k->k" is (sum of a) b, not a loop over i, j and k.
 *	  3. If no kernel takes the operands as they lie, and the arithmetic is
 *		 large against the operands, copies are made in which labels are
 *		 grouped: A[batch, rows, contracted], B[batch, contracted, columns],
 *		 C[batch, rows, columns]. The estimate of plan.c decides, with the
 *		 price of the copies added.
 *
 *-------------------------------------------------------------------------
 */
#include "kernels/assume.h"
#include "kernels/dense/plan.h"
#include "kernels/dense/workspace.h"
#include "kernels/vector.h"

/* Contractions estimated to take less than this (nanoseconds) are never packed. */
#define PACKING_MINIMUM 3000.0
/* Nanoseconds to copy one element into a packed operand, or out of one. */
#define COST_PACK 2.0
/* Appends a loop to a contraction of one operand that copies it. */
static void
copy_loop(DenseContraction *copy, const DenseLoop *loop, int64_t from, int64_t to)
{
	DenseLoop *added = &copy->loops[copy->nloops++];

	added->extent = loop->extent;
	added->stride[ROLE_A] = from;
	added->stride[ROLE_B] = 0;
	added->stride[ROLE_C] = to;
}

static void
copy_start(DenseContraction *copy, const DenseContraction *contraction)
{
	copy->type = copy->out = contraction->type;
	copy->empty = false;
	copy->nloops = 0;
	copy->repeats = 1;
	copy->offset[ROLE_A] = copy->offset[ROLE_B] = copy->offset[ROLE_C] = 0;
}

static void
copy_run(DenseContraction *copy, const void *from, void *to)
{
	DensePlan plan;

	contraction_simplify(copy);
	plan_choose(copy, true, &plan);
	plan_execute(&plan, from, from, to, 1);
}

static inline int64_t
saturating_multiply(int64_t a, int64_t b)
{
	int64_t product;

	return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/*
 * Sums an operand over the labels that only it has, into the workspace, and makes
 * *contraction use the sums in its place.
 */
static void
sum_alone(DenseContraction *contraction, Role role, const void **data,
		  Workspace *workspace)
{
	DenseContraction sum;
	LoopClass alone = role == ROLE_A ? CLASS_SUM_A : CLASS_SUM_B;
	int64_t count = 1;
	int kept = 0;

	copy_start(&sum, contraction);
	sum.offset[ROLE_A] = contraction->offset[role];
	for (int i = 0; i < contraction->nloops; i++)
	{
		DenseLoop *loop = &contraction->loops[i];

		if (loop_class(loop) == alone)
		{
			copy_loop(&sum, loop, loop->stride[role], 0);
			continue;
		}
		if (loop->stride[role] != 0)
		{
			copy_loop(&sum, loop, loop->stride[role], count);
			loop->stride[role] = count;
			count = saturating_multiply(count, loop->extent);
		}
		if (kept != i)
			contraction->loops[kept] = *loop;
		kept++;
	}
	contraction->nloops = kept;
	contraction->offset[role] = 0;

	workspace_open(workspace, contraction->type, count);
	contraction_execute(&sum, *data, NULL, workspace->data, 1);
	*data = workspace->data;
	contraction_simplify(contraction);
}

/* Returns the group of a loop in a packed operand: 0 for batch loops, then 1 and 2. */
static int
packed_place(const DenseLoop *loop, Role role)
{
	switch (loop_class(loop))
	{
		case CLASS_CONTRACTED:
			return role == ROLE_A ? 2 : 1;
		case CLASS_ROW:
			return 1;
		case CLASS_COLUMN:
			return 2;
		default:
			return 0;
	}
}

/*
 * Returns the rank of a packed loop within its group: its stride in an operand that is
 * not packed, so that both have the same order and their loops merge.
 */
static int64_t
packed_rank(const DenseLoop *loop, unsigned packed)
{
	static const Role leading[] = {ROLE_C, ROLE_B, ROLE_A};

	for (int i = 0; i < 3; i++)
		if (loop->stride[leading[i]] != 0 && !(packed & 1u << leading[i]))
			return loop->stride[leading[i]];
	for (int i = 0; i < 3; i++)
		if (loop->stride[leading[i]] != 0)
			return loop->stride[leading[i]];
	return 0;
}

/*
 * Makes *result the contraction over packed copies of the operands in packed (bits 1 <<
 * Role). copies are contractions of one operand, from the operand to its copy, not
 * simplified; counts are their elements. Returns the cost of the copies in nanoseconds.
 */
static double
pack(const DenseContraction *contraction, unsigned packed, DenseContraction *result,
	 DenseContraction copies[3], int64_t counts[3])
{
	double cost = 0;

	*result = *contraction;
	for (int role = 0; role < 3; role++)
	{
		int order[CONTRACTION_MAX_LOOPS];
		int norder = 0;

		if (!(packed & 1u << role))
			continue;
		for (int i = 0; i < contraction->nloops; i++)
		{
			const DenseLoop *loop = &contraction->loops[i];
			int place = packed_place(loop, (Role) role);
			int64_t rank = packed_rank(loop, packed);
			int at;

			if (loop->stride[role] == 0)
				continue;
			for (at = norder; at > 0; at--)
			{
				const DenseLoop *other = &contraction->loops[order[at - 1]];
				int other_place = packed_place(other, (Role) role);

				if (other_place < place ||
					(other_place == place && packed_rank(other, packed) >= rank))
					break;
				order[at] = order[at - 1];
			}
			order[at] = i;
			norder++;
		}
		copy_start(&copies[role], contraction);
		copies[role].offset[ROLE_A] = contraction->offset[role];
		counts[role] = 1;
		for (int i = norder - 1; i >= 0; i--)
		{
			const DenseLoop *loop = &contraction->loops[order[i]];

			copy_loop(&copies[role], loop, loop->stride[role], counts[role]);
			result->loops[order[i]].stride[role] = counts[role];
			counts[role] = saturating_multiply(counts[role], loop->extent);
		}
		result->offset[role] = 0;
		if (role == ROLE_C)
			result->out = contraction->type;
		cost += COST_PACK * (role == ROLE_C ? 2 : 1) * (double) counts[role];
	}
	contraction_simplify(result);
	return cost;
}

/* Reverses the copy of the result, so that it adds the packed result to C, of type to. */
static void
reverse_copy(DenseContraction *copy, ElementType from, ElementType to)
{
	int64_t offset = copy->offset[ROLE_A];

	copy->type = from;
	copy->out = to;
	copy->offset[ROLE_A] = copy->offset[ROLE_C];
	copy->offset[ROLE_C] = offset;
	for (int i = 0; i < copy->nloops; i++)
	{
		int64_t stride = copy->loops[i].stride[ROLE_A];

		copy->loops[i].stride[ROLE_A] = copy->loops[i].stride[ROLE_C];
		copy->loops[i].stride[ROLE_C] = stride;
	}
}

static void
execute_packed(const DenseContraction *contraction, unsigned packed,
			   const void *const *data, void *c, Scalar scale)
{
	DenseContraction result;
	DenseContraction copies[3];
	int64_t counts[3];
	Workspace workspaces[3];
	const void *sources[2];
	void *target = c;
	DensePlan plan;

	pack(contraction, packed, &result, copies, counts);
	for (int role = 0; role < 2; role++)
	{
		sources[role] = data[role];
		if (packed & 1u << role)
		{
			workspace_open(&workspaces[role], contraction->type, counts[role]);
			copy_run(&copies[role], data[role], workspaces[role].data);
			sources[role] = workspaces[role].data;
		}
	}
	if (packed & 1u << ROLE_C)
	{
		workspace_open(&workspaces[ROLE_C], contraction->type, counts[ROLE_C]);
		target = workspaces[ROLE_C].data;
	}
	plan_choose(&result, false, &plan);
	plan_execute(&plan, sources[ROLE_A], sources[ROLE_B], target, scale);
	if (packed & 1u << ROLE_C)
	{
		reverse_copy(&copies[ROLE_C], contraction->type, contraction->out);
		copy_run(&copies[ROLE_C], target, c);
	}
	for (int role = 0; role < 3; role++)
		if (packed & 1u << role)
			workspace_close(&workspaces[role]);
}

/* Adds up in double precision, and adds the rounded sums to C. */
static void
execute_double(const DenseContraction *contraction, const void *const *data, void *c,
			   Scalar scale)
{
	DenseContraction sum;
	DenseContraction copies[3];
	int64_t counts[3];
	Workspace workspace;

	pack(contraction, 1u << ROLE_C, &sum, copies, counts);
	sum.out = element_double(contraction->out);
	workspace_open(&workspace, sum.out, counts[ROLE_C]);
	contraction_execute(&sum, data[ROLE_A], data[ROLE_B], workspace.data, scale);
	reverse_copy(&copies[ROLE_C], sum.out, contraction->out);
	copy_run(&copies[ROLE_C], workspace.data, c);
	workspace_close(&workspace);
}

/*
 * Returns which operands (bits 1 << Role) should be copied before they are multiplied;
 * mostly none. Both operands vary, and neither has a summed label alone. plan is the plan
 * without copies.
 */
static unsigned
choose_packing(const DenseContraction *contraction, const DensePlan *plan)
{
	unsigned best = 0;
	double best_cost = plan->cost;

	if (plan->cost <= PACKING_MINIMUM || plan->nouter == 0)
		return 0;
	for (unsigned packed = 1; packed < 8; packed++)
	{
		DenseContraction result;
		DenseContraction copies[3];
		int64_t counts[3];
		DensePlan candidate;
		double cost = pack(contraction, packed, &result, copies, counts);

		plan_choose(&result, false, &candidate);
		if (cost + candidate.cost < best_cost)
		{
			best = packed;
			best_cost = cost + candidate.cost;
		}
	}
	return best;
}

/* What must be done before a kernel can run. */
typedef enum Preparation
{
	PREPARE_NOTHING,
	PREPARE_SUMS,   /* of labels that one operand has alone */
	PREPARE_COPIES, /* of operands in *packed */
	PREPARE_DOUBLE, /* a result of double precision */
} Preparation;

/*
 * Does a plan add to elements of single precision several times? A kernel of one loop
 * adds up in double precision; a single product of matrices, by BLAS, stays in its type.
 */
static bool
adds_in_single(const DensePlan *plan)
{
	if (!element_is_single(plan->out))
		return false;
	for (int i = 0; i < plan->nouter; i++)
		if (plan->outer[i].stride[ROLE_C] == 0)
			return true;
	return false;
}

static Preparation
prepare(const DenseContraction *contraction, bool two_operands,
		PreparedContraction *prepared, unsigned *packed)
{
	const unsigned a_varies =
		1u << CLASS_SUM_A | 1u << CLASS_CONTRACTED | 1u << CLASS_ROW | 1u << CLASS_BATCH;
	const unsigned b_varies = 1u << CLASS_SUM_B | 1u << CLASS_CONTRACTED |
							  1u << CLASS_COLUMN | 1u << CLASS_BATCH;
	unsigned classes = contraction_classes(contraction);
	int64_t size = (int64_t) element_size(contraction->type);

	prepared->empty = contraction->empty;
	prepared->axpy = false;
	prepared->number = ROLE_C;
	if (contraction->empty)
		return PREPARE_NOTHING;
	if (two_operands && classes & a_varies && classes & b_varies)
	{
		if (classes & (1u << CLASS_SUM_A | 1u << CLASS_SUM_B))
			return PREPARE_SUMS;
		plan_choose(contraction, false, &prepared->plan);
		*packed = choose_packing(contraction, &prepared->plan);
		return *packed != 0                      ? PREPARE_COPIES
			   : adds_in_single(&prepared->plan) ? PREPARE_DOUBLE
												 : PREPARE_NOTHING;
	}
	if (two_operands)
	{
		prepared->number = classes & b_varies ? ROLE_A : ROLE_B;
		prepared->number_offset = contraction->offset[prepared->number] * size;
	}
	if (prepared->number == ROLE_A)
	{
		/* B is the only operand that varies: it becomes A */
		DenseContraction single = *contraction;

		single.offset[ROLE_A] = contraction->offset[ROLE_B];
		single.offset[ROLE_B] = 0;
		for (int i = 0; i < single.nloops; i++)
		{
			single.loops[i].stride[ROLE_A] = single.loops[i].stride[ROLE_B];
			single.loops[i].stride[ROLE_B] = 0;
		}
		plan_choose(&single, true, &prepared->plan);
	}
	else
		plan_choose(contraction, true, &prepared->plan);
	return adds_in_single(&prepared->plan) ? PREPARE_DOUBLE : PREPARE_NOTHING;
}

/* Can contraction_run call run_axpy, without looking at the plan? */
static bool
is_axpy(const PreparedContraction *prepared)
{
	const DensePlan *plan = &prepared->plan;

	return !prepared->empty && prepared->number != ROLE_C && plan->kernel == KERNEL_ADD &&
		   plan->nouter == 0 && plan->repeats == 1 && plan->m.stride[ROLE_A] == 1 &&
		   plan->m.stride[ROLE_C] == 1 && plan->offset[ROLE_A] == 0 &&
		   plan->offset[ROLE_C] == 0 && !element_is_complex(plan->type);
}

bool
contraction_prepare(const DenseContraction *contraction, bool two_operands,
					PreparedContraction *prepared)
{
	unsigned packed;

	if (prepare(contraction, two_operands, prepared, &packed) != PREPARE_NOTHING)
		return false;
	prepared->axpy = is_axpy(prepared);
	return true;
}

/*
 * Adds a real number times a contiguous vector to C; a frequent case, in which there is
 * little to do.
 */
static void
run_axpy(const PreparedContraction *prepared, const void *a, const void *b, void *c,
		 double scale)
{
	ElementType type = prepared->plan.type;
	const void *place =
		(const char *) (prepared->number == ROLE_A ? a : b) + prepared->number_offset;
	const void *vector = prepared->number == ROLE_A ? b : a;
	double number;

	ASSUME(a != NULL && b != NULL);
	number = type == ELEMENT_FLOAT4 ? *(const float *) place : *(const double *) place;

	vector_axpy(type, prepared->plan.out, prepared->plan.m.extent, scale * number, vector,
				c);
}

void
contraction_run(const PreparedContraction *prepared, const void *a, const void *b,
				void *c, Scalar scale)
{
	if (prepared->axpy)
	{
		run_axpy(prepared, a, b, c, creal(scale));
		return;
	}
	if (prepared->empty)
		return;
	if (prepared->number != ROLE_C)
	{
		const char *number = (const char *) (prepared->number == ROLE_A ? a : b);

		scale = scalar_multiply(
			scale, scalar_read(prepared->plan.type, number + prepared->number_offset));
		if (prepared->number == ROLE_A)
			a = b;
	}
	if (prepared->number != ROLE_C || b == NULL)
		b = a; /* the kernels of one operand do not read b */
	plan_execute(&prepared->plan, a, b, c, scale);
}

void
contraction_execute(const DenseContraction *original, const void *a, const void *b,
					void *c, Scalar scale)
{
	const void *data[2] = {a, b};
	PreparedContraction prepared;
	unsigned packed;

	switch (prepare(original, b != NULL, &prepared, &packed))
	{
		case PREPARE_NOTHING:
			contraction_run(&prepared, a, b, c, scale);
			break;
		case PREPARE_SUMS:
		{
			DenseContraction contraction = *original;
			Workspace workspace;
			Role role =
				contraction_classes(original) & 1u << CLASS_SUM_A ? ROLE_A : ROLE_B;

			sum_alone(&contraction, role, &data[role], &workspace);
			contraction_execute(&contraction, data[ROLE_A], data[ROLE_B], c, scale);
			workspace_close(&workspace);
			break;
		}
		case PREPARE_COPIES:
			execute_packed(original, packed, data, c, scale);
			break;
		case PREPARE_DOUBLE:
			execute_double(original, data, c, scale);
			break;
	}
}
