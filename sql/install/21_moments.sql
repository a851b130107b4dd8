-- Averages, and covariance in one pass.

-- tensor_avg

CREATE FUNCTION sparseeinsum_internal.tensor_avg_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_avg_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_avg_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_avg over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_avg_transfn(sparseeinsum_internal.tensor_state, float8) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_avg_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 3
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_avg_transfn(sparseeinsum_internal.tensor_state, float8) IS 'internal: transition of tensor_avg over numbers';

CREATE FUNCTION sparseeinsum_internal.tensor_avg_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_avg_combinefn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_avg_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of averages';

CREATE FUNCTION sparseeinsum_internal.tensor_avg_finalfn(sparseeinsum_internal.tensor_state) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_avg_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_avg_finalfn(sparseeinsum_internal.tensor_state) IS 'internal: result of tensor_avg over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_avg_float8_finalfn(sparseeinsum_internal.tensor_state) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_avg_float8_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_avg_float8_finalfn(sparseeinsum_internal.tensor_state) IS 'internal: result of tensor_avg over numbers';

CREATE AGGREGATE @extschema@.tensor_avg(tensor) (
	SFUNC = sparseeinsum_internal.tensor_avg_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_avg_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_avg_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_avg(tensor) IS 'element-wise mean of tensors of one shape';

CREATE AGGREGATE @extschema@.tensor_avg(float8) (
	SFUNC = sparseeinsum_internal.tensor_avg_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 64,
	FINALFUNC = sparseeinsum_internal.tensor_avg_float8_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_avg_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_avg(float8) IS 'mean in IEEE arithmetic: never an error, and in range if the numbers are';

CREATE AGGREGATE @extschema@.avg(tensor) (
	SFUNC = sparseeinsum_internal.tensor_avg_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_avg_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_avg_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE avg(tensor) IS 'tensor_avg under its usual name';

-- tensor_covar

CREATE TYPE @extschema@.tensor_moments AS (count bigint, mean tensor, comoment tensor);
COMMENT ON TYPE tensor_moments IS 'number of vectors, their mean, and the sum of (x - mean) (x - mean)^T';

CREATE FUNCTION sparseeinsum_internal.tensor_covar_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_covar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_covar_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_covar';

CREATE FUNCTION sparseeinsum_internal.tensor_covar_transfn(sparseeinsum_internal.tensor_state, float8[]) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_covar_array_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_covar_transfn(sparseeinsum_internal.tensor_state, float8[]) IS 'internal: transition of tensor_covar over arrays';

CREATE FUNCTION sparseeinsum_internal.tensor_covar_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_covar_combinefn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_covar_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of tensor_covar';

CREATE FUNCTION sparseeinsum_internal.tensor_covar_finalfn(sparseeinsum_internal.tensor_state) RETURNS tensor_moments
	AS 'MODULE_PATHNAME', 'tensor_covar_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_covar_finalfn(sparseeinsum_internal.tensor_state) IS 'internal: result of tensor_covar';

CREATE AGGREGATE @extschema@.tensor_covar(vector tensor) (
	SFUNC = sparseeinsum_internal.tensor_covar_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 32768,
	FINALFUNC = sparseeinsum_internal.tensor_covar_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_covar_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_covar(vector tensor) IS 'number, mean and co-moment of vectors, in one stable pass; the covariance is (m).comoment / ((m).count - 1)';

CREATE AGGREGATE @extschema@.tensor_covar(vector float8[]) (
	SFUNC = sparseeinsum_internal.tensor_covar_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 32768,
	FINALFUNC = sparseeinsum_internal.tensor_covar_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_covar_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_covar(vector float8[]) IS 'tensor_covar over arrays, without a cast of each';
