/*-------------------------------------------------------------------------
 *
 * tensor_distance.c
 *	  Distances of two tensors of one shape: operators <->, <=>, <#> and <+>.
 *
 * The operators mean what pgvector's do: L2, cosine, negative inner product and L1.
 * Sums are of float8, whatever the elements are. Squares and products leave the range of
 * float8 long before their roots and sums do: where sums say that this may be, they are
 * computed again of elements times powers of 2.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "compat.h"
#include "type/call.h"
#include "type/sparse.h"
#include "type/tensor.h"
#include "type/tensor_shape.h"

PG_FUNCTION_INFO_V1(tensor_l2_distance);
PG_FUNCTION_INFO_V1(tensor_cosine_distance);
PG_FUNCTION_INFO_V1(tensor_negative_inner_product);
PG_FUNCTION_INFO_V1(tensor_l1_distance);

/* Sums over the pairs of elements of two tensors. */
typedef struct PairSums
{
	double sum;      /* of products, or of what the distance adds up */
	double square_a; /* squares of both tensors' elements, for the cosine */
	double square_b;
} PairSums;

typedef enum Distance
{
	DISTANCE_L2,
	DISTANCE_COSINE,
	DISTANCE_INNER,
	DISTANCE_L1,
} Distance;

/*
 * Terms between two checks for interrupts. Each piece is summed separately, since a sum
 * of sums is more exact.
 */
#define PIECE 4096
/* The number of independent sums, which the processor computes in parallel. */
#define LANES 8

#define ADD_PIECE(type)                                                                  \
	static inline pg_attribute_always_inline void add_piece_##type(                      \
		PairSums *sums, Distance distance, const type *a, const type *b, int64 count,    \
		double scale_a, double scale_b)                                                  \
	{                                                                                    \
		double sum[LANES] = {0};                                                         \
		double square_a[LANES] = {0};                                                    \
		double square_b[LANES] = {0};                                                    \
                                                                                         \
		for (int64 i = 0; i < count; i += LANES)                                         \
		{                                                                                \
			int lanes = (int) Min(LANES, count - i);                                     \
                                                                                         \
			for (int lane = 0; lane < lanes; lane++)                                     \
			{                                                                            \
				double x = a[i + lane];                                                  \
				double y = b[i + lane];                                                  \
                                                                                         \
				if (distance == DISTANCE_L2)                                             \
				{                                                                        \
					x = (x - y) * scale_a;                                               \
					sum[lane] += x * x;                                                  \
				}                                                                        \
				else if (distance == DISTANCE_L1)                                        \
					sum[lane] += fabs(x - y);                                            \
				else                                                                     \
				{                                                                        \
					x *= scale_a;                                                        \
					y *= scale_b;                                                        \
					sum[lane] += x * y;                                                  \
				}                                                                        \
				if (distance == DISTANCE_COSINE)                                         \
				{                                                                        \
					square_a[lane] += x * x;                                             \
					square_b[lane] += y * y;                                             \
				}                                                                        \
			}                                                                            \
		}                                                                                \
		for (int lane = 0; lane < LANES; lane++)                                         \
		{                                                                                \
			sums->sum += sum[lane];                                                      \
			sums->square_a += square_a[lane];                                            \
			sums->square_b += square_b[lane];                                            \
		}                                                                                \
	}                                                                                    \
	extern int no_such_variable

ADD_PIECE(float);
ADD_PIECE(double);

/*
 * Computes the sums, with elements scaled by these factors; for L2, differences are
 * scaled by the first.
 */
static inline pg_attribute_always_inline PairSums
add_pairs(Distance distance, const Tensor *a, const Tensor *b, double scale_a,
		  double scale_b)
{
	int64 count = tensor_count(a);
	PairSums sums = {0};

	for (int64 i = 0; i < count; i += PIECE)
	{
		int64 piece = Min(PIECE, count - i);

		CHECK_FOR_INTERRUPTS();
		if (a->type == ELEMENT_FLOAT4)
			add_piece_float(&sums, distance, (const float *) tensor_elements(a) + i,
							(const float *) tensor_elements(b) + i, piece, scale_a,
							scale_b);
		else
			add_piece_double(&sums, distance, (const double *) tensor_elements(a) + i,
							 (const double *) tensor_elements(b) + i, piece, scale_a,
							 scale_b);
	}
	return sums;
}

/* A sum of squares between these bounds has lost no accuracy to overflow or underflow. */
#define LEAST_SQUARE 1e-280
#define MOST_SQUARE 1e300

/* Is a sum of squares or products free of overflow and underflow? */
static inline bool
in_range(double sum)
{
	return fabs(sum) > LEAST_SQUARE && fabs(sum) < MOST_SQUARE;
}

/*
 * Returns the power of 2 that scales the greatest absolute element, or absolute
 * difference from b if b is given, to about 1; 1 if it is 0, infinite or NaN.
 */
