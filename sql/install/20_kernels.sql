-- Kernels: functions of values.
--
-- COST counts in units of a float8 operator, which takes some 10 ns: the frame
-- of a call with operands is about 10 of them, and the arithmetic of a usual
-- operand (a vector of a hundred elements, a matrix of a thousand) the rest.

CREATE FUNCTION einsum(equation text, VARIADIC operands "any") RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION einsum(equation text, VARIADIC operands "any") IS 'product of tensors and numbers by numpy''s equation language, summed over the labels that the output lacks';

CREATE FUNCTION einsum_scalar(equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION einsum_scalar(equation text, VARIADIC operands "any") IS 'einsum for results of rank 0, as float8';

CREATE FUNCTION sparseeinsum_internal.einsum_solve(matrix text, equation text, a tensor, b tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_solve' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_solve(text, text, tensor, tensor) IS 'internal: solutions of linear systems in dimensions of values: matrix names the unknowns and the equations';

CREATE FUNCTION sparseeinsum_internal.einsum_inverse(matrix text, equation text, a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_inverse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_inverse(text, text, tensor) IS 'internal: inverses of square matrices in dimensions of values: matrix names rows and columns';

CREATE FUNCTION sparseeinsum_internal.einsum_cholesky(matrix text, equation text, a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_cholesky' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_cholesky(text, text, tensor) IS 'internal: lower triangular Cholesky factors of matrices in dimensions of values: matrix names rows and columns';

CREATE FUNCTION einsum_path(equation text, VARIADIC shapes "any") RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'einsum_path' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 8;
COMMENT ON FUNCTION einsum_path(equation text, VARIADIC shapes "any") IS 'order in which einsum multiplies operands of these shapes, with operations and sizes; a shape is an integer array or a tensor';

CREATE FUNCTION tensor_map(expression text, equation text, VARIADIC operands "any") RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_map' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map(expression text, equation text, VARIADIC operands "any") IS 'pointwise expression of operands $1, $2, ..., summed over the labels that the output lacks';

CREATE FUNCTION tensor_map_scalar(expression text, equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map for results of rank 0, as float8';

-- Named as in the papers.

CREATE FUNCTION inner_prod(tensor, tensor) RETURNS float8
	AS 'MODULE_PATHNAME', 'inner_prod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION inner_prod(tensor, tensor) IS 'inner product of two vectors';

CREATE FUNCTION outer_prod(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'outer_prod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION outer_prod(tensor, tensor) IS 'outer product of two vectors';

CREATE FUNCTION vec_mat_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'vec_mat_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION vec_mat_mult(tensor, tensor) IS 'row vector times matrix';

CREATE FUNCTION mat_vec_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_vec_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION mat_vec_mult(tensor, tensor) IS 'matrix times column vector';

CREATE FUNCTION mat_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION mat_mult(tensor, tensor) IS 'matrix times matrix';

CREATE FUNCTION vec_sca_mult(tensor, float8) RETURNS tensor
	AS 'MODULE_PATHNAME', 'vec_sca_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION vec_sca_mult(tensor, float8) IS 'tensor of any rank times number';

CREATE FUNCTION vec_sca_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'vec_sca_mult_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION vec_sca_mult(tensor, tensor) IS 'tensor of any rank times tensor of rank 0';
