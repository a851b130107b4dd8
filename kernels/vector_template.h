/*-------------------------------------------------------------------------
 *
 * vector_template.h
 *	  The sums of vector.c over one real type. Included by vector.c, with
 *
 *	  T				the element type
 *	  INTEGER		the integer of its size
 *	  LANE_BITS		-1 for each element of a register, from which follow 0s
 *	  SUM_OF_LANES(x)	of a register
 *	  NAME(f)		the name of function f for it
 *
 *	  No include guard.
 *
 *-------------------------------------------------------------------------
 */

/* Types of a full register of elements, and of one in memory at any element's address. */
typedef T NAME(lanes) __attribute__((vector_size(REGISTER_BYTES)));
typedef T NAME(unaligned)
	__attribute__((vector_size(REGISTER_BYTES), aligned(sizeof(T)), may_alias));
typedef INTEGER NAME(mask) __attribute__((vector_size(REGISTER_BYTES)));
typedef INTEGER NAME(unaligned_mask)
	__attribute__((vector_size(REGISTER_BYTES), aligned(sizeof(T)), may_alias));

#define LANES ((int64_t) (REGISTER_BYTES / sizeof(T)))
#define LOAD(x) ((NAME(lanes)) * (const NAME(unaligned) *) (x))

/* Returns how many elements x lies behind a multiple of the register's width. */
static inline int64_t
NAME(elements_behind)(const T *x)
{
	return (int64_t) ((uintptr_t) x % REGISTER_BYTES / sizeof(T));
}

/* A mask with all bits set in the first count lanes (0 to all), and 0 in the others. */
#define LANES_BEFORE(count)                                                              \
	(*(const NAME(unaligned_mask) *) (NAME(lane_bits) + LANES - (count)))
static const INTEGER NAME(lane_bits)[2 * LANES] = {LANE_BITS};

/* Sets the lanes of x to 0 where the mask is 0. */
#define MASKED(x, which) ((NAME(lanes))((NAME(mask))(x) & (which)))

/* a function of its own, so that short vectors need no stack for it */
static __attribute__((noinline)) T
NAME(dot_by_pieces)(int64_t n, const T *a, const T *b)
{
	double sum = 0;

	for (; n > DOT_PIECE; n -= DOT_PIECE, a += DOT_PIECE, b += DOT_PIECE)
		sum += NAME(vector_dot)(DOT_PIECE, a, b);
	return (T) (sum + NAME(vector_dot)(n, a, b));
}

KERNEL_CLONES_FUSED T
NAME(vector_dot)(int64_t n, const T *a, const T *b)
{
	NAME(lanes) s0 = {0};
	NAME(lanes) s1 = {0};
	NAME(lanes) s2 = {0};
	NAME(lanes) s3 = {0};
	NAME(lanes) product;
	int64_t i = 0;

	if (n < LANES)
	{
		T sum = 0;

		for (; i < n; i++)
			sum += a[i] * b[i];
		return sum;
	}
	if (n > DOT_PIECE)
		return NAME(dot_by_pieces)(n, a, b);
	if (n >= ALIGNING_MINIMUM)
	{
		/* the elements before the first aligned one; a full register if a is aligned */
		i = LANES - NAME(elements_behind)(a);
		s3 = MASKED(LOAD(a) * LOAD(b), LANES_BEFORE(i));
	}
	for (; i + 4 * LANES <= n; i += 4 * LANES)
	{
		s0 += LOAD(a + i) * LOAD(b + i);
		s1 += LOAD(a + i + LANES) * LOAD(b + i + LANES);
		s2 += LOAD(a + i + 2 * LANES) * LOAD(b + i + 2 * LANES);
		s3 += LOAD(a + i + 3 * LANES) * LOAD(b + i + 3 * LANES);
	}
	for (; i + LANES <= n; i += LANES)
		s0 += LOAD(a + i) * LOAD(b + i);
	if (i < n)
	{
		/* the last full register, without elements that were added already */
		product = LOAD(a + n - LANES) * LOAD(b + n - LANES);
		s1 += MASKED(product, ~LANES_BEFORE(LANES - (n - i)));
	}
	return SUM_OF_LANES((s0 + s1) + (s2 + s3));
}

KERNEL_CLONES_FUSED void
NAME(vector_axpy)(int64_t n, T s, const T *restrict a, T *restrict c)
{
	int64_t i = 0;

	/* a store across two cache lines costs more than such a load: align the stores */
	if (n >= ALIGNING_MINIMUM)
	{
		for (int64_t first = LANES - NAME(elements_behind)(c); i < first; i++)
			c[i] += s * a[i];
		for (; i + 4 * LANES <= n; i += 4 * LANES)
		{
			NAME(lanes) c0 = LOAD(c + i) + s * LOAD(a + i);
			NAME(lanes) c1 = LOAD(c + i + LANES) + s * LOAD(a + i + LANES);
			NAME(lanes) c2 = LOAD(c + i + 2 * LANES) + s * LOAD(a + i + 2 * LANES);
			NAME(lanes) c3 = LOAD(c + i + 3 * LANES) + s * LOAD(a + i + 3 * LANES);

			*(NAME(unaligned) *) (c + i) = c0;
			*(NAME(unaligned) *) (c + i + LANES) = c1;
			*(NAME(unaligned) *) (c + i + 2 * LANES) = c2;
			*(NAME(unaligned) *) (c + i + 3 * LANES) = c3;
		}
	}
	for (; i < n; i++)
		c[i] += s * a[i];
}

#undef LANES
#undef LOAD
#undef LANES_BEFORE
#undef MASKED
