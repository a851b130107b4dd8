-- Bounds of a tensor, as an argument: a type of its own takes both a literal
-- ('{3,*}') and arrays of numbers or texts, where overloads would be ambiguous.

CREATE TYPE @extschema@.tensor_bounds;

CREATE FUNCTION sparseeinsum_internal.tensor_bounds_in(cstring) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds_in(cstring) IS 'internal: text input of tensor_bounds';

CREATE FUNCTION sparseeinsum_internal.tensor_bounds_out(tensor_bounds) RETURNS cstring
	AS 'MODULE_PATHNAME', 'tensor_bounds_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds_out(tensor_bounds) IS 'internal: text output of tensor_bounds';

CREATE TYPE @extschema@.tensor_bounds (
	INPUT = sparseeinsum_internal.tensor_bounds_in,
	OUTPUT = sparseeinsum_internal.tensor_bounds_out,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);
COMMENT ON TYPE tensor_bounds IS 'bounds of a tensor as an argument: an array of integers or texts';

CREATE FUNCTION sparseeinsum_internal.tensor_bounds(smallint[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds(smallint[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (smallint[] AS @extschema@.tensor_bounds) WITH FUNCTION sparseeinsum_internal.tensor_bounds(smallint[]) AS IMPLICIT;
COMMENT ON CAST (smallint[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION sparseeinsum_internal.tensor_bounds(integer[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds(integer[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (integer[] AS @extschema@.tensor_bounds) WITH FUNCTION sparseeinsum_internal.tensor_bounds(integer[]) AS IMPLICIT;
COMMENT ON CAST (integer[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION sparseeinsum_internal.tensor_bounds(bigint[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds(bigint[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (bigint[] AS @extschema@.tensor_bounds) WITH FUNCTION sparseeinsum_internal.tensor_bounds(bigint[]) AS IMPLICIT;
COMMENT ON CAST (bigint[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION sparseeinsum_internal.tensor_bounds(numeric[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds(numeric[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (numeric[] AS @extschema@.tensor_bounds) WITH FUNCTION sparseeinsum_internal.tensor_bounds(numeric[]) AS IMPLICIT;
COMMENT ON CAST (numeric[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION sparseeinsum_internal.tensor_bounds(text[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds(text[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (text[] AS @extschema@.tensor_bounds) WITH FUNCTION sparseeinsum_internal.tensor_bounds(text[]) AS IMPLICIT;
COMMENT ON CAST (text[] AS tensor_bounds) IS 'bounds of a tensor as an argument';

CREATE FUNCTION sparseeinsum_internal.tensor_bounds(varchar[]) RETURNS tensor_bounds
	AS 'MODULE_PATHNAME', 'tensor_bounds' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sparseeinsum_internal.tensor_bounds(varchar[]) IS 'internal: cast to tensor_bounds';
CREATE CAST (varchar[] AS @extschema@.tensor_bounds) WITH FUNCTION sparseeinsum_internal.tensor_bounds(varchar[]) AS IMPLICIT;
COMMENT ON CAST (varchar[] AS tensor_bounds) IS 'bounds of a tensor as an argument';
