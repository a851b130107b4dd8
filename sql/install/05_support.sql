-- The schema of all that is internal: what generated SQL calls, and what the functions, aggregates, operators, casts and
-- types of the extension are made of. Only the owner of the extension creates anything in it.

CREATE SCHEMA sparseeinsum_internal;
REVOKE ALL ON SCHEMA sparseeinsum_internal FROM PUBLIC;
GRANT USAGE ON SCHEMA sparseeinsum_internal TO PUBLIC;
COMMENT ON SCHEMA sparseeinsum_internal IS 'internal: what is called by generated SQL and by what is in the schema of the extension';

-- What the planner asks of the functions over tensors. First, since CREATE
-- FUNCTION names it: in whatever computes with the elements of tensors, and in
-- all functions of the aggregates over them; not in what reads a header,
-- converts or compares, nor in the factorisations, whose cost is another power
-- of the size. It also loads the library before its hooks are needed.

CREATE FUNCTION sparseeinsum_internal.einsum_kernel_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_kernel_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_kernel_support(internal) IS 'internal: costs of kernels and aggregates, sizes of states, rows of slices';
