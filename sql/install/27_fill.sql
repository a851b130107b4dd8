-- stack with an entry other than 0 where there is no value.

CREATE FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, tensor, int8, int4, int8, float8) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, tensor, int8, int4, int8, float8) IS 'internal: transition of stack over tensors with a fill';

CREATE FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, float8, int8, int4, int8, float8) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, float8, int8, int4, int8, float8) IS 'internal: transition of stack over numbers with a fill';

CREATE AGGREGATE @extschema@.stack(value tensor, pos int8, dimension int4, bound int8, fill float8) (
	SFUNC = sparseeinsum_internal.stack_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value tensor, pos int8, dimension int4, bound int8, fill float8) IS 'tensors at their positions along a new dimension of that bound; fill at other positions';

CREATE AGGREGATE @extschema@.stack(value float8, pos int8, dimension int4, bound int8, fill float8) (
	SFUNC = sparseeinsum_internal.stack_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value float8, pos int8, dimension int4, bound int8, fill float8) IS 'numbers at their positions along a new dimension of that bound; fill at other positions';

-- The product of a pointwise expression, for prod in programs.

CREATE FUNCTION sparseeinsum_internal.tensor_map_prod_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_prod_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_prod_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_prod';

CREATE AGGREGATE @extschema@.tensor_map_prod(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_prod_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_prod_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_prod(expression text, equation text, VARIADIC operands "any") IS 'product over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION sparseeinsum_internal.tensor_map_prod_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_prod_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_prod_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_prod_scalar';

CREATE AGGREGATE @extschema@.tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_prod_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_prod_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_prod for results of rank 0, as float8';
