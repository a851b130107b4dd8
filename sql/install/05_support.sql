-- What the planner asks of the functions over tensors. First, since CREATE
-- FUNCTION names it: in whatever computes with the elements of tensors, and in
-- all functions of the aggregates over them; not in what reads a header,
-- converts or compares, nor in the factorisations, whose cost is another power
-- of the size. It also loads the library before its hooks are needed.

CREATE FUNCTION einsum_kernel_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_kernel_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_kernel_support(internal) IS 'internal: costs of kernels and aggregates, sizes of states, rows of slices';
