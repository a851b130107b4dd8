-- Helps for generated SQL on values of other element types than float8.

CREATE FUNCTION sparseeinsum_internal.einsum_full_tensor(shape integer[], value tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_full_tensor' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_full_tensor(integer[], tensor) IS 'internal: tensor of a shape whose elements are one number, given as a tensor of rank 0';

CREATE FUNCTION sparseeinsum_internal.einsum_unstack_tensor(t tensor, dimension int4, fill tensor) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_unstack_tensor(tensor, int4, tensor) IS 'internal: slices of a tensor along a dimension, without those that are fill everywhere';

CREATE FUNCTION sparseeinsum_internal.einsum_stack_transfn(sparseeinsum_internal.tensor_state, tensor, int8, int4, int8, tensor) RETURNS sparseeinsum_internal.tensor_state
	AS 'MODULE_PATHNAME', 'stack_tensor_fill_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_stack_transfn(sparseeinsum_internal.tensor_state, tensor, int8, int4, int8, tensor) IS 'internal: transition of einsum_stack with a fill of any element type';

CREATE AGGREGATE sparseeinsum_internal.einsum_stack(value tensor, pos int8, dimension int4, bound int8, fill tensor) (
	SFUNC = sparseeinsum_internal.einsum_stack_transfn,
	STYPE = sparseeinsum_internal.tensor_state,
	SSPACE = 8192,
	FINALFUNC = sparseeinsum_internal.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = sparseeinsum_internal.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_stack(value tensor, pos int8, dimension int4, bound int8, fill tensor) IS 'internal: tensors at their positions along a new dimension of that bound; at other positions a fill of any element type';
