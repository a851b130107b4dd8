-- Helps for generated SQL on values of other element types than float8.

CREATE FUNCTION einsum_full_tensor(shape integer[], value tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_full_tensor' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_full_tensor(integer[], tensor) IS 'internal: tensor of a shape whose elements are one number, given as a tensor of rank 0';

CREATE FUNCTION einsum_unstack_tensor(t tensor, dimension int4, fill tensor) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_unstack_tensor(tensor, int4, tensor) IS 'internal: slices of a tensor along a dimension, without those that are fill everywhere';

CREATE FUNCTION einsum_stack_transfn(tensor_state, tensor, int8, int4, int8, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_tensor_fill_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_stack_transfn(tensor_state, tensor, int8, int4, int8, tensor) IS 'internal: transition of einsum_stack with a fill of any element type';

CREATE AGGREGATE @extschema@.einsum_stack(value tensor, pos int8, dimension int4, bound int8, fill tensor) (
	SFUNC = einsum_stack_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_stack(value tensor, pos int8, dimension int4, bound int8, fill tensor) IS 'internal: tensors at their positions along a new dimension of that bound; where there is none a fill of any element type';
