-- Distances: the operators of pgvector, with its meaning, for tensors of any shape.

CREATE FUNCTION tensor_l2_distance(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_l2_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_l2_distance(tensor, tensor) IS 'Euclidean distance: the root of the sum of squares of differences';

CREATE OPERATOR @extschema@.<-> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_l2_distance, COMMUTATOR = OPERATOR(@extschema@.<->));
COMMENT ON OPERATOR <-> (tensor, tensor) IS 'Euclidean distance: the root of the sum of squares of differences';

CREATE FUNCTION tensor_cosine_distance(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_cosine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_cosine_distance(tensor, tensor) IS 'cosine distance: 1 less the cosine of the angle; NaN for a tensor of zeros';

CREATE OPERATOR @extschema@.<=> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_cosine_distance, COMMUTATOR = OPERATOR(@extschema@.<=>));
COMMENT ON OPERATOR <=> (tensor, tensor) IS 'cosine distance: 1 less the cosine of the angle; NaN for a tensor of zeros';

CREATE FUNCTION tensor_negative_inner_product(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_negative_inner_product' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_negative_inner_product(tensor, tensor) IS 'inner product with the other sign';

CREATE OPERATOR @extschema@.<#> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_negative_inner_product, COMMUTATOR = OPERATOR(@extschema@.<#>));
COMMENT ON OPERATOR <#> (tensor, tensor) IS 'inner product with the other sign';

CREATE FUNCTION tensor_l1_distance(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_l1_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_l1_distance(tensor, tensor) IS 'L1 distance: the sum of absolute differences';

CREATE OPERATOR @extschema@.<+> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_l1_distance, COMMUTATOR = OPERATOR(@extschema@.<+>));
COMMENT ON OPERATOR <+> (tensor, tensor) IS 'L1 distance: the sum of absolute differences';
