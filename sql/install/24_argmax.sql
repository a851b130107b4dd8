-- Aggregates that say in which row an extreme is.

CREATE FUNCTION sparseeinsum_internal.einsum_argmax_finalfn(internal) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_argmax_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_argmax_finalfn(internal) IS 'internal: result of einsum_argmax and einsum_argmin over tensors';

CREATE FUNCTION sparseeinsum_internal.einsum_argmax_number_finalfn(internal) RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_argmax_number_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_argmax_number_finalfn(internal) IS 'internal: result of einsum_argmax and einsum_argmin over numbers';

CREATE FUNCTION sparseeinsum_internal.einsum_argmax_transfn(internal, tensor, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmax_row' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_argmax_transfn(internal, tensor, bigint, bigint, float8) IS 'internal: transition of einsum_argmax over tensors';

CREATE AGGREGATE sparseeinsum_internal.einsum_argmax(value tensor, key bigint, bound bigint, fill float8) (
	SFUNC = sparseeinsum_internal.einsum_argmax_transfn,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.einsum_argmax_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_argmax(tensor, bigint, bigint, float8) IS 'internal: the key of the row with the largest of tensors, of each element; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';

CREATE FUNCTION sparseeinsum_internal.einsum_argmax_transfn(internal, float8, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmax_number' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_argmax_transfn(internal, float8, bigint, bigint, float8) IS 'internal: transition of einsum_argmax over numbers';

CREATE AGGREGATE sparseeinsum_internal.einsum_argmax(value float8, key bigint, bound bigint, fill float8) (
	SFUNC = sparseeinsum_internal.einsum_argmax_transfn,
	STYPE = internal,
	SSPACE = 192,
	FINALFUNC = sparseeinsum_internal.einsum_argmax_number_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_argmax(float8, bigint, bigint, float8) IS 'internal: the key of the row with the largest of numbers; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';

CREATE FUNCTION sparseeinsum_internal.einsum_argmin_transfn(internal, tensor, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmin_row' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_argmin_transfn(internal, tensor, bigint, bigint, float8) IS 'internal: transition of einsum_argmin over tensors';

CREATE AGGREGATE sparseeinsum_internal.einsum_argmin(value tensor, key bigint, bound bigint, fill float8) (
	SFUNC = sparseeinsum_internal.einsum_argmin_transfn,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.einsum_argmax_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_argmin(tensor, bigint, bigint, float8) IS 'internal: the key of the row with the smallest of tensors, of each element; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';

CREATE FUNCTION sparseeinsum_internal.einsum_argmin_transfn(internal, float8, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmin_number' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_argmin_transfn(internal, float8, bigint, bigint, float8) IS 'internal: transition of einsum_argmin over numbers';

CREATE AGGREGATE sparseeinsum_internal.einsum_argmin(value float8, key bigint, bound bigint, fill float8) (
	SFUNC = sparseeinsum_internal.einsum_argmin_transfn,
	STYPE = internal,
	SSPACE = 192,
	FINALFUNC = sparseeinsum_internal.einsum_argmax_number_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_argmin(float8, bigint, bigint, float8) IS 'internal: the key of the row with the smallest of numbers; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';
