-- Helps for generated SQL.

CREATE FUNCTION sparseeinsum_internal.einsum_once(value tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_once' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_once(tensor) IS 'internal: its argument, computed once per row of the subquery that calls it';

CREATE FUNCTION sparseeinsum_internal.einsum_once(value float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_once' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_once(float8) IS 'internal: its argument, computed once per row of the subquery that calls it';

CREATE FUNCTION sparseeinsum_internal.einsum_barrier_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_barrier_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_barrier_support(internal) IS 'internal: removes einsum_barrier when the subquery that calls it is planned';

CREATE FUNCTION sparseeinsum_internal.einsum_barrier() RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_barrier' LANGUAGE C VOLATILE STRICT PARALLEL SAFE SUPPORT sparseeinsum_internal.einsum_barrier_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_barrier() IS 'internal: true; conditions on what a subquery computes with it are evaluated above the subquery';

CREATE FUNCTION sparseeinsum_internal.einsum_full(shape integer[], value double precision, type text DEFAULT 'float8') RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_full' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_full(integer[], double precision, text) IS 'internal: tensor_full, but not computed while a query is planned';
