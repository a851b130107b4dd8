/*-------------------------------------------------------------------------
 *
 * copy.c
 *	  Copies and converts between views of any strides and element types.
 *
 *-------------------------------------------------------------------------
 */
#include <string.h>

#include "kernels/dense/contraction.h"
#include "kernels/kernels.h"

/* Side of a tile, for copies that turn rows into columns. */
#define TILE 32

/*
 * Elements between two interrupt checks: each may miss all caches, and be the first of
 * its page.
 */
#define ELEMENTS_PER_CHECK (INT64_C(1) << 22)

/* Copies n elements, and converts their type; strides are in elements. */
typedef void (*CopyStrip)(int64_t n, const void *from, int64_t from_stride, void *to,
						  int64_t to_stride);

#define COPY_STRIP(from_name, from_type, to_name, to_type, convert)                      \
	static void copy_##from_name##_##to_name(                                            \
		int64_t n, const void *from, int64_t from_stride, void *to, int64_t to_stride)   \
	{                                                                                    \
		const from_type *restrict source = from;                                         \
		to_type *restrict target = to;                                                   \
                                                                                         \
		if (from_stride == 1 && to_stride == 1)                                          \
			for (int64_t i = 0; i < n; i++)                                              \
				target[i] = (to_type) convert(source[i]);                                \
		else                                                                             \
			for (int64_t i = 0; i < n; i++)                                              \
				target[i * to_stride] = (to_type) convert(source[i * from_stride]);      \
	}

/* clang-format off */
COPY_STRIP(float4, float, float4, float, )
COPY_STRIP(float4, float, float8, double, )
COPY_STRIP(float4, float, complex8, float _Complex, )
COPY_STRIP(float4, float, complex16, double _Complex, )
COPY_STRIP(float8, double, float4, float, )
COPY_STRIP(float8, double, float8, double, )
COPY_STRIP(float8, double, complex8, float _Complex, )
COPY_STRIP(float8, double, complex16, double _Complex, )
COPY_STRIP(complex8, float _Complex, float4, float, crealf)
COPY_STRIP(complex8, float _Complex, float8, double, crealf)
COPY_STRIP(complex8, float _Complex, complex8, float _Complex, )
COPY_STRIP(complex8, float _Complex, complex16, double _Complex, )
COPY_STRIP(complex16, double _Complex, float4, float, creal)
COPY_STRIP(complex16, double _Complex, float8, double, creal)
COPY_STRIP(complex16, double _Complex, complex8, float _Complex, )
COPY_STRIP(complex16, double _Complex, complex16, double _Complex, )

