-- Functions of tensors: what they are, making them, rearranging them, and
-- comparing them element by element. (Functions of every element: sql/functions.awk.)

CREATE FUNCTION tensor_sparse(tensor, fill double precision DEFAULT 0) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_sparse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_sparse(tensor, double precision) IS 'the same value as the elements other than fill, and fill';

CREATE FUNCTION tensor_dense(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_dense' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_dense(tensor) IS 'the same value with all elements';

CREATE FUNCTION sparseeinsum_internal.tensor_of_sparsevec(text) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_of_sparsevec' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_of_sparsevec(text) IS 'internal: the sparse vector of the text of pgvector''s sparsevec';

CREATE FUNCTION sparseeinsum_internal.sparsevec_of_tensor(tensor) RETURNS text
	AS 'MODULE_PATHNAME', 'sparsevec_of_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.sparsevec_of_tensor(tensor) IS 'internal: a vector as the text of pgvector''s sparsevec';

CREATE FUNCTION tensor_format(tensor) RETURNS text
	AS 'MODULE_PATHNAME', 'tensor_format' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_format(tensor) IS 'dense or sparse';

CREATE FUNCTION tensor_shape(tensor) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'tensor_shape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_shape(tensor) IS 'bounds of the dimensions';

CREATE FUNCTION tensor_rank(tensor) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_rank(tensor) IS 'number of dimensions';

CREATE FUNCTION tensor_type(tensor) RETURNS text
	AS 'MODULE_PATHNAME', 'tensor_type' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_type(tensor) IS 'element type: float4, float8, complex8 or complex16';

CREATE FUNCTION tensor_count_nonzero(tensor) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_count_nonzero' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_count_nonzero(tensor) IS 'number of elements that are not 0';

CREATE FUNCTION tensor_entries(tensor, OUT index integer[], OUT value double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'tensor_entries' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1 ROWS 1000
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_entries(tensor) IS 'a row for every element: its index, an SQL array of places counted from 0, so that index[1] is the place in the first dimension; and its value';

CREATE FUNCTION tensor_zeros(shape integer[], type text DEFAULT 'float8') RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_zeros' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_zeros(integer[], text) IS 'tensor of a shape and element type whose elements are 0';

CREATE FUNCTION tensor_full(shape integer[], value double precision, type text DEFAULT 'float8') RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_full' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_full(integer[], double precision, text) IS 'tensor of a shape and element type whose elements are one value';

CREATE FUNCTION tensor_eye(n integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_eye' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_eye(integer) IS 'identity matrix';

CREATE FUNCTION tensor_random(shape integer[], seed bigint) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_random' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tensor_random(integer[], bigint) IS 'tensor of a shape with elements uniform in [0,1), the same for the same seed';

CREATE FUNCTION tensor_reshape(tensor tensor, shape integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_reshape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_reshape(tensor, integer[]) IS 'the elements in row-major order under another shape; one bound may be -1';

CREATE FUNCTION tensor_permute(tensor tensor, dimensions integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_permute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_permute(tensor, integer[]) IS 'dimension d of the result is the given dimension, counted from 0';

CREATE FUNCTION tensor_slice(tensor tensor, lower integer[], upper integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_slice' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_slice(tensor, integer[], integer[]) IS 'the elements from lower to before upper in every dimension, counted from 0';

CREATE FUNCTION tensor_concat(a tensor, b tensor, dimension integer DEFAULT 0) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_concat' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_concat(tensor, tensor, integer) IS 'b behind a along a dimension, counted from 0';

CREATE FUNCTION tensor_concat(VARIADIC tensors tensor[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_concat_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tensor_concat(tensor[]) IS 'tensors one behind the other along dimension 0';

CREATE FUNCTION tensor_reduce(kind text, tensor tensor, dimensions integer[] DEFAULT NULL, keep boolean DEFAULT false) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_reduce' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_reduce(text, tensor, integer[], boolean) IS 'sum, prod, min, max, mean, any or all along some dimensions, or all; with keep, these stay with bound 1';

CREATE FUNCTION tensor_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_equal(tensor, tensor) IS 'element-wise: 1 where the element equals that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_equal(tensor, double precision) IS 'element-wise: 1 where the element equals the number, 0 elsewhere';

CREATE FUNCTION tensor_not_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_not_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_not_equal(tensor, tensor) IS 'element-wise: 1 where the element is not equal to that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_not_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_not_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_not_equal(tensor, double precision) IS 'element-wise: 1 where the element is not equal to the number, 0 elsewhere';

CREATE FUNCTION tensor_less(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less(tensor, tensor) IS 'element-wise: 1 where the element is less than that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_less(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less(tensor, double precision) IS 'element-wise: 1 where the element is less than the number, 0 elsewhere';

CREATE FUNCTION tensor_less_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less_equal(tensor, tensor) IS 'element-wise: 1 where the element is at most that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_less_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less_equal(tensor, double precision) IS 'element-wise: 1 where the element is at most the number, 0 elsewhere';

CREATE FUNCTION tensor_greater(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater(tensor, tensor) IS 'element-wise: 1 where the element is greater than that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_greater(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater(tensor, double precision) IS 'element-wise: 1 where the element is greater than the number, 0 elsewhere';

CREATE FUNCTION tensor_greater_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater_equal(tensor, tensor) IS 'element-wise: 1 where the element is at least that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_greater_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater_equal(tensor, double precision) IS 'element-wise: 1 where the element is at least the number, 0 elsewhere';

CREATE FUNCTION tensor_argmax(tensor) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_argmax' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmax(tensor) IS 'the place of the first largest element, row-major, counted from 0; NaN is largest';

CREATE FUNCTION tensor_argmax(tensor tensor, dimension integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_argmax_along' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmax(tensor, integer) IS 'the index of the first largest element along a dimension, as float8; NaN is largest';

CREATE FUNCTION tensor_argmin(tensor) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_argmin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmin(tensor) IS 'the place of the first smallest element, row-major, counted from 0; NaN is smallest';

CREATE FUNCTION tensor_argmin(tensor tensor, dimension integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_argmin_along' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmin(tensor, integer) IS 'the index of the first smallest element along a dimension, as float8; NaN is smallest';

CREATE FUNCTION tensor_power(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_power' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_power(tensor, double precision) IS 'element-wise: the power with that exponent';
