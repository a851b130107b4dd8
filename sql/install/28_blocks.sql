-- Values that are put together from blocks.

CREATE FUNCTION sparseeinsum_internal.stack_blocks_transfn(sparseeinsum_internal.tensor_state, tensor, float8, int4, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_blocks_transfn(sparseeinsum_internal.tensor_state, tensor, float8, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over tensors';

CREATE FUNCTION sparseeinsum_internal.stack_blocks_transfn(sparseeinsum_internal.tensor_state, float8, float8, int4, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_blocks_transfn(sparseeinsum_internal.tensor_state, float8, float8, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over numbers';

CREATE FUNCTION sparseeinsum_internal.stack_blocks_transfn(sparseeinsum_internal.tensor_state, tensor, tensor, int4, VARIADIC "any") RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_blocks_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.stack_blocks_transfn(sparseeinsum_internal.tensor_state, tensor, tensor, int4, VARIADIC "any") IS 'internal: transition of einsum_stack_blocks over tensors, with a fill of any element type';

CREATE FUNCTION sparseeinsum_internal.einsum_unstack_blocks_tensor(t tensor, dimension int4, block int4, fill tensor) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack_blocks_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_unstack_blocks_tensor(tensor, int4, int4, tensor) IS 'internal: blocks of a dimension of a tensor, without those that are fill everywhere';
