-- Aggregates over tensors and their state.
--
-- A transition costs what its kernel costs (see the kernels); a final function
-- copies the state. SSPACE is what the planner charges for a group's state: a
-- vector of about a hundred elements, and more for what is stacked. Sums keep
-- wide values as references for as long as a group is small: half of that is
-- between their states and those of narrow values.

CREATE TYPE sparseeinsum_internal.tensor_state;

CREATE FUNCTION sparseeinsum_internal.tensor_state_in(cstring) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_state_in(cstring) IS 'internal: text input of tensor_state';

CREATE FUNCTION sparseeinsum_internal.tensor_state_out(sparseeinsum_internal.tensor_state) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_state_out(sparseeinsum_internal.tensor_state) IS 'internal: text output of tensor_state';

CREATE FUNCTION sparseeinsum_internal.tensor_state_recv(internal) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_state_recv(internal) IS 'internal: binary input of tensor_state';

CREATE FUNCTION sparseeinsum_internal.tensor_state_send(sparseeinsum_internal.tensor_state) RETURNS bytea
	AS 'MODULE_PATHNAME', 'tensor_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_state_send(sparseeinsum_internal.tensor_state) IS 'internal: binary output of tensor_state';

-- Plain storage keeps the state's alignment when it passes through tuples.
CREATE TYPE sparseeinsum_internal.tensor_state (
	INPUT = sparseeinsum_internal.tensor_state_in,
	OUTPUT = sparseeinsum_internal.tensor_state_out,
	RECEIVE = sparseeinsum_internal.tensor_state_recv,
	SEND = sparseeinsum_internal.tensor_state_send,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE sparseeinsum_internal.tensor_state IS 'internal: state of the aggregates over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_fold_finalfn(sparseeinsum_internal.tensor_state) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_fold_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_fold_finalfn(sparseeinsum_internal.tensor_state) IS 'internal: result of the aggregates that sum tensors or keep the extremes';

-- tensor_sum

CREATE FUNCTION sparseeinsum_internal.tensor_sum_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_sum_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_sum_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_sum over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_sum_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_sum_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_sum_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of sums';

CREATE FUNCTION sparseeinsum_internal.tensor_sum_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_sum_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_sum_transfn(float8, float8) IS 'internal: transition of tensor_sum over numbers';

CREATE AGGREGATE @extschema@.tensor_sum(tensor) (
	SFUNC = sparseeinsum_internal.tensor_sum_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 512,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_sum(tensor) IS 'element-wise sum of tensors of one shape';

CREATE AGGREGATE @extschema@.tensor_sum(float8) (
	SFUNC = sparseeinsum_internal.tensor_sum_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_sum(float8) IS 'sum in IEEE arithmetic: overflow is infinity, not an error';

CREATE AGGREGATE @extschema@.sum(tensor) (
	SFUNC = sparseeinsum_internal.tensor_sum_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 512,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(tensor) IS 'tensor_sum under its usual name';

-- tensor_min

CREATE FUNCTION sparseeinsum_internal.tensor_min_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_min_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_min_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_min over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_min_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_min_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_min_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of minima';

CREATE FUNCTION sparseeinsum_internal.tensor_min_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_min_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_min_transfn(float8, float8) IS 'internal: transition of tensor_min over numbers';

CREATE AGGREGATE @extschema@.tensor_min(tensor) (
	SFUNC = sparseeinsum_internal.tensor_min_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_min(tensor) IS 'element-wise minimum of tensors of one shape, NaN where one is';

CREATE AGGREGATE @extschema@.tensor_min(float8) (
	SFUNC = sparseeinsum_internal.tensor_min_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_min(float8) IS 'minimum, NaN if a value is NaN';

CREATE AGGREGATE @extschema@.min(tensor) (
	SFUNC = sparseeinsum_internal.tensor_min_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(tensor) IS 'tensor_min under its usual name';

-- tensor_max

CREATE FUNCTION sparseeinsum_internal.tensor_max_transfn(sparseeinsum_internal.tensor_state, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_max_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_max_transfn(sparseeinsum_internal.tensor_state, tensor) IS 'internal: transition of tensor_max over tensors';

CREATE FUNCTION sparseeinsum_internal.tensor_max_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_max_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_max_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two states of maxima';

CREATE FUNCTION sparseeinsum_internal.tensor_max_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_max_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_max_transfn(float8, float8) IS 'internal: transition of tensor_max over numbers';

CREATE AGGREGATE @extschema@.tensor_max(tensor) (
	SFUNC = sparseeinsum_internal.tensor_max_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_max(tensor) IS 'element-wise maximum of tensors of one shape, NaN where one is';

CREATE AGGREGATE @extschema@.tensor_max(float8) (
	SFUNC = sparseeinsum_internal.tensor_max_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_max(float8) IS 'maximum, NaN if a value is NaN';

CREATE AGGREGATE @extschema@.max(tensor) (
	SFUNC = sparseeinsum_internal.tensor_max_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(tensor) IS 'tensor_max under its usual name';

-- Kernel and aggregate in one: no tensor is built for a row.

CREATE FUNCTION sparseeinsum_internal.einsum_sum_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'einsum_sum_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_sum_transfn(sparseeinsum_internal.tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_sum';

CREATE AGGREGATE @extschema@.einsum_sum(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_sum_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 512,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_sum(equation text, VARIADIC operands "any") IS 'sum over the rows of einsum(equation, ...)';

CREATE FUNCTION sparseeinsum_internal.einsum_sum_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_sum_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_sum_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_sum_scalar';

CREATE AGGREGATE @extschema@.einsum_sum_scalar(equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.einsum_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_sum_scalar(equation text, VARIADIC operands "any") IS 'einsum_sum for results of rank 0, as float8';

CREATE FUNCTION sparseeinsum_internal.tensor_map_sum_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_sum_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_sum_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_sum';

CREATE AGGREGATE @extschema@.tensor_map_sum(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_sum_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_sum(expression text, equation text, VARIADIC operands "any") IS 'sum over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION sparseeinsum_internal.tensor_map_sum_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_sum_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_sum_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_sum_scalar';

CREATE AGGREGATE @extschema@.tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_sum for results of rank 0, as float8';

CREATE FUNCTION sparseeinsum_internal.tensor_map_min_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_min_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_min_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_min';

CREATE AGGREGATE @extschema@.tensor_map_min(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_min_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_min(expression text, equation text, VARIADIC operands "any") IS 'minimum over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION sparseeinsum_internal.tensor_map_min_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_min_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_min_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_min_scalar';

CREATE AGGREGATE @extschema@.tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_min_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_min for results of rank 0, as float8';

CREATE FUNCTION sparseeinsum_internal.tensor_map_max_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_max_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_max_transfn(sparseeinsum_internal.tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_max';

CREATE AGGREGATE @extschema@.tensor_map_max(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_max_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 1024,
	FINALFUNC = sparseeinsum_internal.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_max(expression text, equation text, VARIADIC operands "any") IS 'maximum over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION sparseeinsum_internal.tensor_map_max_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_max_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_max_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_max_scalar';

CREATE AGGREGATE @extschema@.tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = sparseeinsum_internal.tensor_map_max_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = sparseeinsum_internal.tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_max for results of rank 0, as float8';

-- stack

CREATE FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, tensor, int8, int4, int8) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, tensor, int8, int4, int8) IS 'internal: transition of stack over tensors';

CREATE FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, float8, int8, int4, int8) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_transfn(sparseeinsum_internal.tensor_state, float8, int8, int4, int8) IS 'internal: transition of stack over numbers';

CREATE FUNCTION sparseeinsum_internal.stack_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_combinefn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_combinefn(sparseeinsum_internal.tensor_state, sparseeinsum_internal.tensor_state) IS 'internal: joins two stacks';

CREATE FUNCTION sparseeinsum_internal.stack_finalfn(sparseeinsum_internal.tensor_state) RETURNS tensor
	AS 'MODULE_PATHNAME', 'stack_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_finalfn(sparseeinsum_internal.tensor_state) IS 'internal: result of stack';

CREATE AGGREGATE @extschema@.stack(value tensor, pos int8, dimension int4, bound int8) (
	SFUNC = sparseeinsum_internal.stack_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value tensor, pos int8, dimension int4, bound int8) IS 'tensors at their positions along a new dimension of that bound; 0 at other positions';

CREATE AGGREGATE @extschema@.stack(value float8, pos int8, dimension int4, bound int8) (
	SFUNC = sparseeinsum_internal.stack_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value float8, pos int8, dimension int4, bound int8) IS 'numbers at their positions along a new dimension of that bound; 0 at other positions';
