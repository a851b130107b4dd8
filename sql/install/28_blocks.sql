-- Values that are put together from blocks.

CREATE FUNCTION stack_blocks_transfn(tensor_state, tensor, float8, int4, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_blocks_transfn(tensor_state, tensor, float8, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over tensors';

CREATE FUNCTION stack_blocks_transfn(tensor_state, float8, float8, int4, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_blocks_transfn(tensor_state, float8, float8, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over numbers';

CREATE FUNCTION stack_blocks_transfn(tensor_state, tensor, tensor, int4, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_blocks_transfn(tensor_state, tensor, tensor, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over tensors, with a fill of any element type';

CREATE FUNCTION einsum_unstack_blocks_tensor(t tensor, dimension int4, block int4, fill tensor) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack_blocks_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_unstack_blocks_tensor(tensor, int4, int4, tensor) IS 'internal: blocks of a dimension of a tensor, without those that are fill everywhere';
