-- Values that are put together from blocks.

CREATE FUNCTION stack_blocks_transfn(tensor_state, tensor, float8, int4, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_blocks_transfn(tensor_state, tensor, float8, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over tensors';

CREATE FUNCTION stack_blocks_transfn(tensor_state, float8, float8, int4, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_blocks_transfn(tensor_state, float8, float8, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over numbers';

CREATE AGGREGATE @extschema@.einsum_stack_blocks(value tensor, fill float8, added int4, VARIADIC places "any") (
	SFUNC = stack_blocks_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_stack_blocks(value tensor, fill float8, added int4, VARIADIC places "any") IS 'internal: tensors at their places in a larger one, as a vector; places are an offset and an extent for each dimension, of which the value lacks those added';

CREATE AGGREGATE @extschema@.einsum_stack_blocks(value float8, fill float8, added int4, VARIADIC places "any") (
	SFUNC = stack_blocks_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_stack_blocks(value float8, fill float8, added int4, VARIADIC places "any") IS 'internal: numbers at their places in a tensor, as a vector; places are an offset and an extent for each dimension';

CREATE FUNCTION stack_blocks_transfn(tensor_state, tensor, tensor, int4, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_blocks_transfn(tensor_state, tensor, tensor, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over tensors, with a fill of any element type';

CREATE AGGREGATE @extschema@.einsum_stack_blocks(value tensor, fill tensor, added int4, VARIADIC places "any") (
	SFUNC = stack_blocks_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_stack_blocks(value tensor, fill tensor, added int4, VARIADIC places "any") IS 'internal: einsum_stack_blocks with a fill of any element type';

CREATE FUNCTION einsum_unstack_blocks_tensor(t tensor, dimension int4, block int4, fill tensor) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack_blocks_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_unstack_blocks_tensor(tensor, int4, int4, tensor) IS 'internal: blocks of a dimension of a tensor, without those that are fill everywhere';
