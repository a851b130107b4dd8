-- complain if the script is sourced in psql rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION sparseeinsum" to load this file. \quit
-- What the planner asks of the functions over tensors. First, since CREATE
-- FUNCTION names it: in whatever computes with the elements of tensors, and in
-- all functions of the aggregates over them; not in what reads a header,
-- converts or compares, nor in the factorisations, whose cost is another power
-- of the size. It also loads the library before its hooks are needed.

CREATE FUNCTION einsum_kernel_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_kernel_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_kernel_support(internal) IS 'internal: costs of kernels and aggregates, sizes of states, rows of slices';
-- The type itself: text and binary forms, element type and rank as modifiers.

CREATE TYPE @extschema@.tensor;

CREATE FUNCTION tensor_in(cstring, oid, integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_in(cstring, oid, integer) IS 'internal: text input of tensor';

CREATE FUNCTION tensor_out(tensor) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_out(tensor) IS 'internal: text output of tensor';

CREATE FUNCTION tensor_recv(internal, oid, integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_recv(internal, oid, integer) IS 'internal: binary input of tensor';

CREATE FUNCTION tensor_send(tensor) RETURNS bytea
	AS 'MODULE_PATHNAME', 'tensor_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_send(tensor) IS 'internal: binary output of tensor';

CREATE FUNCTION tensor_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_typmod_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_typmod_in(cstring[]) IS 'internal: reads the modifiers of tensor(float8,2)';

CREATE FUNCTION tensor_typmod_out(integer) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_typmod_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_typmod_out(integer) IS 'internal: writes the modifiers of tensor(float8,2)';

CREATE FUNCTION tensor_subscript(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'tensor_subscript' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_subscript(internal) IS 'internal: subscripts t[1][2] of tensor';

CREATE TYPE @extschema@.tensor (
	INPUT = tensor_in,
	OUTPUT = tensor_out,
	RECEIVE = tensor_recv,
	SEND = tensor_send,
	TYPMOD_IN = tensor_typmod_in,
	TYPMOD_OUT = tensor_typmod_out,
	SUBSCRIPT = tensor_subscript,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE tensor IS 'dense array of float4, float8, complex8 or complex16 elements with 0 to 16 dimensions, such as [[1,2],[3,4]]';

CREATE FUNCTION tensor(tensor, integer, boolean) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_enforce_typmod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor(tensor, integer, boolean) IS 'internal: converts to the element type of tensor(float8,2) and checks the rank';

CREATE CAST (tensor AS tensor) WITH FUNCTION tensor(tensor, integer, boolean) AS IMPLICIT;
COMMENT ON CAST (tensor AS tensor) IS 'converts to the element type of tensor(float8,2) and checks the rank';
-- Casts: assignment from, and explicit to, numeric arrays, float8 and jsonb;
-- assignment from the other numbers.
-- None is implicit: an expression never becomes a tensor unasked.

CREATE FUNCTION array_to_tensor(smallint[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION array_to_tensor(smallint[]) IS 'internal: cast of smallint[] to tensor';

CREATE CAST (smallint[] AS tensor) WITH FUNCTION array_to_tensor(smallint[]) AS ASSIGNMENT;
COMMENT ON CAST (smallint[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION tensor_to_int2_array(tensor) RETURNS smallint[]
	AS 'MODULE_PATHNAME', 'tensor_to_int2_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_to_int2_array(tensor) IS 'internal: cast of tensor to smallint[]';

CREATE CAST (tensor AS smallint[]) WITH FUNCTION tensor_to_int2_array(tensor);
COMMENT ON CAST (tensor AS smallint[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION array_to_tensor(integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION array_to_tensor(integer[]) IS 'internal: cast of integer[] to tensor';

CREATE CAST (integer[] AS tensor) WITH FUNCTION array_to_tensor(integer[]) AS ASSIGNMENT;
COMMENT ON CAST (integer[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION tensor_to_int4_array(tensor) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'tensor_to_int4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_to_int4_array(tensor) IS 'internal: cast of tensor to integer[]';

CREATE CAST (tensor AS integer[]) WITH FUNCTION tensor_to_int4_array(tensor);
COMMENT ON CAST (tensor AS integer[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION array_to_tensor(bigint[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION array_to_tensor(bigint[]) IS 'internal: cast of bigint[] to tensor';

CREATE CAST (bigint[] AS tensor) WITH FUNCTION array_to_tensor(bigint[]) AS ASSIGNMENT;
COMMENT ON CAST (bigint[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION tensor_to_int8_array(tensor) RETURNS bigint[]
	AS 'MODULE_PATHNAME', 'tensor_to_int8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_to_int8_array(tensor) IS 'internal: cast of tensor to bigint[]';

CREATE CAST (tensor AS bigint[]) WITH FUNCTION tensor_to_int8_array(tensor);
COMMENT ON CAST (tensor AS bigint[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION array_to_tensor(real[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION array_to_tensor(real[]) IS 'internal: cast of real[] to tensor';

CREATE CAST (real[] AS tensor) WITH FUNCTION array_to_tensor(real[]) AS ASSIGNMENT;
COMMENT ON CAST (real[] AS tensor) IS 'a float4 tensor with the dimensions of the array';

CREATE FUNCTION tensor_to_float4_array(tensor) RETURNS real[]
	AS 'MODULE_PATHNAME', 'tensor_to_float4_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_to_float4_array(tensor) IS 'internal: cast of tensor to real[]';

CREATE CAST (tensor AS real[]) WITH FUNCTION tensor_to_float4_array(tensor);
COMMENT ON CAST (tensor AS real[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION array_to_tensor(double precision[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION array_to_tensor(double precision[]) IS 'internal: cast of double precision[] to tensor';

CREATE CAST (double precision[] AS tensor) WITH FUNCTION array_to_tensor(double precision[]) AS ASSIGNMENT;
COMMENT ON CAST (double precision[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION tensor_to_float8_array(tensor) RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'tensor_to_float8_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_to_float8_array(tensor) IS 'internal: cast of tensor to double precision[]';

CREATE CAST (tensor AS double precision[]) WITH FUNCTION tensor_to_float8_array(tensor);
COMMENT ON CAST (tensor AS double precision[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION array_to_tensor(numeric[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'array_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION array_to_tensor(numeric[]) IS 'internal: cast of numeric[] to tensor';

CREATE CAST (numeric[] AS tensor) WITH FUNCTION array_to_tensor(numeric[]) AS ASSIGNMENT;
COMMENT ON CAST (numeric[] AS tensor) IS 'a float8 tensor with the dimensions of the array';

CREATE FUNCTION tensor_to_numeric_array(tensor) RETURNS numeric[]
	AS 'MODULE_PATHNAME', 'tensor_to_numeric_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_to_numeric_array(tensor) IS 'internal: cast of tensor to numeric[]';

CREATE CAST (tensor AS numeric[]) WITH FUNCTION tensor_to_numeric_array(tensor);
COMMENT ON CAST (tensor AS numeric[]) IS 'an array with the dimensions of the tensor';

CREATE FUNCTION float8_to_tensor(double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float8_to_tensor(double precision) IS 'internal: cast of double precision to tensor';

CREATE CAST (double precision AS tensor) WITH FUNCTION float8_to_tensor(double precision) AS ASSIGNMENT;
COMMENT ON CAST (double precision AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION int2_to_tensor(smallint) RETURNS tensor
	AS 'MODULE_PATHNAME', 'int2_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int2_to_tensor(smallint) IS 'internal: cast of smallint to tensor';

CREATE CAST (smallint AS tensor) WITH FUNCTION int2_to_tensor(smallint) AS ASSIGNMENT;
COMMENT ON CAST (smallint AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION int4_to_tensor(integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'int4_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int4_to_tensor(integer) IS 'internal: cast of integer to tensor';

CREATE CAST (integer AS tensor) WITH FUNCTION int4_to_tensor(integer) AS ASSIGNMENT;
COMMENT ON CAST (integer AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION int8_to_tensor(bigint) RETURNS tensor
	AS 'MODULE_PATHNAME', 'int8_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION int8_to_tensor(bigint) IS 'internal: cast of bigint to tensor';

CREATE CAST (bigint AS tensor) WITH FUNCTION int8_to_tensor(bigint) AS ASSIGNMENT;
COMMENT ON CAST (bigint AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION float4_to_tensor(real) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float4_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION float4_to_tensor(real) IS 'internal: cast of real to tensor';

CREATE CAST (real AS tensor) WITH FUNCTION float4_to_tensor(real) AS ASSIGNMENT;
COMMENT ON CAST (real AS tensor) IS 'a float4 tensor of rank 0';

CREATE FUNCTION numeric_to_tensor(numeric) RETURNS tensor
	AS 'MODULE_PATHNAME', 'numeric_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION numeric_to_tensor(numeric) IS 'internal: cast of numeric to tensor';

CREATE CAST (numeric AS tensor) WITH FUNCTION numeric_to_tensor(numeric) AS ASSIGNMENT;
COMMENT ON CAST (numeric AS tensor) IS 'a tensor of rank 0';

CREATE FUNCTION tensor_to_float8(tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_to_float8(tensor) IS 'internal: cast of tensor to double precision';

CREATE CAST (tensor AS double precision) WITH FUNCTION tensor_to_float8(tensor);
COMMENT ON CAST (tensor AS double precision) IS 'the element of a tensor of rank 0';

CREATE FUNCTION jsonb_to_tensor(jsonb) RETURNS tensor
	AS 'MODULE_PATHNAME', 'jsonb_to_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION jsonb_to_tensor(jsonb) IS 'internal: cast of jsonb to tensor';

CREATE CAST (jsonb AS tensor) WITH FUNCTION jsonb_to_tensor(jsonb) AS ASSIGNMENT;
COMMENT ON CAST (jsonb AS tensor) IS 'a float8 tensor from nested arrays of numbers';

CREATE FUNCTION tensor_to_jsonb(tensor) RETURNS jsonb
	AS 'MODULE_PATHNAME', 'tensor_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tensor_to_jsonb(tensor) IS 'internal: cast of tensor to jsonb';

CREATE CAST (tensor AS jsonb) WITH FUNCTION tensor_to_jsonb(tensor);
COMMENT ON CAST (tensor AS jsonb) IS 'nested arrays of numbers; NaN and infinities as strings';
-- Operators: element-wise arithmetic, comparison by value, and the operator
-- classes that GROUP BY, DISTINCT, ORDER BY and joins use.

CREATE FUNCTION tensor_add(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_add(tensor, tensor) IS 'internal: implementation of operator +';

CREATE OPERATOR @extschema@.+ (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_add, COMMUTATOR = OPERATOR(@extschema@.+));
COMMENT ON OPERATOR + (tensor, tensor) IS 'element-wise sum; a dimension of bound 1 is repeated';

CREATE FUNCTION tensor_add(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_add_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_add(tensor, double precision) IS 'internal: implementation of operator +';

CREATE OPERATOR @extschema@.+ (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = tensor_add, COMMUTATOR = OPERATOR(@extschema@.+));
COMMENT ON OPERATOR + (tensor, double precision) IS 'sum of every element and a number';

CREATE FUNCTION tensor_add(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_add_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_add(double precision, tensor) IS 'internal: implementation of operator +';

CREATE OPERATOR @extschema@.+ (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = tensor_add, COMMUTATOR = OPERATOR(@extschema@.+));
COMMENT ON OPERATOR + (double precision, tensor) IS 'sum of a number and every element';

CREATE FUNCTION tensor_subtract(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_subtract' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_subtract(tensor, tensor) IS 'internal: implementation of operator -';

CREATE OPERATOR @extschema@.- (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_subtract);
COMMENT ON OPERATOR - (tensor, tensor) IS 'element-wise difference; a dimension of bound 1 is repeated';

CREATE FUNCTION tensor_subtract(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_subtract_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_subtract(tensor, double precision) IS 'internal: implementation of operator -';

CREATE OPERATOR @extschema@.- (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = tensor_subtract);
COMMENT ON OPERATOR - (tensor, double precision) IS 'difference of every element and a number';

CREATE FUNCTION tensor_subtract(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_subtract_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_subtract(double precision, tensor) IS 'internal: implementation of operator -';

CREATE OPERATOR @extschema@.- (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = tensor_subtract);
COMMENT ON OPERATOR - (double precision, tensor) IS 'difference of a number and every element';

CREATE FUNCTION tensor_multiply(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_multiply' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_multiply(tensor, tensor) IS 'internal: implementation of operator *';

CREATE OPERATOR @extschema@.* (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_multiply, COMMUTATOR = OPERATOR(@extschema@.*));
COMMENT ON OPERATOR * (tensor, tensor) IS 'element-wise product; a dimension of bound 1 is repeated';

CREATE FUNCTION tensor_multiply(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_multiply_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_multiply(tensor, double precision) IS 'internal: implementation of operator *';

CREATE OPERATOR @extschema@.* (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = tensor_multiply, COMMUTATOR = OPERATOR(@extschema@.*));
COMMENT ON OPERATOR * (tensor, double precision) IS 'product of every element and a number';

CREATE FUNCTION tensor_multiply(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_multiply_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_multiply(double precision, tensor) IS 'internal: implementation of operator *';

CREATE OPERATOR @extschema@.* (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = tensor_multiply, COMMUTATOR = OPERATOR(@extschema@.*));
COMMENT ON OPERATOR * (double precision, tensor) IS 'product of a number and every element';

CREATE FUNCTION tensor_divide(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_divide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_divide(tensor, tensor) IS 'internal: implementation of operator /';

CREATE OPERATOR @extschema@./ (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_divide);
COMMENT ON OPERATOR / (tensor, tensor) IS 'element-wise quotient; a dimension of bound 1 is repeated';

CREATE FUNCTION tensor_divide(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_divide_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_divide(tensor, double precision) IS 'internal: implementation of operator /';

CREATE OPERATOR @extschema@./ (LEFTARG = tensor, RIGHTARG = double precision, FUNCTION = tensor_divide);
COMMENT ON OPERATOR / (tensor, double precision) IS 'quotient of every element and a number';

CREATE FUNCTION tensor_divide(double precision, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'float8_divide_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_divide(double precision, tensor) IS 'internal: implementation of operator /';

CREATE OPERATOR @extschema@./ (LEFTARG = double precision, RIGHTARG = tensor, FUNCTION = tensor_divide);
COMMENT ON OPERATOR / (double precision, tensor) IS 'quotient of a number and every element';

CREATE FUNCTION tensor_negate(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_negate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_negate(tensor) IS 'every element with the other sign';

CREATE OPERATOR @extschema@.- (RIGHTARG = tensor, FUNCTION = tensor_negate);
COMMENT ON OPERATOR - (NONE, tensor) IS 'every element with the other sign';

CREATE FUNCTION tensor_eq(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_eq(tensor, tensor) IS 'internal: implementation of operator =';

CREATE FUNCTION tensor_ne(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_ne(tensor, tensor) IS 'internal: implementation of operator <>';

CREATE FUNCTION tensor_lt(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_lt(tensor, tensor) IS 'internal: implementation of operator <';

CREATE FUNCTION tensor_le(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_le(tensor, tensor) IS 'internal: implementation of operator <=';

CREATE FUNCTION tensor_gt(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_gt(tensor, tensor) IS 'internal: implementation of operator >';

CREATE FUNCTION tensor_ge(tensor, tensor) RETURNS boolean
	AS 'MODULE_PATHNAME', 'tensor_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_ge(tensor, tensor) IS 'internal: implementation of operator >=';

CREATE OPERATOR @extschema@.= (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_eq,
	COMMUTATOR = OPERATOR(@extschema@.=), NEGATOR = OPERATOR(@extschema@.<>), RESTRICT = pg_catalog.eqsel, JOIN = pg_catalog.eqjoinsel,
	HASHES, MERGES
);
COMMENT ON OPERATOR = (tensor, tensor) IS 'equal shapes and elements, by value across element types';

CREATE OPERATOR @extschema@.<> (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_ne,
	COMMUTATOR = OPERATOR(@extschema@.<>), NEGATOR = OPERATOR(@extschema@.=), RESTRICT = pg_catalog.neqsel, JOIN = pg_catalog.neqjoinsel
);
COMMENT ON OPERATOR <> (tensor, tensor) IS 'another shape or other elements';

CREATE OPERATOR @extschema@.< (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_lt,
	COMMUTATOR = OPERATOR(@extschema@.>), NEGATOR = OPERATOR(@extschema@.>=), RESTRICT = pg_catalog.scalarltsel, JOIN = pg_catalog.scalarltjoinsel
);
COMMENT ON OPERATOR < (tensor, tensor) IS 'smaller by rank, then bounds, then elements';

CREATE OPERATOR @extschema@.<= (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_le,
	COMMUTATOR = OPERATOR(@extschema@.>=), NEGATOR = OPERATOR(@extschema@.>), RESTRICT = pg_catalog.scalarlesel, JOIN = pg_catalog.scalarlejoinsel
);
COMMENT ON OPERATOR <= (tensor, tensor) IS 'smaller or equal by rank, then bounds, then elements';

CREATE OPERATOR @extschema@.> (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_gt,
	COMMUTATOR = OPERATOR(@extschema@.<), NEGATOR = OPERATOR(@extschema@.<=), RESTRICT = pg_catalog.scalargtsel, JOIN = pg_catalog.scalargtjoinsel
);
COMMENT ON OPERATOR > (tensor, tensor) IS 'larger by rank, then bounds, then elements';

CREATE OPERATOR @extschema@.>= (
	LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_ge,
	COMMUTATOR = OPERATOR(@extschema@.<=), NEGATOR = OPERATOR(@extschema@.<), RESTRICT = pg_catalog.scalargesel, JOIN = pg_catalog.scalargejoinsel
);
COMMENT ON OPERATOR >= (tensor, tensor) IS 'larger or equal by rank, then bounds, then elements';

CREATE FUNCTION tensor_cmp(tensor, tensor) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_cmp(tensor, tensor) IS 'internal: the order of the btree operator class';

CREATE FUNCTION tensor_hash(tensor) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_hash(tensor) IS 'internal: hash by value';

CREATE FUNCTION tensor_hash_extended(tensor, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_hash_extended(tensor, bigint) IS 'internal: hash by value, with a seed';

CREATE OPERATOR CLASS tensor_btree_ops DEFAULT FOR TYPE tensor USING btree AS
	OPERATOR 1 @extschema@.<,
	OPERATOR 2 @extschema@.<=,
	OPERATOR 3 @extschema@.=,
	OPERATOR 4 @extschema@.>=,
	OPERATOR 5 @extschema@.>,
	FUNCTION 1 tensor_cmp(tensor, tensor);
COMMENT ON OPERATOR CLASS tensor_btree_ops USING btree IS 'order by rank, then bounds, then elements; NaN is largest and equals itself';
COMMENT ON OPERATOR FAMILY tensor_btree_ops USING btree IS 'order by rank, then bounds, then elements; NaN is largest and equals itself';

CREATE OPERATOR CLASS tensor_hash_ops DEFAULT FOR TYPE tensor USING hash AS
	OPERATOR 1 @extschema@.=,
	FUNCTION 1 tensor_hash(tensor),
	FUNCTION 2 tensor_hash_extended(tensor, bigint);
COMMENT ON OPERATOR CLASS tensor_hash_ops USING hash IS 'equality by value; NaN equals itself';
COMMENT ON OPERATOR FAMILY tensor_hash_ops USING hash IS 'equality by value; NaN equals itself';
-- Functions of tensors: what they are, making them, rearranging them, and
-- element-wise functions.

CREATE FUNCTION tensor_shape(tensor) RETURNS integer[]
	AS 'MODULE_PATHNAME', 'tensor_shape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_shape(tensor) IS 'bounds of the dimensions';

CREATE FUNCTION tensor_rank(tensor) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_rank' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_rank(tensor) IS 'number of dimensions';

CREATE FUNCTION tensor_type(tensor) RETURNS text
	AS 'MODULE_PATHNAME', 'tensor_type' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_type(tensor) IS 'element type: float4, float8, complex8 or complex16';

CREATE FUNCTION tensor_count_nonzero(tensor) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_count_nonzero' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_count_nonzero(tensor) IS 'number of elements that are not 0';

CREATE FUNCTION tensor_entries(tensor, OUT index integer[], OUT value double precision) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'tensor_entries' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1 ROWS 1000
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_entries(tensor) IS 'a row for every element: its index, counted from 0, and its value';

CREATE FUNCTION tensor_zeros(shape integer[], type text DEFAULT 'float8') RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_zeros' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_zeros(integer[], text) IS 'tensor of a shape and element type whose elements are 0';

CREATE FUNCTION tensor_full(shape integer[], value double precision, type text DEFAULT 'float8') RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_full' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_full(integer[], double precision, text) IS 'tensor of a shape and element type whose elements are one value';

CREATE FUNCTION tensor_eye(n integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_eye' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION tensor_eye(integer) IS 'identity matrix';

CREATE FUNCTION tensor_random(shape integer[], seed bigint) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_random' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20;
COMMENT ON FUNCTION tensor_random(integer[], bigint) IS 'tensor of a shape with elements uniform in [0,1), the same for the same seed';

CREATE FUNCTION tensor_reshape(tensor tensor, shape integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_reshape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_reshape(tensor, integer[]) IS 'the elements in row-major order under another shape; one bound may be -1';

CREATE FUNCTION tensor_permute(tensor tensor, dimensions integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_permute' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_permute(tensor, integer[]) IS 'dimension d of the result is the given dimension, counted from 0';

CREATE FUNCTION tensor_slice(tensor tensor, lower integer[], upper integer[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_slice' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_slice(tensor, integer[], integer[]) IS 'the elements from lower to before upper in every dimension, counted from 0';

CREATE FUNCTION tensor_concat(a tensor, b tensor, dimension integer DEFAULT 0) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_concat' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_concat(tensor, tensor, integer) IS 'b behind a along a dimension, counted from 0';

CREATE FUNCTION tensor_concat(VARIADIC tensors tensor[]) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_concat_array' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tensor_concat(tensor[]) IS 'tensors one behind the other along dimension 0';

CREATE FUNCTION tensor_reduce(kind text, tensor tensor, dimensions integer[] DEFAULT NULL, keep boolean DEFAULT false) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_reduce' LANGUAGE C IMMUTABLE CALLED ON NULL INPUT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_reduce(text, tensor, integer[], boolean) IS 'sum, prod, min, max, mean, any or all along some dimensions, or all; with keep, these stay with bound 1';

CREATE FUNCTION tensor_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_equal(tensor, tensor) IS 'element-wise: 1 where the element equals that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_equal(tensor, double precision) IS 'element-wise: 1 where the element equals the number, 0 elsewhere';

CREATE FUNCTION tensor_not_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_not_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_not_equal(tensor, tensor) IS 'element-wise: 1 where the element is not equal to that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_not_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_not_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_not_equal(tensor, double precision) IS 'element-wise: 1 where the element is not equal to the number, 0 elsewhere';

CREATE FUNCTION tensor_less(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less(tensor, tensor) IS 'element-wise: 1 where the element is less than that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_less(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less(tensor, double precision) IS 'element-wise: 1 where the element is less than the number, 0 elsewhere';

CREATE FUNCTION tensor_less_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less_equal(tensor, tensor) IS 'element-wise: 1 where the element is at most that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_less_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_less_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_less_equal(tensor, double precision) IS 'element-wise: 1 where the element is at most the number, 0 elsewhere';

CREATE FUNCTION tensor_greater(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater(tensor, tensor) IS 'element-wise: 1 where the element is greater than that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_greater(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater(tensor, double precision) IS 'element-wise: 1 where the element is greater than the number, 0 elsewhere';

CREATE FUNCTION tensor_greater_equal(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater_equal' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater_equal(tensor, tensor) IS 'element-wise: 1 where the element is at least that of the other tensor, 0 elsewhere';

CREATE FUNCTION tensor_greater_equal(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_greater_equal_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_greater_equal(tensor, double precision) IS 'element-wise: 1 where the element is at least the number, 0 elsewhere';

CREATE FUNCTION tensor_argmax(tensor) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_argmax' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmax(tensor) IS 'the place of the first largest element, row-major, counted from 0; NaN is largest';

CREATE FUNCTION tensor_argmax(tensor tensor, dimension integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_argmax_along' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmax(tensor, integer) IS 'the index of the first largest element along a dimension, as float8; NaN is largest';

CREATE FUNCTION tensor_argmin(tensor) RETURNS bigint
	AS 'MODULE_PATHNAME', 'tensor_argmin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmin(tensor) IS 'the place of the first smallest element, row-major, counted from 0; NaN is smallest';

CREATE FUNCTION tensor_argmin(tensor tensor, dimension integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_argmin_along' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_argmin(tensor, integer) IS 'the index of the first smallest element along a dimension, as float8; NaN is smallest';

CREATE FUNCTION tensor_abs(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_abs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_abs(tensor) IS 'element-wise: absolute value';

CREATE FUNCTION tensor_sign(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_sign' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_sign(tensor) IS 'element-wise: sign: -1, 0 or 1';

CREATE FUNCTION tensor_sqrt(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_sqrt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_sqrt(tensor) IS 'element-wise: square root';

CREATE FUNCTION tensor_exp(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_exp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_exp(tensor) IS 'element-wise: exponential';

CREATE FUNCTION tensor_ln(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_ln' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_ln(tensor) IS 'element-wise: natural logarithm';

CREATE FUNCTION tensor_sin(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_sin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_sin(tensor) IS 'element-wise: sine';

CREATE FUNCTION tensor_cos(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_cos' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_cos(tensor) IS 'element-wise: cosine';

CREATE FUNCTION tensor_tanh(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_tanh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_tanh(tensor) IS 'element-wise: hyperbolic tangent';

CREATE FUNCTION tensor_sigmoid(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_sigmoid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_sigmoid(tensor) IS 'element-wise: 1 / (1 + exp(-x))';

CREATE FUNCTION tensor_relu(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_relu' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_relu(tensor) IS 'element-wise: 0 where negative';

CREATE FUNCTION tensor_floor(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_floor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_floor(tensor) IS 'element-wise: nearest integer below';

CREATE FUNCTION tensor_ceil(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_ceil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_ceil(tensor) IS 'element-wise: nearest integer above';

CREATE FUNCTION tensor_round(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_round' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_round(tensor) IS 'element-wise: nearest integer, half to even';

CREATE FUNCTION tensor_conj(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_conj' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_conj(tensor) IS 'element-wise: complex conjugate';

CREATE FUNCTION tensor_real(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_real(tensor) IS 'element-wise: real part';

CREATE FUNCTION tensor_imag(tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_imag' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_imag(tensor) IS 'element-wise: imaginary part, 0 of real elements';

CREATE FUNCTION tensor_power(tensor, double precision) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_power' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 20
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_power(tensor, double precision) IS 'element-wise: the power with that exponent';
-- The functions of the program language on float8: IEEE arithmetic without
-- errors, and 0 / x = 0. Generated SQL computes fully promoted values with them.

CREATE FUNCTION scalar_add(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_add(double precision, double precision) IS 'internal: x + y, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_subtract(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_subtract' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_subtract(double precision, double precision) IS 'internal: x - y, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_multiply(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_multiply' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_multiply(double precision, double precision) IS 'internal: x * y, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_divide(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_divide' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_divide(double precision, double precision) IS 'internal: x / y; 0 / y is 0, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_power(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_power' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_power(double precision, double precision) IS 'internal: x to the power y, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_negate(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_negate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_negate(double precision) IS 'internal: -x, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_eq(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_eq(double precision, double precision) IS 'internal: 1 if x = y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_ne(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_ne(double precision, double precision) IS 'internal: 1 if x <> y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_lt(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_lt(double precision, double precision) IS 'internal: 1 if x < y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_le(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_le(double precision, double precision) IS 'internal: 1 if x <= y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_gt(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_gt(double precision, double precision) IS 'internal: 1 if x > y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_ge(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_ge(double precision, double precision) IS 'internal: 1 if x >= y, else 0, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_greatest(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_greatest' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_greatest(double precision, double precision) IS 'internal: the larger; NaN if one is, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_least(double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_least' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_least(double precision, double precision) IS 'internal: the smaller; NaN if one is, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_if(double precision, double precision, double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_if' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_if(double precision, double precision, double precision) IS 'internal: the second where the first is not 0, else the third, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_abs(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_abs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_abs(double precision) IS 'internal: absolute value, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_sign(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sign' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_sign(double precision) IS 'internal: sign: -1, 0 or 1, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_sqrt(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sqrt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_sqrt(double precision) IS 'internal: square root, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_exp(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_exp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_exp(double precision) IS 'internal: exponential, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_ln(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ln' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_ln(double precision) IS 'internal: natural logarithm, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_sin(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sin' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_sin(double precision) IS 'internal: sine, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_cos(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_cos' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_cos(double precision) IS 'internal: cosine, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_tanh(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_tanh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_tanh(double precision) IS 'internal: hyperbolic tangent, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_sigmoid(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_sigmoid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_sigmoid(double precision) IS 'internal: 1 / (1 + exp(-x)), in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_relu(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_relu' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_relu(double precision) IS 'internal: 0 where negative, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_floor(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_floor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_floor(double precision) IS 'internal: nearest integer below, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_ceil(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_ceil' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_ceil(double precision) IS 'internal: nearest integer above, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_round(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_round' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_round(double precision) IS 'internal: nearest integer, half to even, in IEEE arithmetic and never an error';

CREATE FUNCTION scalar_conj(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_conj' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_conj(double precision) IS 'internal: complex conjugate of a real number, which is itself';

CREATE FUNCTION scalar_real(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_real' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_real(double precision) IS 'internal: real part of a real number, which is itself';

CREATE FUNCTION scalar_imag(double precision) RETURNS double precision
	AS 'MODULE_PATHNAME', 'scalar_imag' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scalar_imag(double precision) IS 'internal: imaginary part of a real number: 0';
-- Distances: the operators of pgvector, with its meaning, for tensors of any shape.

CREATE FUNCTION tensor_l2_distance(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_l2_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_l2_distance(tensor, tensor) IS 'Euclidean distance: the root of the sum of squares of differences';

CREATE OPERATOR @extschema@.<-> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_l2_distance, COMMUTATOR = OPERATOR(@extschema@.<->));
COMMENT ON OPERATOR <-> (tensor, tensor) IS 'Euclidean distance: the root of the sum of squares of differences';

CREATE FUNCTION tensor_cosine_distance(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_cosine_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_cosine_distance(tensor, tensor) IS 'cosine distance: 1 less the cosine of the angle; NaN for a tensor of zeros';

CREATE OPERATOR @extschema@.<=> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_cosine_distance, COMMUTATOR = OPERATOR(@extschema@.<=>));
COMMENT ON OPERATOR <=> (tensor, tensor) IS 'cosine distance: 1 less the cosine of the angle; NaN for a tensor of zeros';

CREATE FUNCTION tensor_negative_inner_product(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_negative_inner_product' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_negative_inner_product(tensor, tensor) IS 'inner product with the other sign';

CREATE OPERATOR @extschema@.<#> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_negative_inner_product, COMMUTATOR = OPERATOR(@extschema@.<#>));
COMMENT ON OPERATOR <#> (tensor, tensor) IS 'inner product with the other sign';

CREATE FUNCTION tensor_l1_distance(tensor, tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'tensor_l1_distance' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_l1_distance(tensor, tensor) IS 'L1 distance: the sum of absolute differences';

CREATE OPERATOR @extschema@.<+> (LEFTARG = tensor, RIGHTARG = tensor, FUNCTION = tensor_l1_distance, COMMUTATOR = OPERATOR(@extschema@.<+>));
COMMENT ON OPERATOR <+> (tensor, tensor) IS 'L1 distance: the sum of absolute differences';
-- Linear algebra by LAPACK. A matrix is a tensor of rank 2.

CREATE FUNCTION mat_solve(a tensor, b tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_solve' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_solve(tensor, tensor) IS 'the x of a x = b, for a vector b or every column of a matrix b';

CREATE FUNCTION mat_lstsq(a tensor, b tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_lstsq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION mat_lstsq(tensor, tensor) IS 'the x of least norm that minimises |a x - b|, for a vector b or every column of a matrix b';

CREATE FUNCTION mat_inverse(a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_inverse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION mat_inverse(tensor) IS 'inverse of a square matrix';

CREATE FUNCTION mat_det(a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_det' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_det(tensor) IS 'determinant of a square matrix, as a tensor of rank 0';

CREATE FUNCTION mat_det_scalar(a tensor) RETURNS double precision
	AS 'MODULE_PATHNAME', 'mat_det_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_det_scalar(tensor) IS 'determinant of a square matrix of real elements';

CREATE FUNCTION mat_norm(a tensor, kind text DEFAULT 'fro') RETURNS double precision
	AS 'MODULE_PATHNAME', 'mat_norm' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION mat_norm(tensor, text) IS 'norm of a vector or matrix: fro, max, 1, inf, 2 or nuc';

CREATE FUNCTION mat_cholesky(a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_cholesky' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION mat_cholesky(tensor) IS 'lower triangular Cholesky factor of a symmetric or Hermitian positive definite matrix';

CREATE FUNCTION mat_qr(a tensor, OUT q tensor, OUT r tensor) RETURNS record
	AS 'MODULE_PATHNAME', 'mat_qr' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION mat_qr(tensor) IS 'a = q r with orthonormal columns of q and upper triangular r';

CREATE FUNCTION mat_svd(a tensor, OUT u tensor, OUT s tensor, OUT vt tensor) RETURNS record
	AS 'MODULE_PATHNAME', 'mat_svd' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION mat_svd(tensor) IS 'a = u diag(s) vt with singular values s in descending order';

CREATE FUNCTION mat_eigh(a tensor, OUT eigenvalues tensor, OUT eigenvectors tensor) RETURNS record
	AS 'MODULE_PATHNAME', 'mat_eigh' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5000;
COMMENT ON FUNCTION mat_eigh(tensor) IS 'eigenvalues of a symmetric or Hermitian matrix in ascending order, and eigenvectors as columns';
-- Files of numpy.

CREATE FUNCTION tensor_from_npy(file bytea) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_from_npy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tensor_from_npy(bytea) IS 'the array of an npy file, as numpy.save writes it';

CREATE FUNCTION tensor_to_npy(tensor tensor) RETURNS bytea
	AS 'MODULE_PATHNAME', 'tensor_to_npy' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION tensor_to_npy(tensor) IS 'an npy file, as numpy.load reads it';
-- Kernels: functions of values.
--
-- COST counts in units of a float8 operator, which takes some 10 ns: the frame
-- of a call with operands is about 10 of them, and the arithmetic of a usual
-- operand (a vector of a hundred elements, a matrix of a thousand) the rest.

CREATE FUNCTION einsum(equation text, VARIADIC operands "any") RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum(equation text, VARIADIC operands "any") IS 'product of tensors and numbers by numpy''s equation language, summed over the labels that the output lacks';

CREATE FUNCTION einsum_scalar(equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_scalar(equation text, VARIADIC operands "any") IS 'einsum for results of rank 0, as float8';

CREATE FUNCTION einsum_solve(matrix text, equation text, a tensor, b tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_solve' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION einsum_solve(text, text, tensor, tensor) IS 'solutions of linear systems in dimensions of values: matrix names the unknowns and the equations';

CREATE FUNCTION einsum_inverse(matrix text, equation text, a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_inverse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2000;
COMMENT ON FUNCTION einsum_inverse(text, text, tensor) IS 'inverses of square matrices in dimensions of values: matrix names rows and columns';

CREATE FUNCTION einsum_cholesky(matrix text, equation text, a tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_cholesky' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION einsum_cholesky(text, text, tensor) IS 'lower triangular Cholesky factors of matrices in dimensions of values: matrix names rows and columns';

CREATE FUNCTION einsum_path(equation text, VARIADIC shapes "any") RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'einsum_path' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 8;
COMMENT ON FUNCTION einsum_path(equation text, VARIADIC shapes "any") IS 'order in which einsum multiplies operands of these shapes, with operations and sizes; a shape is an integer array or a tensor';

CREATE FUNCTION tensor_map(expression text, equation text, VARIADIC operands "any") RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_map' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map(expression text, equation text, VARIADIC operands "any") IS 'pointwise expression of operands $1, $2, ..., summed over the labels that the output lacks';

CREATE FUNCTION tensor_map_scalar(expression text, equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map for results of rank 0, as float8';

-- Named as in the papers.

CREATE FUNCTION inner_prod(tensor, tensor) RETURNS float8
	AS 'MODULE_PATHNAME', 'inner_prod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION inner_prod(tensor, tensor) IS 'inner product of two vectors';

CREATE FUNCTION outer_prod(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'outer_prod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION outer_prod(tensor, tensor) IS 'outer product of two vectors';

CREATE FUNCTION vec_mat_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'vec_mat_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION vec_mat_mult(tensor, tensor) IS 'row vector times matrix';

CREATE FUNCTION mat_vec_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_vec_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION mat_vec_mult(tensor, tensor) IS 'matrix times column vector';

CREATE FUNCTION mat_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'mat_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION mat_mult(tensor, tensor) IS 'matrix times matrix';

CREATE FUNCTION vec_sca_mult(tensor, float8) RETURNS tensor
	AS 'MODULE_PATHNAME', 'vec_sca_mult' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION vec_sca_mult(tensor, float8) IS 'tensor of any rank times number';

CREATE FUNCTION vec_sca_mult(tensor, tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'vec_sca_mult_tensor' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION vec_sca_mult(tensor, tensor) IS 'tensor of any rank times tensor of rank 0';
-- Aggregates over tensors and their state.
--
-- A transition costs what its kernel costs (see the kernels); a final function
-- copies the state. SSPACE is what the planner charges for a group's state: a
-- vector of about a hundred elements, and more for what is stacked. Sums keep
-- wide values as references for as long as a group is small: half of that is
-- between their states and those of narrow values.

CREATE TYPE @extschema@.tensor_state;

CREATE FUNCTION tensor_state_in(cstring) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_state_in(cstring) IS 'internal: text input of tensor_state';

CREATE FUNCTION tensor_state_out(tensor_state) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_state_out(tensor_state) IS 'internal: text output of tensor_state';

CREATE FUNCTION tensor_state_recv(internal) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_state_recv(internal) IS 'internal: binary input of tensor_state';

CREATE FUNCTION tensor_state_send(tensor_state) RETURNS bytea
	AS 'MODULE_PATHNAME', 'tensor_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_state_send(tensor_state) IS 'internal: binary output of tensor_state';

-- Plain storage keeps the state's alignment when it passes through tuples.
CREATE TYPE @extschema@.tensor_state (
	INPUT = tensor_state_in,
	OUTPUT = tensor_state_out,
	RECEIVE = tensor_state_recv,
	SEND = tensor_state_send,
	ALIGNMENT = double,
	STORAGE = plain
);
COMMENT ON TYPE tensor_state IS 'internal: state of the aggregates over tensors';

CREATE FUNCTION tensor_fold_finalfn(tensor_state) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_fold_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_fold_finalfn(tensor_state) IS 'internal: result of the aggregates that sum tensors or keep the extremes';

-- tensor_sum

CREATE FUNCTION tensor_sum_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_sum_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_sum_transfn(tensor_state, tensor) IS 'internal: transition of tensor_sum over tensors';

CREATE FUNCTION tensor_sum_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_sum_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_sum_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of sums';

CREATE FUNCTION tensor_sum_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_sum_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_sum_transfn(float8, float8) IS 'internal: transition of tensor_sum over numbers';

CREATE AGGREGATE @extschema@.tensor_sum(tensor) (
	SFUNC = tensor_sum_transfn,
	STYPE = tensor_state,
	SSPACE = 512,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_sum(tensor) IS 'element-wise sum of tensors of one shape';

CREATE AGGREGATE @extschema@.tensor_sum(float8) (
	SFUNC = tensor_sum_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_sum(float8) IS 'sum in IEEE arithmetic: overflow is infinity, not an error';

CREATE AGGREGATE @extschema@.sum(tensor) (
	SFUNC = tensor_sum_transfn,
	STYPE = tensor_state,
	SSPACE = 512,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(tensor) IS 'tensor_sum under its usual name';

-- tensor_min

CREATE FUNCTION tensor_min_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_min_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_min_transfn(tensor_state, tensor) IS 'internal: transition of tensor_min over tensors';

CREATE FUNCTION tensor_min_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_min_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_min_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of minima';

CREATE FUNCTION tensor_min_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_min_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_min_transfn(float8, float8) IS 'internal: transition of tensor_min over numbers';

CREATE AGGREGATE @extschema@.tensor_min(tensor) (
	SFUNC = tensor_min_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_min(tensor) IS 'element-wise minimum of tensors of one shape, NaN where one is';

CREATE AGGREGATE @extschema@.tensor_min(float8) (
	SFUNC = tensor_min_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_min(float8) IS 'minimum, NaN if a value is NaN';

CREATE AGGREGATE @extschema@.min(tensor) (
	SFUNC = tensor_min_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE min(tensor) IS 'tensor_min under its usual name';

-- tensor_max

CREATE FUNCTION tensor_max_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_max_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_max_transfn(tensor_state, tensor) IS 'internal: transition of tensor_max over tensors';

CREATE FUNCTION tensor_max_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_max_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_max_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of maxima';

CREATE FUNCTION tensor_max_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_max_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_max_transfn(float8, float8) IS 'internal: transition of tensor_max over numbers';

CREATE AGGREGATE @extschema@.tensor_max(tensor) (
	SFUNC = tensor_max_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_max(tensor) IS 'element-wise maximum of tensors of one shape, NaN where one is';

CREATE AGGREGATE @extschema@.tensor_max(float8) (
	SFUNC = tensor_max_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_max(float8) IS 'maximum, NaN if a value is NaN';

CREATE AGGREGATE @extschema@.max(tensor) (
	SFUNC = tensor_max_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE max(tensor) IS 'tensor_max under its usual name';

-- Kernel and aggregate in one: no tensor is built for a row.

CREATE FUNCTION einsum_sum_transfn(tensor_state, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'einsum_sum_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_sum_transfn(tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_sum';

CREATE AGGREGATE @extschema@.einsum_sum(equation text, VARIADIC operands "any") (
	SFUNC = einsum_sum_transfn,
	STYPE = tensor_state,
	SSPACE = 512,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_sum(equation text, VARIADIC operands "any") IS 'sum over the rows of einsum(equation, ...)';

CREATE FUNCTION einsum_sum_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_sum_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 30
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_sum_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_sum_scalar';

CREATE AGGREGATE @extschema@.einsum_sum_scalar(equation text, VARIADIC operands "any") (
	SFUNC = einsum_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_sum_scalar(equation text, VARIADIC operands "any") IS 'einsum_sum for results of rank 0, as float8';

CREATE FUNCTION tensor_map_sum_transfn(tensor_state, text, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_sum_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_sum_transfn(tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_sum';

CREATE AGGREGATE @extschema@.tensor_map_sum(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_sum_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_sum(expression text, equation text, VARIADIC operands "any") IS 'sum over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION tensor_map_sum_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_sum_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_sum_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_sum_scalar';

CREATE AGGREGATE @extschema@.tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_sum for results of rank 0, as float8';

CREATE FUNCTION tensor_map_min_transfn(tensor_state, text, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_min_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_min_transfn(tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_min';

CREATE AGGREGATE @extschema@.tensor_map_min(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_min_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_min(expression text, equation text, VARIADIC operands "any") IS 'minimum over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION tensor_map_min_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_min_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_min_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_min_scalar';

CREATE AGGREGATE @extschema@.tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_min_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_min for results of rank 0, as float8';

CREATE FUNCTION tensor_map_max_transfn(tensor_state, text, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_max_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_max_transfn(tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_max';

CREATE AGGREGATE @extschema@.tensor_map_max(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_max_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_max(expression text, equation text, VARIADIC operands "any") IS 'maximum over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION tensor_map_max_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_max_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_max_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_max_scalar';

CREATE AGGREGATE @extschema@.tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_max_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_max for results of rank 0, as float8';

-- stack

CREATE FUNCTION stack_transfn(tensor_state, tensor, int8, int4, int8) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_transfn(tensor_state, tensor, int8, int4, int8) IS 'internal: transition of stack over tensors';

CREATE FUNCTION stack_transfn(tensor_state, float8, int8, int4, int8) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_transfn(tensor_state, float8, int8, int4, int8) IS 'internal: transition of stack over numbers';

CREATE FUNCTION stack_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_combinefn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_combinefn(tensor_state, tensor_state) IS 'internal: joins two stacks';

CREATE FUNCTION stack_finalfn(tensor_state) RETURNS tensor
	AS 'MODULE_PATHNAME', 'stack_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_finalfn(tensor_state) IS 'internal: result of stack';

CREATE AGGREGATE @extschema@.stack(value tensor, pos int8, dimension int4, bound int8) (
	SFUNC = stack_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value tensor, pos int8, dimension int4, bound int8) IS 'tensors at their positions along a new dimension of that bound; 0 where there is none';

CREATE AGGREGATE @extschema@.stack(value float8, pos int8, dimension int4, bound int8) (
	SFUNC = stack_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value float8, pos int8, dimension int4, bound int8) IS 'numbers at their positions along a new dimension of that bound; 0 where there is none';
-- Averages, and covariance in one pass.

-- tensor_avg

CREATE FUNCTION tensor_avg_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_avg_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_avg_transfn(tensor_state, tensor) IS 'internal: transition of tensor_avg over tensors';

CREATE FUNCTION tensor_avg_transfn(tensor_state, float8) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_avg_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 3
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_avg_transfn(tensor_state, float8) IS 'internal: transition of tensor_avg over numbers';

CREATE FUNCTION tensor_avg_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_avg_combinefn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_avg_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of averages';

CREATE FUNCTION tensor_avg_finalfn(tensor_state) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_avg_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_avg_finalfn(tensor_state) IS 'internal: result of tensor_avg over tensors';

CREATE FUNCTION tensor_avg_float8_finalfn(tensor_state) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_avg_float8_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_avg_float8_finalfn(tensor_state) IS 'internal: result of tensor_avg over numbers';

CREATE AGGREGATE @extschema@.tensor_avg(tensor) (
	SFUNC = tensor_avg_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_avg_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_avg_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_avg(tensor) IS 'element-wise mean of tensors of one shape';

CREATE AGGREGATE @extschema@.tensor_avg(float8) (
	SFUNC = tensor_avg_transfn,
	STYPE = tensor_state,
	SSPACE = 64,
	FINALFUNC = tensor_avg_float8_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_avg_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_avg(float8) IS 'mean in IEEE arithmetic: overflow is infinity, not an error';

CREATE AGGREGATE @extschema@.avg(tensor) (
	SFUNC = tensor_avg_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_avg_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_avg_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE avg(tensor) IS 'tensor_avg under its usual name';

-- tensor_covar

CREATE TYPE @extschema@.tensor_moments AS (count bigint, mean tensor, comoment tensor);
COMMENT ON TYPE tensor_moments IS 'number of vectors, their mean, and the sum of (x - mean) (x - mean)^T';

CREATE FUNCTION tensor_covar_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_covar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_covar_transfn(tensor_state, tensor) IS 'internal: transition of tensor_covar';

CREATE FUNCTION tensor_covar_transfn(tensor_state, float8[]) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_covar_array_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 500
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_covar_transfn(tensor_state, float8[]) IS 'internal: transition of tensor_covar over arrays';

CREATE FUNCTION tensor_covar_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_covar_combinefn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 500
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_covar_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of tensor_covar';

CREATE FUNCTION tensor_covar_finalfn(tensor_state) RETURNS tensor_moments
	AS 'MODULE_PATHNAME', 'tensor_covar_finalfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_covar_finalfn(tensor_state) IS 'internal: result of tensor_covar';

CREATE AGGREGATE @extschema@.tensor_covar(vector tensor) (
	SFUNC = tensor_covar_transfn,
	STYPE = tensor_state,
	SSPACE = 32768,
	FINALFUNC = tensor_covar_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_covar_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_covar(vector tensor) IS 'number, mean and co-moment of vectors, in one stable pass; the covariance is (m).comoment / ((m).count - 1)';

CREATE AGGREGATE @extschema@.tensor_covar(vector float8[]) (
	SFUNC = tensor_covar_transfn,
	STYPE = tensor_state,
	SSPACE = 32768,
	FINALFUNC = tensor_covar_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_covar_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_covar(vector float8[]) IS 'tensor_covar over arrays, without a cast of each';
-- Products and logic of rows, and the kernels folded otherwise than by sums.

-- tensor_prod

CREATE FUNCTION tensor_prod_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_prod_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_prod_transfn(tensor_state, tensor) IS 'internal: transition of tensor_prod over tensors';

CREATE FUNCTION tensor_prod_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_prod_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_prod_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of products';

CREATE FUNCTION tensor_prod_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_prod_float8_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_prod_transfn(float8, float8) IS 'internal: transition of tensor_prod over numbers';

CREATE AGGREGATE @extschema@.tensor_prod(tensor) (
	SFUNC = tensor_prod_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_prod_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_prod(tensor) IS 'element-wise product of tensors of one shape';

CREATE AGGREGATE @extschema@.tensor_prod(float8) (
	SFUNC = tensor_prod_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_prod_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_prod(float8) IS 'product in IEEE arithmetic: overflow is infinity, not an error';

-- tensor_any

CREATE FUNCTION tensor_any_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_any_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_any_transfn(tensor_state, tensor) IS 'internal: transition of tensor_any over tensors';

CREATE FUNCTION tensor_any_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_any_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_any_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of disjunctions';

CREATE FUNCTION tensor_any_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_any_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_any_transfn(float8, float8) IS 'internal: transition of tensor_any over numbers';

CREATE AGGREGATE @extschema@.tensor_any(tensor) (
	SFUNC = tensor_any_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_any_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_any(tensor) IS 'element-wise 1 where a tensor is not 0, else 0; NaN is not 0';

CREATE AGGREGATE @extschema@.tensor_any(float8) (
	SFUNC = tensor_any_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_any_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_any(float8) IS '1 if a value is not 0, else 0; NaN is not 0';

-- tensor_all

CREATE FUNCTION tensor_all_transfn(tensor_state, tensor) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_all_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_all_transfn(tensor_state, tensor) IS 'internal: transition of tensor_all over tensors';

CREATE FUNCTION tensor_all_combinefn(tensor_state, tensor_state) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_all_transfn' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_all_combinefn(tensor_state, tensor_state) IS 'internal: joins two states of conjunctions';

CREATE FUNCTION tensor_all_transfn(float8, float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_all_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_all_transfn(float8, float8) IS 'internal: transition of tensor_all over numbers';

CREATE AGGREGATE @extschema@.tensor_all(tensor) (
	SFUNC = tensor_all_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_all_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_all(tensor) IS 'element-wise 1 where no tensor is 0, else 0';

CREATE AGGREGATE @extschema@.tensor_all(float8) (
	SFUNC = tensor_all_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_all_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_all(float8) IS '1 if no value is 0, else 0';

-- einsum_min, einsum_max, einsum_any, einsum_all

CREATE FUNCTION einsum_min_transfn(tensor_state, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'einsum_min_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_min_transfn(tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_min';

CREATE AGGREGATE @extschema@.einsum_min(equation text, VARIADIC operands "any") (
	SFUNC = einsum_min_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_min(equation text, VARIADIC operands "any") IS 'minimum over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION einsum_min_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_min_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_min_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_min_scalar';

CREATE AGGREGATE @extschema@.einsum_min_scalar(equation text, VARIADIC operands "any") (
	SFUNC = einsum_min_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_min_scalar(equation text, VARIADIC operands "any") IS 'einsum_min for results of rank 0, as float8';

CREATE FUNCTION einsum_max_transfn(tensor_state, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'einsum_max_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_max_transfn(tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_max';

CREATE AGGREGATE @extschema@.einsum_max(equation text, VARIADIC operands "any") (
	SFUNC = einsum_max_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_max(equation text, VARIADIC operands "any") IS 'maximum over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION einsum_max_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_max_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_max_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_max_scalar';

CREATE AGGREGATE @extschema@.einsum_max_scalar(equation text, VARIADIC operands "any") (
	SFUNC = einsum_max_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_max_scalar(equation text, VARIADIC operands "any") IS 'einsum_max for results of rank 0, as float8';

CREATE FUNCTION einsum_any_transfn(tensor_state, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'einsum_any_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_any_transfn(tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_any';

CREATE AGGREGATE @extschema@.einsum_any(equation text, VARIADIC operands "any") (
	SFUNC = einsum_any_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_any_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_any(equation text, VARIADIC operands "any") IS '1 if one is not 0, else 0, over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION einsum_any_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_any_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_any_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_any_scalar';

CREATE AGGREGATE @extschema@.einsum_any_scalar(equation text, VARIADIC operands "any") (
	SFUNC = einsum_any_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_any_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_any_scalar(equation text, VARIADIC operands "any") IS 'einsum_any for results of rank 0, as float8';

CREATE FUNCTION einsum_all_transfn(tensor_state, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'einsum_all_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_all_transfn(tensor_state, text, VARIADIC "any") IS 'internal: transition of einsum_all';

CREATE AGGREGATE @extschema@.einsum_all(equation text, VARIADIC operands "any") (
	SFUNC = einsum_all_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_all_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_all(equation text, VARIADIC operands "any") IS '1 if none is 0, else 0, over the rows and over the labels that the output lacks of the product of the operands';

CREATE FUNCTION einsum_all_scalar_transfn(float8, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_all_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_all_scalar_transfn(float8, text, VARIADIC "any") IS 'internal: transition of einsum_all_scalar';

CREATE AGGREGATE @extschema@.einsum_all_scalar(equation text, VARIADIC operands "any") (
	SFUNC = einsum_all_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_all_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_all_scalar(equation text, VARIADIC operands "any") IS 'einsum_all for results of rank 0, as float8';
-- Set-returning functions: index sets, and the slices of a tensor.

CREATE FUNCTION allints_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'allints_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION allints_support(internal) IS 'internal: row estimate of allints';

CREATE FUNCTION allints(lo int4, hi int4) RETURNS SETOF int4
	AS 'MODULE_PATHNAME', 'allints_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000 SUPPORT @extschema@.allints_support;
COMMENT ON FUNCTION allints(int4, int4) IS 'integers from lo up to and without hi';

CREATE FUNCTION allints(lo int8, hi int8) RETURNS SETOF int8
	AS 'MODULE_PATHNAME', 'allints_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 1000 SUPPORT @extschema@.allints_support;
COMMENT ON FUNCTION allints(int8, int8) IS 'integers from lo up to and without hi';

CREATE FUNCTION tensor_unstack(t tensor, dimension int4) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'tensor_unstack' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_unstack(tensor, int4) IS 'slices of a tensor along a dimension, numbered from 0';

CREATE FUNCTION tensor_unstack(t tensor, dimension int4, block int4) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'tensor_unstack_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_unstack(tensor, int4, int4) IS 'blocks of a dimension of a tensor, numbered from 0; the last may be shorter';

CREATE FUNCTION einsum_unstack_blocks(t tensor, dimension int4, block int4, fill float8) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack_blocks' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_unstack_blocks(tensor, int4, int4, float8) IS 'internal: blocks of a dimension of a tensor, without those that are fill everywhere';

CREATE FUNCTION einsum_unstack(t tensor, dimension int4, fill float8) RETURNS TABLE (index int4, value tensor)
	AS 'MODULE_PATHNAME', 'einsum_unstack' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_unstack(tensor, int4, float8) IS 'internal: slices of a tensor along a dimension, without those that are fill everywhere';

CREATE FUNCTION einsum_unstack_scalar(t tensor, fill float8) RETURNS TABLE (index int4, value float8)
	AS 'MODULE_PATHNAME', 'einsum_unstack_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_unstack_scalar(tensor, float8) IS 'internal: elements of a vector, without those that are fill';
-- Values at shifted and constant indices.

CREATE FUNCTION einsum_shift(value tensor, offsets bigint[], constant boolean[], fill tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_shift' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_shift(tensor, bigint[], boolean[], tensor) IS 'internal: a value at indices that are so much larger, or the constant ones; fill where there is none';
-- Aggregates that say in which row an extreme is.

CREATE FUNCTION einsum_argmax_finalfn(internal) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_argmax_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_argmax_finalfn(internal) IS 'internal: result of einsum_argmax and einsum_argmin over tensors';

CREATE FUNCTION einsum_argmax_number_finalfn(internal) RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_argmax_number_finalfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_argmax_number_finalfn(internal) IS 'internal: result of einsum_argmax and einsum_argmin over numbers';

CREATE FUNCTION einsum_argmax_transfn(internal, tensor, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmax_row' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_argmax_transfn(internal, tensor, bigint, bigint, float8) IS 'internal: transition of einsum_argmax over tensors';

CREATE AGGREGATE @extschema@.einsum_argmax(value tensor, key bigint, bound bigint, fill float8) (
	SFUNC = einsum_argmax_transfn,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = einsum_argmax_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_argmax(tensor, bigint, bigint, float8) IS 'internal: the key of the row with the largest of tensors, of each element; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';

CREATE FUNCTION einsum_argmax_transfn(internal, float8, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmax_number' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_argmax_transfn(internal, float8, bigint, bigint, float8) IS 'internal: transition of einsum_argmax over numbers';

CREATE AGGREGATE @extschema@.einsum_argmax(value float8, key bigint, bound bigint, fill float8) (
	SFUNC = einsum_argmax_transfn,
	STYPE = internal,
	SSPACE = 192,
	FINALFUNC = einsum_argmax_number_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_argmax(float8, bigint, bigint, float8) IS 'internal: the key of the row with the largest of numbers; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';

CREATE FUNCTION einsum_argmin_transfn(internal, tensor, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmin_row' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_argmin_transfn(internal, tensor, bigint, bigint, float8) IS 'internal: transition of einsum_argmin over tensors';

CREATE AGGREGATE @extschema@.einsum_argmin(value tensor, key bigint, bound bigint, fill float8) (
	SFUNC = einsum_argmin_transfn,
	STYPE = internal,
	SSPACE = 1024,
	FINALFUNC = einsum_argmax_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_argmin(tensor, bigint, bigint, float8) IS 'internal: the key of the row with the smallest of tensors, of each element; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';

CREATE FUNCTION einsum_argmin_transfn(internal, float8, bigint, bigint, float8) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_argmin_number' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 2
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION einsum_argmin_transfn(internal, float8, bigint, bigint, float8) IS 'internal: transition of einsum_argmin over numbers';

CREATE AGGREGATE @extschema@.einsum_argmin(value float8, key bigint, bound bigint, fill float8) (
	SFUNC = einsum_argmin_transfn,
	STYPE = internal,
	SSPACE = 192,
	FINALFUNC = einsum_argmax_number_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE einsum_argmin(float8, bigint, bigint, float8) IS 'internal: the key of the row with the smallest of numbers; the first of equal ones; at keys from 0 to bound - 1 without a row is fill';
-- What generated SQL asks of every row that it reads.

-- PostgreSQL asks the cheapest conditions of a row first. These cost less than
-- the comparison of two keys, so that a row that is read is checked whatever
-- else a query asks of it: off the diagonal of a[i,i] too. A function for each
-- type of keys, as a cast has a cost of its own.

CREATE FUNCTION einsum_key_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_key_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_key_support(internal) IS 'internal: removes the checks that CHECK constraints make needless';

CREATE FUNCTION einsum_unique_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_unique_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_unique_support(internal) IS 'internal: looks for what proves that keys are unique when a query is planned';

CREATE FUNCTION einsum_dimension_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_dimension_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_dimension_support(internal) IS 'internal: removes the checks that foreign keys make needless';

CREATE FUNCTION @extschema@.einsum_one_hot(value text, categories text[], tensor text) RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum_one_hot' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION einsum_one_hot(text, text[], text) IS
	'internal: a vector that is 1 at the place of a category; an error if it is none of them';

CREATE FUNCTION einsum_key_in_range(key int2, bound int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT @extschema@.einsum_key_support;
CREATE FUNCTION einsum_key_in_range(key int4, bound int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT @extschema@.einsum_key_support;
CREATE FUNCTION einsum_key_in_range(key int8, bound int8, tensor text, label text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_range_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT @extschema@.einsum_key_support;
COMMENT ON FUNCTION einsum_key_in_range(int2, int8, text, text) IS
	'internal: true, or an error if a key is outside its bound';
COMMENT ON FUNCTION einsum_key_in_range(int4, int8, text, text) IS
	'internal: true, or an error if a key is outside its bound';
COMMENT ON FUNCTION einsum_key_in_range(int8, int8, text, text) IS
	'internal: true, or an error if a key is outside its bound';

CREATE FUNCTION einsum_value_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_value_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_value_support(internal) IS 'internal: removes the checks that a column''s declaration makes needless';

CREATE FUNCTION einsum_value_has_shape(value tensor, shape int4[], tensor text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_value_has_shape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.5 SUPPORT @extschema@.einsum_value_support;

CREATE FUNCTION einsum_value_has_shape(value tensor, shape int4[], tensor text, type text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_value_has_shape' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.5 SUPPORT @extschema@.einsum_value_support;
COMMENT ON FUNCTION einsum_value_has_shape(tensor, int4[], text, text) IS
	'internal: true, or an error if a value has another shape or element type than was registered';

COMMENT ON FUNCTION einsum_value_has_shape(tensor, int4[], text) IS
	'internal: true, or an error if a value has another shape than was registered, or is not of float8';
-- The cache of values stored out of line.

CREATE FUNCTION einsum_cache_stats(OUT hits int8, OUT misses int8, OUT evictions int8, OUT peak_bytes int8)
	AS 'MODULE_PATHNAME', 'einsum_cache_stats' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION einsum_cache_stats() IS
	'what the cache of detoasted values did in the last query of this process that used it';
-- stack with an entry other than 0 where there is no value.

CREATE FUNCTION stack_transfn(tensor_state, tensor, int8, int4, int8, float8) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 15
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_transfn(tensor_state, tensor, int8, int4, int8, float8) IS 'internal: transition of stack over tensors with a fill';

CREATE FUNCTION stack_transfn(tensor_state, float8, int8, int4, int8, float8) RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'stack_float8_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION stack_transfn(tensor_state, float8, int8, int4, int8, float8) IS 'internal: transition of stack over numbers with a fill';

CREATE AGGREGATE @extschema@.stack(value tensor, pos int8, dimension int4, bound int8, fill float8) (
	SFUNC = stack_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value tensor, pos int8, dimension int4, bound int8, fill float8) IS 'tensors at their positions along a new dimension of that bound; fill where there is none';

CREATE AGGREGATE @extschema@.stack(value float8, pos int8, dimension int4, bound int8, fill float8) (
	SFUNC = stack_transfn,
	STYPE = tensor_state,
	SSPACE = 8192,
	FINALFUNC = stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE stack(value float8, pos int8, dimension int4, bound int8, fill float8) IS 'numbers at their positions along a new dimension of that bound; fill where there is none';

-- The product of a pointwise expression, for prod in programs.

CREATE FUNCTION tensor_map_prod_transfn(tensor_state, text, text, VARIADIC "any") RETURNS tensor_state
	AS 'MODULE_PATHNAME', 'tensor_map_prod_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_prod_transfn(tensor_state, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_prod';

CREATE AGGREGATE @extschema@.tensor_map_prod(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_prod_transfn,
	STYPE = tensor_state,
	SSPACE = 1024,
	FINALFUNC = tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = tensor_prod_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_prod(expression text, equation text, VARIADIC operands "any") IS 'product over the rows and over the labels that the output lacks of a pointwise expression';

CREATE FUNCTION tensor_map_prod_scalar_transfn(float8, text, text, VARIADIC "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_prod_scalar_transfn' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION tensor_map_prod_scalar_transfn(float8, text, text, VARIADIC "any") IS 'internal: transition of tensor_map_prod_scalar';

CREATE AGGREGATE @extschema@.tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = tensor_map_prod_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = tensor_prod_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") IS 'tensor_map_prod for results of rank 0, as float8';
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
-- What is running.

CREATE FUNCTION einsum_blas(OUT library text, OUT version text, OUT core text, OUT reason text)
	AS 'MODULE_PATHNAME', 'einsum_blas' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_blas() IS 'internal: the BLAS library of einsum_version()';

CREATE FUNCTION einsum_version(OUT extension text, OUT postgresql text, OUT blas text, OUT blas_version text,
		OUT core text, OUT core_reason text)
	LANGUAGE sql STABLE STRICT PARALLEL SAFE
	BEGIN ATOMIC
		SELECT e.extversion, pg_catalog.current_setting('server_version'), b.library, b.version, b.core, b.reason
		FROM pg_catalog.pg_extension e, @extschema@.einsum_blas() b
		WHERE e.extname OPERATOR(pg_catalog.=) 'sparseeinsum'::pg_catalog.name;
	END;
COMMENT ON FUNCTION einsum_version() IS
	'versions of the extension, the server and the BLAS library, and the processor whose code BLAS runs';
-- Bounds of a tensor, as an argument: a type of its own takes both a literal
-- ('{3,*}') and arrays of numbers or texts, where overloads would be ambiguous.

CREATE TYPE @extschema@.tensor_bounds;

CREATE FUNCTION tensor_bounds_in(cstring) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds_in(cstring) IS 'internal: text input of tensor_bounds';

CREATE FUNCTION tensor_bounds_out(tensor_bounds) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_bounds_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds_out(tensor_bounds) IS 'internal: text output of tensor_bounds';

CREATE TYPE @extschema@.tensor_bounds (
	INPUT = tensor_bounds_in,
	OUTPUT = tensor_bounds_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);
COMMENT ON TYPE tensor_bounds IS 'bounds of a tensor as an argument: an array of integers or texts';

CREATE FUNCTION tensor_bounds(smallint[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds(smallint[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (smallint[] AS @extschema@.tensor_bounds) WITH FUNCTION @extschema@.tensor_bounds(smallint[]) AS IMPLICIT;
COMMENT ON CAST (smallint[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION tensor_bounds(integer[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds(integer[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (integer[] AS @extschema@.tensor_bounds) WITH FUNCTION @extschema@.tensor_bounds(integer[]) AS IMPLICIT;
COMMENT ON CAST (integer[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION tensor_bounds(bigint[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds(bigint[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (bigint[] AS @extschema@.tensor_bounds) WITH FUNCTION @extschema@.tensor_bounds(bigint[]) AS IMPLICIT;
COMMENT ON CAST (bigint[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION tensor_bounds(numeric[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds(numeric[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (numeric[] AS @extschema@.tensor_bounds) WITH FUNCTION @extschema@.tensor_bounds(numeric[]) AS IMPLICIT;
COMMENT ON CAST (numeric[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION tensor_bounds(text[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds(text[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (text[] AS @extschema@.tensor_bounds) WITH FUNCTION @extschema@.tensor_bounds(text[]) AS IMPLICIT;
COMMENT ON CAST (text[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION tensor_bounds(varchar[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tensor_bounds(varchar[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (varchar[] AS @extschema@.tensor_bounds) WITH FUNCTION @extschema@.tensor_bounds(varchar[]) AS IMPLICIT;
COMMENT ON CAST (varchar[] AS tensor_bounds) IS 'bounds of a tensor as an argument';
-- Registrations are security labels, which PostgreSQL dumps as SECURITY LABEL
-- commands. Their provider must be loaded before one is restored, and when the
-- extension is dropped, as it takes them along: this trigger calls a function of
-- the library, which loads it.

CREATE FUNCTION load_label_provider() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'load_label_provider' LANGUAGE C;
COMMENT ON FUNCTION load_label_provider() IS 'internal: loads the provider of security labels';

CREATE EVENT TRIGGER sparseeinsum_load ON ddl_command_start
	WHEN TAG IN ('SECURITY LABEL', 'DROP EXTENSION', 'DROP SCHEMA', 'DROP OWNED')
	EXECUTE FUNCTION @extschema@.load_label_provider();
COMMENT ON EVENT TRIGGER sparseeinsum_load IS 'loads sparseeinsum before a registration is restored, or the extension dropped';

-- What was measured. Read and written by the library alone.

CREATE TABLE @extschema@.einsum_statistics (
	relid oid NOT NULL,
	label_hash bigint NOT NULL,
	pages float8 NOT NULL,
	entries float8 NOT NULL,
	nonfinite boolean NOT NULL,
	value_counts float8[] NOT NULL,
	distinct_counts float8[] NOT NULL,
	degrees float8[] NOT NULL,
	degree_squares float8[],
	degree_cubes float8[],
	meetings float8[],
	square_meetings float8[],
	rows float8,
	pairs float8[],
	PRIMARY KEY (relid, label_hash)
);
COMMENT ON TABLE einsum_statistics IS 'internal: statistics of registered tensors, measured by einsum_register and einsum_analyze';
COMMENT ON COLUMN einsum_statistics.relid IS 'the relation';
COMMENT ON COLUMN einsum_statistics.label_hash IS 'hash of the registration that was measured; rows of another registration are ignored';
COMMENT ON COLUMN einsum_statistics.pages IS 'pages of the relation when it was measured; -1 if it has none';
COMMENT ON COLUMN einsum_statistics.entries IS 'entries that differ from fill';
COMMENT ON COLUMN einsum_statistics.nonfinite IS 'some entry is infinite or NaN';
COMMENT ON COLUMN einsum_statistics.value_counts IS 'for each label, indices with an entry';
COMMENT ON COLUMN einsum_statistics.distinct_counts IS 'for each set of labels (as a bitmask), distinct index vectors';
COMMENT ON COLUMN einsum_statistics.degrees IS 'for sets X and Y of labels, at X * sets + Y: the most distinct X for one Y, or -1';
COMMENT ON COLUMN einsum_statistics.degree_squares IS 'in the order of degrees: the mean over Y of the number of distinct X squared, or -1; null if not measured';
COMMENT ON COLUMN einsum_statistics.degree_cubes IS 'in the order of degrees: the mean over Y of the number of distinct X cubed, or -1; null if not measured';
COMMENT ON COLUMN einsum_statistics.meetings IS 'for labels P and Q, at P * labels + Q: the sum over their indices of the entries with it in P times those with it in Q, or -1; null if not measured';
COMMENT ON COLUMN einsum_statistics.square_meetings IS 'the same with the entries of P squared';
COMMENT ON COLUMN einsum_statistics.rows IS 'rows with keys and a value; null if not counted';
COMMENT ON COLUMN einsum_statistics.pairs IS 'in the order of meetings, of two labels: the pairs of the other indices of two entries that meet in P and Q, or -1; null if not measured';

-- The same by name, for pg_dump. The table is empty: what is dumped comes from
-- the function, and goes where it belongs through the trigger.

CREATE TABLE @extschema@.einsum_statistics_dump (
	relation text,
	label_hash bigint,
	pages float8,
	entries float8,
	nonfinite boolean,
	value_counts float8[],
	distinct_counts float8[],
	degrees float8[],
	degree_squares float8[],
	degree_cubes float8[],
	meetings float8[],
	square_meetings float8[],
	rows float8,
	pairs float8[]
);
GRANT SELECT, INSERT ON @extschema@.einsum_statistics_dump TO PUBLIC;
COMMENT ON TABLE einsum_statistics_dump IS 'internal: always empty; how pg_dump dumps and restores einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.relation IS 'qualified name of the relation';
COMMENT ON COLUMN einsum_statistics_dump.label_hash IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.pages IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.entries IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.nonfinite IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.value_counts IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.distinct_counts IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.degrees IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.degree_squares IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.degree_cubes IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.meetings IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.square_meetings IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.rows IS 'as in einsum_statistics';
COMMENT ON COLUMN einsum_statistics_dump.pairs IS 'as in einsum_statistics';

CREATE FUNCTION @extschema@.dumped_statistics() RETURNS SETOF @extschema@.einsum_statistics_dump
	AS 'MODULE_PATHNAME', 'dumped_statistics' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION dumped_statistics() IS 'internal: the statistics of relations that the user may read, for pg_dump';

CREATE FUNCTION @extschema@.restore_statistics() RETURNS trigger
	AS 'MODULE_PATHNAME', 'restore_statistics' LANGUAGE C;
COMMENT ON FUNCTION restore_statistics() IS 'internal: stores statistics of the user''s relations from a dump';

CREATE TRIGGER restore BEFORE INSERT ON @extschema@.einsum_statistics_dump
	FOR EACH ROW EXECUTE FUNCTION @extschema@.restore_statistics();
ALTER TABLE @extschema@.einsum_statistics_dump ENABLE ALWAYS TRIGGER restore;
COMMENT ON TRIGGER restore ON einsum_statistics_dump IS 'takes restored statistics to einsum_statistics';

SELECT pg_catalog.pg_extension_config_dump('@extschema@.einsum_statistics_dump'::pg_catalog.regclass,
	'WHERE false UNION ALL SELECT * FROM @extschema@.dumped_statistics()');
-- Declaring tables and views as tensors.

CREATE FUNCTION einsum_register(tensor text, relation regclass, keys text[], value text DEFAULT NULL,
		bounds tensor_bounds DEFAULT NULL, fill float8 DEFAULT 0, duplicates text DEFAULT 'error',
		replace boolean DEFAULT false, storage text DEFAULT 'only', one_hot boolean DEFAULT false) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_register' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_register(text, regclass, text[], text, tensor_bounds, float8, text, boolean, text, boolean) IS
	'declares a table or view to hold a tensor, as in einsum_register(''a[I,J]'', ''edge'', keys => ''{dst,src}'', value => ''weight'')';

CREATE FUNCTION einsum_dimension(name text, relation regclass, key name, "position" name DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_dimension' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_dimension(text, regclass, name, name) IS
	'declares the keys of a table to be an index set of labels, as in bounds => ''{node,node}''; a tensor of that name is 1 at each key; with the column of their positions, labels may be inside of values';

CREATE FUNCTION einsum_unregister(tensor text, relation regclass DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_unregister' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_unregister(text, regclass) IS
	'undoes einsum_register: the relation, or without one all relations, no longer hold the tensor';

CREATE FUNCTION einsum_analyze(tensor text, OUT statistic text, OUT labels text, OUT given text,
		OUT count bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_analyze' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION einsum_analyze(text) IS
	'measures a tensor for the optimizer: entries, values of each label, distinct index vectors, degrees';

CREATE FUNCTION @extschema@.einsum_analyze(OUT schema text, OUT tensor text, OUT entries bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_analyze_all' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 50;
COMMENT ON FUNCTION einsum_analyze() IS 'measures all tensors that the user owns';

CREATE FUNCTION @extschema@.einsum_names(tensor text, OUT label text, OUT index int4, OUT name text) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_names' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED ROWS 20;
COMMENT ON FUNCTION einsum_names(text) IS
	'what the indices of a dimension are called that several columns, or the categories of one, make';

CREATE FUNCTION known_statistics(tensor text, OUT statistic text, OUT labels text, OUT given text,
		OUT count bigint) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'known_statistics' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION known_statistics(text) IS 'internal: what the optimizer knows about a tensor, measured or estimated';

CREATE FUNCTION known_moments(tensor text, OUT statistic text, OUT labels text, OUT given text,
		OUT square float8, OUT cube float8, OUT pairs float8) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'known_moments' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION known_moments(text) IS 'internal: how skewed a tensor is: mean squares and cubes of degrees; sums over the indices of two labels of the entries of one, to the power 1 and 2, times those of the other, and the pairs that they lead to';

CREATE FUNCTION registered_tensors(OUT tensor text, OUT schema name, OUT relation regclass,
		OUT notation text, OUT keys name[], OUT value name, OUT bounds text[], OUT type text,
		OUT fill float8, OUT duplicates text, OUT program text, OUT rows float8,
		OUT analyzed boolean, OUT status text, OUT "position" name) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'registered_tensors' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 50;
COMMENT ON FUNCTION registered_tensors() IS 'internal: the rows of einsum_tensors';

CREATE VIEW @extschema@.einsum_tensors AS
	SELECT tensor, schema, relation, notation, keys, value, bounds, type, fill, duplicates, program,
		rows::pg_catalog.int8 AS rows, analyzed, status
	FROM @extschema@.registered_tensors();
GRANT SELECT ON @extschema@.einsum_tensors TO PUBLIC;
COMMENT ON VIEW einsum_tensors IS 'registered tensors, a row for each storage';
COMMENT ON COLUMN einsum_tensors.tensor IS 'name of the tensor';
COMMENT ON COLUMN einsum_tensors.schema IS 'schema of the tensor and its relation';
COMMENT ON COLUMN einsum_tensors.relation IS 'table or view that holds it';
COMMENT ON COLUMN einsum_tensors.notation IS 'labels: upper case for a key column, lower case for a dimension of the value, label:size for blocks';
COMMENT ON COLUMN einsum_tensors.keys IS 'key columns, in the order of their labels';
COMMENT ON COLUMN einsum_tensors.value IS 'value column; NULL if a row means 1';
COMMENT ON COLUMN einsum_tensors.bounds IS 'number of indices of each label; * if they are the keys that occur, or the dimension whose keys they are';
COMMENT ON COLUMN einsum_tensors.type IS 'element type of the entries';
COMMENT ON COLUMN einsum_tensors.fill IS 'value of the entries that are not stored; NULL if it is complex';
COMMENT ON COLUMN einsum_tensors.duplicates IS 'error: a constraint proves that there are none; trust: the owner says so; sum: they are summed';
COMMENT ON COLUMN einsum_tensors.program IS 'the einsum_decompose call that made it, if any';
COMMENT ON COLUMN einsum_tensors.rows IS 'rows of the relation as last counted by VACUUM or ANALYZE';
COMMENT ON COLUMN einsum_tensors.analyzed IS 'whether einsum_analyze has measured this registration';
COMMENT ON COLUMN einsum_tensors.status IS 'ok, or what is wrong';

CREATE VIEW @extschema@.einsum_dimensions AS
	SELECT tensor AS dimension, schema, relation, keys[1] AS key, "position", rows::pg_catalog.int8 AS rows, status
	FROM @extschema@.registered_tensors()
	WHERE pg_catalog.cardinality(bounds) OPERATOR(pg_catalog.=) 1
		AND bounds[1] OPERATOR(pg_catalog.=) pg_catalog.quote_ident(tensor);
GRANT SELECT ON @extschema@.einsum_dimensions TO PUBLIC;
COMMENT ON VIEW einsum_dimensions IS 'dimensions: tables whose keys are the index set of labels';
COMMENT ON COLUMN einsum_dimensions.dimension IS 'name of the dimension, and of the tensor that is 1 at each key';
COMMENT ON COLUMN einsum_dimensions.schema IS 'schema of the dimension and its table';
COMMENT ON COLUMN einsum_dimensions.relation IS 'the table';
COMMENT ON COLUMN einsum_dimensions.key IS 'the column that has the keys';
COMMENT ON COLUMN einsum_dimensions."position" IS 'the column that orders the keys inside of values; NULL if its labels are key columns always';
COMMENT ON COLUMN einsum_dimensions.rows IS 'rows of the table as last counted by VACUUM or ANALYZE';
COMMENT ON COLUMN einsum_dimensions.status IS 'ok, or what is wrong';
-- Storing a tensor from a query that lists its entries.

CREATE FUNCTION einsum_store(tensor text, query text, bounds tensor_bounds DEFAULT NULL,
		relation name DEFAULT NULL, storage text DEFAULT 'only') RETURNS regclass
	AS 'MODULE_PATHNAME', 'einsum_store' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION einsum_store(text, text, tensor_bounds, name, text) IS
	'creates, fills and registers a table for a tensor, as in einsum_store(''a[I,J]'', ''SELECT dst, src, weight FROM edge'', ''{2708,2708}'')';

CREATE FUNCTION store_coordinate(coordinate bigint, bound bigint, tensor text, label text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'store_coordinate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION store_coordinate(bigint, bigint, text, text) IS 'internal: checks a coordinate against its bound';
-- Sessions keep which objects are members of the extension. ALTER EXTENSION ... ADD
-- and DROP change nothing that PostgreSQL tells sessions of; the trigger does.

CREATE FUNCTION forget_extension_members() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'forget_extension_members' LANGUAGE C;
COMMENT ON FUNCTION forget_extension_members() IS 'internal: has sessions look up again what is a member of the extension';

CREATE EVENT TRIGGER sparseeinsum_members ON ddl_command_end WHEN TAG IN ('ALTER EXTENSION')
	EXECUTE FUNCTION @extschema@.forget_extension_members();
COMMENT ON EVENT TRIGGER sparseeinsum_members IS 'has sessions look up again what is a member of sparseeinsum';
-- The parsers, for tests and for the curious.

CREATE FUNCTION einsum_parse(program text) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION einsum_parse(text) IS
	'internal: a program in canonical form, every operation in parentheses';

CREATE FUNCTION einsum_parse_equation(equation text, operands int) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse_equation' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION einsum_parse_equation(text, int) IS
	'internal: an einsum equation with its output made explicit';

CREATE FUNCTION einsum_parse_notation(notation text) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse_notation' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION einsum_parse_notation(text) IS
	'internal: a tensor''s notation in canonical form';

CREATE FUNCTION einsum_parse_map(expression text) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_parse_map' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION einsum_parse_map(text) IS
	'internal: a map expression as the postfix code that kernels run';
-- Programs: their plans, views, SQL and values.

CREATE FUNCTION einsum_plan(
	program text,
	format text DEFAULT 'text',
	plans int DEFAULT 1,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'auto',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL,
	actual boolean DEFAULT false,
	at name[] DEFAULT NULL,
	iterate boolean DEFAULT false,
	init text DEFAULT NULL
) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'einsum_plan' LANGUAGE C STABLE PARALLEL RESTRICTED
	COST 10000 ROWS 20;
COMMENT ON FUNCTION einsum_plan(text, text, int, text, int, text, text, text, text, text, name, boolean, name[], boolean, text) IS
	'the plan of a program: decompositions, stages and costs';

CREATE FUNCTION einsum_sql(
	program text,
	at name[] DEFAULT NULL,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'auto',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL
) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_sql' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_sql(text, name[], text, int, text, text, text, text, text, name) IS
	'one SELECT that computes the last statement of a program';

CREATE FUNCTION einsum_value(
	program text,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'auto',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL
) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_value' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_value(text, text, int, text, text, text, text, text, name) IS
	'the result of the last statement of a program as one tensor';

CREATE FUNCTION einsum_rows(
	program text,
	at json DEFAULT NULL,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'auto',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_rows' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_rows(text, json, text, int, text, text, text, text, text, name) IS
	'the rows of the result of a program''s last statement, all or those at some keys';

CREATE FUNCTION einsum_decompose(
	program text,
	name text,
	search text DEFAULT 'dp',
	alternative int DEFAULT 1,
	inputs text DEFAULT 'as_stored',
	result text DEFAULT 'auto',
	materialize text DEFAULT 'auto',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	schema name DEFAULT NULL,
	replace boolean DEFAULT false,
	security_invoker boolean DEFAULT false,
	OUT view text,
	OUT notation text,
	OUT columns text,
	OUT cost float8,
	OUT tuples float8
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_decompose' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 100000 ROWS 10;
COMMENT ON FUNCTION einsum_decompose(text, text, text, int, text, text, text, text, text, name, boolean, boolean) IS
	'creates the views or tables of a program, one per stage, and registers what it defines';

CREATE FUNCTION einsum_drop(name text, schema name DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_drop' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION einsum_drop(text, name) IS 'drops the views and tables of a program';

CREATE FUNCTION einsum_refresh(name text, schema name DEFAULT NULL) RETURNS void
	AS 'MODULE_PATHNAME', 'einsum_refresh' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION einsum_refresh(text, name) IS
	'fills the tables of a program, made with materialize => ''always'', anew';

CREATE FUNCTION einsum_rebound(bounds jsonb, schema name DEFAULT NULL) RETURNS SETOF text
	AS 'MODULE_PATHNAME', 'einsum_rebound' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100000 ROWS 10;
COMMENT ON FUNCTION einsum_rebound(jsonb, name) IS
	'gives labels or tensors other bounds, as in ''{"i": 30}'' or ''{"a": [30, null]}'', and makes all programs again that read them; returns these';
-- Helps for generated SQL.

CREATE FUNCTION einsum_once(value tensor) RETURNS tensor
	AS 'MODULE_PATHNAME', 'einsum_once' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_once(tensor) IS 'internal: its argument, computed once per row of the subquery that calls it';

CREATE FUNCTION einsum_once(value float8) RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_once' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_once(float8) IS 'internal: its argument, computed once per row of the subquery that calls it';

CREATE FUNCTION einsum_barrier_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'einsum_barrier_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION einsum_barrier_support(internal) IS 'internal: removes einsum_barrier when the subquery that calls it is planned';

CREATE FUNCTION einsum_barrier() RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_barrier' LANGUAGE C VOLATILE STRICT PARALLEL SAFE SUPPORT @extschema@.einsum_barrier_support;
COMMENT ON FUNCTION einsum_barrier() IS 'internal: true; conditions on what a subquery computes with it are evaluated above the subquery';

CREATE FUNCTION einsum_full(shape integer[], value double precision, type text DEFAULT 'float8') RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_full' LANGUAGE C STABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION einsum_full(integer[], double precision, text) IS 'internal: tensor_full, but not computed while a query is planned';
-- Programs made of programs.

CREATE FUNCTION einsum_gradient(
	program text,
	"of" text,
	wrt text[],
	stored text[] DEFAULT NULL,
	prefix text DEFAULT 'd_'
) RETURNS text
	AS 'MODULE_PATHNAME', 'einsum_gradient' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION einsum_gradient(text, text, text[], text[], text) IS
	'a program that computes derivatives of a number that another one defines';
-- Loops: programs that are computed again and again from what they made before.

CREATE FUNCTION einsum_iterate(
	name text,
	init text,
	step text,
	until text DEFAULT NULL,
	max_rounds int DEFAULT 1000,
	schema name DEFAULT NULL,
	assign text[] DEFAULT NULL,
	restart boolean DEFAULT false,
	search text DEFAULT 'dp',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL,
	OUT round int,
	OUT value float8,
	OUT entries jsonb,
	OUT bytes jsonb,
	OUT milliseconds float8,
	OUT planned boolean
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_iterate' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 100;
COMMENT ON FUNCTION einsum_iterate(text, text, text, text, int, name, text[], boolean, text, text, text) IS
	'computes a program again and again from what it made before; a row for each round';

CREATE PROCEDURE einsum_iterate(
	name text,
	init text,
	step text,
	commit_every int,
	until text DEFAULT NULL,
	max_rounds int DEFAULT 1000,
	schema name DEFAULT NULL,
	assign text[] DEFAULT NULL,
	restart boolean DEFAULT false,
	search text DEFAULT 'dp',
	rewrite text DEFAULT 'distribute',
	estimator text DEFAULT NULL
) AS 'MODULE_PATHNAME', 'einsum_iterate_commit' LANGUAGE C;
COMMENT ON PROCEDURE einsum_iterate(text, text, text, int, text, int, name, text[], boolean, text, text, text) IS
	'the same, which commits after so many rounds, and goes on from there when it is called again';
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
-- The cost model on this machine.

CREATE FUNCTION einsum_calibrate(
	OUT setting text,
	OUT current float8,
	OUT measured float8,
	OUT statement text
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'einsum_calibrate' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000000 ROWS 8;
COMMENT ON FUNCTION einsum_calibrate() IS 'measures the cost settings on this machine, and says how to set them';
-- Calls of generated SQL that no function could be declared for exactly.
--
-- Others may create functions in the schema of the extension, and of two functions
-- of a name PostgreSQL calls the one whose arguments have exactly the types of the
-- call. That is ours where ours declares types. "any" is no type, so a function
-- (text, tensor, tensor) would be called instead of one (text, VARIADIC "any"), with
-- the rights of whoever reads a view. Generated SQL calls those in this schema, in
-- which only the owner of the extension can create anything.

CREATE SCHEMA sparseeinsum_internal;
REVOKE ALL ON SCHEMA sparseeinsum_internal FROM PUBLIC;
GRANT USAGE ON SCHEMA sparseeinsum_internal TO PUBLIC;
COMMENT ON SCHEMA sparseeinsum_internal IS 'internal: functions that generated SQL calls, where nobody else can create functions';

CREATE FUNCTION sparseeinsum_internal.einsum(equation text, VARIADIC operands "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum(equation text, VARIADIC operands "any") IS 'internal: einsum of the extension''s schema';

CREATE FUNCTION sparseeinsum_internal.einsum_scalar(equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'einsum_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 30
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_scalar of the extension''s schema';

CREATE FUNCTION sparseeinsum_internal.tensor_map(expression text, equation text, VARIADIC operands "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'tensor_map' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map of the extension''s schema';

CREATE FUNCTION sparseeinsum_internal.tensor_map_scalar(expression text, equation text, VARIADIC operands "any") RETURNS float8
	AS 'MODULE_PATHNAME', 'tensor_map_scalar' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 60
	SUPPORT @extschema@.einsum_kernel_support;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_map_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.einsum_sum(equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.einsum_sum_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 512,
	FINALFUNC = @extschema@.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_sum(equation text, VARIADIC operands "any") IS 'internal: einsum_sum of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.einsum_sum_scalar(equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.einsum_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = @extschema@.tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_sum_scalar(equation text, VARIADIC operands "any") IS 'internal: einsum_sum_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_sum(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_sum_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 1024,
	FINALFUNC = @extschema@.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.tensor_sum_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_sum(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_sum of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_sum_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = @extschema@.tensor_sum_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_sum_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_sum_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_min(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_min_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 1024,
	FINALFUNC = @extschema@.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.tensor_min_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_min(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_min of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_min_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = @extschema@.tensor_min_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_min_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_min_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_max(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_max_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 1024,
	FINALFUNC = @extschema@.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.tensor_max_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_max(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_max of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_max_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = @extschema@.tensor_max_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_max_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_max_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_prod(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_prod_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 1024,
	FINALFUNC = @extschema@.tensor_fold_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.tensor_prod_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_prod(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_prod of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") (
	SFUNC = @extschema@.tensor_map_prod_scalar_transfn,
	STYPE = float8,
	COMBINEFUNC = @extschema@.tensor_prod_transfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.tensor_map_prod_scalar(expression text, equation text, VARIADIC operands "any") IS 'internal: tensor_map_prod_scalar of the extension''s schema';

CREATE AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill float8, added int4, VARIADIC places "any") (
	SFUNC = @extschema@.stack_blocks_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 8192,
	FINALFUNC = @extschema@.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill float8, added int4, VARIADIC places "any") IS 'internal: tensors at their places in a larger one, as a vector; places are an offset and an extent for each dimension, of which the value lacks those added';

CREATE AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value float8, fill float8, added int4, VARIADIC places "any") (
	SFUNC = @extschema@.stack_blocks_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 8192,
	FINALFUNC = @extschema@.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value float8, fill float8, added int4, VARIADIC places "any") IS 'internal: numbers at their places in a tensor, as a vector; places are an offset and an extent for each dimension';

CREATE AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill @extschema@.tensor, added int4, VARIADIC places "any") (
	SFUNC = @extschema@.stack_blocks_transfn,
	STYPE = @extschema@.tensor_state,
	SSPACE = 8192,
	FINALFUNC = @extschema@.stack_finalfn,
	FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = @extschema@.stack_combinefn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE sparseeinsum_internal.einsum_stack_blocks(value @extschema@.tensor, fill @extschema@.tensor, added int4, VARIADIC places "any") IS 'internal: einsum_stack_blocks with a fill of any element type';

CREATE FUNCTION sparseeinsum_internal.einsum_keys_unique(tensor text, VARIADIC keys "any") RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_keys_unique' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT @extschema@.einsum_unique_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_keys_unique(text, "any") IS
	'internal: true if a unique index covers the keys, which is found out when a query is planned; else an error';

CREATE FUNCTION sparseeinsum_internal.einsum_key_in_dimension(key "any", found boolean, tensor text, label text, dimension text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'einsum_key_in_dimension' LANGUAGE C STABLE STRICT PARALLEL SAFE
	COST 0.1 SUPPORT @extschema@.einsum_dimension_support;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_key_in_dimension("any", boolean, text, text, text) IS
	'internal: true, or an error if a key is not found in its dimension';

CREATE FUNCTION sparseeinsum_internal.einsum_by_position(value @extschema@.tensor, fill @extschema@.tensor, VARIADIC positions "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum_by_position' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_by_position(@extschema@.tensor, @extschema@.tensor, "any") IS
	'internal: a tensor over the keys of dimensions by their positions, of one that has them in order';

CREATE FUNCTION sparseeinsum_internal.einsum_by_place(value @extschema@.tensor, fill @extschema@.tensor, tensor text, type text, shape int4[], VARIADIC positions "any") RETURNS @extschema@.tensor
	AS 'MODULE_PATHNAME', 'einsum_by_place' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION sparseeinsum_internal.einsum_by_place(@extschema@.tensor, @extschema@.tensor, text, text, int4[], "any") IS
	'internal: a stored tensor over the keys of dimensions with these in order, of one by their positions';