#define ROW(from) \
	{copy_##from##_float4, copy_##from##_float8, copy_##from##_complex8, copy_##from##_complex16}

static const CopyStrip copy_strips[ELEMENT_TYPE_LAST][ELEMENT_TYPE_LAST] = {
	ROW(float4), ROW(float8), ROW(complex8), ROW(complex16)
};
/* clang-format on */

typedef struct Copy
{
	CopyStrip strip;
	int64_t from_size;
	int64_t to_size;
	int nloops;
	DenseLoop *loops; /* outermost first; strides in elements */
	int64_t left;
} Copy;

/* Copies a strip of any length, with interrupt checks where they are due. */
static void
copy_strip(Copy *copy, int64_t n, const char *from, int64_t from_stride, char *to,
		   int64_t to_stride)
{
	for (int64_t i = 0; i < n; i += ELEMENTS_PER_CHECK)
	{
		int64_t some = n - i < ELEMENTS_PER_CHECK ? n - i : ELEMENTS_PER_CHECK;

		copy->strip(some, from + i * from_stride * copy->from_size, from_stride,
					to + i * to_stride * copy->to_size, to_stride);
		copy->left -= some;
		if (copy->left < 0)
		{
			kernel_host.check_interrupts();
			copy->left = ELEMENTS_PER_CHECK;
		}
	}
}

/* Runs the last two loops in tiles, so small that both views' parts stay in the cache. */
static void
copy_tiles(Copy *copy, const char *from, char *to)
{
	const DenseLoop *y = &copy->loops[copy->nloops - 2];
	const DenseLoop *x = &copy->loops[copy->nloops - 1];

	for (int64_t i = 0; i < y->extent; i += TILE)
	{
		for (int64_t j = 0; j < x->extent; j += TILE)
		{
			int64_t rows = y->extent - i < TILE ? y->extent - i : TILE;
			int64_t columns = x->extent - j < TILE ? x->extent - j : TILE;

			for (int64_t r = i; r < i + rows; r++)
				copy_strip(copy, columns,
						   from + (r * y->stride[ROLE_A] + j * x->stride[ROLE_A]) *
									  copy->from_size,
						   x->stride[ROLE_A],
						   to + (r * y->stride[ROLE_C] + j * x->stride[ROLE_C]) *
									copy->to_size,
						   x->stride[ROLE_C]);
		}
	}
}

static void
copy_loops(Copy *copy, int level, const char *from, char *to)
{
	const DenseLoop *loop = &copy->loops[level];

	/* tiles pay only where the copy turns rows into columns */
	if (level == copy->nloops - 2 && loop->stride[ROLE_A] == 1)
		copy_tiles(copy, from, to);
	else if (level == copy->nloops - 1)
		copy_strip(copy, loop->extent, from, loop->stride[ROLE_A], to,
				   loop->stride[ROLE_C]);
	else
		for (int64_t i = 0; i < loop->extent; i++)
		{
			copy_loops(copy, level + 1, from, to);
			from += loop->stride[ROLE_A] * copy->from_size;
			to += loop->stride[ROLE_C] * copy->to_size;
		}
}

/*
 * Orders the loops: last the one with the smallest step in the target, before it the one
 * in which the source is contiguous, the others by the target's steps.
 */
static void
order_loops(DenseLoop *loops, int nloops)
{
	for (int i = 1; i < nloops; i++)
	{
		DenseLoop loop = loops[i];
		int place;

		for (place = i;
			 place > 0 && loops[place - 1].stride[ROLE_C] < loop.stride[ROLE_C]; place--)
			loops[place] = loops[place - 1];
		loops[place] = loop;
	}
	for (int i = 0; i < nloops - 2; i++)
	{
		if (loops[i].stride[ROLE_A] == 1)
		{
			DenseLoop loop = loops[i];

			memmove(&loops[i], &loops[i + 1],
					sizeof(DenseLoop) * (size_t) (nloops - 2 - i));
			loops[nloops - 2] = loop;
			break;
		}
	}
}

void
view_copy(const TensorView *from, TensorView *to)
{
	DenseContraction contraction;
	EquationTerm term;
	Copy copy;
	const char *source;
	char *target;

	term.rank = to->rank;
	for (int d = 0; d < to->rank; d++)
		term.labels[d] = (uint8_t) d;
	contraction_build(&contraction, &term, from, NULL, NULL, &term, to);
	if (contraction.empty)
		return;
	copy.strip = copy_strips[from->type - 1][to->type - 1];
	copy.from_size = (int64_t) element_size(from->type);
	copy.to_size = (int64_t) element_size(to->type);
	copy.loops = contraction.loops;
	copy.nloops = contraction.nloops;
	copy.left = ELEMENTS_PER_CHECK;
	source = (const char *) from->data + contraction.offset[ROLE_A] * copy.from_size;
	target = (char *) to->data + contraction.offset[ROLE_C] * copy.to_size;
	if (copy.nloops == 0)
	{
		copy.strip(1, source, 1, target, 1);
		return;
	}
	order_loops(copy.loops, copy.nloops);
	if (copy.nloops == 1 && from->type == to->type && copy.loops[0].stride[ROLE_A] == 1 &&
		copy.loops[0].stride[ROLE_C] == 1)
		memcpy(target, source, (size_t) (copy.loops[0].extent * copy.from_size));
	else
		copy_loops(&copy, 0, source, target);
}
