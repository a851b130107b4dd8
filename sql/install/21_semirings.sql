-- Products and logic of rows, and the kernels folded otherwise than by sums.

-- tensor_prod

CREATE FUNCTION sparseeinsum_internal.tensor_prod_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_prod_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_prod_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_prod over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_prod_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_prod_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_prod_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of products';

CREATE FUNCTION sparseeinsum_internal.tensor_prod_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_prod_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_prod_transfn(float8, float8) IS 'internal: transition of tensor_prod over numbers';

CREATE AGGREGATE @extschema@.tensor_prod(tensor) (
	SFUNC = sparseeinsum_internal.tensor_prod_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_prod_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_prod(tensor) IS 'element-wise product of tensors of one shape';

CREATE AGGREGATE @extschema@.tensor_prod(float8) (
	SFUNC = sparseeinsum_internal.tensor_prod_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_prod_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_prod(float8) IS 'product in IEEE arithmetic: overflow is infinity, not an error';

-- tensor_any

CREATE FUNCTION sparseeinsum_internal.tensor_any_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_any_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_any_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_any over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_any_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_any_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_any_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of disjunctions';

CREATE FUNCTION sparseeinsum_internal.tensor_any_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_any_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_any_transfn(float8, float8) IS 'internal: transition of tensor_any over numbers';

CREATE AGGREGATE @extschema@.tensor_any(tensor) (
	SFUNC = sparseeinsum_internal.tensor_any_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_any_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_any(tensor) IS 'element-wise 1 where a tensor is not 0, else 0; NaN is not 0';

CREATE AGGREGATE @extschema@.tensor_any(float8) (
	SFUNC = sparseeinsum_internal.tensor_any_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_any_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_any(float8) IS '1 if a value is not 0, else 0; NaN is not 0';

-- tensor_all

CREATE FUNCTION sparseeinsum_internal.tensor_all_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_all_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_all_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_all over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_all_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_all_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_all_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of conjunctions';

CREATE FUNCTION sparseeinsum_internal.tensor_all_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_all_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_all_transfn(float8, float8) IS 'internal: transition of tensor_all over numbers';

CREATE AGGREGATE @extschema@.tensor_all(tensor) (
	SFUNC = sparseeinsum_internal.tensor_all_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_all_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_all(tensor) IS 'element-wise 1 where no tensor is 0, else 0';

CREATE AGGREGATE @extschema@.tensor_all(float8) (
	SFUNC = sparseeinsum_internal.tensor_all_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_all_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_all(float8) IS '1 if no value is 0, else 0';

-- einsum_min, einsum_max, einsum_any, einsum_all

CREATE FUNCTION sparseeinsum_internal.einsum_min_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'einsum_min_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_min_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_min';

CREATE AGGREGATE @extschema@.einsum_min(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_min_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_min(equation text, VARIADIC operands "any") IS 'minimum over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION sparseeinsum_internal.einsum_min_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_min_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_min_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_min_scalar';

CREATE AGGREGATE sparseeinsum_internal.einsum_min_scalar(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_min_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_min_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_min for results of rank 0, as float8';

CREATE FUNCTION sparseeinsum_internal.einsum_max_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'einsum_max_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_max_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_max';

CREATE AGGREGATE @extschema@.einsum_max(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_max_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_max(equation text, VARIADIC operands "any") IS 'maximum over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION sparseeinsum_internal.einsum_max_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_max_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_max_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_max_scalar';

CREATE AGGREGATE sparseeinsum_internal.einsum_max_scalar(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_max_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_max_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_max for results of rank 0, as float8';

CREATE FUNCTION sparseeinsum_internal.einsum_any_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'einsum_any_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_any_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_any';

CREATE AGGREGATE @extschema@.einsum_any(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_any_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_any_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_any(equation text, VARIADIC operands "any") IS '1 if one is not 0, else 0, over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION sparseeinsum_internal.einsum_any_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_any_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_any_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_any_scalar';

CREATE AGGREGATE sparseeinsum_internal.einsum_any_scalar(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_any_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_any_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_any_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_any for results of rank 0, as float8';

CREATE FUNCTION sparseeinsum_internal.einsum_all_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'einsum_all_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_all_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_all';

CREATE AGGREGATE @extschema@.einsum_all(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_all_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_all_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_all(equation text, VARIADIC operands "any") IS '1 if none is 0, else 0, over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION sparseeinsum_internal.einsum_all_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_all_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_all_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_all_scalar';

CREATE AGGREGATE sparseeinsum_internal.einsum_all_scalar(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_all_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_all_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_all_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_all for results of rank 0, as float8';
