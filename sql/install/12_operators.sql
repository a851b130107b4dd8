-- Operators: element-wise arithmetic, comparison by value, and the operator
-- classes that GROUP BY, DISTINCT, ORDER BY and joins use.

CREATE FUNCTION sparseeinsum_internal.tensor_add(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_add(tensor, tensor) IS 'internal: implementation of operator +';

CREATE OPERATOR @extschema@.+ (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_add, COMMUTATOR = OPERATOR(@extschema@.+));
COMMENT ON OPERATOR + (tensor, tensor) IS 'element-wise sum; a dimension of bound 1 is repeated';

CREATE FUNCTION sparseeinsum_internal.tensor_add(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_add_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_add(tensor, double precision) IS 'internal: implementation of operator +';

CREATE OPERATOR @extschema@.+ (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = sparseeinsum_internal.tensor_add, COMMUTATOR = OPERATOR(@extschema@.+));
COMMENT ON OPERATOR + (tensor, double precision) IS 'sum of every element and a number';

CREATE FUNCTION sparseeinsum_internal.tensor_add(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_add_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_add(double precision, tensor) IS 'internal: implementation of operator +';

CREATE OPERATOR @extschema@.+ (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_add, COMMUTATOR = OPERATOR(@extschema@.+));
COMMENT ON OPERATOR + (double precision, tensor) IS 'sum of a number and every element';

CREATE FUNCTION sparseeinsum_internal.tensor_subtract(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_subtract' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_subtract(tensor, tensor) IS 'internal: implementation of operator -';

CREATE OPERATOR @extschema@.- (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_subtract);
COMMENT ON OPERATOR - (tensor, tensor) IS 'element-wise difference; a dimension of bound 1 is repeated';

CREATE FUNCTION sparseeinsum_internal.tensor_subtract(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_subtract_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_subtract(tensor, double precision) IS 'internal: implementation of operator -';

CREATE OPERATOR @extschema@.- (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = sparseeinsum_internal.tensor_subtract);
COMMENT ON OPERATOR - (tensor, double precision) IS 'difference of every element and a number';

CREATE FUNCTION sparseeinsum_internal.tensor_subtract(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_subtract_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_subtract(double precision, tensor) IS 'internal: implementation of operator -';

CREATE OPERATOR @extschema@.- (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_subtract);
COMMENT ON OPERATOR - (double precision, tensor) IS 'difference of a number and every element';

CREATE FUNCTION sparseeinsum_internal.tensor_multiply(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_multiply' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_multiply(tensor, tensor) IS 'internal: implementation of operator *';

CREATE OPERATOR @extschema@.* (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_multiply, COMMUTATOR = OPERATOR(@extschema@.*));
COMMENT ON OPERATOR * (tensor, tensor) IS 'element-wise product; a dimension of bound 1 is repeated';

CREATE FUNCTION sparseeinsum_internal.tensor_multiply(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_multiply_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_multiply(tensor, double precision) IS 'internal: implementation of operator *';

CREATE OPERATOR @extschema@.* (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = sparseeinsum_internal.tensor_multiply, COMMUTATOR = OPERATOR(@extschema@.*));
COMMENT ON OPERATOR * (tensor, double precision) IS 'product of every element and a number';

CREATE FUNCTION sparseeinsum_internal.tensor_multiply(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_multiply_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_multiply(double precision, tensor) IS 'internal: implementation of operator *';

CREATE OPERATOR @extschema@.* (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_multiply, COMMUTATOR = OPERATOR(@extschema@.*));
COMMENT ON OPERATOR * (double precision, tensor) IS 'product of a number and every element';

CREATE FUNCTION sparseeinsum_internal.tensor_divide(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_divide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_divide(tensor, tensor) IS 'internal: implementation of operator /';

CREATE OPERATOR @extschema@./ (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_divide);
COMMENT ON OPERATOR / (tensor, tensor) IS 'element-wise quotient; a dimension of bound 1 is repeated';

CREATE FUNCTION sparseeinsum_internal.tensor_divide(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_divide_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_divide(tensor, double precision) IS 'internal: implementation of operator /';

CREATE OPERATOR @extschema@./ (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = sparseeinsum_internal.tensor_divide);
COMMENT ON OPERATOR / (tensor, double precision) IS 'quotient of every element and a number';

CREATE FUNCTION sparseeinsum_internal.tensor_divide(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_divide_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_divide(double precision, tensor) IS 'internal: implementation of operator /';

CREATE OPERATOR @extschema@./ (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_divide);
COMMENT ON OPERATOR / (double precision, tensor) IS 'quotient of a number and every element';

CREATE FUNCTION tensor_negate(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_negate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT sparseeinsum_internal.einsum_kernel_support;
COMMENT ON FUNCTION tensor_negate(tensor) IS 'every element with the other sign';

CREATE OPERATOR @extschema@.- (RIGHTARG = tensor, FUNCTION = tensor_negate);
COMMENT ON OPERATOR - (NONE, tensor) IS 'every element with the other sign';

CREATE FUNCTION sparseeinsum_internal.tensor_eq(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_eq(tensor, tensor) IS 'internal: implementation of operator =';

CREATE FUNCTION sparseeinsum_internal.tensor_ne(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_ne(tensor, tensor) IS 'internal: implementation of operator <>';

CREATE FUNCTION sparseeinsum_internal.tensor_lt(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_lt(tensor, tensor) IS 'internal: implementation of operator <';

CREATE FUNCTION sparseeinsum_internal.tensor_le(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_le(tensor, tensor) IS 'internal: implementation of operator <=';

CREATE FUNCTION sparseeinsum_internal.tensor_gt(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_gt(tensor, tensor) IS 'internal: implementation of operator >';

CREATE FUNCTION sparseeinsum_internal.tensor_ge(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_ge(tensor, tensor) IS 'internal: implementation of operator >=';

CREATE OPERATOR @extschema@.= (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_eq,
	COMMUTATOR = OPERATOR(@extschema@.=), NEGATOR = OPERATOR(@extschema@.<>), RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR = (tensor, tensor) IS 'equal shapes and elements, by value across element types';

CREATE OPERATOR @extschema@.<> (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_ne,
	COMMUTATOR = OPERATOR(@extschema@.<>), NEGATOR = OPERATOR(@extschema@.=), RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
COMMENT ON OPERATOR <> (tensor, tensor) IS 'another shape or other elements';

CREATE OPERATOR @extschema@.< (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_lt,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=), RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR < (tensor, tensor) IS 'smaller by rank, then bounds, then elements';

CREATE OPERATOR @extschema@.<= (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_le,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>), RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR <= (tensor, tensor) IS 'smaller or equal by rank, then bounds, then elements';

CREATE OPERATOR @extschema@.> (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_gt,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=), RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR > (tensor, tensor) IS 'larger by rank, then bounds, then elements';

CREATE OPERATOR @extschema@.>= (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = sparseeinsum_internal.tensor_ge,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<), RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR >= (tensor, tensor) IS 'larger or equal by rank, then bounds, then elements';

CREATE FUNCTION sparseeinsum_internal.tensor_cmp(tensor, tensor) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_cmp(tensor, tensor) IS 'internal: the order of the btree operator class';

CREATE FUNCTION sparseeinsum_internal.tensor_hash(tensor) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_hash(tensor) IS 'internal: hash by value';

CREATE FUNCTION sparseeinsum_internal.tensor_hash_extended(tensor, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_hash_extended(tensor, bigint) IS 'internal: hash by value, with a seed';

CREATE OPERATOR CLASS tensor_btree_ops DEFAULT FOR TYPE tensor USING btree AS
	OPERATOR 1 @extschema@.<,
	OPERATOR 2 @extschema@.<=,
	OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.>=,
	OPERATOR 5 @extschema@.>,
	FUNCTION 1 sparseeinsum_internal.tensor_cmp(tensor, tensor);
COMMENT ON OPERATOR CLASS tensor_btree_ops USING btree IS 'order by rank, then bounds, then elements; NaN is largest and equals itself';
COMMENT ON OPERATOR FAMILY tensor_btree_ops USING btree IS 'order by rank, then bounds, then elements; NaN is largest and equals itself';

CREATE OPERATOR CLASS tensor_hash_ops DEFAULT FOR TYPE tensor USING hash AS
	OPERATOR 1 @extschema@.=,
	FUNCTION 1 sparseeinsum_internal.tensor_hash(tensor),
	FUNCTION 2 sparseeinsum_internal.tensor_hash_extended(tensor, bigint);
COMMENT ON OPERATOR CLASS tensor_hash_ops USING hash IS 'equality by value; NaN equals itself';
COMMENT ON OPERATOR FAMILY tensor_hash_ops USING hash IS 'equality by value; NaN equals itself';
