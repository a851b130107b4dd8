-- Values at shifted and constant indices.

CREATE FUNCTION sparseeinsum_internal.einsum_shift(value tensor, offsets bigint[], constant boolean[], fill tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_shift' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_shift(tensor, bigint[], boolean[], tensor) IS 'internal: a value at indices shifted by offsets, or at constant ones; fill outside of it';