static double
range_scale(const Tensor *a, const Tensor *b)
{
	int64 count = tensor_count(a);
	double most = 0;

	for (int64 i = 0; i < count; i++)
	{
		double x;

		if (i % PIECE == 0)
			CHECK_FOR_INTERRUPTS();
		if (a->type == ELEMENT_FLOAT4)
			x = (double) ((const float *) tensor_elements(a))[i] -
				(b ? (double) ((const float *) tensor_elements(b))[i] : 0);
		else
			x = ((const double *) tensor_elements(a))[i] -
				(b ? ((const double *) tensor_elements(b))[i] : 0);
		if (!(fabs(x) <= most))
			most = fabs(x);
		if (isnan(x))
			break;
	}
	if (most == 0 || !isfinite(most))
		return 1;
	/* bounded, for the power of 2 itself could overflow if elements are tiny */
	return ldexp(1, Min(-ilogb(most), 1000));
}

/* Sums over scaled elements, and the factors by which the elements were scaled. */
typedef struct ScaledSums
{
	PairSums sums;
	double scale_a;
	double scale_b;
} ScaledSums;

/* Computes the sums, and if they are out of range again, with scaled elements. */
static inline pg_attribute_always_inline ScaledSums
scaled_pairs(Distance distance, const Tensor *a, const Tensor *b)
{
	ScaledSums result = {add_pairs(distance, a, b, 1, 1), 1, 1};
	bool again = false;

	if (distance == DISTANCE_L2)
		again = !in_range(result.sums.sum);
	else if (distance == DISTANCE_INNER)
		again = !isfinite(result.sums.sum);
	else if (distance == DISTANCE_COSINE)
		again = !in_range(result.sums.square_a) || !in_range(result.sums.square_b);
	if (!again)
		return result;
	result.scale_a = range_scale(a, distance == DISTANCE_L2 ? b : NULL);
	if (distance != DISTANCE_L2)
		result.scale_b = range_scale(b, NULL);
	if (result.scale_a != 1 || result.scale_b != 1)
		result.sums = add_pairs(distance, a, b, result.scale_a, result.scale_b);
	return result;
}

/*
 * Computes the sums for the two arguments of a distance function. Errors: 2202E if shapes
 * differ, 0A000 for complex elements. Inlined, with a constant distance.
 */
static inline pg_attribute_always_inline ScaledSums
pair_sums(FunctionCallInfo fcinfo, Distance distance, const char *name)
{
	Tensor *left = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(0));
	Tensor *right = DatumGetTensorOfAnyFormat(PG_GETARG_DATUM(1));
	Tensor *a;
	Tensor *b;
	ScaledSums sums;

	if (!sparse_pairs(left, right, distance == DISTANCE_INNER, &a, &b))
	{
		a = make_dense(left, fcinfo);
		b = make_dense(right, fcinfo);
	}

	check_real(name, (ElementType) a->type);
	check_real(name, (ElementType) b->type);
	if (a->rank != b->rank || memcmp(a->bounds, b->bounds, sizeof(int32) * a->rank) != 0)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("%s of tensors of different shapes", name),
						errdetail("The left tensor has shape %s, the right one %s.",
								  tensor_shape_string(a), tensor_shape_string(b)),
						errhint("A distance is between tensors of one shape.")));
	if (a->type != b->type)
	{
		a = tensor_convert(a, ELEMENT_FLOAT8);
		b = tensor_convert(b, ELEMENT_FLOAT8);
	}
	sums = scaled_pairs(distance, a, b);
	if (a != left)
		pfree(a);
	if (b != right)
		pfree(b);
	PG_FREE_IF_COPY(left, 0);
	PG_FREE_IF_COPY(right, 1);
	return sums;
}

/* Returns the square root of the sum of squared differences. */
Datum
tensor_l2_distance(PG_FUNCTION_ARGS)
{
	ScaledSums squares = pair_sums(fcinfo, DISTANCE_L2, "tensor_l2_distance");

	PG_RETURN_FLOAT8(sqrt(squares.sums.sum) / squares.scale_a);
}

/*
 * Returns 1 minus the cosine of the angle, from 0 to 2; NaN if a tensor has only zeros.
 */
Datum
tensor_cosine_distance(PG_FUNCTION_ARGS)
{
	PairSums sums = pair_sums(fcinfo, DISTANCE_COSINE, "tensor_cosine_distance").sums;
	double squares = sums.square_a * sums.square_b;
	/*
	 * one root of the product is exact for parallel vectors, but the product may be out
	 * of range
	 */
	double cosine =
		sums.sum /
		(in_range(squares) ? sqrt(squares) : sqrt(sums.square_a) * sqrt(sums.square_b));

	if (cosine > 1)
		cosine = 1;
	else if (cosine < -1)
		cosine = -1;
	PG_RETURN_FLOAT8(1 - cosine);
}

/* Returns the negated inner product, so that the nearest tensors sort first. */
Datum
tensor_negative_inner_product(PG_FUNCTION_ARGS)
{
	ScaledSums products =
		pair_sums(fcinfo, DISTANCE_INNER, "tensor_negative_inner_product");

	/* divides by the larger scale first: dividing by the other alone could overflow */
	PG_RETURN_FLOAT8(-(products.sums.sum / Max(products.scale_a, products.scale_b) /
					   Min(products.scale_a, products.scale_b)));
}

/* Returns the sum of absolute differences. */
Datum
tensor_l1_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(pair_sums(fcinfo, DISTANCE_L1, "tensor_l1_distance").sums.sum);
}
