-- The type itself: text and binary forms, element type and rank as modifiers.

CREATE TYPE @extschema@.tensor;

CREATE FUNCTION sparseeinsum_internal.tensor_in(cstring, oid, integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_in(cstring, oid, integer) IS 'internal: text input of tensor';

CREATE FUNCTION sparseeinsum_internal.tensor_out(tensor) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_out(tensor) IS 'internal: text output of tensor';

CREATE FUNCTION sparseeinsum_internal.tensor_recv(internal, oid, integer) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_recv(internal, oid, integer) IS 'internal: binary input of tensor';

CREATE FUNCTION sparseeinsum_internal.tensor_send(tensor) RETURNS bytea
	AS 'MODULE_PATHNAME', 'tensor_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_send(tensor) IS 'internal: binary output of tensor';

CREATE FUNCTION sparseeinsum_internal.tensor_typmod_in(cstring[]) RETURNS integer
	AS 'MODULE_PATHNAME', 'tensor_typmod_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_typmod_in(cstring[]) IS 'internal: reads the modifiers of tensor(float8,2)';

CREATE FUNCTION sparseeinsum_internal.tensor_typmod_out(integer) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_typmod_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_typmod_out(integer) IS 'internal: writes the modifiers of tensor(float8,2)';

CREATE FUNCTION sparseeinsum_internal.tensor_subscript(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'tensor_subscript' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_subscript(internal) IS 'internal: subscripts t[1][2] of tensor';

CREATE TYPE @extschema@.tensor (
	INPUT = sparseeinsum_internal.tensor_in,
	OUTPUT = sparseeinsum_internal.tensor_out,
	RECEIVE = sparseeinsum_internal.tensor_recv,
	SEND = sparseeinsum_internal.tensor_send,
	TYPMOD_IN = sparseeinsum_internal.tensor_typmod_in,
	TYPMOD_OUT = sparseeinsum_internal.tensor_typmod_out,
	SUBSCRIPT = sparseeinsum_internal.tensor_subscript,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE tensor IS 'dense array of float4, float8, complex8 or complex16 elements with 0 to 16 dimensions, such as [[1,2],[3,4]]';

CREATE FUNCTION sparseeinsum_internal.tensor(tensor, integer, boolean) RETURNS tensor
	AS 'MODULE_PATHNAME', 'tensor_enforce_typmod' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor(tensor, integer, boolean) IS 'internal: converts to the element type of tensor(float8,2) and checks the rank';

CREATE CAST (tensor AS tensor) WITH FUNCTION sparseeinsum_internal.tensor(tensor, integer, boolean) AS IMPLICIT;
COMMENT ON CAST (tensor AS tensor) IS 'converts to the element type of tensor(float8,2) and checks the rank';
